"""Formulas from SymPy have the values of the expressions they came from."""

from __future__ import annotations

import math
import random

import pytest

from stationary import InputError
from stationary._text import formula

sympy = pytest.importorskip("sympy")
from sympy import E, Function, Heaviside, Max, Min, Mod, Rational, Symbol, atan2, ceiling, exp, floor, log, pi, sign, sqrt, symbols  # noqa: E402

t = Symbol("t")
x, y = Function("x")(t), Function("y")(t)
k, l = symbols("k l")


def evaluated(text: str, values: dict[str, float]) -> float:
    """A formula of the scenario language by Python's rules, which bind powers and signs alike."""
    names = {name: getattr(math, name) for name in dir(math)}
    names |= {"abs": abs, "min": min, "max": max, "mod": lambda a, b: a % b, "sign": lambda a: math.copysign(1, a)}
    names |= {"heaviside": lambda a: float(a >= 0), "e": None}
    return eval(text.replace("^", "**"), {"__builtins__": {}}, names | values)  # noqa: S307


EXPRESSIONS = [
    Rational(1, 2) * x.diff(t) ** 2 - k * x**2 / 3,
    -((x - 1) ** 2) / (l**2 * (y + 3)) + 1,
    (-2) ** Symbol("n") * (x - y) - (-(x + y)),
    -x ** Rational(1, 3) / sqrt(1 + y**2) + x ** Rational(-3, 2),
    exp(-x) * E + pi * log(x) + k**l**2,
    (k**l) ** 2 + 2 ** (-x) + 1 / (1 + 1 / x),
    (x * y) ** k + (x / 3) ** l + (x**k) ** y,
    sympy.Float(0.1) * x - sympy.Float(1) / 3 * y + 1e-300,
    Max(x, y, 0) - Min(x, 2) + abs(x - 3) * sign(y) + floor(x) - ceiling(y) + Mod(x, 2),
    Heaviside(x - 1) * atan2(y, x) + sympy.tan(x) / sympy.cosh(y) + sympy.asinh(x) - sympy.sec(x) * sympy.cot(y),
    sympy.GoldenRatio * x,
    sympy.Mul(x, sympy.Add(y, -1, evaluate=False), evaluate=False),
    sympy.Add(x, sympy.Mul(-1, sympy.Add(y, 1, evaluate=False), evaluate=False), evaluate=False),
    -x - y - 1 - Rational(2, 3),
    sympy.Integer(-3),
    Rational(-1, 3) * x * y / k / l,
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_formula_from_sympy_has_the_value_of_its_expression(expression: object) -> None:
    draw = random.Random(3)
    for _ in range(5):
        values = {name: draw.uniform(0.5, 2.5) for name in ("x", "y", "vx", "k", "l")} | {"n": 3}
        plain = expression.subs(x.diff(t), values["vx"]).subs({x: values["x"], y: values["y"]})  # type: ignore[attr-defined]
        exact = float(plain.subs({k: values["k"], l: values["l"], Symbol("n"): 3}))
        assert evaluated(formula(expression), values) == pytest.approx(exact, rel=1e-13, abs=1e-299)


def test_sympy_rationals_stay_exact_and_floats_keep_their_bits() -> None:
    assert formula(Rational(1, 3) * x) == "x/3"
    assert formula(x ** Rational(1, 3)) == "x^(1/3)"
    for value in (0.1, 1e-300, 1 / 3, 123456.789e10):
        assert float(formula(sympy.Float(value))) == value


def test_sympy_coordinates_velocities_and_time_get_their_names() -> None:
    assert formula(x.diff(t) * sympy.cos(t)) == "cos(t)*vx"
    me = pytest.importorskip("sympy.physics.mechanics")
    theta = me.dynamicsymbols("theta")
    assert formula(theta.diff() ** 2 / 2) == "vtheta^2/2"


def test_sympy_sums_and_indices_become_formulas() -> None:
    q, i, n = sympy.IndexedBase("q"), Symbol("i", integer=True), Symbol("n", integer=True)
    assert formula(sympy.Sum((q[i + 1] - q[i]) ** 2, (i, 0, n - 2))) == "sum(i = 0..n - 2, (q[i + 1] - q[i])^2)"


@pytest.mark.parametrize(
    "expression, name",
    [
        (sympy.gamma(x), "gamma"),
        (sympy.I * x, "ImaginaryUnit"),
        (sympy.oo, "Infinity"),
        (sympy.Piecewise((x, x > 0), (0, True)), "Piecewise"),
        (x.diff(t, 2), "velocities"),
        (Symbol(r"\alpha"), "alpha"),
        (Function("f")(x), "f"),
        (sympy.nan, "nan"),
        (sympy.zoo * x, "zoo"),
        (sympy.Sum(k * l, (k, 0, 1), (l, 0, 1)), "Sum"),
        (sympy.Integral(x, t), "Integral"),
        (sympy.Matrix([[x, y]]), "Matrix"),
        (sympy.true, "Boolean"),
        (x > 0, "Greater"),
        ((1 + sympy.I) ** x, "I"),
        (sympy.Symbol("a b"), "a b"),
    ],
    ids=str,
)
def test_sympy_functions_unknown_to_formulas_are_refused_by_name(expression: object, name: str) -> None:
    with pytest.raises(InputError, match=rf"`lagrangian`: .*({name})") as caught:
        formula(expression, "lagrangian")
    assert isinstance(caught.value, (ValueError, TypeError)) and len(str(caught.value)) < 300


def test_sympy_expression_too_deep_to_print_is_an_input_error() -> None:
    deep = x
    for _ in range(3000):
        deep = sympy.sin(deep, evaluate=False)
    with pytest.raises(InputError, match="`lagrangian`: "):
        formula(deep, "lagrangian")


def test_random_sympy_expressions_print_or_are_input_errors() -> None:
    draw = random.Random(5)
    leaves = [x, y, t, k, sympy.I, sympy.oo, sympy.nan, sympy.zoo, sympy.Float("inf"), Rational(-1, 3), sympy.Integer(0)]
    makers = [
        lambda a, b: a + b,
        lambda a, b: a * b,
        lambda a, b: a**b,
        lambda a, b: sympy.sin(a),
        lambda a, b: sympy.Abs(a),
        lambda a, b: Max(k, l),
        lambda a, b: sympy.gamma(b),
        lambda a, b: sympy.Piecewise((a, x > 0), (b, True)),
        lambda a, b: sympy.Derivative(a, t),
        lambda a, b: sympy.Sum(a, (k, 0, b)),
    ]

    def tree(depth: int) -> object:
        if depth == 0 or draw.random() < 0.2:
            return draw.choice(leaves)
        return draw.choice(makers)(tree(depth - 1), tree(depth - 1))

    printed = 0
    for _ in range(300):
        try:
            made = tree(4)
        except Exception:  # SymPy itself refuses some, as a sum to infinity of nothing.
            continue
        try:
            printed += isinstance(formula(made, "lagrangian"), str)
        except InputError as error:
            assert str(error).startswith("`lagrangian`: "), error
    assert printed > 20

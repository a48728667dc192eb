"""Text of scenarios: formulas from strings, numbers and SymPy expressions, TOML, and values as ``--set`` takes them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ._errors import ExpressionError
from ._keys import order, written_as

# Keys of all kinds of scenarios in the order in which they are written; others follow as they came.
_ORDER = order()
# Those that become tables of their own, `[key]`, and those whose members do, `[key.name]` and `[[key]]`.
_TABLES = written_as("table")
_TABLES_OF_TABLES = written_as("tables")
_LISTS_OF_TABLES = written_as("list of tables")


def plain(value: Any, key: str = "") -> Any:
    """A value as bool, int, float, str, list or dict: what TOML can say."""
    if isinstance(value, (bool, str)):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, np.generic):
        return plain(value.item(), key)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"`{key}` must be finite, found {value}")
        return float(value)
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), key)
    if isinstance(value, Mapping):
        return {_name(k): plain(v, f"{key}.{k}" if key else str(k)) for k, v in value.items() if v is not None}
    if _of_sympy(value):
        return plain(value.tolist(), key) if hasattr(value, "tolist") else formula(value, key)
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray, set, frozenset)):
        return [plain(v, f"{key}.{k}") for k, v in enumerate(value)]
    at = f"`{key}`: " if key else ""
    raise TypeError(f"{at}expected text, a number, a list or a table, found {type(value).__name__}")


def formula(value: Any, key: str = "") -> str:
    """A formula of the scenario language.

    >>> formula("0.5*vx^2"), formula(0.1), formula(np.float64(1) / 3)
    ('0.5*vx^2', '0.1', '0.3333333333333333')
    """
    if _of_sympy(value):
        return _expression(value, key)
    value = plain(value, key)
    if isinstance(value, bool) or isinstance(value, (list, dict)):
        raise TypeError(f"`{key}` must be a formula or a number, found {type(value).__name__}")
    return value if isinstance(value, str) else repr(value)


def _name(key: Any) -> str:
    """A key of a table; SymPy's symbols may stand for coordinates and parameters."""
    return formula(key) if _of_sympy(key) else str(key)


# --- TOML ---


def toml(scenario: Mapping[str, Any]) -> str:
    """The text of a scenario, one key a line.

    >>> print(toml({"step": 0.1, "integrator": {"method": "gauss", "stages": 2}, "parameters": {"k": 1}}), end="")
    step = 0.1
    integrator = { method = "gauss", stages = 2 }
    <BLANKLINE>
    [parameters]
    k = 1
    """
    tree = plain(scenario)
    rank = {key: k for k, key in enumerate(_ORDER)}
    lines: list[str] = []
    tables: list[str] = []
    for key in sorted(tree, key=lambda k: rank.get(k, len(rank))):
        value = tree[key]
        if isinstance(value, dict) and key in _TABLES_OF_TABLES and all(isinstance(v, dict) for v in value.values()):
            tables += [line for name, v in value.items() for line in _table(f"[{_key(key)}.{_key(name)}]", v)]
        elif isinstance(value, dict) and key in _TABLES:
            tables += _table(f"[{_key(key)}]", value) if value else []
        elif key in _LISTS_OF_TABLES and isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
            tables += [line for v in value for line in _table(f"[[{_key(key)}]]", v)]
        else:
            lines.append(f"{_key(key)} = {_value(value)}")
    return "\n".join(lines + tables).lstrip("\n") + "\n"


def _table(head: str, table: dict[str, Any]) -> list[str]:
    return ["", head] + [f"{_key(k)} = {_value(v)}" for k, v in table.items()]


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _quoted(key)


def _value(value: Any, inline: bool = False) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if "\n" in value and not inline:
            # A line break after the opening quotes does not count.
            return '"""\n' + "\n".join(_quoted(line)[1:-1] for line in value.split("\n")) + '"""'
        return _quoted(value)
    if isinstance(value, list):
        return "[" + ", ".join(_value(v, True) for v in value) + "]"
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(k)} = {_value(v, True)}" for k, v in value.items())
        return "{ " + inner + " }" if inner else "{}"
    return repr(value)


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _quoted(text: str) -> str:
    def escaped(c: str) -> str:
        if c in _ESCAPES:
            return _ESCAPES[c]
        return f"\\u{ord(c):04X}" if ord(c) < 32 or ord(c) == 127 else c

    return '"' + "".join(map(escaped, text)) + '"'


# --- overrides ---


def overrides(changes: Mapping[str, Any] | Iterable[tuple[str, Any]] | None) -> list[tuple[str, str]]:
    """Changes of a scenario as keys and values of ``--set``. Tables are taken apart: what they do not name stays. An
    integrator with a method is whole, and leaves no option of the one before.

    >>> overrides({"end": 2, "integrator": {"method": "gauss", "stages": 3}, "gap": ["x"]})
    [('end', '2'), ('integrator', 'gauss'), ('integrator.stages', '3'), ('gap', '["x"]')]
    """
    if changes is None:
        return []
    if isinstance(changes, str):
        raise TypeError("expected a dict of keys and values, as in {'end': 2, 'parameters.l': 0.5}")
    pairs = changes.items() if isinstance(changes, Mapping) else changes
    return [pair for key, value in pairs for pair in _flat(str(key), plain(value, str(key)))]


def _flat(key: str, value: Any) -> Iterator[tuple[str, str]]:
    if key == "integrator" and isinstance(value, dict) and isinstance(value.get("method"), str):
        yield from _flat(key, value["method"])
        value = {inner: v for inner, v in value.items() if inner != "method"}
        if not value:
            return
    if isinstance(value, dict) and value:
        for inner, v in value.items():
            yield from _flat(f"{key}.{inner}", v)
    elif isinstance(value, str):
        yield key, value if _is_text_without_quotes(value) else _value(value, True)
    else:
        yield key, _value(value, True)


def _is_text_without_quotes(text: str) -> bool:
    """Whether ``--set`` takes a value for this text as it stands, as a user would write it: no TOML reads as such."""
    if not re.fullmatch(r"[\w(.+-][^\n\r\t#]*", text, re.ASCII) or text != text.strip():
        return False
    number = r"[+-]?(inf|nan|0[xob][0-9A-Fa-f_]+|[\d_]*\.?[\d_]*([eE][+-]?[\d_]+)?)"
    return text not in ("true", "false") and not re.fullmatch(number, text)


# --- SymPy ---

_FUNCTIONS = {
    name: name
    for name in "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log sign floor hypot".split()
}
_FUNCTIONS |= {"Abs": "abs", "Min": "min", "Max": "max", "ceiling": "ceil", "Mod": "mod"}
_RECIPROCALS = {"sec": "cos", "csc": "sin", "cot": "tan", "sech": "cosh", "csch": "sinh", "coth": "tanh"}
_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4


def _of_sympy(value: Any) -> bool:
    return any(str(c.__module__).partition(".")[0] == "sympy" for c in type(value).__mro__)


def _expression(e: Any, key: str) -> str:
    """A SymPy expression as a formula. Whatever keeps it from being one is an `InputError`, that of SymPy too."""
    try:
        return _printed(e, key)[0]
    except ExpressionError:
        raise
    except Exception as error:
        at = f"`{key}`: " if key else ""
        raise ExpressionError(f"{at}SymPy's `{_cut(e)}` has no counterpart in formulas of scenarios ({error})") from error


def _cut(e: Any) -> str:
    """An expression in a message: no longer than a line, and its type where it has no text."""
    try:
        text = str(e)
    except Exception:
        return type(e).__name__
    return text if len(text) <= 60 else text[:57] + "..."


def _printed(e: Any, key: str) -> tuple[str, int]:
    """A SymPy expression as a formula, and how tightly its outermost operator binds."""

    def inner(e: Any, binds: int) -> str:
        text, own = _printed(e, key)
        return text if own >= binds else f"({text})"

    def refuse(what: str) -> ExpressionError:
        at = f"`{key}`: " if key else ""
        return ExpressionError(f"{at}{what} has no counterpart in formulas of scenarios")

    name = type(e).__name__
    if getattr(e, "is_Symbol", False):
        return _identifier(e.name, refuse), _ATOM
    if getattr(e, "is_Integer", False):
        return str(e), _ATOM if e >= 0 else _SUM
    if getattr(e, "is_Rational", False):
        return f"{e.p}/{e.q}", _PRODUCT if e > 0 else _SUM
    if name == "Pi":
        return "pi", _ATOM
    if name == "Exp1":
        return "exp(1)", _ATOM
    if getattr(e, "is_Float", False) or getattr(e, "is_NumberSymbol", False):
        text = formula(float(e), key)
        return text, _ATOM if text[0] != "-" else _SUM
    if getattr(e, "is_Add", False):
        terms = [inner(term, _PRODUCT) if not _negative(term) else _printed(term, key)[0] for term in e.as_ordered_terms()]
        return terms[0] + "".join(f" - {t[1:]}" if t[0] == "-" else f" + {t}" for t in terms[1:]), _SUM
    if getattr(e, "is_Mul", False):
        return _product(e, inner)
    if getattr(e, "is_Pow", False):
        if e.exp.is_Number and e.exp < 0:
            return f"1/{inner(1 / e, _POWER)}", _PRODUCT
        if type(e.base).__name__ == "Exp1":
            return f"exp({_printed(e.exp, key)[0]})", _ATOM
        if e.exp.is_Rational and (e.exp.p, e.exp.q) == (1, 2):
            return f"sqrt({_printed(e.base, key)[0]})", _ATOM
        return f"{inner(e.base, _ATOM)}^{inner(e.exp, _POWER)}", _POWER
    if name == "Derivative":
        if e.args[1:] == ((_time_of(e.expr), 1),):
            return f"v{_identifier(e.expr.func.__name__, refuse)}", _ATOM
        raise refuse(f"`{e}`: of derivatives only velocities, d/dt of a coordinate,")
    if _time_of(e) is not None:
        return _identifier(e.func.__name__, refuse), _ATOM
    if name in _RECIPROCALS:
        return f"1/{_RECIPROCALS[name]}({_printed(e.args[0], key)[0]})", _PRODUCT
    if name == "Heaviside":
        return f"heaviside({_printed(e.args[0], key)[0]})", _ATOM
    if name == "Sum" and len(e.limits) == 1:
        k, a, b = (_printed(part, key)[0] for part in e.limits[0])
        return f"sum({k} = {a}..{b}, {_printed(e.function, key)[0]})", _ATOM
    if name == "Indexed" and len(e.indices) == 1:
        return f"{e.base}[{_printed(e.indices[0], key)[0]}]", _ATOM
    if name in _FUNCTIONS and e.args:
        return f"{_FUNCTIONS[name]}({', '.join(_printed(a, key)[0] for a in e.args)})", _ATOM
    raise refuse(f"SymPy's `{name}`, as in `{_cut(e)}`,")


def _product(e: Any, inner: Any) -> tuple[str, int]:
    coefficient, rest = e.as_coeff_Mul()
    above, below = [], []
    if coefficient.is_Rational:
        above += [] if abs(coefficient.p) == 1 else [str(abs(coefficient.p))]
        below += [] if coefficient.q == 1 else [str(coefficient.q)]
    else:
        above.append(inner(abs(coefficient), _PRODUCT))
    for factor in rest.as_ordered_factors():
        if factor.is_Pow and factor.exp.is_Number and factor.exp < 0:
            below.append(inner(1 / factor, _POWER))
        else:
            above.append(inner(factor, _POWER))
    text = "*".join(above) or "1"
    if below:
        text += "/" + (below[0] if len(below) == 1 else f"({'*'.join(below)})")
    return ("-" + text, _SUM) if coefficient < 0 else (text, _PRODUCT)


def _negative(e: Any) -> bool:
    return bool(e.is_Number and e < 0 or e.is_Mul and e.as_coeff_Mul()[0] < 0)


def _time_of(e: Any) -> Any:
    """The symbol `t` of a coordinate `x(t)`."""
    from sympy.core.function import AppliedUndef  # type: ignore[import-untyped, unused-ignore]

    one = isinstance(e, AppliedUndef) and len(e.args) == 1 and getattr(e.args[0], "name", None) == "t"
    return e.args[0] if one else None


def _identifier(name: str, refuse: Any) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w{0,63}", name, re.ASCII):
        raise refuse(f"the name `{name}`")
    return name

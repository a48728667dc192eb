//! Units are nobody's business: a scenario whose masses, lengths and times are multiplied by powers of two gives the same bits, or the
//! same numbers to rounding where coordinates of unequal units, whose rounding they share, stand side by side. So does one
//! that starts at another time.

use stationary_app::run::{self, RunOutcome};
use stationary_app::scenario::{Scenario, shipped};
use stationary_report::Table;
use std::ops::ControlFlow;

/// Powers of mass, length and time.
type Dimension = [i32; 3];

const NUMBER: Dimension = [0, 0, 0];
const LENGTH: Dimension = [0, 1, 0];
const TIME: Dimension = [0, 0, 1];
const ENERGY: Dimension = [1, 2, -2];

/// Units as powers of two of those in which a scenario is written.
const UNITS: [(&str, [i32; 3]); 7] = [
    ("orbits in metres", [82, 37, 22]),
    ("molecules in metres, kilograms and seconds", [-80, -30, -43]),
    ("electrons in metres, kilograms and seconds", [-100, -34, -55]),
    ("tonnes, millimetres and seconds", [-10, 10, 0]),
    // An even power: Cholesky's factors of the matrices of solids are roots.
    ("another mass", [-42, 0, 0]),
    ("another length", [0, 37, 0]),
    ("another time", [0, 0, -50]),
];

/// What a quantity is multiplied with.
fn factor(dimension: Dimension, units: [i32; 3]) -> f64 {
    let power: i32 = dimension.iter().zip(units).map(|(d, u)| d * u).sum();
    f64::from(power).exp2()
}

/// A text in which `<0.5|1 2 -1>` stands for half a unit of mass times length squared over time.
fn scaled(text: &str, units: [i32; 3]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        let (quantity, after) = after.split_once('>').unwrap();
        let (value, powers) = quantity.split_once('|').unwrap();
        let powers: Vec<i32> = powers.split(' ').map(|p| p.parse().unwrap()).collect();
        let value: f64 = value.parse::<f64>().unwrap() * factor([powers[0], powers[1], powers[2]], units);
        out += before;
        out += &format!("{value:e}");
        rest = after;
    }
    out + rest
}

/// A system of formulas.
struct Case {
    text: &'static str,
    coordinates: &'static [(&'static str, Dimension)],
    /// What is left of bits: the largest difference over the largest value of a column.
    tolerance: f64,
}

impl Case {
    /// The dimension of a column, if it has a known one.
    fn dimension(&self, column: &str) -> Option<Dimension> {
        let of = |prefix: &str| {
            let name = column.strip_prefix(prefix)?;
            self.coordinates.iter().find(|(n, _)| *n == name).map(|(_, d)| *d)
        };
        let less = |a: Dimension, b: Dimension| std::array::from_fn(|i| a[i] - b[i]);
        let plus = |a: Dimension, b: Dimension| std::array::from_fn(|i| a[i] + b[i]);
        match column {
            "t" | "step" => Some(TIME),
            "energy" | "discrete_energy" => Some(ENERGY),
            "flagged" => Some(NUMBER),
            _ => of("")
                .or_else(|| of("v").map(|d| less(d, TIME)))
                .or_else(|| of("p").map(|d| less(plus(ENERGY, TIME), d))),
        }
    }

    fn check(&self, integrator: &str) {
        let run = |units: [i32; 3]| {
            let text = format!("{}\nintegrator = {integrator}\n{}", self.head(), self.tables());
            let text = scaled(&text, units);
            let scenario = Scenario::read("units", &text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"));
            gather(&scenario)
        };
        let plain = run([0; 3]);
        assert_eq!(plain.stopped, None, "{integrator}: {}", self.text);
        for (name, units) in UNITS {
            let what = format!("{name}, {integrator}: {}", self.text);
            let other = run(units);
            assert_eq!(other.stopped, None, "{what}");
            assert_eq!(other.warnings.len(), plain.warnings.len(), "{what}: {:?}", other.warnings);
            let [a, b] = [&plain, &other].map(|o| o.in_memory.series.as_ref().unwrap());
            let dimension = |column: &str| self.dimension(column).map(|d| factor(d, units));
            compare((a, b), dimension, self.tolerance, &what);
            compare_errors((&plain, &other), units, &what);
        }
    }

    /// The keys, and the tables after them.
    fn head(&self) -> &str {
        self.text.split_once("\n[").map_or(self.text, |(head, _)| head)
    }
    fn tables(&self) -> String {
        self.text.split_once("\n[").map_or(String::new(), |(_, tables)| format!("[{tables}"))
    }
}

fn gather(scenario: &Scenario) -> RunOutcome {
    run::gather(scenario, None, false, &mut |_| ControlFlow::Continue(())).unwrap_or_else(|e| panic!("{e}"))
}

/// Compares what was conserved, and how well: relative errors are numbers, and what those of the energy refer to is an energy.
fn compare_errors((plain, other): (&RunOutcome, &RunOutcome), units: [i32; 3], what: &str) {
    assert_eq!(plain.conserved.len(), other.conserved.len(), "{what}");
    for (a, b) in plain.conserved.iter().zip(&other.conserved) {
        assert_eq!(a.quantity, b.quantity, "{what}");
        let apart = a.worst.max(b.worst) / a.worst.min(b.worst);
        let close = match a.quantity.as_str() {
            // Measured in units that are rounded to powers of two.
            "symplectic form" => apart <= 16.0 || a.worst.max(b.worst) < 1e-10,
            // A value of the constraint, in its own units.
            "constraints" => true,
            _ => apart <= 1.001 || a.worst.max(b.worst) < 1e-11,
        };
        assert!(close, "{what}: {} {} {}", a.quantity, a.verdict, b.verdict);
    }
    let [a, b] = [plain, other].map(|o| o.summary["energy"]["scale"].as_f64().unwrap());
    assert!(
        a > 0.0 && (b / factor(ENERGY, units) / a - 1.0).abs() < 1e-3,
        "{what}: the scales are {a:e} and {b:e}"
    );
}

/// Compares the columns of which `factor` knows how they scale.
fn compare((a, b): (&Table, &Table), factor: impl Fn(&str) -> Option<f64>, tolerance: f64, what: &str) {
    assert_eq!(a.columns, b.columns, "{what}");
    assert_eq!(a.numbers.len(), b.numbers.len(), "{what}");
    let width = a.columns.len();
    let mut compared = 0;
    for (at, name) in a.columns.iter().enumerate() {
        let Some(factor) = factor(name) else { continue };
        let column = |table: &Table, factor: f64| -> Vec<f64> {
            table.numbers.iter().skip(at).step_by(width).map(|x| x / factor).collect()
        };
        let (x, y) = (column(a, 1.0), column(b, factor));
        let size = x.iter().fold(0.0, |size, x| f64::max(size, x.abs()));
        for (row, (x, y)) in x.iter().zip(&y).enumerate() {
            let same =
                x.to_bits() == y.to_bits() || (x - y).abs() <= tolerance * size || x.is_nan() && y.is_nan();
            assert!(
                same,
                "{what}: {name} in row {row} is {y:e} and not {x:e}, off by {:e}",
                (x - y).abs() / size
            );
        }
        compared += 1;
    }
    assert!(compared > 1, "{what}: {:?}", a.columns);
}

const PLANE: &[(&str, Dimension)] = &[("x", LENGTH), ("y", LENGTH)];
const POLAR: &[(&str, Dimension)] = &[("r", LENGTH), ("phi", NUMBER)];
const ROUNDING: f64 = 1e-11;

const SEPARABLE: Case = Case {
    text: "coordinates = [\"x\", \"y\"]
lagrangian = \"0.5*m*(vx^2 + vy^2) - 0.5*k*(x^2 + y^2) - k/a*(x^2*y - y^3/3)\"
step = <0.125|0 0 1>
end = <8|0 0 1>
observe = [\"symplectic\"]
[parameters]
m = <1.5|1 0 0>
k = <0.7|1 0 -2>
a = <1.1|0 1 0>
[initial]
position = [<0.3|0 1 0>, <0.2|0 1 0>]
velocity = [<0.1|0 1 -1>, <0.4|0 1 -1>]",
    coordinates: PLANE,
    tolerance: 0.0,
};

const COUPLED: Case = Case {
    text: "coordinates = [\"x\", \"y\"]
lagrangian = \"0.5*m*(1 + x^2/a^2)*vx^2 + 0.5*m*vy^2 + b*x*vy - 0.5*k*(x^2 + y^2)\"
step = <0.125|0 0 1>
end = <8|0 0 1>
observe = [\"symplectic\"]
[parameters]
m = <1.5|1 0 0>
k = <0.7|1 0 -2>
a = <1.1|0 1 0>
b = <0.4|1 0 -1>
[initial]
position = [<0.3|0 1 0>, <0.2|0 1 0>]
velocity = [<0.1|0 1 -1>, <0.4|0 1 -1>]",
    coordinates: PLANE,
    tolerance: 0.0,
};

/// A length beside an angle.
const ORBIT: Case = Case {
    text: "coordinates = [\"r\", \"phi\"]
lagrangian = \"0.5*m*(vr^2 + r^2*vphi^2) + k/r\"
step = <0.0625|0 0 1>
end = <8|0 0 1>
observe = [\"symplectic\"]
[parameters]
m = <1.5|1 0 0>
k = <1.2|1 3 -2>
[initial]
position = [<1.2|0 1 0>, 0.3]
velocity = [<0.1|0 1 -1>, <0.6|0 0 -1>]",
    coordinates: POLAR,
    tolerance: ROUNDING,
};

const METHODS: [&str; 10] = [
    "\"midpoint\"",
    "{ method = \"midpoint\", alpha = 0.3 }",
    "\"verlet\"",
    "{ method = \"gauss\", stages = 1 }",
    "{ method = \"gauss\", stages = 2 }",
    "{ method = \"gauss\", stages = 3 }",
    "{ method = \"gauss\", stages = 5 }",
    "{ method = \"lobatto\", stages = 3 }",
    "{ method = \"lobatto\", stages = 4 }",
    "\"rk4\"",
];

const SEPARATED: [&str; 5] = [
    "{ method = \"verlet\", order = 4 }",
    "{ method = \"verlet\", order = 8 }",
    "\"newmark\"",
    "{ method = \"newmark\", beta = 0.25, gamma = 0.5 }",
    "{ method = \"newmark\", beta = 0.3, gamma = 0.6 }",
];

#[test]
fn separable_systems_have_the_same_bits_in_all_units() {
    METHODS.iter().chain(&SEPARATED).for_each(|method| SEPARABLE.check(method));
}

#[test]
fn coupled_velocities_have_the_same_bits_in_all_units() {
    METHODS.iter().for_each(|method| COUPLED.check(method));
}

#[test]
fn lengths_beside_angles_are_the_same_to_rounding_in_all_units() {
    METHODS.iter().for_each(|method| ORBIT.check(method));
}

#[test]
fn reduced_systems_are_the_same_to_rounding_in_all_units() {
    let text = ORBIT.text.replacen("step =", "reduce = [\"phi\"]\nstep =", 1);
    let case = Case { text: text.leak(), ..ORBIT };
    METHODS.iter().filter(|m| !m.contains("rk4")).for_each(|method| case.check(method));
}

#[test]
fn steps_that_the_energy_chooses_are_the_same_to_rounding_in_all_units() {
    let pendulum = Case {
        text: "coordinates = [\"theta\"]
lagrangian = \"0.5*m*l^2*vtheta^2 + m*g*l*cos(theta)\"
step = <0.02|0 0 1>
end = <2|0 0 1>
[parameters]
m = <1.5|1 0 0>
l = <1.25|0 1 0>
g = <9.81|0 1 -2>
[initial]
position = [2.0]
velocity = [<0.25|0 0 -1>]",
        coordinates: &[("theta", NUMBER)],
        // Lengths of steps are ill-conditioned: the energy depends on them in the order of the method only. Another unit of time changes the
        // pivots of the matrix, in which points and length stand side by side.
        tolerance: 1e-7,
    };
    for method in
        ["{ method = \"midpoint\", step = \"energy\" }", "{ method = \"verlet\", step = \"energy\" }"]
    {
        pendulum.check(method);
        Case { tolerance: 1e-7, ..ORBIT }.check(method);
    }
}

/// At rest at zero potential nothing has the unit of an energy. Cause: errors then referred to the number 1, which is a joule here and an
/// electronvolt there, and an impact at which rounding exceeded it stopped the run.
#[test]
fn errors_of_systems_that_start_without_energy_are_the_same_in_all_units() {
    let text = "coordinates = [\"x\"]
lagrangian = \"0.5*m*vx^2 + m*g*x\"
step = <0.125|0 0 1>
end = <8|0 0 1>
[parameters]
m = <1.5|1 0 0>
g = <1.2|0 1 -2>
[initial]
position = [0]
velocity = [0]";
    let falling = Case { text, coordinates: &[("x", LENGTH)], tolerance: 0.0 };
    let pulled = text.replacen("+ m*g*x", "- 0.25*m*g*x^2/a", 1);
    let pulled = pulled.replacen("step =", "force = [\"m*g - c*vx\"]\nstep =", 1);
    let pulled = pulled.replacen("m = ", "a = <1.1|0 1 0>\nc = <0.1|1 0 -1>\nm = ", 1);
    let pulled = Case { text: pulled.leak(), ..falling };
    for method in METHODS {
        falling.check(method);
        pulled.check(method);
    }
    let bouncing = text.replacen("step =", "gap = { gap = \"a - x\", name = \"floor\" }\nstep =", 1);
    let bouncing = bouncing.replacen("m = ", "a = <1.1|0 1 0>\nm = ", 1);
    let bouncing = Case { text: bouncing.leak(), tolerance: 1e-9, ..falling };
    for method in ["\"verlet\"", "\"midpoint\"", "{ method = \"gauss\", stages = 2 }"] {
        bouncing.check(method);
    }
}

/// The same for rigid bodies, and for those that collide.
#[test]
fn errors_of_bodies_that_start_without_energy_are_the_same_in_all_units() {
    let thrown = "integrator = \"euler-poincare\"
step = <0.0625|0 0 1>
end = <4|0 0 1>
[parameters]
m = <1.5|1 0 0>
g = <9.81|0 1 -2>
[body]
mass = \"m\"
inertia = [<0.11|1 2 0>, <0.1|1 2 0>, <0.05|1 2 0>]
potential = \"m*g*(z + 0.25*x)\"";
    let dropped = "integrator = \"collisions\"
space = 2
step = <0.0625|0 0 1>
end = <4|0 0 1>
gravity = [0, <-9.81|0 1 -2>]
[wall.floor]
point = [0, <-1|0 1 0>]
normal = [0, 1]
[bodies.disc]
shape = \"disc\"
radius = <0.5|0 1 0>
mass = <1.5|1 0 0>
position = [0, 0]";
    for text in [thrown, dropped] {
        let run = |units| {
            let text = scaled(text, units);
            gather(&Scenario::read("bodies", &text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}")))
        };
        let plain = run([0; 3]);
        for (name, units) in UNITS {
            let other = run(units);
            assert_eq!(other.stopped, None, "{name}: {text}");
            compare_errors((&plain, &other), units, &format!("{name}: {text}"));
        }
    }
}

#[test]
fn forced_systems_have_the_same_bits_in_all_units() {
    let text = SEPARABLE.text.replacen("step =", "force = [\"-c*vx\", \"-c*vy\"]\nstep =", 1);
    let text = text.replacen("m = ", "c = <0.1|1 0 -1>\nm = ", 1);
    let case = Case { text: text.leak(), ..SEPARABLE };
    for method in METHODS.iter().chain(&SEPARATED[3..4]) {
        case.check(method);
    }
    let text = ORBIT.text.replacen("step =", "force = [\"-c*vr\", \"-c*r^2*vphi\"]\nstep =", 1);
    // What forces do to the symplectic form is measured in units rounded to powers of two.
    let text = text.replacen("observe = [\"symplectic\"]\n", "", 1);
    let text = text.replacen("m = ", "c = <0.1|1 0 -1>\nm = ", 1);
    let case = Case { text: text.leak(), ..ORBIT };
    METHODS.iter().for_each(|method| case.check(method));
}

#[test]
fn constrained_systems_are_the_same_in_all_units() {
    let methods = || METHODS.iter().filter(|m| !m.contains("rk4"));
    let circle = Case {
        text: "coordinates = [\"x\", \"y\"]
lagrangian = \"0.5*m*(vx^2 + vy^2) - m*g*y\"
constraint = [\"x^2 + y^2 - l^2\"]
step = <0.0625|0 0 1>
end = <8|0 0 1>
observe = [\"symplectic\"]
[parameters]
m = <1.5|1 0 0>
g = <1.2|0 1 -2>
l = <1.25|0 1 0>
[initial]
position = [<0.75|0 1 0>, <-1|0 1 0>]
velocity = [<0.8|0 1 -1>, <0.6|0 1 -1>]",
        coordinates: PLANE,
        tolerance: 0.0,
    };
    methods().for_each(|method| circle.check(method));
    // A length that two constraints share with an angle, none of which is the other's.
    let screw = Case {
        text: "coordinates = [\"r\", \"z\", \"phi\"]
lagrangian = \"0.5*m*(vr^2 + r^2*vphi^2 + vz^2) - m*g*z\"
constraint = [\"r - l - b*phi\", \"z - pitch*phi\"]
step = <0.0625|0 0 1>
end = <4|0 0 1>
[parameters]
m = <1.5|1 0 0>
g = <1.2|0 1 -2>
l = <1.25|0 1 0>
b = <0.125|0 1 0>
pitch = <0.5|0 1 0>
[initial]
position = [<1.3125|0 1 0>, <0.25|0 1 0>, 0.5]
velocity = [0, 0, 0]",
        coordinates: &[("r", LENGTH), ("z", LENGTH), ("phi", NUMBER)],
        tolerance: ROUNDING,
    };
    methods().for_each(|method| screw.check(method));
}

#[test]
fn hamiltonians_are_the_same_to_rounding_in_all_units() {
    let canonical = Case {
        text: "coordinates = [\"x\", \"y\"]
hamiltonian = \"(px^2 + py^2)/(2*m) + w*(y*px - x*py) + k*(x^2 + y^2)/2 + k*x^4/(4*a^2)\"
step = <0.125|0 0 1>
end = <16|0 0 1>
[parameters]
m = <1.5|1 0 0>
k = <0.7|1 0 -2>
a = <1.1|0 1 0>
w = <0.3|0 0 -1>
[initial]
position = [<1|0 1 0>, 0]
momentum = [0, <0.75|1 1 -1>]",
        coordinates: PLANE,
        tolerance: ROUNDING,
    };
    let vortex = Case {
        text: "coordinates = [\"x\", \"y\"]
one_form = [\"g*y\", 0]
hamiltonian = \"k*(x^2 + y^2)/2 + k*(x^2 + 2*y^2)^2/(4*a^2)\"
step = <0.125|0 0 1>
end = <16|0 0 1>
[parameters]
g = <1.5|1 0 -1>
k = <0.7|1 0 -2>
a = <1.1|0 1 0>
[initial]
position = [<0.5|0 1 0>, <0.3|0 1 0>]",
        coordinates: PLANE,
        tolerance: ROUNDING,
    };
    let text = vortex.text.replacen("g*y", "g*y*(1 + x^2/a^2)", 1);
    let fibred = Case { text: text.leak(), ..vortex };
    for method in ["\"midpoint\"", "{ method = \"gauss\", stages = 2 }", "\"rk4\""] {
        [&canonical, &vortex, &fibred].iter().for_each(|case| case.check(method));
    }
}

/// Two coordinates that know nothing of each other move as each would alone, whatever their masses.
#[test]
fn an_electron_beside_a_gram_moves_as_it_would_alone() {
    let run = |masses: [f64; 2], method: &str| {
        let text = format!(
            "coordinates = [\"x\", \"y\"]
lagrangian = \"0.5*m1*vx^2 + 0.5*m2*vy^2 - m1*(0.5*x^2 + 0.2*x^4) - m2*(0.5*y^2 + 0.2*y^4)\"
step = 0.0625
end = 10
integrator = {method}
parameters = {{ m1 = {:e}, m2 = {:e} }}
initial = {{ position = [1, 0.5], velocity = [0, 0.25] }}",
            masses[0], masses[1]
        );
        gather(&Scenario::read("pair", &text, &[]).unwrap())
    };
    let [electron, gram] = [(-100_f64).exp2(), (-10_f64).exp2()];
    for method in METHODS.iter().chain(&SEPARATED) {
        let (alike, apart) = (run([1.0, 1.0], method), run([electron, gram], method));
        assert_eq!(apart.stopped, None, "{method}");
        let [a, b] = [&alike, &apart].map(|o| o.in_memory.series.as_ref().unwrap());
        let known = |column: &str| ["t", "x", "y", "vx", "vy"].contains(&column).then_some(1.0);
        compare((a, b), known, 1e-12, method);
    }
}

#[test]
fn rigid_bodies_have_the_same_bits_in_all_units() {
    let text = "step = <0.0078125|0 0 1>
end = <2|0 0 1>
[parameters]
m = <1.1|1 0 0>
g = <9.81|0 1 -2>
l = <0.3|0 1 0>
[body]
mass = \"m\"
inertia = [<0.11|1 2 0>, <0.1|1 2 0>, <0.05|1 2 0>]
orientation = { axis = [1, 0, 0], angle = 0.6 }
velocity = [<1|0 1 -1>, <0.5|0 1 -1>, 0]
angular_velocity = [<1|0 0 -1>, 0, <6|0 0 -1>]
potential = \"m*g*(z + l*R33)\"";
    let momentum = [1, 1, -1];
    let spin = [1, 2, -1];
    let dimension = |column: &str| -> Option<Dimension> {
        Some(match column {
            "t" => TIME,
            "x" | "y" | "z" => LENGTH,
            "energy" | "discrete_energy" => ENERGY,
            _ if column.starts_with("momentum.linear") => momentum,
            _ if column.starts_with("momentum.angular") || column.starts_with("momentum.axis") => spin,
            _ => return None,
        })
    };
    for integrator in
        ["\"moser-veselov\"", "\"euler-poincare\"", "{ method = \"euler-poincare\", order = 6 }"]
    {
        let run = |units| {
            let text = scaled(&format!("integrator = {integrator}\n{text}"), units);
            gather(&Scenario::read("body", &text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}")))
        };
        let plain = run([0; 3]);
        for (name, units) in UNITS {
            let other = run(units);
            assert_eq!(other.stopped, None, "{name}, {integrator}");
            let [a, b] = [&plain, &other].map(|o| o.in_memory.series.as_ref().unwrap());
            let what = format!("{name}, {integrator}: a body");
            compare((a, b), |column| dimension(column).map(|d| factor(d, units)), 0.0, &what);
        }
    }
}

/// The shipped slab as it is stepped in all ways.
const WAYS: [&[(&str, &str)]; 6] = [
    &[],
    &[("integrator.steps", "harmonic")],
    &[("integrator.method", "newmark")],
    &[("integrator.steps", "harmonic"), ("integrator.events", "middle")],
    &[("integrator", "{ method = \"midpoint\" }"), ("step", "<0.001953125|0 0 1>")],
    &[("integrator", "{ method = \"gauss\", stages = 2 }"), ("step", "<0.001953125|0 0 1>")],
];

fn slab(way: &[(&str, &str)], units: [i32; 3], more: &[(&str, &str)]) -> Scenario {
    // In the plane with a thickness of one: stresses are forces over lengths.
    let scale = [
        ("mesh", "{ file = \"meshes/slab.msh\", scale = <1|0 1 0> }"),
        ("material.rubber.lambda", "<2e6|1 0 -2>"),
        ("material.rubber.mu", "<2e6|1 0 -2>"),
        ("material.rubber.density", "<1000|1 -2 0>"),
        ("parameters.g", "<9.81|0 1 -2>"),
        ("probe.tip.at", "[<4|0 1 0>, <0.5|0 1 0>, 0]"),
        ("end", "<0.03125|0 0 1>"),
        ("output.rows", "4"),
        ("output.frames", "0"),
        ("claim", "[]"),
    ];
    let all = [&scale[..], way, more].concat();
    let set: Vec<_> = all.iter().map(|(key, value)| (key.to_string(), scaled(value, units))).collect();
    Scenario::read("slab", shipped::find("slab").unwrap().text, &set).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn solids_have_the_same_bits_in_all_units() {
    let (momentum, spin) = ([1, 1, -1], [1, 2, -1]);
    let dimension = |column: &str| -> Option<Dimension> {
        Some(match column {
            "t" => TIME,
            "tip" => LENGTH,
            "energy" | "kinetic" | "potential" | "work" => ENERGY,
            _ if column.starts_with("momentum.linear") => momentum,
            _ if column.starts_with("momentum.angular") => spin,
            _ if column.starts_with("reaction") => [1, 1, -2],
            _ if column.starts_with("updates") => NUMBER,
            _ => return None,
        })
    };
    for way in WAYS {
        let plain = gather(&slab(way, [0; 3], &[]));
        for (name, units) in UNITS {
            let what = format!("{name}, {way:?}");
            let other = gather(&slab(way, units, &[]));
            assert_eq!(other.stopped, None, "{what}");
            let [a, b] = [&plain, &other].map(|o| o.in_memory.series.as_ref().unwrap());
            compare((a, b), |column| dimension(column).map(|d| factor(d, units)), 0.0, &what);
        }
    }
}

/// What does not depend on time has the same bits whenever it starts.
#[test]
fn runs_have_the_same_bits_whenever_they_start() {
    let late = (1_u64 << 30) as f64;
    let mut runs: Vec<(String, [Scenario; 2])> = Vec::new();
    for way in WAYS {
        let start = format!("{late}");
        let end = format!("{}", late + 0.03125);
        let at = |more: &[(&str, &str)]| slab(way, [0; 3], more);
        runs.push((format!("slab, {way:?}"), [at(&[]), at(&[("start", &start), ("end", &end)])]));
    }
    for (name, end, more) in [
        ("henon-heiles", 64.0, &[][..]),
        ("four-vortices", 64.0, &[]),
        ("oblate-satellite", 8192.0, &[]),
        (
            "pendulum",
            16.0,
            &[("integrator", "{ method = \"midpoint\", step = \"energy\" }"), ("observe", "[]")],
        ),
        ("double-pendulum-rods", 1.0, &[]),
        ("damped-particle", 16.0, &[]),
        ("heavy-top", 1.0, &[]),
    ] {
        let read = |start: f64| {
            let times = [("start", format!("{start}")), ("end", format!("{}", start + end))];
            let mut set: Vec<_> = times.into_iter().map(|(k, v)| (k.to_string(), v)).collect();
            set.extend(more.iter().map(|(k, v)| (k.to_string(), v.to_string())));
            set.push(("claim".into(), "[]".into()));
            Scenario::read(name, shipped::find(name).unwrap().text, &set).unwrap_or_else(|e| panic!("{e}"))
        };
        runs.push((name.into(), [read(0.0), read(late)]));
    }
    for (name, [early, late]) in &runs {
        let [early, late] = [early, late].map(gather);
        assert_eq!(late.stopped, None, "{name}");
        let tables = |o: &RunOutcome| [o.in_memory.series.clone(), o.in_memory.section.clone()];
        for (a, b) in tables(&early).into_iter().zip(tables(&late)) {
            assert_eq!(a.is_some(), b.is_some(), "{name}");
            let (Some(a), Some(b)) = (a, b) else { continue };
            compare((&a, &b), |column| (column != "t").then_some(1.0), 0.0, name);
        }
        for key in ["energy", "momentum", "discrete_energy", "energy_steps"] {
            assert_eq!(early.summary[key], late.summary[key], "{name}: {key}");
        }
    }
}

#[test]
fn impacts_are_the_same_to_rounding_in_all_units() {
    let ball = Case {
        text: "coordinates = [\"x\", \"y\"]
lagrangian = \"0.5*m*(vx^2 + vy^2) - m*g*y - k/a*y^2\"
gap = { gap = \"y - r + x^2/(8*a)\", name = \"floor\" }
step = <0.0625|0 0 1>
end = <8|0 0 1>
[parameters]
m = <1.5|1 0 0>
g = <1.2|0 1 -2>
k = <0.25|1 1 -2>
a = <1|0 1 0>
r = <0.5|0 1 0>
[initial]
position = [<0.2|0 1 0>, <1.25|0 1 0>]
velocity = [<0.1|0 1 -1>, 0]",
        coordinates: PLANE,
        tolerance: 1e-9,
    };
    // A disc that turns: an angle beside lengths.
    let disc = Case {
        text: "coordinates = [\"x\", \"y\", \"theta\"]
lagrangian = \"0.5*m*(vx^2 + vy^2) + 0.25*m*r^2*vtheta^2 - m*g*y\"
gap = { gap = \"y - r\", name = \"floor\" }
step = <0.0625|0 0 1>
end = <8|0 0 1>
[parameters]
m = <1.5|1 0 0>
g = <1.2|0 1 -2>
r = <0.5|0 1 0>
[initial]
position = [0, <1.25|0 1 0>, 0]
velocity = [<0.1|0 1 -1>, 0, <1|0 0 -1>]",
        coordinates: &[("x", LENGTH), ("y", LENGTH), ("theta", NUMBER)],
        tolerance: 1e-9,
    };
    for method in [
        "\"midpoint\"",
        "\"verlet\"",
        "{ method = \"gauss\", stages = 2 }",
        "{ method = \"lobatto\", stages = 3 }",
    ] {
        ball.check(method);
        disc.check(method);
    }
}

/// Near 1e16 doubles are two apart: a step of one is lost at the start, though it seems to move the clock at the end.
#[test]
fn a_step_that_does_not_move_the_clock_is_refused_for_every_kind() {
    let times = [("start", "1e16"), ("end", "10000000000000010")];
    let integrator = ("integrator", "{ method = \"midpoint\" }");
    for (name, more) in [
        ("pendulum", vec![("step", "1")]),
        ("heavy-top", vec![("step", "1")]),
        ("disc-box", vec![("step", "1")]),
        ("slab", vec![("step", "1"), integrator]),
    ] {
        let set = times.iter().chain(&more).map(|(k, v)| (k.to_string(), v.to_string()));
        let set: Vec<(String, String)> = set.collect();
        let error = Scenario::read(name, shipped::find(name).unwrap().text, &set).unwrap_err();
        assert!(error.to_string().contains("does not move the clock"), "{name}: {error}");
        let longer = set.iter().map(|(k, v)| (k.clone(), if k == "step" { "2".into() } else { v.clone() }));
        let longer: Vec<(String, String)> = longer.collect();
        assert!(Scenario::read(name, shipped::find(name).unwrap().text, &longer).is_ok(), "{name}");
    }
    // Steps that elements choose for themselves.
    let set: Vec<(String, String)> = times.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let slab = Scenario::read("slab", shipped::find("slab").unwrap().text, &set).unwrap();
    assert!(run::check(&slab).is_err());
}

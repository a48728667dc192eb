//! Fields given by formulas of the time and the reference position: prescribed motions, loads, initial conditions.

use crate::formula::{Graph, Node, Program, Var};

/// A vector field of at most three components that depends on the time and the reference position, with its time derivative.
///
/// ```
/// use stationary::formula::{Expr, Graph, Scope, Var};
/// use stationary::model::FormulaField;
///
/// let mut scope = Scope::new();
/// scope.variable("t", Var::T).variable("X", Var::Q(0));
/// let mut graph = Graph::new();
/// let node = graph.lower(&Expr::parse("X*t^2").unwrap(), &scope).unwrap();
/// let field = FormulaField::new(&mut graph, &[node]);
/// let (value, rate) = field.at(3.0, &[2.0, 0.0, 0.0]);
/// assert_eq!((value[0], rate[0]), (18.0, 12.0));
/// assert!(field.is_timed());
/// ```
#[derive(Debug, Clone)]
pub struct FormulaField {
    program: Program,
    timed: bool,
    varied: bool,
}

impl FormulaField {
    /// A field with one formula for each component; the reference position is `Q(0)`, `Q(1)`, `Q(2)`.
    ///
    /// # Panics
    /// If there are more than three components.
    pub fn new(graph: &mut Graph, components: &[Node]) -> Self {
        assert!(components.len() <= 3, "a field has at most three components");
        let mut outputs: Vec<(Node, usize)> = components.iter().copied().zip(0..).collect();
        for (i, node) in components.iter().enumerate() {
            outputs.push((graph.gradient(*node, &[Var::T])[0], 3 + i));
        }
        let timed = components.iter().any(|node| graph.depends_on(*node, Var::T));
        let coordinates = [Var::Q(0), Var::Q(1), Var::Q(2)];
        let varied = components.iter().any(|node| coordinates.iter().any(|x| graph.depends_on(*node, *x)));
        FormulaField { program: Program::new(graph, &outputs), timed, varied }
    }

    /// Value and time derivative; absent components are zero.
    #[inline]
    pub fn at(&self, t: f64, place: &[f64; 3]) -> ([f64; 3], [f64; 3]) {
        let mut out = [0.0; 6];
        self.program.call(t, place, &[], &[], &mut out);
        ([out[0], out[1], out[2]], [out[3], out[4], out[5]])
    }

    /// Whether it depends on the time.
    pub fn is_timed(&self) -> bool {
        self.timed
    }

    /// Whether it depends on the position.
    pub fn is_varied(&self) -> bool {
        self.varied
    }
}

/// Value and time derivative of a field.
type Value = ([f64; 3], [f64; 3]);

/// How many fields that do not depend on the place are remembered.
const REMEMBERED: usize = 4;

/// Fields at one time. One that does not depend on the place is evaluated once, unless many others are in between.
#[derive(Debug, Clone)]
pub struct FieldValues<'a> {
    t: f64,
    known: [Option<(&'a FormulaField, Value)>; REMEMBERED],
    next: usize,
}

impl<'a> FieldValues<'a> {
    /// At time `t`.
    pub fn new(t: f64) -> Self {
        FieldValues { t, known: [None; REMEMBERED], next: 0 }
    }

    /// The time.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// Value and time derivative of a field at a place.
    #[inline]
    pub fn at(&mut self, field: &'a FormulaField, place: &[f64; 3]) -> Value {
        if field.is_varied() {
            return field.at(self.t, place);
        }
        if let Some((_, value)) = self.known.iter().flatten().find(|(known, _)| std::ptr::eq(*known, field)) {
            return *value;
        }
        let value = field.at(self.t, place);
        self.known[self.next] = Some((field, value));
        self.next = (self.next + 1) % REMEMBERED;
        value
    }
}

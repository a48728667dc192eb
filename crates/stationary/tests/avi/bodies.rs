//! Small bodies made in code, with loads and supports of every kind.

use stationary::formula::{Expr, Graph, Scope, Var};
use stationary::integrate::avi::{Avi, AviStart, StepFactor};
use stationary::model::solid::{
    ConstitutiveLaw, Depth, ElementGroup, ElementKind, Lame, LinearElastic, Loads, LoadsBuilder, MAX_NODES,
    NeoHookean, PlaneAssumption, Solid, SolidProblem,
};
use stationary::model::{FieldValues, FormulaField, Potentials, Supports};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Numbers in [-1, 1), the same for the same seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A mesh of one kind of element.
pub struct Body {
    pub kind: ElementKind,
    pub points: Vec<[f64; 3]>,
    pub nodes: Vec<u32>,
}

/// A box of cells, each cut into two triangles or six tetrahedra. Coordinates grow as `s^grade` along every axis;
/// inner and outer points alike are moved by up to `jiggle` of a cell.
pub fn grid(kind: ElementKind, cells: [usize; 3], size: [f64; 3], grade: f64, jiggle: f64) -> Body {
    let d = kind.dimension();
    let cells = [cells[0], cells[1], if d == 3 { cells[2] } else { 0 }];
    let mut random = Random(7);
    let mut points = Vec::new();
    for n in 0..(cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1) {
        let at =
            [n % (cells[0] + 1), n / (cells[0] + 1) % (cells[1] + 1), n / (cells[0] + 1) / (cells[1] + 1)];
        points.push(std::array::from_fn(|i| {
            if i >= d {
                return 0.0;
            }
            let place = |s: f64| size[i] * (s / cells[i] as f64).powf(grade);
            let s = at[i] as f64;
            let width = if at[i] == 0 { place(1.0) } else { place(s) - place(s - 1.0) };
            place(s) + jiggle * width * random.next()
        }));
    }
    let at = |c: [usize; 3]| (c[0] + (cells[0] + 1) * (c[1] + (cells[1] + 1) * c[2])) as u32;
    let paths: &[&[usize]] = match d {
        2 => &[&[0, 1], &[1, 0]],
        _ => &[&[0, 1, 2], &[1, 2, 0], &[2, 0, 1], &[0, 2, 1], &[2, 1, 0], &[1, 0, 2]],
    };
    let mut corners = Vec::new();
    for cell in 0..cells[0] * cells[1] * cells[2].max(1) {
        let corner = [cell % cells[0], cell / cells[0] % cells[1], cell / cells[0] / cells[1]];
        for path in paths {
            let (mut walk, mut simplex) = (corner, vec![at(corner)]);
            for axis in *path {
                walk[*axis] += 1;
                simplex.push(at(walk));
            }
            // Odd orders of the axes turn the simplex over.
            if (path[1] + 3 - path[0]) % 3 == 2 {
                simplex.swap(d - 1, d);
            }
            corners.extend(simplex);
        }
    }
    match kind {
        ElementKind::Tri6 | ElementKind::Tet10 => with_middles(kind, points, &corners),
        _ => Body { kind, points, nodes: corners },
    }
}

fn with_middles(kind: ElementKind, mut points: Vec<[f64; 3]>, corners: &[u32]) -> Body {
    let (mut middles, mut nodes) = (BTreeMap::new(), Vec::new());
    for simplex in corners.chunks_exact(kind.dimension() + 1) {
        nodes.extend_from_slice(simplex);
        for [a, b] in kind.cell().edges() {
            let (a, b) = (simplex[*a].min(simplex[*b]), simplex[*a].max(simplex[*b]));
            nodes.push(*middles.entry((a, b)).or_insert_with(|| {
                let (p, q) = (points[a as usize], points[b as usize]);
                points.push(std::array::from_fn(|i| 0.5 * (p[i] + q[i])));
                points.len() as u32 - 1
            }));
        }
    }
    Body { kind, points, nodes }
}

impl Body {
    pub fn elements(&self) -> impl Iterator<Item = &[u32]> {
        self.nodes.chunks_exact(self.kind.nodes())
    }

    pub fn element(&self, k: usize) -> &[u32] {
        self.elements().nth(k).unwrap()
    }

    /// Sides that only one element has: the element and the nodes.
    pub fn sides(&self) -> Vec<(usize, Vec<u32>)> {
        let mut found: BTreeMap<Vec<u32>, Vec<(usize, Vec<u32>)>> = BTreeMap::new();
        for (k, element) in self.elements().enumerate() {
            for side in self.kind.cell().faces() {
                let nodes: Vec<u32> = side.iter().map(|a| element[*a]).collect();
                let mut key = nodes[..self.kind.dimension()].to_vec();
                key.sort_unstable();
                found.entry(key).or_default().push((k, nodes));
            }
        }
        found.into_values().filter(|sides| sides.len() == 1).map(|mut sides| sides.remove(0)).collect()
    }

    /// Whether all nodes of a side lie where `choose` says.
    pub fn lies(&self, side: &[u32], choose: impl Fn(&[f64; 3]) -> bool) -> bool {
        side.iter().all(|a| choose(&self.points[*a as usize]))
    }

    /// The thickness that sides of this body have: plane ones one.
    pub fn depth(&self) -> Option<Depth> {
        (self.kind.dimension() == 2).then_some(Depth::Thickness(1.0))
    }

    pub fn solid(&self, law: &ConstitutiveLaw, plane: PlaneAssumption) -> Solid {
        let mut group = ElementGroup::new(self.kind, &self.nodes, 1.0);
        group.plane = plane;
        Solid::new(&self.points, group.build(&self.points, law).unwrap(), &[]).unwrap()
    }

    pub fn neo_hookean(&self) -> Solid {
        let law = ConstitutiveLaw::NeoHookean(NeoHookean::new(Lame::new(2.0, 1.0).unwrap()).unwrap());
        self.solid(&law, PlaneAssumption::Strain)
    }

    /// Stretched, bent and moving; `fraction` of the inscribed-radius step for each element.
    pub fn start(&self, solid: &Solid, fraction: f64) -> AviStart {
        let flat = self.kind.dimension() == 2;
        let mut random = Random(99);
        let (mut x, mut v) = (Vec::new(), Vec::new());
        for p in &self.points {
            let shake: [f64; 3] = std::array::from_fn(|_| 0.01 * random.next());
            let bend = 0.05 * (2.0 * p[0] + p[1]).sin();
            x.extend([1.05 * p[0] + 0.05 * p[1], p[1] + bend, if flat { 0.0 } else { 0.97 * p[2] - bend }]);
            let z = if flat { 0.0 } else { 0.1 * p[0] + shake[2] };
            v.extend([-0.3 * p[1] + 0.1 + shake[0], 0.3 * p[0] + shake[1], z]);
        }
        // Middle nodes are light: quadratic elements need shorter steps.
        let fraction = if self.kind.nodes() > self.kind.dimension() + 1 { 0.4 * fraction } else { fraction };
        AviStart { t: 0.0, x, v, mass: solid.mass().to_vec(), step: solid.steps_courant(fraction) }
    }
}

/// The field of these formulas of `t` and `X, Y, Z`.
pub fn field(texts: &[&str]) -> Arc<FormulaField> {
    let mut scope = Scope::new();
    scope.variable("t", Var::T);
    for (i, name) in ["X", "Y", "Z"].iter().enumerate() {
        scope.variable(*name, Var::Q(i as u32));
    }
    let mut graph = Graph::new();
    let nodes: Vec<_> =
        texts.iter().map(|s| graph.lower(&Expr::parse(s).unwrap(), &scope).unwrap()).collect();
    Arc::new(FormulaField::new(&mut graph, &nodes))
}

/// A body with what acts on it, being gathered.
pub struct Setup {
    pub body: Body,
    pub solid: Solid,
    pub loads: LoadsBuilder,
    pub supports: Supports,
}

impl Setup {
    pub fn new(body: Body) -> Self {
        let solid = body.neo_hookean();
        Setup::of(body, solid)
    }

    pub fn of(body: Body, solid: Solid) -> Self {
        let supports = Supports::new(&body.points);
        Setup { body, solid, loads: LoadsBuilder::default(), supports }
    }

    /// A force per mass on every element.
    pub fn gravity(mut self, texts: &[&str]) -> Self {
        let force = field(texts);
        for (k, element) in self.body.elements().enumerate() {
            let mut mass = [0.0; MAX_NODES];
            let (block, at) = self.solid.locate(k);
            block.lumped_mass(at, &mut mass);
            for (n, a) in element.iter().enumerate() {
                self.loads.dead(k, (n, *a), mass[n], &force);
            }
        }
        self
    }

    /// A dead force on the nodes of chosen sides.
    pub fn traction(mut self, texts: &[&str], choose: impl Fn(&[f64; 3]) -> bool) -> Self {
        let force = field(texts);
        for (k, side) in self.body.sides() {
            if self.body.lies(&side, &choose) {
                for a in &side {
                    let n = self.body.element(k).iter().position(|b| a == b).unwrap();
                    self.loads.dead(k, (n, *a), 0.02, &force);
                }
            }
        }
        self
    }

    pub fn pressure(mut self, text: &str, choose: impl Fn(&[f64; 3]) -> bool) -> Self {
        let pressure = field(&[text]);
        for (k, side) in self.body.sides() {
            if self.body.lies(&side, &choose) {
                let depth = self.body.depth();
                self.loads.pressure(k, self.body.element(k), &side, depth, &pressure);
            }
        }
        self
    }

    fn chosen(&self, choose: impl Fn(&[f64; 3]) -> bool) -> Vec<u32> {
        (0..self.body.points.len() as u32).filter(|a| choose(&self.body.points[*a as usize])).collect()
    }

    pub fn fix(mut self, directions: &[usize], by: usize, choose: impl Fn(&[f64; 3]) -> bool) -> Self {
        for a in self.chosen(choose) {
            directions.iter().for_each(|i| self.supports.fix(a, *i, 0.0, by).unwrap());
        }
        self
    }

    pub fn prescribe(
        mut self,
        direction: usize,
        text: &str,
        by: usize,
        choose: impl Fn(&[f64; 3]) -> bool,
    ) -> Self {
        let motion = field(&[text]);
        for a in self.chosen(choose) {
            self.supports.prescribe(a, direction, &motion, by).unwrap();
        }
        self
    }

    /// The problem, with its elements numbered from 1000 for the user, and a start.
    pub fn finish(self, fraction: f64) -> (Arc<SolidProblem>, AviStart) {
        let start = self.body.start(&self.solid, fraction);
        let elements = self.solid.elements();
        let loads: Loads = self.loads.finish(&self.body.points, elements);
        let tags = (0..elements as u64).map(|k| 1000 + k).collect();
        (Arc::new(SolidProblem::new(self.solid, loads, self.supports, tags)), start)
    }
}

/// A small graded body of a kind.
pub fn small(kind: ElementKind) -> Body {
    match kind.dimension() {
        2 => grid(kind, [4, 3, 0], [1.3, 1.0, 0.0], 1.4, 0.1),
        _ => grid(kind, [3, 2, 2], [1.3, 1.0, 0.8], 1.4, 0.1),
    }
}

/// A small body with everything that may act on it: gravity, a traction in time, a pressure in time, a roller and a
/// driven support.
pub fn everything(kind: ElementKind, fraction: f64) -> (Arc<SolidProblem>, AviStart) {
    let body = small(kind);
    let setup = Setup::new(body)
        .gravity(&["0.1", "-0.3", "0"])
        .traction(&["sin(5*t)", "0.5*t*X", "0"], |p| p[1] > 0.85)
        .pressure("0.1+0.05*sin(3*t)+0.05*Y", |p| p[0] > 1.1)
        .prescribe(1, "0.03*sin(4*t)+0.01*X*t", 1, |p| p[0] < 0.15)
        .fix(&[0], 0, |p| p[0] < 0.15 && p[1] > 0.5);
    setup.finish(fraction)
}

/// All forces at a time and place, three numbers a node, element by element in order.
pub fn forces<P: Potentials>(p: &P, t: f64, x: &[f64]) -> Vec<f64> {
    let mut all = vec![0.0; x.len()];
    if let Some(steady) = p.constant_loads() {
        all.copy_from_slice(steady.forces().as_flattened());
    }
    for k in 0..p.count() {
        let nodes = p.nodes(k);
        let mut local = [[0.0; 3 * MAX_NODES]; 3];
        let n = 3 * nodes.len();
        let [gradient, dead, follower] = &mut local;
        p.gradient(k, t, x, &mut gradient[..n]).unwrap();
        if p.loaded(k) {
            p.load(k, t, x, &mut dead[..n], &mut follower[..n]);
        }
        for (m, a) in nodes.iter().enumerate() {
            for i in 0..3 {
                all[3 * *a as usize + i] += dead[3 * m + i] + follower[3 * m + i] - gradient[3 * m + i];
            }
        }
    }
    all
}

/// A run of the same steps whose events a queue orders, made from sums of steps: for steps that are powers of two.
pub fn by_queue<P: Potentials>(p: P, start: AviStart) -> Avi<P> {
    let places = vec![[0.0; 3]; p.count()];
    Avi::with_varying_steps(p, start, StepFactor { factor: field(&["1"]), places }).unwrap()
}

/// Steps that change smoothly, by half up and down.
pub fn changing<P: Potentials>(p: P, start: AviStart) -> Avi<P> {
    let places = (0..p.count()).map(|k| [0.37 * k as f64, 0.0, 0.0]).collect();
    let factor = field(&["1+0.5*sin(3*t+X)"]);
    Avi::with_varying_steps(p, start, StepFactor { factor, places }).unwrap()
}

/// Steps rounded down to powers of two.
pub fn dyadic(start: &mut AviStart) {
    start.step.iter_mut().for_each(|h| *h = h.log2().floor().exp2());
}

/// A chain of elastic bars along x through these places.
pub fn chain(places: &[f64], ea: f64, density: f64) -> Solid {
    use stationary::model::solid::Bars;
    let points: Vec<[f64; 3]> = places.iter().map(|x| [*x, 0.0, 0.0]).collect();
    let nodes: Vec<u32> = (0..places.len() as u32 - 1).flat_map(|k| [k, k + 1]).collect();
    let bars = Bars::elastic(&points, &nodes, 0, ea, density).unwrap();
    Solid::new(&points, vec![Box::new(bars)], &[]).unwrap()
}

/// Puts a node where its supports have it.
pub fn impose_on_node(supports: &Supports, node: u32, t: f64, x: &mut [f64], v: &mut [f64]) {
    let own = 3 * node as usize..3 * node as usize + 3;
    let [x, v] = [x, v].map(|all| (&mut all[own.clone()]).try_into().unwrap());
    supports.impose_on_node(node, &mut FieldValues::new(t), x, v);
}

pub fn linear(young: f64, poisson: f64) -> ConstitutiveLaw {
    ConstitutiveLaw::Linear(LinearElastic::new(Lame::from_young(young, poisson).unwrap()))
}

pub fn largest(a: impl IntoIterator<Item = f64>) -> f64 {
    a.into_iter().map(f64::abs).fold(0.0, |a, b| if a >= b || a.is_nan() { a } else { b })
}

pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    largest(a.iter().zip(b).map(|(a, b)| a - b))
}

//! Probes: formulas of what a solid is and does at a node, or the extremes and means of such formulas over the nodes of a group.

use super::build::Body;
use super::fields::{self, NodalFields};
use super::motion::{Look, Motion};
use crate::run::finish::short;
use crate::scenario::{ProbePlace, ProbeSummary, Scenario, SolidProbe};
use stationary::archive::{Archive, Persist};
use stationary::error::Error;
use stationary::formula::{Graph, Program, Var};
use stationary::model::Potentials;
use stationary::observe::{Entry, Record, record};

/// A column: a formula at material points.
pub(super) struct Probe {
    pub name: String,
    at: At,
    program: Program,
    /// Stresses and strains at the nodes, where the formula names them.
    fields: Option<NodalFields>,
    /// Smallest, largest and last value.
    seen: [f64; 3],
}

/// Where it is.
enum At {
    Node(Nearest),
    Group { name: String, nodes: Vec<u32>, of: ProbeSummary },
}

/// The node nearest to a place.
struct Nearest {
    node: u32,
    /// Its number in the file of the mesh, its place, and how far it is from the place that was asked for.
    number: u64,
    place: [f64; 3],
    distance: f64,
    /// Whether the distance is more than rounding and untidy coordinates explain.
    far: bool,
}

/// Nothing seen yet: no number is smaller or larger.
const UNSEEN: [f64; 3] = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

/// Coordinates of meshers are off by about this part of an element: such a node is where it was asked for.
const UNTIDY: f64 = 1e-9;

/// A probe that is farther from its node than this part of the elements there is told: values change within an element.
const FAR: f64 = 0.25;

impl Probe {
    pub fn new(scenario: &Scenario, choice: &SolidProbe, body: &Body) -> Result<Self, Error> {
        let at = match &choice.at {
            ProbePlace::Near { at, .. } => At::Node(Nearest::new(choice, at, body)?),
            ProbePlace::Group { group, of } => {
                let nodes = body.probed.iter().find(|(name, _)| *name == group.text);
                let nodes = nodes.map_or(Vec::new(), |(_, nodes)| nodes.clone());
                if nodes.is_empty() {
                    let help = "expected a group with nodes of elements";
                    return Err(group.error("the probe has no nodes").help(help).into());
                }
                At::Group { name: group.text.clone(), nodes, of: *of }
            }
        };
        let mut graph = Graph::new();
        let value = choice.value.lower(&mut graph, &mut scenario.probe_scope())?;
        let is_field = |var: &Var| matches!(var, Var::Q(k) if *k >= fields::FIRST);
        let fields = graph.variables(value).iter().any(is_field).then(|| NodalFields::new(body, at.nodes()));
        let program = Program::new(&graph, &[(value, 0)]);
        Ok(Probe { name: choice.name.text.clone(), at, program, fields, seen: UNSEEN })
    }

    /// Where it is, for people.
    pub fn taken(&self) -> String {
        match &self.at {
            At::Node(node) => node.taken(),
            At::Group { name, nodes, of } => format!("{} over {} nodes of `{name}`", of.name(), nodes.len()),
        }
    }

    /// A warning where the node is not where the probe was asked for.
    pub fn warning(&self) -> Option<String> {
        let At::Node(node) = &self.at else { return None };
        node.far.then(|| {
            format!(
                "no node is where the probe `{}` was asked for: it follows {} from there",
                self.name,
                node.taken()
            )
        })
    }

    /// Its value at a moment.
    pub fn value(&self, motion: &Motion, body: &Body, look: &Look) -> f64 {
        let fields = self.fields.as_ref().map(|fields| fields.values(motion, body, &look.x));
        let points = body.problem.solid().points();
        let mut q = [0.0; fields::FIRST as usize + fields::COUNT];
        let values = self.at.nodes().iter().enumerate().map(|(i, a)| {
            let at = 3 * *a as usize;
            q[..3].copy_from_slice(&points[at..at + 3]);
            q[3..6].copy_from_slice(&look.x[at..at + 3]);
            if let Some(fields) = &fields {
                q[fields::FIRST as usize..].copy_from_slice(&fields[i]);
            }
            let mut out = [0.0];
            self.program.call(look.t, &q, &look.v[at..at + 3], &[], &mut out);
            out[0]
        });
        match &self.at {
            At::Node(_) => values.last().unwrap_or(f64::NAN),
            At::Group { of, .. } => of.of(values),
        }
    }

    /// Notes a value of a row.
    pub fn see(&mut self, value: f64) {
        let [least, most, _] = self.seen;
        // Written so that NaN stays once it has come.
        let least = if value >= least || least.is_nan() { least } else { value };
        let most = if value <= most || most.is_nan() { most } else { value };
        self.seen = [least, most, value];
    }

    /// Forgets what was seen.
    pub fn forget(&mut self) {
        self.seen = UNSEEN;
    }

    /// The value last seen.
    pub fn last(&self) -> f64 {
        self.seen[2]
    }

    /// What the summary has of it.
    pub fn summary(&self) -> Record {
        let [min, max, last] = self.seen;
        let mut taken = record! { "min": min, "max": max, "final": last };
        match &self.at {
            At::Node(node) => {
                taken.set("node", node.number);
                taken.set("position", node.place);
                taken.set("distance", node.distance);
            }
            At::Group { name, of, .. } => {
                taken.set("group", Entry::from(name.clone()));
                taken.set("of", of.name());
            }
        }
        taken
    }
}

impl Persist for Probe {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.seen);
    }
}

impl At {
    fn nodes(&self) -> &[u32] {
        match self {
            At::Node(node) => std::slice::from_ref(&node.node),
            At::Group { nodes, .. } => nodes,
        }
    }
}

impl ProbeSummary {
    /// Of these values; NaN stays.
    fn of(self, values: impl Iterator<Item = f64>) -> f64 {
        let (mut count, mut sum) = (0.0, 0.0);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            count += 1.0;
            sum += value;
            least = least.min(value);
            most = most.max(value);
        }
        match self {
            _ if sum.is_nan() => f64::NAN,
            ProbeSummary::Max => most,
            ProbeSummary::Min => least,
            ProbeSummary::Mean => sum / count,
        }
    }
}

impl Nearest {
    fn new(choice: &SolidProbe, at: &[f64; 3], body: &Body) -> Result<Self, Error> {
        let points = body.problem.solid().points();
        let distance = |a: usize| (0..3).map(|i| (points[3 * a + i] - at[i]).powi(2)).sum::<f64>();
        let node = (0..points.len() / 3)
            .min_by(|a, b| distance(*a).total_cmp(&distance(*b)).then(body.place(*a).cmp(&body.place(*b))))
            .expect("a body has nodes");
        let (away, reach) = (distance(node).sqrt(), reach(body, node));
        if away > reach {
            let nearest: Vec<String> = (0..3).map(|i| points[3 * node + i].to_string()).collect();
            return Err(choice
                .place
                .error(format!("the probe `{}` is outside of the body", choice.name.text))
                .help(format!("the node nearest to it is at [{}]", nearest.join(", ")))
                .into());
        }
        Ok(Nearest {
            node: node as u32,
            number: body.node_number(node),
            place: [points[3 * node], points[3 * node + 1], points[3 * node + 2]],
            distance: if away > UNTIDY * reach { away } else { 0.0 },
            far: away > FAR * reach,
        })
    }

    fn taken(&self) -> String {
        let [x, y, z] = self.place.map(short);
        let away =
            if self.distance > 0.0 { format!(", {} away", short(self.distance)) } else { String::new() };
        format!("node {} at ({x}, {y}, {z}){away}", self.number)
    }
}

/// The size of the largest element at a node: a place farther away is in none of them.
fn reach(body: &Body, node: usize) -> f64 {
    let points = body.problem.solid().points();
    let place = |a: u32, i: usize| points[3 * a as usize + i];
    let at_node = (0..body.problem.count()).map(|k| Potentials::nodes(&*body.problem, k));
    at_node
        .filter(|nodes| nodes.contains(&(node as u32)))
        .flat_map(|nodes| {
            nodes.iter().map(|a| (0..3).map(|i| (place(*a, i) - place(node as u32, i)).powi(2)).sum())
        })
        .fold(0.0, f64::max)
        .sqrt()
}

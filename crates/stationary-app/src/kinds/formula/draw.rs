//! The moving picture of a system given by formulas: what `[[draw]]` says, at every step.

use crate::scenario::{Drawing, DrawnShape, FormulaSystem, Scenario, Text};
use stationary::archive::{Archive, Persist};
use stationary::contact::ImpactKind;
use stationary::error::{Diagnostic, Error};
use stationary::formula::{Graph, Node, Program, Scope, Var};
use stationary::observe::Frame;
use stationary_report::film::{Backdrop, Figure, Film, Outline, Pose};
use stationary_report::html::Section;

/// Numbers of a pose: place and angle.
const POSE: usize = 4;

/// A film and what makes its frames.
pub(super) struct Picture {
    program: Program,
    /// Numbers of all poses; those that no formula gives stay zero.
    values: Vec<f64>,
    poses: Vec<Pose>,
    film: Film,
    flashes: Flashes,
}

/// Where impacts flash: three numbers for each gap, NaN where nothing that is drawn moves with it.
struct Flashes {
    program: Program,
    values: Vec<f64>,
}

/// The figures of a picture and the formulas of their poses.
#[derive(Default)]
struct Parts {
    figures: Vec<Figure>,
    backdrop: Vec<Backdrop>,
    outputs: Vec<(Node, usize)>,
    poses: usize,
    /// Centres of figures other than lines.
    centres: Vec<Vec<Node>>,
}

impl Persist for Picture {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.film);
    }
}

impl Picture {
    /// Reads the formulas; none where nothing is to be drawn.
    pub fn build(scenario: &Scenario, system: &FormulaSystem) -> Result<Option<Picture>, Error> {
        let Some(first) = system.drawings.first() else { return Ok(None) };
        // One graph for all of them: its limits then bound the time and room they take together.
        let (mut graph, mut parts) = (Graph::new(), Parts::default());
        let mut scope = system.scope(&scenario.parameters);
        for drawing in &system.drawings {
            for k in 0..drawing.count.unwrap_or(1) {
                if drawing.count.is_some() {
                    scope.constant("i", k as f64);
                }
                parts.add(drawing, k, &mut graph, &mut scope)?;
            }
            scope.remove("i");
        }
        if parts.figures.is_empty() {
            let message = "nothing that is drawn moves: every line has constant ends";
            let help = "draw something whose place is a formula of t or of the coordinates";
            return Err(first.place.error(message).help(help).into());
        }
        let flashes = Flashes::build(system, (first.at.len(), &parts.centres), &mut graph, &mut scope)?;
        let film = Film::new(first.at.len(), parts.figures, parts.backdrop);
        let program = Program::new(&graph, &parts.outputs);
        let (values, poses) = (vec![0.0; POSE * parts.poses], vec![Pose::default(); parts.poses]);
        Ok(Some(Picture { program, values, poses, film, flashes }))
    }

    /// Sees a moment.
    pub fn observe(&mut self, frame: &Frame<'_>) {
        self.flashes.mark(frame, &mut self.film);
        if !self.film.retains_next() {
            return self.film.skip();
        }
        self.program.call(frame.t, frame.q, frame.v, frame.p, &mut self.values);
        for (pose, numbers) in self.poses.iter_mut().zip(self.values.chunks_exact(POSE)) {
            *pose = Pose { at: [numbers[0], numbers[1], numbers[2]], angle: numbers[3] };
        }
        self.film.push(frame.t, &self.poses);
    }

    /// Moments that cannot be drawn, if there are any.
    pub fn warning(&self) -> Option<String> {
        let count = self.film.refused();
        let message = format!(
            "{count} moments of the moving picture have places that are not finite numbers, and are left out"
        );
        (count > 0).then_some(message)
    }

    /// The part of the page.
    pub fn section(&self) -> Section {
        self.film.section()
    }
}

impl Flashes {
    /// At the place that a gap gives, else between the figures that move with a coordinate of the gap.
    fn build(
        system: &FormulaSystem,
        (space, centres): (usize, &[Vec<Node>]),
        graph: &mut Graph,
        scope: &mut Scope,
    ) -> Result<Self, Diagnostic> {
        let (mut outputs, mut values) = (Vec::new(), vec![f64::NAN; 3 * system.gaps.len()]);
        for (k, choice) in system.gaps.iter().enumerate() {
            let place: Vec<Node> = if let [first, ..] = &choice.at[..] {
                if choice.at.len() != space {
                    return Err(first
                        .error(format!(
                            "`at` has {} formulas, and the picture {space} directions",
                            choice.at.len()
                        ))
                        .help("give as many formulas as `at` has under [[draw]]"));
                }
                choice.at.iter().map(|text| text.lower(graph, scope)).collect::<Result<_, _>>()?
            } else {
                let gap = choice.formula.lower(graph, scope)?;
                let own = coordinates(graph, &[gap]);
                let near: Vec<&Vec<Node>> = centres
                    .iter()
                    .filter(|at| coordinates(graph, at).iter().any(|v| own.contains(v)))
                    .collect();
                mean(graph, &near, space)
            };
            for (i, node) in place.into_iter().enumerate() {
                values[3 * k + i] = 0.0;
                outputs.push((node, 3 * k + i));
            }
            values[3 * k + 2] = if values[3 * k].is_nan() { f64::NAN } else { 0.0 };
        }
        Ok(Flashes { program: Program::new(graph, &outputs), values })
    }

    /// Flashes where a gap was hit. The place is that at the end of the step.
    fn mark(&mut self, frame: &Frame<'_>, film: &mut Film) {
        if frame.impacts.is_empty() {
            return;
        }
        self.program.call(frame.t, frame.q, frame.v, frame.p, &mut self.values);
        for impact in frame.impacts.iter().filter(|i| i.kind == ImpactKind::Bounce) {
            for k in impact.gaps() {
                let at = &self.values[3 * k..3 * k + 3];
                // What is not a number is not shown.
                film.mark(impact.time, [at[0], at[1], at[2]]);
            }
        }
    }
}

/// The coordinates that formulas depend on.
fn coordinates(graph: &Graph, nodes: &[Node]) -> Vec<Var> {
    let all = nodes.iter().flat_map(|node| graph.variables(*node));
    all.filter(|v| matches!(v, Var::Q(_))).collect()
}

/// The place in the middle of others; nothing without them.
fn mean(graph: &mut Graph, places: &[&Vec<Node>], space: usize) -> Vec<Node> {
    if places.is_empty() {
        return Vec::new();
    }
    let count = graph.constant(places.len() as f64);
    let along = |graph: &mut Graph, i: usize| {
        let zero = graph.constant(0.0);
        let sum = places.iter().fold(zero, |sum, at| graph.add(sum, at[i]));
        graph.div(sum, count)
    };
    (0..space).map(|i| along(graph, i)).collect()
}

impl Parts {
    /// The `k`-th of the shapes of a drawing.
    fn add(
        &mut self,
        drawing: &Drawing,
        k: usize,
        graph: &mut Graph,
        scope: &mut Scope,
    ) -> Result<(), Diagnostic> {
        let mut lower = |texts: &[Text]| {
            let nodes = texts.iter().map(|text| text.lower(graph, scope));
            nodes.collect::<Result<Vec<Node>, Diagnostic>>()
        };
        let at = lower(&drawing.at)?;
        let angle = lower(drawing.angle.as_slice())?;
        let name = drawing.name.clone();
        let outline = match &drawing.shape {
            DrawnShape::Disc(radii) => Outline::Disc { radius: radii[k] },
            DrawnShape::Sphere(radii) => Outline::Sphere { radius: radii[k] },
            DrawnShape::Ellipse(axes) => Outline::Ellipse { semi_axes: axes[k] },
            DrawnShape::Polygon(points) => Outline::Polygon(points.clone()),
            DrawnShape::Line(to) => {
                let to = lower(to)?;
                if let (Some(from), Some(to), true) = (fixed(graph, &at), fixed(graph, &to), name.is_empty())
                {
                    self.backdrop.push(Backdrop::Line { from, to });
                    return Ok(());
                }
                self.pose(&at, &[]);
                self.pose(&to, &[]);
                self.figures.push(Figure { name, outline: Outline::Segment });
                return Ok(());
            }
        };
        self.pose(&at, &angle);
        self.centres.push(at);
        self.figures.push(Figure { name, outline });
        Ok(())
    }

    fn pose(&mut self, at: &[Node], angle: &[Node]) {
        let base = POSE * self.poses;
        self.outputs.extend(at.iter().enumerate().map(|(i, node)| (*node, base + i)));
        self.outputs.extend(angle.iter().map(|node| (*node, base + POSE - 1)));
        self.poses += 1;
    }
}

/// A place that never changes.
fn fixed(graph: &Graph, place: &[Node]) -> Option<[f64; 3]> {
    let mut at = [0.0; 3];
    for (x, node) in at.iter_mut().zip(place) {
        *x = graph.as_constant(*node)?;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(draw: &str) -> Result<Option<Picture>, Error> {
        let text = format!(
            "coordinates = [\"a\", \"b\"]\nlagrangian = \"va^2 + vb^2\"\nstep = 0.1\nend = 1\nintegrator = \"verlet\"\n\
             [parameters]\nl = 2\n[initial]\nposition = [0, 0]\nvelocity = [1, 1]\n{draw}"
        );
        let scenario = Scenario::read("a.toml", &text, &[])?;
        Picture::build(&scenario, scenario.formula().unwrap())
    }

    fn look(picture: &mut Picture, t: f64, q: &[f64], v: &[f64]) {
        let (p, canonical) = (&[0.5, 0.0][..], q);
        let (discrete_energy, multipliers, work, adaption, tangent) = (None, None, None, None, None);
        let impacts = &[];
        let frame = Frame {
            step: 0,
            t,
            elapsed: t,
            q,
            v,
            p,
            canonical,
            discrete_energy,
            multipliers,
            work,
            adaption,
            impacts,
            tangent,
        };
        picture.observe(&frame);
    }

    #[test]
    fn poses_are_what_the_formulas_say() {
        let draw = r#"
[[draw]]
shape = "line"
from = [-1, 0]
to = ["l", 0]
[[draw]]
shape = "line"
from = [0, 0]
to = ["l*sin(a)", "-l*cos(a)"]
[[draw]]
shape = "ellipse"
semi_axes = [2, 1]
at = ["b + vb", "t"]
angle = "a + pa"
[[draw]]
shape = "disc"
radius = 1
count = 2
at = ["q[i]", "i"]
"#;
        let mut picture = picture(draw).unwrap().unwrap();
        look(&mut picture, 0.25, &[0.3, 4.0], &[0.0, 0.5]);
        let at = |x: f64, y: f64, angle: f64| Pose { at: [x, y, 0.0], angle };
        let end = at(2.0 * 0.3f64.sin(), -2.0 * 0.3f64.cos(), 0.0);
        // The first line never moves and has no pose.
        assert_eq!(
            picture.poses,
            [at(0.0, 0.0, 0.0), end, at(4.5, 0.25, 0.8), at(0.3, 0.0, 0.0), at(4.0, 1.0, 0.0)]
        );
        let html = &picture.section().plots[0].0;
        assert!(html.contains("\"backdrop\":[[0,[[-1.0,0.0],[2.0,0.0]]]]"), "{html}");
    }

    #[test]
    fn formulas_are_checked_before_the_run() {
        let table = [
            ("shape = \"disc\"\nradius = 1\nat = [\"a\", \"c\"]", "a.toml:14:13: unknown name `c`"),
            ("shape = \"disc\"\nradius = 1\nat = [\"a\", \"i\"]", "a.toml:14:13: unknown name `i`"),
            ("shape = \"disc\"\nradius = 1\nangle = \"sin(\"\nat = [\"a\", \"b\"]", "a.toml:14:"),
            ("shape = \"line\"\nfrom = [0, 0]\nto = [\"l\", 1]", "nothing that is drawn moves"),
        ];
        for (draw, expected) in table {
            let error = picture(&format!("[[draw]]\n{draw}\n")).err().expect("an error").to_string();
            assert!(error.contains(expected), "{draw}\n{error}");
        }
        assert!(picture("").unwrap().is_none());
    }
}

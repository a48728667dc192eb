//! Rigid bodies.

use super::Reader;
use crate::scenario::kind::Kind;
use crate::scenario::tree::{self, Node, Table, Value};
use crate::scenario::{BodySystem, Place, Text};
use stationary::error::Diagnostic;
use stationary::formula::Graph;
use stationary::linalg::space::{Mat3, Quaternion, Vec3};

impl Reader {
    /// The system; `times` are those of its start and its end.
    pub(super) fn body_system(
        &mut self,
        parameters: &[(String, f64)],
        times: (f64, f64),
    ) -> Result<BodySystem, Diagnostic> {
        let node = self.need("body")?;
        let place = node.place.clone();
        let mut table = node.table("body", "a table")?;
        tree::only(&table, "`body`", &Kind::Body.keys("body"))?;
        let fixed = match tree::take(&mut table, "fixed") {
            Some(Node { value: Value::Flag(fixed), .. }) => fixed,
            Some(node) => return Err(node.wrong("fixed", "true or false")),
            None => false,
        };
        let mass = self.mass(&mut table, &place, fixed)?;
        let (inertia, inertia_place) = self.inertia(&mut table, &place)?;
        let entry = table.iter().find(|e| fixed && e.key == "velocity");
        if let Some(entry) = entry {
            return Err(entry
                .key_place
                .error("`velocity` besides `fixed = true`: the point of a fixed body does not move")
                .help("leave out one of the two; the body turns by its `angular_velocity`"));
        }
        let step = self.need("step")?;
        Ok(BodySystem {
            mass,
            inertia,
            inertia_place,
            fixed,
            position: self.optional_vector(&mut table, "position")?,
            orientation: self.orientation(&mut table)?,
            velocity: self.optional_vector(&mut table, "velocity")?,
            angular_velocity: self.optional_vector(&mut table, "angular_velocity")?,
            potential: potential(&mut table, parameters)?,
            probes: self.body_probes(parameters)?,
            step: self.step(&step, times)?,
            output_every: self.output()?,
        })
    }

    /// Only a body that moves along needs its mass.
    fn mass(&self, table: &mut Table, place: &Place, fixed: bool) -> Result<f64, Diagnostic> {
        match tree::take(table, "mass") {
            Some(node) => self.positive("mass", &node),
            None if fixed => Ok(1.0),
            None => Err(place
                .error("`body` has no `mass`")
                .help("add: mass = 1.0, or fixed = true for a body held at a point")),
        }
    }

    /// Three moments, or a matrix by rows.
    fn inertia(&self, table: &mut Table, place: &Place) -> Result<(Mat3, Place), Diagnostic> {
        const EXPECTED: &str = "a list of three moments of inertia, or three rows of three";
        let Some(node) = tree::take(table, "inertia") else {
            return Err(place.error("`body` has no `inertia`").help(
                "add: inertia = [1.0, 2.0, 2.5], the moments about the body's axes, or a 3 by 3 matrix",
            ));
        };
        let Value::List(rows) = &node.value else { return Err(node.wrong("inertia", EXPECTED)) };
        if rows.iter().any(|row| matches!(row.value, Value::List(_))) {
            let [a, b, c] = three("inertia", &node, EXPECTED)?;
            let row = |node: &Node| self.vector("inertia", node, "rows of three numbers");
            return Ok(([row(a)?, row(b)?, row(c)?], node.place.clone()));
        }
        let [a, b, c] = self.vector("inertia", &node, EXPECTED)?;
        Ok(([[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]], node.place.clone()))
    }

    /// A quaternion `[w, x, y, z]`, or `{ axis = [x, y, z], angle = a }`.
    fn orientation(&self, table: &mut Table) -> Result<Quaternion, Diagnostic> {
        const EXPECTED: &str = "a quaternion [w, x, y, z], or a table with `axis` and `angle`";
        let Some(node) = tree::take(table, "orientation") else { return Ok(Quaternion::ONE) };
        let place = node.place.clone();
        match node.value {
            Value::List(list) => {
                let [w, x, y, z] = &list[..] else {
                    let message = format!("`orientation` must be {EXPECTED}, found a list of {}", list.len());
                    return Err(place.error(message));
                };
                let number = |node: &Node| self.constants.number("orientation", node);
                let all = [number(w)?, number(x)?, number(y)?, number(z)?];
                if all == [0.0; 4] {
                    return Err(place
                        .error("the quaternion of `orientation` is zero, which is no rotation")
                        .help("expected [w, x, y, z] of any length but zero; [1, 0, 0, 0] turns nothing"));
                }
                Ok(Quaternion(all).unit())
            }
            Value::Table(mut table) => {
                tree::only(&table, "`orientation`", &Kind::Body.keys("body.orientation"))?;
                let [axis, angle] = ["axis", "angle"].map(|key| tree::take(&mut table, key));
                let (Some(axis), Some(angle)) = (axis, angle) else {
                    return Err(place
                        .error("`orientation` needs `axis` and `angle`")
                        .help("as in { axis = [0, 1, 0], angle = 0.3 }, the angle in radians"));
                };
                let direction = self.vector("axis", &axis, "a list of three numbers")?;
                let largest = direction.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                if largest == 0.0 {
                    return Err(axis
                        .place
                        .error("the `axis` of `orientation` is zero, which is no direction"));
                }
                // First by the largest entry: the square of an extreme one would leave the range of numbers.
                let direction = direction.map(|x| x / largest);
                Ok(Quaternion::about(&direction, self.constants.number("angle", &angle)?).unit())
            }
            _ => Err(node.wrong("orientation", EXPECTED)),
        }
    }

    fn optional_vector(&self, table: &mut Table, key: &str) -> Result<Vec3, Diagnostic> {
        let node = tree::take(table, key);
        node.map_or(Ok([0.0; 3]), |node| self.vector(key, &node, "a list of three numbers"))
    }

    fn vector(&self, key: &str, node: &Node, expected: &str) -> Result<Vec3, Diagnostic> {
        let [x, y, z] = three(key, node, expected)?;
        let number = |node: &Node| self.constants.number(key, node);
        Ok([number(x)?, number(y)?, number(z)?])
    }

    fn body_probes(&mut self, parameters: &[(String, f64)]) -> Result<Vec<(String, Text)>, Diagnostic> {
        let probes = self.probes()?;
        // Tried as they are read; one graph, so that its limits bound the time they take together.
        let (mut graph, mut scope) = (Graph::new(), BodySystem::probe_scope(parameters));
        for (_, text) in &probes {
            text.lower(&mut graph, &mut scope)?;
        }
        Ok(probes)
    }
}

/// A list of three.
fn three<'a>(key: &str, node: &'a Node, expected: &str) -> Result<[&'a Node; 3], Diagnostic> {
    match &node.value {
        Value::List(list) => match &list[..] {
            [x, y, z] => Ok([x, y, z]),
            _ => {
                let message = format!("`{key}` must be {expected}, found a list of {}", list.len());
                Err(node.place.error(message))
            }
        },
        _ => Err(node.wrong(key, expected)),
    }
}

fn potential(table: &mut Table, parameters: &[(String, f64)]) -> Result<Option<Text>, Diagnostic> {
    let Some(node) = tree::take(table, "potential") else { return Ok(None) };
    let text = node.formula("potential")?;
    text.lower(&mut Graph::new(), &mut BodySystem::potential_scope(parameters))?;
    Ok(Some(text))
}

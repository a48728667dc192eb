//! Rigid bodies.

use crate::scenario::constants::Constants;
use crate::scenario::read::Reader;
use crate::scenario::readable::Placed;
use crate::scenario::section::{Item, Section};
use crate::scenario::tree::Value;
use crate::scenario::{RigidBodySystem, Text};
use stationary::error::Diagnostic;
use stationary::formula::Graph;
use stationary::linalg::{Mat3, Quaternion, Vec3};

impl Reader {
    /// The system.
    pub(super) fn rigid_body_system(&mut self) -> Result<RigidBodySystem, Diagnostic> {
        let Some(mut table) = self.root.table("body")? else { return Err(self.root.missing("body")) };
        let fixed: bool = table.get("fixed")?;
        // Only a body that moves along needs its mass.
        let mass = match table.given("mass")? {
            Some(mass) => mass,
            None if fixed => 1.0,
            None => return Err(table.missing("mass")),
        };
        let given = table.need("inertia")?;
        let inertia_place = given.node.place.clone();
        let inertia = inertia(&given, &self.constants)?;
        if let Some(entry) = table.find("velocity").filter(|_| fixed) {
            return Err(entry
                .key_place
                .error("`velocity` besides `fixed = true`: the point of a fixed body does not move")
                .help("leave out one of the two; the body turns by its `angular_velocity`"));
        }
        Ok(RigidBodySystem {
            mass,
            inertia,
            inertia_place,
            fixed,
            position: table.get("position")?,
            orientation: orientation(&mut table)?,
            velocity: table.get("velocity")?,
            angular_velocity: table.get("angular_velocity")?,
            potential: potential(&mut table, &self.parameters)?,
            probes: self.body_probes()?,
            step: self.need_step()?,
            output_every: self.output.given("every")?,
        })
    }

    fn body_probes(&mut self) -> Result<Vec<(String, Text)>, Diagnostic> {
        let probes = self.probes()?;
        // Tried as they are read; one graph, so that its limits bound the time they take together.
        let (mut graph, mut scope) = (Graph::new(), RigidBodySystem::probe_scope(&self.parameters));
        for (_, text) in &probes {
            text.lower(&mut graph, &mut scope)?;
        }
        Ok(probes)
    }
}

/// Three moments, or a matrix by rows.
fn inertia(given: &Item, constants: &Constants) -> Result<Mat3, Diagnostic> {
    let is_matrix = matches!(&given.node.value, Value::List(rows) if rows.iter().any(|row| matches!(row.value, Value::List(_))));
    if is_matrix {
        return given.read::<[[f64; 3]; 3]>(constants).map(Mat3::from);
    }
    let [a, b, c] = given.read(constants)?;
    Ok(Mat3::from([[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]]))
}

/// A quaternion `[w, x, y, z]`, or `{ axis = [x, y, z], angle = a }`.
fn orientation(body: &mut Section) -> Result<Quaternion, Diagnostic> {
    let is_table = body.find("orientation").is_some_and(|entry| entry.node.as_table().is_some());
    if is_table && let Some(mut table) = body.table("orientation")? {
        return about_axis(&mut table);
    }
    let Some(given) = body.take("orientation")? else { return Ok(Quaternion::ONE) };
    let all: [f64; 4] = given.read(body.constants())?;
    if all == [0.0; 4] {
        return Err(given
            .node
            .place
            .error("the quaternion of `orientation` is zero, which is no rotation")
            .help("expected [w, x, y, z] of any length but zero; [1, 0, 0, 0] turns nothing"));
    }
    Ok(Quaternion(all).unit())
}

fn about_axis(table: &mut Section) -> Result<Quaternion, Diagnostic> {
    let axis: Placed<Vec3> = table.get("axis")?;
    let largest = axis.value.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if largest == 0.0 {
        return Err(axis.place.error("the `axis` of `orientation` is zero, which is no direction"));
    }
    // First by the largest entry: the square of an extreme one would leave the range of numbers.
    let direction = axis.value / largest;
    Ok(Quaternion::about(direction, table.get("angle")?).unit())
}

fn potential(table: &mut Section, parameters: &[(String, f64)]) -> Result<Option<Text>, Diagnostic> {
    let Some(text) = table.given::<Text>("potential")? else { return Ok(None) };
    text.lower(&mut Graph::new(), &mut RigidBodySystem::potential_scope(parameters))?;
    Ok(Some(text))
}

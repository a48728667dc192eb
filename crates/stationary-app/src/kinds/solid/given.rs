//! What a program hands over with a scenario of a solid, in the order of the body.

use crate::scenario::{InitialShape, Scenario, SolidSystem};
use stationary::error::{Diagnostic, Error};
use stationary_report::checkpoint::identity;

/// A number for the mesh that this is one for, and for the state where one is given.
pub(super) fn known(mesh: u64, scenario: &Scenario) -> u64 {
    let Some(state) = &scenario.given.state else { return mesh };
    let bytes = |all: &Vec<[f64; 3]>| all.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
    let [x, v]: [Vec<u8>; 2] = [bytes(&state[0]), bytes(&state[1])];
    identity(&[&mesh.to_le_bytes(), &x, &v])
}

/// Initial positions and velocities as they were given, in the order of the body.
pub(super) fn start(
    state: &[Vec<[f64; 3]>; 2],
    system: &SolidSystem,
    places: Option<&[u32]>,
    nodes: usize,
) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let shape = match &system.shape {
        Some(InitialShape::Deformation(texts) | InitialShape::Displacement(texts)) => Some(&texts[0]),
        None => None,
    };
    if let Some(place) = &system.equilibrium {
        let error = place.error("the body starts from a given state, and `initial` asks for another");
        return Err(error.help("expected one of them").into());
    }
    if let Some(text) = shape.or(system.velocity.as_ref().map(|texts| &texts[0])) {
        let error = text.error("the body starts from a given state, and `initial` gives another");
        return Err(error.help("expected one of them").into());
    }
    let file = &system.mesh.file;
    if system.mesh.refine > 0 {
        let error = file
            .error("the body starts from a given state, and the mesh is refined: the new nodes have none");
        return Err(error.help("expected a state without `refine`, or `initial`").into());
    }
    let fault =
        |d: Diagnostic| Diagnostic { help: d.help, ..file.error(format!("the given state: {}", d.message)) };
    let [x, v] = [("positions", &state[0]), ("velocities", &state[1])]
        .map(|(what, values)| in_order(what, values, places, nodes).map_err(fault));
    Ok((x?, v?))
}

/// A vector for each node, given in the order of the mesh, in that of the body: `places` has the place of each node in the mesh.
pub(super) fn in_order(
    what: &str,
    values: &[[f64; 3]],
    places: Option<&[u32]>,
    nodes: usize,
) -> Result<Vec<f64>, Diagnostic> {
    if values.len() != nodes {
        let message = format!("there are {} {what}, and the mesh has {nodes} nodes", values.len());
        return Err(Diagnostic::new(message).help(format!("expected {nodes} rows of three numbers")));
    }
    if let Some((a, i)) =
        (0..nodes).flat_map(|a| [(a, 0), (a, 1), (a, 2)]).find(|(a, i)| !values[*a][*i].is_finite())
    {
        let message = format!("{what}[{a}][{i}] is {}", values[a][i]);
        return Err(Diagnostic::new(message).help("expected a finite number"));
    }
    Ok(match places {
        Some(places) => places.iter().flat_map(|place| values[*place as usize]).collect(),
        None => values.as_flattened().to_vec(),
    })
}

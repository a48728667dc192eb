//! What a program hands over with a scenario, where a file would name it.

use stationary::mesh::Mesh;
use std::sync::Arc;

/// Arrays that stand in for files and formulas. Solids alone look at them.
///
/// ```
/// use stationary::mesh::{CellKind, Mesh};
/// use stationary_app::run;
/// use stationary_app::scenario::{Given, Scenario};
/// use std::sync::Arc;
///
/// let text = r#"
///     mesh = "arrays"              # any name, for messages
///     end = 1.0
///     integrator = { method = "avi", rule = "courant", fraction = 0.1 }
///     material.spring = { law = "bar", young = 1.0, area = 1.0, density = 1.0 }
/// "#;
/// let points = vec![[0.0; 3], [1.0, 0.0, 0.0]];
/// let mesh = Mesh::from_arrays("bar", points.clone(), vec![(CellKind::Line2, vec![0, 1])], vec![])?;
/// let state = [points, vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]];
/// let mut scenario = Scenario::read("bar.toml", text, &[])?;
/// scenario.given = Given { mesh: Some(Arc::new(mesh)), state: Some(Arc::new(state)) };
/// let outcome = run::measure(&scenario, &mut |_| std::ops::ControlFlow::Continue(()))?;
/// assert_eq!(outcome.summary["energy"]["initial"], 0.5);
/// # Ok::<(), stationary::error::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// The mesh, instead of the file that the scenario names; `scale` and `refine` act on it all the same.
    pub mesh: Option<Arc<Mesh>>,
    /// Positions and velocities at the start, of all nodes in the order of the mesh, instead of `[initial]`. Positions are those of
    /// the body: `scale` does not act on them.
    pub state: Option<Arc<[Vec<[f64; 3]>; 2]>>,
}

//! Shape functions of the kinds of cell.

use super::CellKind;
use super::cells::Jet;

/// Shape functions at a point, in the order of the nodes, and their derivatives along the reference coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Functions {
    /// `N_a`; zero past the nodes.
    pub values: [f64; CellKind::MOST_NODES],
    /// `dN_a / dxi`.
    pub slopes: [[f64; 3]; CellKind::MOST_NODES],
}

impl CellKind {
    /// The shape functions at a point of the [reference cell](Self::reference); not at the apex of a pyramid, where slopes have no value.
    ///
    /// ```
    /// use stationary::mesh::CellKind;
    /// let middle = CellKind::Hexahedron8.functions(&[0.0; 3]);
    /// assert_eq!((middle.values[6], middle.slopes[6]), (0.125, [0.125; 3]));
    /// ```
    pub fn functions(self, at: &[f64; 3]) -> Functions {
        let mut jets = [Jet::default(); CellKind::MOST_NODES];
        (self.table().shape)(&Jet::coordinates(at), &mut jets[..self.nodes()]);
        Functions { values: jets.map(|jet| jet.value), slopes: jets.map(|jet| jet.gradient) }
    }
}

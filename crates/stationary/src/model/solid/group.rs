//! Builds blocks of elements from lists of nodes, and checks every element.

use super::averaged::Averaging;
use super::block::Block;
use super::cells::{
    Cell, Hex8, Hex20, Hex27, Isoparametric, Pyramid5, Quad4, Quad8, Quad9, Tri3, Tri6, Wedge6, fine_values,
    measure,
};
use super::elements::Elements;
use super::geometry::{Defect, Geometry, Lumping, bend, is_straight, reference_mass, simplex};
use super::kind::{ElementKind, MAX_NODES};
use super::material::{ConstitutiveLaw, Material, PlaneStress, SharedMaterial};
use super::shape::{Curved, Linear, Shape, Straight};
use super::tets;
use crate::error::Diagnostic;

/// Blocks of elements, or what is wrong with one of them.
type Built = Result<Vec<Box<dyn Elements>>, Diagnostic>;

/// The assumption about the third direction of plane elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlaneAssumption {
    /// Plane strain: a long body, `F33 = 1`.
    #[default]
    Strain,
    /// Plane stress: a thin sheet, `P33 = 0`.
    Stress,
    /// A body of revolution around the axis `x = 0`, with `x` the radius and `y` along the axis, without twist: `F33 = r/R`.
    /// Energies, masses and forces are those of the whole ring; the thickness is not used.
    Axisymmetric,
}

/// How the energy of quadrilaterals of four nodes and hexahedra of eight is integrated; other kinds have one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Integration {
    /// Full, with the volume ratio averaged over the element (Simo, Taylor and Pister): nearly incompressible materials do not lock, and no
    /// deformation is without energy. In plane stress, where the thickness is free, it is the same as `Full`.
    #[default]
    AveragedVolume,
    /// Full.
    Full,
}

/// Elements of one kind and one material, as a mesh gives them.
#[derive(Debug, Clone)]
pub struct ElementGroup<'a> {
    /// The kind of the elements.
    pub kind: ElementKind,
    /// Their nodes, [`ElementKind::nodes`] for each.
    pub nodes: &'a [u32],
    /// Label of the first; the others follow.
    pub first: usize,
    /// Mass per unit reference volume.
    pub density: f64,
    /// Thickness of plane elements; others ignore it.
    pub thickness: f64,
    /// What plane elements assume of the third direction; others ignore it.
    pub plane: PlaneAssumption,
    /// The integration of the kinds that have a choice.
    pub integration: Integration,
}

impl<'a> ElementGroup<'a> {
    /// Elements labelled from 0, of thickness 1, in plane strain.
    pub fn new(kind: ElementKind, nodes: &'a [u32], density: f64) -> Self {
        let (plane, integration) = (PlaneAssumption::default(), Integration::default());
        ElementGroup { kind, nodes, first: 0, density, thickness: 1.0, plane, integration }
    }

    /// Builds the elements with one of the library's materials. Quadratic elements with straight sides and
    /// those with curved sides become two blocks, since the first are several times cheaper.
    ///
    /// ```
    /// use stationary::model::solid::{ElementGroup, ElementKind, Lame, ConstitutiveLaw, NeoHookean};
    /// let points = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
    /// let law = ConstitutiveLaw::NeoHookean(NeoHookean::new(Lame::new(93e9, 10e9)?)?);
    /// let blocks = ElementGroup::new(ElementKind::Tet4, &[0, 1, 2, 3], 7800.0).build(&points, &law)?;
    /// assert!((blocks[0].mass(0) - 1300.0).abs() < 1e-9);
    /// let flat = ElementGroup::new(ElementKind::Tet4, &[0, 2, 1, 3], 7800.0).build(&points, &law);
    /// assert!(flat.unwrap_err().message.contains("element 0 is turned over"));
    /// # Ok::<(), stationary::error::Diagnostic>(())
    /// ```
    pub fn build(&self, points: &[[f64; 3]], law: &ConstitutiveLaw) -> Built {
        match law {
            ConstitutiveLaw::NeoHookean(m) => self.build_with(points, m),
            ConstitutiveLaw::StVenantKirchhoff(m) => self.build_with(points, m),
            ConstitutiveLaw::Linear(m) => self.build_with(points, m),
            ConstitutiveLaw::MooneyRivlin(m) => self.build_with(points, m),
            ConstitutiveLaw::Formula(m) => self.build_with(points, m),
            // Where the material itself takes the time, a kernel of its own gains nothing.
            _ => self.build_with(points, &law.shared()),
        }
    }

    /// Builds the elements with any material. The kernels of triangles and tetrahedra are compiled for it, those of other kinds for all materials.
    pub fn build_with<M: Material + Clone + 'static>(&self, points: &[[f64; 3]], material: &M) -> Built {
        self.check()?;
        let m = material.clone();
        match (self.plane, self.kind.dimension()) {
            (PlaneAssumption::Stress, 2) => self.plane(points, PlaneStress(m)),
            (PlaneAssumption::Axisymmetric, 2) => self.rings(points, self.shared(m)),
            (PlaneAssumption::Strain, 2) => self.plane(points, m),
            _ => self.spatial(points, m),
        }
    }

    /// The material behind a pointer, with what the elements average.
    fn shared<M: Material + 'static>(&self, material: M) -> (SharedMaterial, Averaging) {
        let averaging = self.averaging(&material);
        (SharedMaterial::new(material), averaging)
    }

    fn plane<M: Material + Clone + 'static>(&self, points: &[[f64; 3]], material: M) -> Built {
        match self.kind {
            ElementKind::Tri3 => self.linear::<2, M>(points, material),
            ElementKind::Tri6 => self.quadratic::<2, M>(points, material),
            ElementKind::Quad4 => self.cells::<Quad4, false>(points, self.shared(material)),
            ElementKind::Quad8 => self.cells::<Quad8, false>(points, self.shared(material)),
            _ => self.cells::<Quad9, false>(points, self.shared(material)),
        }
    }

    fn rings(&self, points: &[[f64; 3]], material: (SharedMaterial, Averaging)) -> Built {
        match self.kind {
            ElementKind::Tri3 => self.cells::<Tri3, true>(points, material),
            ElementKind::Tri6 => self.cells::<Tri6, true>(points, material),
            ElementKind::Quad4 => self.cells::<Quad4, true>(points, material),
            ElementKind::Quad8 => self.cells::<Quad8, true>(points, material),
            _ => self.cells::<Quad9, true>(points, material),
        }
    }

    fn spatial<M: Material + Clone + 'static>(&self, points: &[[f64; 3]], material: M) -> Built {
        match self.kind {
            ElementKind::Tet4 => self.linear::<3, M>(points, material),
            ElementKind::Tet10 => self.quadratic::<3, M>(points, material),
            ElementKind::Hex8 => self.cells::<Hex8, false>(points, self.shared(material)),
            ElementKind::Hex20 => self.cells::<Hex20, false>(points, self.shared(material)),
            ElementKind::Hex27 => self.cells::<Hex27, false>(points, self.shared(material)),
            ElementKind::Wedge6 => self.cells::<Wedge6, false>(points, self.shared(material)),
            ElementKind::Pyramid5 => self.cells::<Pyramid5, false>(points, self.shared(material)),
            _ => Err(Diagnostic::new("a bar has no volume")
                .help("expected bars and springs to be built by `Bars`")),
        }
    }

    /// What of a kind that has a choice is averaged. Plane stress comes as a material of its own, which has no volume to keep.
    fn averaging(&self, material: &impl Material) -> Averaging {
        if self.integration == Integration::Full
            || (self.kind.dimension() == 2 && self.plane == PlaneAssumption::Stress)
        {
            Averaging::Off
        } else if material.is_small_strain() {
            Averaging::Dilatation
        } else {
            Averaging::Volume
        }
    }

    /// Isoparametric elements, in the plane or in space, or as rings.
    pub(super) fn cells<C: Cell, const RING: bool>(
        &self,
        points: &[[f64; 3]],
        (material, averaging): (SharedMaterial, Averaging),
    ) -> Built {
        let mut parts = Parts::new(Vec::new());
        let stored = Isoparametric::<C, RING>::STORED;
        parts.reserve(self.nodes.len() / C::KIND.nodes(), C::KIND, stored);
        parts.geometry.curved = true;
        parts.geometry.values = fine_values::<C>().unwrap_or_default();
        parts.geometry.lumping = if C::FACTS.cell.is_linear() { Lumping::Rows } else { Lumping::Diagonal };
        parts.averaging = if C::AVERAGED { averaging } else { Averaging::Off };
        for (k, nodes) in self.nodes.chunks_exact(self.kind.nodes()).enumerate() {
            let x = &self.positions(k, nodes, points)?[..nodes.len()];
            if RING {
                self.require_rings(k, x)?;
            }
            let cell = measure::<C>(x, if RING { 1.0 } else { self.depth() }, RING)
                .map_err(|d| self.defect(k, d, &x[0]))?;
            parts.add(self.first + k, nodes, cell.stored.into_iter(), [cell.volume, cell.inradius]);
            parts.geometry.mass.extend(cell.mass);
        }
        Ok(vec![parts.block::<Isoparametric<C, RING>, _>(material, self.density)])
    }

    /// Refuses rings across the axis.
    fn require_rings(&self, k: usize, x: &[[f64; 3]]) -> Result<(), Diagnostic> {
        let Some(outside) = x.iter().find(|p| p[0] < 0.0) else { return Ok(()) };
        let (name, label) = (self.kind.name(), self.first + k);
        Err(Diagnostic::new(format!(
            "{name} element {label} has a node at {}, across the axis",
            place(outside)
        ))
        .help(
            "expected an axisymmetric body at x >= 0: x is the radius, and the axis of revolution is x = 0",
        ))
    }

    fn check(&self) -> Result<(), Diagnostic> {
        check_lists(self.kind, self.nodes)?;
        let numbers = [("density", self.density), ("thickness", self.depth())];
        for (name, value) in numbers {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Diagnostic::new(format!("the {name} is {value}"))
                    .help("expected a positive finite number"));
            }
        }
        Ok(())
    }

    fn linear<const D: usize, M: Material + 'static>(&self, points: &[[f64; 3]], material: M) -> Built {
        let mut parts = Parts::new(reference_mass::<D>(self.kind));
        parts.reserve(self.nodes.len() / self.kind.nodes(), self.kind, Linear::<D>::STORED);
        for (k, nodes) in self.nodes.chunks_exact(self.kind.nodes()).enumerate() {
            let x = self.positions(k, nodes, points)?;
            let s = simplex::<D>(&x).map_err(|d| self.defect(k, d, &x[0]))?;
            let volume = s.volume * self.depth();
            parts.add(self.first + k, nodes, s.stored::<D>(volume), [volume, s.inradius]);
        }
        Ok(vec![parts.block::<Linear<D>, M>(material, self.density)])
    }

    fn quadratic<const D: usize, M: Material + Clone + 'static>(
        &self,
        points: &[[f64; 3]],
        material: M,
    ) -> Built {
        let mut straight = Parts::new(reference_mass::<D>(self.kind));
        let mut curved = Parts::new(Vec::new());
        for (k, nodes) in self.nodes.chunks_exact(self.kind.nodes()).enumerate() {
            let x = self.positions(k, nodes, points)?;
            let s = simplex::<D>(&x).map_err(|d| self.defect(k, d, &x[0]))?;
            if is_straight::<D>(&x) {
                let volume = s.volume * self.depth();
                let weight = volume / Straight::<D>::POINTS as f64;
                straight.add(self.first + k, nodes, s.stored::<D>(weight), [volume, s.inradius]);
            } else {
                let bent = bend::<D>(&x).map_err(|d| self.defect(k, d, &x[0]))?;
                let stride = Curved::<D>::STORED / Curved::<D>::POINTS;
                let depth = self.depth();
                let stored =
                    bent.stored.iter().enumerate().map(|(i, s)| if i % stride == 0 { s * depth } else { *s });
                curved.add(self.first + k, nodes, stored, [bent.volume * depth, s.inradius]);
                curved.geometry.mass.extend(bent.mass);
            }
        }
        curved.geometry.curved = true;
        let mut blocks = Vec::new();
        if !straight.nodes.is_empty() || curved.nodes.is_empty() {
            blocks.push(straight.block::<Straight<D>, M>(material.clone(), self.density));
        }
        if !curved.nodes.is_empty() {
            blocks.push(curved.block::<Curved<D>, M>(material, self.density));
        }
        Ok(blocks)
    }

    fn depth(&self) -> f64 {
        if self.kind.dimension() == 2 { self.thickness } else { 1.0 }
    }

    fn positions(
        &self,
        k: usize,
        nodes: &[u32],
        points: &[[f64; 3]],
    ) -> Result<[[f64; 3]; MAX_NODES], Diagnostic> {
        let x = gather(self.kind, self.first + k, nodes, points)?;
        if self.kind.dimension() == 2 && x[..nodes.len()].iter().any(|p| p[2] != x[0][2]) {
            return Err(Diagnostic::new(format!(
                "{} element {} near {} is not in a plane of constant z",
                self.kind.name(),
                self.first + k,
                place(&x[0])
            ))
            .help(
                "expected plane elements in the x-y plane: shells and membranes in space are not supported",
            ));
        }
        Ok(x)
    }

    fn defect(&self, k: usize, defect: Defect, at: &[f64; 3]) -> Diagnostic {
        let (what, help) = match defect {
            Defect::Flat => ("has no volume", "expected corners in general position"),
            Defect::TurnedOver => (
                "is turned over: its volume is negative",
                "expected its nodes in the order of a positive volume",
            ),
            Defect::Folded => (
                "is folded: its map has no positive volume everywhere",
                "expected middle nodes nearer the middles",
            ),
        };
        let label = self.first + k;
        Diagnostic::new(format!("{} element {label} {what} (near {})", self.kind.name(), place(at)))
            .help(help)
    }
}

pub(super) fn place(x: &[f64; 3]) -> String {
    format!("({}, {}, {})", x[0], x[1], x[2])
}

pub(super) fn check_lists(kind: ElementKind, nodes: &[u32]) -> Result<(), Diagnostic> {
    if !nodes.len().is_multiple_of(kind.nodes()) {
        return Err(Diagnostic::new(format!(
            "a list of {} nodes for elements of kind {}",
            nodes.len(),
            kind.name()
        ))
        .help(format!("expected a multiple of {}", kind.nodes())));
    }
    Ok(())
}

/// The positions of an element's nodes, which must exist, be finite and differ.
pub(super) fn gather(
    kind: ElementKind,
    label: usize,
    nodes: &[u32],
    points: &[[f64; 3]],
) -> Result<[[f64; 3]; MAX_NODES], Diagnostic> {
    let mut x = [[0.0; 3]; MAX_NODES];
    for (a, node) in nodes.iter().enumerate() {
        let named = || format!("{} element {label}", kind.name());
        let Some(point) = points.get(*node as usize) else {
            return Err(Diagnostic::new(format!("{} has the node {node}", named()))
                .help(format!("expected a number below {}, the count of points", points.len())));
        };
        if !point.iter().all(|x| x.is_finite()) {
            return Err(Diagnostic::new(format!("node {node} of {} is at {}", named(), place(point)))
                .help("expected finite coordinates"));
        }
        if nodes[..a].contains(node) {
            return Err(Diagnostic::new(format!("{} has the node {node} twice", named()))
                .help("expected different nodes"));
        }
        x[a] = *point;
    }
    Ok(x)
}

/// The data of a block while it is built.
struct Parts {
    nodes: Vec<u32>,
    stored: Vec<f64>,
    averaging: Averaging,
    geometry: Geometry,
}

impl Parts {
    fn new(mass: Vec<f64>) -> Self {
        let geometry = Geometry { mass, ..Geometry::default() };
        Parts { nodes: Vec::new(), stored: Vec::new(), averaging: Averaging::Off, geometry }
    }

    fn reserve(&mut self, elements: usize, kind: ElementKind, stored: usize) {
        self.nodes.reserve_exact(elements * kind.nodes());
        self.stored.reserve_exact(elements * stored);
        self.geometry.volume.reserve_exact(elements);
        self.geometry.inradius.reserve_exact(elements);
    }

    fn add(&mut self, label: usize, nodes: &[u32], stored: impl Iterator<Item = f64>, sizes: [f64; 2]) {
        self.nodes.extend_from_slice(nodes);
        self.stored.extend(stored);
        self.geometry.labels.push(label);
        self.geometry.volume.push(sizes[0]);
        self.geometry.inradius.push(sizes[1]);
    }

    fn block<S: Shape, M: Material + 'static>(self, material: M, density: f64) -> Box<dyn Elements> {
        let Parts { nodes, stored, averaging, geometry } = self;
        if let Some(lame) = material.neo_hookean().filter(|_| !geometry.curved && !nodes.is_empty()) {
            match S::KIND {
                ElementKind::Tet4 | ElementKind::Tet10 => {
                    return tets::block(S::KIND, nodes, &stored, lame, density, geometry);
                }
                _ => {}
            }
        }
        Box::new(Block::<S, M>::new(nodes, &stored, material, density, averaging, geometry))
    }
}

/// Gradients of `L_1, L_2, L_3` and a point's share of the volume of every tetrahedron, as blocks store them.
#[cfg(test)]
pub(super) fn simplices(kind: ElementKind, nodes: &[u32], points: &[f64]) -> Vec<f64> {
    let mut stored = Vec::new();
    for own in nodes.chunks_exact(kind.nodes()) {
        let mut x = [[0.0; 3]; MAX_NODES];
        for (x, a) in x.iter_mut().zip(own) {
            x.copy_from_slice(&points[3 * *a as usize..][..3]);
        }
        let s = simplex::<3>(&x).unwrap_or_else(|d| panic!("{d:?}"));
        stored.extend_from_slice(s.gradients[1..].as_flattened());
        stored.push(s.volume / if kind == ElementKind::Tet4 { 1.0 } else { 4.0 });
    }
    stored
}

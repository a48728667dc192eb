//! Builds blocks of elements from lists of nodes, and checks every element.

use super::block::Block;
use super::elements::Elements;
use super::geometry::{Defect, Geometry, bend, is_straight, reference_mass, simplex};
use super::kind::{ElementKind, MAX_NODES, Nodal};
use super::material::{ConstitutiveLaw, Material, PlaneStress};
use super::shape::{Curved, Linear, Shape, Straight};
use super::tets;
use crate::error::Diagnostic;
use std::marker::PhantomData;

/// The assumption about the third direction of plane elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlaneAssumption {
    /// Plane strain: a long body, `F33 = 1`.
    #[default]
    Strain,
    /// Plane stress: a thin sheet, `P33 = 0`.
    Stress,
}

/// Triangles or tetrahedra of one material, as a mesh gives them.
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
    /// Thickness of triangles; tetrahedra ignore it.
    pub thickness: f64,
    /// Plane strain or plane stress of triangles; tetrahedra ignore it.
    pub plane: PlaneAssumption,
}

impl<'a> ElementGroup<'a> {
    /// Elements labelled from 0, of thickness 1, in plane strain.
    pub fn new(kind: ElementKind, nodes: &'a [u32], density: f64) -> Self {
        ElementGroup { kind, nodes, first: 0, density, thickness: 1.0, plane: PlaneAssumption::Strain }
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
    pub fn build(
        &self,
        points: &[[f64; 3]],
        law: &ConstitutiveLaw,
    ) -> Result<Vec<Box<dyn Elements>>, Diagnostic> {
        match law {
            ConstitutiveLaw::NeoHookean(m) => self.build_with(points, m),
            ConstitutiveLaw::StVenantKirchhoff(m) => self.build_with(points, m),
            ConstitutiveLaw::Linear(m) => self.build_with(points, m),
            ConstitutiveLaw::MooneyRivlin(m) => self.build_with(points, m),
            ConstitutiveLaw::Formula(m) => self.build_with(points, m),
        }
    }

    /// Builds the elements with any material: the kernels are compiled for it.
    pub fn build_with<M: Material + Clone + 'static>(
        &self,
        points: &[[f64; 3]],
        material: &M,
    ) -> Result<Vec<Box<dyn Elements>>, Diagnostic> {
        self.check()?;
        let m = material.clone();
        match (self.kind, self.plane) {
            (ElementKind::Tri3, PlaneAssumption::Strain) => self.linear::<2, _>(points, m),
            (ElementKind::Tri3, PlaneAssumption::Stress) => self.linear::<2, _>(points, PlaneStress(m)),
            (ElementKind::Tri6, PlaneAssumption::Strain) => self.quadratic::<2, _>(points, m),
            (ElementKind::Tri6, PlaneAssumption::Stress) => self.quadratic::<2, _>(points, PlaneStress(m)),
            (ElementKind::Tet4, _) => self.linear::<3, _>(points, m),
            (ElementKind::Tet10, _) => self.quadratic::<3, _>(points, m),
            (ElementKind::Bar2, _) => Err(Diagnostic::new("a bar has no volume")
                .help("expected bars and springs to be built by `Bars`")),
        }
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

    fn linear<const D: usize, M: Material + 'static>(
        &self,
        points: &[[f64; 3]],
        material: M,
    ) -> Result<Vec<Box<dyn Elements>>, Diagnostic> {
        let mut parts = Parts::new(reference_mass::<D>(self.kind));
        parts.reserve(self.nodes.len() / self.kind.nodes(), self.kind, Linear::<D>::STORED);
        for (k, nodes) in self.nodes.chunks_exact(self.kind.nodes()).enumerate() {
            let x = self.positions(k, nodes, points)?;
            let s = simplex::<D>(&x).map_err(|d| self.defect(k, d, &x))?;
            let volume = s.volume * self.depth();
            parts.add(self.first + k, nodes, s.stored::<D>(volume), [volume, s.inradius]);
        }
        Ok(vec![parts.block::<Linear<D>, M>(material, self.density)])
    }

    fn quadratic<const D: usize, M: Material + Clone + 'static>(
        &self,
        points: &[[f64; 3]],
        material: M,
    ) -> Result<Vec<Box<dyn Elements>>, Diagnostic> {
        let mut straight = Parts::new(reference_mass::<D>(self.kind));
        let mut curved = Parts::new(Vec::new());
        for (k, nodes) in self.nodes.chunks_exact(self.kind.nodes()).enumerate() {
            let x = self.positions(k, nodes, points)?;
            let s = simplex::<D>(&x).map_err(|d| self.defect(k, d, &x))?;
            if is_straight::<D>(&x) {
                let volume = s.volume * self.depth();
                let weight = volume / Straight::<D>::POINTS as f64;
                straight.add(self.first + k, nodes, s.stored::<D>(weight), [volume, s.inradius]);
            } else {
                let bent = bend::<D>(&x).map_err(|d| self.defect(k, d, &x))?;
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

    fn positions(&self, k: usize, nodes: &[u32], points: &[[f64; 3]]) -> Result<Nodal, Diagnostic> {
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

    fn defect(&self, k: usize, defect: Defect, x: &Nodal) -> Diagnostic {
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
        Diagnostic::new(format!("{} element {label} {what} (near {})", self.kind.name(), place(&x[0])))
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
) -> Result<Nodal, Diagnostic> {
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
    geometry: Geometry,
}

impl Parts {
    fn new(mass: Vec<f64>) -> Self {
        Parts { nodes: Vec::new(), stored: Vec::new(), geometry: Geometry { mass, ..Geometry::default() } }
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
        let Parts { nodes, stored, geometry } = self;
        if let Some(lame) = material.neo_hookean().filter(|_| !geometry.curved && !nodes.is_empty()) {
            match S::KIND {
                ElementKind::Tet4 | ElementKind::Tet10 => {
                    return tets::block(S::KIND, nodes, &stored, lame, density, geometry);
                }
                _ => {}
            }
        }
        Box::new(Block::<S, M> { nodes, stored, material, density, geometry, shape: PhantomData })
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

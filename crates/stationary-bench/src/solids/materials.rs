//! Every law against the neo-Hookean one, by quadrature points: gradients and energies of the same body, through the same kernel of elements.
//!
//! Neo-Hookean tetrahedra have a kernel of their own; the reference here goes the way of all other laws. Laws with memory update from one past and write
//! the history that follows, as each event of a run does.

use super::cube::{Cube, LAME};
use super::kinds;
use crate::measure::{seconds, take_turns};
use crate::row::{BenchOutcome, BenchRow, When};
use stationary::error::Diagnostic;
use stationary::model::solid::{
    ConstitutiveLaw, ElementGroup, ElementKind, Elements, Fluid, Hardening, J2, Lame, LinearElastic,
    Material, MaterialFault, MaxwellBranch, MooneyRivlin, NeoHookean, Ogden, OgdenTerm, Orthotropic,
    OrthotropicConstants, PlaneAssumption, PointBatch, RateDependence, SharedMaterial, StVenantKirchhoff,
    Viscoelastic,
};
use stationary::model::{HistoryEnergy, Past};

/// Cells a side of the cubes of tet4 and of tet10.
const CELLS: [usize; 2] = [14, 9];
const REPETITIONS: u64 = 40;
/// Strains of the bodies: those of rubber, and the elastic ones of metals.
const LARGE: f64 = 0.05;
const SMALL: f64 = 2e-3;

/// What a row measures.
#[derive(Clone, Copy)]
struct Case {
    law: fn() -> Result<ConstitutiveLaw, Diagnostic>,
    strain: f64,
    plane: PlaneAssumption,
    /// Whether every point must yield, or none may.
    yields: Option<bool>,
}

/// A row for each law.
pub fn rows() -> Vec<BenchRow> {
    let elastic = |law| Case { law, strain: LARGE, plane: PlaneAssumption::Strain, yields: None };
    let metal = |law, yields| Case { strain: SMALL, yields: Some(yields), ..elastic(law) };
    let sheet = |law| Case { plane: PlaneAssumption::Stress, ..elastic(law) };
    let all: [(&str, &str, f64, Case); 17] = [
        ("linear", "gradients, linear over neo-Hookean, a point", 1.3, elastic(linear)),
        ("st-venant", "the same, St Venant-Kirchhoff", 1.3, elastic(st_venant)),
        ("fluid", "the same, a fluid", 1.3, elastic(fluid)),
        ("mooney-rivlin", "the same, Mooney-Rivlin", 1.3, elastic(mooney_rivlin)),
        ("orthotropic", "the same, orthotropic", 1.3, elastic(orthotropic)),
        ("ogden-1", "the same, Ogden of one term", 1.3, elastic(|| ogden(1))),
        ("ogden-3", "the same, Ogden of three terms", 1.3, elastic(|| ogden(3))),
        ("viscoelastic-1", "the same, viscoelastic with one branch", 1.3, elastic(|| viscoelastic(1))),
        ("viscoelastic-2", "the same, with two", 1.3, elastic(|| viscoelastic(2))),
        (
            "viscoelastic-far",
            "the same, one branch, strains of a fifth",
            1.3,
            Case { strain: 0.2, ..elastic(|| viscoelastic(1)) },
        ),
        ("j2-elastic", "the same, j2 while elastic", 1.3, metal(|| j2(Hardening::none(1e3)), false)),
        ("j2-linear", "the same, j2 while all of it yields, linear", 2.0, metal(|| j2(hardening()), true)),
        (
            "j2-voce",
            "the same, Voce",
            2.0,
            metal(|| j2(Hardening { saturation: 1e-4, saturation_rate: 20.0, ..hardening() }), true),
        ),
        (
            "j2-power",
            "the same, power law",
            2.0,
            metal(|| j2(Hardening { power: 1e-3, exponent: 0.3, ..hardening() }), true),
        ),
        ("sheet-neo-hookean", "plane stress over plane strain, neo-Hookean, tri3", 1.3, sheet(neo_hookean)),
        ("sheet-linear", "the same, linear", 1.3, sheet(linear)),
        ("sheet-mooney-rivlin", "the same, Mooney-Rivlin", 1.3, sheet(mooney_rivlin)),
    ];
    let row = |(name, what, bar, case): (_, _, f64, Case)| {
        BenchRow::new("materials", name, what, move || over_neo_hookean(case))
            .at_most(bar)
            .as_goal()
            .when(When::Group)
    };
    all.into_iter().map(row).collect()
}

fn lame() -> Result<Lame, Diagnostic> {
    Lame::new(LAME[0], LAME[1])
}

fn neo_hookean() -> Result<ConstitutiveLaw, Diagnostic> {
    Ok(ConstitutiveLaw::NeoHookean(NeoHookean::new(lame()?)?))
}

fn linear() -> Result<ConstitutiveLaw, Diagnostic> {
    Ok(ConstitutiveLaw::Linear(LinearElastic::new(lame()?)))
}

fn st_venant() -> Result<ConstitutiveLaw, Diagnostic> {
    Ok(ConstitutiveLaw::StVenantKirchhoff(StVenantKirchhoff::new(lame()?)))
}

fn fluid() -> Result<ConstitutiveLaw, Diagnostic> {
    Ok(ConstitutiveLaw::Fluid(Fluid::new(LAME[0], 7.0)?))
}

fn mooney_rivlin() -> Result<ConstitutiveLaw, Diagnostic> {
    Ok(ConstitutiveLaw::MooneyRivlin(MooneyRivlin::new(lame()?, 0.4)?))
}

fn orthotropic() -> Result<ConstitutiveLaw, Diagnostic> {
    let constants =
        OrthotropicConstants { young: [9.0, 4.0, 3.0], poisson: [0.2, 0.3, 0.1], shear: [1.5, 1.2, 1.0] };
    Ok(ConstitutiveLaw::Orthotropic(Orthotropic::new(constants, [1.0, 1.0, 0.0], [0.0, 1.0, 0.3])?))
}

/// Treloar's rubber has three terms.
fn ogden(terms: usize) -> Result<ConstitutiveLaw, Diagnostic> {
    let all = [(0.63, 1.3), (0.0012, 5.0), (-0.01, -2.0)];
    let terms =
        all[..terms].iter().map(|(modulus, exponent)| OgdenTerm { modulus: *modulus, exponent: *exponent });
    Ok(ConstitutiveLaw::Ogden(Ogden::new(terms.collect(), 100.0)?))
}

fn viscoelastic(branches: usize) -> Result<ConstitutiveLaw, Diagnostic> {
    let all = [MaxwellBranch { mu: 0.5, time: 1.0 }, MaxwellBranch { mu: 0.3, time: 0.1 }];
    Ok(ConstitutiveLaw::Viscoelastic(Viscoelastic::new(lame()?, all[..branches].to_vec())?))
}

fn hardening() -> Hardening {
    Hardening { linear: 0.05, ..Hardening::none(1e-5) }
}

fn j2(hardening: Hardening) -> Result<ConstitutiveLaw, Diagnostic> {
    Ok(ConstitutiveLaw::J2(J2::new(lame()?, hardening, RateDependence::NONE)?))
}

/// A law that does not tell elements that it is neo-Hookean.
#[derive(Debug, Clone)]
struct Unnamed(SharedMaterial);

impl Material for Unnamed {
    fn stress(&self, f: &[[f64; 3]; 3]) -> Result<(f64, [[f64; 3]; 3]), MaterialFault> {
        self.0.stress(f)
    }

    fn stress_batch(&self, at: &mut [PointBatch]) -> bool {
        self.0.stress_batch(at)
    }

    fn action(&self, f: &[[f64; 3]; 3], df: &[[f64; 3]; 3]) -> Result<[[f64; 3]; 3], MaterialFault> {
        self.0.action(f, df)
    }

    fn lame(&self) -> Lame {
        self.0.lame()
    }
}

/// A block of elements, and its past.
struct Body {
    block: Box<dyn Elements>,
    x: Vec<f64>,
    past: Vec<f64>,
    after: Vec<f64>,
    out: Vec<f64>,
}

/// The time since the last commit, against relaxation times of about one.
const DT: f64 = 1e-2;

impl Body {
    fn new(blocks: Vec<Box<dyn Elements>>, points: &[[f64; 3]], strain: f64) -> Result<Self, String> {
        let block = blocks.into_iter().next().ok_or("no elements")?;
        let size = block.history_size();
        let mut past = vec![0.0; block.len() * size];
        (0..block.len()).for_each(|k| block.first_history(k, &mut past[k * size..(k + 1) * size]));
        let mut body = Body {
            block,
            x: sheared(points, strain),
            after: past.clone(),
            past,
            out: vec![0.0; 3 * points.len()],
        };
        // The past is that of a body that has been deformed, and goes on.
        body.evaluate()?;
        std::mem::swap(&mut body.past, &mut body.after);
        body.x = sheared(points, 1.1 * strain);
        Ok(body)
    }

    fn evaluate(&mut self) -> Result<(), String> {
        let Body { block, x, past, after, out } = self;
        let told = |fault| format!("{fault:?}");
        if past.is_empty() {
            return block.add_gradient(0..block.len(), 0.0, x, out).map(drop).map_err(told);
        }
        let mut energy = HistoryEnergy::default();
        block.add_update(x, Past { history: past, dt: DT }, (out, Some(after)), &mut energy).map_err(told)
    }

    fn points(&self) -> f64 {
        (self.block.len() * self.block.points()) as f64
    }

    /// Whether every point yields in the update, and whether one does.
    fn yields(&mut self) -> Result<[bool; 2], String> {
        self.evaluate()?;
        let size = self.block.history_size() / self.block.points();
        let dissipated = |history: &[f64]| history[size - 1];
        let points = self.past.chunks_exact(size).zip(self.after.chunks_exact(size));
        let grown: Vec<bool> = points.map(|(past, after)| dissipated(after) > dissipated(past)).collect();
        Ok([grown.iter().all(|g| *g), grown.iter().any(|g| *g)])
    }
}

/// A shear that is nowhere zero.
fn sheared(points: &[[f64; 3]], strain: f64) -> Vec<f64> {
    let x = |p: &[f64; 3]| p[0] + strain * (0.8 * p[1] + 0.1 * (2.0 * p[1]).sin());
    points.iter().flat_map(|p| [x(p), p[1], p[2]]).collect()
}

/// The larger of the ratios of tet4 and tet10; of triangles for plane stress.
fn over_neo_hookean(case: Case) -> Result<BenchOutcome, String> {
    if case.plane == PlaneAssumption::Stress {
        let (points, nodes) = kinds::grid(ElementKind::Tri3);
        let [theirs, ours, count] = measure(case, ElementKind::Tri3, &points, &nodes)?;
        return Ok(BenchOutcome::ns(ours).over(theirs).counts(count as u64, count as u64, REPETITIONS));
    }
    let mut found = Vec::new();
    for (kind, cells) in [ElementKind::Tet4, ElementKind::Tet10].into_iter().zip(CELLS) {
        let cube = Cube::new(cells, kind);
        found.push(measure(case, kind, &cube.points, &cube.nodes)?);
    }
    let ratios = [found[0][1] / found[0][0], found[1][1] / found[1][0]];
    let [theirs, ours, count] = if ratios[0] > ratios[1] { found[0] } else { found[1] };
    Ok(BenchOutcome::ns(ours)
        .over(theirs)
        .counts(count as u64, count as u64, REPETITIONS)
        .note(format!("; tet4 {:.2}, tet10 {:.2}", ratios[0], ratios[1]))
        .with("tet4", ratios[0])
        .with("tet10", ratios[1]))
}

/// Nanoseconds a point of the neo-Hookean body and of that of the law, and the number of points.
fn measure(case: Case, kind: ElementKind, points: &[[f64; 3]], nodes: &[u32]) -> Result<[f64; 3], String> {
    let told = |e: Diagnostic| e.to_string();
    let group = ElementGroup::new(kind, nodes, 1.0);
    let reference = Unnamed(neo_hookean().map_err(told)?.shared());
    let law = (case.law)().map_err(told)?;
    let flat = ElementGroup { plane: case.plane, ..group.clone() };
    let mut bodies = [
        Body::new(group.build_with(points, &reference).map_err(told)?, points, case.strain)?,
        // As others, lest sheets of a law that names itself go another way.
        Body::new(flat.build_with(points, &law.shared()).map_err(told)?, points, case.strain)?,
    ];
    if let Some(yields) = case.yields
        && bodies[1].yields()? != [yields; 2]
    {
        return Err(format!("expected points that {}", if yields { "yield" } else { "are elastic" }));
    }
    let count = bodies[0].points();
    let best = take_turns(REPETITIONS, |which| seconds(|| bodies[which].evaluate().expect("a body of ours")));
    Ok([1e9 * best[0] / count, 1e9 * best[1] / count, count])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bench_bodies_of_metals_yield_everywhere_or_nowhere() {
        let cube = Cube::new(3, ElementKind::Tet10);
        let group = ElementGroup::new(ElementKind::Tet10, &cube.nodes, 1.0);
        for (hardening, yields) in [(Hardening::none(1e3), false), (hardening(), true)] {
            let law = j2(hardening).unwrap().shared();
            let mut body =
                Body::new(group.build_with(&cube.points, &law).unwrap(), &cube.points, SMALL).unwrap();
            assert_eq!(body.yields().unwrap(), [yields; 2]);
        }
    }
}

//! Plasticity of metals at finite strain.

use super::batch::{self, PastBatch, PointBatch};
use super::hardening::{Flow, Hardening, RateDependence};
use super::heating::Heating;
use super::inelastic::{Inelastic, Update};
use super::kernels;
use super::principal::{Deformation, Moduli, Principal, piola_change};
use super::{Lame, Material, MaterialFault};
use crate::error::Diagnostic;
use crate::model::Past;
use crate::model::solid::tensor::{Tensor, product};

/// Finite-strain J2 (von Mises) plasticity in logarithmic elastic strains: `F = F_e F_p`, `det F_p = 1`,
///
/// ```text
/// W_e = K/2 (tr e)^2 + mu |dev e|^2,    e = log(b)/2,    b = F_e F_e^T = F C_p^-1 F^T        (Hencky)
/// q = sqrt(3/2) |dev tau| <= sigma_y(eps) + what the rate adds
/// ```
///
/// An increment `d >= 0` of the accumulated plastic strain `eps` shortens the deviator of the trial strain by `sqrt(3/2) d` (exponential
/// map, in the axes of the trial strain: Weber and Anand 1990, Ortiz and Stainier 1999). It is the minimiser of
///
/// ```text
/// W_n(F; d) = K/2 (tr e)^2 + mu (|dev e| - sqrt(3/2) d)^2 + integral of the flow stress from eps_n to eps_n + d,
/// ```
///
/// the root of `q_trial - 3 mu d = flow stress`. All plastic work counts as dissipated, hardening included.
///
/// With [`heated`](Self::heated) the flow stress falls with the temperature, and part of the plastic work heats the metal, within the increment
/// too: the temperature is a function of `d`, so that the update remains the minimum of a potential.
///
/// History: `C_p^-1` as xx, yy, zz, xy, yz, xz; `eps`; the temperature of a metal that heats; the energy dissipated.
///
/// ```
/// use stationary::model::Past;
/// use stationary::model::solid::{Hardening, Inelastic, J2, Lame, RateDependence};
///
/// let steel = J2::new(Lame::from_young(210e9, 0.3)?, Hardening::none(300e6), RateDependence::NONE)?;
/// let mut history = [0.0; 8];
/// steel.first_history(&mut history);
/// // A shear far beyond yield, by an isochoric stretch: the stress is the yield stress.
/// let stretched = [[1.01, 0.0, 0.0], [0.0, 1.0 / 1.01, 0.0], [0.0, 0.0, 1.0]];
/// let update = steel.update(&stretched, Past { history: &history, dt: 1.0 }, None).unwrap();
/// let tau = [0, 1].map(|i| update.stress[i][i] * stretched[i][i]);
/// assert!((tau[0] - 300e6 / 3.0_f64.sqrt()).abs() < 1.0 && (tau[0] + tau[1]).abs() < 1.0);
/// # Ok::<(), stationary::error::Diagnostic>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct J2 {
    pub(super) lame: Lame,
    pub(super) hardening: Hardening,
    pub(super) rate: RateDependence,
    heating: Option<Heating>,
}

/// Numbers of history of a point, one more with a temperature, and where some of them are. The last is the energy dissipated.
const HISTORY: usize = 8;
pub(super) const STRAIN: usize = 6;
/// Where the energy dissipated is in the history of a metal without a temperature, the only one in vector lanes.
pub(super) const DISSIPATED: usize = 7;
const TEMPERATURE: usize = 7;

/// Most iterations for an increment: bisection alone needs about sixty.
pub(super) const ITERATIONS: usize = 200;

/// An update in principal axes, for its tangent; `j2_lanes` makes it without them.
struct Returned {
    at: Deformation,
    axes: Principal,
    /// Volume strain, and deviator of the trial strain.
    volume: f64,
    deviator: [f64; 3],
    /// Equivalent trial stress.
    q: f64,
    /// The increment of the plastic strain, and the derivative of the flow stress there.
    d: f64,
    slope: f64,
    /// The part of the trial deviator that is left.
    left: f64,
}

impl J2 {
    /// With elastic constants, hardening and a dependence on the rate.
    pub fn new(lame: Lame, hardening: Hardening, rate: RateDependence) -> Result<Self, Diagnostic> {
        hardening.check()?;
        rate.check()?;
        Ok(J2 { lame, hardening, rate, heating: None })
    }

    /// The same metal, softened by the temperature and heated by its plastic work.
    pub fn heated(self, heating: Heating) -> Result<Self, Diagnostic> {
        heating.check(&self.hardening, self.lame.mu)?;
        Ok(J2 { heating: Some(heating), ..self })
    }

    pub(super) fn bulk(&self) -> f64 {
        self.lame.lambda + self.lame.mu / 1.5
    }

    fn returned(&self, f: &Tensor, past: Past<'_>) -> Result<Returned, MaterialFault> {
        let at = Deformation::new(f)?;
        let inverse_plastic: &[f64; 6] = past.history[..6].try_into().expect("six numbers");
        let axes = Principal::new(&at.push(inverse_plastic))?;
        let volume = axes.log[0] + axes.log[1] + axes.log[2];
        let deviator = axes.log.map(|e| e - volume / 3.0);
        let square: f64 = deviator.iter().map(|e| e * e).sum();
        let mu = self.lame.mu;
        let q = 6.0_f64.sqrt() * mu * square.sqrt();
        let flow = self.flow(past);
        let frozen = past.dt == 0.0 && !self.rate.is_none();
        let elastic = Returned { at, axes, volume, deviator, q, d: 0.0, slope: f64::INFINITY, left: 1.0 };
        if q <= flow.first || frozen {
            return Ok(elastic);
        }
        if !q.is_finite() {
            return Err(MaterialFault::NotFinite);
        }
        let d = increment(q, 3.0 * mu, &flow);
        let [_, slope] = flow.stress(d);
        Ok(Returned { d, slope, left: 1.0 - 3.0 * mu * d / q, ..elastic })
    }

    fn flow(&self, past: Past<'_>) -> Flow<'_> {
        let softening = self.heating.map(|heating| heating.at(past.history[TEMPERATURE]));
        Flow::new(&self.hardening, &self.rate, past.history[STRAIN], past.dt).softened(softening)
    }

    /// The update of a metal that heats, in principal axes.
    fn update_heated(
        &self,
        heating: Heating,
        f: &Tensor,
        past: Past<'_>,
        after: Option<&mut [f64]>,
    ) -> Result<Update, MaterialFault> {
        let r = self.returned(f, past)?;
        let mu = self.lame.mu;
        let square: f64 = r.deviator.iter().map(|e| e * e).sum();
        let stored = 0.5 * self.bulk() * r.volume * r.volume + mu * r.left * r.left * square;
        let [potential, work] = if r.d > 0.0 { self.flow(past).energies(r.d) } else { [0.0; 2] };
        let last = past.history.len() - 1;
        let dissipated = past.history[last] + work;
        if let Some(after) = after {
            after.copy_from_slice(past.history);
            if r.d > 0.0 {
                let elastic = r.deviator.map(|e| (2.0 * (r.volume / 3.0 + r.left * e)).exp());
                after[..6].copy_from_slice(&r.at.pull(&r.axes.tensor(elastic)));
                after[STRAIN] += r.d;
                after[TEMPERATURE] = heating.temperature(past.history[TEMPERATURE], work);
                after[last] = dissipated;
            }
        }
        let stress = r.at.piola(&r.axes.tensor(self.tau(&r)));
        Ok(Update { potential: stored + potential, stored, dissipated, stress })
    }

    fn tau(&self, r: &Returned) -> [f64; 3] {
        let pressure = self.bulk() * r.volume;
        r.deviator.map(|e| pressure + 2.0 * self.lame.mu * r.left * e)
    }

    /// What matter that has never been deformed remembers, in the limit of slow motion.
    fn past_of<'a>(&self, virgin: &'a mut [f64; HISTORY + 1]) -> Past<'a> {
        let virgin = &mut virgin[..self.history_size()];
        self.first_history(virgin);
        Past { history: virgin, dt: f64::INFINITY }
    }
}

/// The root `d` of `q - stiffness d = flow stress`, which falls from left to right: Newton's method in a bracket.
fn increment(q: f64, stiffness: f64, flow: &Flow<'_>) -> f64 {
    let mut d = (q - flow.first) / stiffness;
    // Metal that softens flows further than with its first flow stress.
    let (mut low, mut high) = (0.0, if flow.softening.is_some() { q / stiffness } else { d });
    let small = f64::EPSILON * d;
    for _ in 0..ITERATIONS {
        let [stress, slope] = flow.stress(d);
        let rest = q - stiffness * d - stress;
        if rest > 0.0 {
            low = d;
        } else {
            high = d;
        }
        let step = rest / (stiffness + slope);
        if step.abs() <= small || high - low <= small {
            return d + step;
        }
        let newton = d + step;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        d = next;
    }
    d
}

impl Inelastic for J2 {
    fn history_size(&self) -> usize {
        HISTORY + usize::from(self.heating.is_some())
    }

    fn first_history(&self, out: &mut [f64]) {
        out.fill(0.0);
        out[..3].fill(1.0);
        if let Some(heating) = &self.heating {
            out[TEMPERATURE] = heating.start;
        }
    }

    fn update(&self, f: &Tensor, past: Past<'_>, after: Option<&mut [f64]>) -> Result<Update, MaterialFault> {
        match self.heating {
            None => kernels::update(self, f, past, after),
            Some(heating) => self.update_heated(heating, f, past, after),
        }
    }

    fn update_batch(&self, at: &mut PointBatch, past: PastBatch<'_>) -> bool {
        match self.heating {
            None => kernels::update_batch(self, at, past),
            Some(_) => batch::update_one_by_one(self, at, past),
        }
    }

    fn action_after(&self, f: &Tensor, df: &Tensor, past: Past<'_>) -> Result<Tensor, MaterialFault> {
        let r = self.returned(f, past)?;
        let (mu, bulk) = (self.lame.mu, self.bulk());
        // left = 1 - 3 mu d / q with dd/dq = 1/(3 mu + slope), dq/de_j = 6 mu^2 e_j / q.
        let turn = if r.d > 0.0 {
            let by_q = 1.0 / (3.0 * mu + r.slope) - r.d / r.q;
            -36.0 * mu.powi(4) * by_q / (r.q * r.q)
        } else {
            0.0
        };
        let mut by_strain = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                let unit = if i == j { 1.0 } else { 0.0 };
                by_strain[i][j] =
                    bulk + 2.0 * mu * r.left * (unit - 1.0 / 3.0) + turn * r.deviator[i] * r.deviator[j];
            }
        }
        let secant = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| 2.0 * mu * r.left * r.axes.log_secant(i, j));
        let l = product(df, &r.at.inverse);
        let dtau = Moduli { by_strain, secant }.change(&r.axes, &l);
        Ok(piola_change(&r.at, &l, &r.axes.tensor(self.tau(&r)), &dtau))
    }

    fn shown(&self) -> &'static [(&'static str, usize)] {
        let all = &[("plastic_strain", STRAIN), ("temperature", TEMPERATURE)];
        if self.heating.is_some() { all } else { &all[..1] }
    }
}

impl Material for J2 {
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
        let mut virgin = [0.0; HISTORY + 1];
        self.update(f, self.past_of(&mut virgin), None).map(|u| (u.potential, u.stress))
    }

    fn action(&self, f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
        let mut virgin = [0.0; HISTORY + 1];
        self.action_after(f, df, self.past_of(&mut virgin))
    }

    fn inelastic(&self) -> Option<&dyn Inelastic> {
        Some(self)
    }

    fn lame(&self) -> Lame {
        self.lame
    }
}

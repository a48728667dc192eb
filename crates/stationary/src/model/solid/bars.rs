//! Bars, springs and cables of two nodes.

use super::elements::{ElementFault, Elements};
use super::group::{check_lists, gather, place};
use super::kind::ElementKind;
use super::tensor::{Tensor, norm};
use crate::error::Diagnostic;
use std::ops::Range;

/// Bars and springs under large displacement: `V = k/2 (l - L)^2` with `l` the distance of the two nodes.
///
/// A bar of Young's modulus `E`, section `A` and length `L` has `k = E A / L`, hence `V = E A L / 2 ((l - L) / L)^2`.
///
/// A cable is a bar that only pulls: it is slack, `V = 0`, where `l < L`. Its potential has a continuous gradient. Its stiffness has not, and
/// steps are determined by that of the taut cable, slack or not.
#[derive(Debug, Clone, Default)]
pub struct Bars {
    nodes: Vec<u32>,
    first: usize,
    stiffness: Vec<f64>,
    rest: Vec<f64>,
    mass: Vec<f64>,
    only_pull: bool,
}

impl Bars {
    /// Bars of axial stiffness `ea` (`E A`) and mass `line_density` per length, unstretched between their nodes.
    pub fn elastic(
        points: &[[f64; 3]],
        nodes: &[u32],
        first: usize,
        ea: f64,
        line_density: f64,
    ) -> Result<Self, Diagnostic> {
        positive("axial stiffness", ea)?;
        positive("mass per length", line_density)?;
        let mut bars = Self::springs(points, nodes, first, ea, None)?;
        for k in 0..bars.rest.len() {
            bars.stiffness[k] = ea / bars.rest[k];
            bars.mass[k] = line_density * bars.rest[k];
        }
        Ok(bars)
    }

    /// Springs without mass, of stiffness `k` and the given rest length, or unstretched between their nodes.
    pub fn springs(
        points: &[[f64; 3]],
        nodes: &[u32],
        first: usize,
        k: f64,
        rest: Option<f64>,
    ) -> Result<Self, Diagnostic> {
        positive("spring constant", k)?;
        if let Some(length) = rest
            && !(length >= 0.0 && length.is_finite())
        {
            return Err(
                Diagnostic::new(format!("the rest length is {length}")).help("expected a finite number >= 0")
            );
        }
        check_lists(ElementKind::Bar2, nodes)?;
        let mut bars = Bars { first, ..Bars::default() };
        for (i, pair) in nodes.chunks_exact(2).enumerate() {
            let x = gather(ElementKind::Bar2, first + i, pair, points)?;
            let length = norm(&[x[1][0] - x[0][0], x[1][1] - x[0][1], x[1][2] - x[0][2]]);
            if rest != Some(0.0) && !(length > 0.0) {
                return Err(Diagnostic::new(format!(
                    "bar2 element {} near {} has no length",
                    first + i,
                    place(&x[0])
                ))
                .help("expected its two nodes apart"));
            }
            bars.nodes.extend_from_slice(pair);
            bars.stiffness.push(k);
            bars.rest.push(rest.unwrap_or(length));
            bars.mass.push(0.0);
        }
        Ok(bars)
    }

    /// The same bars with a natural length that is theirs over `stretch`: above 1 they pull from the start, below 1 they push, or are slack.
    /// Masses become those of the natural lengths.
    pub fn stretched(mut self, stretch: f64) -> Result<Self, Diagnostic> {
        positive("stretch", stretch)?;
        for k in 0..self.rest.len() {
            self.rest[k] /= stretch;
            self.stiffness[k] *= stretch;
            self.mass[k] /= stretch;
        }
        Ok(self)
    }

    /// The same as cables, which only pull.
    pub fn cables(self) -> Self {
        Bars { only_pull: true, ..self }
    }

    fn is_slack(&self, k: usize, length: f64) -> bool {
        self.only_pull && length < self.rest[k]
    }

    /// The stiffness matrix at a span.
    fn matrix(&self, k: usize, (d, length): ([f64; 3], f64), out: &mut [f64]) {
        let (stiffness, rest) = (self.stiffness[k], self.rest[k]);
        // k (n n' + (1 - L/l) (1 - n n')) = k (1 - L/l + L/l n n')
        let ratio = if rest == 0.0 { 0.0 } else { rest / length };
        for i in 0..3 {
            for j in 0..3 {
                let along = if rest == 0.0 { 0.0 } else { d[i] * d[j] / (length * length) };
                let s = stiffness * (ratio * along + if i == j { 1.0 - ratio } else { 0.0 });
                (out[6 * i + j], out[6 * (3 + i) + 3 + j]) = (s, s);
                (out[6 * (3 + i) + j], out[6 * i + 3 + j]) = (-s, -s);
            }
        }
    }

    #[inline(always)]
    fn span(&self, k: usize, x: &[f64]) -> ([f64; 3], f64) {
        let (a, b) = (3 * self.nodes[2 * k] as usize, 3 * self.nodes[2 * k + 1] as usize);
        let d = [x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]];
        (d, norm(&d))
    }

    /// `V`, `dV/dd` of the span `d`.
    #[inline(always)]
    fn pull(&self, k: usize, x: &[f64]) -> Result<(f64, [f64; 3]), ElementFault> {
        self.pull_along(k, self.span(k, x))
    }

    #[inline(always)]
    fn pull_along(&self, k: usize, (d, length): ([f64; 3], f64)) -> Result<(f64, [f64; 3]), ElementFault> {
        let (stiffness, rest) = (self.stiffness[k], self.rest[k]);
        if self.is_slack(k, length) {
            return Ok((0.0, [0.0; 3]));
        }
        let stretch = length - rest;
        let energy = 0.5 * stiffness * stretch * stretch;
        if !energy.is_finite() {
            return Err(ElementFault::NotFinite { element: self.label(k) });
        }
        // A spring of no rest length pulls along the span and needs no direction at zero.
        let s = if rest == 0.0 {
            stiffness
        } else if length > 0.0 {
            stiffness * stretch / length
        } else {
            return Err(ElementFault::Inverted { element: self.label(k), point: 0 });
        };
        Ok((energy, [s * d[0], s * d[1], s * d[2]]))
    }
}

fn positive(name: &str, value: f64) -> Result<(), Diagnostic> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Diagnostic::new(format!("the {name} is {value}")).help("expected a positive finite number"))
}

impl Elements for Bars {
    fn memory(&self) -> usize {
        let numbers = self.stiffness.capacity() + self.rest.capacity() + self.mass.capacity();
        4 * self.nodes.capacity() + 8 * numbers
    }

    fn len(&self) -> usize {
        self.rest.len()
    }

    fn kind(&self) -> ElementKind {
        ElementKind::Bar2
    }

    fn points(&self) -> usize {
        1
    }

    fn label(&self, k: usize) -> usize {
        self.first + k
    }

    fn nodes(&self, k: usize) -> &[u32] {
        &self.nodes[2 * k..2 * k + 2]
    }

    fn energy(&self, k: usize, _t: f64, x: &[f64]) -> Result<f64, ElementFault> {
        self.pull(k, x).map(|(energy, _)| energy)
    }

    fn gradient(&self, k: usize, _t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, ElementFault> {
        let (energy, p) = self.pull(k, x)?;
        for i in 0..3 {
            (out[i], out[3 + i]) = (-p[i], p[i]);
        }
        Ok(energy)
    }

    fn gradient_local(&self, k: usize, _t: f64, own: &[f64], out: &mut [f64]) -> Result<f64, ElementFault> {
        let d = [own[3] - own[0], own[4] - own[1], own[5] - own[2]];
        let (energy, p) = self.pull_along(k, (d, norm(&d)))?;
        for i in 0..3 {
            (out[i], out[3 + i]) = (-p[i], p[i]);
        }
        Ok(energy)
    }

    fn add_gradient(
        &self,
        range: Range<usize>,
        _t: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, ElementFault> {
        let mut total = 0.0;
        for k in range {
            let (energy, p) = self.pull(k, x)?;
            total += energy;
            let (a, b) = (3 * self.nodes[2 * k] as usize, 3 * self.nodes[2 * k + 1] as usize);
            for i in 0..3 {
                out[a + i] -= p[i];
                out[b + i] += p[i];
            }
        }
        Ok(total)
    }

    fn tangent(&self, k: usize, _t: f64, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        self.pull(k, x)?;
        let span = self.span(k, x);
        if self.is_slack(k, span.1) {
            out[..36].fill(0.0);
        } else {
            self.matrix(k, span, out);
        }
        Ok(())
    }

    /// That of the taut cable where it is slack.
    fn step_tangent(&self, k: usize, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        let (d, length) = self.span(k, x);
        if !self.is_slack(k, length) {
            return self.tangent(k, 0.0, x, out);
        }
        let rest = self.rest[k];
        // A cable without length has no direction, and any will do.
        let taut = if length > 0.0 { d.map(|d| d * (rest / length)) } else { [rest, 0.0, 0.0] };
        self.matrix(k, (taut, rest), out);
        Ok(())
    }

    fn stress(&self, k: usize, x: &[f64]) -> Result<Tensor, ElementFault> {
        self.pull(k, x)?;
        let mut s = [[0.0; 3]; 3];
        let length = self.span(k, x).1;
        if !self.is_slack(k, length) {
            s[0][0] = self.stiffness[k] * (length - self.rest[k]);
        }
        Ok(s)
    }

    fn volume(&self, k: usize) -> f64 {
        self.rest[k]
    }

    fn inradius(&self, k: usize) -> f64 {
        0.5 * self.rest[k]
    }

    fn mass(&self, k: usize) -> f64 {
        self.mass[k]
    }

    /// `sqrt(E A / line density) = L sqrt(k / m)`.
    fn wave_speed(&self, k: usize) -> f64 {
        if self.mass[k] > 0.0 {
            self.rest[k] * (self.stiffness[k] / self.mass[k]).sqrt()
        } else {
            f64::INFINITY
        }
    }

    fn lumped_mass(&self, k: usize, out: &mut [f64]) {
        (out[0], out[1]) = (0.5 * self.mass[k], 0.5 * self.mass[k]);
    }

    fn consistent_mass(&self, k: usize, out: &mut [f64]) {
        let m = self.mass[k] / 6.0;
        out[..4].copy_from_slice(&[2.0 * m, m, m, 2.0 * m]);
    }
}

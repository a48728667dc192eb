//! Failure by erosion: elements that are removed where their metal has flowed too far.

use super::elements::{ElementFault, Elements, PointState};
use super::kind::ElementKind;
use super::tensor::IDENTITY;
use crate::error::Diagnostic;
use crate::model::{HistoryEnergy, Past};
use std::ops::Range;

/// Elements of a metal that fail: at the commit where the mean plastic strain of an element reaches a limit, the element is removed. From then on
/// it has no force, whatever becomes of its shape, so that momenta stay exact. The energy that it stores there counts as dissipated. Its mass
/// stays on its nodes.
///
/// A commit of an asynchronous run belongs to an event whose kick reaches half a step ahead: energies are off by the power of the element's last
/// forces over that time.
///
/// History: that of the element; 1 once it is removed; the energy that it has dissipated by then.
#[derive(Debug)]
pub struct Eroding {
    elements: Box<dyn Elements>,
    limit: f64,
}

/// Numbers of history besides those of the element.
const OWN: usize = 2;
/// What decides.
const STRAIN: &str = "plastic_strain";
/// What is shown besides: 1 for an element that is removed.
const ERODED: &str = "eroded";

impl Eroding {
    /// Elements that are removed at this plastic strain.
    pub fn new(elements: Box<dyn Elements>, limit: f64) -> Result<Self, Diagnostic> {
        if !elements.shown_history().contains(&STRAIN) {
            return Err(Diagnostic::new("elements without plastic strain cannot erode at one")
                .help("expected a material with plastic strain, such as `j2`"));
        }
        if !(limit > 0.0 && limit.is_finite()) {
            return Err(Diagnostic::new(format!("the plastic strain of erosion is {limit}"))
                .help("expected a positive number"));
        }
        Ok(Eroding { elements, limit })
    }

    /// The past of the element itself, and the energy that it has dissipated if it is removed.
    fn split<'a>(&self, past: Past<'a>) -> (Past<'a>, Option<f64>) {
        let (history, own) = past.history.split_at(past.history.len() - OWN);
        (Past { history, dt: past.dt }, (own[0] != 0.0).then_some(own[1]))
    }

    fn width(&self) -> usize {
        3 * self.elements.kind().nodes()
    }
}

impl Elements for Eroding {
    fn history_size(&self) -> usize {
        self.elements.history_size() + OWN
    }

    fn first_history(&self, k: usize, out: &mut [f64]) {
        let (history, own) = out.split_at_mut(out.len() - OWN);
        self.elements.first_history(k, history);
        own.fill(0.0);
    }

    fn update(
        &self,
        k: usize,
        own: &[f64],
        past: Past<'_>,
        gradient: &mut [f64],
        after: Option<&mut [f64]>,
    ) -> Result<HistoryEnergy, ElementFault> {
        let (inner, removed) = self.split(past);
        if let Some(dissipated) = removed {
            gradient[..self.width()].fill(0.0);
            if let Some(after) = after {
                after.copy_from_slice(past.history);
            }
            return Ok(HistoryEnergy { stored: 0.0, dissipated, committed: dissipated });
        }
        let Some(after) = after else { return self.elements.update(k, own, inner, gradient, None) };
        let (history, flag) = after.split_at_mut(after.len() - OWN);
        let energy = self.elements.update(k, own, inner, gradient, Some(&mut *history))?;
        let fails = self.elements.shown_value(k, history, STRAIN) >= self.limit;
        flag.copy_from_slice(&if fails { [1.0, energy.stored + energy.dissipated] } else { [0.0; OWN] });
        Ok(energy)
    }

    fn tangent_after(
        &self,
        k: usize,
        x: &[f64],
        past: Past<'_>,
        out: &mut [f64],
    ) -> Result<(), ElementFault> {
        match self.split(past) {
            (inner, None) => self.elements.tangent_after(k, x, inner, out),
            _ => {
                out[..self.width() * self.width()].fill(0.0);
                Ok(())
            }
        }
    }

    fn point_places(&self) -> Vec<[f64; 3]> {
        self.elements.point_places()
    }

    fn point_states(
        &self,
        k: usize,
        x: &[f64],
        past: Option<Past<'_>>,
        out: &mut Vec<PointState>,
    ) -> Result<(), ElementFault> {
        let Some((inner, removed)) = past.map(|past| self.split(past)) else {
            return self.elements.point_states(k, x, None, out);
        };
        if removed.is_none() {
            return self.elements.point_states(k, x, Some(inner), out);
        }
        let points = self.points();
        let weight = self.volume(k) / points as f64;
        let nothing = PointState { weight, left_cauchy_green: IDENTITY, stress: [[0.0; 3]; 3] };
        out.resize(out.len() + points, nothing);
        Ok(())
    }

    fn shown_points(&self, k: usize, history: &[f64], name: &str, out: &mut Vec<f64>) {
        let (inner, own) = history.split_at(history.len() - OWN);
        match name {
            ERODED => out.resize(out.len() + self.points(), own[0]),
            _ => self.elements.shown_points(k, inner, name, out),
        }
    }

    fn shown_history(&self) -> Vec<&'static str> {
        let mut shown = self.elements.shown_history();
        shown.push(ERODED);
        shown
    }

    fn shown_value(&self, k: usize, history: &[f64], name: &str) -> f64 {
        let (inner, own) = history.split_at(history.len() - OWN);
        if name == ERODED { own[0] } else { self.elements.shown_value(k, inner, name) }
    }

    // All else is that of the elements as they are at the start.

    fn len(&self) -> usize {
        self.elements.len()
    }

    fn kind(&self) -> ElementKind {
        self.elements.kind()
    }

    fn points(&self) -> usize {
        self.elements.points()
    }

    fn label(&self, k: usize) -> usize {
        self.elements.label(k)
    }

    fn nodes(&self, k: usize) -> &[u32] {
        self.elements.nodes(k)
    }

    fn are_rings(&self) -> bool {
        self.elements.are_rings()
    }

    fn energy(&self, k: usize, t: f64, x: &[f64]) -> Result<f64, ElementFault> {
        self.elements.energy(k, t, x)
    }

    fn gradient(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, ElementFault> {
        self.elements.gradient(k, t, x, out)
    }

    fn gradient_local(&self, k: usize, t: f64, own: &[f64], out: &mut [f64]) -> Result<f64, ElementFault> {
        self.elements.gradient_local(k, t, own, out)
    }

    fn add_gradient(
        &self,
        range: Range<usize>,
        t: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, ElementFault> {
        self.elements.add_gradient(range, t, x, out)
    }

    fn tangent(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        self.elements.tangent(k, t, x, out)
    }

    fn stiffness_damping(&self) -> f64 {
        self.elements.stiffness_damping()
    }

    fn volume(&self, k: usize) -> f64 {
        self.elements.volume(k)
    }

    fn inradius(&self, k: usize) -> f64 {
        self.elements.inradius(k)
    }

    fn mass(&self, k: usize) -> f64 {
        self.elements.mass(k)
    }

    fn wave_speed(&self, k: usize) -> f64 {
        self.elements.wave_speed(k)
    }

    fn lumped_mass(&self, k: usize, out: &mut [f64]) {
        self.elements.lumped_mass(k, out);
    }

    fn consistent_mass(&self, k: usize, out: &mut [f64]) {
        self.elements.consistent_mass(k, out);
    }

    fn memory(&self) -> usize {
        self.elements.memory()
    }

    fn stiffness_at_rest(&self, k: usize, out: &mut [f64]) -> bool {
        self.elements.stiffness_at_rest(k, out)
    }

    fn couplings_at_rest(&self, k: usize, out: &mut [f64]) -> bool {
        self.elements.couplings_at_rest(k, out)
    }

    fn step_eigen_at_rest(&self, k: usize, masses: &[f64]) -> Option<f64> {
        self.elements.step_eigen_at_rest(k, masses)
    }
}

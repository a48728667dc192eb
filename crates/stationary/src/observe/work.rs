//! The work of forces that come from no Lagrangian, and how it accounts, with what impacts take, for the change of the energy.

use super::{Conserved, Frame, Observer, Range, Record, Scale, Track, record};
use crate::archive::{Archive, Persist};
use crate::linalg::dot;
use crate::model::{Jet, Lagrangian};
use std::sync::Arc;

/// Adds up the work of each step by the quadrature of the method and holds it against the energy.
pub struct Work {
    lagrangian: Arc<dyn Lagrangian>,
    jet: Jet,
    total: f64,
    /// Change of the energy at impacts.
    impacts: f64,
    /// Whether there are impacts.
    hit: bool,
    /// Energy less both: constant but for the error of the method.
    balance: Track,
    range: Range,
    scale: Scale,
    /// Why even this is not conserved, if it is not.
    why: Option<&'static str>,
}

impl Work {
    /// The work on a system.
    pub fn new(lagrangian: Arc<dyn Lagrangian>) -> Self {
        let jet = Jet::new(lagrangian.dimension());
        Work {
            lagrangian,
            jet,
            total: 0.0,
            impacts: 0.0,
            hit: false,
            balance: Track::default(),
            range: Range::default(),
            scale: Scale::unknown(),
            why: None,
        }
    }

    /// Says that impacts change the energy too.
    pub fn with_impacts(mut self, hit: bool) -> Self {
        self.hit = hit;
        self
    }

    /// Says what else changes the energy, as "the Lagrangian depends on t".
    pub fn because(mut self, why: Option<&'static str>) -> Self {
        self.why = why;
        self
    }

    fn relative(&self) -> f64 {
        self.scale.part(self.balance.largest_change())
    }
}

impl Observer for Work {
    fn columns(&self) -> Vec<String> {
        vec!["work".into()]
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        self.lagrangian.first(frame.t, frame.q, frame.v, &mut self.jet);
        let (pv, l) = (dot(frame.p, frame.v), self.jet.value());
        self.scale.see(pv - l, pv.abs() + l.abs());
        self.scale.follow(pv - l, frame);
        self.total += frame.work.unwrap_or(0.0);
        self.impacts += frame.impacts.iter().map(|i| i.energy_after - i.energy_before).sum::<f64>();
        let balance = pv - l - self.total - self.impacts;
        self.balance.add(frame.elapsed, balance);
        self.range.add(balance);
    }

    fn row(&self, values: &mut Vec<f64>) {
        values.push(self.total);
    }

    fn summarise(&self, summary: &mut Record) {
        let entry = record! { "total": self.total, "max_balance_error": self.relative() };
        summary.set("work", entry);
    }

    fn conserved(&self) -> Option<Conserved> {
        let quantity = if self.hit { "energy less work and impacts" } else { "energy less work" };
        let errors = [self.balance.largest_change(), self.relative()];
        Some(Conserved::new(quantity, self.balance.initial(), errors).unless(self.why, &self.range))
    }
}

impl Persist for Work {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.total).pass(&mut self.impacts).pass(&mut self.hit);
        archive.pass(&mut self.balance).pass(&mut self.range).pass(&mut self.scale);
    }
}

//! Energies and work of a leg.

use super::Paths;
use crate::action::{DiscreteLagrangian, Slots};
use crate::contact::Gap;
use crate::linalg::dot;

impl<D: DiscreteLagrangian, G: Gap> Paths<D, G> {
    /// Value and derivatives of the action of the leg.
    pub fn look(&mut self) -> &Slots {
        self.ld.first(&self.leg, &mut self.slots);
        &self.slots
    }

    /// What the variation of the leg's end in time balances: `-D3 + sum_i h w_i c_i F_i . v_i - sum_j c_j mu_j . g_t`.
    pub fn energy_at_end(&mut self) -> f64 {
        let forces = self.ld.work_shares(&self.leg).map_or(0.0, |[end, _]| end);
        let ties = self.tie_shares()[0];
        -self.look().d3 + forces + ties
    }

    /// What the variation of the leg's start in time balances:
    /// `-D3 + D_t0 - sum_i h w_i (1 - c_i) F_i . v_i + sum_j (1 - c_j) mu_j . g_t`.
    pub fn energy_at_start(&mut self) -> f64 {
        let forces = self.ld.work_shares(&self.leg).map_or(0.0, |[_, start]| start);
        let ties = self.tie_shares()[1];
        let slots = self.look();
        slots.dt - slots.d3 - forces - ties
    }

    /// The work of moving ties and of friction on them, in the shares of the end and of the start.
    fn tie_shares(&self) -> [f64; 2] {
        let Some(tied) = &self.ties else { return [0.0; 2] };
        let (n, m, mut shares) = (self.leg.q.len(), tied.saddle.count(), [0.0; 2]);
        let s = self.ld.pieces();
        for (j, c) in self.ld.abscissae().iter().enumerate() {
            let along = |k: usize| dot(&tied.drag[j * n..(j + 1) * n], self.leg.increment(k));
            let drag: f64 = (1..=s).map(|k| self.slopes[j * (s + 1) + k] * along(k)).sum();
            let work = drag / self.leg.h - dot(&tied.mu[j * m..(j + 1) * m], tied.saddle.bounds(j).dt());
            shares[0] += c * work;
            shares[1] += (1.0 - c) * work;
        }
        shares
    }

    /// The work of forces outside the action over the leg, with that of moving gaps and of friction at persistent contacts.
    pub fn work(&mut self) -> (Option<f64>, f64) {
        let [end, start] = self.tie_shares();
        let own = self.ties.as_ref().map_or(0.0, |tied| {
            let m = tied.saddle.count();
            let own = tied.saddle.constraint().own();
            let moved = |j: usize| dot(&tied.mu[j * m..j * m + own], &tied.saddle.bounds(j).dt()[..own]);
            (0..=self.ld.pieces()).map(moved).sum()
        });
        (self.ld.work(&self.leg), end + start + own)
    }
}

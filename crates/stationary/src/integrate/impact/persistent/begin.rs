//! How a contact becomes persistent: which of the closed gaps do, and what that takes from the momentum.

use super::forces::Followed;
use super::{Colliding, Moment, PersistentContact, SlipMode};
use crate::action::DiscreteLagrangian;
use crate::contact::generalised::{Arrival, GapTouch, normal_operator};
use crate::contact::projection::Approach;
use crate::contact::{Gap, GapImpact, ImpactKind};
use crate::error::Cause;
use crate::integrate::constrained::State;
use crate::integrate::constrained::project::Projection;
use crate::integrate::impact::crossing::SHORT;
use crate::integrate::impact::path::{Kick, Tied};
use crate::integrate::impact::{Departure, NEAR};
use crate::model::{Bounds, Constraint};

/// Closed gaps that may become persistent, with the forces that would keep them closed.
struct Candidates {
    touches: Vec<GapTouch>,
    /// Forces along the normals in the cone of normals, one for each.
    forces: Vec<f64>,
    /// The accelerations with which the gaps open under these forces.
    opening: Vec<f64>,
}

impl<D: DiscreteLagrangian, G: Gap> Colliding<D, G> {
    /// Makes the gaps persistent that are closed at a departure and pressed so much that they would not open for long. The impact that
    /// brought the system there, if there was one, is that of coming to rest.
    pub(in crate::integrate::impact) fn make_persistent(
        &mut self,
        from: &mut Departure,
        before: f64,
        impacts: &mut Vec<GapImpact>,
        gap: usize,
    ) -> Result<(), Cause> {
        let n = from.q.len();
        self.paths.begin();
        let p = self.paths.leaving(from);
        let mut v = vec![0.0; n];
        let ties = self.paths.ties.take();
        self.sticks.clear();
        let own = self.ties(n, Vec::new(), Vec::new());
        self.paths.ties = own.map(|ties| Tied::new(ties, self.paths.ld.abscissae(), n));
        let velocity = self.paths.velocity(from.t, &from.q, &p, &mut v);
        self.paths.ties = ties;
        velocity?;
        let at = Arrival { t: from.t, q: &from.q, v: &v };
        let candidates = self.candidates(at, &p, gap)?;
        self.choose(&candidates, at, gap)?;
        self.settle_modes(at, &candidates.forces)?;
        // A contact that has just been released and does not open all the same persists for a leg.
        self.firm = self.released.contains(&gap);
        let kick = from.kick.take();
        let arrived = std::mem::replace(&mut from.p, p);
        let lost = self.project(from)?;
        let rest = GapImpact::without_impulse(from.t, gap, before, lost);
        self.note_rest(GapImpact { kind: ImpactKind::Rest, ..rest }, impacts);
        // An impact after which a gap opens still has its energy to meet.
        let bounced = impacts.iter().any(|x| x.energy_after.is_nan() && self.opens(x));
        if let Some(kick) = kick.filter(|_| bounced) {
            from.kick = Some(Kick { change: kick.change + lost, ..kick });
            from.p = arrived;
        }
        Ok(())
    }

    /// Contacts that persist already, `gap`, and all others that would open for less than a bounce that can be followed.
    fn candidates(&mut self, at: Arrival<'_>, p: &[f64], gap: usize) -> Result<Candidates, Cause> {
        let touches = self.touches(at)?.touches;
        let followed: Vec<Followed> = touches.iter().map(|x| Followed::Piece(x.piece)).collect();
        let a = self.accelerations(Moment { t: at.t, q: at.q, p }, &followed, false)?;
        let most = a.iter().fold(0.0_f64, |s, a| s.max(a.abs()));
        let slow = 0.5 * most * SHORT * self.h;
        let short = |x: &GapTouch| x.piece.gap == gap || x.rate <= slow.max(-x.rounding);
        let mut pressing = Vec::new();
        let mut near = Vec::new();
        for (touch, a) in touches.into_iter().zip(a) {
            if short(&touch) || self.persists_already(&touch) {
                near.push(touch);
                pressing.push(a);
            }
        }
        let m = near.len();
        let operator = normal_operator(&near);
        let projected = Approach { operator: &operator, rates: &pressing }.project();
        let forces = projected.unwrap_or_else(|_| vec![1.0; m]);
        let opening = (0..m)
            .map(|x| pressing[x] + (0..m).map(|y| operator[x * m + y] * forces[y]).sum::<f64>())
            .collect();
        Ok(Candidates { touches: near, forces, opening })
    }

    fn persists_already(&self, touch: &GapTouch) -> bool {
        self.persistent.iter().any(|x| x.piece == touch.piece)
    }

    /// Makes those candidates persistent that are pressed, and those that nothing opens: of balls in a row that touch and move alike
    /// all are. Those that depend on others are closed because these are.
    fn choose(&mut self, candidates: &Candidates, at: Arrival<'_>, gap: usize) -> Result<(), Cause> {
        let Candidates { touches, forces, opening } = candidates;
        let closed = |x: usize| {
            let own = touches[x].piece.gap;
            let persists = self.persists_already(&touches[x]);
            forces[x] > 0.0 || own == gap || persists || opening[x] <= self.still(own, at.t, at.q)
        };
        let mut order: Vec<usize> = (0..touches.len()).filter(|&x| closed(x)).collect();
        order.sort_by(|&x, &y| forces[y].total_cmp(&forces[x]));
        let old = std::mem::take(&mut self.persistent);
        self.redundant.clear();
        let mut basis = self.tied_directions(at)?;
        for x in order {
            let touch = &touches[x];
            let gap = touch.piece.gap;
            if !basis.add(&touch.normal) {
                self.redundant.push(gap);
                continue;
            }
            let known = old.iter().find(|contact| contact.piece == touch.piece);
            let rough = self.laws[gap].friction > 0.0;
            let first = if rough { SlipMode::Stick } else { SlipMode::Smooth };
            let mode = known.map_or(first, |contact| contact.mode.clone());
            // A gap that is closed is kept at zero; one that is open for less time than can be told, as it is.
            let rounding = NEAR * self.size(&self.here, gap, at.t, at.q);
            let open = if touch.value > rounding { touch.value } else { 0.0 };
            let value = known.map_or(open, |contact| contact.value);
            self.persistent.push(PersistentContact { piece: touch.piece, value, mode, force: f64::NAN });
        }
        Ok(())
    }

    /// Whether a gap that was hit opens, while others that touch stay closed.
    fn opens(&self, impact: &GapImpact) -> bool {
        impact.kind == ImpactKind::Bounce && impact.gaps().any(|gap| !self.persists(gap))
    }

    /// Notes that a gap comes to rest: as an impact of its own, or as part of one at the same time that waits for its energy.
    fn note_rest(&self, mut rest: GapImpact, impacts: &mut Vec<GapImpact>) {
        let gap = rest.contact.gap;
        match impacts.last_mut().filter(|x| x.energy_after.is_nan()) {
            Some(impact) if self.opens(impact) => {
                rest.energy_before = impact.energy_before + impact.prescribed;
                impacts.push(rest);
            }
            Some(impact) if impact.kind == ImpactKind::Bounce => {
                impact.kind = ImpactKind::Rest;
                impact.prescribed += rest.prescribed;
            }
            // Another one comes to rest at the same time.
            Some(impact) => {
                impact.prescribed += rest.prescribed;
                if impact.contact.gap != gap && !impact.contact.others.contains(&gap) {
                    impact.contact.others.push(gap);
                }
            }
            None => impacts.push(rest),
        }
    }

    /// Takes from a momentum what closes or opens persistent contacts, and what slips where they stick; returns the change of energy.
    pub(in crate::integrate::impact) fn project(&mut self, from: &mut Departure) -> Result<f64, Cause> {
        self.tie(from, 0.0)?;
        let Some(tied) = &self.paths.ties else { return Ok(0.0) };
        let n = from.q.len();
        let m = tied.saddle.count();
        let mut bounds = Bounds::new(n, m);
        tied.saddle.constraint().first(from.t, &from.q, &mut bounds);
        let mut state = State { q: from.q.clone(), p: from.p.clone(), v: vec![0.0; n] };
        let mut old = vec![0.0; n];
        let system = self.paths.ld.system();
        self.legendre.velocity(system, from.t, &from.q, &from.p, &mut old)?;
        Projection::new(n, m).apply(system, from.t, &bounds, &mut state, &mut vec![0.0; m])?;
        let lost = (0..n).map(|i| 0.5 * (state.p[i] - from.p[i]) * (state.v[i] + old[i])).sum();
        from.p = state.p;
        Ok(lost)
    }

    /// The ties of the legs, from the persistent contacts and the slips that stick.
    pub(in crate::integrate::impact) fn retie(&mut self) {
        let n = self.now.q.len();
        let ties = self.ties(n, self.closed(), self.sticks.clone());
        self.paths.ties = ties.map(|ties| Tied::new(ties, self.paths.ld.abscissae(), n));
    }

    /// Removes ties that belong to no persistent contact any more.
    pub(in crate::integrate::impact) fn untie(&mut self) {
        self.sticks.clear();
        self.friction_rows.clear();
        self.retie();
    }
}

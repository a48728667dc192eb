//! The watch over the time steps of an asynchronous run: where they prove unstable, the run goes back to its last good row and continues
//! from there with shorter steps.
//!
//! Two signs of instability lead to shorter steps:
//!
//! - an element that inverts, an energy that explodes or jumps on the way to a row. If the fault persists with shorter steps it does not come
//!   from them, and the run stops with its name;
//! - an energy less work that rises out of the range of its past ([`Rise`]) or shows a trend ([`Growth`]).
//!
//! The steps become shorter by a factor, or by more where the body has become stiffer since the start: they then use the same part of its
//! stability limit as the first ones did. Steps given by hand, and steps that change by a formula, are left as they are.

use super::build::Body;
use super::growth::Growth;
use super::motion::{Look, Motion};
use super::passage::{self, Passage};
use super::rise::Rise;
use super::stability;
use super::start::PreparedSolid;
use crate::run::finish::short;
use crate::run::{ReductionReason, StepReduction};
use crate::scenario::SolidSystem;
use stationary::archive::{Archive, Persist};
use stationary::error::{Cause, RunError};
use stationary::integrate::avi::AviState;
use stationary::interrupt::Interrupted;
use stationary::observe::{Record, part, record};

/// The factor of the steps after a fault, and how often shorter steps are tried on the way to one row.
const AFTER_FAULT: f64 = 0.5;
const ATTEMPTS: u64 = 3;

/// The factor of the steps where the energy grows: growth that goes on would add up, so that one reduction should be enough.
const AFTER_GROWTH: f64 = 0.7;

/// The part of the body's limit that the steps use at most after a reduction, if the first ones used more: the default of one step for all.
const MOST_USED: f64 = 0.8;

/// Steps are not reduced below this part of the first ones.
const LEAST_SCALE: f64 = 0.12;

/// Growth at which the steps are reduced, over the scale of the energy.
const GROWTH: f64 = 0.004;

/// A jump of the energy from one row to the next, over its scale, that counts as a fault.
const JUMP: f64 = 0.1;

/// The same where a violent release has been found before the run, once the past shows how much the energy oscillates: crushed elements raise it by a
/// per cent within some steps.
const JUMP_AFTER_RELEASE: f64 = GROWTH;

/// The most updates of a passage, over those of the same way without, that is tried before all steps are reduced: such a reduction stays, and a passage
/// costs one row. Where reductions do not help a passage may cost as much as the run.
const CHEAP: f64 = 8.0;

/// Steps of a passage stay where they cost at most so many times the updates.
const LASTING: f64 = 1.5;

/// Passages are tried so often on the way to one row.
const PASSAGES: u64 = 2;

/// A change of the energy since the start, over all that the body had, set free and was given, that counts as a fault from the
/// first steps on: the error of stable steps is below one.
const CHANGE: f64 = 1.0;

/// Watches the steps of a run.
#[derive(Debug, Default)]
pub(super) struct StepWatch {
    /// Whether it may reduce steps.
    acts: bool,
    /// The part of the body's stability limit that the first steps use.
    used: f64,
    /// The motion at the last good row.
    good: Option<AviState>,
    /// The energy less work of that row.
    energy: f64,
    /// How often the way to the next row has been tried with shorter steps.
    attempts: u64,
    /// Whether jumps count: one that persists with shorter steps does not come from them.
    jumps_count: bool,
    /// How often a passage has been tried on the way to the next row, and its most updates over those of the same way without: nought where none is tried.
    passage_attempts: u64,
    most_cost: f64,
    /// Whether the way to the next row is made with steps of a passage.
    is_passing: bool,
    passages: Passages,
    /// A jump of the energy that counts, over its scale.
    jump: Jump,
    rise: Rise,
    reductions: Vec<StepReduction>,
}

/// The row to which a run goes on.
pub(super) struct NextRow<'a> {
    pub growth: &'a Growth,
    /// The scale of the energy, and the time of the row since the start.
    pub scale: f64,
    pub until: f64,
}

/// Rows that were reached with shorter steps of some elements.
#[derive(Debug, Default, Clone, Copy)]
struct Passages {
    count: u64,
    /// The shortest of these steps, over the first ones, and the time at the end of the last such row.
    least: f64,
    last: f64,
}

/// Jumps of the energy that count as a fault.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Jump {
    #[default]
    Large,
    /// After a violent release: small ones, too.
    Small,
}

impl StepWatch {
    /// The watch over the steps of a solid, which acts unless they were given by hand or change by a formula. A run looks at it `rows` times.
    pub fn of(built: &PreparedSolid, system: &SolidSystem, rows: f64) -> Self {
        let rehearsal = built.stability.as_ref().and_then(|stability| stability.rehearsal);
        let is_violent = rehearsal.is_some_and(|rehearsal| rehearsal.scale < 1.0);
        let steps = built.choice.steps();
        let by_hand = system.step.is_some() || steps.given.is_some() || steps.factor.is_some();
        StepWatch {
            acts: !by_hand && built.motion.avi().is_some_and(|avi| avi.can_rescale()),
            used: built.stability.as_ref().map_or(f64::NAN, |stability| stability.used),
            jumps_count: true,
            most_cost: if is_violent { rows.max(CHEAP) } else { 0.0 },
            jump: if is_violent { Jump::Small } else { Jump::Large },
            ..StepWatch::default()
        }
    }

    /// Whether it may reduce steps.
    pub fn acts(&self) -> bool {
        self.acts
    }

    /// The reductions so far.
    pub fn reductions(&self) -> &[StepReduction] {
        &self.reductions
    }

    /// The first row, or one that was judged good: the run goes back here if the next row is not.
    pub fn accept(&mut self, motion: &mut Motion, growth: &Growth, look: &Look) {
        if !self.acts {
            return;
        }
        self.end_passage(motion, look);
        self.good = motion.keep();
        self.attempts = 0;
        self.passage_attempts = 0;
        self.energy = look.watched_energy();
        // The energy of the first steps is no measure of later ones.
        if growth.has_settled(look) {
            self.rise.add(self.energy);
        }
    }

    /// Judges the energy of a row, over this scale, and its change since the start: whether the steps should be reduced, and why.
    pub fn judge(
        &self,
        growth: &Growth,
        look: &Look,
        (scale, change): (f64, f64),
    ) -> Option<ReductionReason> {
        let energy = look.watched_energy();
        if self.acts && self.jumps_count && change > CHANGE && growth.has_begun(look) {
            return Some(ReductionReason::Fault);
        }
        // In slow loading the work is much more than the kinetic energy, and its error with it.
        let scale = scale.max(look.work.abs());
        if !growth.has_settled(look) || !(scale > 0.0) || !energy.is_finite() || !self.acts {
            return None;
        }
        let jump = if self.jump == Jump::Small && !self.rise.is_new() { JUMP_AFTER_RELEASE } else { JUMP };
        if self.jumps_count && part(self.rise.jump_to(energy), scale) > jump {
            return Some(ReductionReason::Fault);
        }
        let mut rise = self.rise.clone();
        rise.add(energy);
        if part(rise.now().max(growth.trend_with(energy)), scale) > GROWTH {
            return Some(ReductionReason::Growth);
        }
        None
    }

    /// Goes back to the last good row, and continues from there with shorter steps. Returns false where that is of no more use.
    fn reduce(&mut self, (motion, body): (&mut Motion, &Body), reason: ReductionReason) -> bool {
        let most = match reason {
            ReductionReason::Fault => AFTER_FAULT,
            ReductionReason::Growth => AFTER_GROWTH,
        };
        // Another attempt on the way to a row continues from the steps of the one before.
        let before = motion.avi().map_or(1.0, |avi| avi.step_scale());
        let Some(good) = self.good.as_ref().filter(|_| self.acts && most * before >= LEAST_SCALE) else {
            return false;
        };
        if self.attempts == ATTEMPTS {
            return false;
        }
        motion.go_back(Some(good));
        let used = motion.look().map_or(f64::NAN, |look| stability::used(body, &look.x, &motion.steps()));
        // `min` and `max` pass over a limit that is not known.
        let within = (good.scale * self.used.min(MOST_USED) / used).max(LEAST_SCALE);
        let scale = (most * before).min(within);
        if !motion.rescale_steps(scale / good.scale) {
            return false;
        }
        self.attempts += 1;
        self.is_passing = false;
        self.rise.restart(self.energy);
        let reduction = StepReduction { time: motion.time(), factor: scale / before, scale, reason };
        self.reductions.push(reduction);
        true
    }

    /// Goes back to the last good row, and on from there with shorter steps; false where that is of no more use. After a fault shorter steps of the
    /// elements that become stiff are tried first, where they cost little, and again where shorter steps of all do not help.
    pub fn go_back(
        &mut self,
        (motion, body): (&mut Motion, &Body),
        reason: ReductionReason,
        next: &NextRow<'_>,
    ) -> Result<bool, Interrupted> {
        let is_fault = reason == ReductionReason::Fault;
        let is_first = self.attempts == 0 && self.passage_attempts == 0;
        Ok(is_fault && is_first && self.pass_by((motion, body), next, CHEAP)?
            || self.reduce((motion, body), reason)
            || is_fault && self.pass_by((motion, body), next, self.most_cost)?)
    }

    /// Seeks a passage to the next row that has at most so many times the updates.
    fn pass_by(
        &mut self,
        (motion, body): (&mut Motion, &Body),
        next: &NextRow<'_>,
        most_cost: f64,
    ) -> Result<bool, Interrupted> {
        let Some(good) = self.good.as_ref().filter(|_| self.acts && self.most_cost > 0.0) else {
            return Ok(false);
        };
        if self.passage_attempts >= PASSAGES {
            return Ok(false);
        }
        let failed = motion.keep();
        let passage = Passage { body, good, until: next.until, most_cost };
        let found = passage.find(motion, |look| self.is_near(look, next));
        match found {
            Ok(true) => {}
            Ok(false) => motion.go_back(failed.as_ref()),
            Err(_) => motion.go_back(Some(good)),
        }
        self.is_passing = found?;
        self.passage_attempts += 1;
        Ok(self.is_passing)
    }

    /// Whether the energy of a row is that of the row before.
    fn is_near(&self, look: &Look, next: &NextRow<'_>) -> bool {
        let energy = look.watched_energy();
        let scale = next.scale.max(look.work.abs());
        !next.growth.has_settled(look) || part((energy - self.energy).abs(), scale) < 0.5 * JUMP_AFTER_RELEASE
    }

    /// The row at the end of a passage has been reached. Reductions of all steps on the way were of no use; the shorter steps of some elements
    /// stay where they cost little.
    fn end_passage(&mut self, motion: &mut Motion, look: &Look) {
        let Some(avi) = motion.avi().filter(|avi| !avi.halvings().is_empty()) else { return };
        let (halvings, scale) = (avi.halvings().to_vec(), avi.step_scale());
        if self.is_passing {
            self.reductions.truncate(self.reductions.len() - self.attempts as usize);
            let most = halvings.iter().copied().max().unwrap_or(0);
            let passed = scale * (-f64::from(most)).exp2();
            let Passages { count, least, .. } = self.passages;
            let least = if count == 0 { passed } else { least.min(passed) };
            self.passages = Passages { count: count + 1, least, last: look.t };
            self.is_passing = false;
        }
        if passage::cost(&passage::unrefined(motion), &halvings) > LASTING {
            // Where an element cannot be evaluated the short steps remain, and the next row tells more.
            motion.refine_steps(&[]);
        }
    }

    /// Where shorter steps were of no use the run goes on with the steps that it has. A jump that persists does not come from them: jumps count no
    /// more.
    pub fn go_on_after(&mut self, reason: ReductionReason) {
        self.jumps_count &= !matches!(reason, ReductionReason::Fault);
    }

    /// The end of a run whose fault persists with shorter steps.
    pub fn explain(&self, mut error: RunError) -> RunError {
        if let (Cause::Element { remedy, .. }, Some(last)) = (&mut error.cause, self.reductions.last()) {
            let tried = short(last.scale);
            *remedy = match (self.attempts, self.passage_attempts) {
                (0, 0) => format!("the steps have already been reduced to {tried} of the first ones"),
                (_, 0) => format!("shorter steps, down to {tried} of the first ones, did not help"),
                _ => format!(
                    "shorter steps, down to {tried} of the first ones, did not help, nor did still shorter ones of the elements that became stiff"
                ),
            };
        }
        error
    }

    /// What `summary.json` has of rows that were reached with shorter steps of some elements.
    pub fn passages(&self) -> Record {
        let Passages { count, least, last } = self.passages;
        let of = |value: f64| if count > 0 { value } else { f64::NAN };
        record! { "count": count, "least_scale": of(least), "last_time": of(last) }
    }

    /// What `summary.json` has of the reductions.
    pub fn summary(&self) -> Vec<Record> {
        let one = |r: &StepReduction| {
            record! { "time": r.time, "factor": r.factor, "scale": r.scale, "reason": r.reason.name() }
        };
        self.reductions.iter().map(one).collect()
    }

    /// The reductions in words, if there are any that a run goes on with: of attempts that did not help its end tells.
    pub fn warning(&self) -> Option<String> {
        if self.attempts == self.reductions.len() as u64 {
            return None;
        }
        let (first, last) = (self.reductions.first()?, self.reductions.last()?);
        let times = match self.reductions.len() {
            1 => format!("once, at t = {}", short(first.time)),
            n => format!("{n} times, from t = {} to t = {}", short(first.time), short(last.time)),
        };
        Some(format!(
            "The time steps were reduced {times}, to {} of the first ones, since {}. A smaller fraction avoids this from the start.",
            short(last.scale),
            first.reason
        ))
    }
}

/// Whether a fault may come from time steps that are too long.
pub(super) fn may_come_from_steps(cause: &Cause) -> bool {
    matches!(cause, Cause::Element { .. } | Cause::Energy { .. } | Cause::NotFinite { .. })
}

impl StepWatch {
    /// Passes its state; the last good row is not noted where it is the present state of the motion.
    pub fn pass(&mut self, archive: &mut Archive, motion: &Motion) {
        archive
            .pass(&mut self.energy)
            .pass(&mut self.attempts)
            .pass(&mut self.jumps_count)
            .pass(&mut self.passage_attempts)
            .pass(&mut self.is_passing)
            .pass(&mut self.passages.count)
            .pass(&mut self.passages.least)
            .pass(&mut self.passages.last)
            .pass(&mut self.rise);
        archive.pass(&mut self.reductions);
        let mut is_present = self.good.is_some() && self.good == motion.keep();
        archive.pass(&mut is_present);
        if !is_present {
            archive.pass(&mut self.good);
        } else if archive.reads() {
            self.good = motion.keep();
        }
    }
}

impl Persist for StepReduction {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.time).pass(&mut self.factor).pass(&mut self.scale);
        archive.choice(&mut self.reason, &[ReductionReason::Fault, ReductionReason::Growth]);
    }
}

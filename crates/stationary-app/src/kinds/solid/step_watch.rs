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
use super::rise::Rise;
use super::stability;
use super::start::PreparedSolid;
use crate::run::finish::short;
use crate::run::{ReductionReason, StepReduction};
use crate::scenario::SolidSystem;
use stationary::archive::{Archive, Persist};
use stationary::error::{Cause, RunError};
use stationary::integrate::avi::AviState;
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

/// How often still shorter steps are tried at most on the way to one row, for this row alone, where a run after a violent release would stop otherwise. Each attempt takes
/// twice as long as the one before: in a run of `n` rows the last of `log2(n)` takes as long as the run.
const MOST_PASSAGE_ATTEMPTS: u64 = 6;

/// How often such steps are tried in a run of so many rows.
fn passage_attempts(rows: f64) -> u64 {
    (rows.max(1.0).log2() as u64).saturating_sub(ATTEMPTS).min(MOST_PASSAGE_ATTEMPTS)
}

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
    /// How often steps for one row alone have been tried on the way to the next one, and how often that is done at most.
    passage_attempts: u64,
    most_passage_attempts: u64,
    passages: Passages,
    /// A jump of the energy that counts, over its scale.
    jump: Jump,
    rise: Rise,
    reductions: Vec<StepReduction>,
}

/// Rows that were reached with steps that were shorter for them alone.
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
            most_passage_attempts: if is_violent { passage_attempts(rows) } else { 0 },
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
        if self.passage_attempts > 0 {
            self.end_passage(motion, look);
        }
        self.good = motion.keep();
        self.attempts = 0;
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
    pub fn reduce(&mut self, (motion, body): (&mut Motion, &Body), reason: ReductionReason) -> bool {
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
        self.rise.restart(self.energy);
        let reduction = StepReduction { time: motion.time(), factor: scale / before, scale, reason };
        self.reductions.push(reduction);
        true
    }

    /// Where a fault on the way persists with steps that are reduced for good: goes back to the last good row, and on from there with still shorter steps until
    /// the next one. An element that is crushed becomes stiffer by more than any steps for the whole run allow for, but for a few vibrations.
    pub fn pass_by(&mut self, motion: &mut Motion) -> bool {
        let before = motion.avi().map_or(1.0, |avi| avi.step_scale());
        let Some(good) = self.good.as_ref().filter(|_| self.acts) else { return false };
        if self.passage_attempts >= self.most_passage_attempts {
            return false;
        }
        motion.go_back(Some(good));
        self.passage_attempts += 1;
        motion.rescale_steps(AFTER_FAULT * before / good.scale)
    }

    /// A row has been reached with steps for it alone. Of the reductions on the way the first remains.
    fn end_passage(&mut self, motion: &mut Motion, look: &Look) {
        let passed = motion.avi().map_or(1.0, |avi| avi.step_scale());
        self.reductions.truncate((self.reductions.len() + 1).saturating_sub(self.attempts.max(1) as usize));
        let before = self.good.as_ref().map_or(1.0, |good| good.scale);
        let lasting = match self.reductions.last() {
            Some(first) if self.attempts > 0 => first.scale,
            _ => before,
        };
        // Where an element cannot be evaluated the short steps remain, and the next row tells more.
        motion.rescale_steps(lasting / passed);
        let Passages { count, least, .. } = self.passages;
        let least = if count == 0 { passed } else { least.min(passed) };
        self.passages = Passages { count: count + 1, least, last: look.t };
        self.passage_attempts = 0;
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
            *remedy = if self.attempts + self.passage_attempts > 0 {
                let tried = short(last.scale * AFTER_FAULT.powi(self.passage_attempts as i32));
                format!("shorter steps, down to {tried} of the first ones, did not help")
            } else {
                format!("the steps have already been reduced to {tried} of the first ones")
            };
        }
        error
    }

    /// What `summary.json` has of rows that were reached with steps for them alone.
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

//! Steps whose length the energy chooses: how long they are, how well the energy is kept, and where no length kept it.

use super::{Frame, Observer, Record, Scale, record};
use crate::archive::{Archive, Persist};
use crate::integrate::{EnergyStepSpec, Turning};

/// Places listed in the summary; more would bury the reader.
const LISTED: usize = 50;

/// A stretch of steps for which no length kept the energy.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stretch {
    /// Time at its begin.
    pub from: f64,
    /// Time at its end.
    pub to: f64,
    /// Its steps.
    pub steps: u64,
}

/// Follows lengths and places.
pub struct StepLengths {
    turning: Turning,
    /// What errors refer to.
    scale: Scale,
    length: f64,
    flagged: bool,
    shortest: f64,
    longest: f64,
    elapsed: f64,
    last_time: f64,
    steps: u64,
    count: u64,
    stretches: u64,
    listed: Vec<Stretch>,
    /// The first discrete energy, and the largest changes since: of steps that keep it and of others.
    initial: f64,
    worst: [f64; 2],
}

impl StepLengths {
    /// For steps chosen so; `scale` is what errors of the energy refer to, or 0 if nothing at the start tells.
    pub fn new(choice: &EnergyStepSpec, scale: f64) -> Self {
        StepLengths {
            turning: choice.turning,
            scale: Scale::of(scale),
            length: f64::NAN,
            flagged: false,
            shortest: f64::NAN,
            longest: f64::NAN,
            elapsed: f64::NAN,
            last_time: f64::NAN,
            steps: 0,
            count: 0,
            stretches: 0,
            listed: Vec::new(),
            initial: f64::NAN,
            worst: [0.0; 2],
        }
    }

    fn mark(&mut self, frame: &Frame<'_>, follows: bool) {
        self.count += 1;
        if follows && self.stretches as usize <= LISTED {
            if let Some(stretch) = self.listed.last_mut() {
                (stretch.to, stretch.steps) = (frame.t, stretch.steps + 1);
            }
        } else if !follows {
            self.stretches += 1;
            if self.listed.len() < LISTED {
                self.listed.push(Stretch { from: self.last_time, to: frame.t, steps: 1 });
            }
        }
    }
}

impl Observer for StepLengths {
    fn columns(&self) -> Vec<String> {
        vec!["step".into(), "flagged".into()]
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        let Some(adaption) = frame.adaption else {
            self.last_time = frame.t;
            return;
        };
        let follows = self.flagged;
        (self.length, self.flagged) = (adaption.length, adaption.flagged);
        self.steps += 1;
        // `min` and `max` of the first step with NaN are that step.
        self.shortest = self.shortest.min(self.length);
        self.longest = self.longest.max(self.length);
        let energy = frame.discrete_energy.unwrap_or(f64::NAN);
        self.scale.follow(energy, frame);
        if self.steps == 1 {
            self.initial = energy;
        }
        let (error, worst) = ((energy - self.initial).abs(), &mut self.worst[usize::from(self.flagged)]);
        if error > *worst || error.is_nan() {
            *worst = error;
        }
        if self.flagged {
            self.mark(frame, follows);
        }
        (self.last_time, self.elapsed) = (frame.t, frame.elapsed);
    }

    fn row(&self, values: &mut Vec<f64>) {
        let flagged = if self.steps == 0 { f64::NAN } else { f64::from(u8::from(self.flagged)) };
        values.extend([self.length, flagged]);
    }

    fn summarise(&self, summary: &mut Record) {
        let stretch = |s: &Stretch| record! { "from": s.from, "to": s.to, "steps": s.steps };
        let mean = self.elapsed / self.steps as f64;
        summary.set(
            "energy_steps",
            record! {
                "turning": self.turning.to_string(),
                "flagged": self.count,
                "stretches": self.stretches,
                "where": self.listed.iter().map(stretch).collect::<Vec<_>>(),
                "max_relative_error": self.scale.part(self.worst[0]),
                "max_relative_error_flagged": self.scale.part(self.worst[1]),
                "step": record! {
                    "min": self.shortest,
                    "max": self.longest,
                    "mean": mean,
                },
            },
        );
    }
}

impl Persist for Stretch {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.from).pass(&mut self.to).pass(&mut self.steps);
    }
}

impl Persist for StepLengths {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.length).pass(&mut self.flagged).pass(&mut self.shortest);
        archive.pass(&mut self.longest).pass(&mut self.elapsed).pass(&mut self.last_time);
        archive.pass(&mut self.steps).pass(&mut self.count).pass(&mut self.stretches);
        archive.pass(&mut self.listed).pass(&mut self.initial).pass(&mut self.worst);
        archive.pass(&mut self.scale);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::Adaption;

    fn seen(flags: &[bool]) -> StepLengths {
        let mut observer = StepLengths::new(&EnergyStepSpec::default(), 2.0);
        let frame = |step: u64, adaption| Frame {
            step,
            t: 0.5 * step as f64,
            elapsed: 0.5 * step as f64,
            q: &[],
            v: &[],
            p: &[],
            canonical: &[],
            discrete_energy: Some(1.0 + 0.1 * step as f64),
            multipliers: None,
            work: None,
            adaption,
            impacts: &[],
            tangent: None,
        };
        observer.observe(&frame(0, None));
        for (k, flagged) in flags.iter().enumerate() {
            let adaption = Adaption { length: 0.5, flagged: *flagged, target: 1.0 };
            observer.observe(&frame(k as u64 + 1, Some(adaption)));
        }
        observer
    }

    #[test]
    fn observed_step_stretches_are_counted_with_their_times() {
        let observer = seen(&[false, true, true, false, true]);
        assert_eq!((observer.count, observer.stretches), (3, 2));
        assert_eq!(observer.listed[0], Stretch { from: 0.5, to: 1.5, steps: 2 });
        assert_eq!(observer.listed[1], Stretch { from: 2.0, to: 2.5, steps: 1 });
        // Energies of flagged steps are told apart.
        assert!((observer.worst[0] - 0.3).abs() < 1e-12 && (observer.worst[1] - 0.4).abs() < 1e-12);
    }

    #[test]
    fn list_of_observed_step_stretches_is_bounded() {
        let flags: Vec<bool> = (0..1000).map(|k| k % 3 > 0).collect();
        let observer = seen(&flags);
        assert_eq!((observer.listed.len(), observer.stretches), (LISTED, 333));
        assert!(observer.listed.iter().all(|s| s.steps == 2));
    }
}

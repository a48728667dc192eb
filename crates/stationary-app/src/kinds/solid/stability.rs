//! Stability of the time steps, examined before a run: the part of the body's limit that they use, and the certificate of a harmonic schedule.

use super::build::Body;
use super::rehearsal::Rehearsal;
use super::start::extremes;
use super::steps::Steps;
use super::update_costs::UpdateCosts;
use crate::registry::StepSpec;
use crate::run::finish::short;
use crate::scenario::{Place, Scenario};
use stationary::error::Error;
use stationary::integrate::avi::{Certificate, Certifier, MarchLength, SmallMotions};
use stationary::interrupt;
use stationary::model::{PotentialFault, Potentials};
use stationary::observe::{Entry, Record, record};

/// The march of a certificate has at most so many of the smallest steps, three per cent of a run of a million.
const MOST_STEPS: f64 = 30_000.0;

/// Most evaluations of a march, in [`UpdateCosts`]: some one and a half seconds. Growth is confirmed by a march twice as long.
const MOST_EVALUATIONS: f64 = 1e8;

/// A run is marched for a part of it, a very short one as a whole.
struct Share {
    part: f64,
    /// Number of smallest steps of a run that is marched as a whole.
    whole: f64,
}

/// Where every pair of levels is proved to be stable, growth needs three levels at one place. It was not found in any of the generated meshes of
/// `studies/meshes`, and a run that grows all the same goes back to its last good row.
const PROVED: Share = Share { part: 0.05, whole: 100.0 };

/// Where a pair is not proved, growth is likely.
const NOT_PROVED: Share = Share { part: 0.25, whole: 4_000.0 };

/// Every pair is proved below this part of the body's limit.
const PAIRS_PROVED: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Steps that do not hold are multiplied by this, again and again.
const LOWERED: f64 = 0.93;

/// The smallest part of the first steps that is tried: 0.3 of the limit where 0.7 did not hold.
const LEAST: f64 = 0.42;

/// Growth in time that differs by less than this factor between the first and the last steps tried does not come from the steps.
const SAME_GROWTH: f64 = 2.0;

/// What is known of the stability of a run's steps.
#[derive(Debug, Clone)]
pub(super) struct Stability {
    /// The part of the body's limit that the steps use; NaN where it was not found.
    pub used: f64,
    pub verdict: Verdict,
    /// The first motion made once before the run, where the start is deformed.
    pub rehearsal: Option<Rehearsal>,
}

/// What was found.
#[derive(Debug, Clone)]
pub(super) enum Verdict {
    /// One step for all elements: the limit decides.
    OneStep,
    /// There is no certificate for such steps, for this reason.
    NotCertified(&'static str),
    /// The schedule was examined.
    Certified(Certified),
}

/// A schedule that was examined.
#[derive(Debug, Clone)]
pub(super) struct Certified {
    /// Of the steps taken.
    pub certificate: Certificate,
    /// By what the steps were multiplied because larger ones did not hold.
    pub scale: f64,
    /// The growth per largest step that the first steps had; zero if they held.
    pub first_growth: f64,
    /// Evaluations of elements for all certificates.
    pub updates: u64,
}

/// Free steps and end events resonate at some vibration whatever the fraction is.
const FREE: &str = "not certified: free steps resonate at every fraction, though weakly at small ones";
const END_EVENTS: &str = "not certified: events at the ends of steps resonate at every fraction; events = \"middle\" can be certified";
const NO_BASE: &str = "not certified: the steps are not one base step times powers of two";

/// Examines the steps of an asynchronous run, and lowers them until they hold unless the scenario fixes them.
pub(super) fn examine(
    scenario: &Scenario,
    body: &Body,
    rule: &StepSpec,
    steps: &mut Steps,
) -> Result<Stability, Error> {
    let used = used_by(body, steps);
    let verdict = if !rule.harmonic {
        Verdict::NotCertified(FREE)
    } else if !rule.middle {
        Verdict::NotCertified(END_EVENTS)
    } else {
        certify(scenario, body, (rule, used), steps)?
    };
    let scale = match &verdict {
        Verdict::Certified(found) => found.scale,
        _ => 1.0,
    };
    Ok(Stability { used: scale * used, verdict, rehearsal: None })
}

/// One step for all elements.
pub(super) fn one_step(body: &Body, steps: &Steps) -> Stability {
    Stability { used: used_by(body, steps), verdict: Verdict::OneStep, rehearsal: None }
}

/// The part of the body's limit that the steps of a run use. Supports can only lower it.
pub(super) fn used_by(body: &Body, steps: &Steps) -> f64 {
    match (body.problem.supports(), steps.used) {
        (None, Some(used)) => used,
        _ => used(body, &body.x, &steps.each),
    }
}

/// The part of the body's limit at these positions that steps use; NaN if an element has no energy, which is told elsewhere.
pub(super) fn used(body: &Body, x: &[f64], steps: &[f64]) -> f64 {
    let fixed = |i: usize| body.problem.supports().is_some_and(|s| s.is_fixed(i));
    body.problem.solid().used_limit_of_free(x, steps, fixed).unwrap_or(f64::NAN)
}

fn certify(
    scenario: &Scenario,
    body: &Body,
    (rule, used): (&StepSpec, f64),
    steps: &mut Steps,
) -> Result<Verdict, Error> {
    let place = &scenario.integrator.method.place;
    let unable = |fault: PotentialFault| place.error(format!("the steps cannot be certified: {fault}"));
    let each = steps.each.clone();
    let about =
        SmallMotions { t: scenario.start, x: &body.x, mass: body.problem.solid().mass(), step: &each };
    let Some(certifier) = Certifier::new(&*body.problem, about) else {
        return Ok(Verdict::NotCertified(NO_BASE));
    };
    let mut certifier = certifier.map_err(unable)?;
    certifier.set_boundary(rule.boundary).map_err(unable)?;
    if !used.is_nan() {
        certifier.set_used_limit(used);
    }
    let run = (scenario.end - scenario.start) / extremes(&each).0;
    let costs = UpdateCosts::new(body);
    let cost = certifier.cost_per_step(&|k| costs.of(k));
    // The same time whatever the scale, so that what is found can be compared.
    let mut certificate = |scale: f64| {
        let steps = |share: &Share| (share.steps(run, cost) / scale) as u64;
        let length = MarchLength { proved: steps(&PROVED), not_proved: steps(&NOT_PROVED) };
        certifier.certify(scale, length).map_err(unable)
    };
    let first = certificate(1.0)?;
    interrupt::check()?;
    let first_growth = first.growth;
    let mut found =
        Certified { updates: first.updates, certificate: first.clone(), scale: 1.0, first_growth };
    while !found.certificate.holds() && found.scale * LOWERED >= LEAST {
        found.scale *= LOWERED;
        found.certificate = certificate(found.scale)?;
        interrupt::check()?;
        found.updates += found.certificate.updates;
    }
    if !found.certificate.holds() {
        let growth = found.certificate.growth / found.scale;
        let same = growth < SAME_GROWTH * first_growth && first_growth < SAME_GROWTH * growth;
        if same {
            // It grows in time as it would with any steps: a body that buckles, for example.
            found.certificate = first;
            found.scale = 1.0;
            return Ok(Verdict::Certified(found));
        }
    }
    let fixed = fixed_at(scenario, rule);
    match fixed {
        Some(place) if found.scale < 1.0 => Err(refusal(body, rule, place, (&first, &found))),
        _ if found.certificate.holds() => {
            steps.each.iter_mut().for_each(|h| *h *= found.scale);
            steps.smallest *= found.scale;
            Ok(Verdict::Certified(found))
        }
        _ => Err(refusal(body, rule, fixed.unwrap_or(place), (&first, &found))),
    }
}

impl Share {
    /// The smallest steps of a march for a run of so many, with evaluations of this cost in each.
    fn steps(&self, run: f64, cost: f64) -> f64 {
        let most = MOST_STEPS.min(MOST_EVALUATIONS / cost);
        (self.part * run).max(run.min(self.whole)).clamp(1.0, most.max(1.0))
    }
}

/// The predicted length of the march as a part of a run of so many smallest steps, with evaluations of this cost in each.
pub(super) fn part_marched(rule: &StepSpec, run: f64, cost: f64) -> f64 {
    if !(rule.harmonic && rule.middle) {
        return 0.0;
    }
    let share = if rule.fraction < PAIRS_PROVED { PROVED } else { NOT_PROVED };
    share.steps(run, cost) / run
}

/// Where the scenario fixes the length of the steps, if it does.
pub(super) fn fixed_at<'a>(scenario: &'a Scenario, rule: &StepSpec) -> Option<&'a Place> {
    let options = &scenario.integrator.options;
    let by_hand = rule.given.as_ref().and_then(|_| options.place("step"));
    by_hand.or_else(|| options.place("fraction"))
}

/// The error of steps that do not hold.
fn refusal(body: &Body, rule: &StepSpec, place: &Place, (first, found): (&Certificate, &Certified)) -> Error {
    let around = first.element.map_or(String::new(), |k| format!(", first around {}", body.named(k)));
    let message = format!(
        "the energy grows with these steps: a small vibration grows by {} % in each of the largest steps{around}",
        short(100.0 * first.growth.exp_m1())
    );
    let holds = found.certificate.holds();
    let help = match &rule.given {
        Some(_) if holds => format!("expected steps of at most {} times these", short(found.scale)),
        None if holds => format!(
            "expected for example a `fraction` of {}, the first below that holds; without `fraction` the default is taken, lowered \
             where it does not hold",
            short(rule.fraction * found.scale)
        ),
        _ => "expected buffer = \"ring\", or one step for all: integrator = \"newmark\"".into(),
    };
    place.error(message).help(help).into()
}

impl Stability {
    /// What `stationary check` says.
    pub fn describe(&self) -> String {
        let used = if self.used.is_nan() {
            "limit not found".to_string()
        } else {
            format!("{:.3} of the body's limit", self.used)
        };
        let found = match &self.verdict {
            Verdict::OneStep => format!("{used}; one step for all elements is stable up to 1"),
            Verdict::NotCertified(why) => format!("{used}; {why}"),
            Verdict::Certified(found) => format!("{used}{}", found.describe()),
        };
        found + &self.rehearsal.map_or(String::new(), |rehearsal| rehearsal.words())
    }

    /// What `summary.json` has of it.
    pub fn summary(&self) -> Record {
        let found = match &self.verdict {
            Verdict::Certified(found) => Some(found),
            _ => None,
        };
        let of = |value: &dyn Fn(&Certified) -> f64| found.map_or(f64::NAN, value);
        let count =
            |value: &dyn Fn(&Certified) -> u64| found.map_or(Entry::Nothing, |found| value(found).into());
        record! {
            "used_limit": self.used,
            "pairs": count(&|found| found.certificate.pairs.len() as u64),
            "pairs_proved": count(&|found| found.certificate.proved() as u64),
            "growth": of(&|found| found.certificate.growth),
            "resolution": of(&|found| found.certificate.resolution),
            "lowered": of(&|found| found.scale),
            "first_growth": of(&|found| found.first_growth),
            "periods": count(&|found| found.certificate.periods),
            "updates": count(&|found| found.updates),
            "rehearsal": self.rehearsal.map_or(Entry::Nothing, |rehearsal| rehearsal.summary().into()),
        }
    }
}

impl Certified {
    /// A sentence for the user, if the steps were lowered.
    pub fn note(&self) -> Option<String> {
        let lowered = self.scale < 1.0;
        lowered.then(|| {
            format!(
                "the steps are {} of the usual ones, with which small vibrations grow by {} % in each of the largest steps",
                short(self.scale),
                short(100.0 * self.first_growth.exp_m1())
            )
        })
    }

    fn describe(&self) -> String {
        let certificate = &self.certificate;
        if certificate.periods == 0 {
            return "; one step for all elements is stable up to 1".into();
        }
        let lowered = if self.scale < 1.0 {
            let factor = short(self.scale);
            let growth = self.first_growth;
            format!(" (lowered by the factor {factor}: larger steps grew by {growth:.1e} per largest step)")
        } else {
            String::new()
        };
        let growth = if certificate.growth > 0.0 {
            let growth = certificate.growth;
            format!("growth {growth:.1e} per largest step, whatever the steps: of the body itself")
        } else {
            format!("no growth above {:.1e} per largest step", certificate.resolution)
        };
        format!(
            "{lowered}; pairs of levels proved stable: {} of {}; {growth} in {} such steps; {:.1e} updates",
            certificate.proved(),
            certificate.pairs.len(),
            certificate.periods,
            self.updates as f64
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::{build, steps};
    use super::*;
    use crate::registry::{SolidMethod, solid_method};
    use crate::scenario::shipped;

    /// The steps of the shipped cube at a fraction that its scenario does not fix, and what is found.
    fn examined(fraction: f64) -> (Vec<f64>, Steps, Stability) {
        let text = shipped::find("graded-cube").unwrap().text;
        let scenario = Scenario::read("graded-cube", text, &[]).unwrap();
        let body = build::body(&scenario, scenario.solid().unwrap()).unwrap();
        let SolidMethod::Avi(mut rule) = solid_method(&scenario.integrator).unwrap() else {
            panic!("the cube has asynchronous steps");
        };
        assert_eq!(rule.fraction, 0.7);
        rule.fraction = fraction;
        let mut steps = steps::steps(&scenario, &body, &rule, false).unwrap();
        let asked = steps.each.clone();
        let stability = examine(&scenario, &body, &rule, &mut steps).unwrap();
        (asked, steps, stability)
    }

    #[test]
    fn steps_that_hold_are_taken_as_they_are_and_steps_that_grow_are_lowered_together() {
        let (asked, taken, stability) = examined(0.7);
        assert_eq!(asked, taken.each);
        let Verdict::Certified(found) = &stability.verdict else { panic!("{stability:?}") };
        assert!(found.certificate.holds() && found.scale == 1.0 && found.note().is_none());
        assert_eq!(found.certificate.proved(), found.certificate.pairs.len());

        let (asked, taken, stability) = examined(1.3);
        let Verdict::Certified(found) = &stability.verdict else { panic!("{stability:?}") };
        assert!(found.certificate.holds() && found.first_growth > 0.0, "{found:?}");
        assert!((0.6..1.0).contains(&found.scale) && stability.used <= 1.01, "{stability:?}");
        assert!(asked.iter().zip(&taken.each).all(|(asked, taken)| *taken == asked * found.scale));
        assert!(found.note().is_some() && stability.describe().contains("lowered"));
    }
}

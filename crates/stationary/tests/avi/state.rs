//! A run continued from a saved state ends with the bits of an uninterrupted run.

use super::bodies::*;
use stationary::integrate::avi::{Avi, AviState, harmonic};
use stationary::model::Potentials;
use stationary::model::solid::ElementKind;

pub fn bits(state: &AviState) -> Vec<u64> {
    let lists = [&state.x, &state.v, &state.node_time, &state.event_times, &state.work_balance, &state.local];
    let numbers = lists.into_iter().chain([&state.history]).flatten().map(|x| x.to_bits());
    let counts = state.events.iter().chain(&state.events_before).copied();
    let single = [state.time, state.origin, state.scale].map(f64::to_bits);
    numbers.chain(counts).chain(single).collect()
}

pub fn check<P: Potentials>(make: impl Fn() -> Avi<P>, local: bool) {
    let fresh = || {
        let mut avi = make();
        if local {
            avi.follow_local_energy(1e-9);
        }
        avi
    };
    let mut whole = fresh();
    whole.advance(0.31).unwrap();
    let saved = whole.state();
    whole.advance(0.9).unwrap();
    let mut later = fresh();
    assert!(later.restore(&saved));
    assert_eq!(bits(&later.state()), bits(&saved));
    later.advance(0.9).unwrap();
    assert_eq!(bits(&later.state()), bits(&whole.state()));
    assert_eq!(later.snapshot().unwrap(), whole.snapshot().unwrap());
    assert_eq!(later.linear_balance(), whole.linear_balance());
    assert_eq!(later.angular_balance(), whole.angular_balance());
    assert_ne!(bits(&saved), bits(&whole.state()));
    // Back in time, over a run that has gone on.
    assert!(later.restore(&saved));
    later.advance(0.9).unwrap();
    assert_eq!(bits(&later.state()), bits(&whole.state()));
    // A state that does not fit changes nothing.
    let before = bits(&later.state());
    let mut wrong = saved.clone();
    wrong.x.pop();
    assert!(!later.restore(&wrong));
    let mut wrong = saved;
    wrong.work_balance.push(0.0);
    assert!(!later.restore(&wrong));
    assert_eq!(bits(&later.state()), before);
}

#[test]
fn avi_restored_run_ends_with_the_same_bits() {
    for kind in [ElementKind::Tri6, ElementKind::Tet4] {
        for local in [false, true] {
            let (problem, start) = everything(kind, 0.4);
            check(|| Avi::new(problem.clone(), start.clone()).unwrap(), local);
            check(|| changing(problem.clone(), start.clone()), local);
            let mut ticks = start.clone();
            ticks.step = harmonic(&problem, &start.step, true);
            check(|| Avi::new(problem.clone(), ticks.clone()).unwrap(), local);
            check(|| Avi::with_midpoint_events(problem.clone(), ticks.clone()).unwrap(), local);
            check(|| Avi::with_midpoint_events(problem.clone(), start.clone()).unwrap(), local);
            let body = small(kind);
            let solid = std::sync::Arc::new(body.neo_hookean());
            check(|| Avi::new(solid.clone(), body.start(&solid, 0.4)).unwrap(), local);
        }
    }
}

//! What cannot go on stops with the time and the element.

use super::bodies::*;
use stationary::integrate::avi::Avi;
use stationary::model::Potentials;
use stationary::model::solid::ElementKind;

#[test]
fn avi_stops_at_an_inverted_element_with_its_time_and_number() {
    for kind in [ElementKind::Tri3, ElementKind::Tri6, ElementKind::Tet4, ElementKind::Tet10] {
        let (problem, mut start) = Setup::new(small(kind)).finish(0.1);
        let node = problem.nodes(5)[0] as usize;
        start.v[3 * node] = 300.0;
        let mut avi = Avi::new(problem.clone(), start).unwrap();
        let error = avi.advance(1.0).unwrap_err();
        assert!(error.time > 0.0 && error.time < 0.1, "{error:?}");
        assert!(error.fault.why.contains("inverted"), "{error:?}");
        let touches = problem.nodes(error.fault.number - 1000).contains(&(node as u32));
        assert!(touches, "{error:?}: the element has the node that was shot through it");
    }
}

#[test]
fn avi_stops_at_the_next_event_after_a_value_that_is_not_finite() {
    for bad in [f64::NAN, f64::INFINITY] {
        let (problem, mut start) = Setup::new(small(ElementKind::Tet10)).finish(0.1);
        let first = start.step.iter().copied().fold(1.0, f64::min);
        start.v[3 * problem.nodes(5)[0] as usize + 1] = bad;
        let mut avi = Avi::new(problem.clone(), start.clone()).unwrap();
        let error = avi.advance(1.0).unwrap_err();
        assert!(error.time >= first && error.fault.why.contains("finite"), "{error:?}");
        assert!(problem.nodes(error.fault.number - 1000).contains(&problem.nodes(5)[0]));
        start.v.fill(0.0);
        start.x[3 * problem.nodes(5)[0] as usize] = bad;
        let error = Avi::new(problem, start).unwrap_err();
        assert!(error.time == 0.0 && error.fault.why.contains("finite"), "{error:?}");
    }
    // From a load or a support that has no value from some time on.
    let cases: [fn(Setup) -> Setup; 3] = [
        |s| s.traction(&["sqrt(0.2-t)", "0", "0"], |p| p[0] > 1.1),
        |s| s.pressure("sqrt(0.2-t)", |p| p[0] > 1.1),
        |s| s.prescribe(0, "1e-3*sqrt(0.2-t)", 0, |p| p[0] > 1.1),
    ];
    for case in cases {
        let (problem, start) = case(Setup::new(small(ElementKind::Tri3))).finish(0.3);
        let error = Avi::new(problem, start).unwrap().advance(1.0).unwrap_err();
        assert!(error.time > 0.19 && error.time < 0.3 && error.fault.why.contains("finite"), "{error:?}");
    }
}

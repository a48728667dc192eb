//! Gaps, and runs that end with an impact.

use super::*;

fn gapped(gap: &str) -> Result<Scenario, Error> {
    with("step = 0.05", &format!("gap = {gap}\nstep = 0.05"))
}

#[test]
fn gaps_are_formulas_tables_or_lists_of_them() {
    let s = gapped(r#""y""#).unwrap();
    let [gap] = &formula(&s).gaps[..] else { panic!("one gap") };
    assert_eq!((gap.name.as_str(), gap.formula.text.as_str()), ("gap 1", "y"));
    assert_eq!((gap.restitution, gap.friction, gap.slip.len(), gap.at.len()), (1.0, 0.0, 0, 0));

    let list = r#"["x + 2", { gap = "y", name = "floor", restitution = "m/2", friction = 0.2, slip = "vx", at = ["x", 0] }]"#;
    let s = gapped(list).unwrap();
    let [first, floor] = &formula(&s).gaps[..] else { panic!("two gaps") };
    assert_eq!((first.name.as_str(), floor.name.as_str()), ("gap 1", "floor"));
    assert_eq!((floor.restitution, floor.friction, floor.at.len()), (0.5, 0.2, 2));
    assert_eq!(floor.slip[0].text, "vx");
    assert_eq!(formula(&s).simultaneous, Together::Projection);

    let tables = "[[gap]]\ngap = \"y\"\n[[gap]]\ngap = \"x + 1\"\nslip = [\"vx\", \"vy\"]\n[initial]";
    let s = with("[initial]", tables).unwrap();
    assert_eq!(formula(&s).gaps.len(), 2);
    assert_eq!((formula(&s).gaps[1].slip.len(), formula(&s).gaps[1].name.as_str()), (2, "gap 2"));
}

#[test]
fn what_a_gap_says_wrongly_is_told_with_its_place() {
    for (gap, expected) in [
        (r#""y >= 0""#, "a.toml:3:7: a gap is one formula that must not become negative, not a comparison"),
        (r#""y >= 0""#, "bring everything to one side: \"y\""),
        (r#""x^2 + y^2 <= 4""#, "\"4 - (x^2 + y^2)\""),
        (r#""y = 0""#, "what must vanish is a `constraint`"),
        (r#"{ name = "floor" }"#, "a.toml:3:7: this gap has no `gap`"),
        (
            r#"{ gap = "y", restitution = 1.5 }"#,
            "a.toml:3:34: `restitution` must be a number from 0 to 1, found 1.5",
        ),
        (r#"{ gap = "y", friction = -1 }"#, "`friction` must be a number, 0 or more, found -1"),
        (r#"{ gap = "y", fricton = 0.1 }"#, "did you mean `friction`?"),
        (r#"{ gap = "y", name = "the floor" }"#, "`the floor` cannot name a gap"),
        (r#"[{ gap = "y", name = "a" }, { gap = "x", name = "a" }]"#, "a.toml:3:55: two gaps are called `a`"),
        (r#"{ gap = "y", at = ["x"] }"#, "`at` must be a list of 2 or 3 formulas, found a list of 1"),
        ("3", "`gap` must be a formula in quotes or a table, or a list of such"),
    ] {
        let told = message(gapped(gap));
        assert!(told.contains(expected), "{gap}: {told}");
    }
    let told = message(with("step = 0.05", "simultaneous = \"sequence\"\nstep = 0.05"));
    assert!(told.contains("`simultaneous` without `gap`"), "{told}");
    let told = message(with("step = 0.05", "gap = \"y\"\nsimultaneous = \"sequenc\"\nstep = 0.05"));
    assert!(told.contains("did you mean `sequence`?"), "{told}");
    let hamiltonian =
        with("lagrangian = \"0.5*m*(vx^2 + vy^2)", "gap = \"y\"\nhamiltonian = \"0.5*m*(px^2 + py^2)");
    assert!(message(hamiltonian).contains("a.toml:2:7: `gap` besides `hamiltonian`"));
    let told = message(with("step = 0.05", "gap = \"y\"\nreduce = \"x\"\nstep = 0.05"));
    assert!(told.contains("`reduce` does not go with `gap`"), "{told}");
}

#[test]
fn a_run_may_end_with_an_impact() {
    let s = with("end = 100.0", "gap = \"y\"\nend_impacts = \"1000*m\"").unwrap();
    assert_eq!((s.end_impacts, s.end), (Some(1000), f64::INFINITY));
    let s = with("end = 100.0", "gap = \"y\"\nend_impacts = 7\nend = 3").unwrap();
    assert_eq!((s.end_impacts, s.end), (Some(7), 3.0));
    for (text, expected) in [
        ("end_impacts = 10", "a.toml:4:15: `end_impacts` without `gap`"),
        ("gap = \"y\"\nend_impacts = 0", "`end_impacts` must be a whole number, 1 or more, found 0"),
        ("gap = \"y\"\nend_impacts = 2.5", "found 2.5"),
        ("gap = \"y\"", "the scenario has no `end`"),
    ] {
        let told = message(with("end = 100.0", text));
        assert!(told.contains(expected), "{text}: {told}");
    }
}

#[test]
fn set_reaches_gaps_by_number_and_by_name() {
    let list = r#"gap = ["x + 9", { gap = "y", name = "floor" }]"#;
    let text = KEPLER.replacen("step = 0.05", &format!("{list}\nstep = 0.05"), 1);
    let set =
        |key: &str, value: &str| Scenario::read("a.toml", &text, &[(key.to_string(), value.to_string())]);
    let s = set("gap.floor.restitution", "0.5").unwrap();
    assert_eq!(formula(&s).gaps.iter().map(|g| g.restitution).collect::<Vec<_>>(), [1.0, 0.5]);
    let s = set("gap.0.friction", "0.1").unwrap();
    assert_eq!((formula(&s).gaps[0].friction, formula(&s).gaps[0].formula.text.as_str()), (0.1, "x + 9"));
    let s = set("gap.0", "x + 8").unwrap();
    assert_eq!(formula(&s).gaps[0].formula.text, "x + 8");
    assert_eq!(formula(&set("gap", "y").unwrap()).gaps.len(), 1);
    assert!(message(set("gap.roof.friction", "0.1")).contains("`gap` is a list of 2"));
    let one = KEPLER.replacen("step = 0.05", "gap = \"y\"\nstep = 0.05", 1);
    let s = Scenario::read("a.toml", &one, &[("gap.restitution".into(), "0.25".into())]).unwrap();
    assert_eq!((formula(&s).gaps[0].restitution, formula(&s).gaps[0].formula.text.as_str()), (0.25, "y"));
}

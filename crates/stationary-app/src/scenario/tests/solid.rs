//! Solids: every key, and the words of its errors.

use super::*;
use stationary::formula::{Graph, Program, Var};

const BEAM: &str = r#"end = 0.01
step = 1e-6
integrator = { method = "avi", rule = "courant", fraction = 0.1, steps = "free", seed = 7 }
observe = "energy"
claim = "energy.max_relative_error < 1e-3"
[parameters]
g = 9.81
omega = "2*pi"
[mesh]
file = "beam.msh"
scale = 1e-3
[material.steel]
group = ["body", "rib"]
law = "neo-hookean"
lambda = 93e9
mu = "1e3*g"
density = 7800
[material.rest]
law = "linear"
[mass.tip]
group = "tip"
mass = "g/100"
[support.left]
group = "left"
fixed = true
[support.right]
group = "right"
x = 0
y = "0.01*sin(2*pi*t) + X"
[load.weight]
acceleration = [0, "-g", 0]
[load.wind]
group = ["top", "side"]
traction = [0, "1e5*sin(t)"]
[load.gas]
group = "inside"
pressure = "1e5*(1 - Z)"
[load.magnet]
group = "body"
body = [1, 2, 3]
[load.pull]
group = "tip"
force = [1.5, 0]
[initial]
deformation = ["1.2*X", "Y"]
velocity = ["-omega*Y", "omega*X", 0]
[probe]
tip = { at = [1, "g/9.81", 0], value = "y - Y" }
speed = { at = [0, 0], value = "sqrt(vx^2 + vy^2 + vz^2)" }
[local_energy]
elements = [12, 57]
[output]
rows = 100
frames = 0
checkpoint = 0.5
"#;

fn with(old: &str, new: &str) -> Result<Scenario, Error> {
    assert!(BEAM.contains(old), "{old}");
    read(&BEAM.replacen(old, new, 1))
}

fn set(overrides: &[(&str, &str)]) -> Result<Scenario, Error> {
    let overrides: Vec<_> = overrides.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    Scenario::read("a.toml", BEAM, &overrides)
}

fn texts<const N: usize>(list: &[Text; N]) -> [&str; N] {
    list.each_ref().map(|t| t.text.as_str())
}

fn names(list: &[Text]) -> Vec<&str> {
    list.iter().map(|t| t.text.as_str()).collect()
}

/// Every replacement gives an error with these words, placed in the file.
fn refused(cases: &[(&str, &str, &str)]) {
    for (old, new, reason) in cases {
        let text = message(with(old, new));
        assert!(text.starts_with("a.toml:") && text.contains(reason), "{new}: {text}");
        assert!(text.lines().next().unwrap().split(':').nth(2).unwrap().parse::<usize>().is_ok(), "{text}");
    }
}

#[test]
fn a_solid_is_read_whole() {
    let s = read(BEAM).unwrap();
    assert!(s.formula().is_none());
    assert_eq!((s.start, s.end, s.claims.len(), names(&s.observe)), (0.0, 0.01, 1, vec!["energy"]));
    let solid = s.solid().unwrap();
    assert_eq!((solid.mesh.file.text.as_str(), solid.mesh.scale), ("beam.msh", 1e-3));
    let [steel, rest] = &solid.materials[..] else { panic!("{:?}", solid.materials) };
    assert_eq!((steel.name.text.as_str(), steel.law.text.as_str()), ("steel", "neo-hookean"));
    assert_eq!((names(&steel.groups), rest.groups.len()), (vec!["body", "rib"], 0));
    let number = |path| Key::optional(path, Form::Number, "");
    let open = |rows: &[&'static str]| {
        steel.options.open("the material `steel`", &steel.law, rows.iter().map(|path| number(path)).collect())
    };
    let mut options = open(&["lambda", "mu", "nu", "density"]).unwrap();
    assert_eq!(options.given::<f64>("lambda").unwrap(), Some(93e9));
    assert_eq!(options.given::<f64>("mu").unwrap(), Some(9810.0));
    assert_eq!(options.given::<f64>("nu").unwrap(), None);
    let left = open(&["lambda", "mu"]).unwrap_err().to_string();
    assert!(left.starts_with("a.toml:17:1: unknown key `density` in the material `steel`"), "{left}");
    let tip = &solid.masses[0];
    assert_eq!((tip.name.text.as_str(), tip.group.text.as_str(), tip.mass), ("tip", "tip", 9.81 / 100.0));
    let held =
        |k: usize| solid.supports[k].components.each_ref().map(|c| c.as_ref().map(|t| t.text.as_str()));
    assert_eq!(held(0), [Some("0"); 3]);
    assert_eq!(held(1), [Some("0"), Some("0.01*sin(2*pi*t) + X"), None]);
    assert_eq!(
        (solid.supports[1].name.text.as_str(), solid.supports[1].group.text.as_str()),
        ("right", "right")
    );
    let [weight, wind, gas, magnet, pull] = &solid.loads[..] else { panic!("{:?}", solid.loads) };
    assert!(matches!(&weight.kind, LoadKind::Acceleration(a) if texts(a) == ["0", "-g", "0"]));
    assert!(matches!(&wind.kind, LoadKind::Traction(a) if texts(a) == ["0", "1e5*sin(t)", "0"]));
    assert!(matches!(&gas.kind, LoadKind::Pressure(p) if p.text == "1e5*(1 - Z)"));
    assert!(matches!(&magnet.kind, LoadKind::Body(a) if texts(a) == ["1", "2", "3"]));
    assert!(matches!(&pull.kind, LoadKind::Force(a) if texts(a) == ["1.5", "0", "0"]));
    assert_eq!(
        (weight.groups.len(), names(&wind.groups), gas.name.text.as_str()),
        (0, vec!["top", "side"], "gas")
    );
    // In the plane, positions stay on it.
    assert!(matches!(&solid.shape, Some(InitialShape::Deformation(x)) if texts(x) == ["1.2*X", "Y", "Z"]));
    assert_eq!(texts(solid.velocity.as_ref().unwrap()), ["-omega*Y", "omega*X", "0"]);
    let [tip, speed] = &solid.probes[..] else { panic!("{:?}", solid.probes) };
    assert_eq!(
        (tip.name.text.as_str(), near(tip), tip.value.text.as_str()),
        ("tip", [1.0, 1.0, 0.0], "y - Y")
    );
    assert_eq!((near(speed), tip.place.error("").line_column()), ([0.0; 3], Some((48, 14))));
    assert_eq!(solid.local_energy.iter().map(|e| e.0).collect::<Vec<_>>(), [12, 57]);
    assert_eq!(solid.local_energy[1].1.error("").line_column(), Some((51, 17)));
    let (step, place) = solid.step.as_ref().unwrap();
    assert_eq!((*step, place.error("").line_column()), (1e-6, Some((2, 8))));
    assert_eq!(solid.output, SolidOutput { rows: 100, frames: 0, format: FrameFormat::Vtu });
}

fn near(probe: &SolidProbe) -> [f64; 3] {
    match &probe.at {
        ProbePlace::Near { at } => *at,
        ProbePlace::Group { .. } => panic!("{probe:?}"),
    }
}

#[test]
fn probes_are_at_one_place_or_over_a_group() {
    let text = |probe: &str| {
        format!(
            "mesh = \"b.vtu\"\nend = 1\nmaterial.a.law = \"linear\"\nmaterial.a.young = 1\nmaterial.a.density = 1\nmaterial.a.poisson = 0.2\n[probe.p]\nvalue = \"von_mises\"\n{probe}\n"
        )
    };
    let probe =
        |more: &str| Scenario::read("a.toml", &text(more), &[]).map(|s| s.solid().unwrap().probes[0].clone());
    for (of, summary) in
        [("", ProbeSummary::Max), ("of = \"min\"", ProbeSummary::Min), ("of = \"mean\"", ProbeSummary::Mean)]
    {
        let probe = probe(&format!("group = \"top\"\n{of}")).unwrap();
        assert!(
            matches!(&probe.at, ProbePlace::Group { group, of } if group.text == "top" && *of == summary)
        );
    }
    for (more, reason) in [
        ("", "the probe `p` has no place"),
        ("at = [0, 0]\ngroup = \"top\"", "`group` besides `at`"),
        ("at = [0, 0]\nof = \"max\"", "`of` is of a probe over a group"),
        ("group = \"top\"\nof = \"most\"", "unknown value of `of` `most`"),
    ] {
        let error = probe(more).unwrap_err().to_string();
        assert!(error.starts_with("a.toml:") && error.contains(reason), "{error}");
    }
}

#[test]
fn a_solid_needs_little() {
    let text = "mesh = \"b.vtu\"\nend = 1\nmaterial.a.law = \"linear\"\n";
    let s = read(text).unwrap();
    assert_eq!(s.integrator.method.text, "auto");
    let solid = s.solid().unwrap();
    assert_eq!((solid.mesh.file.text.as_str(), solid.mesh.scale, solid.mesh.refine), ("b.vtu", 1.0, 0));
    assert_eq!(solid.output, SolidOutput { rows: 500, frames: 20, format: FrameFormat::Vtu });
    assert!(solid.masses.is_empty() && solid.supports.is_empty() && solid.loads.is_empty());
    assert!(solid.shape.is_none() && solid.velocity.is_none() && solid.step.is_none());
    assert!(solid.probes.is_empty() && solid.local_energy.is_empty());
    let displaced = read(&format!("{text}initial.displacement = [\"0.1*X\", 0]\n")).unwrap();
    let shape = displaced.solid().unwrap().shape.clone();
    assert!(matches!(shape, Some(InitialShape::Displacement(u)) if texts(&u) == ["0.1*X", "0", "0"]));
    for (key, help) in [
        ("end", "add: end = 100.0"),
        ("material", "add: [material.NAME] with law, density and the constants of the law"),
    ] {
        let text: String = text.lines().filter(|l| !l.starts_with(key)).map(|l| format!("{l}\n")).collect();
        assert_eq!(message(read(&text)), format!("a.toml: the scenario has no `{key}`\n  = {help}"));
    }
}

#[test]
fn a_scenario_is_of_one_kind() {
    assert_eq!(
        message(with("end = 0.01", "coordinates = [\"u\"]\nend = 0.01")).lines().next().unwrap(),
        "a.toml:10:2: `mesh` besides `coordinates`: a scenario has one system"
    );
    assert!(message(set(&[("lagrangian", "1")])).contains("`mesh` besides `lagrangian`"));
    let neither = message(read("end = 1\nintegrator = \"avi\""));
    assert!(neither.starts_with("a.toml: the scenario has neither `lagrangian` nor `mesh`"), "{neither}");
    assert!(message(read("mseh = \"a.msh\"\nend = 1")).contains("did you mean `mesh`?"));
    // Keys of the other kind, in each section that both have.
    refused(&[
        ("[output]", "[symmetry]\na = [1, 0]\n[output]", "`symmetry` is no key of a solid"),
        ("velocity =", "momentum =", "`initial.momentum` is no key of a solid"),
        ("rows = 100", "every = 100", "`output.every` is no key of a solid"),
        (
            "frames = 0",
            "frame = 0",
            "unknown key `frame` in `output`\n  | frame = 0\n  | ^^^^^\n  = did you mean `frames`?",
        ),
        ("[local_energy]", "[lokal_energy]", "did you mean `local_energy`?"),
    ]);
    let symmetry = message(set(&[("symmetry.a", "[1, 0]")]));
    assert!(
        symmetry.contains("it belongs to systems with a `lagrangian`; allowed keys: title, "),
        "{symmetry}"
    );
    for (key, words) in [
        ("support.left.fixed", "`support` is no key of a system given by formulas"),
        ("initial.deformation", "`initial.deformation` is no key of a system"),
        ("output.rows", "`output.rows` is no key of a system"),
    ] {
        let found = message(super::set(&[(key, "1")]));
        assert!(found.starts_with("--set ") && found.contains(words), "{found}");
        assert!(found.contains("it belongs to solids, which have a `mesh`; allowed keys: "), "{found}");
    }
}

#[test]
fn mesh_materials_and_masses_must_make_sense() {
    refused(&[
        ("file = \"beam.msh\"", "", "`mesh` has no `file`"),
        ("file = \"beam.msh\"", "file = 3", "`file` must be the name of a mesh file, found a whole number"),
        ("file = \"beam.msh\"", "file = \"\"", "the name of the mesh file is empty"),
        ("scale = 1e-3", "scale = 0", "`scale` must be a number greater than zero, found 0"),
        ("scale = 1e-3", "scale = nan", "`scale` must be a finite number"),
        ("scale = 1e-3", "scael = 1", "did you mean `scale`?"),
        ("scale = 1e-3", "refine = -1", "`refine` must be"),
        ("scale = 1e-3", "refine = 11", "`refine` must be"),
        ("scale = 1e-3", "refine = 1.5", "`refine` must be"),
        ("law = \"neo-hookean\"\n", "", "a.toml:12:11: the material `steel` has no `law`"),
        ("law = \"linear\"", "law = 1", "`law` must be the name of a constitutive law"),
        (
            "[material.steel]\ngroup = [\"body\", \"rib\"]",
            "[material.steel]",
            "`rest` has no `group`, as has `steel`",
        ),
        ("[material.rest]", "[material.rest]\ngroup = \"rib\"", "the group `rib` is already of `steel`"),
        ("[\"body\", \"rib\"]", "[\"rib\", \"rib\"]", "the group `rib` is already of `steel`"),
        (
            "[\"body\", \"rib\"]",
            "[]",
            "`group` must be the name of a group of the mesh or a list of 1 or more",
        ),
        ("[\"body\", \"rib\"]", "[1]", "`group` must be the name of a group of the mesh"),
        ("[material.rest]", "[material.\"a b\"]", "`a b` cannot name a material"),
        ("[material.rest]\nlaw =", "[material]\nrest =", "`material.rest` must be a table, found text"),
        ("group = \"tip\"\nmass", "mass", "the mass `tip` has no `group`"),
        ("mass = \"g/100\"", "", "`tip` has no `mass`"),
        ("mass = \"g/100\"", "mass = -1", "`mass` must be a number greater than zero, found -1"),
        ("mass = \"g/100\"", "maas = 1", "did you mean `mass`?"),
    ]);
    let text = message(with("[material.rest]\nlaw =", "[material]\nrest ="));
    assert!(text.ends_with("every material has a name, and its keys stand below: [material.NAME]"), "{text}");
    let text = message(set(&[("mesh", "3")]));
    assert!(text.contains("`mesh` must be the name of a mesh file or a table"), "{text}");
}

#[test]
fn supports_and_loads_must_make_sense() {
    refused(&[
        ("group = \"left\"\n", "", "the support `left` has no `group`"),
        (
            "group = \"left\"",
            "group = [\"left\"]",
            "`group` must be the name of a group of the mesh, found a list",
        ),
        ("fixed = true", "", "the support `left` holds nothing"),
        ("fixed = true", "fixed = false", "the support `left` holds nothing"),
        ("fixed = true", "fixed = 1", "`fixed` must be true or false, found a whole number"),
        ("fixed = true", "fixed = true\ny = 0", "`y` besides `fixed`"),
        ("fixed = true", "fixde = true", "did you mean `fixed`?"),
        ("x = 0\n", "x = true\n", "`x` must be a formula in quotes or a number, found true or false"),
        ("x = 0\n", "x = inf\n", "`x` must be a finite number or a formula"),
        ("+ X\"", "+ x\"", "a.toml:29:25: `x` has no meaning here"),
        ("acceleration = [0, \"-g\", 0]", "", "the load `weight` does not say what acts"),
        (
            "acceleration = [0, \"-g\", 0]",
            "acceleration = \"g\"",
            "must be a list of 2 or 3 formulas, found text",
        ),
        ("[0, \"-g\", 0]", "[0]", "`acceleration` must be a list of 2 or 3 formulas, found a list of 1"),
        (
            "[0, \"-g\", 0]",
            "[0, 0, 0, 9]",
            "a.toml:31:26: `acceleration` must be a list of 2 or 3 formulas, found a list of 4",
        ),
        ("\"-g\"", "\"-gg\"", "unknown name `gg`"),
        ("acceleration", "accleration", "did you mean `acceleration`?"),
        ("group = [\"top\", \"side\"]\n", "", "the load `wind` has no `group`"),
        ("group = \"inside\"\n", "", "a pressure acts on a group of the mesh"),
        ("group = \"tip\"\nforce", "force", "the load `pull` has no `group`"),
        (
            "pressure = \"1e5*(1 - Z)\"",
            "pressure = 1\nbody = [0, 0]",
            "`body` besides `pressure`: the load `gas`",
        ),
        (
            "pressure = \"1e5*(1 - Z)\"",
            "pressure = [1, 2]",
            "`pressure` must be a formula in quotes or a number, found a list",
        ),
    ]);
    // On the body, a group is welcome and not needed.
    assert!(with("group = \"body\"\nbody", "body").unwrap().solid().unwrap().loads[3].groups.is_empty());
}

#[test]
fn states_probes_and_output_must_make_sense() {
    refused(&[
        ("deformation =", "displacement = [0, 0]\ndeformation =", "the initial shape is given twice"),
        ("\"1.2*X\"", "\"1.2*x\"", "`x` has no meaning here"),
        (
            "\"omega*X\"",
            "\"omega*X\", 0",
            "a.toml:46:39: `velocity` must be a list of 2 or 3 formulas, found a list of 4",
        ),
        ("velocity =", "velocty =", "did you mean `velocity`?"),
        ("value = \"y - Y\"", "value = \"y - W\"", "unknown name `W`"),
        (", value = \"y - Y\"", "", "the probe `tip` has no `value`"),
        (
            "at = [1, \"g/9.81\", 0]",
            "at = [1]",
            "`at` must be a list of 2 or 3 numbers or formulas of the parameters, found a list of 1",
        ),
        ("at = [1, \"g/9.81\", 0]", "at = [1, \"X\", 0]", "unknown name `X`"),
        (
            "{ at = [0, 0], value = \"sqrt(vx^2 + vy^2 + vz^2)\" }",
            "\"vx\"",
            "`probe.speed` must be a table, found text",
        ),
        ("speed =", "g =", "the probe `g` has the name of a parameter"),
        ("speed =", "vx =", "the probe `vx` has the name of a velocity"),
        ("[12, 57]", "[12, 12]", "a.toml:51:17: the element 12 is listed twice"),
        ("[12, 57]", "[12.5]", "`elements` must be a whole number, 0 or more, found 12.5"),
        ("[12, 57]", "[-1]", "`elements` must be a whole number, 0 or more, found -1"),
        ("elements = [12, 57]", "", "`local_energy` has no `elements`"),
        ("elements", "element", "did you mean `elements`?"),
        ("rows = 100", "rows = 0", "`rows` must be a whole number from 1 to 100000000, found 0"),
        ("frames = 0", "frames = 1e9", "`frames` must be a whole number from 0 to 1000000"),
        ("checkpoint = 0.5", "checkpoint = -1", "`checkpoint` must be a number, 0 or more, found -1"),
        ("step = 1e-6", "step = 0", "`step` must be a number greater than zero, found 0"),
        ("step = 1e-6", "step = 1e-30", "`step` is too small"),
        ("end = 0.01", "start = -1e308\nend = 1e308", "`end` is too far from `start`"),
    ]);
    for name in ["t", "X", "Y", "Z", "x", "y", "z", "vx", "vy", "vz", "pi", "sin"] {
        let text = message(with("g = 9.81", &format!("{name} = 1\ng = 9.81")));
        assert!(text.contains(&format!("the parameter `{name}` has the name of ")), "{text}");
    }
    // Lists of coordinates have no meaning here, so their names are free.
    assert!(with("g = 9.81", "q = 1\nv = 1\np = 1\ni = 1\ng = 9.81").is_ok());
    let one = with("[12, 57]", "12").unwrap();
    assert_eq!(one.solid().unwrap().local_energy[0].0, 12);
}

#[test]
fn scopes_name_the_inputs_of_programs() {
    let s = read(BEAM).unwrap();
    let mut graph = Graph::new();
    let value = |text: &str, scope: &mut Scope, graph: &mut Graph| {
        let place = s.integrator.method.place.clone();
        Text { text: text.into(), place, index: None }.lower(graph, scope)
    };
    let node = value("g*t + 10*X + 100*Y + 1000*Z", &mut s.field_scope(), &mut graph).unwrap();
    assert_eq!(graph.variables(node), [Var::T, Var::Q(0), Var::Q(1), Var::Q(2)]);
    assert!(value("x", &mut s.field_scope(), &mut graph).is_err());
    let all = "g*t + X + 2*Y + 3*Z + 4*x + 5*y + 6*z + 7*vx + 8*vy + 9*vz";
    let node = value(all, &mut s.probe_scope(), &mut graph).unwrap();
    let mut out = [0.0];
    let program = Program::new(&graph, &[(node, 0)]);
    program.interpret(1.0, &[1e1, 1e2, 1e3, 1e4, 1e5, 1e6], &[1e7, 1e8, 1e9], &[], &mut out);
    assert_eq!(out[0], 9.81 + 9_876_543_210.0);
}

#[test]
fn options_may_be_numbers_by_name_formulas_and_text() {
    const ROWS: [Key; 6] = [
        Key::optional("step", Form::AnyOf(&[Form::Positive, Form::Named(&Form::Positive)]), ""),
        Key::optional("energy", Form::Formula, ""),
        Key::optional("b", Form::Formula, ""),
        Key::optional("name", Form::Text, ""),
        Key::optional("c", Form::Formula, ""),
        Key::optional("seed", Form::Text, ""),
    ];
    const RULE: Key = Key::optional("rule", Form::Text, "");
    const STEPS: Key = Key::optional("steps", Form::Text, "");
    let options = |table: &str| {
        let choice = with("fraction = 0.1", table).unwrap().integrator;
        opened(&choice, &[&ROWS[..], &[RULE, STEPS]].concat()).unwrap()
    };
    let Some(Numbers::ByName(steps)) =
        options("step = { body = 1e-6, tip = \"g/1e7\" }").given("step").unwrap()
    else {
        panic!()
    };
    let found: Vec<(&str, f64)> = steps.iter().map(|n| (n.name.text.as_str(), n.value)).collect();
    assert_eq!(found, [("body", 1e-6), ("tip", 9.81 / 1e7)]);
    let columns = |n: &NamedNumber| (n.name.place.error("").line_column(), n.place.error("").line_column());
    assert_eq!(columns(&steps[0]), (Some((3, 59)), Some((3, 66))));
    let one = options("step = \"g/1e7\"").given::<Numbers>("step").unwrap();
    assert!(matches!(one, Some(Numbers::One(value, _)) if value == 9.81 / 1e7));
    assert_eq!(options("b = 1").given::<Numbers>("step").unwrap(), None);
    for (table, reason) in [
        (
            "step = true",
            "`step` must be a number greater than zero or a table by name of numbers greater than zero",
        ),
        ("step = -1", "`step` must be a number greater than zero"),
        ("step = { body = nan }", "`step.body` must be a finite number, found NaN"),
        ("step = { body = -1 }", "`step.body` must be a number greater than zero, found -1"),
        ("step = { body = { a = 1 } }", "`body` must be a number greater than zero, found a table"),
    ] {
        let text = options(table).given::<Numbers>("step").unwrap_err().to_string();
        assert!(text.starts_with("a.toml:3:") && text.contains(reason), "{text}");
    }
    let mut o = options("energy = \"0.5*(I1 - 3)\", b = 2, name = \"word\", c = [1]");
    assert_eq!(o.get::<Text>("energy").unwrap().text, "0.5*(I1 - 3)");
    assert_eq!(o.get::<Text>("b").unwrap().text, "2");
    assert_eq!(o.get::<String>("name").unwrap(), "word");
    let formula = o.given::<Text>("c").unwrap_err().to_string();
    assert!(formula.contains("`c` must be a formula in quotes or a number, found a list"), "{formula}");
    let text = o.given::<Text>("seed").unwrap_err().to_string();
    assert!(text.contains("`seed` must be text, found a whole number"), "{text}");
    assert!(o.given::<Text>("c").unwrap().is_none());
}

#[test]
fn set_reaches_solids() {
    let s = set(&[
        ("mesh", "other.inp"),
        ("mesh.scale", "2"),
        ("mesh.refine", "3"),
        ("end", "1"),
        ("step", "1e-3"),
        ("material.steel.mu", "5"),
        ("material.steel.group", "all"),
        ("support.left.fixed", "false"),
        ("support.left.y", "0.1*t"),
        ("load.weight.acceleration.1", "-2*g"),
        ("initial.displacement", "[0, 0.1*X]".replace("0.1*X", "\"0.1*X\"").as_str()),
        ("probe.tip.at.0", "0.5"),
        ("local_energy.elements", "[3]"),
        ("output.rows", "7"),
    ])
    .unwrap();
    let solid = s.solid().unwrap();
    assert_eq!((solid.mesh.file.text.as_str(), solid.mesh.scale, s.end), ("other.inp", 2.0, 1.0));
    assert_eq!(solid.mesh.refine, 3);
    assert_eq!(solid.step.as_ref().unwrap().0, 1e-3);
    let steel = &solid.materials[0];
    let number = |name| Key::optional(name, Form::Number, "");
    let rows = vec![number("mu"), number("lambda"), number("density")];
    let mu: Option<f64> = steel.options.open("steel", &steel.law, rows).unwrap().given("mu").unwrap();
    assert_eq!(mu, Some(5.0));
    assert_eq!(names(&solid.materials[0].groups), ["all"]);
    let [None, Some(y), None] = &solid.supports[0].components else { panic!("{:?}", solid.supports[0]) };
    assert_eq!(y.text, "0.1*t");
    assert!(matches!(&solid.loads[0].kind, LoadKind::Acceleration(a) if texts(a) == ["0", "-2*g", "0"]));
    assert!(matches!(&solid.shape, Some(InitialShape::Displacement(u)) if texts(u) == ["0", "0.1*X", "0"]));
    assert!(solid.velocity.is_some(), "a shape does not replace the velocity");
    assert_eq!(
        (near(&solid.probes[0]), solid.local_energy.len(), solid.output.rows),
        ([0.5, 1.0, 0.0], 1, 7)
    );
    let back = set(&[("initial.displacement", "[0, 0]"), ("initial.deformation", "[\"X\", \"Y\"]")]);
    assert!(message(back).contains("the initial shape is given twice"));
}

#[test]
fn set_keeps_the_rule_of_steps_between_avi_and_newmark() {
    const ROWS: [Key; 5] = [
        Key::optional("rule", Form::Text, ""),
        Key::optional("steps", Form::Text, ""),
        Key::new("fraction", Form::Between(0.0, 1.0), IfAbsent::Number(0.0), ""),
        Key::new("seed", Form::Whole { least: 0, most: Some(9) }, IfAbsent::Whole(0), ""),
        Key::optional("step", Form::AnyOf(&[Form::Positive, Form::Named(&Form::Positive)]), ""),
    ];
    let keys = |overrides: &[(&str, &str)]| {
        let choice = set(overrides).unwrap().integrator;
        let mut options = opened(&choice, &ROWS).unwrap();
        let rule: Option<String> = options.given("rule").unwrap();
        (
            choice.method.text,
            rule,
            options.get::<f64>("fraction").unwrap(),
            options.get::<u64>("seed").unwrap(),
        )
    };
    let courant = Some("courant".to_string());
    assert_eq!(keys(&[]), ("avi".into(), courant.clone(), 0.1, 7));
    assert_eq!(keys(&[("integrator.method", "newmark")]), ("newmark".into(), courant.clone(), 0.1, 0));
    // The whole name replaces the whole table.
    assert_eq!(keys(&[("integrator", "newmark")]), ("newmark".into(), None, 0.0, 0));
    assert_eq!(keys(&[("integrator.method", "midpoint")]), ("midpoint".into(), None, 0.0, 0));
    let there_and_back = [("integrator.method", "midpoint"), ("integrator.method", "newmark")];
    assert_eq!(keys(&there_and_back), ("newmark".into(), None, 0.0, 0));
    let changed = [("integrator.method", "newmark"), ("integrator.fraction", "0.5")];
    assert_eq!(keys(&changed), ("newmark".into(), courant, 0.5, 0));
    let choice = set(&[("integrator.step.tip", "1e-7")]).unwrap().integrator;
    let Some(Numbers::ByName(steps)) = opened(&choice, &ROWS).unwrap().given("step").unwrap() else {
        panic!()
    };
    assert_eq!((steps[0].name.text.as_str(), steps[0].value), ("tip", 1e-7));
}

/// Many names, groups and formulas within the limit of length are read, and what options may cost is limited.
#[test]
fn the_largest_solids_are_bearable() {
    let head = "mesh = \"a\"\nend = 1\nintegrator = \"avi\"\n";
    let parameters: String = (0..12_000).map(|k| format!("a{k} = 1\n")).collect();
    let materials: String =
        (0..8_000).map(|k| format!("m{k} = {{ group = \"g{k}\", law = \"l\" }}\n")).collect();
    let s = read(&format!("{head}[parameters]\n{parameters}[material]\n{materials}")).unwrap();
    assert_eq!(s.solid().unwrap().materials.len(), 8_000);
    let list: Vec<String> = (0..30_000).map(|k| format!("\"g{k}\"")).collect();
    let list = list.join(",");
    read(&format!("{head}[material]\na = {{ law = \"l\", group = [{list}] }}\nb.law = \"l\"")).unwrap();
    // Each of two materials has half the allowance.
    let sum = |count: u32| format!("\"sum(j = 1..{count}, j*j)\"");
    let first = |count: u32| {
        let text = format!(
            "{head}[material]\na = {{ law = \"l\", k = {} }}\nb = {{ law = \"l\", group = \"b\" }}",
            sum(count)
        );
        let scenario = read(&text).unwrap();
        let material = &scenario.solid().unwrap().materials[0];
        let rows = vec![Key::optional("k", Form::Number, "")];
        material.options.open("a", &material.law, rows).unwrap().given::<f64>("k")
    };
    assert!(first(700_000).is_ok());
    assert!(first(900_000).unwrap_err().to_string().contains("too large once its sums"));
    // All formulas of the body share one graph.
    let loads: String = (0..4).map(|k| format!("w{k}.body = [{}, 0]\n", sum(600_000))).collect();
    let found = message(read(&format!("{head}material.a.law = \"l\"\n[load]\n{loads}")));
    assert!(found.contains("too large once its sums"), "{found}");
}

#[test]
fn the_seed_of_the_fuzzer_is_a_solid() {
    let seed = include_str!("../../../../../fuzz/corpus/scenario/solid.toml");
    let s = Scenario::read("solid", seed, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert!(s.solid().is_some());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, rng_seed: RngSeed::Fixed(2003), ..ProptestConfig::default() })]

    #[test]
    fn mutated_solids_never_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, any::<char>(), 1..40usize), 1..6),
    ) {
        survives(&mutated(BEAM, edits), &[]);
    }

    #[test]
    fn any_override_of_a_solid_never_panics(
        key in "(mesh|material|support|load|mass|probe|initial|integrator|output)(\\.(steel|left|wind|tip|step|deformation|rows))?\
                (\\.(group|x|0|at|traction))?(\\.[0-9a-z])?",
        value in "\\PC{0,20}|[0-9.e-]{1,6}|\\[[0-9, ]{0,8}\\]|\\{[a-z]= ?[0-9]\\}",
    ) {
        survives(BEAM, &[(key, value)]);
    }
}

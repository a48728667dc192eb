//! Drawings: every key, and the words of their errors.

use super::*;

fn drawn(tables: &str) -> Result<Scenario, Error> {
    read(&(KEPLER.to_string() + tables))
}

#[test]
fn every_shape_is_read() {
    let scenario = drawn(
        r#"
[[draw]]
shape = "disc"
name = "planet"
radius = "m/4"
at = ["x", "y"]
angle = "2*pi*t"
[[draw]]
shape = "ellipse"
semi_axes = [0.5, "k/8"]
at = ["x", 1]
[[draw]]
shape = "polygon"
points = [[0, 0], ["k", 0], [0, 1.5]]
at = [0, "vy"]
[[draw]]
shape = "line"
from = [0, 0]
to = ["x", "y"]
[[draw]]
shape = "disc"
count = 3
radius = "0.1*(i + 1)"
at = ["q[0] + i", "i"]
"#,
    )
    .unwrap();
    let drawings = &formula(&scenario).drawings;
    assert_eq!(drawings.iter().map(|d| d.count).collect::<Vec<_>>(), [None, None, None, None, Some(3)]);
    assert_eq!((drawings[0].name.as_str(), drawings[1].name.as_str()), ("planet", ""));
    assert_eq!(drawings[0].angle.as_ref().map(|a| a.text.as_str()), Some("2*pi*t"));
    assert!(matches!(&drawings[0].shape, DrawnShape::Disc(r) if *r == [0.25]));
    assert!(matches!(&drawings[1].shape, DrawnShape::Ellipse(a) if *a == [[0.5, 0.25]]));
    assert!(
        matches!(&drawings[2].shape, DrawnShape::Polygon(p) if *p == [[0.0, 0.0], [2.0, 0.0], [0.0, 1.5]])
    );
    assert!(matches!(&drawings[3].shape, DrawnShape::Line(to) if to[1].text == "y"));
    assert!(matches!(&drawings[4].shape, DrawnShape::Disc(r) if *r == [0.1, 0.2, 0.1 * 3.0]));
    let space = drawn("[[draw]]\nshape = \"sphere\"\nradius = 1\nat = [\"x\", \"y\", 0]\n").unwrap();
    assert_eq!(formula(&space).drawings[0].at.len(), 3);
    assert!(formula(&read(KEPLER).unwrap()).drawings.is_empty());
}

#[test]
fn a_set_reaches_into_a_drawing() {
    let text = KEPLER.to_string() + "[[draw]]\nshape = \"disc\"\nradius = 1\nat = [\"x\", \"y\"]\n";
    let set = |key: &str, value: &str| Scenario::read("a.toml", &text, &[(key.into(), value.into())]);
    let scenario = set("draw.0.radius", "2*m").unwrap();
    assert!(matches!(&formula(&scenario).drawings[0].shape, DrawnShape::Disc(r) if *r == [2.0]));
    assert!(formula(&set("draw", "[]").unwrap()).drawings.is_empty());
    let far = message(set("draw.1.radius", "2"));
    assert!(far.contains("`draw` is a list of 1 in this scenario and has no such key"), "{far}");
    let unknown = message(set("draw.0.raduis", "2"));
    assert!(
        unknown.contains("--set draw.0.raduis:1:1") && unknown.contains("did you mean `radius`?"),
        "{unknown}"
    );
}

#[test]
fn a_wrong_drawing_says_what_and_where() {
    let disc = |more: &str| format!("[[draw]]\nshape = \"disc\"\n{more}");
    let table: Vec<(String, &str, &str)> = vec![
        (
            "[draw]\nshape = \"disc\"\n".into(),
            "12",
            "`draw` must be a list of tables, each with a `shape`, found a table",
        ),
        ("[[draw]]\nat = [1, 2]\n".into(), "12", "this drawing has no `shape`"),
        ("[[draw]]\nshape = \"disk\"\n".into(), "13", "unknown shape `disk`"),
        (disc("radius = 1\n"), "13", "this disc has no `at`"),
        (disc("at = [\"x\", \"y\"]\n"), "13", "this disc has no `radius`"),
        (
            disc("at = [\"x\", \"y\"]\nradius = 0\n"),
            "15",
            "`radius` must be a number greater than zero, found 0",
        ),
        (
            disc("at = [\"x\"]\nradius = 1\n"),
            "14",
            "`at` must be a list of 2 or 3 formulas, found a list of 1",
        ),
        (disc("at = \"x\"\nradius = 1\n"), "14", "`at` must be a list of 2 or 3 formulas, found text"),
        (disc("at = [\"x\", \"y\", 0]\nradius = 1\n"), "14", "a disc is in the plane"),
        (disc("at = [\"x\", \"y\"]\nradius = 1\nsemi_axes = [1, 2]\n"), "16", "unknown key `semi_axes`"),
        (disc("at = [\"x\", \"y\"]\nradius = \"i\"\n"), "15", "unknown name `i`"),
        (
            disc("at = [\"x\", \"y\"]\nradius = \"2 - i\"\ncount = 3\n"),
            "15",
            "`radius` must be a number greater than zero, found 0",
        ),
        (
            disc("at = [\"x\", \"y\"]\nradius = 1\ncount = 3000\n"),
            "16",
            "`count` must be a whole number from 1 to 2000",
        ),
        (
            "[[draw]]\nshape = \"sphere\"\nradius = 1\nat = [\"x\", \"y\"]\n".into(),
            "15",
            "a sphere is in space",
        ),
        (
            "[[draw]]\nshape = \"line\"\nfrom = [0, 0]\nto = [1, 2, 3]\n".into(),
            "15",
            "`from` has 2 formulas and `to` has 3",
        ),
        (
            "[[draw]]\nshape = \"polygon\"\nat = [0, 0]\npoints = [[0, 0], [1, 0]]\n".into(),
            "15",
            "`points` must be a list of 3 or more lists of 2 numbers or formulas of the parameters, found a list of 2",
        ),
        (
            "[[draw]]\nshape = \"polygon\"\nat = [0, 0]\npoints = [[0, 0], [1, 0], [1]]\n".into(),
            "15",
            "found a list of 1",
        ),
        (
            disc(
                "at = [\"x\", \"y\"]\nradius = 1\n[[draw]]\nshape = \"line\"\nfrom = [0, 0, 0]\nto = [1, 2, 3]\n",
            ),
            "18",
            "this place is in space, with three formulas, but that of the first drawing is in the plane",
        ),
        (
            format!("{0}{0}", disc("at = [\"x\", \"y\"]\nradius = 1\ncount = 1500\n")),
            "17",
            "too much to draw: at most 2000 shapes",
        ),
    ];
    for (text, line, expected) in table {
        let found = message(drawn(&text));
        assert!(found.contains(expected) && found.starts_with(&format!("a.toml:{line}:")), "{text}\n{found}");
    }
}

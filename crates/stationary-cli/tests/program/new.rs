//! `stationary new`: every kind runs as it is, and no file is ever overwritten.

use super::{Folder, stderr, stdout};

/// The kinds that the list shows, by their first names.
pub fn kinds(folder: &Folder) -> Vec<String> {
    let out = folder.stationary(&["new"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let text = stdout(&out);
    let rows = text.lines().filter(|l| l.starts_with("  "));
    rows.filter_map(|l| l.split_whitespace().next()).map(|w| w.trim_end_matches(',').to_string()).collect()
}

#[test]
fn every_template_of_new_runs_unchanged_and_satisfies_its_claims() {
    let folder = Folder::new("new");
    let kinds = kinds(&folder);
    for expected in ["pendulum", "orbit", "constraint", "collision", "bodies", "body", "solid", "lattice"] {
        assert!(kinds.iter().any(|k| k == expected), "{expected}");
    }
    for kind in &kinds {
        let out = folder.stationary(&["new", kind]);
        assert_eq!(out.status.code(), Some(0), "{kind}: {}", stderr(&out));
        assert!(stdout(&out).contains(&format!("stationary run {kind}.toml")), "{}", stdout(&out));
        let text = std::fs::read_to_string(folder.0.join(format!("{kind}.toml"))).unwrap();
        assert!(text.contains(&format!("#   stationary run {kind}.toml")), "{text}");
        assert!(!text.contains("FILE") && !text.contains("MESH"), "{text}");
        let out = folder.stationary(&["run", &format!("{kind}.toml")]);
        assert_eq!(out.status.code(), Some(0), "{kind}: {}{}", stdout(&out), stderr(&out));
        assert!(!stderr(&out).contains("warning"), "{kind}: {}", stderr(&out));
    }
}

/// The commands in the comments run too; where one says that claims may fail, they may.
#[test]
fn commands_in_the_comments_of_templates_run() {
    let folder = Folder::new("new-shown");
    let mut commands = 0;
    for kind in kinds(&folder).iter().filter(|k| *k != "solid") {
        folder.stationary(&["new", kind]);
        let text = std::fs::read_to_string(folder.0.join(format!("{kind}.toml"))).unwrap();
        for line in text.lines().filter_map(|l| l.strip_prefix("#   stationary ")) {
            let line = line.split("    ").next().unwrap();
            let mut words: Vec<String> = Vec::new();
            let mut quoted = false;
            for piece in line.split('\'') {
                match quoted {
                    true => words.push(piece.to_string()),
                    false => words.extend(piece.split_whitespace().map(String::from)),
                }
                quoted = !quoted;
            }
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let out = folder.stationary(&words);
            assert!(matches!(out.status.code(), Some(0 | 1)), "{line}: {}", stderr(&out));
            commands += 1;
        }
    }
    assert!(commands >= 15, "{commands}");
}

#[test]
fn new_accepts_a_file_name_and_never_overwrites_a_file() {
    let folder = Folder::new("new-file");
    std::fs::create_dir(folder.0.join("part")).unwrap();
    let out = folder.stationary(&["new", "solid", "part/beam"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let names = |path: &str| -> Vec<String> {
        let entries = std::fs::read_dir(folder.0.join(path)).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names("part"), ["beam.msh", "beam.toml"]);
    let text = std::fs::read_to_string(folder.0.join("part/beam.toml")).unwrap();
    assert!(text.contains("file = \"beam.msh\""), "{text}");

    std::fs::write(folder.0.join("mine.toml"), "mine").unwrap();
    std::fs::write(folder.0.join("other.msh"), "mine").unwrap();
    for (arguments, file) in
        [(["new", "orbit", "mine.toml"], "mine.toml"), (["new", "solid", "other"], "other.msh")]
    {
        let out = folder.stationary(&arguments);
        assert_eq!(out.status.code(), Some(2));
        assert!(stderr(&out).contains(&format!("`{file}` is there already")), "{}", stderr(&out));
        assert_eq!(std::fs::read_to_string(folder.0.join(file)).unwrap(), "mine");
    }
    assert!(!folder.0.join("other.toml").exists(), "all files or none");

    for (arguments, expected) in [
        (["new", "pendulm", "a.toml"], "did you mean `pendulum`?"),
        (["new", "pendulum", "part"], "`part` is a folder"),
        (["new", "pendulum", "a.txt"], "does not end in .toml"),
        (["new", "pendulum", "nowhere/a.toml"], "nowhere/a.toml: "),
    ] {
        let out = folder.stationary(&arguments);
        assert_eq!(out.status.code(), Some(2));
        assert!(stderr(&out).contains(expected), "{}", stderr(&out));
    }
    assert_eq!(names("."), ["mine.toml", "other.msh", "part"]);
}

#[test]
fn new_with_schema_writes_the_schema_beside_the_scenario() {
    let folder = Folder::new("new-schema");
    for kind in ["pendulum", "orbit"] {
        let out = folder.stationary(&["new", kind, "--schema"]);
        assert_eq!(
            out.status.code(),
            Some(0),
            "a schema that is there and equal is no obstacle: {}",
            stderr(&out)
        );
        let text = std::fs::read_to_string(folder.0.join(format!("{kind}.toml"))).unwrap();
        assert_eq!(text.lines().next(), Some("#:schema ./scenario.schema.json"));
    }
    let written = std::fs::read_to_string(folder.0.join("scenario.schema.json")).unwrap();
    assert_eq!(written, stdout(&folder.stationary(&["schema"])));
    assert_eq!(folder.stationary(&["check", "pendulum.toml"]).status.code(), Some(0));
    std::fs::write(folder.0.join("scenario.schema.json"), "mine").unwrap();
    assert_eq!(folder.stationary(&["new", "body", "--schema"]).status.code(), Some(2));
    assert!(!folder.0.join("body.toml").exists());
}

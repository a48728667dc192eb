//! The documentation against the program: scenarios run, tables match what the code knows, links lead somewhere, and every
//! law that a page cites exists. (Rust blocks are doctests; commands are run by the program's own tests.)

use serde_json::Value;
use stationary::formula::functions;
use stationary_app::registry::{self, RegistryEntry};
use stationary_app::run::{RunOutcome, check, run};
use stationary_app::scenario::keys::{Key, reference};
use stationary_app::scenario::{Scenario, shipped};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The Markdown files of a folder, by their paths in the repository.
fn markdown(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    entries
        .map(|e| format!("{folder}/{}", e.unwrap().file_name().display()))
        .filter(|name| name.ends_with(".md"))
        .collect()
}

/// The pages of the book by name, the decisions, and the pages beside them.
fn pages() -> Vec<(String, String)> {
    let mut names = markdown("docs/src");
    names.extend(markdown("docs/decisions"));
    let beside = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples/README.md"];
    names.extend(beside.map(String::from));
    names.sort();
    names.into_iter().map(|name| (name.clone(), read(&name))).collect()
}

/// Blocks of a page: the words after the fence, and the text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut lines = page.lines();
    let mut all = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
            all.push((language.to_string(), text.join("\n") + "\n"));
        }
    }
    all
}

/// Rows of the first table under a heading, cells trimmed, header left out.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let mut lines = page.lines().skip_while(|l| *l != heading).skip(1).take_while(|l| !l.starts_with("## "));
    lines.find(|l| l.starts_with("|---")).unwrap_or_else(|| panic!("no table under {heading}"));
    lines
        .take_while(|l| l.starts_with('|'))
        .map(|l| {
            let line = l.replace("\\|", "\u{1}");
            let cells = line.trim_matches('|').split('|');
            cells.map(|c| c.trim().replace('\u{1}', "|")).collect()
        })
        .collect()
}

fn unquoted(cell: &str) -> String {
    cell.trim_matches('`').to_string()
}

fn keys(rows: &[Vec<String>]) -> BTreeSet<String> {
    let all: BTreeSet<String> = rows.iter().map(|row| unquoted(&row[0])).collect();
    assert_eq!(all.len(), rows.len(), "a row is there twice");
    all
}

/// Runs a scenario into a folder that is removed again; also returns the header of `series.csv`.
fn run_all(scenario: &Scenario, tag: &str) -> (RunOutcome, Vec<String>) {
    let out = std::env::temp_dir().join(format!("stationary-docs-{}-{tag}", std::process::id()));
    let outcome = run(scenario, &out, &mut |_| ControlFlow::Continue(())).unwrap();
    let series = std::fs::read_to_string(out.join("series.csv")).unwrap();
    std::fs::remove_dir_all(&out).unwrap();
    (outcome, series.lines().next().unwrap().split(',').map(String::from).collect())
}

#[test]
fn scenarios_of_the_pages_run_and_keep_their_claims() {
    let mut count = 0;
    for (name, page) in pages() {
        for (i, (language, text)) in blocks(&page).into_iter().enumerate() {
            match language.as_str() {
                "toml,scenario" => {
                    let scenario = Scenario::read(&name, &text, &[]).unwrap_or_else(|e| panic!("{e}"));
                    check(&scenario).unwrap_or_else(|e| panic!("{e}"));
                    let tag = format!("{}-{i}", name.replace(['/', '.'], "-"));
                    let (outcome, _) = run_all(&scenario, &tag);
                    assert!(outcome.stopped.is_none(), "{name} {i}: {:?}", outcome.stopped);
                    assert!(outcome.claims.iter().all(|c| c.holds), "{name} {i}: {:?}", outcome.claims);
                    count += 1;
                }
                "toml,wrong" => {
                    let read = Scenario::read(&name, &text, &[]);
                    assert!(read.and_then(|s| check(&s)).is_err(), "{name} {i} is not wrong");
                }
                // Its mesh is not part of the page.
                "toml,solid" => {
                    let scenario = Scenario::read(&name, &text, &[]).unwrap_or_else(|e| panic!("{e}"));
                    assert!(scenario.solid().is_some(), "{name} {i}");
                }
                "toml" => {
                    panic!("{name} {i}: a TOML block is `toml,scenario`, `toml,solid` or `toml,wrong`")
                }
                _ => {}
            }
        }
    }
    assert!(count >= 5, "only {count} scenarios found");
}

#[test]
fn the_table_of_functions_is_that_of_the_language() {
    let rows = table(&read("docs/src/formulas.md"), "## Functions");
    let (sum, rows) = rows.split_last().unwrap();
    assert!(sum[0].starts_with("`sum("));
    let documented: Vec<(String, String)> = rows.iter().map(|r| (unquoted(&r[0]), r[1].clone())).collect();
    let known: Vec<(String, String)> = functions()
        .iter()
        .map(|f| {
            let also: String = f.aliases.iter().map(|a| format!(", also {a}")).collect();
            (f.signature.to_string(), format!("{}{also}", f.description))
        })
        .collect();
    assert_eq!(documented, known);
}

#[test]
fn every_integrator_has_its_section_and_options() {
    let page = read("docs/src/integrators.md");
    let sections: Vec<&str> =
        page.lines().filter_map(|l| l.strip_prefix("## `")?.strip_suffix('`')).collect();
    let mut names: Vec<&str> = registry::integrators().iter().map(|e| e.name).collect();
    assert_eq!(sections.iter().collect::<BTreeSet<_>>(), names.iter().collect::<BTreeSet<_>>());
    let overview = page.lines().position(|l| l == "| integrator | order | cost of a step | for |").unwrap();
    let rows = page.lines().skip(overview + 2).take_while(|l| l.starts_with('|'));
    let mut listed: Vec<String> = rows.map(|l| unquoted(l.split('|').nth(1).unwrap().trim())).collect();
    listed.sort();
    names.sort();
    assert_eq!(listed, names);
    let mut expected = page.clone();
    for RegistryEntry { name, options, .. } in
        registry::integrators().iter().filter(|e| !e.options.is_empty())
    {
        let default = |option: &Key| option.default.value().unwrap_or_default();
        let row = |option: &Key| {
            vec![format!("`{}`", option.path), option.form.to_string(), default(option), option.doc.into()]
        };
        let rows: Vec<Vec<String>> = options.iter().map(row).collect();
        let head = ["option", "value", "default", "meaning"];
        expected = with_table(&expected, &format!("## `{name}`"), &head, &rows);
    }
    compare("docs/src/integrators.md", &page, &expected);
}

#[test]
fn every_observer_is_in_its_table() {
    let rows = table(&read("docs/src/results.md"), "## Observers");
    let known: Vec<Vec<String>> = registry::observers()
        .iter()
        .map(|e| vec![format!("`{}`", e.name), format!("{}: {}", e.kind, e.summary)])
        .collect();
    assert_eq!(rows, known);
}

/// A page with the first table under a heading replaced by rows of cells.
fn with_table(page: &str, heading: &str, head: &[&str], rows: &[Vec<String>]) -> String {
    let escaped = |cell: &String| cell.replace('|', "\\|");
    let written =
        |row: &Vec<String>| format!("| {} |", row.iter().map(escaped).collect::<Vec<_>>().join(" | "));
    let mut lines: Vec<String> = Vec::new();
    let mut rest = page.lines().peekable();
    while let Some(line) = rest.next() {
        lines.push(line.to_string());
        if line == heading {
            while let Some(line) = rest.next_if(|l| !l.starts_with('|')) {
                lines.push(line.to_string());
            }
            while rest.next_if(|l| l.starts_with('|')).is_some() {}
            lines.push(format!("| {} |", head.join(" | ")));
            lines.push(format!("|{}", "---|".repeat(head.len())));
            lines.extend(rows.iter().map(written));
        }
    }
    lines.join("\n") + "\n"
}

/// The reference has every key with its meaning, from the tables of keys; so have the constitutive laws.
#[test]
fn the_scenario_reference_lists_every_key_and_law() {
    let path = "docs/src/scenario.md";
    let page = read(path);
    let mut expected = page.clone();
    for (heading, keys) in reference() {
        let row = |key: &Key| vec![format!("`{}`", key.path), key.form.to_string(), key.described()];
        let rows: Vec<Vec<String>> = keys.iter().map(row).collect();
        expected = with_table(&expected, &format!("## {heading}"), &["key", "value", "meaning"], &rows);
    }
    let law = |law: &registry::MaterialEntry| {
        let name = format!("`{}`", law.name);
        vec![name, law.elements.into(), law.words(), law.energy.into()]
    };
    let laws: Vec<Vec<String>> = registry::materials().iter().map(law).collect();
    expected = with_table(&expected, "## Laws", &["law", "elements", "constants", "energy"], &laws);
    compare(path, &page, &expected);
}

/// Whether a page has the tables that it should; rewrites it where that is asked for.
fn compare(path: &str, page: &str, expected: &str) {
    if std::env::var_os("STATIONARY_UPDATE_DOCS").is_some() {
        std::fs::write(root().join(path), expected).unwrap();
    }
    assert!(page == expected, "refresh {path} with STATIONARY_UPDATE_DOCS=1");
}

/// Dotted keys, with the names that a user chooses replaced.
fn flatten(prefix: &str, value: &Value, into: &mut BTreeSet<String>) {
    let name = |key: &str| match prefix {
        "" => key.to_string(),
        "momentum" | "probe" | "impacts.per_gap" => format!("{prefix}.<name>"),
        _ => format!("{prefix}.{key}"),
    };
    match value {
        Value::Object(map) => {
            if prefix == "stopped" {
                into.insert(prefix.into());
            }
            map.iter().for_each(|(key, value)| flatten(&name(key), value, into));
        }
        Value::Array(list) => {
            into.insert(prefix.into());
            list.iter().filter(|v| v.is_object()).for_each(|v| flatten(&format!("{prefix}.<k>"), v, into));
        }
        _ => {
            into.insert(prefix.into());
        }
    }
}

fn is_given_by_formulas(shipped: &shipped::Shipped) -> bool {
    shipped.text.contains("\nlagrangian = ")
}

/// A material with memory for the slab.
const METAL: &str = "{ law = \"j2\", young = 5e6, poisson = 0.3, density = 1000, yield = 2e5 }";

/// The slab with chosen elements, which has a support, a load and a probe: in peace, stopped by a load that ends, and with memory.
fn solid_runs() -> Vec<(RunOutcome, Vec<String>)> {
    let slab = shipped::find("slab").unwrap();
    let stopped = [("end", "0.02"), ("load.weight.acceleration.0", "sqrt(0.01 - t)")];
    [&[("end", "0.01")][..], &stopped, &[("end", "0.01"), ("material.rubber", METAL)]]
        .into_iter()
        .enumerate()
        .map(|(i, sets)| {
            let more = [("local_energy.elements", "[77]"), ("output.rows", "10"), ("output.frames", "1")];
            let sets: Vec<(String, String)> =
                sets.iter().chain(&more).map(|(k, v)| (k.to_string(), v.to_string())).collect();
            let scenario = Scenario::read(slab.name, slab.text, &sets).unwrap();
            run_all(&scenario, &format!("solid-{:?}-{i}", std::thread::current().id()))
        })
        .collect()
}

#[test]
fn every_key_of_a_solids_summary_is_documented_and_every_documented_key_exists() {
    let mut produced = BTreeSet::new();
    for (outcome, _) in solid_runs() {
        flatten("", &outcome.summary, &mut produced);
    }
    // Its momenta are always the same two; supports have names.
    let produced: BTreeSet<String> = produced
        .into_iter()
        .flat_map(|key| match key.strip_prefix("momentum.<name>.") {
            Some(rest) => vec![format!("momentum.linear.{rest}"), format!("momentum.angular.{rest}")],
            None => vec![key.replace("reaction_impulse.wall", "reaction_impulse.<name>")],
        })
        .collect();
    let documented = keys(&table(&read("docs/src/results.md"), "## `summary.json` of solids"));
    let undocumented: Vec<_> = produced.difference(&documented).collect();
    let unknown: Vec<_> = documented.difference(&produced).collect();
    assert!(undocumented.is_empty() && unknown.is_empty(), "missing {undocumented:?}, extra {unknown:?}");
}

#[test]
fn every_column_of_a_solids_series_is_documented_and_every_documented_column_exists() {
    let mut produced = BTreeSet::new();
    for column in solid_runs().into_iter().flat_map(|(_, columns)| columns) {
        let parts: Vec<&str> = column.split('.').collect();
        produced.insert(match parts[..] {
            ["momentum", kind, _] => format!("momentum.{kind}.<axis>"),
            ["reaction", "wall", _] => "reaction.<support>.<axis>".to_string(),
            ["element", "77", part] => format!("element.<k>.{part}"),
            ["tip"] => "<probe>".to_string(),
            _ => column,
        });
    }
    assert_eq!(keys(&table(&read("docs/src/results.md"), "## `series.csv` of solids")), produced);
}

/// Every shipped scenario given by formulas, cut short, and one that stops.
fn sample_runs() -> Vec<(Scenario, RunOutcome, Vec<String>)> {
    let set = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
    };
    let mut runs: Vec<(&shipped::Shipped, Vec<(String, String)>)> = shipped::all()
        .iter()
        .filter(|s| is_given_by_formulas(s))
        .map(|s| (s, set(&[("end", "1")])))
        .collect();
    let stops = set(&[("parameters.e", "0.95"), ("step", "0.3"), ("integrator.stages", "4")]);
    runs.push((shipped::find("kepler").unwrap(), stops));
    let behind = set(&[("end", "1"), ("observe", "[\"modified_energy\", \"loop_area\"]"), ("claim", "[]")]);
    runs.push((shipped::find("henon-heiles").unwrap(), behind));
    let crosses = set(&[("parameters.start", "1.001"), ("end", "20")]);
    runs.push((shipped::find("double-well").unwrap(), crosses));
    let many = set(&[("gap", "[\"y\", \"x + 3\", \"3 - x\", \"9 - y\", \"9 - x - y\"]"), ("claim", "[]")]);
    runs.push((shipped::find("particle-bounce").unwrap(), [many, set(&[("end", "1")])].concat()));
    runs.into_iter()
        .enumerate()
        .map(|(i, (shipped, set))| {
            let scenario = Scenario::read(shipped.name, shipped.text, &set).unwrap();
            let (outcome, columns) =
                run_all(&scenario, &format!("sample-{:?}-{i}", std::thread::current().id()));
            (scenario, outcome, columns)
        })
        .collect()
}

#[test]
fn every_key_of_the_summary_is_documented_and_every_documented_key_exists() {
    let mut produced = BTreeSet::new();
    for (_, outcome, _) in sample_runs() {
        flatten("", &outcome.summary, &mut produced);
    }
    let documented = keys(&table(&read("docs/src/results.md"), "## `summary.json`"));
    let undocumented: Vec<_> = produced.difference(&documented).collect();
    let unknown: Vec<_> = documented.difference(&produced).collect();
    assert!(undocumented.is_empty() && unknown.is_empty(), "missing {undocumented:?}, extra {unknown:?}");
}

#[test]
fn every_column_of_the_series_is_documented_and_every_documented_column_exists() {
    let mut produced = BTreeSet::new();
    for (scenario, _, columns) in sample_runs() {
        let system = scenario.formula().unwrap();
        let coordinate = |name: &str| system.coordinates.iter().any(|c| c == name);
        for column in &columns {
            let known = if coordinate(column) {
                "<coordinate>".to_string()
            } else if let Some(letter) =
                ["v", "p"].into_iter().find(|l| column.strip_prefix(l).is_some_and(coordinate))
            {
                format!("{letter}<coordinate>")
            } else if column.starts_with("momentum.") {
                "momentum.<name>".to_string()
            } else if column.starts_with("gap.") && column != "gap.least" {
                "gap.<name>".to_string()
            } else if column.starts_with("multiplier.") {
                "multiplier.<k>".to_string()
            } else if system.probes.iter().any(|(name, _)| name == column) {
                "<probe>".to_string()
            } else {
                column.clone()
            };
            produced.insert(known);
        }
    }
    assert_eq!(keys(&table(&read("docs/src/results.md"), "## `series.csv`")), produced);
}

/// Targets of links, code left out.
fn links(page: &str) -> Vec<String> {
    let mut fenced = false;
    let mut all = Vec::new();
    for line in page.lines() {
        fenced ^= line.starts_with("```");
        if !fenced {
            let after = line.split("](").skip(1);
            all.extend(after.filter_map(|rest| Some(rest.split_once(')')?.0.to_string())));
        }
    }
    all
}

/// The anchor of a heading, as mdBook and others make it.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_lead_somewhere_and_the_summary_lists_every_page() {
    for (name, page) in pages() {
        for link in links(&page) {
            if link.contains("://") {
                continue;
            }
            let (file, fragment) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() {
                root().join(&name)
            } else {
                root().join(&name).parent().unwrap().join(file)
            };
            assert!(target.exists(), "{name}: {link}");
            if !fragment.is_empty() {
                let text = std::fs::read_to_string(&target).unwrap();
                let found = text.lines().filter(|l| l.starts_with('#')).any(|l| anchor(l) == fragment);
                assert!(found, "{name}: no heading for {link}");
            }
        }
    }
    let listed: BTreeSet<String> = links(&read("docs/src/SUMMARY.md")).into_iter().collect();
    let book: BTreeSet<String> = pages()
        .into_iter()
        .filter_map(|(name, _)| name.strip_prefix("docs/src/").map(String::from))
        .filter(|name| name != "SUMMARY.md")
        .collect();
    assert_eq!(listed, book);
    let tested = read("crates/stationary-app/src/docs.rs");
    for name in &book {
        assert!(tested.contains(&format!("\"docs/src/{name}\"")), "{name} is not in docs.rs");
    }
}

#[test]
fn the_gallery_shows_every_shipped_scenario() {
    let page = read("docs/src/gallery.md");
    for scenario in shipped::all() {
        let picture = format!("gallery/{}.webp", scenario.name);
        assert!(page.contains(&picture) && root().join("docs/src").join(&picture).is_file(), "{picture}");
        assert!(page.contains(&format!("`stationary run {}`", scenario.name)), "{}", scenario.name);
    }
}

#[test]
fn every_law_that_a_page_cites_is_a_test() {
    let files = sources(root().join("crates"));
    let sources: String = files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let mut count = 0;
    for (name, page) in pages() {
        let page = page.replace('\n', " ");
        for cited in page.split("law: `").skip(1) {
            let law = cited.split('`').next().unwrap();
            assert!(sources.contains(&format!("fn {law}(")), "{name} cites `{law}`");
            count += 1;
        }
    }
    assert!(count > 5, "only {count} laws are cited");
}

/// A decision has four parts and a line in the index, and its law names tests, or files of tests, that exist.
#[test]
fn every_decision_names_tests_that_exist() {
    let files = sources(root().join("crates"));
    let sources: String = files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let index = read("docs/decisions/README.md");
    let decisions = markdown("docs/decisions").into_iter().filter(|name| !name.ends_with("/README.md"));
    for name in decisions {
        let page = read(&name);
        for part in ["**Context.** ", "**Choice.** ", "**Price.** ", "**Law.** "] {
            assert!(page.contains(part), "{name} has no {part}");
        }
        assert!(index.contains(name.trim_start_matches("docs/decisions/")), "{name} is not in the index");
        let (_, law) = page.split_once("**Law.** ").unwrap();
        let cited: Vec<&str> = law.split('`').skip(1).step_by(2).collect();
        assert!(!cited.is_empty(), "{name} names no test");
        for word in cited {
            let exists = if word.contains('/') {
                root().join(word).exists()
            } else {
                sources.contains(&format!("fn {word}("))
            };
            assert!(exists, "{name} names `{word}`");
        }
    }
}

/// Rust files of a folder and below.
fn sources(folder: PathBuf) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![folder], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files
}

#[test]
fn modules_use_only_those_above_them_and_the_architecture_lists_them() {
    for package in ["stationary", "stationary-app"] {
        let src = root().join("crates").join(package).join("src");
        let lib = std::fs::read_to_string(src.join("lib.rs")).unwrap();
        let modules: Vec<&str> =
            lib.lines().filter_map(|l| l.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
        let heading = format!("### `{package}`");
        let listed: Vec<String> =
            table(&read("ARCHITECTURE.md"), &heading).iter().map(|row| unquoted(&row[0])).collect();
        assert_eq!(listed, modules);
        for path in sources(src.clone()) {
            let inside = path.strip_prefix(&src).unwrap().components().next().unwrap();
            let name = inside.as_os_str().to_string_lossy().trim_end_matches(".rs").to_string();
            let Some(own) = modules.iter().position(|m| *m == name) else { continue };
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
            for used in code.flat_map(|l| l.split("crate::").skip(1)) {
                let word = used.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
                let at = modules.iter().position(|m| *m == word);
                assert!(at.is_none_or(|at| at <= own), "{} uses `{word}`, which is below it", path.display());
            }
        }
    }
}

/// Mechanics alone: no file is opened, no text form is written.
#[test]
fn the_library_of_mechanics_knows_no_files_and_no_json() {
    let manifest = read("crates/stationary/Cargo.toml");
    for crate_ in ["serde", "toml", "stationary-report", "stationary-app"] {
        assert!(!manifest.contains(&format!("\n{crate_}")), "{crate_}");
    }
    let src = root().join("crates/stationary/src");
    let is_test =
        |path: &Path| path.components().any(|c| c.as_os_str() == "tests" || c.as_os_str() == "tests.rs");
    for path in sources(src).into_iter().filter(|path| !is_test(path)) {
        let text = std::fs::read_to_string(&path).unwrap();
        let (code, _) = text.split_once("#[cfg(test)]\nmod tests {").unwrap_or((&text, ""));
        for word in ["std::fs", "std::process", "println!"] {
            let code = code.lines().filter(|l| !l.trim_start().starts_with("//"));
            assert!(!code.into_iter().any(|l| l.contains(word)), "{} uses {word}", path.display());
        }
    }
}

/// A file that no program includes would not be tested, and nobody would notice.
#[test]
fn every_test_file_is_part_of_a_program() {
    for package in ["stationary", "stationary-app", "stationary-cli"] {
        let folder = root().join("crates").join(package);
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let files = sources(folder.join("tests"));
        let texts: String = files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
        for path in files {
            let inside = path.strip_prefix(folder.join("tests")).unwrap().display().to_string();
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            let listed = manifest.contains(&format!("\"tests/{inside}\""))
                || texts.contains(&format!("#[path = \"{inside}\"]\nmod "))
                || texts.contains(&format!("#[path = \"../{inside}\"]\nmod "))
                || stem != "main" && texts.contains(&format!("mod {stem};\n"));
            assert!(listed, "{package}: tests/{inside} is part of no program");
        }
    }
}

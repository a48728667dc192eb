//! What a run leaves in memory is what its files have, to the bit.

use stationary_app::run::{self, Progress, RunOutcome};
use stationary_app::scenario::{Scenario, shipped};
use stationary_report::{Column, Table};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stationary-gather-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn scenario(name: &str, set: &[(&str, &str)]) -> Scenario {
    let set: Vec<_> = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Scenario::read(name, shipped::find(name).unwrap().text, &set).unwrap()
}

fn go_on(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn bits(table: &Table) -> Vec<u64> {
    table.numbers.iter().map(|x| x.to_bits()).collect()
}

/// A table as its file has it; an empty field is NaN.
fn written(file: &Path) -> Table {
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines = text.lines();
    let columns = lines.next().unwrap().split(',').map(String::from).collect();
    let number = |field: &str| if field.is_empty() { f64::NAN } else { field.parse().unwrap() };
    Table { columns, numbers: lines.flat_map(|line| line.split(',')).map(number).collect() }
}

fn same(in_memory: &Table, file: &Path) {
    let read = written(file);
    assert_eq!(in_memory.columns, read.columns);
    assert!(!in_memory.numbers.is_empty());
    assert_eq!(bits(in_memory), bits(&read), "{}", file.display());
}

/// Each kind of run, short.
fn kinds() -> [(&'static str, Scenario); 5] {
    [
        ("formula", scenario("henon-heiles", &[("end", "20")])),
        ("impacts", scenario("particle-bounce", &[("end_impacts", "40")])),
        ("body", scenario("free-top", &[("end", "1")])),
        ("bodies", scenario("disc-box", &[("end_impacts", "300")])),
        ("solid", scenario("slab", &[("end", "0.05"), ("output.rows", "12"), ("output.frames", "3")])),
    ]
}

#[test]
fn memory_has_the_bits_of_the_files() {
    for (name, scenario) in kinds() {
        let scratch = Scratch::new(name);
        let RunOutcome { in_memory, .. } =
            run::gather(&scenario, Some(&scratch.0), false, &mut go_on).unwrap();
        same(&in_memory.series.unwrap(), &scratch.0.join("series.csv"));
        if let Some(section) = &in_memory.section {
            same(section, &scratch.0.join("sections.csv"));
        }
        assert_eq!(in_memory.section.is_some(), scratch.0.join("sections.csv").exists());
        assert_eq!(in_memory.impacts.is_some(), scratch.0.join("impacts.csv").exists());
        assert_eq!(in_memory.frames.is_some(), scratch.0.join("frames.pvd").exists());
        let page = std::fs::read_to_string(scratch.0.join("report.html")).unwrap();
        assert_eq!(in_memory.page.unwrap().to_html(), page);
    }
}

#[test]
fn memory_alone_has_the_same_numbers() {
    for (name, scenario) in kinds() {
        let scratch = Scratch::new(&format!("{name}-alone"));
        let with = run::gather(&scenario, Some(&scratch.0), false, &mut go_on).unwrap();
        let without = run::gather(&scenario, None, false, &mut go_on).unwrap();
        assert!(without.files.is_empty());
        assert_eq!(bits(&without.in_memory.series.unwrap()), bits(&with.in_memory.series.unwrap()), "{name}");
        assert_eq!(without.in_memory.impacts, with.in_memory.impacts, "{name}");
        assert_eq!(without.in_memory.frames, with.in_memory.frames, "{name}");
        assert_eq!(without.summary["energy"], with.summary["energy"], "{name}");
    }
}

#[test]
fn impacts_are_listed_with_names_and_numbers() {
    let in_memory = run::gather(&kinds()[3].1, None, false, &mut go_on).unwrap().in_memory;
    let impacts = in_memory.impacts.unwrap();
    let column = |name: &str| &impacts.columns.iter().find(|(n, _)| n == name).unwrap().1;
    let (Column::Numbers(times), Column::Words(first)) = (column("time"), column("first")) else {
        panic!("times are numbers and bodies have names");
    };
    assert_eq!((times.len(), first.len()), (300, 300));
    assert!(times.is_sorted());
}

#[test]
fn frames_hold_every_moment_one_after_the_other() {
    let in_memory = run::gather(&kinds()[4].1, None, false, &mut go_on).unwrap().in_memory;
    let frames = in_memory.frames.unwrap();
    assert_eq!(frames.times.len(), 4);
    assert_eq!((frames.times[0], frames.times[3]), (0.0, 0.05));
    let displacement = frames.point_fields.iter().find(|f| f.name == "displacement").unwrap();
    let stationary_report::frames::InMemoryValues::Floats(u) = &displacement.values else {
        panic!("numbers")
    };
    let each = frames.points.len();
    assert_eq!(u.len(), 4 * each);
    // It starts at rest, and then falls ever farther.
    let size = |k: usize| u[k * each..(k + 1) * each].iter().map(|x| x * x).sum::<f64>();
    assert_eq!(size(0), 0.0);
    assert!(size(1) < size(2) && size(2) < size(3));
}

#[test]
fn a_resumed_run_has_all_its_rows() {
    let scratch = Scratch::new("resumed");
    let whole = scenario("henon-heiles", &[("end", "400")]);
    let mut looks = 0;
    let mut end_early = |_: &Progress| {
        looks += 1;
        if looks > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let broken = run::gather(&whole, Some(&scratch.0), false, &mut end_early).unwrap();
    let resumed = run::gather(&whole, Some(&scratch.0), true, &mut go_on).unwrap();
    let unbroken = run::gather(&whole, None, false, &mut go_on).unwrap();
    let (resumed, unbroken) = (resumed.in_memory.series.unwrap(), unbroken.in_memory.series.unwrap());
    assert_eq!(bits(&resumed), bits(&unbroken));
    if broken.interrupted {
        assert!(broken.in_memory.series.unwrap().numbers.len() < unbroken.numbers.len());
    }
    // Once more: nothing is left to do, and its rows are still there.
    let over = run::gather(&whole, Some(&scratch.0), true, &mut go_on).unwrap();
    assert_eq!(bits(&over.in_memory.series.unwrap()), bits(&unbroken));
}

//! What is looked at before the first run: every scenario is read, some are built, and all that decides the bits of the
//! sweep becomes a number.

use super::drive::{SweepProgress, SweepWatch, workers};
use super::{Sweep, SweepOptions};
use crate::run;
use crate::scenario::claim::Relation;
use crate::scenario::{Claim, Place, Scenario, Text};
use stationary::error::{Diagnostic, Error, Source};
use stationary::interrupt;
use stationary_report::checkpoint::identity;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Refuses a sweep with a scenario that is wrong, and returns its identity; none if the watcher ended it.
///
/// Reading finds misspelt keys and values out of range. Building finds the rest, but takes as long as a short run does: it
/// is done for the values that people type one by one.
pub(super) fn check(
    sweep: &Sweep,
    options: &SweepOptions,
    watch: &mut SweepWatch<'_>,
) -> Result<Option<u64>, Error> {
    let next = AtomicUsize::new(0);
    let stop: Arc<AtomicBool> = Arc::default();
    let first_fault: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let meshes: Mutex<BTreeMap<String, u64>> = Mutex::default();
    let built = sweep.plan.probes();
    let fault = || first_fault.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        while !stop.load(Ordering::Relaxed) {
            let run = next.fetch_add(1, Ordering::Relaxed);
            // Numbers are given out in order: all before the first fault are looked at, whatever the threads do.
            if run >= sweep.plan.len() || fault().as_ref().is_some_and(|(other, _)| *other < run) {
                return;
            }
            let asked = Arc::clone(&stop);
            let question = Rc::new(move || asked.load(Ordering::Relaxed));
            let plots = built.contains(&run).then_some(&options.plots);
            let looked = interrupt::listen(question, || look(sweep, run, &meshes, plots));
            if let Err(Error::Interrupted) = looked {
                return;
            }
            if let Err(error) = looked {
                let mut known = fault();
                if known.as_ref().is_none_or(|(other, _)| run < *other) {
                    *known = Some((run, error));
                }
            }
        }
    };
    let progress = SweepProgress { runs: sweep.plan.len(), done: 0, resumed: 0, amiss: 0, under_way: 0.0 };
    let mut meanwhile = || {
        if watch(&progress).is_break() {
            stop.store(true, Ordering::Relaxed);
        }
    };
    workers(options.jobs.min(sweep.plan.len()), work, &mut meanwhile)?;
    if let Some((_, error)) = first_fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    Ok(Some(identify(sweep, options, &meshes.into_inner().unwrap_or_else(PoisonError::into_inner))))
}

/// Reads the scenario of a run, and the files that it names; builds it if there are keys to plot given.
fn look(
    sweep: &Sweep,
    run: usize,
    meshes: &Mutex<BTreeMap<String, u64>>,
    plots: Option<&Vec<String>>,
) -> Result<(), Error> {
    let mut scenario = sweep.scenario(run)?;
    if let Some(name) = scenario.system.file() {
        let known = || meshes.lock().unwrap_or_else(PoisonError::into_inner);
        if !known().contains_key(name) {
            let bytes = scenario.system.file_bytes(&scenario).map_err(|error| sweep.named(run, error))?;
            known().insert(name.to_string(), identity(&[&bytes]));
        }
    }
    let Some(plots) = plots else { return Ok(()) };
    run::check(&scenario).map_err(|error| sweep.named(run, error))?;
    if run == 0 {
        plots.iter().try_for_each(|key| plottable(&mut scenario, key))?;
    }
    Ok(())
}

/// Refuses a key that the summary does not have. What can be claimed can be plotted.
fn plottable(scenario: &mut Scenario, key: &str) -> Result<(), Error> {
    let source = Arc::new(Source { name: "--plot".into(), text: key.to_string() });
    let place = Place { source, span: 0..key.len() };
    let text = Text { text: key.to_string(), place, index: None };
    scenario.claims = vec![Claim { text, path: key.to_string(), relation: Relation::AtMost, bound: 0.0 }];
    run::check(scenario).map(|_| ()).map_err(|error| match error {
        Error::Input(d) => {
            let message = d.message.replace("a claim about nothing", "a plot of nothing");
            let message = message.replace("a claim needs a number", "a plot needs a number");
            Diagnostic { message, ..*d }.into()
        }
        other => other,
    })
}

/// A number for all that decides the bits of a sweep.
fn identify(sweep: &Sweep, options: &SweepOptions, meshes: &BTreeMap<String, u64>) -> u64 {
    let mut parts: Vec<Vec<u8>> = vec![
        env!("CARGO_PKG_VERSION").into(),
        sweep.template.name().into(),
        sweep.template.text().into(),
        vec![u8::from(options.keep)],
    ];
    let mut add = |text: &str| parts.push(text.into());
    for (key, value) in &sweep.set {
        add(key);
        add(value);
    }
    for factor in sweep.plan.factors() {
        add(&format!("{} x {}", factor.keys.len(), factor.rows.len()));
        factor.keys.iter().chain(factor.rows.iter().flatten()).for_each(|text| add(text));
    }
    for (name, bytes) in meshes {
        add(name);
        add(&bytes.to_string());
    }
    identity(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

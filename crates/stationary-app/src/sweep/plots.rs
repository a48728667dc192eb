//! The pictures of a sweep: a number of the summaries over what varies.

use super::plan::{Factor, Plan};
use super::table::{Ending, Row, SweepTable};
use super::text::clip;
use stationary::formula::{Scope, evaluate_constant};
use stationary_report::html::PLOT_SIZE;
use stationary_report::plot::{HeatMap, Plot};

/// As many lines can be told apart; a factor of more values is an axis.
const LINES: usize = 6;

/// A drawing of one key and its caption; none for a sweep of one run.
///
/// Over one key it is a line, over two a line for each value of the shorter, or a heat map. Lists and more keys have no axis
/// of their own and are drawn over the number of the run.
pub(super) fn plot(plan: &Plan, table: &SweepTable, key: &str) -> Option<(String, String)> {
    let axes: Vec<usize> = (0..plan.factors().len()).filter(|f| rows(plan, *f) > 1).collect();
    let single = axes.iter().all(|f| plan.factors()[*f].keys.len() == 1);
    let name = |f: usize| plan.factors()[f].keys[0].as_str();
    let (svg, caption) = match axes[..] {
        [] => return None,
        [axis] if single => (lines(plan, table, key, (axis, None)), format!("Over {}.", name(axis))),
        [a, b] if single => {
            let (long, few) = if rows(plan, a) < rows(plan, b) { (b, a) } else { (a, b) };
            match rows(plan, few) <= LINES {
                true => {
                    let svg = lines(plan, table, key, (long, Some(few)));
                    (svg, format!("Over {}, a line for each {}.", name(long), name(few)))
                }
                false => (heat(plan, table, key, [a, b]), format!("Over {} and {}.", name(b), name(a))),
            }
        }
        _ => (by_number(plan, table, key), "Over the runs in their order.".to_string()),
    };
    let cut = table.rows().iter().filter(|row| drawn(row, key).is_none()).count();
    let without = match cut {
        0 => "",
        1 => " One run has no value, or stopped early, and is left out.",
        n => &format!(" {n} runs have no value, or stopped early, and are left out."),
    };
    Some((svg, caption + without))
}

fn rows(plan: &Plan, factor: usize) -> usize {
    plan.factors()[factor].rows.len()
}

/// The value of a run that reached its end.
fn drawn(row: &Row, key: &str) -> Option<f64> {
    if matches!(row.ending, Ending::Stopped | Ending::Refused) { None } else { row.value(key) }
}

/// The values of a factor as numbers; the numbers of its rows, if some are words.
fn numbers(factor: &Factor) -> (Vec<f64>, bool) {
    let value = |row: &Vec<String>| evaluate_constant(&row[0], &Scope::new()).ok().filter(|x| x.is_finite());
    match factor.rows.iter().map(value).collect::<Option<Vec<f64>>>() {
        Some(numbers) => (numbers, true),
        None => ((1..=factor.rows.len()).map(|i| i as f64).collect(), false),
    }
}

/// A line along one factor, or one for each row of another.
fn lines(plan: &Plan, table: &SweepTable, key: &str, (along, apart): (usize, Option<usize>)) -> String {
    let factor = &plan.factors()[along];
    let (x, numeric) = numbers(factor);
    let count = apart.map_or(1, |f| rows(plan, f));
    let mut all: Vec<Vec<(f64, f64)>> = vec![Vec::new(); count];
    for row in table.rows() {
        let at = plan.rows(row.run);
        let y = drawn(row, key).unwrap_or(f64::NAN);
        all[apart.map_or(0, |f| at[f])].push((x[at[along]], y));
    }
    let words = |i: usize| format!("{} {}", i + 1, clip(&factor.rows[i][0], 24));
    let label = match numeric {
        true => factor.keys[0].clone(),
        false => {
            format!("{}: {}", factor.keys[0], (0..x.len().min(8)).map(words).collect::<Vec<_>>().join(", "))
        }
    };
    let mut plot = Plot::new(key).x_label(label).y_label(last(key));
    if numeric && spread(&x) {
        plot = plot.log_x();
    }
    let known = all.iter().flatten().map(|p| p.1).filter(|y| !y.is_nan()).collect::<Vec<_>>();
    if wide(&known) {
        plot = plot.log_y();
    }
    for (i, mut points) in all.into_iter().enumerate() {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let name = apart.map_or(last(key).to_string(), |f| {
            format!("{} = {}", last(&plan.factors()[f].keys[0]), short(&plan.factors()[f].rows[i][0]))
        });
        // A line does not run across a run that has no value.
        for piece in points.split(|p| p.1.is_nan()).filter(|piece| !piece.is_empty()) {
            let (x, y): (Vec<f64>, Vec<f64>) = piece.iter().copied().unzip();
            plot = if numeric { plot.line(&name, &x, &y) } else { plot };
            plot = if !numeric || points.len() <= 60 { plot.points(&name, &x, &y) } else { plot };
        }
    }
    plot.to_svg(PLOT_SIZE.0, PLOT_SIZE.1)
}

fn heat(plan: &Plan, table: &SweepTable, key: &str, [up, along]: [usize; 2]) -> String {
    let axis = |f: usize| {
        let factor = &plan.factors()[f];
        (factor.keys[0].clone(), factor.rows.iter().map(|row| short(&row[0])).collect::<Vec<_>>())
    };
    let (x, y) = (axis(along), axis(up));
    let mut values = vec![f64::NAN; x.1.len() * y.1.len()];
    for row in table.rows() {
        let at = plan.rows(row.run);
        values[at[up] * x.1.len() + at[along]] = drawn(row, key).unwrap_or(f64::NAN);
    }
    let known: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    let map = HeatMap { title: key.to_string(), x, y, log: wide(&known), values, notes: Vec::new() };
    map.to_svg(PLOT_SIZE.0, PLOT_SIZE.1)
}

fn by_number(plan: &Plan, table: &SweepTable, key: &str) -> String {
    let (x, y): (Vec<f64>, Vec<f64>) =
        table.rows().iter().filter_map(|row| Some(((row.run + 1) as f64, drawn(row, key)?))).unzip();
    let mut plot = Plot::new(key).x_label(format!("run, of {}", plan.len())).y_label(last(key));
    if wide(&y) {
        plot = plot.log_y();
    }
    plot.points(last(key), &x, &y).to_svg(PLOT_SIZE.0, PLOT_SIZE.1)
}

/// Whether values are better told apart by their logarithms: all positive, over two orders of magnitude.
fn wide(values: &[f64]) -> bool {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    least > 0.0 && most > 100.0 * least
}

/// Whether values were spread over a logarithmic axis: their middle one is nearer to the geometric mean of the ends.
fn spread(values: &[f64]) -> bool {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (least, most, middle) = (sorted[0], sorted[sorted.len() - 1], sorted[sorted.len() / 2]);
    least > 0.0
        && most > 10.0 * least
        && sorted.len() > 2
        && middle < 0.5 * ((least * most).sqrt() + 0.5 * (least + most))
}

/// The part of a dotted key that says most.
fn last(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// A value as people read it: a number with four digits, or its text.
pub(super) fn short(value: &str) -> String {
    match value.parse::<f64>() {
        Ok(x) if x.is_finite() => {
            let rounded: f64 = format!("{x:.3e}").parse().unwrap_or(x);
            if rounded == 0.0 || (1e-3..1e5).contains(&rounded.abs()) {
                format!("{rounded}")
            } else {
                format!("{rounded:e}")
            }
        }
        _ => clip(value, 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_follow_the_values() {
        assert!(wide(&[1e-6, 1e-3]) && !wide(&[0.0, 1e-3]) && !wide(&[1.0, 50.0]) && !wide(&[]));
        assert!(spread(&[1e-3, 1e-2, 0.1, 1.0]) && !spread(&[0.01, 0.5, 1.0]) && !spread(&[0.0, 1e-3, 1.0]));
        assert_eq!(
            ["0.30000000000000004", "1e-7", "verlet", "100"].map(short),
            ["0.3", "1e-7", "verlet", "100"]
        );
    }
}

//! Chains of many springs under every rule: exact growth of linear ones, long runs of free steps and of stiffening springs.

use super::chain::{Chain, Kind};
use super::{Clock, Random, saving, start};
use crate::solids::larger;
use crate::{Claim, Outcome, Scale, side_by_side};
use stationary::integrate::avi::Buffer;
use stationary::model::solid::MassSplit;
use stationary_report::plot::Plot;
use std::sync::Arc;

/// A way to make harmonic steps and to use them.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// In words.
    pub name: &'static str,
    /// Where steps of unequal length meet.
    pub buffer: Buffer,
    /// When elements fire.
    pub clock: Clock,
    /// Whether slow springs see averaged positions.
    pub mollified: bool,
}

const fn rule(name: &'static str, buffer: Buffer, clock: Clock, mollified: bool) -> Rule {
    Rule { name, buffer, clock, mollified }
}

/// The rules compared.
pub const RULES: [Rule; 8] = [
    rule("none", Buffer::None, Clock::Ends, false),
    rule("none, middles", Buffer::None, Clock::Middles, false),
    rule("jump", Buffer::Jump, Clock::Ends, false),
    rule("jump, mollified", Buffer::Jump, Clock::Ends, true),
    rule("jump, middles", Buffer::Jump, Clock::Middles, false),
    rule("jump, middles, mollified", Buffer::Jump, Clock::Middles, true),
    rule("ring", Buffer::Ring, Clock::Ends, false),
    rule("ring, middles", Buffer::Ring, Clock::Middles, false),
];

/// Periods of the largest step after which growth is looked for: 2 to this power.
const DOUBLINGS: u32 = 18;

/// The growth for each smallest step, nought where bounded.
fn growth(chain: &Chain, rule: Rule, fraction: f64, split: MassSplit) -> f64 {
    let step = chain.steps(fraction, split, rule.buffer);
    let (base, largest) = step.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), h| (a.min(*h), b.max(*h)));
    let rate = chain.growth(&step, rule.clock, rule.mollified, DOUBLINGS);
    // Bounded powers of a matrix change by no more than its condition from one squaring to the next.
    let bounded = rate * largest / base * f64::from(DOUBLINGS - 1).exp2() < 6.0;
    if bounded { 0.0 } else { rate }
}

/// Unstable ones of some chains, the largest growth, and the mean saving of events.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    unstable: usize,
    worst: f64,
    saving: f64,
}

fn tally(chains: &[Chain], rule: Rule, fraction: f64, split: MassSplit) -> Tally {
    let mut tally = Tally::default();
    for chain in chains {
        let rate = growth(chain, rule, fraction, split);
        tally.unstable += usize::from(!(rate <= 0.0));
        tally.worst = larger(tally.worst, rate);
        let least = chain.limits(split).iter().copied().fold(f64::INFINITY, f64::min);
        let step = chain.steps(fraction, split, rule.buffer);
        // Against one step for all at its whole limit.
        tally.saving += saving(least, &step) / chains.len() as f64;
    }
    tally
}

/// The energy at the end over the first, of a chain set in motion by lot, after so many of the smallest steps.
fn run_long(chain: Chain, clock: Clock, step: Vec<f64>, updates: f64) -> f64 {
    let nodes = chain.mass.len();
    let mut random = Random::new(11);
    let mut v = vec![0.0; 3 * nodes];
    (1..nodes - 1).for_each(|a| v[3 * a] = 2.0 * random.next() - 1.0);
    let mut mass = chain.mass.clone();
    (mass[0], mass[nodes - 1]) = (1e300, 1e300);
    let least = step.iter().copied().fold(f64::INFINITY, f64::min);
    let Ok(mut run) = start(&Arc::new(chain), clock, (vec![0.0; 3 * nodes], v), mass, step) else {
        return f64::INFINITY;
    };
    let mut energies = Vec::new();
    for i in 0..=20 {
        let shot = run.advance(updates * least * f64::from(i) / 20.0).and_then(|()| run.snapshot());
        // A chain that broke has all the energy there is.
        energies.push(shot.map_or(f64::INFINITY, |s| s.kinetic + s.potential));
    }
    energies[1..].iter().copied().fold(0.0, larger) / energies[0]
}

const SPLITS: [(MassSplit, &str); 2] = [(MassSplit::Stiffness, "stiffness"), (MassSplit::Own, "even")];

fn linear(scale: Scale, table: &mut Vec<String>) -> Vec<Tally> {
    let (count, seeds) = scale.pick((30, 2), (60, 4));
    let fractions: &[f64] = scale.pick(&[0.5, 0.8], &[0.5, 0.7, 0.8, 0.9]);
    let mut held = Vec::new();
    for (split, named) in SPLITS {
        for kind in Kind::ALL {
            let chains: Vec<Chain> = (0..seeds).map(|seed| Chain::of(kind, count, seed + 1)).collect();
            table.push(format!("{count} springs, {}, {named} split: unstable of {seeds} (largest growth a step) at {fractions:?}", kind.name()));
            for rule in RULES {
                let row: Vec<Tally> = fractions.iter().map(|f| tally(&chains, rule, *f, split)).collect();
                let cells: Vec<String> =
                    row.iter().map(|t| format!("{} ({:.0e})", t.unstable, t.worst)).collect();
                let worth = row[0].saving / fractions[0];
                table.push(format!("  {:<26} {:<60} saving {worth:.2}", rule.name, cells.join("  ")));
                if rule.name == "jump, middles" && split == MassSplit::Stiffness {
                    held.extend(row.iter().zip(fractions).filter(|(_, f)| **f <= 0.8).map(|(t, _)| *t));
                }
            }
        }
    }
    held
}

/// Chains by lot: the part that is unstable.
fn by_lot(scale: Scale, split: MassSplit, fractions: &[f64]) -> Vec<Vec<Tally>> {
    let count = scale.pick(60, 400);
    let mut random = Random::new(17);
    let chains: Vec<Chain> = (0..count).map(|_| Chain::by_lot(&mut random)).collect();
    RULES.iter().map(|rule| fractions.iter().map(|f| tally(&chains, *rule, *f, split)).collect()).collect()
}

fn free(scale: Scale, table: &mut Vec<String>) -> Plot {
    let (count, seeds, updates) = scale.pick((30, 1, 5e3), (100, 1, 1e5));
    let fractions: &[f64] = scale.pick(&[0.2, 0.8], &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8]);
    let mut plot = Plot::new("Free steps: growth of the energy of chains")
        .x_label("fraction of the limits")
        .y_label("growth rate of the energy a smallest step")
        .log_y();
    for (split, named) in SPLITS {
        for kind in Kind::ALL {
            let (mut at, mut rates) = (Vec::new(), Vec::new());
            for f in fractions {
                let mut worst = 0.0;
                for seed in 0..seeds {
                    let chain = Chain::of(kind, count, seed + 1);
                    let step = chain.limits(split).iter().map(|h| f * h).collect();
                    worst = larger(worst, run_long(chain, Clock::Ends, step, updates));
                }
                at.push(*f);
                rates.push(worst);
            }
            let cells: Vec<String> = at.iter().zip(&rates).map(|(f, e)| format!("{f}: {e:.3e}")).collect();
            table.push(format!(
                "free, {}, {named} split, largest energy over the first in {updates:.0e} smallest steps: {}",
                kind.name(),
                cells.join(", ")
            ));
            if split == MassSplit::Stiffness {
                let rate: Vec<f64> = rates.iter().map(|e| e.ln().clamp(1e-4, 700.0) / updates).collect();
                plot = plot.line(kind.name(), &at, &rate);
            }
        }
    }
    plot.note(format!("at least {:.0e} is shown; energies that overflow count as e^700", 1e-4 / updates))
}

fn stiffening(scale: Scale, table: &mut Vec<String>) -> f64 {
    let (count, seeds, updates) = scale.pick((30, 1, 5e3), (100, 2, 2e4));
    let mut held = 0.0;
    for rule in [RULES[0], RULES[4], RULES[6]] {
        for kind in [Kind::Smooth, Kind::Abrupt] {
            let mut cells = Vec::new();
            for f in [0.5, 0.7, 0.8] {
                let mut worst = 0.0;
                for seed in 0..seeds {
                    let mut chain = Chain::of(kind, count, seed + 1);
                    chain.stiffening = 0.1;
                    let step = chain.steps(f, MassSplit::Stiffness, rule.buffer);
                    worst = larger(worst, run_long(chain, rule.clock, step, updates));
                }
                cells.push(format!("{f}: {worst:.4}"));
                if rule.name == "jump, middles" && f < 0.75 {
                    held = larger(held, worst);
                }
            }
            table.push(format!(
                "stiffening, {}, {}: largest energy over the first in {updates:.0e} smallest steps: {}",
                kind.name(),
                rule.name,
                cells.join(", ")
            ));
        }
    }
    held
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let mut table = Vec::new();
    let held = linear(scale, &mut table);
    let fractions: &[f64] = scale.pick(&[0.5, 0.8], &[0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]);
    let lots = by_lot(scale, MassSplit::Stiffness, fractions);
    let mut plot = Plot::new("Chains by lot that grow, stiffness split")
        .x_label("fraction of the limits")
        .y_label("unstable chains in a hundred");
    let count = scale.pick(60.0, 400.0);
    for (split, named) in SPLITS {
        let tallies =
            if split == MassSplit::Stiffness { lots.clone() } else { by_lot(scale, split, fractions) };
        table.push(format!(
            "{count} chains of 3 to 12 springs by lot, {named} split: unstable at {fractions:?}"
        ));
        for (rule, row) in RULES.iter().zip(&tallies) {
            let cells: Vec<String> = row.iter().map(|t| format!("{}", t.unstable)).collect();
            let worst = row.iter().map(|t| t.worst).fold(0.0, larger);
            table.push(format!(
                "  {:<26} {}   largest growth {worst:.1e}, saving at equal fraction {:.2}",
                rule.name,
                cells.join(" "),
                row[0].saving / fractions[0]
            ));
            if split == MassSplit::Stiffness {
                let part: Vec<f64> = row.iter().map(|t| 100.0 * t.unstable as f64 / count).collect();
                plot = plot.line(rule.name, fractions, &part);
            }
        }
    }
    let free_plot = free(scale, &mut table);
    let stiff = stiffening(scale, &mut table);
    let at = fractions.iter().position(|f| *f == 0.8).unwrap_or(0);
    let sum = |i: usize| lots[i][..=at].iter().map(|t| t.unstable).sum::<usize>() as f64;
    let claims = vec![
        Claim::below(
            "jump, middles up to 0.8, stiffness split: unstable chains of the four kinds",
            held.iter().map(|t| t.unstable).sum::<usize>() as f64,
            0.5,
        ),
        Claim::below("jump, middles up to 0.8: unstable chains by lot, in all", sum(4) / count, 0.005),
        Claim::below("jump, middles: no more of them than with ends", sum(4) - sum(2), 0.5),
        Claim::below("stiffening, jump, middles up to 0.7: largest energy over the first", stiff, 1.5),
    ];
    let plots = [plot.to_svg(560, 420), free_plot.to_svg(560, 420)];
    Ok(Outcome { plot: side_by_side(&plots, 560, 420), table, claims })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resonance_chains_claims_hold() {
        let outcome = run(Scale::Reduced).unwrap();
        outcome.claims.iter().for_each(|claim| assert!(claim.holds(), "{claim}"));
        // The even split without a buffer does grow: the count can tell.
        let chains: Vec<Chain> = (0..12).map(|seed| Chain::of(Kind::Abrupt, 60, seed + 1)).collect();
        assert!(tally(&chains, RULES[0], 0.8, MassSplit::Own).unstable > 0);
    }
}

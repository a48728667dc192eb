//! Two springs on one mass, each with a step of its own: exactly.
//!
//! The fast spring has a part `a` of the mass, the slow one the rest, and both step at the same fraction `f` of their limits
//! `2/omega`. In units of the fast step the slow one is the ratio `r`.

use super::Clock;
use crate::{Claim, Outcome, Scale, side_by_side};
use stationary_report::plot::Plot;
use std::f64::consts::PI;

/// Two springs: `kappa = (omega step / 2)^2` of each alone on the whole mass, and the ratio `p / q` of the steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Of the fast one: `sin^2(theta / 2)` of its phase `theta` for a step.
    pub fast: f64,
    /// Of the slow one.
    pub slow: f64,
    /// Numerator and denominator of slow over fast step.
    pub ratio: (u64, u64),
}

impl Pair {
    /// Both at a fraction of the limits that a split of the mass gives them.
    pub fn at(fraction: f64, share: f64, ratio: (u64, u64)) -> Self {
        let square = fraction * fraction;
        Pair { fast: square * share, slow: square * (1.0 - share), ratio }
    }

    /// Half the trace of the propagator over the common period of `p` fast and `q` slow steps.
    pub fn half_trace(&self, clock: Clock) -> f64 {
        let (p, q) = self.ratio;
        let r = p as f64 / q as f64;
        // Kicks of a spring: stiffness times step. The fast step is 1, the unit of time 1 / 2q.
        let kick = [4.0 * self.fast, 4.0 * self.slow / r];
        let every = [2 * q, 2 * p];
        let mut next = match clock {
            Clock::Ends => every,
            Clock::Middles => [q, p],
        };
        let mut m = [[1.0, 0.0], [0.0, 1.0]];
        let mut now = 0;
        let mut drift = |m: &mut [[f64; 2]; 2], to: u64| {
            let h = (to - now) as f64 / (2 * q) as f64;
            now = to;
            (0..2).for_each(|i| m[0][i] += h * m[1][i]);
        };
        while next[0].min(next[1]) <= 2 * q * p {
            let which = usize::from(next[1] < next[0]);
            drift(&mut m, next[which]);
            (0..2).for_each(|i| m[1][i] -= kick[which] * m[0][i]);
            next[which] += every[which];
        }
        drift(&mut m, 2 * q * p);
        0.5 * (m[0][0] + m[1][1])
    }

    /// The growth for each fast step: the modulus of the largest eigenvalue has this logarithm.
    pub fn growth(&self, clock: Clock) -> f64 {
        self.half_trace(clock).abs().max(1.0).acosh() / self.ratio.0 as f64
    }
}

/// The fraction at which the first tongue of a whole ratio begins: `slow < (r/2) sin(theta) / tan(r theta / 2)` ends, in the
/// middle of steps with `cos^2(theta / 2)` at the left side.
pub fn first_tongue(share: f64, ratio: u64, clock: Clock) -> f64 {
    let r = ratio as f64;
    let inside = |f: f64| {
        let theta = 2.0 * (f * share.sqrt()).asin();
        let seen = match clock {
            Clock::Ends => 1.0,
            Clock::Middles => (0.5 * theta).cos().powi(2),
        };
        r * theta < PI && f * f * (1.0 - share) * seen < 0.5 * r * theta.sin() / (0.5 * r * theta).tan()
    };
    edge(inside)
}

/// Where a condition that holds near 0 first fails below 1.
fn edge(inside: impl Fn(f64) -> bool) -> f64 {
    const GRID: u32 = 4000;
    let fails = (1..=GRID).map(|i| f64::from(i) / f64::from(GRID)).find(|f| !inside(*f)).unwrap_or(1.0);
    let (mut low, mut high) = (fails - 1.0 / f64::from(GRID), fails);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if inside(middle) { low = middle } else { high = middle }
    }
    low
}

/// The part of `x(t)^2` that turns by `2 theta + 2 pi m` in a step, if `x` turns by `theta` from step to step and goes straight in
/// between: its sidebands are `sinc^2`.
fn sideband(theta: f64, m: i32) -> f64 {
    let one = |m: i32| {
        let half = 0.5 * theta + PI * f64::from(m);
        ((0.5 * theta).sin() / half).powi(2)
    };
    (-200..=200).map(|i| one(i) * one(m - i)).sum()
}

/// The largest growth for each fast step in the tongue where `theta = pi (k/r - m)`, for a weak slow spring:
/// `2 slow |b| / (r^2 sin theta)` with `b` the [`sideband`].
pub fn peak(slow: f64, r: f64, theta: f64, m: i32) -> f64 {
    2.0 * slow * sideband(theta, m).abs() / (r * r * theta.sin())
}

/// A convergent of the golden ratio: what follows holds for the ratio itself but for sidebands beyond the 34th.
const GOLDEN: (u64, u64) = (55, 34);

/// Measured over predicted peak of the tongue `(k, m)` at the golden ratio, and its place `f sqrt(a)`.
fn golden(k: u32, m: i32, slow: f64) -> (f64, f64) {
    let r = GOLDEN.0 as f64 / GOLDEN.1 as f64;
    let theta = PI * (f64::from(k) / r - f64::from(m));
    let width = 4.0 * peak(slow, r, theta, m) + 4.0 * slow / (r * r * theta.sin());
    let growth =
        |theta: f64| Pair { fast: (0.5 * theta).sin().powi(2), slow, ratio: GOLDEN }.growth(Clock::Ends);
    let measured = (0..=4000).map(|i| growth(theta - width * f64::from(i) / 4000.0)).fold(0.0, f64::max);
    (measured / peak(slow, r, theta, m), (0.5 * theta).sin())
}

/// Fractions, ratios and growth of all pairs of a grid that grow, and how many pairs there are.
fn map(share: f64, clock: Clock, cells: u32) -> ([Vec<f64>; 3], u32) {
    let mut unstable = [const { Vec::new() }; 3];
    let parts = 16;
    for p in parts..=5 * parts {
        for i in 1..=cells {
            let f = f64::from(i) / f64::from(cells);
            let growth = Pair::at(f, share, (p, parts)).growth(clock);
            if growth > 0.0 {
                let row = [f, p as f64 / parts as f64, growth];
                unstable.iter_mut().zip(row).for_each(|(column, x)| column.push(x));
            }
        }
    }
    (unstable, cells * (4 * parts as u32 + 1))
}

fn drawn(share: f64, clock: Clock, [f, r, growth]: &[Vec<f64>; 3]) -> Plot {
    let mut plot = Plot::new(format!("Two springs, events at the {} of steps", clock.name()))
        .x_label("fraction of both limits")
        .y_label("ratio of the steps");
    for (name, low, high) in [("growth below 0.01", 0.0, 0.01), ("to 0.1", 0.01, 0.1), ("above", 0.1, 1e9)] {
        let of = |x: &[f64]| -> Vec<f64> {
            let some = x.iter().zip(growth).filter(|(_, g)| **g >= low && **g < high);
            some.map(|(x, _)| *x).collect()
        };
        plot = plot.points(name, &of(f), &of(r));
    }
    for (k, m) in [(1, 0), (2, 0), (2, 1), (3, 1), (4, 2)] {
        let at = |r: f64| (0.5 * PI * (f64::from(k) / r - f64::from(m))).sin() / share.sqrt();
        let ratios = (100..=500).map(|i| f64::from(i) / 100.0);
        let (x, y): (Vec<f64>, Vec<f64>) = ratios
            .filter(|r| (0.0..1.0).contains(&(f64::from(k) / r - f64::from(m))))
            .map(|r| (at(r), r))
            .filter(|(f, _)| *f < 1.0)
            .unzip();
        plot = plot.dashed_line(format!("k = {k}, m = {m}"), &x, &y);
    }
    plot.note("dashed: theta = pi (k/r - m) of the fast spring alone, from where tongues reach to the left")
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    const SHARE: f64 = 0.5;
    let maps = [Clock::Ends, Clock::Middles].map(|clock| map(SHARE, clock, scale.pick(50, 150)));
    let unstable = [0, 1].map(|i| maps[i].0[0].len());
    let mut table =
        vec![format!("unstable of {} pairs: ends {}, middles {}", maps[0].1, unstable[0], unstable[1])];
    let mut worst = 0.0_f64;
    let mut first = Vec::new();
    for ratio in [2, 4, 8] {
        for clock in [Clock::Ends, Clock::Middles] {
            for share in [0.3, 0.5, 0.9] {
                let computed = edge(|f| Pair::at(f, share, (ratio, 1)).half_trace(clock).abs() <= 1.0);
                let theory = first_tongue(share, ratio, clock);
                worst = worst.max((computed - theory).abs());
                if share == SHARE {
                    first.push(theory);
                    let (r, none) = (ratio as f64, (0.5 * PI / ratio as f64).sin());
                    table.push(format!(
                        "ratio {r} {:<8} first tongue from f = {theory:.4} (computed {computed:.4}); no mode at all below {none:.4}",
                        clock.name()
                    ));
                }
            }
        }
    }
    let tongues = [(1, 0), (2, 1), (3, 1), (4, 2)].map(|(k, m)| golden(k, m, 0.002));
    for (quotient, place) in &tongues {
        table.push(format!(
            "golden ratio, tongue at omega h / 2 = {place:.3}: peak growth over sideband theory {quotient:.3}"
        ));
    }
    let off = tongues.iter().map(|(q, _)| (q - 1.0).abs()).fold(0.0, crate::solids::larger);
    let claims = vec![
        Claim::below("first tongue of ratios 2, 4, 8, computed less predicted", worst, 1e-6),
        Claim::below("peak growth at the golden ratio, over predicted, less one", off, 0.1),
        Claim::above("ratio 2, first tongue in the middle over that at the ends", first[1] / first[0], 1.05),
        Claim::below("unstable pairs, middles over ends", unstable[1] as f64 / unstable[0] as f64, 1.0),
    ];
    let plots = [(Clock::Ends, &maps[0].0), (Clock::Middles, &maps[1].0)]
        .map(|(clock, map)| drawn(SHARE, clock, map).to_svg(520, 460));
    Ok(Outcome { plot: side_by_side(&plots, 520, 460), table, claims })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resonance_pair_claims_hold() {
        let outcome = run(Scale::Reduced).unwrap();
        outcome.claims.iter().for_each(|claim| assert!(claim.holds(), "{claim}"));
    }

    #[test]
    fn stability_limits_of_a_pair_of_springs_agree_with_known_values() {
        // Equal steps: stable up to the limit of the sum.
        let one =
            |total: f64, clock| Pair { fast: 0.4 * total, slow: 0.6 * total, ratio: (1, 1) }.growth(clock);
        for clock in [Clock::Ends, Clock::Middles] {
            assert!(one(0.999, clock) == 0.0 && one(1.001, clock) > 0.0);
        }
        // Ratio two at the ends: fast + fast + slow < 1.
        let two = |slow: f64| Pair { fast: 0.3, slow, ratio: (2, 1) }.growth(Clock::Ends);
        assert!(two(0.3999) == 0.0 && two(0.4001) > 0.0);
        // In the middle: slow < (1 - 2 fast) / (1 - fast).
        let two = |slow: f64| Pair { fast: 0.3, slow, ratio: (2, 1) }.growth(Clock::Middles);
        assert!(two(0.571) == 0.0 && two(0.572) > 0.0);
        // All sidebands of a kick at the same time as the fast ones add up to the whole.
        let all: f64 = (-500..=500).map(|m| sideband(0.9, m)).sum();
        assert!((all - 1.0).abs() < 1e-3, "{all}");
    }
}

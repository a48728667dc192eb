//! Newton's method for the unknown nodes of a step, with factors that serve as long as they are good.
//!
//! `A^-1 M (y - known) = h^2 f(x0 + y)`. A solve costs little, factors cost much: those at hand, also of earlier steps, are
//! kept as long as every correction is a fifth of the one before. They are of the exact second derivatives in one configuration,
//! the anchor, which belongs to the state: factored there again, a restored run goes on to the bit.

use super::assembly::{Anchor, Matrix, Pattern};
use super::factor::Factors;
use super::table::Table;
use super::{Body, SparseCause};
use crate::interrupt;
use crate::linalg::{NewtonProgress, Verdict, max_abs};
use crate::model::Structure;

/// Iterations before a step is given up.
const LIMIT: usize = 60;
/// Factors are made anew when a correction is more than this part of the one before.
const SLOW: f64 = 0.2;
/// Halvings of a correction that leads to where an element has no energy.
const HALVINGS: usize = 12;
/// Multiples of the rounding of positions that a residual which no longer falls may be.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// The unknowns and what their solution needs.
pub(super) struct Newton {
    h: f64,
    tolerance: f64,
    matrix: Matrix,
    factors: Factors,
    pub anchor: Option<Anchor>,
    /// Increments of the unknown nodes, all components.
    y: Vec<f64>,
    /// Increments where all elements have energy: where a correction starts from.
    good: Vec<f64>,
    known: Vec<f64>,
    delta: Vec<f64>,
    width: usize,
    pub iterations: u64,
    pub factorizations: u64,
    /// What to go back to when the present step is given up: both counts, and the anchor where it was replaced.
    before: ([u64; 2], Option<Option<Anchor>>),
    /// Whether the factors are not those of the anchor.
    stale: bool,
}

/// The step to be solved.
#[derive(Clone, Copy)]
pub(super) struct Problem<'a> {
    pub x: &'a [f64],
    pub v: &'a [f64],
    /// Increments of the last step.
    pub last: &'a [f64],
    /// Of the unknown nodes.
    pub times: &'a [f64],
    /// The same since the start of the step.
    pub ahead: &'a [f64],
}

impl Newton {
    pub fn new(structure: &impl Structure, table: &Table, h: f64, tolerance: f64) -> Self {
        let width = 3 * structure.mass().len();
        let k = table.unknowns();
        let matrix = Matrix::new(Pattern::new(structure, k), &table.inverse, h);
        Newton {
            h,
            tolerance,
            delta: vec![0.0; matrix.pattern.len()],
            matrix,
            factors: Factors::default(),
            anchor: None,
            y: vec![0.0; k * width],
            good: vec![0.0; k * width],
            known: vec![0.0; k * width],
            width,
            iterations: 0,
            factorizations: 0,
            before: ([0; 2], None),
            stale: false,
        }
    }

    /// Increments of the unknown nodes, one after the other.
    pub fn increments(&self) -> impl Iterator<Item = &[f64]> {
        self.y.chunks_exact(self.width)
    }

    /// Finds the increments, and the forces there.
    pub fn solve<S: Structure>(
        &mut self,
        body: &mut Body<S>,
        table: &Table,
        problem: Problem<'_>,
        forces: &mut [Vec<f64>],
    ) -> Result<(), SparseCause> {
        self.before = ([self.iterations, self.factorizations], None);
        if self.stale
            && let Some(anchor) = self.anchor.take()
        {
            self.settle(&body.structure, anchor)?;
        }
        self.prepare(body, table, problem, forces);
        let forces = &mut forces[table.unknown.clone()];
        let mut refresh = self.anchor.is_none();
        let mut is_last = false;
        let mut residual = f64::NAN;
        let mut progress = NewtonProgress::new(self.tolerance).limit(LIMIT);
        progress = progress.linear().forecast_below(SLOW).stalls_from(2, SLOW);
        while progress.begin() {
            if interrupt::requested() {
                return Err(SparseCause::Interrupted);
            }
            let halved = self.evaluate(body, problem, forces)?;
            if refresh || halved {
                self.refactor(body, problem)?;
            }
            residual = self.residual(&body.structure, table, problem.x, forces);
            self.good.copy_from_slice(&self.y);
            let (size, scale) = self.correct();
            if halved {
                progress.forget();
            }
            let verdict = progress.judge(size, scale, || true, || residual <= ROUNDING);
            if verdict == Verdict::Diverged {
                return Err(SparseCause::Singular);
            }
            self.iterations += 1;
            if is_last || matches!(verdict, Verdict::Solved | Verdict::Stalled) {
                return Ok(());
            }
            refresh = progress.iterations() > 1 && progress.ratio() > SLOW;
            is_last = verdict == Verdict::Forecast;
        }
        Err(SparseCause::Newton { iterations: progress.iterations(), residual })
    }

    /// The known part of the increments, and a first guess: the mean velocity of the last step. (Momenta of stiff bodies under
    /// long steps alternate and would throw the elements about.)
    fn prepare<S: Structure>(
        &mut self,
        body: &mut Body<S>,
        table: &Table,
        problem: Problem<'_>,
        forces: &[Vec<f64>],
    ) {
        self.known.fill(0.0);
        let parts = self.known.chunks_exact_mut(self.width).zip(self.y.chunks_exact_mut(self.width));
        for (i, (known, y)) in parts.enumerate() {
            let node = table.unknown.start + i;
            body.add_row(&table.rows[node], self.h, problem.v, forces, known);
            let mut place = problem.x.to_vec();
            body.place(problem.times[i], &mut place);
            for (y, last) in y.iter_mut().zip(problem.last) {
                *y = table.nodes[node] * last;
            }
            for c in &body.held {
                y[*c as usize] = place[*c as usize] - problem.x[*c as usize];
            }
        }
        self.good.copy_from_slice(&self.y);
        for good in self.good.chunks_exact_mut(self.width) {
            for c in &self.matrix.pattern.free {
                good[*c as usize] = 0.0;
            }
        }
    }

    /// The forces at the unknown nodes; `true` if the increments had to be drawn back for them to exist.
    fn evaluate<S: Structure>(
        &mut self,
        body: &mut Body<S>,
        problem: Problem<'_>,
        forces: &mut [Vec<f64>],
    ) -> Result<bool, SparseCause> {
        let mut place = vec![0.0; self.width];
        let mut halvings = 0;
        'again: loop {
            for (i, force) in forces.iter_mut().enumerate() {
                self.position(i, problem.x, &mut place);
                // Held components by their own positions, not by a sum that rounds.
                body.place(problem.times[i], &mut place);
                if let Err(cause) = body.force(problem.times[i], problem.ahead[i], &place, force) {
                    if halvings == HALVINGS {
                        return Err(cause);
                    }
                    halvings += 1;
                    for (y, good) in self.y.iter_mut().zip(&self.good) {
                        *y = 0.5 * (*y + good);
                    }
                    continue 'again;
                }
            }
            return Ok(halvings > 0);
        }
    }

    fn position(&self, i: usize, x: &[f64], out: &mut [f64]) {
        let y = &self.y[i * self.width..(i + 1) * self.width];
        for (out, (x, y)) in out.iter_mut().zip(x.iter().zip(y)) {
            *out = x + y;
        }
    }

    /// Takes the matrix where the increments are.
    fn refactor<S: Structure>(&mut self, body: &Body<S>, problem: Problem<'_>) -> Result<(), SparseCause> {
        self.before.1.get_or_insert_with(|| self.anchor.clone());
        let mut anchor = self.anchor.take().unwrap_or_default();
        anchor.times.clear();
        anchor.times.extend_from_slice(problem.times);
        anchor.x.resize(self.y.len(), 0.0);
        for (i, x) in anchor.x.chunks_exact_mut(self.width).enumerate() {
            self.position(i, problem.x, x);
        }
        anchor.ahead.clear();
        anchor.ahead.extend_from_slice(problem.ahead);
        anchor.history.clone_from(&body.history);
        self.factorizations += 1;
        self.settle(&body.structure, anchor)
    }

    /// Factors the matrix of a configuration, which becomes the anchor.
    pub fn settle(&mut self, structure: &impl Structure, anchor: Anchor) -> Result<(), SparseCause> {
        self.anchor = None;
        self.matrix.fill(structure, &anchor)?;
        if interrupt::requested() {
            return Err(SparseCause::Interrupted);
        }
        let factored = self.factors.factor(&self.matrix.pattern, &self.matrix.values);
        factored.map_err(|_| SparseCause::Singular)?;
        self.anchor = Some(anchor);
        self.stale = false;
        Ok(())
    }

    /// Forgets a step that was given up. Factors that it made are not those of the anchor, and are made anew when there is a next step.
    pub fn go_back(&mut self) {
        let (counts, replaced) = std::mem::take(&mut self.before);
        [self.iterations, self.factorizations] = counts;
        if let Some(anchor) = replaced {
            self.anchor = anchor;
            self.stale = true;
        }
    }

    /// Writes the residual to `delta`; returns its largest component relative to what the positions contribute.
    fn residual(&mut self, structure: &impl Structure, table: &Table, x: &[f64], forces: &[Vec<f64>]) -> f64 {
        let (k, n) = (forces.len(), self.matrix.pattern.free.len());
        let (mass, square) = (structure.mass(), self.h * self.h);
        let mut largest = 0.0;
        for i in 0..k {
            for (g, c) in self.matrix.pattern.free.iter().enumerate() {
                let c = *c as usize;
                let mut inertia = 0.0;
                for j in 0..k {
                    let at = j * self.width + c;
                    inertia += table.inverse[i * k + j] * (self.y[at] - self.known[at]);
                }
                let rest = mass[c / 3] * inertia - square * forces[i][c];
                self.delta[i * n + g] = rest;
                let relative = rest.abs() / self.matrix.row_sums[i * n + g];
                // Not `max`, which would drop NaN.
                if !(relative <= largest) {
                    largest = relative;
                }
            }
        }
        largest / (max_abs(x) + max_abs(&self.y)).max(f64::MIN_POSITIVE)
    }

    /// Corrects the increments; returns the sizes of the correction and of the increments.
    fn correct(&mut self) -> (f64, f64) {
        self.factors.solve(&mut self.delta);
        let n = self.matrix.pattern.free.len();
        let mut scale: f64 = 0.0;
        for (i, y) in self.y.chunks_exact_mut(self.width).enumerate() {
            for (g, c) in self.matrix.pattern.free.iter().enumerate() {
                y[*c as usize] -= self.delta[i * n + g];
            }
            scale = scale.max(max_abs(y));
        }
        (max_abs(&self.delta), scale)
    }
}

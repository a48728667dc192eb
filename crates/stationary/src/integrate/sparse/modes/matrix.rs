//! The stiffness matrix scaled by the masses, `A = M^-1/2 K M^-1/2`, its factors for a shift, and the signs of its pivots.

use super::ModesError;
use crate::integrate::sparse::assembly::{Anchor, Matrix, Pattern};
use crate::model::{Past, PotentialFault, Structure};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

/// Alone: results must not depend on the number of cores.
const ALONE: Par = Par::Seq;
/// A component whose entries are below this part of the largest of its node has no stiffness: rounding of an element's tangent.
const NO_STIFFNESS: f64 = 1e-13;

/// The matrix `A` by columns, all of it.
pub(super) struct ScaledStiffness {
    pattern: Pattern,
    values: Vec<f64>,
    /// Where the diagonal entry of each column is.
    diagonal: Vec<usize>,
    mass: Vec<f64>,
    /// Free components without stiffness.
    pub loose: usize,
    pub asymmetry: f64,
}

/// The structure without the components that have no stiffness.
struct Stiff<'a, S> {
    structure: &'a S,
    loose: &'a [bool],
}

impl<S: Structure> Structure for Stiff<'_, S> {
    fn mass(&self) -> &[f64] {
        self.structure.mass()
    }
    fn elements(&self) -> usize {
        self.structure.elements()
    }
    fn nodes(&self, k: usize) -> &[u32] {
        self.structure.nodes(k)
    }
    fn gradient(&self, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        self.structure.gradient(t, x, out)
    }
    fn tangent(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), PotentialFault> {
        self.structure.tangent(k, t, x, out)
    }
    fn tangent_after(
        &self,
        k: usize,
        t: f64,
        x: &[f64],
        past: Past<'_>,
        out: &mut [f64],
    ) -> Result<(), PotentialFault> {
        self.structure.tangent_after(k, t, x, past, out)
    }
    fn is_fixed(&self, i: usize) -> bool {
        self.loose[i] || self.structure.is_fixed(i)
    }
    fn impose(&self, t: f64, x: &mut [f64], v: &mut [f64]) {
        self.structure.impose(t, x, v);
    }
}

impl ScaledStiffness {
    pub fn new(structure: &impl Structure, t: f64, x: &[f64]) -> Result<Self, ModesError> {
        let mut history = vec![0.0; structure.history_size()];
        structure.first_history(&mut history);
        let at = Anchor { times: vec![t], x: x.to_vec(), history, ahead: vec![0.0] };
        let loose = without_stiffness(structure, &at)?;
        let stiff = Stiff { structure, loose: &loose };
        let pattern = Pattern::new(&stiff, 1);
        // `K` alone: the masses have the factor zero, and the step is one.
        let mut matrix = Matrix::new(pattern, &[0.0], 1.0);
        matrix.fill(&stiff, &at).map_err(ModesError::Fault)?;
        let Matrix { pattern, mut values, .. } = matrix;
        if values.iter().any(|k| !k.is_finite()) {
            return Err(ModesError::NotFinite);
        }
        let mass: Vec<f64> = pattern.free.iter().map(|i| structure.mass()[*i as usize / 3]).collect();
        let asymmetry = make_symmetric(&pattern, &mut values);
        for column in 0..mass.len() {
            for at in pattern.column_start[column]..pattern.column_start[column + 1] {
                values[at] /= (mass[column] * mass[pattern.rows[at]]).sqrt();
            }
        }
        let diagonal = (0..mass.len()).map(|column| place(&pattern, column, column)).collect();
        let loose = (0..loose.len()).filter(|i| loose[*i] && !structure.is_fixed(*i)).count();
        Ok(ScaledStiffness { pattern, values, diagonal, mass, loose, asymmetry })
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.mass.len()
    }

    /// The component of each unknown.
    pub fn components(&self) -> &[u32] {
        &self.pattern.free
    }

    /// The mass of each unknown.
    pub fn masses(&self) -> &[f64] {
        &self.mass
    }

    /// `A y`, and the same of absolute values: what rounding of the entries does to it.
    pub fn multiply(&self, y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut out, mut size) = (vec![0.0; y.len()], vec![0.0; y.len()]);
        for (column, y) in y.iter().enumerate() {
            for at in self.pattern.column_start[column]..self.pattern.column_start[column + 1] {
                let term = self.values[at] * y;
                out[self.pattern.rows[at]] += term;
                size[self.pattern.rows[at]] += term.abs();
            }
        }
        (out, size)
    }

    /// Largest sum of absolute values of a row: a bound on all eigenvalues.
    pub fn bound(&self) -> f64 {
        let sums = (0..self.len()).map(|column| {
            let own = self.pattern.column_start[column]..self.pattern.column_start[column + 1];
            self.values[own].iter().map(|a| a.abs()).sum::<f64>()
        });
        sums.fold(0.0, f64::max)
    }

    /// The whole matrix, by columns.
    pub fn dense(&self) -> Vec<f64> {
        let n = self.len();
        let mut out = vec![0.0; n * n];
        for column in 0..n {
            for at in self.pattern.column_start[column]..self.pattern.column_start[column + 1] {
                out[column * n + self.pattern.rows[at]] = self.values[at];
            }
        }
        out
    }

    fn shifted(&self, sigma: f64) -> Vec<f64> {
        let mut values = self.values.clone();
        self.diagonal.iter().for_each(|at| values[*at] -= sigma);
        values
    }

    fn view<'a>(&'a self, values: &'a [f64]) -> SparseColMatRef<'a, usize, f64> {
        let n = self.len();
        let Pattern { column_start, rows, .. } = &self.pattern;
        SparseColMatRef::new(SymbolicSparseColMatRef::new_checked(n, n, column_start, None, rows), values)
    }

    /// Where entries of the factor are.
    pub fn symbolic(&self) -> Result<SymbolicCholesky<usize>, ModesError> {
        let parameters = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        let matrix = self.view(&self.values);
        factorize_symbolic_cholesky(matrix.symbolic(), Side::Lower, Default::default(), parameters)
            .map_err(|_| ModesError::Memory)
    }

    /// The factor of `A - sigma`; `None` where that is not positive definite.
    pub fn factor<'a>(
        &self,
        symbolic: &'a SymbolicCholesky<usize>,
        sigma: f64,
    ) -> Result<Option<Factor<'a>>, ModesError> {
        let mut lower = room(symbolic.len_val())?;
        let need = symbolic.factorize_numeric_llt_scratch::<f64>(ALONE, Default::default());
        let mut memory = MemBuffer::try_new(need).map_err(|_| ModesError::Memory)?;
        let values = self.shifted(sigma);
        let (stack, options) = (MemStack::new(&mut memory), Default::default());
        let positive = symbolic
            .factorize_numeric_llt(
                &mut lower,
                self.view(&values),
                Side::Lower,
                Default::default(),
                ALONE,
                stack,
                options,
            )
            .is_ok();
        let is_finite = || lower.iter().all(|l| l.is_finite());
        Ok((positive && is_finite()).then_some(Factor { symbolic, lower }))
    }

    /// The number of eigenvalues below a bound: that of negative pivots of `A - bound` [Sylvester's law of inertia], whose blocks are of one
    /// row or two (Bunch, Kaufman). `None` where a pivot is zero or not a finite number.
    pub fn count_below(
        &self,
        symbolic: &SymbolicCholesky<usize>,
        bound: f64,
    ) -> Result<Option<usize>, ModesError> {
        let n = self.len();
        let mut lower = room(symbolic.len_val())?;
        let (mut below, mut forward, mut backward) = (room(n)?, vec![0usize; n], vec![0usize; n]);
        let need = symbolic.factorize_numeric_intranode_lblt_scratch::<f64>(ALONE, Default::default());
        let mut memory = MemBuffer::try_new(need).map_err(|_| ModesError::Memory)?;
        let values = self.shifted(bound);
        let (stack, options) = (MemStack::new(&mut memory), Default::default());
        symbolic.factorize_numeric_intranode_lblt(
            &mut lower,
            &mut below,
            &mut forward,
            &mut backward,
            self.view(&values),
            Side::Lower,
            ALONE,
            stack,
            options,
        );
        let SymbolicCholeskyRaw::Supernodal(nodes) = symbolic.raw() else { return Ok(None) };
        let mut negative = 0;
        for s in 0..nodes.n_supernodes() {
            let columns = nodes.supernode_begin()[s]..nodes.supernode_end()[s];
            let values = &lower[nodes.col_ptr_for_val()[s]..nodes.col_ptr_for_val()[s + 1]];
            let height = values.len() / columns.len().max(1);
            let pivot = |j: usize| values[j * height + j];
            let mut j = 0;
            while j < columns.len() {
                let off = below[columns.start + j];
                let signs = match off == 0.0 {
                    true => signs_of([pivot(j)]),
                    false => signs_of(of_two([pivot(j), off, pivot(j + 1)])),
                };
                let Some(signs) = signs else { return Ok(None) };
                negative += signs;
                j += if off == 0.0 { 1 } else { 2 };
            }
        }
        Ok(Some(negative))
    }
}

/// How many numbers are negative; `None` if one has no sign.
fn signs_of<const N: usize>(numbers: [f64; N]) -> Option<usize> {
    let signed = numbers.iter().all(|x| *x != 0.0 && x.is_finite());
    signed.then(|| numbers.iter().filter(|x| **x < 0.0).count())
}

/// Numbers with the signs of the eigenvalues of a symmetric matrix `[[a, b], [b, c]]`.
fn of_two([a, b, c]: [f64; 3]) -> [f64; 2] {
    let determinant = a * c - b * b;
    // Of one sign each if it is positive, that of the trace; of both if it is negative.
    if determinant < 0.0 { [-1.0, 1.0] } else { [(a + c).signum() * determinant; 2] }
}

fn room(numbers: usize) -> Result<Vec<f64>, ModesError> {
    let mut all = Vec::new();
    all.try_reserve_exact(numbers).map_err(|_| ModesError::Memory)?;
    all.resize(numbers, 0.0);
    Ok(all)
}

/// The factor of `A - sigma`.
pub(super) struct Factor<'a> {
    symbolic: &'a SymbolicCholesky<usize>,
    lower: Vec<f64>,
}

impl Factor<'_> {
    /// Numbers in it.
    pub fn len(&self) -> usize {
        self.lower.len()
    }

    /// Replaces columns of `n` numbers each by the solutions of `(A - sigma) x = b`.
    pub fn solve(&self, columns: &mut [f64], n: usize) {
        let count = columns.len() / n;
        let mut memory = MemBuffer::new(self.symbolic.solve_in_place_scratch::<f64>(count, ALONE));
        let right = MatMut::from_column_major_slice_mut(columns, n, count);
        let factor = LltRef::new(self.symbolic, &self.lower);
        factor.solve_in_place_with_conj(Conj::No, right, ALONE, MemStack::new(&mut memory));
    }
}

/// Which components have no stiffness: their rows in the tangents of all elements vanish beside the others of the node.
fn without_stiffness(structure: &impl Structure, at: &Anchor) -> Result<Vec<bool>, ModesError> {
    let count = structure.mass().len();
    let mut largest = vec![0.0f64; 3 * count];
    let mut tangent = Vec::new();
    for k in 0..structure.elements() {
        let own = structure.nodes(k);
        let width = 3 * own.len();
        tangent.resize(tangent.len().max(width * width), 0.0);
        if at.history.is_empty() {
            structure.tangent(k, at.times[0], &at.x, &mut tangent).map_err(ModesError::Fault)?;
        } else {
            let past = Past { history: &at.history, dt: 0.0 };
            structure.tangent_after(k, at.times[0], &at.x, past, &mut tangent).map_err(ModesError::Fault)?;
        }
        for (row, entries) in tangent[..width * width].chunks_exact(width).enumerate() {
            let i = 3 * own[row / 3] as usize + row % 3;
            // NaN counts as stiffness, and is refused when the matrix is complete.
            largest[i] =
                entries.iter().fold(largest[i], |most, k| if k.abs() <= most { most } else { k.abs() });
        }
    }
    let of_node = |i: usize| largest[i - i % 3..][..3].iter().fold(0.0, |a: f64, b| a.max(*b));
    Ok((0..3 * count).map(|i| largest[i] <= NO_STIFFNESS * of_node(i)).collect())
}

/// The place of an entry.
fn place(pattern: &Pattern, row: usize, column: usize) -> usize {
    let start = pattern.column_start[column];
    start + pattern.rows[start..pattern.column_start[column + 1]].partition_point(|r| *r < row)
}

/// Takes the symmetric part; returns the largest difference from the transpose relative to the largest entry.
fn make_symmetric(pattern: &Pattern, values: &mut [f64]) -> f64 {
    let (mut difference, mut largest) = (0.0f64, 0.0f64);
    for column in 0..pattern.len() {
        for at in pattern.column_start[column]..pattern.column_start[column + 1] {
            let row = pattern.rows[at];
            largest = largest.max(values[at].abs());
            if row > column {
                let mirror = place(pattern, column, row);
                difference = difference.max((values[at] - values[mirror]).abs());
                let mean = 0.5 * (values[at] + values[mirror]);
                values[at] = mean;
                values[mirror] = mean;
            }
        }
    }
    if largest > 0.0 { difference / largest } else { 0.0 }
}

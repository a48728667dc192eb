//! Factors of the sparse matrix: Cholesky's where it is symmetric and positive, else LU.

use super::assembly::Pattern;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::{LltRef, SymbolicCholesky, factorize_symbolic_cholesky};
use faer::sparse::linalg::lu::{LuRef, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

/// Alone: results must not depend on the number of cores.
const ALONE: Par = Par::Seq;

/// Factors, and the orderings that reduce their fill, found once.
#[derive(Default)]
pub(in crate::integrate) struct Factors {
    cholesky: Option<SymbolicCholesky<usize>>,
    lower: Vec<f64>,
    lu: Option<SymbolicLu<usize>>,
    upper: NumericLu<usize, f64>,
    positive: bool,
    memory: Option<MemBuffer>,
}

/// The matrix has no factors: it is singular, or they do not fit in memory.
pub(in crate::integrate) struct NoFactors;

fn matrix<'a>(pattern: &'a Pattern, values: &'a [f64]) -> SparseColMatRef<'a, usize, f64> {
    let n = pattern.len();
    let symbolic = SymbolicSparseColMatRef::new_checked(n, n, &pattern.column_start, None, &pattern.rows);
    SparseColMatRef::new(symbolic, values)
}

impl Factors {
    /// Factors a matrix; all matrices must have the same pattern.
    pub fn factor(&mut self, pattern: &Pattern, values: &[f64]) -> Result<(), NoFactors> {
        // With several nodes the matrix is not symmetric.
        if pattern.nodes == 1 && self.factor_positive(pattern, values)? {
            return Ok(());
        }
        self.factor_any(pattern, values)
    }

    /// Cholesky's factors of a symmetric matrix; `false`, and no factors, if it is not positive.
    pub fn factor_positive(&mut self, pattern: &Pattern, values: &[f64]) -> Result<bool, NoFactors> {
        self.positive = pattern.len() == 0 || self.try_cholesky(matrix(pattern, values))?;
        Ok(self.positive)
    }

    /// The factors of any matrix that is not singular.
    pub fn factor_any(&mut self, pattern: &Pattern, values: &[f64]) -> Result<(), NoFactors> {
        self.positive = false;
        if pattern.len() > 0 { self.factor_lu(matrix(pattern, values)) } else { Ok(()) }
    }

    /// `false` if the matrix is not positive.
    fn try_cholesky(&mut self, matrix: SparseColMatRef<'_, usize, f64>) -> Result<bool, NoFactors> {
        let symbolic = match &mut self.cholesky {
            Some(symbolic) => symbolic,
            none => {
                let ordering = Default::default();
                let symbolic =
                    factorize_symbolic_cholesky(matrix.symbolic(), Side::Lower, ordering, Default::default());
                none.insert(symbolic.map_err(|_| NoFactors)?)
            }
        };
        self.lower.resize(symbolic.len_val(), 0.0);
        let need = symbolic.factorize_numeric_llt_scratch::<f64>(ALONE, Default::default());
        let mut memory = MemBuffer::try_new(need).map_err(|_| NoFactors)?;
        let (stack, side) = (MemStack::new(&mut memory), Side::Lower);
        let (shift, options) = (Default::default(), Default::default());
        let positive = symbolic
            .factorize_numeric_llt(&mut self.lower, matrix, side, shift, ALONE, stack, options)
            .is_ok();
        if positive {
            self.memory = Some(MemBuffer::new(symbolic.solve_in_place_scratch::<f64>(1, ALONE)));
        }
        Ok(positive)
    }

    fn factor_lu(&mut self, matrix: SparseColMatRef<'_, usize, f64>) -> Result<(), NoFactors> {
        let symbolic = match &mut self.lu {
            Some(symbolic) => symbolic,
            none => none
                .insert(factorize_symbolic_lu(matrix.symbolic(), Default::default()).map_err(|_| NoFactors)?),
        };
        let need = symbolic.factorize_numeric_lu_scratch::<f64>(ALONE, Default::default());
        let mut memory = MemBuffer::try_new(need).map_err(|_| NoFactors)?;
        let (stack, options) = (MemStack::new(&mut memory), Default::default());
        symbolic
            .factorize_numeric_lu(&mut self.upper, matrix, ALONE, stack, options)
            .map_err(|_| NoFactors)?;
        self.memory = Some(MemBuffer::new(symbolic.solve_in_place_scratch::<f64>(1, ALONE)));
        Ok(())
    }

    /// Replaces `b` by the solution of `J x = b`.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = b.len();
        let Some(memory) = &mut self.memory else { return };
        let (right, stack) = (MatMut::from_column_major_slice_mut(b, n, 1), MemStack::new(memory));
        match (self.positive, &self.cholesky, &self.lu) {
            (true, Some(symbolic), _) => {
                LltRef::new(symbolic, &self.lower).solve_in_place_with_conj(Conj::No, right, ALONE, stack);
            }
            (_, _, Some(symbolic)) => {
                LuRef::new_unchecked(symbolic, &self.upper).solve_in_place_with_conj(
                    Conj::No,
                    right,
                    ALONE,
                    stack,
                );
            }
            _ => unreachable!("memory is there only with factors"),
        }
    }
}

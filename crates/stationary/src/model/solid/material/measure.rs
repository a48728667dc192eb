//! Components of the deformation that a formula may contain besides the invariants.

use crate::model::solid::tensor::Tensor;

/// A component of `C = F'F` or of `F`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Component {
    /// `C_KL = F_iK F_iL`, `K <= L`.
    CauchyGreen(usize, usize),
    /// `F_iJ`.
    Gradient(usize, usize),
}

impl Component {
    /// What a name in a formula stands for: `C12` and `C21` are the same.
    pub fn named(name: &str) -> Option<Self> {
        let [letter, i, j] = *name.as_bytes() else { return None };
        let axis = |digit: u8| (b'1'..=b'3').contains(&digit).then(|| usize::from(digit - b'1'));
        let (i, j) = (axis(i)?, axis(j)?);
        match letter {
            b'C' => Some(Component::CauchyGreen(i.min(j), i.max(j))),
            b'F' => Some(Component::Gradient(i, j)),
            _ => None,
        }
    }

    /// Its value.
    pub fn value(self, f: &Tensor) -> f64 {
        match self {
            Component::CauchyGreen(k, l) => (0..3).map(|i| f[i][k] * f[i][l]).sum(),
            Component::Gradient(i, j) => f[i][j],
        }
    }

    /// Adds a multiple of its derivative by `F`. That of `C_KL` is linear in `F`: at a change `dF` it is the change of the derivative.
    pub fn add_derivative(self, factor: f64, f: &Tensor, out: &mut Tensor) {
        match self {
            Component::CauchyGreen(k, l) => {
                for i in 0..3 {
                    out[i][k] += factor * f[i][l];
                    out[i][l] += factor * f[i][k];
                }
            }
            Component::Gradient(i, j) => out[i][j] += factor,
        }
    }

    /// Adds a multiple of the change of its derivative with `F`.
    pub fn add_change(self, factor: f64, df: &Tensor, out: &mut Tensor) {
        if let Component::CauchyGreen(..) = self {
            self.add_derivative(factor, df, out);
        }
    }
}

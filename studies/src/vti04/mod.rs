//! Lew, Marsden, Ortiz and West, Variational time integrators (2004).

pub mod blade;
pub mod fig1;
pub mod fig12;
pub mod fig13;
pub mod fig15;
pub mod fig18;
pub mod fig2;
pub mod fig3;
pub mod fig4;
pub mod fig5;
pub mod slab;
pub mod snapshots;
pub mod table1;
pub mod table2;

use stationary::integrate::Method;

/// The rectangle rule [VTI04 (3)]: first order, explicit.
pub const VI1: Method = Method::Midpoint { alpha: 0.0 };
/// Suzuki's composition of five velocity Verlet steps: variational, fourth order, explicit.
pub const VI4: Method = Method::Verlet { order: 4 };

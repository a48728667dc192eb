//! Kane, Marsden and Ortiz, *Symplectic-energy-momentum preserving variational integrators* (1999).

pub mod fig8_1;
pub mod fig8_2;
pub mod fig8_3;
pub mod fig8_4;
pub mod fig8_5;
pub mod turning;
pub mod wells;

//! Lew, Marsden, Ortiz and West, survey in Finite Element Methods: 1970's and beyond (2004).

pub mod fig2_2_left;
pub mod fig2_2_right;
pub mod fig2_3;
pub mod fig3_2;

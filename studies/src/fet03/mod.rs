//! Fetecau, *Variational methods for nonsmooth mechanics* (thesis, 2003), chapter 5.

pub mod fallers;
pub mod fig5_1;
pub mod fig5_3;
pub mod fig5_4;
pub mod walk;

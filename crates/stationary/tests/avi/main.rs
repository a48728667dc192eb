//! Laws of asynchronous integrators: on springs, and on bodies of every element under loads and supports.

mod bodies;
mod energy;
mod faults;
mod identity;
mod momenta;
mod orders;
mod pressure;
mod springs;
mod state;
mod steps;
mod structure;
mod sweeps;
mod waves;

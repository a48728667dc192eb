//! Laws of asynchronous variational integrators, for springs and for bodies of every element kind with loads and supports.

mod bodies;
mod certificate;
mod damping;
mod energy;
mod envelope;
mod erosion;
mod external;
mod faults;
mod free_schedule;
mod harmonic_schedule;
mod history;
mod mixed;
mod momenta;
mod orders;
mod pressure;
mod rescale;
mod springs;
mod state;
mod steps;
mod structure;
mod waves;

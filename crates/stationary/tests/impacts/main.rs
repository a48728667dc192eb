//! Laws of impacts [FET03 4-5].

pub(crate) mod common;
mod corners;
mod cradle;
mod crossing;
mod errors;
mod friction;
mod long;
mod order;
mod random;
mod rest;
mod scaled;

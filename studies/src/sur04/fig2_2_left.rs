//! x
use crate::{Outcome, Scale};
/// x
pub fn run(_: Scale) -> Result<Outcome, String> { Err("none".into()) }

//! The time of impact: when a gap closes along a motion.
//!
//! Along a discrete leg of a system in generalised coordinates the gap is a function of the leg's length, whose root is bracketed
//! ([`Bracket`]); whether it dips below zero between open ends is told by the cubic through values and rates ([`Hermite`]).
//!
//! Rigid bodies move on parabolas between impacts. When round ones meet is a formula ([`round_round`], [`falls_to_zero`]); outlines with
//! corners are advanced by steps that cannot pass an impact ([`OutlineSearch`]).

mod advancement;
mod bracket;
mod cubic;
mod outlines;
mod round;

pub(crate) use advancement::Meeting;

pub(crate) use bracket::Bracket;
pub(crate) use cubic::Hermite;
pub(crate) use outlines::{Against, Mover, OutlineSearch, SearchBounds};
pub(crate) use round::{falls_to_zero, overlap_times, round_falling, round_round};

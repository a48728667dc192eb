//! Why a run of colliding bodies cannot go on.

use std::fmt;

/// Why a run cannot go on.
#[derive(Debug, Clone, PartialEq)]
pub enum CollisionStop {
    /// More impacts and searches in a short time than can be meant.
    TooMany {
        /// The impacts.
        impacts: u64,
        /// The searches for impacts that had to be taken up again.
        searches: u64,
        /// Since when.
        since: f64,
        /// When.
        time: f64,
        /// Who met last.
        pair: [String; 2],
    },
    /// A state of a body is not a finite number any more.
    NotFinite {
        /// When.
        time: f64,
        /// The body.
        body: String,
    },
}

impl std::error::Error for CollisionStop {}

impl fmt::Display for CollisionStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CollisionStop::TooMany { impacts, searches, since, time, pair: [first, second] } => write!(
                f,
                "{impacts} impacts and {searches} searches for impacts between the times {since} and {time}, the last of `{first}` and `{second}`; a longer `contact_time` usually helps"
            ),
            CollisionStop::NotFinite { time, body } => {
                write!(f, "the energy or the state of `{body}` is not a finite number after time {time}")
            }
        }
    }
}

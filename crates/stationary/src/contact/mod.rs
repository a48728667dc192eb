//! Contact: where bodies may be, when they touch, and what an impact does.
//!
//! Two kinds of system use it. A system in generalised coordinates has *gap functions* `phi(t, q) >= 0`
//! ([`integrate::Colliding`](crate::integrate::Colliding)), and rigid bodies have *shapes*
//! ([`integrate::collide`](crate::integrate::collide)). Their discrete paths differ, the contact does not:
//!
//! | part | file | used by |
//! |---|---|---|
//! | geometry | `gap`, `formula_gap`, `check`; `rigid` (shapes, features, pairs) | gaps; rigid bodies |
//! | broad phase | `broad_phase` | rigid bodies |
//! | time of impact | `time_of_impact` | both |
//! | contact space | `generalised`; `rigid/pair` | gaps; rigid bodies |
//! | law of restitution and friction | `law` | both |
//! | several contacts at once | `projection`, `simultaneous` | both; gaps |
//! | resting contact | `micro_bounce` | rigid bodies |
//! | record of an impact | `record` | both |
//!
//! A contact is seen in *contact space* ([`ContactSpace`]): the normal rate, the slip, and the Delassus operator that says how an impulse
//! changes them. On that one law computes the impulses along the normal and of friction.

pub(crate) mod broad_phase;
mod check;
mod formula_gap;
mod gap;
pub(crate) mod generalised;
mod law;
pub(crate) mod micro_bounce;
pub(crate) mod projection;
mod record;
pub mod rigid;
pub(crate) mod simultaneous;
pub(crate) mod time_of_impact;

pub(crate) use check::CLOSED_WITHIN;
pub use check::{GapFault, check_gaps};
pub use formula_gap::{FormulaGap, GapNodes};
pub use gap::{Gap, Gaps, Piece};
pub use law::{Components, ContactLaw, ContactSpace, Demand, StickingSolution};
pub use record::{BodyImpact, ClosedGaps, GapImpact, Impact, ImpactKind, ImpactRow, Parties, TouchingPair};
pub use simultaneous::Simultaneous;

//! Contact of rigid bodies: shapes, the features at which they touch, and a touching pair in contact space.

mod features;
mod outline;
mod pair;
mod shape;
mod state;

pub(crate) use features::{Feature, Placed, Touch, features, on_plane, signed_gap, touches, vertices};
pub use outline::{Polygon, PolygonFault};
pub(crate) use pair::{PairContact, PairJump, Pressing, Side, resultant};
pub use shape::Shape;
pub use state::BodyState;

//! The record of an impact: one for gaps in generalised coordinates and for rigid bodies, and the columns of the table of impacts.

use crate::archive::{Archive, Persist};
use crate::linalg::Vec3;
use std::borrow::Cow;

/// One impact, between the parties `P`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impact<P> {
    /// Time of the impact.
    pub time: f64,
    /// What happened.
    pub kind: ImpactKind,
    /// What touched.
    pub contact: P,
    /// Impulse along the normal. Of a gap in generalised coordinates it is the multiple of the gap's gradient that was added to the
    /// momentum, which is the physical impulse if the gap is a distance.
    pub impulse: f64,
    /// Size of the impulse of friction.
    pub friction: f64,
    /// Discrete energy of the segments that arrive; of rigid bodies, that of the two.
    pub energy_before: f64,
    /// Discrete energy of the segments that leave.
    pub energy_after: f64,
    /// The change of energy that the laws of the contact ask for: zero for an elastic impact at a gap that does not move. The segments of
    /// rigid bodies are exact, so that theirs is the change itself.
    pub prescribed: f64,
}

/// What happens at a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImpactKind {
    /// The gap closes and opens.
    #[default]
    Bounce,
    /// The gap closes and stays closed.
    Rest,
    /// A gap that was closed opens, because nothing presses any more.
    Release,
}

impl ImpactKind {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            ImpactKind::Bounce => "bounce",
            ImpactKind::Rest => "rest",
            ImpactKind::Release => "release",
        }
    }
}

/// The gaps that closed at one time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClosedGaps {
    /// The gap that closed; of several the one with the largest impulse.
    pub gap: usize,
    /// The others that closed at the same time.
    pub others: Vec<usize>,
}

/// An impact of a system in generalised coordinates.
pub type GapImpact = Impact<ClosedGaps>;

/// Two rigid bodies that touch, or a body and a wall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TouchingPair {
    /// The body, and the other body or the wall; numbers of walls follow those of the bodies.
    pub pair: [usize; 2],
    /// The point of contact.
    pub point: Vec3,
    /// The direction in which the impact pushes the first body.
    pub normal: Vec3,
    /// The gap between the two at this time.
    pub gap: f64,
}

/// An impact of two rigid bodies, or of a body and a wall.
pub type BodyImpact = Impact<TouchingPair>;

/// What can touch, as it is named in the table of impacts.
pub trait Parties {
    /// The two columns, after the time, that tell what touched.
    const COLUMNS: [&'static str; 2];

    /// The entries of these columns.
    fn entries<'n>(&self, kind: ImpactKind, name: &dyn Fn(usize) -> &'n str) -> [Cow<'n, str>; 2];
}

impl Parties for ClosedGaps {
    const COLUMNS: [&'static str; 2] = ["gap", "kind"];

    fn entries<'n>(&self, kind: ImpactKind, name: &dyn Fn(usize) -> &'n str) -> [Cow<'n, str>; 2] {
        let mut all = vec![self.gap];
        all.extend(&self.others);
        all.sort_unstable();
        let names: Vec<&str> = all.into_iter().map(name).collect();
        [names.join("+").into(), kind.name().into()]
    }
}

impl Parties for TouchingPair {
    const COLUMNS: [&'static str; 2] = ["first", "second"];

    fn entries<'n>(&self, _: ImpactKind, name: &dyn Fn(usize) -> &'n str) -> [Cow<'n, str>; 2] {
        self.pair.map(|number| name(number).into())
    }
}

/// A row of the table of impacts.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpactRow<'n> {
    /// The time.
    pub time: f64,
    /// What touched.
    pub parties: [Cow<'n, str>; 2],
    /// Impulse, impulse of friction, energy before, energy after.
    pub numbers: [f64; 4],
}

impl<P: Parties> Impact<P> {
    /// The columns of the table of impacts.
    pub const COLUMNS: [&'static str; 7] = [
        "time",
        P::COLUMNS[0],
        P::COLUMNS[1],
        "impulse",
        "friction_impulse",
        "energy_before",
        "energy_after",
    ];

    /// The row of the table, with these names of gaps, or of bodies and walls.
    pub fn row<'n>(&self, name: &dyn Fn(usize) -> &'n str) -> ImpactRow<'n> {
        ImpactRow {
            time: self.time,
            parties: self.contact.entries(self.kind, name),
            numbers: [self.impulse, self.friction, self.energy_before, self.energy_after],
        }
    }
}

impl GapImpact {
    /// An impact without impulse, whose energy afterwards is not known yet.
    pub(crate) fn without_impulse(time: f64, gap: usize, energy_before: f64, prescribed: f64) -> Self {
        Impact {
            time,
            kind: ImpactKind::Bounce,
            contact: ClosedGaps { gap, others: Vec::new() },
            impulse: 0.0,
            friction: 0.0,
            energy_before,
            energy_after: f64::NAN,
            prescribed,
        }
    }

    /// All gaps that closed, that with the largest impulse first.
    pub fn gaps(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(self.contact.gap).chain(self.contact.others.iter().copied())
    }
}

impl Default for GapImpact {
    fn default() -> Self {
        Self::without_impulse(0.0, 0, 0.0, 0.0)
    }
}

impl Persist for ImpactKind {
    fn pass(&mut self, archive: &mut Archive) {
        archive.choice(self, &[ImpactKind::Bounce, ImpactKind::Rest, ImpactKind::Release]);
    }
}

impl Persist for GapImpact {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.kind);
        archive.pass(&mut self.time).pass(&mut self.contact.gap).pass(&mut self.contact.others);
        archive.pass(&mut self.impulse);
        archive.pass(&mut self.friction).pass(&mut self.energy_before).pass(&mut self.energy_after);
        archive.pass(&mut self.prescribed);
    }
}

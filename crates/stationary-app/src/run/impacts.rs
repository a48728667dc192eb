//! `impacts.csv`: the table of impacts of every kind of system, a row for each impact.

use stationary::contact::{Impact, ImpactRow, Parties};
use stationary::error::Error;
use stationary_report::{Cell, Events};

/// Writes an impact into the table, with these names of gaps, or of bodies and walls.
pub(crate) fn write<'n, P: Parties>(
    impact: &Impact<P>,
    name: &dyn Fn(usize) -> &'n str,
    file: &mut Events,
) -> Result<(), Error> {
    let ImpactRow { time, parties: [first, second], numbers } = impact.row(name);
    let [impulse, friction, before, after] = numbers.map(Cell::Number);
    let [first, second] = [Cell::Text(&first), Cell::Text(&second)];
    file.push(&[Cell::Number(time), first, second, impulse, friction, before, after])
}

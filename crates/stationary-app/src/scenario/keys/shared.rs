//! Keys that several kinds of systems have.

use super::{Form, Key};

pub(super) const TITLE: Key = Key::new("title", Form::Text, "optional; one line for people");
pub(super) const DESCRIPTION: Key = Key::new("description", Form::Text, "optional; more lines for people");
pub(super) const STEP: Key = Key::new("step", Form::Positive, "required; the time step, greater than zero");
pub(super) const START: Key = Key::new("start", Form::Number, "optional, 0; the time of the initial state");
pub(super) const CLAIM: Key =
    Key::new("claim", Form::OneOrMany(&Form::Text), "optional; a [claim](#claims) or a list of claims");
pub(super) const PARAMETERS: Key = Key::new(
    "parameters",
    Form::Named(&Form::Number),
    "optional table; numbers, or formulas of the parameters above them",
);
pub(super) const PROBE: Key =
    Key::new("probe", Form::Named(&Form::Number), "optional table; [more columns](#probes)");
pub(super) const OUTPUT: Key = Key::new("output", Form::Table, "optional table");
pub(super) const OUTPUT_SERIES: Key = Key::new(
    "output.series",
    Form::OneOrMany(&Form::Words(&["csv", "parquet"])),
    r#"optional, `"csv"`; form of the series: `"csv"`, `"parquet"` or both in a list. See [its page](results.md#seriesparquet)"#,
);
pub(super) const OUTPUT_CHECKPOINT: Key = Key::new(
    "output.checkpoint",
    Form::AtLeast(0.0),
    "optional, 60; seconds of computing between [checkpoints](results.md#checkpoint). 0 writes some twenty a second",
);
pub(super) const END: Key = Key::new(
    "end",
    Form::Number,
    "required; later than `start`. The run makes whole steps, the fewest that reach it",
);
pub(super) const OUTPUT_EVERY: Key = Key::new(
    "output.every",
    Form::Whole { least: 1, most: None },
    "optional; write a row every so many steps. Without it about 2000 rows are written",
);

//! Keys that several kinds of systems have.

use super::{Form, IfAbsent, Key, UNBOUNDED};

pub(crate) const TITLE: Key = Key::optional("title", Form::Text, "one line for people");
pub(crate) const DESCRIPTION: Key = Key::optional("description", Form::Text, "more lines for people");
pub(crate) const STEP: Key = Key::required("step", Form::Positive, "step = 0.01", "the time step");
pub(crate) const START: Key =
    Key::new("start", Form::Number, IfAbsent::Number(0.0), "the time of the initial state");
pub(crate) const CLAIM: Key = Key::optional(
    "claim",
    Form::OneOrMany(&Form::Name("a comparison in quotes")),
    "what the run must show: [claims](#claims)",
);
pub(crate) const PARAMETERS: Key = Key::optional(
    "parameters",
    Form::Named(&Form::Number),
    "numbers, or formulas of the parameters above them",
);
pub(crate) const PROBE: Key = Key::optional("probe", Form::Named(&Form::Formula), "[more columns](#probes)");
pub(crate) const OUTPUT: Key = Key::optional("output", Form::Table, "what is written");
const SERIES_FORM: Form = Form::Words(&["csv", "parquet"]);
/// One form of the series, or both.
const SERIES: Form = Form::AnyOf(&[SERIES_FORM, Form::List { of: &SERIES_FORM, least: 1, most: UNBOUNDED }]);
pub(crate) const OUTPUT_SERIES: Key = Key::new(
    "output.series",
    SERIES,
    IfAbsent::Word("csv"),
    "form of the [series](results.md#seriesparquet)",
);
pub(crate) const OUTPUT_CHECKPOINT: Key = Key::new(
    "output.checkpoint",
    Form::AtLeast(0.0),
    IfAbsent::Number(60.0),
    "seconds of computing between [checkpoints](results.md#checkpoint). 0 writes some twenty a second",
);
pub(crate) const END: Key = Key::required(
    "end",
    Form::Number,
    "end = 100.0",
    "later than `start`. The run makes whole steps, the fewest that reach it",
);
pub(crate) const OUTPUT_EVERY: Key = Key::optional(
    "output.every",
    Form::Whole { least: 1, most: None },
    "write a row every so many steps. Without it about 2000 rows are written",
);

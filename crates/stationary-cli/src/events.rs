//! What `--json` writes: a line of JSON on standard output for everything that happens. The keys are stable: within one
//! `format` none is removed or changes its meaning.

use serde_json::{Value, json};
use stationary::error::Error;

use crate::output::say_json;

/// The form of the lines; a change that takes something away or gives it another meaning counts it up.
pub const FORMAT: u32 = 1;

/// Writes an event.
pub fn write(event: &Value) {
    say_json(&event.to_string());
}

/// Something that the user must know, but that ends nothing.
pub fn warning(message: &str) {
    write(&json!({ "event": "warning", "message": message }));
}

/// Why there are no results. Every key is always there.
pub fn error(error: &Error) {
    let mut event = json!({
        "event": "error",
        "exit": 2,
        "kind": "run",
        "message": error.to_string(),
        "file": null,
        "line": null,
        "column": null,
        "help": null,
    });
    match error {
        Error::Input(diagnostic) => {
            event["kind"] = "input".into();
            event["message"] = diagnostic.message.clone().into();
            event["file"] = diagnostic.source.as_ref().map(|s| s.name.clone()).into();
            let place = diagnostic.line_column();
            event["line"] = place.map(|(line, _)| line).into();
            event["column"] = place.map(|(_, column)| column).into();
            event["help"] = diagnostic.help.clone().into();
        }
        Error::Io { path, message } => {
            event["kind"] = "file".into();
            event["message"] = message.clone().into();
            event["file"] = path.clone().into();
        }
        Error::Interrupted => event["kind"] = "interrupted".into(),
        Error::Run(_) => {}
    }
    write(&event);
}

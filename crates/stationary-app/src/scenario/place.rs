//! Where a value was written, so that every later error can point at it.

use std::ops::Range;
use std::sync::Arc;

use stationary::error::{Diagnostic, Source};
use stationary::formula::{Expr, FormulaError, Graph, Node, Scope};

/// A byte range of a source text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The scenario file, or one `--set`.
    pub source: Arc<Source>,
    /// Byte range in it.
    pub span: Range<usize>,
}

impl Place {
    /// An error that points here.
    pub fn error(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(message).at(&self.source, self.span.clone())
    }
}

/// A text value of a scenario, most often a formula, and where it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text with its quotes and escapes resolved.
    pub text: String,
    /// Where it was written, quotes included.
    pub place: Place,
    /// The value of the name `i`, when the formula was written once for many coordinates.
    pub index: Option<usize>,
}

impl Text {
    /// An error that points at the whole text.
    pub fn error(&self, message: impl Into<String>) -> Diagnostic {
        self.place.error(message)
    }

    /// Turns an error inside the formula into one that points into the file.
    ///
    /// Escapes (`\n`, `\u0041`) break the one-to-one relation between the formula and the file; the error then
    /// points at the whole value.
    pub fn formula_error(&self, error: FormulaError) -> Diagnostic {
        let span = self.locate(error.span).unwrap_or_else(|| self.place.span.clone());
        let diagnostic = Diagnostic::new(error.message).at(&self.place.source, span);
        match error.help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    /// Puts the formula into a graph. Its `i`, if it has one, is defined in `scope` first.
    pub fn lower(&self, graph: &mut Graph, scope: &mut Scope) -> Result<Node, Diagnostic> {
        if let Some(index) = self.index {
            scope.constant("i", index as f64);
        }
        Expr::parse(&self.text).and_then(|expr| graph.lower(&expr, scope)).map_err(|e| self.formula_error(e))
    }

    /// The byte range of the file that a byte range of the text was read from.
    fn locate(&self, inner: Range<usize>) -> Option<Range<usize>> {
        let raw = self.place.source.text.get(self.place.span.clone())?;
        let offset = opening(raw);
        if !raw.get(offset..)?.starts_with(self.text.as_str()) {
            return None;
        }
        let start = self.place.span.start + offset;
        let end = inner.end.min(self.text.len());
        Some(start + inner.start.min(end)..start + end)
    }
}

/// Bytes before the content of a TOML string: its quotes and the newline that multi-line strings skip.
fn opening(raw: &str) -> usize {
    for quotes in ["\"\"\"", "'''"] {
        if let Some(rest) = raw.strip_prefix(quotes) {
            let newline = ["\r\n", "\n"].iter().find(|n| rest.starts_with(**n)).map_or(0, |n| n.len());
            return 3 + newline;
        }
    }
    usize::from(raw.starts_with(['"', '\'']))
}

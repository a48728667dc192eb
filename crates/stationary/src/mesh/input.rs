//! The file as given, and messages that point into it.

use super::arrays::Shape;
use crate::error::{Diagnostic, Source};
use std::sync::Arc;

/// A file: text up to `text`, binary beyond. Or arrays, whose places are named by their shape.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'a> {
    pub name: &'a str,
    pub bytes: &'a [u8],
    /// Places before it are told by line and column, others by byte.
    pub text: usize,
    arrays: Option<&'a Shape>,
}

impl<'a> Input<'a> {
    pub fn new(name: &'a str, bytes: &'a [u8]) -> Self {
        Input { name, bytes, text: bytes.len(), arrays: None }
    }

    /// No file at all.
    pub fn arrays(name: &'a str, shape: &'a Shape) -> Self {
        Input { name, bytes: &[], text: 0, arrays: Some(shape) }
    }

    /// Where a piece of the file begins in it.
    pub fn place(&self, piece: &[u8]) -> usize {
        piece.as_ptr().addr().saturating_sub(self.bytes.as_ptr().addr()).min(self.bytes.len())
    }

    /// An error at a byte. The text is copied only here: meshes are large and errors few.
    pub fn fault(&self, at: usize, message: impl Into<String>) -> Diagnostic {
        if let Some(shape) = self.arrays {
            let place = shape.name(at).map_or(String::new(), |name| format!(" ({name})"));
            return placeless(self.name, message.into() + &place);
        }
        if at >= self.text && self.text < self.bytes.len() {
            return placeless(self.name, format!("{} (at byte {at})", message.into()));
        }
        let at = at.min(self.text);
        // In two pieces: what is not UTF-8 changes its length, and must not shift the place.
        let mut text = String::from_utf8_lossy(&self.bytes[..at]).into_owned();
        let start = text.len();
        text.push_str(&String::from_utf8_lossy(&self.bytes[at..self.text]));
        let word = text[start..].find([' ', '\t', '\r', '\n', ',']).unwrap_or(text.len() - start);
        let source = Arc::new(Source { name: self.name.into(), text });
        Diagnostic::new(message).at(&source, start..start + word)
    }
}

/// An error about a file, with no place in it.
pub(super) fn placeless(name: &str, message: String) -> Diagnostic {
    let mut d = Diagnostic::new(message);
    if !name.is_empty() {
        d.source = Some(Arc::new(Source { name: name.into(), text: String::new() }));
    }
    d
}

/// Bytes as text for a message: short, and without control characters.
pub(super) fn shown(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(40)];
    let mut text: String =
        String::from_utf8_lossy(cut).chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    if cut.len() < bytes.len() {
        text.push_str("...");
    }
    text
}

/// A decimal number; also with Fortran's `D` for the exponent.
pub(super) fn parse_f64(token: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(token).ok()?;
    if let Ok(x) = text.parse() {
        return Some(x);
    }
    let at = token.iter().position(|b| matches!(b, b'd' | b'D'))?;
    format!("{}e{}", text.get(..at)?, text.get(at + 1..)?).parse().ok()
}

/// A whole number, digits only.
pub(super) fn parse_u64(token: &[u8]) -> Option<u64> {
    let mut n = 0u64;
    for b in token {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        n = n.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    (!token.is_empty()).then_some(n)
}

//! Numbers one after another, from text or binary alike.

use super::input::{Input, parse_f64, parse_u64, shown};
use crate::error::Diagnostic;
use crate::interrupt;

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Decimal, between blanks.
    Text,
    /// As in memory.
    Binary {
        /// Most significant byte first.
        big: bool,
        /// Sizes take eight bytes, otherwise four.
        wide: bool,
    },
}

/// The power of two that a megabyte is.
pub(super) const MEGABYTE: u32 = 20;

/// Reads onwards through a file.
pub(super) struct Cursor<'a> {
    pub input: Input<'a>,
    pub pos: usize,
    pub mode: Mode,
    /// The section being read, for messages.
    pub section: String,
}

impl<'a> Cursor<'a> {
    pub fn new(input: Input<'a>) -> Self {
        Cursor { input, pos: 0, mode: Mode::Text, section: String::new() }
    }

    pub fn skip_blanks(&mut self) {
        while self.input.bytes.get(self.pos).is_some_and(u8::is_ascii_whitespace) {
            self.pos += 1;
        }
    }

    /// Where the next number begins.
    pub fn place(&mut self) -> usize {
        if self.mode == Mode::Text {
            self.skip_blanks();
        }
        self.pos
    }

    /// Looks up once in a megabyte; to a reader who is to give up the file ends there.
    #[inline]
    fn passed(&mut self, from: usize) {
        if (from ^ self.pos) >> MEGABYTE != 0 && interrupt::requested() {
            self.pos = self.input.bytes.len();
        }
    }

    pub fn ends(&self) -> Diagnostic {
        self.input.fault(self.input.bytes.len(), format!("the file ends inside {}", self.section))
    }

    /// The next word of a text.
    pub fn word(&mut self) -> Result<&'a [u8], Diagnostic> {
        self.skip_blanks();
        let rest = &self.input.bytes[self.pos..];
        let n = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        if n == 0 {
            return Err(self.ends());
        }
        let from = self.pos;
        self.pos += n;
        self.passed(from);
        Ok(&rest[..n])
    }

    fn expected(&self, what: &str, word: &[u8]) -> Diagnostic {
        let at = self.pos - word.len();
        if word[0] == b'$' {
            let message = format!("`{}` comes before all that {} promises", shown(word), self.section);
            return self.input.fault(at, message);
        }
        let message = format!("expected {what} in {}, found `{}`", self.section, shown(word));
        self.input.fault(at, message)
    }

    fn bytes<const N: usize>(&mut self, big: bool) -> Result<[u8; N], Diagnostic> {
        let piece = self.input.bytes.get(self.pos..).and_then(|rest| rest.first_chunk::<N>());
        let mut piece = *piece.ok_or_else(|| self.ends())?;
        let from = self.pos;
        self.pos += N;
        self.passed(from);
        if big {
            piece.reverse();
        }
        Ok(piece)
    }

    /// A signed number: four bytes in binary.
    pub fn int(&mut self) -> Result<i64, Diagnostic> {
        if let Mode::Binary { big, .. } = self.mode {
            return Ok(i32::from_le_bytes(self.bytes(big)?).into());
        }
        if let Some(n) = self.digits().and_then(|n| i64::try_from(n).ok()) {
            return Ok(n);
        }
        let word = self.word()?;
        let number = match word.strip_prefix(b"-") {
            Some(digits) => parse_u64(digits).map(|n| -i128::from(n)),
            None => parse_u64(word).map(i128::from),
        };
        let number = number.and_then(|n| i64::try_from(n).ok());
        number.ok_or_else(|| self.expected("a whole number", word))
    }

    /// The digits that come next in a text, if blanks stand around them and their number is sure to fit.
    #[inline]
    fn digits(&mut self) -> Option<u64> {
        let bytes = self.input.bytes;
        let mut at = self.pos;
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        let (start, mut n) = (at, 0u64);
        while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d <= 9) {
            n = n.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        }
        let whole = (1..=19).contains(&(at - start)) && bytes.get(at).is_none_or(u8::is_ascii_whitespace);
        whole.then(|| {
            self.pos = at;
            self.passed(start);
            n
        })
    }

    /// A size or number of a node or element: four or eight bytes in binary.
    #[inline]
    pub fn size(&mut self) -> Result<u64, Diagnostic> {
        match self.mode {
            Mode::Text => {
                if let Some(n) = self.digits() {
                    return Ok(n);
                }
                let word = self.word()?;
                parse_u64(word).ok_or_else(|| self.expected("a whole number not below 0", word))
            }
            Mode::Binary { big, wide: true } => Ok(u64::from_le_bytes(self.bytes(big)?)),
            Mode::Binary { big, wide: false } => Ok(u32::from_le_bytes(self.bytes(big)?).into()),
        }
    }

    pub fn double(&mut self) -> Result<f64, Diagnostic> {
        if let Mode::Binary { big, .. } = self.mode {
            return Ok(f64::from_le_bytes(self.bytes(big)?));
        }
        let word = self.word()?;
        parse_f64(word).ok_or_else(|| self.expected("a number", word))
    }

    /// A count of things that take at least so many numbers each: no more than the file has room for.
    pub fn count(&mut self, what: &str, numbers: usize) -> Result<usize, Diagnostic> {
        let at = self.place();
        let count = self.size()?;
        // A digit and a blank; in binary nothing is shorter than four bytes.
        let least = numbers as u64 * if self.mode == Mode::Text { 2 } else { 4 };
        let room = (self.input.bytes.len() - self.pos) as u64;
        // One byte more: the last number of a text may have no blank after it.
        if count.checked_mul(least).is_none_or(|need| need > room + 1) {
            let message =
                format!("{} promises {count} {what}, more than the file has room for", self.section);
            return Err(self.input.fault(at, message).help("the file is cut short or damaged"));
        }
        Ok(count as usize)
    }
}

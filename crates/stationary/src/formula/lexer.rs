//! Text to tokens.

use super::{FormulaError, hint, shorten};
use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token {
    Number(f64),
    /// The name is the text of the token's span.
    Name,
    Plus,
    Minus,
    Star,
    Slash,
    Power,
    Open,
    Close,
    OpenIndex,
    CloseIndex,
    Comma,
    Equals,
    Range,
    End,
}

/// Reads one token at a time; formulas of any length need no token list.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lexer { text, at: 0 }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    pub(super) fn next(&mut self) -> Result<(Token, Range<usize>), FormulaError> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        let start = self.at;
        let Some(first) = self.text[start..].chars().next() else {
            return Ok((Token::End, start..start));
        };
        if first.is_ascii_digit() || (first == '.' && self.byte(1).is_ascii_digit()) {
            return self.number();
        }
        if first.is_alphabetic() || first == '_' {
            let rest = &self.text[start..];
            let len = rest.find(|c: char| !in_name(c)).unwrap_or(rest.len());
            self.at = start + len;
            return Ok((Token::Name, start..self.at));
        }
        let (token, len) = match (first, self.byte(1)) {
            ('*', b'*') => (Token::Power, 2),
            ('.', b'.') => (Token::Range, 2),
            ('+', _) => (Token::Plus, 1),
            ('-', _) => (Token::Minus, 1),
            ('*', _) => (Token::Star, 1),
            ('/', _) => (Token::Slash, 1),
            ('^', _) => (Token::Power, 1),
            ('(', _) => (Token::Open, 1),
            (')', _) => (Token::Close, 1),
            ('[', _) => (Token::OpenIndex, 1),
            (']', _) => (Token::CloseIndex, 1),
            (',', _) => (Token::Comma, 1),
            ('=', _) => (Token::Equals, 1),
            _ => return Err(stranger(first, &self.text[..start])),
        };
        self.at += len;
        Ok((token, start..self.at))
    }

    fn digits(&mut self) {
        while self.byte(0).is_ascii_digit() {
            self.at += 1;
        }
    }

    fn number(&mut self) -> Result<(Token, Range<usize>), FormulaError> {
        let start = self.at;
        self.digits();
        // `0..3` is a range, not `0.` followed by `.3`.
        if self.byte(0) == b'.' && self.byte(1) != b'.' {
            self.at += 1;
            self.digits();
        }
        // An `e` belongs to the number only if digits follow: `2e` is a forgotten product.
        if matches!(self.byte(0), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
            if self.byte(1 + sign).is_ascii_digit() {
                self.at += 1 + sign;
                self.digits();
            }
        }
        let text = &self.text[start..self.at];
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok((Token::Number(value), start..self.at)),
            _ => Err(FormulaError::new(start..self.at, format!("the number {} is too large", shorten(text)))
                .help(format!("the largest number is {:.4e}", f64::MAX))),
        }
    }
}

/// Letters of any script; superscripts are digits to Unicode, but `x²` is no name.
pub(super) fn in_name(c: char) -> bool {
    c.is_alphabetic() || c.is_ascii_digit() || c == '_'
}

fn stranger(c: char, before: &str) -> FormulaError {
    let at = before.len();
    let error = FormulaError::new(at..at + c.len_utf8(), format!("unexpected character {c:?}"));
    let usual = "a formula has numbers, names, + - * / ^, ( ), [ ] and commas";
    error.help(hint::instead(c, before).unwrap_or_else(|| usual.into()))
}

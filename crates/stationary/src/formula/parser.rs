//! Tokens to postfix code. Left-associative chains of any length take a loop, not the stack; what does take the
//! stack is counted against [`MAX_DEPTH`].

use super::functions::{Arity, Builtin, functions};
use super::lexer::{Lexer, Token, in_name};
use super::{FormulaError, MAX_DEPTH, MAX_TEXT, shorten};
use crate::error::near_miss;
use std::collections::HashMap;
use std::ops::Range;

/// The operators between two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a ^ b`, also `a ** b`
    Pow,
}

/// One step of a stack machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Code {
    Number(f64),
    Name(u32),
    /// Takes the index from the stack.
    Element(u32),
    Negate,
    Binary(BinaryOp),
    Call(Builtin, u32),
    /// Takes the ends from the stack; the next `body` steps are the term.
    Sum {
        index: u32,
        body: u32,
    },
}

/// A parsed formula: names are not resolved yet.
#[derive(Debug, Clone)]
pub struct Expr {
    pub(super) code: Vec<Code>,
    pub(super) spans: Vec<Range<u32>>,
    pub(super) symbols: Vec<String>,
    free: Vec<bool>,
}

impl Expr {
    /// Reads a formula.
    ///
    /// ```
    /// use stationary::formula::Expr;
    /// assert!(Expr::parse("sum(i = 0..2, q[i]^2)").is_ok());
    /// let error = Expr::parse("2x").unwrap_err();
    /// assert_eq!((error.span, error.help.unwrap().as_str()), (1..2, "for a product write `2*x`"));
    /// ```
    pub fn parse(text: &str) -> Result<Expr, FormulaError> {
        if text.len() > MAX_TEXT {
            let message = format!("the formula has {} bytes; at most {MAX_TEXT} are allowed", text.len());
            return Err(FormulaError::new(0..0, message).help("long sums are written `sum(i = a..b, ...)`"));
        }
        let mut parser = Parser::new(text)?;
        if parser.token == Token::End {
            return Err(
                FormulaError::new(0..text.len(), "the formula is empty").help("expected an expression")
            );
        }
        parser.expression()?;
        if parser.token != Token::End {
            return Err(parser.trailing());
        }
        Ok(parser.out)
    }

    /// The names the formula uses, sum indices and functions aside, in order of appearance.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.symbols.iter().zip(&self.free).filter(|(_, free)| **free).map(|(name, _)| name.as_str())
    }
}

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    token: Token,
    span: Range<usize>,
    /// Where the token before `token` ended.
    last: usize,
    depth: usize,
    /// Indices of the sums around the current place.
    bound: Vec<u32>,
    known: HashMap<&'a str, u32>,
    out: Expr,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self, FormulaError> {
        let mut lexer = Lexer::new(text);
        let (token, span) = lexer.next()?;
        let out = Expr { code: vec![], spans: vec![], symbols: vec![], free: vec![] };
        Ok(Parser { text, lexer, token, span, last: 0, depth: 0, bound: vec![], known: HashMap::new(), out })
    }

    fn advance(&mut self) -> Result<(), FormulaError> {
        self.last = self.span.end;
        (self.token, self.span) = self.lexer.next()?;
        Ok(())
    }

    fn emit(&mut self, code: Code, start: usize) {
        self.out.code.push(code);
        self.out.spans.push(start as u32..self.last as u32);
    }

    fn symbol(&mut self, name: &'a str) -> u32 {
        *self.known.entry(name).or_insert_with(|| {
            self.out.symbols.push(name.to_owned());
            self.out.free.push(false);
            self.out.symbols.len() as u32 - 1
        })
    }

    fn found(&self) -> String {
        match self.token {
            Token::End => "the formula ends here".to_owned(),
            _ => format!("found `{}`", shorten(&self.text[self.span.clone()])),
        }
    }

    fn expect(&mut self, token: Token, what: &str) -> Result<(), FormulaError> {
        if self.token == token {
            return self.advance();
        }
        Err(FormulaError::new(self.span.clone(), format!("expected {what}, but {}", self.found())))
    }

    fn enter(&mut self) -> Result<(), FormulaError> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        Err(FormulaError::new(self.span.clone(), format!("the formula is nested more than {MAX_DEPTH} deep"))
            .help("name parts of it, or write sums without brackets"))
    }

    fn trailing(&self) -> FormulaError {
        let text = &self.text[self.span.clone()];
        let error = FormulaError::new(self.span.clone(), format!("unexpected `{}`", shorten(text)));
        match self.token {
            Token::Name | Token::Number(_) | Token::Open => {
                let end = self.last;
                let before = self.text[..end].trim_end();
                let from = before.rfind(|c: char| !in_name(c) && c != '.');
                let word =
                    &before[from.map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8))..];
                let left = if word.is_empty() { "..." } else { word };
                if Builtin::named(left).is_some() {
                    return error.help(format!("`{left}` is a function: write `{left}({})`", shorten(text)));
                }
                let right = if self.token == Token::Open { "(...)" } else { text };
                error.help(format!("for a product write `{}*{}`", shorten(left), shorten(right)))
            }
            Token::Close => error.help("there is no opening bracket for it"),
            Token::Equals => error.help("a formula is a value, not an equation"),
            Token::Comma => {
                error.help("a comma separates the arguments of a function; decimals take a point")
            }
            _ => error.help("expected an operator or the end of the formula"),
        }
    }

    /// `sum of products`: the loops below are what keeps `1 + 1 + ...` off the stack.
    fn expression(&mut self) -> Result<(), FormulaError> {
        self.enter()?;
        let start = self.span.start;
        self.product()?;
        loop {
            let op = match self.token {
                Token::Plus => BinaryOp::Add,
                Token::Minus => BinaryOp::Sub,
                _ => break,
            };
            self.advance()?;
            self.product()?;
            self.emit(Code::Binary(op), start);
        }
        self.depth -= 1;
        Ok(())
    }

    fn product(&mut self) -> Result<(), FormulaError> {
        let start = self.span.start;
        self.signed()?;
        loop {
            let op = match self.token {
                Token::Star => BinaryOp::Mul,
                Token::Slash => BinaryOp::Div,
                _ => return Ok(()),
            };
            self.advance()?;
            self.signed()?;
            self.emit(Code::Binary(op), start);
        }
    }

    /// Signs and powers: `-a^b` is `-(a^b)`, `a^-b^c` is `a^(-(b^c))`.
    fn signed(&mut self) -> Result<(), FormulaError> {
        self.enter()?;
        let start = self.span.start;
        match self.token {
            Token::Minus => {
                self.advance()?;
                self.signed()?;
                self.emit(Code::Negate, start);
            }
            Token::Plus => {
                self.advance()?;
                self.signed()?;
            }
            _ => {
                self.atom()?;
                if self.token == Token::Power {
                    self.advance()?;
                    self.signed()?;
                    self.emit(Code::Binary(BinaryOp::Pow), start);
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn atom(&mut self) -> Result<(), FormulaError> {
        let start = self.span.start;
        match self.token {
            Token::Number(value) => {
                self.advance()?;
                self.emit(Code::Number(value), start);
                Ok(())
            }
            Token::Name => self.named(),
            Token::Open => {
                self.advance()?;
                self.expression()?;
                self.close("`)`", start)
            }
            _ => Err(FormulaError::new(
                self.span.clone(),
                format!("expected a number, a name or a bracket, but {}", self.found()),
            )),
        }
    }

    /// The bracket that ends what began at `start`.
    fn close(&mut self, what: &str, start: usize) -> Result<(), FormulaError> {
        match self.token {
            Token::Close => self.advance(),
            Token::End => {
                Err(FormulaError::new(start..self.last, "the bracket is never closed").help("add `)`"))
            }
            Token::Name | Token::Number(_) | Token::Open => Err(self.trailing()),
            _ => self.expect(Token::Close, what),
        }
    }

    fn named(&mut self) -> Result<(), FormulaError> {
        let span = self.span.clone();
        let name = &self.text[span.clone()];
        self.advance()?;
        match self.token {
            Token::Open if name == "sum" => self.sum(span.start),
            Token::Open => self.call(name, span),
            Token::OpenIndex => {
                self.advance()?;
                self.expression()?;
                self.expect(Token::CloseIndex, "`]`")?;
                let symbol = self.symbol(name);
                self.out.free[symbol as usize] = true;
                self.emit(Code::Element(symbol), span.start);
                Ok(())
            }
            _ => {
                let symbol = self.symbol(name);
                self.out.free[symbol as usize] |= !self.bound.contains(&symbol);
                self.emit(Code::Name(symbol), span.start);
                Ok(())
            }
        }
    }

    fn call(&mut self, name: &str, span: Range<usize>) -> Result<(), FormulaError> {
        let Some(builtin) = Builtin::named(name) else {
            let names =
                functions().iter().flat_map(|f| std::iter::once(f.name).chain(f.aliases.iter().copied()));
            let help = match near_miss(name, names.chain(["sum"])) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("for a product write `{}*(...)`", shorten(name)),
            };
            return Err(FormulaError::new(span, format!("unknown function `{}`", shorten(name))).help(help));
        };
        self.advance()?;
        let mut count = 0u32;
        if self.token != Token::Close {
            loop {
                self.expression()?;
                count += 1;
                if self.token != Token::Comma {
                    break;
                }
                self.advance()?;
            }
        }
        self.close("`,` or `)`", span.start)?;
        let function = builtin.function();
        let right = match function.arity {
            Arity::Exactly(n) => count == n,
            Arity::AtLeast(n) => count >= n,
        };
        if !right {
            let message = format!("`{name}` takes {}, found {count}", function.arity);
            return Err(FormulaError::new(span.start..self.last, message)
                .help(format!("{}: {}", function.signature, function.description)));
        }
        self.emit(Code::Call(builtin, count), span.start);
        Ok(())
    }

    /// `sum(i = a..b, term)`; the current token is the opening bracket.
    fn sum(&mut self, start: usize) -> Result<(), FormulaError> {
        let help = |e: FormulaError| match e.help {
            None => e.help("a sum is written `sum(i = 0..9, term)`; both ends are included"),
            Some(_) => e,
        };
        self.advance()?;
        let name = &self.text[self.span.clone()];
        self.expect(Token::Name, "the name of the index").map_err(help)?;
        self.expect(Token::Equals, "`=`").map_err(help)?;
        self.expression()?;
        self.expect(Token::Range, "`..`").map_err(help)?;
        self.expression()?;
        self.expect(Token::Comma, "`,`").map_err(help)?;
        let index = self.symbol(name);
        let at = self.out.code.len();
        self.emit(Code::Sum { index, body: 0 }, start);
        self.bound.push(index);
        self.expression()?;
        self.bound.pop();
        self.close("`)`", start)?;
        let body = (self.out.code.len() - at - 1) as u32;
        self.out.code[at] = Code::Sum { index, body };
        self.out.spans[at].end = self.last as u32;
        Ok(())
    }
}

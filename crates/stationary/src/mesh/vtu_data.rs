//! The numbers of a VTU file: text, base64 or raw, plain or compressed with zlib.

use super::input::{Input, parse_f64, parse_u64, shown};
use super::vtu::DataArray;
use crate::error::Diagnostic;
use std::borrow::Cow;

/// Where an array's numbers are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Format {
    /// As text from this byte on.
    Text(usize),
    /// As base64 from this byte on.
    Inline(usize),
    /// So many bytes behind the mark of the appended data.
    Appended(u64),
}

/// How a file writes binary numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Encoding {
    big: bool,
    /// Headers count in eight bytes, otherwise four.
    wide: bool,
    zlib: bool,
    /// First byte of the appended data, and whether they are raw.
    appended: Option<(usize, bool)>,
}

/// The numbers of an array.
pub(super) enum Numbers {
    Whole(Vec<i64>),
    Real(Vec<f64>),
}

impl Numbers {
    pub fn floats(self) -> Vec<f64> {
        match self {
            Numbers::Whole(v) => v.into_iter().map(|n| n as f64).collect(),
            Numbers::Real(v) => v,
        }
    }

    pub fn whole(self, input: &Input, array: &DataArray) -> Result<Vec<i64>, Diagnostic> {
        match self {
            Numbers::Whole(v) => Ok(v),
            Numbers::Real(_) => Err(input.fault(
                array.at,
                format!("array `{}` must hold whole numbers", shown(array.name.as_bytes())),
            )),
        }
    }
}

/// No zlib stream expands by more.
const MOST_EXPANSION: u64 = 1032;

impl Encoding {
    /// From the attributes `byte_order`, `header_type` and `compressor`.
    pub fn new(
        input: &Input,
        at: usize,
        [order, header, compressor]: [&[u8]; 3],
    ) -> Result<Self, Diagnostic> {
        let big = match order {
            b"BigEndian" => true,
            b"LittleEndian" | b"" => false,
            other => return Err(input.fault(at, format!("byte order `{}` is unknown", shown(other)))),
        };
        let wide = match header {
            b"UInt64" => true,
            b"UInt32" | b"" => false,
            other => return Err(input.fault(at, format!("header type `{}` is unknown", shown(other)))),
        };
        let zlib = match compressor {
            b"vtkZLibDataCompressor" => true,
            b"" => false,
            other => {
                let message = format!("data compressed by `{}` cannot be read", shown(other));
                return Err(input
                    .fault(at, message)
                    .help("write them uncompressed, or with vtkZLibDataCompressor"));
            }
        };
        Ok(Encoding { big, wide, zlib, appended: None })
    }

    pub fn append(&mut self, from: usize, raw: bool) {
        self.appended = Some((from, raw));
    }

    /// The numbers of an array, which must be so many. `charge` is asked before anything that the file holds in fewer bytes is unpacked.
    pub fn read(
        &self,
        input: &Input,
        array: &DataArray,
        count: Option<u64>,
        charge: &dyn Fn() -> Result<(), Diagnostic>,
    ) -> Result<Numbers, Diagnostic> {
        let (size, real, signed) = match array.number {
            b"Float32" => (4, true, true),
            b"Float64" => (8, true, true),
            b"Int8" => (1, false, true),
            b"Int16" => (2, false, true),
            b"Int32" => (4, false, true),
            b"Int64" => (8, false, true),
            b"UInt8" => (1, false, false),
            b"UInt16" => (2, false, false),
            b"UInt32" => (4, false, false),
            b"UInt64" => (8, false, false),
            other => {
                let message = format!("number type `{}` of an array is unknown", shown(other));
                return Err(input.fault(array.at, message));
            }
        };
        let too_many = || self.room(input, array, "more than a file could hold");
        let count = count.ok_or_else(too_many)?;
        if let Format::Text(from) = array.format {
            return text(input, array, from, count, real);
        }
        let need = count.checked_mul(size).ok_or_else(too_many)?;
        let bytes = self.bytes(input, array, need, charge)?;
        let chunks = bytes.chunks_exact(size as usize);
        if real {
            return Ok(Numbers::Real(chunks.map(|c| self.real(c)).collect()));
        }
        let whole: Option<Vec<i64>> = chunks.map(|c| self.whole(c, signed)).collect();
        whole.map(Numbers::Whole).ok_or_else(|| self.room(input, array, "a number beyond 2^63"))
    }

    fn room(&self, input: &Input, array: &DataArray, what: &str) -> Diagnostic {
        input.fault(array.at, format!("array `{}` holds {what}", shown(array.name.as_bytes())))
    }

    fn word(&self, bytes: &[u8]) -> u64 {
        let digit = |n: u64, b: &u8| (n << 8) | u64::from(*b);
        if self.big { bytes.iter().fold(0, digit) } else { bytes.iter().rev().fold(0, digit) }
    }

    fn real(&self, bytes: &[u8]) -> f64 {
        let word = self.word(bytes);
        if bytes.len() == 4 { f32::from_bits(word as u32).into() } else { f64::from_bits(word) }
    }

    fn whole(&self, bytes: &[u8], signed: bool) -> Option<i64> {
        let word = self.word(bytes);
        if !signed {
            return i64::try_from(word).ok();
        }
        let unused = 64 - 8 * bytes.len() as u32;
        Some(((word << unused) as i64) >> unused)
    }

    /// The bytes of an array: header off, decoded, decompressed.
    fn bytes<'a>(
        &self,
        input: &Input<'a>,
        array: &DataArray,
        need: u64,
        charge: &dyn Fn() -> Result<(), Diagnostic>,
    ) -> Result<Cow<'a, [u8]>, Diagnostic> {
        let cut = || {
            input.fault(array.at, format!("the file ends inside array `{}`", shown(array.name.as_bytes())))
        };
        let (from, raw) = match (array.format, self.appended) {
            (Format::Appended(offset), Some((from, raw))) => {
                (usize::try_from(offset).ok().and_then(|o| o.checked_add(from)).ok_or_else(cut)?, raw)
            }
            (Format::Appended(_), None) => {
                return Err(input.fault(array.at, "the file has no <AppendedData> for this array"));
            }
            (Format::Inline(from) | Format::Text(from), _) => (from, false),
        };
        let rest = input.bytes.get(from..).ok_or_else(cut)?;
        let take = |n: u64| -> Result<Cow<'a, [u8]>, Diagnostic> {
            let n = usize::try_from(n).map_err(|_| cut())?;
            if raw { rest.get(..n).map(Cow::Borrowed) } else { base64(rest, n).map(Cow::Owned) }
                .ok_or_else(cut)
        };
        let w = if self.wide { 8 } else { 4 };
        let head = self.word(&take(w)?);
        if !self.zlib {
            if head != need {
                return Err(self.differs(input, array, head, need));
            }
            charge()?;
            let all = take(w.checked_add(need).ok_or_else(cut)?)?;
            return Ok(match all {
                Cow::Borrowed(all) => Cow::Borrowed(&all[w as usize..]),
                Cow::Owned(mut all) => {
                    all.drain(..w as usize);
                    Cow::Owned(all)
                }
            });
        }
        self.unpack(input, array, need, &take, charge).map(Cow::Owned)
    }

    fn differs(&self, input: &Input, array: &DataArray, found: u64, need: u64) -> Diagnostic {
        self.room(input, array, &format!("{found} bytes where {need} were expected"))
    }

    /// Blocks compressed one by one; `take` gives the first so many bytes of the array as stored.
    fn unpack<'a>(
        &self,
        input: &Input,
        array: &DataArray,
        need: u64,
        take: &dyn Fn(u64) -> Result<Cow<'a, [u8]>, Diagnostic>,
        charge: &dyn Fn() -> Result<(), Diagnostic>,
    ) -> Result<Vec<u8>, Diagnostic> {
        let cut = || self.room(input, array, "sizes beyond the end of the file");
        let w = if self.wide { 8 } else { 4 };
        let head = self.word(&take(w)?);
        let damaged = || self.room(input, array, "zlib data that do not unpack");
        // Number of blocks, size of one, size of the last (0: whole), then the compressed size of each.
        let table_end = head.checked_add(3).and_then(|n| n.checked_mul(w)).ok_or_else(cut)?;
        let table = take(table_end)?;
        let words: Vec<u64> = table.chunks_exact(w as usize).map(|c| self.word(c)).collect();
        let packed = words[3..].iter().try_fold(0u64, |sum, n| sum.checked_add(*n)).ok_or_else(cut)?;
        let all = take(table_end.checked_add(packed).ok_or_else(cut)?)?;
        if need / MOST_EXPANSION > packed {
            return Err(self.room(input, array, "too little for its length"));
        }
        charge()?;
        let (mut rest, mut out) = (&all[table_end as usize..], Vec::new());
        for n in &words[3..] {
            let (block, after) = rest.split_at(*n as usize);
            let room = (need as usize).saturating_sub(out.len());
            let piece = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(block, room);
            out.extend_from_slice(&piece.map_err(|_| damaged())?);
            rest = after;
        }
        let found = out.len() as u64;
        if found != need { Err(self.differs(input, array, found, need)) } else { Ok(out) }
    }
}

fn text(
    input: &Input,
    array: &DataArray,
    from: usize,
    count: u64,
    real: bool,
) -> Result<Numbers, Diagnostic> {
    let rest = &input.bytes[from..];
    let body = &rest[..rest.iter().position(|b| *b == b'<').unwrap_or(rest.len())];
    let room = count.min(body.len() as u64 / 2 + 1) as usize;
    let (mut whole, mut reals) = (Vec::new(), Vec::new());
    if real {
        reals.reserve(room)
    } else {
        whole.reserve(room)
    }
    let mut found = 0;
    for word in body.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()) {
        let known = if real {
            parse_f64(word).map(|x| reals.push(x))
        } else {
            let (digits, sign) = word.strip_prefix(b"-").map_or((word, 1), |d| (d, -1));
            let n = parse_u64(digits).and_then(|n| i64::try_from(n).ok());
            n.map(|n| whole.push(sign * n))
        };
        if known.is_none() {
            let at = input.place(word);
            let what = if real { "a number" } else { "a whole number" };
            return Err(input.fault(at, format!("expected {what}, found `{}`", shown(word))));
        }
        found += 1;
    }
    if found != count {
        let name = shown(array.name.as_bytes());
        let message = format!("array `{name}` holds {found} numbers where {count} were expected");
        return Err(input.fault(array.at, message));
    }
    Ok(if real { Numbers::Real(reals) } else { Numbers::Whole(whole) })
}

/// The first `need` bytes of base64 text. Header and data may be encoded one by one: padding ends a piece, and the
/// next begins behind it.
fn base64(text: &[u8], need: usize) -> Option<Vec<u8>> {
    if need / 3 > text.len() / 4 {
        return None;
    }
    let mut out = Vec::with_capacity(need + 3);
    let (mut bits, mut held) = (0u32, 0u32);
    for b in text {
        if out.len() >= need {
            break;
        }
        let digit = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                (bits, held) = (0, 0);
                continue;
            }
            b if b.is_ascii_whitespace() => continue,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    (out.len() == need).then_some(out)
}

//! States that can be put away and taken out again: every number of them, in one order, to the bit.
//!
//! What moves says once which of its numbers decide how it goes on ([`Persist::pass`]); an [`Archive`] either notes them or
//! sets them. One list for both ways: nothing can be written that is not read, nor in another order.

use std::collections::VecDeque;

/// Notes numbers one after the other, or gives back those noted.
///
/// ```
/// use stationary::archive::Archive;
///
/// let mut noted = Archive::writer();
/// noted.pass(&mut 0.1).pass(&mut vec![1u64, 2]);
/// let mut back = Archive::reader(noted.into_bytes());
/// let (mut x, mut list) = (0.0, Vec::<u64>::new());
/// back.pass(&mut x).pass(&mut list);
/// assert!(back.finish().is_ok() && x == 0.1 && list == [1, 2]);
/// ```
#[derive(Debug)]
pub struct Archive {
    bytes: Vec<u8>,
    /// How much has been read; none while writing.
    at: Option<usize>,
    /// The first thing that did not fit; nothing is set after it.
    fault: Option<String>,
}

/// A state that an archive can hold.
pub trait Persist {
    /// Shows every number that decides how it goes on: they are noted, or set to what was noted.
    fn pass(&mut self, archive: &mut Archive);
}

impl Archive {
    /// One that notes.
    pub fn writer() -> Self {
        Archive { bytes: Vec::new(), at: None, fault: None }
    }

    /// One that notes in the room of old notes, which are gone.
    pub fn over(mut bytes: Vec<u8>) -> Self {
        bytes.clear();
        Archive { bytes, ..Self::writer() }
    }

    /// One that gives back what another noted.
    pub fn reader(bytes: Vec<u8>) -> Self {
        Archive { bytes, at: Some(0), fault: None }
    }

    /// Whether it gives back.
    pub fn reads(&self) -> bool {
        self.at.is_some()
    }

    /// What was noted.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Notes or sets something.
    pub fn pass<T: Persist + ?Sized>(&mut self, value: &mut T) -> &mut Self {
        value.pass(self);
        self
    }

    /// Notes or sets numbers whose count is fixed: another count is a fault.
    pub fn fixed<T: Persist>(&mut self, values: &mut [T]) -> &mut Self {
        let mut count = values.len();
        self.pass(&mut count);
        if count != values.len() {
            self.refuse(format!("{count} values where {} are expected", values.len()));
            return self;
        }
        values.iter_mut().for_each(|x| x.pass(self));
        self
    }

    /// Notes or sets bytes, eight to a word.
    pub fn bytes(&mut self, values: &mut Vec<u8>) -> &mut Self {
        let Some(count) = self.word(values.len() as u64) else { return self };
        let left = self.at.map_or(u64::MAX, |at| (self.bytes.len() - at) as u64);
        if count > left {
            self.refuse(format!("{count} bytes beyond its end"));
            return self;
        }
        values.resize(count as usize, 0);
        for chunk in values.chunks_mut(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            if let Some(found) = self.word(u64::from_le_bytes(word)) {
                chunk.copy_from_slice(&found.to_le_bytes()[..chunk.len()]);
            }
        }
        self
    }

    /// Notes or sets one of several things, by its place among them.
    pub fn choice<T: Copy + PartialEq>(&mut self, value: &mut T, among: &[T]) -> &mut Self {
        let mut place = among.iter().position(|x| x == value).unwrap_or(0);
        self.pass(&mut place);
        match among.get(place) {
            Some(found) => *value = *found,
            None => self.refuse(format!("choice {place} of {}", among.len())),
        }
        self
    }

    /// Says that what was read cannot be.
    pub fn refuse(&mut self, why: String) {
        self.fault.get_or_insert(why);
    }

    /// Says that what was read cannot be unless something holds of it.
    pub fn require(&mut self, holds: bool, what: &str) {
        if !holds {
            self.refuse(what.into());
        }
    }

    /// Why something was refused, if it was.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Whether nothing was refused so far.
    pub fn sound(&self) -> bool {
        self.fault.is_none()
    }

    /// Whether all fitted, and all was read.
    pub fn finish(self) -> Result<(), String> {
        let left = self.at.map_or(0, |at| self.bytes.len() - at);
        match self.fault {
            Some(fault) => Err(fault),
            None if left > 0 => Err(format!("{left} bytes too many")),
            None => Ok(()),
        }
    }

    /// Eight bytes; while reading, `None` after a fault and beyond the end.
    fn word(&mut self, word: u64) -> Option<u64> {
        let Some(at) = self.at else {
            self.bytes.extend(word.to_le_bytes());
            return Some(word);
        };
        if self.fault.is_some() {
            return None;
        }
        let Some(found) = self.bytes[at..].first_chunk::<8>() else {
            self.refuse("it ends too early".into());
            return None;
        };
        self.at = Some(at + 8);
        Some(u64::from_le_bytes(*found))
    }

    /// How many members a list has: while reading no more than there are words left, as each takes one at least.
    fn count(&mut self, count: usize) -> Option<usize> {
        let found = self.word(count as u64)?;
        let left = self.at.map_or(u64::MAX, |at| ((self.bytes.len() - at) / 8) as u64);
        if found > left {
            self.refuse(format!("a list of {found} members beyond its end"));
            return None;
        }
        Some(found as usize)
    }
}

impl Persist for f64 {
    fn pass(&mut self, archive: &mut Archive) {
        if let Some(word) = archive.word(self.to_bits()) {
            *self = f64::from_bits(word);
        }
    }
}

macro_rules! whole {
    ($($number:ty),*) => {$(
        impl Persist for $number {
            fn pass(&mut self, archive: &mut Archive) {
                match archive.word(*self as u64).map(<$number>::try_from) {
                    Some(Ok(number)) => *self = number,
                    Some(Err(_)) => archive.refuse("a whole number is too large".into()),
                    None => {}
                }
            }
        }
    )*};
}
whole!(u64, u32, usize);

impl Persist for bool {
    fn pass(&mut self, archive: &mut Archive) {
        archive.choice(self, &[false, true]);
    }
}

impl Persist for String {
    fn pass(&mut self, archive: &mut Archive) {
        let mut letters: Vec<u32> = self.chars().map(u32::from).collect();
        letters.pass(archive);
        match letters.into_iter().map(char::from_u32).collect() {
            Some(text) => *self = text,
            None => archive.refuse("a text is none".into()),
        }
    }
}

impl<T: Persist + Default> Persist for Option<T> {
    fn pass(&mut self, archive: &mut Archive) {
        let mut there = self.is_some();
        there.pass(archive);
        if !there {
            *self = None;
            return;
        }
        self.get_or_insert_default().pass(archive);
    }
}

impl<T: Persist + Default> Persist for Vec<T> {
    fn pass(&mut self, archive: &mut Archive) {
        if let Some(count) = archive.count(self.len()) {
            self.resize_with(count, T::default);
            self.iter_mut().for_each(|x| x.pass(archive));
        }
    }
}

impl<T: Persist + Default> Persist for VecDeque<T> {
    fn pass(&mut self, archive: &mut Archive) {
        if let Some(count) = archive.count(self.len()) {
            self.resize_with(count, T::default);
            self.iter_mut().for_each(|x| x.pass(archive));
        }
    }
}

impl<T: Persist, const N: usize> Persist for [T; N] {
    fn pass(&mut self, archive: &mut Archive) {
        self.iter_mut().for_each(|x| x.pass(archive));
    }
}

impl<A: Persist, B: Persist> Persist for (A, B) {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.0).pass(&mut self.1);
    }
}

impl<A: Persist, B: Persist, C: Persist> Persist for (A, B, C) {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.0).pass(&mut self.1).pass(&mut self.2);
    }
}

impl<A: Persist, B: Persist, C: Persist, D: Persist> Persist for (A, B, C, D) {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.0).pass(&mut self.1).pass(&mut self.2).pass(&mut self.3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Default)]
    struct Whole {
        numbers: Vec<f64>,
        pairs: VecDeque<(u32, [f64; 2])>,
        last: Option<Vec<usize>>,
        flag: bool,
        name: String,
    }

    impl Persist for Whole {
        fn pass(&mut self, archive: &mut Archive) {
            archive.pass(&mut self.numbers).pass(&mut self.pairs).pass(&mut self.last);
            archive.pass(&mut self.flag).pass(&mut self.name);
        }
    }

    fn noted() -> (Whole, Vec<u8>) {
        let mut whole = Whole {
            numbers: vec![-0.0, f64::MIN_POSITIVE, f64::INFINITY],
            pairs: [(7, [1.0, 2.0]), (u32::MAX, [0.1, 0.2])].into(),
            last: Some(vec![3, 1]),
            flag: true,
            name: "θ and floor".into(),
        };
        let mut archive = Archive::writer();
        archive.pass(&mut whole);
        (whole, archive.into_bytes())
    }

    #[test]
    fn archive_restores_saved_values_bit_by_bit() {
        let (whole, bytes) = noted();
        let mut back = Whole { numbers: vec![5.0; 9], last: None, ..Whole::default() };
        let mut archive = Archive::reader(bytes);
        archive.pass(&mut back);
        archive.finish().unwrap();
        assert_eq!(back, whole);
        assert!(back.numbers[0].is_sign_negative());
        let mut nan = f64::from_bits(0x7ff8_0000_0000_0123);
        let mut archive = Archive::writer();
        archive.pass(&mut nan);
        let mut archive = Archive::reader(archive.into_bytes());
        let mut found = 0.0;
        archive.pass(&mut found);
        assert_eq!(found.to_bits(), nan.to_bits());
    }

    /// Every cut and every changed word ends in a message or in other numbers, never in a panic or a list without end.
    #[test]
    fn archive_of_damaged_data_fails_or_stays_bounded() {
        let (_, bytes) = noted();
        for cut in 0..bytes.len() {
            let mut archive = Archive::reader(bytes[..cut].to_vec());
            archive.pass(&mut Whole::default());
            assert!(archive.finish().is_err(), "{cut}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0xff;
            let mut archive = Archive::reader(changed);
            let mut found = Whole::default();
            archive.pass(&mut found);
            assert!(found.numbers.len() + found.pairs.len() < bytes.len());
        }
        let mut archive = Archive::reader(bytes.iter().copied().chain([0]).collect());
        archive.pass(&mut Whole::default());
        assert_eq!(archive.finish().unwrap_err(), "1 bytes too many");
        let mut archive = Archive::writer();
        archive.fixed(&mut [1.0, 2.0]);
        let mut archive = Archive::reader(archive.into_bytes());
        archive.fixed(&mut [0.0; 3]);
        assert_eq!(archive.finish().unwrap_err(), "2 values where 3 are expected");
    }
}

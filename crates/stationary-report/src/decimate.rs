//! Which moments of a run are shown, within a budget: all of them, then every second, every fourth, and so on.
//!
//! This is decimation of moments that are drawn one by one (frames of a film or of a scene, impacts). Curves over a whole run are drawn
//! from an [`Envelope`](super::Envelope) of minima and maxima instead, and reduced to what a plot can resolve when they are
//! drawn.

use stationary::archive::{Archive, Persist};

/// Decides which members of a sequence of unknown length are retained: those whose number is a multiple of a stride, and all of
/// an opening. The stride doubles whenever the members are too many, so that the choice depends only on how many were offered.
///
/// Without an opening, pictures of a long run would jump from moment to moment and show no motion.
///
/// ```
/// use stationary_report::Decimator;
/// let mut decimator = Decimator::default();
/// let mut numbers: Vec<u64> = Vec::new();
/// for _ in 0..100 {
///     if decimator.retains_next() {
///         numbers.push(decimator.offered());
///     }
///     decimator.count();
///     while numbers.len() > 8 {
///         decimator.halve(3);
///         numbers.retain(|number| decimator.retains(*number));
///     }
/// }
/// assert_eq!(numbers, [0, 1, 2, 32, 64, 96]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimator {
    offered: u64,
    stride: u64,
    /// Members before this one are all retained.
    opening: u64,
}

impl Default for Decimator {
    fn default() -> Self {
        Decimator { offered: 0, stride: 1, opening: u64::MAX }
    }
}

impl Decimator {
    /// Members offered so far: the number of the next one.
    pub fn offered(&self) -> u64 {
        self.offered
    }

    /// Beyond the opening one member in so many is retained.
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// Members of the opening, which are all retained.
    pub fn opening(&self) -> u64 {
        self.opening
    }

    /// Whether a member is retained.
    pub fn retains(&self, number: u64) -> bool {
        number < self.opening || number.is_multiple_of(self.stride)
    }

    /// Whether the next member is retained.
    pub fn retains_next(&self) -> bool {
        self.retains(self.offered)
    }

    /// Counts a member that was offered.
    pub fn count(&mut self) {
        self.offered += 1;
    }

    /// Retains every second of the members beyond an opening, which never grows.
    pub fn halve(&mut self, opening: u64) {
        self.opening = self.opening.min(opening);
        self.stride *= 2;
    }
}

impl Persist for Decimator {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.offered).pass(&mut self.stride).pass(&mut self.opening);
        archive.require(self.stride.is_power_of_two(), "a stride that is not a power of two");
    }
}

/// A decimated list: at most a number of values, spread evenly over all that were offered, or with an opening of half that number.
#[derive(Clone, Debug)]
pub struct Decimated<T> {
    decimator: Decimator,
    most: usize,
    opening: u64,
    /// Values and their numbers.
    values: Vec<(u64, T)>,
}

impl<T> Decimated<T> {
    /// An empty list of at most so many values.
    pub fn new(most: usize) -> Self {
        Decimated { decimator: Decimator::default(), most, opening: 0, values: Vec::new() }
    }

    /// The first half of the list has every value of the beginning.
    pub fn with_opening(mut self) -> Self {
        self.opening = self.most as u64 / 2;
        self
    }

    /// The first value has this number: if it is one, the last of each stride is retained instead of the first.
    pub fn numbered_from(mut self, number: u64) -> Self {
        self.decimator.offered = number;
        self
    }

    /// Offers the next value.
    pub fn push(&mut self, value: T) {
        if self.decimator.retains_next() {
            self.values.push((self.decimator.offered(), value));
        }
        self.decimator.count();
        while self.values.len() > self.most {
            self.decimator.halve(self.opening);
            self.values.retain(|(number, _)| self.decimator.retains(*number));
        }
    }

    /// The values retained, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.values.iter().map(|(_, value)| value)
    }

    /// How many are retained.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether nothing was offered.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// How many were offered, and in what steps they are retained.
    pub fn decimator(&self) -> &Decimator {
        &self.decimator
    }
}

impl<T: Persist + Default> Persist for Decimated<T> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.decimator).pass(&mut self.values);
        archive.require(self.values.len() <= self.most, "a list with too many members");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimated_list_is_spread_evenly_over_all_values_offered() {
        let mut list = Decimated::new(10);
        let mut numbered = Decimated::new(10).numbered_from(1);
        for k in 0..1000 {
            list.push(k);
            numbered.push(k);
        }
        assert_eq!((list.len(), list.decimator().stride(), list.decimator().offered()), (8, 128, 1000));
        assert!(list.iter().copied().eq((0..8).map(|k| 128 * k)));
        assert!(numbered.iter().copied().eq((1..8).map(|k| 128 * k - 1)));
    }

    #[test]
    fn a_decimated_list_with_an_opening_retains_the_first_values() {
        let mut list = Decimated::new(10).with_opening();
        (0..1000).for_each(|k| list.push(k));
        assert!(list.iter().copied().eq([0, 1, 2, 3, 4, 256, 512, 768]), "{list:?}");
    }

    #[test]
    fn a_decimated_list_from_a_checkpoint_goes_on_as_an_unbroken_one() {
        let mut whole = Decimated::new(16).with_opening();
        let mut resumed = whole.clone();
        for k in 0..500_u64 {
            whole.push(k);
            if k == 123 {
                let mut archive = Archive::writer();
                archive.pass(&mut whole);
                let mut archive = Archive::reader(archive.into_bytes());
                archive.pass(&mut resumed);
                archive.finish().unwrap();
            } else if k > 123 {
                resumed.push(k);
            }
        }
        assert!(whole.iter().eq(resumed.iter()) && whole.decimator() == resumed.decimator());
    }
}

//! Sets of offsets and row numbers: one bit for each number below a limit.

use std::ops::Range;

const BITS: u32 = u64::BITS;

/// Set of the numbers below a limit, which is the length of something in a file: an eighth of it is allocated.
#[derive(Debug, Default)]
pub(crate) struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    /// Returns the empty set of numbers below `limit`.
    pub(crate) fn below(limit: u64) -> Self {
        let mut set = Self::default();
        set.clear(limit);
        set
    }

    /// Removes every number; those below `limit` may follow.
    pub(crate) fn clear(&mut self, limit: u64) {
        self.words.clear();
        self.words.resize(limit.div_ceil(BITS.into()) as usize, 0);
    }

    /// Inserts a number; returns false if it is above the limit.
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let word = self.words.get_mut((number / BITS) as usize);
        word.map(|word| *word |= 1 << (number % BITS)).is_some()
    }

    /// Removes a number.
    pub(crate) fn remove(&mut self, number: u32) {
        if let Some(word) = self.words.get_mut((number / BITS) as usize) {
            *word &= !(1 << (number % BITS));
        }
    }

    /// Returns whether a number is in the set.
    pub(crate) fn contains(&self, number: u32) -> bool {
        self.words.get((number / BITS) as usize).is_some_and(|word| word >> (number % BITS) & 1 != 0)
    }

    /// Returns whether any number of a range is in the set.
    pub(crate) fn has_any(&self, range: Range<u32>) -> bool {
        self.from(range.start).next().is_some_and(|found| found < range.end)
    }

    /// Numbers of the set that are not in `other`, ascending.
    pub(crate) fn without<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = u32> + 's {
        self.from(0).filter(|number| !other.contains(*number))
    }

    /// Numbers from `first` on, ascending.
    fn from(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = (first / BITS) as usize;
        let mut word = self.words.get(at).copied().unwrap_or_default() & (u64::MAX << (first % BITS));
        std::iter::from_fn(move || {
            while word == 0 {
                at += 1;
                word = *self.words.get(at)?;
            }
            let bit = word.trailing_zeros();
            word &= word - 1;
            Some(at as u32 * BITS + bit)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_words_are_found_in_order() {
        let mut set = BitSet::below(200);
        for number in [0, 63, 64, 130, 199] {
            assert!(set.insert(number));
        }
        assert!(!set.insert(256), "above the limit");
        assert_eq!(set.from(0).collect::<Vec<_>>(), [0, 63, 64, 130, 199]);
        assert_eq!(set.from(64).collect::<Vec<_>>(), [64, 130, 199]);
        assert_eq!(set.from(131).collect::<Vec<_>>(), [199]);
        assert!(set.has_any(65..131) && !set.has_any(65..130) && !set.has_any(1000..2000));
        let mut other = BitSet::below(80);
        other.insert(63);
        assert_eq!(set.without(&other).collect::<Vec<_>>(), [0, 64, 130, 199]);
        set.remove(64);
        assert!(!set.contains(64) && set.contains(63) && !set.contains(4000));
        set.clear(10);
        assert_eq!(set.from(0).next(), None);
    }
}

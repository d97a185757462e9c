//! Mutations of seeds, the same for the same random seed: bits and bytes, numbers that are limits, blocks copied, cut and put in from other
//! seeds, page lists and row counts made large, and for half of them changes that keep the [`structure`](super::structure).

use super::structure::{self, Shape};
use crate::support::synth::rng::Rng;

/// Numbers at which readers go wrong.
const LIMITS: &[u32] = &[
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x1000,
    0x3fff,
    0x4000,
    0x7fff,
    0x8000,
    0xffff,
    0x0001_0000,
    0x00ff_ffff,
    0x06ff_ffff,
    0x0fff_ffff,
    0x1fff_ffff,
    0x7fff_ffff,
    0x8000_0000,
    0xc000_0000,
    0xffff_fffe,
    0xffff_ffff,
];

/// Endless inputs, each a seed with one to six mutations.
pub struct Mutator<'s> {
    seeds: &'s [Vec<u8>],
    max_len: usize,
    shape: Shape,
    rng: Rng,
    input: Vec<u8>,
}

impl<'s> Mutator<'s> {
    pub fn new(seeds: &'s [Vec<u8>], max_len: usize, shape: Shape, seed: u64) -> Self {
        Self { seeds, max_len, shape, rng: Rng::of(seed, "fuzz", 0), input: Vec::new() }
    }

    pub fn next_input(&mut self) -> &[u8] {
        let seed = self.below(self.seeds.len());
        self.input.clone_from(&self.seeds[seed]);
        for _ in 0..=self.below(6) {
            let other = self.below(self.seeds.len());
            let structured = self.shape != Shape::Bytes && self.rng.chance(70);
            if !structured
                || structure::mutate(self.shape, &mut self.input, &self.seeds[other], &mut self.rng).is_none()
            {
                self.mutate();
            }
        }
        self.input.truncate(self.max_len);
        &self.input
    }

    fn below(&mut self, end: usize) -> usize {
        self.rng.between(0, end.max(1) as u32) as usize
    }

    fn mutate(&mut self) {
        let (kind, len) = (self.below(9), self.input.len());
        let at = self.below(len);
        match kind {
            0 if len > 0 => self.input[at] ^= 1 << self.below(8),
            1 if len > 0 => self.input[at] = self.below(256) as u8,
            2 | 3 => {
                let number = LIMITS[self.below(LIMITS.len())];
                self.put(at, number);
            }
            // Numbers that are close to right: one less, one more, twice as large.
            4 if at + 4 <= len => {
                let old =
                    u32::from_le_bytes([self.input[at], self.input[at + 1], self.input[at + 2], self.input[at + 3]]);
                let number = [old.wrapping_add(1), old.wrapping_sub(1), old.wrapping_mul(2)][self.below(3)];
                self.put(at, number);
            }
            5 => {
                let size = 1 + self.below(64);
                self.input.drain(at..(at + size).min(len));
            }
            6 => {
                let (from, size) = (self.below(len), 1 + self.below(64));
                let block = self.input[from..(from + size).min(len)].to_vec();
                self.input.splice(at..at, block);
            }
            7 => {
                let other = &self.seeds[self.rng.between(0, self.seeds.len() as u32) as usize];
                let from = self.rng.between(0, other.len().max(1) as u32) as usize;
                let block = &other[from..(from + 32).min(other.len())];
                let end = (at + block.len()).min(len);
                self.input.splice(at..end, block.iter().copied());
            }
            // The end, and what is in front of it, may be missing.
            8 => self.input.truncate(at),
            _ => self.input.push(at as u8),
        }
    }

    /// Writes one, two or four bytes of `number`, as far as there is room.
    fn put(&mut self, at: usize, number: u32) {
        let size = [1, 2, 4][self.below(3)];
        for (byte, new) in self.input.iter_mut().skip(at).zip(number.to_le_bytes().into_iter().take(size)) {
            *byte = new;
        }
    }
}

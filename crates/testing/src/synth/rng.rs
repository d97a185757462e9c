//! A pseudo-random generator (SplitMix64): the same seed gives the same numbers on every machine.

/// The state: any number will do.
#[derive(Clone, Copy)]
pub struct Rng(u64);

impl Rng {
    /// The generator of item `index` of a kind of things, so that no item depends on another.
    pub fn of(seed: u64, kind: &str, index: u32) -> Self {
        let kind = kind.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(257).wrapping_add(byte as u64));
        let mut rng = Self(seed ^ kind.rotate_left(32) ^ (index as u64).wrapping_mul(0xd134_2543_de82_ef95));
        rng.next();
        rng
    }

    /// Any number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number in `low..high`.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + (((self.next() >> 32) * (high - low) as u64) >> 32) as u32
    }

    /// Returns true with a probability of `percent` per cent.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.between(0, 100) < percent
    }

    /// One of `choices`.
    pub fn one<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.between(0, choices.len() as u32) as usize]
    }

    /// Random bytes of this length.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.next() as u8)
    }
}

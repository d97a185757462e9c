//! The fuzz targets: `tests/integration/fuzz` has them, and the stable tests run them too.

#[path = "../../tests/integration/fuzz/keys.rs"]
pub mod keys;
#[path = "../../tests/integration/fuzz/question.rs"]
pub mod question;
#[path = "../../tests/integration/fuzz/seeds.rs"]
pub mod seeds;
#[path = "../../tests/integration/fuzz/structure/mod.rs"]
pub mod structure;
pub mod symbolic;
#[path = "../../tests/integration/fuzz/targets.rs"]
pub mod targets;
#[path = "../../tests/integration/fuzz/walk.rs"]
pub mod walk;

pub use pdblens_testing as support;

use std::cell::RefCell;

use structure::Shape;
use support::synth::rng::Rng;

thread_local! {
    /// An input that was seen before, to take parts from.
    static OTHER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Changes an input of `len` bytes by its structure or, for half of them, as libFuzzer does; returns the new length. This is what
/// `fuzz_mutator!` calls.
pub fn mutate(shape: Shape, data: &mut [u8], len: usize, max_len: usize, seed: u32) -> usize {
    let mut rng = Rng::of(seed.into(), "fuzz", 0);
    let mut input = data[..len].to_vec();
    let done = rng.chance(50)
        && OTHER.with_borrow_mut(|other| {
            let done = structure::mutate(shape, &mut input, other, &mut rng).is_some();
            if rng.chance(5) {
                other.clone_from(&input);
            }
            done
        });
    if !done {
        return libfuzzer_sys::fuzzer_mutate(data, len, max_len);
    }
    let len = input.len().min(max_len);
    data[..len].copy_from_slice(&input[..len]);
    len
}

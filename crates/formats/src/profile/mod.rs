//! Profiles: the stacks that a profiler took while a program ran, each with the number of times.
//!
//! Three forms are read: the text of `perf script`, collapsed stacks (`a;b;c 123`, as the scripts for flame graphs have them), and the samples of an
//! event trace (`.nettrace`), which come with its map.

mod text;

pub use text::{PerfMapEntry, perf_map};

use std::collections::HashMap;

/// Stacks of a program that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Frames of all stacks, each once.
    pub frames: Vec<SampledFrame>,
    /// Stacks, each once, in a stable order.
    pub stacks: Vec<SampledStack>,
    /// Number of lines that are neither a sample nor a frame, and of samples that are left out.
    pub unread: u64,
}

/// A stack, with the number of times that it was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampledStack {
    /// Numbers of its frames, the innermost first.
    pub frames: Vec<u32>,
    /// Number of samples.
    pub count: u64,
}

/// A frame as the profile has it; all parts of a frame of native code may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SampledFrame {
    /// Process, where the profile names it.
    pub process: Option<u64>,
    /// Address in the process, or by some versions of perf the offset in the mapped file; of a frame that is not the innermost, that after its call.
    pub address: Option<u64>,
    /// Name as the profile has it, without an offset; empty where it has none.
    pub symbol: String,
    /// Path of the mapped file; empty where the profile has none.
    pub file: String,
}

impl Profile {
    /// Reads the text of a profile; `None` for other texts.
    pub fn read(text: &[u8]) -> Option<Self> {
        text::read(text)
    }

    /// Number of samples.
    pub fn total(&self) -> u64 {
        self.stacks.iter().map(|stack| stack.count).sum()
    }
}

/// Collects stacks, of which many are the same.
#[derive(Debug, Default)]
pub(crate) struct Stacks {
    frames: HashMap<SampledFrame, u32>,
    counts: HashMap<Vec<u32>, u64>,
    pub(crate) unread: u64,
}

impl Stacks {
    /// Number of a frame.
    pub(crate) fn frame(&mut self, frame: SampledFrame) -> u32 {
        let next = u32::try_from(self.frames.len()).unwrap_or(u32::MAX);
        *self.frames.entry(frame).or_insert(next)
    }

    /// Adds a stack, the innermost frame first, that was taken a number of times.
    pub(crate) fn add(&mut self, stack: Vec<u32>, count: u64) {
        *self.counts.entry(stack).or_default() += count;
    }

    pub(crate) fn profile(self) -> Profile {
        let mut frames: Vec<(SampledFrame, u32)> = self.frames.into_iter().collect();
        frames.sort_by_key(|(_, number)| *number);
        let mut stacks: Vec<SampledStack> =
            self.counts.into_iter().map(|(frames, count)| SampledStack { frames, count }).collect();
        stacks.sort_by(|a, b| a.frames.cmp(&b.frames));
        Profile { frames: frames.into_iter().map(|(frame, _)| frame).collect(), stacks, unread: self.unread }
    }
}

#[cfg(test)]
mod tests;

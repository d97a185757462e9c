//! Bytes that a question is about, with what the answer has of them.

use std::collections::BTreeMap;

use crate::Steps;

/// Bytes before and after those that are asked about.
const AROUND: u64 = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteMark {
    /// Not answered yet, or not asked about.
    Open,
    /// Belongs to the point or slot with this number, which the answer has.
    Answered(usize),
    /// Gives the part in which the answer differs first.
    Wrong,
    /// Belongs to the read that is asked about.
    Asked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkedByte {
    /// Offset in the file, or in bytes that are in no file.
    pub offset: u64,
    /// The byte; `None` where it is asked for.
    pub byte: Option<u8>,
    pub mark: ByteMark,
}

/// Bytes of the read at an index and those beside it; its own are covered where they are asked for.
pub fn around(steps: &Steps, at: usize, is_covered: bool) -> Vec<MarkedByte> {
    let Some(asked) = steps.list.get(at).map(|step| step.field.span).filter(|span| !span.is_empty()) else {
        return Vec::new();
    };
    let mut bytes = BTreeMap::new();
    for step in steps.reads().filter(|step| step.field.span.space == asked.space) {
        bytes.extend((step.field.span.start..).zip(step.bytes.iter().copied()));
    }
    let is_there = |offset: &u64| bytes.contains_key(offset);
    let before = (asked.start.saturating_sub(AROUND)..asked.start).rev().take_while(is_there).last();
    let marked = |offset: u64| {
        let (byte, is_asked) = (*bytes.get(&offset)?, asked.contains(offset));
        let mark = if is_asked { ByteMark::Asked } else { ByteMark::Open };
        Some(MarkedByte { offset, byte: (!is_asked || !is_covered).then_some(byte), mark })
    };
    let first = before.unwrap_or(asked.start);
    (first..asked.end() + AROUND).map_while(marked).collect()
}

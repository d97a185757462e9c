//! The read at fault: the one that a decode failed at, and the ones that a finding is about.

use super::{Step, Steps};
use crate::bytes::Span;
use crate::nodes::Place;
use crate::query::owner;
use crate::session::Session;
use crate::text::safe::spaced_hex;

/// Name of the field of bytes that a decoder left.
const NOT_DECODED: &str = "not decoded";
/// Bytes of a failed read that are shown.
const MAX_BYTES: usize = 8;
/// Owners of a byte that are asked for their reads.
const MAX_OWNERS: usize = 4;
/// Reads before the one at fault that are shown.
pub const READS_BEFORE: usize = 3;

/// The read that ended a decode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Number of the read, from 1.
    pub number: u32,
    /// Name of its field.
    pub field: String,
    /// Innermost group around it; empty if there is none.
    pub record: String,
    /// Offset of its first byte.
    pub start: u64,
    /// The bytes there.
    pub bytes: Vec<u8>,
    /// True if a value was read and then refused, false if it could not be read.
    pub is_refused: bool,
}

impl Failure {
    /// The read in words: `read 16, Δ columns of point, at 0xf: no byte`.
    pub fn text(&self) -> String {
        let of = if self.record.is_empty() { String::new() } else { format!(" of {}", self.record) };
        let bytes = if self.bytes.is_empty() { "no byte".to_owned() } else { spaced_hex(&self.bytes, MAX_BYTES) };
        let what = if self.is_refused { "refused" } else { "cannot be read" };
        format!("read {}, {}{of}, at {:#x}: {bytes} {what}", self.number, self.field, self.start)
    }
}

impl Steps {
    /// The read that the decode ended at; `None` for a whole record, and for an error that is about no read.
    pub fn failure(&self) -> Option<Failure> {
        let error = self.error.as_ref()?;
        let left = self.reads().find(|step| step.field.name == NOT_DECODED);
        let mut read = self.reads().filter(|step| step.field.name != NOT_DECODED);
        if let Some(field) = self.failed {
            let last = read.last();
            let start = left.map_or(error.span.start, |step| step.field.span.start);
            let open = self.list.iter().rfind(|step| step.field.group && step.field.span.end() == start);
            return Some(Failure {
                number: last.map_or(1, |step| step.number + 1),
                field: field.to_owned(),
                record: open.map(|step| step.field.name.clone()).unwrap_or_default(),
                start,
                bytes: left.map(|step| step.bytes.clone()).unwrap_or_default(),
                is_refused: false,
            });
        }
        let step =
            read.find(|step| step.field.span.space == error.span.space && step.field.span.end() > error.span.start)?;
        Some(Failure {
            number: step.number,
            field: step.field.name.clone(),
            record: step.record.clone(),
            start: step.field.span.start,
            bytes: step.bytes.clone(),
            is_refused: true,
        })
    }
}

/// Reads of the record that a finding is about.
#[derive(Clone, Debug)]
pub struct WrongReads {
    /// The record with the bytes.
    pub place: Place,
    /// Its reads.
    pub steps: Steps,
    /// Numbers of the first and the last read at fault.
    pub numbers: (u32, u32),
}

impl WrongReads {
    /// The reads at fault, and the [`READS_BEFORE`] before them.
    pub fn shown(&self) -> impl Iterator<Item = &Step> {
        let (first, last) = self.numbers;
        let from = first.saturating_sub(READS_BEFORE as u32);
        self.steps.reads().filter(move |step| (from..=last).contains(&step.number))
    }

    /// Returns true for a read at fault.
    pub const fn is_wrong(&self, step: &Step) -> bool {
        step.number >= self.numbers.0 && step.number <= self.numbers.1
    }
}

/// Reads of the bytes of a finding: of the record at its place, else of the innermost owner of the bytes that is a record.
pub fn wrong_reads(session: &Session, place: Option<Place>, span: Span) -> Option<WrongReads> {
    let owners = owner::owner_at(session, span.space, span.start, None).owners;
    let mut places = place.into_iter().chain(owners.into_iter().map(|owner| owner.place)).take(MAX_OWNERS);
    places.find_map(|place| reads_of(session, place, span))
}

fn reads_of(session: &Session, place: Place, span: Span) -> Option<WrongReads> {
    let steps = super::steps(session, place)?;
    let shares = |step: &&Step| {
        let own = step.field.span;
        own.space == span.space && own.start < span.end().max(span.start + 1) && own.end() > span.start
    };
    let first = steps.reads().find(shares)?.number;
    let last = steps.reads().filter(shares).last()?.number;
    Some(WrongReads { place, numbers: (first, last), steps })
}

#[cfg(test)]
mod tests {
    use crate::learn::codec::Codec;
    use crate::learn::codec::parse_hex;

    fn failure(kind: &str, hex: &str) -> String {
        let found = Codec::named(kind).unwrap().decode(&parse_hex(hex).unwrap());
        found.steps.failure().unwrap().text()
    }

    #[test]
    fn the_read_that_fails_is_named() {
        // The published blob without its header ends in the middle of a point.
        let text = failure("points", "00 00 18 2e 09 06 00 12 04 08 06 00 01 02 79");
        assert_eq!(text, "read 16, Δ columns of point, at 0xf: no byte cannot be read");
        let text = failure("points", "00 00 80");
        assert_eq!(text, "read 3, Δ lines of point, at 0x2: 80 cannot be read");
    }

    #[test]
    fn a_value_that_is_refused_is_the_read_at_fault() {
        let text = failure("constant", "30 2a");
        assert!(text.starts_with("read ") && text.ends_with("refused"), "{text}");
    }
}

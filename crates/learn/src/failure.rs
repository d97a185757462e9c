//! The read at fault: the one that a decode failed at, and the ones that a finding is about.

use super::steps::record_steps;
use super::{Step, Steps};
use pdblens_formats::bytes::Span;
use pdblens_nodes::Place;
use pdblens_query::owner;
use pdblens_session::session::Session;
use pdblens_session::text::safe::spaced_hex;

const NOT_DECODED: &str = "not decoded";
/// Bytes of a failed read that are shown.
const MAX_BYTES: usize = 8;
const MAX_OWNERS: usize = 4;
/// Reads before the one at fault that are shown.
pub(crate) const READS_BEFORE: usize = 3;

/// The read that ended a decode.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "failed_read"))]
pub struct Failure {
    /// Number of the read, from 1.
    pub number: u32,
    /// Name of its field.
    pub field: String,
    /// Innermost group around it; empty if there is none.
    pub record: String,
    /// Offset of its first byte.
    #[serde(rename = "at")]
    pub start: u64,
    /// The bytes there.
    #[serde(serialize_with = "pdblens_formats::serialize::bytes")]
    #[cfg_attr(feature = "schema", schemars(with = "pdblens_formats::json_schema::Bytes"))]
    pub bytes: Vec<u8>,
    /// True if a value was read and then refused, false if it could not be read.
    #[serde(rename = "refused")]
    pub is_refused: bool,
}

impl Failure {
    /// The read in words: `read 16, Δ columns of point, at 0xf: the bytes end before it`.
    pub fn text(&self) -> String {
        let of = if self.record.is_empty() { String::new() } else { format!(" of {}", self.record) };
        let at = format!("read {}, {}{of}, at {:#x}", self.number, self.field, self.start);
        match (self.bytes.is_empty(), self.is_refused) {
            (true, _) => format!("{at}: the bytes end before it"),
            (_, true) => format!("{at}: {} refused", spaced_hex(&self.bytes, MAX_BYTES)),
            (_, false) => format!("{at}: {} cannot be read", spaced_hex(&self.bytes, MAX_BYTES)),
        }
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

#[derive(Clone, Debug)]
pub struct WrongReads {
    pub place: Place,
    pub steps: Steps,
    /// Numbers of the first and the last read at fault.
    pub numbers: (u32, u32),
}

impl WrongReads {
    /// The reads at fault, and the `READS_BEFORE` before them.
    pub fn shown(&self) -> impl Iterator<Item = &Step> {
        let (first, last) = self.numbers;
        let from = first.saturating_sub(READS_BEFORE as u32);
        // The read that failed has the bytes that the decoder left.
        let hides_rest = self.missing().is_some();
        let reads = self.steps.reads().filter(move |step| !hides_rest || step.field.name != NOT_DECODED);
        reads.filter(move |step| (from..=last).contains(&step.number))
    }

    /// The read that could not be read, where that is the one at fault: no read of the list has its number.
    pub fn missing(&self) -> Option<Failure> {
        self.steps.failure().filter(|failure| !failure.is_refused && failure.number == self.numbers.0)
    }

    pub const fn is_wrong(&self, step: &Step) -> bool {
        step.number >= self.numbers.0 && step.number <= self.numbers.1
    }
}

/// Reads of the bytes of a finding: of the record at its place, else of the innermost owner of the bytes that is a record. A finding
/// without bytes is about no byte: its reads are the last ones of the record at its place, up to where the decode ended.
pub fn wrong_reads(session: &Session, place: Option<Place>, span: Span) -> Option<WrongReads> {
    if span.is_empty() {
        let place = place?;
        let steps = record_steps(session, place)?;
        let number = steps.failure().filter(|failure| !failure.is_refused)?.number;
        return Some(WrongReads { place, numbers: (number, number), steps });
    }
    let owners = owner::owner_at(session, span.space, span.start, None).owners;
    let mut places = place.into_iter().chain(owners.into_iter().map(|owner| owner.place)).take(MAX_OWNERS);
    places.find_map(|place| reads_of(session, place, span))
}

fn reads_of(session: &Session, place: Place, span: Span) -> Option<WrongReads> {
    let steps = record_steps(session, place)?;
    let shares = |step: &&Step| {
        let own = step.field.span;
        own.space == span.space && own.start < span.end() && own.end() > span.start
    };
    let first = steps.reads().find(shares)?.number;
    let last = steps.reads().filter(shares).last()?.number;
    Some(WrongReads { place, numbers: (first, last), steps })
}

#[cfg(test)]
mod tests {
    use crate::codec::Codec;
    use crate::codec::parse_hex;

    fn failure(kind: &str, hex: &str) -> String {
        let found = Codec::named(kind).unwrap().decode(&parse_hex(hex).unwrap());
        found.steps.failure().unwrap().text()
    }

    #[test]
    fn the_read_that_fails_is_named() {
        // The published blob without its header ends in the middle of a point.
        let text = failure("points", "00 00 18 2e 09 06 00 12 04 08 06 00 01 02 79");
        assert_eq!(text, "read 16, Δ columns of point, at 0xf: the bytes end before it");
        let text = failure("points", "00 00 80");
        assert_eq!(text, "read 3, Δ lines of point, at 0x2: 80 cannot be read");
    }

    #[test]
    fn a_finding_without_bytes_has_the_reads_of_its_own_place() {
        let session = pdblens_session::session::Session::sample();
        let place: pdblens_nodes::Place = "method/0x06000003/points".parse().unwrap();
        let points = crate::steps(&session, place).unwrap();
        // The third read gets a first byte that no compressed integer has.
        let third = points.reads().nth(2).unwrap().field.span;
        let broken = crate::what_if::WhatIf::new(&session, third, 0xff).unwrap();
        let nothing = pdblens_formats::bytes::Span { len: 0, ..third };
        let found = super::wrong_reads(broken.session(), Some(place), nothing).unwrap();
        assert_eq!((found.place, found.numbers, found.shown().count()), (place, (3, 3), 2));
        assert!(found.missing().unwrap().text().contains("ff"), "{:?}", found.missing());
        // The heap around the address is another record, and a place that is none has no reads.
        assert!(super::wrong_reads(broken.session(), None, nothing).is_none());
        assert!(super::wrong_reads(&session, Some(place), nothing).is_none(), "a whole record has no read at fault");
    }

    #[test]
    fn a_value_that_is_refused_is_the_read_at_fault() {
        let text = failure("constant", "30 2a");
        assert!(text.starts_with("read ") && text.ends_with("refused"), "{text}");
    }
}

//! Meanings of fields and of their bits.

use crate::place::Place;
use pdblens_session::session::Session;
use std::ops::Range;

use super::FieldRow;
use pdblens_formats::bytes::Show;
use pdblens_formats::metadata::schema::CodedIndex;

/// Meaning of some bits of a number.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct BitMeaning {
    /// The bits.
    pub mask: u64,
    /// Their meaning, in words.
    #[serde(rename = "meaning")]
    pub text: String,
    /// Place that they lead to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Place>,
}

#[derive(Clone, Debug, Default)]
pub struct Meaning {
    pub text: String,
    pub to: Option<Place>,
    pub bits: Vec<BitMeaning>,
    /// Decoded value, where it differs from the stored number.
    pub decoded: Option<String>,
}

impl Meaning {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub fn to(text: impl Into<String>, place: impl Into<Option<Place>>) -> Self {
        Self { text: text.into(), to: place.into(), ..Self::default() }
    }

    #[must_use]
    pub fn decoded(self, value: impl Into<String>) -> Self {
        Self { decoded: Some(value.into()), ..self }
    }

    /// Adds the tag and the row of a coded index, stored in `size` bytes.
    #[must_use]
    pub fn coded(self, index: &CodedIndex, value: u32, size: u64) -> Self {
        let Some((table, row)) = index.decode(value).filter(|(_, row)| *row > 0) else { return self };
        let tag = !(u64::MAX << index.bits);
        let all = u64::MAX.unbounded_shr(64_u32 - ((size.clamp(1, 8) as u32) << 3));
        let part = |mask, text| BitMeaning { mask, text, to: None };
        self.with_bits(vec![
            part(tag, format!("tag {} of {}: {}", u64::from(value) & tag, index.name, table.name())),
            part(all & !tag, format!("row {row}")),
        ])
    }

    #[must_use]
    pub fn with_bits(self, bits: Vec<BitMeaning>) -> Self {
        Self { bits, ..self }
    }
}

impl BitMeaning {
    /// Value of the bits in `number`, moved to the lowest bit.
    pub const fn of(&self, number: u64) -> u64 {
        if self.mask == 0 { 0 } else { (number & self.mask) >> self.mask.trailing_zeros() }
    }

    /// Number of the bit, or of the first and the last one: `bit 3`, `bits 0–23`.
    pub fn label(&self) -> String {
        let (first, last) = (self.mask.trailing_zeros(), 63_u32.saturating_sub(self.mask.leading_zeros()));
        if first >= last { format!("bit {last}") } else { format!("bits {first}–{last}") }
    }
}

const MAX_DRAWN: usize = 4;
const RUN: u32 = 16;

/// Some of the bits of a mask, drawn once with the meanings of all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitRun {
    pub bits: Range<u32>,
    pub marked: u64,
    pub text: String,
}

impl BitRun {
    /// Numbers of the first and the last bit: `bits 48–63`.
    pub fn label(&self) -> String {
        format!("bits {}–{}", self.bits.start, self.bits.end.saturating_sub(1))
    }
}

impl FieldRow {
    /// Runs of bits, the highest first, of a number of `width` bits that is a mask: one with so many single bits of a meaning that
    /// drawing it for each of them would show nothing. Empty for other numbers.
    pub fn bit_runs(&self, width: u32) -> Vec<BitRun> {
        let single = self.bits.iter().all(|bit| bit.mask.is_power_of_two());
        let is_mask = self.bits.len() > MAX_DRAWN || self.bits.len() > 1 && width > RUN;
        if !single || !is_mask {
            return Vec::new();
        }
        let run = |at: u32| {
            let bits = at * RUN..width.min((at + 1) * RUN);
            let here = || self.bits.iter().filter(|bit| bits.contains(&bit.mask.trailing_zeros()));
            let text = here().map(|bit| bit.text.as_str()).collect::<Vec<_>>().join(", ");
            BitRun { marked: here().fold(0, |mask, bit| mask | bit.mask), text, bits: bits.clone() }
        };
        (0..width.div_ceil(RUN)).rev().map(run).collect()
    }

    /// The bits that have a name or a meaning of their own, each drawn in the width of the field with a dot for every other bit,
    /// and its words: `.... ..1.  EXECUTABLE_IMAGE`. Without the clear bits of a flag set.
    pub fn drawn_bits(&self) -> Vec<(String, String)> {
        let Some(number) = self.number.map(i64::cast_unsigned) else { return Vec::new() };
        if self.group {
            return Vec::new();
        }
        let width = self.span.len.clamp(1, 8) as u32 * 8;
        let runs = self.bit_runs(width);
        if !runs.is_empty() {
            let one = |run: BitRun| {
                let (low, wide) = (run.bits.start, run.bits.end - run.bits.start);
                let text = format!("{}: {}", run.label(), if run.text.is_empty() { "none" } else { &run.text });
                (drawn(run.marked >> low, number >> low, wide), text)
            };
            return runs.into_iter().map(one).collect();
        }
        let all: Vec<(u64, u64, String)> = match self.show {
            _ if !self.bits.is_empty() => {
                self.bits.iter().map(|bits| (bits.mask, number & bits.mask, bits.text.clone())).collect()
            }
            Some(Show::Flags(all)) => {
                let set = all.iter().filter(|(bit, _)| *bit != 0 && number & bit == *bit);
                set.map(|(bit, name)| (*bit, *bit, (*name).to_owned())).collect()
            }
            Some(Show::Parts(all)) => {
                let set = all.iter().filter(|(mask, value, _)| number & mask == *value);
                set.map(|(mask, value, name)| (*mask, *value, (*name).to_owned())).collect()
            }
            _ => Vec::new(),
        };
        all.into_iter().map(|(mask, value, text)| (drawn(mask, value, width), text)).collect()
    }
}

/// Bits under `mask` as digits, the others as dots, the highest first and a blank after each four.
fn drawn(mask: u64, value: u64, width: u32) -> String {
    let mut text = String::new();
    for bit in (0..width).rev() {
        text.push(match (mask >> bit & 1, value >> bit & 1) {
            (0, _) => '.',
            (_, 0) => '0',
            _ => '1',
        });
        if bit > 0 && bit.is_multiple_of(4) {
            text.push(' ');
        }
    }
    text
}

/// Meaning of a time stamp that is no date: that of a deterministic image, of its PDB, and of a portable CodeView entry.
pub(crate) fn hashed_stamp(session: &Session, stamp: u32) -> Option<Meaning> {
    let entries = &session.image()?.pe.debug;
    if entries.iter().any(|entry| entry.is_portable() && entry.header.time_date_stamp == stamp) {
        return Some(Meaning::text("hash, not a date (PDB id)"));
    }
    let deterministic =
        entries.iter().any(|entry| matches!(entry.payload, Ok(pdblens_formats::pe::Payload::Reproducible(_))));
    deterministic.then(|| Meaning::text("hash, not a date (reproducible)"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_formats::bytes::{SpaceId, Span};

    #[test]
    fn bits_are_drawn_in_the_width_of_their_field() {
        let flags = Show::Flags(&[(2, "B"), (4, "C"), (0x20, "F")]);
        let span = Span::new(SpaceId(0), 0, 1);
        let row = FieldRow { number: Some(0x22), show: Some(flags), span, ..FieldRow::default() };
        let drawn = [(".... ..1.".to_owned(), "B".to_owned()), ("..1. ....".to_owned(), "F".to_owned())];
        assert_eq!(row.drawn_bits(), drawn);
        let low = BitMeaning { mask: 0x0f, text: "low".to_owned(), to: None };
        let row = FieldRow { bits: vec![low], ..row };
        assert_eq!(row.drawn_bits(), [(".... 0010".to_owned(), "low".to_owned())]);
        // A mask is drawn once, 16 bits a line.
        let bit = |bit: u32| BitMeaning { mask: 1 << bit, text: format!("table {bit}"), to: None };
        let span = Span::new(SpaceId(0), 0, 4);
        let row = FieldRow { number: Some(0x0003_0000), span, bits: vec![bit(16), bit(17)], ..row };
        let drawn =
            [(".... .... .... ..11", "bits 16–31: table 16, table 17"), (".... .... .... ....", "bits 0–15: none")];
        assert_eq!(row.drawn_bits(), drawn.map(|(bits, text)| (bits.to_owned(), text.to_owned())));
    }
}

//! Cells for offsets and ranges of IL, and for the source of sequence points.

use crate::code_unit::il::range_text;
use crate::place::il_label;
use crate::rows::{Cell, Data, Tone};
use pdblens_formats::sequence_point::SequencePoint;

impl Cell {
    /// An IL offset.
    pub fn il(offset: u32) -> Self {
        Self::new(il_label(offset.into())).data(Data::Number(offset.into()))
    }

    /// A range of IL, whose end is exclusive.
    pub fn il_range(start: u32, end: u64) -> Self {
        let text = format!("{}..{}", il_label(start.into()), il_label(end as i64));
        Self::new(text).data(Data::Range(start.into(), end))
    }

    /// The lines and columns of a sequence point; `hidden` for a hidden one.
    pub fn source(point: &SequencePoint) -> Self {
        let cell = Self::new(range_text(point));
        if point.is_hidden() {
            return Self { tone: Tone::Dim, ..cell };
        }
        let SequencePoint { start_line, start_column, end_line, end_column, .. } = *point;
        cell.data(Data::Source { start_line, start_column, end_line, end_column })
    }
}

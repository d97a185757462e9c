//! The sequence point that covers an offset, and its neighbours.
//!
//! A point covers the code from its offset to that of the next one. Offsets increase in well-formed symbols; where they do
//! not, points are taken in the order in which they are written, up to the first visible one after the offset, and the
//! last of them at or before the offset covers it.

use std::ops::{ControlFlow, Deref, Range};

use super::sequence_point::SequencePoint;
use crate::bytes::Error;

/// Points of a method or a function around an offset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointsAround {
    /// Last point at or before the offset, which covers it.
    pub covering: Option<SequencePoint>,
    /// Number of the covering point, from 1; 0 if there is none.
    pub number: u32,
    /// Last visible point at or before the offset: the covering point, or one before it if that is hidden.
    pub visible: Option<SequencePoint>,
    /// First visible point after the offset.
    pub next: Option<SequencePoint>,
    /// Offset of the first point after the offset, the exclusive end of the covered code; `None` if the code extends to the
    /// end of the method.
    pub end: Option<u32>,
    /// Error that ended the walk early.
    pub error: Option<Error>,
    /// Hidden points after the offset that were passed since the covering one.
    skipped: u32,
}

impl PointsAround {
    /// Point that a debugger shows: the visible one, or the next one in code that begins hidden.
    pub fn shown(&self) -> Option<SequencePoint> {
        self.visible.or(self.next)
    }

    /// Adds the next point to a search for `offset`; breaks once later points cannot change the result.
    #[inline]
    pub fn see(&mut self, offset: u32, point: SequencePoint) -> ControlFlow<()> {
        if point.offset <= offset {
            self.number = self.number.saturating_add(std::mem::take(&mut self.skipped).saturating_add(1));
            self.covering = Some(point);
            if !point.is_hidden() {
                self.visible = Some(point);
            }
            return ControlFlow::Continue(());
        }
        self.end.get_or_insert(point.offset);
        if point.is_hidden() {
            self.skipped = self.skipped.saturating_add(1);
            return ControlFlow::Continue(());
        }
        self.next = Some(point);
        ControlFlow::Break(())
    }
}

/// Points of a method or a function in the order of the symbols, searchable by offset.
#[derive(Clone, Debug)]
pub struct PointList {
    points: Vec<SequencePoint>,
    /// Offsets never decrease.
    is_sorted: bool,
}

impl PointList {
    /// Index of the point that covers `offset`. Takes a binary search; where offsets decrease, a walk.
    pub fn covering(&self, offset: u32) -> Option<usize> {
        if self.is_sorted {
            self.points.partition_point(|point| point.offset <= offset).checked_sub(1)
        } else {
            (self.walk(offset).number as usize).checked_sub(1)
        }
    }

    /// The points around `offset`: the same as a walk over the whole list finds.
    pub fn around(&self, offset: u32) -> PointsAround {
        if !self.is_sorted {
            return self.walk(offset);
        }
        let Some(covering) = self.covering(offset) else { return self.walk(offset) };
        let (before, rest) = self.points.split_at(covering);
        let visible = before.iter().rfind(|point| !point.is_hidden()).copied();
        let mut found = PointsAround { number: covering as u32, visible, ..PointsAround::default() };
        let _ = rest.iter().try_for_each(|point| found.see(offset, *point));
        found
    }

    fn walk(&self, offset: u32) -> PointsAround {
        let mut found = PointsAround::default();
        let _ = self.points.iter().try_for_each(|point| found.see(offset, *point));
        found
    }

    /// Offsets that the point at `index` covers; `code_size` is the end of the last. Empty where there is no such point.
    pub fn range(&self, index: usize, code_size: u32) -> Range<u32> {
        let Some(point) = self.points.get(index) else { return 0..0 };
        let end = self.points.get(index + 1).map_or(code_size, |next| next.offset);
        point.offset..end.max(point.offset)
    }
}

impl Default for PointList {
    fn default() -> Self {
        Self::from(Vec::new())
    }
}

impl From<Vec<SequencePoint>> for PointList {
    fn from(points: Vec<SequencePoint>) -> Self {
        let is_sorted = points.is_sorted_by_key(|point| point.offset);
        Self { points, is_sorted }
    }
}

impl Deref for PointList {
    type Target = [SequencePoint];

    fn deref(&self) -> &Self::Target {
        &self.points
    }
}

impl<'l> IntoIterator for &'l PointList {
    type Item = &'l SequencePoint;
    type IntoIter = std::slice::Iter<'l, SequencePoint>;

    fn into_iter(self) -> Self::IntoIter {
        self.points.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequence_point::{HIDDEN_LINE, Violations};
    use proptest::prelude::*;

    /// Offsets are few, so that equal ones are common.
    fn point() -> impl Strategy<Value = SequencePoint> {
        (0u32..24, any::<bool>(), 1u32..100).prop_map(|(offset, is_hidden, line)| {
            let (line, column) = if is_hidden { (HIDDEN_LINE, 0) } else { (line, 1) };
            SequencePoint {
                offset,
                document: 1,
                start_line: line,
                start_column: column,
                end_line: line,
                end_column: column,
                at: 0,
                len: 0,
                violations: Violations::NONE,
            }
        })
    }

    proptest! {
        #[test]
        fn a_search_finds_what_a_walk_finds(
            mut points in proptest::collection::vec(point(), 0..24),
            sort in any::<bool>(),
            offset in 0u32..26,
        ) {
            if sort {
                points.sort_by_key(|point| point.offset);
            }
            let mut walked = PointsAround::default();
            let _ = points.iter().try_for_each(|point| walked.see(offset, *point));
            let list = PointList::from(points.clone());
            prop_assert_eq!(list.around(offset), walked.clone());
            let index = list.covering(offset);
            prop_assert_eq!(index.and_then(|index| points.get(index).copied()), walked.covering);
            prop_assert_eq!(index.map_or(0, |index| index as u32 + 1), walked.number);
            if sort && let Some(index) = index {
                prop_assert_eq!(list.range(index, 100), points[index].offset..walked.end.unwrap_or(100));
            }
        }
    }
}

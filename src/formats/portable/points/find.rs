use std::ops::ControlFlow;

use super::{Points, SequencePoint};
use crate::bytes::{Error, Slice};

/// Sequence points around an offset of a method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Last point at or before the offset, which covers it.
    pub covering: Option<SequencePoint>,
    /// Number of the covering point, from 1; 0 if there is none.
    pub number: u32,
    /// Last visible point at or before the offset: the covering point, or one before it if that is hidden.
    pub visible: Option<SequencePoint>,
    /// First visible point after the offset.
    pub next: Option<SequencePoint>,
    /// Offset of the point after the covering one, the exclusive end of its code; `None` if the code extends to the end
    /// of the method.
    pub end: Option<u32>,
    /// Error that ended the search early.
    pub error: Option<Error>,
}

impl Found {
    /// Returns true if the covering point begins exactly at `offset`.
    pub fn is_exact(&self, offset: u32) -> bool {
        self.covering.is_some_and(|point| point.offset == offset)
    }

    /// Point that a debugger shows: the visible one, or the next one in a method that begins hidden.
    pub fn shown(&self) -> Option<SequencePoint> {
        self.visible.or(self.next)
    }

    /// Adds the method's next point to a search for `offset`; breaks once later points cannot change the result.
    #[inline]
    pub fn see(&mut self, offset: u32, point: SequencePoint) -> ControlFlow<()> {
        if point.offset <= offset {
            self.number += 1;
            self.covering = Some(point);
            if !point.is_hidden() {
                self.visible = Some(point);
            }
            return ControlFlow::Continue(());
        }
        self.end.get_or_insert(point.offset);
        if point.is_hidden() {
            return ControlFlow::Continue(());
        }
        self.next = Some(point);
        ControlFlow::Break(())
    }
}

/// Finds the points around `offset`. `document` is the row in the method's Document column, 0 if nil.
pub fn find(blob: Slice<'_>, document: u32, offset: u32) -> Found {
    let mut found = Found::default();
    let points = match Points::new(blob, document) {
        Ok(points) => points,
        Err(error) => return Found { error: Some(error), ..found },
    };
    for point in points {
        let point = match point {
            Ok(point) => point,
            Err(error) => return Found { error: Some(error), ..found },
        };
        if found.see(offset, point).is_break() {
            break;
        }
    }
    found
}

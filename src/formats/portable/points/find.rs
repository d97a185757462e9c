use std::ops::ControlFlow;

use super::{Points, SequencePoint};
use crate::bytes::{Error, Slice};

/// What a method's points say of one IL offset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The last point at or before the IL offset: the one that covers it.
    pub covering: Option<SequencePoint>,
    /// Which of the method's points that is, counted from 1; 0 if there is none.
    pub number: u32,
    /// The last point at or before the IL offset that is not hidden: the covering one, or if that is hidden, one before it.
    pub visible: Option<SequencePoint>,
    /// The first point behind the IL offset that is not hidden.
    pub next: Option<SequencePoint>,
    /// The IL offset of the point behind the covering one, where its code ends; none if its code ends with the method's.
    pub end: Option<u32>,
    /// What ended the search early.
    pub error: Option<Error>,
}

impl Found {
    /// Whether a point begins at the IL offset itself, which is `il`.
    pub fn is_exact(&self, il: u32) -> bool {
        self.covering.is_some_and(|point| point.offset == il)
    }

    /// The point that a debugger shows: the last one not hidden, or the first one of a method that begins hidden.
    pub fn shown(&self) -> Option<SequencePoint> {
        self.visible.or(self.next)
    }

    /// Takes the next point of the method, on the way to `il`; breaks where no later one can change what is found.
    #[inline]
    pub fn see(&mut self, il: u32, point: SequencePoint) -> ControlFlow<()> {
        if point.offset <= il {
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

/// Walks the points of a blob to those around `il`. `document` is the one that the method's row names, 0 if none.
pub fn find(blob: Slice<'_>, document: u32, il: u32) -> Found {
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
        if found.see(il, point).is_break() {
            break;
        }
    }
    found
}

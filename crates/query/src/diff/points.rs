//! The sequence points of one method in two builds.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::documents::Pairs;
use pdblens_formats::metadata::Token;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_nodes::method::{il_label, range_text};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

/// Change in the lines of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Not at all.
    Same,
    /// Those of each document by one number, which is not 0 for all of them: by document of the second build.
    Moved(BTreeMap<u32, i64>),
    /// In another way.
    Changed(String),
}

impl Lines {
    pub(crate) fn sentence(&self) -> Option<String> {
        match self {
            Self::Same => None,
            Self::Moved(by) => {
                let by: BTreeSet<i64> = by.values().copied().filter(|by| *by != 0).collect();
                Some(by.into_iter().map(shift).collect::<Vec<_>>().join(", "))
            }
            Self::Changed(how) => Some(how.clone()),
        }
    }
}

/// Text of a number of lines by which code has moved: `3 lines down`.
pub fn shift(by: i64) -> String {
    format!("{} {}", count(by.unsigned_abs(), "line"), if by > 0 { "down" } else { "up" })
}

/// The points up to the first that cannot be read, and whether there is one.
fn points((session, method): (&Session, Token)) -> (Vec<SequencePoint>, bool) {
    let mut all = Vec::new();
    let read = session.symbols().map(|symbols| {
        symbols.points(method, &mut |point| {
            all.push(point);
            ControlFlow::Continue(())
        })
    });
    (all, matches!(read, Some(Err(_))))
}

/// Compares the points of a method. The work is deducted from `left`.
pub(crate) fn compare(a: (&Session, Token), b: (&Session, Token), pairs: &Pairs, left: &mut u64) -> Lines {
    let ((before, damaged), (after, damaged_too)) = (points(a), points(b));
    *left = left.saturating_sub((before.len().saturating_add(after.len()) as u64).saturating_mul(8));
    if let Some(which) = match (damaged, damaged_too) {
        (false, false) => None,
        (true, false) => Some("the first"),
        (false, true) => Some("the second"),
        (true, true) => Some("either"),
    } {
        return Lines::Changed(format!("points, which cannot be read in {which}"));
    }
    if before.len() != after.len() {
        return Lines::Changed(format!("points, {} → {}", before.len(), after.len()));
    }
    let mut moved: BTreeMap<u32, i64> = BTreeMap::new();
    for (one, other) in before.iter().zip(&after) {
        if one.offset != other.offset {
            return Lines::Changed(format!("points, from {} on", il_label(one.offset.min(other.offset).into())));
        }
        if one.is_hidden() && other.is_hidden() {
            continue;
        }
        let known = pairs.get(&one.document).copied().unwrap_or(0);
        if one.is_hidden() != other.is_hidden() || known != other.document {
            return Lines::Changed(format!("points, at {}", il_label(one.offset.into())));
        }
        let by = i64::from(other.start_line).saturating_sub(i64::from(one.start_line));
        let same_shape = (one.start_column, one.end_column) == (other.start_column, other.end_column)
            && i64::from(other.end_line).saturating_sub(i64::from(one.end_line)) == by;
        if !same_shape || *moved.entry(other.document).or_insert(by) != by {
            let at = il_label(one.offset.into());
            return Lines::Changed(format!("lines, from {at} on: {} → {}", range_text(one), range_text(other)));
        }
    }
    if moved.values().all(|by| *by == 0) { Lines::Same } else { Lines::Moved(moved) }
}

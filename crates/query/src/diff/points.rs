//! The sequence points of one method in two builds, compared, and aligned by the code that they cover.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::code::{Build, point_texts};
use super::documents::Pairs;
use super::pairing::pairs_of;
use pdblens_formats::metadata::Token;
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_nodes::method::{il_label, range_text};
use pdblens_session::session::Session;
use pdblens_session::text::names::NameCache;
use pdblens_session::text::safe::count;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    Same,
    /// Those of each document by one number, which is not 0 for all of them: by document of the second build.
    Moved(BTreeMap<u32, i64>),
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

/// The points up to the first that cannot be read, and whether there is one; none without a method.
fn points_of(session: &Session, method: Option<Token>) -> (Vec<SequencePoint>, bool) {
    let mut all = Vec::new();
    let Some((symbols, method)) = session.symbols().zip(method) else { return (all, false) };
    let read = symbols.points(method, &mut |point| {
        all.push(point);
        ControlFlow::Continue(())
    });
    (all, read.is_err())
}

/// Compares the points of a method. The work is deducted from `left`.
pub(crate) fn compare(a: (&Session, Token), b: (&Session, Token), pairs: &Pairs, left: &mut u64) -> Lines {
    let ((before, damaged), (after, damaged_too)) = (points_of(a.0, Some(a.1)), points_of(b.0, Some(b.1)));
    *left = left.saturating_sub((before.len() + after.len()) as u64 * 8);
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
        let by = i64::from(other.start_line) - i64::from(one.start_line);
        let same_shape = (one.start_column, one.end_column) == (other.start_column, other.end_column)
            && i64::from(other.end_line) - i64::from(one.end_line) == by;
        if !same_shape || *moved.entry(other.document).or_insert(by) != by {
            let at = il_label(one.offset.into());
            return Lines::Changed(format!("lines, from {at} on: {} → {}", range_text(one), range_text(other)));
        }
    }
    if moved.values().all(|by| *by == 0) { Lines::Same } else { Lines::Moved(moved) }
}

#[derive(Clone, Debug, Default)]
pub struct AlignedPoints {
    /// Those of each build, in the order of IL.
    pub points: [Vec<SequencePoint>; 2],
    /// Indices of points with the same code, or of one that only one build has, in the order of both.
    pub pairs: Vec<(Option<usize>, Option<usize>)>,
}

/// Aligns the points of a method, which may be missing in one of the builds.
pub fn aligned_points(sessions: [&Session; 2], methods: [Option<Token>; 2]) -> AlignedPoints {
    let caches = [NameCache::new(), NameCache::new()];
    let points = [0, 1].map(|build: usize| points_of(sessions[build], methods[build]).0);
    let texts = [0, 1].map(|build: usize| {
        let of = Build::new(sessions[build], &caches[build]);
        methods[build].map(|method| point_texts((of, method), &points[build])).unwrap_or_default()
    });
    let [before, after] = texts.each_ref().map(|texts| texts.iter().map(String::as_bytes).collect::<Vec<_>>());
    AlignedPoints { pairs: pairs_of(&before, &after), points }
}

pub fn aligned_lines(before: &[&str], after: &[&str]) -> Vec<(Option<usize>, Option<usize>)> {
    let [before, after] =
        [before, after].map(|lines| lines.iter().map(|line| line.trim().as_bytes()).collect::<Vec<_>>());
    pairs_of(&before, &after)
}

impl AlignedPoints {
    /// Visible points that both builds have, in pairs.
    fn visible(&self) -> impl Iterator<Item = (&SequencePoint, &SequencePoint)> {
        let [before, after] = &self.points;
        let pairs = self.pairs.iter().filter_map(|(one, other)| Some((before.get((*one)?)?, after.get((*other)?)?)));
        pairs.filter(|(one, other)| !one.is_hidden() && !other.is_hidden())
    }

    /// First visible point, of both builds, that has moved by another number of lines than those before it.
    pub fn first_apart(&self) -> Option<(&SequencePoint, &SequencePoint)> {
        let first = lines_between(self.visible().next()?);
        self.visible().find(|pair| lines_between(*pair) != first)
    }

    /// Line of a breakpoint of the first build in the second, in a few words: that of the first point that has moved in another way than
    /// those before it (`:181 is now :184`), or the number of lines of all; empty where none has moved.
    pub fn breakpoint(&self) -> String {
        match (self.first_apart(), self.visible().next().map_or(0, lines_between)) {
            (Some((one, other)), _) => format!(":{} is now :{}", one.start_line, other.start_line),
            (None, 0) => String::new(),
            (None, by) => shift(by),
        }
    }
}

/// Number of lines from a point of the first build to that of the second, negative for up.
fn lines_between((one, other): (&SequencePoint, &SequencePoint)) -> i64 {
    i64::from(other.start_line) - i64::from(one.start_line)
}

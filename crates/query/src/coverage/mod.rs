//! Coverage: how many bytes of each file have a field, how many are unused, and which ones are left.
//!
//! All records of the files are decoded once. A byte has a field if a record's decoder gave it a name and a meaning. It is unused if it
//! cannot contain data: free pages, the ends of last pages, padding, and runs of eight or more zeros outside all records. The rest is
//! listed.

mod records;

use std::collections::HashSet;
use std::ops::Range;

use crate::owner;
use pdblens_formats::bytes::{Space, SpaceId, Span};
use pdblens_nodes::Place;
use pdblens_nodes::fields::{FieldRow, Fields};
use pdblens_session::session::{self, Session};
use pdblens_session::text::safe::count;

/// Names of fields that are bytes without a meaning; the content of an embedded source and of a version resource has one.
const OPAQUE: [&str; 4] = ["not decoded", "not shown", "content", "data"];
const WITH_MEANING: [&str; 2] = ["embedded source", "version block"];
/// Names of fields of bytes that nothing uses, if they are zeros.
const PADDING: [&str; 5] = ["padding", "left over", "unused", "gap", "zeros"];
/// Names of fields of bytes that nothing uses, whatever they are.
const UNUSED: [&str; 2] = ["padding", "past the last page"];
/// Zeros between other bytes that are so many are unused.
const MIN_ZEROS: usize = 8;
/// Bytes of a span that is worth remembering: marking it again would change nothing.
const MIN_LONG: u64 = 256;
pub const MAX_LISTED: usize = 1000;

/// Coverage of one file.
#[derive(Clone, Debug, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "file_coverage"))]
pub struct Coverage {
    /// Name of the file.
    pub name: String,
    /// Size in bytes.
    #[serde(rename = "size")]
    pub len: u64,
    /// Bytes that have a field.
    pub fields: u64,
    /// Bytes that nothing uses: free pages, padding, gaps of zeros.
    pub unused: u64,
    /// Bytes of neither kind.
    pub left: u64,
    /// The bytes of neither kind, range by range; at most 1000.
    #[serde(rename = "ranges")]
    pub rest: Vec<Rest>,
    /// Number of ranges, listed or not.
    #[serde(rename = "range_count")]
    pub ranges: usize,
}

/// Bytes without a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "coverage_range"))]
pub struct Rest {
    /// The bytes in the file.
    pub span: Span,
    /// Innermost owner of the first byte.
    #[serde(rename = "owner")]
    pub place: Option<Place>,
}

impl Coverage {
    /// The share and the sizes, in one phrase.
    pub fn summary(&self) -> (String, String) {
        let share = format!("{}.{:02} % of {}", self.share() / 100, self.share() % 100, count(self.len, "byte"));
        (share, format!("{} with a field, {} unused, {} left", self.fields, self.unused, self.left))
    }

    /// Share of the bytes that have a field or are unused, in hundredths of a percent, rounded down.
    pub const fn share(&self) -> u64 {
        match ((self.fields + self.unused) * 10_000).checked_div(self.len) {
            Some(share) => share,
            None => 10_000,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Mark {
    #[default]
    Left,
    Unused,
    Field,
}

#[allow(clippy::struct_field_names)]
struct Marks<'s> {
    session: &'s Session,
    space: SpaceId,
    marks: Vec<Mark>,
    /// Long spans that are marked: each row of a table names what all rows share.
    long: HashSet<(u64, u64, Mark)>,
}

/// Coverage of the image and of the symbol file; both, in this order, where both are open.
pub fn coverage(session: &Session) -> Vec<Coverage> {
    coverage_while(session, &|| true).unwrap_or_default()
}

/// As [`coverage`]; `None` if `go_on` returned false, which cancels it.
pub fn coverage_while(session: &Session, go_on: &dyn Fn() -> bool) -> Option<Vec<Coverage>> {
    session::hold(session);
    let image = session.image().map(|image| image.space);
    let symbols = session.symbol_file().map(|file| file.space);
    let mut all: Vec<Marks<'_>> =
        [image, symbols].into_iter().flatten().map(|space| Marks::new(session, space)).collect();
    let mut found = |found: records::Found| {
        for marks in &mut all {
            match &found {
                records::Found::Fields(fields) => marks.fields(fields),
                records::Found::Code(span) => marks.mark(*span, Mark::Field),
                records::Found::Unused(span) => marks.mark(*span, Mark::Unused),
            }
        }
    };
    let work = session.spaces().budget().work();
    records::each(session, &mut records::Visit { found: &mut found, go_on, work: &work });
    go_on().then(|| all.into_iter().map(Marks::done).collect())
}

impl<'s> Marks<'s> {
    fn new(session: &'s Session, space: SpaceId) -> Self {
        let len = session.spaces().get(space).map_or(0, Space::len);
        Self { session, space, marks: vec![Mark::Left; usize::try_from(len).unwrap_or(0)], long: HashSet::new() }
    }

    fn fields(&mut self, fields: &Fields) {
        let mut record = "";
        for leaf in fields.rows.iter().filter(|row| !row.span.is_empty()) {
            if leaf.group {
                record = leaf.name.as_str();
                continue;
            }
            match self.mark_of(leaf) {
                Mark::Left if WITH_MEANING.contains(&record) => self.mark(leaf.span, Mark::Field),
                Mark::Left => {}
                mark => self.mark(leaf.span, mark),
            }
        }
    }

    fn mark_of(&self, leaf: &FieldRow) -> Mark {
        if UNUSED.contains(&leaf.name.as_str()) {
            return Mark::Unused;
        }
        if PADDING.contains(&leaf.name.as_str()) {
            return if self.is_zero(leaf.span) { Mark::Unused } else { Mark::Left };
        }
        if OPAQUE.contains(&leaf.name.as_str()) { Mark::Left } else { Mark::Field }
    }

    fn is_zero(&self, span: Span) -> bool {
        self.session.spaces().read(span).is_ok_and(|bytes| bytes.iter().all(|byte| *byte == 0))
    }

    /// Marks the bytes of the file that `span` stands for; a field outweighs an unused byte.
    fn mark(&mut self, span: Span, mark: Mark) {
        if span.space == self.space {
            return self.mark_range(span, mark);
        }
        for piece in self.session.spaces().resolve(span) {
            if piece.span.space == self.space {
                self.mark_range(piece.span, mark);
            }
        }
    }

    fn mark_range(&mut self, span: Span, mark: Mark) {
        if span.len >= MIN_LONG && !self.long.insert((span.start, span.len, mark)) {
            return;
        }
        let len = self.marks.len();
        let range = (span.start as usize).min(len)..(span.end() as usize).min(len);
        for byte in self.marks.get_mut(range).unwrap_or_default() {
            *byte = mark.max(*byte);
        }
    }

    fn done(mut self) -> Coverage {
        let zeros: Vec<Range<usize>> = self.left().iter().flat_map(|range| self.zeros(range)).collect();
        for range in zeros {
            self.mark_range(self.span(&range), Mark::Unused);
        }
        let left = self.left();
        let rest = left.iter().take(MAX_LISTED).map(|range| {
            let span = self.span(range);
            let owners = owner::owner_at(self.session, span.space, span.start, None);
            Rest { span, place: owners.owners.first().map(|owner| owner.place) }
        });
        let count = |mark: Mark| self.marks.iter().filter(|byte| **byte == mark).count() as u64;
        Coverage {
            name: self.session.spaces().get(self.space).map_or_else(String::new, |space| space.name().into_owned()),
            len: self.marks.len() as u64,
            fields: count(Mark::Field),
            unused: count(Mark::Unused),
            left: count(Mark::Left),
            rest: rest.collect(),
            ranges: left.len(),
        }
    }

    /// Zeros in a range: all of it, or stretches of some length.
    fn zeros(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let bytes = self.session.spaces().read(self.span(range)).unwrap_or_default();
        let is_unused = |run: &Range<usize>| {
            bytes.get(run.start) == Some(&0) && (run.len() >= MIN_ZEROS || run.len() == range.len())
        };
        let zeros = runs(&bytes, |a, b| (*a == 0) == (*b == 0)).filter(is_unused);
        zeros.map(|run| range.start + run.start..range.start + run.end).collect()
    }

    fn left(&self) -> Vec<Range<usize>> {
        runs(&self.marks, |a, b| a == b).filter(|run| self.marks.get(run.start) == Some(&Mark::Left)).collect()
    }

    const fn span(&self, range: &Range<usize>) -> Span {
        Span::new(self.space, range.start as u64, (range.end - range.start) as u64)
    }
}

/// Ranges of neighbours that are alike.
fn runs<T>(items: &[T], are_alike: impl Fn(&T, &T) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0_usize;
    items.chunk_by(are_alike).map(move |run| {
        let start = end;
        end += run.len();
        start..end
    })
}

//! Reads of a record as a list.

use std::collections::HashMap;
use std::sync::Arc;

use crate::code_places::CodePlaces;
use crate::link::Link;
use pdblens_formats::bytes::{Cursor, Error, Recording, Result, Show, Slice, SpaceId, Span, stored};
use pdblens_formats::metadata::ColumnKind;
use pdblens_nodes::fields::{FieldRow, Fields, recorded};
use pdblens_nodes::{self as nodes, Place};
use pdblens_session::session::Session;
use pdblens_session::source::SourceOptions;

/// Bytes of a field that the screens show at most.
const MAX_BYTES: u64 = 1 << 16;

/// Reads of a record, in the order of its bytes.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    pub title: String,
    /// Bytes of the record; the steps tile them.
    pub span: Span,
    /// Steps, and the groups that they belong to.
    pub list: Vec<Step>,
    pub error: Option<Error>,
    /// Name of the field whose read failed with it; `None` where a value that was read is refused.
    pub failed: Option<&'static str>,
    /// Source and code that the points of the record connect, for a page that shows them.
    pub places: Option<Arc<CodePlaces>>,
    /// Link to the first read in the page, for a handout.
    pub link: Option<Link>,
}

/// A read, or a group of the deeper steps that follow.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Number among the reads, from 1; 0 for a group.
    pub number: u32,
    pub field: FieldRow,
    /// Innermost group around it; empty if there is none.
    pub record: String,
    /// Bytes that were read; empty for a group.
    pub bytes: Vec<u8>,
    /// Number as stored, before a sign is applied; `None` for text, bytes and GUIDs.
    pub raw: Option<u64>,
    /// Encoding of the cell, where the step reads one of a table.
    pub column: Option<ColumnKind>,
}

/// Steps of the record at `place`; `None` where it is no record.
pub fn steps(session: &Session, place: Place) -> Option<Steps> {
    Some(of_fields(session, place, &nodes::played(session, place)?))
}

/// Steps of the record at `place` alone, without the blobs that its row leads to.
pub(crate) fn record_steps(session: &Session, place: Place) -> Option<Steps> {
    Some(of_fields(session, place, &nodes::fields(session, place)?))
}

fn of_fields(session: &Session, place: Place, fields: &Fields) -> Steps {
    Steps::of(fields, |span| first_bytes(session, span, u64::MAX)).at(place)
}

/// The first bytes of a span, at most so many.
pub(crate) fn first_bytes(session: &Session, span: Span, most: u64) -> Vec<u8> {
    let head = Span { len: span.len.min(most), ..span };
    session.spaces().read(head).map(|bytes| bytes.to_vec()).unwrap_or_default()
}

impl Steps {
    /// Reads of `decode` over bytes that are in no file; what it failed with is the error.
    pub(crate) fn recorded<'a>(
        title: &str,
        bytes: &'a [u8],
        decode: impl FnOnce(&mut Cursor<'a, Recording>) -> Result<()>,
    ) -> Self {
        let slice = Slice::new(bytes, SpaceId(0), 0);
        let (reads, error) = recorded(slice, decode);
        let fields = Fields::present(title, slice, &reads, error, |_, _| None);
        Self::of(&fields, |span| slice.at(span).map(|part| part.data.to_vec()).unwrap_or_default())
    }

    /// Steps of recorded fields for the screens, with at most 64 KB of each: a heap may have millions.
    pub fn shown(session: &Session, fields: &Fields) -> Self {
        Self::of(fields, |span| first_bytes(session, span, MAX_BYTES))
    }

    /// Steps of recorded fields, whose bytes `read` returns.
    pub fn of(fields: &Fields, read: impl Fn(Span) -> Vec<u8>) -> Self {
        let (mut groups, mut number) = (Vec::new(), 0_u32);
        let list = fields.rows.iter().map(|field| {
            groups.truncate(field.depth as usize);
            let record = groups.last().cloned().unwrap_or_default();
            if field.group {
                groups.push(field.name.clone());
                return Step { field: field.clone(), record, ..Step::default() };
            }
            number += 1;
            let bytes = read(field.span);
            let raw = stored::stored(field.read, &bytes);
            Step { number, field: field.clone(), record, bytes, raw, column: None }
        });
        Self {
            title: fields.title.clone(),
            span: fields.span,
            list: list.collect(),
            error: fields.error.clone(),
            failed: fields.failed.map(|doc| doc.name),
            places: None,
            link: None,
        }
    }

    /// Adds what the place of the record tells: the encodings of the cells of a row.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        let Place::Row(_, table, _) = place else { return self };
        let columns = table.def().map_or(&[][..], |def| def.columns);
        for step in self.list.iter_mut().filter(|step| !step.field.group) {
            step.column = columns.iter().find(|column| column.name == step.field.name).map(|column| column.kind);
        }
        self
    }

    /// Adds what a handout shows beside the reads: source and code, if `place` has the points of a method or function, and the link.
    #[must_use]
    pub fn with_places(mut self, session: &Session, place: Place, sources: &SourceOptions) -> Self {
        self.places = place.code_unit().and_then(|unit| CodePlaces::of(session, unit, sources)).map(Arc::new);
        let sample = session.is_sample();
        // A blob needs no files. One that names its document is another kind of record.
        let is_blob = self.reads().next().is_some_and(|step| step.record == "header")
            && self.reads().any(|step| step.record == "point")
            && self.reads().all(|step| step.field.name != "initial document");
        self.link = Some(match is_blob && self.error.is_none() {
            true => Link::Bytes {
                kind: "points",
                bytes: self.reads().flat_map(|step| &step.bytes).copied().collect(),
                step: 1,
            },
            false => Link::At { place: place.to_string(), step: Some(1), sample },
        });
        self
    }

    #[must_use]
    pub(crate) fn followed_by(mut self, other: Self) -> Self {
        let before = self.reads().count() as u32;
        let title =
            Step { field: FieldRow { name: other.title, group: true, ..FieldRow::default() }, ..Step::default() };
        let deeper = |mut step: Step| {
            step.number += if step.field.group { 0 } else { before };
            step.field.depth = step.field.depth.saturating_add(1);
            step
        };
        self.list.push(title);
        self.list.extend(other.list.into_iter().map(deeper));
        self
    }

    /// The reads, without groups.
    pub fn reads(&self) -> impl Iterator<Item = &Step> {
        self.list.iter().filter(|step| !step.field.group)
    }

    /// Index in `list` of the read with a number.
    pub fn index_of(&self, number: u32) -> Option<usize> {
        self.list.iter().position(|step| !step.field.group && step.number == number)
    }

    /// State after the first `count` elements of the list: name, notation, value, in the order of their first change.
    pub fn state_after(&self, count: usize) -> Vec<(&'static str, Show, i64)> {
        let mut state: Vec<(&'static str, Show, i64)> = Vec::new();
        for change in self.list.iter().take(count).flat_map(|step| &step.field.changes) {
            match state.iter_mut().find(|(name, ..)| *name == change.state.name) {
                Some(found) => found.2 = change.after,
                None => state.push((change.state.name, change.state.show, change.after)),
            }
        }
        state
    }

    /// Sequence points that are complete after the first `count` elements of the list: `IL_0001  11:13–11:29`.
    pub fn points_after(&self, count: usize) -> Vec<String> {
        let (mut points, mut state) = (Vec::new(), HashMap::new());
        for change in self.list.iter().take(count).flat_map(|step| &step.field.changes) {
            state.insert(change.state.name, change.after);
            if change.state.name != "points" {
                continue;
            }
            let of = |name: &str| state.get(name).copied().unwrap_or(0);
            let (offset, line, column) = (of("IL offset"), of("start line"), of("start column"));
            points.push(match (of("lines spanned"), of("columns spanned")) {
                (0, 0) => format!("IL_{offset:04x}  hidden"),
                (lines, columns) => {
                    format!(
                        "IL_{offset:04x}  {line}:{column}–{}:{}",
                        line.wrapping_add(lines),
                        column.wrapping_add(columns)
                    )
                }
            });
        }
        points
    }
}

impl Step {
    pub(crate) fn is_transformed(&self) -> bool {
        self.raw.is_some_and(|raw| self.field.number.is_some_and(|number| number != raw.cast_signed()))
    }

    pub const fn form(&self) -> &'static str {
        stored::form_name(self.field.read)
    }

    /// Changes of state in words: `start column 18 → 13`.
    pub fn changes_text(&self) -> Vec<String> {
        let one = |change: &pdblens_formats::bytes::Change| {
            let after = notation(change.state.show, change.after);
            match change.before {
                Some(before) => format!("{} {} → {after}", change.state.name, notation(change.state.show, before)),
                None => format!("{} = {after}", change.state.name),
            }
        };
        self.field.changes.iter().map(one).collect()
    }
}

pub fn notation(show: Show, value: i64) -> String {
    match show {
        Show::OneOf(names) => {
            let name = names.iter().find(|(number, _)| *number == value.cast_unsigned()).map(|(_, name)| *name);
            name.map_or_else(|| value.to_string(), str::to_owned)
        }
        show => show.number(value),
    }
}

//! The selection and everything that panes show of it, computed once per change.

use std::ops::Range;
use std::sync::Arc;

use pdblens_formats::bytes::Span;
use pdblens_learn::Steps;
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::fields::Fields;
use pdblens_nodes::lazy_index::LazyIndex;
use pdblens_nodes::method::{MethodView, point_span};
use pdblens_nodes::table::context::row_owner;
use pdblens_nodes::{
    self as nodes, FunctionPart, MethodPart, Place, SequencePoint, Side, TableId, Token, code_tree, used_by,
};
use pdblens_query::missing_lines::{self, MissingLines};
use pdblens_query::native_where;
use pdblens_session::session::Session;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Selection {
    pub place: Place,
    /// The selected bytes; `None` for all of the place.
    pub part: Option<Span>,
}

/// A record that is taught and is not of the open files.
pub enum Taught {
    Sample(Arc<Session>, Selection),
    /// Typed bytes: their steps, and the command that prints them.
    Bytes(Box<Steps>, String),
}

impl From<Place> for Selection {
    fn from(place: Place) -> Self {
        Self { place, part: None }
    }
}

#[derive(Clone, Debug)]
pub struct SelectionContext {
    pub selection: Selection,
    /// Its fields; else the reason why there are none, empty where it is no record.
    pub fields: Result<Fields, String>,
    /// Facts about a place that is no record: a table, a stream, a gap.
    pub facts: Option<Fields>,
    pub required_index: Option<LazyIndex>,
    /// The bytes of a place that is no record: a list, a stream.
    pub whole: Option<Span>,
    /// The bytes of the parent, where they contain those of the selection.
    pub outer: Option<Span>,
    pub method: Option<Arc<MethodView>>,
    /// The reason why the method has no lines.
    pub no_lines: Option<Arc<MissingLines>>,
    /// The reason why the method has no IL.
    pub no_il: Option<Arc<MissingLines>>,
    /// Index of the sequence point that is selected or covers the selection.
    pub point: Option<usize>,
    /// Selected offsets of the code: of IL, or of machine code.
    pub code: Range<u32>,
    /// True where those are after the end of the method.
    pub is_past_end: bool,
    pub document: Option<u32>,
    pub lines: Option<LineSpan>,
    /// Totals of a module or a type, which has no code of its own.
    pub branch: Option<Arc<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSpan {
    /// First line, from 1.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
    /// First column and end column, exclusive, from 1 in UTF-16 units; `None` for whole lines.
    pub columns: Option<(u32, u32)>,
}

impl LineSpan {
    fn of(point: &SequencePoint) -> Self {
        // Windows PDBs may have no columns; Mono and clang write no end column, which means the rest of the line.
        let end = if point.end_column == 0 { u32::MAX } else { point.end_column };
        let columns = (point.start_column > 0).then_some((point.start_column, end));
        Self { start: point.start_line, end: point.end_line.max(point.start_line), columns }
    }
}

impl SelectionContext {
    /// Computes the context of a selection; reuses the method of `before` where it is the same.
    pub fn of(selection: Selection, session: &Session, before: Option<&Self>) -> Self {
        let place = selection.place;
        let required_index = nodes::required_index(session, place);
        let known = before.filter(|before| before.selection.place == place && before.required_index.is_none());
        let (fields, facts) = match (known, required_index) {
            (Some(before), _) => (before.fields.clone(), before.facts.clone()),
            (None, Some(index)) => (Err(format!("reading {index} …")), nodes::summary(session, place)),
            (None, None) => match nodes::fields(session, place) {
                Some(fields) => (Ok(fields), None),
                None => (Err(String::new()), nodes::summary(session, place)),
            },
        };
        let span = fields.as_ref().ok().map(|fields| fields.span);
        let outer = place.parent().filter(|parent| nodes::required_index(session, *parent).is_none());
        let outer = outer.and_then(|parent| nodes::fields(session, parent)).map(|fields| fields.span);
        let outer = outer.filter(|outer| span.is_some_and(|span| outer.covers(span) && *outer != span));
        let of_facts = facts.as_ref().map(|facts| facts.span).filter(|span| !span.is_empty());
        let whole = if fields.is_ok() { None } else { of_facts.or_else(|| whole(session, place)) };
        let mut context = Self {
            selection,
            fields,
            facts,
            required_index,
            whole,
            outer,
            method: None,
            no_lines: None,
            no_il: None,
            point: None,
            code: 0..0,
            is_past_end: false,
            document: None,
            lines: None,
            branch: None,
        };
        if let Some(of) = place.code_unit() {
            context.set_code_unit(of, session, before);
        }
        match place {
            Place::Document(row) => context.document = Some(row),
            Place::Line(row, line) => {
                context.document = Some(row);
                context.lines = Some(LineSpan { start: line, end: line, columns: None });
                // The current method stays where the line is in its document.
                context.method = before.filter(|before| before.document == Some(row)).and_then(|b| b.method.clone());
            }
            Place::Row(Side::Pdb, TableId::LOCAL_SCOPE, row) => {
                let point = first_point_of_scope(session, row);
                (context.document, context.lines) =
                    (point.map(|point| point.document), point.map(|point| LineSpan::of(&point)));
            }
            _ => {}
        }
        context
    }

    fn set_code_unit(&mut self, of: CodeUnit, session: &Session, before: Option<&Self>) {
        let is_it = |before: &&Self| before.method.as_ref().is_some_and(|view| view.of == of);
        match before.filter(is_it) {
            Some(before) => {
                (self.no_lines, self.no_il) = (before.no_lines.clone(), before.no_il.clone());
                self.in_method(before.method.clone().unwrap_or_default(), session);
            }
            None => {
                let view = MethodView::of(session, of);
                self.no_lines =
                    view.points.is_empty().then(|| Arc::new(missing_lines::no_lines_reason(session, &view)));
                self.no_il =
                    view.instructions.is_empty().then(|| Arc::new(missing_lines::no_il_reason(session, &view)));
                self.in_method(Arc::new(view), session);
            }
        }
    }

    /// Keeps method and document of the previous selection, where this one has neither.
    pub fn keep(&mut self, before: &Self) {
        if self.method.is_none() && self.document.is_none() {
            (self.method, self.point) = (before.method.clone(), before.point);
            (self.code, self.document, self.lines) = (before.code.clone(), before.document, before.lines);
        }
        if self.selection.place == before.selection.place {
            self.branch.clone_from(&before.branch);
        }
    }

    pub(crate) fn in_branch(&mut self, session: &Session) {
        self.branch = code_tree::branch_summary(session, self.selection.place).map(Arc::from);
    }

    /// Shows the source of the method or type that a row belongs to, where it has none itself.
    pub(crate) fn show_owner(&mut self, session: &Session) {
        if let (None, Place::Row(side, table, row)) = (self.document, self.selection.place)
            && let Some(point) = point_of_owner(session, side, Token::new(table, row))
        {
            (self.document, self.lines) = (Some(point.document), Some(LineSpan::of(&point)));
        }
    }

    fn in_method(&mut self, view: Arc<MethodView>, session: &Session) {
        match self.selection.place {
            Place::MethodPart(_, MethodPart::Points) | Place::FunctionPart(_, FunctionPart::Lines) => {
                self.point = self.selection.part.and_then(|part| point_with(&view, part));
                self.code = self.point.map_or(0..0, |point| view.point_range(point));
            }
            Place::MethodPart(_, MethodPart::Il | MethodPart::Body) => {
                let found = self.selection.part.and_then(|part| instruction_with(&view, part));
                self.point = found.and_then(|offset| view.points.covering(offset));
                self.code = found.map_or(0..0, |offset| offset..offset.saturating_add(1));
            }
            Place::MethodPart(_, MethodPart::Point(number)) | Place::FunctionPart(_, FunctionPart::Line(number)) => {
                self.point = (number as usize).checked_sub(1).filter(|index| *index < view.points.len());
                self.code = self.point.map_or(0..0, |point| view.point_range(point));
            }
            Place::MethodPart(_, MethodPart::Instruction(offset))
            | Place::FunctionPart(_, FunctionPart::CodeAt(offset)) => {
                // No point covers an offset after the end of the code.
                self.is_past_end = view.size.is_some_and(|size| offset >= size);
                self.point = if self.is_past_end { None } else { view.points.covering(offset) };
                self.code = offset..offset.saturating_add(1);
            }
            Place::MethodPart(_, MethodPart::NativeAt(rva)) => {
                self.code = native_where::il_at(session, rva).unwrap_or_default();
                self.point = if self.code.is_empty() { None } else { view.points.covering(self.code.start) };
            }
            Place::FunctionPart(_, FunctionPart::Symbol(at)) => {
                // Only blocks have code of their own.
                if let Some(symbol) = view.symbol(at).filter(|symbol| symbol.is_block()) {
                    self.point = view.points.covering(symbol.start);
                    self.code = symbol.start..symbol.start.saturating_add(symbol.len);
                }
            }
            Place::Function(rva) => {
                // An address inside of a function selects its code.
                if let Some(offset) = rva.checked_sub(view.of.address()).filter(|offset| *offset > 0) {
                    self.point = view.points.covering(offset);
                    self.code = offset..offset + 1;
                }
            }
            _ => {}
        }
        let visible = |point: &&SequencePoint| !point.is_hidden();
        let point = self.point.and_then(|index| view.points.get(index));
        self.lines = point.filter(visible).map(LineSpan::of);
        // A hidden point has no document: that of the preceding visible point is shown.
        let around = self.point.and_then(|index| view.points.get(..=index)?.iter().rfind(visible));
        let found = point.filter(visible).or(around).or_else(|| view.points.iter().find(visible));
        self.document = found.map(|point| point.document).filter(|row| *row > 0).or(view.symbols.document);
        // The record of one folded function is not a part of the code that they share.
        let is_whole = matches!(self.selection.place, Place::Function(_));
        // Code of no IL offset has no line.
        let is_instruction = matches!(self.selection.place, Place::MethodPart(_, MethodPart::NativeAt(_)));
        let is_part = (self.selection.part.is_some() || is_instruction) && self.point.is_none() && !is_whole;
        if self.lines.is_none() && self.point.is_none() && !self.is_past_end && !is_part {
            // A method as a whole selects its first line.
            self.lines = found.map(|point| LineSpan { start: point.start_line, end: point.start_line, columns: None });
        }
        self.method = Some(view);
    }

    pub fn shown(&self) -> Option<&Fields> {
        self.fields.as_ref().ok().or(self.facts.as_ref())
    }

    /// The spans of the fields, in the order of their colours.
    pub(crate) fn field_colors(&self) -> impl Iterator<Item = Span> {
        self.shown().into_iter().flat_map(|fields| fields.leaves().map(|row| row.span))
    }

    pub fn span(&self) -> Option<Span> {
        match (&self.fields, self.selection) {
            (Ok(fields), _) => Some(fields.span),
            (Err(_), Selection { place: Place::Bytes(span), .. }) => Some(span),
            (Err(_), Selection { part, .. }) => part.or(self.whole),
        }
    }
}

/// Limits on the owners of a row, and on the methods of a type that are looked at.
const MAX_OWNERS: usize = 4;
const MAX_METHODS: usize = 64;

/// First visible point of the method or type that a row is, or belongs to.
fn point_of_owner(session: &Session, side: Side, row: Token) -> Option<SequencePoint> {
    let owner = |row: &Token| row_owner(session, if row.table().is_debug() { side } else { Side::Image }, *row);
    let owners = std::iter::successors(Some(row), owner).take(MAX_OWNERS);
    owners.into_iter().find_map(|owner| match owner.table() {
        TableId::METHOD_DEF => code_unit::first_visible(session, CodeUnit::Method(owner)),
        TableId::TYPE_DEF => {
            let lists = used_by::members_of(session, Place::row(owner.table(), owner.row()));
            let units = lists.into_iter().flat_map(|(_, members)| members).filter_map(Place::code_unit);
            units.take(MAX_METHODS).find_map(|unit| code_unit::first_visible(session, unit))
        }
        _ => None,
    })
}

/// First visible point in a scope, by the row of the scope.
fn first_point_of_scope(session: &Session, row: u32) -> Option<SequencePoint> {
    let table = session.portable_pdb()?.metadata.table(TableId::LOCAL_SCOPE);
    let cell = |name| table.cell(row, TableId::LOCAL_SCOPE.column(name)?).ok();
    let (method, start, len) = (cell("Method")?, cell("StartOffset")?, cell("Length")?);
    let method = CodeUnit::Method(Token::new(TableId::METHOD_DEF, method));
    let is_in = &mut |point: &SequencePoint| point.offset >= start && point.offset - start < len && !point.is_hidden();
    code_unit::find_point(session, method, is_in).map(|(_, point)| point)
}

/// Index of the point whose record has the first of some bytes.
fn point_with(view: &MethodView, part: Span) -> Option<usize> {
    let has = |point: &SequencePoint| point_span(view, point).is_some_and(|span| is_in(span, part));
    view.points.iter().position(has)
}

/// Offset of the instruction that has the first of some bytes.
fn instruction_with(view: &MethodView, part: Span) -> Option<u32> {
    view.instructions.iter().find(|(_, span)| is_in(*span, part)).map(|(offset, _)| *offset)
}

fn is_in(span: Span, part: Span) -> bool {
    span.space == part.space && span.contains(part.start)
}

/// The bytes of a place, or of its nearest ancestor that has any.
fn whole(session: &Session, place: Place) -> Option<Span> {
    let up = std::iter::successors(Some(place), |place| place.parent());
    let mut up = up.take_while(|place| *place != Place::Overview);
    // Where an index is required, the parent's bytes are shown.
    let known = |place: &Place| {
        let at_once = matches!(place, Place::Stream(_) | Place::Table(..) | Place::Heap(..) | Place::HeapEntry(..));
        at_once || nodes::required_index(session, *place).is_none()
    };
    up.find_map(|place| known(&place).then(|| nodes::bytes(session, place))?)
}

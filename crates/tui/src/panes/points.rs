//! The Sequence points pane: points of a method or lines of a native function, beside the bytes that encode them.

use crate::panes::signature::below;
use pdblens_nodes as nodes;
use pdblens_nodes::document;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::method;
use pdblens_nodes::stream::PdbView;
use pdblens_query::missing_lines;
use pdblens_query::where_is::hop;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::Style;

use crate::engine::action::Action;
use crate::panes::pane::{Context, Facts, List, Pane, ability, click_row, fit, grid, move_cursor};
use crate::panes::signature;
use crate::state::effect::Effect;
use crate::state::selection::Selection;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::layout::{ContentSize, Slot, WidthClass};
use crate::ui::list_filter::{ListFilter, RowSource};
use crate::ui::text::{put_lines, width};
use crate::ui::theme::{Role, opaque};
use pdblens_formats::bytes::Span;
use pdblens_nodes::Place;
use pdblens_nodes::code_unit::CodeUnit;
use pdblens_nodes::function::{NEVER_STEP_INTO, line_kind};
use pdblens_nodes::method::{MethodView, range_text};
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{FunctionPart, MethodPart, SequencePoint};
use pdblens_session::precompiled::Precompiled;
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::spaced_hex;

/// Column of the encoded bytes.
const BLOB: usize = 3;

#[derive(Default)]
struct Points {
    grid: Grid,
    size: Size,
    of: Option<CodeUnit>,
}

const MAX_MEASURED: usize = 1000;
/// Rows of the reason why there are no points.
const REASON_HEIGHT: u16 = 6;

/// Cells of the columns with the address and the kind of a line record, with their gaps.
const ADDRESS_AND_KIND: u16 = 24;

pub fn new() -> Box<dyn Pane> {
    Box::new(Points::default())
}

/// The text of the empty pane.
fn empty_state(cx: &Context<'_>) -> EmptyState {
    let native = NativeView::of(cx.session).is_some();
    match (&cx.selected.no_lines, missing_lines::no_symbols_reason(cx.session)) {
        (Some(absence), _) => cx.paths.add_symbol_search(EmptyState::from(&**absence), cx.session),
        (None, Some(absence)) => cx.paths.add_symbol_search(EmptyState::from(&absence), cx.session),
        (None, None) if native && matches!(cx.selected.selection.place, Place::Record(..)) => EmptyState::default().text(
            "A public symbol: it has an address but no lines. Only code that was compiled with debug information has lines.",
        ),
        (None, None) if native => EmptyState::default().text("Select a function to see its lines."),
        (None, None) => EmptyState::default().text("Select a method to see its sequence points."),
    }
}

/// The span of an encoded point, and its first 32 bytes.
fn blob(session: &Session, view: &MethodView, index: usize) -> Option<(Span, Vec<u8>)> {
    let span = method::point_span(view, view.points.get(index)?)?;
    let bytes = session.spaces().read(Span { len: span.len.min(32), ..span }).ok()?;
    Some((span, bytes.into_owned()))
}

/// Returns whether points are line records, of 8 bytes each: those of a Windows PDB.
fn has_records(session: &Session) -> bool {
    PdbView::of(session).is_some()
}

/// Cells that the records of all points take, with their numbers, offsets and sources; 0 without points.
fn records_width(view: &MethodView) -> u16 {
    let source = view.points.iter().take(MAX_MEASURED).map(|point| width(&range_text(point))).max();
    let digits = view.points.len().max(1).ilog10() as usize + 1;
    let offset = if view.of.is_native() { "offset" } else { "IL offset" };
    let offset = width(&view.of.label(view.points.last().map_or(0, |point| point.offset).into())).max(offset.len());
    // Three gaps, the margin and the cell on the right, and two digits and a space for each of the eight bytes.
    source.map_or(0, |source| (digits + offset + source.max(6) + 23 + 8) as u16)
}

/// The points as rows, made as they show.
fn rows<'c>(cx: &Context<'c>, room: u16) -> Rows<'c> {
    match &cx.selected.method {
        Some(view) => rows_of(cx.session, Arc::clone(view), room),
        None => Rows::of("", Vec::new(), Vec::new()),
    }
}

fn rows_of(session: &Session, view: Arc<MethodView>, room: u16) -> Rows<'_> {
    let native = view.of.is_native();
    let offset = if native { "offset" } else { "IL offset" };
    let bytes = Head::text(method::points::encoded_as(session));
    let mut columns = vec![Head::number("#"), Head::text(offset), Head::text("source"), bytes];
    let roomy = native && room >= records_width(&view) + ADDRESS_AND_KIND;
    if roomy {
        columns.extend([Head::text("rva"), Head::text("kind")]);
    }
    let first = view.points.iter().find(|point| !point.is_hidden()).map(|point| point.document);
    let len = view.points.len() + usize::from(view.points_error.is_some());
    Rows::new("", columns, len, move |index| {
        let view = &*view;
        let Some(point) = view.points.get(index) else { return error_row(session, view) };
        let tone = if point.is_hidden() { Tone::Dim } else { Tone::Text };
        let (span, bytes) = blob(session, view, index).unzip();
        let kind = if native { line_kind(bytes.as_deref().unwrap_or_default()) } else { "" };
        // Two line numbers mean "no line": a debugger treats them differently.
        let source = if kind == NEVER_STEP_INTO { "never step into".to_owned() } else { range_text(point) };
        // The document is named where it differs from the first one; the record has its room before the name.
        let other = !point.is_hidden() && Some(point.document) != first;
        let document = if other { document::name(session, point.document).unwrap_or_default() } else { String::new() };
        let mut cells = vec![
            Cell::toned((index + 1).to_string(), Tone::Dim),
            Cell::toned(view.of.label(point.offset.into()), tone),
            Cell::toned(source, tone).beside(remark(point, native, &document)),
            Cell::toned(bytes.map_or(String::new(), |bytes| spaced_hex(&bytes, 12)), Tone::Dim),
        ];
        if roomy {
            let rva = view.of.address().wrapping_add(point.offset);
            cells.extend([Cell::toned(format!("{rva:#x}"), Tone::Dim), Cell::toned(kind, Tone::Dim)]);
        }
        Row { span, ..Row::at(place(view, index), cells) }
    })
}

/// Detail beside the lines of a point: the name of a document, or what a debugger does at a hidden one.
fn remark<'d>(point: &SequencePoint, native: bool, document: &'d str) -> &'d str {
    if point.is_hidden() && !native { "the debugger steps over it" } else { file_name(document) }
}

/// The mapping that leads to the points: by a token map, or the EncMap of a delta.
fn mapping(cx: &Context<'_>) -> String {
    let hops = cx.selected.method.as_ref().map(|view| hop::to_record(cx.session, view.of));
    hops.into_iter().flatten().map(|hop| hop.brief()).collect::<Vec<_>>().join(", ")
}

/// The reason why no more points can be read, in the row after those that can.
fn error_row(session: &Session, view: &MethodView) -> Row {
    let Some(error) = &view.points_error else { return Row::default() };
    let text = format!("no more points: {}", session.spaces().error_text(error));
    Row { place: Some(view.of.points()), span: Some(error.span), ..Row::plain(vec![Cell::toned(text, Tone::Bad)]) }
}

/// The row of the selection: that of its point, or that of the error whose bytes are selected.
fn selected_row(cx: &Context<'_>) -> Option<usize> {
    let view = cx.selected.method.as_deref()?;
    let error = view.points_error.as_ref().filter(|error| cx.selected.selection.part == Some(error.span));
    error.map_or(cx.selected.point, |_| Some(view.points.len()))
}

fn place(view: &MethodView, index: usize) -> Place {
    view.of.point(index as u32 + 1)
}

/// The bytes of the selected point that `text` has, in the colours of its fields.
fn painted(index: usize, cx: &Context<'_>, text: &str, style: Style) -> Option<Vec<(String, Style)>> {
    if cx.selected.point != Some(index) {
        return None;
    }
    let (span, bytes) = blob(cx.session, cx.selected.method.as_deref()?, index)?;
    // The context has the fields of the point only where that is selected.
    let fields: Vec<Span> = match cx.selected.selection.place {
        Place::MethodPart(_, MethodPart::Point(_)) | Place::FunctionPart(_, FunctionPart::Line(_)) => {
            cx.selected.field_colors().collect()
        }
        _ => {
            let point = place(cx.selected.method.as_deref()?, index);
            nodes::fields(cx.session, point)?.leaves().map(|row| row.span).collect()
        }
    };
    let colored = cx.look.theme.colors_on_cursor || !cx.look.focused;
    let part = |(at, byte): (usize, &u8)| {
        let field = fields.iter().position(|field| field.contains(span.start + at as u64));
        let hue = match field {
            Some(field) if colored => opaque(style.patch(cx.look.theme.field(field)).bold().not_dim()),
            _ => style,
        };
        [(format!("{byte:02x}"), hue), (" ".to_owned(), style)]
    };
    // A cut text ends with a sign, which takes the place of the bytes that are left out.
    let more = cx.look.glyphs.more;
    let shown = text.strip_suffix(more).unwrap_or(text);
    let mut parts: Vec<(String, Style)> = bytes.iter().enumerate().take((shown.len() + 1) / 3).flat_map(part).collect();
    if shown.len() < text.len() {
        parts.push((more.to_owned(), style));
    } else {
        parts.pop();
    }
    Some(parts)
}

/// Cells of the title besides the signature.
const TITLE: usize = 34;

/// Returns whether the pane is zoomed: no other pane and no breadcrumb shows. On a small screen every pane is alone.
fn is_alone(cx: &Context<'_>) -> bool {
    matches!(cx.placed, [only] if WidthClass::of(only.body.width) != WidthClass::Small)
}

/// The subject of the title: the reason of an inexact mapping, or else the signature where nothing else on the screen names the method.
fn subject(cx: &Context<'_>) -> String {
    let mapping = mapping(cx);
    match &cx.selected.method {
        Some(view) if is_alone(cx) && mapping.is_empty() => signature::brief(cx.session, view.of),
        _ => mapping,
    }
}

impl Points {
    /// The lines of the signature above the list, where the pane of the code has no room on the screen.
    fn signature(&self, cx: &Context<'_>) -> Vec<String> {
        let title = if is_alone(cx) { TITLE } else { signature::TITLE };
        match &cx.selected.method {
            Some(view) if !cx.is_placed(Slot::Main(1)) => signature::lines(cx.session, view.of, self.size, title),
            _ => Vec::new(),
        }
    }
}

impl Pane for Points {
    fn title(&self, cx: &Context<'_>) -> Title {
        let len = cx.selected.method.as_ref().map_or(0, |view| view.points.len());
        let at = if self.grid.idle { String::new() } else { format!("{}/", self.grid.scroll.selected + 1) };
        let native = cx
            .selected
            .method
            .as_ref()
            .map_or_else(|| NativeView::of(cx.session).is_some(), |view| view.of.is_native());
        let title = Title::new(if native { "Lines" } else { "Sequence points" }).of(subject(cx));
        if len > 0 { title.at(format!("{at}{len}")) } else { title }
    }

    fn perform(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        if action != Action::Follow {
            return move_cursor(self, action, count, cx);
        }
        if rows(cx, self.size.width).len == 0 {
            return Some(vec![Effect::Go(empty_state(cx).link_target()?.into())]);
        }
        let point = cx.selected.method.as_deref()?.points.get(self.grid.row()?)?;
        let line = Place::Line(point.document, point.start_line);
        (!point.is_hidden() && point.document > 0).then(|| vec![Effect::Go(line.into())])
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        let of = cx.selected.method.as_ref().map(|view| view.of);
        if self.of != of {
            (self.of, self.grid.list_filter) = (of, ListFilter::default());
        }
        fit(self, self.size, cx);
        self.grid.show(selected_row(cx));
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.size = size;
        fit(self, size, cx);
    }

    fn facts(&self, cx: &Context<'_>) -> Facts {
        let points = cx.selected.method.as_ref();
        let points = points.map_or(0, |view| view.points.len() + usize::from(view.points_error.is_some()));
        // Column titles are one row.
        let height = match points {
            // Beside machine code, IL says more than that there are no points.
            0 if Precompiled::of(cx.session).is_some() => REASON_HEIGHT,
            0 => 0,
            _ => (points + 1).min(999) as u16,
        };
        let width = match &cx.selected.method {
            Some(view) if has_records(cx.session) => records_width(view),
            _ => 0,
        };
        let content_size = ContentSize { width, height, brief: 0 };
        Facts { content_size, item: self.of.map(CodeUnit::point_word), ..Facts::default() }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let rows = rows(cx, self.size.width);
        if rows.len == 0 {
            return empty_state(cx).draw(area, buf, &cx.look, &|action| cx.keys(action));
        }
        let paint = |(index, column): (usize, usize), _: &Cell, text: &str, style: Style| {
            if column == BLOB { painted(index, cx, text, style) } else { None }
        };
        put_lines(buf, area, 1, self.signature(cx).into_iter().map(|line| (line, Role::Strong)), &cx.look);
        self.grid.draw(buf, self.area(area, cx), &rows, &cx.look, &|_, _| false, &paint)
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        let view = cx.selected.method.as_deref()?;
        let row = self.grid.row()?;
        match &view.points_error {
            Some(error) if row == view.points.len() => {
                Some(Selection { place: view.of.points(), part: Some(error.span) })
            }
            _ => (row < view.points.len()).then(|| place(view, row).into()),
        }
    }

    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let is_link = || empty_state(cx).link_target().is_some();
        if rows(cx, self.size.width).len == 0 { is_link() } else { click_row(self, at, area, cx) }
    }

    ability!(List);
}

impl List for Points {
    grid!(grid);

    fn drawn<'c>(&'c self, cx: &Context<'c>) -> Option<Rows<'c>> {
        Some(rows(cx, self.size.width))
    }

    fn area(&self, pane: Rect, cx: &Context<'_>) -> Rect {
        below(pane, self.signature(cx).len())
    }

    fn row_source(&self, cx: &Context<'_>) -> Option<RowSource> {
        let view = Arc::clone(cx.selected.method.as_ref()?);
        let width = self.size.width;
        Some(Arc::new(move |session| Some(rows_of(session, Arc::clone(&view), width))))
    }
}

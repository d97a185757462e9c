//! The Scopes pane: the names of a method with the code where each is in scope (arguments, locals, constants) and its imports.

use std::collections::HashSet;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::Style;

use crate::nodes::code_unit::{self, CodeUnit, FunctionSymbol, il_label};
use crate::nodes::function::NativeView;
use crate::nodes::method::MethodView;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::nodes::table::blobs::import_text;
use crate::nodes::{MethodPart, Place};
use crate::query::where_is::{self, LocalKind};
use crate::session::Session;
use crate::symbols::Scope;
use crate::text::parameters::name_and_types;
use crate::tui::core::action::Action;
use crate::tui::panes::pane::{Context, List, Pane};
use crate::tui::state::effect::Effect;
use crate::tui::state::selection::Selection;
use crate::tui::ui::empty_state::EmptyState;
use crate::tui::ui::frame::Title;
use crate::tui::ui::glyphs::Glyphs;
use crate::tui::ui::grid::Grid;
use crate::tui::ui::layout::ContentSize;
use crate::tui::ui::list_filter::{ListFilter, RowSource};
use crate::tui::ui::scroll::Scroll;
use crate::tui::ui::text::width;
use crate::tui::ui::theme::{opaque, scope_role};

/// Rows of the pane, even if there are fewer names.
const MIN_ROWS: usize = 4;

/// Cells of a line where the pane is narrow.
const NARROW: usize = 36;

const COLUMNS: &[Head] = &[Head::text(""), Head::text(""), Head::text("")];
/// Names of the columns in exports, as the pane draws no headings.
const NAMES: &[Head] = &[Head::text("name"), Head::text("type"), Head::text("range")];
/// The column of the ranges, which have the colours of the brackets beside IL.
const RANGE: usize = 2;
/// Remark on the ranges of a section, in the column where they are.
const ENDS: &str = "ends exclusive";
/// Import scopes around each other that are read.
const MAX_IMPORT_SCOPES: usize = 32;

/// A row, with the code where its name is in scope, and the number of the scope that it begins.
#[derive(Clone, Debug, Default)]
struct NameRow {
    row: Row,
    /// Offsets of the code; `None` for a row that has no scope.
    range: Option<std::ops::Range<u64>>,
    scope: Option<usize>,
    /// A variable whose location depends on the code.
    moving: Option<Box<FunctionSymbol>>,
    /// True for a record that is no name: a block, the frame.
    is_unnamed: bool,
}

impl NameRow {
    /// Returns whether the name is in scope at an offset, and where its value is, if that depends on the offset.
    fn at(&self, offset: u32) -> (bool, Option<String>) {
        match &self.moving {
            Some(variable) => {
                let kept = variable.kept_at(offset);
                (kept.is_some(), kept)
            }
            None => (self.range.as_ref().is_none_or(|range| range.contains(&u64::from(offset))), None),
        }
    }
}

#[derive(Default)]
struct Scopes {
    grid: Grid,
    height: u16,
    of: Option<CodeUnit>,
    names: Arc<Vec<NameRow>>,
}

#[allow(missing_docs)]
pub fn new() -> Box<dyn Pane> {
    Box::new(Scopes::default())
}

fn heading(text: &str, range: String) -> Row {
    Row::plain(vec![Cell::toned(text, Tone::Dim), Cell::default(), Cell::toned(range, Tone::Dim)])
}

fn name_row(name: &str, type_name: &str, place: String) -> Row {
    let cells = vec![Cell::new(name), Cell::toned(type_name, Tone::Dim), Cell::toned(place, Tone::Dim)];
    Row { depth: 1, ..Row::plain(cells) }
}

/// The full name, and the parameters with their types; of unnamed parameters only the types in the name.
fn signature(session: &Session, view: &MethodView) -> Vec<NameRow> {
    let full = match (view.of, session.names()) {
        (CodeUnit::Method(token), Some(names)) => names.method(token),
        (of, _) => code_unit::name(session, of),
    };
    let (short, types) = name_and_types(&full);
    // An instance method has `this` before its parameters.
    let lead = view.arguments.len().checked_sub(types.len()).filter(|lead| *lead <= 1 && !types.is_empty());
    let name = if lead.is_some() { short } else { full.as_str() };
    let whole = Row::at(view.of.place(), vec![Cell::toned(name, Tone::Strong)]);
    let mut rows = vec![NameRow { row: whole, ..NameRow::default() }];
    for (index, name) in view.arguments.iter().enumerate() {
        let type_name = lead.and_then(|lead| types.get(index.checked_sub(lead)?)).copied().unwrap_or_default();
        let row = name_row(name, type_name, format!("argument {index}"));
        rows.push(NameRow { row, range: Some(0..u64::MAX), ..NameRow::default() });
    }
    rows
}

/// A scope with its variables and constants.
fn scope_rows(view: &MethodView, scope: &Scope, number: usize) -> Vec<NameRow> {
    let range = u64::from(scope.start)..scope.end();
    let text = format!("{}..{}", il_label(scope.start.into()), il_label(scope.end() as i64));
    let mut head = heading("scope", text);
    (head.place, head.span) = (scope.record.map(Place::from), Some(scope.span));
    let mut rows = vec![NameRow { row: head, range: Some(range.clone()), scope: Some(number), ..NameRow::default() }];
    let of_scope = |row: Row| NameRow { row, range: Some(range.clone()), ..NameRow::default() };
    rows.extend(scope.variables.iter().map(|variable| {
        let type_name = view.local_types.get(usize::from(variable.slot)).map_or("", String::as_str);
        let hidden = if variable.hidden { ", hidden" } else { "" };
        let row = name_row(&variable.name, type_name, format!("slot {}{hidden}", variable.slot));
        of_scope(Row { place: variable.record.map(Place::from), span: Some(variable.span), ..row })
    }));
    rows.extend(scope.constants.iter().map(|constant| {
        let row = name_row(&constant.name, &constant.type_name, format!("= {}", constant.value));
        of_scope(Row { place: constant.record.map(Place::from), span: Some(constant.span), ..row })
    }));
    rows
}

/// Variables that are fields of the state machine.
fn hoisted_rows(session: &Session, view: &MethodView) -> Vec<NameRow> {
    let found = where_is::hoisted(session, view.of.token()).into_iter().map(|(local, range)| {
        let text = match (&local.kind, range.is_empty()) {
            (LocalKind::Field(_), false) => {
                format!("field, {}..{}", il_label(range.start as i64), il_label(range.end as i64))
            }
            _ => "field".to_owned(),
        };
        let row = name_row(&local.name, &local.type_name, text);
        // Visual Basic writes no ranges: it lists these variables in its scopes.
        let range = Some(range).filter(|range| !range.is_empty());
        NameRow { row: Row { place: local.place, ..row }, range, ..NameRow::default() }
    });
    let mut rows: Vec<NameRow> = found.collect();
    if !rows.is_empty() {
        rows.insert(0, NameRow { row: heading("state machine", ENDS.to_owned()), ..NameRow::default() });
    }
    rows
}

/// The imports around a method, innermost first.
fn import_rows(session: &Session, view: &MethodView) -> Vec<NameRow> {
    let Some(symbols) = session.symbols() else { return Vec::new() };
    let first = view.scopes.iter().find_map(|scope| scope.imports).or_else(|| symbols.imports_of(view.of.token()));
    let mut rows = Vec::new();
    let mut next = first;
    for _ in 0..MAX_IMPORT_SCOPES {
        let Some(Ok(scope)) = next.map(|row| symbols.import_scope(row)) else { break };
        rows.extend(scope.imports.iter().map(|import| {
            let row = Row { depth: 1, ..Row::plain(vec![Cell::new(import_text(session, import))]) };
            NameRow { row: Row { span: Some(scope.span), ..row }, ..NameRow::default() }
        }));
        next = scope.parent;
    }
    if !rows.is_empty() {
        rows.insert(0, NameRow { row: heading("imports", String::new()), ..NameRow::default() });
    }
    rows
}

/// Parameters, variables and blocks of native code.
fn native_rows(session: &Session, view: &MethodView) -> Vec<NameRow> {
    let function = NativeView::of(session).and_then(|native| Some((native, native.function_at(view.of.address())?)));
    let inlined = function.map_or_else(Vec::new, |(native, function)| native.inlined_of(&function));
    let rows = view.records.iter().map(|symbol| {
        let call = inlined.iter().find(|site| symbol.word == "inlined" && site.symbol == symbol.at);
        let starts = call.iter().flat_map(|site| &site.ranges).map(|range| range.offset).min();
        let ends = call.iter().flat_map(|site| &site.ranges).map(|range| range.offset.saturating_add(range.len)).max();
        let whole = (symbol.start, symbol.start.saturating_add(symbol.len));
        let (start, end) = starts.zip(ends).unwrap_or(whole);
        let range = u64::from(start)..u64::from(end);
        let text = format!("{}..{}", view.of.label(start.into()), view.of.label(end.into()));
        let row = if symbol.is_block() {
            let name = call.map_or(symbol.name.as_str(), |site| &site.name);
            heading(&format!("{} {name}", symbol.word), text)
        } else {
            let places: Vec<&str> = symbol.locations.iter().map(|location| location.text.as_str()).collect();
            let kept = if symbol.kept.is_empty() { places.join(", ") } else { symbol.kept.clone() };
            let mut row = name_row(&symbol.name, &symbol.type_name, kept);
            row.cells[0].beside.clone_from(&symbol.word.to_owned());
            row
        };
        let row = Row { place: view.symbol_place(symbol), span: Some(symbol.span), depth: symbol.depth + 1, ..row };
        // A variable of optimised code is only where one of its ranges is.
        let locations =
            symbol.locations.iter().map(|place| u64::from(place.start)..u64::from(place.start) + u64::from(place.len));
        let first = locations.clone().map(|range| range.start).min();
        let last = locations.map(|range| range.end).max();
        let range = first.zip(last).map_or(range, |(first, last)| first..last);
        let moving = (symbol.has_ranges() || symbol.is_repetition).then(|| Box::new(symbol.clone()));
        NameRow { row, range: Some(range), scope: None, moving, is_unnamed: !symbol.is_variable() }
    });
    rows.collect()
}

fn names(session: &Session, view: &MethodView) -> Vec<NameRow> {
    let mut rows = signature(session, view);
    if view.of.is_native() {
        rows.extend(native_rows(session, view));
        return rows;
    }
    let scopes = view.scopes.iter().filter(|scope| !scope.variables.is_empty() || !scope.constants.is_empty());
    let of_scopes: Vec<NameRow> =
        scopes.enumerate().flat_map(|(number, scope)| scope_rows(view, scope, number)).collect();
    if !of_scopes.is_empty() {
        rows.push(NameRow { row: heading("scopes", ENDS.to_owned()), ..NameRow::default() });
    }
    rows.extend(of_scopes);
    rows.extend(hoisted_rows(session, view));
    rows.extend(import_rows(session, view));
    rows
}

/// The rows; names that are not in scope at `offset` are dim. With `glyphs`, a sign tells the two apart.
fn rows(names: &Arc<Vec<NameRow>>, offset: Option<u32>, glyphs: Option<&Glyphs>) -> Rows<'static> {
    let names = Arc::clone(names);
    let signs = glyphs.zip(offset).map(|(glyphs, _)| (glyphs.other, glyphs.dash));
    Rows::new("", COLUMNS.to_vec(), names.len(), move |index| {
        let Some(name) = names.get(index) else { return Row::default() };
        let mut row = name.row.clone();
        let (holds, kept) = offset.map_or((true, None), |offset| name.at(offset));
        // Where it is at this instruction, of all its places.
        if let Some((cell, kept)) = row.cells.get_mut(RANGE).zip(kept) {
            cell.text = kept;
        }
        let has_range = name.range.is_some() || name.moving.is_some();
        if let (Some((inside, outside)), Some(cell), true) = (signs, row.cells.first_mut(), has_range) {
            cell.text = format!("{} {}", if holds { inside } else { outside }, cell.text);
        }
        if !holds {
            row.cells.iter_mut().for_each(|cell| cell.tone = Tone::Dim);
        }
        row
    })
}

/// Lines of a row and of its full text below it, in a pane that is as narrow as it can be.
fn lines_of(row: &Row) -> usize {
    let lines = |cell: &Cell| width(&cell.text).div_ceil(NARROW);
    let is_cut = row.cells.iter().map(|cell| width(&cell.text) + 2).sum::<usize>() > NARROW;
    1 + if is_cut { row.cells.iter().map(lines).sum() } else { 0 }
}

/// The selected offset of the code.
fn offset(cx: &Context<'_>) -> Option<u32> {
    let code = &cx.selected.code;
    (!code.is_empty()).then_some(code.start)
}

impl Scopes {
    fn load(&mut self, cx: &Context<'_>) {
        let of = cx.selected.method.as_ref().map(|view| view.of);
        if self.of != of {
            let found = cx.selected.method.as_deref().map_or_else(Vec::new, |view| names(cx.session, view));
            (self.of, self.names, self.grid) =
                (of, Arc::new(found), Grid { headless: true, idle: true, ..Grid::default() });
        }
        let (mut grid, rows) = (self.grid.clone(), rows(&self.names, None, None));
        grid.resize(&rows, self.height);
        self.grid = grid;
    }

    /// Number of names in scope at an offset, scopes and imports left out.
    fn in_scope(&self, offset: u32) -> usize {
        let is_name =
            |row: &&NameRow| row.row.depth > 0 && row.scope.is_none() && row.range.is_some() && !row.is_unnamed;
        let found = self.names.iter().filter(is_name).filter(|row| row.at(offset).0);
        // A parameter of optimised code has a record of its place on the stack, and one of its registers.
        let names: HashSet<(&str, u8)> =
            found.filter_map(|name| Some((name.row.cells.first()?.text.as_str(), name.row.depth))).collect();
        names.len()
    }
}

impl Pane for Scopes {
    fn title(&self, cx: &Context<'_>) -> Title {
        let title = Title::new("Scopes");
        match (&cx.selected.method, offset(cx)) {
            (Some(view), Some(offset)) if cx.selected.is_past_end => {
                let size = view.size.unwrap_or_default();
                title.at(format!("{} is past the end: {size} bytes", view.of.label(offset.into())))
            }
            (Some(view), Some(offset)) => {
                let (sign, count) = (cx.look.glyphs.other, self.in_scope(offset));
                title.at(format!("{sign} {count} in scope at {}", view.of.label(offset.into())))
            }
            _ => title,
        }
    }

    fn perform(&mut self, action: Action, count: Option<usize>, _: &Context<'_>) -> Option<Vec<Effect>> {
        if action == Action::Follow {
            let place = self.names.get(self.grid.row()?)?.row.place?;
            return Some(vec![Effect::Go(place.into())]);
        }
        let acted = self.grid.scroll.move_cursor(action, count);
        self.grid.idle &= !acted;
        acted.then(Vec::new)
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        self.load(cx);
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.height = size.height;
        self.load(cx);
    }

    fn content_size(&self, _: &Context<'_>) -> ContentSize {
        let full_text = self.names.iter().map(|name| lines_of(&name.row)).max().unwrap_or(0);
        ContentSize { width: 0, height: self.names.len().max(full_text).clamp(MIN_ROWS, 999) as u16 }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        if self.names.is_empty() {
            let state = EmptyState::default().text("Select a method to see its locals, constants and imports.");
            return state.draw(area, buf, &cx.look, &|action| cx.keys(action));
        }
        let paint = |(index, column): (usize, usize), cell: &Cell, _: &str, style: Style| {
            let scope = self.names.get(index)?.scope.filter(|_| column == RANGE)?;
            let hue = opaque(cx.look.theme.of(scope_role(scope)).not_dim());
            Some(vec![(cell.text.clone(), style.patch(hue))])
        };
        let linked = |_: usize, row: &Row| row.place == Some(cx.selected.selection.place);
        let rows = rows(&self.names, offset(cx), Some(cx.look.glyphs));
        self.grid.draw(buf, area, &rows, &cx.look, &linked, &paint)
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        // The method stays selected: a record of another view would take it from the other panes.
        let token = cx.selected.method.as_ref().map(|view| view.of)?;
        match token {
            CodeUnit::Method(token) => {
                let part = self.names.get(self.grid.row()?)?.row.span;
                Some(Selection { place: Place::MethodPart(token, MethodPart::Scopes), part })
            }
            CodeUnit::Function(_) => self.names.get(self.grid.row()?)?.row.place.map(Selection::from),
        }
    }

    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let hit = self.grid.click(at, area, &rows(&self.names, offset(cx), None));
        self.grid.column = None;
        self.grid.idle &= !hit;
        hit
    }

    fn list(&self) -> Option<&dyn List> {
        Some(self)
    }

    fn list_mut(&mut self) -> Option<&mut dyn List> {
        Some(self)
    }

    fn copied_text(&self, action: Action, cx: &Context<'_>) -> Option<String> {
        self.grid.copied_text(action, &rows(&self.names, offset(cx), None))
    }
}

impl List for Scopes {
    fn parts(&self) -> (&Scroll, &ListFilter) {
        self.grid.parts()
    }

    fn parts_mut(&mut self) -> (&mut Scroll, &mut ListFilter) {
        self.grid.parts_mut()
    }

    fn row_source(&self, _: &Context<'_>) -> Option<RowSource> {
        let names = Arc::clone(&self.names);
        Some(Arc::new(move |_| {
            let mut rows = rows(&names, None, None);
            rows.columns = NAMES.to_vec();
            Some(rows)
        }))
    }

    fn reveal(&mut self, row: usize) {
        self.grid.reveal(row);
    }
}

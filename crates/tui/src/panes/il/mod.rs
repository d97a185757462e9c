//! The points and the IL of a method: each sequence point with the bytes that encode it, the head of its instructions, which it folds; for
//! native functions, lines and machine code with inlined calls and symbols.

mod arrows;
mod listing;
mod machine_code;
mod points;

use std::sync::Arc;

use listing::{Item, Listing, opcode_role, rows};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::Style;

use crate::engine::action::Action;
use crate::panes::list_pane::{self, Shows};
use crate::panes::pane::{Context, Facts, Pane};
use crate::panes::signature::{self, below};
use crate::state::effect::Effect;
use crate::state::message::Msg;
use crate::state::paths::add_image_key;
use crate::state::selection::Selection;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::layout::ContentSize;
use crate::ui::list_filter::RowSource;
use crate::ui::text::{fit_operand, put_lines, width, wrap};
use crate::ui::theme::{Role, is_reversed};
use crate::ui::tree::{ListState, Nesting};
use pdblens_nodes::code_unit::{self, CodeUnit, Words};
use pdblens_nodes::function::{Flow, NativeView};
use pdblens_nodes::method::MethodView;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{FunctionPart, MethodPart, Place};
use pdblens_query::breakpoint::Sign;
use pdblens_query::missing_lines;
use pdblens_query::quality::PointState;
use pdblens_query::where_is::hop;

#[derive(Default)]
struct Il {
    /// The rows, and their method or function.
    listing: Arc<Listing>,
    of: Option<CodeUnit>,
}

const NUMBER: usize = 0;
const LANE: usize = 1;
const OFFSET: usize = 2;
const OPCODE: usize = 4;
const BLOB: usize = 5;
/// Column of the encoded lines of native functions.
const RECORD: usize = 3;
/// Names of the columns in exports, as some have no heading on the screen.
const NAMES: [&str; 6] = ["point", "scopes", "offset", "bytes", "opcode", "operand"];
const NATIVE_NAMES: [&str; 6] = ["line", "offset", "opcode", "operands", "rva", "kind"];
pub fn new() -> Box<dyn Pane> {
    list_pane::by_cell(Grid::default(), Il::default())
}

/// Rows that the reason takes why there is no code, in the usual width of the pane.
const REASON_HEIGHT: u16 = 6;

fn empty_state(cx: &Context<'_>) -> EmptyState {
    let selected = cx.selected;
    let native = NativeView::of(cx.session).is_some();
    let any = || selected.method.is_none().then(|| missing_lines::no_image_reason(cx.session)).flatten();
    let no_il = selected.no_il.as_deref().cloned().or_else(any);
    if let Some(absence) = no_il.filter(|_| cx.session.image().is_some() || selected.no_lines.is_none()) {
        return if cx.session.image().is_some() {
            EmptyState::from(&absence)
        } else {
            add_image_key((&absence).into())
        };
    }
    if let Some(absence) = &selected.no_lines {
        return cx.paths.add_symbol_search(EmptyState::from(&**absence), cx.session);
    }
    let text = match &selected.branch {
        Some(branch) if selected.method.is_none() => {
            return EmptyState::default().text(branch).keys(Action::Right, "show what is in it");
        }
        _ if native && matches!(selected.selection.place, Place::Record(..)) => {
            "A public symbol: it has an address but no lines. Only code that was compiled with debug information has lines."
        }
        _ if native => "Select a function to see its lines and its machine code.",
        _ => "Select a method to see its sequence points and its IL.",
    };
    EmptyState::default().text(text)
}

impl Il {
    /// The reason, above the list, why points have no code below them.
    fn reason(&self, size: Size, cx: &Context<'_>) -> Vec<(String, Role)> {
        let Some(of) = self.of.filter(|_| !self.listing.items.is_empty()) else { return Vec::new() };
        let mut lines: Vec<(String, Role)> = Vec::new();
        let wide = usize::from(size.width).saturating_sub(2).max(1);
        if let Some(problem) = &self.listing.native.code.problem {
            lines.extend(wrap(problem, wide).into_iter().map(|line| (line, Role::Warn)));
        } else if let Some(absence) = cx.selected.no_il.as_deref().filter(|_| !of.is_native()) {
            lines.extend(wrap(&absence.why, wide).into_iter().map(|line| (line, Role::Dim)));
            let open = format!("{}  open the DLL or EXE", cx.keys(Action::SwitchFile));
            lines.extend(cx.session.image().is_none().then_some((open, Role::Dim)));
        }
        lines.truncate(usize::from(size.height) / 2);
        lines
    }

    fn lane(&self, row: usize, style: Style, cx: &Context<'_>) -> Vec<(String, Style)> {
        let (Some(view), Some(item)) = (cx.selected.method.as_deref(), self.listing.items.get(row)) else {
            return Vec::new();
        };
        let offset = item.offset(view).unwrap_or(0);
        let len = match item {
            Item::Instruction { index, .. } => view.instructions.get(*index).map_or(0, |(_, span)| span.len as u32),
            _ => 0,
        };
        let parts = self.listing.lanes.parts(offset, offset.saturating_add(len), cx.look.glyphs);
        let role = |role: Option<Role>| match role {
            Some(role) if !is_reversed(style) => style.patch(cx.look.theme.of(role)),
            _ => style,
        };
        parts.into_iter().map(|(sign, hue)| (sign.to_owned(), role(hue))).collect()
    }

    /// The number of a point, with a sign where its code is folded.
    fn number(row: usize, text: &str, list: &ListState, cx: &Context<'_>) -> String {
        let is_folded = list.has_inside(row) && !list.is_open(row);
        if is_folded { text.replacen(' ', cx.look.glyphs.closed, 1) } else { text.to_owned() }
    }

    /// Number of a point in its colour beside machine code, and the sign of a breakpoint there, with `+` after that of several addresses
    /// and `=` after that of an address of another point.
    fn breakpoint(&self, index: usize, number: &str, style: Style, cx: &Context<'_>) -> Option<Vec<(String, Style)>> {
        let (view, points) = (cx.selected.method.as_deref()?, &self.listing.points);
        let point = view.points.get(index)?;
        let sign = cx.texts.info.get(point.document)?.sign_of_point(view.of, index as u32 + 1)?;
        let beside = match points.at(point.offset) {
            Some(PointState::Several) => "+",
            Some(PointState::Shared) => "=",
            _ => " ",
        };
        let role = match sign {
            Sign::Never => Role::Mute,
            _ if points.is_empty() => Role::Text,
            _ => points.role(point.offset),
        };
        let hue = style.patch(cx.look.theme.of(role));
        Some(vec![(number.trim_end().to_owned(), hue), (cx.look.glyphs.breakpoint(sign).to_owned() + beside, hue)])
    }

    /// The sign of the point that an instruction belongs to.
    fn sign_of_code(&self, row: usize, style: Style, cx: &Context<'_>) -> Option<Vec<(String, Style)>> {
        let view = cx.selected.method.as_deref()?;
        let Some(Item::Point(index)) = self.listing.items.get(self.listing.head_of(row)?) else { return None };
        let info = cx.texts.info.get(view.points.get(*index)?.document)?;
        let sign = cx.look.glyphs.breakpoint(info.sign_of_point(view.of, *index as u32 + 1)?);
        Some(vec![(format!("{sign} "), style.patch(cx.look.theme.of(Role::Mute)))])
    }

    /// Parts of a cell of a native function: arrows before the text of the first column, and jumps in the colour of keywords.
    fn native_cell(
        &self,
        (item, row, column): (&Item, usize, usize),
        cell: &Cell,
        style: Style,
        list: &ListState,
        cx: &Context<'_>,
    ) -> Option<Vec<(String, Style)>> {
        let native = &self.listing.native;
        let instruction = if let Item::Machine(item) = item { native.instruction(item) } else { None };
        let of = |role: Role| style.patch(cx.look.theme.of(role));
        let is_cursor = cx.look.focused && style == cx.look.theme.of(Role::Cursor);
        match (column, item.offset(cx.selected.method.as_deref()?)) {
            (machine_code::ARROWS, Some(offset)) => {
                let signs = native.arrows.parts(offset, instruction.is_some(), cx.look.glyphs);
                let parts = signs.into_iter().map(|(sign, role)| (sign.to_owned(), role.map_or(style, of)));
                let text = cell.text.get(native.arrows.width()..).unwrap_or_default();
                let text = Self::number(row, text, list, cx);
                Some(parts.chain([(text, style)]).collect())
            }
            (machine_code::MNEMONIC, _) if !is_cursor && instruction?.flow != Flow::Next => {
                Some(vec![(cell.text.clone(), of(Role::Keyword))])
            }
            _ => None,
        }
    }

    /// Parts of a cell that has more than its text and its tone.
    fn cell(
        &self,
        (row, column): (usize, usize),
        (cell, text, style): (&Cell, &str, Style),
        list: &ListState,
        cx: &Context<'_>,
    ) -> Option<Vec<(String, Style)>> {
        let (item, view) = (self.listing.items.get(row)?, cx.selected.method.as_deref()?);
        let theme = cx.look.theme;
        match (column, item) {
            (RECORD, Item::Point(index)) if view.of.is_native() => points::painted(*index, cx, (cell, text), style),
            _ if view.of.is_native() => self.native_cell((item, row, column), cell, style, list, cx),
            (BLOB, Item::Point(index)) => points::painted(*index, cx, (cell, text), style),
            (NUMBER, Item::Point(index)) => {
                let number = Self::number(row, &cell.text, list, cx);
                let breakpoint = self.breakpoint(*index, &number, style, cx);
                breakpoint.or_else(|| Some(vec![(number, style)]))
            }
            (NUMBER, Item::Instruction { .. }) => self.sign_of_code(row, style, cx),
            (LANE, _) => Some(self.lane(row, style, cx)),
            // The head of an instruction has the label.
            (OFFSET, Item::Instruction { .. }) if !view.points.is_empty() => {
                Some(vec![(cell.text.replacen("IL_", "   ", 1), style)])
            }
            // The operand.
            (BLOB, Item::Instruction { .. }) if text != cell.text => {
                Some(vec![(fit_operand(&cell.text, width(text), cx.look.glyphs).into_owned(), style)])
            }
            (OPCODE, Item::Instruction { .. }) if cell.tone == Tone::Text => {
                let is_cursor = cx.look.focused && style == theme.of(Role::Cursor);
                let hue = style.patch(theme.of(opcode_role(cell.text.trim_start())));
                (!is_cursor).then(|| vec![(cell.text.clone(), hue)])
            }
            _ => None,
        }
    }

    /// The row that contains an IL or code offset.
    fn row_of(&self, view: &MethodView, il: u32) -> Option<usize> {
        let items = &self.listing.items;
        if view.of.is_native() {
            let native = &self.listing.native;
            return items.iter().position(|item| matches!(item, Item::Machine(item) if native.has(item, il)));
        }
        let wanted = view.instruction_at(il)?;
        items.iter().position(|item| matches!(item, Item::Instruction { index, .. } if *index == wanted))
    }

    /// The row of the selection: that of its point or its code, or that of the error whose bytes are selected.
    fn selected_row(&self, cx: &Context<'_>) -> Option<usize> {
        let (view, selected) = (cx.selected.method.as_deref()?, cx.selected);
        let find = |is_it: &dyn Fn(&Item) -> bool| self.listing.items.iter().position(is_it);
        let head = || find(&|item| matches!(item, Item::Point(index) if selected.point == Some(*index)));
        if selected
            .selection
            .part
            .is_some_and(|part| view.points_error.as_ref().is_some_and(|error| error.span == part))
        {
            return find(&|item| *item == Item::Error);
        }
        match selected.selection.place {
            Place::MethodPart(_, MethodPart::Region(number)) => {
                find(&|item| matches!(item, Item::Remark { region: Some(n), .. } if *n == number as usize))
            }
            Place::FunctionPart(_, FunctionPart::Symbol(at)) => {
                find(&|item| matches!(item, Item::Machine(item) if machine_code::is_symbol(item, view, at)))
            }
            Place::MethodPart(_, MethodPart::Points | MethodPart::Point(_))
            | Place::FunctionPart(_, FunctionPart::Lines | FunctionPart::Line(_)) => head(),
            _ if selected.code.is_empty() => head(),
            _ => self.row_of(view, selected.code.start).or_else(head),
        }
    }
}

/// The mapping that leads to the points: by a token map, or the EncMap of a delta.
fn mapping(cx: &Context<'_>) -> String {
    let hops = cx.selected.method.as_ref().map(|view| hop::to_record(cx.session, view.of));
    hops.into_iter().flatten().map(|hop| hop.brief()).collect::<Vec<_>>().join(", ")
}

/// Name of the list, by what is in it.
const fn name(words: &Words, has_points: bool, has_code: bool) -> &'static str {
    let [code, points, both] = words.lists;
    match (has_points, has_code) {
        (false, true) => code,
        (_, false) => points,
        (true, true) => both,
    }
}

impl Shows for Il {
    fn title(&self, _: &ListState, cx: &Context<'_>) -> Title {
        let Some(view) = cx.selected.method.as_deref() else {
            let (symbols, image) = (cx.session.symbols().is_some(), cx.session.image().is_some());
            return Title::new(name(code_unit::words(cx.session), symbols, image));
        };
        let title = Title::new(name(view.of.words(), !view.points.is_empty(), self.listing.has_code));
        let mapping = mapping(cx);
        let of = if mapping.is_empty() { signature::brief(cx.session, view.of) } else { mapping };
        let at = cx.selected.point.map_or_else(String::new, |point| format!("{}/", point + 1));
        let points = if view.points.is_empty() { String::new() } else { format!("{at}{}", view.points.len()) };
        let size = view.size.map(|size| pdblens_session::text::safe::count(size, "byte"));
        let parts: Vec<String> = [points].into_iter().chain(size).filter(|part| !part.is_empty()).collect();
        title.of(of).at(parts.join(&format!(" {} ", cx.look.glyphs.dot)))
    }

    fn load(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let of = cx.selected.method.as_deref().map(|view| view.of);
        if self.of != of {
            let listing = cx.selected.method.as_deref().map(|view| Arc::new(Listing::of(view, cx.session)));
            *self = Self { listing: listing.unwrap_or_default(), of };
            *list = ListState { size: list.size, ..ListState::default() };
            list.set_tree(self.listing.clone());
        }
    }

    fn rows<'c>(&'c self, list: &'c ListState, cx: &Context<'c>) -> Option<Rows<'c>> {
        let view = cx.selected.method.as_ref().filter(|view| self.of == Some(view.of))?;
        Some(rows(cx.session, Arc::clone(view), Arc::clone(&self.listing), list.size.width))
    }

    fn source(&self, list: &ListState, cx: &Context<'_>) -> Option<RowSource> {
        let view = Arc::clone(cx.selected.method.as_ref().filter(|view| self.of == Some(view.of))?);
        let (listing, width) = (Arc::clone(&self.listing), list.size.width);
        let names = if view.of.is_native() { &NATIVE_NAMES } else { &NAMES };
        Some(Arc::new(move |session| {
            let mut rows = rows(session, Arc::clone(&view), Arc::clone(&listing), width);
            for (head, name) in rows.columns.iter_mut().zip(names).filter(|(head, _)| head.name.is_empty()) {
                *head = Head::text(name);
            }
            Some(rows)
        }))
    }

    fn perform(&mut self, action: Action, list: &mut ListState, cx: &Context<'_>) -> Option<Vec<Effect>> {
        (action == Action::Follow).then(|| self.follow(list, cx).into_iter().collect())
    }

    fn show(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let row = self.selected_row(cx);
        let Some(row) = row else { return list.grid.show(None) };
        list.reveal(row);
        // Scroll so that as much as possible of the point is visible.
        let last = match self.listing.items.get(row) {
            Some(Item::Point(_)) if list.is_open(row) => self.listing.end(row) - 1,
            _ => row,
        };
        let (first, last) = (list.grid.scroll.selected, list.grid.list_filter.nearest(last));
        let lowest = (last + 1).saturating_sub(list.grid.scroll.height).min(first.saturating_sub(1));
        list.grid.scroll.top = list.grid.scroll.top.max(lowest);
    }

    fn area(&self, pane: Rect, list: &ListState, cx: &Context<'_>) -> Rect {
        below(pane, self.reason(list.size, cx).len())
    }

    fn facts(&self, list: &ListState, _: &Context<'_>) -> Facts {
        // Column titles are one row.
        let height = match list.grid.list_filter.line_count(self.listing.items.len()) {
            0 => REASON_HEIGHT,
            rows => (rows + 1).min(999) as u16,
        };
        Facts { content_size: ContentSize { height, ..ContentSize::default() }, ..Facts::default() }
    }

    fn empty(&self, _: &ListState, cx: &Context<'_>) -> Option<EmptyState> {
        self.listing.items.is_empty().then(|| empty_state(cx))
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, list: &ListState, cx: &Context<'_>) -> Option<Position> {
        let rows = self.rows(list, cx)?;
        put_lines(buf, area, 1, self.reason(list.size, cx), &cx.look);
        let point = cx.selected.point.zip(cx.selected.method.as_deref()).map(|(point, view)| view.point_range(point));
        let range = point.unwrap_or_else(|| cx.selected.code.clone());
        let linked = |row: usize, shown: &Row| match (self.listing.items.get(row), shown.place) {
            (Some(Item::Point(index)), _) => cx.selected.point == Some(*index),
            (
                _,
                Some(
                    Place::MethodPart(_, MethodPart::Instruction(offset))
                    | Place::FunctionPart(_, FunctionPart::CodeAt(offset)),
                ),
            ) => range.contains(&offset),
            _ => false,
        };
        let paint =
            |at: (usize, usize), cell: &Cell, text: &str, style: Style| self.cell(at, (cell, text, style), list, cx);
        list.grid.draw(buf, self.area(area, list, cx), &rows, &cx.look, &linked, &paint)
    }

    fn selection(&self, list: &ListState, cx: &Context<'_>) -> Option<Selection> {
        let at = list.grid.row()?;
        let row = self.rows(list, cx)?.get(at)?;
        let is_error = self.listing.items.get(at) == Some(&Item::Error);
        Some(Selection { place: row.place?, part: row.span.filter(|_| is_error) })
    }
}

impl Il {
    /// The effect of Enter: a point leads to its line, an instruction to its operand.
    fn follow(&self, list: &ListState, cx: &Context<'_>) -> Option<Effect> {
        let row = list.grid.row()?;
        if let Some(Item::Point(index)) = self.listing.items.get(row) {
            let point = cx.selected.method.as_deref()?.points.get(*index)?;
            let line = Place::Line(point.document, point.start_line);
            return (!point.is_hidden() && point.document > 0).then(|| Effect::Go(line.into()));
        }
        let to = self.rows(list, cx)?.get(row)?.cells.iter().find_map(|cell| cell.to)?;
        // A method of another module may be in another of the open files.
        Some(Effect::Update(Box::new(Msg::OperandFollowed(to))))
    }
}

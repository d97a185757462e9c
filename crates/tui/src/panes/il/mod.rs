//! The IL pane: instructions with their sequence points, variable names and exception regions; for native functions,
//! machine code with lines, inlined calls and symbols.

mod arrows;
mod listing;
mod machine_code;

use crate::panes::signature::below;
use std::sync::Arc;

use listing::{Item, Listing, opcode_role, rows};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::Style;

use crate::engine::action::Action;
use crate::panes::pane::{Context, Facts, List, Pane, ability, click_row, fit, grid, move_cursor};
use crate::panes::signature;
use crate::state::effect::Effect;
use crate::state::message::Msg;
use crate::state::paths::add_image_key;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::grid::Grid;
use crate::ui::layout::ContentSize;
use crate::ui::list_filter::RowSource;
use crate::ui::text::{put_lines, wrap};
use crate::ui::theme::{Role, is_reversed};
use pdblens_nodes::code_unit::CodeUnit;
use pdblens_nodes::function::{Flow, NativeView};
use pdblens_nodes::method::MethodView;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{FunctionPart, MethodPart, Place};
use pdblens_query::breakpoint::Verdict;
use pdblens_query::missing_lines;
use pdblens_query::quality::PointState;

#[derive(Default)]
struct Il {
    grid: Grid,
    size: Size,
    /// The rows, and their method or function.
    listing: Arc<Listing>,
    of: Option<CodeUnit>,
}

const POINT: usize = 0;
const LANE: usize = 1;
const OPCODE: usize = 4;
/// Names of the columns in exports, as the pane draws no headings.
const NAMES: [&str; 6] = ["point", "scopes", "offset", "bytes", "opcode", "operand"];
const NATIVE_NAMES: [&str; 4] = ["line", "offset", "opcode", "operands"];

pub fn new() -> Box<dyn Pane> {
    Box::new(Il::default())
}

/// Rows that the reason takes why there is no code, in the usual width of the pane.
const REASON_HEIGHT: u16 = 6;

fn empty_state(cx: &Context<'_>) -> EmptyState {
    let any = || cx.selected.method.is_none().then(|| missing_lines::no_image_reason(cx.session)).flatten();
    match (cx.selected.no_il.as_deref().cloned()).or_else(any) {
        Some(absence) if cx.session.image().is_none() => add_image_key(EmptyState::from(&absence)),
        Some(absence) => EmptyState::from(&absence),
        None if cx.selected.branch.is_some() && cx.selected.method.is_none() => {
            let text = cx.selected.branch.as_deref().unwrap_or_default();
            EmptyState::default().text(text).keys(Action::Toggle, "show or hide what is in it")
        }
        None if NativeView::of(cx.session).is_some() => {
            EmptyState::default().text("Select a function to see its machine code.")
        }
        None => EmptyState::default().text("Select a method to see its IL."),
    }
}

impl Il {
    fn load(&mut self, cx: &Context<'_>) {
        let Some(view) = cx.selected.method.as_deref() else {
            (self.listing, self.of) = (Arc::default(), None);
            return;
        };
        if self.of != Some(view.of) {
            (self.listing, self.of) = (Arc::new(Listing::of(view, cx.session)), Some(view.of));
            self.grid = Grid { headless: true, ..Grid::default() };
        }
    }

    fn rows<'c>(&self, cx: &Context<'c>) -> Rows<'c> {
        match cx.selected.method.as_ref().filter(|view| self.of == Some(view.of)) {
            Some(view) => rows(cx.session, Arc::clone(view), Arc::clone(&self.listing)),
            None => Rows::of("", Vec::new(), Vec::new()),
        }
    }

    /// The lines of the signature above the list, and what is missing to disassemble the code.
    fn signature(&self, cx: &Context<'_>) -> Vec<(String, Role)> {
        let of = if self.listing.items.is_empty() { None } else { cx.selected.method.as_deref().map(|view| view.of) };
        let lines = of.map_or_else(Vec::new, |of| signature::lines(cx.session, of, self.size, signature::TITLE));
        let wide = usize::from(self.size.width).saturating_sub(2).max(1);
        let problem = self.listing.native.code.problem.as_deref().map_or_else(Vec::new, |text| wrap(text, wide));
        let lines = lines.into_iter().map(|line| (line, Role::Dim));
        let mut lines: Vec<(String, Role)> = lines.chain(problem.into_iter().map(|line| (line, Role::Warn))).collect();
        lines.truncate(usize::from(self.size.height).saturating_sub(1));
        lines
    }

    fn lane(&self, row: usize, style: Style, cx: &Context<'_>) -> Vec<(String, Style)> {
        let offset_of = |index: usize| cx.selected.method.as_ref()?.instructions.get(index).copied();
        let (offset, next) = match self.listing.items.get(row) {
            Some(Item::Instruction { index, .. }) => {
                offset_of(*index).map_or((0, 0), |(offset, span)| (offset, offset.saturating_add(span.len as u32)))
            }
            Some(Item::Remark { before, .. }) => (*before, *before),
            _ => return Vec::new(),
        };
        let parts = self.listing.lanes.parts(offset, next, cx.look.glyphs);
        let role = |role: Option<Role>| match role {
            Some(role) if !is_reversed(style) => style.patch(cx.look.theme.of(role)),
            _ => style,
        };
        parts.into_iter().map(|(sign, hue)| (sign.to_owned(), role(hue))).collect()
    }

    /// Number of a point in its colour beside machine code, and what a debugger does there: it stops, at several addresses (`+`), at that
    /// of another point (`=`), or refuses the breakpoint.
    fn breakpoint(&self, row: usize, cell: &Cell, style: Style, cx: &Context<'_>) -> Option<Vec<(String, Style)>> {
        let Some(Item::Instruction { index, .. }) = self.listing.items.get(row) else { return None };
        let (offset, _) = cx.selected.method.as_ref()?.instructions.get(*index)?;
        let points = &self.listing.points;
        let state = points.at(*offset)?;
        let glyphs = cx.look.glyphs;
        let (stops, hollow) = (glyphs.verdict(Verdict::Binds), glyphs.verdict(Verdict::Hollow));
        let (sign, role) = match state {
            PointState::Refused => (format!("{hollow} "), Role::Mute),
            PointState::Stops => (format!("{stops} "), points.role(*offset)),
            PointState::Several => (format!("{stops}+"), points.role(*offset)),
            PointState::Shared => (format!("{stops}="), points.role(*offset)),
        };
        let hue = style.patch(cx.look.theme.of(role));
        Some(vec![(cell.text.trim_end().to_owned(), hue), (sign, hue)])
    }

    /// Parts of a cell of machine code: arrows before the text of the first column, and jumps in the colour of keywords.
    fn native_cell(
        &self,
        (row, column): (usize, usize),
        cell: &Cell,
        style: Style,
        cx: &Context<'_>,
    ) -> Option<Vec<(String, Style)>> {
        let Some(Item::Machine(item)) = self.listing.items.get(row) else { return None };
        let native = &self.listing.native;
        let instruction = native.instruction(item);
        let of = |role: Role| style.patch(cx.look.theme.of(role));
        let is_cursor = cx.look.focused && style == cx.look.theme.of(Role::Cursor);
        match (column, machine_code::offset_of(item)) {
            (machine_code::ARROWS, Some(offset)) if native.arrows.width() > 0 => {
                let signs = native.arrows.parts(offset, instruction.is_some(), cx.look.glyphs);
                let parts = signs.into_iter().map(|(sign, role)| (sign.to_owned(), role.map_or(style, of)));
                let text = cell.text.get(native.arrows.width()..).unwrap_or_default().to_owned();
                Some(parts.chain([(text, style)]).collect())
            }
            (machine_code::MNEMONIC, _) if !is_cursor && instruction?.flow != Flow::Next => {
                Some(vec![(cell.text.clone(), of(Role::Keyword))])
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
}

impl Pane for Il {
    fn title(&self, cx: &Context<'_>) -> Title {
        let of = cx.selected.method.as_deref().map(|view| view.of);
        let is_native = of.map_or(NativeView::of(cx.session).is_some(), CodeUnit::is_native);
        let title = Title::new(if is_native { "Machine code" } else { "IL" });
        let Some(view) = cx.selected.method.as_deref() else { return title };
        let Some(size) = view.size else { return title };
        let size = pdblens_session::text::safe::count(size, "byte");
        let at = if cx.selected.code.is_empty() {
            size
        } else {
            format!("{} {} {size}", view.of.label(cx.selected.code.start.into()), cx.look.glyphs.dot)
        };
        title.of(signature::brief(cx.session, view.of)).at(at)
    }

    fn perform(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        if action != Action::Follow {
            return move_cursor(self, action, count, cx);
        }
        if self.listing.items.is_empty() {
            return Some(vec![Effect::Go(empty_state(cx).link_target()?.into())]);
        }
        let to = self.rows(cx).get(self.grid.row()?)?.cells.iter().find_map(|cell| cell.to)?;
        // A method of another module may be in another of the open files.
        Some(vec![Effect::Update(Box::new(Msg::OperandFollowed(to)))])
    }

    fn show_selection(&mut self, cx: &Context<'_>) {
        self.load(cx);
        fit(self, self.size, cx);
        self.grid.idle = true;
        let Some(view) = cx.selected.method.as_deref() else { return };
        let place = cx.selected.selection.place;
        let items = &self.listing.items;
        let machine = |is_it: &dyn Fn(&machine_code::MachineItem) -> bool| {
            items.iter().position(|item| matches!(item, Item::Machine(item) if is_it(item)))
        };
        let row = match place {
            Place::MethodPart(_, MethodPart::Region(number)) => items
                .iter()
                .position(|item| matches!(item, Item::Remark { region: Some(n), .. } if *n == number as usize)),
            Place::FunctionPart(_, FunctionPart::Symbol(at)) => {
                machine(&|item| machine_code::is_symbol(item, view, at))
            }
            Place::FunctionPart(_, FunctionPart::Line(number)) => machine(&|item| machine_code::is_line(item, number)),
            _ if cx.selected.code.is_empty() => None,
            _ => self.row_of(view, cx.selected.code.start),
        };
        let Some(row) = row else {
            return self.grid.scroll.select(0);
        };
        // Scroll so that as much as possible of the point is visible.
        let last = self.row_of(view, cx.selected.code.end.saturating_sub(1)).unwrap_or(row);
        self.grid.show(Some(row));
        let (first, last) = (self.grid.scroll.selected, self.grid.list_filter.nearest(last));
        let lowest = (last + 1).saturating_sub(self.grid.scroll.height).min(first.saturating_sub(1));
        self.grid.scroll.top = self.grid.scroll.top.max(lowest);
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.size = size;
        fit(self, size, cx);
    }

    fn facts(&self, _: &Context<'_>) -> Facts {
        let items = self.listing.items.len();
        let content_size =
            ContentSize { width: 0, height: if items == 0 { REASON_HEIGHT } else { items.min(999) as u16 }, brief: 0 };
        Facts { content_size, ..Facts::default() }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let rows = self.rows(cx);
        let theme = cx.look.theme;
        if rows.len == 0 {
            return empty_state(cx).draw(area, buf, &cx.look, &|action| cx.keys(action));
        }
        put_lines(buf, area, 1, self.signature(cx), &cx.look);
        let area = self.area(area, cx);
        let range = cx.selected.code.clone();
        let linked = |_: usize, row: &Row| match row.place {
            Some(
                Place::MethodPart(_, MethodPart::Instruction(offset))
                | Place::FunctionPart(_, FunctionPart::CodeAt(offset)),
            ) => range.contains(&offset),
            _ => false,
        };
        let paint = |(row, column): (usize, usize), cell: &Cell, _: &str, style: Style| {
            // Machine code has other columns.
            if self.of.is_some_and(CodeUnit::is_native) {
                return self.native_cell((row, column), cell, style, cx);
            }
            if column == LANE {
                return Some(self.lane(row, style, cx));
            }
            if column == POINT
                && let Some(parts) = self.breakpoint(row, cell, style, cx)
            {
                return Some(parts);
            }
            let role = match column {
                POINT if cell.tone == Tone::Text => Role::Warn,
                OPCODE if cell.tone == Tone::Text => opcode_role(cell.text.trim_start()),
                _ => return None,
            };
            if cx.look.focused && style == theme.of(Role::Cursor) {
                return None;
            }
            Some(vec![(cell.text.clone(), style.patch(theme.of(role)))])
        };
        self.grid.draw(buf, area, &rows, &cx.look, &linked, &paint)
    }

    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let is_link = || empty_state(cx).link_target().is_some();
        if self.listing.items.is_empty() { is_link() } else { click_row(self, at, area, cx) }
    }

    ability!(List);
}

impl List for Il {
    grid!(grid);

    fn drawn<'c>(&'c self, cx: &Context<'c>) -> Option<Rows<'c>> {
        Some(self.rows(cx))
    }

    fn area(&self, pane: Rect, cx: &Context<'_>) -> Rect {
        below(pane, self.signature(cx).len())
    }

    fn row_source(&self, cx: &Context<'_>) -> Option<RowSource> {
        let view = Arc::clone(cx.selected.method.as_ref().filter(|view| self.of == Some(view.of))?);
        let listing = Arc::clone(&self.listing);
        let names: &[&str] = if view.of.is_native() { &NATIVE_NAMES } else { &NAMES };
        Some(Arc::new(move |session| {
            let mut rows = rows(session, Arc::clone(&view), Arc::clone(&listing));
            rows.columns = names.iter().map(|name| Head::text(name)).collect();
            Some(rows)
        }))
    }
}

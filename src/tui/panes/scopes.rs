//! The Scopes pane: the names of a method with the code where each is in scope (arguments, locals, constants) and its imports.

use std::collections::HashSet;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::Style;

use crate::nodes::code_unit::CodeUnit;
use crate::nodes::rows::{Cell, Head, Row, Rows, Tone};
use crate::nodes::{MethodPart, Place};
use crate::query::scope_names::{NameRow, names};
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

/// Rows of the pane where it has room for the names in scope alone.
const MAX_BRIEF: usize = 4;

/// Cells of a line where the pane is narrow.
const NARROW: usize = 36;

const COLUMNS: &[Head] = &[Head::text(""), Head::text(""), Head::text("")];
/// Names of the columns in exports, as the pane draws no headings.
const NAMES: &[Head] = &[Head::text("name"), Head::text("type"), Head::text("range")];
/// The column of the ranges, which have the colours of the brackets beside IL.
const RANGE: usize = 2;

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

/// The rows; names that are not in scope at `offset` are dim. With `glyphs`, a sign tells the two apart.
fn rows(names: &Arc<Vec<NameRow>>, offset: Option<u32>, glyphs: Option<&Glyphs>) -> Rows<'static> {
    let names = Arc::clone(names);
    let signs = glyphs.zip(offset).map(|(glyphs, _)| (glyphs.other, glyphs.dash));
    Rows::new("", COLUMNS.to_vec(), names.len(), move |index| {
        let Some(name) = names.get(index) else { return Row::default() };
        let mut row = name.row.clone();
        let (holds, kept) = offset.map_or((true, None), |offset| name.at(offset));
        // Its place at this instruction alone.
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

    /// The names in scope at an offset, locals of the innermost scope first, and arguments last; each name once, though
    /// a parameter of optimised code has a record of its place on the stack, and one of its registers.
    fn brief(&self, offset: u32) -> Vec<usize> {
        let is_name =
            |row: &NameRow| row.row.depth > 0 && row.scope.is_none() && row.range.is_some() && !row.is_unnamed;
        let holds = |index: &usize| self.names.get(*index).is_some_and(|row| is_name(row) && row.at(offset).0);
        let mut found: Vec<usize> = (0..self.names.len()).filter(holds).collect();
        let len = |index: &usize| {
            self.names.get(*index).and_then(|row| row.range.as_ref()).map_or(u64::MAX, |range| range.end - range.start)
        };
        found.sort_by_key(len);
        let key = |index: &usize| {
            let row = &self.names.get(*index)?.row;
            Some((row.cells.first()?.text.as_str(), row.depth))
        };
        let mut seen = HashSet::new();
        found.retain(|index| seen.insert(key(index)));
        found
    }

    /// Returns whether the pane has room for the names in scope alone, and not the focus.
    fn is_brief(&self, cx: &Context<'_>) -> bool {
        let height = usize::from(self.height);
        !cx.look.focused && height < self.names.len() && height <= MAX_BRIEF && offset(cx).is_some()
    }

    /// Draws the names in scope, as many as have room, and the number of the others.
    fn draw_brief(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>, at: u32) -> Option<Position> {
        let found = self.brief(at);
        let all = rows(&self.names, Some(at), None);
        let room = usize::from(area.height);
        let shown = if found.len() > room { room.saturating_sub(1) } else { found.len() };
        let row = |index: &usize| Row { depth: 0, ..all.get(*index).unwrap_or_default() };
        let mut list: Vec<Row> = found.iter().take(shown).map(row).collect();
        if found.len() > shown {
            let more = format!("{} {} more", cx.look.glyphs.more, found.len() - shown);
            list.push(Row::plain(vec![Cell::toned(more, Tone::Dim)]));
        }
        let list = Rows::of("", COLUMNS.to_vec(), list);
        let mut grid = Grid { headless: true, idle: true, ..Grid::default() };
        grid.resize(&list, area.height);
        let none = |_: (usize, usize), _: &Cell, _: &str, _: Style| None;
        grid.draw(buf, area, &list, &cx.look, &|_, _| false, &none)
    }

    /// Number of names in scope at an offset, scopes and imports left out.
    fn in_scope(&self, offset: u32) -> usize {
        self.brief(offset).len()
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
        let named = self.names.iter().filter(|name| name.row.depth > 0 && name.range.is_some()).count();
        let brief = named.min(MAX_BRIEF) as u16;
        ContentSize { width: 0, height: self.names.len().max(full_text).clamp(MIN_ROWS, 999) as u16, brief }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        if self.names.is_empty() {
            let state = EmptyState::default().text("Select a method to see its locals, constants and imports.");
            return state.draw(area, buf, &cx.look, &|action| cx.keys(action));
        }
        if let Some(at) = offset(cx).filter(|_| self.is_brief(cx)) {
            return self.draw_brief(area, buf, cx, at);
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
        if let Some(code) = offset(cx).filter(|_| self.is_brief(cx)) {
            let row = self.brief(code).get(usize::from(at.y.saturating_sub(area.y))).copied();
            let Some(row) = row else { return false };
            self.grid.reveal(row);
            self.grid.idle = false;
            return true;
        }
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

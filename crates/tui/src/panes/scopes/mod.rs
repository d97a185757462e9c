//! The Scopes pane: the names of a method with the code where each is in scope (arguments, locals, constants) and its imports.

mod in_scope;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::engine::action::Action;
use crate::panes::list_pane::{self, Shows};
use crate::panes::pane::{Context, Facts, Pane};
use crate::panes::scopes::in_scope::{in_scope, others};
use crate::state::selection::Selection;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::glyphs::Glyphs;
use crate::ui::grid::Grid;
use crate::ui::layout::ContentSize;
use crate::ui::list_filter::RowSource;
use crate::ui::text::{put_note, width, without_namespaces};
use crate::ui::theme::{opaque, scope_role};
use crate::ui::tree::ListState;
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{MethodPart, Place};
use pdblens_query::scope_names::{NameRow, names};
use pdblens_session::text::safe::count;

/// Rows of the pane, even if there are fewer names.
const MIN_ROWS: usize = 4;
/// Rows of the pane where it has room for the names in scope alone.
const MAX_BRIEF: usize = 12;
const COLUMNS: &[Head] = &[Head::text(""), Head::text(""), Head::text("")];
/// Names of the columns in exports, as the pane draws no headings.
const NAMES: &[Head] = &[Head::text("name"), Head::text("type"), Head::text("range")];
const TYPE: usize = 1;
/// The column of the ranges, which have the colours of the brackets beside IL.
const RANGE: usize = 2;

#[derive(Default)]
struct Scopes {
    of: Option<CodeUnit>,
    names: Arc<Vec<NameRow>>,
}

pub fn new() -> Box<dyn Pane> {
    list_pane::new(grid(), Scopes::default())
}

fn grid() -> Grid {
    Grid { headless: true, idle: true, uneven: true, ..Grid::default() }
}

/// The rows; names that are not in scope at `offset` are dim. On the screen, with glyphs and the row of the cursor, types are short, a sign
/// tells the two apart, and the range of a row without a type has the room of both.
fn rows(names: &Arc<Vec<NameRow>>, offset: Option<u32>, drawn: Option<(&Glyphs, Option<usize>)>) -> Rows<'static> {
    let names = Arc::clone(names);
    let is_drawn = drawn.is_some();
    let (glyphs, whole) = (drawn.map(|(glyphs, _)| glyphs), drawn.and_then(|(_, whole)| whole));
    let is_number = |cell: &Cell| cell.text.starts_with("slot ") || cell.text.starts_with("argument ");
    let is_place = |name: &NameRow| {
        let has_type = name.row.cells.get(TYPE).is_some_and(|cell| !cell.text.is_empty());
        has_type && name.row.cells.get(RANGE).is_some_and(|cell| !cell.text.is_empty() && !is_number(cell))
    };
    let narrow = (is_drawn && !names.iter().any(is_place)).then_some(RANGE);
    let signs = glyphs.zip(offset).map(|(glyphs, _)| (glyphs.other, glyphs.dash));
    let mut rows = Rows::new("", COLUMNS.to_vec(), names.len(), move |index| {
        let Some(name) = names.get(index) else { return Row::default() };
        let mut row = name.row.clone();
        let (holds, kept) = offset.map_or((true, None), |offset| name.at(offset));
        // Its place at this instruction alone.
        if let Some((cell, kept)) = row.cells.get_mut(RANGE).zip(kept) {
            cell.text = kept;
        }
        if is_drawn && whole != Some(index) {
            // Names have the room; the row of the cursor says the rest.
            row.cells.iter_mut().skip(TYPE).take(1).for_each(|cell| cell.text = without_namespaces(&cell.text));
            row.cells.iter_mut().skip(RANGE).filter(|cell| is_number(cell)).for_each(|cell| cell.text.clear());
        }
        let has_range = name.range.is_some() || name.moving.is_some();
        if let (Some((inside, outside)), Some(cell), true) = (signs, row.cells.first_mut(), has_range) {
            cell.text = format!("{} {}", if holds { inside } else { outside }, cell.text);
        }
        if is_drawn && row.cells.get(TYPE).is_some_and(|cell| cell.text.is_empty()) && row.cells.len() > RANGE {
            row.cells.swap(TYPE, RANGE);
        }
        if !holds {
            row.cells.iter_mut().for_each(|cell| cell.tone = Tone::Dim);
        }
        row
    });
    rows.narrow = narrow;
    rows
}

/// The selected offset of the code.
fn offset(cx: &Context<'_>) -> Option<u32> {
    let code = &cx.selected.code;
    (!code.is_empty()).then_some(code.start)
}

impl Scopes {
    /// Returns whether the pane has room for the names in scope alone, and not the focus.
    fn is_brief(&self, list: &ListState, cx: &Context<'_>) -> bool {
        !cx.look.focused && self.is_too_long(list) && offset(cx).is_some()
    }

    fn is_too_long(&self, list: &ListState) -> bool {
        usize::from(list.size.height) < self.names.len()
    }

    /// The rows that have room where that is short: names in scope at an offset, then others.
    fn brief(&self, at: u32, list: &ListState) -> Vec<usize> {
        let mut found = in_scope(&self.names, at);
        found.extend(others(&self.names, at, &found));
        found.truncate(list.size.height.into());
        found
    }

    /// Draws rows; the ranges of all but a short list have the colours of their scopes.
    fn draw_rows(
        &self,
        (grid, rows, is_brief): (&Grid, &Rows<'_>, bool),
        area: Rect,
        buf: &mut Buffer,
        cx: &Context<'_>,
    ) -> Option<Position> {
        let selected = cx.selected.selection.place;
        let linked = |_: usize, row: &Row| row.place == Some(selected);
        grid.draw(buf, area, rows, &cx.look, &linked, &|(index, column), _, text, style| {
            let scope = self.names.get(index).and_then(|name| name.scope);
            if column < TYPE || is_brief {
                return None;
            }
            Some(vec![(text.to_owned(), style.patch(opaque(cx.look.theme.of(scope_role(scope?)).not_dim())))])
        })
    }

    /// The position in the title: the longest text that has room.
    fn position(texts: &[String], list: &ListState, cx: &Context<'_>) -> String {
        // The name with its spaces, the spaces around the position, and the ends of the rule.
        let doubt = if cx.session.pdb_match().is_mismatch() { 2 } else { 0 };
        let room = usize::from(list.size.width).saturating_sub(width(" Scopes ") + 2 + 3 + doubt);
        let fits = |text: &&String| width(text) <= room;
        texts.iter().find(fits).or(texts.last()).cloned().unwrap_or_default()
    }
}

impl Shows for Scopes {
    fn title(&self, list: &ListState, cx: &Context<'_>) -> Title {
        let title = Title::new("Scopes");
        let (Some(view), Some(offset)) = (&cx.selected.method, offset(cx)) else {
            let is_cut = !cx.look.focused && self.is_too_long(list);
            let rows = format!("{} {}", count(self.names.len() as u64, "row"), cx.keys(Action::NextPane));
            return if is_cut { title.at(rows) } else { title };
        };
        let label = view.of.label(offset.into());
        let at = |texts: &[String]| Title::new("Scopes").at(Self::position(texts, list, cx));
        if cx.selected.is_past_end {
            let size = view.size.unwrap_or_default();
            let end = format!("{label} is past the end");
            return at(&[format!("{end}: {size} bytes"), end, "past the end".to_owned()]);
        }
        let number = in_scope(&self.names, offset).len();
        let text = format!("{number} in scope at {label}");
        let long = format!("{} {text}", cx.look.glyphs.other);
        if !self.is_brief(list, cx) {
            return at(&[long, text, format!("{number} at {label}")]);
        }
        let shown = self.brief(offset, list).len();
        let (all, key, dot) = (self.names.len(), cx.keys(Action::NextPane), cx.look.glyphs.dot);
        let more = format!("{dot} {} more {key}", all - shown);
        let short = format!("{number} of {all} at {label} {key}");
        let least = format!("{number} at {label} {key}");
        at(&[format!("{long} {more}"), format!("{text} {more}"), short, least, format!("{number} at {label}")])
    }

    fn load(&mut self, list: &mut ListState, cx: &Context<'_>) {
        let of = cx.selected.method.as_ref().map(|view| view.of);
        if self.of != of {
            let found = cx.selected.method.as_deref().map_or_else(Vec::new, |view| names(cx.session, view));
            (self.of, self.names, list.grid) = (of, Arc::new(found), grid());
        }
    }

    fn rows<'c>(&'c self, _: &'c ListState, cx: &Context<'c>) -> Option<Rows<'c>> {
        Some(rows(&self.names, offset(cx), None))
    }

    fn source(&self, _: &ListState, _: &Context<'_>) -> Option<RowSource> {
        let names = Arc::clone(&self.names);
        Some(Arc::new(move |_| {
            let mut rows = rows(&names, None, None);
            rows.columns = NAMES.to_vec();
            Some(rows)
        }))
    }

    fn facts(&self, _: &ListState, cx: &Context<'_>) -> Facts {
        // The reason why a method has no lines needs the room, and nothing is in scope yet.
        let has_reason = cx.selected.no_lines.is_some() && offset(cx).is_none();
        let is_named = |name: &&NameRow| name.row.depth > 0 && name.range.is_some();
        let named = self.names.iter().filter(is_named).count();
        let brief = if has_reason { 1 } else { named.clamp(1, MAX_BRIEF) as u16 };
        let content_size = ContentSize { width: 0, height: self.names.len().clamp(MIN_ROWS, 999) as u16, brief };
        Facts { content_size, ..Facts::default() }
    }

    fn empty(&self, _: &ListState, cx: &Context<'_>) -> Option<EmptyState> {
        let words = code_unit::words(cx.session);
        self.names.is_empty().then(|| format!("Select a {} to see its {}.", words.unit, words.names).into())
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, list: &ListState, cx: &Context<'_>) -> Option<Position> {
        let whole = list.grid.row().filter(|_| cx.look.focused);
        let all = rows(&self.names, offset(cx), Some((cx.look.glyphs, whole)));
        let Some(at) = offset(cx).filter(|_| self.is_brief(list, cx)) else {
            return self.draw_rows((&list.grid, &all, false), area, buf, cx);
        };
        let found = self.brief(at, list);
        if found.is_empty() {
            put_note(buf, area, "no names in scope here", &cx.look);
            return None;
        }
        let flat = |index: &usize| Row { depth: 0, ..all.get(*index).unwrap_or_default() };
        let found = Rows::of("", COLUMNS.to_vec(), found.iter().map(flat).collect());
        let mut grid = grid();
        grid.resize(&found, area.height);
        self.draw_rows((&grid, &found, true), area, buf, cx);
        None
    }

    fn selection(&self, list: &ListState, cx: &Context<'_>) -> Option<Selection> {
        // The method stays selected: a record of another view would take it from the other panes.
        let token = cx.selected.method.as_ref().map(|view| view.of)?;
        let row = &self.names.get(list.grid.row()?)?.row;
        match token {
            CodeUnit::Method(token) => {
                Some(Selection { place: Place::MethodPart(token, MethodPart::Scopes), part: row.span })
            }
            CodeUnit::Function(_) => row.place.map(Selection::from),
        }
    }

    fn click(&mut self, at: Position, area: Rect, list: &mut ListState, cx: &Context<'_>) -> Option<bool> {
        let code = offset(cx).filter(|_| self.is_brief(list, cx))?;
        let row = self.brief(code, list).get(usize::from(at.y.saturating_sub(area.y))).copied();
        if let Some(row) = row {
            list.grid.reveal(row);
        }
        Some(row.is_some())
    }
}

//! The Scopes pane: the names of a method with the code where each is in scope (arguments, locals, constants) and its imports.

mod in_scope;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::engine::action::Action;
use crate::panes::pane::{Context, Facts, List, Pane, ability, click_row, fit, grid};
use crate::panes::scopes::in_scope::{in_scope, others};
use crate::state::effect::Effect;
use crate::state::selection::Selection;
use crate::ui::empty_state::EmptyState;
use crate::ui::frame::Title;
use crate::ui::glyphs::Glyphs;
use crate::ui::grid::Grid;
use crate::ui::layout::ContentSize;
use crate::ui::list_filter::RowSource;
use crate::ui::text::{put_note, width};
use crate::ui::theme::{opaque, scope_role};
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::rows::{Head, Row, Rows, Tone};
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
    grid: Grid,
    size: Size,
    of: Option<CodeUnit>,
    names: Arc<Vec<NameRow>>,
}

pub fn new() -> Box<dyn Pane> {
    Box::new(Scopes::default())
}

/// The rows; names that are not in scope at `offset` are dim. With `glyphs`, for the screen, a sign tells the two apart, and the range of
/// a row without a type has the room of both.
fn rows(names: &Arc<Vec<NameRow>>, offset: Option<u32>, glyphs: Option<&Glyphs>) -> Rows<'static> {
    let names = Arc::clone(names);
    let is_drawn = glyphs.is_some();
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
        if is_drawn && row.cells.get(TYPE).is_some_and(|cell| cell.text.is_empty()) && row.cells.len() > RANGE {
            row.cells.swap(TYPE, RANGE);
        }
        if !holds {
            row.cells.iter_mut().for_each(|cell| cell.tone = Tone::Dim);
        }
        row
    })
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
        fit(self, self.size, cx);
    }

    /// Returns whether the pane has room for the names in scope alone, and not the focus.
    fn is_brief(&self, cx: &Context<'_>) -> bool {
        !cx.look.focused && self.is_too_long() && offset(cx).is_some()
    }

    fn is_too_long(&self) -> bool {
        usize::from(self.size.height) < self.names.len()
    }

    /// The rows that have room where that is short: names in scope at an offset, then others.
    fn brief(&self, at: u32) -> Vec<usize> {
        let mut found = in_scope(&self.names, at);
        found.extend(others(&self.names, at, &found));
        found.truncate(self.size.height.into());
        found
    }

    fn draw_brief(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>, at: u32) {
        let found = self.brief(at);
        if found.is_empty() {
            return put_note(buf, area, "no names in scope here", &cx.look);
        }
        let all = rows(&self.names, Some(at), Some(cx.look.glyphs));
        let flat = |index: &usize| Row { depth: 0, ..all.get(*index).unwrap_or_default() };
        let found = Rows::of("", COLUMNS.to_vec(), found.iter().map(flat).collect());
        let mut grid = Grid { headless: true, idle: true, ..Grid::default() };
        grid.resize(&found, area.height);
        self.draw_rows(&grid, &found, area, buf, cx);
    }

    fn draw_rows(
        &self,
        grid: &Grid,
        rows: &Rows<'_>,
        area: Rect,
        buf: &mut Buffer,
        cx: &Context<'_>,
    ) -> Option<Position> {
        let selected = cx.selected.selection.place;
        let is_brief = self.is_brief(cx);
        grid.draw(
            buf,
            area,
            rows,
            &cx.look,
            &|_, row| row.place == Some(selected),
            &|(index, column), _, text, style| {
                let scope = self.names.get(index).and_then(|name| name.scope);
                if column < TYPE || is_brief {
                    return None;
                }
                Some(vec![(text.to_owned(), style.patch(opaque(cx.look.theme.of(scope_role(scope?)).not_dim())))])
            },
        )
    }

    /// The position in the title: the longest text that has room.
    fn position(&self, texts: &[String], cx: &Context<'_>) -> String {
        // The name with its spaces, the spaces around the position, and the ends of the rule.
        let doubt = if cx.session.pdb_match().is_mismatch() { 2 } else { 0 };
        let room = usize::from(self.size.width).saturating_sub(width(" Scopes ") + 2 + 3 + doubt);
        let fits = |text: &&String| width(text) <= room;
        texts.iter().find(fits).or(texts.last()).cloned().unwrap_or_default()
    }
}

impl Pane for Scopes {
    fn title(&self, cx: &Context<'_>) -> Title {
        let title = Title::new("Scopes");
        let (Some(view), Some(offset)) = (&cx.selected.method, offset(cx)) else {
            let is_cut = !cx.look.focused && self.is_too_long();
            let rows = format!("{} {}", count(self.names.len() as u64, "row"), cx.keys(Action::NextPane));
            return if is_cut { title.at(rows) } else { title };
        };
        let label = view.of.label(offset.into());
        if cx.selected.is_past_end {
            let size = view.size.unwrap_or_default();
            let end = format!("{label} is past the end");
            return title.at(self.position(&[format!("{end}: {size} bytes"), end, "past the end".to_owned()], cx));
        }
        let number = in_scope(&self.names, offset).len();
        let text = format!("{number} in scope at {label}");
        let long = format!("{} {text}", cx.look.glyphs.other);
        if !self.is_brief(cx) {
            return title.at(self.position(&[long, text, format!("{number} at {label}")], cx));
        }
        let shown = self.brief(offset).len();
        let (all, key, dot) = (self.names.len(), cx.keys(Action::NextPane), cx.look.glyphs.dot);
        let more = format!("{dot} {} more {key}", all - shown);
        let short = format!("{number} of {all} at {label} {key}");
        let least = format!("{number} at {label} {key}");
        let texts = [format!("{long} {more}"), format!("{text} {more}"), short, least, format!("{number} at {label}")];
        title.at(self.position(&texts, cx))
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
        self.size = size;
        self.load(cx);
    }

    fn facts(&self, cx: &Context<'_>) -> Facts {
        // The reason why a method has no lines needs the room, and nothing is in scope yet.
        let has_reason = cx.selected.no_lines.is_some() && offset(cx).is_none();
        let is_named = |name: &&NameRow| name.row.depth > 0 && name.range.is_some();
        let named = self.names.iter().filter(is_named).count();
        let brief = if has_reason { 1 } else { named.clamp(1, MAX_BRIEF) as u16 };
        let content_size = ContentSize { width: 0, height: self.names.len().clamp(MIN_ROWS, 999) as u16, brief };
        Facts { content_size, ..Facts::default() }
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        if self.names.is_empty() {
            let words = code_unit::words(cx.session);
            let state = EmptyState::default().text(&format!("Select a {} to see its {}.", words.unit, words.names));
            return state.draw(area, buf, &cx.look, &|action| cx.keys(action));
        }
        if self.is_brief(cx)
            && let Some(at) = offset(cx)
        {
            self.draw_brief(area, buf, cx, at);
            return None;
        }
        let rows = rows(&self.names, offset(cx), Some(cx.look.glyphs));
        self.draw_rows(&self.grid, &rows, area, buf, cx)
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
        match offset(cx) {
            Some(code) if self.is_brief(cx) => {
                let Some(row) = self.brief(code).get(usize::from(at.y.saturating_sub(area.y))).copied() else {
                    return false;
                };
                self.grid.reveal(row);
                true
            }
            _ => click_row(self, at, area, cx),
        }
    }

    ability!(List);
}

impl List for Scopes {
    grid!(grid);

    fn drawn<'c>(&'c self, cx: &Context<'c>) -> Option<Rows<'c>> {
        Some(rows(&self.names, offset(cx), None))
    }

    fn row_source(&self, _: &Context<'_>) -> Option<RowSource> {
        let names = Arc::clone(&self.names);
        Some(Arc::new(move |_| {
            let mut rows = rows(&names, None, None);
            rows.columns = NAMES.to_vec();
            Some(rows)
        }))
    }
}

//! Any list: the same one always, or the list that what is selected is in.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::model::{Place, Rows, Session};
use crate::tui::action::Action;
use crate::tui::app::Effect;
use crate::tui::pane::{Context, Pane, Selection, Title};
use crate::tui::theme::Role;
use crate::tui::widgets::grid::Grid;
use crate::tui::widgets::text::put;

struct List {
    name: &'static str,
    /// The list; where it follows what is selected, the one it shows just now.
    of: Place,
    follows: bool,
    grid: Grid,
    height: u16,
}

fn list(name: &'static str, of: Place, follows: bool) -> Box<dyn Pane> {
    Box::new(List { name, of, follows, grid: Grid::default(), height: 0 })
}

/// The documents.
pub fn documents() -> Box<dyn Pane> {
    list("Documents", Place::Documents, false)
}

/// The list that shows `place`: it, or what it is a part of.
fn list_of(session: &Session, place: Place) -> Option<Place> {
    std::iter::successors(Some(place), |place| place.parent()).find(|place| session.rows(*place).is_some())
}

impl List {
    fn rows<'s>(&self, session: &'s Session) -> Rows<'s> {
        session.rows(self.of).unwrap_or_else(|| Rows::of("", Vec::new(), Vec::new()))
    }

    /// The row of `place`, or of what it is a part of.
    fn row_of(&self, place: Place, rows: &Rows<'_>) -> Option<usize> {
        std::iter::successors(Some(place), |place| place.parent()).take_while(|place| *place != self.of).find_map(
            |place| {
                // Rows of tables and methods stand where their numbers say.
                let guess = match place {
                    Place::Row(.., row) | Place::Document(row) | Place::Stream(row) => Some(row as usize),
                    Place::Method(method) => Some(method.row() as usize),
                    _ => None,
                };
                let guesses = guess.into_iter().flat_map(|row| [row.wrapping_sub(1), row]);
                let found = guesses.into_iter().find(|row| rows.get(*row).is_some_and(|row| row.place == Some(place)));
                found.or_else(|| (rows.len < 100_000).then(|| rows.position(place)).flatten())
            },
        )
    }
}

impl Pane for List {
    fn title(&self, cx: &Context<'_>) -> Title {
        let rows = self.rows(cx.session);
        let position =
            if rows.len > 0 { format!("{}/{}", self.grid.scroll.selected + 1, rows.len) } else { String::new() };
        if self.follows { Title::new(rows.title.as_str()).at(position) } else { Title::new(self.name).at(position) }
    }

    fn act(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>> {
        let rows = self.rows(cx.session);
        self.grid.resize(&rows, self.height);
        if action == Action::Follow {
            return self.grid.link(&rows).map(|place| vec![Effect::Go(place.into())]);
        }
        self.grid.act(action, count, &rows).then(Vec::new)
    }

    fn show(&mut self, cx: &Context<'_>) {
        let place = cx.linked.selection.place;
        if self.follows {
            let Some(of) = list_of(cx.session, place) else { return };
            if of != self.of {
                (self.of, self.grid) = (of, Grid::default());
            }
        }
        let rows = self.rows(cx.session);
        self.grid.resize(&rows, self.height);
        if let Some(row) = self.row_of(place, &rows) {
            self.grid.scroll.reveal(row);
        }
    }

    fn resize(&mut self, size: Size, cx: &Context<'_>) {
        self.height = size.height;
        self.grid.resize(&self.rows(cx.session), size.height);
    }

    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position> {
        let rows = self.rows(cx.session);
        if rows.len == 0 {
            put(buf, area.x + 1, area.y, area.right(), "there are none", cx.look.theme.of(Role::Dim), cx.look.glyphs);
            return None;
        }
        self.grid.draw(buf, area, &rows, &cx.look, &|_, _| false, &|_, _, _, _| None)
    }

    fn selection(&self, cx: &Context<'_>) -> Option<Selection> {
        let row = self.rows(cx.session).get(self.grid.scroll.selected)?;
        let place = row.place.or(row.span.map(Place::Bytes))?;
        Some(place.into())
    }

    fn point(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool {
        let rows = self.rows(cx.session);
        self.grid.point(at, area, &rows)
    }

    fn find(&mut self, text: &str, forward: bool, cx: &Context<'_>) -> bool {
        let rows = self.rows(cx.session);
        self.grid.find(text, forward, &rows)
    }

    fn copy(&self, action: Action, cx: &Context<'_>) -> Option<String> {
        self.grid.copy(action, &self.rows(cx.session))
    }
}

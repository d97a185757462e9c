//! The interface of a pane.
//!
//! Panes do not know each other. A pane has a [`Selection`]; the app passes it to the other panes of the view, and each shows
//! the same thing in its own way. The panes that exist are listed in the registry of the app.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::nodes::Place;
use crate::session::Session;
use crate::tui::core::action::Action;
use crate::tui::core::key;
use crate::tui::core::keymap::Keymap;
use crate::tui::state::effect::Effect;
use crate::tui::state::message::Job;
use crate::tui::state::paths::Paths;
use crate::tui::state::selection::{Selection, SelectionContext};
use crate::tui::state::texts::Texts;
use crate::tui::state::view::ViewDef;
use crate::tui::ui::frame::Title;
use crate::tui::ui::list_filter::{ListFilter, RowSource};
use crate::tui::ui::scroll::Scroll;
use crate::tui::ui::theme::Look;

/// What a pane is given to answer with.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The loaded files.
    pub session: &'a Session,
    /// The view that it is a part of.
    pub view: &'static ViewDef,
    /// All views.
    pub views: &'static [ViewDef],
    /// How things look.
    pub look: Look<'a>,
    /// What is selected.
    pub selected: &'a SelectionContext,
    /// The texts of documents, as far as they are loaded.
    pub texts: &'a Texts,
    /// Where sources and symbols are looked for.
    pub paths: &'a Arc<Paths>,
    /// Which keys do what.
    pub keymap: &'a Keymap,
}

impl Context<'_> {
    /// The keys of an action, as they are shown; how to call it by name where it has none.
    pub fn keys(&self, action: Action) -> String {
        let shown = |action| Some(key::display(self.keymap.keys_of(action, "")?, self.look.glyphs.ascii));
        shown(action).unwrap_or_else(|| {
            let name = action.def().map_or("", |def| def.name);
            format!("{} {name}", shown(Action::Palette).unwrap_or_default()).trim().to_owned()
        })
    }
}

/// A part of the screen that shows something its own way.
pub trait Pane {
    /// What its rule says.
    fn title(&self, cx: &Context<'_>) -> Title;

    /// Does what `action` says, `count` times where that is given; nothing where it is for the app to decide.
    fn perform(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>>;

    /// Shows what is selected elsewhere: `cx.selected`.
    fn show_selection(&mut self, cx: &Context<'_>);

    /// Takes the size of its body, so that drawing changes nothing.
    fn resize(&mut self, size: Size, cx: &Context<'_>);

    /// Draws itself; returns where the cursor is to stand.
    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position>;

    /// What is selected in it.
    fn selection(&self, cx: &Context<'_>) -> Option<Selection>;

    /// Selects what is drawn at a position of `area`; returns whether there is something.
    fn click(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool;

    /// Scrolls by so many rows; what is selected in it stays.
    fn scroll_by(&mut self, rows: usize, down: bool, _cx: &Context<'_>) {
        if let Some(list) = self.list_mut() {
            list.parts_mut().0.scroll_by(rows, down);
        }
    }

    /// The list that it is, where it is one to look through.
    fn list(&self) -> Option<&dyn List> {
        None
    }

    /// The same, to be changed.
    fn list_mut(&mut self) -> Option<&mut dyn List> {
        None
    }

    /// The document that it shows the text of, and the lines that show: they are wanted in colour.
    fn source_window(&self) -> Option<(u32, std::ops::Range<usize>)> {
        None
    }

    /// Takes a text that is pasted; nothing where it has no use for one.
    fn paste(&mut self, _text: &str, _cx: &Context<'_>) -> Option<Vec<Effect>> {
        None
    }

    /// Work that it wants done by the worker, while it shows: asked after everything that happens.
    fn background_job(&mut self, _session: &Arc<Session>) -> Option<Job> {
        None
    }

    /// The text that is copied as its value, and as its row.
    fn copied_text(&self, _action: Action, _cx: &Context<'_>) -> Option<String> {
        None
    }
}

/// A pane that is a list: one can find in it, and filter it.
pub trait List {
    /// Where the cursor is, which rows show, and what is looked for in them.
    fn parts(&self) -> (&Scroll, &ListFilter);

    /// The same, to be changed.
    fn parts_mut(&mut self) -> (&mut Scroll, &mut ListFilter);

    /// All its rows, for the worker; nothing where they cannot be looked through yet.
    fn row_source(&self, cx: &Context<'_>) -> Option<RowSource>;

    /// Which rows show, and what is looked for in them.
    fn list_filter(&self) -> &ListFilter {
        self.parts().1
    }

    /// The same, to be changed.
    fn list_filter_mut(&mut self) -> &mut ListFilter {
        self.parts_mut().1
    }

    /// The row that the cursor is on.
    fn cursor_row(&self) -> Option<usize> {
        let (scroll, list_filter) = self.parts();
        list_filter.row(scroll.selected).filter(|_| scroll.len > 0)
    }

    /// Puts the cursor on a row, or on the one nearest to it that shows; for a moment, until it is `settled`.
    fn reveal(&mut self, row: usize) {
        let (scroll, list_filter) = self.parts_mut();
        scroll.reveal(list_filter.nearest(row));
    }

    /// Where the cursor is now, it stays.
    fn keep_position(&mut self) {}

    /// Shows the rows that are left by the filter; it may be `another` one than before.
    fn apply_filter(&mut self, _another: bool, cx: &Context<'_>) {
        let rows = self.row_source(cx).and_then(|source| Some(source(cx.session)?.len)).unwrap_or(0);
        let (scroll, list_filter) = self.parts_mut();
        list_filter.apply_filter(scroll, rows);
    }

    /// Whether a row shows, or can be made to.
    fn can_show(&self, row: usize) -> bool {
        self.list_filter().remaining().is_none_or(|left| left.binary_search(&row).is_ok())
    }

    /// Why there is nothing to look through, where there is no source.
    fn unavailable_reason(&self, _cx: &Context<'_>) -> String {
        "there is nothing to look through here yet".to_owned()
    }

    /// Whether rows can be left out of it.
    fn can_filter(&self) -> bool {
        true
    }
}

/// What is said of a pane.
#[derive(Clone, Copy, Debug)]
pub struct PaneDef {
    /// What configuration calls it.
    pub id: &'static str,
    /// What its rows are, for the hints: `point`.
    pub item: &'static str,
    /// Whether it is the one to have the focus when somebody goes to a place.
    pub owns: fn(Place) -> bool,
    /// Makes one.
    pub new: fn() -> Box<dyn Pane>,
}

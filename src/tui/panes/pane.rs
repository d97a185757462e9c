//! What a pane is, which panes there are, and which views they make up.
//!
//! Panes do not know each other. A pane has a [`Selection`]; the app hands it to the other panes of the view, and each shows
//! the same thing its own way. A new pane is one file in `panes/` and one line in [`PANES`].

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use crate::bytes::Span;
use crate::model::place::{FunctionPart, MethodPart, PePart};
use crate::model::{Place, Session};
use crate::tui::app::Effect;
use crate::tui::core::action::Action;
use crate::tui::core::jobs::Job;
use crate::tui::core::key;
use crate::tui::core::keymap::Keymap;
use crate::tui::panes;
use crate::tui::state::paths::Paths;
use crate::tui::state::selection::Linked;
use crate::tui::state::texts::Texts;
pub use crate::tui::ui::frame::Title;
use crate::tui::ui::layout::{Shape, Slot};
use crate::tui::ui::list_filter::{Sieve, Source};
use crate::tui::ui::scroll::Scroll;
use crate::tui::ui::theme::Look;

/// What is selected: its address, and the bytes that are meant, where those are not all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Selection {
    /// What.
    pub place: Place,
    /// Which of its bytes.
    pub part: Option<Span>,
}

impl From<Place> for Selection {
    fn from(place: Place) -> Self {
        Self { place, part: None }
    }
}

/// What a pane is given to answer with.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The loaded files.
    pub session: &'a Session,
    /// The view that it is a part of.
    pub view: &'static ViewDef,
    /// How things look.
    pub look: Look<'a>,
    /// What is selected.
    pub linked: &'a Linked,
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
        let shown = |action| Some(key::shown(self.keymap.keys_of(action, "")?, self.look.glyphs.ascii));
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
    fn act(&mut self, action: Action, count: Option<usize>, cx: &Context<'_>) -> Option<Vec<Effect>>;

    /// Shows what is selected elsewhere: `cx.linked`.
    fn show(&mut self, cx: &Context<'_>);

    /// Takes the size of its body, so that drawing changes nothing.
    fn resize(&mut self, size: Size, cx: &Context<'_>);

    /// Draws itself; returns where the cursor is to stand.
    fn draw(&self, area: Rect, buf: &mut Buffer, cx: &Context<'_>) -> Option<Position>;

    /// What is selected in it.
    fn selection(&self, cx: &Context<'_>) -> Option<Selection>;

    /// Selects what is drawn at a position of `area`; returns whether there is something.
    fn point(&mut self, at: Position, area: Rect, cx: &Context<'_>) -> bool;

    /// Scrolls by so many rows; what is selected in it stays.
    fn roll(&mut self, rows: usize, down: bool, _cx: &Context<'_>) {
        if let Some(list) = self.list_mut() {
            list.parts_mut().0.roll(rows, down);
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
    fn wants(&mut self, _session: &Arc<Session>) -> Option<Job> {
        None
    }

    /// The text that is copied as its value, and as its row.
    fn copy(&self, _action: Action, _cx: &Context<'_>) -> Option<String> {
        None
    }
}

/// A pane that is a list: one can find in it, and filter it.
pub trait List {
    /// Where the cursor is, which rows show, and what is looked for in them.
    fn parts(&self) -> (&Scroll, &Sieve);

    /// The same, to be changed.
    fn parts_mut(&mut self) -> (&mut Scroll, &mut Sieve);

    /// All its rows, for the worker; nothing where they cannot be looked through yet.
    fn source(&self, cx: &Context<'_>) -> Option<Source>;

    /// Which rows show, and what is looked for in them.
    fn sieve(&self) -> &Sieve {
        self.parts().1
    }

    /// The same, to be changed.
    fn sieve_mut(&mut self) -> &mut Sieve {
        self.parts_mut().1
    }

    /// The row that the cursor is on.
    fn row(&self) -> Option<usize> {
        let (scroll, sieve) = self.parts();
        sieve.row(scroll.selected).filter(|_| scroll.len > 0)
    }

    /// Puts the cursor on a row, or on the one nearest to it that shows; for a moment, until it is `settled`.
    fn reveal(&mut self, row: usize) {
        let (scroll, sieve) = self.parts_mut();
        scroll.reveal(sieve.nearest(row));
    }

    /// Where the cursor is now, it stays.
    fn settle(&mut self) {}

    /// Shows the rows that are left by the filter; it may be `another` one than before.
    fn sift(&mut self, _another: bool, cx: &Context<'_>) {
        let rows = self.source(cx).and_then(|source| Some(source(cx.session)?.len)).unwrap_or(0);
        let (scroll, sieve) = self.parts_mut();
        sieve.narrow(scroll, rows);
    }

    /// Whether a row shows, or can be made to.
    fn can_show(&self, row: usize) -> bool {
        self.sieve().left().is_none_or(|left| left.binary_search(&row).is_ok())
    }

    /// Why there is nothing to look through, where there is no source.
    fn why_none(&self, _cx: &Context<'_>) -> String {
        "there is nothing to look through here yet".to_owned()
    }

    /// Whether rows can be left out of it.
    fn filters(&self) -> bool {
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

/// What is said of a view.
#[derive(Clone, Copy, Debug)]
pub struct ViewDef {
    /// What the header calls it.
    pub name: &'static str,
    /// Its panes, by id, in the order that Tab goes through them.
    pub panes: &'static [(Slot, &'static str)],
    /// How they share the screen.
    pub shape: Shape,
    /// The slot that has the focus at first.
    pub focus: Slot,
    /// Where it begins.
    pub home: fn(&Session) -> Place,
    /// Whether it is the one to show a place in.
    pub shows: fn(Place) -> bool,
    /// Whether its panes can show a place too that another view is the one for.
    pub also: fn(Place) -> bool,
}

impl ViewDef {
    /// Whether its panes can show a place.
    pub fn can_show(&self, place: Place) -> bool {
        (self.shows)(place) || (self.also)(place)
    }
}

/// Every pane.
pub const PANES: &[PaneDef] = &[
    PaneDef { id: "bytes", item: "byte", owns: |place| matches!(place, Place::Bytes(_)), new: panes::bytes::new },
    PaneDef { id: "fields", item: "field", owns: |_| false, new: panes::fields::new },
    PaneDef { id: "rows", item: "row", owns: panes::tables::is_row, new: panes::tables::rows },
    PaneDef { id: "overview", item: "line", owns: |_| false, new: panes::overview::new },
    PaneDef { id: "guide", item: "line", owns: |_| false, new: panes::overview::guide_pane },
    PaneDef { id: "parts", item: "part", owns: |_| false, new: panes::parts::new },
    PaneDef { id: "layout", item: "bar", owns: |_| false, new: panes::file_map::image },
    PaneDef { id: "records", item: "field", owns: |_| false, new: panes::record_pane::new },
    PaneDef { id: "streams", item: "stream", owns: |_| false, new: panes::streams::new },
    PaneDef { id: "stream-map", item: "bar", owns: |_| false, new: panes::file_map::metadata },
    PaneDef { id: "contents", item: "row", owns: |_| false, new: panes::streams::contents_pane },
    PaneDef { id: "tables", item: "table", owns: |_| false, new: panes::tables::new },
    PaneDef { id: "documents", item: "document", owns: |_| false, new: panes::documents::new },
    PaneDef { id: "here", item: "line", owns: |_| false, new: panes::documents::here },
    PaneDef {
        id: "methods",
        item: "method",
        owns: |place| matches!(place, Place::Methods | Place::Method(_) | Place::Functions | Place::Function(_)),
        new: panes::methods::new,
    },
    PaneDef {
        id: "points",
        item: "point",
        owns: |place| {
            matches!(
                place,
                Place::MethodPart(_, MethodPart::Points | MethodPart::Point(_))
                    | Place::FunctionPart(_, FunctionPart::Lines | FunctionPart::Line(_))
            )
        },
        new: panes::points::new,
    },
    PaneDef {
        id: "il",
        item: "instruction",
        owns: |place| match place {
            Place::MethodPart(_, MethodPart::Il | MethodPart::Instruction(_)) => true,
            Place::FunctionPart(_, part) => !matches!(part, FunctionPart::Lines | FunctionPart::Line(_)),
            _ => false,
        },
        new: panes::il::new,
    },
    PaneDef { id: "trace", item: "frame", owns: |_| false, new: panes::trace::new },
    PaneDef { id: "source", item: "line", owns: |place| matches!(place, Place::Line(..)), new: panes::source::new },
];

const BYTES: (Slot, &str) = (Slot::Bytes, "bytes");
const FIELDS: (Slot, &str) = (Slot::Fields, "fields");

/// Every view, on the number keys.
pub const VIEWS: &[ViewDef] = &[
    ViewDef {
        name: "Overview",
        panes: &[(Slot::Main(0), "overview"), (Slot::Side, "guide"), BYTES, FIELDS],
        shape: Shape { main: [0, 68, 110], ..Shape::USUAL },
        focus: Slot::Main(0),
        home: |_| Place::Overview,
        shows: |place| matches!(place, Place::Overview | Place::Findings | Place::Places),
        also: |_| false,
    },
    ViewDef {
        name: "PE",
        panes: &[(Slot::Nav, "parts"), (Slot::Main(0), "layout"), (Slot::Main(1), "records"), BYTES],
        shape: Shape { nav: [27, 34, 38], first: 11, beside: [0, 0], ..Shape::USUAL },
        focus: Slot::Nav,
        home: |session| {
            let none = session.image.as_ref().is_some_and(|image| image.pe.debug.is_empty());
            Place::PePart(if none { PePart::Sections } else { PePart::DebugDirectory })
        },
        shows: |place| matches!(place, Place::Pe | Place::PePart(_)),
        also: |_| false,
    },
    ViewDef {
        name: "Streams",
        panes: &[(Slot::Nav, "streams"), (Slot::Main(0), "stream-map"), (Slot::Main(1), "contents"), BYTES, FIELDS],
        shape: Shape { nav: [24, 30, 36], first: 11, beside: [0, 0], ..Shape::USUAL },
        focus: Slot::Nav,
        home: panes::streams::home,
        shows: |place| {
            let list = place.is_of_native_code() && place.routine().is_none();
            place.is_of_streams()
                || list
                || matches!(place, Place::Header | Place::Parts | Place::Part(_) | Place::Metadata(..))
        },
        also: |place| matches!(place, Place::Table(..) | Place::Row(..) | Place::Heap(..) | Place::HeapEntry(..)),
    },
    ViewDef {
        name: "Tables",
        panes: &[(Slot::Nav, "tables"), (Slot::Main(0), "rows"), BYTES, FIELDS],
        shape: Shape { nav: [27, 32, 36], ..Shape::USUAL },
        focus: Slot::Nav,
        home: panes::tables::home,
        shows: panes::tables::shows,
        also: |_| false,
    },
    ViewDef {
        name: "Methods",
        panes: &[
            (Slot::Nav, "methods"),
            (Slot::Main(0), "points"),
            (Slot::Main(1), "il"),
            (Slot::Side, "source"),
            BYTES,
            FIELDS,
        ],
        shape: Shape::USUAL,
        focus: Slot::Main(0),
        home: panes::methods::home,
        shows: |place| matches!(place, Place::Methods | Place::Functions) || place.routine().is_some(),
        also: |_| false,
    },
    ViewDef {
        name: "Sources",
        panes: &[(Slot::Nav, "documents"), (Slot::Main(0), "source"), (Slot::Main(1), "here"), BYTES, FIELDS],
        shape: Shape { nav: [24, 30, 40], first: 20, beside: [94, 60], ..Shape::USUAL },
        focus: Slot::Nav,
        home: panes::documents::home,
        shows: |place| matches!(place, Place::Documents | Place::Document(_) | Place::Line(..)),
        also: |_| false,
    },
    ViewDef {
        name: "Trace",
        panes: &[(Slot::Main(0), "trace"), (Slot::Main(1), "source"), BYTES, FIELDS],
        shape: Shape { first: 15, beside: [116, 0], ..Shape::USUAL },
        focus: Slot::Main(0),
        home: |_| Place::Trace,
        shows: |place| place == Place::Trace,
        also: |_| false,
    },
];

/// The number of the pane with that id.
pub fn pane(id: &str) -> usize {
    PANES.iter().position(|pane| pane.id == id).unwrap_or(0)
}

/// The number of the view that shows a place; nothing where any does.
pub fn view_of(place: Place) -> Option<usize> {
    VIEWS.iter().position(|view| (view.shows)(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_made_of_panes_that_are_there_and_focus_one_of_them() {
        for view in VIEWS {
            for (_, id) in view.panes {
                assert!(PANES.iter().any(|pane| pane.id == *id), "{} has no pane {id}", view.name);
            }
            assert!(view.panes.iter().any(|(slot, _)| *slot == view.focus), "{}", view.name);
            let home = (view.home)(&Session::sample());
            assert!((view.shows)(home), "{} does not show where it begins", view.name);
        }
        for (index, pane) in PANES.iter().enumerate() {
            assert!(PANES.iter().skip(index + 1).all(|other| other.id != pane.id), "{} twice", pane.id);
        }
    }
}

//! Descriptions of views: which panes they show, and for which places.

use crate::nodes::Place;
use crate::session::Session;
use crate::tui::ui::layout::{Shape, Slot};

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

/// The index of the view that shows a place; `None` where any view does.
pub fn view_of(views: &[ViewDef], place: Place) -> Option<usize> {
    views.iter().position(|view| (view.shows)(place))
}

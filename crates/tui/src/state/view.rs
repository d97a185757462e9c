//! Descriptions of views: which panes they show, and for which places.

use crate::ui::layout::{Shape, Slot};
use pdblens_nodes::Place;
use pdblens_session::session::Session;

/// Definition of a view.
#[derive(Clone, Copy, Debug)]
pub struct ViewDef {
    /// Name in the header.
    pub name: &'static str,
    /// Slots and ids of the panes, in the order of Tab.
    pub panes: &'static [(Slot, &'static str)],
    /// Default sizes.
    pub shape: Shape,
    /// The slot that has the focus first.
    pub focus: Slot,
    /// The place that is selected first.
    pub home: fn(&Session) -> Place,
    /// True if the view is the one to show a place.
    pub shows: fn(Place) -> bool,
    /// True if the panes can show a place that belongs to another view.
    pub also: fn(Place) -> bool,
}

impl ViewDef {
    /// Returns whether the panes can show a place.
    pub fn can_show(&self, place: Place) -> bool {
        (self.shows)(place) || (self.also)(place)
    }
}

/// The index of the view that shows a place; `None` where any view does.
pub fn view_of(views: &[ViewDef], place: Place) -> Option<usize> {
    views.iter().position(|view| (view.shows)(place))
}

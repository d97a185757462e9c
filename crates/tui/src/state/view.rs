//! Descriptions of views: which panes they show, and for which places.

use serde::{Deserialize, Serialize};

use crate::ui::layout::{Shape, Slot};
use pdblens_nodes::Place;
use pdblens_session::session::Session;

/// The views, in the order of the number keys.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum View {
    Summary,
    File,
    Tables,
    Methods,
    Sources,
    Trace,
    Compare,
    #[serde(rename = "used by")]
    UsedBy,
    Learn,
}

impl View {
    /// The number key that shows the view.
    pub(crate) const fn number(self) -> u8 {
        self as u8 + 1
    }
}

/// The panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaneId {
    Bytes,
    Fields,
    Rows,
    Match,
    Overview,
    Guide,
    Parts,
    Layout,
    Records,
    /// Lists, which take the slot of the records in the File view.
    Contents,
    Tables,
    Documents,
    Here,
    Methods,
    Il,
    /// Precompiled code, which takes the slot of another pane of the Methods view.
    Machine,
    Scopes,
    Trace,
    UsedBy,
    Compare,
    Player,
    Source,
}

#[derive(Clone, Copy, Debug)]
pub struct ViewDef {
    pub view: View,
    pub name: &'static str,
    /// Name for a tab without room, four letters at most.
    pub short: &'static str,
    /// Slots and panes, in the order of Tab.
    pub panes: &'static [(Slot, PaneId)],
    pub shape: Shape,
    /// True if bytes and fields are one line until they are asked for.
    pub folds_bytes: bool,
    pub focus: Slot,
    /// The place that is selected first.
    pub home: fn(&Session) -> Place,
    /// True if the view is the one to show a place.
    pub shows: fn(Place) -> bool,
    /// True if the panes can show a place that belongs to another view.
    pub also: fn(Place) -> bool,
}

impl ViewDef {
    pub(crate) fn can_show(&self, place: Place) -> bool {
        (self.shows)(place) || (self.also)(place)
    }
}

/// The view that shows a place; `None` where any view does.
pub(crate) fn view_of(views: &[ViewDef], place: Place) -> Option<View> {
    views.iter().find(|view| (view.shows)(place)).map(|def| def.view)
}

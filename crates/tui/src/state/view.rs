//! Descriptions of views: which panes they show, and for which places.

use serde::{Deserialize, Serialize};

use crate::ui::layout::{Shape, Slot};
use pdblens_nodes::Place;
use pdblens_session::session::Session;

/// Arrangements of panes; a tab has one or several of them.
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
    pub const fn tab(self) -> Tab {
        match self {
            Self::Summary => Tab::Summary,
            Self::File | Self::Tables => Tab::File,
            Self::Methods | Self::Sources | Self::UsedBy => Tab::Code,
            Self::Trace => Tab::Trace,
            Self::Compare => Tab::Compare,
            Self::Learn => Tab::Learn,
        }
    }

    /// The digit of the view's tab.
    pub(crate) const fn number(self) -> u8 {
        self.tab() as u8 + 1
    }
}

/// Tabs, in the order of their digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    Summary,
    File,
    Code,
    Trace,
    Compare,
    Learn,
}

#[derive(Clone, Copy, Debug)]
pub struct TabDef {
    pub name: &'static str,
    /// Name without room, four letters at most.
    pub short: &'static str,
    /// The view that the digit shows first.
    pub first: View,
}

const fn tab(name: &'static str, short: &'static str, first: View) -> TabDef {
    TabDef { name, short, first }
}

/// All tabs, in the order of their digits.
pub const TABS: [TabDef; 6] = [
    tab("Summary", "Sum", View::Summary),
    tab("File", "File", View::File),
    tab("Code", "Code", View::Methods),
    tab("Trace", "Trc", View::Trace),
    tab("Compare", "Cmp", View::Compare),
    tab("Learn", "Lrn", View::Learn),
];

/// The panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaneId {
    Bytes,
    Fields,
    Rows,
    Match,
    Overview,
    Parts,
    Layout,
    Records,
    /// Lists, which take the slot of the records in the File view.
    Contents,
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
    /// The name of the view's tab.
    pub(crate) const fn name(&self) -> &'static str {
        TABS[self.view.tab() as usize].name
    }

    pub(crate) fn can_show(&self, place: Place) -> bool {
        (self.shows)(place) || (self.also)(place)
    }
}

/// The view that shows a place; `None` where any view does.
pub(crate) fn view_of(views: &[ViewDef], place: Place) -> Option<View> {
    views.iter().find(|view| (view.shows)(place)).map(|def| def.view)
}

//! The panes and the views that exist. A new pane is one file in `panes/` and one line in [`PANES`].

use crate::panes;
use crate::panes::pane::PaneDef;
pub use crate::state::view::TABS;
use crate::state::view::{PaneId, View, ViewDef};
use crate::ui::layout::{Shape, Slot};
use pdblens_nodes::{MethodPart, Place};

/// All panes, in the order of `PaneId`.
pub const PANES: &[PaneDef] = &[
    PaneDef {
        id: PaneId::Bytes,
        name: "bytes",
        item: "byte",
        owns: |place| matches!(place, Place::Bytes(_)),
        new: panes::bytes::new,
    },
    PaneDef { id: PaneId::Fields, name: "fields", item: "field", owns: |_| false, new: panes::record_pane::fields },
    PaneDef { id: PaneId::Rows, name: "rows", item: "row", owns: panes::tables::is_in_list, new: panes::tables::rows },
    PaneDef { id: PaneId::Match, name: "match", item: "sentence", owns: |_| false, new: panes::verdict::new },
    PaneDef { id: PaneId::Overview, name: "overview", item: "fact", owns: |_| false, new: panes::overview::new },
    PaneDef { id: PaneId::Parts, name: "parts", item: "part", owns: |_| false, new: panes::parts::new },
    PaneDef { id: PaneId::Layout, name: "layout", item: "region", owns: |_| false, new: panes::file_map::new },
    PaneDef {
        id: PaneId::Records,
        name: "records",
        item: "field",
        owns: panes::parts::is_inside,
        new: panes::record_pane::new,
    },
    PaneDef {
        id: PaneId::Contents,
        name: "contents",
        item: "row",
        owns: panes::parts::is_inside,
        new: panes::parts::contents_pane,
    },
    PaneDef { id: PaneId::Documents, name: "documents", item: "document", owns: |_| false, new: panes::documents::new },
    PaneDef { id: PaneId::Here, name: "here", item: "line", owns: |_| false, new: panes::document_details::new },
    PaneDef {
        id: PaneId::Methods,
        name: "methods",
        item: "method",
        owns: |place| matches!(place, Place::Methods | Place::Method(_) | Place::Functions | Place::Function(_)),
        new: panes::methods::new,
    },
    PaneDef {
        id: PaneId::Il,
        name: "il",
        item: "row",
        owns: |place| {
            matches!(
                place,
                Place::MethodPart(
                    _,
                    MethodPart::Points | MethodPart::Point(_) | MethodPart::Il | MethodPart::Instruction(_),
                ) | Place::FunctionPart(..)
            )
        },
        new: panes::il::new,
    },
    PaneDef {
        id: PaneId::Machine,
        name: "machine",
        item: "instruction",
        owns: |place| matches!(place, Place::MethodPart(_, MethodPart::Native | MethodPart::NativeAt(_))),
        new: panes::machine::new,
    },
    PaneDef {
        id: PaneId::Scopes,
        name: "scopes",
        item: "name",
        owns: |place| matches!(place, Place::MethodPart(_, MethodPart::Scopes)),
        new: panes::scopes::new,
    },
    PaneDef { id: PaneId::Trace, name: "trace", item: "frame", owns: |_| false, new: panes::trace::new },
    PaneDef { id: PaneId::UsedBy, name: "used-by", item: "user", owns: |_| false, new: panes::used_by::new },
    PaneDef { id: PaneId::Compare, name: "compare", item: "change", owns: |_| false, new: panes::compare::new },
    PaneDef { id: PaneId::Player, name: "player", item: "step", owns: |_| false, new: panes::player::new },
    PaneDef {
        id: PaneId::Source,
        name: "source",
        item: "line",
        owns: |place| matches!(place, Place::Line(..)),
        new: panes::source::new,
    },
];

/// Panes that show facts of both files in one row: of a mismatched pair, those do not belong together.
pub(crate) const OF_BOTH_FILES: &[PaneId] =
    &[PaneId::Methods, PaneId::Il, PaneId::Scopes, PaneId::Source, PaneId::Here, PaneId::Trace];
const BYTES: (Slot, PaneId) = (Slot::Bytes, PaneId::Bytes);
const FIELDS: (Slot, PaneId) = (Slot::Fields, PaneId::Fields);

/// All views, in the order of `View`.
pub const VIEWS: &[ViewDef] = &[
    ViewDef {
        view: View::Summary,
        panes: &[(Slot::Top, PaneId::Match), (Slot::Main(0), PaneId::Overview), BYTES, FIELDS],
        shape: Shape::USUAL,
        folds_bytes: true,
        focus: Slot::Top,
        home: |_| Place::Overview,
        shows: |place| matches!(place, Place::Overview | Place::Findings | Place::Places),
        also: |_| false,
    },
    ViewDef {
        view: View::File,
        panes: &[
            (Slot::Nav, PaneId::Parts),
            (Slot::Main(0), PaneId::Layout),
            (Slot::Main(1), PaneId::Records),
            BYTES,
            FIELDS,
        ],
        shape: Shape { nav: [27, 34, 38], first: 11, beside: [0, 0], grows: false, ..Shape::USUAL },
        folds_bytes: true,
        focus: Slot::Nav,
        home: panes::parts::home,
        shows: |place| {
            let list = place.is_of_native_code() && place.code_unit().is_none() && !panes::lists::is_of_types(place);
            panes::lists::is_of_image(place)
                || place.is_of_streams()
                || list
                || matches!(
                    place,
                    Place::Header | Place::Parts | Place::Part(_) | Place::Metadata(..) | Place::Tables | Place::Heaps
                )
        },
        also: |place| {
            panes::lists::is_of_types(place)
                || matches!(place, Place::Table(..) | Place::Row(..) | Place::Heap(..) | Place::HeapEntry(..))
        },
    },
    ViewDef {
        view: View::Tables,
        panes: &[(Slot::Main(0), PaneId::Rows), BYTES, FIELDS],
        shape: Shape::USUAL,
        folds_bytes: false,
        focus: Slot::Main(0),
        home: panes::tables::home,
        shows: panes::lists::fills_view,
        also: |_| false,
    },
    ViewDef {
        view: View::Methods,
        panes: &[
            (Slot::Nav, PaneId::Methods),
            (Slot::Main(0), PaneId::Il),
            (Slot::Side, PaneId::Source),
            (Slot::Below, PaneId::Scopes),
            BYTES,
            FIELDS,
        ],
        shape: Shape::USUAL,
        folds_bytes: true,
        focus: Slot::Main(0),
        home: panes::methods::home,
        shows: |place| matches!(place, Place::Methods | Place::Functions) || place.code_unit().is_some(),
        also: |_| false,
    },
    ViewDef {
        view: View::Sources,
        panes: &[
            (Slot::Nav, PaneId::Documents),
            (Slot::Main(0), PaneId::Source),
            (Slot::Main(1), PaneId::Here),
            BYTES,
            FIELDS,
        ],
        shape: Shape { nav: [28, 48, 48], first: 20, beside: [94, 60], ..Shape::USUAL },
        folds_bytes: true,
        focus: Slot::Nav,
        home: panes::documents::home,
        shows: |place| matches!(place, Place::Documents | Place::Document(_) | Place::Line(..)),
        also: |_| false,
    },
    ViewDef {
        view: View::Trace,
        panes: &[(Slot::Main(0), PaneId::Trace), (Slot::Main(1), PaneId::Source), BYTES, FIELDS],
        shape: Shape { first: 23, beside: [116, 0], fields: 2, ..Shape::USUAL },
        folds_bytes: true,
        focus: Slot::Main(0),
        home: |_| Place::Trace,
        shows: |place| place == Place::Trace,
        also: |_| false,
    },
    ViewDef {
        view: View::Compare,
        panes: &[(Slot::Main(0), PaneId::Compare), BYTES],
        shape: Shape { fields: 2, ..Shape::USUAL },
        folds_bytes: true,
        focus: Slot::Main(0),
        home: |_| Place::Overview,
        shows: |_| false,
        also: |_| true,
    },
    ViewDef {
        view: View::UsedBy,
        panes: &[(Slot::Main(0), PaneId::UsedBy), (Slot::Main(1), PaneId::Source), BYTES, FIELDS],
        shape: Shape { first: 18, beside: [52, 60], fields: 2, ..Shape::USUAL },
        folds_bytes: true,
        focus: Slot::Main(0),
        home: |_| Place::Overview,
        shows: |_| false,
        also: |_| true,
    },
    ViewDef {
        view: View::Learn,
        panes: &[(Slot::Main(0), PaneId::Player), (Slot::Fields, PaneId::Source), BYTES],
        shape: Shape::USUAL,
        folds_bytes: false,
        focus: Slot::Main(0),
        home: panes::player::home,
        shows: |_| false,
        also: |_| true,
    },
];

impl View {
    pub(crate) const fn def(self) -> &'static ViewDef {
        &VIEWS[self as usize]
    }
}

impl PaneId {
    pub(crate) const fn def(self) -> &'static PaneDef {
        &PANES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_session::session::Session;

    #[test]
    fn panes_and_views_are_in_their_order_and_views_focus_one_of_their_panes() {
        for (index, view) in VIEWS.iter().enumerate() {
            assert_eq!(view.view as usize, index, "{:?}", view.view);
            assert!(view.panes.iter().any(|(slot, _)| *slot == view.focus), "{:?}", view.view);
            let home = (view.home)(&Session::sample());
            assert!(view.can_show(home), "{:?} does not show where it begins", view.view);
        }
        for (index, pane) in PANES.iter().enumerate() {
            assert_eq!(pane.id as usize, index, "{}", pane.name);
            assert!(PANES.iter().skip(index + 1).all(|other| other.name != pane.name), "{} twice", pane.name);
        }
    }
}

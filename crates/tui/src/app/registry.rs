//! The panes and the views that exist. A new pane is one file in `panes/` and one line in [`PANES`].

use crate::panes;
use crate::panes::pane::{Pane, PaneDef};
pub use crate::state::view::TABS;
use crate::state::view::{PaneId, View, ViewDef};
use crate::ui::layout::{Shape, Slot};
use pdblens_nodes::{MethodPart, Place};

/// A pane that owns no places.
const fn pane(id: PaneId, name: &'static str, item: &'static str, new: fn() -> Box<dyn Pane>) -> PaneDef {
    PaneDef { id, name, item, owns: |_| false, new }
}

/// All panes, in the order of `PaneId`.
pub const PANES: &[PaneDef] = &[
    PaneDef {
        owns: |place| matches!(place, Place::Bytes(_)),
        ..pane(PaneId::Bytes, "bytes", "byte", panes::bytes::new)
    },
    pane(PaneId::Fields, "fields", "field", panes::record_pane::fields),
    PaneDef { owns: panes::tables::is_in_list, ..pane(PaneId::Rows, "rows", "row", panes::tables::rows) },
    pane(PaneId::Match, "match", "sentence", panes::verdict::new),
    pane(PaneId::Overview, "overview", "fact", panes::overview::new),
    pane(PaneId::Parts, "parts", "part", panes::parts::new),
    pane(PaneId::Layout, "layout", "region", panes::file_map::new),
    PaneDef { owns: panes::parts::is_inside, ..pane(PaneId::Records, "records", "field", panes::record_pane::new) },
    PaneDef { owns: panes::parts::is_inside, ..pane(PaneId::Contents, "contents", "row", panes::parts::contents_pane) },
    pane(PaneId::Documents, "documents", "document", panes::documents::new),
    pane(PaneId::Here, "here", "line", panes::document_details::new),
    PaneDef {
        owns: |place| matches!(place, Place::Methods | Place::Method(_) | Place::Functions | Place::Function(_)),
        ..pane(PaneId::Methods, "methods", "method", panes::methods::new)
    },
    PaneDef {
        owns: |place| {
            matches!(
                place,
                Place::MethodPart(
                    _,
                    MethodPart::Points | MethodPart::Point(_) | MethodPart::Il | MethodPart::Instruction(_),
                ) | Place::FunctionPart(..)
            )
        },
        ..pane(PaneId::Il, "il", "row", panes::il::new)
    },
    PaneDef {
        owns: |place| matches!(place, Place::MethodPart(_, MethodPart::Native | MethodPart::NativeAt(_))),
        ..pane(PaneId::Machine, "machine", "instruction", panes::machine::new)
    },
    PaneDef {
        owns: |place| matches!(place, Place::MethodPart(_, MethodPart::Scopes)),
        ..pane(PaneId::Scopes, "scopes", "name", panes::scopes::new)
    },
    pane(PaneId::Trace, "trace", "frame", panes::trace::new),
    pane(PaneId::UsedBy, "used-by", "user", panes::used_by::new),
    pane(PaneId::Compare, "compare", "change", panes::compare::new),
    pane(PaneId::Player, "player", "step", panes::player::new),
    PaneDef {
        owns: |place| matches!(place, Place::Line(..)),
        ..pane(PaneId::Source, "source", "line", panes::source::new)
    },
];

/// Panes that show facts of both files in one row: of a mismatched pair, those do not belong together.
pub(crate) const OF_BOTH_FILES: &[PaneId] =
    &[PaneId::Methods, PaneId::Il, PaneId::Scopes, PaneId::Source, PaneId::Here, PaneId::Trace];
const BYTES: (Slot, PaneId) = (Slot::Bytes, PaneId::Bytes);
const FIELDS: (Slot, PaneId) = (Slot::Fields, PaneId::Fields);

/// A view with one large pane, which shows no place by itself.
const USUAL: ViewDef = ViewDef {
    view: View::Summary,
    panes: &[],
    shape: Shape::USUAL,
    folds_bytes: true,
    focus: Slot::Main(0),
    home: |_| Place::Overview,
    shows: |_| false,
    also: |_| false,
};

/// All views, in the order of `View`.
pub const VIEWS: &[ViewDef] = &[
    ViewDef {
        view: View::Summary,
        panes: &[(Slot::Top, PaneId::Match), (Slot::Main(0), PaneId::Overview), BYTES, FIELDS],
        focus: Slot::Top,
        shows: |place| matches!(place, Place::Overview | Place::Findings | Place::Places),
        ..USUAL
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
        shape: Shape { nav: [34, 34, 38], first: 11, beside: [0, 0], nav_last: true, ..Shape::USUAL },
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
        ..USUAL
    },
    ViewDef {
        view: View::Tables,
        panes: &[(Slot::Main(0), PaneId::Rows), BYTES, FIELDS],
        home: panes::tables::home,
        shows: panes::lists::fills_view,
        ..USUAL
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
        home: panes::methods::home,
        shows: |place| matches!(place, Place::Methods | Place::Functions) || place.code_unit().is_some(),
        ..USUAL
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
        focus: Slot::Nav,
        home: panes::documents::home,
        shows: |place| matches!(place, Place::Documents | Place::Document(_) | Place::Line(..)),
        ..USUAL
    },
    ViewDef {
        view: View::Trace,
        panes: &[(Slot::Main(0), PaneId::Trace), (Slot::Main(1), PaneId::Source), BYTES, FIELDS],
        shape: Shape { first: 18, beside: [116, 0], fields: 2, ..Shape::USUAL },
        home: |_| Place::Trace,
        shows: |place| place == Place::Trace,
        ..USUAL
    },
    ViewDef {
        view: View::Compare,
        panes: &[(Slot::Main(0), PaneId::Compare), BYTES],
        shape: Shape { fields: 2, ..Shape::USUAL },
        also: |_| true,
        ..USUAL
    },
    ViewDef {
        view: View::UsedBy,
        panes: &[(Slot::Main(0), PaneId::UsedBy), (Slot::Main(1), PaneId::Source), BYTES, FIELDS],
        shape: Shape { first: 18, beside: [52, 60], fields: 2, ..Shape::USUAL },
        also: |_| true,
        ..USUAL
    },
    ViewDef {
        view: View::Learn,
        panes: &[(Slot::Main(0), PaneId::Player), (Slot::Fields, PaneId::Source), BYTES],
        folds_bytes: false,
        home: panes::player::home,
        also: |_| true,
        ..USUAL
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

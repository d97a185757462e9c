//! The panes and the views that exist. A new pane is one file in `panes/` and one line in [`PANES`].

use crate::panes;
use crate::panes::pane::PaneDef;
use crate::state::view::{View, ViewDef};
use crate::ui::layout::{Shape, Slot};
use pdblens_nodes::{MethodPart, Place};

/// The pane of precompiled code, which takes the slot of another pane of the Methods view.
pub(crate) const MACHINE: &str = "machine";

/// The pane of lists, which takes the slot of the records in the File view.
pub(crate) const CONTENTS: &str = "contents";

pub const PANES: &[PaneDef] = &[
    PaneDef { id: "bytes", item: "byte", owns: |place| matches!(place, Place::Bytes(_)), new: panes::bytes::new },
    PaneDef { id: "fields", item: "field", owns: |_| false, new: panes::record_pane::fields },
    PaneDef { id: "rows", item: "row", owns: panes::tables::is_in_list, new: panes::tables::rows },
    PaneDef { id: "match", item: "row", owns: |_| false, new: panes::verdict::new },
    PaneDef { id: "overview", item: "line", owns: |_| false, new: panes::overview::new },
    PaneDef { id: "guide", item: "line", owns: |_| false, new: panes::overview::contents_pane },
    PaneDef { id: "parts", item: "part", owns: |_| false, new: panes::parts::new },
    PaneDef { id: "layout", item: "region", owns: |_| false, new: panes::file_map::new },
    PaneDef { id: "records", item: "field", owns: |_| false, new: panes::record_pane::new },
    PaneDef { id: CONTENTS, item: "row", owns: |_| false, new: panes::parts::contents_pane },
    PaneDef { id: "tables", item: "table", owns: |_| false, new: panes::tables::new },
    PaneDef { id: "documents", item: "document", owns: |_| false, new: panes::documents::new },
    PaneDef { id: "here", item: "line", owns: |_| false, new: panes::document_details::new },
    PaneDef {
        id: "methods",
        item: "method",
        owns: |place| matches!(place, Place::Methods | Place::Method(_) | Place::Functions | Place::Function(_)),
        new: panes::methods::new,
    },
    PaneDef {
        id: "il",
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
        id: MACHINE,
        item: "instruction",
        owns: |place| matches!(place, Place::MethodPart(_, MethodPart::Native | MethodPart::NativeAt(_))),
        new: panes::machine::new,
    },
    PaneDef {
        id: "scopes",
        item: "name",
        owns: |place| matches!(place, Place::MethodPart(_, MethodPart::Scopes)),
        new: panes::scopes::new,
    },
    PaneDef { id: "trace", item: "frame", owns: |_| false, new: panes::trace::new },
    PaneDef { id: "used-by", item: "user", owns: |_| false, new: panes::tables::used_by },
    PaneDef { id: "compare", item: "change", owns: |_| false, new: panes::compare::new },
    PaneDef { id: "player", item: "step", owns: |_| false, new: panes::player::new },
    PaneDef { id: "source", item: "line", owns: |place| matches!(place, Place::Line(..)), new: panes::source::new },
];

/// Ids of the panes that show facts of both files in one row: of a mismatched pair, those do not belong together.
pub(crate) const OF_BOTH_FILES: &[&str] = &["methods", "il", "scopes", "source", "here", "trace"];
const BYTES: (Slot, &str) = (Slot::Bytes, "bytes");
const FIELDS: (Slot, &str) = (Slot::Fields, "fields");

/// All views, in the order of the number keys.
pub const VIEWS: &[ViewDef] = &[
    ViewDef {
        view: View::Summary,
        name: "Summary",
        short: "Sum",
        panes: &[(Slot::Top, "match"), (Slot::Main(0), "overview"), (Slot::Side, "guide"), BYTES, FIELDS],
        shape: Shape { main: [0, 68, 110], ..Shape::USUAL },
        folds_bytes: true,
        focus: Slot::Main(0),
        home: |_| Place::Overview,
        shows: |place| matches!(place, Place::Overview | Place::Findings | Place::Places),
        also: |_| false,
    },
    ViewDef {
        view: View::File,
        name: "File",
        short: "File",
        panes: &[(Slot::Nav, "parts"), (Slot::Main(0), "layout"), (Slot::Main(1), "records"), BYTES, FIELDS],
        shape: Shape { nav: [27, 34, 38], first: 11, beside: [0, 0], grows: false, ..Shape::USUAL },
        folds_bytes: false,
        focus: Slot::Nav,
        home: panes::parts::home,
        shows: |place| {
            let list = place.is_of_native_code() && place.code_unit().is_none() && !panes::tables::is_of_types(place);
            panes::lists::is_of_image(place)
                || place.is_of_streams()
                || list
                || matches!(place, Place::Header | Place::Parts | Place::Part(_) | Place::Metadata(..))
        },
        also: |place| {
            panes::tables::is_of_types(place)
                || matches!(place, Place::Table(..) | Place::Row(..) | Place::Heap(..) | Place::HeapEntry(..))
        },
    },
    ViewDef {
        view: View::Tables,
        name: "Tables",
        short: "Tab",
        panes: &[(Slot::Nav, "tables"), (Slot::Main(0), "rows"), BYTES, FIELDS],
        shape: Shape { nav: [27, 32, 36], ..Shape::USUAL },
        folds_bytes: false,
        focus: Slot::Nav,
        home: panes::tables::home,
        shows: panes::tables::shows,
        also: |_| false,
    },
    ViewDef {
        view: View::Methods,
        name: "Methods",
        short: "Meth",
        panes: &[
            (Slot::Nav, "methods"),
            (Slot::Main(0), "il"),
            (Slot::Side, "source"),
            (Slot::Below, "scopes"),
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
        name: "Sources",
        short: "Src",
        panes: &[(Slot::Nav, "documents"), (Slot::Main(0), "source"), (Slot::Main(1), "here"), BYTES, FIELDS],
        shape: Shape { nav: [28, 48, 48], first: 20, beside: [94, 60], ..Shape::USUAL },
        folds_bytes: true,
        focus: Slot::Nav,
        home: panes::documents::home,
        shows: |place| matches!(place, Place::Documents | Place::Document(_) | Place::Line(..)),
        also: |_| false,
    },
    ViewDef {
        view: View::Trace,
        name: "Trace",
        short: "Trc",
        panes: &[(Slot::Main(0), "trace"), (Slot::Main(1), "source"), BYTES, FIELDS],
        shape: Shape { first: 23, beside: [116, 0], fields: 2, ..Shape::USUAL },
        folds_bytes: true,
        focus: Slot::Main(0),
        home: |_| Place::Trace,
        shows: |place| place == Place::Trace,
        also: |_| false,
    },
    ViewDef {
        view: View::Compare,
        name: "Compare",
        short: "Cmp",
        panes: &[(Slot::Main(0), "compare"), BYTES],
        shape: Shape { fields: 2, ..Shape::USUAL },
        folds_bytes: true,
        focus: Slot::Main(0),
        home: |_| Place::Overview,
        shows: |_| false,
        also: |_| true,
    },
    ViewDef {
        view: View::UsedBy,
        name: "Used by",
        short: "Use",
        panes: &[(Slot::Main(0), "used-by"), (Slot::Main(1), "source"), BYTES, FIELDS],
        shape: Shape { first: 15, beside: [100, 0], fields: 2, ..Shape::USUAL },
        folds_bytes: true,
        focus: Slot::Main(0),
        home: |_| Place::Overview,
        shows: |_| false,
        also: |_| true,
    },
    ViewDef {
        view: View::Learn,
        name: "Learn",
        short: "Lrn",
        panes: &[(Slot::Main(0), "player"), (Slot::Fields, "source"), BYTES],
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

/// Index into [`PANES`].
pub(crate) fn pane_index(id: &str) -> usize {
    PANES.iter().position(|pane| pane.id == id).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_session::session::Session;

    #[test]
    fn views_are_made_of_panes_that_are_there_and_focus_one_of_them() {
        for (index, view) in VIEWS.iter().enumerate() {
            assert_eq!(view.view as usize, index, "{}", view.name);
            for (_, id) in view.panes {
                assert!(PANES.iter().any(|pane| pane.id == *id), "{} has no pane {id}", view.name);
            }
            assert!(view.panes.iter().any(|(slot, _)| *slot == view.focus), "{}", view.name);
            let home = (view.home)(&Session::sample());
            assert!(view.can_show(home), "{} does not show where it begins", view.name);
        }
        for (index, pane) in PANES.iter().enumerate() {
            assert!(PANES.iter().skip(index + 1).all(|other| other.id != pane.id), "{} twice", pane.id);
        }
    }
}

//! Facts about lists and streams that several panes need.

use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::stream::{Owner, PageUse, PdbView};
use pdblens_nodes::tables;
use pdblens_nodes::{self as nodes, MetadataPart, Place};
use pdblens_session::session::Session;
use pdblens_session::source::{HashVerdict, Unknown};

pub const fn is_row(place: Place) -> bool {
    matches!(place, Place::Row(..) | Place::HeapEntry(..) | Place::MdbRow(..))
}

/// Returns whether a place is a list of symbols outside of metadata.
pub const fn is_list(place: Place) -> bool {
    use Place::{Contributions, Documents, Functions, Globals, Ids, Mdb, Modules, Names, Publics, SectionMap, Types};
    matches!(
        place,
        Modules | Functions | Types | Ids | Publics | Globals | SectionMap | Contributions | Documents | Names | Mdb(_)
    )
}

/// Returns whether a place is a list that fills the view, or in one.
pub const fn fills_view(place: Place) -> bool {
    let of_metadata = matches!(place, Place::Table(..) | Place::Heap(..));
    // Functions and documents have their own views.
    let of_symbols = is_list(place) && !matches!(place, Place::Functions | Place::Documents);
    let inside = matches!(place, Place::Module(_) | Place::Type(_) | Place::TypeLayout(_) | Place::Id(_));
    of_metadata || of_symbols || inside || is_row(place)
}

/// Returns whether a place is one of the lists of native types, or in one.
pub const fn is_of_types(place: Place) -> bool {
    matches!(place, Place::Types | Place::Type(_) | Place::TypeLayout(_) | Place::Ids | Place::Id(_))
}

/// The list that a place is, or is in.
pub fn list_of(place: Place) -> Option<Place> {
    match place {
        Place::Table(..) | Place::Heap(..) | Place::TypeLayout(_) => Some(place),
        place if is_row(place) => place.parent(),
        Place::Module(_) | Place::Type(_) | Place::Id(_) => place.parent(),
        place if is_list(place) => Some(place),
        _ => None,
    }
}

/// The length of a list, `…` while it is unknown.
pub fn length_text(len: Option<usize>) -> String {
    len.map_or_else(|| "…".to_owned(), |len| len.to_string())
}

/// Builds the indexes of lists of symbols whose lengths are unknown; takes time.
pub fn read_symbol_tables(session: &Session) {
    let unread = tables::symbol_tables(session).into_iter();
    let unread = unread.filter_map(|(_, place, _)| nodes::required_index(session, place));
    unread.for_each(|required| nodes::build_index(session, required));
}

/// The metadata stream of a table, heap or row.
pub fn stream_of_metadata(session: &Session, place: Place) -> Option<Place> {
    let (side, names) = match place {
        Place::Heap(side, heap) | Place::HeapEntry(side, heap, _) => (side, [heap.stream(), ""]),
        Place::Table(side, _) | Place::Row(side, ..) | Place::Metadata(side, MetadataPart::TablesHeader) => {
            (side, ["#~", "#-"])
        }
        Place::Metadata(side, MetadataPart::PdbStream) => (side, ["#Pdb", ""]),
        _ => return None,
    };
    let streams = &side.metadata(session)?.root.streams;
    let index = streams.iter().position(|stream| names.contains(&stream.name.as_str()))?;
    Some(Place::Metadata(side, MetadataPart::Stream(index as u16)))
}

/// Returns whether a place is a structure of the image, outside of its metadata.
pub const fn is_of_image(place: Place) -> bool {
    matches!(
        place,
        Place::Pe
            | Place::PePart(_)
            | Place::EntryStub
            | Place::ManifestResource(_)
            | Place::ReadyToRun
            | Place::R2r(_)
            | Place::Exceptions
            | Place::Relocations
            | Place::RelocationBlock(_)
            | Place::Contribution(_)
    )
}

/// Returns whether the fields of a place show below the picture, instead of the list that it is or is in.
pub const fn has_records(place: Place) -> bool {
    is_of_image(place) || matches!(place, Place::Bytes(_))
}

pub fn stream_of_page(session: &Session, page: u32) -> Option<u32> {
    if nodes::required_index(session, Place::Page(page)).is_some() {
        return None;
    }
    let view = PdbView::of(session)?;
    match page_owner(&view, page).page_use()? {
        PageUse::Stream { stream, .. } => Some(stream),
        _ => None,
    }
}

pub fn page_owner(view: &PdbView<'_>, page: u32) -> Owner {
    view.pdb.msf.page_map(view.spaces).owner(&view.pdb.msf, page)
}

pub fn field_rows(session: &Session, place: Place) -> Option<Rows<'static>> {
    let fields = nodes::fields(session, place)?;
    let rows = fields.rows.into_iter().map(|field| {
        let meaning = Cell { to: field.to, tone: Tone::Text, ..Cell::new(field.meaning) };
        let cells = if field.group {
            vec![Cell::toned(field.name, Tone::Dim)]
        } else {
            vec![Cell::new(field.name), Cell::new(field.value), meaning]
        };
        Row { depth: field.depth, ..Row::plain(cells).from(field.span) }
    });
    let columns = Head::list(["field", "value", "meaning"]);
    Some(Rows::of(fields.title, columns, rows.collect()))
}

pub const fn verdict_sign(verdict: HashVerdict) -> (&'static str, Tone) {
    match verdict {
        HashVerdict::Verified(_) => ("✓", Tone::Ok),
        HashVerdict::Differs => ("✗", Tone::Bad),
        HashVerdict::CannotTell(Unknown::NoText) => ("?", Tone::Dim),
        HashVerdict::CannotTell(_) => ("!", Tone::Warn),
    }
}

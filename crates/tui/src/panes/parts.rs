//! The Parts pane: the parts of an image as a tree, in file order.

use crate::engine::action::Action;
use crate::panes::pane::Pane;
use crate::panes::tree_def::TreeDef;
use crate::panes::tree_pane;
use crate::state::effect::Effect;
use pdblens_nodes::pe::linker_parts;
use pdblens_nodes::rows::{Cell, Head, Row, Tone};
use pdblens_nodes::{self as nodes, PePart, Place, Side, method};
use pdblens_session::session::Session;

static PARTS: TreeDef = TreeDef {
    name: "Parts",
    columns: &[Head::text(""), Head::number("")],
    exported: &[Head::text("part"), Head::number("size")],
    folds: true,
    flush: true,
    rows: |session, _| parts(session),
    starts_closed: |row| row.place == Some(Place::PePart(PePart::Directories)),
    substitute: section_of,
    on_enter: |_, place| match place {
        Place::PePart(PePart::Directories | PePart::Sections | PePart::DebugDirectory) => None,
        _ => Some(Effect::Dispatch(Action::NextPane)),
    },
    empty_text: |_| "no image is open".to_owned(),
    ..TreeDef::USUAL
};

pub fn new() -> Box<dyn Pane> {
    tree_pane::new(&PARTS)
}

/// The section that contains a place outside of the headers.
fn section_of(session: &Session, place: Place) -> Option<Place> {
    let pe = &session.image()?.pe;
    let span = match place {
        Place::Method(method) => method::body(session, method).ok()??.span,
        Place::Metadata(Side::Image, _)
        | Place::Table(Side::Image, _)
        | Place::Row(Side::Image, ..)
        | Place::Heap(Side::Image, _)
        | Place::HeapEntry(Side::Image, ..) => session.metadata()?.root.region.span(),
        Place::Bytes(span) => span,
        _ => return None,
    };
    let index = pe.sections.iter().position(|section| section.data.covers(span))?;
    Some(Place::PePart(PePart::Section(index as u16)))
}

fn size(bytes: u64) -> Cell {
    Cell::toned(bytes.to_string(), Tone::Dim)
}

fn parts(session: &Session) -> Vec<Row> {
    let Some(image) = session.image() else { return Vec::new() };
    let pe = &image.pe;
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |depth: u8, name: &str, part: PePart, size: Cell, tone: Tone| {
        let row = Row::at(Place::PePart(part), vec![Cell::toned(name, tone), size]);
        rows.push(Row { depth, ..row });
    };
    let of = |part: PePart| nodes::bytes(session, Place::PePart(part)).map_or(0, |span| span.len);
    for (name, part) in
        [("DOS header", PePart::Dos), ("COFF header", PePart::Coff), ("optional header", PePart::Optional)]
    {
        add(0, name, part, size(of(part)), Tone::Text);
    }
    let counted = |count: usize| Cell::toned(count.to_string(), Tone::Dim);
    add(0, "data directories", PePart::Directories, counted(pe.directories.len()), Tone::Text);
    for (index, directory) in pe.directories.iter().enumerate() {
        let (shown, tone) = if directory.is_present() {
            (size(directory.size.into()), Tone::Text)
        } else {
            (Cell::default(), Tone::Dim)
        };
        add(1, directory.name(), PePart::Directory(index as u8), shown, tone);
    }
    add(0, "sections", PePart::Sections, counted(pe.sections.len()), Tone::Text);
    for (index, section) in pe.sections.iter().enumerate() {
        add(1, &section.name, PePart::Section(index as u16), size(section.data.len), Tone::Text);
    }
    if pe.cli.is_some() {
        add(0, "CLI header", PePart::Cli, size(of(PePart::Cli)), Tone::Text);
    }
    add(0, "debug directory", PePart::DebugDirectory, counted(pe.debug.len()), Tone::Text);
    for (index, entry) in pe.debug.iter().enumerate() {
        let tone = if entry.payload.is_err() { Tone::Bad } else { Tone::Text };
        add(1, entry.name(), PePart::Debug(index as u16), size(entry.header.size_of_data.into()), tone);
    }
    for part in linker_parts::present(session) {
        let entries = linker_parts::count(session, part).unwrap_or(0);
        add(0, linker_parts::name(part), part, counted(entries), Tone::Text);
    }
    rows
}

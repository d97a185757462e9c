//! Headers and sections of the image that own a byte.

use super::exports::with_nul;
use super::resources;
use crate::owner::{FindOwners, OwnerSearch, Turn};
use crate::place::{PePart, Place};
use pdblens_formats::pe::exports::Exports;
use pdblens_formats::pe::imports::Imports;
use pdblens_formats::pe::{Directory, ImagePart};

pub(super) const PARTS: &[FindOwners] =
    &[(Turn::Records, of_headers), (Turn::Records, of_linker_tables), (Turn::Sections, of_sections)];

/// Headers, and what the data directories lead to.
fn of_headers(search: &mut OwnerSearch<'_>) {
    let Some(image) = search.session.image().filter(|image| image.space == search.byte.space) else { return };
    let pe = &image.pe;
    for part in [ImagePart::Dos, ImagePart::Coff, ImagePart::Optional, ImagePart::Cli] {
        search.add(Place::PePart(part.into()), pe.span(part).unwrap_or_default());
    }
    for (index, directory) in pe.directories.iter().enumerate() {
        let place = Place::PePart(PePart::Directory(index as u8));
        search.add(place, directory.span);
        // What these lead to has places of its own.
        if !matches!(index as u8, Directory::CLI | Directory::DEBUG) {
            search.add(place, directory.data.unwrap_or_default());
        }
    }
    for (index, section) in pe.sections.iter().enumerate() {
        search.add(Place::PePart(PePart::Section(index as u16)), section.header.span);
    }
    for (index, entry) in pe.debug.iter().enumerate() {
        let place = Place::PePart(PePart::Debug(index as u16));
        search.add(place, entry.header.span);
        search.add(place, entry.data.unwrap_or_default());
    }
}

/// Records of imports, exports, resources and the Rich header, which may lie outside their data directory.
fn of_linker_tables(search: &mut OwnerSearch<'_>) {
    let session = search.session;
    let Some(image) = session.image().filter(|image| image.space == search.byte.space) else { return };
    let tables = image.linker_tables();
    of_imports(search, &tables.imports);
    if let Some(exports) = tables.exports.as_ref().and_then(|exports| exports.as_ref().ok()) {
        of_exports(search, exports);
    }
    for (entry, index) in tables.resources.entries.iter().zip(0..) {
        for span in resources::spans(entry) {
            search.add(Place::PePart(PePart::Resource(index)), span);
        }
    }
    search.add(Place::PePart(PePart::Resources), tables.resources.root);
    let rich = tables.rich.as_ref().map(|rich| rich.span);
    for (part, span) in
        [(PePart::Version, tables.version_span), (PePart::Manifest, tables.manifest), (PePart::Rich, rich)]
    {
        search.add(Place::PePart(part), span.unwrap_or_default());
    }
}

fn of_imports(search: &mut OwnerSearch<'_>, imports: &Imports) {
    let mut next = [0, 0];
    for library in &imports.libraries {
        let part = if library.delayed { PePart::DelayImport } else { PePart::Import };
        let next = &mut next[usize::from(library.delayed)];
        let first = Place::PePart(part(*next));
        search.add(first, library.span);
        search.add(first, with_nul(library.name_span));
        for (function, index) in library.functions.iter().zip(*next..) {
            for span in [function.span, function.slot_span, function.name_span] {
                search.add(Place::PePart(part(index)), span);
            }
        }
        *next += library.functions.len().max(1) as u32;
    }
    for (delayed, part) in [(false, PePart::Imports), (true, PePart::DelayImports)] {
        search.add(Place::PePart(part), imports.descriptors(delayed).unwrap_or_default());
    }
}

fn of_exports(search: &mut OwnerSearch<'_>, exports: &Exports) {
    search.add(Place::PePart(PePart::Exports), exports.span);
    for (export, index) in exports.exports.iter().zip(0..) {
        let [pointer, ordinal] = export.key_spans;
        for span in [export.span, pointer, ordinal, with_nul(export.forward_span), with_nul(export.name_span)] {
            search.add(Place::PePart(PePart::Export(index)), span);
        }
    }
}

/// The section, where nothing in it is known to have the byte.
fn of_sections(search: &mut OwnerSearch<'_>) {
    let Some(image) = search.session.image().filter(|image| image.space == search.byte.space) else { return };
    for (index, section) in image.pe.sections.iter().enumerate() {
        search.add(Place::PePart(PePart::Section(index as u16)), section.data);
    }
}

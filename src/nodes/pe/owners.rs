//! Headers and sections of the image that have a byte.

use super::PePart;
use crate::formats::pe::{Directory, Part};
use crate::nodes::Place;
use crate::nodes::owner::{FindOwners, OwnerSearch, Turn};

pub(super) const PARTS: &[FindOwners] = &[(Turn::Records, of_headers), (Turn::Sections, of_sections)];

/// Headers, and what the data directories lead to.
fn of_headers(search: &mut OwnerSearch<'_>) {
    let Some(image) = search.session.image().filter(|image| image.space == search.byte.space) else { return };
    let pe = &image.pe;
    for part in [Part::Dos, Part::Coff, Part::Optional, Part::Cli] {
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

/// The section, where nothing in it is known to have the byte.
fn of_sections(search: &mut OwnerSearch<'_>) {
    let Some(image) = search.session.image().filter(|image| image.space == search.byte.space) else { return };
    for (index, section) in image.pe.sections.iter().enumerate() {
        search.add(Place::PePart(PePart::Section(index as u16)), section.data);
    }
}

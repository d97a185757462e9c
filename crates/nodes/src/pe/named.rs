//! Sections, data directories, debug entries and the tables of the linker with their entries, by name.

use super::{PePart, linker_parts};
use crate::Place;
use crate::named::{AddNamed, Turn, add_column};

pub(super) const PARTS: &[AddNamed] = &[(Turn::Image, |session, list| {
    let Some(image) = session.image() else { return Some(()) };
    for (number, section) in image.pe.sections.iter().enumerate() {
        list.add(Place::PePart(PePart::Section(number as u16)), &section.name)?;
    }
    for (number, directory) in image.pe.directories.iter().enumerate().filter(|(_, found)| found.is_present()) {
        list.add(Place::PePart(PePart::Directory(number as u8)), directory.name())?;
    }
    for (number, entry) in image.pe.debug.iter().enumerate() {
        list.add(Place::PePart(PePart::Debug(number as u16)), entry.name())?;
    }
    for part in linker_parts::present(session) {
        list.add(Place::PePart(part), linker_parts::name(part))?;
    }
    for (part, column) in [
        (PePart::Imports, "name"),
        (PePart::DelayImports, "name"),
        (PePart::Exports, "name"),
        (PePart::Resources, "resource"),
    ] {
        add_column(session, list, Place::PePart(part), column)?;
    }
    Some(())
})];

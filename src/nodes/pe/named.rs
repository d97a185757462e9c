//! Sections, data directories and debug entries, by name.

use super::PePart;
use crate::nodes::Place;
use crate::nodes::named::{AddNamed, Turn};

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
    Some(())
})];

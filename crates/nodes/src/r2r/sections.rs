//! Sections of the tables, and the lists that they are shown as.

use crate::place::{Place, R2rPart};
use pdblens_formats::r2r::section;
use pdblens_session::precompiled::Precompiled;
use pdblens_session::session::Session;

/// The tables of the open image.
pub(crate) fn of(session: &Session) -> Option<Precompiled<'_>> {
    Precompiled::tables(session)
}

/// Sections whose entries are listed, each with its list.
pub(super) const LISTS: [(u32, R2rPart); 6] = [
    (section::ENTRY_POINTS, R2rPart::EntryPoints),
    (section::RUNTIME_FUNCTIONS, R2rPart::Functions),
    (section::DEBUG_INFO, R2rPart::DebugInfos),
    (section::IMPORTS, R2rPart::Imports),
    (section::INSTANCES, R2rPart::Instances),
    (section::AVAILABLE_TYPES, R2rPart::Types),
];

/// The section whose entries a part lists.
pub(super) fn section_of(part: R2rPart) -> Option<u32> {
    LISTS.iter().find(|(_, list)| *list == part).map(|(kind, _)| *kind)
}

/// Place that a section is listed at.
pub(super) fn home(kind: u32) -> Place {
    let is_inlining = matches!(kind, section::INLINING | section::INLINING_2 | section::CROSS_MODULE_INLINING);
    let list = LISTS.iter().find(|(own, _)| *own == kind).map(|(_, list)| *list);
    Place::R2r(list.unwrap_or(if is_inlining { R2rPart::Inlinings } else { R2rPart::Section(kind) }))
}

//! Content of a Windows PDB, stream by stream.
//!
//! A [`PdbView`] knows what each stream is and takes those with a known layout apart into `StreamPart`s: records that stand one
//! after the other and tile the stream. Lists show a line for each part, explanations the fields of one.

use super::StreamParts;
use crate::place::Place;
use pdblens_formats::bytes::{Region, Slice, SpaceId, Spaces, Span};
use pdblens_formats::managed::WindowsPdb;
use pdblens_formats::pdb::dbi::DEBUG_STREAMS;
use pdblens_formats::pdb::{PdbTables, StreamKind};
use pdblens_session::session::Session;
use pdblens_session::symbols::WindowsSymbols;
use pdblens_session::text::cpp_types::TypeNames;
use pdblens_session::text::safe::utf8;

/// A Windows PDB, and the bytes that it is read from.
#[derive(Clone, Copy, Debug)]
pub struct PdbView<'s> {
    pub pdb: &'s WindowsPdb,
    pub spaces: &'s Spaces,
    /// Functions, types and addresses of native code; `None` for managed code.
    pub native: Option<&'s PdbTables>,
    pub(super) kept: &'s StreamParts,
}

impl<'s> PdbView<'s> {
    /// View of the symbols, where they are a Windows PDB.
    pub fn of(session: &'s Session) -> Option<Self> {
        let native = session.native_pdb().map(WindowsSymbols::tables);
        Some(Self { pdb: session.windows_pdb()?, spaces: session.spaces(), native, kept: session.cache().get() })
    }

    pub fn stream_name(&self, stream: u32) -> String {
        match self.pdb.kind_of(stream) {
            StreamKind::OldDirectory => "directory of an earlier commit".to_owned(),
            StreamKind::Info => "PDB info".to_owned(),
            StreamKind::Types => "TPI (types)".to_owned(),
            StreamKind::Dbi => "DBI (debug information)".to_owned(),
            StreamKind::Ids => "IPI (ids)".to_owned(),
            StreamKind::Named(index) => self.named(index).to_owned(),
            StreamKind::Module(module) => format!("module {}", self.module_name(module)),
            StreamKind::Globals => "GSI (global symbol hash)".to_owned(),
            StreamKind::Publics => "PSI (public symbol hash)".to_owned(),
            StreamKind::SymbolRecords => "symbol records".to_owned(),
            StreamKind::Debug(index) => DEBUG_STREAMS.get(index as usize).map_or("?", |doc| doc.name).to_owned(),
            StreamKind::TypeHashes => "TPI hash".to_owned(),
            StreamKind::IdHashes => "IPI hash".to_owned(),
            StreamKind::Unknown => String::new(),
        }
    }

    /// The name of a named stream; empty for a number that is none's.
    pub(super) fn named(&self, index: u32) -> &'s str {
        self.pdb.info.names.get(index as usize).map_or("", |named| named.name.value.as_str())
    }

    pub fn module_name(&self, module: u32) -> String {
        self.module_names(module).0
    }

    /// Name of a module, and the file that it was linked from.
    pub(crate) fn module_names(&self, module: u32) -> (String, String) {
        let found = self.pdb.modules().get(module as usize).zip(self.pdb.dbi.as_ref());
        let info = found.and_then(|(module, dbi)| dbi.names_of(module).ok());
        let text = |slice: Slice<'_>| utf8(slice.data).into_owned();
        info.map_or_else(Default::default, |info| (text(info.name), text(info.object)))
    }

    pub fn region(&self, stream: u32) -> Option<Region> {
        self.pdb.stream(self.spaces, stream).ok()
    }

    pub fn span(&self, stream: u32) -> Option<Span> {
        let space = self.pdb.msf.stream(stream)?.space;
        self.span_of(space)
    }

    pub(super) fn span_of(&self, space: SpaceId) -> Option<Span> {
        Some(Span::new(space, 0, self.spaces.get(space)?.len()))
    }

    /// The names of types; of managed code there are none.
    pub fn type_names(&self) -> Option<TypeNames<'s>> {
        let native = self.native?;
        Some(TypeNames::new(native.types(self.pdb, self.spaces), native.ids(self.pdb, self.spaces)))
    }

    /// The place of a type or an id; those that are built in have none.
    pub(crate) fn type_place(&self, number: u32, ids: bool) -> Option<Place> {
        let native = self.native?;
        let types = if ids { native.ids(self.pdb, self.spaces) } else { native.types(self.pdb, self.spaces) };
        types.get(number)?;
        Some(if ids { Place::Id(number) } else { Place::Type(number) })
    }

    pub fn rva(&self, section: u16, offset: u32) -> Option<u32> {
        self.native?.addresses(self.pdb, self.spaces).rva(section, offset)
    }
}

/// Runs of pages: the first and the last page of each.
pub(crate) fn page_runs(pages: &[u32]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for page in pages {
        match runs.last_mut() {
            Some((_, last)) if *page == last.wrapping_add(1) => *last = *page,
            _ => runs.push((*page, *page)),
        }
    }
    runs
}

/// Page numbers as people write them: `12–15, 20`; of long lists the beginning.
pub fn page_ranges(pages: &[u32]) -> String {
    ranges_text(&page_runs(pages))
}

pub(crate) fn ranges_text(ranges: &[(u32, u32)]) -> String {
    const MAX_RANGES: usize = 6;
    let range = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}–{last}") }
    };
    let shown: Vec<String> = ranges.iter().take(MAX_RANGES).map(range).collect();
    let more = if ranges.len() > MAX_RANGES { ", …" } else { "" };
    shown.join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::page_ranges;

    #[test]
    fn pages_in_a_row_are_a_range() {
        assert_eq!(page_ranges(&[3, 4, 5, 9, 2, 1]), "3–5, 9, 2, 1");
        assert_eq!(page_ranges(&[]), "");
        assert_eq!(page_ranges(&[1, 3, 5, 7, 9, 11, 13, 15]), "1, 3, 5, 7, 9, 11, …");
        assert_eq!(page_ranges(&[u32::MAX, 0]), "4294967295–0");
    }
}

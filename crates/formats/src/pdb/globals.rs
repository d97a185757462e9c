//! Public and global symbols, in the symbol record stream that all modules share.
//!
//! Publics come from the linker: decorated names with addresses. Globals come from the compilers: constants, names of
//! types, and references to functions and data in the modules' streams. Both are in one stream; two others, GSI and
//! PSI, are hash tables to find them by name.

use super::Pdb;
use crate::bytes::{Error, Region, Result, Spaces, or_problem};
use crate::codeview::symbols::{Record, Records, Symbol, kind};

/// Index of public and global symbols, 4 bytes for each, and 4 more for each of data.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default)]
pub struct Globals {
    region: Region,
    /// Offsets of the records of public symbols, by address.
    publics: Vec<u32>,
    /// Offsets of the records of global symbols, in the order of the stream.
    others: Vec<u32>,
    /// Offsets of the records of data among the global symbols, by address.
    data: Vec<u32>,
    pub problems: Vec<Error>,
}

impl Globals {
    /// Indexes the symbol record stream.
    pub fn read(pdb: &Pdb, spaces: &Spaces) -> Self {
        let stream = pdb.dbi.as_ref().map(|dbi| dbi.header.symbol_record_stream).filter(|stream| *stream != u16::MAX);
        match stream.map(|stream| pdb.stream(spaces, stream as u32)) {
            None => Self::default(),
            Some(Err(error)) => Self { problems: vec![error], ..Self::default() },
            Some(Ok(region)) => Self::parse(region),
        }
    }

    fn parse(region: Region) -> Self {
        let mut found = Self::default();
        let (mut publics, mut data) = (Vec::new(), Vec::new());
        for record in Records::new(region.slice(), 0) {
            let Some(record) = or_problem(record, &mut found.problems) else { break };
            let at = (record.span().start - region.span().start) as u32;
            let symbols = match record.kind {
                kind::PUBLIC => &mut publics,
                kind::LOCAL_DATA | kind::GLOBAL_DATA => &mut data,
                _ => {
                    found.others.push(at);
                    continue;
                }
            };
            found.others.extend((record.kind != kind::PUBLIC).then_some(at));
            match Symbol::decode(&mut record.slice.cursor()) {
                Ok(symbol) => symbols.push((symbol.section, symbol.offset, at)),
                // Errors in other records are found where those are read.
                Err(error) => found.problems.extend((record.kind == kind::PUBLIC).then_some(error)),
            }
        }
        let by_address = |mut symbols: Vec<(u16, u32, u32)>| {
            symbols.sort_unstable();
            symbols.into_iter().map(|(.., at)| at).collect()
        };
        (found.publics, found.data) = (by_address(publics), by_address(data));
        found.region = region;
        found
    }

    /// Numbers of publics and of globals.
    pub const fn counts(&self) -> (u32, u32) {
        (self.publics.len() as u32, self.others.len() as u32)
    }

    /// Offsets of the records of publics, by address, and of globals, in the order of the stream.
    pub fn offsets(&self) -> (&[u32], &[u32]) {
        (&self.publics, &self.others)
    }

    /// The public symbol at `row`, in the order of addresses.
    pub fn public(&self, row: u32) -> Option<Record<'_>> {
        self.record(*self.publics.get(row as usize)?)
    }

    /// The global symbol at `row`, in the order of the stream.
    pub fn global(&self, row: u32) -> Option<Record<'_>> {
        self.record(*self.others.get(row as usize)?)
    }

    fn record(&self, at: u32) -> Option<Record<'_>> {
        Records::new(self.region.slice(), at as u64).next()?.ok()
    }

    /// All publics, in the order of addresses.
    pub fn publics(&self) -> impl Iterator<Item = Result<Symbol<'_>>> {
        (0..self.counts().0).filter_map(|row| Some(Symbol::decode(&mut self.public(row)?.slice.cursor())))
    }

    /// Row of the last public symbol at or before an address of the same section.
    pub fn public_row_at(&self, (section, offset): (u16, u32)) -> Option<u32> {
        let symbol = |at: &u32| Symbol::decode(&mut self.record(*at)?.slice.cursor()).ok();
        let behind = self.publics.partition_point(|at| {
            symbol(at).is_some_and(|symbol| (symbol.section, symbol.offset) <= (section, offset))
        });
        let row = behind.checked_sub(1)?;
        let found = self.publics.get(row).and_then(symbol)?;
        (found.section == section).then_some(row as u32)
    }

    /// Global symbol of the data at an address.
    pub fn data_at(&self, address: (u16, u32)) -> Option<Record<'_>> {
        let symbol = |at: &u32| Symbol::decode(&mut self.record(*at)?.slice.cursor()).ok();
        let address_of = |at: &u32| symbol(at).map(|symbol| (symbol.section, symbol.offset));
        let row = self.data.partition_point(|at| address_of(at).is_some_and(|found| found < address));
        let at = self.data.get(row).filter(|at| address_of(at) == Some(address))?;
        self.record(*at)
    }

    /// The last public symbol at or before an address of the same section.
    pub fn public_at(&self, address: (u16, u32)) -> Option<Symbol<'_>> {
        self.public(self.public_row_at(address)?)?.read().ok()
    }
}

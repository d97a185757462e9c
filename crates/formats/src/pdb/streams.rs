//! Kinds of streams in a PDB: four have fixed numbers, the others are named by one of those.

use super::Pdb;
use super::dbi::{Dbi, DbiHeader, NO_STREAM};
use super::info::Info;
use super::tpi::TpiHeader;
use crate::bytes::{At, Error};

/// Fixed stream numbers.
pub const INFO: u32 = 1;
/// Type information.
pub const TPI: u32 = 2;
/// Debug information stream (DBI).
pub const DBI: u32 = 3;
/// Ids: functions, build information and strings.
pub const IPI: u32 = 4;

/// Kind of a stream.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StreamKind {
    /// Previous stream directory.
    OldDirectory,
    Info,
    Types,
    Dbi,
    Ids,
    /// Named stream: index in [`Info::names`].
    Named(u32),
    /// Symbols and lines of a module: index in [`Dbi::modules`].
    Module(u32),
    /// Hash table of global symbols (GSI).
    Globals,
    /// Hash table and address map of public symbols (PSI).
    Publics,
    /// Records of global and public symbols.
    SymbolRecords,
    /// Copy of a part of the image: index in [`DEBUG_STREAMS`](super::dbi::DEBUG_STREAMS).
    Debug(u32),
    /// Hash stream of the TPI.
    TypeHashes,
    /// Hash stream of the IPI.
    IdHashes,
    #[default]
    Unknown,
}

pub(super) struct Kinds {
    pub(super) kinds: Vec<StreamKind>,
    pub(super) problems: Vec<Error>,
}

impl Kinds {
    /// `has_ids`: stream 4 is the IPI, and not whatever its owner says.
    pub(super) fn new(count: u32, has_ids: bool) -> Self {
        let mut kinds = Self { kinds: vec![StreamKind::Unknown; count as usize], problems: Vec::new() };
        let fourth = if has_ids { StreamKind::Ids } else { StreamKind::Unknown };
        let fixed = [StreamKind::OldDirectory, StreamKind::Info, StreamKind::Types, StreamKind::Dbi, fourth];
        for (kind, fixed) in kinds.kinds.iter_mut().zip(fixed) {
            *kind = fixed;
        }
        kinds
    }

    pub(super) fn add_info(&mut self, info: &Info) {
        for (index, named) in (0..).zip(&info.names) {
            self.add(named.stream, StreamKind::Named(index));
        }
    }

    pub(super) fn add_dbi(&mut self, dbi: &Dbi) {
        let header = &dbi.header;
        for (stream, doc, kind) in [
            (header.global_stream_index, &DbiHeader::global_stream_index, StreamKind::Globals),
            (header.public_stream_index, &DbiHeader::public_stream_index, StreamKind::Publics),
            (header.symbol_record_stream, &DbiHeader::symbol_record_stream, StreamKind::SymbolRecords),
        ] {
            self.add_if_any(At::new(stream, header.span_of(doc)), kind);
        }
        for (index, stream) in (0..).zip(&dbi.debug_streams) {
            self.add_if_any(*stream, StreamKind::Debug(index));
        }
        for (index, module) in (0..).zip(&dbi.modules) {
            self.add_if_any(At::new(module.stream, module.span), StreamKind::Module(index));
        }
    }

    pub(super) fn add_types(&mut self, header: &TpiHeader, kind: StreamKind) {
        self.add_if_any(At::new(header.hash_stream_index, header.span_of(&TpiHeader::hash_stream_index)), kind);
        self.add_if_any(At::new(header.hash_aux_stream_index, header.span_of(&TpiHeader::hash_aux_stream_index)), kind);
    }

    fn add_if_any(&mut self, stream: At<u16>, kind: StreamKind) {
        if stream.value != NO_STREAM {
            self.add(At::new(stream.value as u32, stream.span), kind);
        }
    }

    fn add(&mut self, stream: At<u32>, kind: StreamKind) {
        match self.kinds.get_mut(stream.value as usize) {
            Some(place @ StreamKind::Unknown) => *place = kind,
            Some(_) => self.problems.push(Error::invalid("the stream is used twice", stream.span)),
            None => self.problems.push(Error::no_such("stream", stream.value, self.kinds.len() as u64, stream.span)),
        }
    }
}

impl Pdb {
    /// Returns the kind of the stream with this number.
    pub fn kind_of(&self, stream: u32) -> StreamKind {
        self.kinds.get(stream as usize).copied().unwrap_or_default()
    }
}

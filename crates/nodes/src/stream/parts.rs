//! Streams taken apart into records.

use crate::lazy_index::{IndexKind, LazyIndex};
use crate::place::Place;
use crate::stream::{PartKind, PdbView, hash_parts};
use pdblens_formats::bytes::{Region, Result, Slice, Span, is_inside};
use pdblens_formats::codeview::c13::{CHECKSUMS, Subsections};
use pdblens_formats::codeview::symbols::{self, Records, kind};
use pdblens_formats::codeview::types as native_types;
use pdblens_formats::managed::SourceFile;
use pdblens_formats::managed::source_file::PREFIX;
use pdblens_formats::pdb::dbi::Dbi;
use pdblens_formats::pdb::{StreamKind, TpiHeader};
use pdblens_formats::pe::SectionHeader;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamPart {
    pub kind: PartKind,
    /// Offset in the stream.
    pub at: u32,
    pub len: u32,
    /// Number of scopes around it.
    pub depth: u8,
}

/// Records that are kept of streams other than the one looked at last.
const CACHE_CAPACITY: usize = 1 << 20;

/// The records of the streams that were looked at last: finding them takes a look at all of the stream.
#[derive(Debug, Default)]
pub(crate) struct StreamParts(Mutex<Vec<KeptParts>>);

#[derive(Clone, Debug)]
struct KeptParts {
    stream: u32,
    parts: Arc<[StreamPart]>,
    /// The checksums among them, which the lines of a module refer to.
    checksums: Option<StreamPart>,
}

impl StreamParts {
    fn get(&self, stream: u32) -> Option<KeptParts> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|kept| kept.stream == stream)?;
        let found = kept.remove(at);
        kept.push(found.clone());
        Some(found)
    }

    fn has(&self, stream: u32) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|kept| kept.stream == stream)
    }

    fn keep(&self, found: KeptParts) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.stream != found.stream);
        while kept.iter().map(|kept| kept.parts.len()).sum::<usize>() > CACHE_CAPACITY {
            kept.remove(0);
        }
        kept.push(found);
    }
}

static RECORDS: IndexKind = IndexKind {
    name: |of| stream_of(of).map_or_else(String::new, |stream| format!("stream {stream}")),
    size: |session, of| {
        let span = |stream| PdbView::of(session)?.span(stream);
        stream_of(of).and_then(span).map_or(0, |span| span.len)
    },
    is_built: |session, of| stream_of(of).is_some_and(|stream| session.cache().get::<StreamParts>().has(stream)),
    build: |session, of| {
        stream_of(of).zip(PdbView::of(session)).map(|(stream, view)| view.parts(stream));
    },
    is_optional: false,
};

const fn stream_of(place: Place) -> Option<u32> {
    match place {
        Place::Stream(stream) => Some(stream),
        _ => None,
    }
}

pub(crate) const fn records_index(stream: u32) -> LazyIndex {
    RECORDS.of(Place::Stream(stream))
}

pub(super) struct Parts {
    list: Vec<StreamPart>,
    /// Behind the last one.
    pub(super) at: u64,
}

impl Parts {
    pub(super) fn add(&mut self, kind: PartKind, len: u64) {
        self.nested(kind, len, 0);
    }

    fn nested(&mut self, kind: PartKind, len: u64, depth: u8) {
        if len > 0 {
            self.list.push(StreamPart { kind, at: self.at as u32, len: len as u32, depth });
            self.at += len;
        }
    }

    /// Adds what is left up to `end`.
    pub(super) fn rest(&mut self, kind: PartKind, end: u64) {
        self.add(kind, end.saturating_sub(self.at));
    }

    /// Adds records of one length, and what is left after the last.
    pub(super) fn rows(&mut self, kind: PartKind, size: u64, end: u64) {
        while end.saturating_sub(self.at) >= size {
            self.add(kind, size);
        }
        self.rest(PartKind::Bytes("left over"), end);
    }
}

impl PdbView<'_> {
    /// The records that a stream is made of: they tile it. None where its layout is not known.
    pub fn parts(&self, stream: u32) -> Arc<[StreamPart]> {
        self.kept_of(stream).parts
    }

    pub(super) fn checksums(&self, stream: u32) -> Option<StreamPart> {
        self.kept_of(stream).checksums
    }

    fn kept_of(&self, stream: u32) -> KeptParts {
        self.kept.get(stream).unwrap_or_else(|| {
            let parts: Arc<[StreamPart]> = self.take_apart(stream).into();
            let checksums = parts.iter().find(|part| part.kind == PartKind::Subsection(CHECKSUMS)).copied();
            let kept = KeptParts { stream, parts, checksums };
            self.kept.keep(kept.clone());
            kept
        })
    }

    fn take_apart(&self, stream: u32) -> Vec<StreamPart> {
        // A stream without a known layout may be most of a large file: it is not read.
        let kind = self.pdb.kind_of(stream);
        if kind == StreamKind::Unknown {
            return Vec::new();
        }
        let Some(region) = self.region(stream).filter(|region| u32::try_from(region.len()).is_ok()) else {
            return Vec::new();
        };
        let mut parts = Parts { list: Vec::new(), at: 0 };
        let end = region.len();
        match kind {
            StreamKind::OldDirectory => parts.rest(PartKind::Directory, end),
            StreamKind::Info => parts.rest(PartKind::Info, end),
            StreamKind::Types | StreamKind::Ids => types(&mut parts, &region),
            StreamKind::Dbi => {
                if let Some(dbi) = &self.pdb.dbi {
                    debug_information(&mut parts, dbi);
                }
                parts.rest(PartKind::Bytes("left over"), end);
            }
            StreamKind::Named(index) => match self.named(index) {
                "/names" => parts.rest(PartKind::Names, end),
                "/src/headerblock" => parts.rest(PartKind::HeaderBlock, end),
                "srcsrv" => parts.rest(PartKind::SrcSrv, end),
                name if name.starts_with("sourcelink") => parts.rest(PartKind::Text, end),
                name if name.starts_with(PREFIX) && SourceFile::read(&region).is_none() => {
                    parts.rest(PartKind::Text, end);
                }
                name if name.starts_with(PREFIX) => parts.rest(PartKind::SourceFile, end),
                _ => {}
            },
            StreamKind::Module(module) => self.module(&mut parts, module, &region),
            StreamKind::SymbolRecords => {
                symbols(&mut parts, region.slice());
                parts.rest(PartKind::Bytes("not decoded"), end);
            }
            StreamKind::Debug(3 | 4) => parts.rows(PartKind::Omap, 8, end),
            StreamKind::Debug(5 | 10) => parts.rows(PartKind::ImageSection, SectionHeader::SIZE, end),
            _ if hash_parts::take_apart(&mut parts, self, stream, &region) => {
                parts.rest(PartKind::Bytes("left over"), end);
            }
            _ => {}
        }
        parts.list
    }

    pub fn part(&self, stream: u32, at: u32) -> Option<StreamPart> {
        self.part_with(stream, at).filter(|part| part.at == at)
    }

    /// The record that has the byte at an offset of a stream.
    pub(crate) fn part_with(&self, stream: u32, at: u32) -> Option<StreamPart> {
        let parts = self.parts(stream);
        let index = parts.partition_point(|part| part.at <= at).checked_sub(1)?;
        parts.get(index).copied().filter(|part| is_inside(at, part.at, part.len))
    }

    fn module(&self, parts: &mut Parts, module: u32, region: &Region) {
        let Some(module) = self.pdb.modules().get(module as usize) else { return };
        let records = module.symbols(region);
        if !records.is_empty() {
            parts.add(PartKind::Signature, records.len().min(4));
            symbols(parts, records.slice());
            parts.rest(PartKind::Bytes("not decoded"), records.len());
        }
        let c13 = module.c13(region);
        parts.rest(PartKind::Bytes("lines of an earlier format"), c13.span().start.max(parts.at));
        for subsection in Subsections::new(c13.slice()).map_while(Result::ok) {
            parts.add(PartKind::Subsection(subsection.kind), subsection.span.len);
        }
        parts.rest(PartKind::Bytes("not decoded"), c13.span().end());
        parts.rest(PartKind::GlobalReferences, region.len());
    }
}

/// The records of `slice`, from where `parts` end.
fn symbols(parts: &mut Parts, slice: Slice<'_>) {
    let mut depth = 0_u8;
    for record in Records::new(slice, parts.at).map_while(Result::ok) {
        if matches!(record.kind, kind::END | 0x114e | 0x114f) {
            depth = depth.saturating_sub(1);
        }
        parts.nested(PartKind::Symbol(record.kind), record.slice.len(), depth);
        let opens = symbols::is_function(record.kind)
            || matches!(
                record.kind,
                kind::METHOD | kind::LOCAL_METHOD | kind::BLOCK | 0x1102 | 0x1132 | 0x114d | 0x115d
            );
        depth = depth.saturating_add(u8::from(opens));
    }
}

fn types(parts: &mut Parts, region: &Region) {
    let mut cursor = region.cursor();
    let Ok(header) = TpiHeader::decode(&mut cursor) else {
        return parts.rest(PartKind::Bytes("not decoded"), region.len());
    };
    parts.add(PartKind::TypesHeader, cursor.consumed());
    let end = (parts.at + u64::from(header.type_record_bytes)).min(region.len());
    let mut number = header.type_index_begin;
    while parts.at < end {
        let len = region.slice().rest(parts.at).cursor().u16(&native_types::LENGTH).map_or(0, |len| u64::from(len) + 2);
        if len < 4 || parts.at + len > end {
            break;
        }
        parts.add(PartKind::Type(number), len);
        number = number.wrapping_add(1);
    }
    parts.rest(PartKind::Bytes("not decoded"), end);
    parts.rest(PartKind::Bytes("left over"), region.len());
}

fn debug_information(parts: &mut Parts, dbi: &Dbi) {
    parts.rest(PartKind::DbiHeader, dbi.module_infos.span().start);
    for (number, module) in (0..).zip(&dbi.modules) {
        parts.add(PartKind::Module(number), module.span.len);
    }
    let contributions = dbi.contributions.region.span();
    parts.rest(PartKind::Bytes("not decoded"), contributions.start);
    if let Some(first) = dbi.contributions.span(0) {
        parts.add(PartKind::ContributionsVersion, first.start - contributions.start);
        parts.rows(PartKind::Contribution, first.len, contributions.end());
    }
    parts.rest(PartKind::ContributionsVersion, contributions.end());
    parts.rest(PartKind::SectionMap, dbi.section_map.region.span().end());
    parts.rest(PartKind::SourceInfo, dbi.sources.region.span().end());
    parts.rest(PartKind::Bytes("type server map"), dbi.type_server_map.span().end());
    parts.rest(PartKind::Names, dbi.edit_and_continue.span().end());
    parts.rest(PartKind::DebugHeader, dbi.left_over.span().start);
}

impl StreamPart {
    /// Its bytes, in a stream whose bytes `stream` are.
    pub const fn span(self, stream: Span) -> Span {
        stream.part(self.at as u64, self.len as u64)
    }
}

//! Hash tables, and other streams of small records, taken apart.

use super::{PartKind, Parts, PdbView, StreamPart};
use crate::Place;
use pdblens_formats::bytes::{Cursor, Recording, Region, Result, Slice, Span};
use pdblens_formats::codeview::symbols::{Records, Symbol};
use pdblens_formats::pdb::frames::{self, FpoData, FrameData};
use pdblens_formats::pdb::gsi::{self, GsiHeader, HashRecord, PsiHeader, ThunkSection};
use pdblens_formats::pdb::tpi::{IndexOffset, adjusters, type_hash};
use pdblens_formats::pdb::{StreamKind, TpiHeader};
use pdblens_session::text::safe::count;

/// Kind of a record of a hash table, or of another table of small records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashPart {
    /// Header of GSI, or of the hash table in PSI.
    GsiHeader,
    PsiHeader,
    /// A symbol in the list of its bucket.
    Record,
    /// The buckets that have records.
    Bitmap,
    Buckets,
    /// A public symbol in the order of addresses.
    Address,
    Thunk,
    ThunkSection,
    /// Hash of a type or an id: its number.
    TypeHash(u32),
    /// A type or an id, and its offset.
    IndexOffset,
    /// Names with the type that a lookup finds first.
    Adjusters,
    /// Row of a method in the image.
    TokenMapEntry,
    /// References of a module to global symbols.
    GlobalReferences,
    /// Frame of a function.
    FrameData,
    /// Frame of a function, in the first form.
    FpoData,
}

impl HashPart {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::GsiHeader => "GSI header",
            Self::PsiHeader => "PSI header",
            Self::Record => "hash record",
            Self::Bitmap => "bucket bitmap",
            Self::Buckets => "buckets",
            Self::Address => "address map entry",
            Self::Thunk => "thunk map entry",
            Self::ThunkSection => "thunk section",
            Self::TypeHash(_) => "type hash",
            Self::IndexOffset => "index offset",
            Self::Adjusters => "hash adjusters",
            Self::TokenMapEntry => "token map entry",
            Self::GlobalReferences => "references to global symbols",
            Self::FrameData => "frame data",
            Self::FpoData => "fpo entry",
        }
    }

    /// Reads its bytes, all of which `cursor` has, for what is noted of them.
    pub(super) fn note(self, cursor: &mut Cursor<'_, Recording>) -> Result<()> {
        match self {
            Self::GsiHeader => GsiHeader::decode(cursor).map(drop),
            Self::PsiHeader => PsiHeader::decode(cursor).map(drop),
            Self::Record => HashRecord::decode(cursor).map(drop),
            Self::Bitmap => gsi::bitmap(cursor),
            Self::Buckets => gsi::buckets(cursor),
            Self::Address => gsi::address_map_entry(cursor).map(drop),
            Self::Thunk => gsi::thunk_map_entry(cursor).map(drop),
            Self::ThunkSection => ThunkSection::decode(cursor).map(drop),
            Self::TypeHash(_) => type_hash(cursor).map(drop),
            Self::IndexOffset => IndexOffset::decode(cursor).map(drop),
            Self::Adjusters => adjusters(cursor),
            Self::TokenMapEntry => frames::token_map_entry(cursor).map(drop),
            Self::GlobalReferences => frames::global_references(cursor),
            Self::FrameData => FrameData::decode(cursor).map(drop),
            Self::FpoData => FpoData::decode(cursor).map(drop),
        }
    }
}

/// Takes apart a stream of a table; false where its kind or its layout is another one.
pub(super) fn take_apart(parts: &mut Parts, view: &PdbView<'_>, stream: u32, region: &Region) -> bool {
    let end = region.len();
    match view.pdb.kind_of(stream) {
        StreamKind::Globals => symbol_table(parts, region.slice()),
        StreamKind::Publics => publics(parts, region.slice()).is_some(),
        kind @ (StreamKind::TypeHashes | StreamKind::IdHashes) => {
            let header = view.pdb.types.get(usize::from(kind == StreamKind::IdHashes));
            let Some(header) = header.and_then(Option::as_ref) else { return false };
            let is_main = u32::from(header.hash_stream_index) == stream;
            is_main && type_hashes(parts, header, end)
        }
        StreamKind::Debug(0) => rows(parts, HashPart::FpoData, FpoData::SIZE, end),
        StreamKind::Debug(6) => rows(parts, HashPart::TokenMapEntry, 4, end),
        StreamKind::Debug(9) => rows(parts, HashPart::FrameData, FrameData::SIZE, end),
        _ => false,
    }
}

fn rows(parts: &mut Parts, kind: HashPart, size: u64, end: u64) -> bool {
    parts.rows(PartKind::Table(kind), size, end);
    true
}

/// The hash table of symbols from where `parts` end; false for one of an earlier format.
fn symbol_table(parts: &mut Parts, slice: Slice<'_>) -> bool {
    let header = GsiHeader::decode(&mut slice.rest(parts.at).cursor()).ok();
    let Some(layout) = header.and_then(|header| header.layout()) else { return false };
    let end = slice.len();
    parts.add(PartKind::Table(HashPart::GsiHeader), GsiHeader::SIZE);
    let behind = |at: u64, len: u64| at.saturating_add(len).min(end);
    parts.rows(PartKind::Table(HashPart::Record), HashRecord::SIZE, behind(parts.at, layout.records));
    parts.rest(PartKind::Table(HashPart::Bitmap), behind(parts.at, layout.bitmap));
    parts.rest(PartKind::Table(HashPart::Buckets), behind(parts.at, layout.buckets));
    true
}

fn publics(parts: &mut Parts, slice: Slice<'_>) -> Option<()> {
    let header = PsiHeader::decode(&mut slice.cursor()).ok()?;
    let hash_end = PsiHeader::SIZE + u64::from(header.hash_size);
    let hashed = slice.part(0, hash_end.min(slice.len())).ok()?;
    parts.add(PartKind::Table(HashPart::PsiHeader), PsiHeader::SIZE);
    symbol_table(parts, hashed);
    parts.rest(PartKind::Bytes("not decoded"), hash_end.min(slice.len()));
    let end = |parts: &Parts, len: u64| parts.at.saturating_add(len).min(slice.len());
    parts.rows(PartKind::Table(HashPart::Address), 4, end(parts, header.address_map_size.into()));
    parts.rows(PartKind::Table(HashPart::Thunk), 4, end(parts, u64::from(header.thunk_count) * 4));
    let sections = u64::from(header.section_count) * ThunkSection::SIZE;
    parts.rows(PartKind::Table(HashPart::ThunkSection), ThunkSection::SIZE, end(parts, sections));
    parts.rest(PartKind::Bytes("left over"), slice.len());
    Some(())
}

/// The three tables of a hash stream, in the order of their offsets.
fn type_hashes(parts: &mut Parts, header: &TpiHeader, end: u64) -> bool {
    let mut tables = [
        (header.hash_values_offset, header.hash_values_size, HashPart::TypeHash(0)),
        (header.index_offsets_offset, header.index_offsets_size, HashPart::IndexOffset),
        (header.hash_adjusters_offset, header.hash_adjusters_size, HashPart::Adjusters),
    ];
    tables.sort_by_key(|(offset, ..)| *offset);
    for (offset, size, kind) in tables {
        let (from, to) = (u64::from(offset), u64::from(offset).saturating_add(u64::from(size)).min(end));
        if from < parts.at || size == 0 {
            continue;
        }
        parts.rest(PartKind::Bytes("left over"), from.min(end));
        match kind {
            HashPart::TypeHash(_) if header.hash_key_size == 4 => {
                let mut number = header.type_index_begin;
                while to.saturating_sub(parts.at) >= 4 {
                    parts.add(PartKind::Table(HashPart::TypeHash(number)), 4);
                    number = number.wrapping_add(1);
                }
            }
            HashPart::IndexOffset => parts.rows(PartKind::Table(kind), IndexOffset::SIZE, to),
            HashPart::Adjusters => parts.rest(PartKind::Table(kind), to),
            _ => {}
        }
        parts.rest(PartKind::Bytes("left over"), to);
    }
    parts.rest(PartKind::Bytes("left over"), end);
    true
}

impl PdbView<'_> {
    pub(crate) fn symbol_at(&self, offset: u32) -> Option<(String, Place)> {
        let ((kind, text), place) = self.with_symbol(offset, |kind, slice| (kind, self.symbol_text(kind, slice)))?;
        let name = pdblens_formats::codeview::symbols::kind_name(kind).unwrap_or("symbol");
        Some((format!("{name} {text}").trim_end().to_owned(), place))
    }

    pub fn symbol_name_at(&self, offset: u32) -> Option<Vec<u8>> {
        let name = |_, slice: Slice<'_>| Symbol::decode(&mut slice.cursor()).map(|symbol| symbol.name.data.to_vec());
        self.with_symbol(offset, name)?.0.ok().filter(|name| !name.is_empty())
    }

    fn with_symbol<T>(&self, offset: u32, ask: impl FnOnce(u16, Slice<'_>) -> T) -> Option<(T, Place)> {
        let stream = u32::from(self.pdb.dbi.as_ref()?.header.symbol_record_stream);
        let whole = self.span(stream)?;
        let head = self.spaces.read(whole.part(offset.into(), 2)).ok()?;
        let len = u64::from(u16::from_le_bytes([*head.first()?, *head.get(1)?])) + 2;
        let span: Span = whole.part(offset.into(), len);
        let bytes = self.spaces.read(span).ok()?;
        let record = Records::new(Slice::new(&bytes, span.space, span.start), 0).next()?.ok()?;
        Some((ask(record.kind, record.slice), Place::Record(stream, offset)))
    }

    /// Content of a part of a table, cut to a line.
    pub(super) fn table_text(&self, kind: HashPart, slice: Slice<'_>) -> String {
        let symbol = |offset: u32| self.symbol_at(offset).map_or_else(String::new, |(text, _)| text);
        let mut cursor = slice.cursor();
        match kind {
            HashPart::Record => {
                let record = HashRecord::decode(&mut cursor);
                record.ok().and_then(|record| record.symbol.checked_sub(1)).map_or_else(String::new, symbol)
            }
            HashPart::Address => gsi::address_map_entry(&mut cursor).map_or_else(|_| String::new(), symbol),
            HashPart::TypeHash(number) => format!("{number:#x}"),
            HashPart::TokenMapEntry => {
                frames::token_map_entry(&mut cursor).map_or_else(|_| String::new(), |n| n.to_string())
            }
            HashPart::GlobalReferences => count(slice.len().saturating_sub(4) / 4, "reference"),
            _ => String::new(),
        }
    }
}

impl StreamPart {
    pub(super) const fn table(self) -> Option<HashPart> {
        match self.kind {
            PartKind::Table(kind) => Some(kind),
            _ => None,
        }
    }
}

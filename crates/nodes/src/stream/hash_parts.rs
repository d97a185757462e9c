//! Hash tables, and other streams of small records, taken apart.

use super::parts::Parts;
use super::{PartKind, PdbView};
use crate::place::Place;
use pdblens_formats::bytes::{Region, Slice, Span};
use pdblens_formats::codeview::symbols::{Records, Symbol};
use pdblens_formats::pdb::frames::{self, FrameData};
use pdblens_formats::pdb::gsi::{self, GsiHeader, HashRecord, PsiHeader, ThunkSection};
use pdblens_formats::pdb::tpi::IndexOffset;
use pdblens_formats::pdb::{StreamKind, TpiHeader};
use pdblens_formats::pe::debug::FpoData;
use pdblens_session::text::safe::count;

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
        StreamKind::Debug(0) => rows(parts, PartKind::FpoData, FpoData::SIZE, end),
        StreamKind::Debug(6) => rows(parts, PartKind::TokenMapEntry, 4, end),
        StreamKind::Debug(9) => rows(parts, PartKind::FrameData, FrameData::SIZE, end),
        _ => false,
    }
}

fn rows(parts: &mut Parts, kind: PartKind, size: u64, end: u64) -> bool {
    parts.rows(kind, size, end);
    true
}

/// The hash table of symbols from where `parts` end; false for one of an earlier format.
fn symbol_table(parts: &mut Parts, slice: Slice<'_>) -> bool {
    let header = GsiHeader::decode(&mut slice.rest(parts.at).cursor()).ok();
    let Some(layout) = header.and_then(|header| header.layout()) else { return false };
    let end = slice.len();
    parts.add(PartKind::GsiHeader, GsiHeader::SIZE);
    let behind = |at: u64, len: u64| (at + len).min(end);
    parts.rows(PartKind::HashRecord, HashRecord::SIZE, behind(parts.at, layout.records));
    parts.rest(PartKind::Bitmap, behind(parts.at, layout.bitmap));
    parts.rest(PartKind::Buckets, behind(parts.at, layout.buckets));
    true
}

fn publics(parts: &mut Parts, slice: Slice<'_>) -> Option<()> {
    let header = PsiHeader::decode(&mut slice.cursor()).ok()?;
    let hash_end = PsiHeader::SIZE + u64::from(header.hash_size);
    let hashed = slice.part(0, hash_end.min(slice.len())).ok()?;
    parts.add(PartKind::PsiHeader, PsiHeader::SIZE);
    symbol_table(parts, hashed);
    parts.rest(PartKind::Bytes("not decoded"), hash_end.min(slice.len()));
    let end = |parts: &Parts, len: u64| (parts.at + len).min(slice.len());
    parts.rows(PartKind::Address, 4, end(parts, header.address_map_size.into()));
    parts.rows(PartKind::Thunk, 4, end(parts, u64::from(header.thunk_count) * 4));
    let sections = u64::from(header.section_count) * ThunkSection::SIZE;
    parts.rows(PartKind::ThunkSection, ThunkSection::SIZE, end(parts, sections));
    parts.rest(PartKind::Bytes("left over"), slice.len());
    Some(())
}

/// The three tables of a hash stream, in the order of their offsets.
fn type_hashes(parts: &mut Parts, header: &TpiHeader, end: u64) -> bool {
    let mut tables = [
        (header.hash_values_offset, header.hash_values_size, PartKind::TypeHash(0)),
        (header.index_offsets_offset, header.index_offsets_size, PartKind::IndexOffset),
        (header.hash_adjusters_offset, header.hash_adjusters_size, PartKind::Adjusters),
    ];
    tables.sort_by_key(|(offset, ..)| *offset);
    for (offset, size, kind) in tables {
        let (from, to) = (u64::from(offset), (u64::from(offset) + u64::from(size)).min(end));
        if from < parts.at || size == 0 {
            continue;
        }
        parts.rest(PartKind::Bytes("left over"), from.min(end));
        match kind {
            PartKind::TypeHash(_) if header.hash_key_size == 4 => {
                let mut number = header.type_index_begin;
                while to.saturating_sub(parts.at) >= 4 {
                    parts.add(PartKind::TypeHash(number), 4);
                    number = number.wrapping_add(1);
                }
            }
            PartKind::IndexOffset => parts.rows(kind, IndexOffset::SIZE, to),
            PartKind::Adjusters => parts.rest(kind, to),
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

    /// Content of a part of a table, cut to a line; empty for other parts.
    pub(super) fn table_text(&self, kind: PartKind, slice: Slice<'_>) -> String {
        let symbol = |offset: u32| self.symbol_at(offset).map_or_else(String::new, |(text, _)| text);
        let mut cursor = slice.cursor();
        match kind {
            PartKind::HashRecord => {
                let record = HashRecord::decode(&mut cursor);
                record.ok().and_then(|record| record.symbol.checked_sub(1)).map_or_else(String::new, symbol)
            }
            PartKind::Address => gsi::address_map_entry(&mut cursor).map_or_else(|_| String::new(), symbol),
            PartKind::TypeHash(number) => format!("{number:#x}"),
            PartKind::TokenMapEntry => {
                frames::token_map_entry(&mut cursor).map_or_else(|_| String::new(), |n| n.to_string())
            }
            PartKind::GlobalReferences => count(slice.len().saturating_sub(4) / 4, "reference"),
            _ => String::new(),
        }
    }
}

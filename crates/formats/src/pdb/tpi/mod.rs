//! The type streams: TPI (stream 2, types) and IPI (stream 4, ids). A managed PDB has only their headers.
//!
//! After the header come type records, one after the other; they are numbered from the header's first type index (0x1000)
//! on. A record refers to earlier ones only, or a reader would go round in circles; the format does not guarantee it.
//!
//! # References
//!
//! LLVM, "The PDB TPI and IPI Streams".

mod hashes;
#[cfg(test)]
mod tests;

pub use hashes::{IndexOffset, adjusters, type_hash};

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use crate::bytes::{Cursor, Error, ErrorKind, Region, Result, Slice, Span, record};
use crate::codeview::types::{KIND, LENGTH, Member, TypeData};

/// Every so many records, the offset of one is remembered; others are reached from there.
const STEP: u32 = 16;
/// Version of the records that are decoded, that of Visual C++ 8 and later.
pub const KNOWN_VERSION: u32 = 20_040_203;

record! {
    /// The header of a type stream (TPI or IPI): the type indices of its records, and the location of their hashes.
    pub struct TpiHeader: "tpi header" {
        /// The version of the format, a date.
        version: u32 as OneOf(&[(19_990_903, "Visual C++ 7"), (20_040_203, "Visual C++ 8")]),
        /// The size of this header in bytes.
        header_size: u32,
        /// The type index of the first record; indices below 0x1000 are built-in types without a record.
        type_index_begin: u32 as Hex,
        /// The type index after that of the last record; equal to the first in a managed PDB, whose types are in the metadata.
        type_index_end: u32 as Hex,
        /// The size of the type records after this header in bytes.
        type_record_bytes: u32,
        /// The stream with a hash of each record; 65535 for none.
        hash_stream_index: u16 as Stream,
        /// The auxiliary hash stream; 65535 for none.
        hash_aux_stream_index: u16 as Stream,
        /// The size of a hash in bytes.
        hash_key_size: u32,
        /// The number of buckets that the hashes are distributed over.
        hash_bucket_count: u32,
        /// The offset of the hash values in the hash stream.
        hash_values_offset: u32,
        /// The size of the hash values in bytes.
        hash_values_size: u32,
        /// The offset of the type index offsets, which find a record by its index without reading all records before it.
        index_offsets_offset: u32,
        /// The size of the type index offsets in bytes.
        index_offsets_size: u32,
        /// The offset of the hash adjusters, which correct the hash table after incremental links.
        hash_adjusters_offset: u32,
        /// The size of the hash adjusters in bytes.
        hash_adjusters_size: u32,
    }
}

/// The records of a type stream.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default)]
pub struct TypeStream {
    region: Region,
    pub header: Option<TpiHeader>,
    first: u32,
    /// Offsets of the records with indices [`TypeStream::first`], + [`STEP`], + 2 × [`STEP`]….
    offsets: Vec<u32>,
    count: u32,
    /// Definitions of classes and unions by name, found when one is first asked for.
    definitions: OnceLock<HashMap<u64, u32>>,
    pub problems: Vec<Error>,
}

/// A record: its number, its kind, and its bytes.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct TypeRecord<'a> {
    pub index: u32,
    pub kind: u16,
    /// Bytes of the record, including its length.
    pub slice: Slice<'a>,
}

impl TypeStream {
    /// Reads the header of a type stream and walks the records, of which it remembers one in sixteen.
    pub fn parse(region: Region) -> Self {
        let mut types = Self { region, ..Self::default() };
        let region = types.region.clone();
        let mut cursor = region.cursor();
        match TpiHeader::decode(&mut cursor) {
            Ok(header) => {
                types.first = header.type_index_begin;
                types.header = Some(header);
                types.walk(&header, region.slice().rest(cursor.consumed()), cursor.consumed());
            }
            Err(_) if region.is_empty() => {}
            Err(error) => types.problems.push(error),
        }
        types
    }

    fn walk(&mut self, header: &TpiHeader, records: Slice<'_>, first: u64) {
        let claimed = header.type_index_end.saturating_sub(header.type_index_begin);
        let wanted = header.type_record_bytes as u64;
        if wanted > records.len() {
            let kind = ErrorKind::UnexpectedEnd { wanted, left: records.len() };
            self.problems.push(Error::new(kind, records.span()));
        }
        let records = records.part(0, wanted.min(records.len())).unwrap_or_default();
        let mut cursor = records.cursor();
        while !cursor.is_done() {
            if self.count.is_multiple_of(STEP) {
                self.offsets.push((first + cursor.consumed()) as u32);
            }
            let start = cursor.position();
            let read = cursor.u16(&LENGTH).and_then(|len| cursor.skip(len as u64));
            if let Err(error) = read {
                self.problems.push(error);
                break;
            }
            if cursor.since(start).len < 4 {
                let sentence = "a type record is too short for its kind";
                self.problems.push(cursor.error_since(start, ErrorKind::Invalid(sentence)));
                break;
            }
            self.count = self.count.saturating_add(1);
        }
        if self.count != claimed {
            self.problems.push(Error::no_such("type", claimed, self.count as u64, self.region.span().part(0, first)));
        }
    }

    /// Number of records.
    pub const fn len(&self) -> u32 {
        self.count
    }

    /// Returns true if there are none.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of the first record.
    pub const fn first(&self) -> u32 {
        self.first
    }

    /// The record with this number.
    pub fn get(&self, index: u32) -> Option<TypeRecord<'_>> {
        let row = index.checked_sub(self.first).filter(|row| *row < self.count)?;
        self.iter_from(row.saturating_sub(row % STEP)).nth((row % STEP) as usize)
    }

    /// All records, or those from `row` on, which is a multiple of [`STEP`].
    fn iter_from(&self, row: u32) -> impl Iterator<Item = TypeRecord<'_>> {
        let start = self.offsets.get((row / STEP) as usize).map_or(u64::MAX, |offset| *offset as u64);
        let whole = self.region.slice();
        let mut at = start;
        (row..self.count).map_while(move |row| {
            let mut cursor = whole.rest(at).cursor();
            let len = u64::from(cursor.u16(&LENGTH).ok()?) + 2;
            let kind = cursor.u16(&KIND).ok()?;
            let slice = whole.part(at, len).ok()?;
            at += len;
            Some(TypeRecord { index: self.first.wrapping_add(row), kind, slice })
        })
    }

    /// All records in order.
    pub fn iter(&self) -> impl Iterator<Item = TypeRecord<'_>> {
        self.iter_from(0)
    }

    /// The members of the field list `index`, and of those that continue it; why there are no more, if that is an error.
    pub fn members(&self, index: u32) -> (Vec<Member<'_>>, Option<Error>) {
        let (mut found, mut next) = (Vec::new(), Some(index));
        let mut seen = std::collections::HashSet::new();
        while let Some(index) = next.take() {
            let (record, is_new) = (self.get(index), seen.insert(index));
            let Some(record) = (if is_new { record } else { None }) else {
                let kind = ErrorKind::Circular("a list of members");
                let count = u64::from(self.first) + u64::from(self.count);
                let none = ErrorKind::NoSuch { what: "type", index: index as u64, count };
                let error = if self.get(index).is_some() { kind } else { none };
                return (found, Some(Error::new(error, self.region.span().part(0, 0))));
            };
            let fields = match record.read() {
                Ok(TypeData::Fields(fields)) => fields,
                Ok(_) => {
                    let error = Error::invalid("the type of a member list is not a field list", record.span());
                    return (found, Some(error));
                }
                Err(error) => return (found, Some(error)),
            };
            for member in fields.iter() {
                match member {
                    Ok(member) if member.goes_on() => next = Some(member.of),
                    Ok(member) => found.push(member),
                    Err(error) => return (found, Some(error)),
                }
            }
        }
        (found, None)
    }

    /// Index of the record that defines the class or union of a forward reference: the one with the same unique name, or the
    /// same name if it has none.
    pub fn definition_of(&self, forward: &TypeData<'_>) -> Option<u32> {
        let definitions = self.definitions.get_or_init(|| {
            let defined = |data: &TypeData<'_>| data.property().is_some_and(|property| !property.is_forward());
            let keyed = |record: TypeRecord<'_>| {
                let data = record.read().ok().filter(defined)?;
                Some((hash(data.key()?), record.index))
            };
            self.iter().filter_map(keyed).collect()
        });
        let key = forward.key()?;
        let index = *definitions.get(&hash(key))?;
        self.get(index)?.read().ok().filter(|data| data.key() == Some(key)).map(|_| index)
    }
}

fn hash(key: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

impl<'a> TypeRecord<'a> {
    /// Span of the record.
    pub const fn span(self) -> Span {
        self.slice.span()
    }

    /// Decodes the record.
    pub fn read(self) -> Result<TypeData<'a>> {
        TypeData::decode(&mut self.cursor())
    }

    /// A cursor at its first byte.
    pub const fn cursor(self) -> Cursor<'a> {
        self.slice.cursor()
    }
}

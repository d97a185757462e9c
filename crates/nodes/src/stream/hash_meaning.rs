//! Meaning of the numbers of hash tables: slots, buckets, hashes, and how far a lookup probes.

use super::record::type_meaning;
use super::{PartKind, PdbView, StreamPart};
use crate::fields::{BitMeaning, Meaning};
use crate::place::Place;
use pdblens_formats::bytes::{Field, HashNumber, Show, Slice};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::pdb::StreamKind;
use pdblens_formats::pdb::gsi::RECORD_IN_MEMORY;
use pdblens_formats::pdb::hash::{SYMBOL_BUCKETS, string_hash};
use pdblens_session::text::safe::utf8;

/// Offset of the strings in a string table, after three numbers.
const STRINGS_AT: u64 = 12;
/// Bits of a word of a bit vector.
const WORD: u32 = 32;

/// Meanings of the fields of one table, which are asked for in their order.
pub(super) struct HashMeaning<'v, 's> {
    view: &'v PdbView<'s>,
    part: StreamPart,
    stream: u32,
    slice: Slice<'v>,
    /// Number of slots, once it has been read.
    slots: u32,
    /// Kind of the fields that are counted.
    kind: Option<HashNumber>,
    /// Fields of the kind so far.
    index: u32,
    /// Used slots, or buckets with records, in ascending order.
    used: Vec<u32>,
}

impl<'v, 's> HashMeaning<'v, 's> {
    pub(super) fn new(view: &'v PdbView<'s>, stream: u32, part: StreamPart, slice: Slice<'v>) -> Self {
        let used = if part.kind == PartKind::Buckets { buckets(view, stream, part) } else { Vec::new() };
        Self { view, part, stream, slice, slots: 0, kind: None, index: 0, used }
    }

    /// Number of the field among those of its kind that follow each other.
    fn count(&mut self, kind: HashNumber) -> u32 {
        if self.kind != Some(kind) {
            (self.kind, self.index) = (Some(kind), 0);
        }
        self.index += 1;
        self.index - 1
    }

    /// Number of the first bit of a word of bits, among the words that follow each other.
    fn first_bit(&mut self, kind: HashNumber) -> u32 {
        self.count(kind) * WORD
    }

    /// Meaning of a field of the table; `None` where its description is enough.
    pub(super) fn of(&mut self, field: &Field) -> Option<Meaning> {
        let (Show::Hash(kind), number) = (field.doc.show, field.value.number()? as u32) else { return None };
        let symbol = |offset: u32| self.view.symbol_at(offset);
        match kind {
            HashNumber::SlotCount => {
                self.slots = number;
                None
            }
            HashNumber::UsedSlots => {
                let first = self.first_bit(kind);
                self.used.extend(set_bits(number).map(|bit| first + bit));
                Some(self.slot_bits(first, number, "empty"))
            }
            HashNumber::DeletedSlots => {
                let first = self.first_bit(kind);
                Some(self.slot_bits(first, number, "not deleted"))
            }
            HashNumber::StreamName => {
                let index = self.count(kind) as usize;
                let name = &self.view.pdb.info.names.get(index)?.name.value;
                let home = string_hash(name.as_bytes()) & 0xffff;
                let text = placed(name, home, "the low 16 bits of its hash", self.slots, *self.used.get(index)?);
                Some(Meaning::text(text))
            }
            HashNumber::StringSlot => {
                let slot = self.count(kind);
                Some(self.string_slot(slot, number))
            }
            HashNumber::BucketBits => Some(bucket_bits(self.first_bit(kind), number)),
            HashNumber::FirstRecord => {
                let index = self.count(kind) as usize;
                let bucket = self.used.get(index)?;
                let first = number / RECORD_IN_MEMORY;
                let text = format!("bucket {bucket}: {number} ÷ {RECORD_IN_MEMORY} = hash record {first}");
                let parts = self.view.parts(self.stream);
                let mut records = parts.iter().filter(|part| part.kind == PartKind::HashRecord);
                Some(Meaning::to(text, records.nth(first as usize).map(|part| Place::Record(self.stream, part.at))))
            }
            HashNumber::SymbolRecord => {
                let offset = number.checked_sub(1)?;
                let ((text, place), name) = (symbol(offset)?, self.view.symbol_name_at(offset));
                let bucket = name.map_or_else(String::new, |name| {
                    let hash = string_hash(&name);
                    format!("; hash {hash:#010x}, modulo {SYMBOL_BUCKETS}: bucket {}", hash % SYMBOL_BUCKETS)
                });
                Some(Meaning::to(format!("{text}{bucket}"), place).decoded(format!("{offset:#x}")))
            }
            HashNumber::Symbol => symbol(number).map(|(text, place)| Meaning::to(text, place)),
            HashNumber::TypeBucket => {
                let PartKind::TypeHash(of) = self.part.kind else { return None };
                let is_id = match self.view.pdb.kind_of(self.stream) {
                    StreamKind::IdHashes => true,
                    StreamKind::TypeHashes => false,
                    _ => return None,
                };
                let found = type_meaning(self.view, of, is_id)?;
                Some(Meaning { text: format!("of {of:#x} {}", found.text).trim_end().to_owned(), ..found })
            }
            HashNumber::MethodRow => {
                let token = Token::new(TableId::METHOD_DEF, number);
                let text = format!("row {} in the records is {token} in the image", self.part.at / 4);
                Some(Meaning { text, to: Place::of_method(token), ..Meaning::default() })
            }
        }
    }

    /// Bits of a word of slots, one bit each.
    fn slot_bits(&self, first: u32, word: u32, clear: &str) -> Meaning {
        let last = self.slots.min(first + WORD);
        let bits = (first..last).map(|slot| {
            let bit = slot - first;
            let text = match (word >> bit & 1 == 1, self.named_in(slot)) {
                (true, Some(name)) if clear == "empty" => format!("slot {slot}: {name}"),
                (true, _) if clear == "empty" => format!("slot {slot}: used"),
                (true, _) => format!("slot {slot}: deleted; a lookup continues after it"),
                (false, _) => format!("slot {slot}: {clear}"),
            };
            BitMeaning { mask: 1 << bit, text, to: None }
        });
        Meaning::text(format!("slots {first}–{}", last.saturating_sub(1))).with_bits(bits.collect())
    }

    fn named_in(&self, slot: u32) -> Option<&str> {
        let index = self.used.binary_search(&slot).ok()?;
        let name = &self.view.pdb.info.names.get(index)?.name.value;
        if self.part.kind == PartKind::Info { Some(name) } else { None }
    }

    fn string_slot(&self, slot: u32, offset: u32) -> Meaning {
        if offset == 0 {
            return Meaning::text(format!("slot {slot}: free"));
        }
        let rest = self.slice.rest(STRINGS_AT + u64::from(offset));
        let name = rest.data.split(|byte| *byte == 0).next().unwrap_or_default();
        let text = placed(&utf8(name), string_hash(name), "its hash", self.slots, slot);
        Meaning::to(text, Place::Bytes(rest.span().part(0, name.len() as u64)))
    }
}

/// Meaning of a word of the bits of buckets, the lowest of which is `first`.
fn bucket_bits(first: u32, word: u32) -> Meaning {
    let bits = (0..WORD).map(|bit| {
        let bucket = first + bit;
        let what = if word >> bit & 1 == 1 { "has records" } else { "empty" };
        BitMeaning { mask: 1 << bit, text: format!("bucket {bucket}: {what}"), to: None }
    });
    Meaning::text(format!("buckets {first}–{}", first + (WORD - 1))).with_bits(bits.collect())
}

/// Buckets with records: the set bits of the bitmap before the buckets at `part`.
fn buckets(view: &PdbView<'_>, stream: u32, part: StreamPart) -> Vec<u32> {
    let parts = view.parts(stream);
    let bitmap = parts.iter().rfind(|found| found.kind == PartKind::Bitmap && found.at < part.at);
    let Some((bitmap, whole)) = bitmap.zip(view.span(stream)) else { return Vec::new() };
    let bytes = view.spaces.read(bitmap.span(whole)).unwrap_or_default();
    let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    let firsts = (0..=u32::MAX).step_by(WORD as usize);
    firsts.zip(words).flat_map(|(first, word)| set_bits(word).map(move |bit| first | bit)).collect()
}

/// Numbers of the set bits, the lowest first.
fn set_bits(word: u32) -> impl Iterator<Item = u32> {
    (0..WORD).filter(move |bit| word >> bit & 1 == 1)
}

/// Position of a name in a hash table: the slot of its hash, and how far a lookup probes from there.
fn placed(name: &str, hash: u32, what: &str, slots: u32, slot: u32) -> String {
    let Some(home) = hash.checked_rem(slots) else { return name.to_owned() };
    let name = if name.is_empty() { "(the empty string)" } else { name };
    let further = slot.checked_sub(home).unwrap_or_else(|| slots.abs_diff(home).saturating_add(slot));
    let probed = match further {
        0 => "this slot".to_owned(),
        1 => format!("slot {home}, which was taken: the next one"),
        _ => format!("slot {home}, which was taken: {further} slots further"),
    };
    format!("slot {slot}: {name}; {what} {hash:#x} modulo {slots} is {probed}")
}

//! The four heaps (ECMA-335 II.24.2.3 to II.24.2.5): strings, user strings, GUIDs and blobs.
//!
//! An entry is addressed by its offset (a GUID by its 1-based number). Heaps have no index of entries: entries can only
//! be enumerated from the start of the heap, and an offset into the middle of a string is legal where strings share
//! their ends.

use crate::bytes::{
    Cursor, Encoding, Error, ErrorKind, Guid, Recorder, Region, Result, Slice, Span, count_work, fields,
};

/// Number of bytes that are read at first for a name: most names are shorter.
const SHORT_NAME: u64 = 0x100;
/// Size of the longest blob with a length of one byte, including that byte.
const SHORT_BLOB: u64 = 0x80;
/// Greatest size of a compressed integer, in bytes.
const MAX_LENGTH: u64 = 4;

/// The heaps of one metadata root; a heap that is missing is empty.
#[derive(Clone, Debug, Default)]
pub struct Heaps {
    /// `#Strings`: UTF-8 names, each terminated by a NUL.
    pub strings: Region,
    /// `#US`: string literals of `ldstr`, UTF-16 between a length and a flag.
    pub user_strings: Region,
    /// `#GUID`: 16 bytes each.
    pub guids: Region,
    /// `#Blob`: bytes after their length.
    pub blobs: Region,
}

/// A heap of the metadata.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Heap {
    Strings,
    UserStrings,
    Guids,
    Blobs,
}

impl Heap {
    /// The heaps in the order of the specification.
    pub const ALL: [Self; 4] = [Self::Strings, Self::UserStrings, Self::Guids, Self::Blobs];

    /// Noun for an entry.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Strings | Self::UserStrings => "string",
            Self::Guids => "GUID",
            Self::Blobs => "blob",
        }
    }

    /// Name of the heap's stream.
    pub const fn stream(self) -> &'static str {
        match self {
            Self::Strings => "#Strings",
            Self::UserStrings => "#US",
            Self::Guids => "#GUID",
            Self::Blobs => "#Blob",
        }
    }
}

impl Heaps {
    /// Bytes of the heap.
    pub const fn get(&self, heap: Heap) -> &Region {
        match heap {
            Heap::Strings => &self.strings,
            Heap::UserStrings => &self.user_strings,
            Heap::Guids => &self.guids,
            Heap::Blobs => &self.blobs,
        }
    }

    /// Returns the string at `offset`, without its NUL. Offset 0 is the empty string, even in a missing heap.
    pub fn string(&self, offset: u32) -> Result<Slice<'_>> {
        if offset == 0 {
            return self.strings.piece(0, 0);
        }
        let near = self.near(Heap::Strings, offset, SHORT_NAME)?;
        if let Some(len) = memchr::memchr(0, near.data) {
            return near.part(0, len as u64);
        }
        let rest = self.strings.slice().rest(offset as u64);
        match memchr::memchr(0, rest.data) {
            Some(len) => rest.part(0, len as u64),
            None => Err(Error::invalid("the string extends past the end of #Strings", rest.span())),
        }
    }

    /// Returns the string at `offset`, cut after `most` bytes.
    pub fn string_within(&self, offset: u32, most: u64) -> Result<Slice<'_>> {
        if offset == 0 {
            return self.string(0);
        }
        let short = self.near(Heap::Strings, offset, SHORT_NAME.min(most))?;
        let short = short.part(0, most.min(short.len()))?;
        if let Some(len) = memchr::memchr(0, short.data) {
            return short.part(0, len as u64);
        }
        let near = self.near(Heap::Strings, offset, most)?;
        let near = near.part(0, most.min(near.len()))?;
        match memchr::memchr(0, near.data) {
            Some(len) => near.part(0, len as u64),
            None if near.len() < self.strings.len() - offset as u64 => Ok(near),
            None => self.string(offset),
        }
    }

    /// Returns the blob at `offset`, without its length. Offset 0 is the empty blob, even in a missing heap.
    #[inline]
    pub fn blob(&self, offset: u32) -> Result<Slice<'_>> {
        if offset == 0 {
            return self.blobs.piece(0, 0);
        }
        let blob = match short_blob(self.blobs.near(offset as u64, SHORT_BLOB), 0) {
            Some(blob) => blob,
            None => self.prefixed(Heap::Blobs, offset)?.1,
        };
        count_work(blob.len());
        Ok(blob)
    }

    /// Returns the UTF-16 code units of the user string at `offset`, without length and flag.
    pub fn user_string(&self, offset: u32) -> Result<Slice<'_>> {
        let (_, content) = self.prefixed(Heap::UserStrings, offset)?;
        content.part(0, content.len().saturating_sub(1))
    }

    /// Returns the GUID with this 1-based number; `None` for 0.
    pub fn guid(&self, number: u32) -> Result<Option<Guid>> {
        let Some(index) = number.checked_sub(1) else { return Ok(None) };
        match self.guids.piece(index as u64 * 16, 16) {
            Ok(bytes) => bytes.cursor().guid(&GUID).map(Some),
            Err(_) => Err(no_such("GUID", number, self.guids.len() / 16, &self.guids)),
        }
    }

    /// Span of the entry at `offset` (a GUID's number), including its length, NUL or flag.
    pub fn entry_span(&self, heap: Heap, offset: u32) -> Result<Span> {
        match heap {
            Heap::Strings => {
                // The empty string of a missing heap has no bytes.
                self.near(heap, offset, 1)?;
                self.string(offset).map(|s| Span::new(s.space, s.start, s.len() + 1))
            }
            Heap::UserStrings | Heap::Blobs => {
                let (prefix, content) = self.prefixed(heap, offset)?;
                Ok(prefix.to(content.span()))
            }
            Heap::Guids => {
                let at = (offset as u64).saturating_sub(1) * 16;
                self.guids.piece(at, 16).map(Slice::span)
            }
        }
    }

    /// Iterates over offset (or number) and span of each entry, from the start of the heap up to the first invalid
    /// entry.
    pub fn entries(&self, heap: Heap) -> Entries<'_> {
        Entries { heaps: self, heap, offset: u32::from(heap == Heap::Guids) }
    }

    /// Returns the bytes from `offset` on: at least `least`, unless the heap ends before.
    fn near(&self, heap: Heap, offset: u32, least: u64) -> Result<Slice<'_>> {
        let region = self.get(heap);
        if (offset as u64) < region.len() {
            return Ok(region.near(offset as u64, least));
        }
        Err(no_such(heap.stream(), offset, region.len(), region))
    }

    /// Returns the span of the length at `offset`, and the bytes that it counts.
    fn prefixed(&self, heap: Heap, offset: u32) -> Result<(Span, Slice<'_>)> {
        let slice = self.near(heap, offset, MAX_LENGTH)?;
        let mut cursor = slice.cursor();
        let len = cursor.compressed(&LENGTH)?;
        let prefix = cursor.since(slice.start);
        let content = self.get(heap).piece(offset as u64 + prefix.len, len as u64)?;
        Ok((prefix, content))
    }
}

#[cold]
fn no_such(what: &'static str, index: u32, count: u64, heap: &Region) -> Error {
    let end = Span::new(heap.span().space, heap.span().end(), 0);
    Error::new(ErrorKind::NoSuch { what, index: index as u64, count }, end)
}

fields! {
    /// A UTF-8 name that ends with a zero byte; an offset may also lead into the middle of a longer name with the
    /// same end.
    STRING: "string";
    /// A GUID; columns refer to it by its number, counted from 1.
    GUID: "guid" as Guid;
    /// The number of bytes that follow, as a compressed integer: 1 byte up to 127, 2 bytes up to 16383, and 4 bytes
    /// above.
    pub LENGTH: "length";
    /// The bytes of the blob; their meaning depends on the column that refers to them.
    CONTENT: "content";
    /// The text of a string literal in UTF-16, as ldstr loads it.
    CHARACTERS: "characters";
    /// 1 if any character is above 0x7E, or is 0x01–0x08, 0x0E–0x1F, 0x27, 0x2D or 0x7F (ECMA-335 II.24.2.4).
    HAS_SPECIAL_CHARACTERS: "has special characters";
}

/// Decodes one entry; the recorded fields tile [`Heaps::entry_span`].
pub fn explain<N: Recorder>(cursor: &mut Cursor<'_, N>, heap: Heap) -> Result<()> {
    match heap {
        Heap::Strings => cursor.text_z(&STRING).map(|_| ()),
        Heap::Guids => cursor.guid(&GUID).map(|_| ()),
        Heap::Blobs => {
            let len = cursor.compressed(&LENGTH)?;
            if len > 0 { cursor.bytes(&CONTENT, len as u64).map(|_| ()) } else { Ok(()) }
        }
        Heap::UserStrings => {
            let len = cursor.compressed(&LENGTH)?;
            if len == 0 {
                return Ok(());
            }
            if len > 1 {
                cursor.text(&CHARACTERS, len as u64 - 1, Encoding::Utf16)?;
            }
            cursor.u8(&HAS_SPECIAL_CHARACTERS).map(|_| ())
        }
    }
}

/// Content of the blob at `offset` of `heap`, if its length takes one or two bytes, as it does up to 16383 bytes, and if it is all
/// there.
#[inline]
pub(crate) fn short_blob(heap: Slice<'_>, offset: u32) -> Option<Slice<'_>> {
    let (prefix, len, rest) = match heap.data.get(offset as usize..)? {
        [len @ ..0x80, rest @ ..] => (1, *len as usize, rest),
        [high @ ..0xc0, low, rest @ ..] => (2, (*high as usize & 0x3f) << 8 | *low as usize, rest),
        _ => return None,
    };
    let start = heap.start + u64::from(offset) + prefix;
    Some(Slice { data: rest.get(..len)?, space: heap.space, start })
}

/// Iterator of [`Heaps::entries`].
#[derive(Debug)]
pub struct Entries<'a> {
    heaps: &'a Heaps,
    heap: Heap,
    offset: u32,
}

impl Iterator for Entries<'_> {
    type Item = (u32, Span);

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.offset;
        let span = if at == 0 && self.heap == Heap::Strings && !self.heaps.strings.is_empty() {
            self.heaps.strings.span().part(0, 1)
        } else {
            self.heaps.entry_span(self.heap, at).ok()?
        };
        let step = if self.heap == Heap::Guids { 1 } else { span.len as u32 };
        self.offset = at.checked_add(step)?;
        Some((at, span))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::bytes::SpaceId;

    fn region(bytes: &[u8]) -> Region {
        Region::whole(SpaceId(0), Arc::new(bytes.to_vec()))
    }

    #[test]
    fn entries_walk_each_heap() {
        let heaps = Heaps {
            strings: region(b"\0Main\0Clock\0"),
            blobs: region(&[0, 2, 0xaa, 0xbb, 1, 0xcc]),
            user_strings: region(&[0, 5, b'h', 0, b'i', 0, 0]),
            guids: region(&[7; 32]),
        };
        let offsets = |heap| heaps.entries(heap).map(|(offset, span)| (offset, span.len)).collect::<Vec<_>>();
        assert_eq!(offsets(Heap::Strings), [(0, 1), (1, 5), (6, 6)]);
        assert_eq!(offsets(Heap::Blobs), [(0, 1), (1, 3), (4, 2)]);
        assert_eq!(offsets(Heap::UserStrings), [(0, 1), (1, 6)]);
        assert_eq!(offsets(Heap::Guids), [(1, 16), (2, 16)]);
        assert_eq!(heaps.string(8).unwrap().data, b"ock");
        assert_eq!(heaps.user_string(1).unwrap().data, b"h\0i\0");
        assert_eq!(heaps.guid(3).unwrap_err().kind, ErrorKind::NoSuch { what: "GUID", index: 3, count: 2 });
    }

    #[test]
    fn a_blob_past_its_heap_is_an_error_and_zero_never_is() {
        let heaps = Heaps { blobs: region(&[0, 9, 1]), ..Heaps::default() };
        assert_eq!(heaps.blob(1).unwrap_err().kind, ErrorKind::UnexpectedEnd { wanted: 9, left: 1 });
        assert!(heaps.blob(3).is_err());
        assert!(Heaps::default().blob(0).unwrap().is_empty() && Heaps::default().string(0).unwrap().is_empty());
    }
}

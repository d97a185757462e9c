use crate::bytes::{Cursor, Recorder, Result, Slice, Span, fields};

fields! {
    /// The file checksums: the source files of a module; lines refer to them by offset.
    pub(super) FILE_CHECKSUMS: "file checksums";
    /// A source file: its name, and the checksum of its contents.
    CHECKSUM: "checksum";
    /// The name of the source file: an offset in the string table.
    FILE_NAME: "file name" as NameOffset;
    /// The size of the checksum in bytes; 0 in a managed PDB, whose streams /src/files/… have the hashes.
    CHECKSUM_SIZE: "checksum size";
    /// The hash algorithm of the checksum.
    CHECKSUM_KIND: "checksum kind" as OneOf(&[(0, "none"), (1, "MD5"), (2, "SHA-1"), (3, "SHA-256")]);
    /// The checksum of the source file's contents.
    CHECKSUM_BYTES: "checksum";
    /// Unused bytes that align the next entry to a multiple of 4.
    PADDING: "padding";
}

/// A source file of a module, with an optional checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum {
    /// Offset of its name in the string table.
    pub name: u32,
    /// Hash algorithm: 0 none, 1 MD5, 2 SHA-1, 3 SHA-256.
    pub kind: u8,
    /// Span of the checksum.
    pub checksum: Span,
    /// Span of the entry without padding.
    pub span: Span,
}

impl Checksum {
    /// Decodes an entry and the padding after it.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group(&CHECKSUM, |c| {
            let start = c.position();
            let name = c.u32(&FILE_NAME)?;
            let size = c.u8(&CHECKSUM_SIZE)?;
            let kind = c.u8(&CHECKSUM_KIND)?;
            let checksum = c.bytes(&CHECKSUM_BYTES, size as u64)?.span();
            let span = c.since(start);
            let padding = span.len.next_multiple_of(4) - span.len;
            if padding > 0 && !c.is_done() {
                c.bytes(&PADDING, padding.min(c.left()))?;
            }
            Ok(Self { name, kind, checksum, span })
        })
    }
}

/// Source files of a module, addressed by offset.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checksums<'a>(pub Slice<'a>);

impl Checksums<'_> {
    /// Returns the entry at `offset`.
    pub fn get(self, offset: u32) -> Result<Checksum> {
        self.0.part(offset as u64, 0)?;
        Checksum::decode(&mut self.0.rest(offset as u64).cursor())
    }

    /// Iterates over entries and their offsets; an error is the last item.
    pub fn iter(self) -> impl Iterator<Item = Result<(u32, Checksum)>> {
        self.0.items(|cursor| Ok((cursor.consumed() as u32, Checksum::decode(cursor)?)))
    }
}

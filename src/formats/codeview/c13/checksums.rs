use crate::bytes::{Cursor, Notes, Result, Slice, Span};

/// A source file of a module, and maybe a checksum of its content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum {
    /// Where its name begins in the string table.
    pub name: u32,
    /// How the checksum was computed: 0 there is none, 1 MD5, 2 SHA-1, 3 SHA-256.
    pub kind: u8,
    /// Where the checksum stands.
    pub checksum: Span,
    /// All of the entry, without padding.
    pub span: Span,
}

impl Checksum {
    /// Reads one entry and the padding behind it.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group("checksum", |c| {
            let start = c.position();
            let name = c.u32("file name")?;
            let size = c.u8("checksum size")?;
            let kind = c.u8("checksum kind")?;
            let checksum = c.bytes("checksum", size as u64)?.span();
            let span = c.since(start);
            let padding = span.len.next_multiple_of(4) - span.len;
            if padding > 0 && !c.is_done() {
                c.bytes("padding", padding.min(c.left()))?;
            }
            Ok(Self { name, kind, checksum, span })
        })
    }
}

/// The source files of a module, found by their offset.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checksums<'a>(pub Slice<'a>);

impl Checksums<'_> {
    /// The entry that begins at `offset`.
    pub fn get(self, offset: u32) -> Result<Checksum> {
        self.0.part(offset as u64, 0)?;
        Checksum::decode(&mut self.0.rest(offset as u64).cursor())
    }

    /// All entries with their offsets; an error is the last.
    pub fn iter(self) -> impl Iterator<Item = Result<(u32, Checksum)>> {
        let (mut cursor, mut failed) = (self.0.cursor(), false);
        std::iter::from_fn(move || {
            if failed || cursor.is_done() {
                return None;
            }
            let offset = cursor.consumed() as u32;
            let entry = Checksum::decode(&mut cursor).map(|entry| (offset, entry));
            failed = entry.is_err();
            Some(entry)
        })
    }
}

//! Document names: paths in parts, so that documents of one folder share the blobs of the folder names.
//!
//! The blob is a separator (one UTF-8 character, or a zero byte for none) followed by a compressed index into `#Blob`
//! for each part. The name consists of the parts, joined by the separator; index 0 is the empty part that an absolute
//! path begins with.
//!
//! # References
//!
//! Portable PDB v1.0, "Document Name Blob".

use crate::bytes::{At, Cursor, Encoding, Error, ErrorKind, Recorder, Result, Slice, fields};

/// Limit of a joined name in bytes: a few bytes of parts can stand for a name of any length.
const MAX_NAME_BYTES: u64 = 1 << 16;

fields! {
    /// A path in parts, each a blob of its own, so that the files of one folder share them.
    DOCUMENT_NAME: "document name";
    /// The character between the parts, such as / or \; a zero byte for none.
    SEPARATOR: "separator";
    /// The offset in #Blob of a part of the path; 0 is the empty part that an absolute path begins with.
    PART: "part" as Hex;
}

/// A document name blob.
#[derive(Clone, Copy, Debug)]
pub struct DocumentName<'a> {
    /// Separator of the parts: one character, or empty.
    pub separator: Slice<'a>,
    parts: Slice<'a>,
}

impl<'a> DocumentName<'a> {
    /// Decodes the blob of the Name column.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'a, N>) -> Result<Self> {
        cursor.group(&DOCUMENT_NAME, |c| {
            let separator = separator(c)?;
            let parts = c.rest();
            while !c.is_done() {
                c.compressed(&PART)?;
            }
            Ok(Self { separator, parts })
        })
    }

    /// Indices of the parts in `#Blob`, with their position.
    pub fn parts(self) -> impl Iterator<Item = At<u32>> {
        let mut cursor = self.parts.cursor();
        std::iter::from_fn(move || cursor.spanned(|cursor| cursor.compressed(&PART)).ok())
    }

    /// Joins the parts, whose bytes `blob` looks up.
    pub fn join(self, blob: impl Fn(u32) -> Result<Slice<'a>>) -> Result<String> {
        let mut name = Vec::new();
        for (index, part) in self.parts().enumerate() {
            let text = blob(part.value)?;
            let size = name.len() as u64 + self.separator.len() + text.len();
            if size > MAX_NAME_BYTES {
                let kind = ErrorKind::TooLarge { what: "a document's name", size, ceiling: MAX_NAME_BYTES };
                return Err(Error::new(kind, part.span));
            }
            if index > 0 {
                name.extend_from_slice(self.separator.data);
            }
            name.extend_from_slice(text.data);
        }
        Ok(String::from_utf8_lossy(&name).into_owned())
    }
}

/// Reads the separator; empty for a zero byte.
fn separator<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Slice<'a>> {
    let start = c.position();
    let first = c.peek().unwrap_or_default();
    let len = match first {
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
        _ => 1,
    };
    let character = c.text(&SEPARATOR, len, Encoding::Utf8)?;
    if std::str::from_utf8(character.data).is_err() {
        return Err(Error::invalid("the separator of a document's name must be a UTF-8 character", c.since(start)));
    }
    if first == 0 { character.part(0, 0) } else { Ok(character) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::record::undescribed;
    use crate::bytes::{SpaceId, Span};

    /// Looks a part up in a heap of these.
    fn join(blob: &[u8], parts: &'static [&'static str]) -> Result<String> {
        let name = DocumentName::decode(&mut Slice::new(blob, SpaceId(0), 0).cursor())?;
        name.join(|index| match parts.get(index as usize) {
            Some(part) => Ok(Slice::new(part.as_bytes(), SpaceId(0), 0)),
            None => Err(Error::invalid("no such blob", Span::default())),
        })
    }

    #[test]
    fn parts_are_joined_by_the_separator() {
        assert_eq!(join(&[b'/', 0, 1, 2], &["", "src", "a.cs"]).unwrap(), "/src/a.cs");
        assert_eq!(join(&[b'\\', 1, 2], &["", "C:", "a.cs"]).unwrap(), "C:\\a.cs");
        assert_eq!(join(&[0, 1, 2], &["", "one", "two"]).unwrap(), "onetwo");
        assert_eq!(join("→\x01\x01".as_bytes(), &["", "x"]).unwrap(), "x→x");
        assert_eq!(join(b"/", &[]).unwrap(), "");
        assert_eq!(join(&[b'/', 0x80, 0x01], &["", "long index"]).unwrap(), "long index");
    }

    #[test]
    fn what_cannot_be_a_name_is_an_error() {
        assert!(join(&[], &[""]).is_err());
        assert!(join(&[0x80, 1], &[""]).is_err());
        assert!(join(&[0xe2, 0x86], &[""]).is_err());
        assert!(join(&[b'/', 0xc0], &[""]).is_err());
        assert!(join(&[b'/', 9], &[""]).is_err());
    }

    #[test]
    fn a_short_blob_cannot_stand_for_a_name_without_end() {
        const PART: &str = match std::str::from_utf8(&[b'a'; 1 << 12]) {
            Ok(part) => part,
            Err(_) => "",
        };
        let error = join(&[1; 100], &["", PART]).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::TooLarge { .. }));
        assert_eq!((error.span.start, error.span.len), (16, 1));
    }

    #[test]
    fn notes_tile_the_blob() {
        let mut cursor = Cursor::recording(Slice::new("→\x00\x05".as_bytes(), SpaceId(0), 0x10));
        DocumentName::decode(&mut cursor).unwrap();
        let fields: Vec<_> = cursor.fields().iter().map(|f| (f.name(), f.span.start, f.span.len)).collect();
        assert_eq!(fields, [("document name", 0x10, 5), ("separator", 0x10, 3), ("part", 0x13, 1), ("part", 0x14, 1)]);
    }

    #[test]
    fn every_field_of_a_document_name_has_a_sentence() {
        assert_eq!(undescribed(b"/\0\x01", |c| DocumentName::decode(c).map(drop)), [""; 0]);
    }
}

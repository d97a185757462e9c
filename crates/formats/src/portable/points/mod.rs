//! Sequence points: source ranges of IL offsets.
//!
//! The sequence points blob of a method consists of a header and records. Both are compressed integers (ECMA-335
//! II.23.2); a record stores differences to the point before, and most records take 5 bytes.
//!
//! ```text
//! header        local signature, initial document (only where the method's row names none)
//! point         δ IL offset, Δ lines, Δ columns, δ start line, δ start column
//! hidden point  δ IL offset, 0, 0
//! document      0, document
//! ```
//!
//! The first record is always a point, whose IL offset may be 0; in any other record a leading 0 marks a document
//! record. `Δ` is end minus start of the same point; that of the columns is signed only if the lines differ. `δ` is the
//! difference to the point before; start line and start column are absolute in the first visible point, and signed
//! differences to the previous visible point in all others.
//!
//! [`Points`] walks the points of a blob and allocates nothing, [`find()`] walks to the one that covers an IL offset, [`decode`]
//! reads all of it through a cursor that may be recording, and [`each_point`] passes the points of a blob in its heap to a
//! function, which is fastest. All share one decoder.
//!
//! # References
//!
//! Portable PDB v1.0, "Sequence Points Blob".

mod bulk;
mod fast_path;
mod find;
mod iter;
#[cfg(test)]
mod tests;
mod walk;

pub use bulk::each_point;
pub use find::find;
pub use iter::{Points, Records, decode, decode_records};

use crate::bytes::{Cursor, Recorder, Result, Span, fields};
use crate::sequence_point::SequencePoint;

fields! {
    /// The start of a sequence points blob, which the records count from.
    HEADER: "header";
    /// The row of StandAloneSig with the types of the local variables; 0 if the method has none.
    LOCAL_SIGNATURE: "local signature" as Row("StandAloneSig");
    /// The document of the first point; it is here only if the row of the method names none, because there are
    /// several.
    INITIAL_DOCUMENT: "initial document" as Row("Document");
}

/// Header of a sequence points blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Row of StandAloneSig with the types of the local variables; 0 if there are none.
    pub local_signature: u32,
    /// Row of the Document of the first point.
    pub document: u32,
}

/// A change of the current document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentRecord {
    /// Row of the Document of the following points.
    pub document: u32,
    /// Offset of the record in the blob.
    pub at: u32,
    /// Size of the record in bytes.
    pub len: u8,
}

/// A record of the blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// Sequence point, hidden or visible.
    Point(SequencePoint),
    /// Document record.
    Document(DocumentRecord),
}

impl Header {
    /// Reads the header of the blob of a method whose row names `document`; 0 if it names none, for then the blob does.
    #[inline]
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, document: u32) -> Result<Self> {
        cursor.group(&HEADER, |c| {
            let local_signature = c.compressed(&LOCAL_SIGNATURE)?;
            let document = if document == 0 {
                let document = c.compressed(&INITIAL_DOCUMENT)?;
                c.changed(&walk::STATE_DOCUMENT, None, document);
                document
            } else {
                document
            };
            Ok(Self { local_signature, document })
        })
    }

    /// The row of StandAloneSig: F# writes the whole token where the row alone is due.
    pub const fn local_signature_row(self) -> u32 {
        self.local_signature & 0xff_ffff
    }
}

impl Record {
    /// Its bytes, in a blob that stands at `blob`.
    pub const fn span(self, blob: Span) -> Span {
        let (at, len) = match self {
            Self::Point(point) => (point.at, point.len),
            Self::Document(record) => (record.at, record.len),
        };
        blob.part(at as u64, len as u64)
    }
}

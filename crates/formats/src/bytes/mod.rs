//! The only code that indexes raw bytes.
//!
//! Everything read from a file is read through here, so that every value knows where it came from ([`Span`]) and no length
//! or count from a file is believed before it is checked ([`Cursor`]).
//!
//! * [`Span`]: some bytes of a [`Space`]. A space is a file, or bytes derived from one (an inflated embedded PDB, an MSF
//!   stream put together from its pages) that knows where it came from.
//! * [`Region`] owns a share of a space's bytes; [`Slice`] borrows them. Both carry their span with them.
//! * [`Cursor`] reads forward through a slice. Every read takes a [`FieldDoc`]; a *recording* cursor ([`Recorder`]) keeps
//!   description, span and value of each, which is how one decoder both answers and explains.
//! * [`record!`](crate::record) and [`fields!`](crate::fields) describe a record once: struct, decoder, spans, sentences, JSON.
//! * [`Error`]: what went wrong, and where.

#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod budget;
mod cursor;
mod disk;
mod error;
mod field;
mod guid;
mod hexadecimal;
pub mod record;
mod recorder;
mod region;
mod space;
mod span;
pub mod stored;

#[doc(inline)]
pub use crate::{fields, record};
pub use budget::{Budget, LeftOut, RECORD_NAMES, Resource, Share, Work, count_work, refuse_limit};
pub(crate) use cursor::sign_in_low_bit;
pub use cursor::{Bits, Cursor, Nibbles};
pub use disk::DiskFile;
pub(crate) use error::or_problem;
pub use error::{Error, ErrorKind, Result};
pub use field::{
    Change, DECODED, DECODED_IL_OFFSET, DECODED_TOKEN, Encoding, Field, FieldDoc, HashNumber, PADDING, ReadAs, Show,
    Value,
};
pub use guid::Guid;
pub use hexadecimal::{digits, hex};
pub use record::{FixedField, FixedText, PaddedText};
pub use recorder::{MAX_FIELDS, Reads, Recorder, Recording};
pub use region::{Memory, Region, Slice};
pub use space::{Origin, ResolvedSpan, SOURCES, Space, SpaceName, Spaces, Storage};
pub use span::{At, SpaceId, Span, is_inside};

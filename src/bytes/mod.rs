//! The only code that indexes raw bytes.
//!
//! Everything read from a file is read through here, so that every value knows where it came from ([`Span`]) and no length
//! or count from a file is believed before it is checked ([`Cursor`]).
//!
//! * [`Span`]: some bytes of a [`Space`]. A space is a file, or bytes derived from one (an inflated embedded PDB, an MSF
//!   stream put together from its pages) that knows where it came from.
//! * [`Region`] owns a share of a space's bytes; [`Slice`] borrows them. Both carry their span with them.
//! * [`Cursor`] reads forward through a slice. Every read has a name; a cursor that is *noting* ([`Notes`]) writes down
//!   name, span and value of each, which is how one decoder both answers and explains.
//! * [`Error`]: what went wrong, and where.

#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cursor;
mod error;
mod guid;
mod notes;
mod region;
mod space;
mod span;

pub use cursor::Cursor;
pub use error::{Error, ErrorKind, Result};
pub use guid::Guid;
pub use notes::{Encoding, Field, MOST_FIELDS, Noted, Notes, Value};
pub use region::{Region, Slice};
pub use space::{Origin, Piece, Source, Space, Spaces};
pub use span::{At, SpaceId, Span};

//! The stack trace that the screens show.

use crate::Kind;

/// The stack trace that the screens show.
pub(crate) const TRACE: Kind = Kind { ..Kind::NEW };

//! The stack trace that the screens show.

use crate::Kind;

pub(crate) const TRACE: Kind = Kind::NEW;

//! The stack trace that the screens show.

use crate::path::Pattern;
use crate::{Kind, Node, Place};
use std::fmt;

/// The stack trace that the screens show.
pub(crate) struct TraceNode;

impl Kind for TraceNode {
    const PATTERNS: &'static [Pattern] = &[("trace", |_| Ok(Place::Trace))];
}

impl Node for TraceNode {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("trace")
    }
}

//! Field descriptions that have not moved to their decoders yet.

pub mod lessons;

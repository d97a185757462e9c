//! The trait of subcommands.

use super::output::Out;
use super::{Error, Exit};

/// Subcommand whose arguments are its fields.
pub(super) trait Run {
    /// Carries it out. Findings are an [`Exit`] code, not an error.
    fn run(self, out: &mut Out) -> Result<Exit, Error>;
}

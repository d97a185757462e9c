//! The trait of subcommands, and the items that all of them import.

pub(super) use super::exit::{Error, Exit};
pub(super) use super::files::Files;
pub(super) use super::output::Out;
pub(super) use super::sandbox::Access;

/// Subcommand whose arguments are its fields.
pub(super) trait Run {
    /// For its help, its man page and the page for coding agents; the tests run every one of them.
    const EXAMPLES: &'static [Example];
    /// The same for its own subcommands, those of each together: the third word of a line names it.
    const NESTED: &'static [Example] = &[];

    /// Needs besides reading files and printing; everything else is denied before it is carried out.
    fn access(&self) -> Access {
        Access::default()
    }

    /// Carries it out. Findings are an [`Exit`] code, not an error.
    fn run(self, out: &mut Out) -> Result<Exit, Error>;
}

/// Line of a shell, and its purpose.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// In a few words, without a full stop.
    pub purpose: &'static str,
    /// Begins with `pdblens`; has at most one redirection, `< FILE` or `> FILE`.
    pub line: &'static str,
}

pub(super) const fn example(purpose: &'static str, line: &'static str) -> Example {
    Example { purpose, line }
}

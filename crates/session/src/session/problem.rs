//! Problems found when files are opened.

use pdblens_formats::bytes::{Error, Spaces, Span};
use pdblens_formats::metadata::TableId;
use pdblens_formats::pe::LinkerTable;
use pdblens_formats::portable::{Generation, RowGap};

/// Something wrong with the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Structure it was found in.
    pub source: ProblemSource,
    /// Bytes at fault, if it is about bytes.
    pub span: Option<Span>,
    /// One sentence, without a full stop.
    pub message: String,
}

/// Structure that a [`Problem`] was found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemSource {
    /// Image and symbols together.
    Pair,
    /// Headers of the image.
    ImageHeaders,
    /// Section table of the image.
    ImageSections,
    /// Entry of the image's debug directory, counted from 0.
    DebugEntry(u16),
    /// Table of the linker: imports, exports, resources.
    Linker(LinkerTable),
    /// Metadata of the image.
    ImageMetadata,
    /// The symbol file.
    Symbols,
}

impl Problem {
    pub(super) fn new(spaces: &Spaces, source: ProblemSource, error: &Error) -> Self {
        Self { source, span: Some(error.span), message: spaces.error_text(error) }
    }
}

/// Sentence about a hot-reload delta before this one that was not named; `None` where no row shows it.
pub fn missing_delta(delta: &Generation) -> Option<String> {
    let RowGap { table, first, next } = delta.gap?;
    let name = &delta.name;
    Some(if table == TableId::METHOD_DEF {
        format!(
            "a delta before {name} is missing: its EncMap adds method row {first}, and the next row after those named is {next}"
        )
    } else {
        // A method without lines has a local signature that no PDB names.
        format!(
            "a delta before {name} seems to be missing: its local signatures begin with row {first}, and the next row after those \
             named is {next}"
        )
    })
}

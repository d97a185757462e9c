//! Files that are named themselves, with an exclamation mark: `App!` is the launcher, `Acme.1.2.0.nupkg!` the package.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use super::{Location, all_in, archive};
use crate::session::detect::{self, FileKind, role};
use crate::session::standard_input;
use crate::text::safe::{count, spaced_hex, visible};
use pdblens_formats::container::{PREFIX_LEN, wrapped};
use pdblens_formats::host::{self, Host};

/// Bytes at the start of a file that identify it to a reader of hex dumps.
const SHOWN: usize = 16;

/// Identity of a file that is no image and no symbol file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "plain_file"))]
pub struct PlainFile {
    /// Path of the file.
    #[serde(skip)]
    pub path: PathBuf,
    /// Format with its article: `an ELF file, the launcher of a .NET program (apphost)`.
    pub format: String,
    /// Processor of native code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor: Option<&'static str>,
    /// Bytes of the file.
    pub size: u64,
    /// Content that pdblens reads; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contains: Option<PlainContent>,
    /// First bytes in hexadecimal digits.
    pub first_bytes: String,
}

/// Content of a file without a reader of its own.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "plain_content"))]
pub enum PlainContent {
    /// Files of a container.
    Files {
        /// Number of all files.
        all: usize,
        /// Number of files that are named like images or symbol files.
        symbols_and_images: usize,
    },
    /// One packed file.
    Packed {
        /// Bytes of the unpacked file.
        size: usize,
        /// Format by its first bytes.
        format: String,
    },
    /// Reason why the packed file cannot be read.
    Unreadable(String),
    /// Path of the DLL that a launcher starts.
    Dll(String),
}

impl fmt::Display for PlainContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files { all, symbols_and_images } => {
                write!(f, "{}, {symbols_and_images} named like images or symbol files", count(*all as u64, "file"))
            }
            Self::Packed { size, format } => write!(f, "one file of {}: {format}", count(*size as u64, "byte")),
            Self::Unreadable(why) => write!(f, "a file that cannot be unpacked: {why}"),
            Self::Dll(path) => write!(f, "the path of the DLL that it starts: {}", visible(path)),
        }
    }
}

/// The file that `FILE!` names; `None` for an image or symbol file, which is opened, and for a path without the mark.
pub fn itself(path: &Path) -> io::Result<Option<PlainFile>> {
    let Location::File(own) = Location::of(path) else { return Ok(None) };
    if own == path || standard_input::is_named(&own) {
        return Ok(None);
    }
    let first = archive::first_bytes(&own).unwrap_or_default();
    if detect::kind(&first).is_some() && !wrapped::is_wrapped(&first) {
        return Ok(None);
    }
    let size = std::fs::metadata(&own)?.len();
    // The list of an archive is enough, whatever its size.
    let bytes = if archive::is_archive(&own) { first } else { archive::read_host(&own)? };
    let (binary, host) = (host::binary(&bytes), host::host(&bytes));
    let format = match (binary, &host) {
        (Some(binary), Some(host)) => format!("{}, {}", binary.format.name(), role(host)),
        _ => without_tip(looks_like(&bytes)),
    };
    let contains = content(&own, &bytes, host)?;
    let first_bytes = spaced_hex(bytes.get(..SHOWN).unwrap_or(&bytes), SHOWN);
    let processor = binary.and_then(|binary| binary.processor);
    Ok(Some(PlainFile { path: own, format, processor, size, contains, first_bytes }))
}

fn content(path: &Path, bytes: &[u8], host: Option<Host>) -> io::Result<Option<PlainContent>> {
    if archive::is_container(path) {
        let archive = archive::of(path)?;
        let symbols_and_images = all_in(&archive, path).len();
        return Ok(Some(PlainContent::Files { all: archive.entries.len(), symbols_and_images }));
    }
    if let Some(Host::AppHost { dll }) = host {
        return Ok(Some(PlainContent::Dll(dll)));
    }
    Ok(wrapped::unwrap(bytes).map(|unwrapped| match unwrapped {
        Ok(file) => PlainContent::Packed { size: file.bytes.len(), format: without_tip(looks_like(&file.bytes)) },
        Err(error) => PlainContent::Unreadable(error.to_string()),
    }))
}

fn looks_like(bytes: &[u8]) -> &'static str {
    let first = bytes.get(..PREFIX_LEN).unwrap_or(bytes);
    detect::kind(first).map_or_else(|| detect::looks_like(first), FileKind::name)
}

fn without_tip(text: &str) -> String {
    text.split(" · ").next().unwrap_or(text).to_owned()
}

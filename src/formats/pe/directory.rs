use object::pe;

use crate::bytes::{Cursor, Recorder, Result, Span};

/// The data directories, by number.
pub const DIRECTORY_NAMES: [&str; pe::IMAGE_NUMBEROF_DIRECTORY_ENTRIES] = [
    "export table",
    "import table",
    "resource table",
    "exception table",
    "certificate table",
    "base relocation table",
    "debug directory",
    "architecture",
    "global pointer",
    "tls table",
    "load config table",
    "bound import",
    "import address table",
    "delay import descriptor",
    "clr runtime header",
    "reserved directory",
];

/// A data directory: where one thing of interest is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directory {
    /// Its number, an index of [`DIRECTORY_NAMES`].
    pub index: u8,
    /// Where the thing begins. It is an offset of the file for the certificate table, and an RVA for all others.
    pub rva: u32,
    /// How many bytes it takes.
    pub size: u32,
    /// The bytes of the directory's entry.
    pub span: Span,
    /// The bytes that it leads to, where all of them are in the file.
    pub data: Option<Span>,
}

impl Directory {
    pub(super) const SIZE: u64 = 8;
    /// The number of the certificate table, the one directory that is a range of the file.
    pub const CERTIFICATES: u8 = pe::IMAGE_DIRECTORY_ENTRY_SECURITY as u8;
    /// The number of the debug directory.
    pub const DEBUG: u8 = pe::IMAGE_DIRECTORY_ENTRY_DEBUG as u8;
    /// The number of the CLR runtime header.
    pub const CLI: u8 = pe::IMAGE_DIRECTORY_ENTRY_COM_DESCRIPTOR as u8;

    /// What it is called.
    pub fn name(&self) -> &'static str {
        name(self.index)
    }

    /// Whether it leads to anything.
    pub const fn is_present(&self) -> bool {
        self.rva != 0
    }

    pub(super) fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, index: u8) -> Result<Self> {
        let start = cursor.position();
        cursor.group(name(index), |c| {
            let rva = c.u32(if index == Self::CERTIFICATES { "file offset" } else { "rva" })?;
            let size = c.u32("size")?;
            Ok(Self { index, rva, size, span: c.since(start), data: None })
        })
    }
}

fn name(index: u8) -> &'static str {
    DIRECTORY_NAMES.get(index as usize).copied().unwrap_or("data directory")
}

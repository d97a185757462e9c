//! Formats of symbol files.

use std::fmt::{self, Display};

/// The format of a symbol file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Portable PDB: ECMA-335 metadata.
    Portable,
    /// Windows PDB (MSF) of managed code.
    Windows,
    /// Windows PDB (MSF) of native code.
    Native,
    /// Windows PDB (MSF) of native and managed code (C++/CLI).
    Mixed,
    /// Mono's `.mdb`.
    Mdb,
    /// MSF 2.00, from before .NET: only its header is read.
    SmallMsf,
    /// MSFZ, a compressed MSF, if it cannot be unpacked: only its header is read.
    Msfz,
}

impl Format {
    /// Returns true if only the header is decoded.
    pub const fn is_header_only(self) -> bool {
        matches!(self, Self::SmallMsf | Self::Msfz)
    }

    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Windows => "windows",
            Self::Native => "native",
            Self::Mixed => "mixed",
            Self::Mdb => "mdb",
            Self::SmallMsf => "msf2",
            Self::Msfz => "msfz",
        }
    }
}

impl Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Portable => "Portable PDB",
            Self::Windows => "Windows PDB, managed",
            Self::Native => "Windows PDB, native",
            Self::Mixed => "Windows PDB, native and managed",
            Self::Mdb => "Mono .mdb",
            Self::SmallMsf => "PDB from before Visual C++ 7 (MSF 2.00), of which only the header is read",
            Self::Msfz => "compressed PDB (MSFZ), of which only the header is read",
        })
    }
}

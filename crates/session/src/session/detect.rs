//! Detection of the kind of a file by its first bytes.

use crate::text::safe::{count, visible};
use pdblens_formats::host::{self, Host};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    Pe,
    /// A portable PDB: metadata on its own.
    Portable,
    /// MSF 7.00, which Windows PDBs are made of.
    Msf,
    /// MSF 2.00, from before Visual C++ 7.
    OldMsf,
    /// MSFZ, a compressed MSF: only if it cannot be unpacked.
    Msfz,
    /// Mono's `.mdb`.
    Mdb,
}

impl FileKind {
    /// Name with its article.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Pe => "an image",
            Self::Portable => "a portable PDB",
            Self::Msf => "a Windows PDB",
            Self::OldMsf => "a PDB from before Visual C++ 7 (MSF 2.00)",
            Self::Msfz => "a compressed PDB (MSFZ)",
            Self::Mdb => "an .mdb of Mono",
        }
    }
}

const KINDS: &[(&[u8], FileKind)] = &[
    (b"MZ", FileKind::Pe),
    (b"BSJB", FileKind::Portable),
    (b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0", FileKind::Msf),
    (b"Microsoft C/C++ program database 2.00\r\n\x1aJG", FileKind::OldMsf),
    (b"Microsoft MSFZ Container\r\n\x1aALD\0\0", FileKind::Msfz),
    (&0x45e8_2623_fd7f_a614_u64.to_le_bytes(), FileKind::Mdb),
];

/// Files that pdblens does not open: first bytes, description and advice.
const FOREIGN: &[(&[u8], &str)] = &[
    (b"\x7fELF", "an ELF file, a Linux program or library: native code keeps its symbols in DWARF, not in a PDB"),
    (
        b"PK\x03\x04",
        "a zip archive (a .nupkg or .snupkg is one) · tip: name what is in it: `Acme.nupkg!lib/net8.0/Acme.dll`",
    ),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O file, a macOS program or library"),
    (b"\xce\xfa\xed\xfe", "a Mach-O file, a macOS program or library"),
    (b"\xfe\xed\xfa\xcf", "a Mach-O file, a macOS program or library"),
    (b"\xca\xfe\xba\xbe", "a Mach-O universal file or a Java class"),
    (b"!<arch>\n", "a static library (.lib or .a) · tip: open the image that was linked from it"),
    (b"\0asm", "a WebAssembly module"),
    (b"\x1f\x8b", "a file packed by gzip"),
    (b"MSCF", "a cabinet file"),
    (b"_ildb_signature\0", "a CILDB symbol file (ECMA-335 Partition V), which no compiler that ships writes"),
    (b"XALZ", "an assembly packed for Android (XALZ)"),
    (b"WbIL", "a Webcil file"),
    (b"Microsoft C/C++", "an MSF file of a version that pdblens does not know"),
    (b"{", "JSON text"),
    (b"<", "XML or HTML text: a symbol server's error page, perhaps"),
];

pub fn kind(first: &[u8]) -> Option<FileKind> {
    KINDS.iter().find(|(magic, _)| first.starts_with(magic)).map(|(_, kind)| *kind)
}

pub(crate) fn looks_like(first: &[u8]) -> &'static str {
    let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    if first.is_empty() {
        return "an empty file";
    }
    if text.starts_with(b"\x7fELF") && text.get(16) == Some(&4) {
        return "a core of a process · tip: `pdblens CORE` shows its threads";
    }
    if let Some((_, what)) = FOREIGN.iter().find(|(magic, _)| text.starts_with(magic)) {
        return what;
    }
    if first.get(257..262) == Some(b"ustar") {
        return "a tar archive · tip: name what is in it: `acme.tgz!package/lib/Acme.dll`";
    }
    if first.iter().all(|b| *b == 0) {
        return "a file of zeros";
    }
    // A character may be cut in two where we stopped reading.
    let is_text = match std::str::from_utf8(text) {
        Ok(text) => !text.contains('\0'),
        Err(error) => error.error_len().is_none() && !text.contains(&0),
    };
    if is_text || first.starts_with(b"\xff\xfe") || first.starts_with(b"\xfe\xff") {
        return "text";
    }
    "unrecognised file format"
}

/// Returns true if a file that begins with `first` is an ELF or Mach-O program or library.
pub(crate) fn is_foreign_program(first: &[u8]) -> bool {
    [&b"\x7fELF"[..], b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe"]
        .iter()
        .any(|magic| first.starts_with(magic))
}

/// Description of a host of a .NET program whose bytes are `bytes`, and what to open instead; `None` if it is not a host.
pub fn hosts(bytes: &[u8]) -> Option<String> {
    let binary = host::binary(bytes)?;
    let processor = binary.processor.map_or(String::new(), |processor| format!(" ({processor})"));
    let host = host::host(bytes)?;
    let tip = match &host {
        Host::AppHost { dll } => format!("open {} instead", visible(dll)),
        Host::Template => "open the .dll of a program instead".to_owned(),
        Host::Bundle(_) => "open the .dll that it was published from instead".to_owned(),
    };
    Some(format!("{}{processor}, {} · tip: {tip}", binary.format.name(), role(&host)))
}

pub(super) fn role(host: &Host) -> String {
    match host {
        Host::AppHost { .. } => "the launcher of a .NET program (apphost)".to_owned(),
        Host::Template => "the launcher that the .NET SDK copies for each program".to_owned(),
        Host::Bundle(bundle) => {
            format!("a .NET program published as a single file ({} inside)", count(bundle.files, "file"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_their_first_bytes() {
        assert_eq!(kind(b"MZ\x90\0"), Some(FileKind::Pe));
        assert_eq!(kind(b"BSJB\x01\0\x01\0"), Some(FileKind::Portable));
        assert_eq!(kind(b"\x14\xa6\x7f\xfd\x23\x26\xe8\x45"), Some(FileKind::Mdb));
        assert_eq!(kind(b"\x7fELF"), None);
        assert!(looks_like(b"\x7fELF\x02").contains("ELF"));
        assert!(looks_like(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x04\0").contains("a core"));
        assert!(looks_like(b"PK\x03\x04").contains("nupkg"));
        assert!(looks_like(b"_ildb_signature\0").contains("CILDB") && kind(b"_ildb_signature\0").is_none());
        assert_eq!(looks_like(b"using System;\n"), "text");
        assert_eq!(looks_like("größ".as_bytes().split_last().unwrap().1), "text");
        assert_eq!(looks_like(b""), "an empty file");
        assert_eq!(looks_like(&[1, 2, 0, 4]), "unrecognised file format");
    }

    #[test]
    fn a_host_says_what_to_open_instead() {
        let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
        bytes.resize(4096, 0);
        assert!(is_foreign_program(&bytes) && hosts(&bytes).is_none());
        bytes.extend_from_slice(b"c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2");
        let text = crate::session::Session::from_bytes(vec![("App".into(), bytes)]).unwrap_err().to_string();
        assert_eq!(
            text,
            "App: this is an ELF file, the launcher that the .NET SDK copies for each program · tip: open the .dll of a program instead"
        );
    }
}

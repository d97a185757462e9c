//! Hosts of .NET programs: the launcher that the SDK puts beside `App.dll` (*apphost*), and single files that also
//! contain the runtime and all DLLs (*bundles*). Both are native ELF, Mach-O or PE files.
//!
//! An apphost has the path of its DLL in a slot of 1024 bytes, which initially contains the SHA-256 of "foobar" in
//! hexadecimal digits. A bundle has a signature, the SHA-256 of ".net core bundle" and a line feed, preceded by the
//! offset of the manifest, which is 0 in an apphost that is not a bundle.
//!
//! # References
//!
//! dotnet/runtime: `src/native/corehost/corehost.cpp`, `src/native/corehost/apphost/bundle_marker.cpp`,
//! `src/installer/managed/Microsoft.NET.HostModel`; dotnet/designs, *Single-file Publish*.

use memchr::memmem;
use object::read::{Architecture, File, FileKind, Object};

/// First half of the initial content of the slot; the host compares against it, so every host contains it.
const PLACEHOLDER_HIGH: &[u8] = b"c3ab8ff13720e8ad9047dd39466b3c89";
/// Second half.
const PLACEHOLDER_LOW: &[u8] = b"74e592c2fa383d4a3960714caef0c4f2";
/// Size of the slot in bytes.
const SLOT: usize = 1024;
/// Bundle signature: SHA-256 of ".net core bundle
///
/// ".
const SIGNATURE: [u8; 32] = [
    0x8b, 0x12, 0x02, 0xb9, 0x6a, 0x61, 0x20, 0x38, 0x72, 0x7b, 0x93, 0x02, 0x14, 0xd7, 0xa0, 0x32, 0x13, 0xf5, 0xb9,
    0xe6, 0xef, 0xae, 0x33, 0x18, 0xee, 0x3b, 0x2d, 0xce, 0x24, 0xb3, 0x6a, 0xae,
];
/// Limit of candidate strings for the path.
const MAX_CANDIDATES: usize = 4096;
/// Limit on the numbers of a manifest's version, far above those of today.
const MAX_VERSION: u32 = 99;
const MAX_ID: usize = 127;

/// A file of native code, as far as its headers tell.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binary {
    pub format: BinaryFormat,
    /// Processor: `x86-64`, `ARM64`; nothing where it has no name here.
    pub processor: Option<&'static str>,
}

/// A container of native code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryFormat {
    Elf,
    MachO,
    /// A Mach-O file with the code of several processors.
    MachOFat,
    Pe,
}

/// Content of a native file that hosts a .NET program.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    AppHost {
        /// Path of the DLL, relative to the launcher.
        dll: String,
    },
    /// Launcher without a path: the SDK's template `apphost`.
    Template,
    /// Single-file program.
    Bundle(Bundle),
}

/// Header of a bundle's manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// File offset of the manifest.
    pub manifest: u64,
    /// Version of the manifest: 1 since .NET Core 3, 2 since .NET 5, 6 since .NET 6; `None` if it cannot be read.
    pub version: Option<(u32, u32)>,
    /// Number of files in it.
    pub files: u32,
    /// Bundle id, a part of the path that the files are extracted to.
    pub id: String,
}

impl BinaryFormat {
    /// Name with its article: `an ELF file`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Elf => "an ELF file",
            Self::MachO => "a Mach-O file",
            Self::MachOFat => "a Mach-O universal file",
            Self::Pe => "a PE file",
        }
    }
}

/// Reads the headers of a native executable; `None` for any other file.
pub fn binary(bytes: &[u8]) -> Option<Binary> {
    let format = match FileKind::parse(bytes).ok()? {
        FileKind::Elf32 | FileKind::Elf64 => BinaryFormat::Elf,
        FileKind::MachO32 | FileKind::MachO64 => BinaryFormat::MachO,
        FileKind::MachOFat32 | FileKind::MachOFat64 => BinaryFormat::MachOFat,
        FileKind::Pe32 | FileKind::Pe64 => BinaryFormat::Pe,
        _ => return None,
    };
    let processor = File::parse(bytes).ok().and_then(|file| processor(file.architecture()));
    Some(Binary { format, processor })
}

const fn processor(architecture: Architecture) -> Option<&'static str> {
    Some(match architecture {
        Architecture::X86_64 | Architecture::X86_64_X32 => "x86-64",
        Architecture::I386 => "x86",
        Architecture::Aarch64 | Architecture::Aarch64_Ilp32 => "ARM64",
        Architecture::Arm => "ARM",
        Architecture::LoongArch64 => "LoongArch64",
        Architecture::Riscv64 => "RISC-V 64",
        Architecture::S390x => "s390x",
        Architecture::PowerPc64 => "PowerPC 64",
        _ => return None,
    })
}

/// Returns what the native executable `bytes` hosts; `None` if it is no .NET host.
pub fn host(bytes: &[u8]) -> Option<Host> {
    if let Some(bundle) = bundle(bytes) {
        return Some(Host::Bundle(bundle));
    }
    let placeholder = [PLACEHOLDER_HIGH, PLACEHOLDER_LOW].concat();
    if memmem::find(bytes, &placeholder).is_some() {
        return Some(Host::Template);
    }
    let halves = [PLACEHOLDER_HIGH, PLACEHOLDER_LOW].iter().all(|half| memmem::find(bytes, half).is_some());
    let marked = memmem::find(bytes, &SIGNATURE).is_some();
    // A program that only searches for them has the signature and the hash, too, but no slot with a path.
    if halves || marked { dll(bytes).map(|dll| Host::AppHost { dll }) } else { None }
}

/// Reads the manifest that the offset before a signature refers to.
fn bundle(bytes: &[u8]) -> Option<Bundle> {
    memmem::find_iter(bytes, &SIGNATURE).take(MAX_CANDIDATES).find_map(|at| bundle_at(bytes, at))
}

/// Reads the manifest of the signature at an offset. It follows the host; a program that only searches for the signature has any bytes
/// before it.
fn bundle_at(bytes: &[u8], at: usize) -> Option<Bundle> {
    let manifest = u64::from_le_bytes(bytes.get(at.checked_sub(8)?..at)?.try_into().ok()?);
    let header = bytes.get(usize::try_from(manifest).ok().filter(|manifest| *manifest > at)?..)?;
    let number = |at: usize| Some(u32::from_le_bytes(header.get(at..at.saturating_add(4))?.try_into().ok()?));
    let version = number(0).zip(number(4));
    if version.is_some_and(|(major, minor)| major.max(minor) > MAX_VERSION) {
        return None;
    }
    let id_len = header.get(12).map_or(0, |len| usize::from(*len));
    let id = if id_len > MAX_ID { &[] } else { header.get(13..id_len + 13).unwrap_or_default() };
    let id = String::from_utf8_lossy(id).into_owned();
    Some(Bundle { manifest, version, files: number(8).unwrap_or(0), id })
}

/// Finds the path in the slot: text that ends in `.dll` and is followed by NULs up to 1024 bytes.
fn dll(bytes: &[u8]) -> Option<String> {
    let mut ends = memmem::find_iter(bytes, b".dll\0").take(MAX_CANDIDATES);
    ends.find_map(|at| {
        let end = at + 4;
        let from = end.saturating_sub(SLOT);
        // A path that fills the slot has no room for its NUL: such text is another string of the program.
        let before = from + bytes.get(from..end)?.iter().rposition(|byte| *byte == 0)? + 1;
        let path = std::str::from_utf8(bytes.get(before..end)?).ok()?;
        let rest = bytes.get(end..before + SLOT)?;
        let alone = rest.iter().all(|byte| *byte == 0) && !path.chars().any(char::is_control);
        alone.then(|| path.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    /// A little ELF or Mach-O header, and what stands after it.
    fn program(magic: &[u8], parts: &[&[u8]]) -> Vec<u8> {
        let mut bytes = magic.to_vec();
        bytes.resize(4096, 0);
        for part in parts {
            bytes.extend_from_slice(part);
            bytes.resize(bytes.len().next_multiple_of(16) + 16, 0);
        }
        bytes
    }

    fn elf(parts: &[&[u8]]) -> Vec<u8> {
        let mut head = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0".to_vec();
        head.resize(52, 0);
        head.extend_from_slice(&[64, 0, 56, 0, 0, 0, 64, 0, 0, 0, 0, 0]);
        program(&head, parts)
    }

    fn slot(text: &str) -> Vec<u8> {
        let mut slot = text.as_bytes().to_vec();
        slot.resize(SLOT, 0);
        slot
    }

    #[test]
    fn markers_are_the_hashes_that_they_are_documented_to_be() {
        assert_eq!(Sha256::digest(b".net core bundle\n")[..], SIGNATURE);
        let hash = Sha256::digest(b"foobar");
        let halves = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let digits: String = halves.filter_map(|half| char::from_digit(u32::from(half), 16)).collect();
        assert_eq!(digits.as_bytes(), [PLACEHOLDER_HIGH, PLACEHOLDER_LOW].concat());
    }

    #[test]
    fn an_apphost_names_its_dll() {
        let marker = [&[0; 8][..], &SIGNATURE].concat();
        let halves = [PLACEHOLDER_HIGH, b"\0\0", PLACEHOLDER_LOW].concat();
        let other = b"hostfxr.dll\0and more after it".as_slice();
        let bytes = elf(&[other, &slot("sub/App.dll"), &marker, &halves]);
        assert_eq!(host(&bytes), Some(Host::AppHost { dll: "sub/App.dll".to_owned() }));
        assert_eq!(binary(&bytes), Some(Binary { format: BinaryFormat::Elf, processor: Some("x86-64") }));
        // One of the SDK before .NET Core 3 has no signature; and a program without the path is no launcher, as this one.
        assert_eq!(host(&elf(&[&slot("A.dll"), &halves])), Some(Host::AppHost { dll: "A.dll".to_owned() }));
        assert_eq!(host(&elf(&[other, &marker, &halves])), None);
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(host(&[own.as_slice(), &marker].concat()), None);
        assert_eq!(host(&elf(&[&[PLACEHOLDER_HIGH, PLACEHOLDER_LOW].concat()])), Some(Host::Template));
        assert_eq!(host(&elf(&[other, &slot("App.dll")])), None);
        let long = [&[b'x'; SLOT][..], b".dll\0\0"].concat();
        assert_eq!(host(&elf(&[&long, &halves])), None);
    }

    #[test]
    fn a_bundle_has_a_manifest() {
        let mut bytes = elf(&[]);
        let at = bytes.len() as u64 + 40;
        bytes.extend_from_slice(&at.to_le_bytes());
        bytes.extend_from_slice(&SIGNATURE);
        bytes.extend_from_slice(b"\x06\0\0\0\0\0\0\0\xb4\0\0\0\x04abcd");
        let expected = Bundle { manifest: at, version: Some((6, 0)), files: 180, id: "abcd".to_owned() };
        assert_eq!(host(&bytes), Some(Host::Bundle(expected)));
        // An offset is wrong if it lies past the end of the file or before the signature, or if the version at it is impossible.
        for elsewhere in [u64::MAX, 1, at + 4] {
            bytes[4096..4104].copy_from_slice(&elsewhere.to_le_bytes());
            assert_eq!(host(&bytes), None, "{elsewhere:#x}");
        }
    }

    #[test]
    fn containers_are_told_by_their_headers() {
        let mach = program(b"\xcf\xfa\xed\xfe\x0c\0\0\x01\0\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", &[]);
        assert_eq!(binary(&mach), Some(Binary { format: BinaryFormat::MachO, processor: Some("ARM64") }));
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/native/tally.exe");
        let found = binary(&std::fs::read(path).unwrap()).unwrap();
        assert_eq!((found.format, found.format.name()), (BinaryFormat::Pe, "a PE file"));
        for none in [&b"text"[..], b"", b"\x7fELF", b"PK\x03\x04"] {
            assert_eq!((binary(none).map(|binary| binary.processor), host(none)), (None, None), "{none:?}");
        }
    }

    #[test]
    fn damage_is_harmless() {
        let marker = [&[0; 8][..], &SIGNATURE].concat();
        let whole = elf(&[&slot("App.dll"), &marker, PLACEHOLDER_HIGH, PLACEHOLDER_LOW]);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            let _ = (binary(&bytes), host(&bytes));
            if !(128..=4096).contains(&at) {
                let _ = (binary(&whole[..at]), host(&whole[..at]));
            }
        }
    }
}

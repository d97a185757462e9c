//! One file: its kind, its bytes, and what is decoded of it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::detect::{self, FileKind};
use super::inputs::Location;
use super::read_file::{MAX_WHOLE, open_regular, read_rest};
use super::{Image, OpenError, SymbolFile, standard_input};
use crate::symbols::{Format, HeaderOnly, SymbolFormat, WindowsSymbols};
use crate::text::paths::file_name;
use crate::text::safe::utf8;
use pdblens_formats::bytes::{DiskFile, Memory, Origin, Region, SpaceId, Spaces, Storage};
use pdblens_formats::container::{PREFIX_LEN, wrapped};
use pdblens_formats::managed::WindowsPdb;
use pdblens_formats::mdb::Mdb;
use pdblens_formats::metadata::{Metadata, Root, TableId};
use pdblens_formats::msf::Msf;
use pdblens_formats::pe::Pe;
use pdblens_formats::portable::PortablePdb;

/// Files larger than this are read where they are needed, and stay open. A trace may open hundreds of smaller ones, more than a process
/// may have open.
const MAX_IN_MEMORY: u64 = 1 << 20;

/// The largest program of another system that is read to tell whether it hosts a .NET program.
const MAX_HOST: u64 = 512 << 20;

pub(super) enum LoadedFile {
    Image(Box<Image>),
    Symbols(SymbolFile),
}

/// A file of a known kind, not decoded yet.
pub(super) struct RawFile {
    path: PathBuf,
    kind: FileKind,
    content: Content,
    pub(super) remark: Option<String>,
}

enum Content {
    Whole(Memory),
    Disk(File, u64),
}

impl RawFile {
    pub(super) fn read(path: &Path) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Io { path: path.to_owned(), error };
        if standard_input::is_named(path) {
            return Self::new(path.to_owned(), standard_input::bytes().map_err(failed)?.to_vec());
        }
        let location = Location::of(path);
        if let Location::Entry { .. } = location {
            return Self::new(path.to_owned(), location.read(MAX_WHOLE).map_err(failed)?);
        }
        let found = std::fs::metadata(path).map_err(failed)?;
        let mut file = open_regular(path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.by_ref().take(PREFIX_LEN as u64).read_to_end(&mut bytes).map_err(failed)?;
        if detect::is_foreign_program(&bytes) && found.len() <= MAX_HOST {
            file.by_ref().take(MAX_HOST).read_to_end(&mut bytes).map_err(failed)?;
        }
        if wrapped::is_wrapped(&bytes) {
            read_rest(&mut file, &mut bytes, MAX_WHOLE).map_err(failed)?;
            return Self::new(path.to_owned(), bytes);
        }
        let kind = Self::kind(path, &bytes)?;
        let by_blocks = match kind {
            FileKind::Msf => true,
            FileKind::Pe | FileKind::Portable => found.len() <= MAX_WHOLE,
            _ => false,
        };
        let content = if by_blocks && found.len() > MAX_IN_MEMORY {
            Content::Disk(file, found.len())
        } else {
            read_rest(&mut file, &mut bytes, MAX_WHOLE).map_err(failed)?;
            Content::Whole(bytes.into())
        };
        Ok(Self { path: path.to_owned(), kind, content, remark: None })
    }

    /// A file whose bytes are in memory; if it wraps another, that is taken out of it.
    pub(super) fn new(path: PathBuf, bytes: impl Into<Memory>) -> Result<Self, OpenError> {
        let bytes = bytes.into();
        let name = Location::of(&path).file_name();
        let (bytes, remark) = match wrapped::unwrap(&bytes) {
            None => (bytes, None),
            Some(Ok(file)) => (file.bytes.into(), Some(format!("{name}: {}", file.remark))),
            // Its header is shown; why there is no more is a problem of the file.
            Some(Err(_)) if detect::kind(&bytes) == Some(FileKind::Msfz) => (bytes, None),
            Some(Err(error)) => {
                let what = format!("{}, but {error}", detect::looks_like(&bytes));
                return Err(OpenError::NotOurs { path, what: what.into() });
            }
        };
        let kind = Self::kind(&path, &bytes)?;
        Ok(Self { path, kind, content: Content::Whole(bytes), remark })
    }

    /// The format of a file that begins with `bytes`; a program of another system has to be there as a whole.
    fn kind(path: &Path, bytes: &[u8]) -> Result<FileKind, OpenError> {
        let first = bytes.get(..PREFIX_LEN).unwrap_or(bytes);
        detect::kind(first).ok_or_else(|| {
            let path = path.to_owned();
            let (is_foreign, what) = (detect::is_foreign_program(first), detect::looks_like(first));
            match is_foreign.then(|| detect::hosts(bytes)).flatten() {
                Some(host) => OpenError::NotOurs { path, what: host.into() },
                None if is_foreign => OpenError::NativeCode { path, what },
                None => OpenError::NotOurs { path, what: what.into() },
            }
        })
    }

    pub(super) fn is_portable(&self) -> bool {
        self.kind == FileKind::Portable
    }

    pub(super) fn load(self, spaces: &mut Spaces) -> Result<LoadedFile, OpenError> {
        let Self { path, kind, content, .. } = self;
        let is_input = standard_input::is_named(&path);
        let name = if is_input { standard_input::NAME.to_owned() } else { Location::of(&path).file_name() };
        let origin = Origin::File(path.clone());
        let space = match content {
            Content::Whole(bytes) => spaces.add_bytes(name.clone(), origin, bytes).span().space,
            Content::Disk(file, len) => {
                spaces.add(name.clone(), origin, len, Storage::Disk(DiskFile::new(file, len).into()))
            }
        };
        let loaded = if kind == FileKind::Pe {
            spaces
                .region(space)
                .and_then(|region| image_of(path.clone(), name, region))
                .map(|image| LoadedFile::Image(Box::new(image)))
        } else {
            symbols(kind, spaces, space).map(|content| {
                let path = path.clone();
                LoadedFile::Symbols(SymbolFile { path, name, space, embedded: false, refused_image: None, content })
            })
        };
        loaded.map_err(|error| OpenError::Broken { path, what: begins_like(kind), error })
    }
}

/// Decodes an image.
pub(crate) fn image_of(path: PathBuf, name: String, region: Region) -> pdblens_formats::bytes::Result<Image> {
    let space = region.span().space;
    let pe = Pe::parse(region)?;
    let (metadata, metadata_error) = match pe.metadata().map(Root::parse) {
        Some(Ok(root)) => (Some(Metadata::parse(root, &[0; 64])), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    // Standard input has no name of its own.
    let module = if standard_input::is_named(&path) { metadata.as_ref().and_then(module_name) } else { None };
    let name = module.unwrap_or(name);
    let (refused_pdb, index, linker) = (None, super::NameIndex::default(), OnceLock::new());
    Ok(Image { path, name, space, pe, metadata, metadata_error, refused_pdb, index, linker })
}

/// File name of the module, as its compiler wrote it.
fn module_name(metadata: &Metadata) -> Option<String> {
    let name = metadata.string_cell(TableId::MODULE, 1, 1).ok()?;
    Some(file_name(&utf8(name.data)).to_owned()).filter(|name| !name.is_empty())
}

fn symbols(kind: FileKind, spaces: &mut Spaces, space: SpaceId) -> pdblens_formats::bytes::Result<SymbolFormat> {
    Ok(match kind {
        FileKind::Portable => {
            let mut pdb = PortablePdb::parse(spaces.region(space)?)?;
            pdb.budget = spaces.budget().clone();
            SymbolFormat::Portable(Box::new(pdb))
        }
        FileKind::Mdb => SymbolFormat::Mdb(Box::new(Mdb::parse(spaces.region(space)?)?)),
        FileKind::Msf => {
            let msf = Msf::open(spaces, space)?;
            SymbolFormat::Windows(Box::new(WindowsSymbols::new(WindowsPdb::parse(spaces, msf))))
        }
        FileKind::OldMsf => SymbolFormat::HeaderOnly(HeaderOnly::parse(Format::SmallMsf, &spaces.region(space)?)),
        FileKind::Msfz => SymbolFormat::HeaderOnly(HeaderOnly::parse(Format::Msfz, &spaces.region(space)?)),
        FileKind::Pe => {
            return Err(pdblens_formats::bytes::Error::invalid(
                "an image is not a symbol file",
                pdblens_formats::bytes::Span::new(space, 0, 0),
            ));
        }
    })
}

const fn begins_like(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Pe => "it begins like an image",
        FileKind::Portable => "it begins like a portable PDB",
        FileKind::Msf => "it begins like a Windows PDB",
        FileKind::OldMsf => "it is a PDB from before Visual C++ 7 (MSF 2.00)",
        FileKind::Msfz => "it is a compressed PDB (MSFZ)",
        FileKind::Mdb => "it begins like Mono's .mdb",
    }
}

//! The open files: their bytes, their decoded content, and the match of image and symbols.
//!
//! [`Session::open`] takes one file or two, in either order, and looks for the partner of a file that is named alone. What is
//! broken becomes a [`Problem`], and the rest is still there; only a file of an unknown format is refused.

mod cache;
pub mod candidates;
pub mod deltas;
mod detect;
mod file;
pub mod inputs;
mod open;
mod open_error;
mod partner;
mod pdb_match;
pub mod read_file;
pub mod stamps;
pub mod standard_input;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

pub use cache::Cache;
pub use deltas::{ClosedDelta, closed_deltas};
pub(crate) use file::image_of;
pub use open::{Problem, ProblemSource, missing_delta};
pub use open_error::{OpenError, why_not_read};
pub use partner::{refused_partner, symbol_candidates};
use pdb_match::ReasonedMatch;
pub use pdb_match::{IdPart, PdbMatch, codeview_id, codeview_ids, id_matches, mismatched_ids, summary_of};
use stamps::Stamp;

use crate::symbols::{SymbolFormat, SymbolReader, WindowsSymbols};
use crate::text::names::{NameIndex, Names};
use pdblens_formats::bytes::{Error, Guid, SpaceId, Spaces};
use pdblens_formats::managed::WindowsPdb;
use pdblens_formats::mdb::Mdb;
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_formats::pe::{LinkerTables, Pe};
use pdblens_formats::portable::PortablePdb;
use pdblens_formats::reason::Reason;

#[derive(Debug)]
pub struct Session {
    spaces: Arc<Spaces>,
    image: Option<Image>,
    symbols: Option<SymbolFile>,
    verdict: ReasonedMatch,
    problems: Vec<Problem>,
    remarks: Vec<String>,
    closed_deltas: Vec<ClosedDelta>,
    is_sample: bool,
    /// Number of pairs that the container of the opened one has beside it, where only the container was named.
    others: usize,
    stamps: Vec<(PathBuf, Stamp)>,
    cache: Cache,
}

#[derive(Debug)]
pub struct Image {
    pub path: PathBuf,
    pub name: String,
    pub space: SpaceId,
    pub pe: Pe,
    pub metadata: Option<Metadata>,
    /// Error by which the metadata that the CLI header names cannot be read.
    metadata_error: Option<Error>,
    /// The PDB beside it that is of another build, in a sentence, where no other was found.
    pub refused_pdb: Option<String>,
    index: NameIndex,
    linker: OnceLock<Box<LinkerTables>>,
}

#[derive(Debug)]
pub struct SymbolFile {
    /// Path it was read from: that of the image for embedded symbols.
    pub path: PathBuf,
    /// File name, or `embedded PDB`.
    pub name: String,
    pub space: SpaceId,
    /// Taken out of the image's debug directory.
    pub embedded: bool,
    /// The image beside it that is of another build, in a sentence, where no other was found.
    pub refused_image: Option<String>,
    pub content: SymbolFormat,
}

impl Image {
    /// COFF machine type, without the mark of a system that ready-to-run images have.
    pub fn machine(&self) -> u16 {
        self.pe.machine()
    }

    /// Imports, exports, resources and Rich header, decoded when they are first asked for.
    pub fn linker_tables(&self) -> &LinkerTables {
        self.linker.get_or_init(|| Box::new(LinkerTables::read(&self.pe)))
    }

    /// Names of types and members; `None` without metadata.
    pub fn names(&self) -> Option<Names<'_>> {
        self.metadata.as_ref().map(|metadata| Names::new(metadata, &self.index))
    }

    /// Module version id (MVID), which changes with every build that is not deterministic.
    pub fn mvid(&self) -> Option<Guid> {
        let metadata = self.metadata.as_ref()?;
        let index = metadata.table(TableId::MODULE).cell(1, 2).ok()?;
        metadata.heaps.guid(index).ok().flatten()
    }

    /// Description of the .NET program that it only starts or contains, and what to open instead.
    fn hosts(&self) -> Option<String> {
        if self.pe.cli.is_some() { None } else { detect::hosts(self.pe.region().bytes()) }
    }
}

impl SymbolFile {
    /// Documents, methods, points and scopes, whatever the format.
    pub fn reader(&self) -> &dyn SymbolReader {
        self.content.reader()
    }
}

impl Session {
    /// Bytes of both files, and of what was inflated or put together from them.
    pub const fn spaces(&self) -> &Arc<Spaces> {
        &self.spaces
    }

    pub const fn image(&self) -> Option<&Image> {
        self.image.as_ref()
    }

    pub fn metadata(&self) -> Option<&Metadata> {
        self.image()?.metadata.as_ref()
    }

    pub fn names(&self) -> Option<Names<'_>> {
        self.image().and_then(Image::names)
    }

    pub const fn symbol_file(&self) -> Option<&SymbolFile> {
        self.symbols.as_ref()
    }

    pub fn symbols(&self) -> Option<&dyn SymbolReader> {
        self.symbol_file().map(SymbolFile::reader)
    }

    pub fn portable_pdb(&self) -> Option<&PortablePdb> {
        self.symbol_file()?.content.portable()
    }

    /// The symbol file, if it is a Windows PDB: of managed or of native code.
    pub fn windows_pdb(&self) -> Option<&WindowsPdb> {
        self.symbol_file()?.content.windows()
    }

    pub fn native_pdb(&self) -> Option<&WindowsSymbols> {
        self.symbol_file()?.content.native()
    }

    pub fn mdb(&self) -> Option<&Mdb> {
        self.symbol_file()?.content.mdb()
    }

    pub const fn pdb_match(&self) -> PdbMatch {
        self.verdict.pdb_match
    }

    /// Reasons for [`Session::pdb_match`], one sentence each, the most important first.
    pub fn match_reasons(&self) -> &[Reason] {
        &self.verdict.reasons
    }

    /// Everything found wrong with the files when they were opened.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    pub fn paths(&self) -> Vec<&Path> {
        let image = self.image.as_ref().map(|image| image.path.as_path());
        image.into_iter().chain(self.symbols.as_ref().map(|file| file.path.as_path())).collect()
    }

    /// Returns whether the pair is the built-in one, which no path leads to.
    pub const fn is_sample(&self) -> bool {
        self.is_sample
    }

    /// Sentences on what was opened in the place of what was named.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The session with the remarks of another one, which it takes the place of.
    #[must_use]
    pub(crate) fn with_remarks_of(mut self, other: &Self) -> Self {
        self.remarks.clone_from(&other.remarks);
        self.closed_deltas.clone_from(&other.closed_deltas);
        self.others = other.others;
        self
    }

    pub const fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Number of methods: rows of MethodDef or of what the symbols know, whichever are more.
    pub fn methods(&self) -> u32 {
        let defined = self.metadata().map_or(0, |metadata| metadata.rows(TableId::METHOD_DEF));
        defined.max(self.symbols().map_or(0, SymbolReader::methods))
    }

    /// Full name of a method, or its token where neither image nor symbols name it.
    pub fn method_name(&self, method: Token) -> String {
        match self.names() {
            Some(names) if method.row() <= self.metadata().map_or(0, |m| m.rows(TableId::METHOD_DEF)) => {
                names.method(method)
            }
            None => {
                let named = self.symbols().and_then(|symbols| symbols.method_name(method));
                named.map_or_else(|| method.to_string(), |(owner, name)| format!("{owner}.{name}"))
            }
            _ => match self.generation_of(method) {
                Some(_) => format!("{method}, added by hot reload"),
                None => method.to_string(),
            },
        }
    }

    /// Position of the newest hot-reload delta with a method among those named, from 1, and its file name; `None` where the base
    /// has it.
    pub fn generation_of(&self, method: Token) -> Option<(usize, &str)> {
        let pdb = self.portable_pdb()?;
        let index = pdb.newest(method.row())?;
        Some((index + 1, pdb.generations().get(index)?.name.as_str()))
    }
}

/// Reads all of the image and of a portable PDB, before a pass through them: each look-up in a block costs more than one in memory.
pub fn hold(session: &Session) {
    let image = session.image().map(|image| image.space);
    let pdb = session.portable_pdb().map(PortablePdb::space);
    image.into_iter().chain(pdb).for_each(|file| session.spaces().hold(file));
}

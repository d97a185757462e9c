//! Windows PDBs of native code. They have functions by address instead of methods by token; [`PdbTables`] finds them.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use super::compilers::{self, has_methods};
use super::managed::{id, module_name, source_link, srcsrv};
use crate::symbols::{
    Compilation, Custom, Document, Format, ImportScope, ManagedPdb, Mapping, Method, ModuleHash, Scope, SourceServers,
    StateMachine, SymbolId, SymbolReader, SymbolRecord,
};
use crate::text::cpp_types::TypeNames;
use crate::text::guids;
use pdblens_formats::bytes::{Cursor, Encoding, Guid, Recording, Result, Spaces};
use pdblens_formats::managed::WindowsPdb;
use pdblens_formats::metadata::Token;
use pdblens_formats::pdb::dbi::{SOURCE_NAME, SOURCE_NAMES};
use pdblens_formats::pdb::{Globals, ImageSection, ModuleStream, PdbTables};
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_formats::srcsrv::SrcSrv;

#[derive(Debug)]
pub struct NativePdb {
    /// Container and names, and the methods of managed code (C++/CLI).
    managed: ManagedPdb,
    has_methods: OnceLock<bool>,
    native: PdbTables,
    spaces: Arc<Spaces>,
    /// For each document a module that has it.
    modules: OnceLock<Vec<Option<u32>>>,
    /// Hashes of each document, by module.
    hashes: OnceLock<Vec<Vec<ModuleHash>>>,
    srcsrv: OnceLock<Option<SrcSrv>>,
    compilers: OnceLock<Vec<(String, String)>>,
}

impl NativePdb {
    /// Hashes of a document by module, each different one once. The first call looks at all modules.
    pub fn module_hashes(&self, document: u32) -> &[ModuleHash] {
        let hashes = self.hashes.get_or_init(|| module_hashes(self.windows(), &self.spaces));
        (document as usize).checked_sub(1).and_then(|index| hashes.get(index)).map_or(&[], Vec::as_slice)
    }

    /// Reader of `pdb`; it answers once it has its bytes.
    pub fn new(pdb: WindowsPdb) -> Self {
        let native = PdbTables::default();
        let (has_methods, modules, hashes, srcsrv, compilers) = Default::default();
        let managed = ManagedPdb::new(pdb);
        Self { managed, has_methods, native, spaces: Arc::default(), modules, hashes, srcsrv, compilers }
    }

    /// Takes the section headers of its image, which count more than the copies of them.
    pub(crate) fn use_sections(&mut self, image: Vec<ImageSection>) {
        self.native.use_sections(image);
    }

    pub(super) fn attach(&mut self, spaces: &Arc<Spaces>) {
        self.managed.attach(spaces);
        self.spaces = Arc::clone(spaces);
        // Without bytes there are no methods in it: the search for a partner asks before.
        self.has_methods = OnceLock::new();
    }

    pub const fn windows(&self) -> &WindowsPdb {
        self.managed.windows()
    }

    /// Reader of the methods of managed code; `None` where all code is native.
    pub(super) fn managed(&self) -> Option<&ManagedPdb> {
        let has_methods = self.has_methods.get_or_init(|| has_methods(self.windows(), &self.spaces));
        has_methods.then_some(&self.managed)
    }

    pub const fn native(&self) -> &PdbTables {
        &self.native
    }

    pub fn globals(&self) -> &Globals {
        self.native.globals(self.windows(), &self.spaces)
    }

    fn module_of(&self, row: u32) -> Option<u32> {
        let modules = self.modules.get_or_init(|| {
            let mut modules = vec![None; self.windows().documents().len()];
            let Some(dbi) = &self.windows().dbi else { return modules };
            let names = self.windows().documents().iter().map(|found| found.name.value.as_str());
            let rows: HashMap<&str, usize> = names.zip(0..).collect();
            for module in 0..dbi.sources.module_count {
                for file in dbi.sources.files_of(module) {
                    let row = std::str::from_utf8(file.data).ok().and_then(|name| rows.get(name));
                    if let Some(slot @ None) = row.and_then(|row| modules.get_mut(*row)) {
                        *slot = Some(u32::from(module));
                    }
                }
            }
            modules
        });
        modules.get((row as usize).checked_sub(1)?).copied().flatten()
    }
}

/// Hash algorithm of a C13 checksum, by its kind.
pub const fn checksum_algorithm(kind: u8) -> Option<Guid> {
    match kind {
        1 => Some(guids::MD5),
        2 => Some(guids::SHA1),
        3 => Some(guids::SHA256),
        _ => None,
    }
}

impl SymbolReader for NativePdb {
    fn format(&self) -> Format {
        if self.managed().is_some() { Format::Mixed } else { Format::Native }
    }

    fn id(&self) -> Option<SymbolId> {
        id(self.windows())
    }

    fn documents(&self) -> u32 {
        self.windows().documents().len() as u32
    }

    fn document(&self, row: u32) -> Result<Document> {
        if self.windows().source_file(&self.spaces, row).is_some() {
            return self.managed.document(row);
        }
        let found = self.windows().document(row)?;
        let mut document = Document { name: found.name.value.clone(), span: found.name.span, ..Document::default() };
        let Some(module) = self.module_of(row) else { return Ok(document) };
        let module = ModuleStream::read(self.windows(), &self.spaces, module)?;
        let mut files = module.source_files(&self.windows().names).map_while(Result::ok);
        if let Some(file) = files.find(|file| file.path == document.name) {
            document.hash_algorithm = checksum_algorithm(file.checksum.kind);
            document.hash = self.spaces.read(file.checksum.checksum)?.into_owned();
        }
        Ok(document)
    }

    fn methods(&self) -> u32 {
        self.managed().map_or(0, SymbolReader::methods)
    }

    fn method(&self, method: Token) -> Result<Method> {
        self.managed().map_or_else(|| Ok(Method::default()), |managed| managed.method(method))
    }

    fn mapping(&self, method: Token) -> Option<Mapping> {
        self.managed()?.mapping(method)
    }

    fn method_name(&self, method: Token) -> Option<(String, String)> {
        self.managed()?.method_name(method)
    }

    fn points(&self, method: Token, each: &mut dyn FnMut(SequencePoint) -> ControlFlow<()>) -> Result<()> {
        self.managed().map_or(Ok(()), |managed| managed.points(method, each))
    }

    fn scopes(&self, method: Token, name: &dyn Fn(Token) -> String) -> Result<Vec<Scope>> {
        self.managed().map_or_else(|| Ok(Vec::new()), |managed| managed.scopes(method, name))
    }

    fn import_scopes(&self) -> u32 {
        self.managed().map_or(0, SymbolReader::import_scopes)
    }

    fn import_scope(&self, row: u32) -> Result<ImportScope> {
        self.managed.import_scope(row)
    }

    fn imports_of(&self, method: Token) -> Option<u32> {
        self.managed()?.imports_of(method)
    }

    fn state_machine(&self, known: StateMachine) -> Option<Token> {
        self.managed()?.state_machine(known)
    }

    fn customs(&self) -> u32 {
        self.managed().map_or(0, SymbolReader::customs)
    }

    fn custom(&self, row: u32) -> Result<Custom> {
        self.managed.custom(row)
    }

    fn compilation(&self) -> Compilation {
        let read = || {
            let (pdb, spaces) = (self.windows(), &*self.spaces);
            let names = TypeNames::new(self.native.types(pdb, spaces), self.native.ids(pdb, spaces));
            compilers::options(pdb, spaces, names)
        };
        let options = self.compilers.get_or_init(read).clone();
        Compilation { options, ..Compilation::default() }
    }

    fn source_servers(&self) -> SourceServers<'_> {
        let srcsrv = self.srcsrv.get_or_init(|| srcsrv(self.windows(), &self.spaces)).as_ref();
        SourceServers { source_link: source_link(self.windows(), &self.spaces), srcsrv }
    }

    fn decode(&self, record: SymbolRecord, cursor: &mut Cursor<'_, Recording>) -> Result<()> {
        match record {
            SymbolRecord::Document(row) if self.windows().source_file(&self.spaces, row).is_some() => {
                self.managed.decode(record, cursor)
            }
            SymbolRecord::Document(_) => {
                cursor.group(&SOURCE_NAMES, |c| c.text(&SOURCE_NAME, c.left(), Encoding::Utf8).map(drop))
            }
            SymbolRecord::Points(_) => self.managed.decode(record, cursor),
        }
    }
}

const MAX_MODULES: usize = 64;

const MAX_HASHES: usize = 64;

/// Hashes of every document, by row, from one pass over the modules.
pub(super) fn module_hashes(pdb: &WindowsPdb, spaces: &Spaces) -> Vec<Vec<ModuleHash>> {
    let mut documents = vec![Vec::new(); pdb.documents().len()];
    for number in 0..pdb.modules().len() as u32 {
        // Checksums before an error are kept.
        let Ok(Some(module)) = ModuleStream::read_once(pdb, spaces, number) else { continue };
        let mut name = None;
        for file in module.checksums().iter().map_while(|entry| Some(entry.ok()?.1)) {
            let row = pdb.document_row(file.name).and_then(|row| documents.get_mut((row as usize).checked_sub(1)?));
            let hash = module.region.slice().at(file.checksum).map_or(&[][..], |slice| slice.data);
            let Some(hashes): Option<&mut Vec<ModuleHash>> = row else { continue };
            let (algorithm, span) = (checksum_algorithm(file.kind), file.span);
            let known = hashes.iter().position(|known| known.algorithm == algorithm && known.hash == hash);
            if known.is_none() && hashes.len() < MAX_HASHES {
                hashes.push(ModuleHash { algorithm, hash: hash.to_vec(), span, ..ModuleHash::default() });
            }
            let last = hashes.len().saturating_sub(1);
            let Some(found) = hashes.get_mut(known.unwrap_or(last)) else { continue };
            found.count = found.count.saturating_add(1);
            if found.modules.len() < MAX_MODULES {
                found.modules.push(name.get_or_insert_with(|| module_name(pdb, number)).clone());
            }
        }
    }
    documents
}

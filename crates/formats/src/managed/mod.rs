//! Contents of a Windows PDB that .NET compilers write.
//!
//! The format is that of native PDBs with other meanings: a module for each type, a procedure for each method, and
//! "addresses" that number the IL of all methods consecutively. Imports, state machines and `dynamic` have records that
//! only managed compilers write.
//!
//! ```text
//! /src/headerblock   list of source files                              source_file
//! /src/files/…       language and hash of a document                   source_file, documents
//! a module's stream  methods: scopes, locals, constants                symbols, method
//!                    imports, custom debug information                 imports, custom
//!                    lines                                             crate::codeview::c13
//! ```
//!
//! [`WindowsPdb::parse`] reads the header block; everything else is read on demand, by token.
//! [`WindowsPdb::method_index`] locates each method, after one pass over all modules.

pub mod async_info;
pub mod custom;
mod documents;
pub mod imports;
pub mod index;
pub mod method;
pub mod source_file;
pub mod symbols;
mod token_map;

use std::collections::HashSet;
use std::ops::Deref;
use std::sync::OnceLock;

pub use documents::Document;
pub use index::{MethodEntry, MethodIndex};
pub use method::Method;
pub use source_file::SourceFile;
pub use token_map::TokenMap;

use crate::bytes::{At, Error, ErrorKind, Region, Result, Spaces, Span, or_problem};
use crate::codeview::c13::{Checksums, LinePoints, Point};
use crate::codeview::symbols::Records;
use crate::msf::Msf;
use crate::pdb::Pdb;
use crate::pdb::dbi::Dbi;
use custom::Custom;
use imports::{Import, ImportLevel};
use source_file::HeaderBlock;
use symbols::ManagedSymbol;

/// The machine type of the DBI header that stands for IL.
const MACHINE_IL: u16 = 0xc0ee;
/// Limit of source file streams that are read to tell managed from native.
const MAX_PROBED: usize = 16;
/// Limit of forwards from one method to another that has its imports.
const MAX_FORWARDS: usize = 64;

/// A Windows PDB, with the documents and methods of a managed one. Derefs to [`Pdb`].
#[derive(Debug)]
pub struct WindowsPdb {
    pdb: Pdb,
    /// Stream `/src/headerblock`.
    pub header_block: HeaderBlock,
    /// Indices of those named streams that are documents.
    document_names: Vec<u32>,
    documents: OnceLock<documents::Documents>,
    managed: bool,
    index: OnceLock<MethodIndex>,
    token_map: OnceLock<Option<TokenMap>>,
}

impl Deref for WindowsPdb {
    type Target = Pdb;

    fn deref(&self) -> &Pdb {
        &self.pdb
    }
}

/// Lines of a method.
#[derive(Debug)]
pub struct Lines<'p> {
    pdb: &'p WindowsPdb,
    /// The stream of the module.
    pub region: Region,
    /// The content of the subsection of lines, in it.
    pub content: Span,
    checksums: Span,
    start: u32,
}

/// Imports of a method.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default)]
pub struct Imports {
    /// Tokens of the methods that the imports were forwarded to, the last of which has them; empty if they are the
    /// method's own.
    pub forwards: Vec<At<u32>>,
    /// Imports, those of the innermost scope first.
    pub list: Vec<Import>,
    pub problems: Vec<Error>,
}

impl WindowsPdb {
    /// Reads the streams of the PDB, and the list of its source files.
    pub fn parse(spaces: &Spaces, msf: Msf) -> Self {
        let mut pdb = Pdb::parse(spaces, msf);
        let region = pdb.info.stream("/src/headerblock").map(|stream| pdb.stream(spaces, stream));
        let block = region.map(|region| HeaderBlock::decode(&mut region?.cursor()));
        let header_block = block.and_then(|block| or_problem(block, &mut pdb.problems)).unwrap_or_default();
        pdb.problems.extend_from_slice(&header_block.problems);
        let managed = is_managed(&pdb, spaces);
        let files = (0..).zip(&pdb.info.names).filter(|(_, named)| named.name.value.starts_with(source_file::PREFIX));
        let documents = files.filter(|(_, named)| managed || is_document(&pdb, spaces, named.stream.value));
        let document_names = documents.map(|(index, _)| index).collect();
        let (documents, index, token_map) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { pdb, header_block, document_names, documents, managed, index, token_map }
    }

    /// Documents and their rows, found when they are first asked for.
    fn document_table(&self) -> &documents::Documents {
        self.documents.get_or_init(|| documents::Documents::new(&self.pdb, &self.header_block, &self.document_names))
    }

    /// Returns true if a managed compiler wrote the PDB: its machine is IL or unknown, or it has streams of documents
    /// with language and hash. Streams `/src/files/…` with other content are files that a native linker embedded (`/NATVIS`).
    pub const fn is_managed(&self) -> bool {
        self.managed
    }

    /// Documents; the first is row 1.
    pub fn documents(&self) -> &[Document] {
        &self.document_table().list
    }

    /// Document in this row, from 1.
    pub fn document(&self, row: u32) -> Result<&Document> {
        let list = self.documents();
        let found = (row as usize).checked_sub(1).and_then(|index| list.get(index));
        found.ok_or_else(|| Error::no_such("document", row, list.len() as u64, Span::new(self.msf.file, 0, 0)))
    }

    /// Row, from 1, of the document with the name at this offset of the string table; `None` for an unlisted one.
    pub fn document_row(&self, name: u32) -> Option<u32> {
        Some(self.document_table().row(name)).filter(|row| *row > 0)
    }

    /// Returns the source file stream of the document in this row, from 1; none if it has none.
    pub fn source_file(&self, spaces: &Spaces, row: u32) -> Option<Result<SourceFile>> {
        let document = self.document(row).ok()?;
        match self.stream(spaces, document.stream?) {
            Ok(region) => SourceFile::read(&region),
            Err(error) => Some(Err(error)),
        }
    }

    /// Returns the locations of all methods, found once in one pass over all modules.
    pub fn method_index(&self, spaces: &Spaces) -> &MethodIndex {
        self.index.get_or_init(|| {
            let image_token = |token| self.image_token(spaces, token);
            MethodIndex::new(self.modules(), |module| Some(self.stream(spaces, module.stream()?)), image_token)
        })
    }

    /// The map from tokens in records to those in the image, in a PDB whose tokens changed.
    pub fn token_map(&self, spaces: &Spaces) -> Option<&TokenMap> {
        self.token_map.get_or_init(|| TokenMap::read(self, spaces).and_then(Result::ok)).as_ref()
    }

    /// The token in the image of the method that a procedure record has `token` for.
    pub fn image_token(&self, spaces: &Spaces, token: u32) -> u32 {
        self.token_map(spaces).map_or(token, |map| map.image_token(token))
    }

    fn entry(&self, spaces: &Spaces, token: u32) -> Result<MethodEntry> {
        let (index, nowhere) = (self.method_index(spaces), Span::new(self.msf.file, 0, 0));
        let count = index.entries().len() as u64;
        index.get(token).ok_or_else(|| Error::no_such("method with this token", token, count, nowhere))
    }

    /// The scopes, local variables, constants, imports and custom debug information of a method.
    pub fn method(&self, spaces: &Spaces, token: u32) -> Result<Method> {
        let entry = self.entry(spaces, token)?;
        let (module, region) = self.module(spaces, entry.module)?;
        let mut method = Method::read(&module.symbols(&region), entry.symbol)?;
        method.recorded = std::mem::replace(&mut method.token.value, entry.token);
        Ok(method)
    }

    /// The lines of the method of an entry of the index.
    pub fn lines_of(&self, spaces: &Spaces, entry: MethodEntry) -> Result<Option<Lines<'_>>> {
        let Some(lines) = entry.lines() else { return Ok(None) };
        let (module, region) = self.module(spaces, entry.module)?;
        let symbols = module.symbols(&region);
        let start = match Records::new(symbols.slice(), entry.symbol as u64).next() {
            Some(record) => match ManagedSymbol::read(record?)? {
                ManagedSymbol::Procedure(procedure) => procedure.offset,
                _ => 0,
            },
            None => 0,
        };
        let content = index::subsection(&region, lines);
        let checksums = self.method_index(spaces).checksums(entry.module);
        let checksums = checksums.map_or(Span::default(), |at| index::subsection(&region, at));
        Ok(Some(Lines { pdb: self, region, content, checksums, start }))
    }

    /// The imports of a method, which may be those of another one.
    pub fn imports(&self, spaces: &Spaces, method: &Method) -> Imports {
        let mut imports = Imports::default();
        let mut seen = HashSet::from([method.token.value]);
        let mut other: Option<Method> = None;
        loop {
            let here = other.as_ref().unwrap_or(method);
            let Some(forward) = forward_of(here) else { break };
            imports.forwards.push(forward);
            let circle = !seen.insert(forward.value);
            if circle || seen.len() > MAX_FORWARDS {
                let kind = if circle { ErrorKind::Circular } else { ErrorKind::TooDeep };
                imports.problems.push(Error::new(kind("the method whose imports these are"), forward.span));
                return imports;
            }
            match self.method(spaces, forward.value) {
                Ok(found) => other = Some(found),
                Err(error) => {
                    imports.problems.push(error.at(forward.span));
                    return imports;
                }
            }
        }
        let here = other.as_ref().unwrap_or(method);
        imports.add(here);
        for record in &here.custom {
            if let Ok(Custom::ForwardModule(token)) = &record.value {
                match self.method(spaces, token.value) {
                    // An extern alias is one for all of the module.
                    Ok(module) => imports.list.extend(
                        module
                            .namespaces
                            .into_iter()
                            .filter(|raw| raw.value.starts_with('Z'))
                            .map(|raw| Import::csharp(raw, ImportLevel::Project)),
                    ),
                    Err(error) => imports.problems.push(error.at(token.span)),
                }
            }
        }
        imports
    }
}

/// Decides between managed and native by the machine of the DBI header and the content of the source file streams. What a
/// native linker wrote is native, even if modules of managed code are in it (C++/CLI).
fn is_managed(pdb: &Pdb, spaces: &Spaces) -> bool {
    let streams = pdb.info.names.iter().filter(|named| named.name.value.starts_with(source_file::PREFIX));
    let is_of_linker = pdb.dbi.as_ref().is_some_and(is_linked);
    pdb.dbi.as_ref().is_some_and(|dbi| matches!(dbi.header.machine, 0 | MACHINE_IL))
        || !is_of_linker && streams.take(MAX_PROBED).any(|named| is_document(pdb, spaces, named.stream.value))
}

/// Returns true for a stream with language and hash of a document.
fn is_document(pdb: &Pdb, spaces: &Spaces, stream: u32) -> bool {
    pdb.stream(spaces, stream).is_ok_and(|region| matches!(SourceFile::read(&region), Some(Ok(_))))
}

/// Returns true if a native linker wrote the PDB: its own module is the last one.
fn is_linked(dbi: &Dbi) -> bool {
    let last = dbi.modules.last().and_then(|module| dbi.names_of(module).ok());
    last.is_some_and(|info| info.name.data == b"* Linker *")
}

/// The method whose imports are those of `method`.
fn forward_of(method: &Method) -> Option<At<u32>> {
    let custom = method.custom.iter().find_map(|record| match &record.value {
        Ok(Custom::ForwardMethod(token)) => Some(*token),
        _ => None,
    });
    let basic = || {
        let first = method.namespaces.first()?;
        Some(At::new(imports::forwarded_by_basic(&first.value)?, first.span))
    };
    custom.or_else(basic)
}

impl Imports {
    /// Adds the imports of `method`. Those of C# are grouped by the enclosing scopes.
    fn add(&mut self, method: &Method) {
        let groups = method.custom.iter().find_map(|record| match &record.value {
            Ok(Custom::UsingGroups(groups)) => Some((groups, record.span)),
            _ => None,
        });
        let Some((groups, span)) = groups else {
            // Visual Basic, which has no groups, has a current namespace; C# without imports has no strings.
            self.list.extend(method.namespaces.iter().cloned().map(Import::basic));
            return;
        };
        let mut strings = method.namespaces.iter().cloned();
        for (scope, count) in groups.iter().enumerate() {
            let before = self.list.len();
            let group = strings.by_ref().take(*count as usize);
            self.list.extend(group.map(|raw| Import::csharp(raw, ImportLevel::Scope(scope))));
            if self.list.len() - before < *count as usize {
                self.problems.push(Error::invalid("the import count exceeds the imports", span));
            }
        }
        self.list.extend(strings.map(|raw| Import::csharp(raw, ImportLevel::Project)));
    }
}

impl Lines<'_> {
    /// Points in the order of their IL offsets; an error is the last item.
    pub fn points(&self) -> Result<impl Iterator<Item = Result<Point>>> {
        let slice = self.region.slice();
        let checksums = Checksums(slice.at(self.checksums).unwrap_or_default());
        let documents = self.pdb.document_table();
        let row = move |file: u32| checksums.get(file).map_or(0, |entry| documents.row(entry.name));
        LinePoints::new(slice.at(self.content)?, self.start, row)
    }
}

#[cfg(test)]
mod field_tests;
#[cfg(test)]
mod tests;

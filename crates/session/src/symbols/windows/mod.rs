//! Windows PDBs: of managed code, of native code, and of both (C++/CLI).
//!
//! Native code has functions by address instead of methods by token; [`PdbTables`] finds them. The rows of a portable PDB are spread over
//! records here. Row numbers are assigned in the order of the records: documents by
//! stream, methods by token, import scopes by the first method that has them.

mod constants;
mod customs;
mod imports;
mod native;
mod scopes;
mod state_machines;

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use imports::ImportTable;
use native::NativeParts;
pub use native::checksum_algorithm;
use state_machines::StateMachines;

use super::compilers;
use crate::symbols::{
    Compilation, Custom, Document, EmbeddedSource, Format, IdSuffix, ImportScope, Mapping, Method, Scope,
    SourceServers, StateMachine, SymbolId, SymbolReader, SymbolRecord,
};
use crate::text::cpp_types::TypeNames;
use crate::text::safe::utf8;
use pdblens_formats::bytes::{Cursor, Encoding, Error, Recording, Result, Slice, Spaces, Span};
use pdblens_formats::codeview::c13;
use pdblens_formats::codeview::symbols::{Records, kind};
use pdblens_formats::managed::symbols::ManagedSymbol;
use pdblens_formats::managed::{Lines, MethodEntry, SourceFile, WindowsPdb};
use pdblens_formats::metadata::{TableId, Token, max_method_row};
use pdblens_formats::pdb::dbi::{SOURCE_NAME, SOURCE_NAMES};
use pdblens_formats::pdb::{Globals, PdbTables};
use pdblens_formats::sequence_point::{HIDDEN_LINE, SequencePoint, Violations};
use pdblens_formats::srcsrv::SrcSrv;

/// Name of the public symbol of the entry point.
const ENTRY_POINT: &[u8] = b"COM+_Entry_Point";

#[derive(Debug)]
pub struct WindowsSymbols {
    pdb: WindowsPdb,
    spaces: Arc<Spaces>,
    is_native: bool,
    /// Types, publics, functions and lines of native code; publics and globals of managed code too.
    tables: PdbTables,
    native: NativeParts,
    has_methods: OnceLock<bool>,
    imports: OnceLock<ImportTable>,
    customs: OnceLock<Vec<Custom>>,
    state_machines: OnceLock<StateMachines>,
    srcsrv: OnceLock<Option<SrcSrv>>,
}

impl WindowsSymbols {
    /// Reader of `pdb`; it answers once it has its bytes.
    pub fn new(pdb: WindowsPdb) -> Self {
        let (is_native, spaces) = (!pdb.is_managed(), Arc::default());
        let (tables, native, has_methods) = Default::default();
        let (imports, customs, state_machines, srcsrv) = Default::default();
        Self { pdb, spaces, is_native, tables, native, has_methods, imports, customs, state_machines, srcsrv }
    }

    pub(in crate::symbols) fn attach(&mut self, spaces: &Arc<Spaces>) {
        self.spaces = Arc::clone(spaces);
        // Without bytes there are no methods in it: the search for a partner asks before.
        self.has_methods = OnceLock::new();
    }

    pub const fn windows(&self) -> &WindowsPdb {
        &self.pdb
    }

    /// Returns true for a PDB of native code, which may have methods of managed code too (C++/CLI).
    pub const fn is_native(&self) -> bool {
        self.is_native
    }

    pub const fn tables(&self) -> &PdbTables {
        &self.tables
    }

    /// Public and global symbols; hashed when first asked for.
    pub fn globals(&self) -> &Globals {
        self.tables.globals(&self.pdb, &self.spaces)
    }

    /// Returns true if it may have methods of managed code.
    fn has_methods(&self) -> bool {
        !self.is_native || *self.has_methods.get_or_init(|| compilers::has_methods(&self.pdb, &self.spaces))
    }

    /// All methods that it has something about, in the order of their tokens.
    fn entries(&self) -> &[MethodEntry] {
        if self.has_methods() { self.pdb.method_index(&self.spaces).entries() } else { &[] }
    }

    fn entry(&self, method: Token) -> Option<MethodEntry> {
        if self.has_methods() { self.pdb.method_index(&self.spaces).get(method.0) } else { None }
    }

    /// The tokens of all methods that it has something about, in their order.
    fn tokens(&self) -> impl Iterator<Item = u32> {
        self.entries().iter().map(|entry| entry.token)
    }

    /// The lines of a method; none where it has none, or is not known.
    fn lines(&self, method: Token) -> Result<Option<Lines<'_>>> {
        self.entry(method).map_or(Ok(None), |entry| self.pdb.lines_of(&self.spaces, entry))
    }

    fn entry_point(&self) -> Option<Token> {
        let stream = self.pdb.dbi.as_ref()?.header.symbol_record_stream;
        let region = self.pdb.stream(&self.spaces, u32::from(stream)).ok()?;
        let publics =
            Records::new(region.slice(), 0).map_while(Result::ok).filter(|record| record.kind == kind::PUBLIC);
        publics
            .filter_map(|record| match ManagedSymbol::read(record) {
                Ok(ManagedSymbol::Public(public)) if public.name.data == ENTRY_POINT => Some(Token(public.offset)),
                _ => None,
            })
            .find(|token| !token.is_nil())
    }

    pub(super) fn columns_of(&self, method: Token, point: &SequencePoint) -> Option<Span> {
        let lines = self.lines(method).ok()??;
        let at = subsection(&lines).start + u64::from(point.at);
        let mut points = lines.points().ok()?.map_while(Result::ok);
        let found = points.find(|point| u64::from(point.at) == at)?;
        Some(found.columns_span(lines.region.span())).filter(|span| !span.is_empty())
    }

    /// Number of the point that has `byte`, counted from 1, and its bytes there: those of the line or of the columns.
    pub(super) fn point_with(&self, method: Token, byte: Span) -> Option<(u32, Span)> {
        let lines = self.lines(method).ok()??;
        let stream = lines.region.span();
        let mut points = (1..).zip(lines.points().ok()?.map_while(Result::ok));
        points.find_map(|(number, point)| {
            let spans = [point.span(stream), point.columns_span(stream)];
            spans.into_iter().find(|span| span.covers(byte)).map(|span| (number, span))
        })
    }
}

/// The subsection of lines whose content is `lines.content`, from its kind and length on.
fn subsection(lines: &Lines<'_>) -> Span {
    let header = c13::SUBSECTION_HEADER;
    Span::new(lines.content.space, lines.content.start.saturating_sub(header), lines.content.len + header)
}

impl SymbolReader for WindowsSymbols {
    fn format(&self) -> Format {
        match (self.is_native, self.has_methods()) {
            (false, _) => Format::Windows,
            (true, true) => Format::Mixed,
            (true, false) => Format::Native,
        }
    }

    fn id(&self) -> Option<SymbolId> {
        let guid = Some(self.pdb.info.guid.value).filter(|guid| !guid.is_nil())?;
        // The age in DBI counts; that of the info stream where there is no DBI.
        let age = self.pdb.dbi.as_ref().map_or(self.pdb.info.age, |dbi| dbi.header.age);
        Some(SymbolId { guid, suffix: IdSuffix::Age(age) })
    }

    fn documents(&self) -> u32 {
        self.pdb.documents().len() as u32
    }

    fn document(&self, row: u32) -> Result<Document> {
        let found = self.pdb.document(row)?;
        let name = found.name.value.clone();
        let Some(file) = self.pdb.source_file(&self.spaces, row).transpose()? else {
            let document = Document { name, span: found.name.span, ..Document::default() };
            return if self.is_native { self.with_checksum(row, document) } else { Ok(document) };
        };
        let known = |guid: pdblens_formats::bytes::Guid| Some(guid).filter(|guid| !guid.is_nil());
        let language = file.language;
        Ok(Document {
            name,
            language: known(language.value),
            hash_algorithm: known(file.hash_algorithm.value),
            hash: self.spaces.read(file.hash)?.into_owned(),
            span: language.span.to(file.source),
        })
    }

    fn embedded_source(&self, document: u32) -> Option<EmbeddedSource<'_>> {
        let file = self.pdb.source_file(&self.spaces, document)?.ok().filter(|file| !file.source.is_empty())?;
        Some(EmbeddedSource::of_span(&self.spaces, document, file.source))
    }

    fn methods(&self) -> u32 {
        // They are sorted by token, and this is asked for each of them.
        let entries = self.entries();
        let end = entries.partition_point(|entry| Token(entry.token).table() <= TableId::METHOD_DEF);
        let last = end.checked_sub(1).and_then(|last| entries.get(last)).map(|entry| Token(entry.token));
        let row = last.filter(|token| token.table() == TableId::METHOD_DEF).map_or(0, Token::row);
        let most = max_method_row(entries.len());
        if row <= most {
            return row;
        }
        let within = entries.partition_point(|entry| entry.token <= Token::new(TableId::METHOD_DEF, most).0);
        within.checked_sub(1).and_then(|last| entries.get(last)).map_or(0, |entry| Token(entry.token).row())
    }

    fn method(&self, method: Token) -> Result<Method> {
        let Some(entry) = self.entry(method) else { return Ok(Method::default()) };
        let mut found = Method::default();
        if let Some(lines) = self.pdb.lines_of(&self.spaces, entry)? {
            found.points = Some(subsection(&lines));
            let mut documents: Vec<u32> = lines.points()?.map_while(Result::ok).map(|point| point.document).collect();
            documents.dedup();
            found.document = documents.first().copied().filter(|row| documents.len() == 1 && *row > 0);
        }
        let symbols = self.pdb.method(&self.spaces, method.0)?;
        let signature = symbols.slots.first().map(|slot| Token(slot.signature));
        found.local_signature = signature.filter(|token| token.table() == TableId::STAND_ALONE_SIG && !token.is_nil());
        Ok(found)
    }

    fn method_name(&self, method: Token) -> Option<(String, String)> {
        let entry = self.entry(method)?;
        let (module, region) = self.pdb.module(&self.spaces, entry.module).ok()?;
        let symbols = module.symbols(&region);
        let record = Records::new(symbols.slice(), entry.symbol.into()).next()?.ok()?;
        let Ok(ManagedSymbol::Procedure(procedure)) = ManagedSymbol::read(record) else { return None };
        let info = self.pdb.dbi.as_ref()?.names_of(&module).ok()?;
        let text = |slice: Slice<'_>| utf8(slice.data).into_owned();
        Some((text(info.name), text(procedure.name)))
    }

    fn mapping(&self, method: Token) -> Option<Mapping> {
        self.entry(method)?;
        let stream = self.pdb.token_map(&self.spaces)?.stream;
        let recorded = Token(self.pdb.method(&self.spaces, method.0).ok()?.recorded);
        (recorded != method).then_some(Mapping::TokenMap { recorded, stream })
    }

    fn points(&self, method: Token, each: &mut dyn FnMut(SequencePoint) -> ControlFlow<()>) -> Result<()> {
        let Some(lines) = self.lines(method)? else { return Ok(()) };
        let start = subsection(&lines).start;
        for point in lines.points()? {
            let point = point?;
            let end_line = if point.is_hidden() { HIDDEN_LINE } else { point.end_line };
            let shared = SequencePoint {
                offset: point.offset,
                document: point.document,
                start_line: point.start_line,
                start_column: point.start_column,
                end_line,
                end_column: point.end_column,
                at: u64::from(point.at).saturating_sub(start) as u32,
                len: point.span(lines.content).len as u8,
                violations: Violations::NONE,
            };
            if each(shared).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn scopes(&self, method: Token, name: &dyn Fn(Token) -> String) -> Result<Vec<Scope>> {
        self.scopes_of(method, name)
    }

    fn import_scopes(&self) -> u32 {
        self.import_table().len()
    }

    fn imports_of(&self, method: Token) -> Option<u32> {
        self.entry(method)?;
        let found = self.pdb.method(&self.spaces, method.0).ok()?;
        self.import_table().of(&self.pdb, &self.spaces, &found)
    }

    fn import_scope(&self, row: u32) -> Result<ImportScope> {
        let nowhere = || Error::invalid("no such import scope", Span::new(self.pdb.msf.file, 0, 0));
        self.import_table().get(row).cloned().ok_or_else(nowhere)
    }

    fn state_machine(&self, known: StateMachine) -> Option<Token> {
        match known {
            StateMachine::Kickoff(method) => self.state_machines().move_next(method),
            StateMachine::MoveNext(method) => self.state_machines().kickoff(method),
        }
    }

    fn customs(&self) -> u32 {
        self.custom_list().len() as u32
    }

    fn custom(&self, row: u32) -> Result<Custom> {
        let found = (row as usize).checked_sub(1).and_then(|index| self.custom_list().get(index));
        found.cloned().ok_or_else(|| Error::invalid("no such record", Span::new(self.pdb.msf.file, 0, 0)))
    }

    fn source_servers(&self) -> SourceServers<'_> {
        let parse = || self.pdb.stream(&self.spaces, self.pdb.info.stream("srcsrv")?).ok().map(SrcSrv::parse);
        let srcsrv = self.srcsrv.get_or_init(parse).as_ref();
        SourceServers { source_link: source_link(&self.pdb, &self.spaces), srcsrv }
    }

    fn compilation(&self) -> Compilation {
        if !self.is_native {
            return Compilation { entry_point: self.entry_point(), ..Compilation::default() };
        }
        let options = self.native.options.get_or_init(|| {
            let (pdb, spaces) = (&self.pdb, &*self.spaces);
            let names = TypeNames::new(self.tables.types(pdb, spaces), self.tables.ids(pdb, spaces));
            compilers::options(pdb, spaces, names)
        });
        Compilation { options: options.clone(), ..Compilation::default() }
    }

    fn decode(&self, record: SymbolRecord, cursor: &mut Cursor<'_, Recording>) -> Result<()> {
        match record {
            SymbolRecord::Document(row) => match self.pdb.source_file(&self.spaces, row) {
                Some(_) => SourceFile::decode(cursor).map(drop),
                None if self.is_native => {
                    cursor.group(&SOURCE_NAMES, |c| c.text(&SOURCE_NAME, c.left(), Encoding::Utf8).map(drop))
                }
                None => cursor.text(&SOURCE_NAME, cursor.left(), Encoding::Utf8).map(drop),
            },
            SymbolRecord::Points(method) => self.lines(method)?.map_or(Ok(()), |_| c13::decode(cursor)),
        }
    }
}

/// Bytes of the id: the GUID, and the time stamp of the info stream.
pub(crate) fn id_spans(pdb: &WindowsPdb) -> Vec<Span> {
    let guid = pdb.info.guid.span;
    if guid.is_empty() { Vec::new() } else { vec![guid, Span::new(guid.space, 4, 4)] }
}

/// Problems of the container and of the streams that all methods share.
pub(crate) fn problems(pdb: &WindowsPdb) -> Vec<Error> {
    pdb.msf.problems.iter().chain(&pdb.problems).cloned().collect()
}

/// The Source Link document: a stream of its own, numbered if there are several. Linkers write empty ones, which map nothing.
pub(crate) fn source_link(pdb: &WindowsPdb, spaces: &Spaces) -> Option<Vec<u8>> {
    let mut named = pdb.info.names.iter().filter(|named| named.name.value.starts_with("sourcelink"));
    named.find_map(|named| {
        let region = pdb.stream(spaces, named.stream.value).ok()?;
        (!region.is_empty()).then(|| region.bytes().to_vec())
    })
}

/// Name of a module of a Windows PDB; empty where it cannot be read.
pub(super) fn module_name(pdb: &WindowsPdb, module: u32) -> String {
    let found = pdb.modules().get(module as usize).zip(pdb.dbi.as_ref());
    let info = found.and_then(|(module, dbi)| dbi.names_of(module).ok());
    info.map_or_else(String::new, |info| utf8(info.name.data).into_owned())
}

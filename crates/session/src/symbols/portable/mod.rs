//! Portable PDBs.

mod scopes;

use std::ops::ControlFlow;

use self::scopes::{ScopeTables, collected};
use super::reader::CONTENT;
use crate::symbols::{
    Compilation, Custom, Document, EmbeddedSource, Format, IdSuffix, Import, ImportScope, Mapping, Method, RecordRef,
    Scope, SourceServers, StateMachine, SymbolId, SymbolReader, SymbolRecord,
};
use crate::text::safe::utf8;
use pdblens_formats::bytes::{Cursor, Error, ErrorKind, Guid, Recording, Result, Share, Slice};
use pdblens_formats::metadata::schema::HAS_CUSTOM_DEBUG_INFORMATION;
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_formats::portable::PortablePdb;
use pdblens_formats::portable::custom::{compilation_options, compilation_references, embedded_source, source_link};
use pdblens_formats::portable::document::DocumentName;
use pdblens_formats::portable::imports::Import as Record;
use pdblens_formats::portable::points::{self, Header};
use pdblens_formats::sequence_point::SequencePoint;

/// Bytes of names and values that are copied out of heaps for one record.
///
/// Rows are small, and any number of them can lead to the same large entry of a heap.
struct HeapBudget(Share);

impl HeapBudget {
    /// Bytes kept of each entry besides its content.
    const PER_ENTRY: u64 = 32;

    /// Returns `bytes`, or an error if the budget is used up.
    fn take<'b>(&mut self, bytes: Slice<'b>) -> Result<Slice<'b>> {
        let size = bytes.len() + Self::PER_ENTRY;
        if self.0.take(size) {
            return Ok(bytes);
        }
        Err(Error::new(ErrorKind::TooLarge { what: "a name or a value", size, ceiling: self.0.left() }, bytes.span()))
    }
}

impl SymbolReader for PortablePdb {
    fn format(&self) -> Format {
        Format::Portable
    }

    fn id(&self) -> Option<SymbolId> {
        self.stream.as_ref().map(|stream| SymbolId { guid: stream.guid, suffix: IdSuffix::Stamp(stream.stamp) })
    }

    fn documents(&self) -> u32 {
        self.documents_before(self.generations().len())
    }

    fn document(&self, row: u32) -> Result<Document> {
        if let Some((delta, row)) = self.in_delta(row) {
            return delta.document(row);
        }
        let table = self.metadata.table(TableId::DOCUMENT);
        let guid = |column| self.metadata.guid_cell(TableId::DOCUMENT, row, column);
        Ok(Document {
            name: document_name(&self.metadata, row)?,
            language: guid(3)?,
            hash_algorithm: guid(1)?,
            hash: self.metadata.blob_cell(TableId::DOCUMENT, row, 2)?.data.to_vec(),
            span: table.row_span(row)?,
        })
    }

    fn embedded_source(&self, document: u32) -> Option<EmbeddedSource<'_>> {
        if let Some((delta, row)) = self.in_delta(document) {
            return delta.embedded_source(row);
        }
        let mut values = custom_values(&self.metadata, Token::new(TableId::DOCUMENT, document), embedded_source::GUID);
        values.next().map(|value| EmbeddedSource::of_record(self, document, value))
    }

    fn methods(&self) -> u32 {
        let deltas = self.generations().iter().map(|delta| delta.pdb.last_method());
        deltas.fold(self.last_method(), u32::max)
    }

    fn mapping(&self, method: Token) -> Option<Mapping> {
        if let Some(index) = self.newest(method.row()) {
            let delta = self.generations().get(index)?;
            let row = delta.pdb.debug_row(method.row())?;
            // A delta that was opened without its base is the first generation that is known.
            let number = (index as u32).saturating_add(1).saturating_add(u32::from(self.is_delta()));
            return Some(Mapping::Generation { row, number, file: delta.name.clone() });
        }
        if !self.is_delta() {
            return None;
        }
        let row = self.debug_row(method.row())?;
        Some(Mapping::Generation { row, number: 1, file: String::new() })
    }

    fn method(&self, method: Token) -> Result<Method> {
        if let Some((delta, documents)) = self.delta_of(method) {
            let found = delta.method(method)?;
            let document = found.document.map(|row| row.saturating_add(documents));
            return Ok(Method { document, blob: None, ..found });
        }
        let table = self.metadata.table(TableId::METHOD_DEBUG_INFORMATION);
        let Some(row) = self.debug_row(method.row()) else {
            // Out of a table that has every method is an error; out of a delta it is not.
            return if self.is_delta() {
                Ok(Method::default())
            } else {
                table.cell(method.row(), 0).map(|_| Method::default())
            };
        };
        let document = table.cell(row, 0)?;
        let Some(blob) = Some(table.cell(row, 1)?).filter(|blob| *blob > 0) else {
            return Ok(Method::default());
        };
        let slice = self.metadata.blob_cell(TableId::METHOD_DEBUG_INFORMATION, row, 1)?;
        let header = Header::decode(&mut slice.cursor(), document)?;
        Ok(Method {
            document: Some(document).filter(|document| *document > 0),
            local_signature: Some(header.local_signature_row())
                .filter(|row| *row > 0)
                .map(|row| Token::new(TableId::STAND_ALONE_SIG, row)),
            points: Some(slice.span()),
            blob: Some(blob),
        })
    }

    fn points(&self, method: Token, each: &mut dyn FnMut(SequencePoint) -> ControlFlow<()>) -> Result<()> {
        if let Some((delta, documents)) = self.delta_of(method) {
            return SymbolReader::points(delta, method, &mut |point| {
                let document = if point.document == 0 { 0 } else { point.document.saturating_add(documents) };
                each(SequencePoint { document, ..point })
            });
        }
        // An iterator over the Option would cost the loop its registers.
        let Some(points) = self.points(method.row())? else { return Ok(()) };
        for point in points {
            if each(point?).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn scopes(&self, method: Token, name: &dyn Fn(Token) -> String) -> Result<Vec<Scope>> {
        if let Some((delta, _)) = self.delta_of(method) {
            let mut scopes = delta.scopes(method, name)?;
            let index = self.newest(method.row()).unwrap_or_default();
            let imports = self.rows_before(TableId::IMPORT_SCOPE, index);
            // Rows of a delta have no places.
            for scope in &mut scopes {
                (scope.record, scope.imports) = (None, scope.imports.map(|row| row.saturating_add(imports)));
                scope.variables.iter_mut().for_each(|variable| variable.record = None);
                scope.constants.iter_mut().for_each(|constant| constant.record = None);
            }
            return Ok(scopes);
        }
        let tables = ScopeTables::of(&self.metadata);
        // Outer scopes come first; those still open say how deep the next one is.
        let (mut open, mut room): (Vec<u64>, _) = (Vec::new(), HeapBudget(self.budget.record_names()));
        // A variable has one owner, so a method has no more of them than there are rows.
        let mut left = tables.variables.rows() as usize + tables.constants.rows() as usize;
        collected(self.scope_rows(method.row()), |row| {
            let mut scope = tables.scope(row, name, &mut room)?;
            let owned = scope.variables.len() + scope.constants.len();
            let shared = || Error::invalid("two scopes own the same variables", scope.span);
            left = left.checked_sub(owned).ok_or_else(shared)?;
            while open.last().is_some_and(|end| u64::from(scope.start) >= *end) {
                open.pop();
            }
            scope.depth = open.len().min(255) as u8;
            open.push(scope.end());
            Ok(scope)
        })
    }

    fn import_scopes(&self) -> u32 {
        self.rows_before(TableId::IMPORT_SCOPE, self.generations().len())
    }

    fn import_scope(&self, row: u32) -> Result<ImportScope> {
        let Some((index, delta, own)) = self.in_generation(TableId::IMPORT_SCOPE, row) else {
            return import_scope(&self.metadata, row, HeapBudget(self.budget.import_names()));
        };
        let before = self.rows_before(TableId::IMPORT_SCOPE, index);
        let found = import_scope(&delta.metadata, own, HeapBudget(self.budget.import_names()))?;
        Ok(ImportScope { parent: found.parent.map(|row| row.saturating_add(before)), ..found })
    }

    fn state_machine(&self, known: StateMachine) -> Option<Token> {
        let mut newest = self.generations().iter().rev().map(|delta| &delta.pdb).chain([self]);
        let other = newest.find_map(|pdb| match known {
            StateMachine::Kickoff(method) => pdb.move_next(method.row()),
            StateMachine::MoveNext(method) => pdb.kickoff(method.row()),
        });
        other.map(|row| Token::new(TableId::METHOD_DEF, row))
    }

    fn customs(&self) -> u32 {
        self.rows_before(TableId::CUSTOM_DEBUG_INFORMATION, self.generations().len())
    }

    fn custom(&self, row: u32) -> Result<Custom> {
        if let Some((index, delta, own)) = self.in_generation(TableId::CUSTOM_DEBUG_INFORMATION, row) {
            let found = SymbolReader::custom(delta, own)?;
            return Ok(Custom { record: None, parent: self.parent_in(index, found.parent), ..found });
        }
        let table = self.metadata.table(TableId::CUSTOM_DEBUG_INFORMATION);
        let value = self.metadata.blob_cell(TableId::CUSTOM_DEBUG_INFORMATION, row, 2)?;
        let parent =
            HAS_CUSTOM_DEBUG_INFORMATION.decode(table.cell(row, 0)?).map(|(table, row)| Token::new(table, row));
        Ok(Custom {
            record: Some(RecordRef::Row(TableId::CUSTOM_DEBUG_INFORMATION, row)),
            parent,
            kind: self.metadata.guid_cell(TableId::CUSTOM_DEBUG_INFORMATION, row, 1)?.unwrap_or_default(),
            span: value.span(),
            value: value.data.to_vec(),
        })
    }

    fn source_servers(&self) -> SourceServers<'_> {
        let mut values = custom_values(&self.metadata, Token::new(TableId::MODULE, 1), source_link::GUID);
        SourceServers { source_link: values.next().map(|value| value.data.to_vec()), srcsrv: None }
    }

    fn compilation(&self) -> Compilation {
        let mut values = custom_values(&self.metadata, Token::new(TableId::MODULE, 1), compilation_options::GUID);
        let options = match values.next().map(|value| compilation_options::decode(&mut value.cursor())) {
            Some(Ok(options)) => {
                let text = |slice: Slice<'_>| utf8(slice.data).into_owned();
                options.iter().map(|option| (text(option.name), text(option.value))).collect()
            }
            _ => Vec::new(),
        };
        let entry_point = self.stream.as_ref().map(|stream| stream.entry_point).filter(|token| !token.is_nil());
        let mut values = custom_values(&self.metadata, Token::new(TableId::MODULE, 1), compilation_references::GUID);
        let references = values.next().and_then(|value| compilation_references::decode(&mut value.cursor()).ok());
        Compilation { entry_point, options, references: references.map_or(0, |references| references.len()) }
    }

    fn decode(&self, record: SymbolRecord, cursor: &mut Cursor<'_, Recording>) -> Result<()> {
        match record {
            SymbolRecord::Document(_) => cursor.bytes(&CONTENT, cursor.left()).map(drop),
            SymbolRecord::Points(method) => {
                if let Some((delta, _)) = self.delta_of(method) {
                    return SymbolReader::decode(delta, record, cursor);
                }
                let row = self.debug_row(method.row()).unwrap_or(method.row());
                let document = self.metadata.table(TableId::METHOD_DEBUG_INFORMATION).cell(row, 0)?;
                points::decode(cursor, document).map(drop)
            }
        }
    }
}

/// The values of the custom debug information of `kind` that `parent` has.
fn custom_values(metadata: &Metadata, parent: Token, kind: Guid) -> impl Iterator<Item = Slice<'_>> {
    let table = metadata.table(TableId::CUSTOM_DEBUG_INFORMATION);
    let coded = HAS_CUSTOM_DEBUG_INFORMATION.encode(parent.table(), parent.row());
    let rows = coded.map_or(0..0, |coded| table.equal_range(0, coded));
    rows.filter(move |row| {
        let guid = metadata.guid_cell(TableId::CUSTOM_DEBUG_INFORMATION, *row, 1);
        matches!(guid, Ok(Some(guid)) if guid == kind)
    })
    .filter_map(move |row| metadata.blob_cell(TableId::CUSTOM_DEBUG_INFORMATION, row, 2).ok())
}

pub fn document_name(metadata: &Metadata, row: u32) -> Result<String> {
    let blob = metadata.blob_cell(TableId::DOCUMENT, row, 0)?;
    DocumentName::decode(&mut blob.cursor())?.join(|part| metadata.heaps.blob(part))
}

fn import_scope(metadata: &Metadata, row: u32, mut room: HeapBudget) -> Result<ImportScope> {
    let table = metadata.table(TableId::IMPORT_SCOPE);
    let blob = metadata.blob_cell(TableId::IMPORT_SCOPE, row, 1)?;
    let (mut found, mut cursor) = (Vec::new(), blob.cursor());
    let mut read = Ok(());
    while read.is_ok() && !cursor.is_done() {
        let import = Record::decode(&mut cursor).and_then(|record| import(metadata, record, &mut room));
        read = import.map(|import| found.push(import));
    }
    Ok(ImportScope {
        span: table.row_span(row)?,
        parent: Some(table.cell(row, 0)?).filter(|parent| *parent > 0),
        imports: found,
        error: read.err(),
    })
}

fn import(metadata: &Metadata, record: Record, room: &mut HeapBudget) -> Result<Import> {
    let mut text = |blob: Option<u32>| {
        let text = blob.map(|blob| room.take(metadata.heaps.blob(blob)?)).transpose()?;
        Ok(text.map(|text| utf8(text.data).into_owned()))
    };
    Ok(Import {
        kind: record.kind as u8,
        alias: text(record.alias)?,
        namespace: text(record.namespace)?,
        assembly: record.assembly.map(|row| Token::new(TableId::ASSEMBLY_REF, row)),
        target: record.target,
        text: None,
    })
}

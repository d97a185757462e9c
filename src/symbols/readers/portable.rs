//! Portable PDBs.

use std::ops::ControlFlow;

use crate::bytes::{Cursor, Error, ErrorKind, Guid, Noted, Result, Slice, Span};
use crate::formats::inflate::inflate;
use crate::formats::metadata::schema::HAS_CUSTOM_DEBUG_INFORMATION;
use crate::formats::metadata::{Metadata, TableId, Token};
use crate::formats::portable::PortablePdb;
use crate::formats::portable::constant::Constant as ConstantBlob;
use crate::formats::portable::custom::{self, Decoded, compilation_options, embedded_source, source_link};
use crate::formats::portable::document::DocumentName;
use crate::formats::portable::imports::Import as Record;
use crate::formats::portable::points::{self, Header, Point};
use crate::nodes::Place;
use crate::symbols::{
    Constant, Custom, Document, Format, IdRest, Import, ImportScope, Method, Scope, SymbolId, Symbols, Variable,
};
use crate::text::constant::{constant_text, constant_type};
use crate::text::safe::utf8;

/// The largest embedded source that is inflated.
const LARGEST_SOURCE: u64 = 256 << 20;

/// How many bytes of names and values are read for the scopes of one method.
const SCOPES: Room = Room(16 << 20);

/// How many bytes of names are read for one import scope.
const IMPORTS: Room = Room(1 << 20);

/// How many bytes may still be copied out of heaps.
///
/// Rows are small, and any number of them can lead to the same large entry of a heap.
struct Room(u64);

impl Room {
    /// What is kept of each beside its bytes.
    const EACH: u64 = 32;

    /// The same bytes, where there is still room for them.
    fn take<'b>(&mut self, bytes: Slice<'b>) -> Result<Slice<'b>> {
        let (size, ceiling) = (bytes.len() + Self::EACH, self.0);
        match ceiling.checked_sub(size) {
            Some(left) => self.0 = left,
            None => {
                return Err(Error::new(ErrorKind::TooLarge { what: "a name or a value", size, ceiling }, bytes.span()));
            }
        }
        Ok(bytes)
    }
}

impl Symbols for PortablePdb {
    fn format(&self) -> Format {
        Format::Portable
    }

    fn id(&self) -> Option<SymbolId> {
        self.stream.as_ref().map(|stream| SymbolId { guid: stream.guid, rest: IdRest::Stamp(stream.stamp) })
    }

    fn id_spans(&self) -> Vec<Span> {
        self.stream.iter().map(|_| self.stream_span.part(0, 20)).collect()
    }

    fn entry_point(&self) -> Option<Token> {
        self.stream.as_ref().map(|stream| stream.entry_point).filter(|token| !token.is_nil())
    }

    fn documents(&self) -> u32 {
        self.metadata.rows(TableId::DOCUMENT)
    }

    fn document(&self, row: u32) -> Result<Document> {
        let table = self.metadata.table(TableId::DOCUMENT);
        let heaps = &self.metadata.heaps;
        let guid = |column| table.cell(row, column).and_then(|index| heaps.guid(index));
        Ok(Document {
            name: document_name(&self.metadata, row)?,
            language: guid(3)?,
            hash_algorithm: guid(1)?,
            hash: heaps.blob(table.cell(row, 2)?)?.data.to_vec(),
            span: table.row_span(row)?,
        })
    }

    fn methods(&self) -> u32 {
        self.metadata.rows(TableId::METHOD_DEBUG_INFORMATION)
    }

    fn method(&self, method: Token) -> Result<Method> {
        let table = self.metadata.table(TableId::METHOD_DEBUG_INFORMATION);
        let document = table.cell(method.row(), 0)?;
        let Some(blob) = Some(table.cell(method.row(), 1)?).filter(|blob| *blob > 0) else {
            return Ok(Method::default());
        };
        let slice = self.metadata.heaps.blob(blob)?;
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

    fn points(&self, method: Token, each: &mut dyn FnMut(Point) -> ControlFlow<()>) -> Result<()> {
        // An iterator over the Option would cost the loop its registers.
        let Some(points) = self.points(method.row())? else { return Ok(()) };
        for point in points {
            if each(point?).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn note_points(&self, method: Token, cursor: &mut Cursor<'_, Noted>) -> Result<()> {
        let document = self.metadata.table(TableId::METHOD_DEBUG_INFORMATION).cell(method.row(), 0)?;
        points::decode(cursor, document).map(drop)
    }

    fn scopes(&self, method: Token, name: &dyn Fn(Token) -> String) -> Result<Vec<Scope>> {
        let table = self.metadata.table(TableId::LOCAL_SCOPE);
        // Outer scopes come first; those still open say how deep the next one is.
        let (mut open, mut room): (Vec<u64>, _) = (Vec::new(), SCOPES);
        // A variable has one owner, so a method has no more of them than there are rows.
        let mut left =
            self.metadata.rows(TableId::LOCAL_VARIABLE) as usize + self.metadata.rows(TableId::LOCAL_CONSTANT) as usize;
        table
            .equal_range(0, method.row())
            .map(|row| {
                let mut scope = scope(&self.metadata, row, name, &mut room)?;
                let owned = scope.variables.len() + scope.constants.len();
                let shared = Error::invalid("scopes that own the same variables", scope.span);
                left = left.checked_sub(owned).ok_or(shared)?;
                while open.last().is_some_and(|end| u64::from(scope.start) >= *end) {
                    open.pop();
                }
                scope.depth = open.len().min(255) as u8;
                open.push(u64::from(scope.start) + u64::from(scope.length));
                Ok(scope)
            })
            .collect()
    }

    fn import_scopes(&self) -> u32 {
        self.metadata.rows(TableId::IMPORT_SCOPE)
    }

    fn import_scope(&self, row: u32) -> Result<ImportScope> {
        import_scope(&self.metadata, row)
    }

    fn kickoff(&self, move_next: Token) -> Option<Token> {
        self.kickoff(move_next.row()).map(|row| Token::new(TableId::METHOD_DEF, row))
    }

    fn move_next(&self, kickoff: Token) -> Option<Token> {
        self.move_next(kickoff.row()).map(|row| Token::new(TableId::METHOD_DEF, row))
    }

    fn customs(&self) -> u32 {
        self.metadata.rows(TableId::CUSTOM_DEBUG_INFORMATION)
    }

    fn custom(&self, row: u32) -> Result<Custom> {
        let table = self.metadata.table(TableId::CUSTOM_DEBUG_INFORMATION);
        let value = self.metadata.heaps.blob(table.cell(row, 2)?)?;
        let parent =
            HAS_CUSTOM_DEBUG_INFORMATION.decode(table.cell(row, 0)?).map(|(table, row)| Token::new(table, row));
        Ok(Custom {
            place: Some(Place::row(TableId::CUSTOM_DEBUG_INFORMATION, row)),
            parent,
            kind: self.metadata.heaps.guid(table.cell(row, 1)?)?.unwrap_or_default(),
            span: value.span(),
            value: value.data.to_vec(),
        })
    }

    fn source_link(&self) -> Option<Vec<u8>> {
        let mut values = self.custom_values(Token::new(TableId::MODULE, 1), source_link::GUID);
        values.next().map(|value| value.data.to_vec())
    }

    fn has_embedded_source(&self, document: u32) -> bool {
        self.custom_values(Token::new(TableId::DOCUMENT, document), embedded_source::GUID).next().is_some()
    }

    fn embedded_source(&self, document: u32) -> Option<Result<Vec<u8>>> {
        let value = self.custom_values(Token::new(TableId::DOCUMENT, document), embedded_source::GUID).next()?;
        match custom::decode(embedded_source::GUID, value) {
            Ok(Decoded::EmbeddedSource(source)) => Some(match source.format {
                embedded_source::Format::Raw => Ok(source.content.data.to_vec()),
                embedded_source::Format::Deflate(size) => inflate(source.content, size as u64, LARGEST_SOURCE),
                embedded_source::Format::Reserved(_) => {
                    Err(Error::invalid("an embedded source in a format that is kept for later", value.span()))
                }
            }),
            Ok(_) => None,
            Err(error) => Some(Err(error)),
        }
    }

    fn compilation_options(&self) -> Vec<(String, String)> {
        let mut values = self.custom_values(Token::new(TableId::MODULE, 1), compilation_options::GUID);
        match values.next().map(|value| custom::decode(compilation_options::GUID, value)) {
            Some(Ok(Decoded::CompilationOptions(options))) => {
                let text = |slice: Slice<'_>| utf8(slice.data).into_owned();
                options.iter().map(|option| (text(option.name), text(option.value))).collect()
            }
            _ => Vec::new(),
        }
    }

    fn metadata(&self) -> Option<&Metadata> {
        Some(&self.metadata)
    }

    fn problems(&self) -> Vec<Error> {
        self.metadata.problems().chain(&self.problems).cloned().collect()
    }
}

impl PortablePdb {
    /// The values of the custom debug information of `kind` that `parent` has.
    fn custom_values(&self, parent: Token, kind: Guid) -> impl Iterator<Item = Slice<'_>> {
        let table = self.metadata.table(TableId::CUSTOM_DEBUG_INFORMATION);
        let coded = HAS_CUSTOM_DEBUG_INFORMATION.encode(parent.table(), parent.row());
        let rows = coded.map_or(0..0, |coded| table.equal_range(0, coded));
        rows.filter(move |row| {
            let guid = table.cell(*row, 1).and_then(|index| self.metadata.heaps.guid(index));
            matches!(guid, Ok(Some(guid)) if guid == kind)
        })
        .filter_map(move |row| self.metadata.blob_cell(TableId::CUSTOM_DEBUG_INFORMATION, row, 2).ok())
    }
}

/// A document's name, put together from its parts.
pub fn document_name(metadata: &Metadata, row: u32) -> Result<String> {
    let blob = metadata.blob_cell(TableId::DOCUMENT, row, 0)?;
    DocumentName::decode(&mut blob.cursor())?.join(|part| metadata.heaps.blob(part))
}

fn scope(metadata: &Metadata, row: u32, name: &dyn Fn(Token) -> String, room: &mut Room) -> Result<Scope> {
    let table = metadata.table(TableId::LOCAL_SCOPE);
    let import_scope = table.cell(row, 1)?;
    let variables = metadata.list(TableId::LOCAL_SCOPE, row, 2, TableId::LOCAL_VARIABLE);
    let constants = metadata.list(TableId::LOCAL_SCOPE, row, 3, TableId::LOCAL_CONSTANT);
    Ok(Scope {
        place: Some(Place::row(TableId::LOCAL_SCOPE, row)),
        span: table.row_span(row)?,
        start: table.cell(row, 4)?,
        length: table.cell(row, 5)?,
        depth: 0,
        imports: Some(import_scope).filter(|row| *row > 0),
        variables: variables.map(|row| variable(metadata, row, room)).collect::<Result<_>>()?,
        constants: constants.map(|row| local_constant(metadata, row, name, room)).collect::<Result<_>>()?,
    })
}

fn variable(metadata: &Metadata, row: u32, room: &mut Room) -> Result<Variable> {
    let table = metadata.table(TableId::LOCAL_VARIABLE);
    Ok(Variable {
        place: Some(Place::row(TableId::LOCAL_VARIABLE, row)),
        span: table.row_span(row)?,
        slot: table.cell(row, 1)? as u16,
        hidden: table.cell(row, 0)? & 1 != 0,
        name: utf8(room.take(metadata.string_cell(TableId::LOCAL_VARIABLE, row, 2)?)?.data).into_owned(),
    })
}

fn local_constant(metadata: &Metadata, row: u32, name: &dyn Fn(Token) -> String, room: &mut Room) -> Result<Constant> {
    let table = metadata.table(TableId::LOCAL_CONSTANT);
    let signature = room.take(metadata.blob_cell(TableId::LOCAL_CONSTANT, row, 1)?)?;
    let decoded = ConstantBlob::decode(&mut signature.cursor());
    Ok(Constant {
        place: Some(Place::row(TableId::LOCAL_CONSTANT, row)),
        span: table.row_span(row)?,
        name: utf8(room.take(metadata.string_cell(TableId::LOCAL_CONSTANT, row, 0)?)?.data).into_owned(),
        signature: signature.data.to_vec(),
        type_name: decoded.as_ref().map(|found| constant_type(&found.value, name)).unwrap_or_default(),
        value: decoded.map_or_else(|error| format!("({error})"), |found| constant_text(&found.value, name)),
    })
}

fn import_scope(metadata: &Metadata, row: u32) -> Result<ImportScope> {
    let table = metadata.table(TableId::IMPORT_SCOPE);
    let blob = metadata.blob_cell(TableId::IMPORT_SCOPE, row, 1)?;
    let (mut room, mut found, mut cursor) = (IMPORTS, Vec::new(), blob.cursor());
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

fn import(metadata: &Metadata, record: Record, room: &mut Room) -> Result<Import> {
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

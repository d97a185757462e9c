//! Content of blobs, which depends on the column that leads to one.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::code_unit::document_name;
use crate::fields::Meaning;
use crate::place::{Place, Side};
use crate::table::cells;
use pdblens_formats::bytes::{Cursor, Encoding, Field, Guid, Recording, Result, Slice, fields};
use pdblens_formats::metadata::schema::{CUSTOM_ATTRIBUTE_TYPE, TYPE_DEF_OR_REF};
use pdblens_formats::metadata::{Heap, TableId, Token, heaps};
use pdblens_formats::portable::constant::Constant;
use pdblens_formats::portable::document::DocumentName;
use pdblens_formats::portable::{custom, imports, points as point_blobs};
use pdblens_formats::signature::{self, element};
use pdblens_session::session::Session;
use pdblens_session::symbols::Import;
use pdblens_session::text::constant::constant_text;
use pdblens_session::text::safe::{cut, hex, utf8};

/// Content of the blobs of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// Nothing that pdblens decodes.
    Bytes,
    Signature,
    Points,
    DocumentName,
    /// The type and value of a local constant.
    Constant,
    Imports,
    Custom,
    Attribute,
    Hash,
    /// A public key, or its token.
    PublicKey,
    Value,
}

/// The columns whose blobs are decoded.
const COLUMNS: &[(TableId, usize, Holds)] = &[
    (TableId::FIELD, 2, Holds::Signature),
    (TableId::METHOD_DEF, 4, Holds::Signature),
    (TableId::MEMBER_REF, 2, Holds::Signature),
    (TableId::STAND_ALONE_SIG, 0, Holds::Signature),
    (TableId::PROPERTY, 2, Holds::Signature),
    (TableId::TYPE_SPEC, 0, Holds::Signature),
    (TableId::METHOD_SPEC, 1, Holds::Signature),
    (TableId::DOCUMENT, 0, Holds::DocumentName),
    (TableId::METHOD_DEBUG_INFORMATION, 1, Holds::Points),
    (TableId::LOCAL_CONSTANT, 1, Holds::Constant),
    (TableId::IMPORT_SCOPE, 1, Holds::Imports),
    (TableId::CUSTOM_DEBUG_INFORMATION, 2, Holds::Custom),
    (TableId::CUSTOM_ATTRIBUTE, 2, Holds::Attribute),
    (TableId::DOCUMENT, 2, Holds::Hash),
    (TableId::CONSTANT, 3, Holds::Value),
    (TableId::ASSEMBLY, 6, Holds::PublicKey),
    (TableId::ASSEMBLY_REF, 5, Holds::PublicKey),
    (TableId::ASSEMBLY_REF, 8, Holds::Hash),
    (TableId::FILE, 2, Holds::Hash),
];

fields! {
    /// Text in UTF-8 without an end mark: a part of the path of a document, or a name of an import.
    TEXT: "text";
    /// A hash: of a source file by the algorithm that its row names, or of a file of the assembly.
    HASH: "hash";
    /// A public key, or the last 8 bytes of its SHA-1 hash in reverse, which is its token.
    PUBLIC_KEY: "public key or token";
    /// The value of a constant, in the form of the type that its row names.
    VALUE: "value";
}

/// Bytes of a summary.
const MAX_SUMMARY: usize = 4096;

fn holds(table: TableId, column: usize) -> Holds {
    COLUMNS.iter().find(|(t, c, _)| (*t, *c) == (table, column)).map_or(Holds::Bytes, |(_, _, holds)| *holds)
}

/// Summary of a blob in one line; empty for plain bytes.
pub fn summary(session: &Session, side: Side, table: TableId, row: u32, column: usize, blob: Slice<'_>) -> String {
    let mut said = said(session, side, table, row, column, blob);
    cut(&mut said, MAX_SUMMARY);
    said
}

fn said(session: &Session, side: Side, table: TableId, row: u32, column: usize, blob: Slice<'_>) -> String {
    match holds(table, column) {
        Holds::Bytes | Holds::PublicKey | Holds::Value | Holds::Attribute => String::new(),
        Holds::Hash => hex(blob.data),
        Holds::Signature if table == TableId::TYPE_SPEC => {
            session.names().map(|names| names.row(Token::new(table, row))).unwrap_or_default()
        }
        Holds::Signature => match (session.names(), signature::decode(&mut blob.cursor())) {
            (Some(names), Ok(found)) => names.signature_text(&found),
            _ => String::new(),
        },
        Holds::Points => pdblens_session::text::safe::count(
            points(session, blob, cell(session, side, table, row, 0)).count,
            "sequence point",
        ),
        Holds::DocumentName => side
            .metadata(session)
            .and_then(|metadata| pdblens_session::symbols::document_name(metadata, row).ok())
            .unwrap_or_default(),
        Holds::Constant => {
            let name = |token: Token| session.names().map_or_else(|| token.to_string(), |names| names.type_name(token));
            Constant::decode(&mut blob.cursor()).map(|found| constant_text(&found.value, name)).unwrap_or_default()
        }
        Holds::Imports => import_summary(session, row),
        Holds::Custom => custom::tree(kind(session, side, row), blob).map(|tree| tree.line()).unwrap_or_default(),
    }
}

/// Lines and number of the points of a blob.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PointSummary {
    /// The first and the last line of those that are visible.
    pub lines: Option<(u32, u32)>,
    pub count: u64,
}

/// Long blobs of points that were looked at last, by their offset: many methods may have one.
#[derive(Debug, Default)]
struct LongBlobs(Mutex<HashMap<(u64, bool), PointSummary>>);

/// Bytes from which on a blob is kept, and the number of those that are.
const LONG: u64 = 1024;
const MAX_KEPT: usize = 256;

/// The points of a blob; of one that cannot be decoded, those before the error.
pub(super) fn points(session: &Session, blob: Slice<'_>, document: u32) -> PointSummary {
    // The header of a blob has a document where the row has none.
    let key = (blob.start, document == 0);
    let kept = || session.cache().get::<LongBlobs>().0.lock().unwrap_or_else(PoisonError::into_inner);
    if blob.len() >= LONG
        && let Some(known) = kept().get(&key)
    {
        return *known;
    }
    let mut found = PointSummary::default();
    for point in point_blobs::Points::new(blob, document).into_iter().flatten().map_while(Result::ok) {
        found.count += 1;
        if !point.is_hidden() {
            let (first, last) = found.lines.unwrap_or((point.start_line, point.end_line));
            found.lines = Some((first.min(point.start_line), last.max(point.end_line)));
        }
    }
    if blob.len() >= LONG {
        let mut kept = kept();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(key, found);
    }
    found
}

/// Reads the blob of a cell, its length first; noting, its fields tile the entry.
pub fn explain(
    session: &Session,
    side: Side,
    table: TableId,
    row: u32,
    column: usize,
    cursor: &mut Cursor<'_, Recording>,
) -> Result<()> {
    let holds = holds(table, column);
    if holds == Holds::Bytes {
        return heaps::explain(cursor, Heap::Blobs);
    }
    cursor.compressed(&heaps::LENGTH)?;
    match holds {
        Holds::Signature if table == TableId::TYPE_SPEC => signature::decode_type(cursor).map(drop),
        Holds::Signature => signature::decode(cursor).map(drop),
        Holds::Points => point_blobs::decode(cursor, cell(session, side, table, row, 0)).map(drop),
        Holds::DocumentName => DocumentName::decode(cursor).map(drop),
        Holds::Constant => Constant::decode(cursor).map(drop),
        Holds::Imports => imports::decode(cursor, |_| ()),
        Holds::Custom => custom::explain(kind(session, side, row), cursor),
        Holds::Attribute => attribute(session, side, row, cursor),
        Holds::Value => constant_value(cell(session, side, table, row, 0) as u8, cursor),
        Holds::Bytes => Ok(()),
        Holds::Hash | Holds::PublicKey if cursor.is_done() => Ok(()),
        Holds::Hash => cursor.bytes(&HASH, cursor.left()).map(drop),
        Holds::PublicKey => cursor.bytes(&PUBLIC_KEY, cursor.left()).map(drop),
    }
}

/// Reads the value of a constant by its type; bytes that are not of its size stay bytes.
fn constant_value(ty: u8, c: &mut Cursor<'_, Recording>) -> Result<()> {
    match (ty, c.left()) {
        (_, 0) => Ok(()),
        (element::STRING, left) => c.text(&VALUE, left, Encoding::Utf16).map(drop),
        (element::BOOLEAN | element::U1, 1) => c.u8(&VALUE).map(drop),
        (element::I1, 1) => c.i8(&VALUE).map(drop),
        (element::CHAR | element::U2, 2) => c.u16(&VALUE).map(drop),
        (element::I2, 2) => c.i16(&VALUE).map(drop),
        (element::I4, 4) => c.i32(&VALUE).map(drop),
        (element::U4, 4) => c.u32(&VALUE).map(drop),
        (element::I8, 8) => c.i64(&VALUE).map(drop),
        (element::U8, 8) => c.u64(&VALUE).map(drop),
        (element::R4, 4) => c.f32(&VALUE).map(drop),
        (element::R8, 8) => c.f64(&VALUE).map(drop),
        // The null of a class is four zeros.
        (_, left) => c.bytes(&VALUE, left).map(drop),
    }
}

/// Reads the value of a custom attribute by the signature of its constructor.
pub fn attribute(session: &Session, side: Side, row: u32, cursor: &mut Cursor<'_, Recording>) -> Result<()> {
    if cursor.is_done() {
        return Ok(());
    }
    let constructor = CUSTOM_ATTRIBUTE_TYPE.decode(cell(session, side, TableId::CUSTOM_ATTRIBUTE, row, 1));
    let signature = constructor.and_then(|(table, row)| {
        let column = if table == TableId::METHOD_DEF { 4 } else { 2 };
        let blob = side.metadata(session)?.heaps.blob(cell(session, side, table, row, column)).ok()?;
        signature::decode(&mut blob.cursor()).ok()
    });
    match signature {
        Some(signature::Signature::Method(found)) => signature::attribute::decode(cursor, &found.parameters),
        _ => cursor.bytes(&VALUE, cursor.left()).map(drop),
    }
}

/// Reads a blob that is text: a part of a document's name, an alias, a namespace.
pub fn explain_text(cursor: &mut Cursor<'_, Recording>) -> Result<()> {
    let len = cursor.compressed(&heaps::LENGTH)?;
    if len > 0 { cursor.text(&TEXT, len as u64, Encoding::Utf8).map(drop) } else { Ok(()) }
}

pub fn meaning(session: &Session, side: Side, holds_row: (TableId, u32, usize), field: &Field) -> Option<Meaning> {
    let (table, row, column) = holds_row;
    let number = || field.value.number().map(|number| number as u32);
    let heap = |offset| Place::HeapEntry(side, Heap::Blobs, offset);
    let text = |offset: u32| side.metadata(session).and_then(|metadata| metadata.heaps.blob(offset).ok());
    match (holds(table, column), field.name()) {
        (Holds::DocumentName, "part") | (Holds::Imports, "alias" | "target namespace") => {
            let offset = number()?;
            let text = text(offset)?.data;
            Some(Meaning::to(utf8(text.get(..MAX_SUMMARY).unwrap_or(text)).into_owned(), heap(offset)))
        }
        (Holds::Imports, "target assembly") => {
            let place = Place::row(TableId::ASSEMBLY_REF, number()?);
            Some(Meaning::to(cells::row_name(session, Side::Image, TableId::ASSEMBLY_REF, number()?), place))
        }
        (_, "type" | "modifier" | "target type" | "enum type") => {
            let (table, row) = TYPE_DEF_OR_REF.decode(number()?)?;
            let name = session.names().map(|names| names.type_name(Token::new(table, row))).unwrap_or_default();
            Some(Meaning::to(name, Place::row(table, row)).coded(&TYPE_DEF_OR_REF, number()?, field.span.len))
        }
        (Holds::Points | Holds::Custom, "document" | "initial document") => {
            Some(Meaning::to(document_name(session, number()?).unwrap_or_default(), Place::Document(number()?)))
        }
        (Holds::Custom, "MoveNext method" | "move next") => {
            let method = Token::new(TableId::METHOD_DEF, number()?);
            Some(Meaning::to(session.method_name(method), Place::of_method(method)))
        }
        (Holds::Points, "local signature") => Some(local_signature(session, number()?)),
        (Holds::Custom, "custom debug information") => {
            Some(Meaning::text(kind_name(kind(session, side, row)).unwrap_or("a kind that pdblens does not know")))
        }
        _ => None,
    }
}

/// The row of StandAloneSig that a points blob names: F# writes the whole token where the row alone is due.
pub fn local_signature(session: &Session, number: u32) -> Meaning {
    let row = Token(number).row();
    if row == 0 {
        return Meaning::text("no local variables");
    }
    let place = Place::row(TableId::STAND_ALONE_SIG, row);
    Meaning::to(cells::row_name(session, Side::Image, TableId::STAND_ALONE_SIG, row), place)
}

fn cell(session: &Session, side: Side, table: TableId, row: u32, column: usize) -> u32 {
    side.metadata(session).and_then(|metadata| metadata.table(table).cell(row, column).ok()).unwrap_or(0)
}

fn kind(session: &Session, side: Side, row: u32) -> Guid {
    let index = cell(session, side, TableId::CUSTOM_DEBUG_INFORMATION, row, 1);
    side.metadata(session).and_then(|metadata| metadata.heaps.guid(index).ok().flatten()).unwrap_or_default()
}

/// The name of the kind of a row of CustomDebugInformation; its GUID where no kind is known that has it.
pub(crate) fn custom_kind(session: &Session, side: Side, row: u32) -> String {
    let kind = kind(session, side, row);
    kind_name(kind).map_or_else(|| kind.to_string(), str::to_owned)
}

pub fn kind_name(kind: Guid) -> Option<&'static str> {
    custom::CustomKind::of(kind).map(|kind| kind.name)
}

const MOST_IMPORTS: usize = 32;

/// The imports of a scope as source has them: `using System; using Alias = Ns.Type;`
pub(crate) fn import_summary(session: &Session, row: u32) -> String {
    let Some(Ok(scope)) = session.symbols().map(|symbols| symbols.import_scope(row)) else { return String::new() };
    let more = if scope.imports.len() > MOST_IMPORTS { ", …" } else { "" };
    scope.imports.iter().take(MOST_IMPORTS).map(|import| import_text(session, import)).collect::<Vec<_>>().join(", ")
        + more
}

/// An import as source has it: `System`, `Alias = Ns.Type`.
pub fn import_text(session: &Session, import: &Import) -> String {
    let target =
        import.target.map(|token| session.names().map_or_else(|| token.to_string(), |names| names.type_name(token)));
    let assembly = import.assembly.map(|token| cells::row_name(session, Side::Image, token.table(), token.row()));
    let what = import.namespace.clone().or(target).or_else(|| import.text.clone()).or(assembly).unwrap_or_default();
    match &import.alias {
        Some(alias) if what.is_empty() => format!("extern alias {alias}"),
        Some(alias) => format!("{alias} = {what}"),
        None => what,
    }
}

//! Symbols without the sequence points: id, documents, scopes, imports, custom debug information.

use serde::Serialize;

use super::super::json::{List, Room};
use super::super::values::{Broken, BytesText, Id, Reply};
use super::decoded::Decoded;
use crate::bytes::{Guid, Result, Slice, Spaces, Span};
use crate::formats::portable::custom;
use crate::formats::reason::Reason;
use crate::nodes::{TableId, Token, method};
use crate::session::Session;
use crate::symbols::{Custom, Document, ImportScope, Scope, SymbolReader};
use crate::text::guids;
use crate::text::paths::without_passwords;
use crate::text::safe::utf8;

/// The symbol file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "pdb"))]
pub(in super::super) struct PdbJson {
    /// `portable`, `windows`, `native`, `mixed`, `mdb`, `msf2` or `msfz`.
    format: &'static str,
    #[serde(flatten)]
    id: Id,
    /// Entry point of the program.
    entry_point: Option<Token>,
    /// Source Link document, JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_link: Option<String>,
}

impl PdbJson {
    pub(in super::super) fn of(symbols: &dyn SymbolReader) -> Self {
        Self {
            format: symbols.format().name(),
            id: symbols.id().into(),
            entry_point: symbols.compilation().entry_point,
            source_link: symbols.source_servers().source_link.map(|text| without_passwords(&utf8(&text))),
        }
    }
}

/// A row, or the error that prevents reading it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
pub(super) struct SymbolRow<T> {
    /// Its number, from 1.
    row: u32,
    #[serde(flatten)]
    content: Reply<T, Broken>,
}

fn rows<'s, T>(
    spaces: &'s Spaces,
    count: u32,
    room: &'s Room,
    read: impl Fn(u32) -> Result<T> + 's,
) -> List<'s, SymbolRow<T>>
where
    T: 's,
{
    let row = move |row| {
        let content = read(row).map_err(|error| Broken { error: spaces.reason(&error) }).into();
        SymbolRow { row, content }
    };
    List::each(move |emit| (1..=count).try_for_each(|number| emit(row(number)))).within(room)
}

/// A source file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "document"))]
pub(super) struct DocumentJson {
    /// Path, as the symbols have it.
    name: String,
    /// Name of the language, where it is known.
    language: Option<&'static str>,
    language_id: Option<Guid>,
    hash_algorithm: Option<Guid>,
    hash: Option<BytesText>,
    /// True if its text is embedded in the symbols.
    embedded: bool,
    span: Span,
}

pub(super) fn documents<'s>(
    session: &'s Session,
    symbols: &'s dyn SymbolReader,
    room: &'s Room,
) -> List<'s, SymbolRow<DocumentJson>> {
    let spaces = session.spaces();
    rows(spaces, symbols.documents(), room, move |row| {
        let Document { name, language, hash_algorithm, hash, span } = symbols.document(row)?;
        Ok(DocumentJson {
            name,
            language: language.and_then(guids::name),
            language_id: language,
            hash_algorithm,
            hash: BytesText::some(&hash),
            embedded: symbols.embedded_source(row).is_some(),
            span,
        })
    })
}

/// A local scope.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "scope"))]
pub(super) struct ScopeJson {
    /// Token of its method.
    token: Token,
    /// Row of `imports`, from 1; 0 for none.
    import_scope: u32,
    #[serde(flatten)]
    scope: Scope,
}

/// The scopes of all methods, outer scopes before inner ones.
pub(super) fn scopes<'s>(session: &'s Session, symbols: &'s dyn SymbolReader, room: &'s Room) -> List<'s, ScopeJson> {
    let of_method = move |row| {
        let token = Token::new(TableId::METHOD_DEF, row);
        let scopes = method::scopes(session, token).unwrap_or_default();
        let all = scopes.iter().any(|scope| scope.imports.is_none()).then(|| symbols.imports_of(token)).flatten();
        scopes.into_iter().map(move |scope| ScopeJson {
            token,
            import_scope: scope.imports.or(all).unwrap_or(0),
            scope,
        })
    };
    List::of(move || (1..=symbols.methods()).flat_map(of_method)).within(room)
}

/// An import scope.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "import_scope"))]
pub(super) struct ImportScopeJson {
    #[serde(flatten)]
    scope: ImportScope,
    /// Error that ends the entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Reason>,
}

pub(super) fn imports<'s>(
    session: &'s Session,
    symbols: &'s dyn SymbolReader,
    room: &'s Room,
) -> List<'s, SymbolRow<ImportScopeJson>> {
    let spaces = session.spaces();
    rows(spaces, symbols.import_scopes(), room, move |row| {
        let scope = symbols.import_scope(row)?;
        let error = scope.error.as_ref().map(|error| spaces.reason(error));
        Ok(ImportScopeJson { scope, error })
    })
}

/// Record of custom debug information, with either `decoded` or `error`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "custom_debug_information"))]
pub(super) struct CustomJson {
    #[serde(flatten)]
    record: Custom,
    /// Name of the kind, where it is known.
    kind_name: Option<&'static str>,
    /// Value in the form of its kind; hexadecimal bytes if the kind is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    decoded: Option<Decoded>,
    /// The reason why the value cannot be decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Reason>,
}

pub(super) fn custom<'s>(
    session: &'s Session,
    symbols: &'s dyn SymbolReader,
    room: &'s Room,
) -> List<'s, SymbolRow<CustomJson>> {
    let spaces = session.spaces();
    rows(spaces, symbols.customs(), room, move |row| {
        let record = symbols.custom(row)?;
        let value = Slice::new(&record.value, record.span.space, record.span.start);
        let (decoded, error) = match custom::tree(record.kind, value) {
            Ok(decoded) => (Some(Decoded(decoded)), None),
            Err(error) => (None, Some(spaces.reason(&error))),
        };
        Ok(CustomJson { kind_name: custom::CustomKind::of(record.kind).map(|kind| kind.name), record, decoded, error })
    })
}

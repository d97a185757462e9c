//! Public and global symbols of a Windows PDB.

use crate::kind::Kind;
use crate::named::{self, NameList, Turn};
use crate::native::{function_at, rva_text, symbols_index};
use crate::place::Place;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::stream::{PdbView, leaf_text};
use pdblens_formats::bytes::Span;
use pdblens_formats::codeview::symbols::{self, Symbol, is_function};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::pdb::ModuleStream;
use pdblens_formats::serialize::some_hexadecimal;
use pdblens_session::session::Session;
use pdblens_session::text::demangle::demangled;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::{count, utf8};

/// A list of symbols, which are all in one stream.
const SYMBOLS: Kind = Kind {
    bytes: |session, ()| {
        let view = PdbView::of(session)?;
        view.span(view.pdb.dbi.as_ref()?.header.symbol_record_stream.into())
    },
    indexes: |_, ()| vec![symbols_index()],
    ..Kind::NEW
};

pub(crate) const PUBLICS: Kind = Kind {
    named: &[
        (Turn::Symbols, |session, list| named::add_column(list, symbols_of_all(session, true), "name")),
        (Turn::Symbols, add_source_names),
    ],
    listed: |_| vec![Place::Publics],
    rows: |session, ()| symbols_of_all(session, true),
    row_of: |session, place, ()| {
        let (publics, _) = session.symbol_file()?.content.globals()?.offsets();
        let at = symbol_record(session, place)?;
        publics.iter().position(|record| *record == at)
    },
    ..SYMBOLS
};

pub(crate) const GLOBALS: Kind = Kind {
    named: &[(Turn::Symbols, |session, list| named::add_column(list, symbols_of_all(session, false), "name"))],
    listed: |_| vec![Place::Globals],
    rows: |session, ()| symbols_of_all(session, false),
    row_of: |session, place, ()| {
        let (_, others) = session.symbol_file()?.content.globals()?.offsets();
        others.binary_search(&symbol_record(session, place)?).ok()
    },
    ..SYMBOLS
};

fn symbol_record(session: &Session, place: Place) -> Option<u32> {
    let stream = PdbView::of(session)?.pdb.dbi.as_ref()?.header.symbol_record_stream;
    match place {
        Place::Record(of, at) if of == u32::from(stream) => Some(at),
        _ => None,
    }
}

/// Adds the source names of the public symbols whose names are decorated.
fn add_source_names(session: &Session, list: &mut dyn NameList) -> Option<()> {
    let globals = PdbView::of(session).and_then(|view| Some((view, session.symbol_file()?.content.globals()?)));
    let Some((view, globals)) = globals.filter(|(view, _)| view.native.is_some()) else { return Some(()) };
    let Some(dbi) = view.pdb.dbi.as_ref() else { return Some(()) };
    let stream = u32::from(dbi.header.symbol_record_stream);
    for record in (0..globals.counts().0).filter_map(|row| globals.public(row)) {
        let name = record.read().ok().and_then(|symbol| demangled(&utf8(symbol.name.data)));
        if let Some(name) = name {
            list.add(Place::Record(stream, record.span().start as u32), &name)?;
        }
    }
    Some(())
}

/// A public or a global symbol with everything in its record.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "symbol"))]
pub struct SymbolDetails {
    /// CodeView's name of the record (`S_PUB32`).
    #[serde(rename = "record")]
    pub kind: &'static str,
    /// Name as in the record: decorated where the linker wrote it.
    pub name: String,
    /// Source name, where the one in the record is decorated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_name: Option<String>,
    /// Address in the image.
    #[serde(rename = "address", serialize_with = "some_hexadecimal", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<pdblens_formats::json_schema::Address>"))]
    pub rva: Option<u32>,
    /// Section, from 1; `None` without an address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<u16>,
    /// Offset in the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// Method of managed code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<Token>,
    /// Type index.
    #[serde(serialize_with = "some_hexadecimal", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<pdblens_formats::json_schema::TypeIndex>"))]
    pub index: Option<u32>,
    /// Name of the type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    /// Value of a constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Module, from 0, with the record that it refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<u32>,
    /// Offset of that record in the stream of the module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<u32>,
    /// Flags, specific to the kind.
    pub flags: u32,
    /// Bytes of the record.
    pub span: Span,
}

/// The public symbols by address, or the global ones in their order, one at a time.
pub fn each_symbol<E>(
    session: &Session,
    publics: bool,
    mut each: impl FnMut(SymbolDetails) -> Result<(), E>,
) -> Result<(), E> {
    let globals = session.symbol_file().and_then(|file| file.content.globals());
    let Some((view, globals)) = PdbView::of(session).zip(globals) else { return Ok(()) };
    let (public, global) = globals.counts();
    for row in 0..if publics { public } else { global } {
        let record = if publics { globals.public(row) } else { globals.global(row) };
        if let Some(record) = record {
            each(symbol_details(view, record))?;
        }
    }
    Ok(())
}

fn symbol_details(view: PdbView<'_>, record: symbols::Record<'_>) -> SymbolDetails {
    let symbol = record.read().unwrap_or_default();
    let name = utf8(symbol.name.data).into_owned();
    let has_token = view.native.is_none() || symbol.section == 0;
    let token = if has_token { token_of(record.kind, &symbol) } else { None };
    let has_address = symbol.section > 0 && token.is_none();
    let type_names = if symbol.of > 0 { view.type_names() } else { None };
    let module = symbol.reference.0.checked_sub(1);
    SymbolDetails {
        kind: symbols::kind_name(record.kind).unwrap_or_default(),
        source_name: demangled(&name),
        name,
        section: has_address.then_some(symbol.section),
        offset: has_address.then_some(symbol.offset),
        rva: if has_address { view.rva(symbol.section, symbol.offset) } else { None },
        token,
        index: type_names.map(|_| symbol.of),
        type_name: type_names.map(|names| names.of(symbol.of)).filter(|name| name != "?"),
        value: symbol.value.map(leaf_text),
        module: module.map(u32::from),
        symbol: module.map(|_| symbol.reference.1),
        flags: symbol.flags,
        span: record.span(),
    }
}

/// The public symbols by address, or the global ones in their order.
pub(crate) fn symbols_of_all(session: &Session, publics: bool) -> Option<Rows<'_>> {
    let (view, globals) = (PdbView::of(session)?, session.symbol_file()?.content.globals()?);
    let (public, global) = globals.counts();
    let (len, what) = if publics { (public, "public symbol") } else { (global, "global symbol") };
    let stream = u32::from(view.pdb.dbi.as_ref()?.header.symbol_record_stream);
    let native = view.native.is_some();
    // Managed code has tokens where native code has addresses.
    let first = if native { Head::number("rva") } else { Head::text("token") };
    let columns = vec![first, Head::text("record"), Head::text("name"), Head::text("of")];
    Some(Rows::new(count(len, what), columns, len as usize, move |index| {
        let record = if publics { globals.public(index as u32) } else { globals.global(index as u32) };
        let Some(record) = record else { return Row::default() };
        let symbol = Symbol::decode(&mut record.slice.cursor()).unwrap_or_default();
        let kind = symbols::kind_name(record.kind).unwrap_or_default();
        let rva = if symbol.section > 0 { view.rva(symbol.section, symbol.offset) } else { None };
        let token = if native { None } else { token_of(record.kind, &symbol) };
        let first = token.map_or_else(|| rva_text(rva), |token| token.to_string());
        let mut name = utf8(symbol.name.data).into_owned();
        if let Some(value) = symbol.value {
            name = format!("{name} = {}", leaf_text(value));
        }
        let place = Place::Record(stream, record.span().start as u32);
        let of = match token {
            Some(token) => Cell::new(session.method_name(token)).to(Place::Method(token)),
            None if publics => public_target(session, view, &symbol, rva),
            None => symbol_target(session, view, &symbol, rva),
        };
        let cells = vec![
            Cell::toned(first, Tone::Dim),
            Cell::toned(kind, Tone::Dim),
            Cell::toned(name, Tone::Strong).to(place),
            of,
        ];
        Row::at(place, cells).from(record.span())
    }))
}

/// Target of a public symbol, by the source name of its decorated one: its function, where one has the address.
fn public_target(session: &Session, view: PdbView<'_>, symbol: &Symbol<'_>, rva: Option<u32>) -> Cell {
    let target = symbol_target(session, view, symbol, rva);
    match demangled(&utf8(symbol.name.data)) {
        Some(name) => Cell { to: target.to, ..Cell::new(name) },
        None => target,
    }
}

/// Target of a symbol: a function, a record of a module, a type.
pub(crate) fn symbol_target(session: &Session, view: PdbView<'_>, symbol: &Symbol<'_>, rva: Option<u32>) -> Cell {
    let function = |rva: u32| {
        let (native, function) = function_at(session, rva)?;
        let start = native.rva_of(&function)?;
        Some(Cell::new(format!("function {start:#x}")).to(Place::Function(start)))
    };
    let (number, at) = symbol.reference;
    if let Some(number) = u32::from(number).checked_sub(1) {
        let module = ModuleStream::read(view.pdb, view.spaces, number);
        let target = module.as_ref().ok().and_then(|module| module.symbol(at).ok());
        let target = target.and_then(|record| Symbol::decode(&mut record.slice.cursor()).ok());
        let address = target.filter(|target| is_function(target.kind));
        let found = address.and_then(|target| function(view.rva(target.section, target.offset)?));
        let name = file_name(&view.module_name(number)).to_owned();
        let place = view.pdb.modules().get(number as usize).map(|_| Place::Module(number));
        return found.unwrap_or(Cell { to: place, ..Cell::new(name) });
    }
    if symbol.of > 0 {
        let name = view.type_names().map_or_else(String::new, |names| names.of(symbol.of));
        return Cell::new(if name == "?" { String::new() } else { name }).to(view.type_place(symbol.of, false));
    }
    rva.and_then(function).unwrap_or_default()
}

pub(crate) fn token_of(kind: u16, symbol: &Symbol<'_>) -> Option<Token> {
    let number = match kind {
        symbols::kind::PUBLIC => symbol.offset,
        // The name is the token, in hexadecimal.
        symbols::kind::TOKEN_REFERENCE => u32::from_str_radix(std::str::from_utf8(symbol.name.data).ok()?, 16).ok()?,
        _ => return None,
    };
    Some(Token(number)).filter(|token| token.table() == TableId::METHOD_DEF && !token.is_nil())
}

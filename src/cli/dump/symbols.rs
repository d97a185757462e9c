use crate::nodes::method;
use std::io::{Result, Write};
use std::ops::RangeInclusive;

use super::super::json::Json;
use crate::bytes::Slice;
use crate::nodes::{TableId, Token};
use crate::session::Session;
use crate::symbols::SymbolReader;
use crate::symbols::{Constant, Document, IdSuffix, Scope, Variable};
use crate::text::safe::hex;
use crate::text::tree;
use crate::text::tree::Tree;

/// What the symbols say beside points: id, documents, scopes, imports, custom debug information.
pub(super) fn write<W: Write>(json: &mut Json<W>, session: &Session, symbols: &dyn SymbolReader) -> Result<()> {
    json.key("pdb")?.object(|json| {
        json.text("format", symbols.format().name())?;
        if let Some(id) = symbols.id() {
            json.shown("guid", id.guid)?;
            match id.suffix {
                IdSuffix::Stamp(stamp) => json.number("stamp", stamp)?,
                IdSuffix::Age(age) => json.number("age", age)?,
                IdSuffix::None => {}
            }
        }
        json.key("entry_point")?.maybe(symbols.compilation().entry_point.map(|token| token.to_string()).as_deref())
    })?;
    each(json, "documents", 1..=symbols.documents(), |json, row| match symbols.document(row) {
        Ok(found) => document(json, session, row, &found),
        Err(error) => {
            json.number("row", row)?;
            json.shown("error", error)
        }
    })?;
    json.key("scopes")?.list(|json| {
        for method in (1..=symbols.methods()).map(|row| Token::new(TableId::METHOD_DEF, row)) {
            if json.is_full() {
                break;
            }
            let mut scopes = method::scopes(session, method).unwrap_or_default();
            if scopes.iter().any(|scope| scope.imports.is_none()) {
                let imports = symbols.imports_of(method);
                for scope in &mut scopes {
                    scope.imports = scope.imports.or(imports);
                }
            }
            scopes.iter().try_for_each(|found| json.object(|json| scope(json, method, found)))?;
        }
        Ok(())
    })?;
    each(json, "imports", 1..=symbols.import_scopes(), |json, row| imports(json, symbols, row))?;
    each(json, "custom", 1..=symbols.customs(), |json, row| custom(json, symbols, row))
}

/// A member that is a list with an object a row, as far as the document has room.
fn each<W: Write>(
    json: &mut Json<W>,
    name: &str,
    rows: RangeInclusive<u32>,
    mut members: impl FnMut(&mut Json<W>, u32) -> Result<()>,
) -> Result<()> {
    json.key(name)?.list(|json| {
        for row in rows {
            if json.is_full() {
                break;
            }
            json.object(|json| members(json, row))?;
        }
        Ok(())
    })
}

fn document<W: Write>(json: &mut Json<W>, session: &Session, row: u32, found: &Document) -> Result<()> {
    json.number("row", row)?;
    json.text("name", &found.name)?;
    json.key("language")?.maybe(found.language.map(|guid| guid.to_string()).as_deref())?;
    json.key("hash_algorithm")?.maybe(found.hash_algorithm.map(|guid| guid.to_string()).as_deref())?;
    json.key("hash")?.maybe(Some(hex(&found.hash)).filter(|hash| !hash.is_empty()).as_deref())?;
    json.number("embedded", session.symbols().is_some_and(|symbols| symbols.embedded_source(row).is_some()))?;
    json.span("span", found.span)
}

fn scope<W: Write>(json: &mut Json<W>, method: Token, found: &Scope) -> Result<()> {
    json.shown("method", method)?;
    json.number("import_scope", found.imports.unwrap_or(0))?;
    json.number("start", found.start)?;
    json.number("length", found.length)?;
    json.number("depth", found.depth)?;
    json.span("span", found.span)?;
    json.key("variables")?
        .list(|json| found.variables.iter().try_for_each(|found| json.object(|json| variable(json, found))))?;
    json.key("constants")?
        .list(|json| found.constants.iter().try_for_each(|found| json.object(|json| constant(json, found))))
}

fn variable<W: Write>(json: &mut Json<W>, found: &Variable) -> Result<()> {
    json.number("slot", found.slot)?;
    json.number("hidden", found.hidden)?;
    json.text("name", &found.name)
}

fn constant<W: Write>(json: &mut Json<W>, found: &Constant) -> Result<()> {
    json.text("name", &found.name)?;
    json.text("signature", &hex(&found.signature))?;
    json.text("type", &found.type_name)?;
    json.text("value", &found.value)
}

fn imports<W: Write>(json: &mut Json<W>, symbols: &dyn SymbolReader, row: u32) -> Result<()> {
    let found = match symbols.import_scope(row) {
        Ok(found) => found,
        Err(error) => return json.shown("error", error),
    };
    json.key("parent")?.value(found.parent.map_or_else(|| "null".to_owned(), |parent| parent.to_string()))?;
    json.span("span", found.span)?;
    json.key("entries")?.list(|json| {
        found.imports.iter().try_for_each(|import| {
            json.object(|json| {
                json.number("kind", import.kind)?;
                if let Some(alias) = &import.alias {
                    json.text("alias", alias)?;
                }
                if let Some(namespace) = &import.namespace {
                    json.text("namespace", namespace)?;
                }
                if let Some(assembly) = import.assembly {
                    json.shown("assembly", assembly)?;
                }
                if let Some(text) = &import.text {
                    json.text("text", text)?;
                }
                import.target.map_or(Ok(()), |target| json.shown("type", target))
            })
        })
    })?;
    found.error.map_or(Ok(()), |error| json.shown("error", error))
}

fn custom<W: Write>(json: &mut Json<W>, symbols: &dyn SymbolReader, row: u32) -> Result<()> {
    let found = match symbols.custom(row) {
        Ok(found) => found,
        Err(error) => return json.shown("error", error),
    };
    json.key("parent")?.maybe(found.parent.map(|token| token.to_string()).as_deref())?;
    json.shown("kind", found.kind)?;
    json.span("span", found.span)?;
    json.text("value", &hex(&found.value))?;
    json.key("kind_name")?.maybe(tree::custom_kind(found.kind))?;
    let slice = Slice::new(&found.value, found.span.space, found.span.start);
    match tree::custom(found.kind, slice) {
        Ok(decoded) => tree_json(json.key("decoded")?, &decoded),
        Err(error) => json.shown("error", error),
    }
}

fn tree_json<W: Write>(json: &mut Json<W>, tree: &Tree) -> Result<()> {
    match tree {
        Tree::Number(number) => json.value(number),
        Tree::Bool(value) => json.value(value),
        Tree::Null => json.value("null"),
        Tree::Text(text) => json.string(text),
        Tree::List(items) => json.list(|json| items.iter().try_for_each(|item| tree_json(json, item))),
        Tree::Object(members) => {
            json.object(|json| members.iter().try_for_each(|(name, value)| tree_json(json.key(name)?, value)))
        }
    }
}

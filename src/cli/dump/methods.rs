use crate::nodes::method;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{Result, Write};

use super::super::json::Json;
use crate::nodes::method::MethodView;
use crate::nodes::method::{il_label, region_kind};
use crate::nodes::{Operand, Point, TableId, Token};
use crate::session::Session;
use crate::symbols::SymbolReader;

/// Every method: its name, its body, its points.
pub(super) fn write<W: Write>(json: &mut Json<W>, session: &Session) -> Result<()> {
    let mut names = TokenNames::new();
    json.key("methods")?.list(|json| {
        for row in 1..=session.methods() {
            if json.is_full() {
                break;
            }
            method(json, session, &mut names, Token::new(TableId::METHOD_DEF, row))?;
        }
        Ok(())
    })
}

/// How many names are kept: memory stays bounded, whatever the size of the image.
const MOST_NAMES: usize = 50_000;

/// What tokens are called: most are named many times.
type TokenNames = HashMap<Token, String>;

fn method<W: Write>(json: &mut Json<W>, session: &Session, names: &mut TokenNames, token: Token) -> Result<()> {
    let view = MethodView::of(session, token);
    json.object(|json| {
        json.shown("token", token)?;
        if let Some(metadata) = session.metadata().filter(|m| token.row() <= m.rows(TableId::METHOD_DEF)) {
            json.text("name", &session.names().map(|names| names.reflection_name(token)).unwrap_or_default())?;
            json.text("display", &session.method_name(token))?;
            json.number("rva", metadata.table(TableId::METHOD_DEF).cell(token.row(), 0).unwrap_or(0))?;
        }
        if view.body.is_some() {
            body(json, session, names, &view)?;
        }
        if !view.errors.is_empty() {
            json.number("bad", true)?;
            json.key("errors")?
                .list(|json| view.errors.iter().try_for_each(|error| json.string(&error.to_string())))?;
        }
        match session.symbols() {
            Some(symbols) if token.row() <= symbols.methods() => points(json, symbols, &view),
            _ => Ok(()),
        }
    })
}

fn body<W: Write>(json: &mut Json<W>, session: &Session, names: &mut TokenNames, view: &MethodView) -> Result<()> {
    let Some(body) = &view.body else { return Ok(()) };
    json.number("code_size", body.code_size)?;
    json.number("max_stack", body.max_stack)?;
    json.number("init_locals", body.init_locals)?;
    json.key("local_signature")?.maybe(token_text(body.local_signature).as_deref())?;
    json.span("body", body.span)?;
    json.key("exception_regions")?.list(|json| {
        body.regions.iter().try_for_each(|region| {
            json.object(|json| {
                json.text("kind", region_kind(region))?;
                json.number("try_start", region.tried.start)?;
                json.number("try_length", region.tried.len)?;
                json.number("handler_start", region.handler.start)?;
                json.number("handler_length", region.handler.len)?;
                if let Some(filter) = region.filter() {
                    json.number("filter_start", filter.start)?;
                }
                json.key("catch_type")?.maybe(region.class().and_then(token_text).as_deref())
            })
        })
    })?;
    let mut text = String::new();
    json.key("il")?.list(|json| {
        view.instructions.iter().try_for_each(|(offset, span)| {
            json.object(|json| {
                json.number("offset", offset)?;
                match method::instruction(session, *offset, *span) {
                    Ok(found) => {
                        json.text("opcode", found.opcode.name)?;
                        text.clear();
                        operand(found.operand, &mut text);
                        json.key("operand")?.maybe(Some(text.as_str()).filter(|text| !text.is_empty()))?;
                        let other;
                        let shown = match found.operand {
                            Operand::Token(token) => {
                                if names.len() > MOST_NAMES {
                                    names.clear();
                                }
                                names.entry(token).or_insert_with(|| view.operand(session, &found)).as_str()
                            }
                            _ => {
                                other = view.operand(session, &found);
                                other.as_str()
                            }
                        };
                        if shown.is_empty() || shown == text { Ok(()) } else { json.text("text", shown) }
                    }
                    Err(error) => json.text("error", &error.to_string()),
                }
            })
        })
    })
}

/// An operand as it stands in the code: tokens as tokens, floating-point numbers as their bytes.
fn operand(operand: Operand<'_>, out: &mut String) {
    let _ = match operand {
        Operand::None => Ok(()),
        Operand::Integer(number) => write!(out, "{number}"),
        Operand::Single(bits) => write!(out, "0x{:08x}", bits.swap_bytes()),
        Operand::Double(bits) => write!(out, "0x{:016x}", bits.swap_bytes()),
        Operand::Variable(variable) => write!(out, "{}", variable.number()),
        Operand::Branch(target) => write!(out, "{}", il_label(target)),
        Operand::Switch(targets) => targets
            .iter()
            .enumerate()
            .try_for_each(|(index, target)| write!(out, "{}{}", if index > 0 { "," } else { "" }, il_label(target))),
        Operand::Token(token) => write!(out, "{token}"),
    };
}

fn points<W: Write>(json: &mut Json<W>, symbols: &dyn SymbolReader, view: &MethodView) -> Result<()> {
    let number = |number: Option<u32>| number.map_or_else(|| "null".to_owned(), |number| number.to_string());
    json.key("document")?.value(number(view.symbols.document))?;
    json.key("blob")?.value(number(view.symbols.blob))?;
    json.key("kickoff")?.maybe(symbols.kickoff(view.of.token()).map(|token| token.to_string()).as_deref())?;
    json.key("move_next")?.maybe(symbols.move_next(view.of.token()).map(|token| token.to_string()).as_deref())?;
    if let Some(span) = view.symbols.points {
        json.span("span", span)?;
    }
    json.key("points")?
        .list(|json| view.points.iter().try_for_each(|found| json.object(|json| point(json, view, found))))
}

fn point<W: Write>(json: &mut Json<W>, view: &MethodView, point: &Point) -> Result<()> {
    json.number("il", point.il)?;
    json.number("document", point.document)?;
    json.number("hidden", point.is_hidden())?;
    if !point.is_hidden() {
        json.number("start_line", point.start_line)?;
        json.number("start_column", point.start_column)?;
        json.number("end_line", point.end_line)?;
        json.number("end_column", point.end_column)?;
    }
    view.symbols.points.map_or(Ok(()), |blob| json.span("span", blob.part(point.at as u64, point.len as u64)))
}

fn token_text(token: Token) -> Option<String> {
    (!token.is_nil()).then(|| token.to_string())
}

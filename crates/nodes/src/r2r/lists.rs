//! Lists of the tables, and of the cells of an import section.

use crate::place::{MethodPart, Place, R2rPart};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::r2r::EntryPoint;
use pdblens_formats::r2r::inlining::InlinedMethod;
use pdblens_session::precompiled::{BodyOwner, Precompiled};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

use super::cells::{fixup_place, fixup_text, instance_name, owner_name};
use super::records;
use super::sections::{LISTS, of};
use crate::rows::{Cell, Head, Row, Rows, Tone};

/// Lists that the image has.
pub(super) fn present(session: &Session) -> Vec<R2rPart> {
    let Some(code) = of(session) else { return Vec::new() };
    let lists = LISTS.into_iter().filter(|(kind, _)| code.r2r.section(*kind).is_some()).map(|(_, part)| part);
    lists.chain(records::exists(&code, R2rPart::Inlinings).then_some(R2rPart::Inlinings)).collect()
}

pub(super) fn rows(session: &Session, part: R2rPart) -> Option<Rows<'_>> {
    let code = of(session)?;
    match part {
        R2rPart::EntryPoints => entry_points(session, code),
        R2rPart::EntryPoint(token) => fixups(session, &code, token),
        R2rPart::Functions => Some(functions(session, code)),
        R2rPart::DebugInfos => debug_infos(session, code),
        R2rPart::Imports => imports(&code),
        R2rPart::Import(number) => cells(session, code, number),
        R2rPart::Instances => Some(instances(session, code)),
        R2rPart::Types => types(session, &code),
        R2rPart::Inlinings => Some(inlinings(session, code)),
        R2rPart::Inlining(number) => inliners(session, &code, number),
        _ => None,
    }
}

fn place_cell(part: R2rPart, text: impl Into<String>) -> Cell {
    Cell::new(text).to(Place::R2r(part))
}

fn entry_points<'s>(session: &'s Session, code: Precompiled<'s>) -> Option<Rows<'s>> {
    let rows: Vec<u32> = code.r2r.entry_points(&code.image.pe)?.ok()?.present().collect();
    let columns = Head::list(["token", "method", "function:", "rva:", "fixups:"]);
    let title = format!("entry points · {}", count(rows.len() as u64, "method"));
    Some(Rows::new(title, columns, rows.len(), move |index| {
        let Some(row) = rows.get(index) else { return Row::default() };
        let token = Token::new(TableId::METHOD_DEF, row + 1);
        let place = Place::R2r(R2rPart::EntryPoint(token));
        let entry = code.r2r.entry_point(&code.image.pe, row + 1).ok().flatten();
        let Some(EntryPoint { function, fixups }) = entry else { return Row::at(place, Vec::new()) };
        let rva = code.function(function).map_or_else(String::new, |found| format!("{:#x}", found.begin));
        let cells = vec![
            Cell::toned(token.to_string(), Tone::Dim).to(place),
            Cell::new(session.method_name(token)).to(Place::Method(token)),
            place_cell(R2rPart::Function(function), function.to_string()),
            Cell::new(rva).to(Place::MethodPart(token, MethodPart::Native)),
            Cell::new(fixups.len().to_string()),
        ];
        Row::at(place, cells)
    }))
}

/// Fixups of a method, which the runtime resolves before it runs.
fn fixups<'s>(session: &'s Session, code: &Precompiled<'s>, token: Token) -> Option<Rows<'s>> {
    let entry = code.r2r.entry_point(&code.image.pe, token.row()).ok()??;
    let imports = code.r2r.imports(&code.image.pe).ok()?;
    let row = |(section, cell): &(u32, u32)| {
        let place = Place::R2r(R2rPart::Cell(*section, *cell));
        let fixup =
            imports.get(*section as usize).and_then(|import| import.fixup(&code.image.pe, (*cell).into()).ok()?);
        let content = Cell::new(fixup.as_ref().map_or_else(String::new, |fixup| fixup_text(session, fixup)));
        let content = content.to(fixup.as_ref().and_then(fixup_place));
        Row::at(place, vec![Cell::new(section.to_string()), Cell::new(cell.to_string()).to(place), content])
    };
    let columns = Head::list(["import section:", "cell:", "content"]);
    let title = format!("{} · {}", session.method_name(token), count(entry.fixups.len() as u64, "fixup"));
    Some(Rows::of(title, columns, entry.fixups.iter().map(row).collect()))
}

/// Method, or instance, that a runtime function belongs to.
pub(super) fn owner_cell(session: &Session, code: &Precompiled<'_>, function: u32) -> Cell {
    let Some((first, owner)) = code.owner_of(function) else { return Cell::default() };
    let cell = match owner {
        BodyOwner::Method(token) => Cell::new(session.method_name(token)).to(Place::Method(token)),
        BodyOwner::Instance(number) => {
            place_cell(R2rPart::Instance(number), instance_name(session, code, number).unwrap_or_default())
        }
        BodyOwner::Component(..) => Cell::new(owner_name(session, code, owner)),
    };
    if first == function { cell } else { cell.beside(format!("funclet {}", function.saturating_sub(first))) }
}

fn functions<'s>(session: &'s Session, code: Precompiled<'s>) -> Rows<'s> {
    let columns = Head::list(["function:", "rva:", "size:", "unwind rva:", "method"]);
    let title = format!("runtime functions · {}", count(code.functions(), "function"));
    Rows::new(title, columns, code.functions() as usize, move |index| {
        let index = index as u32;
        let place = Place::R2r(R2rPart::Function(index));
        let Some(entry) = code.function(index) else { return Row::at(place, Vec::new()) };
        let cells = vec![
            place_cell(R2rPart::Function(index), index.to_string()),
            Cell::new(format!("{:#x}", entry.begin)),
            Cell::new(entry.size.map_or_else(String::new, |size| size.to_string())),
            Cell::toned(entry.unwind_rva.map_or_else(String::new, |rva| format!("{rva:#x}")), Tone::Dim),
            owner_cell(session, &code, index),
        ];
        Row::at(place, cells).from(entry.span)
    })
}

fn debug_infos<'s>(session: &'s Session, code: Precompiled<'s>) -> Option<Rows<'s>> {
    let array = records::debug_array(&code)?;
    let present: Vec<u32> = array.present().collect();
    let columns = Head::list(["function:", "method", "bounds:", "variables:", "bytes:"]);
    let title = format!("debug information · {}", count(present.len() as u64, "method"));
    Some(Rows::new(title, columns, present.len(), move |index| {
        let Some(function) = present.get(index).copied() else { return Row::default() };
        let place = Place::R2r(R2rPart::DebugInfo(function));
        let cell = place_cell(R2rPart::DebugInfo(function), function.to_string());
        let Some(info) = code.r2r.debug_info(&code.image.pe, function).ok().flatten() else {
            return Row::at(place, vec![cell, owner_cell(session, &code, function)]);
        };
        let cells = vec![
            cell,
            owner_cell(session, &code, function),
            Cell::new(info.bounds.len().to_string()),
            Cell::new(info.variables.len().to_string()),
            Cell::toned(info.span.len.to_string(), Tone::Dim),
        ];
        Row::at(place, cells).from(info.span)
    }))
}

fn imports<'s>(code: &Precompiled<'s>) -> Option<Rows<'s>> {
    let imports = code.r2r.imports(&code.image.pe).ok()?;
    let columns = Head::list(["section:", "rva:", "cells:", "cell size:", "flags:", "type:", "signatures:"]);
    let row = |(number, import): (u32, &pdblens_formats::r2r::ImportSection)| {
        let place = Place::R2r(R2rPart::Import(number));
        let cells = vec![
            Cell::new(number.to_string()).to(place),
            Cell::new(format!("{:#x}", import.cells_rva)),
            Cell::new(import.cells().to_string()),
            Cell::toned(import.cell_size.to_string(), Tone::Dim),
            Cell::toned(format!("{:#x}", import.flags), Tone::Dim),
            Cell::toned(import.kind.to_string(), Tone::Dim),
            Cell::toned(format!("{:#x}", import.signatures_rva), Tone::Dim),
        ];
        Row::at(place, cells).from(import.span)
    };
    let rows = (0..).zip(&imports).map(row).collect();
    Some(Rows::of(format!("imports · {}", count(imports.len() as u64, "section")), columns, rows))
}

fn cells<'s>(session: &'s Session, code: Precompiled<'s>, number: u32) -> Option<Rows<'s>> {
    let import = *code.r2r.imports(&code.image.pe).ok()?.get(number as usize)?;
    let columns = Head::list(["cell:", "rva:", "content"]);
    let title = format!("import section {number} · {}", count(import.cells(), "cell"));
    Some(Rows::new(title, columns, import.cells() as usize, move |index| {
        let place = Place::R2r(R2rPart::Cell(number, index as u32));
        let rva = import.cell_rva(index as u64);
        let fixup = import.fixup(&code.image.pe, index as u64).ok().flatten();
        let content = Cell::new(fixup.as_ref().map_or_else(String::new, |fixup| fixup_text(session, fixup)));
        let content = content.to(fixup.as_ref().and_then(fixup_place));
        let cells = vec![
            Cell::new(index.to_string()).to(place),
            Cell::toned(rva.map_or_else(String::new, |rva| format!("{rva:#x}")), Tone::Dim),
            content,
        ];
        let span = rva.and_then(|rva| code.image.pe.span_at_rva(rva, import.cell_size.into()).ok());
        Row { span, ..Row::at(place, cells) }
    }))
}

fn instances<'s>(session: &'s Session, code: Precompiled<'s>) -> Rows<'s> {
    let columns = Head::list(["instance:", "method", "token", "function:", "rva:", "fixups:"]);
    let title = format!("instance entry points · {}", count(code.instances(), "instance"));
    Rows::new(title, columns, code.instances() as usize, move |index| {
        let index = index as u32;
        let place = Place::R2r(R2rPart::Instance(index));
        let Some(instance) = code.instance(index) else { return Row::at(place, Vec::new()) };
        let token = instance.method.token;
        let to = if instance.method.module == 0 { Place::of_method(token) } else { None };
        let function = instance.entry.function;
        let rva = code.function(function).map_or_else(String::new, |found| format!("{:#x}", found.begin));
        let cells = vec![
            Cell::new(index.to_string()).to(place),
            Cell::new(instance_name(session, &code, index).unwrap_or_default()),
            Cell::toned(token.to_string(), Tone::Dim).to(to),
            place_cell(R2rPart::Function(function), function.to_string()),
            Cell::new(rva),
            Cell::new(instance.entry.fixups.len().to_string()),
        ];
        Row::at(place, cells)
    })
}

fn types<'s>(session: &'s Session, code: &Precompiled<'s>) -> Option<Rows<'s>> {
    let table = records::type_table(code)?;
    let entries = table.entries();
    let columns = Head::list(["entry:", "token", "type"]);
    let title = format!("available types · {}", count(entries.len() as u64, "type"));
    Some(Rows::new(title, columns, entries.len(), move |index| {
        let place = Place::R2r(R2rPart::Type(index as u32));
        let token = entries.get(index).and_then(|entry| {
            let mut cursor = table.bytes().cursor();
            cursor.seek(entry.datum).ok()?;
            records::type_token(&mut cursor)
        });
        let name = token.and_then(|token| Some(session.names()?.row(token))).unwrap_or_default();
        let token_cell = Cell::toned(token.map_or_else(String::new, |token| token.to_string()), Tone::Dim);
        let token_cell = token_cell.to(token.map(|token| Place::row(token.table(), token.row())));
        Row::at(place, vec![Cell::new(index.to_string()).to(place), token_cell, Cell::new(name)])
    }))
}

/// Cell of a method in an inlining table.
fn inlined_cell(session: &Session, code: &Precompiled<'_>, method: InlinedMethod) -> Cell {
    match method {
        InlinedMethod::Row(0, row) => {
            let token = Token::new(TableId::METHOD_DEF, row);
            Cell::new(session.method_name(token)).to(Place::Method(token))
        }
        InlinedMethod::Row(module, row) => {
            Cell::new(format!("[module {module}] {}", Token::new(TableId::METHOD_DEF, row)))
        }
        InlinedMethod::IlBody(number) => {
            let imports = code.r2r.imports(&code.image.pe).unwrap_or_default();
            let Some((section, import)) = (0..).zip(&imports).find(|(_, import)| import.kind == IL_BODIES) else {
                return Cell::new(format!("IL body {number}"));
            };
            let fixup = import.fixup(&code.image.pe, number.into()).ok().flatten();
            let text = fixup.map_or_else(|| format!("IL body {number}"), |fixup| fixup_text(session, &fixup));
            Cell::new(text).to(Place::R2r(R2rPart::Cell(section, number)))
        }
    }
}

/// Type of the import section with the IL bodies of other modules.
const IL_BODIES: u8 = 7;

fn inlinings<'s>(session: &'s Session, code: Precompiled<'s>) -> Rows<'s> {
    let columns = Head::list(["entry:", "inlined method", "inliners:"]);
    let title = format!("inlining · {}", count(code.inlinings(), "inlined method"));
    Rows::new(title, columns, code.inlinings() as usize, move |index| {
        let place = Place::R2r(R2rPart::Inlining(index as u32));
        let found = code.inlining(index as u32).and_then(|(table, entry)| table.get(entry).ok());
        let Some(found) = found else { return Row::at(place, Vec::new()) };
        let cells = vec![
            Cell::new(index.to_string()).to(place),
            inlined_cell(session, &code, found.inlinee),
            Cell::new(found.inliners.len().to_string()),
        ];
        Row::at(place, cells)
    })
}

/// Methods that an inlined method is in.
fn inliners<'s>(session: &'s Session, code: &Precompiled<'s>, number: u32) -> Option<Rows<'s>> {
    let (table, entry) = code.inlining(number)?;
    let found = table.get(entry).ok()?;
    let row = |method: &InlinedMethod| Row::plain(vec![inlined_cell(session, code, *method)]);
    let inlinee = inlined_cell(session, code, found.inlinee).text;
    let title = format!("{inlinee} · {}", count(found.inliners.len() as u64, "inliner"));
    Some(Rows::of(title, Head::list(["inliner"]), found.inliners.iter().map(row).collect()))
}

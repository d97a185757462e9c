//! Records of the tables. Each comes with the look-up that leads to it: headers, index entries and tree nodes lie apart from it.

use crate::place::{Place, R2rPart};
use pdblens_formats::bytes::{Cursor, Error, Field, Recording, Result, Slice};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::pe::exceptions::{Arm64RuntimeFunction, RuntimeFunction};
use pdblens_formats::r2r::array::Array;
use pdblens_formats::r2r::debug_info::{base_name, implicit_name, register_name};
use pdblens_formats::r2r::hashtable::{HashEntry, Hashtable};
use pdblens_formats::r2r::instances::available_type;
use pdblens_formats::r2r::signature::fixup;
use pdblens_formats::r2r::{DebugInfo, EntryPoint, ImportSection, Instance, SectionEntry, contents, section};
use pdblens_session::precompiled::Precompiled;
use pdblens_session::session::Session;

use super::cells::{fixup_place, fixup_text};
use super::sections::{home, of, section_of};
use crate::code_unit::il::method_view;
use crate::code_unit::variables::variable_name;
use crate::fields::{Fields, Meaning};
use crate::pe;

/// Returns whether the image has it.
pub(super) fn exists(code: &Precompiled<'_>, part: R2rPart) -> bool {
    let image = &code.image.pe;
    let has = |kind| code.r2r.section(kind).is_some();
    match part {
        R2rPart::Section(kind) => has(kind),
        R2rPart::EntryPoint(token) => matches!(code.r2r.entry_point(image, token.row()), Ok(Some(_)) | Err(_)),
        R2rPart::Function(index) => index < code.functions(),
        R2rPart::DebugInfo(index) => debug_array(code).is_some_and(|array| !matches!(array.get(index), Ok(None))),
        R2rPart::Import(number) => import(code, number).is_some(),
        R2rPart::Cell(number, cell) => import(code, number).is_some_and(|import| u64::from(cell) < import.cells()),
        R2rPart::Instance(number) => number < code.instances(),
        R2rPart::Inlinings => code.inlinings() > 0,
        R2rPart::Inlining(number) => number < code.inlinings(),
        R2rPart::Type(number) => type_table(code).is_some_and(|table| (number as usize) < table.entries().len()),
        list => section_of(list).is_some_and(has),
    }
}

/// Reason why the image does not have it.
pub(super) fn absence(session: &Session, code: &Precompiled<'_>, part: R2rPart) -> String {
    match part {
        R2rPart::EntryPoint(token) => format!("{} has no precompiled code of its own", session.method_name(token)),
        R2rPart::Function(index) => format!("there is no runtime function {index}: there are {}", code.functions()),
        R2rPart::DebugInfo(index) => format!("no method with debug information begins with runtime function {index}"),
        R2rPart::Instance(number) => format!("there is no instance {number}: there are {}", code.instances()),
        R2rPart::Section(kind) => format!("the image has no ReadyToRun section of type {kind}"),
        _ => "the image has no such ReadyToRun section".to_owned(),
    }
}

/// The array of debug information.
pub(super) fn debug_array<'s>(code: &Precompiled<'s>) -> Option<Array<'s>> {
    Array::read(code.r2r.bytes(&code.image.pe, section::DEBUG_INFO)?.ok()?).ok()
}

/// The table of available types.
pub(super) fn type_table<'s>(code: &Precompiled<'s>) -> Option<Hashtable<'s>> {
    Hashtable::read(code.r2r.bytes(&code.image.pe, section::AVAILABLE_TYPES)?.ok()?).ok()
}

/// Token of an available type.
pub(super) fn type_token(cursor: &mut Cursor<'_>) -> Option<Token> {
    let (row, is_exported) = available_type(cursor).ok()?;
    let table = if is_exported { TableId::EXPORTED_TYPE } else { TableId::TYPE_DEF };
    if row == 0 || row > 0xff_ffff { None } else { Some(Token::new(table, row)) }
}

fn import(code: &Precompiled<'_>, number: u32) -> Option<ImportSection> {
    code.r2r.imports(&code.image.pe).ok()?.get(number as usize).copied()
}

/// Fields of records that lie apart.
struct Scattered {
    fields: Fields,
}

impl Scattered {
    fn new(part: R2rPart) -> Self {
        Self { fields: Fields { title: Place::R2r(part).to_string(), ..Fields::default() } }
    }

    /// Adds what `decode` reads of a slice, and only that.
    fn add<'a>(
        &mut self,
        slice: Slice<'a>,
        decode: impl FnOnce(&mut Cursor<'a, Recording>) -> Result<()>,
        meaning: impl FnMut(&str, &Field) -> Option<Meaning>,
    ) {
        let mut cursor = Cursor::recording(slice);
        let error: Option<Error> = decode(&mut cursor).err();
        let reads = cursor.steps();
        let added = Fields::present("", slice, &reads, error, meaning);
        self.fields.append(added);
    }

    /// The fields; their bytes are those of the last outermost row, the record that the others lead to.
    fn done(mut self) -> Option<Fields> {
        self.fields.span = self.fields.rows.iter().rfind(|row| row.depth == 0)?.span;
        Some(self.fields)
    }
}

pub(super) fn fields(session: &Session, part: R2rPart) -> Option<Fields> {
    let code = of(session)?;
    match part {
        R2rPart::Section(kind) => section_fields(session, &code, kind),
        R2rPart::EntryPoint(token) => entry_point(&code, token),
        R2rPart::Function(index) => function(session, &code, index),
        R2rPart::DebugInfo(index) => debug_info(session, &code, index),
        R2rPart::Import(number) => {
            let bytes = code.image.pe.bytes(import(&code, number)?.span).ok()?;
            Some(Fields::explain(
                Place::R2r(part).to_string(),
                bytes,
                |c| ImportSection::decode(c).map(drop),
                pe::meanings(session),
            ))
        }
        R2rPart::Cell(number, cell) => cell_fields(session, &code, number, cell),
        R2rPart::Instance(number) => {
            let (table, entry) = (code.instance_table()?, code.instance_entry(number)?);
            hashed(part, &table, entry, |c| Instance::decode(c).map(drop))
        }
        R2rPart::Inlining(number) => {
            let (table, entry) = code.inlining(number)?;
            let mut fields = Scattered::new(part);
            fields.add(table.bytes, |c| table.decode(c, entry).map(drop), |_, _| None);
            fields.done()
        }
        R2rPart::Type(number) => {
            let table = type_table(&code)?;
            let entry = table.entries().get(number as usize).copied()?;
            hashed(part, &table, entry, |c| available_type(c).map(drop))
        }
        _ => None,
    }
}

/// A section that is a table of its own; of the others, their entry in the header.
fn section_fields(session: &Session, code: &Precompiled<'_>, kind: u32) -> Option<Fields> {
    let entry = code.r2r.section(kind)?;
    let title = format!("r2r/sections/{kind} · {}", entry.name());
    let meaning = pe::meanings(session);
    if home(kind) != Place::R2r(R2rPart::Section(kind)) {
        let bytes = code.image.pe.bytes(entry.span).ok()?;
        return Some(Fields::explain(title, bytes, |c| SectionEntry::decode(c).map(drop), meaning));
    }
    let bytes = code.r2r.bytes(&code.image.pe, kind)?.ok()?;
    Some(Fields::explain(title, bytes, |c| contents::decode(c, kind), meaning))
}

fn function_link(function: u32) -> Meaning {
    Meaning::to(format!("runtime function {function}"), Place::R2r(R2rPart::Function(function)))
}

fn entry_point(code: &Precompiled<'_>, token: Token) -> Option<Fields> {
    let array = code.r2r.entry_points(&code.image.pe)?.ok()?;
    let mut fields = Scattered::new(R2rPart::EntryPoint(token));
    let decode = |c: &mut Cursor<'_, Recording>| {
        if array.find(c, token.row().wrapping_sub(1))? {
            EntryPoint::decode(c)?;
        }
        Ok(())
    };
    fields.add(array.bytes(), decode, |_, field| entry_meaning(field));
    fields.done()
}

fn entry_meaning(field: &Field) -> Option<Meaning> {
    if field.name() != "index and flags" {
        return None;
    }
    let number = u32::try_from(field.value.number()?).ok()?;
    Some(function_link(if number & 1 == 0 { number >> 1 } else { number >> 2 }))
}

/// A datum of a hashtable, with the entry that leads to it.
fn hashed(
    part: R2rPart,
    table: &Hashtable<'_>,
    entry: HashEntry,
    decode: impl FnOnce(&mut Cursor<'_, Recording>) -> Result<()>,
) -> Option<Fields> {
    let mut fields = Scattered::new(part);
    let all = |c: &mut Cursor<'_, Recording>| {
        table.note(c, entry)?;
        decode(c)
    };
    fields.add(table.bytes(), all, |_, field| entry_meaning(field));
    fields.done()
}

/// A runtime function, and its unwind data.
fn function(session: &Session, code: &Precompiled<'_>, index: u32) -> Option<Fields> {
    let entry = code.function(index)?;
    let mut fields = Scattered::new(R2rPart::Function(index));
    let meaning = pe::meanings(session);
    let image = &code.image.pe;
    if let Some(rva) = entry.unwind_rva
        && let Ok(bytes) = image.rest_at_rva(rva)
    {
        let gc_end = code.gc_info_end(index).map(|end| end.saturating_sub(rva));
        fields.add(bytes, |c| code.r2r.unwind(c, gc_end), meaning);
    }
    let decode = |c: &mut Cursor<'_, Recording>| match entry.span.len {
        RuntimeFunction::SIZE => RuntimeFunction::decode(c).map(drop),
        _ => Arm64RuntimeFunction::decode(c).map(drop),
    };
    fields.add(image.bytes(entry.span).ok()?, decode, meaning);
    fields.done()
}

fn debug_info(session: &Session, code: &Precompiled<'_>, index: u32) -> Option<Fields> {
    let array = debug_array(code)?;
    // The variables have the names of the method whose code it is.
    let method = code.owner_of(index).and_then(|(_, owner)| code.method_of(owner));
    let view = method.map(|token| method_view(session, token));
    let mut fields = Scattered::new(R2rPart::DebugInfo(index));
    let decode = |c: &mut Cursor<'_, Recording>| {
        if array.find(c, index)? {
            DebugInfo::decode(c, code.r2r.layout())?;
        }
        Ok(())
    };
    let bias = if code.r2r.layout().major >= 20 { 6 } else { 4 };
    let machine = code.r2r.target.machine;
    fields.add(array.bytes(), decode, |_, field| {
        let number = field.value.number()?;
        match field.name() {
            "register number" => Some(Meaning::text(register_name(machine, u32::try_from(number).ok()?, false))),
            "base register" => Some(Meaning::text(base_name(machine, u32::try_from(number).ok()?))),
            "variable number" => {
                let number = i32::try_from(number.saturating_sub(bias)).ok()?;
                let name = match &view {
                    Some(view) if number >= 0 => variable_name(session, view, number, 0),
                    _ if number >= 0 => format!("variable {number}"),
                    _ => implicit_name(number).to_owned(),
                };
                Some(Meaning::text(name))
            }
            "il offset plus 3" => Some(match number {
                0 => Meaning::text("epilog"),
                1 => Meaning::text("prolog"),
                2 => Meaning::text("no IL"),
                _ => Meaning::text(format!("IL_{:04x}", number.saturating_sub(3))),
            }),
            _ => None,
        }
    });
    fields.done()
}

/// A cell, the address of its signature, and the signature.
fn cell_fields(session: &Session, code: &Precompiled<'_>, number: u32, cell: u32) -> Option<Fields> {
    let (import, image) = (import(code, number)?, &code.image.pe);
    let index = u64::from(cell);
    let mut fields = Scattered::new(R2rPart::Cell(number, cell));
    if let Ok(bytes) = image.at_rva(import.cell_rva(index)?, import.cell_size.into()) {
        fields.add(bytes, |c| import.cell(c), |_, _| None);
    }
    let Some(bytes) = import.entry_rva(index).and_then(|rva| image.at_rva(rva, 4).ok()) else { return fields.done() };
    let meaning = pe::meanings(session);
    fields.add(bytes, |c| import.signature_rva(c).map(drop), meaning);
    let rva = import.signature_rva(&mut bytes.cursor()).ok()?;
    if let Ok(bytes) = image.rest_at_rva(rva) {
        let found = fixup(&mut bytes.cursor()).ok();
        fields.add(
            bytes,
            |c| fixup(c).map(drop),
            |_, field| {
                if field.name() != "fixup" {
                    return None;
                }
                let found = found.as_ref()?;
                let text = fixup_text(session, found);
                Some(Meaning { text, to: fixup_place(found), ..Meaning::default() })
            },
        );
    }
    fields.done()
}

//! Records of streams, field by field.

use crate::Place;
use crate::fields::{BitMeaning, Fields, Meaning};
use crate::stream::hash_meaning::HashMeaning;
use crate::stream::{Part, PartKind, PdbView};
use pdblens_formats::bytes::{Cursor, Error, Field, Recording, Show, Slice};
use pdblens_formats::codeview::c13::{Checksums, Subsections};
use pdblens_formats::codeview::symbols::Role;
use pdblens_formats::codeview::{c13, symbols as native_symbols};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::msf::NIL;
use pdblens_formats::pdb::StreamKind;
use pdblens_session::session::Session;
use pdblens_session::text::registers;
use pdblens_session::text::safe::utf8;

/// The most bytes that are explained at once; what is after them is one field.
pub(crate) const MAX_EXPLAINED: u64 = 256 << 10;

/// A stream that is one record.
pub(crate) fn explain_stream(session: &Session, number: u32) -> Option<Fields> {
    match PdbView::of(session)?.parts(number).as_ref() {
        [part] => explain_part(session, number, *part),
        _ => None,
    }
}

/// The record that begins at an offset of a stream.
pub(crate) fn explain_record(session: &Session, stream: u32, at: u32) -> Option<Fields> {
    let part = PdbView::of(session)?.part(stream, at)?;
    explain_part(session, stream, part)
}

/// The record that has the byte at an offset of a stream, and the field there, in words.
pub(crate) fn around(session: &Session, stream: u32, at: u32) -> Option<String> {
    let view = PdbView::of(session)?;
    let part = view.part_with(stream, at)?;
    let fields = explain_part(session, stream, part)?;
    let byte = view.span(stream)?.part(at.into(), 1);
    let field = fields.at(byte).and_then(|index| fields.rows.get(index));
    let field = field.map_or_else(String::new, |field| format!("the field `{}` of ", field.name));
    Some(format!("the byte belongs to {field}the record that begins at {:#x}", part.at))
}

pub(crate) fn explain_part(session: &Session, stream: u32, part: Part) -> Option<Fields> {
    let view = PdbView::of(session)?;
    let region = view.region(stream)?;
    let slice = region.slice().at(part.span(region.span())).ok()?;
    let text = view.part_text(stream, part, slice);
    let at = if part.at == 0 { format!("stream {stream}") } else { Place::Record(stream, part.at).to_string() };
    let title = format!("{at} · {} {text}", view.part_name(part)).trim_end().to_owned();
    let (native, page_size) = (view.native.is_some(), view.pdb.msf.page_size());
    let shown = slice.part(0, slice.len().min(MAX_EXPLAINED)).ok()?;
    let decode = |c: &mut Cursor<'_, Recording>| part.note(native, page_size, c);
    if part.kind == PartKind::Directory {
        return Some(directory_fields(&view, title, shown, decode));
    }
    let mut table = HashMeaning::new(&view, stream, part, slice);
    let mut fields = Fields::explain(title, shown, decode, |record, field| {
        let found = table.as_mut().and_then(|table| table.bucket(record, field));
        found.or_else(|| part_meaning(session, &view, stream, part, record, field))
    });
    if shown.len() < slice.len() {
        fields.error = None;
    }
    if native {
        no_il(&mut fields);
    }
    Some(fields)
}

/// Meaning of a field of a record.
pub(crate) fn part_meaning(
    session: &Session,
    view: &PdbView<'_>,
    stream: u32,
    part: Part,
    record: &str,
    field: &Field,
) -> Option<Meaning> {
    let number = field.value.number()?;
    let to_stream = |stream: u32| {
        let there = view.pdb.msf.stream(stream).is_some();
        there.then(|| Meaning::to(view.stream_name(stream), Place::Stream(stream)))
    };
    match (record, field.name()) {
        ("dbi header", "global stream index" | "public stream index" | "symbol record stream")
        | ("module info" | "named stream", "stream")
        | ("tpi header", "hash stream index" | "hash aux stream index")
        | ("debug header", _) => to_stream(number as u32),
        ("section contribution" | "symbol reference", "module") => {
            // References count from 1.
            let module = if record == "symbol reference" { (number as u32).checked_sub(1)? } else { number as u32 };
            view.pdb.modules().get(module as usize)?;
            Some(Meaning::to(view.module_name(module), Place::Module(module)))
        }
        ("line record", "lines") => Some(packed_lines(number as u32)),
        ("line block" | "inlinee", "file") => file_meaning(view, stream, number as u32),
        ("checksum", "file name") | ("source header", "file name" | "virtual name" | "object name") => {
            let name = view.pdb.names.get(number as u32)?;
            Some(Meaning::to(utf8(name.data).into_owned(), Place::Bytes(name.span())))
        }
        ("native symbol" | "type data" | "member" | "inlinee" | "overload", _) => {
            type_meaning(view, part, record, field, number as u32)
        }
        ("public symbol", "offset") => token_meaning(session, number as u32),
        _ => match field.doc.show {
            Show::Token => token_meaning(session, number as u32),
            Show::Time => crate::pe::hashed_stamp(session, number as u32),
            _ => None,
        },
    }
}

/// Meaning of the packed lines of a line record.
fn packed_lines(packed: u32) -> Meaning {
    let (line, lines) = (packed & 0x00ff_ffff, packed >> 24 & 0x7f);
    let text = match line {
        c13::HIDDEN_LINE => "hidden".to_owned(),
        c13::NEVER_STEP_INTO => "never step into".to_owned(),
        _ if lines == 0 => format!("line {line}"),
        _ => format!("lines {line}–{}", line + lines),
    };
    let bit = |mask, text: &str| BitMeaning { mask, text: text.to_owned(), to: None };
    let statement = if packed >> 31 == 1 { "a statement" } else { "an expression" };
    let bits = vec![
        bit(0x00ff_ffff, &format!("first line: {}", if text.starts_with(['h', 'n']) { &text } else { "as it is" })),
        bit(0x7f00_0000, "lines from the first to the last"),
        bit(0x8000_0000, statement),
    ];
    Meaning::text(text).with_bits(bits)
}

/// Meaning of a token; `None` for a nil one.
pub(crate) fn token_meaning(session: &Session, token: u32) -> Option<Meaning> {
    let token = Token(token);
    if token.is_nil() {
        return None;
    }
    if token.table() == TableId::METHOD_DEF {
        return Some(Meaning::to(session.method_name(token), Place::Method(token)));
    }
    let name = session.names().map(|names| names.token(token)).unwrap_or_default();
    Some(Meaning::to(name, Place::row(token.table(), token.row())))
}

/// In native code the offset of a line is one of machine code.
pub(crate) fn no_il(fields: &mut Fields) {
    for row in &mut fields.rows {
        if let Some(hex) = row.value.strip_prefix("IL_") {
            row.value = format!("{:#x}", u32::from_str_radix(hex, 16).unwrap_or_default());
        }
    }
}

/// The source file that the checksum at an offset is of.
pub(crate) fn file_meaning(view: &PdbView<'_>, stream: u32, offset: u32) -> Option<Meaning> {
    let StreamKind::Module(module) = view.pdb.kind_of(stream) else { return None };
    let region = view.region(stream)?;
    let c13 = view.pdb.modules().get(module as usize)?.c13(&region);
    let checksums = Subsections::new(c13.slice()).map_while(Result::ok).find(|found| found.kind == c13::CHECKSUMS)?;
    let checksum = Checksums(checksums.content).get(offset).ok()?;
    let name = utf8(view.pdb.names.get(checksum.name)?.data).into_owned();
    Some(Meaning::to(name, Place::Record(stream, checksums.span.start as u32)))
}

/// Meaning of a type index, an id, a register or a module number.
pub(crate) fn type_meaning(
    view: &PdbView<'_>,
    part: Part,
    record: &str,
    field: &Field,
    number: u32,
) -> Option<Meaning> {
    let names = view.type_names()?;
    let known = |name: String| if name == "?" { String::new() } else { name };
    let of_type = |number| {
        Some(Meaning { text: known(names.of(number)), to: view.type_place(number, false), ..Meaning::default() })
    };
    let of_id = |number| {
        Some(Meaning { text: known(names.of_id(number)), to: view.type_place(number, true), ..Meaning::default() })
    };
    match (record, part.kind) {
        ("native symbol", PartKind::Symbol(kind)) => {
            let column = native_symbols::columns(kind).iter().find(|column| column.doc.name == field.name())?;
            match column.role {
                Role::Type if field.name() == "id" => of_id(number),
                Role::Type => of_type(number),
                Role::Module => {
                    let module = number.checked_sub(1)?;
                    Some(Meaning::to(view.module_name(module), Place::Module(module)))
                }
                Role::Register => {
                    let machine = view.pdb.dbi.as_ref()?.header.machine;
                    Some(Meaning::text(registers::name(machine, number as u16)?))
                }
                _ => None,
            }
        }
        ("inlinee", _) => of_id(number).filter(|_| field.name() == "id"),
        _ => match field.name() {
            "type"
            | "return type"
            | "class"
            | "element type"
            | "index type"
            | "underlying type"
            | "field list"
            | "argument list"
            | "this type"
            | "method list"
            | "further members"
            | "virtual base pointer type"
            | "overridden table"
            | "shape"
            | "derived from" => of_type(number).filter(|_| number > 0),
            "scope" | "text before" | "string" => of_id(number).filter(|_| number > 0),
            _ => None,
        },
    }
}

/// A directory, in which numbers stand for streams and pages.
pub(crate) fn directory_fields<'a>(
    view: &PdbView<'_>,
    title: String,
    slice: Slice<'a>,
    decode: impl FnOnce(&mut Cursor<'a, Recording>) -> Result<(), Error>,
) -> Fields {
    let page_size = view.pdb.msf.page_size().max(1);
    // Pages of each stream by this directory, and the page that is next.
    let (mut streams, mut next) = (Vec::new(), (0, 0));
    let mut fields = Fields::explain(title, slice, decode, |_, field| {
        let number = field.value.number()? as u32;
        match field.name() {
            "size of stream" => {
                let stream = streams.len() as u32;
                streams.push(if number == NIL { 0 } else { number.div_ceil(page_size) });
                let nil = if number == NIL { "nil: there is no such stream" } else { "" };
                let text = format!("stream {stream} · {} {nil}", view.stream_name(stream));
                Some(Meaning::to(text.trim_end(), Place::Stream(stream)))
            }
            "page of stream" => {
                while streams.get(next.0).is_some_and(|pages| next.1 >= *pages) {
                    next = (next.0 + 1, 0);
                }
                let (stream, page) = next;
                next.1 += 1;
                let offset = u64::from(page) * u64::from(page_size);
                let text = format!("stream {stream} · {}, offset {offset:#x}", view.stream_name(stream as u32));
                Some(Meaning::to(text, Place::Page(number)))
            }
            _ => None,
        }
    });
    if slice.len() == MAX_EXPLAINED {
        fields.error = None;
    }
    fields
}

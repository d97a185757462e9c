//! Records of streams, field by field.

use crate::fields::hashed_stamp;
use crate::fields::{BitMeaning, Fields, Meaning};
use crate::place::Place;
use crate::stream::hash_meaning::HashMeaning;
use crate::stream::part_kind::FileForm;
use crate::stream::{PartKind, PdbView, StreamPart};
use pdblens_formats::bytes::{Cursor, Error, Field, Recording, Show, Slice};
use pdblens_formats::codeview::c13::{self, Checksums, Subsections};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::msf::NIL;
use pdblens_formats::pdb::StreamKind;
use pdblens_session::session::Session;
use pdblens_session::text::registers;
use pdblens_session::text::safe::utf8;

/// The most bytes that are explained at once; what is after them is one field.
pub(crate) const MAX_EXPLAINED: u64 = 256 << 10;

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

pub(crate) fn explain_part(session: &Session, stream: u32, part: StreamPart) -> Option<Fields> {
    let view = PdbView::of(session)?;
    let region = view.region(stream)?;
    let slice = region.slice().at(part.span(region.span())).ok()?;
    let text = view.part_text(stream, part, slice);
    let at = if part.at == 0 { format!("stream {stream}") } else { Place::Record(stream, part.at).to_string() };
    let title = format!("{at} · {} {text}", part.kind.name()).trim_end().to_owned();
    let form = FileForm { native: view.native.is_some(), page_size: view.pdb.msf.page_size() };
    let shown = slice.part(0, slice.len().min(MAX_EXPLAINED)).ok()?;
    let decode = |c: &mut Cursor<'_, Recording>| part.kind.note(form, c);
    if part.kind == PartKind::Directory {
        return Some(directory_fields(&view, title, shown, decode));
    }
    let mut table = HashMeaning::new(&view, stream, part, slice);
    let mut fields = Fields::explain(title, shown, decode, |_, field| {
        table.of(field).or_else(|| part_meaning(session, &view, stream, part, field))
    });
    if shown.len() < slice.len() {
        fields.error = None;
    }
    if form.native {
        no_il(&mut fields);
    }
    Some(fields)
}

/// Meaning of a field of a record, by the notation that its description has.
fn part_meaning(
    session: &Session,
    view: &PdbView<'_>,
    stream: u32,
    part: StreamPart,
    field: &Field,
) -> Option<Meaning> {
    let number = field.value.number()? as u32;
    match field.doc.show {
        Show::Stream => {
            view.pdb.msf.stream(number)?;
            Some(Meaning::to(view.stream_name(number), Place::Stream(number)))
        }
        Show::Module(first) => {
            let module = number.checked_sub(first)?;
            view.pdb.modules().get(module as usize)?;
            Some(Meaning::to(view.module_name(module), Place::Module(module)))
        }
        // Records of types write 0 for no type.
        Show::TypeIndex | Show::IdIndex if number == 0 && !matches!(part.kind, PartKind::Symbol(_)) => None,
        Show::TypeIndex if matches!(view.pdb.kind_of(stream), StreamKind::IdHashes) => type_meaning(view, number, true),
        Show::TypeIndex => type_meaning(view, number, false),
        Show::IdIndex => type_meaning(view, number, true),
        Show::NameOffset => {
            let name = view.pdb.names.get(number)?;
            Some(Meaning::to(utf8(name.data).into_owned(), Place::Bytes(name.span())))
        }
        Show::FileChecksum => file_meaning(view, stream, number),
        Show::Register => {
            let machine = view.pdb.dbi.as_ref()?.header.machine;
            Some(Meaning::text(registers::name(machine, number as u16)?))
        }
        Show::PackedLines => Some(packed_lines(number)),
        Show::Token => token_meaning(session, number),
        Show::Time => hashed_stamp(session, number),
        _ => None,
    }
}

fn packed_lines(packed: u32) -> Meaning {
    let (line, lines) = (packed & 0x00ff_ffff, packed >> 24 & 0x7f);
    let text = match line {
        c13::HIDDEN_LINE => "hidden".to_owned(),
        c13::NEVER_STEP_INTO => "never step into".to_owned(),
        _ if lines == 0 => format!("line {line}"),
        _ => format!("lines {line}–{}", line.saturating_add(lines)),
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
fn token_meaning(session: &Session, token: u32) -> Option<Meaning> {
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
fn file_meaning(view: &PdbView<'_>, stream: u32, offset: u32) -> Option<Meaning> {
    if !matches!(view.pdb.kind_of(stream), StreamKind::Module(_)) {
        return None;
    }
    let (region, part) = (view.region(stream)?, view.checksums(stream)?);
    let found = Subsections::new(region.slice().at(part.span(region.span())).ok()?).next()?.ok()?;
    let checksum = Checksums(found.content).get(offset).ok()?;
    let name = utf8(view.pdb.names.get(checksum.name)?.data).into_owned();
    Some(Meaning::to(name, Place::Record(stream, part.at)))
}

pub(super) fn type_meaning(view: &PdbView<'_>, number: u32, is_id: bool) -> Option<Meaning> {
    let names = view.type_names()?;
    let name = if is_id { names.of_id(number) } else { names.of(number) };
    let text = if name == "?" { String::new() } else { name };
    Some(Meaning { text, to: view.type_place(number, is_id), ..Meaning::default() })
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

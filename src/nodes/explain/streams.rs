//! Records of a Windows PDB: what the file begins with, its directory, its pages, and whatever is in its streams.

use crate::bytes::{Cursor, Error, Field, Noted, Slice, Span};
use crate::formats::codeview::c13::{self, Checksums, Subsections};
use crate::formats::codeview::symbols::{self as native_symbols, Role};
use crate::formats::ildb;
use crate::formats::mdb;
use crate::formats::metadata::{TableId, Token};
use crate::formats::msf::{Directory, NIL, Superblock};
use crate::formats::msf::{msf2::Msf2Header, msfz::MsfzHeader};
use crate::formats::pdb::StreamKind;
use crate::formats::pdb::streams;
use crate::model::lessons::{self, Show};
use crate::nodes::Place;
use crate::nodes::fields::{Fields, Meaning};
use crate::nodes::listing::whose;
use crate::nodes::native::NativeView;
use crate::nodes::pdb::{Part, PartKind, PdbView};
use crate::session::Session;
use crate::symbols::Format;
use crate::text::registers;
use crate::text::safe::utf8;

/// The most bytes of a header.
const HEADER: u64 = 64 << 10;

/// The most bytes that are explained at once; what is behind them is one field.
const LONGEST: u64 = 256 << 10;

/// What the symbol file begins with.
pub(crate) fn explain_header(session: &Session) -> Option<Fields> {
    let file = session.symbol_file()?;
    let len = session.spaces().get(file.space)?.len();
    let bytes = session.spaces().read(Span::new(file.space, 0, len.min(HEADER))).ok()?;
    let slice = Slice::new(&bytes, file.space, 0);
    let mut cursor = Cursor::noting(slice);
    let (read, what) = match file.reader().format() {
        Format::Windows | Format::Native => (Superblock::decode(&mut cursor).map(drop), "superblock"),
        Format::SmallMsf => (Msf2Header::decode(&mut cursor).map(drop), "header"),
        Format::Msfz => (MsfzHeader::decode(&mut cursor).map(drop), "header"),
        Format::Ildb => (ildb::Header::decode(&mut cursor).map(drop), "header"),
        Format::Mdb => (mdb::Header::decode(&mut cursor).map(drop), "header"),
        Format::Portable => return None,
    };
    let error = read.err();
    // It ends where its decoder does: what is behind is something else.
    let read = slice.part(0, cursor.consumed()).ok()?;
    let title = format!("{} · {what}", file.name);
    Some(Fields::present(title, read, &cursor.fields(), error, |_, field| {
        let number = field.value.number()? as u32;
        match field.name {
            "page of the directory's page list" => Some(Meaning::to("page list of the directory", Place::Page(number))),
            "directory size" if PdbView::of(session).is_some() => Some(Meaning::to("directory", Place::Directory)),
            _ => None,
        }
    }))
}

/// The directory: sizes and pages of all streams.
pub(crate) fn explain_directory(session: &Session) -> Option<Fields> {
    let view = PdbView::of(session)?;
    let space = view.pdb.msf.directory;
    let span = Span::new(space, 0, session.spaces().get(space)?.len().min(LONGEST));
    let bytes = session.spaces().read(span).ok()?;
    let page_size = view.pdb.msf.page_size();
    let decode = |c: &mut Cursor<'_, Noted>| Directory::decode(c, page_size).map(drop);
    Some(directory_fields(&view, "directory".to_owned(), Slice::new(&bytes, space, 0), decode))
}

/// A stream that is one record.
pub(crate) fn explain_stream(session: &Session, number: u32) -> Option<Fields> {
    match PdbView::of(session)?.parts(number).as_ref() {
        [part] => explain_part(session, number, *part),
        _ => None,
    }
}

/// The table of strings.
pub(crate) fn explain_names(session: &Session) -> Option<Fields> {
    let stream = PdbView::of(session)?.pdb.info.stream("/names")?;
    explain_stream(session, stream)
}

/// The record that begins at an offset of a stream.
pub(crate) fn explain_record(session: &Session, stream: u32, at: u32) -> Option<Fields> {
    let part = PdbView::of(session)?.part(stream, at)?;
    explain_part(session, stream, part)
}

/// The record of a method in the stream of its module.
pub(crate) fn explain_procedure(session: &Session, method: Token) -> Option<Fields> {
    let view = PdbView::of(session).filter(|view| view.native.is_none())?;
    let entry = view.pdb.method_index(view.spaces).get(method.0)?;
    let stream = view.pdb.modules().get(entry.module as usize)?.stream()?;
    explain_record(session, stream, entry.symbol)
}

/// What the debug information says of a module.
pub(crate) fn explain_module(session: &Session, number: u32) -> Option<Fields> {
    let at = PdbView::of(session)?.pdb.modules().get(number as usize)?.span.start;
    explain_record(session, streams::DBI, at as u32)
}

/// The record of a type, or of an id.
pub(crate) fn explain_type(session: &Session, number: u32, ids: bool) -> Option<Fields> {
    let record = NativeView::of(session)?.types(ids).get(number)?;
    let stream = if ids { streams::IPI } else { streams::TPI };
    explain_record(session, stream, record.span().start as u32)
}

pub(crate) fn explain_part(session: &Session, stream: u32, part: Part) -> Option<Fields> {
    let view = PdbView::of(session)?;
    let region = view.region(stream)?;
    let slice = region.slice().at(part.span(region.span())).ok()?;
    let text = view.part_text(stream, part, slice);
    let at = if part.at == 0 { format!("stream {stream}") } else { Place::Record(stream, part.at).to_string() };
    let title = format!("{at} · {} {text}", view.part_name(part)).trim_end().to_owned();
    let (native, page_size) = (view.native.is_some(), view.pdb.msf.page_size());
    let shown = slice.part(0, slice.len().min(LONGEST)).ok()?;
    let decode = |c: &mut Cursor<'_, Noted>| part.note(native, page_size, c);
    if part.kind == PartKind::Directory {
        return Some(directory_fields(&view, title, shown, decode));
    }
    let mut fields = Fields::explain(title, shown, decode, |record, field| {
        part_meaning(session, &view, stream, part, record, field)
    });
    if shown.len() < slice.len() {
        fields.error = None;
    }
    if native {
        no_il(&mut fields);
    }
    Some(fields)
}

/// One page: whose it is, and its bytes.
pub(crate) fn explain_page(session: &Session, number: u32) -> Option<Fields> {
    let view = PdbView::of(session)?;
    let msf = &view.pdb.msf;
    let (map, page_size) = (msf.page_map(view.spaces), u64::from(msf.page_size()));
    let start = u64::from(number) * page_size;
    let len = session.spaces().get(msf.file)?.len().checked_sub(start).filter(|_| (number as usize) < map.len())?;
    let span = Span::new(msf.file, start, len.min(page_size));
    let (text, from, to) = whose(&view, map.owner(msf, number));
    let free = if map.is_free(number) { "marked free" } else { "marked in use" };
    // What is behind the end of a stream on its last page is nobody's.
    let used = match to {
        Some(Place::Stream(stream)) => view.span(stream)?.len.saturating_sub(from.unwrap_or(0)).min(span.len),
        _ => span.len,
    };
    let bytes = session.spaces().read(span).ok()?;
    let decode = |c: &mut Cursor<'_, Noted>| {
        c.group("page", |c| {
            c.bytes("content", used)?;
            if c.is_done() { Ok(()) } else { c.bytes("unused", c.left()).map(drop) }
        })
    };
    let title = format!("page {number} · {text}, {free}");
    Some(Fields::explain(title, Slice::new(&bytes, msf.file, start), decode, |_, field| {
        let place = to.filter(|_| field.name == "content")?;
        Some(Meaning::to(from.map_or(text.clone(), |from| format!("{text}, from byte {from:#x}")), place))
    }))
}

/// What a field of a record means here.
fn part_meaning(
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
    match (record, field.name) {
        ("dbi header", "global symbols stream" | "public symbols stream" | "symbol records stream")
        | ("module info" | "named stream", "stream")
        | ("types header", "hash stream" | "additional hash stream")
        | ("debug header", _) => to_stream(number as u32),
        ("section contribution" | "symbol reference", "module") => {
            // References count from 1.
            let module = if record == "symbol reference" { (number as u32).checked_sub(1)? } else { number as u32 };
            view.pdb.modules().get(module as usize)?;
            Some(Meaning::to(view.module_name(module), Place::Module(module)))
        }
        ("line block" | "inlinee", "file") => file_meaning(view, stream, number as u32),
        ("checksum", "file name") | ("source header", "file name" | "virtual name" | "object name") => {
            let name = view.pdb.names.get(number as u32)?;
            Some(Meaning::to(utf8(name.data).into_owned(), Place::Bytes(name.span())))
        }
        ("native symbol" | "type data" | "member" | "inlinee" | "overload", _) => {
            type_meaning(view, part, record, field, number as u32)
        }
        ("public symbol", "offset") => token_meaning(session, number as u32),
        _ => match lessons::find(record, field.name)?.show {
            Show::Token => token_meaning(session, number as u32),
            _ => None,
        },
    }
}

/// What a token leads to; nothing for a number that is none.
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
    let StreamKind::Module(module) = view.pdb.kind_of(stream) else { return None };
    let region = view.region(stream)?;
    let c13 = view.pdb.modules().get(module as usize)?.c13(&region);
    let checksums = Subsections::new(c13.slice()).map_while(Result::ok).find(|found| found.kind == c13::CHECKSUMS)?;
    let checksum = Checksums(checksums.content).get(offset).ok()?;
    let name = utf8(view.pdb.names.get(checksum.name)?.data).into_owned();
    Some(Meaning::to(name, Place::Record(stream, checksums.span.start as u32)))
}

/// A directory, in which numbers stand for streams and pages.
fn directory_fields<'a>(
    view: &PdbView<'_>,
    title: String,
    slice: Slice<'a>,
    decode: impl FnOnce(&mut Cursor<'a, Noted>) -> Result<(), Error>,
) -> Fields {
    let mut stream = 0;
    let mut fields = Fields::explain(title, slice, decode, |_, field| {
        let number = field.value.number()? as u32;
        match field.name {
            "size of stream" => {
                let place = Place::Stream(stream);
                stream += 1;
                let nil = if number == NIL { "nil: there is no such stream" } else { "" };
                let text = format!("stream {} · {} {nil}", stream - 1, view.stream_name(stream - 1));
                Some(Meaning::to(text.trim_end(), place))
            }
            "page of stream" => Some(Meaning::to("", Place::Page(number))),
            _ => None,
        }
    });
    if slice.len() == LONGEST {
        fields.error = None;
    }
    fields
}

/// What the number of a type or of an id stands for, and what an address comes to.
fn type_meaning(view: &PdbView<'_>, part: Part, record: &str, field: &Field, number: u32) -> Option<Meaning> {
    let names = view.type_names()?;
    let known = |name: String| if name == "?" { String::new() } else { name };
    let of_type = |number| Some(Meaning { text: known(names.of(number)), to: view.type_place(number, false) });
    let of_id = |number| Some(Meaning { text: known(names.of_id(number)), to: view.type_place(number, true) });
    match (record, part.kind) {
        ("native symbol", PartKind::Symbol(kind)) => {
            let column = native_symbols::columns(kind).iter().find(|column| column.name == field.name)?;
            match column.role {
                Role::Type if field.name == "id" => of_id(number),
                Role::Type => of_type(number),
                Role::Module => {
                    let module = number.checked_sub(1)?;
                    Some(Meaning::to(view.module_name(module), Place::Module(module)))
                }
                Role::Register => {
                    let machine = view.pdb.dbi.as_ref()?.header.machine.value;
                    Some(Meaning::text(registers::name(machine, number as u16)?))
                }
                _ => None,
            }
        }
        ("inlinee", _) => of_id(number).filter(|_| field.name == "id"),
        _ => match field.name {
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

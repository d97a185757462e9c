//! Inputs that begin with a word: `stream 12`, `page 3`, `file 0x1a0`, `rva 0x2050`, `image #us 0x10`, `DBI`; offsets of a dump; and bytes as
//! findings and headings name them: `App.pdb 0x607+5`, `stream 6 0x0+4`, `stream 6 0x10`, `App.pdb #Blob 0x0387+5 of 1008`.

use super::{Address, AddressError, Here, Parsed, plain};
use crate::owner;
use pdblens_formats::bytes::{Space, SpaceId, Span};
use pdblens_formats::reason::Reason;
use pdblens_nodes::path::long_number;
use pdblens_nodes::resolve::resolve_exactly;
use pdblens_nodes::stream::PdbView;
use pdblens_nodes::{self as nodes, Heap, MetadataPart, Place, Side, number};
use pdblens_session::session::{Image, Session};

/// Structures by the names of the specifications, with their paths.
const WORDS: &[(&str, &str)] = &[
    ("superblock", "header"),
    ("block map", "directory"),
    ("index page", "directory"),
    ("stream directory", "directory"),
    ("root", "directory"),
    ("bitmap page", "page/1"),
    ("fpm1", "page/1"),
    ("fpm2", "page/2"),
    ("pdb info", "stream/1"),
    ("info", "stream/1"),
    ("string table", "names"),
    ("tpi", "stream/2"),
    ("dbi", "stream/3"),
    ("ipi", "stream/4"),
    ("gsi", "globals"),
    ("psi", "publics"),
    ("debug directory", "pe/debug"),
    ("dos header", "pe/dos"),
    ("coff header", "pe/coff"),
    ("optional header", "pe/optional"),
    ("cli header", "pe/cli"),
    ("data directories", "pe/directories"),
    ("sections", "pe/sections"),
    ("section map", "section-map"),
    ("section contributions", "contributions"),
    ("image metadata", "image/metadata"),
    ("pdb metadata", "pdb/metadata"),
    ("#pdb", "pdb/metadata/pdb"),
    ("#~", "tables"),
    ("#strings", "heap/strings"),
    ("#us", "heap/us"),
    ("#guid", "heap/guid"),
    ("#blob", "heap/blob"),
];

pub(super) fn word(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    let typed = typed.to_ascii_lowercase();
    let typed = typed.strip_suffix(" stream").unwrap_or(&typed);
    let known = WORDS.iter().find(|(word, _)| *word == typed).map(|(_, path)| (*path).to_owned());
    // `pdb blob` is a heap of that file.
    let heap = || typed.strip_prefix("image ").or(typed.strip_prefix("pdb ")).map(|_| typed.replace(' ', "/heap/"));
    let place = resolve_exactly(session, &known.or_else(heap)?).ok()?;
    let exists = nodes::rows(session, place).is_some() || nodes::fields(session, place).is_some();
    exists.then(|| Ok(plain(place)))
}

/// A word and a number, in one of the notations of tools.
pub(super) fn keyword(session: &Session, typed: &str, here: Here) -> Option<Parsed> {
    let (side, rest) = match typed.split_once(' ') {
        Some(("image", rest)) => (Some(Side::Image), rest.trim()),
        Some(("pdb", rest)) => (Some(Side::Pdb), rest.trim()),
        _ => (None, typed),
    };
    if let Some(entry) = rest.strip_prefix('#') {
        return heap_entry(side, entry);
    }
    // Like the path of a place: `file/0x5a4`, `pdb/0x5a4`.
    for (word, side) in [("file/", None), ("image/", Some(Side::Image)), ("pdb/", Some(Side::Pdb))] {
        if let Some(offset) = typed.strip_prefix(word).filter(|offset| offset.starts_with("0x")) {
            return bytes_of_file(session, offset, side, here);
        }
    }
    let (word, text) = rest.split_once(' ')?;
    let text = text.trim();
    if word == "file" {
        return bytes_of_file(session, text, side, here);
    }
    let number = match (word, number(text)) {
        (_, Some(number)) => number,
        ("stream" | "page" | "block" | "rva", None) => return Some(Err(format!("{text:?} is not a number").into())),
        _ => return None,
    };
    Some(match word {
        "stream" => stream_place(session, number, side),
        "module" => existing(session, Place::Module(number)),
        "type" => existing(session, Place::Type(number)),
        "id" => existing(session, Place::Id(number)),
        "page" | "block" => existing(session, Place::Page(number)),
        "rva" => at_rva(session.image()?, number),
        _ => return None,
    })
}

/// An entry of a heap, as titles and mdv write it: `#blob 0x72`, `#Strings:0x1`, and `#b5` in the heap of blobs.
fn heap_entry(side: Option<Side>, entry: &str) -> Option<Parsed> {
    let (heap, offset) = match entry.split_once([':', ' ']) {
        Some((name, text)) => {
            let is_it = |heap: &Heap| heap.stream().strip_prefix('#').is_some_and(|own| own.eq_ignore_ascii_case(name));
            let heap = Heap::ALL.into_iter().find(is_it)?;
            match range(text.trim()) {
                Ok((offset, _)) => (heap, offset),
                Err(why) => return Some(Err(why.text.into())),
            }
        }
        None => (Heap::Blobs, u32::from_str_radix(entry, 16).ok()?),
    };
    Some(Ok(plain(Place::HeapEntry(side.unwrap_or(Side::Pdb), heap, offset))))
}

fn bytes_of_file(session: &Session, text: &str, side: Option<Side>, here: Here) -> Option<Parsed> {
    match range(text) {
        Ok((offset, len)) => file_offset(session, offset, side, here).map(|found| with_len(session, found?, len)),
        Err(why) => Some(Err(why.text.into())),
    }
}

/// An offset and a number of bytes as dumps write them, `0x0072+5`; one byte where there is no number.
fn range(text: &str) -> Result<(u32, u32), Reason> {
    let (offset, len) = match text.split_once('+') {
        Some((offset, len)) => (offset, number(len)),
        None => (text, Some(1)),
    };
    // Dumps pad offsets with zeros: `file 000c8c`; with a letter among its digits, a number is hexadecimal.
    let dumped = dumped_offset(offset).or_else(|| lettered(offset));
    let start = dumped.and_then(|offset| u32::try_from(offset).ok()).or_else(|| number(offset));
    start.zip(len).ok_or_else(|| Reason::new("not-an-offset", format!("{offset:?} is not a number")))
}

fn at_rva(image: &Image, rva: u32) -> Parsed {
    match image.pe.rva_to_offset(rva) {
        Some(offset) => Ok(plain(Place::Bytes(Span::new(image.space, offset, 1)))),
        None => Err(format!("no section of {} has the address {rva:#x}", image.name).into()),
    }
}

fn with_len(session: &Session, found: (Address, String), len: u32) -> Parsed {
    let Address::Place(Place::Bytes(span)) = found.0 else { return Ok(found) };
    let len = u64::from(len.max(1));
    match space_len(session, span.space).checked_sub(span.start).filter(|left| len <= *left) {
        Some(_) => Ok((Address::Place(Place::Bytes(Span::new(span.space, span.start, len))), found.1)),
        None => Err(too_short(session, span.space)),
    }
}

fn space_len(session: &Session, space: SpaceId) -> u64 {
    session.spaces().get(space).map_or(0, Space::len)
}

fn too_short(session: &Session, space: SpaceId) -> AddressError {
    let name = session.spaces().get(space).map_or("the file".into(), Space::name);
    format!("{name} has {} bytes", space_len(session, space)).into()
}

/// A hexadecimal number without a prefix, which a letter among its digits tells from a decimal one.
fn lettered(text: &str) -> Option<u64> {
    let is_it = text.starts_with(|c: char| c.is_ascii_hexdigit()) && !text.bytes().all(|byte| byte.is_ascii_digit());
    if is_it { u64::from_str_radix(text, 16).ok() } else { None }
}

/// A stream of a Windows PDB; of the metadata where no such PDB is open.
fn stream_place(session: &Session, stream: u32, side: Option<Side>) -> Parsed {
    let number = if PdbView::of(session).is_none() { u16::try_from(stream).ok() } else { None };
    let part = number.map(MetadataPart::Stream);
    let sides = side.map_or_else(|| vec![Side::Pdb, Side::Image], |side| vec![side]);
    let mut places = part.into_iter().flat_map(|part| sides.iter().map(move |side| Place::Metadata(*side, part)));
    let found = places.find(|place| nodes::fields(session, *place).is_some());
    found.map_or_else(|| existing(session, Place::Stream(stream)), |place| Ok(plain(place)))
}

pub(super) fn existing(session: &Session, place: Place) -> Parsed {
    if nodes::exists(session, place) { Ok(plain(place)) } else { Err(nodes::absence(session, place).into()) }
}

/// An offset as a dump prints it: hexadecimal digits in pairs, padded with zeros.
pub(super) fn dumped_offset(text: &str) -> Option<u64> {
    let is_hex = text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    let is_padded = text.starts_with('0') && text.len() >= 4 && text.len().is_multiple_of(2);
    if is_hex && is_padded { u64::from_str_radix(text, 16).ok() } else { None }
}

/// An offset of a dump alone: in the file or stream of the selection.
pub(super) fn in_dump(session: &Session, typed: &str, here: Here) -> Option<Parsed> {
    let offset = dumped_offset(typed)?;
    let space = here.span?.space;
    (offset < space_len(session, space)).then(|| Ok(plain(Place::Bytes(Span::new(space, offset, 1)))))
}

/// The type and the id of native code with a number that is typed alone, in hexadecimal.
pub(super) fn types_numbered(session: &Session, typed: &str) -> Vec<Place> {
    let Some(digits) = typed.strip_prefix("0x") else { return Vec::new() };
    let Ok(number) = u32::from_str_radix(digits, 16) else { return Vec::new() };
    let places = [Place::Type(number), Place::Id(number)];
    places.into_iter().filter(|place| nodes::exists(session, *place)).collect()
}

/// The bytes at an offset that is typed alone, in hexadecimal, of the image and of the symbols.
pub(super) fn offsets_of_files(session: &Session, typed: &str) -> Vec<Place> {
    let Some(digits) = typed.strip_prefix("0x") else { return Vec::new() };
    let Ok(offset) = u64::from_str_radix(digits, 16) else { return Vec::new() };
    let files = [session.image().map(|file| file.space), session.symbol_file().map(|file| file.space)];
    let spaces = files.into_iter().flatten().filter(|space| offset < space_len(session, *space));
    spaces.map(|space| Place::Bytes(Span::new(space, offset, 1))).collect()
}

/// A module of a Windows PDB by its path, or by the end of it where one has that.
pub(super) fn module(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    let view = PdbView::of(session)?;
    let plain_path = |path: &str| path.replace('\\', "/").to_ascii_lowercase();
    let wanted = plain_path(typed.strip_prefix("module ").unwrap_or(typed));
    if !wanted.contains(['.', '/']) {
        return None;
    }
    let tail = format!("/{}", wanted.trim_start_matches('/'));
    let names = (0..view.pdb.modules().len() as u32).map(|number| (number, plain_path(&view.module_name(number))));
    let (mut whole, mut ends) = (None, Vec::new());
    for (number, name) in names {
        if name == wanted {
            whole = whole.or(Some(number));
        } else if name.ends_with(&tail) {
            ends.push(number);
        }
    }
    let only = if let [one] = ends[..] { Some(one) } else { None };
    whole.or(only).map(|number| Ok(plain(Place::Module(number))))
}

/// An offset in the file that is named, in that of the selection, or in the symbols where they have a file of their own.
fn file_offset(session: &Session, offset: u32, side: Option<Side>, here: Here) -> Option<Parsed> {
    let symbols = || session.symbol_file().map(|file| file.space);
    let image = || session.image().map(|file| file.space);
    let named: Option<SpaceId> = match side {
        Some(Side::Image) => image(),
        Some(Side::Pdb) => symbols(),
        // The selection may be in a stream, which is in the file of its PDB.
        None => here.span.map(|span| span.space).filter(|space| [image(), symbols()].contains(&Some(*space))),
    };
    let is_inside = session.symbol_file().is_some_and(|file| file.embedded);
    let own = if is_inside { None } else { symbols() };
    let space = named.or(own).or_else(image).or_else(symbols)?;
    Some(if u64::from(offset) < space_len(session, space) {
        Ok(plain(Place::Bytes(Span::new(space, offset.into(), 1))))
    } else {
        Err(too_short(session, space))
    })
}

/// Bytes at an offset of a file, `0x5a4` or `1444`, with as many more as follow a `+`; a name before it is that of another file or
/// stream. Without a name `file` is meant.
pub fn bytes_at(session: &Session, file: SpaceId, typed: &str) -> Result<Place, Reason> {
    let (name, range) = typed.trim().rsplit_once(' ').unwrap_or(("", typed.trim()));
    let named = || session.spaces().named(name.trim()).map(|(id, _)| id);
    let id = if name.is_empty() { Some(file) } else { named() };
    let id = id.ok_or_else(|| Reason::new("unknown", format!("no open file or stream has the name `{name}`")))?;
    let (start, len) = range.split_once('+').unwrap_or((range, "1"));
    let wrong = || {
        let text = format!("`{range}` is no offset: write it as 0x5a4 or 1444, or as 0x5a4+2 for two bytes");
        Reason::new("not-an-offset", text)
    };
    let (start, len) = long_number(start).zip(long_number(len)).ok_or_else(wrong)?;
    let (space, all) = session.spaces().get(id).map_or(("".into(), 0), |space: &Space| (space.name(), space.len()));
    if len == 0 || start.checked_add(len).is_none_or(|end| end > all) {
        return Err(Reason::new("not-there", format!("{space} has {all} bytes: {range} is past its end")));
    }
    Ok(Place::Bytes(Span::new(id, start, len)))
}

/// Bytes of a file, stream or section that is named before them.
pub(super) fn span(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    // A heading goes on with the size of all, and the offset in the file.
    let own = typed.split_once(" of ").map_or(typed, |(own, _)| own);
    let own = own.split_once(" \u{b7} ").map_or(own, |(own, _)| own);
    let (name, range) = own.rsplit_once(' ')?;
    let (start, len) = range.split_once('+').unwrap_or((range, "1"));
    let start = u64::from_str_radix(start.strip_prefix("0x")?, 16).ok()?;
    let len: u64 = len.parse().ok()?;
    let name = name.trim();
    let whole = session.spaces().named(name);
    let whole = whole.map(|(id, space)| Span::new(id, 0, space.len())).or_else(|| owner::named(session, name))?;
    if start.checked_add(len).is_none_or(|end| end > whole.len) || whole.len == 0 {
        return Some(Err(format!("{name} has {} bytes", whole.len).into()));
    }
    // The position of something that is missing is that of the byte before the end.
    let start = start.min(whole.len.saturating_sub(1));
    Some(Ok(plain(Place::Bytes(Span::new(whole.space, whole.start + start, len.max(1))))))
}

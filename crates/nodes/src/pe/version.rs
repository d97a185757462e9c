//! Version information and manifest of the image, which are resources.

use crate::fields::{Fields, Meaning};
use crate::pe::linker;
use crate::pe::meaning::pe_meaning;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::bytes::{Cursor, Encoding, Recorder, Result, Span, fields};
use pdblens_formats::pe::VersionInfo;
use pdblens_session::session::Session;

const MAX_LINES: usize = 1 << 16;

fields! {
    /// The manifest: the versions of other DLLs, the privileges and the compatibility that the image asks of Windows.
    MANIFEST: "manifest";
    /// The mark of the encoding at the beginning.
    BYTE_ORDER_MARK: "byte order mark";
    /// The manifest as XML.
    XML: "xml";
}

/// The numbers of a version, with dots.
pub(crate) fn dotted([a, b, c, d]: [u16; 4]) -> String {
    format!("{a}.{b}.{c}.{d}")
}

/// The version as numbers, then the strings.
pub(super) fn rows(session: &Session) -> Option<Rows<'_>> {
    let version = linker::tables(session)?.1.version.as_ref()?.as_ref().ok()?;
    let mut rows = Vec::new();
    let mut add = |name: &str, value: String, language: &str, span: Span| {
        let cells = vec![Cell::new(name), Cell::toned(value, Tone::Strong), Cell::toned(language, Tone::Dim)];
        rows.push(Row::plain(cells).from(span));
    };
    if let Some(fixed) = version.fixed {
        add("file version", dotted(fixed.file()), "", fixed.span.part(8, 8));
        add("product version", dotted(fixed.product()), "", fixed.span.part(16, 8));
    }
    for string in &version.strings {
        add(&string.key, string.value.clone(), &string.table, string.span);
    }
    let columns = Head::list(["name", "value", "language"]);
    Some(Rows::of("version", columns, rows))
}

/// The version resource, block by block.
pub(super) fn fields(session: &Session) -> Option<Fields> {
    let (pe, tables) = linker::tables(session)?;
    let fixed = tables.version.as_ref()?.as_ref().ok().and_then(|version| version.fixed);
    let bytes = pe.bytes(tables.version_span?).ok().filter(|bytes| !bytes.is_empty())?;
    let decode = |c: &mut _| VersionInfo::decode(c).map(drop);
    Some(Fields::explain("pe/version", bytes, decode, |_, field| match (field.name(), fixed) {
        ("file version high", Some(fixed)) => Some(Meaning::text(dotted(fixed.file()))),
        ("product version high", Some(fixed)) => Some(Meaning::text(dotted(fixed.product()))),
        _ => pe_meaning(session, field),
    }))
}

fn note<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&MANIFEST, |c| {
        let (mark, encoding) = match c.remaining() {
            [0xef, 0xbb, 0xbf, ..] => (3, Encoding::Utf8),
            [0xff, 0xfe, ..] => (2, Encoding::Utf16),
            _ => (0, Encoding::Utf8),
        };
        if mark > 0 {
            c.bytes(&BYTE_ORDER_MARK, mark)?;
        }
        if c.is_done() { Ok(()) } else { c.text(&XML, c.left(), encoding).map(drop) }
    })
}

pub(super) fn manifest(session: &Session) -> Option<Fields> {
    let (pe, tables) = linker::tables(session)?;
    let bytes = pe.bytes(tables.manifest?).ok().filter(|bytes| !bytes.is_empty())?;
    Some(Fields::explain("pe/manifest", bytes, note, |_, _| None))
}

pub(super) fn manifest_rows(session: &Session) -> Option<Rows<'_>> {
    let (pe, tables) = linker::tables(session)?;
    let bytes = pe.bytes(tables.manifest?).ok()?;
    let mut at = 0;
    let lines = bytes.data.split_inclusive(|byte| *byte == b'\n').take(MAX_LINES).enumerate().map(|(index, line)| {
        let span = bytes.span().part(at, line.len() as u64);
        at += line.len() as u64;
        let text = String::from_utf8_lossy(line);
        let text = text.trim_start_matches('\u{feff}').trim_end().to_owned();
        Row::plain(vec![Cell::toned((index + 1).to_string(), Tone::Dim), Cell::new(text)]).from(span)
    });
    Some(Rows::of("manifest", Head::list(["line:", "text"]), lines.collect()))
}

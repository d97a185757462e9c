//! Bytes that the lines of the overview are read from.

use super::mdb_guid;
use crate::fields::{FieldRow, Fields};
use crate::lazy_index::is_cached;
use crate::module::MODULE;
use crate::place::{MetadataPart, PePart, Place, Side};
use crate::rows::Row;
use crate::{metadata, msf, pe, stream, table};
use pdblens_formats::bytes::Span;
use pdblens_formats::metadata::TableId;
use pdblens_formats::metadata::schema::HAS_CUSTOM_DEBUG_INFORMATION;
use pdblens_session::session::Session;
use pdblens_session::symbols::Format;

/// Modules of a native PDB whose first records are looked through for the one of a compiler.
const MAX_MODULES: u32 = 16;
const MAX_RECORDS: usize = 8;
const MAX_ROWS: usize = 32;

/// Adds the bytes of its field to a line about the file of `side`. The place stays, unless a record is known for what was a list.
pub(super) fn add_field(session: &Session, side: Side, row: &mut Row) {
    let [name, value] = row.cells.as_slice() else { return };
    row.span = match (side, name.text.as_str()) {
        (Side::Image, "file") => span((pe::PART.fields)(session, PePart::Optional), "magic"),
        (side, "runtime") => span((metadata::PART.fields)(session, (side, MetadataPart::Root)), "version"),
        (Side::Pdb, "file") if session.portable_pdb().is_some() => {
            span((metadata::PART.fields)(session, (side, MetadataPart::Root)), "version")
        }
        (Side::Pdb, "file") => span((msf::HEADER.fields)(session, ()), "magic"),
        (Side::Pdb, "id") => id_span(session),
        (Side::Pdb, "entry point") => {
            span((metadata::PART.fields)(session, (side, MetadataPart::PdbStream)), "entry point")
        }
        (Side::Pdb, "container") => (msf::HEADER.fields)(session, ()).map(|fields| fields.span),
        (Side::Pdb, option) => {
            let found =
                custom_field(session, option, &value.text).or_else(|| compiler_field(session, option, &value.text));
            if let Some((place, span)) = found {
                (row.place, row.span) = (Some(place), Some(span));
            }
            return;
        }
        _ => None,
    };
}

fn leaf(fields: &Fields, is_it: impl Fn(&FieldRow) -> bool) -> Option<Span> {
    fields.leaves().find(|field| is_it(field)).map(|field| field.span)
}

fn span(fields: Option<Fields>, name: &str) -> Option<Span> {
    leaf(&fields?, |field| field.name == name)
}

fn id_span(session: &Session) -> Option<Span> {
    let file = session.symbol_file()?;
    let span = match file.reader().format() {
        Format::Mdb => mdb_guid(session),
        _ => file.content.id_spans().first().map_or(Span::default(), |span| span.part(0, 16)),
    };
    Some(span).filter(|span| !span.is_empty())
}

/// Row of the module's custom debug information that has an option or the Source Link map, and its bytes in the blob.
fn custom_field(session: &Session, option: &str, value: &str) -> Option<(Place, Span)> {
    let table = session.portable_pdb()?.metadata.table(TableId::CUSTOM_DEBUG_INFORMATION);
    let rows = table.equal_range(0, HAS_CUSTOM_DEBUG_INFORMATION.encode(TableId::MODULE, 1)?);
    rows.take(MAX_ROWS).find_map(|row| {
        let place = Place::row(TableId::CUSTOM_DEBUG_INFORMATION, row);
        let fields = (table::ROW.fields)(session, (Side::Pdb, TableId::CUSTOM_DEBUG_INFORMATION, row))?;
        let group =
            |name: &str| fields.rows.iter().find(|field| field.group && field.name == name).map(|field| field.span);
        if option == "source link" {
            return group("SourceLink").map(|span| (place, span));
        }
        group("CompilationOptions")?;
        let names = fields.rows.windows(2);
        let pair = names.filter_map(|pair| pair.first().zip(pair.get(1)));
        let is_it = |(name, of): &(&FieldRow, &FieldRow)| name.value == option && of.value == value;
        pair.into_iter().find(is_it).map(|(_, of)| (place, of.span))
    })
}

/// Record in which a compiler of native code says its version or its language.
fn compiler_field(session: &Session, option: &str, value: &str) -> Option<(Place, Span)> {
    let field = match option {
        "compiler-version" => "name",
        "language" => "language",
        _ => return None,
    };
    (0..MAX_MODULES).find_map(|module| {
        (MODULE.indexes)(session, module).into_iter().all(|index| is_cached(session, index)).then_some(())?;
        let records = (MODULE.rows)(session, module)?;
        records.window(0..MAX_RECORDS).find_map(|row| {
            row.cells.iter().any(|cell| cell.text.starts_with("S_COMPILE")).then_some(())?;
            let place @ Place::Record(stream, offset) = row.place? else { return None };
            let fields = (stream::RECORD.fields)(session, (stream, offset))?;
            // The version may have numbers after the name.
            let says = |of: &&FieldRow| match option {
                "language" => of.meaning == value,
                _ => value.starts_with(of.value.trim_end()),
            };
            fields.leaves().filter(|of| of.name == field).find(says).map(|of| (place, of.span))
        })
    })
}

//! Metadata roots, their streams, and the header of the tables.

use crate::facts::Facts;
use crate::facts::span_text;
use crate::fields::{BitMeaning, Fields, Meaning};
use crate::kind::{Kind, Label};
use crate::owner::{OwnerSearch, Turn};
use crate::place::{MetadataPart, Place, Side};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::bytes::{Field, Slice, Span};
use pdblens_formats::metadata::{TableId, root, tables};
use pdblens_formats::portable::pdb_stream::PdbStream;
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

pub(crate) const PART: Kind<(Side, MetadataPart)> = Kind {
    owners: &[(Turn::Records, owners)],
    listed: |session| {
        let parts = [MetadataPart::Root, MetadataPart::Streams, MetadataPart::TablesHeader, MetadataPart::PdbStream];
        let of_side = |side: Side| {
            let parts = parts.into_iter().filter(move |part| side == Side::Pdb || *part != MetadataPart::PdbStream);
            parts.map(move |part| Place::Metadata(side, part))
        };
        Side::loaded(session).flat_map(|(side, _)| of_side(side)).collect()
    },
    label: |_| Label::new("stream", 1),
    exists: |session, (side, _)| side.metadata(session).is_some(),
    rows: |session, (side, part)| (part == MetadataPart::Streams).then(|| metadata_streams(session, side))?,
    fields: |session, (side, part)| explain_metadata(session, side, part),
    summary: |session, (side, part)| (part == MetadataPart::Streams).then(|| root_facts(session, side))?,
    bytes: |session, (side, part)| {
        let root = &side.metadata(session)?.root;
        match part {
            MetadataPart::Streams => Some(root.region.span()),
            MetadataPart::Stream(index) => root.streams.get(index as usize).map(|stream| stream.region.span()),
            MetadataPart::PdbStream => root.stream("#Pdb").map(|stream| stream.region.span()),
            part => explain_metadata(session, side, part).map(|fields| fields.span),
        }
    },
    ..Kind::NEW
};

fn owners(search: &mut OwnerSearch<'_>) {
    let Some((side, metadata)) = Side::with(search.session, search.byte) else { return };
    let root = &metadata.root;
    let part = |part| Place::Metadata(side, part);
    for (index, stream) in root.streams.iter().enumerate() {
        search.add(part(MetadataPart::Stream(index as u16)), stream.header);
    }
    search.add(part(MetadataPart::Root), root.span);
    search.add(part(MetadataPart::TablesHeader), metadata.tables.header);
    let pdb = root.stream("#Pdb").map_or(Span::default(), |stream| stream.region.span());
    search.add(part(MetadataPart::PdbStream), pdb);
}

pub(crate) fn metadata_streams(session: &Session, side: Side) -> Option<Rows<'_>> {
    let metadata = side.metadata(session)?;
    let rows = metadata.root.streams.iter().enumerate().map(|(index, stream)| {
        let place = Place::Metadata(side, MetadataPart::Stream(index as u16));
        let cells = vec![
            Cell::new(stream.name.clone()).to(place),
            Cell::new(format!("{:#x}", stream.offset)),
            Cell::new(stream.size.to_string()),
            Cell::toned(span_text(session, stream.region.span()), Tone::Dim),
        ];
        Row::at(place, cells).from(stream.region.span())
    });
    let columns = Head::list(["stream", "offset:", "bytes:", "at"]);
    Some(Rows::of(format!("{side}metadata streams"), columns, rows.collect()))
}

pub(crate) fn explain_metadata(session: &Session, side: Side, part: MetadataPart) -> Option<Fields> {
    let metadata = side.metadata(session)?;
    let title = Place::Metadata(side, part).to_string();
    match part {
        MetadataPart::Root => {
            let slice = metadata.root.region.at(metadata.root.span).ok()?;
            Some(Fields::explain(title, slice, |cursor| root::explain(cursor), |_, _| None))
        }
        MetadataPart::TablesHeader => {
            let stream = metadata.root.table_stream()?;
            let slice = stream.region.at(metadata.tables.header).ok()?;
            Some(Fields::explain(
                title,
                slice,
                |cursor| tables::explain_header(cursor),
                |_, field| table_meaning(session, side, field),
            ))
        }
        MetadataPart::PdbStream => {
            let stream = metadata.root.stream("#Pdb")?;
            let decode = |cursor: &mut _| PdbStream::decode(cursor).map(drop);
            Some(Fields::explain(title, stream.region.slice(), decode, |_, field| {
                if field.name() == "entry point" {
                    let method = pdblens_formats::metadata::Token(field.value.number()? as u32);
                    return Some(Meaning::to(session.method_name(method), Place::of_method(method)));
                }
                table_meaning(session, Side::Image, field)
            }))
        }
        MetadataPart::Stream(index) => {
            let stream = metadata.root.streams.get(index as usize)?;
            let slice = metadata.root.region.at(stream.header).ok()?;
            let decode = |cursor: &mut _| root::explain_stream_header(cursor);
            Some(Fields::explain(format!("{title} · {}", stream.name), slice, decode, |_, _| None))
        }
        MetadataPart::Streams => None,
    }
}

pub(crate) fn slice_of(session: &Session, side: Side, span: Span) -> Option<Slice<'_>> {
    side.metadata(session)?.root.region.at(span).ok()
}

/// Row counts lead to the tables, with the widths of their rows; masks name the tables of their bits, heap sizes the widths of
/// indexes.
pub(crate) fn table_meaning(session: &Session, side: Side, field: &Field) -> Option<Meaning> {
    let number = field.value.number()?.cast_unsigned();
    match field.name() {
        "valid" | "sorted" | "referenced type system tables" => {
            let bits: Vec<BitMeaning> = TableId::all()
                .filter(|table| number >> table.0 & 1 == 1)
                .map(|table| BitMeaning {
                    mask: 1 << table.0,
                    text: format!("table 0x{:02x} {}", table.0, table.name()),
                    to: Some(Place::Table(side, table)),
                })
                .collect();
            Some(Meaning::text(count(bits.len() as u64, "table")).with_bits(bits))
        }
        "heap sizes" if number & !7 == 0 => {
            let one = |(mask, heap): (u64, &str)| {
                let bytes = if number & mask == 0 { 2 } else { 4 };
                BitMeaning { mask, text: format!("an index into {heap} takes {bytes} bytes"), to: None }
            };
            let heaps = [(1, "#Strings"), (2, "#GUID"), (4, "#Blob")];
            let wide: Vec<&str> = heaps.iter().filter(|(mask, _)| number & mask != 0).map(|(_, heap)| *heap).collect();
            let text = match wide.as_slice() {
                [] => "indexes into heaps take 2 bytes".to_owned(),
                wide => format!("indexes into {} take 4 bytes", wide.join(", ")),
            };
            Some(Meaning::text(text).with_bits(heaps.into_iter().map(one).collect()))
        }
        name => {
            let table = TableId::named(name)?;
            let found = side.metadata(session)?.table(table);
            let widths = (0..found.columns().len()).filter_map(|column| found.cell_span(1, column).ok());
            let widths: Vec<String> = widths.map(|cell| cell.len.to_string()).collect();
            let row = match widths.as_slice() {
                [] => String::new(),
                widths => format!(", {} bytes each: {}", found.row_size(), widths.join(" + ")),
            };
            Some(Meaning::to(format!("rows of table 0x{:02x}{row}", table.0), Place::Table(side, table)))
        }
    }
}

pub(crate) fn root_facts(session: &Session, side: Side) -> Option<Fields> {
    let root = &side.metadata(session)?.root;
    let mut facts = Facts::new(format!("{side}metadata"));
    facts.bytes(session, root.region.span());
    facts.fact("version", root.version.as_str()).to(Place::Metadata(side, MetadataPart::Root));
    facts.group(count(root.streams.len() as u64, "stream"));
    for (index, stream) in root.streams.iter().enumerate() {
        let place = Place::Metadata(side, MetadataPart::Stream(index as u16));
        let row = facts.fact(stream.name.as_str(), stream.size).at(stream.region.span()).to(place);
        row.mean(format!("bytes at {:#x}", stream.region.span().start));
    }
    facts.done()
}

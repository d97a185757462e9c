//! Every place of every sample: its fields tile its bytes, every field is explained, every link leads somewhere.

use pdblens::nodes;
use pdblens::nodes::code_unit::CodeUnit;
use pdblens::nodes::document;
use pdblens::nodes::function::NativeView;
use pdblens::nodes::method::MethodView;
use pdblens::nodes::stream::PdbView;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::support::samples::samples;
use pdblens::bytes::Span;
use pdblens::nodes::fields::{FieldRow, Fields};
use pdblens::nodes::rows::{Rows, Tone};
use pdblens::nodes::{FunctionPart, MdbTable, MetadataPart, MethodPart, PePart, Side};
use pdblens::nodes::{Heap, Place, TableId, Token};
use pdblens::session::Session;

/// Failures, one a line; only the first few are printed.
#[derive(Default)]
struct Wrong(BTreeSet<String>);

impl Wrong {
    fn unless(&mut self, right: bool, sentence: impl FnOnce() -> String) {
        if !right {
            self.0.insert(sentence());
        }
    }

    fn assert_none(&self, what: &str) {
        let shown: Vec<&str> = self.0.iter().take(30).map(String::as_str).collect();
        assert!(self.0.is_empty(), "{what}: {} things are wrong\n{}", self.0.len(), shown.join("\n"));
    }
}

/// Every sample, opened as `pdblens FILE` opens it, and each of its files with nothing beside it.
pub(super) fn sessions() -> Vec<(String, Session)> {
    let mut sessions = Vec::new();
    for sample in samples() {
        sessions.push((sample.name.clone(), Session::open(std::slice::from_ref(&sample.image)).unwrap()));
        for file in sample.files().into_iter().filter(|_| sample.symbols.is_some()) {
            let name = format!("{} of {} alone", file.file_name().unwrap().display(), sample.name);
            let bytes = std::fs::read(&file).unwrap();
            sessions.push((name, Session::from_bytes(vec![(file, bytes)]).unwrap()));
        }
    }
    sessions
}

/// Every place that can be asked of a session, whether or not a list leads there.
fn every_place(session: &Session) -> Vec<Place> {
    let mut places: Vec<Place> =
        "overview findings places pe tables heaps methods documents streams pages header parts directory modules functions \
                                  types ids publics globals section-map contributions names"
            .split(' ')
            .map(|word| word.parse().unwrap())
            .collect();
    if let Some(image) = session.image() {
        use PePart::{Cli, Coff, Debug, DebugDirectory, Directories, Directory, Dos, Optional, Section, Sections};
        use PePart::{DelayImports, Exports, Imports, Manifest, Resources, Rich, Version};
        places.extend([Dos, Coff, Optional, Directories, Sections, Cli, DebugDirectory].map(Place::PePart));
        let tables = [Imports, DelayImports, Exports, Resources, Version, Manifest, Rich].map(Place::PePart);
        places.extend(tables.into_iter().filter(|place| nodes::rows(session, *place).is_some()));
        places.extend((0..image.pe.directories.len()).map(|index| Place::PePart(Directory(index as u8))));
        places.extend((0..image.pe.sections.len()).map(|index| Place::PePart(Section(index as u16))));
        places.extend((0..image.pe.debug.len()).map(|index| Place::PePart(Debug(index as u16))));
    }
    for (side, metadata) in Side::loaded(session) {
        use MetadataPart::{PdbStream, Root, Stream, Streams, TablesHeader};
        places.extend([Root, Streams, TablesHeader, PdbStream].map(|part| Place::Metadata(side, part)));
        let streams = metadata.root.streams.len();
        places.extend((0..streams).map(|index| Place::Metadata(side, Stream(index as u16))));
        for table in TableId::all() {
            places.push(Place::Table(side, table));
            places.extend((1..=metadata.rows(table)).map(|row| Place::Row(side, table, row)));
        }
        for heap in Heap::ALL {
            places.push(Place::Heap(side, heap));
            let entries = metadata.heaps.entries(heap);
            places.extend(entries.map(|(offset, _)| Place::HeapEntry(side, heap, offset)));
        }
    }
    for method in (1..=session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row)) {
        use MethodPart::{Body, Il, Instruction, Point, Points, Region, Regions, Scopes};
        places.push(Place::Method(method));
        let view = MethodView::of(session, method);
        let regions = view.body.as_ref().map_or(0, |body| body.regions.len());
        let parts = [Points, Il, Body, Regions, Scopes].into_iter();
        let parts = parts
            .chain((1..=view.points.len()).map(|number| Point(number as u32)))
            .chain(view.instructions.iter().map(|(offset, _)| Instruction(*offset)))
            .chain((0..regions).map(|number| Region(number as u32)));
        places.extend(parts.map(|part| Place::MethodPart(method, part)));
    }
    for function in NativeView::of(session).iter().flat_map(NativeView::functions) {
        use FunctionPart::{Code, CodeAt, Line, Lines, Symbol, Symbols};
        let rva = NativeView::of(session).unwrap().rva_of(function).unwrap();
        let view = MethodView::of(session, CodeUnit::Function(rva));
        let parts = [Lines, Code, Symbols].into_iter();
        let parts = parts
            .chain((1..=view.points.len()).map(|number| Line(number as u32)))
            .chain(view.points.iter().map(|point| CodeAt(point.offset)))
            .chain(view.records.iter().map(|symbol| Symbol(symbol.at)));
        places.extend(parts.map(|part| Place::FunctionPart(rva, part)));
    }
    places.extend(MdbTable::ALL.map(Place::Mdb));
    let documents = session.symbols().map_or(0, pdblens::symbols::SymbolReader::documents);
    places.extend((1..=documents).map(Place::Document));
    places
}

/// Walks every place, and those that these lead to.
pub(super) fn walk(session: &Session, mut visit: impl FnMut(Place, Option<&Rows<'_>>, Option<&Fields>)) {
    let mut open = every_place(session);
    let mut seen: HashSet<Place> = open.iter().copied().collect();
    while let Some(place) = open.pop() {
        let (rows, fields) = (nodes::rows(session, place), nodes::fields(session, place));
        let mut found: Vec<Place> = Vec::new();
        for row in rows.iter().flat_map(Rows::iter) {
            found.extend(row.place);
            found.extend(row.cells.iter().filter_map(|cell| cell.to));
        }
        found.extend(fields.iter().flat_map(|fields| fields.rows.iter().filter_map(|row| row.to)));
        open.extend(found.into_iter().filter(|place| seen.insert(*place)));
        visit(place, rows.as_ref(), fields.as_ref());
    }
}

/// Returns whether all of `span` is in its space.
fn is_there(session: &Session, span: Span) -> bool {
    session.spaces().get(span.space).is_some_and(|space| span.end() <= space.len())
}

/// Bytes of each record that explains a place; there can be two.
fn records(session: &Session, place: Place, fields: &Fields) -> Vec<Span> {
    match place {
        Place::Method(method) => {
            let rows = [(Side::Image, TableId::METHOD_DEF), (Side::Pdb, TableId::METHOD_DEBUG_INFORMATION)];
            let spans = rows
                .into_iter()
                .filter_map(|(side, table)| side.metadata(session)?.table(table).row_span(method.row()).ok());
            let procedure = PdbView::of(session).filter(|view| view.native.is_none()).and_then(|view| {
                let entry = view.pdb.method_index(view.spaces).get(method.0)?;
                let stream = view.pdb.modules()[entry.module as usize].stream()?;
                nodes::fields(session, Place::Record(stream, entry.symbol)).map(|fields| fields.span)
            });
            Some(spans.chain(procedure).collect::<Vec<Span>>())
                .filter(|spans| !spans.is_empty())
                .unwrap_or(vec![fields.span])
        }
        Place::PePart(PePart::Debug(index)) => {
            let entry = &session.image().unwrap().pe.debug[index as usize];
            [entry.header.span].into_iter().chain(entry.data).collect()
        }
        // What the loader finds by addresses stands apart: a descriptor, a name, a slot.
        Place::PePart(
            PePart::Import(_) | PePart::DelayImport(_) | PePart::Export(_) | PePart::Exports | PePart::Resource(_),
        ) => fields.rows.iter().map(|row| row.span).collect(),
        // Custom debug information and documents are unfolded: the value and the hash stand apart from the row.
        Place::Document(_) if Side::Pdb.metadata(session).is_some() => {
            let groups = fields.rows.iter().filter(|row| row.group && row.depth == 0).map(|row| row.span);
            groups.collect()
        }
        Place::Row(_, TableId::CUSTOM_DEBUG_INFORMATION | TableId::DOCUMENT, _) => {
            let groups = fields.rows.iter().filter(|row| row.group && row.depth == 0).map(|row| row.span);
            [fields.span].into_iter().chain(groups.filter(|span| *span != fields.span)).collect()
        }
        // In a Windows PDB the columns of a point stand apart from its lines, and the checksums of a document from its name.
        Place::MethodPart(_, MethodPart::Point(_))
        | Place::MdbRow(..)
        | Place::FunctionPart(_, FunctionPart::Line(_))
        | Place::Document(_)
            if Side::Pdb.metadata(session).is_none() =>
        {
            let parts = fields.rows.iter().filter(|row| row.group && row.depth == 0).map(|row| row.span);
            Some(parts.collect::<Vec<Span>>()).filter(|parts| !parts.is_empty()).unwrap_or(vec![fields.span])
        }
        _ => vec![fields.span],
    }
}

/// Leaves follow each other without gap or overlap, and groups span what is in them.
fn tiles(wrong: &mut Wrong, session: &Session, place: Place, fields: &Fields) {
    let records = records(session, place, fields);
    let mut leaves = fields.leaves().filter(|leaf| !leaf.span.is_empty()).peekable();
    for record in records.iter().filter(|record| !record.is_empty()) {
        let mut at = record.start;
        while let Some(leaf) = leaves.next_if(|leaf| record.covers(leaf.span)) {
            wrong.unless(leaf.span.start == at, || {
                format!("{place}: {} is at {:#x}, not {at:#x}", leaf.name, leaf.span.start)
            });
            at = leaf.span.end();
        }
        wrong.unless(at == record.end(), || format!("{place}: ends at {at:#x}, not {:#x}", record.end()));
        wrong.unless(is_there(session, *record), || format!("{place}: {record:?} is not in its space"));
    }
    wrong.unless(leaves.next().is_none(), || format!("{place}: more fields than bytes"));
    for (index, group) in fields.rows.iter().enumerate().filter(|(_, row)| row.group) {
        let inside = fields.rows[index + 1..].iter().take_while(|row| row.depth > group.depth);
        let ends: Vec<Span> = inside.filter(|row| !row.group).map(|row| row.span).collect();
        if let (Some(first), Some(last)) = (ends.first(), ends.last()) {
            wrong.unless(group.span == first.to(*last), || {
                format!("{place}: the group {} spans what it has not", group.name)
            });
        }
    }
}

#[test]
fn fields_tile_their_bytes() {
    for (name, session) in sessions() {
        let (mut wrong, mut explained) = (Wrong::default(), 0);
        walk(&session, |place, _, fields| {
            let Some(fields) = fields else { return };
            explained += 1;
            wrong.unless(fields.error.is_none(), || format!("{place}: {}", fields.error.as_ref().unwrap()));
            wrong.unless(fields.rows.iter().all(|row| row.name != "not decoded"), || format!("{place}: not decoded"));
            wrong.unless(!fields.title.is_empty(), || format!("{place}: no title"));
            tiles(&mut wrong, &session, place, fields);
        });
        wrong.assert_none(&name);
        assert!(explained > 0, "{name}: {explained}");
    }
}

#[test]
fn entries_tile_their_heap() {
    let mut count = 0;
    for (name, session) in sessions() {
        for (side, metadata) in Side::loaded(&session) {
            for heap in Heap::ALL {
                let mut at = metadata.heaps.get(heap).span().start;
                for (offset, span) in metadata.heaps.entries(heap) {
                    assert_eq!(span.start, at, "{name} {side}{heap:?} {offset:#x}");
                    at = span.end();
                    count += 1;
                }
                assert_eq!(at, metadata.heaps.get(heap).span().end(), "{name} {side}{heap:?}");
            }
        }
    }
    assert!(count > 5000, "{count}");
}

#[test]
fn every_field_is_explained() {
    let (mut wrong, mut seen) = (Wrong::default(), HashSet::new());
    for (_, session) in sessions() {
        walk(&session, |place, _, fields| {
            let mut groups: Vec<&str> = Vec::new();
            for FieldRow { name, depth, group, meaning, about, .. } in fields.iter().flat_map(|fields| &fields.rows) {
                groups.truncate(*depth as usize);
                let record = groups.last().copied().unwrap_or_default();
                let explained = if *group { !about.is_empty() } else { !about.is_empty() || !meaning.is_empty() };
                if !explained && seen.insert((record.to_owned(), name.clone())) {
                    wrong.unless(false, || format!("({record:?}, {name:?}) has no lesson: {place}"));
                }
                if *group {
                    groups.push(name);
                }
            }
        });
    }
    wrong.assert_none("all samples");
}

/// True if the target of a link shows something, though it is neither a list nor a record.
fn is_shown(session: &Session, place: Place) -> bool {
    match place {
        Place::Bytes(span) => is_there(session, span) && !span.is_empty(),
        Place::Line(document, line) => line > 0 && document::name(session, document).is_some(),
        // Strict as soon as there is a list of streams.
        place => place.to_string().starts_with("stream") && nodes::rows(session, Place::Streams).is_none(),
    }
}

#[test]
fn every_link_has_a_target_and_every_place_parses_back() {
    for (name, session) in sessions() {
        let (mut wrong, mut there, mut links) = (Wrong::default(), HashSet::new(), HashMap::new());
        walk(&session, |place, rows, fields| {
            if rows.is_some() || fields.is_some() {
                there.insert(place);
            }
            for (index, row) in rows.iter().flat_map(|rows| rows.iter()).enumerate() {
                let to = row.cells.iter().filter_map(|cell| cell.to).chain(row.place);
                links.extend(to.map(|to| (to, format!("{place}, row {index}"))));
            }
            for row in fields.iter().flat_map(|fields| &fields.rows) {
                links.extend(row.to.map(|to| (to, format!("{place}, {}", row.name))));
            }
        });
        for (to, from) in &links {
            let leads = there.contains(to) || is_shown(&session, *to);
            wrong.unless(leads, || format!("{from} leads to {to}, where nothing is"));
        }
        for place in every_place(&session).into_iter().chain(links.into_keys()) {
            let text = place.to_string();
            wrong.unless(text.parse() == Ok(place), || format!("{text} parses as {:?}", text.parse::<Place>()));
            wrong.unless(nodes::resolve(&session, &text) == Ok(place), || {
                format!("{text} is {:?}", nodes::resolve(&session, &text))
            });
        }
        wrong.assert_none(&name);
    }
}

#[test]
fn rows_have_a_cell_a_column_and_their_bytes_are_there() {
    for (name, session) in sessions() {
        let mut wrong = Wrong::default();
        walk(&session, |place, rows, _| {
            let Some(rows) = rows else { return };
            wrong.unless(rows.iter().count() == rows.len, || format!("{place}: not {} rows", rows.len));
            for (index, row) in rows.iter().enumerate() {
                let cells = row.cells.len();
                wrong.unless(cells == rows.columns.len(), || format!("{place}: row {index} has {cells} cells"));
                let there = row.span.is_none_or(|span| is_there(&session, span));
                wrong.unless(there, || format!("{place}: row {index} has no bytes"));
                let bad = row.cells.iter().find(|cell| cell.tone == Tone::Bad);
                wrong.unless(bad.is_none(), || format!("{place}: row {index} says {}", bad.unwrap().text));
            }
        });
        wrong.assert_none(&name);
    }
}

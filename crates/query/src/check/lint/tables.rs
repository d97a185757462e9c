//! Rules about tables: sorted rows, references to other rows, documents, scopes and custom debug information.

use std::collections::HashMap;
use std::ops::Range;

use super::Portable;
use crate::check::{Grade, Report};
use pdblens_formats::bytes::Resource;
use pdblens_formats::metadata::schema::HAS_CUSTOM_DEBUG_INFORMATION;
use pdblens_formats::metadata::{ColumnKind, TableId};
use pdblens_formats::portable::constant::Constant;
use pdblens_formats::portable::custom::{self, CustomKind};
use pdblens_formats::portable::imports;
use pdblens_nodes::{MetadataPart, Place, Side};
use pdblens_session::store::digest::Algorithm;
use pdblens_session::symbols::document_name;
use pdblens_session::text::safe::utf8;

const DOCUMENT: TableId = TableId::DOCUMENT;
const SCOPE: TableId = TableId::LOCAL_SCOPE;
const VARIABLE: TableId = TableId::LOCAL_VARIABLE;
const CONSTANT: TableId = TableId::LOCAL_CONSTANT;
const CUSTOM: TableId = TableId::CUSTOM_DEBUG_INFORMATION;

pub(crate) fn debug_only(portable: &Portable<'_>, report: &mut Report) {
    for table in portable.pdb.tables.present().filter(|table| !table.id.is_debug()) {
        // Edit and continue keeps its log and its map in the PDB too.
        let (grade, sentence) = if matches!(table.id, TableId::ENC_LOG | TableId::ENC_MAP) {
            (Grade::Note, "belongs to a hot-reload delta: open it after the PDB that it changes")
        } else {
            (Grade::Finding, "is a table of images, not of PDBs")
        };
        let sentence = format!("{} {sentence}", table.id.name());
        report.at(grade, sentence, Some(Place::Table(Side::Pdb, table.id)), Some(table.span()));
    }
}

/// A table's key, in words; and the columns it is made of, with whether they fall instead of rise.
type TableKey = (TableId, &'static str, &'static [(usize, bool)]);

const KEYS: [TableKey; 3] = [
    (TableId::LOCAL_SCOPE, "method, start offset and falling length", &[(0, false), (4, false), (5, true)]),
    (TableId::STATE_MACHINE_METHOD, "MoveNext method", &[(0, false)]),
    (TableId::CUSTOM_DEBUG_INFORMATION, "parent", &[(0, false)]),
];

pub(crate) fn sorted(portable: &Portable<'_>, report: &mut Report) {
    for (id, words, columns) in KEYS {
        let table = portable.pdb.table(id);
        if table.rows() > 0 && !table.is_sorted() {
            let place = Place::Metadata(Side::Pdb, MetadataPart::TablesHeader);
            report.at(Grade::Note, format!("{} is not marked as sorted", id.name()), Some(place), Some(table.span()));
        }
        let key = |row: u32| {
            columns.iter().map(move |(column, falls)| {
                let cell = table.column(*column).get(row).unwrap_or(0);
                if *falls { !cell } else { cell }
            })
        };
        for row in 2..=table.rows() {
            if key(row).lt(key(row - 1)) {
                portable.row(report, id, row, format!("{} is not sorted by {words}", id.name()));
            }
        }
    }
}

/// Columns in which a nil row is no row at all.
const NEVER_NIL: [(TableId, usize); 6] = [
    (TableId::LOCAL_SCOPE, 0),
    (TableId::LOCAL_SCOPE, 2),
    (TableId::LOCAL_SCOPE, 3),
    (TableId::STATE_MACHINE_METHOD, 0),
    (TableId::STATE_MACHINE_METHOD, 1),
    (TableId::CUSTOM_DEBUG_INFORMATION, 0),
];

/// Columns that name the first of a run of rows, which may be the one after the last.
const RUNS: [(TableId, usize); 2] = [(TableId::LOCAL_SCOPE, 2), (TableId::LOCAL_SCOPE, 3)];

pub(crate) fn indexes(portable: &Portable<'_>, report: &mut Report) {
    for table in portable.pdb.tables.present().filter(|table| table.id.is_debug()) {
        for (column, def) in table.columns().iter().enumerate() {
            if !matches!(def.kind, ColumnKind::Row(_) | ColumnKind::Coded(_)) {
                continue;
            }
            let cells = table.column(column);
            for row in 1..=table.rows() {
                let Some(value) = cells.get(row) else { continue };
                let (target, index) = match def.kind {
                    ColumnKind::Row(target) => (target, value),
                    ColumnKind::Coded(coded) => {
                        let Some(found) = coded.decode(value) else {
                            let sentence = format!("{} {value:#x} selects no table", def.name);
                            portable.cell(report, (table.id, row, column), sentence);
                            continue;
                        };
                        found
                    }
                    _ => continue,
                };
                if index == 0 {
                    // F# writes nil for the start of a run in a table that is empty.
                    let is_empty_run = RUNS.contains(&(table.id, column)) && portable.rows(target) == 0;
                    if NEVER_NIL.contains(&(table.id, column)) && !is_empty_run {
                        portable.cell(report, (table.id, row, column), format!("{} must not be nil", def.name));
                    }
                    continue;
                }
                let surplus = u32::from(RUNS.contains(&(table.id, column)));
                let rows = portable.rows(target);
                // Without an image, of a table that the #Pdb stream does not count nothing is known.
                let unknown = rows == 0 && !target.is_debug() && portable.image.is_none();
                if index > rows.saturating_add(surplus) && !unknown {
                    let sentence = format!("{} names row {index} of {}, which has {rows}", def.name, target.name());
                    portable.cell(report, (table.id, row, column), sentence);
                }
            }
        }
    }
}

pub(crate) fn method_rows(portable: &Portable<'_>, report: &mut Report) {
    let (have, wanted) = (portable.pdb.rows(TableId::METHOD_DEBUG_INFORMATION), portable.rows(TableId::METHOD_DEF));
    let known = portable.image.is_some() || portable.stream.is_some();
    let is_delta = portable.pdb.rows(TableId::ENC_MAP) > 0;
    if known && have != 0 && have != wanted && !is_delta {
        let sentence = format!("MethodDebugInformation has {have} rows, MethodDef has {wanted}");
        let span = portable.pdb.table(TableId::METHOD_DEBUG_INFORMATION).span();
        report.finding(sentence, Place::Table(Side::Pdb, TableId::METHOD_DEBUG_INFORMATION), Some(span));
    }
}

pub(crate) fn pdb_stream(portable: &Portable<'_>, report: &mut Report) {
    let (Some(stream), Some(image)) = (&portable.stream, portable.session.image()) else { return };
    // Native code, such as a launcher, has no rows that the stream could repeat.
    let Some(metadata) = &image.metadata else { return };
    let place = Place::Metadata(Side::Pdb, MetadataPart::PdbStream);
    let span = portable.pdb.root.stream("#Pdb").map(|stream| stream.region.span());
    let said = stream.rows.iter().zip(0..).map(|(said, number)| (*said, TableId(number)));
    let mut differing =
        said.filter(|(said, table)| stream.referenced >> table.0 & 1 == 1 && *said != metadata.rows(*table));
    // An image that was merged from several differs in most tables.
    if let Some((said, table)) = differing.next() {
        let (name, rows) = (table.name(), metadata.rows(table));
        let more = match differing.count() {
            0 => String::new(),
            others => format!(" (and {others} more like it: the image was merged or rewritten after compilation)"),
        };
        report.finding(format!("the #Pdb stream says {said} rows of {name}, the image has {rows}{more}"), place, span);
    }
    // With this flag the entry point is native code.
    let entry = image.pe.cli.as_ref().filter(|cli| cli.flags & 0x10 == 0).map_or(0, |cli| cli.entry_point_token);
    if stream.entry_point.0 != entry {
        let sentence = format!("the entry point is {} here and 0x{entry:08x} in the image", stream.entry_point);
        report.finding(sentence, place, span.map(|span| span.part(20, 4)));
    }
}

pub(crate) fn state_machines(portable: &Portable<'_>, report: &mut Report) {
    let id = TableId::STATE_MACHINE_METHOD;
    let table = portable.pdb.table(id);
    for (column, what) in [(0, "body"), (1, "kickoff")] {
        let mut seen = HashMap::new();
        for row in 1..=table.rows() {
            let Some(method) = table.column(column).get(row) else { continue };
            if let Some(first) = seen.insert(method, row) {
                let sentence =
                    format!("method 0x06{method:06x} is the {what} of another state machine too, in row {first}");
                portable.cell(report, (id, row, column), sentence);
            }
        }
    }
}

pub(crate) fn imports(portable: &Portable<'_>, report: &mut Report) {
    let id = TableId::IMPORT_SCOPE;
    let table = portable.pdb.table(id);
    // 0: not looked at; 1: on the way up from here; 2: leads to the top.
    let mut states = vec![0_u8; table.rows() as usize + 1];
    for row in 1..=table.rows() {
        match portable.pdb.blob_cell(id, row, 1) {
            Ok(blob) => {
                if let Err(error) = imports::decode(&mut blob.cursor(), |_| {}) {
                    report.error(&error, Place::Row(Side::Pdb, id, row));
                }
            }
            Err(error) => report.error(&error, Place::Row(Side::Pdb, id, row)),
        }
        let (mut path, mut at) = (Vec::new(), row);
        while let Some(state) = states.get_mut(at as usize).filter(|state| at != 0 && **state == 0) {
            *state = 1;
            path.push(at);
            at = table.column(0).get(at).unwrap_or(0);
        }
        if at != 0 && states.get(at as usize) == Some(&1) {
            portable.cell(report, (id, at, 0), "an import scope that contains itself");
        }
        for step in path {
            if let Some(state) = states.get_mut(step as usize) {
                *state = 2;
            }
        }
    }
}

pub(crate) fn document_names(portable: &Portable<'_>, report: &mut Report) {
    let table = portable.pdb.table(DOCUMENT);
    for row in 1..=table.rows() {
        if table.column(0).get(row) == Some(0) {
            portable.cell(report, (DOCUMENT, row, 0), "the name of a document must not be nil");
        } else if let Err(error) = document_name(portable.pdb, row) {
            report.error(&error, Place::Row(Side::Pdb, DOCUMENT, row));
        }
    }
}

pub(crate) fn unique_documents(portable: &Portable<'_>, report: &mut Report) {
    // A few bytes of a file can stand for any number of names.
    let (mut seen, mut share) = (HashMap::new(), portable.session.spaces().budget().share(Resource::Names));
    let rows = portable.pdb.rows(DOCUMENT);
    for row in 1..=rows {
        let Ok(name) = document_name(portable.pdb, row) else { continue };
        if !share.take(name.len() as u64) {
            let count = u64::from(rows - row) + 1;
            return share.leave_out("names of documents to compare", format!("document {row}"), Some(count));
        }
        if let Some(first) = seen.get(&name) {
            portable.cell(report, (DOCUMENT, row, 0), format!("document {first} is called {name} too"));
        } else {
            seen.insert(name, row);
        }
    }
}

pub(crate) fn document_hashes(portable: &Portable<'_>, report: &mut Report) {
    let table = portable.pdb.table(DOCUMENT);
    for row in 1..=table.rows() {
        let algorithm = portable.pdb.guid_cell(table.id, row, 1);
        let hash = portable.pdb.blob_cell(DOCUMENT, row, 2);
        let place = Place::Row(Side::Pdb, DOCUMENT, row);
        match (algorithm, hash) {
            (Err(error), _) | (_, Err(error)) => report.error(&error, place),
            (Ok(None), Ok(hash)) if !hash.is_empty() => {
                portable.cell(report, (DOCUMENT, row, 1), "a hash without an algorithm");
            }
            (Ok(Some(guid)), Ok(hash)) => {
                let size = Algorithm::of(guid).map(Algorithm::size);
                // F# names the algorithm where it could not read the file to hash it.
                if size.is_some_and(|size| !hash.is_empty() && hash.len() != size as u64) {
                    let sentence =
                        format!("the hash has {} bytes, but its algorithm produces {}", hash.len(), size.unwrap_or(0));
                    report.finding(sentence, place, Some(hash.span()));
                }
            }
            _ => {}
        }
    }
}

/// The run of rows that each scope owns. Runs that overlap are another rule's finding: no more rows come than there are.
fn runs(portable: &Portable<'_>, column: usize, owned: TableId) -> impl Iterator<Item = Range<u32>> {
    let mut left = portable.pdb.rows(owned);
    (1..=portable.pdb.rows(SCOPE)).map_while(move |scope| {
        let run = portable.pdb.list(SCOPE, scope, column, owned);
        left = left.checked_sub(run.end.saturating_sub(run.start))?;
        Some(run)
    })
}

pub(crate) fn unique_variables(portable: &Portable<'_>, report: &mut Report) {
    let table = portable.pdb.table(VARIABLE);
    let (mut slots, mut names) = (HashMap::new(), HashMap::new());
    for run in runs(portable, 2, VARIABLE).filter(|run| run.len() > 1) {
        slots.clear();
        names.clear();
        for row in run {
            if let Some(first) = table.column(1).get(row).and_then(|slot| slots.insert(slot, row)) {
                let sentence = format!("variable {first} of the same scope has this slot too");
                portable.cell(report, (VARIABLE, row, 1), sentence);
            }
            let Ok(name) = portable.pdb.string_cell(VARIABLE, row, 2) else { continue };
            if let Some(first) = names.insert(name.data, row) {
                let sentence = format!("variable {first} of the same scope is called {} too", utf8(name.data));
                portable.cell(report, (VARIABLE, row, 2), sentence);
            }
        }
    }
}

pub(crate) fn unique_constants(portable: &Portable<'_>, report: &mut Report) {
    let mut names = HashMap::new();
    for run in runs(portable, 3, CONSTANT).filter(|run| run.len() > 1) {
        names.clear();
        for row in run {
            let Ok(name) = portable.pdb.string_cell(CONSTANT, row, 0) else { continue };
            if let Some(first) = names.insert(name.data, row) {
                let sentence = format!("constant {first} of the same scope is called {} too", utf8(name.data));
                portable.cell(report, (CONSTANT, row, 0), sentence);
            }
        }
    }
}

pub(crate) fn constant_signatures(portable: &Portable<'_>, report: &mut Report) {
    for row in 1..=portable.pdb.rows(CONSTANT) {
        let read =
            portable.pdb.blob_cell(CONSTANT, row, 1).and_then(|blob| Constant::decode(&mut blob.cursor()).map(drop));
        if let Err(error) = read {
            report.error(&error, Place::Row(Side::Pdb, CONSTANT, row));
        }
    }
}

/// Rows before the first run belong to no scope; and the starts of runs must ascend, or rows between them belong to none either.
pub(crate) fn local_owners(portable: &Portable<'_>, report: &mut Report) {
    let scopes = portable.pdb.table(SCOPE);
    for (column, owned) in [(2, VARIABLE), (3, CONSTANT)] {
        let rows = portable.pdb.rows(owned);
        if rows == 0 {
            continue;
        }
        let mut next = 1;
        for scope in 1..=scopes.rows() {
            let first = scopes.column(column).get(scope).unwrap_or(0);
            if first < next {
                let sentence = format!("the run of {} begins before that of the previous scope", owned.name());
                portable.cell(report, (SCOPE, scope, column), sentence);
            }
            if scope == 1 && first > 1 {
                portable.row(report, owned, 1, format!("{} is in no scope", owned.name()));
            }
            next = next.max(first);
        }
        if scopes.rows() == 0 {
            portable.row(report, owned, 1, format!("{} is in no scope: there are none", owned.name()));
        }
    }
}

pub(crate) fn custom_kinds(portable: &Portable<'_>, report: &mut Report) {
    let table = portable.pdb.table(CUSTOM);
    for row in 1..=table.rows() {
        let place = Place::Row(Side::Pdb, CUSTOM, row);
        let guid = match portable.pdb.guid_cell(table.id, row, 1) {
            Ok(Some(guid)) => guid,
            Ok(None) => {
                portable.cell(report, (CUSTOM, row, 1), "custom debug information without a kind");
                continue;
            }
            Err(error) => {
                report.error(&error, place);
                continue;
            }
        };
        let parent = table.cell(row, 0).ok().and_then(|cell| HAS_CUSTOM_DEBUG_INFORMATION.decode(cell));
        match (CustomKind::of(guid), parent) {
            (Some(kind), Some((parent, _))) if !kind.parents.contains(&parent) => {
                let sentence = format!("{} cannot belong to a row of {}", kind.name, parent.name());
                portable.cell(report, (CUSTOM, row, 0), sentence);
            }
            (None, _) => {
                let span = table.cell_span(row, 1).ok();
                report.at(Grade::Note, format!("kind {guid} is not known"), Some(place), span);
            }
            _ => {}
        }
    }
}

pub(crate) fn custom_values(portable: &Portable<'_>, report: &mut Report) {
    let table = portable.pdb.table(CUSTOM);
    for row in 1..=table.rows() {
        let Ok(Some(guid)) = portable.pdb.guid_cell(table.id, row, 1) else { continue };
        let read = portable.pdb.blob_cell(CUSTOM, row, 2).and_then(|blob| custom::validate(guid, blob));
        if let Err(error) = read {
            report.error(&error, Place::Row(Side::Pdb, CUSTOM, row));
        }
    }
}

pub(crate) fn unique_customs(portable: &Portable<'_>, report: &mut Report) {
    let table = portable.pdb.table(CUSTOM);
    let mut seen = HashMap::new();
    for row in 1..=table.rows() {
        let (Some(parent), Some(kind)) = (table.column(0).get(row), table.column(1).get(row)) else { continue };
        if let Some(first) = seen.insert((parent, kind), row) {
            portable.row(report, CUSTOM, row, format!("row {first} has the same parent and kind"));
        }
    }
}

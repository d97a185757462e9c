//! The blobs of the sample portable PDBs against what System.Reflection.Metadata says of them.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use pdblens::bytes::{Cursor, Field, Guid, Recording, Region, Result, Slice, SpaceId, Value};
use pdblens::formats::inflate::inflate;
use pdblens::formats::metadata::{TableId, Token};
use pdblens::formats::pe::{Payload, Pe};
use pdblens::formats::portable::PortablePdb;
use pdblens::formats::portable::constant::Constant;
use pdblens::formats::portable::custom::embedded_source::Format;
use pdblens::formats::portable::custom::{self, CustomKind};
use pdblens::formats::portable::document::DocumentName;
use pdblens::formats::portable::imports::{self, Import};
use pdblens::formats::portable::pdb_stream::PdbStream;
use pdblens::formats::portable::points::{self, Points, Records};
use pdblens::formats::sequence_point::SequencePoint;
use pdblens::source::source_link::SourceLinkMap;
use pdblens::text::constant::constant_text;
use serde_json::Value as Json;

/// Each portable sample: its oracle's answer, and where the PDB is.
const SAMPLES: &[(&str, &str)] = &[
    ("faults", "Faults.pdb"),
    ("faults-release", "Faults.pdb"),
    ("ledger", "Ledger.pdb"),
    ("shapes", "Shapes.pdb"),
    ("shapes-embedded", "Shapes.dll"),
    ("ticker", "Ticker.pdb"),
    ("ticker-embedded", "Ticker.dll"),
    ("ticker-release", "Ticker.pdb"),
    ("ticker-sha1", "Ticker.pdb"),
    ("workshop", "Workshop.pdb"),
    ("workshop-embedded", "Workshop.dll"),
    ("workshop-release", "Workshop.pdb"),
    ("workshop-roslyn3", "Workshop.pdb"),
];

struct Sample {
    name: &'static str,
    pdb: PortablePdb,
    oracle: Json,
}

fn root(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn samples() -> impl Iterator<Item = Sample> {
    SAMPLES.iter().map(|(name, file)| {
        let bytes = fs::read(root("assets/samples").join(name).join(file)).unwrap();
        let mut region = Region::whole(SpaceId(0), Arc::new(bytes));
        if file.ends_with("dll") {
            let pe = Pe::parse(region.clone()).unwrap();
            let embedded = pe.debug.iter().find_map(|entry| match &entry.payload {
                Ok(Payload::EmbeddedPortablePdb(embedded)) => Some(embedded.inflate(&region, 1 << 24).unwrap()),
                _ => None,
            });
            region = Region::whole(SpaceId(1), Arc::new(embedded.unwrap()));
        }
        let oracle = fs::read_to_string(root("tests/golden/oracle").join(format!("{name}.json"))).unwrap();
        Sample { name, pdb: PortablePdb::parse(region).unwrap(), oracle: serde_json::from_str(&oracle).unwrap() }
    })
}

/// The entries of a list in an oracle's answer.
fn list<'j>(json: &'j Json, key: &str) -> &'j [Json] {
    json[key].as_array().unwrap()
}

fn number(json: &Json, key: &str) -> u32 {
    json[key].as_u64().unwrap() as u32
}

fn unhex(digits: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).unwrap() as u8;
    digits.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// Decodes `blob` with notes, whole and cut at every length: what is noted tiles what is read.
fn tile(blob: Slice<'_>, decode: impl Fn(&mut Cursor<'_, Recording>) -> Result<()>) -> Vec<Field> {
    for len in 0..blob.len() {
        let mut cursor = Cursor::recording(blob.part(0, len).unwrap());
        let _ = decode(&mut cursor);
        let read = cursor.consumed();
        tiles(&cursor.fields(), blob.start, read);
    }
    let mut cursor = Cursor::recording(blob);
    decode(&mut cursor).unwrap();
    assert!(cursor.is_done());
    let fields = cursor.fields();
    tiles(&fields, blob.start, blob.len());
    fields
}

fn tiles(fields: &[Field], start: u64, len: u64) {
    let leaves = fields.iter().filter(|field| field.value != Value::Group);
    let end = leaves.fold(start, |at, leaf| {
        assert_eq!(leaf.span.start, at, "{leaf:?}");
        leaf.span.end()
    });
    assert_eq!(end, start + len);
}

fn points_of(pdb: &PortablePdb, row: u32) -> Vec<SequencePoint> {
    match pdb.points(row).unwrap() {
        Some(points) => points.map(|point| point.unwrap()).collect(),
        None => Vec::new(),
    }
}

#[test]
fn points_match_the_oracle() {
    let mut seen = 0;
    for Sample { name, pdb, oracle } in samples() {
        for (row, method) in (1..).zip(list(&oracle, "methods")) {
            let ours: Vec<Json> = points_of(&pdb, row).iter().map(json_of).collect();
            assert_eq!(ours, list(method, "points"), "{name} {row}");
            assert!(points_of(&pdb, row).iter().all(|point| point.violations.is_none()), "{name} {row}");
            seen += ours.len();
        }
    }
    assert_eq!(seen, POINTS);
}

/// Number of points in the samples.
const POINTS: usize = 1425;

/// A point as the oracle writes it.
fn json_of(p: &SequencePoint) -> Json {
    if p.is_hidden() {
        return serde_json::json!({ "il": p.offset, "document": p.document, "hidden": true });
    }
    serde_json::json!({
        "il": p.offset, "document": p.document, "hidden": false,
        "start_line": p.start_line, "start_column": p.start_column, "end_line": p.end_line, "end_column": p.end_column,
    })
}

#[test]
fn points_tile_their_blobs_and_their_records_are_where_they_say() {
    for Sample { name, pdb, .. } in samples() {
        for row in 1..=pdb.metadata.rows(TableId::METHOD_DEBUG_INFORMATION) {
            let Some((document, blob)) = pdb.points_blob(row).unwrap() else { continue };
            let fields = tile(blob, |c| points::decode(c, document).map(drop));
            let groups = fields.iter().filter(|field| field.depth == 0).map(|field| field.span).skip(1);
            let records = Records::new(blob, document).unwrap().map(|record| record.unwrap().span(blob.span()));
            assert!(groups.eq(records), "{name} {row}");
        }
    }
}

#[test]
fn lookups_agree_with_the_list_at_every_offset() {
    for Sample { name, pdb, .. } in samples() {
        for row in 1..=pdb.metadata.rows(TableId::METHOD_DEBUG_INFORMATION) {
            let Some((document, blob)) = pdb.points_blob(row).unwrap() else { continue };
            let list: Vec<_> = Points::new(blob, document).unwrap().map(|point| point.unwrap()).collect();
            for il in 0..list.last().map_or(0, |last| last.offset + 2) {
                let found = points::find(blob, document, il);
                let before = |p: &&SequencePoint| p.offset <= il;
                assert_eq!(found.covering, list.iter().rfind(before).copied(), "{name} {row} {il}");
                assert_eq!(found.visible, list.iter().rfind(|p| before(p) && !p.is_hidden()).copied());
                assert_eq!(found.next, list.iter().find(|p| !before(p) && !p.is_hidden()).copied());
                assert_eq!(found.end, list.iter().find(|p| !before(p)).map(|p| p.offset));
                assert_eq!(found.error, None);
            }
        }
    }
}

#[test]
fn the_pdb_stream_matches_the_oracle() {
    for Sample { name, pdb, oracle } in samples() {
        let (stream, said) = (pdb.stream.as_ref().unwrap(), &oracle["pdb"]);
        assert_eq!(
            (stream.guid.to_string().as_str(), stream.stamp),
            (said["guid"].as_str().unwrap(), number(said, "stamp"))
        );
        let entry_point = said["entry_point"].as_str().map(str::to_owned);
        assert_eq!((!stream.entry_point.is_nil()).then(|| stream.entry_point.to_string()), entry_point, "{name}");
        let methods = list(&oracle, "methods").len();
        assert_eq!(stream.rows[TableId::METHOD_DEF.0 as usize] as usize, methods, "{name}");
        tile(pdb.metadata.root.stream("#Pdb").unwrap().region.slice(), |c| PdbStream::decode(c).map(drop));
    }
}

#[test]
fn document_names_match_the_oracle() {
    for Sample { name, pdb, oracle } in samples() {
        for (row, document) in (1..).zip(list(&oracle, "documents")) {
            let blob = pdb.metadata.blob_cell(TableId::DOCUMENT, row, 0).unwrap();
            let decoded = DocumentName::decode(&mut blob.cursor()).unwrap();
            let joined = decoded.join(|index| pdb.metadata.heaps.blob(index)).unwrap();
            assert_eq!(Some(joined.as_str()), document["name"].as_str(), "{name}");
            tile(blob, |c| DocumentName::decode(c).map(drop));
        }
    }
}

#[test]
fn imports_match_the_oracle() {
    let mut seen = 0;
    for Sample { name, pdb, oracle } in samples() {
        let text = |index: u32| String::from_utf8(pdb.metadata.heaps.blob(index).unwrap().data.to_vec()).unwrap();
        for (row, scope) in (1..).zip(list(&oracle, "imports")) {
            let blob = pdb.metadata.blob_cell(TableId::IMPORT_SCOPE, row, 1).unwrap();
            let mut found: Vec<Import> = Vec::new();
            imports::decode(&mut blob.cursor(), |import| found.push(import)).unwrap();
            let json = found.iter().map(|import| {
                let mut json = serde_json::json!({ "kind": import.kind as u32 });
                let assembly = import.assembly.map(|row| Token::new(TableId::ASSEMBLY_REF, row).to_string());
                for (key, value) in [
                    ("alias", import.alias.map(text)),
                    ("namespace", import.namespace.map(text)),
                    ("assembly", assembly),
                    ("type", import.target.map(|token| token.to_string())),
                ] {
                    if let Some(value) = value {
                        json[key] = value.into();
                    }
                }
                json
            });
            assert_eq!(json.collect::<Vec<_>>(), list(scope, "entries"), "{name} {row}");
            tile(blob, |c| imports::decode(c, |_| {}));
            seen += found.len();
        }
    }
    assert_eq!(seen, IMPORTS);
}

/// Number of imports in the samples.
const IMPORTS: usize = 79;

#[test]
fn constants_have_the_values_of_the_source() {
    for Sample { name, pdb, oracle } in samples() {
        let said = list(&oracle, "scopes").iter().flat_map(|scope| list(scope, "constants"));
        let mut row = 0;
        for constant in said {
            row += 1;
            let blob = pdb.metadata.blob_cell(TableId::LOCAL_CONSTANT, row, 1).unwrap();
            assert_eq!(blob.data, unhex(constant["signature"].as_str().unwrap()));
            let decoded = Constant::decode(&mut blob.cursor()).unwrap();
            let text = constant_text(&decoded.value, |_| "T".to_owned());
            let expected = match constant["name"].as_str().unwrap() {
                "Limit" => "1000",
                "limit" => "42",
                "label" => "\"inner\"",
                "price" => "12.34m",
                "day" => "(T)5",
                "nothing" => "null",
                "mark" => "'x'",
                "half" => "0.5",
                other => panic!("{other}"),
            };
            assert_eq!(text, expected, "{name}");
            tile(blob, |c| Constant::decode(c).map(drop));
        }
        assert_eq!(row, pdb.metadata.rows(TableId::LOCAL_CONSTANT), "{name}");
    }
}

#[test]
fn custom_debug_information_of_every_kind_is_decoded() {
    let mut kinds = std::collections::BTreeSet::new();
    for Sample { name, pdb, oracle } in samples() {
        for (row, said) in (1..).zip(list(&oracle, "custom")) {
            let guid = pdb.metadata.table(TableId::CUSTOM_DEBUG_INFORMATION).cell(row, 1).unwrap();
            let guid = pdb.metadata.heaps.guid(guid).unwrap().unwrap();
            assert_eq!(guid.to_string(), said["kind"].as_str().unwrap());
            let blob = pdb.metadata.blob_cell(TableId::CUSTOM_DEBUG_INFORMATION, row, 2).unwrap();
            assert_eq!(blob.data, unhex(said["value"].as_str().unwrap()));
            let kind = CustomKind::of(guid).unwrap();
            let parent = u32::from_str_radix(&said["parent"].as_str().unwrap()[2..], 16).unwrap();
            assert!(kind.parents.contains(&Token(parent).table()), "{name} {}", kind.name);
            custom::validate(guid, blob).unwrap();
            check(name, &pdb, &oracle, (guid, blob));
            if blob.len() < 1 << 12 {
                tile(blob, |c| custom::explain(guid, c));
            }
            kinds.insert(kind.name);
        }
    }
    let unseen: Vec<_> = custom::KINDS.iter().map(|kind| kind.name).filter(|kind| !kinds.contains(kind)).collect();
    assert_eq!(unseen, ["FSharpSynthesizedNameSnapshot"]);
}

/// Invariants of the blobs of a kind.
fn check(name: &str, pdb: &PortablePdb, oracle: &Json, (kind, blob): (Guid, Slice<'_>)) {
    use custom::{
        async_stepping, compilation_options, compilation_references, default_namespace, dynamic_locals,
        embedded_source, hoisted_scopes, lambda_map, local_slot_map, source_link, state_map, tuple_names,
        type_documents,
    };
    let c = &mut blob.cursor();
    match kind {
        async_stepping::GUID => {
            let stepping = async_stepping::decode(c).unwrap();
            for await_ in &stepping.awaits {
                // Both are instructions of the method.
                let il = list(&list(oracle, "methods")[await_.move_next as usize - 1], "il");
                let offsets: Vec<_> = il.iter().map(|instruction| number(instruction, "offset")).collect();
                assert!(offsets.contains(&await_.yield_offset) && offsets.contains(&await_.resume_offset), "{name}");
            }
        }
        type_documents::GUID => {
            let rows = type_documents::decode(c).unwrap();
            assert!(rows.iter().all(|row| (1..=pdb.metadata.rows(TableId::DOCUMENT)).contains(row)), "{name}");
        }
        embedded_source::GUID => {
            let source = embedded_source::decode(c).unwrap();
            let text = match source.format {
                Format::Raw => source.content.data.to_vec(),
                Format::Deflate(size) => inflate(source.content, size.into(), 1 << 20).unwrap(),
                Format::Reserved(_) => panic!("{name}"),
            };
            assert!(std::str::from_utf8(&text).unwrap().contains('\n'), "{name}");
        }
        source_link::GUID => {
            let json = source_link::decode(c).unwrap();
            let map = SourceLinkMap::parse(std::str::from_utf8(json.data).unwrap()).unwrap();
            let url = map.url("/_/workshop/Program.cs").unwrap();
            assert_eq!(url, "https://example.com/pdblens/samples/workshop/Program.cs", "{name}");
        }
        compilation_options::GUID => {
            let options = compilation_options::decode(c).unwrap();
            assert_eq!(options[0].name.data, b"version", "{name}");
        }
        compilation_references::GUID => {
            let references = compilation_references::decode(c).unwrap();
            assert!(references.iter().all(|r| r.file.data.ends_with(b".dll") && r.flags == 1), "{name}");
        }
        local_slot_map::GUID => {
            let slots = local_slot_map::decode(c).unwrap();
            assert!(!slots.is_empty());
        }
        lambda_map::GUID => {
            let map = lambda_map::decode(c).unwrap();
            assert!(!map.lambdas.is_empty());
        }
        default_namespace::GUID => {
            let text = default_namespace::decode(c).unwrap();
            assert_eq!((name, text.data), ("ledger", &b"Books"[..]));
        }
        tuple_names::GUID => {
            let names = tuple_names::decode(c).unwrap();
            assert!(names.iter().map(|name| name.data).eq([&b"Low"[..], b"High"]));
        }
        dynamic_locals::GUID => {
            let locals = dynamic_locals::decode(c).unwrap();
            assert!(locals.flags().contains(&true));
        }
        hoisted_scopes::GUID => {
            let scopes = hoisted_scopes::decode(c).unwrap();
            assert!(scopes.iter().any(|scope| scope.length > 0));
        }
        state_map::GUID => {
            let states = state_map::decode(c).unwrap();
            assert!(states.iter().all(|state| state.number >= 0 || state.number < -2));
        }
        _ => {}
    }
}

use super::*;
use crate::bytes::{Field, SpaceId, Value};
use std::sync::Arc;

/// `Mono.mdb` of a sample.
fn sample() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/ticker-mono/Ticker.exe.mdb")).unwrap()
}

fn mdb(bytes: Vec<u8>) -> Result<Mdb> {
    Mdb::parse(Region::whole(SpaceId(0), Arc::new(bytes)))
}

fn fields(mdb: &Mdb, part: MdbSection) -> Vec<Field> {
    let mut cursor = Cursor::recording(mdb.slice(part).unwrap_or_default());
    let _ = mdb.decode(part, &mut cursor);
    cursor.fields()
}

/// Asks everything that can be asked.
fn exhaust(mdb: &Mdb) {
    for part in mdb.parts() {
        let fields = fields(mdb, part);
        let leaves = fields.iter().filter(|field| field.value != Value::Group);
        let mut end = fields.first().map_or(0, |field| field.span.start);
        for leaf in leaves {
            assert_eq!(leaf.span.start, end, "{part:?}: {}", leaf.name());
            end = leaf.span.end();
        }
    }
    for document in mdb.documents() {
        mdb.path(document);
    }
    for method in mdb.methods() {
        let token = method.token;
        let _ = (mdb.points(token), mdb.scopes(token), mdb.locals(token));
        let _ = mdb.data(method).and_then(|data| mdb.unit(data.unit));
    }
    mdb.anonymous_scopes();
}

#[test]
fn the_sample_says_what_the_sources_say() {
    let mdb = mdb(sample()).unwrap();
    assert_eq!(
        ((mdb.header().file.major_version, mdb.header().file.minor_version), mdb.problems()),
        ((50, 0), &[][..])
    );
    assert_eq!(mdb.header().file.guid.to_string(), "3e054b69-bbad-4294-b9d8-9cf6f7a035e2");
    let paths: Vec<_> = mdb.documents().iter().map(|document| mdb.path(document)).collect();
    assert_eq!(paths, ["/src/ticker/Program.cs", "/src/ticker/Clock.cs"]);
    let tokens: Vec<_> = mdb.methods().iter().map(|method| method.token).collect();
    assert_eq!(tokens, [0x0600_0001, 0x0600_0002, 0x0600_0003]);

    let points = mdb.points(0x0600_0001).unwrap();
    let seen: Vec<_> = points.iter().map(|p| (p.offset, p.document, p.start_line, p.start_column)).collect();
    assert_eq!(seen[..5], [(0, 1, 10, 9), (1, 1, 11, 13), (13, 1, 11, 46), (25, 1, 12, 18), (32, 1, 13, 13)]);
    let locals: Vec<_> =
        mdb.locals(0x0600_0001).unwrap().into_iter().map(|l| (l.index, l.name.value, l.block)).collect();
    assert_eq!(locals, [(0, "naps".into(), 0), (1, "i".into(), 1), (2, "started".into(), 2)]);
    let scopes: Vec<_> = mdb.scopes(0x0600_0001).unwrap().iter().map(|b| (b.kind, b.parent, b.start, b.end)).collect();
    assert_eq!(scopes, [(1, -1, 0x19, 0x79), (1, 1, 0x20, 0x6d)]);
}

#[test]
fn a_stack_trace_leads_to_its_line() {
    // `[0x0000a]` in trace.txt, `[0x0000d] in /src/ticker/Program.cs:11` in trace-with-lines.txt.
    let points = mdb(sample()).unwrap().points(0x0600_0001).unwrap();
    for il in [0xa, 0xd] {
        assert_eq!(points.iter().rfind(|point| point.offset <= il).unwrap().start_line, 11);
    }
}

#[test]
fn what_mcs_no_longer_writes_is_read_too() {
    let slice = |bytes| Slice::new(bytes, SpaceId(0), 0);
    let unit = b"\x01\x01\x02\x01\x01N\x05\x04\x01\x06System";
    let unit = CompileUnit::decode(&mut slice(unit).cursor()).unwrap();
    assert_eq!((unit.source, &unit.includes[..]), (1, &[2][..]));
    let namespace = &unit.namespaces[0];
    assert_eq!((namespace.name.value.as_str(), namespace.index, namespace.parent), ("N", 5, 4));
    assert_eq!(namespace.usings[0].value, "System");

    let scope = b"\x07\x01\x01x\x02<x\x01\x01\x06\x01s";
    let scope = AnonymousScope::decode(&mut slice(scope).cursor()).unwrap();
    assert_eq!((scope.id, scope.variables[0].kind, scope.scopes[0].scope), (7, 1, 6));
    assert_eq!((scope.variables[0].name.value.as_str(), scope.variables[0].captured.value.as_str()), ("x", "<x"));

    // The second block has two bytes of an extension.
    let blocks = b"\x02\x02\x01\x03\x04\x41\x01\x05\x06\x02\x00\xaa\xbb";
    let blocks = method::blocks(&mut slice(blocks).cursor()).unwrap();
    assert_eq!((blocks[0].kind, blocks[0].start, blocks[1].kind, blocks[1].end), (2, 3, 1, 6));
    let mut variables = Cursor::recording(slice(b"\x01\x07\xff\xff\xff\xff\x0f"));
    method::scope_variables(&mut variables).unwrap();
    let values: Vec<_> = variables.fields().iter().filter_map(|field| field.value.number()).collect();
    assert_eq!(values, [1, 7, -1]);
    method::real_name(&mut slice(b"\x01M").cursor()).unwrap();
}

#[test]
fn the_parts_tile_the_sample() {
    let bytes = sample();
    let mdb = mdb(bytes.clone()).unwrap();
    let mut spans: Vec<Span> = mdb
        .parts()
        .flat_map(|part| fields(&mdb, part))
        .filter(|field| field.value != Value::Group)
        .map(|field| field.span)
        .collect();
    spans.sort();
    let end = spans.iter().fold(0, |end, span| {
        assert_eq!(span.start, end, "a gap or an overlap");
        span.end()
    });
    assert_eq!(end, bytes.len() as u64);
}

#[test]
fn a_line_program_is_run_as_mono_runs_it() {
    let program = [
        0x04, 0x02, // file 2
        0x03, 0x0a, // line 1 + 10
        0x01, // emit IL 0
        0x00, 0x01, 0x40, // hidden from here on
        0x08, // IL + 30
        0x13, // special: 10 = IL + 1, line - 1 + 2
        0x00, 0x03, 0x41, 0xaa, 0xbb, // nothing known, of three bytes
        0x00, 0x01, 0x40, // shown again
        0x02, 0x80, 0x01, // IL + 128
        0x00, 0x01, 0x01, // end, with a point still due
        0x05, 0x06, 0x07, // columns
        0x01, 0x09, // ends: a line on, column 9
        0xff, 0xff, 0xff, 0x07, // not known
        0x00, 0x0c, // the same line, column 12
    ];
    let rules = LineRules { line_base: -1, line_range: 8, opcode_base: 9 };
    let mut cursor = Cursor::recording(Slice::new(&program, SpaceId(0), 0));
    let points = lines::decode(&mut cursor, rules, MethodData::COLUMNS | MethodData::ENDS).unwrap();
    let seen: Vec<_> = points
        .iter()
        .map(|p| (p.offset, p.document, p.start_line, p.start_column, p.end_line, p.end_column, p.hidden))
        .collect();
    assert_eq!(seen, [(0, 2, 11, 5, 12, 9, false), (31, 2, 12, 6, 12, 0, true), (159, 2, 12, 7, 12, 12, false)]);
    assert!(cursor.is_done());
    let tiled: u64 = cursor.fields().iter().filter(|f| f.value != Value::Group).map(|f| f.span.len).sum();
    assert_eq!(tiled, program.len() as u64);
}

#[test]
fn a_cut_file_is_read_as_far_as_it_goes() {
    let bytes = sample();
    for len in 0..bytes.len() {
        if let Ok(mdb) = mdb(bytes[..len].to_vec()) {
            assert!(!mdb.problems().is_empty(), "cut at {len}");
            exhaust(&mdb);
        } else {
            assert!(len < 112, "refused at {len}");
        }
    }
}

#[test]
fn a_flipped_bit_is_no_panic() {
    let bytes = sample();
    for at in 0..bytes.len() {
        for bits in [0x01, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= bits;
            if let Ok(mdb) = mdb(bytes) {
                exhaust(&mdb);
            }
        }
    }
}

#[test]
fn lying_counts_take_no_memory() {
    let (counts, bytes) = ([0x2c, 0x38, 0x44, 0x54], sample());
    for at in counts {
        let mut bytes = bytes.clone();
        bytes[at..at + 4].copy_from_slice(&[0xff; 4]);
        let mdb = mdb(bytes).unwrap();
        let (_, error) = mdb.anonymous_scopes();
        assert!(!mdb.problems().is_empty() || error.is_some());
        exhaust(&mdb);
    }
    // A line range of 0, an opcode base past a byte.
    for (at, value) in [(0x64, 0), (0x68, 0x100)] {
        let mut bytes = bytes.clone();
        bytes[at..at + 4].copy_from_slice(&u32::to_le_bytes(value));
        let mdb = mdb(bytes).unwrap();
        assert!(mdb.points(0x0600_0001).is_err());
    }
}

#[test]
fn every_field_of_the_sample_has_a_sentence() {
    let mdb = mdb(sample()).unwrap();
    for part in mdb.parts() {
        crate::testing::described_slice(mdb.slice(part).unwrap(), |c| mdb.decode(part, c));
    }
}

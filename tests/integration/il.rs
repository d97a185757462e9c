//! Instructions and method bodies against what System.Reflection.Metadata says of the sample images.
//!
//! The bodies are found without our own PE reader: by the RVA in the oracle's answer and the section table that `object`
//! reads.

use pdblens::nodes::method;
use pdblens::nodes::method::MethodView;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use object::read::pe::PeFile;
use object::{LittleEndian as LE, pe};
use pdblens::bytes::{Cursor, Slice, SpaceId, Value as FieldValue};
use pdblens::formats::il::{Body, ExceptionRegion, Instruction, Instructions, OPCODES, Operand, RegionKind, Variable};
use pdblens::formats::metadata::TableId;
use pdblens::nodes::Token;
use pdblens::session::Session;
use serde_json::Value;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Each oracle file with the image it is about.
fn samples() -> Vec<(Value, Vec<u8>)> {
    let mut samples = Vec::new();
    for file in fs::read_dir(Path::new(ROOT).join("tests/golden/oracle")).unwrap() {
        let file = file.unwrap().path();
        let name = file.file_name().unwrap().to_str().unwrap();
        let Some(name) = name.strip_suffix(".json") else { continue };
        let folder = Path::new(ROOT).join("assets/samples").join(name.trim_end_matches(".image"));
        let json = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        samples.push((json, fs::read(image_in(&folder)).unwrap()));
    }
    assert!(samples.len() >= 19, "the oracle's answers are missing");
    samples
}

fn image_in(folder: &Path) -> PathBuf {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.into_iter().find(|path| path.extension().is_some_and(|e| e == "dll" || e == "exe")).unwrap()
}

/// The bytes from `rva` to the end of its section.
fn at_rva(image: &[u8], rva: u32) -> Slice<'_> {
    fn find<H: object::read::pe::ImageNtHeaders>(image: &[u8], rva: u32) -> Option<(u32, u32)> {
        let file = PeFile::<H>::parse(image).ok()?;
        let section = file.section_table().iter().find(|s| {
            let start = s.virtual_address.get(LE);
            rva >= start && rva < start + s.size_of_raw_data.get(LE)
        })?;
        let inside = rva - section.virtual_address.get(LE);
        Some((section.pointer_to_raw_data.get(LE) + inside, section.size_of_raw_data.get(LE) - inside))
    }
    let found = find::<pe::ImageNtHeaders32>(image, rva).or_else(|| find::<pe::ImageNtHeaders64>(image, rva));
    let (start, len) = found.unwrap();
    Slice::new(&image[start as usize..(start + len) as usize], SpaceId(0), start as u64)
}

/// Every method of every sample that has a body.
fn for_each_body(mut visit: impl FnMut(&Value, Slice<'_>)) {
    let mut count = 0;
    for (oracle, image) in samples() {
        for method in oracle["methods"].as_array().unwrap() {
            if method.get("il").is_some() {
                visit(method, at_rva(&image, method["rva"].as_u64().unwrap() as u32));
                count += 1;
            }
        }
    }
    assert!(count >= 500, "only {count} methods");
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::from("0x"), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

fn label(target: i64) -> String {
    format!("IL_{target:04x}")
}

/// The operand as the oracle spells it.
fn operand_text(operand: Operand<'_>) -> Option<String> {
    Some(match operand {
        Operand::None => return None,
        Operand::Integer(number) => number.to_string(),
        Operand::Single(bits) => hex(&bits.to_le_bytes()),
        Operand::Double(bits) => hex(&bits.to_le_bytes()),
        Operand::Variable(Variable::Argument(number) | Variable::Local(number)) => number.to_string(),
        Operand::Branch(target) => label(target),
        Operand::Switch(targets) => targets.iter().map(label).collect::<Vec<_>>().join(","),
        Operand::Token(token) => token.to_string(),
    })
}

fn region_json(region: &ExceptionRegion) -> Value {
    let kind = match region.kind {
        RegionKind::Catch { .. } => "catch",
        RegionKind::Filter { .. } => "filter",
        RegionKind::Finally => "finally",
        RegionKind::Fault => "fault",
        RegionKind::Unknown { .. } => "unknown",
    };
    serde_json::json!({
        "kind": kind,
        "try_start": region.tried.start, "try_length": region.tried.len,
        "handler_start": region.handler.start, "handler_length": region.handler.len,
    })
}

#[test]
fn bodies_and_instructions_match_system_reflection_metadata() {
    for_each_body(|method, slice| {
        let name = &method["name"];
        let body = Body::parse(slice).unwrap();
        assert_eq!(body.problems, [], "{name}");
        assert_eq!(method["code_size"], body.code.len, "{name}");
        assert_eq!(method["max_stack"], body.max_stack, "{name}");
        let locals = (!body.local_signature.is_nil()).then(|| body.local_signature.to_string());
        assert_eq!(method["local_signature"], Value::from(locals), "{name}");
        let regions: Vec<_> = body.regions.iter().map(region_json).collect();
        assert_eq!(method["exception_regions"], Value::from(regions), "{name}");

        let il: Vec<_> = Instructions::new(slice.at(body.code).unwrap())
            .map(|instruction| {
                let Instruction { offset, opcode, operand, .. } = instruction.unwrap();
                serde_json::json!({"offset": offset, "opcode": opcode.name, "operand": operand_text(operand)})
            })
            .collect();
        assert_eq!(method["il"], Value::from(il), "{name}");
    });
}

#[test]
fn every_opcode_of_system_reflection_emit_is_in_the_table() {
    // One line an opcode, as .NET's own `OpCodes` lists them: code, name, operand type, flow control, pops, pushes.
    let known = include_str!("../golden/opcodes.txt");
    for (line, opcode) in known.lines().zip(OPCODES.iter().filter(|opcode| opcode.name != "no.")) {
        let count = |count: Option<u8>| count.map_or("var".to_owned(), |count| count.to_string());
        let ours = format!(
            "{:04x} {} {:?} {:?} {} {}",
            opcode.code,
            opcode.name,
            opcode.operand,
            opcode.flow,
            count(opcode.pops),
            count(opcode.pushes)
        );
        assert_eq!(ours, line);
    }
    assert_eq!(known.lines().count() + 1, OPCODES.len(), "all of them, and `no.`, which only ECMA-335 has");
}

#[test]
fn the_fields_of_a_body_tile_its_bytes() {
    for_each_body(|method, slice| {
        let body = Body::parse(slice).unwrap();
        let mut cursor = Cursor::recording(slice);
        assert_eq!(Body::decode(&mut cursor).as_ref(), Ok(&body));
        let mut at = slice.start;
        for leaf in cursor.fields().iter().filter(|field| field.value != FieldValue::Group) {
            assert_eq!(leaf.span.start, at, "{} of {}", leaf.name(), method["name"]);
            at = leaf.span.end();
        }
        assert_eq!(at, body.span.end(), "{}", method["name"]);

        let code = slice.at(body.code).unwrap();
        for instruction in Instructions::new(slice.at(body.code).unwrap()).map(Result::unwrap) {
            let mut cursor = Cursor::recording(code.rest(instruction.offset as u64));
            assert_eq!(Instruction::decode(&mut cursor, instruction.offset).as_ref(), Ok(&instruction));
            let mut at = instruction.span.start;
            for leaf in cursor.fields().iter().filter(|field| field.value != FieldValue::Group) {
                assert_eq!(leaf.span.start, at, "{} of {:?}", leaf.name(), instruction);
                at = leaf.span.end();
            }
            assert_eq!(at, instruction.span.end(), "{instruction:?}");
        }
    });
}

#[test]
fn a_body_with_a_wrong_byte_is_still_tiled() {
    let mut count = 0;
    for_each_body(|method, slice| {
        let body = Body::parse(slice).unwrap();
        // The larger ones say little more, and take long.
        if body.span.len > 300 {
            return;
        }
        let mut bytes = slice.part(0, body.span.len).unwrap().data.to_vec();
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                bytes[at] ^= flip;
                let slice = Slice::new(&bytes, SpaceId(0), 0);
                if let Ok(body) = Body::parse(slice) {
                    let spans = Instructions::new(slice.at(body.code).unwrap())
                        .map(|item| item.map_or_else(|e| e.span, |i| i.span));
                    let end = spans.fold(body.code.start, |end, span| {
                        assert_eq!(span.start, end, "byte {at} of {}", method["name"]);
                        span.end()
                    });
                    assert_eq!(end, body.code.end(), "byte {at} of {}", method["name"]);
                    count += 1;
                }
                bytes[at] ^= flip;
            }
        }
    });
    assert!(count > 10_000);
}

#[test]
fn a_brief_operand_is_the_operand_without_namespaces_and_results() {
    let path = Path::new(ROOT).join("assets/samples/workshop/Workshop.dll");
    let session = Session::open(&[path]).unwrap();
    let mut seen = BTreeMap::new();
    for row in 1..=session.methods() {
        let view = MethodView::of(&session, Token::new(TableId::METHOD_DEF, row));
        for (offset, span) in &view.instructions {
            let found = method::instruction(&session, *offset, *span).unwrap();
            seen.insert(view.operand(&session, &found), view.brief_operand(&session, &found));
        }
    }
    for (full, brief) in [
        ("string System.String.Concat(string, string)", "String.Concat(string, string)"),
        ("void System.Object..ctor()", "Object..ctor()"),
        ("void System.Func<int, int>..ctor(object, nint)", "Func<int, int>..ctor(object, nint)"),
        ("IL_0029", "IL_0029"),
    ] {
        assert_eq!(seen.get(full).map(String::as_str), Some(brief), "{full}");
    }
}

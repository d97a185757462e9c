//! Machine code of the samples as instructions: against llvm-objdump, and with what stands between and beside them.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::samples::repository;
use pdblens::nodes::code_unit::{CodeUnit, MethodView};
use pdblens::nodes::function::{CodeRow, Disassembly, Instruction, NativeView};
use pdblens::nodes::rows::Row;
use pdblens::nodes::{self, FunctionPart, Place, resolve};
use pdblens::session::Session;

fn open(name: &str) -> Session {
    let folder = repository("assets/samples").join(name);
    let mut files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let image = files.find(|path| path.extension().is_some_and(|extension| extension == "exe")).unwrap();
    Session::open(&[image]).unwrap()
}

/// Address and name of each instruction, as llvm-objdump has them.
fn of_objdump(text: &str) -> BTreeMap<u64, String> {
    let row = |line: &str| {
        let (address, name) = line.split_once('\t').unwrap();
        (u64::from_str_radix(address, 16).unwrap(), name.to_owned())
    };
    text.lines().map(row).collect()
}

/// One name for those that the two write differently.
fn plain(name: &str) -> &str {
    // A prefix is a word of its own.
    match name.split(' ').next().unwrap_or_default() {
        "movabs" => "mov",
        "b.hs" => "b.cs",
        "b.lo" => "b.cc",
        other => other,
    }
}

/// Offset and name of each instruction.
type Listing<'t> = Vec<(u64, &'t str)>;

/// Compares each function with the answer of llvm-objdump: number of instructions, and what `differs` returns true for.
fn compare(session: &Session, text: &str, differs: &mut dyn FnMut(u32, &Listing<'_>, &Listing<'_>)) -> (usize, usize) {
    let expected = of_objdump(text);
    let base = session.image().unwrap().pe.optional.as_ref().unwrap().image_base;
    let native = NativeView::of(session).unwrap();
    let (mut functions, mut instructions) = (0, 0);
    for function in native.functions() {
        let Some(rva) = native.rva_of(function) else { continue };
        let view = MethodView::of(session, CodeUnit::Function(rva));
        let code = Disassembly::of(session, &view);
        assert_eq!(code.problem, None, "{rva:#x}");
        let start = base + u64::from(rva);
        let theirs = expected.range(start..start + u64::from(function.len));
        let theirs: Listing<'_> = theirs.map(|(address, name)| (address - start, plain(name))).collect();
        let text = |one: &Instruction| (u64::from(one.offset), code.text(session, &view, one).0);
        let texts: Vec<(u64, String)> = code.instructions.iter().map(text).collect();
        let ours: Listing<'_> = texts.iter().map(|(offset, name)| (*offset, plain(name))).collect();
        if ours != theirs {
            differs(rva, &ours, &theirs);
        }
        functions += 1;
        instructions += ours.len();
    }
    (functions, instructions)
}

#[test]
fn instructions_match_llvm_objdump() {
    let (mut functions, mut instructions) = (0, 0);
    for name in ["parcel", "parcel-optimized", "parcel-lto", "parcel-x86", "parcel-arm64", "sorter", "sorter-legacy"] {
        let text = std::fs::read_to_string(repository("tests/golden/objdump").join(format!("{name}.tsv"))).unwrap();
        let found = compare(&open(name), &text, &mut |rva, ours, theirs| {
            assert_eq!(ours, theirs, "{name} {rva:#x}");
        });
        (functions, instructions) = (functions + found.0, instructions + found.1);
    }
    println!("{functions} functions, {instructions} instructions");
    assert!(functions > 50 && instructions > 1000, "{functions} functions, {instructions} instructions");
}

/// Compares an image of `IMAGE` with the answer of `assets/build/objdump.sh IMAGE` in `OBJDUMP`.
#[test]
#[ignore = "needs a file: IMAGE and OBJDUMP"]
fn instructions_of_an_image_match_llvm_objdump() {
    let variable = |name: &str| std::env::var(name).unwrap();
    let session = Session::open(&[variable("IMAGE").into()]).unwrap();
    let text = std::fs::read_to_string(variable("OBJDUMP")).unwrap();
    let (mut boundaries, mut names) = (BTreeSet::new(), BTreeMap::new());
    let (functions, instructions) = compare(&session, &text, &mut |rva, ours, theirs| {
        if !ours.iter().map(|(at, _)| at).eq(theirs.iter().map(|(at, _)| at)) {
            boundaries.insert(rva);
            return;
        }
        for ((_, ours), (_, theirs)) in ours.iter().zip(theirs).filter(|(ours, theirs)| ours != theirs) {
            *names.entry(((*ours).to_owned(), (*theirs).to_owned())).or_insert(0) += 1;
        }
    });
    println!("{functions} functions, {instructions} instructions");
    println!("{} functions with other boundaries: {boundaries:x?}", boundaries.len());
    println!("other names: {names:#?}");
}

fn listed(session: &Session, place: &str) -> Vec<Row> {
    let place = resolve(session, place).unwrap();
    nodes::rows(session, place).unwrap().iter().collect()
}

/// Rows as `name operands → target [variables]`.
fn texts(rows: &[Row]) -> Vec<String> {
    let cell = |row: &Row, index: usize| row.cells.get(index).map_or(String::new(), |cell| cell.text.clone());
    let text = |row: &Row| {
        let target =
            Some(cell(row, 8)).filter(|text| !text.is_empty()).map_or(String::new(), |text| format!(" → {text}"));
        let variables =
            Some(cell(row, 9)).filter(|text| !text.is_empty()).map_or(String::new(), |text| format!(" [{text}]"));
        format!("{} {}{target}{variables}", cell(row, 6), cell(row, 7))
    };
    rows.iter().map(text).collect()
}

#[test]
fn jumps_calls_and_variables_are_named() {
    for (name, wanted) in [
        ("native", &["mov rax, [rsp+0x28] [into]", "call 0x1060 → clamp", "jge 0x108c → +0x2c"][..]),
        ("parcel-x86", &["call 0x1030 → parcel::weigh"][..]),
        (
            "parcel-arm64",
            &[
                "add x10, x10, #0x20 → \"small\"",
                "add x8, x8, #0x18 → parcel::Box::`vftable'{for `parcel::Tracked'}",
                "bl 0x1020 → parcel::weigh",
            ][..],
        ),
        ("parcel-optimized", &["lea rax, [0x2026] → \"large\"", "cmp eax, 0x1388 [value]"][..]),
        ("sorter", &["jmp 0x1170 → geometry::square"][..]),
    ] {
        let session = open(name);
        let native = NativeView::of(&session).unwrap();
        let starts = native.functions().iter().map(|function| native.rva_of(function).unwrap());
        let all: Vec<String> =
            starts.flat_map(|rva| texts(&listed(&session, &format!("function/{rva:#x}/code")))).collect();
        for part in wanted {
            assert!(all.iter().any(|text| text.contains(part)), "{name} {part}: {all:#?}");
        }
    }
}

#[test]
fn rows_tile_the_code_and_lead_to_instructions() {
    let session = open("parcel-optimized");
    let native = NativeView::of(&session).unwrap();
    let mut inlined = 0;
    for function in native.functions() {
        let rva = native.rva_of(function).unwrap();
        let place = Place::FunctionPart(rva, FunctionPart::Code);
        let rows = nodes::rows(&session, place).unwrap();
        let mut end = None;
        for row in rows.iter() {
            let span = row.span.unwrap();
            assert!(end.is_none_or(|end| end == span.start), "{rva:#x}");
            end = Some(span.end());
            let fields = nodes::fields(&session, row.place.unwrap()).unwrap();
            assert_eq!(fields.span, span);
            assert_eq!(fields.leaves().map(|leaf| leaf.span.len).sum::<u64>(), span.len);
            inlined += usize::from(!row.cells[10].text.is_empty());
        }
        assert_eq!(nodes::fields(&session, place).unwrap().span.end(), end.unwrap());
    }
    assert!(inlined > 10, "{inlined}");
}

#[test]
fn lines_and_inlined_calls_stand_before_their_instructions() {
    let session = open("parcel-optimized");
    let native = NativeView::of(&session).unwrap();
    let (mut lines, mut begins, mut ends) = (0, 0, 0);
    for function in native.functions() {
        let view = MethodView::of(&session, CodeUnit::Function(native.rva_of(function).unwrap()));
        let code = Disassembly::of(&session, &view);
        let mut next = 0;
        for row in &code.rows {
            match *row {
                CodeRow::Line(index) => {
                    assert!(view.points.get(index).unwrap().offset <= code.instructions.get(next).unwrap().offset);
                    lines += 1;
                }
                CodeRow::Inlined(index) => {
                    let row = &code.inlined.rows[index];
                    assert_eq!(row.offset, code.instructions[next].offset);
                    begins += usize::from(row.text.starts_with("inlined parcel::"));
                    ends += usize::from(row.text.starts_with("end of inlined"));
                }
                CodeRow::Instruction(index) => next = index + 1,
                CodeRow::Bytes { .. } => panic!("not disassembled"),
            }
        }
        assert_eq!(next, code.instructions.len());
        assert_eq!(code.instructions.last().map(Instruction::end), view.size);
    }
    assert!(lines > 20 && begins > 2 && ends > 0, "{lines} {begins} {ends}");
}

#[test]
fn without_its_image_a_function_says_what_to_open() {
    let pdb = repository("assets/samples/parcel/parcel.pdb");
    let bytes = std::fs::read(pdb).unwrap();
    let folder = crate::support::folder::Folder::new();
    let alone = folder.write("parcel.pdb", bytes);
    let session = Session::open(std::slice::from_ref(&alone)).unwrap();
    let place = resolve(&session, "function/main/code");
    let place = place.or_else(|_| resolve(&session, "function/0x1000/code")).unwrap();
    let title = nodes::rows(&session, place).unwrap().title;
    assert!(
        title.contains("no image is open: open parcel.exe") && title.contains("names parcel.pdb with the id"),
        "{title}"
    );
    // The image of another build is not disassembled.
    let other = repository("assets/samples/parcel-optimized/parcel.exe");
    let session = Session::open(&[other, alone]).unwrap();
    let rows = nodes::rows(&session, place).unwrap();
    assert!(rows.title.contains("parcel.exe is not the image of this PDB"), "{}", rows.title);
    assert!(rows.iter().all(|row| row.cells[6].text.is_empty()));
}

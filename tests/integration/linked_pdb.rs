//! PDBs with shapes for which there is no real file at hand, as a native linker would write them: C++/CLI, OMAP, ids of other
//! modules, types of Visual Studio 2019, several checksums of one path, an embedded NatVis.

use crate::support::folder::Folder;
use crate::support::synth::bytes::Put;
use crate::support::synth::codeview::{self, Line, Procedure};
use crate::support::synth::dbi::{Module, Omap, Program};
use crate::support::synth::method::Lines;
use pdblens::formats::reason::Reason;
use pdblens::nodes::code_tree::CodeTree;
use pdblens::nodes::code_unit::{self, CodeUnit, MethodView};
use pdblens::nodes::rows::Row;
use pdblens::nodes::{Place, Token};
use pdblens::query::address::{parse_line, parse_offset};
use pdblens::query::check::Grade;
use pdblens::query::where_is::{HopKind, LocalKind, Position, explain_text, where_is};
use pdblens::query::{ask, breakpoint};
use pdblens::session::Session;
use pdblens::source::{self, SourceOptions};
use pdblens::symbols::Format;

const X64: u16 = 0x8664;
const MD5: u8 = 1;
const S_COMPILE3: u16 = 0x113c;

fn line(offset: u32, number: u32) -> Line {
    let lines = Lines { start_line: number, start_column: 0, end_line: number, end_column: 0 };
    Line { offset, lines: Some(lines) }
}

/// A program without modules, whose one file is `path`, and the offset of its name.
fn program(path: &str) -> (Program, u32) {
    let mut program = Program { guid: [7; 16], machine: X64, files: vec![path.to_owned()], ..Program::default() };
    let name = program.names.add(path);
    (program, name)
}

fn module(name: &str, code: (u32, u32), symbols: Vec<u8>, lines: Vec<u8>) -> Module {
    Module { name: name.to_owned(), object: name.to_owned(), symbols, lines, files: vec![0], code }
}

/// Function of native code with a line for each 8 bytes, from `first` on.
fn function(name: &str, start: u32, size: u32, first: u32, symbols: &mut Vec<u8>, lines: &mut Vec<u8>) {
    let procedure = Procedure { name, start, size, type_or_token: 0 };
    codeview::procedure(codeview::S_GPROC32, &procedure, |_| {}, symbols);
    let block = (0..size / 8).map(|index| line(index * 8, first + index)).collect();
    codeview::lines(start, size, false, &[(0, block)], lines);
}

fn open(program: Program) -> Session {
    Session::from_bytes(vec![("linked.pdb".into(), program.write(512))]).unwrap()
}

/// The name that a question is answered with, with the offset.
fn named(session: &Session, question: &str) -> String {
    let query = parse_offset(session, question).unwrap_or_else(|error| panic!("{question}: {error}"));
    format!("{}+{:#x}", code_unit::name(session, query.of), query.offset)
}

/// Flag of a parameter (`fIsParam`).
const PARAMETER: u32 = 1;

/// A module of C++/CLI: a native function, then a managed method with two arguments and a local, both with lines of one file.
fn mixed() -> Session {
    open(mixed_program())
}

fn mixed_program() -> Program {
    let (mut program, name) = program("/src/bridge.cpp");
    let (mut symbols, mut lines) = (Vec::new(), Vec::new());
    let compile = |out: &mut Vec<u8>| {
        // C++, and the flag of managed code.
        out.put_u32(1 | 0x10 << 8);
        out.put(&[0; 18]);
        out.put_z("Microsoft (R) Optimizing Compiler");
    };
    codeview::symbol(S_COMPILE3, compile, &mut symbols);
    function("bridge::native_sum", 0, 32, 5, &mut symbols, &mut lines);
    let managed = Procedure { name: "Sum", start: 0x40, size: 16, type_or_token: 0x0600_0002 };
    let locals = |out: &mut Vec<u8>| {
        for (slot, flags, name) in [(0, PARAMETER, "this"), (1, PARAMETER, "limit"), (1, 0, "total")] {
            let slot = |out: &mut Vec<u8>| {
                // Slot, signature, address (none), flags.
                out.put_u32s(&[slot, 0x1100_0001, 0, flags << 16]);
                out.put_z(name);
            };
            codeview::symbol(codeview::S_MANSLOT, slot, out);
        }
    };
    codeview::procedure(codeview::S_GMANPROC, &managed, locals, &mut symbols);
    codeview::lines(0x40, 16, false, &[(0, vec![line(0, 20), line(6, 21)])], &mut lines);
    codeview::checksums(&[(name, MD5, vec![3; 16])], &mut lines);
    program.modules = vec![
        module("/obj/bridge.obj", (0, 0x50), symbols, lines),
        module("* Linker *", (0x50, 0), Vec::new(), Vec::new()),
    ];
    program
}

#[test]
fn a_mixed_pdb_is_seen_as_one_in_a_file_too() {
    let folder = Folder::new();
    let file = folder.write("linked.pdb", mixed_program().write(512));
    let session = Session::open(&[file]).unwrap();
    assert_eq!((session.symbols().unwrap().format(), session.methods()), (Format::Mixed, 2));
}

#[test]
fn methods_and_functions_of_a_mixed_pdb_are_side_by_side() {
    let session = mixed();
    assert_eq!(session.symbols().unwrap().format(), Format::Mixed);
    // `where`: by address and name for one, by token, path and name for the other.
    assert_eq!(named(&session, "0x1008"), "bridge::native_sum+0x8");
    assert_eq!(named(&session, "native_sum+8"), "bridge::native_sum+0x8");
    let method = Token(0x0600_0002);
    for question in ["0x06000002+6", "method/2/il/6", "/obj/bridge.obj.Sum+6"] {
        let query = parse_offset(&session, question).unwrap_or_else(|error| panic!("{question}: {error}"));
        assert_eq!((query.of, query.offset), (CodeUnit::Method(method), 6), "{question}");
    }
    // The prompt takes the token of a method for that, and an address for a function.
    let asked = |typed: &str| ask::ask(&session, typed, ask::Here::default()).map(|(place, _)| place);
    assert_eq!([asked("0x06000002"), asked("06000002")], [Ok(Place::Method(method)), Ok(Place::Method(method))]);
    assert_eq!(asked("0x1000"), Ok(Place::Function(0x1000)));
    assert!(asked("0x06000003").is_err(), "there are two methods");
    let answer = where_is(&session, method, 7);
    assert_eq!(answer.shown().unwrap().start_line, 21);
    let locals: Vec<_> = answer.locals.iter().map(|local| (local.name.as_str(), local.kind.clone())).collect();
    let arguments = [("this", LocalKind::Argument(0)), ("limit", LocalKind::Argument(1))];
    assert_eq!(locals, [arguments.as_slice(), &[("total", LocalKind::Slot(1))]].concat());
    // The metadata of C++/CLI has few names of parameters.
    let view = MethodView::of(&session, CodeUnit::Method(method));
    assert_eq!(view.arguments, ["this", "limit"]);
    assert_eq!(view.local_name(1, 7), Some("total"));
    assert_eq!(where_is(&session, CodeUnit::Function(0x1000), 9).shown().unwrap().start_line, 6);
    // The Methods view.
    let tree = CodeTree::of(&session);
    assert_eq!(tree.total, 3, "two rows of methods, one function");
    let members: Vec<(String, u32)> = tree
        .branches
        .iter()
        .flat_map(|branch| branch.members.clone())
        .map(|number| (tree.member(&session, number).name, tree.points(&session, number)))
        .collect();
    assert_eq!(members, [("Sum".to_owned(), 2), ("bridge::native_sum".to_owned(), 4)]);
    assert_eq!(tree.number(&session, CodeUnit::Function(0x1000)), Some(3));
    assert_eq!(tree.number(&session, CodeUnit::Method(method)), Some(2));
    // `break` binds to both.
    for (wanted, of) in [(6, CodeUnit::Function(0x1000)), (21, CodeUnit::Method(method))] {
        let query = parse_line(&session, &format!("bridge.cpp:{wanted}")).unwrap();
        let found = breakpoint::bind(&session, &query);
        assert_eq!(found.hits.iter().map(|hit| hit.of).collect::<Vec<_>>(), [of], "line {wanted}");
    }
    let mut bytes = Vec::new();
    pdblens::cli::document(&session, &mut bytes).unwrap();
    let dump = serde_json::from_slice::<serde_json::Value>(&bytes).unwrap()["pairs"][0].take();
    assert_eq!(dump["methods"][1]["points"].as_array().unwrap().len(), 2);
    let variables = &dump["scopes"][0]["variables"];
    assert_eq!((&variables[0]["argument"], &variables[2]["name"]), (&true.into(), &"total".into()));
    assert_eq!(variables[2]["argument"], serde_json::Value::Null);
    assert_eq!(dump["functions"][0]["lines"].as_array().unwrap().len(), 4);
    assert!(
        pdblens::query::check::check(&session, &SourceOptions::default())
            .iter()
            .all(|remark| !remark.sentence.is_empty())
    );
}

#[test]
fn the_padding_behind_a_function_is_in_no_function() {
    let (mut program, name) = program("/src/padded.c");
    let (mut symbols, mut lines) = (Vec::new(), Vec::new());
    function("first", 0, 24, 1, &mut symbols, &mut lines);
    function("second", 32, 8, 10, &mut symbols, &mut lines);
    codeview::checksums(&[(name, MD5, vec![3; 16])], &mut lines);
    program.modules = vec![module("/obj/padded.obj", (0, 40), symbols, lines)];
    codeview::public(2, 0, "first", &mut program.symbols);
    // A label in the function, as assemblers write them, is nearer and no code of its own.
    codeview::public(2, 8, "first_label", &mut program.symbols);
    let session = open(program);
    let query = parse_offset(&session, "0x101c").unwrap();
    let answer = where_is(&session, query.of, query.offset);
    assert_eq!((answer.of, answer.offset, answer.position), (CodeUnit::Function(0x1000), 0x1c, Position::NoFunction));
    assert_eq!(answer.shown(), None);
    let said = Reason::joined(&explain_text::sentences(&session, &answer));
    assert!(said.contains("no function has this code: it is 0x4 bytes past the end of the nearest one"), "{said}");
    // An offset that is in another function is past the end of the one that was asked for.
    assert_eq!(where_is(&session, CodeUnit::Function(0x1000), 33).position, Position::PastEnd);
    assert_eq!(where_is(&session, CodeUnit::Function(0x1000), 23).position, Position::Inside);
}

/// A program of the functions `cold`, `hot` and `dead`.
fn three_functions() -> Program {
    let (mut program, name) = program("/src/moved.c");
    let (mut symbols, mut lines) = (Vec::new(), Vec::new());
    function("cold", 0, 16, 1, &mut symbols, &mut lines);
    function("hot", 16, 16, 10, &mut symbols, &mut lines);
    function("dead", 32, 16, 20, &mut symbols, &mut lines);
    codeview::checksums(&[(name, MD5, vec![3; 16])], &mut lines);
    program.modules = vec![module("/obj/moved.obj", (0, 48), symbols, lines)];
    program
}

#[test]
fn a_reordered_image_without_original_section_headers_keeps_its_sections() {
    let mut program = three_functions();
    program.omap = Some(Omap {
        section: None,
        to_linked: vec![(0x1000, 0x1010), (0x1010, 0x1000), (0x1020, 0)],
        from_linked: vec![(0x1000, 0x1010), (0x1010, 0x1000), (0x1020, 0)],
    });
    let session = open(program);
    for (question, name) in [("0x1008", "hot+0x8"), ("0x1018", "cold+0x8")] {
        assert_eq!(named(&session, question), name, "{question}");
    }
    let overview = pdblens::nodes::rows(&session, Place::Overview).unwrap();
    let says_so = |row: &Row| row.cells.iter().any(|cell| cell.text.contains("reordered after linking"));
    assert!(overview.iter().any(|row| says_so(&row)));
}

#[test]
fn addresses_of_a_reordered_image_are_led_back() {
    // Removed code is marked by 0 or, as in the test data of Breakpad, by 0x80000000, from which DIA counts on.
    for removed in [0, 0x8000_0000] {
        reordered_addresses_are_led_back(removed);
    }
}

fn reordered_addresses_are_led_back(removed: u32) {
    let mut program = three_functions();
    // The final image has `hot` first, then `cold`; `dead` was removed.
    program.omap = Some(Omap {
        section: Some((0x2000, 32)),
        to_linked: vec![(0x2000, 0x1010), (0x2010, 0x1000), (0x2020, removed)],
        from_linked: vec![(0x1000, 0x2010), (0x1010, 0x2000), (0x1020, removed)],
    });
    let session = open(program);
    for (question, name, number) in [("0x2008", "hot+0x8", 11), ("0x2018", "cold+0x8", 2)] {
        let query = parse_offset(&session, question).unwrap();
        assert_eq!(named(&session, question), name, "{question}");
        let answer = where_is(&session, query.of, query.offset);
        assert_eq!(answer.shown().unwrap().start_line, number, "{question}");
        let [hop] = answer.hops.as_slice() else { panic!("{:?}", answer.hops) };
        assert_eq!(hop.kind, HopKind::Omap);
        let said = Reason::joined(&explain_text::sentences(&session, &answer));
        assert!(said.contains("OMAP"), "{said}");
    }
    let mut bytes = Vec::new();
    pdblens::cli::document(&session, &mut bytes).unwrap();
    let dump = serde_json::from_slice::<serde_json::Value>(&bytes).unwrap()["pairs"][0].take();
    let functions: Vec<_> =
        dump["functions"].as_array().unwrap().iter().map(|f| (&f["name"], f.get("address"))).collect();
    let has = |name: &str, address: Option<&str>| {
        functions.iter().any(|(own, at)| *own == name && at.and_then(|at| at.as_str()) == address)
    };
    assert!(has("hot", Some("0x2000")) && has("cold", Some("0x2010")) && has("dead", None), "{functions:?}");
    assert_eq!(dump["linked_sections"][0]["address"], "0x1000");
}

#[test]
fn an_address_is_led_back_to_a_function_without_one() {
    let mut program = three_functions();
    // The tables contradict each other: the code of `hot` is at 0x2000, and is marked as removed.
    program.omap = Some(Omap {
        section: Some((0x2000, 32)),
        to_linked: vec![(0x2000, 0x1010), (0x2010, 0x8000_0000)],
        from_linked: vec![(0x1000, 0x2010), (0x1010, 0x8000_0000)],
    });
    let session = open(program);
    let query = parse_offset(&session, "0x2008").unwrap();
    assert_eq!(named(&session, "0x2008"), "hot+0x8");
    let answer = where_is(&session, query.of, query.offset);
    assert_eq!(answer.shown().map(|point| point.start_line), Some(11));
    let error = parse_offset(&session, "hot").unwrap_err().to_string();
    assert!(error.contains("hot has no address in the image"), "{error}");
    // Code that was added after linking has no name.
    assert!(parse_offset(&session, "0x2018").is_err());
}

/// A record of a type stream: kind, numbers, and the rest.
fn record(kind: u16, numbers: &[u32], rest: &[u8]) -> Vec<u8> {
    let mut out = kind.to_le_bytes().to_vec();
    out.put_u32s(numbers);
    out.put(rest);
    out
}

#[test]
fn types_of_visual_studio_2019_have_names_sizes_and_members() {
    let (mut program, _) = program("/src/types.cpp");
    // LF_FIELDLIST: a member `id` of type int at offset 8.
    let members = record(0x1203, &[], &[&[0x0d, 0x15, 3, 0, 0x74, 0, 0, 0, 8, 0][..], b"id\0"].concat());
    // Property with a decorated name, fields, derived, shape; count and size are numeric leaves behind that.
    let class = |kind: u16, name: &[u8]| {
        record(kind, &[0x200, 0x1000, 0, 0], &[&[1, 0, 16, 0][..], name, b"\0.?AV", name, b"@@\0"].concat())
    };
    program.types = vec![
        members,
        class(0x1608, b"Klass"),
        class(0x1609, b"Struct"),
        record(0x160a, &[0x200, 0x1000], b"\x01\0\x10\0Either\0.?ATEither@@\0"),
        class(0x160b, b"Face"),
    ];
    let session = open(program);
    let rows = pdblens::nodes::rows(&session, Place::Types).unwrap();
    let found: Vec<Vec<String>> =
        (1..rows.len).map(|row| rows.get(row).unwrap().cells.iter().map(|cell| cell.text.clone()).collect()).collect();
    let wanted = [("class", "Klass"), ("struct", "Struct"), ("union", "Either"), ("interface", "Face")];
    for (row, (kind, name)) in found.iter().zip(wanted) {
        assert_eq!((row[1].as_str(), row[2].as_str(), row[3].as_str()), (kind, name, "16"), "{row:?}");
    }
    let members = pdblens::nodes::rows(&session, Place::Type(0x1001)).unwrap();
    let member: Vec<String> = members.get(0).unwrap().cells.iter().map(|cell| cell.text.clone()).collect();
    assert_eq!(&member[..4], ["8", "4", "int", "id"]);
}

#[test]
fn an_inlined_function_of_another_module_is_found_by_its_exports() {
    let (mut program, name) = program("/src/parts.cpp");
    program.ids = vec![record(0x1601, &[0, 0x74], b"first\0"), record(0x1601, &[0, 0x74], b"helper\0")];
    let owner = program.names.add("/obj/owner.obj");
    // The owner exports its id 0x1000 as the second record of the IPI stream.
    let mut exports = Vec::new();
    codeview::subsection(codeview::DEBUG_S_CROSSSCOPEEXPORTS, &mut exports, |out| out.put_u32s(&[0x1000, 0x1001]));
    let imported = 0x8000_0000;
    let (mut symbols, mut lines) = (Vec::new(), Vec::new());
    let procedure = Procedure { name: "user", start: 0, size: 32, type_or_token: 0 };
    let site = |out: &mut Vec<u8>| {
        let content = |out: &mut Vec<u8>| {
            out.put_u32s(&[0, 0, imported]);
            // Advance the code by 8, 4 bytes long.
            out.put(&[0x03, 8, 0x04, 4]);
        };
        codeview::symbol(codeview::S_INLINESITE, content, out);
        codeview::symbol(codeview::S_INLINESITE_END, |_| {}, out);
    };
    codeview::procedure(codeview::S_GPROC32, &procedure, site, &mut symbols);
    codeview::lines(0, 32, false, &[(0, vec![line(0, 3)])], &mut lines);
    codeview::checksums(&[(name, MD5, vec![3; 16])], &mut lines);
    codeview::subsection(codeview::DEBUG_S_INLINEELINES, &mut lines, |out| out.put_u32s(&[0, imported, 0, 40]));
    codeview::subsection(codeview::DEBUG_S_CROSSSCOPEIMPORTS, &mut lines, |out| out.put_u32s(&[owner, 1, 0x1000]));
    program.modules =
        vec![module("/obj/user.obj", (0, 32), symbols, lines), module("/obj/owner.obj", (32, 0), Vec::new(), exports)];
    let session = open(program);
    let answer = where_is(&session, CodeUnit::Function(0x1000), 9);
    let calls: Vec<_> = answer.inlined.iter().map(|call| (call.name.as_str(), call.line)).collect();
    assert_eq!(calls, [("helper", 40)]);
    assert!(where_is(&session, CodeUnit::Function(0x1000), 13).inlined.is_empty());
    let mut bytes = Vec::new();
    pdblens::cli::document(&session, &mut bytes).unwrap();
    let dump = serde_json::from_slice::<serde_json::Value>(&bytes).unwrap()["pairs"][0].take();
    assert_eq!(dump["functions"][0]["inlined"][0]["name"], "helper");
    assert_eq!(dump["modules"][0]["inlinees"][0]["name"], "helper");
}

#[test]
fn every_checksum_of_a_path_is_kept_with_its_modules() {
    use md5::{Digest, Md5};
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("several-checksums");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("shared.h");
    std::fs::write(&path, "int second;\n").unwrap();
    let path = path.to_str().unwrap();
    let (mut program, name) = program(path);
    let texts: [&[u8]; 3] = [b"int first;\n", b"int second;\n", b"int first;\n"];
    for (index, text) in (0..).zip(texts) {
        let (mut symbols, mut lines) = (Vec::new(), Vec::new());
        function(&format!("f{index}"), index * 16, 16, 1, &mut symbols, &mut lines);
        codeview::checksums(&[(name, MD5, Md5::digest(text).to_vec())], &mut lines);
        program.modules.push(module(&format!("/obj/part{index}.obj"), (index * 16, 16), symbols, lines));
    }
    let session = open(program);
    let hashes = session.native_pdb().unwrap().module_hashes(1);
    let modules: Vec<_> = hashes.iter().map(|hash| (hash.modules.clone(), hash.count)).collect();
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(modules, [(named(&["/obj/part0.obj", "/obj/part2.obj"]), 2), (named(&["/obj/part1.obj"]), 1)]);
    // The file on disk is the one of the second hash.
    let source = source::find(&session, 1, &SourceOptions::default()).unwrap();
    assert!(source.verdict.is_verified(), "{:?}", source.verdict);
    assert_eq!(source.hashes.len(), 2);
    let remarks = pdblens::query::check::check(&session, &SourceOptions::default());
    let said = remarks
        .iter()
        .any(|remark| remark.sentence.contains("2 different hashes in its modules (part0.obj, part1.obj)"));
    assert!(said, "{remarks:#?}");
    let fields = pdblens::nodes::fields(&session, Place::Document(1)).unwrap();
    let entries: Vec<_> = fields.rows.iter().filter(|row| row.group && row.meaning.starts_with("of part")).collect();
    assert_eq!(entries.len(), 2, "{:?}", fields.rows);
}

#[test]
fn a_breakpoint_is_hollow_for_hidden_code_and_for_two_documents_of_one_name() {
    const HIDDEN: u32 = 0x00fe_efee;
    let (mut program, first) = program("/src/one/shared.c");
    program.files.push("/src/two/shared.c".to_owned());
    let second = program.names.add("/src/two/shared.c");
    let (mut symbols, mut lines) = (Vec::new(), Vec::new());
    let procedure = Procedure { name: "generated", start: 0, size: 16, type_or_token: 0 };
    codeview::procedure(codeview::S_GPROC32, &procedure, |_| {}, &mut symbols);
    codeview::lines(0, 16, false, &[(0, vec![line(0, HIDDEN), line(8, HIDDEN)])], &mut lines);
    codeview::checksums(&[(first, MD5, vec![3; 16]), (second, MD5, vec![4; 16])], &mut lines);
    program.modules = vec![Module { files: vec![0, 1], ..module("/obj/shared.obj", (0, 16), symbols, lines) }];
    let session = open(program);
    let why = |text: &str| {
        breakpoint::Judge::of(&session, &SourceOptions::default()).why(parse_line(&session, text).as_ref())
    };
    assert_eq!(why("one/shared.c:3").cause, breakpoint::Cause::HiddenPoints, "{:?}", why("one/shared.c:3"));
    for text in ["shared.c:3", "C:\\x\\shared.c:3"] {
        let several = why(text);
        assert_eq!(several.cause, breakpoint::Cause::SeveralDocuments, "{several:?}");
        assert!(!several.sentence.contains('\n') && several.fix.contains("more of the path"), "{several:?}");
        assert!(several.sentence.contains("document/1") && several.sentence.contains("document/2"), "{several:?}");
    }
}

#[test]
fn each_module_has_its_compiler_and_its_flags() {
    const S_BUILDINFO: u16 = 0x114c;
    const S_ENVBLOCK: u16 = 0x113d;
    const S_LDATA32: u16 = 0x110c;
    let (mut program, name) = program("/src/flags.cpp");
    let text = |text: &str| record(0x1605, &[0], format!("{text}\0").as_bytes());
    program.ids = vec![
        text("/obj"),
        text("cl.exe"),
        text("-O2 -Zi"),
        // LF_BUILDINFO: folder, compiler, source, type server, arguments.
        record(
            0x1603,
            &[],
            &[
                &5_u16.to_le_bytes()[..],
                &0x1000_u32.to_le_bytes(),
                &0x1001_u32.to_le_bytes(),
                &0_u32.to_le_bytes(),
                &0_u32.to_le_bytes(),
                &0x1002_u32.to_le_bytes(),
            ]
            .concat(),
        ),
    ];
    let compile = |machine_code: &str, language: u32, out: &mut Vec<u8>| {
        let content = |out: &mut Vec<u8>| {
            out.put_u32(language);
            out.put(&[0xd0, 0, 19, 0, 44, 0, 1, 0, 0, 0, 19, 0, 44, 0, 1, 0, 0, 0]);
            out.put_z(machine_code);
        };
        codeview::symbol(S_COMPILE3, content, out);
    };
    let (mut assembler, mut symbols, mut lines, mut linker) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    compile("Microsoft (R) Macro Assembler", 3, &mut assembler);
    // Variables of the module stand before the build information: more than a few.
    let variables = |out: &mut Vec<u8>| {
        for index in 0..2000 {
            let variable = |out: &mut Vec<u8>| {
                out.put_u32s(&[0x74, index]);
                out.put(&[2, 0]);
                out.put_z("variable");
            };
            codeview::symbol(S_LDATA32, variable, out);
        }
        assert!(out.len() > 32 << 10);
    };
    let mut late = Vec::new();
    variables(&mut late);
    compile("Microsoft (R) Optimizing Compiler", 1, &mut late);
    codeview::symbol(S_BUILDINFO, |out| out.put_u32(0x1003), &mut late);
    compile("Microsoft (R) Optimizing Compiler", 1, &mut symbols);
    variables(&mut symbols);
    codeview::symbol(S_BUILDINFO, |out| out.put_u32(0x1003), &mut symbols);
    function("plain", 0, 16, 1, &mut symbols, &mut lines);
    codeview::checksums(&[(name, MD5, vec![3; 16])], &mut lines);
    compile("Microsoft (R) LINK", 7, &mut linker);
    let environment = |out: &mut Vec<u8>| out.put(b"\0cmd\0 /debug /opt:ref\0\0");
    codeview::symbol(S_ENVBLOCK, environment, &mut linker);
    program.modules = vec![
        module("/obj/first.obj", (0, 0), assembler, Vec::new()),
        module("/obj/flags.obj", (0, 16), symbols.clone(), lines),
        module("/obj/other.obj", (16, 0), late, Vec::new()),
        module("* Linker *", (16, 0), linker, Vec::new()),
    ];
    let session = open(program);
    let mut bytes = Vec::new();
    pdblens::cli::document(&session, &mut bytes).unwrap();
    let dump = serde_json::from_slice::<serde_json::Value>(&bytes).unwrap()["pairs"][0].take();
    assert!(dump["modules"][0].get("build_info").is_none());
    for module in [1, 2] {
        let found = &dump["modules"][module]["build_info"];
        let of =
            |name: &str| found.as_array().unwrap().iter().find(|pair| pair["name"] == name).unwrap()["value"].clone();
        assert_eq!(
            (of("directory"), of("compiler"), of("arguments")),
            ("/obj".into(), "cl.exe".into(), "-O2 -Zi".into())
        );
    }
    // Of three modules two are of the compiler: it is the one of the program, and not the first.
    let options: std::collections::BTreeMap<_, _> =
        session.symbols().unwrap().compilation().options.into_iter().collect();
    assert_eq!(options["language"], "C++", "{options:?}");
    assert!(options["compiler-version"].starts_with("Microsoft (R) Optimizing Compiler 19.44.1"), "{options:?}");
    assert!(options["compilers"].contains("(C++): 2 modules") && options["compilers"].contains("(MASM): 1 module"));
    assert_eq!(options["linker-flags"].trim(), "/debug /opt:ref");
    assert_eq!(options["compiler-flags"], "-O2 -Zi");
    // `info` prints both.
    let overview = pdblens::nodes::rows(&session, Place::Overview).unwrap();
    let lines: Vec<String> = overview
        .iter()
        .map(|row| row.cells.iter().map(|cell| cell.text.trim()).collect::<Vec<_>>().join(" "))
        .collect();
    for line in ["compiler-flags -O2 -Zi", "linker-flags /debug /opt:ref"] {
        assert!(lines.iter().any(|found| found.contains(line)), "{lines:#?}");
    }
}

#[test]
fn streams_that_linkers_leave_empty_are_no_findings() {
    let findings = |more: Vec<(&'static str, Vec<u8>)>| {
        let (mut program, name) = program("/src/plain.c");
        let (mut symbols, mut lines) = (Vec::new(), Vec::new());
        function("plain", 0, 16, 1, &mut symbols, &mut lines);
        codeview::checksums(&[(name, MD5, vec![3; 16])], &mut lines);
        program.modules = vec![module("/obj/plain.obj", (0, 16), symbols, lines)];
        program.more = more;
        let remarks = pdblens::query::check::check(&open(program), &SourceOptions::default());
        let findings = remarks.into_iter().filter(|remark| remark.grade == Grade::Finding);
        findings.map(|remark| remark.sentence).collect::<Vec<_>>()
    };
    let before = findings(Vec::new());
    for empty in ["/src/headerblock", "sourcelink$1", "srcsrv", "/LinkInfo"] {
        assert_eq!(findings(vec![(empty, Vec::new())]), before, "{empty}");
    }
}

#[test]
fn the_pdb_of_a_compiler_is_no_damaged_one() {
    let session = open(Program { is_compile_time: true, ..program("/src/plain.c").0 });
    let remarks = pdblens::query::check::check(&session, &SourceOptions::default());
    assert!(remarks.iter().all(|remark| remark.grade != Grade::Finding), "{remarks:#?}");
    let said = "a compiler wrote this PDB for its object files (cl /Zi): it has types only, and no image names it";
    assert_eq!(session.match_reasons(), [Reason::new("compile-time", said)]);
}

#[test]
fn types_that_no_file_declares_need_no_hash() {
    let without_hash = |path: &str| {
        let (mut program, name) = program(path);
        let (mut symbols, mut lines) = (Vec::new(), Vec::new());
        function("plain", 0, 16, 1, &mut symbols, &mut lines);
        codeview::checksums(&[(name, 0, Vec::new())], &mut lines);
        program.modules = vec![module("/obj/plain.obj", (0, 16), symbols, lines)];
        let remarks = pdblens::query::check::check(&open(program), &SourceOptions::default());
        remarks.iter().filter(|remark| remark.sentence.contains("has no hash")).count()
    };
    assert_eq!(without_hash("D:\\a\\predefined C++ types (compiler internal)"), 0);
    assert_eq!(without_hash("D:\\a\\plain.c"), 1);
}

#[test]
fn an_embedded_natvis_is_no_document() {
    let (mut program, name) = program("/src/plain.c");
    let (mut symbols, mut lines) = (Vec::new(), Vec::new());
    function("plain", 0, 16, 1, &mut symbols, &mut lines);
    codeview::checksums(&[(name, MD5, vec![3; 16])], &mut lines);
    program.modules = vec![module("/obj/plain.obj", (0, 16), symbols, lines)];
    program.more = vec![("/src/files/c:\\plain.natvis", b"<?xml version=\"1.0\"?><AutoVisualizer/>".to_vec())];
    let session = open(program);
    let symbols = session.symbols().unwrap();
    assert_eq!((symbols.documents(), symbols.document(1).unwrap().name.as_str()), (1, "/src/plain.c"));
    assert_eq!(MethodView::of(&session, CodeUnit::Function(0x1000)).symbols.document, Some(1));
}

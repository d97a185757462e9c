//! Lists of Windows PDBs and `.mdb` files, compared with other readers; native code in forms that no sample has.

use pdblens::learn::glossary;
use pdblens::nodes;
use pdblens::nodes::code_tree::CodeTree;
use pdblens::nodes::document;
use pdblens::nodes::function::NativeView;
use pdblens::nodes::method;
use pdblens::nodes::method::MethodView;
use pdblens::nodes::resolve;
use pdblens::nodes::tables;
use pdblens::query::address::parse_line;
use pdblens::query::breakpoint;
use pdblens::query::document_lines;
use pdblens::query::search::Index;
use pdblens::query::where_is;
use std::collections::{BTreeMap, BTreeSet};

use crate::support::samples::{repository, samples};
use crate::support::synth::codeview::{self, Line, Procedure, S_GPROC32};
use crate::support::synth::dbi::{Module, Program};
use crate::support::synth::method::Lines;
use crate::support::synth::msf::NameTable;
use pdb::FallibleIterator;
use pdblens::nodes::code_unit::CodeUnit;
use pdblens::nodes::{FunctionPart, MdbTable};
use pdblens::nodes::{Place, TableId, Token};
use pdblens::session::Session;

type Pdb<'s> = pdb::PDB<'s, std::io::Cursor<Vec<u8>>>;

/// Every Windows PDB of the samples, as we and as the `pdb` crate open it.
fn windows_pdbs() -> Vec<(String, Session, Pdb<'static>)> {
    let mut found = Vec::new();
    for sample in samples() {
        let Some(path) = sample.symbols.as_ref() else { continue };
        let bytes = std::fs::read(path).unwrap();
        let Ok(peer) = pdb::PDB::open(std::io::Cursor::new(bytes)) else { continue };
        found.push((sample.name.clone(), Session::open(&sample.files()).unwrap(), peer));
    }
    assert_eq!(found.len(), 13);
    found
}

fn cells(session: &Session, place: Place) -> Vec<Vec<String>> {
    let rows = nodes::rows(session, place).unwrap_or_else(|| panic!("{place} is no list"));
    rows.iter().map(|row| row.cells.into_iter().map(|cell| cell.text).collect()).collect()
}

#[test]
fn modules_and_contributions_are_those_of_the_pdb_crate() {
    for (name, session, mut peer) in windows_pdbs() {
        let debug = peer.debug_information().unwrap();
        let theirs: Vec<String> =
            debug.modules().unwrap().map(|module| Ok(module.module_name().into_owned())).collect().unwrap();
        let ours: Vec<String> = cells(&session, Place::Modules).into_iter().map(|row| row[6].clone()).collect();
        assert_eq!(ours, theirs, "{name}");

        let mut contributions = debug.section_contributions().unwrap();
        let mut theirs = Vec::new();
        while let Some(found) = contributions.next().unwrap() {
            theirs.push((format!("{}:{:08x}", found.offset.section, found.offset.offset), found.size.to_string()));
        }
        let ours = cells(&session, Place::Contributions).into_iter().map(|row| (row[1].clone(), row[2].clone()));
        assert_eq!(ours.collect::<Vec<_>>(), theirs, "{name}");
    }
}

#[test]
fn symbols_types_and_strings_are_those_of_the_pdb_crate() {
    for (name, session, mut peer) in windows_pdbs() {
        let table = peer.global_symbols().unwrap();
        let (mut publics, mut globals, mut all) = (Vec::new(), Vec::new(), table.iter());
        while let Some(symbol) = all.next().unwrap() {
            let text = symbol.parse().ok().and_then(|data| data.name().map(|name| name.to_string().into_owned()));
            let list = if symbol.raw_kind() == 0x110e { &mut publics } else { &mut globals };
            list.push((symbol.raw_kind(), text));
        }
        for (place, mut theirs) in [(Place::Publics, publics), (Place::Globals, globals)] {
            let mut ours = cells(&session, place);
            assert_eq!(ours.len(), theirs.len(), "{name} {place}");
            // Publics are in the order of their addresses here.
            if place == Place::Publics {
                ours.sort_by(|a, b| a[2].cmp(&b[2]));
                theirs.sort();
            }
            for (ours, (_, theirs)) in ours.iter().zip(&theirs) {
                // Kinds that the crate does not know have no name there.
                let Some(theirs) = theirs else { continue };
                assert_eq!(ours[2].split(" = ").next(), Some(theirs.as_str()), "{name} {place}");
            }
        }
        if NativeView::of(&session).is_some() {
            assert_eq!(cells(&session, Place::Types).len(), peer.type_information().unwrap().len());
            assert_eq!(cells(&session, Place::Ids).len(), peer.id_information().unwrap().len());
        }
        let strings = peer.string_table().unwrap();
        let ours = cells(&session, Place::Names);
        assert!(ours.len() >= 2, "{name}");
        for row in ours {
            let offset = u32::from_str_radix(row[0].trim_start_matches("0x"), 16).unwrap();
            let theirs = pdb::StringRef(offset).to_string_lossy(&strings).unwrap();
            assert_eq!((row[2].as_str(), row[1].parse()), (&*theirs, Ok(theirs.len())), "{name}");
            let document = row[3].parse().ok().and_then(|row: u32| document::name(&session, row));
            // Names of injected files have their own separators.
            let same = |path: String| path.replace('/', "\\").eq_ignore_ascii_case(&theirs.replace('/', "\\"));
            assert!(document.is_none_or(same), "{name} {theirs}");
        }
    }
}

#[test]
fn every_listed_place_has_rows() {
    let mut seen = BTreeMap::new();
    for sample in samples() {
        let session = Session::open(&sample.files()).unwrap();
        for (name, place, len) in tables::symbol_tables(&session) {
            // Of native code some takes reading, which nobody has done here.
            let rows = nodes::rows(&session, place).unwrap().len;
            assert!(rows > 0 && len.is_none_or(|len| len == rows), "{}: {name}", sample.name);
            *seen.entry(name).or_insert(0) += 1;
        }
        if let Some(native) = NativeView::of(&session) {
            native.read_all();
            assert!(tables::symbol_tables(&session).iter().all(|(.., len)| len.is_some()));
        }
    }
    assert!(
        seen.len() >= 13 && seen["names"] == 13 && seen["functions"] >= 8 && seen["compile units"] == 1,
        "{seen:?}"
    );
}

/// Words of column headings that need no explanation; names of metadata columns begin with a capital and are described with their bytes.
const PLAIN: &str = "about algorithm around assembly at by bytes called calls case clause code column columns content count data end entries \
    excluded field file files flags from generated has hash id image includes index inside kept kind language length level line lines list \
    meaning module name namespaces number of object order outcome owner page pages parent part path payload pointer position record row rows \
    rule size source start string symbols text to type unit used value version virtual what where with";

#[test]
fn the_glossary_explains_the_headings_of_all_lists() {
    let (mut checked, mut known, mut unknown) = (0, BTreeSet::new(), BTreeMap::new());
    for sample in samples() {
        let session = Session::open(&sample.files()).unwrap();
        if let Some(native) = NativeView::of(&session) {
            native.read_all();
        }
        let lists = nodes::rows(&session, Place::Places).into_iter().flat_map(|rows| rows.iter().collect::<Vec<_>>());
        for place in lists.filter_map(|row| row.place) {
            for head in nodes::rows(&session, place).iter().flat_map(|rows| &rows.columns) {
                let is_known = |word: &str| glossary::find(word).is_ok() || PLAIN.split(' ').any(|plain| plain == word);
                let is_column = head.name.starts_with(|c: char| !c.is_ascii_lowercase());
                let is_new = !head.name.is_empty() && !is_column && known.insert(head.name);
                if is_new && !is_known(head.name) && !head.name.split(' ').all(is_known) {
                    unknown.insert(head.name, place.to_string());
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 1000 && unknown.is_empty(), "{checked} {unknown:?}");
}

#[test]
fn the_tables_of_an_mdb_lead_to_the_data_of_its_methods() {
    let session = Session::open(&[repository("assets/samples/ticker-mono/Ticker.exe")]).unwrap();
    let symbols = session.symbols().unwrap();
    assert_eq!(cells(&session, Place::Mdb(MdbTable::Sources)).len() as u32, symbols.documents());
    for table in MdbTable::ALL {
        assert!(nodes::fields(&session, Place::MdbRow(table, 1000)).is_none(), "{}", table.name());
    }
    // The row of a method has the offsets of its lists, and those lead to its local variables and scopes.
    let row = nodes::fields(&session, Place::MdbRow(MdbTable::Methods, 1)).unwrap();
    let list = |name: &str| {
        let offset = row.rows.iter().find(|row| row.name == name).unwrap();
        let list = nodes::fields(&session, offset.to.unwrap()).unwrap();
        list.rows.iter().filter(|row| row.name == "name").map(|row| row.value.clone()).collect::<Vec<_>>()
    };
    let method = Token::new(TableId::METHOD_DEF, 1);
    let scopes = method::scopes(&session, method).unwrap().into_iter();
    let names: Vec<String> = scopes.flat_map(|scope| scope.variables).map(|variable| variable.name).collect();
    let listed = list("local variable table offset");
    assert!(names.len() > 1 && names.iter().all(|name| listed.iter().any(|value| value.contains(name))), "{listed:?}");
    list("code block table offset");
}

/// A function with hidden lines, one without lines, two at one address, and symbols of which no module knows more.
fn odd() -> Session {
    let at = |line: u32| Some(Lines { start_line: line, start_column: 0, end_line: line, end_column: 0 });
    let (mut names, path) = (NameTable::new(), "/src/odd.c".to_owned());
    let name = names.add(&path);
    let module = |index: u32, procedures: &[(&str, u32)], lines: &[(u32, Option<Lines>)]| {
        let (mut symbols, mut c13) = (Vec::new(), Vec::new());
        for (name, start) in procedures {
            let procedure = Procedure { name, start: *start, size: 0x20, type_or_token: 0 };
            codeview::procedure(S_GPROC32, &procedure, |_| {}, &mut symbols);
        }
        let start = procedures[0].1;
        let block = lines.iter().map(|(offset, lines)| Line { offset: *offset, lines: *lines }).collect::<Vec<_>>();
        if !block.is_empty() {
            codeview::lines(start, 0x20, false, &[(0, block)], &mut c13);
            codeview::checksums(&[(name, 1, vec![7; 16])], &mut c13);
        }
        let object = format!("/obj/{index}.obj");
        Module { name: object.clone(), object, symbols, lines: c13, files: vec![0], code: (start, 0x20) }
    };
    let mut symbols = Vec::new();
    for (flags, offset, name) in [(2, 0, "first"), (2, 0x60, "unknown"), (0, 0x70, "data"), (2, 0x48, "within")] {
        codeview::public(flags, offset, name, &mut symbols);
    }
    let program = Program {
        guid: [9; 16],
        machine: 0x8664,
        names,
        files: vec![path],
        modules: vec![
            module(0, &[("first", 0)], &[(8, None), (0, at(5)), (12, at(0xf0_0f00)), (16, at(6))]),
            module(1, &[("bare", 0x20)], &[]),
            module(2, &[("same", 0x40)], &[(0, at(8))]),
            module(3, &[("other", 0x40)], &[(0, at(9)), (4, at(10))]),
            module(4, &[("end", 0x80)], &[]),
        ],
        symbols,
        ..Program::default()
    };
    Session::from_bytes(vec![("odd.pdb".into(), program.write(512))]).unwrap()
}

#[test]
fn lines_are_sorted_and_non_lines_are_marked() {
    let session = odd();
    let view = MethodView::of(&session, CodeUnit::Function(0x1000));
    let said: Vec<_> = view.points.iter().map(|p| (p.offset, p.is_hidden(), p.start_line, p.document)).collect();
    assert_eq!(said, [(0, false, 5, 1), (8, true, 0xfe_efee, 1), (12, true, 0xfe_efee, 1), (16, false, 6, 1)]);
    let kinds: Vec<String> = cells(&session, Place::FunctionPart(0x1000, FunctionPart::Lines))
        .into_iter()
        .map(|row| row[6].clone())
        .collect();
    assert_eq!(kinds, ["statement", "no line: 0xfeefee", "no line: 0xf00f00", "statement"]);
    // Code of no line is that of the last one before it that is one.
    let answer = where_is::where_is(&session, CodeUnit::Function(0x1000), 13);
    assert_eq!((answer.position, answer.shown().unwrap().start_line), (where_is::Position::Hidden, 5));
    // The record of each is where it says.
    for (index, point) in view.points.iter().enumerate() {
        let place = CodeUnit::Function(0x1000).point(index as u32 + 1);
        let fields = nodes::fields(&session, place).unwrap();
        assert_eq!(Some(fields.span), method::point_span(&view, point));
        let bytes = session.spaces().read(fields.span).unwrap();
        assert_eq!(u32::from_le_bytes(bytes[..4].try_into().unwrap()), point.offset);
    }
    let found = breakpoint::bind(&session, &parse_line(&session, "odd.c:6").unwrap());
    assert_eq!((found.line, found.hits[0].of, found.hits[0].range.clone()), (6, CodeUnit::Function(0x1000), 16..32));
    assert_eq!(document_lines::document_lines(&session, 1, &|| false).len(), 2 + 1 + 2);
}

#[test]
fn functions_are_grouped_by_module() {
    let session = odd();
    let tree = CodeTree::of(&session);
    let branches: Vec<(&str, Vec<(String, u32)>)> = tree
        .branches
        .iter()
        .map(|branch| {
            let members = branch
                .members
                .clone()
                .map(|number| (tree.member(&session, number).name, tree.points(&session, number)));
            (branch.name.as_str(), members.collect())
        })
        .collect();
    let one = |name: &str, points: u32| vec![(name.to_owned(), points)];
    let expected = [
        ("0.obj", one("first", 4)),
        ("1.obj", one("bare", 0)),
        ("2.obj", one("same", 1)),
        ("3.obj", one("other", 2)),
        ("4.obj", one("end", 0)),
        // What is data is not code, and what is within a function is known.
        ("public symbols", one("unknown", 0)),
    ];
    assert_eq!(branches, expected);
    assert_eq!(tree.total, 5);
    for branch in &tree.branches {
        for number in branch.members.clone() {
            let Some(of) = tree.member(&session, number).place.unwrap().code_unit() else { continue };
            // Of two functions at one address, the one that it is named for is found.
            let wanted = if number == 3 { 2 } else { number };
            assert_eq!(tree.number(&session, of), Some(wanted));
        }
    }
    let index = Index::build(&session, &|_, _| true);
    let names: Vec<String> = (0..index.len()).map(|at| index.name(at)).collect();
    for name in ["first", "bare", "same", "other", "end", "unknown", "data", "/src/odd.c"] {
        assert!(names.iter().any(|own| own == name), "{name} in {names:?}");
    }
    assert_eq!(resolve::functions_named(&session, "first"), [0x1000]);
    assert_eq!(
        resolve::functions_named(&session, "within"),
        [0x1048],
        "by the linker's name, where it is in a function"
    );
}

#[test]
fn functions_that_share_a_line_block_keep_their_own_lines() {
    // As an assembler writes it: the lines of all functions of a module are one subsection.
    const FUNCTIONS: u32 = 2000;
    const LINES: u32 = 10;
    let (mut names, path) = (NameTable::new(), "/src/much.asm".to_owned());
    let name = names.add(&path);
    let line = |number: u32| Line {
        offset: number * 2,
        lines: Some(Lines { start_line: number + 1, start_column: 0, end_line: number + 1, end_column: 0 }),
    };
    let (mut symbols, mut c13) = (Vec::new(), Vec::new());
    let size = LINES * 2;
    for function in 0..FUNCTIONS {
        let procedure = Procedure { name: "f", start: function * size, size, type_or_token: 0 };
        codeview::procedure(S_GPROC32, &procedure, |_| {}, &mut symbols);
    }
    codeview::lines(0, FUNCTIONS * size, false, &[(0, (0..FUNCTIONS * LINES).map(line).collect())], &mut c13);
    codeview::checksums(&[(name, 1, vec![7; 16])], &mut c13);
    let object = "/obj/much.obj".to_owned();
    let code = (0, FUNCTIONS * size);
    let modules = vec![Module { name: object.clone(), object, symbols, lines: c13, files: vec![0], code }];
    let program = Program { guid: [9; 16], machine: 0x8664, names, files: vec![path], modules, ..Program::default() };
    let session = Session::from_bytes(vec![("much.pdb".into(), program.write(4096))]).unwrap();
    assert_eq!(document_lines::document_lines(&session, 1, &|| false).len(), (FUNCTIONS * LINES) as usize);
    let last = FUNCTIONS * LINES;
    let found = breakpoint::bind(&session, &parse_line(&session, &format!("much.asm:{last}")).unwrap());
    assert_eq!((found.line, found.hits.len(), found.hits[0].number), (last, 1, LINES));
}

#[test]
fn overlapping_functions_cost_no_more_than_others() {
    // Every function says that it is as long as memory: each would have the lines of all.
    let (mut names, path) = (NameTable::new(), "/src/malformed.c".to_owned());
    let name = names.add(&path);
    let line = |offset: u32| Line {
        offset,
        lines: Some(Lines { start_line: offset + 1, start_column: 0, end_line: offset + 1, end_column: 0 }),
    };
    let modules = (0..20_u32).map(|index| {
        let (mut symbols, mut c13) = (Vec::new(), Vec::new());
        for function in 0..1000 {
            let start = index * 1000 + function;
            let procedure = Procedure { name: "f", start, size: u32::MAX, type_or_token: 0 };
            codeview::procedure(S_GPROC32, &procedure, |_| {}, &mut symbols);
        }
        codeview::lines(index * 1000, u32::MAX, false, &[(0, (0..5000).map(line).collect())], &mut c13);
        codeview::checksums(&[(name, 1, vec![7; 16])], &mut c13);
        let object = format!("/obj/{index}.obj");
        Module { name: object.clone(), object, symbols, lines: c13, files: vec![0], code: (0, 20_000) }
    });
    let modules = modules.collect();
    let program = Program { guid: [9; 16], machine: 0x8664, names, files: vec![path], modules, ..Program::default() };
    let session = Session::from_bytes(vec![("malformed.pdb".into(), program.write(4096))]).unwrap();
    let start = std::time::Instant::now();
    let coverage = document_lines::document_lines(&session, 1, &|| false);
    let found = breakpoint::bind(&session, &parse_line(&session, "malformed.c:7").unwrap());
    let _ = (coverage.len(), found.hits.len(), Index::build(&session, &|_, _| true).len());
    let tree = CodeTree::of(&session);
    let shown: u32 = (0..60).map(|number| tree.points(&session, number)).sum();
    assert!(shown > 0);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

/// A compiler's tests keep these lines, so that nothing in them may differ between builds of one source.
#[test]
fn golden_points_have_neither_tokens_nor_folders() {
    let golden = |name: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pdblens"));
        let file = repository("assets/samples").join(name);
        let output = command.args(["points", "--golden"]).arg(file).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let text = golden("ticker/Ticker.dll");
    assert_eq!(text, golden("ticker-embedded/Ticker.dll"));
    assert!(text.contains("Ticker.Clock.Since(long) IL_000b Clock.cs 13:"), "{text}");
    assert!(text.contains(" hidden\n") && !text.contains('/') && !text.contains("0x0600"), "{text}");
    let methods: Vec<&str> = text.lines().map(|line| line.split(" IL_").next().unwrap()).collect();
    assert!(methods.len() > 15 && methods.is_sorted(), "{text}");
}

//! Windows PDBs through the model: beside a portable PDB of the same sources, and beside the sources themselves.

use pdblens::nodes;
use pdblens::nodes::function::NativeView;
use pdblens::nodes::method;
use pdblens::nodes::method::MethodView;
use pdblens::query::where_is::state_machine;
use std::ops::ControlFlow;

use crate::support::samples::repository;
use pdblens::nodes::{Place, SequencePoint, TableId, Token};
use pdblens::session::{PdbMatch, Session};
use pdblens::symbols::{StateMachine, SymbolReader};

fn open(folder: &str) -> Session {
    let folder = repository("assets/samples").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "dll" || e == "exe" || e == "pdb"));
    Session::open(&files).unwrap()
}

fn tokens(session: &Session) -> impl Iterator<Item = Token> {
    (1..=session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row))
}

/// Values of a point, whatever encodes it: IL offset, document, hidden, lines and columns.
type PointValues = (u32, u32, bool, [u32; 4]);

fn points(symbols: &dyn SymbolReader, method: Token) -> Vec<PointValues> {
    let mut found = Vec::new();
    if method.row() > symbols.methods() {
        return found;
    }
    let read = symbols.points(method, &mut |p: SequencePoint| {
        let lines = [p.start_line, p.start_column, p.end_line, p.end_column];
        found.push((p.offset, p.document, p.is_hidden(), lines));
        ControlFlow::Continue(())
    });
    read.unwrap();
    found
}

#[test]
fn pairs_match_without_findings() {
    for folder in ["workshop-windows", "ticker-windows", "ticker-windows-release", "ledger-windows", "native"] {
        let session = open(folder);
        assert_eq!(session.pdb_match(), PdbMatch::Matched, "{folder}: {:?}", session.match_reasons());
        assert_eq!(session.problems(), [], "{folder}");
        // From one of the two the other is found.
        let files = [session.image().unwrap().path.clone(), session.symbol_file().unwrap().path.clone()];
        for file in files {
            let session = Session::open(std::slice::from_ref(&file)).unwrap();
            assert_eq!(session.pdb_match(), PdbMatch::Matched, "{}", file.display());
        }
    }
}

#[test]
fn methods_points_and_documents_are_the_portable_ones() {
    let (windows, portable) = (open("workshop-windows"), open("workshop-roslyn3"));
    let (ours, theirs) = (windows.symbols().unwrap(), portable.symbols().unwrap());
    assert_eq!(windows.methods(), portable.methods());
    for method in tokens(&portable) {
        assert_eq!(points(ours, method), points(theirs, method), "{method}");
        assert_eq!(ours.method(method).unwrap().document, theirs.method(method).unwrap().document, "{method}");
        for known in [StateMachine::MoveNext(method), StateMachine::Kickoff(method)] {
            assert_eq!(ours.state_machine(known), theirs.state_machine(known), "{method}");
        }
    }
    assert_eq!(ours.compilation().entry_point, theirs.compilation().entry_point);
    assert_eq!(ours.documents(), theirs.documents());
    for row in 1..=ours.documents() {
        let said = |symbols: &dyn SymbolReader| {
            let found = symbols.document(row).unwrap();
            (found.name, found.language, found.hash_algorithm, found.hash)
        };
        assert_eq!(said(ours), said(theirs));
    }
}

/// A scope: import scope, start, length, depth, variables, constants with type and value.
type Scope = (u32, u32, u32, u8, Vec<(u16, bool, String)>, Vec<[String; 3]>);

fn scopes(session: &Session, method: Token) -> Vec<Scope> {
    let scopes = method::scopes(session, method).unwrap_or_default().into_iter();
    let around = session.symbols().unwrap().imports_of(method);
    let scope = |scope: pdblens::symbols::Scope| {
        let variables = scope.variables.into_iter().map(|found| (found.slot, found.hidden, found.name)).collect();
        let constants = scope.constants.into_iter().map(|found| [found.name, found.type_name, found.value]).collect();
        (scope.imports.or(around).unwrap_or(0), scope.start, scope.length, scope.depth, variables, constants)
    };
    scopes.map(scope).collect()
}

#[test]
fn scopes_locals_and_constants_are_the_portable_ones() {
    let (windows, portable) = (open("workshop-windows"), open("workshop-roslyn3"));
    let mut different = Vec::new();
    for method in tokens(&portable) {
        let (mut ours, mut theirs) = (scopes(&windows, method), scopes(&portable, method));
        // Import scopes are numbered as methods come to them, and a method that only starts a state machine says nothing of
        // its imports here: `MoveNext`, which comes later, does.
        let starts = state_machine::move_next(&portable, method).is_some();
        for scope in &mut theirs {
            scope.0 = if starts { 0 } else { portable_row(scope.0) };
        }
        if ours != theirs {
            different.push((method.row(), std::mem::take(&mut ours), theirs));
        }
    }
    // The stub that calls an asynchronous Main has no points and no locals. A portable PDB says nothing about it; a Windows PDB
    // has a procedure for every method with a body that its compiler visits.
    assert_eq!(different, [(6, vec![(0, 0, 20, 0, vec![], vec![])], vec![])]);
}

/// The row here of an import scope of the portable PDB.
fn portable_row(row: u32) -> u32 {
    match row {
        4 | 5 => row + 4,
        6..=9 => row - 2,
        row => row,
    }
}

#[test]
fn imports_are_the_portable_ones() {
    let (windows, portable) = (open("workshop-windows"), open("workshop-roslyn3"));
    let (ours, theirs) = (windows.symbols().unwrap(), portable.symbols().unwrap());
    assert_eq!(ours.import_scopes(), theirs.import_scopes());
    let names = portable.names().unwrap();
    let mut of_types = Vec::new();
    for row in 1..=theirs.import_scopes() {
        let (mut ours, mut theirs) = (ours.import_scope(portable_row(row)).unwrap(), theirs.import_scope(row).unwrap());
        assert_eq!((ours.parent, &ours.error), (theirs.parent.map(portable_row), &None));
        // A portable PDB has the token of a type, a Windows PDB the name by which it would be loaded.
        for (ours, theirs) in ours.imports.iter_mut().zip(&mut theirs.imports) {
            of_types.extend(ours.text.take().zip(theirs.target.take()));
        }
        assert_eq!(ours.imports, theirs.imports, "{row}");
    }
    let [(text, token)] = of_types.as_slice() else { panic!("{of_types:?}") };
    assert_eq!(names.type_name(*token), "System.Collections.Generic.Dictionary<string, int>");
    assert!(text.starts_with("System.Collections.Generic.Dictionary`2[[System.String, "), "{text}");
}

#[test]
fn custom_debug_information_is_the_portable_one() {
    let (windows, portable) = (open("workshop-windows"), open("workshop-roslyn3"));
    let said = |session: &Session| {
        let symbols = session.symbols().unwrap();
        let mut all: Vec<_> = (1..=symbols.customs())
            .map(|row| symbols.custom(row).unwrap())
            .map(|custom| {
                // A portable PDB has rows for local variables to hang things on, here it is the method.
                let parent = custom.parent.filter(|parent| parent.table() == TableId::METHOD_DEF);
                (custom.kind.to_string(), custom.value, parent)
            })
            .collect();
        all.sort();
        all
    };
    let (ours, mut theirs) = (said(&windows), said(&portable));
    let of_locals = ["83c563c4-b4f3-47d5-b824-ba5441477ea8", "ed9fdf71-8879-4747-8ed3-fe5ede3ce710"];
    for custom in theirs.iter_mut().filter(|custom| of_locals.contains(&custom.0.as_str())) {
        let row = if custom.0 == of_locals[0] { 0x0f } else { 7 };
        custom.2 = Some(Token::new(TableId::METHOD_DEF, row));
    }
    theirs.sort();
    assert_eq!(ours, theirs);
}

#[test]
fn visual_basic_is_the_portable_one() {
    let (windows, portable) = (open("ledger-windows"), open("ledger"));
    let (ours, theirs) = (windows.symbols().unwrap(), portable.symbols().unwrap());
    for method in tokens(&portable) {
        let unhidden = |found: Vec<PointValues>| found.into_iter().filter(|point| !point.2).collect::<Vec<_>>();
        assert_eq!(unhidden(points(ours, method)), unhidden(points(theirs, method)), "{method}");
        let body = StateMachine::MoveNext(method);
        assert_eq!(ours.state_machine(body), theirs.state_machine(body), "{method}");
    }
    assert_eq!((ours.import_scopes(), theirs.import_scopes()), (2, 2));
    assert_eq!(ours.import_scope(2).unwrap().imports, theirs.import_scope(2).unwrap().imports);
    let root = (1..=ours.customs()).map(|row| ours.custom(row).unwrap()).find(|custom| custom.parent == Some(Token(1)));
    assert_eq!(root.map(|custom| custom.value), Some(b"Books".to_vec()));
}

#[test]
fn points_are_beside_the_bytes_that_encode_them() {
    let session = open("ticker-windows");
    let _symbols = session.symbols().unwrap();
    for method in tokens(&session) {
        let view = MethodView::of(&session, method);
        let Some(all) = nodes::fields(&session, Place::MethodPart(method, nodes::MethodPart::Points)) else {
            continue;
        };
        assert_eq!((all.span, &all.error), (view.symbols.points.unwrap(), &None));
        let mut end = all.span.start;
        for leaf in all.leaves() {
            assert_eq!(leaf.span.start, end, "{}", leaf.name);
            end = leaf.span.end();
        }
        assert_eq!(end, all.span.end());
        for point in &view.points {
            let record = session.spaces().read(method::point_span(&view, point).unwrap()).unwrap();
            let line = u32::from_le_bytes(record[4..8].try_into().unwrap());
            assert_eq!((record[0], line & 0xff_ffff), (point.offset as u8, point.start_line));
            let columns = session
                .spaces()
                .read(session.symbol_file().unwrap().content.columns_of(method, point).unwrap())
                .unwrap();
            assert_eq!(columns[0] as u32, point.start_column);
        }
    }
    let show = nodes::fields(
        &session,
        "method/Main/points/2".parse().unwrap_or(nodes::resolve(&session, "method/Main/points/2").unwrap()),
    );
    let names: Vec<_> = show.unwrap().rows.into_iter().map(|row| row.name).collect();
    assert_eq!(names, ["line record", "offset", "lines", "column record", "start column", "end column"]);
}

#[test]
fn variables_of_a_basic_state_machine_are_listed_by_their_names_in_the_source() {
    let session = open("ledger-windows");
    let rows = nodes::rows(&session, "method/0x06000008/scopes".parse().unwrap()).unwrap();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.cells.into_iter().map(|cell| cell.text).collect()).collect();
    let balance = rows.iter().find(|row| row[3] == "balance").unwrap_or_else(|| panic!("{rows:?}"));
    assert_eq!(balance[1], "field $VB$ResumableLocal_balance$0");
    assert!(!balance[2].is_empty() && rows.iter().all(|row| !row[3].starts_with('$')), "{rows:?}");
}

/// Values that llvm-pdbutil prints of the native sample (`dump -l --symbols --publics --types`).
const LLVM: &str = include_str!("../../golden/native/tally.txt");

/// The number after `label` of a line.
fn number_behind(line: &str, label: &str) -> Option<u32> {
    let rest = line.split_once(label)?.1;
    rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
}

#[test]
fn native_functions_and_lines_match_llvm() {
    let session = open("native");
    let native = NativeView::of(&session).unwrap();
    // `18 00000000 !`: a line, and the offset in the section. The last line of a function may say where it ends.
    let mut theirs: Vec<(u32, u32)> = Vec::new();
    for line in LLVM.lines().skip_while(|line| !line.contains(" Lines ")).take_while(|line| !line.contains("Mod 0001"))
    {
        let entries = line.trim().split('!').filter_map(|entry| entry.trim().split_once(' '));
        theirs.extend(
            entries.filter_map(|(line, at)| Some((u32::from_str_radix(at.trim(), 16).ok()?, line.parse().ok()?))),
        );
    }
    let ours: Vec<(u32, u32)> = native
        .functions()
        .iter()
        .flat_map(|function| {
            let lines = native.lines_of(function);
            assert_eq!(lines.error, None);
            assert_eq!(lines.points.len(), native.line_count(function));
            lines.points.into_iter().map(|line| (function.offset + line.offset, line.start_line)).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!((ours.len(), &ours), (39, &theirs));

    let mut theirs: Vec<(String, u32, u32)> = Vec::new();
    let mut lines = LLVM.lines();
    while let Some(line) = lines.next() {
        let Some((_, name)) = line.split_once("PROC32 [").and_then(|(_, rest)| rest.split_once('`')) else { continue };
        let next = lines.next().unwrap();
        let offset = number_behind(next, "addr = 0001:").unwrap();
        theirs.push((name.trim_end_matches('`').to_owned(), offset, number_behind(next, "code size = ").unwrap()));
    }
    let ours: Vec<_> = native.functions().iter().map(|f| (native.name_of(f), f.offset, f.len)).collect();
    assert_eq!((ours.len(), &ours), (3, &theirs));

    for (function, first_line) in native.functions().iter().zip([18, 11, 25]) {
        let at = |offset| native.at(native.rva_in(function, offset).unwrap());
        // The last byte belongs to the last line.
        let (first, last, after) = (at(0), at(function.len - 1), at(function.len));
        assert_eq!((first.function, last.function), (Some(*function), Some(*function)));
        assert_eq!(first.line.unwrap().start_line, first_line);
        assert!(last.line.unwrap().start_line > first_line);
        assert!(after.function != Some(*function) && after.problems.is_empty());
    }
    // The same address by its number in the image.
    let found = native.at(0x1079);
    assert_eq!(
        (found.name.as_str(), found.line.map(|line| (line.offset, line.start_line))),
        ("clamp", Some((0x19, 12)))
    );
    assert_eq!(native.at(0x5000).name, "");
    assert_eq!(nodes::rows(&session, Place::Function(0x1079)).unwrap().len, 14);
}

#[test]
fn native_types_and_publics_match_llvm() {
    let session = open("native");
    // `0x1009 | LF_STRUCTURE [size = 28] `tally``
    let of_llvm = |list: &str| -> Vec<(String, String)> {
        let rows = LLVM.lines().filter(|line| line.contains(list));
        rows.filter_map(|line| {
            let (number, rest) = line.trim().split_once(" | ")?;
            Some((number.to_lowercase(), rest.split(' ').next()?.to_owned()))
        })
        .collect()
    };
    let types: Vec<_> = of_llvm(" | LF_").into_iter().collect();
    let ours: Vec<_> = nodes::rows(&session, Place::Types)
        .unwrap()
        .iter()
        .map(|row| (row.cells[0].text.clone(), row.cells[4].text.clone()))
        .collect();
    assert_eq!((ours.len(), &ours), (14, &types));
    let cells = |place: &str| -> Vec<Vec<String>> {
        let rows = nodes::rows(&session, place.parse().unwrap()).unwrap();
        rows.iter().map(|row| row.cells.into_iter().map(|cell| cell.text).collect()).collect()
    };
    // `- LF_MEMBER [name = `sum`, Type = 0x0013 (__int64), offset = 8, attrs = public]`
    let members = cells("type/0x1009");
    for (line, ours) in LLVM.lines().filter(|line| line.contains("LF_MEMBER [")).zip(&members) {
        assert_eq!(number_behind(line, "offset = ").unwrap().to_string(), ours[0]);
        assert!(line.contains(&format!("`{}`", ours[3])), "{line}: {ours:?}");
    }
    assert_eq!(members.len(), 3);
    assert_eq!(members[2], ["16", "8", "const char *", "label", "LF_MEMBER"]);
    assert_eq!(cells("type/0x1001").iter().map(|row| row[3].as_str()).collect::<Vec<_>>(), ["EMPTY", "FULL"]);

    let mut publics: Vec<String> = LLVM
        .lines()
        .filter_map(|line| line.split_once("S_PUB32 [")?.1.split_once('`'))
        .map(|(_, name)| name.trim_end_matches('`').to_owned())
        .collect();
    let mut ours: Vec<String> = cells("publics").into_iter().map(|row| row[2].clone()).collect();
    publics.sort();
    ours.sort();
    assert_eq!(ours, publics);
}

/// The text of a source that a point stands for: its own line as far as it has one, without the blanks around it.
fn text(source: &str, range: [u32; 4]) -> String {
    let [start_line, start, end_line, end] = range.map(|number| number as usize);
    let lines: Vec<&str> = source.lines().collect();
    let line = lines[start_line - 1];
    let to = if end_line == start_line { end - 1 } else { line.chars().count() };
    line.chars().skip(start - 1).take(to - (start - 1)).collect()
}

#[test]
fn points_are_the_statements_of_the_sources() {
    for (folder, sources, least) in
        [("ticker-windows", "ticker", 12), ("ticker-windows-release", "ticker", 7), ("ledger-windows", "ledger-vb", 30)]
    {
        let session = open(folder);
        let symbols = session.symbols().unwrap();
        let mut count = 0;
        for method in tokens(&session) {
            for (_, document, hidden, range) in points(symbols, method) {
                if hidden {
                    continue;
                }
                let name = symbols.document(document).unwrap().name;
                let path = format!("assets/sources/{sources}/{}", name.rsplit(['/', '\\']).next().unwrap());
                let source = std::fs::read_to_string(repository(&path)).unwrap();
                let text = text(source.trim_start_matches('\u{feff}'), range);
                // A point begins and ends with something that can be seen, and one of C# is all of a statement.
                assert_eq!(text.trim(), text, "{folder} {method} {range:?}");
                assert!(!text.is_empty() && !text.starts_with("//"), "{folder} {method} {range:?}");
                count += 1;
            }
        }
        assert!(count >= least, "{folder}: {count}");
    }
}

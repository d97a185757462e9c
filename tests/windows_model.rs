//! Windows PDBs through the model: beside a portable PDB of the same sources, and beside the sources themselves.

mod support;

use std::ops::ControlFlow;

use pdblens::model::{Belong, Place, Point, Session, Symbols, TableId, Token};
use support::samples::repository;

fn open(folder: &str) -> Session {
    let folder = repository("assets/samples").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "dll" || e == "exe" || e == "pdb"));
    Session::open(&files).unwrap()
}

fn tokens(session: &Session) -> impl Iterator<Item = Token> {
    (1..=session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row))
}

/// What a point says, whatever encodes it: IL offset, document, hidden, lines and columns.
type Said = (u32, u32, bool, [u32; 4]);

fn points(symbols: &dyn Symbols, method: Token) -> Vec<Said> {
    let mut found = Vec::new();
    if method.row() > symbols.methods() {
        return found;
    }
    let read = symbols.points(method, &mut |p: Point| {
        let lines = [p.start_line, p.start_column, p.end_line, p.end_column];
        found.push((p.il, p.document, p.is_hidden(), lines));
        ControlFlow::Continue(())
    });
    read.unwrap();
    found
}

#[test]
fn pairs_belong_together_and_nothing_is_wrong() {
    for folder in ["workshop-windows", "ticker-windows", "ticker-windows-release", "ledger-windows", "native"] {
        let session = open(folder);
        assert_eq!(session.verdict.belong, Belong::Yes, "{folder}: {:?}", session.verdict.reasons);
        assert_eq!(session.findings, [], "{folder}");
        // From one of the two the other is found.
        let files = [session.image.as_ref().unwrap().path.clone(), session.symbols.as_ref().unwrap().path.clone()];
        for file in files {
            let session = Session::open(std::slice::from_ref(&file)).unwrap();
            assert_eq!(session.verdict.belong, Belong::Yes, "{}", file.display());
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
        assert_eq!(ours.kickoff(method), theirs.kickoff(method), "{method}");
        assert_eq!(ours.move_next(method), theirs.move_next(method), "{method}");
    }
    assert_eq!(ours.entry_point(), theirs.entry_point());
    assert_eq!(ours.documents(), theirs.documents());
    for row in 1..=ours.documents() {
        let said = |symbols: &dyn Symbols| {
            let found = symbols.document(row).unwrap();
            (found.name, found.language, found.hash_algorithm, found.hash)
        };
        assert_eq!(said(ours), said(theirs));
    }
}

/// A scope: import scope, start, length, depth, variables, constants with type and value.
type Scope = (u32, u32, u32, u8, Vec<(u16, bool, String)>, Vec<[String; 3]>);

fn scopes(session: &Session, method: Token) -> Vec<Scope> {
    let scopes = session.scopes(method).unwrap_or_default().into_iter();
    let scope = |scope: pdblens::model::symbols::Scope| {
        let variables = scope.variables.into_iter().map(|found| (found.slot, found.hidden, found.name)).collect();
        let constants = scope.constants.into_iter().map(|found| [found.name, found.type_name, found.value]).collect();
        (scope.imports.unwrap_or(0), scope.start, scope.length, scope.depth, variables, constants)
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
        let starts = portable.move_next(method).is_some();
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
        let unhidden = |found: Vec<Said>| found.into_iter().filter(|point| !point.2).collect::<Vec<_>>();
        assert_eq!(unhidden(points(ours, method)), unhidden(points(theirs, method)), "{method}");
        assert_eq!(ours.kickoff(method), theirs.kickoff(method), "{method}");
    }
    assert_eq!((ours.import_scopes(), theirs.import_scopes()), (2, 2));
    assert_eq!(ours.import_scope(2).unwrap().imports, theirs.import_scope(2).unwrap().imports);
    let root = (1..=ours.customs()).map(|row| ours.custom(row).unwrap()).find(|custom| custom.parent == Some(Token(1)));
    assert_eq!(root.map(|custom| custom.value), Some(b"Books".to_vec()));
}

#[test]
fn points_are_beside_the_bytes_that_encode_them() {
    let session = open("ticker-windows");
    let symbols = session.symbols().unwrap();
    for method in tokens(&session) {
        let view = session.method(method);
        let Some(all) = session.fields(Place::MethodPart(method, pdblens::model::place::MethodPart::Points)) else {
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
            let record = session.spaces.read(session.point_span(&view, point).unwrap()).unwrap();
            let line = u32::from_le_bytes(record[4..8].try_into().unwrap());
            assert_eq!((record[0], line & 0xff_ffff), (point.il as u8, point.start_line));
            let columns = session.spaces.read(symbols.columns_of(method, point).unwrap()).unwrap();
            assert_eq!(columns[0] as u32, point.start_column);
        }
    }
    let show = session.fields("method/Main/points/2".parse().unwrap_or(session.place("method/Main/points/2").unwrap()));
    let names: Vec<_> = show.unwrap().rows.into_iter().map(|row| row.name).collect();
    assert_eq!(names, ["line record", "offset", "lines", "column record", "start column", "end column"]);
}

//! The readers of this crate over files larger, rarer and worse than the samples.

use pdblens::nodes::method::MethodView;
use pdblens::query::check;
use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::support::is_thorough;
use crate::support::synth::method::{Lines, Method, Point};
use crate::support::synth::{Pair, Recipe, malformed, malformed_msf, names};
use pdblens::bytes::{Origin, Spaces};
use pdblens::formats::managed::WindowsPdb;
use pdblens::formats::metadata::{Root, TableId, Token};
use pdblens::formats::msf::Msf;
use pdblens::formats::portable::PortablePdb;
use pdblens::formats::sequence_point::SequencePoint as Read;
use pdblens::session::{PdbMatch, Session};
use pdblens::symbols::SymbolReader;

fn session(pair: Pair) -> Result<Session, pdblens::session::OpenError> {
    Session::from_bytes(vec![(PathBuf::from("Synth.dll"), pair.image), (PathBuf::from("Synth.pdb"), pair.pdb)])
}

fn as_generated(point: Read) -> Point {
    let Read { offset: il, document, start_line, start_column, end_line, end_column, .. } = point;
    let lines = Lines { start_line, start_column, end_line, end_column };
    Point { il, document, lines: (!point.is_hidden()).then_some(lines) }
}

fn points(symbols: &dyn SymbolReader, row: u32) -> Vec<Point> {
    let mut points = Vec::new();
    let each = &mut |point| {
        points.push(as_generated(point));
        ControlFlow::Continue(())
    };
    symbols.points(Token::new(TableId::METHOD_DEF, row), each).unwrap();
    points
}

/// Names, points, locals and documents are what the recipe says.
fn agrees(recipe: &Recipe, session: &Session) {
    assert_eq!((session.problems(), session.pdb_match()), (&[][..], PdbMatch::Matched));
    let (found, symbols) = (session.names().unwrap(), session.symbols().unwrap());
    assert_eq!(session.methods(), recipe.methods);
    assert_eq!(symbols.import_scopes(), recipe.imports);
    for method in recipe.all() {
        let token = Token::new(TableId::METHOD_DEF, method.row);
        let type_name = names::full_type_name(recipe, recipe.type_of(method.row), "+");
        assert_eq!(found.reflection_name(token), format!("{type_name}.{}", method.name));
        assert_eq!(points(symbols, method.row), method.points, "{token}");
        let scopes = symbols.scopes(token, &|token| token.to_string()).unwrap();
        let count = |count: fn(&pdblens::symbols::Scope) -> usize| scopes.iter().map(count).sum::<usize>();
        assert_eq!(count(|scope| scope.variables.len()), method.variables.len(), "{token}");
        assert_eq!(count(|scope| scope.constants.len()), method.constants.len(), "{token}");
    }
    for row in (1..=recipe.documents).step_by(97) {
        assert_eq!(symbols.document(row).unwrap().name, names::document(recipe, row));
    }
}

#[test]
fn a_pair_is_what_its_recipe_says() {
    for recipe in [Recipe::of(1), Recipe::of(2000), Recipe { seed: 7, points: 40, ..Recipe::of(300) }] {
        agrees(&recipe, &session(recipe.pair()).unwrap());
    }
}

#[test]
fn an_embedded_pdb_is_what_its_recipe_says() {
    let recipe = Recipe::of(500);
    let session = Session::from_bytes(vec![(PathBuf::from("Synth.dll"), recipe.embedded().image)]).unwrap();
    agrees(&recipe, &session);
}

/// 65 535 rows are the most that an index of two bytes can name, and the number at which other readers fail.
#[test]
fn tables_are_read_where_indexes_become_wide() {
    // An index into a table of 65,536 rows is wide.
    for rows in [65_536, 65_535, 65_534].into_iter().take(if is_thorough() { 3 } else { 2 }) {
        let few = Recipe { points: 4, ..Recipe::of(40) };
        for recipe in [
            Recipe { points: 2, ..Recipe::of(rows) },
            Recipe { documents: rows, ..few.clone() },
            Recipe { imports: rows, ..few.clone() },
            Recipe { constants: rows, ..few.clone() },
            Recipe { variables: rows, methods: 4000, ..few.clone() },
            Recipe { params: rows, methods: 4000, ..few.clone() },
            Recipe { fields: rows, ..few.clone() },
            Recipe { types: rows, ..few.clone() },
            // Two low bits of an index say of which table it is a row.
            Recipe { type_refs: rows / 4, ..few },
        ] {
            agrees(&recipe, &session(recipe.pair()).unwrap());
        }
    }
}

#[test]
fn a_delta_is_what_changed() {
    let recipe = Recipe::of(1000);
    let delta = recipe.delta(&[3, 9, 500, 1000]);
    let mut spaces = Spaces::default();
    let region = spaces.add_bytes("delta.pdb", Origin::File(PathBuf::new()), delta.pdb);
    let pdb = PortablePdb::parse(region).unwrap();
    assert!(pdb.metadata.problems().chain(&pdb.problems).next().is_none());
    let map = pdb.metadata.table(TableId::ENC_MAP);
    for (row, method) in (1..).zip(&delta.methods) {
        assert_eq!(map.cell(row, 0).unwrap(), 0x3100_0000 | method.row);
        assert_eq!(points(&pdb, method.row), method.points);
    }
    let region = spaces.add_bytes("delta.meta", Origin::File(PathBuf::new()), delta.metadata);
    let metadata = pdblens::formats::metadata::Metadata::parse(Root::parse(region).unwrap(), &[0; 64]);
    assert_eq!(metadata.problems().count(), 0);
    assert_eq!(metadata.table(TableId::METHOD_DEF).rows(), 5);
    assert_eq!(metadata.table(TableId::ENC_LOG).cell(1, 0).unwrap(), 0x0600_0003);
}

#[test]
fn a_windows_pdb_is_what_its_recipe_says() {
    for (recipe, page_size) in [(Recipe::of(3000), 512), (Recipe::of(300), 4096)] {
        let (spaces, pdb) = windows(recipe.windows(page_size)).unwrap();
        assert_eq!(pdb.problems, []);
        assert_eq!(pdb.method_index(&spaces).problems, []);
        let documents: Vec<_> = pdb.documents().iter().map(|document| document.name.value.clone()).collect();
        for method in recipe.all().filter(|method| !method.is_abstract()) {
            let lines = pdb.lines_of(&spaces, pdb.method_index(&spaces).get(method.token()).unwrap()).unwrap().unwrap();
            let read: Vec<_> = lines.points().unwrap().map(Result::unwrap).collect();
            assert_eq!(read.len(), method.points.len());
            for (read, Point { il, document, lines }) in read.iter().zip(&method.points) {
                assert_eq!(read.offset, *il);
                assert_eq!(documents[read.document as usize - 1], names::document(&recipe, *document));
                let read = [read.start_line, read.start_column, read.end_line, read.end_column];
                let hidden = Lines { start_line: 0xfe_efee, start_column: 0, end_line: 0xfe_efee, end_column: 0 };
                let Lines { start_line, start_column, end_line, end_column } = lines.unwrap_or(hidden);
                assert_eq!(read, [start_line, start_column, end_line, end_column]);
            }
        }
    }
}

fn windows(bytes: Vec<u8>) -> Option<(Spaces, WindowsPdb)> {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("Synth.pdb", Origin::File(PathBuf::new()), bytes).span().space;
    let msf = Msf::open(&mut spaces, file).ok()?;
    let pdb = WindowsPdb::parse(&spaces, msf);
    Some((spaces, pdb))
}

/// Everything that can be asked of a pair: what comes back may be an error, but it comes back.
fn ask_everything(session: &Session) {
    for row in 1..=session.methods().min(200) {
        let token = Token::new(TableId::METHOD_DEF, row);
        MethodView::of(session, token);
        session.method_name(token);
        if let Some(names) = session.names() {
            names.reflection_name(token);
        }
    }
    let Some(symbols) = session.symbols() else { return };
    for row in 1..=200 {
        let _ = (
            symbols.document(row),
            symbols.import_scope(row),
            symbols.custom(row),
            symbols.embedded_source(row).map(|source| source.text()),
        );
    }
    let _ =
        (symbols.source_servers(), symbols.compilation(), session.symbol_file().map(|file| file.content.problems()));
}

#[test]
fn malformed_files_are_read_up_to_the_fault() {
    for (name, make) in malformed::MALFORMED {
        let pair = make();
        let image = Session::from_bytes(vec![(PathBuf::from("Synth.dll"), pair.image.clone())]);
        for session in [session(pair), image].into_iter().flatten() {
            eprintln!("{name}");
            ask_everything(&session);
        }
    }
}

#[test]
fn malformed_windows_pdbs_are_read_up_to_the_fault() {
    for (name, make) in malformed_msf::MALFORMED {
        let Some((spaces, pdb)) = windows(make()) else { continue };
        eprintln!("{name}");
        let tokens: Vec<_> = Recipe::of(60).all().map(|method: Method| method.token()).collect();
        for token in tokens {
            if let Ok(method) = pdb.method(&spaces, token) {
                pdb.imports(&spaces, &method);
            }
            let lines = pdb.method_index(&spaces).get(token).map(|entry| pdb.lines_of(&spaces, entry));
            if let Some(Ok(Some(lines))) = lines {
                lines.points().into_iter().flatten().for_each(drop);
            }
        }
        pdb.msf.page_map(&spaces);
    }
}

#[test]
fn a_check_of_many_methods_can_be_stopped() {
    let session = session(Recipe::of(5_000).pair()).unwrap();
    let options = pdblens::source::SourceOptions::default();
    let asked = std::cell::RefCell::new(Vec::new());
    let stopped = check::check_while(&session, &options, &|done, total| {
        asked.borrow_mut().push((done, total));
        done < 1_000
    });
    assert!(stopped.is_none());
    let last = *asked.borrow().last().unwrap();
    assert!((1_000..2_000).contains(&last.0) && last.1 == 5_000, "{last:?}");
}

//! Hot-reload deltas: alone, and with the PDB that they change.

use pdblens::formats::reason::Reason;
use pdblens::nodes::{TableId, Token, code_unit, resolve};
use pdblens::query::address::line_query;
use pdblens::query::where_is::versions::generations_of_line;
use pdblens::query::where_is::{self, HopKind, Position, explain_text};
use pdblens::session::{OpenError, PdbMatch, Session};
use std::ops::ControlFlow;

use crate::support::synth::{Method, Recipe};

fn token(row: u32) -> Token {
    Token::new(TableId::METHOD_DEF, row)
}

/// Rows of methods with code, some way apart.
fn rows(recipe: &Recipe) -> Vec<u32> {
    (1..recipe.methods).filter(|row| !recipe.method(*row).is_abstract()).step_by(5).take(3).collect()
}

fn points(session: &Session, row: u32) -> Vec<(u32, Option<u32>)> {
    let mut found = Vec::new();
    let read = code_unit::each_point(session, token(row).into(), &mut |point| {
        found.push((point.offset, (!point.is_hidden()).then_some(point.start_line)));
        ControlFlow::Continue(())
    });
    read.unwrap();
    found
}

fn truth(method: &Method) -> Vec<(u32, Option<u32>)> {
    method.points.iter().map(|point| (point.il, point.lines.map(|lines| lines.start_line))).collect()
}

#[test]
fn rows_of_a_delta_are_those_of_its_map() {
    let recipe = Recipe::of(40);
    let rows = rows(&recipe);
    let delta = recipe.delta(&rows);
    let session = Session::from_bytes(vec![("Synth.1.pdb".into(), delta.pdb)]).unwrap();
    for method in &delta.methods {
        assert_eq!(points(&session, method.row), truth(method), "{}", method.row);
        let hops = where_is::where_is(&session, token(method.row), 0).hops;
        assert_eq!((hops.len(), hops[0].kind), (1, HopKind::Generation));
        assert_eq!(hops[0].to, token(method.row).to_string());
        assert!(hops[0].by.contains("EncMap"));
    }
    let absent = token((1..u32::MAX).find(|row| !rows.contains(row)).unwrap());
    let said = Reason::joined(&explain_text::sentences(&session, &where_is::where_is(&session, absent, 1)));
    assert!(said.contains("this delta does not have the method") && !said.contains("no source"), "{said}");
    // Row 1 is the first method of the map, not method 1.
    let others = (1..=recipe.methods).filter(|row| !rows.contains(row));
    for row in others {
        assert_eq!(points(&session, row), [], "{row}");
    }
    assert_eq!(session.methods(), recipe.methods + 1);
}

#[test]
fn the_newest_generation_with_a_method_answers() {
    let recipe = Recipe::of(40);
    let rows = rows(&recipe);
    let (first, second) = (recipe.delta(&rows), recipe.delta(&rows[..1]));
    let pair = recipe.pair();
    let files = vec![
        ("Synth.1.pdb".into(), first.pdb),
        ("Synth.dll".into(), pair.image),
        ("Synth.2.pdb".into(), second.pdb),
        ("Synth.pdb".into(), pair.pdb),
    ];
    let session = Session::from_bytes(files).unwrap();
    assert_eq!(points(&session, rows[0]), truth(&second.methods[0]));
    assert_eq!(points(&session, rows[1]), truth(&first.methods[1]));
    let hop = |row: u32| where_is::where_is(&session, token(row), 0).hops.into_iter().next();
    assert!(hop(rows[0]).unwrap().by.ends_with("Synth.2.pdb, the second delta named"));
    assert!(hop(rows[1]).unwrap().by.ends_with("Synth.1.pdb, the first delta named"));
    // The image has the code of the base, in which the offsets of a delta mean nothing; the size is that of the delta's scope.
    let answer = where_is::where_is(&session, token(rows[1]), first.methods[1].code_size);
    assert_eq!((answer.code_size, answer.instruction), (Some(first.methods[1].code_size), None));
    assert_eq!(answer.position, Position::PastEnd);
    let unchanged = (1..rows[1]).find(|row| !rows.contains(row) && !recipe.method(*row).is_abstract()).unwrap();
    assert_eq!(hop(unchanged), None);
    assert_eq!(points(&session, unchanged), truth(&recipe.method(unchanged)));
    // Documents of a delta follow those of the base, and have their names.
    let method = session.symbols().unwrap().method(token(rows[0])).unwrap();
    if let Some(row) = method.document {
        assert!(row > recipe.documents);
        let name = session.symbols().unwrap().document(row).unwrap().name;
        assert!((1..=recipe.documents).any(|row| session.symbols().unwrap().document(row).unwrap().name == name));
    }
}

#[test]
fn more_files_than_a_pair_are_taken_only_with_deltas() {
    let pair = Recipe::of(20).pair();
    let file = |name: &str, bytes: &[u8]| (name.into(), bytes.to_vec());
    let files = vec![file("a.dll", &pair.image), file("b.dll", &pair.image), file("c.pdb", &pair.pdb)];
    assert!(matches!(Session::from_bytes(files), Err(OpenError::TooMany(3))));
    let files = vec![file("a.dll", &pair.image), file("b.pdb", &pair.pdb), file("c.pdb", &pair.pdb)];
    assert!(matches!(Session::from_bytes(files), Err(OpenError::TwoOfAKind { .. })));
}

/// Files of the sample `relay`, by name.
fn relay(names: &[&str]) -> Session {
    let folder = crate::support::samples::repository("assets/samples/relay");
    let file = |name: &&str| ((*name).into(), std::fs::read(folder.join(name)).unwrap());
    Session::from_bytes(names.iter().map(file).collect()).unwrap()
}

#[test]
fn a_delta_without_its_base_is_no_mismatch() {
    let session = relay(&["Relay.dll", "Relay.1.pdb"]);
    assert_eq!(session.pdb_match(), PdbMatch::NeedsBase);
    assert!(session.match_reasons()[0].text.contains("open it with the PDB that it changes"));
    assert_eq!(relay(&["Relay.dll", "Relay.pdb", "Relay.1.pdb"]).pdb_match(), PdbMatch::Matched);
}

#[test]
fn a_method_that_a_delta_adds_is_named_by_the_delta() {
    let session = relay(&["Relay.dll", "Relay.pdb", "Relay.1.pdb", "Relay.2.pdb"]);
    assert_eq!(session.method_name(token(2)), "Relay.Back(int)");
    assert_eq!(session.method_name(token(4)), "0x06000004, added by hot reload");
    let generations = (1..=4).map(|row| session.generation_of(token(row)).map(|(number, _)| number));
    assert_eq!(generations.collect::<Vec<_>>(), [None, Some(1), Some(2), Some(2)]);
}

#[test]
fn a_line_has_its_generations_in_one_answer() {
    let session = relay(&["Relay.dll", "Relay.pdb", "Relay.1.pdb", "Relay.2.pdb"]);
    let documents = line_query(&session, "Relay.cs", 12, None).unwrap().documents;
    let of = |line| -> Vec<String> {
        let all = generations_of_line(&session, &documents, line).into_iter();
        all.map(|found| format!("{}: {found}", found.method.name)).collect()
    };
    assert_eq!(of(12), ["Relay.Back(int): no code in Relay.1.pdb (taken), IL_0000 in Relay.pdb"]);
    assert_eq!(of(14), ["Relay.Back(int): IL_0001 in Relay.1.pdb (taken), IL_0007 in Relay.pdb"]);
    assert_eq!(of(22), ["0x06000004, added by hot reload: IL_0001 in Relay.2.pdb (taken)"]);
    assert_eq!([of(7), of(99)], [[""; 0]; 2]);
}

#[test]
fn imports_and_custom_debug_information_of_deltas_come_behind_those_of_the_base() {
    let files = ["Relay.dll", "Relay.pdb", "Relay.1.pdb", "Relay.2.pdb"];
    let (alone, all) = (files[1..].iter().map(|name| relay(&[name])).collect::<Vec<_>>(), relay(&files));
    let symbols = all.symbols().unwrap();
    let (mut imports, mut customs) = (0, 0);
    for session in &alone {
        let own = session.symbols().unwrap();
        for row in 1..=own.import_scopes() {
            let (ours, theirs) = (symbols.import_scope(imports + row).unwrap(), own.import_scope(row).unwrap());
            assert_eq!(ours.imports, theirs.imports);
            assert_eq!(ours.parent, theirs.parent.map(|parent| parent + imports));
        }
        for row in 1..=own.customs() {
            let (ours, theirs) = (symbols.custom(customs + row).unwrap(), own.custom(row).unwrap());
            assert_eq!((ours.kind, &ours.value), (theirs.kind, &theirs.value));
        }
        (imports, customs) = (imports + own.import_scopes(), customs + own.customs());
    }
    assert_eq!((symbols.import_scopes(), symbols.customs()), (imports, customs));
    // Scopes of a changed method lead to the imports of their own delta.
    let base = alone[0].symbols().unwrap().import_scopes();
    for scope in [2, 3, 4].iter().flat_map(|row| symbols.scopes(token(*row), &|token| token.to_string()).unwrap()) {
        assert!(scope.imports.is_none_or(|row| row > base && row <= imports), "{scope:?}");
    }
}

#[test]
fn tables_of_a_pdb_that_is_open_alone_need_no_prefix() {
    let session = relay(&["Relay.1.pdb"]);
    assert_eq!(resolve(&session, "table/EncMap"), resolve(&session, "pdb/table/EncMap"));
}

#[test]
fn a_delta_that_was_left_out_is_a_finding() {
    let missing = |names: &[&str]| {
        let session = relay(names);
        let found: Vec<String> = session.problems().iter().map(|problem| problem.message.clone()).collect();
        let said = explain_text::sentences(&session, &where_is::where_is(&session, token(4), 1));
        assert!(found.iter().all(|message| said.iter().any(|said| said.text == *message)), "{found:?} {said:?}");
        let by = where_is::where_is(&session, token(4), 1).hops.into_iter().next().map(|hop| hop.by);
        (found, by.unwrap_or_default())
    };
    // Method 4 is the next row, but its local signature is not.
    let (found, by) = missing(&["Relay.dll", "Relay.pdb", "Relay.2.pdb"]);
    assert_eq!(by, "the EncMap of Relay.2.pdb, the first delta named");
    assert!(found[0].contains("a delta before Relay.2.pdb seems to be missing"), "{found:?}");
    assert!(found[0].contains("row 4") && found[0].ends_with("is 3"), "{found:?}");
    let (found, by) = missing(&["Relay.dll", "Relay.pdb", "Relay.1.pdb", "Relay.2.pdb"]);
    assert_eq!((found.len(), by.as_str()), (0, "the EncMap of Relay.2.pdb, the second delta named"));
}

#[test]
fn a_row_of_a_method_that_no_file_has_shows_that_a_delta_is_missing() {
    let recipe = Recipe::of(40);
    let (pair, delta) = (recipe.pair(), recipe.delta(&rows(&recipe)));
    let added = delta.methods.iter().map(|method| method.row).max().unwrap();
    assert_eq!(added, recipe.methods + 1, "the delta adds the next method");
    let open = |pdb: Vec<u8>| {
        let files =
            vec![("S.dll".into(), pair.image.clone()), ("S.pdb".into(), pair.pdb.clone()), ("S.1.pdb".into(), pdb)];
        Session::from_bytes(files).unwrap().problems().iter().map(|problem| problem.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(open(delta.pdb.clone()), [""; 0]);
    // The token of the new method in the EncMap, three rows higher.
    let (old, new) = ((0x3100_0000 + added).to_le_bytes(), (0x3100_0003 + added).to_le_bytes());
    let at = delta.pdb.windows(4).position(|bytes| bytes == old).unwrap();
    let mut pdb = delta.pdb;
    pdb[at..at + 4].copy_from_slice(&new);
    let found = open(pdb);
    assert!(found[0].contains("a delta before S.1.pdb is missing"), "{found:?}");
    assert!(
        found[0].contains(&format!("row {}", added + 3)) && found[0].ends_with(&format!("is {added}")),
        "{found:?}"
    );
}

#[test]
fn the_line_of_an_older_version_is_said() {
    let session = relay(&["Relay.dll", "Relay.pdb", "Relay.1.pdb", "Relay.2.pdb"]);
    let said = explain_text::sentences(&session, &where_is::where_is(&session, token(2), 5));
    assert!(
        said.iter().any(|said| said.text.ends_with("in an older version it would be line 13 (Relay.pdb)")),
        "{said:?}"
    );
    let unchanged = explain_text::sentences(&session, &where_is::where_is(&session, token(1), 5));
    assert!(!unchanged.iter().any(|said| said.text.contains("older")), "{unchanged:?}");
}

#[test]
fn every_answer_of_a_chain_with_a_gap_says_that_a_delta_is_missing() {
    let says = |files: &[&str], row: u32, offset: u32| {
        let session = relay(files);
        let answer = where_is::where_is(&session, token(row), offset);
        explain_text::sentences(&session, &answer)
            .into_iter()
            .any(|said| said.text.contains("a delta before Relay.2.pdb"))
    };
    // Back is in the delta 1 alone, Forward in both.
    for row in [1, 2, 4] {
        assert!(says(&["Relay.dll", "Relay.pdb", "Relay.2.pdb"], row, 5), "{row}");
        assert!(!says(&["Relay.dll", "Relay.pdb", "Relay.1.pdb", "Relay.2.pdb"], row, 5), "{row}");
    }
    // Where no row shows it, the numbers of the names do.
    let recipe = Recipe::of(40);
    let (pair, rows) = (recipe.pair(), rows(&recipe));
    for (names, missing) in [([1, 2], None), ([2, 3], Some(1)), ([1, 3], Some(2)), ([0, 1], None)] {
        let mut files = vec![("Synth.dll".into(), pair.image.clone()), ("Synth.pdb".into(), pair.pdb.clone())];
        files.extend(names.map(|number| (format!("Synth.{number}.pdb").into(), recipe.delta(&rows).pdb)));
        let session = Session::from_bytes(files).unwrap();
        let said = Reason::joined(&where_is::versions::sentences(&session, token(rows[0]).into(), 0));
        let number = missing.map(|number| format!("number {number} was not opened"));
        assert_eq!(said.contains("was not opened"), missing.is_some(), "{names:?} {said}");
        assert!(number.is_none_or(|number| said.contains(&number)), "{names:?} {said}");
    }
}

#[test]
fn deltas_that_are_not_open_are_named() {
    let file = |name: &str| crate::support::samples::repository("assets/samples/relay").join(name);
    let remarks = |names: &[&str]| Session::open(&names.iter().map(|name| file(name)).collect::<Vec<_>>()).unwrap();
    let said = remarks(&["Relay.dll"]).remarks().join("\n");
    assert!(said.contains("are not open: Relay.1.pdb, Relay.2.pdb ·"), "{said}");
    let said = remarks(&["Relay.dll", "Relay.2.pdb"]).remarks().join("\n");
    assert!(said.contains("are not open: Relay.1.pdb ·"), "{said}");
    let all = remarks(&["Relay.dll", "Relay.1.pdb", "Relay.2.pdb"]);
    assert!(all.remarks().is_empty(), "{:?}", all.remarks());
    // In a folder of the symbol path too, beside the image or not.
    let alone = crate::support::folder::Folder::new();
    alone.write("Relay.dll", std::fs::read(file("Relay.dll")).unwrap());
    for names in [vec!["Relay.pdb"], vec!["Relay.pdb", "Relay.1.pdb"], vec!["Relay.1.pdb"]] {
        let store = crate::support::folder::Folder::new();
        for name in &names {
            store.write(name, std::fs::read(file(name)).unwrap());
        }
        let paths = pdblens::store::SymbolPaths {
            named: pdblens::store::SymbolPath::parse(&store.path().display().to_string()),
            ..Default::default()
        };
        let image = Session::open(&[alone.path().join("Relay.dll")]).unwrap();
        let (session, _) = paths.complete(image, None, &mut |_, _| ControlFlow::Continue(())).unwrap();
        let said = session.remarks().join("\n");
        assert_eq!(session.symbol_file().is_some(), names[0] == "Relay.pdb");
        assert_eq!(said.contains("are not open: Relay.1.pdb"), names.len() == 2, "{names:?} {said}");
    }
}

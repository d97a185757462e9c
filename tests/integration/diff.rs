//! Two builds compared: moved, changed, added and removed methods.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pdblens::nodes::{Place, TableId, Token};
use pdblens::query::diff::{Cause, Change, ChangeKind, Diff, Subject, bytes, diff};
use pdblens::query::owner::owner_at;
use pdblens::session::Session;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples").join(name)
}

fn open(name: &str) -> Session {
    Session::open(&[sample(name)]).unwrap()
}

fn between(a: &str, b: &str) -> Diff {
    diff(&open(a), &open(b))
}

/// The same files, the image with a byte more at its end.
pub(crate) fn with_a_byte_more(session: &Session) -> Session {
    let named = session.paths().into_iter().map(|path| {
        let mut bytes = fs::read(path).unwrap();
        if bytes.starts_with(b"MZ") {
            bytes.push(1);
        }
        (path.file_name().unwrap().into(), bytes)
    });
    Session::from_bytes(named.collect()).unwrap()
}

fn of(diff: &Diff, subject: Subject, how: ChangeKind) -> Vec<&Change> {
    diff.changes.iter().filter(|change| (change.subject, change.how) == (subject, how)).collect()
}

#[test]
fn a_build_equals_itself_with_symbols_elsewhere() {
    for name in ["ticker/Ticker.dll", "workshop/Workshop.dll", "shapes/Shapes.dll", "ledger/Ledger.dll"] {
        let found = between(name, name);
        assert_eq!(found.changes, [], "{name}");
        assert_eq!(found.same_methods, open(name).methods() as usize);
        // Another byte after the image has everything compared.
        let (a, b) = (open(name), with_a_byte_more(&open(name)));
        let compared = diff(&a, &b);
        assert_eq!((&compared.changes, compared.same_methods), (&found.changes, found.same_methods), "{name}");
        assert_eq!((compared.same_documents, bytes(&a, &b, false).differing()), (found.same_documents, 1), "{name}");
    }
    for (a, b) in
        [("ticker/Ticker.dll", "ticker-embedded/Ticker.dll"), ("shapes/Shapes.dll", "shapes-embedded/Shapes.dll")]
    {
        let found = between(a, b);
        assert_eq!(
            (of(&found, Subject::Method, ChangeKind::Changed), of(&found, Subject::Document, ChangeKind::Changed)),
            (vec![], vec![])
        );
    }
}

#[test]
fn an_optimised_build_changes_the_code_of_the_same_methods() {
    let found = between("ticker/Ticker.dll", "ticker-release/Ticker.dll");
    let changed = of(&found, Subject::Method, ChangeKind::Changed);
    assert_eq!(changed.len() + found.same_methods, 3);
    assert!(
        changed.iter().any(|change| change.details.iter().any(|detail| detail.starts_with("IL, "))),
        "{changed:#?}"
    );
    assert_eq!(found.same_documents, 2);
    let options = of(&found, Subject::Option, ChangeKind::Added);
    assert_eq!((options[0].name.as_str(), options[0].details[0].as_str()), ("optimization", "release"), "{found:#?}");
    let back = between("ticker-release/Ticker.dll", "ticker/Ticker.dll");
    assert_eq!(of(&back, Subject::Option, ChangeKind::Removed).len(), 1);
}

#[test]
fn methods_of_one_build_are_added_or_removed() {
    let found = between("workshop-roslyn3/Workshop.dll", "workshop/Workshop.dll");
    let added = of(&found, Subject::Document, ChangeKind::Added);
    let added: Vec<_> = added.iter().map(|change| change.name.as_str()).collect();
    assert_eq!(added, ["/_/workshop/Modern.cs", "/_/workshop/templates/Gauge.razor"]);
    // The same texts at other paths have moved.
    assert_eq!(
        of(&found, Subject::Document, ChangeKind::Moved).len()
            + of(&found, Subject::Document, ChangeKind::Changed).len(),
        8,
        "{found:#?}"
    );
    assert!(!of(&found, Subject::Method, ChangeKind::Added).is_empty());
    assert!(
        !of(&found, Subject::Reference, ChangeKind::Removed).is_empty()
            || !of(&found, Subject::Reference, ChangeKind::Changed).is_empty()
    );
}

#[test]
fn a_method_with_all_that_the_compiler_makes_of_it_is_one_change() {
    // An async method with two lambdas, one of which captures, between methods of the same kinds.
    let build = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/diff").join(name);
    let open = |name: &str| Session::open(&[build(name).join("Orders.dll")]).unwrap();
    let (before, after) = (open("before"), open("after"));
    for (a, b, how) in [(&before, &after, ChangeKind::Added), (&after, &before, ChangeKind::Removed)] {
        let found = diff(a, b);
        let methods: Vec<&Change> = found.changes.iter().filter(|one| one.subject == Subject::Method).collect();
        let [method] = methods.as_slice() else { panic!("{methods:#?}") };
        assert!(method.how == how && method.name.starts_with("Orders.CountAsync("), "{method:?}");
        assert_eq!(method.details, ["with 6 methods that the compiler made"]);
        assert_eq!(found.same_methods, before.methods() as usize);
    }
}

/// Two builds of `assets/sources/parcels`.
fn parcels() -> [PathBuf; 2] {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/diff");
    ["before", "after"].map(|build| golden.join(build).join("Parcels.dll"))
}

#[test]
fn a_removed_lambda_changes_no_other_and_documents_move_apart() {
    let [before, after] = parcels().map(|path| Session::open(&[path]).unwrap());
    let found = diff(&before, &after);
    let names = |how| of(&found, Subject::Method, how).iter().map(|one| one.name.as_str()).collect::<Vec<_>>();
    // The method with the lambda, and one whose lines and code differ.
    assert_eq!(names(ChangeKind::Changed), ["Parcels.Total(string[])", "Parcels.Weigh(string)"]);
    assert_eq!(names(ChangeKind::Added), ["Parcels.Halves(int)"]);
    let document = of(&found, Subject::Document, ChangeKind::Changed);
    assert!(document.iter().all(|one| one.cause == Some(Cause::Text)) && document.len() == 1, "{document:?}");
    let removed = names(ChangeKind::Removed);
    assert!(removed.len() == 2 && removed.contains(&"Parcels.Old(int)"), "{removed:?}");
    let lambda = removed.into_iter().find(|name| name.contains("<Total>b__")).unwrap();
    let lambda = of(&found, Subject::Method, ChangeKind::Removed).into_iter().find(|one| one.name == lambda).unwrap();
    let Some(Place::Method(lambda)) = lambda.before else { panic!("{lambda:?}") };
    let mut line = 0;
    before
        .symbols()
        .unwrap()
        .points(lambda, &mut |point| {
            line = point.start_line;
            std::ops::ControlFlow::Break(())
        })
        .unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sources/parcels/before/Parcels.cs");
    let text = fs::read_to_string(source).unwrap();
    assert_eq!(text.lines().nth(line as usize - 1).unwrap().trim(), "rules.Add(x => x * 3);");
    // One document of the template has moved, and the other has not.
    let moved = of(&found, Subject::Method, ChangeKind::Moved);
    let template = moved.iter().find(|one| one.name == "Parcels.Template(int)").unwrap();
    assert_eq!(template.moved.map(|moved| moved.by), Some(3), "{template:?}");
    let by_document: usize = found.moved_by_document(Subject::Method).iter().map(|(_, changes)| changes.len()).sum();
    assert_eq!(by_document, moved.len());
    // The other way, nothing else differs.
    let back = diff(&after, &before);
    assert_eq!((back.same_methods, back.changes.len()), (found.same_methods, found.changes.len()));
}

#[test]
fn packages_are_paired_by_path_and_moved_methods_are_one_row() {
    let folder = std::env::temp_dir().join(format!("pdblens-diff-{}", std::process::id()));
    for (build, path) in ["one", "two"].into_iter().zip(parcels()) {
        for name in ["both", build] {
            let inside = folder.join(build).join(name);
            fs::create_dir_all(&inside).unwrap();
            for end in ["dll", "pdb"] {
                fs::copy(path.with_extension(end), inside.join("Parcels.dll").with_extension(end)).unwrap();
            }
        }
    }
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_pdblens")).arg("diff").args(args).current_dir(&folder).output();
        let output = output.unwrap();
        (String::from_utf8(output.stdout).unwrap(), output.status.code())
    };
    let (text, code) = run(&["one", "two"]);
    let said = |words: &str| text.lines().filter(|line| line.starts_with(words)).count();
    let slash = std::path::MAIN_SEPARATOR;
    assert_eq!(said(&format!("── both{slash}Parcels.dll")), 1, "{text}");
    assert_eq!(
        (said(&format!("- one{slash}Parcels.dll")), said(&format!("+ two{slash}Parcels.dll"))),
        (1, 1),
        "{text}"
    );
    assert_eq!((code, said("  → "), said("  ~ Parcels.Weigh(string)")), (Some(3), 1, 1), "{text}");
    let (all, _) = run(&["one/both", "two/both", "--all"]);
    assert!(all.lines().filter(|line| line.starts_with("  → ")).count() > 3, "{all}");
    let (same, code) = run(&["one", "one"]);
    assert_eq!((same.as_str(), code), ("2 pairs identical\n", Some(0)));
    let json: serde_json::Value = serde_json::from_str(&run(&["one", "two", "--json"]).0).unwrap();
    let hows: Vec<&serde_json::Value> = json["pairs"].as_array().unwrap().iter().map(|pair| &pair["how"]).collect();
    assert_eq!(hows, [&serde_json::Value::Null, &"removed".into(), &"added".into()]);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn another_hash_algorithm_is_a_change_of_the_document_alone() {
    let found = between("ticker/Ticker.dll", "ticker-sha1/Ticker.dll");
    assert_eq!(found.same_methods, 3);
    let changed = of(&found, Subject::Document, ChangeKind::Changed);
    assert_eq!(changed.len(), 2);
    assert_eq!(changed[0].details, ["hash algorithm SHA-256 → SHA-1"]);
}

#[test]
fn a_method_with_moved_lines_has_moved() {
    let (image, pdb) = (fs::read(sample("ticker/Ticker.dll")).unwrap(), fs::read(sample("ticker/Ticker.pdb")).unwrap());
    let session =
        |pdb: Vec<u8>| Session::from_bytes(vec![("a.dll".into(), image.clone()), ("a.pdb".into(), pdb)]).unwrap();
    let a = session(pdb.clone());
    // Local signature, then IL offset, lines, columns, line: only the first line is no difference to another.
    let blob = a.symbols().unwrap().method(Token(0x0600_0001)).unwrap().points.unwrap().start as usize;
    let mut lower = pdb.clone();
    lower[blob + 4] += 3;
    let found = diff(&a, &session(lower));
    let moved = of(&found, Subject::Method, ChangeKind::Moved);
    assert_eq!((moved.len(), found.changes.len()), (1, 1), "{found:#?}");
    assert_eq!(moved[0].details, ["3 lines down"]);
    // The line of the second point alone.
    let mut other = pdb;
    other[blob + 9] += 4;
    let found = diff(&a, &session(other));
    let changed = of(&found, Subject::Method, ChangeKind::Changed);
    assert!(changed[0].details[0].starts_with("lines, from IL_"), "{changed:#?}");
}

#[test]
fn without_images_methods_are_their_tokens() {
    let pdb = |name: &str| Session::from_bytes(vec![("a.pdb".into(), fs::read(sample(name)).unwrap())]).unwrap();
    let found = diff(&pdb("ticker/Ticker.pdb"), &pdb("ticker-sha1/Ticker.pdb"));
    assert_eq!((found.same_methods, found.notes.len()), (3, 2));
}

#[test]
fn text_and_json_agree() {
    let run = |args: &[&str]| -> Output {
        Command::new(env!("CARGO_BIN_EXE_pdblens")).arg("diff").args(args).output().unwrap()
    };
    let (a, b) = (sample("ticker/Ticker.dll"), sample("ticker-release/Ticker.dll"));
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    let same = run(&[a, a]);
    assert_eq!(same.status.code(), Some(0));
    assert!(String::from_utf8(same.stderr).unwrap().starts_with("note: both sides are the same files: "));
    let text = run(&[a, b]);
    assert_eq!(text.status.code(), Some(3));
    assert!(String::from_utf8(text.stdout).unwrap().contains("~ Ticker.Program.Main("));
    let json: serde_json::Value = serde_json::from_slice(&run(&[a, b, "--json"]).stdout).unwrap();
    let changes = json["changes"].as_array().unwrap();
    let method = changes.iter().find(|change| change["subject"] == "method").unwrap();
    assert_eq!((&method["how"], &method["before"]), (&"changed".into(), &"method/0x06000001".into()));
    assert_eq!(run(&[a]).status.code(), Some(2));
}

/// Names of locals, and the ranges in which a debugger shows them.
#[test]
fn names_and_ranges_of_locals_are_compared() {
    let file = fs::read(sample("workshop/Workshop.pdb")).unwrap();
    let read = |file: &[u8]| Session::from_bytes(vec![("Workshop.pdb".into(), file.to_vec())]).unwrap();
    let session = read(&file);
    let metadata = &session.portable_pdb().unwrap().metadata;
    let name = metadata.string_cell(TableId::LOCAL_VARIABLE, 1, 2).unwrap().span();
    let length = metadata.table(TableId::LOCAL_SCOPE).cell_span(1, 5).unwrap();
    let details = |at: u64| {
        let mut other = file.clone();
        other[at as usize] ^= 1;
        let found = diff(&session, &read(&other));
        of(&found, Subject::Method, ChangeKind::Changed)
            .iter()
            .flat_map(|change| change.details.clone())
            .collect::<Vec<_>>()
    };
    let renamed = details(name.start);
    assert!(renamed.iter().all(|detail| detail.starts_with("locals, ")) && !renamed.is_empty(), "{renamed:?}");
    let longer = details(length.start);
    assert!(longer.len() == 1 && longer[0].starts_with("scope IL_0000..IL_"), "{longer:?}");
}

#[test]
fn bytes_that_one_build_has_more_have_an_owner_too() {
    let read = |name: &str| fs::read(sample(name)).unwrap();
    let open = |image: Vec<u8>, pdb: Vec<u8>| {
        Session::from_bytes(vec![("a.dll".into(), image), ("a.pdb".into(), pdb)]).unwrap()
    };
    let (image, pdb) = (read("workshop/Workshop.dll"), read("workshop/Workshop.pdb"));
    // A signature after the last section: nothing before it differs.
    let signed = open([image.as_slice(), &[7; 300]].concat(), pdb.clone());
    let found = bytes(&open(image.clone(), pdb.clone()), &signed, true);
    let [run] = found.runs.as_slice() else { panic!("{:#?}", found.runs) };
    assert_eq!((run.sizes, found.differing(), run.before.as_str()), ([0, 300], 300, ""), "{run:?}");
    let back = bytes(&signed, &open(image, pdb), true);
    assert_eq!((back.runs[0].sizes, back.runs.len()), ([300, 0], 1));
    for [one, two] in
        [["ticker", "ticker-release"], ["workshop", "workshop-release"], ["ticker-windows", "ticker-sha1"]]
    {
        let names = |folder: &str, name: &str| [format!("{folder}/{name}.dll"), format!("{folder}/{name}.pdb")];
        let name = if one == "workshop" { "Workshop" } else { "Ticker" };
        let [a, b] = [names(one, name), names(two, name)].map(|[image, pdb]| open(read(&image), read(&pdb)));
        let found = bytes(&a, &b, true);
        for file in &found.files {
            let runs = || found.runs.iter().filter(|run| run.file == file.file);
            let [first, second] = [0, 1].map(|build| runs().map(|run| run.sizes[build]).sum::<u64>());
            assert_eq!(second.wrapping_sub(first), file.sizes[1].wrapping_sub(file.sizes[0]), "{one} {file:?}");
            assert!(runs().all(|run| run.sizes[0] == run.sizes[1] || run.sizes.contains(&0)), "{one} {file:?}");
        }
    }
}

#[test]
fn bodies_of_a_renamed_type_do_not_differ() {
    let image = fs::read(sample("workshop/Workshop.dll")).unwrap();
    let mut renamed = image.clone();
    let name = b"StateMachines\0";
    let at = image.windows(name.len()).position(|window| window == name).unwrap();
    renamed[at] = b's';
    let open = |image: Vec<u8>| Session::from_bytes(vec![("a.dll".into(), image)]).unwrap();
    let found = bytes(&open(image), &open(renamed), true);
    assert_eq!((found.differing(), found.runs.len()), (1, 1), "{:#?}", found.runs);
    assert_eq!((found.runs[0].span.start, found.runs[0].span.len), (at as u64, 1));
}

/// Kind of an owner: its path without numbers and names.
fn kind_of(place: Place) -> String {
    let text = place.to_string();
    let steps: Vec<&str> = text.split('/').collect();
    match steps.as_slice() {
        ["table", table, ..] => format!("table/{table}"),
        ["image" | "pdb", "heap", heap, ..] => format!("{}/heap/{heap}", steps[0]),
        // Points are in the blob heap.
        ["method", _, "points", ..] => "pdb/heap/blob".to_owned(),
        ["method", ..] => "method".to_owned(),
        ["pe", part, ..] => format!("pe/{part}"),
        ["bytes" | "page", ..] => steps[0].to_owned(),
        ["stream", number, ..] => format!("stream/{number}"),
        _ => text,
    }
}

#[test]
fn bytes_are_compared_with_those_of_the_same_kind_of_owner() {
    let read = |name: &str| fs::read(sample(name)).unwrap();
    let open = |folder: &str, name: &str| {
        let files = [format!("{folder}/{name}.dll"), format!("{folder}/{name}.pdb")];
        Session::from_bytes(files.iter().map(|file| (file.into(), read(file))).collect()).unwrap()
    };
    let mut runs = 0;
    for (one, two, name) in [
        ("ticker", "ticker-release", "Ticker"),
        ("workshop", "workshop-release", "Workshop"),
        ("ticker-release", "ticker-sha1", "Ticker"),
        ("faults", "faults-release", "Faults"),
        ("ticker-windows", "ticker-windows-release", "Ticker"),
    ] {
        let (a, b) = (open(one, name), open(two, name));
        let found = bytes(&a, &b, true);
        for run in &found.runs {
            let Some(second) = run.second else { continue };
            let symbols = Path::new(&run.file).extension().is_some_and(|end| end == "pdb");
            let space = if symbols { b.symbol_file().unwrap().space } else { b.image().unwrap().space };
            let owners = owner_at(&b, space, second, None).owners;
            let kinds: Vec<String> = owners.iter().map(|owner| kind_of(owner.place)).collect();
            assert!(kinds.contains(&kind_of(run.place)), "{one}: {run:?} is {kinds:?} in the second");
            // A body is compared with that of the same method.
            if let Place::MethodPart(method, _) = run.place
                && !symbols
            {
                let (own, others) = (
                    a.method_name(method),
                    owners.iter().filter_map(|owner| match owner.place {
                        Place::MethodPart(other, _) => Some(b.method_name(other)),
                        _ => None,
                    }),
                );
                let others: Vec<String> = others.collect();
                assert!(others.contains(&own), "{one}: {own} with {others:?}");
            }
            runs += 1;
        }
    }
    assert!(runs > 300, "{runs}");
}

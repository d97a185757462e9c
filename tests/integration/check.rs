//! Rules of `check`: compiler output breaks none, and a changed byte breaks the rule about it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::folder::Folder;
use crate::support::synth::{Recipe, malformed};
use pdblens::bytes::Span;
use pdblens::formats::pdb::gsi::PsiHeader;
use pdblens::nodes::{Place, Side, TableId, Token};
use pdblens::query::check;
use pdblens::query::check::{Grade, Remark, all_rules, findings};
use pdblens::query::diff::diff;
use pdblens::session::Session;
use pdblens::source::{SourceOptions, Sources};

const SAMPLES: [&str; 13] = [
    "ticker/Ticker",
    "ticker-embedded/Ticker",
    "ticker-release/Ticker",
    "ticker-sha1/Ticker",
    "ledger/Ledger",
    "shapes/Shapes",
    "shapes-embedded/Shapes",
    "faults/Faults",
    "faults-release/Faults",
    "workshop/Workshop",
    "workshop-release/Workshop",
    "workshop-embedded/Workshop",
    "workshop-roslyn3/Workshop",
];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples").join(name)
}

fn bytes(name: &str) -> Vec<u8> {
    fs::read(path(name)).unwrap()
}

fn check(session: &Session) -> Vec<Remark> {
    check::check(session, &SourceOptions::default())
}

fn open(image: Vec<u8>, pdb: Vec<u8>) -> Session {
    Session::from_bytes(vec![("App.dll".into(), image), ("App.pdb".into(), pdb)]).unwrap()
}

fn rules(remarks: &[Remark], grade: Grade) -> BTreeSet<&'static str> {
    remarks.iter().filter(|remark| remark.grade == grade).map(|remark| remark.rule).collect()
}

#[test]
fn scopes_of_mono_are_not_held_to_the_rules_of_roslyn() {
    let (image, symbols) = (bytes("ticker-mono/Ticker.exe"), bytes("ticker-mono/Ticker.exe.mdb"));
    let session = |symbols: Vec<u8>| {
        Session::from_bytes(vec![("Ticker.exe".into(), image.clone()), ("Ticker.exe.mdb".into(), symbols)]).unwrap()
    };
    let before = session(symbols.clone());
    let scopes = before.symbols().unwrap().scopes(Token(0x0600_0001), &|token| token.to_string()).unwrap();
    // The number, the parent, the start and the end of a block, a byte each.
    let inner = scopes.iter().find(|scope| scope.span.len == 4).unwrap();
    let at = inner.span.start as usize;
    assert_eq!(u32::from(symbols[at + 2]), inner.start);
    for end in [symbols[at + 2], symbols[at + 3] - 1] {
        let mut other = symbols.clone();
        other[at + 3] = end;
        let found: Vec<_> =
            check(&session(other)).into_iter().filter(|remark| remark.rule.starts_with("scope-")).collect();
        assert!(found.is_empty(), "{found:#?}");
    }
}

#[test]
fn compiler_output_breaks_no_rule() {
    for name in SAMPLES {
        let remarks = check(&Session::open(&[path(&format!("{name}.dll"))]).unwrap());
        let found: Vec<_> = remarks.iter().filter(|remark| remark.grade == Grade::Finding).collect();
        assert!(found.is_empty(), "{name}: {found:#?}");
        assert!(rules(&remarks, Grade::Good).is_superset(&["id", "checksum", "lint"].into()), "{name}: {remarks:#?}");
        // What no specification forbids: F# hides whole methods and leaves values on the stack, and #line names files that nobody hashed.
        let known = [
            "source-link",
            "document-hash",
            "source-hash-strong",
            "compiler",
            "method-hidden",
            "paths",
            "point-binds",
            "point-first",
        ]
        .into();
        assert!(rules(&remarks, Grade::Note).is_subset(&known), "{name}: {remarks:#?}");
    }
}

#[test]
fn counts_that_a_merged_image_changed_are_one_finding() {
    let (image, mut pdb) = (bytes("ticker/Ticker.dll"), bytes("ticker/Ticker.pdb"));
    let session = open(image.clone(), pdb.clone());
    let span = session.portable_pdb().unwrap().metadata.root.stream("#Pdb").unwrap().region.span();
    // GUID, stamp, entry point and the set of tables come before the row counts.
    for table in 0..3 {
        pdb[span.start as usize + 32 + 4 * table] ^= 0x40;
    }
    let remarks = check(&open(image, pdb));
    let found: Vec<_> = remarks.iter().filter(|remark| remark.rule == "pdb-stream").collect();
    let [only] = found.as_slice() else { panic!("{found:#?}") };
    assert!(
        only.grade == Grade::Finding && only.sentence.contains("(and 2 more like it: the image was merged"),
        "{only:?}"
    );
}

#[test]
fn a_windows_pdb_is_a_note() {
    for (name, is_windows) in [("ticker-windows/Ticker.dll", true), ("ticker/Ticker.dll", false)] {
        let remarks = check(&Session::open(&[path(name)]).unwrap());
        assert_eq!(rules(&remarks, Grade::Note).contains("pdb-format"), is_windows, "{name}: {remarks:#?}");
        let has_reason =
            remarks.iter().any(|remark| remark.sentence.ends_with("a Windows PDB has no compilation options"));
        assert_eq!(has_reason, is_windows, "{name}");
    }
}

/// The folder `generated` of a sample becomes `obj`, without moving another blob.
#[test]
fn a_document_below_obj_with_a_url_alone_is_a_note() {
    let (image, mut pdb) = (bytes("workshop/Workshop.dll"), bytes("workshop/Workshop.pdb"));
    let of_rule = |pdb: &[u8]| -> Vec<String> {
        let remarks = check(&open(image.clone(), pdb.to_vec()));
        remarks.into_iter().filter(|remark| remark.rule == "generated-source").map(|remark| remark.sentence).collect()
    };
    assert_eq!(of_rule(&pdb), Vec::<String>::new());
    let at = pdb.windows(10).position(|bytes| bytes == b"\x09generated").unwrap();
    pdb[at..at + 4].copy_from_slice(b"\x03obj");
    let found = of_rule(&pdb);
    assert!(found.len() == 1 && found[0].starts_with("/_/workshop/obj/Seed.tt was written by the build"), "{found:?}");
}

#[test]
fn native_code_without_lines_is_a_note() {
    for (name, is_without) in [("native/tally.exe", false), ("parcel-public/parcel.exe", true)] {
        let remarks = check(&Session::open(&[path(name)]).unwrap());
        let found: Vec<_> = remarks.iter().filter(|remark| remark.rule == "native-lines").collect();
        let said = found.iter().any(|remark| remark.grade == Grade::Note && remark.sentence.starts_with("none of "));
        assert!(said == is_without && !found.is_empty(), "{name}: {found:#?}");
    }
}

/// The first run writes the baseline, later ones count what is not in it.
#[test]
fn a_baseline_leaves_what_is_new() {
    let folder = Folder::new();
    let baseline = folder.path().join("known");
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        command.args(["check", "--deny=sources", "--format=json"]).arg("--baseline").arg(&baseline);
        let output = command.args([path("ticker-sha1"), path("ticker-release")]).output().unwrap();
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let of_rules = document["rules"].as_array().unwrap().iter().map(|rule| rule["findings"].as_u64().unwrap());
        assert_eq!(of_rules.sum::<u64>(), document["findings"].as_u64().unwrap());
        (output.status.code(), document["findings"].as_u64().unwrap())
    };
    assert_eq!(run(), (Some(0), 0));
    let text = fs::read_to_string(&baseline).unwrap();
    let is_hash = |line: &&str| line.contains(" source-hash-strong ");
    assert!(text.lines().count() > 2 && text.lines().any(|line| is_hash(&line)), "{text}");
    assert_eq!(run(), (Some(0), 0));
    let fewer: Vec<&str> = text.lines().filter(|line| !is_hash(line)).collect();
    fs::write(&baseline, fewer.join("\n")).unwrap();
    assert_eq!(run(), (Some(3), 1));
    // A file that exists is never written.
    assert_eq!(fs::read_to_string(&baseline).unwrap(), fewer.join("\n"));
}

#[test]
fn an_id_of_zeros_is_a_finding_for_each_file_that_has_it() {
    let (image, pdb) = (bytes("ticker/Ticker.dll"), bytes("ticker/Ticker.pdb"));
    let session = open(image.clone(), pdb.clone());
    let guid = session.symbols().unwrap().id().unwrap().guid.0;
    let without = |file: &[u8]| {
        let mut file = file.to_vec();
        let at = file.windows(16).position(|window| window == guid).unwrap();
        file[at..at + 16].fill(0);
        file
    };
    let of_rule = |image: &[u8], pdb: &[u8]| -> Vec<String> {
        let remarks = check(&open(image.to_vec(), pdb.to_vec()));
        remarks.into_iter().filter(|remark| remark.rule == "id-nil").map(|remark| remark.sentence).collect()
    };
    assert_eq!(of_rule(&image, &pdb), [""; 0]);
    let found = of_rule(&without(&image), &without(&pdb));
    assert!(
        found.len() == 2 && found[0].starts_with("the image names") && found[1].contains("of the PDB"),
        "{found:?}"
    );
    assert_eq!(of_rule(&image, &without(&pdb)).len(), 1);
}

/// A version that is believed without being looked at has everything after it read in a wrong format.
#[test]
fn an_unknown_version_in_a_windows_pdb_is_found_in_its_stream() {
    let file = bytes("native/tally.pdb");
    let session = Session::from_bytes(vec![("tally.pdb".into(), file.clone())]).unwrap();
    let pdb = session.windows_pdb().unwrap();
    let header = pdb.dbi.as_ref().unwrap().header;
    let module = pdb.modules().iter().find(|module| module.symbols_size > 0).unwrap().stream().unwrap();
    for (stream, at, expected) in [
        (module, 0, "signature of the module's symbols is 5, expected 4"),
        (2, 0, "version of the types is 5, expected 20040203"),
        (4, 0, "version of the types is 5, expected 20040203"),
        (3, 4, "DBI version is 5, expected 19990903"),
        (header.global_stream_index.into(), 0, "signature of the symbol hash table is 5, expected 0xFFFFFFFF"),
        (header.global_stream_index.into(), 4, "version of the symbol hash table is 5, expected 0xf12f091a"),
        (header.public_stream_index.into(), PsiHeader::SIZE + 4, "version of the symbol hash table is 5"),
        (pdb.info.stream("/names").unwrap(), 4, "version of the string table is 5, expected 1 or 2"),
    ] {
        let span = Span::new(pdb.msf.stream(stream).unwrap().space, at, 4);
        let in_file = session.spaces().resolve(span)[0].span.start as usize;
        let mut file = file.clone();
        file[in_file..in_file + 4].copy_from_slice(&5_u32.to_le_bytes());
        let remarks = check(&Session::from_bytes(vec![("tally.pdb".into(), file)]).unwrap());
        let of_read = |remark: &&Remark| remark.rule == "read" && remark.grade == Grade::Finding;
        let found: Vec<&Remark> = remarks.iter().filter(of_read).collect();
        let is_named = found.iter().any(|remark| {
            remark.sentence.starts_with(expected)
                && remark.place == Some(Place::Stream(stream))
                && remark.span.is_some_and(|found| found.start <= at && at < found.end())
        });
        assert!(is_named, "{expected}: {found:#?}");
    }
    assert!(!rules(&check(&session), Grade::Finding).contains("read"));
}

#[test]
fn rule_ids_are_unique() {
    let all: Vec<&str> = all_rules().map(|(id, _)| id).collect();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
}

/// A PDB with a cell of a table changed.
fn with_cell(pdb: &[u8], session: &Session, table: TableId, row: u32, column: &str, value: u32) -> Vec<u8> {
    let table = Side::Pdb.metadata(session).unwrap().table(table);
    let span = table.cell_span(row, table.id.column(column).unwrap()).unwrap();
    let mut pdb = pdb.to_vec();
    let bytes = &mut pdb[span.start as usize..span.end() as usize];
    bytes.copy_from_slice(&value.to_le_bytes()[..bytes.len()]);
    pdb
}

fn cell(session: &Session, table: TableId, row: u32, column: &str) -> u32 {
    let table = Side::Pdb.metadata(session).unwrap().table(table);
    table.cell(row, table.id.column(column).unwrap()).unwrap()
}

#[test]
fn a_changed_cell_is_found_by_the_rule_that_it_breaks() {
    let (image, pdb) = (bytes("workshop/Workshop.dll"), bytes("workshop/Workshop.pdb"));
    let session = open(image.clone(), pdb.clone());
    let rows = |table| Side::Pdb.metadata(&session).unwrap().rows(table);
    let (scope, document, method) = (TableId::LOCAL_SCOPE, TableId::DOCUMENT, TableId::METHOD_DEBUG_INFORMATION);
    let (variable, constant) = (TableId::LOCAL_VARIABLE, TableId::LOCAL_CONSTANT);
    let (custom, machine) = (TableId::CUSTOM_DEBUG_INFORMATION, TableId::STATE_MACHINE_METHOD);
    let metadata = Side::Pdb.metadata(&session).unwrap();
    // Two variables of one scope, two constants of one scope, and a method with points.
    let pair = |column, owned| {
        (1..=rows(scope)).map(|row| metadata.list(scope, row, column, owned)).find(|run| run.len() > 1).unwrap().start
    };
    let (two_variables, two_constants) = (pair(2, variable), pair(3, constant));
    let with_points = (1..=rows(method)).find(|row| cell(&session, method, *row, "SequencePoints") > 0).unwrap();
    let points = cell(&session, method, with_points, "SequencePoints");
    let same = |table, column, row| cell(&session, table, row, column);

    let cases: Vec<(&str, TableId, u32, &str, u32)> = vec![
        ("tables-sorted", scope, 1, "Method", 70),
        ("tables-sorted", machine, 1, "MoveNextMethod", 0xffff),
        ("tables-sorted", custom, 1, "Parent", 0xffff),
        ("tables-indexes", scope, 1, "ImportScope", 5000),
        ("tables-indexes", scope, 1, "Method", 0),
        ("tables-indexes", method, with_points, "Document", 99),
        ("point-document", method, with_points, "Document", 99),
        ("document-name", document, 1, "Name", 0),
        ("document-unique", document, 2, "Name", same(document, "Name", 1)),
        ("document-hash-form", document, 1, "Hash", same(document, "Name", 1)),
        ("document-hash-form", document, 1, "HashAlgorithm", 0),
        ("scope-range", scope, 1, "Length", 0),
        ("scope-range", scope, 1, "Length", 0x7fff_ffff),
        ("scope-first", scope, 1, "StartOffset", 1),
        ("scope-boundary", scope, 1, "Length", same(scope, "Length", 1) - 3),
        ("variable-unique", variable, two_variables + 1, "Index", same(variable, "Index", two_variables)),
        ("variable-unique", variable, two_variables + 1, "Name", same(variable, "Name", two_variables)),
        ("variable-slot", variable, 1, "Index", 0x1234),
        ("variable-name", variable, 1, "Name", 0),
        ("constant-unique", constant, two_constants + 1, "Name", same(constant, "Name", two_constants)),
        ("constant-signature", constant, 1, "Signature", 0),
        ("local-owner", scope, 2, "VariableList", 0),
        ("custom-kind", custom, 1, "Kind", 0),
        ("custom-unique", custom, 2, "Parent", same(custom, "Parent", 1)),
        ("import-scope", TableId::IMPORT_SCOPE, 2, "Parent", 2),
        ("state-machine-unique", machine, 2, "KickoffMethod", same(machine, "KickoffMethod", 1)),
        ("blob-start", method, with_points, "SequencePoints", points + 1),
        ("blob-orphan", method, with_points, "SequencePoints", 0),
        ("string-orphan", variable, 1, "Name", 0),
        ("method-read", method, with_points, "SequencePoints", 0xffff),
    ];
    for (rule, table, row, column, value) in cases {
        let mut value = value;
        if rule == "custom-unique" {
            // Whatever its parent is, a row with parent and kind of the first is one too many.
            let pdb = with_cell(&pdb, &session, custom, 2, "Parent", value);
            let second = open(image.clone(), pdb.clone());
            let pdb = with_cell(&pdb, &second, custom, 2, "Kind", cell(&session, custom, 1, "Kind"));
            assert!(rules(&check(&open(image.clone(), pdb)), Grade::Finding).contains("custom-unique"));
            continue;
        }
        if rule == "tables-sorted" && table == custom {
            value = cell(&session, custom, rows(custom), "Parent") | 0x4000;
        }
        let changed = with_cell(&pdb, &session, table, row, column, value);
        let remarks = check(&open(image.clone(), changed));
        let hit = remarks.iter().find(|remark| remark.rule == rule && remark.grade != Grade::Good);
        let hit = hit.unwrap_or_else(|| panic!("{rule}: {}[{row}].{column} = {value:#x}: {remarks:#?}", table.name()));
        assert!(hit.place.is_some() && hit.span.is_some(), "{hit:?}");
        assert!(rules(&remarks, Grade::Finding).contains("checksum"), "any change shows in the checksum");
    }
}

#[test]
fn a_changed_point_is_found_by_the_rule_that_it_breaks() {
    let (image, pdb) = (bytes("ticker/Ticker.dll"), bytes("ticker/Ticker.pdb"));
    let session = open(image.clone(), pdb.clone());
    let blob = session.symbols().unwrap().method(Token(0x0600_0001)).unwrap().points.unwrap().start as usize;
    // Local signature, then a point of five bytes (IL, lines, columns, line, column), then others like it.
    let second = blob + 6;
    for (rule, at, value) in [
        ("local-signature", blob, 7),
        ("point-boundary", second, 2),
        ("point-boundary", second, 0x7f),
        ("point-range", second + 3, 0x01),
        ("method-read", second, 0xff),
    ] {
        let mut changed = pdb.clone();
        changed[at] = value;
        let remarks = check(&open(image.clone(), changed));
        assert!(rules(&remarks, Grade::Finding).contains(rule), "{rule}: {remarks:#?}");
    }
}

/// Points as compilers wrote them: Roslyn's `foreach` leaves in the middle of `in`, F# repeats points, `#line` goes back.
#[test]
fn steps_that_mislead_are_notes() {
    let golden =
        |path: &str| check(&Session::open(&[crate::support::samples::repository("tests/golden").join(path)]).unwrap());
    let of = |remarks: &[Remark], rule: &str| {
        let of_rule = remarks.iter().filter(|remark| remark.rule == rule);
        of_rule.map(|remark| (remark.grade, remark.sentence.clone())).collect::<Vec<_>>()
    };
    let expected = [
        (
            "statements/Language.debug.dll",
            "stepping-join",
            "a step from IL_010e, 39:44–39:50, ends at IL_0129, in the middle of 39:24–39:26, whose text a debugger shows",
        ),
        // A finaliser has its `{` in its `try`, too.
        (
            "statements/Language.debug.dll",
            "stepping-twice",
            "a step from IL_0000 ends at IL_0001, at the same text: 113:15–113:16",
        ),
        (
            "throws/fsharp-debug.dll",
            "stepping-twice",
            "a step from IL_0000 ends at IL_0006, at the same text: 185:5–185:27",
        ),
        (
            "throws/csharp-debug.dll",
            "stepping-back",
            "a step from IL_0001, 500:9–500:26, goes back to IL_000c, 408:5–408:6, without a loop",
        ),
    ];
    for (path, rule, sentence) in expected {
        let remarks = golden(path);
        assert!(of(&remarks, rule).contains(&(Grade::Note, sentence.to_owned())), "{rule}: {remarks:#?}");
        let is_expected = |rule: &&str| expected.iter().any(|found| (found.0, found.1) == (path, *rule));
        for other in ["stepping-join", "stepping-twice", "stepping-back"].into_iter().filter(|rule| !is_expected(rule))
        {
            // The points of an inlined function and those of initialisers go back, and are none of these.
            assert_eq!(of(&remarks, other), [], "{path}");
        }
    }
}

#[test]
fn a_point_that_never_binds_and_a_late_first_point_are_notes() {
    let (image, pdb) = (bytes("ticker/Ticker.dll"), bytes("ticker/Ticker.pdb"));
    let blob = open(image.clone(), pdb.clone()).symbols().unwrap().method(Token(0x0600_0001)).unwrap().points.unwrap();
    let first = blob.start as usize + 1;
    // The second point at `ldlen`, which has a value on the stack; the first one after `nop`.
    for (rule, at, value, sentence) in [
        ("point-binds", first + 5, 2, "no breakpoint binds at IL_0002: values are on the stack"),
        ("point-first", first, 1, "the first point is at IL_0001, not at IL_0000: trimmers fail on it"),
    ] {
        let mut changed = pdb.clone();
        changed[at] = value;
        let remarks = check(&open(image.clone(), changed));
        let of_rule: Vec<_> = remarks.iter().filter(|remark| remark.rule == rule).collect();
        let [note] = of_rule.as_slice() else { panic!("{rule}: {remarks:#?}") };
        assert!(note.grade == Grade::Note && note.sentence.starts_with(sentence), "{note:?}");
        assert!(!rules(&check(&open(image.clone(), pdb.clone())), Grade::Note).contains(rule), "{rule}");
    }
}

#[test]
fn points_outside_the_embedded_text_are_found() {
    let session = Session::open(&[path("ticker-embedded/Ticker.dll")]).unwrap();
    let space = session.symbol_file().unwrap().space;
    let pdb = session.spaces().region(space).unwrap().bytes().to_vec();
    let blob = session.symbols().unwrap().method(Token(0x0600_0001)).unwrap().points.unwrap().start as usize;
    let mut changed = pdb;
    changed[blob + 4] = 0x7f;
    let remarks = check(&open(bytes("ticker-embedded/Ticker.dll"), changed));
    assert!(rules(&remarks, Grade::Note).contains("point-lines"), "{remarks:#?}");
    assert!(rules(&remarks, Grade::Note).contains("embedded"), "a PDB beside the one inside: {remarks:#?}");
}

#[test]
fn a_pdb_path_that_is_not_mapped_is_remarked_on() {
    let mapped = bytes("ledger/Ledger.dll");
    for (image, is_bad) in [(bytes("ticker/Ticker.dll"), true), (bytes("native/tally.exe"), false), (mapped, false)] {
        let remarks = check(&Session::from_bytes(vec![("App.dll".into(), image)]).unwrap());
        let found = remarks.iter().any(|remark| remark.rule == "paths" && remark.sentence.contains("names its PDB"));
        assert_eq!(found, is_bad, "{remarks:#?}");
    }
}

#[test]
fn id_checksum_and_stream_mismatches_are_distinguished() {
    let (image, pdb) = (bytes("ticker/Ticker.dll"), bytes("ticker/Ticker.pdb"));
    let found = |image: &[u8], pdb: &[u8]| rules(&check(&open(image.to_vec(), pdb.to_vec())), Grade::Finding);
    // A PDB of another build has another checksum, too: that follows from the id, and is counted under it.
    let wrong = check(&open(image.clone(), bytes("ticker-release/Ticker.pdb")));
    let findings: Vec<_> = wrong.iter().filter(|remark| remark.grade == Grade::Finding).collect();
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert!(
        findings[0].rule == "id" && findings[0].sentence.contains("finding of checksum follows from it"),
        "{findings:#?}"
    );
    let session = open(image.clone(), pdb.clone());
    let id = session.symbol_file().unwrap().content.id_spans()[0].start as usize;
    // The id is not part of what is hashed; anything else is.
    let mut other_id = pdb.clone();
    other_id[id] ^= 1;
    assert_eq!(found(&image, &other_id), ["id"].into());
    let mut other_entry = pdb.clone();
    other_entry[id + 20] ^= 2;
    assert_eq!(found(&image, &other_entry), ["checksum", "pdb-stream"].into());
    // The checksum in the image, and the age in its CodeView entry.
    let entries = &session.image().unwrap().pe.debug;
    let data = |name: &str| entries.iter().find(|entry| entry.name() == name).unwrap().data.unwrap().start as usize;
    let mut other_checksum = image.clone();
    other_checksum[data("PdbChecksum") + 12] ^= 1;
    assert_eq!(found(&other_checksum, &pdb), ["checksum"].into());
    let mut other_age = image.clone();
    other_age[data("CodeView") + 20] = 3;
    assert_eq!(found(&other_age, &pdb), ["age"].into());
}

#[test]
fn an_image_without_its_symbols_is_noted_and_symbols_alone_are_not() {
    let alone = Session::from_bytes(vec![("Ticker.dll".into(), bytes("ticker/Ticker.dll"))]).unwrap();
    assert_eq!(rules(&check(&alone), Grade::Finding), BTreeSet::new());
    assert!(rules(&check(&alone), Grade::Note).contains("symbols"));
    let alone = Session::from_bytes(vec![("Ticker.pdb".into(), bytes("ticker/Ticker.pdb"))]).unwrap();
    assert_eq!(rules(&check(&alone), Grade::Finding), BTreeSet::new());
}

#[test]
fn no_byte_makes_it_panic() {
    let (image, pdb) = (bytes("ticker/Ticker.dll"), bytes("ticker/Ticker.pdb"));
    for at in 0..pdb.len() {
        for value in [0, 0xff, pdb[at] ^ 0x80] {
            let mut changed = pdb.clone();
            changed[at] = value;
            if let Ok(session) = Session::from_bytes(vec![("a".into(), image.clone()), ("b".into(), changed)]) {
                check(&session);
            }
        }
    }
    for len in (0..pdb.len()).step_by(7) {
        if let Ok(session) = Session::from_bytes(vec![("a".into(), image.clone()), ("b".into(), pdb[..len].to_vec())]) {
            check(&session);
        }
    }
}

#[test]
fn no_malformed_file_makes_it_panic_or_hang() {
    for (name, make) in malformed::MALFORMED {
        let pair = make();
        let (image, pdb) = (pair.image.clone(), pair.pdb.clone());
        let files = vec![("a.dll".into(), image), ("a.pdb".into(), pdb)];
        let Ok(session) = Session::from_bytes(files) else { continue };
        let began = std::time::Instant::now();
        check(&session);
        let sample = Session::sample();
        diff(&session, &sample);
        diff(&session, &session);
        let options = SourceOptions::default();
        let sources = Sources::of(&session, &options);
        for row in 1..=session.symbols().map_or(0, pdblens::symbols::SymbolReader::documents).min(100) {
            let _ = sources.get(row);
        }
        assert!(began.elapsed().as_secs() < 20, "{name}");
    }
}

#[test]
fn the_command_exits_with_3_on_a_finding() {
    let run = |args: &[&str]| Command::new(env!("CARGO_BIN_EXE_pdblens")).arg("check").args(args).output().unwrap();
    let (dll, pdb) = (path("ticker/Ticker.dll"), path("ticker-release/Ticker.pdb"));
    let (dll, pdb) = (dll.to_str().unwrap(), pdb.to_str().unwrap());
    let good = run(&[dll]);
    let text = String::from_utf8(good.stdout).unwrap();
    assert_eq!(good.status.code(), Some(0), "{text}");
    assert!(text.lines().all(|line| line.starts_with(['✓', '·', '0'])), "{text}");
    assert_eq!(run(&[dll, "--quiet"]).stdout, b"");
    let bad = run(&[dll, pdb, "--json"]);
    assert_eq!(bad.status.code(), Some(3));
    let json: serde_json::Value = serde_json::from_slice(&bad.stdout).unwrap();
    assert!(json["findings"].as_u64().unwrap() > 0);
    let remarks = json["pairs"][0]["results"].as_array().unwrap();
    let id = remarks.iter().find(|remark| remark["rule"] == "id").unwrap();
    assert_eq!((&id["grade"], &id["place"]), (&"finding".into(), &"pe/debug/0".into()), "{id}");
    let listed = String::from_utf8(run(&["--rules"]).stdout).unwrap();
    let groups = listed.lines().filter(|line| line.split_whitespace().nth(1) == Some("group")).count();
    assert_eq!(listed.lines().count(), all_rules().count() + groups);
    assert_eq!(groups, 6, "{listed}");
}

#[test]
fn omitted_findings_are_counted() {
    // The points of a hundred methods cannot be read.
    let pair = Recipe::of(400).pair();
    let mut pdb = pair.pdb.clone();
    let session = open(pair.image.clone(), pair.pdb);
    for row in 1..=100 {
        let method = session.symbols().unwrap().method(Token(0x0600_0000 + row)).unwrap();
        if let Some(points) = method.points {
            pdb[points.start as usize..][..2].fill(0xff);
        }
    }
    let remarks = check(&open(pair.image, pdb));
    let wrong: Vec<_> = remarks.iter().filter(|remark| remark.grade == Grade::Finding).collect();
    let more: usize = wrong.iter().filter_map(|remark| remark.sentence.strip_prefix("and ")).map(number).sum();
    let kept = wrong.iter().filter(|remark| !remark.sentence.starts_with("and ")).count();
    assert!(more > 20, "{wrong:#?}");
    assert_eq!(findings(&remarks), kept + more);
}

fn number(text: &str) -> usize {
    text.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn directories_in_memory_without_bytes_are_a_note_on_a_packed_image() {
    let mut bytes = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples/parcel/parcel.exe")).unwrap();
    let header = bytes.windows(8).position(|name| name == b".rdata\0\0").unwrap();
    // Size and offset in the file, as a packer leaves them.
    bytes[header + 16..header + 24].fill(0);
    let session = Session::from_bytes(vec![("parcel.exe".into(), bytes)]).unwrap();
    let remarks = check::check(&session, &SourceOptions::default());
    let read: Vec<_> = remarks.iter().filter(|remark| remark.rule == "read").collect();
    assert!(read.iter().all(|remark| remark.grade != Grade::Finding), "{read:#?}");
    let said = "the image is packed: section .rdata has no bytes in the file for the ";
    assert!(read.iter().any(|remark| remark.grade == Grade::Note && remark.sentence.starts_with(said)), "{read:#?}");
}

//! Verdicts of `check` on healthy files of unusual shape, and on files that only some readers can read.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::samples::repository;
use crate::support::synth::Recipe;
use pdblens::nodes::code_unit;
use pdblens::nodes::code_unit::MethodView;
use pdblens::nodes::method::range_text;
use pdblens::nodes::{self, MethodPart, Place, SequencePoint, TableId, Token, method};
use pdblens::query::address::parse_line;
use pdblens::query::ask::{Fit, at_offset};
use pdblens::query::breakpoint::{
    Cause, DebuggerAttribute, Judge, LinePart, LineQuery, Sign, Why, bind, debugger_attributes, is_optimized,
};
use pdblens::query::check::{self, Grade, Remark};
use pdblens::query::evidence::{Evidence, Score, evidence};
use pdblens::query::where_is::{LocalKind, explain_text, where_is};
use pdblens::session::{PdbMatch, Session};
use pdblens::source::SourceOptions;
use pdblens::symbols::{Scope, SymbolReader};
use pdblens::trace::{Outcome, Sink, Summary, Told, Tracer};

/// The answer about a line as it is typed.
fn why(session: &Session, text: &str, sources: &SourceOptions) -> Why {
    Judge::of(session, sources).why(parse_line(session, text).as_ref())
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples").join(name)
}

fn check(session: &Session) -> Vec<Remark> {
    check::check(session, &SourceOptions::default())
}

fn of<'r>(remarks: &'r [Remark], rule: &str, grade: Grade) -> Vec<&'r Remark> {
    remarks.iter().filter(|remark| remark.rule == rule && remark.grade == grade).collect()
}

/// Ticker with its PDB changed from the second sequence point of its first method on.
fn with_points(record: &[u8; 10]) -> Session {
    let (image, mut pdb) = (fs::read(path("ticker/Ticker.dll")).unwrap(), fs::read(path("ticker/Ticker.pdb")).unwrap());
    let session = Session::open(&[path("ticker/Ticker.dll")]).unwrap();
    let blob = session.symbols().unwrap().method(Token(0x0600_0001)).unwrap().points.unwrap().start as usize;
    // The local signature, a first point of five bytes, then two of which one is made.
    pdb[blob + 7..blob + 16].copy_from_slice(&record[1..]);
    Session::from_bytes(vec![("Ticker.dll".into(), image), ("Ticker.pdb".into(), pdb)]).unwrap()
}

#[test]
fn points_that_metadata_readers_refuse_are_found_with_method_and_bytes() {
    // A line moved down by 0xFEEFEE, and a column moved right by 0xFFFE, each in four bytes.
    for (record, what) in [
        ([0, 0, 0x80, 1, 0xc1, 0xfd, 0xdf, 0xdc, 0x80, 0], "end line"),
        ([0, 0, 0x80, 1, 0x80, 0, 0xc0, 0x01, 0xff, 0xea], "column"),
    ] {
        let session = with_points(&record);
        let remarks = check(&session);
        let found = of(&remarks, "point-reader", Grade::Finding);
        let [found] = found.as_slice() else { panic!("{what}: {remarks:#?}") };
        assert!(found.sentence.contains("Program") && found.sentence.contains("rejects point 2"), "{found:?}");
        assert!(found.place.is_some() && found.span.is_some(), "{found:?}");
        let broken = of(&remarks, "point-range", Grade::Finding);
        assert!(broken.iter().all(|one| one.place != found.place), "the specification allows it: {remarks:#?}");
    }
}

#[test]
fn metadata_readers_refuse_the_line_of_hidden_points_too() {
    let first = with_points(&[0; 10]);
    let mut line = 0;
    let _ = first.symbols().unwrap().points(Token(0x0600_0001), &mut |point| {
        line = point.start_line;
        ControlFlow::Break(())
    });
    // No lines, one column, and down to line 0xFEEFEE exactly: a signed number in four bytes.
    let down = ((0xfe_efee - line) << 1 | 0xc000_0000).to_be_bytes();
    let remarks = check(&with_points(&[0, 0, 0x80, 1, down[0], down[1], down[2], down[3], 0x80, 0]));
    let found = of(&remarks, "point-reader", Grade::Finding);
    let [found] = found.as_slice() else { panic!("{remarks:#?}") };
    assert!(found.sentence.contains("rejects point 2") && found.sentence.contains("16707566"), "{found:?}");
}

#[test]
fn one_cause_in_a_method_is_one_finding() {
    let session = with_points(&[0, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]);
    let remarks = check(&session);
    for rule in ["method-read", "point-boundary", "point-empty"] {
        assert!(of(&remarks, rule, Grade::Finding).len() <= 1, "{rule}: {remarks:#?}");
    }
    let error = of(&remarks, "method-read", Grade::Finding);
    assert!(error.iter().all(|remark| !remark.sentence.contains("unexpected end at")), "names the file: {error:#?}");
}

#[test]
fn stream_4_is_the_ipi_only_where_a_feature_says_so() {
    let pdb = Recipe::of(3).windows(4096);
    let feature = 20_140_508_u32.to_le_bytes();
    let at = pdb.windows(4).position(|bytes| bytes == feature).unwrap();
    let ids = |bytes: Vec<u8>| {
        let session = Session::from_bytes(vec![("App.pdb".into(), bytes)]).unwrap();
        assert!(of(&check(&session), "read", Grade::Finding).is_empty());
        session.windows_pdb().map(|pdb| (pdb.info.has_ids(), pdb.types[1].is_some())).unwrap()
    };
    assert_eq!(ids(pdb.clone()), (true, true));
    let mut old = pdb;
    old[at..at + 4].copy_from_slice(b"NOTM");
    // An empty IPI, of a header alone, is one in a stripped PDB too, which has no features.
    assert_eq!(ids(old.clone()), (false, true));
    let empty = [20_040_203_u32, 56, 0x1000, 0x1000, 0].map(u32::to_le_bytes).concat();
    let at = old.windows(empty.len()).rposition(|bytes| bytes == empty).unwrap();
    old[at + 4..at + 8].copy_from_slice(b"TEXT");
    assert_eq!(ids(old), (false, false));
}

#[test]
fn forgeable_source_hashes_are_remarked_on_once() {
    let remarks = check(&Session::open(&[path("ticker-sha1/Ticker.dll")]).unwrap());
    let found = of(&remarks, "source-hash-strong", Grade::Note);
    assert!(found.len() == 1 && found[0].sentence.contains("SHA1"), "{remarks:#?}");
    let remarks = check(&Session::open(&[path("ticker/Ticker.dll")]).unwrap());
    assert_eq!(of(&remarks, "source-hash-strong", Grade::Good).len(), 1, "{remarks:#?}");
}

#[test]
fn a_summary_counts_findings_and_notes() {
    let remarks = check(&Session::open(&[path("ticker/Ticker.dll")]).unwrap());
    let notes = remarks.iter().filter(|remark| remark.grade == Grade::Note).count();
    assert!(check::summary(&remarks).starts_with(&format!("0 findings, {notes} note")), "{remarks:#?}");
}

/// The id of one build on the symbols of another: what a rewriter of the image leaves behind.
fn rewritten() -> Session {
    let (image, mut pdb) =
        (fs::read(path("ticker/Ticker.dll")).unwrap(), fs::read(path("ticker-release/Ticker.pdb")).unwrap());
    let id_of = |session: &Session| session.symbol_file().unwrap().content.id_spans()[0];
    let own = Session::open(&[path("ticker/Ticker.dll")]).unwrap();
    let other = Session::open(&[path("ticker-release/Ticker.dll")]).unwrap();
    let id = own.spaces().read(id_of(&own)).unwrap();
    let at = id_of(&other).start as usize;
    pdb[at..at + id.len()].copy_from_slice(&id);
    Session::from_bytes(vec![("Ticker.dll".into(), image), ("Ticker.pdb".into(), pdb)]).unwrap()
}

#[test]
fn the_code_is_evidence_beside_the_ids() {
    for name in
        ["ticker/Ticker", "ticker-windows/Ticker", "workshop/Workshop", "workshop-release/Workshop", "ledger/Ledger"]
    {
        let session = Session::open(&[path(&format!("{name}.dll"))]).unwrap();
        let found = evidence(&session);
        assert_eq!(found.agrees(), Some(true), "{name}: {found:?}");
        assert!(found.points.all > 0 && found.methods.good == found.methods.all, "{name}: {found:?}");
    }
    let session = rewritten();
    assert_eq!(session.pdb_match(), PdbMatch::Matched);
    assert_eq!(evidence(&session).agrees(), Some(false));
    let remarks = check(&session);
    let found = of(&remarks, "evidence", Grade::Finding);
    assert!(found.len() == 1 && found[0].sentence.starts_with("ids agree, the code does not"), "{remarks:#?}");
    let why = why(&session, "Program.cs:11", &SourceOptions::default());
    assert_eq!(why.cause, Cause::Checksum, "{why:?}");
}

#[test]
fn symbols_that_the_code_contradicts_are_said_to_be_so_with_every_answer() {
    let main = Token(0x0600_0001);
    let healthy = Session::open(&[path("ticker/Ticker.dll")]).unwrap();
    assert_eq!(where_is(&healthy, main, 0).contradiction, None);
    let session = Arc::new(rewritten());
    let answer = where_is(&session, main, 0);
    let sentence = answer.contradiction.clone().unwrap();
    assert_eq!(sentence.reason, "method");
    assert!(sentence.text.starts_with("the code contradicts the symbols of this method: "), "{sentence}");
    assert!(explain_text::sentences(&session, &answer).contains(&sentence));

    let mut kept = Contradictions::default();
    let text = b"   at Ticker.Program.Main() in Ticker.dll:token 0x6000001+0x1\n";
    Tracer::new(Vec::new()).with(session).run(&text[..], &mut kept).unwrap();
    let [sentence] = kept.found.as_slice() else { panic!("{:?}", kept.found) };
    assert!(sentence.starts_with("ids agree, the code does not"), "{sentence}");
    assert_eq!(
        kept.summary.to_string(),
        "1 frame: 1 resolved (1 of them by symbols that the code contradicts); build not proved (~)"
    );
}

/// Contradictions of the frames of a trace.
#[derive(Default)]
struct Contradictions {
    found: Vec<String>,
    summary: Summary,
}

impl Sink for Contradictions {
    fn frame(&mut self, told: &Told<'_>) -> io::Result<()> {
        self.summary.add(told.outcome);
        if let Outcome::Resolved(found) = told.outcome {
            self.found.extend(found.contradiction.clone().map(|found| found.text));
        }
        Ok(())
    }
}

#[test]
fn a_hollow_breakpoint_has_one_cause() {
    let open = |name: &str| Session::open(&[path(name)]).unwrap();
    let because = |session: &Session, text: &str| why(session, text, &SourceOptions::default());
    let (debug, release) = (open("ticker/Ticker.dll"), open("ticker-release/Ticker.dll"));
    assert_eq!(because(&debug, "Program.cs:11").cause, Cause::PathMap);
    assert_eq!(because(&debug, "Program.cs:9999").cause, Cause::NoCode);
    // A debugger moves it, as `break` says.
    let next = because(&debug, "Program.cs:1");
    assert!(
        next.cause == Cause::Moved
            && next.verdict.line == LinePart::Moves(10)
            && next.fix.starts_with("set it on line 10"),
        "{next:?}"
    );
    assert_eq!(because(&debug, "Nowhere.cs:1").cause, Cause::NoDocument);
    assert_eq!(because(&debug, "/home/me/Program.cs:11").cause, Cause::PathMap);
    assert_eq!(because(&release, "Program.cs:11").cause, Cause::Optimized);
    let mixed = Session::open(&[path("ticker/Ticker.dll"), path("ticker-release/Ticker.pdb")]).unwrap();
    assert_eq!(because(&mixed, "Program.cs:11").cause, Cause::Id);
    let alone = Session::from_bytes(vec![("Ticker.dll".into(), fs::read(path("ticker/Ticker.dll")).unwrap())]).unwrap();
    assert_eq!(because(&alone, "Program.cs:11").cause, Cause::Id);
    // The PDB beside it is of another build: the commonest cause of all is said, and not that there is none.
    let other = because(&open("../broken/wrong-guid/Ticker.dll"), "Program.cs:11");
    assert_eq!(other.cause, Cause::Id);
    assert!(other.sentence.contains("Ticker.pdb, beside it, does not match: the image expects"), "{other:?}");
    assert_eq!(because(&open("parcel-public/parcel.exe"), "box.cpp:10").cause, Cause::NoDocument);
}

#[test]
fn each_cause_of_a_hollow_breakpoint_has_one_sentence_and_one_fix() {
    let because = |session: &Session, text: &str, wanted: Cause, sources: &SourceOptions| {
        let answer = why(session, text, sources);
        assert_eq!(answer.cause, wanted, "{text}: {answer:?}");
        for part in [&answer.sentence, &answer.fix] {
            assert!(!part.is_empty() && !part.contains('\n') && !part.ends_with('.'), "{text}: {answer:?}");
        }
    };
    let none = SourceOptions::default();
    let open = |name: &str| Session::open(&[path(name)]).unwrap();
    // Async methods are [DebuggerStepThrough] without anybody's will; made [DebuggerNonUserCode], a debugger leaves them out.
    let read = |name: &str| fs::read(path(name)).unwrap();
    let (mut image, name) = (read("workshop/Workshop.dll"), b"DebuggerStepThroughAttribute");
    let at = image.windows(name.len()).position(|bytes| bytes == name).unwrap();
    image[at..at + name.len()].copy_from_slice(b"DebuggerNonUserCodeAttribute");
    let files = vec![("Workshop.dll".into(), image), ("Workshop.pdb".into(), read("workshop/Workshop.pdb"))];
    let workshop = Session::from_bytes(files).unwrap();
    let symbols = workshop.symbols().unwrap();
    let documents = (1..=symbols.documents()).filter_map(|row| symbols.document(row).ok());
    let places: Vec<String> =
        documents.flat_map(|document| (1..120).map(move |line| format!("{}:{line}", document.name))).collect();
    for cause in [Cause::DebuggerAttribute, Cause::StateMachine] {
        let place = places.iter().find(|place| why(&workshop, place, &none).cause == cause);
        because(&workshop, place.unwrap_or_else(|| panic!("{cause:?}")), cause, &none);
    }
    for (sample, text, cause) in [
        ("ticker/Ticker.dll", "Program.cs:11", Cause::PathMap),
        ("ticker/Ticker.dll", "Program.cs:1", Cause::Moved),
        ("ticker/Ticker.dll", "Program.cs:9999", Cause::NoCode),
        ("ticker/Ticker.dll", "Nowhere.cs:1", Cause::NoDocument),
        ("ticker-release/Ticker.dll", "Program.cs:11", Cause::Optimized),
        ("native/tally.exe", "tally.c:12", Cause::Unexplained),
        ("../broken/wrong-guid/Ticker.dll", "Program.cs:11", Cause::Id),
        ("../broken/stale-checksum/Ticker.dll", "Program.cs:11", Cause::Checksum),
        ("../broken/point-past-code/Ticker.dll", "Program.cs:11", Cause::Evidence),
    ] {
        because(&open(sample), text, cause, &none);
    }
    // Another text where the source is looked for; two documents of one name and hidden points are in `linked_pdb`.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hollow");
    let tally = open("native/tally.exe");
    fs::create_dir_all(folder.join("native")).unwrap();
    fs::write(folder.join("native/tally.c"), "/* not this */\n").unwrap();
    because(
        &tally,
        "tally.c:12",
        Cause::SourceHash,
        &SourceOptions { roots: vec![folder], ..SourceOptions::default() },
    );
}

#[test]
fn an_attribute_that_keeps_a_debugger_out_is_read_with_its_types() {
    let mut session = Session::open(&[path("workshop/Workshop.dll")]).unwrap();
    let attributed = |session: &Session| -> Vec<(String, Vec<DebuggerAttribute>)> {
        let methods = (1..=session.methods()).map(|row| Token(0x0600_0000 + row));
        let methods = methods.map(|method| (session.method_name(method), debugger_attributes(session, method)));
        methods.filter(|(_, found)| !found.is_empty()).collect()
    };
    let found = attributed(&session);
    assert!(found.iter().any(|(_, found)| found == &[DebuggerAttribute::Hidden]), "{found:?}");
    assert!(found.iter().any(|(_, found)| found == &[DebuggerAttribute::StepThrough]), "{found:?}");
    assert_eq!(is_optimized(&session), Some(false));
    session = Session::open(&[path("workshop-release/Workshop.dll")]).unwrap();
    assert_eq!(is_optimized(&session), Some(true));
}

#[test]
fn documents_that_differ_in_case_stay_two() {
    let (image, mut pdb) = (fs::read(path("ticker/Ticker.dll")).unwrap(), fs::read(path("ticker/Ticker.pdb")).unwrap());
    let at = pdb.windows(8).position(|bytes| bytes == b"Clock.cs").unwrap();
    pdb[at..at + 8].copy_from_slice(b"cLOCK.cs");
    let session = Session::from_bytes(vec![("Ticker.dll".into(), image), ("Ticker.pdb".into(), pdb)]).unwrap();
    for name in ["cLOCK.cs:1", "Clock.cs:1", "ticker/clock.cs:1"] {
        assert_eq!(parse_line(&session, name).unwrap().documents.len(), 1, "{name}");
    }
}

#[test]
fn an_embedded_pdb_is_saved_whole() {
    let saved = std::env::temp_dir().join(format!("pdblens-saved-{}.pdb", std::process::id()));
    let image = path("ticker-embedded/Ticker.dll");
    let args = ["dump".as_ref(), image.as_os_str(), "pdb".as_ref(), "-o".as_ref(), saved.as_os_str()];
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_pdblens")).args(args).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let bytes = fs::read(&saved).unwrap();
    fs::remove_file(&saved).unwrap();
    assert!(bytes.starts_with(b"BSJB"));
    let files = vec![
        ("Ticker.dll".into(), fs::read(path("ticker-embedded/Ticker.dll")).unwrap()),
        ("Ticker.pdb".into(), bytes),
    ];
    assert_eq!(Session::from_bytes(files).unwrap().pdb_match(), PdbMatch::Matched);
}

#[test]
fn a_stamp_that_is_a_hash_is_not_shown_as_a_date() {
    let session = Session::open(&[path("ticker/Ticker.dll")]).unwrap();
    for place in ["pe/coff", "pe/debug/0", "pe/debug/1"] {
        let fields = nodes::fields(&session, place.parse().unwrap()).unwrap();
        let stamp = fields.rows.iter().find(|row| row.name == "time date stamp").unwrap();
        assert!(stamp.meaning.starts_with("hash, not a date") || stamp.value == "0", "{place}: {stamp:?}");
    }
}

#[test]
fn evidence_of_a_sample_says_so_and_what_fits() {
    let some = Score { good: 2, all: 3 };
    let part = Evidence { methods: some, points: some, is_sample: true, ..Evidence::default() };
    let sentence = part.sentence(PdbMatch::Matched).unwrap();
    assert!(sentence.contains("in 1 of 3 sampled methods; what fits: 2 of 3 points"), "{sentence}");
    let whole = Evidence { methods: Score { good: 3, all: 3 }, ..Evidence::default() };
    assert!(whole.sentence(PdbMatch::Matched).is_some_and(|text| text.contains("in 3 methods:")));
}

#[test]
fn fields_that_visual_basic_lists_as_variables_have_no_slot_of_the_code() {
    let recipe = Recipe { hoisted: Some(100), ..Recipe::of(60) };
    let id = recipe.program().guid;
    let mut image = recipe.pair().image;
    // The image names the Windows PDB: its id, and no version of the portable format.
    let at = image.windows(4).position(|bytes| bytes == b"RSDS").unwrap() + 4;
    image[at..at + 16].copy_from_slice(&id);
    let at = image.windows(4).position(|bytes| bytes == [0, 1, 0x4d, 0x50]).unwrap();
    image[at..at + 4].fill(0);
    let opened = |pdb| {
        let session = Session::from_bytes(vec![("App.dll".into(), image.clone()), ("App.pdb".into(), pdb)]).unwrap();
        assert_eq!(session.pdb_match(), PdbMatch::Matched);
        session
    };
    let session = opened(recipe.windows(4096));
    let remarks = check(&session);
    assert!(of(&remarks, "variable-slot", Grade::Finding).is_empty(), "{remarks:#?}");
    let found = evidence(&session);
    assert!(found.agrees() == Some(true) && found.slots.all == 0, "{found:?}");
    // A variable with such a number is none of the code.
    let mut pdb = recipe.windows(4096);
    let fields: Vec<usize> = (0..pdb.len()).filter(|at| pdb[*at..].starts_with(b"$VB$ResumableLocal_")).collect();
    assert!(fields.len() > 20, "{}", fields.len());
    for at in &fields {
        pdb[*at..*at + 4].copy_from_slice(b"_VB_");
    }
    let session = opened(pdb);
    assert!(!of(&check(&session), "variable-slot", Grade::Finding).is_empty());
    assert_eq!(evidence(&session).slots.good, 0);
    // No instruction has the name of a field beside its slot, and what is in scope has the type of none.
    let session = opened(Recipe { hoisted: Some(0), ..recipe.clone() }.windows(4096));
    let methods = (1..=recipe.methods).map(|row| Token::new(TableId::METHOD_DEF, row));
    let views: Vec<MethodView> = methods.map(|method| MethodView::of(&session, method)).collect();
    let with = views.iter().find(|view| view.scopes.iter().any(|scope| !scope.variables.is_empty())).unwrap();
    assert_eq!(with.local_name(0, 0), None);
    let locals = where_is(&session, with.of, 0).locals;
    assert!(!locals.is_empty() && locals.iter().all(|local| local.type_name.is_empty()), "{locals:?}");
    assert!(locals.iter().all(|local| local.kind == LocalKind::Machine(String::new())), "{locals:?}");
}

#[test]
fn variables_of_all_of_a_method_are_in_scope_up_to_its_last_instruction() {
    let (image, symbols) = (path("ticker-mono/Ticker.exe"), path("ticker-mono/Ticker.exe.mdb"));
    let since = Token::new(TableId::METHOD_DEF, 3);
    let session = Session::open(&[image]).unwrap();
    let names = |session: &Session, offset: u32| -> Vec<String> {
        where_is(session, since, offset).locals.into_iter().map(|local| local.name).collect()
    };
    // The last point begins at 33, the last instruction at 34.
    assert_eq!(names(&session, 34), ["now", "elapsed"]);
    let ends: Vec<u64> = method::scopes(&session, since).unwrap().iter().map(Scope::end).collect();
    assert_eq!(ends, [35]);
    let remarks = check(&session);
    assert!(remarks.iter().all(|remark| remark.grade != Grade::Finding), "{remarks:#?}");
    // Without an image nothing says where it ends.
    let alone = Session::from_bytes(vec![("Ticker.exe.mdb".into(), fs::read(symbols).unwrap())]).unwrap();
    assert_eq!(names(&alone, 0x1000), ["now", "elapsed"]);
    let rows = nodes::rows(&alone, Place::MethodPart(since, MethodPart::Scopes)).unwrap();
    assert_eq!(rows.iter().next().unwrap().cells[1].text, "IL_0000..the end");
}

#[test]
fn the_marks_of_the_screens_are_the_verdicts_of_the_command() {
    let options = SourceOptions::default();
    let mut seen = [0; 4];
    for entry in fs::read_dir(path("")).unwrap().chain(fs::read_dir(path("../broken")).unwrap()) {
        let Ok(files) = fs::read_dir(entry.unwrap().path()) else { continue };
        let is_image = |path: &PathBuf| path.extension().is_some_and(|end| end == "dll" || end == "exe");
        for file in files.map(|file| file.unwrap().path()).filter(is_image) {
            let Ok(session) = Session::open(std::slice::from_ref(&file)) else { continue };
            let judge = Judge::of(&session, &options);
            let documents = 1..=session.symbols().map_or(0, SymbolReader::documents);
            for document in documents.take(12) {
                let marks = judge.lines(document, &|| false);
                assert_asked(&judge, document);
                let few = judge.from_to(document, 2, 9, &|| false);
                assert!(few.iter().zip(marks.iter().skip(1)).all(|(one, other)| one == other), "{}", file.display());
                // One line more than the last with code. Documents of native code have the lines of a whole standard library.
                let is_native = session.native_pdb().is_some();
                let step = if is_native { marks.len().div_ceil(8).max(1) } else { 1 };
                for line in (1..=marks.len() as u32 + 1).step_by(step) {
                    let mark = marks.get(line as usize - 1);
                    let query = LineQuery::of(document, line, None);
                    let why = judge.why(Ok(&query));
                    let at = format!("{}: document {document} line {line}: {why:?}", file.display());
                    assert_eq!(*mark.unwrap_or(&why.verdict), why.verdict, "{at}");
                    let (sign, found) = (why.verdict.sign(), bind(&session, &query));
                    assert!(mark.is_some() || sign == Sign::Never, "{at}");
                    assert!(found.line != line || why.verdict.line != LinePart::Moves(line), "{at}");
                    let bound = found.hits.iter().filter(|hit| hit.binds);
                    let best = bound.map(|hit| judge.point(hit.of, &hit.point).sign()).min().unwrap_or(Sign::Never);
                    let moved = if found.line == line { Sign::Stops } else { Sign::Moves };
                    assert_eq!(best.max(moved), sign, "{at}");
                    // The cause is that of the sign.
                    let expected: &[Sign] = match why.cause {
                        Cause::StateMachine | Cause::PathMap | Cause::Unexplained => &[Sign::Stops],
                        Cause::Moved | Cause::HiddenLine => &[Sign::Moves],
                        Cause::MappedLine => &[Sign::Moves, Sign::Never],
                        Cause::Optimized => &[Sign::Setting],
                        Cause::DebuggerAttribute => &[Sign::Setting, Sign::Never],
                        _ => &[Sign::Never],
                    };
                    assert!(expected.contains(&sign), "{at}");
                    seen[sign as usize] += 1;
                }
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 100), "{seen:?}");
}

/// Holds the verdicts of the rows of Ask, for the offsets of points in a document, against those of the points.
fn assert_asked(judge: &Judge<'_>, document: u32) {
    let mut left = 40;
    code_unit::each(judge.session(), &[document], &mut |of, points, _| {
        let is_alone = |point: &&SequencePoint| points.iter().filter(|other| other.offset == point.offset).count() == 1;
        let own = points.iter().filter(|point| !point.is_hidden() && point.document == document);
        if let Some(point) = own.filter(is_alone).take(1).next() {
            let asked = at_offset(judge, of, point.offset);
            // Lines of native code are not in the order of the code where calls are inlined.
            if !of.is_native() || asked.lines == range_text(point) {
                assert_eq!((asked.fit, asked.lines), (Fit::Start, range_text(point)), "{of}");
                assert_eq!(asked.why.unwrap().verdict, judge.point(of, point), "{of}");
            }
            left -= 1;
        }
        if left > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
}

#[test]
fn a_compiled_line_that_is_hidden_is_told_from_one_without_code() {
    let session = Session::open(&[path("workshop-embedded/Workshop.dll")]).unwrap();
    let judge_options = SourceOptions::default();
    let judge = Judge::of(&session, &judge_options);
    let (mut hidden, mut mapped) = (Vec::new(), Vec::new());
    for document in 1..=session.symbols().map_or(0, SymbolReader::documents) {
        for line in 1..=judge.lines(document, &|| false).len() as u32 {
            let why = judge.why(Ok(&LineQuery::of(document, line, None)));
            match why.cause {
                Cause::HiddenLine => hidden.push((line, why.sentence)),
                Cause::MappedLine => mapped.push((line, why)),
                _ => {}
            }
        }
    }
    // The line after `#line N "Gauge.razor"` is line N of that document.
    let all = || mapped.iter().map(|(_, why)| (why.sentence.as_str(), why.fix.as_str()));
    assert!(
        !mapped.is_empty()
            && all().all(|(why, fix)| why.contains("is compiled as line") && fix.starts_with("set it on line")),
        "{mapped:?}"
    );
    assert!(all().any(|(_, fix)| fix.contains("go on after `#line default` on line")), "{mapped:?}");
    assert!(!hidden.is_empty() && hidden.iter().all(|(_, sentence)| sentence.contains("#line hidden")), "{hidden:?}");
}

/// Of a number, and not of a text: the debugger of .NET 10 was tried on both.
#[test]
fn a_breakpoint_that_changes_the_program_is_said() {
    let session = Session::open(&[repository("tests/golden/known/known-debug.dll")]).unwrap();
    let sentence = |line: u32| why(&session, &format!("Known.cs:{line}"), &SourceOptions::default()).sentence;
    assert!(sentence(58).contains("may read naps here") && sentence(58).contains("#117514"), "{}", sentence(58));
    assert!(!sentence(59).contains("#117514"), "{}", sentence(59));
}

use super::*;
use crate::check::{Grade, Remark};
use pdblens_formats::bytes::Span;
use pdblens_formats::codeview::symbols::{Records, is_function};
use pdblens_formats::pdb::{ModuleStream, TypeStream, streams};
use pdblens_session::session::Session;
use pdblens_session::source::SourceOptions;

const MANAGED: &str = "workshop-windows/Workshop.pdb";
const NATIVE: &str = "native/tally.pdb";

fn sample(path: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../assets/samples/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn session(bytes: Vec<u8>) -> Option<Session> {
    Session::from_bytes(vec![("a.pdb".into(), bytes)]).ok()
}

/// The remarks where our reader reads `ours`, and `pdb` reads `theirs`.
fn remarks(ours: &Session, theirs: &Session, go_on: &dyn Fn(u64, u64) -> bool) -> Vec<Remark> {
    let Some(other) = theirs.symbol_file() else { return Vec::new() };
    let sources = SourceOptions::default();
    let question = Question::new(ours, &sources, go_on);
    let mut report = Report::default();
    compare_with(&question, &mut report, (theirs.spaces(), other.space));
    report.remarks
}

/// File offset of the byte `at` of a stream.
fn in_file(session: &Session, span: Span, at: u64) -> usize {
    session.spaces().resolve(span.part(at, 1))[0].span.start as usize
}

#[test]
fn both_readers_read_the_samples_alike() {
    for (path, expected) in [
        (NATIVE, "cross-checked with the `pdb` crate: same id, 2 modules, "),
        (MANAGED, "cross-checked with the `pdb` crate: same id, "),
        ("ledger-windows/Ledger.pdb", "cross-checked with the `pdb` crate: same id, "),
    ] {
        let session = session(sample(path)).unwrap();
        let found = remarks(&session, &session, &|_, _| true);
        let [Remark { grade: Grade::Good, sentence, .. }] = found.as_slice() else { panic!("{path}: {found:#?}") };
        assert!(sentence.starts_with(expected) && sentence.contains(" functions, "), "{path}: {sentence}");
        assert!(sentence.contains(" lines"), "{path}: {sentence}");
        assert_eq!(sentence.contains(" types"), path == NATIVE, "{path}: {sentence}");
    }
}

#[test]
fn a_difference_is_a_finding_with_both_values() {
    let (whole, theirs) = (sample(NATIVE), session(sample(NATIVE)).unwrap());
    let pdb = theirs.windows_pdb().unwrap();
    let module = ModuleStream::read(pdb, theirs.spaces(), 0).unwrap();
    let symbols = module.symbols();
    let main = Records::of_module(&symbols).map_while(Result::ok).find(|record| is_function(record.kind)).unwrap();
    let (lines, _) = module.lines();
    let line = lines.iter().find(|line| !line.is_hidden()).unwrap().span(module.region.span());
    let types = pdb.stream(theirs.spaces(), streams::TPI).unwrap();
    let record = TypeStream::parse(types).get(0x1000).unwrap().span();
    for (at, what) in [
        // Length of code, kind of a record, first line, kind of a type.
        (in_file(&theirs, main.span(), 16), "function of module 0: "),
        (in_file(&theirs, main.span(), 2), "symbol of module 0: S_"),
        (in_file(&theirs, line, 4), "line of module 0: "),
        (in_file(&theirs, record, 2), "type: 0x1000 of kind "),
    ] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        let found = remarks(&session(bytes).unwrap(), &theirs, &|_, _| true);
        let [Remark { grade: Grade::Finding, sentence, place: Some(_), span: Some(_), .. }] = found.as_slice() else {
            panic!("{what}{found:#?}")
        };
        assert!(sentence.starts_with(what) && sentence.ends_with(" by the `pdb` crate"), "{sentence}");
    }
}

#[test]
fn it_stops_when_it_is_told_to() {
    let session = session(sample(MANAGED)).unwrap();
    assert_eq!(remarks(&session, &session, &|done, _| done < 3), []);
}

#[test]
fn damage_makes_no_reader_panic() {
    for (path, step) in [(MANAGED, 23), (NATIVE, 89)] {
        let whole = sample(path);
        for at in (0..whole.len()).step_by(step) {
            let mut bytes = whole.clone();
            bytes[at] = [0, 0x7f, 0xff, whole[at] ^ 1][at / step % 4];
            for bytes in [bytes, whole[..at].to_vec()] {
                let Some(session) = session(bytes) else { continue };
                let found = remarks(&session, &session, &|_, _| true);
                assert!(!found.iter().any(|remark| remark.sentence.contains("panic")), "{path} {at}: {found:#?}");
            }
        }
    }
}

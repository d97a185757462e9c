//! Truncated, damaged and malformed files: every question is answered, in bounded time and memory.

use pdblens::nodes;
use pdblens::query::search::Index;
use std::collections::{HashSet, VecDeque};
use std::fmt::Display;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::support::is_thorough;
use crate::support::samples::{Sample, samples};
use crate::support::synth::heaps::Heaps;
use crate::support::synth::tables::{self, Tables};
use crate::support::synth::{Pair, Recipe, malformed, malformed_msf, metadata, repeated};
use pdblens::bytes::{ErrorKind, Origin, Spaces};
use pdblens::formats::metadata::{Metadata, Root};
use pdblens::nodes::rows::Rows;
use pdblens::nodes::{Place, Token};
use pdblens::session::{OpenError, Session};
use pdblens::text::names::{MAX_NAME, NameIndex, Names};

/// Time limit of a case: correct code takes some seconds in a debug build, more on a busy machine.
const TIME_LIMIT: Duration = Duration::from_mins(2);

/// The cases that are under way, and since when.
static UNDER_WAY: Mutex<Vec<(String, Instant)>> = Mutex::new(Vec::new());

/// Runs a case. One that does not come back ends the test and says which it was.
fn case(name: impl Display, run: impl FnOnce()) {
    static WATCH: std::sync::Once = std::sync::Once::new();
    WATCH.call_once(|| {
        std::thread::spawn(|| {
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let cases = UNDER_WAY.lock().unwrap();
                if let Some((name, _)) = cases.iter().find(|(_, since)| since.elapsed() > TIME_LIMIT) {
                    eprintln!("{name}: no answer after {TIME_LIMIT:?}");
                    std::process::abort();
                }
            }
        });
    });
    let name = name.to_string();
    UNDER_WAY.lock().unwrap().push((name.clone(), Instant::now()));
    if let Err(panic) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
        eprintln!("this was {name}");
        std::panic::resume_unwind(panic);
    }
    UNDER_WAY.lock().unwrap().retain(|(other, _)| *other != name);
}

/// Counts what is written, and refuses more than any answer may have.
struct Counted {
    written: u64,
    most: u64,
    /// The last piece.
    last: Vec<u8>,
}

/// Number of the bytes at the end that are kept.
const MAX_LAST: usize = 64;

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written += bytes.len() as u64;
        self.last.extend_from_slice(bytes);
        self.last.drain(..self.last.len().saturating_sub(MAX_LAST));
        if self.written > self.most { Err(io::Error::other("the document has no end")) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn open(files: Vec<(&str, Vec<u8>)>) -> Result<Session, OpenError> {
    Session::from_bytes(files.into_iter().map(|(name, bytes)| (PathBuf::from(name), bytes)).collect())
}

/// Prints everything as JSON, which reads everything; whether something was left out of it.
fn dump(session: &Session) -> bool {
    let bytes: u64 = session.spaces().iter().map(|(_, space)| space.len()).sum();
    // One method or one row may be begun when the document is full, and it may be as large as the file.
    let mut counted = Counted { written: 0, most: bytes * 200 + (24 << 20), last: Vec::new() };
    pdblens::cli::document(session, &mut counted).unwrap();
    String::from_utf8_lossy(&counted.last).trim_end().ends_with("\"left_out\":true\n}\n]\n}")
}

/// Looks at both ends of every list, explains what is there, and follows links: as far as `most` places.
fn look_around(session: &Session, most: usize) {
    let index = Index::build(session, &|_, _| true);
    for at in (0..index.len()).take(100) {
        assert!(!index.name(at).is_empty() && index.name(at).len() <= 1024, "a name of {} bytes", index.name(at).len());
        nodes::context(session, index.place(at).unwrap());
    }
    let mut open: VecDeque<Place> = VecDeque::from([Place::Places, Place::Overview, Place::Findings, Place::Methods]);
    let mut seen: HashSet<Place> = HashSet::new();
    while let Some(place) = open.pop_front() {
        if !seen.insert(place) || seen.len() > most {
            continue;
        }
        let (rows, fields) = (nodes::rows(session, place), nodes::fields(session, place));
        if let Some(rows) = &rows {
            for row in ends(rows) {
                open.extend(row.place);
                open.extend(row.cells.iter().filter_map(|cell| cell.to));
                let text: usize = row.cells.iter().map(|cell| cell.text.len() + cell.beside.len()).sum();
                assert!(text < 4 << 20, "{place}: a row of {text} bytes");
            }
        }
        if let Some(fields) = &fields {
            open.extend(fields.rows.iter().filter_map(|row| row.to).take(20));
            let inside = |row: &nodes::fields::FieldRow| row.span.is_empty() || session.spaces().read(row.span).is_ok();
            assert!(fields.rows.iter().all(inside), "{place}: a field without bytes");
        }
        nodes::bytes(session, place).map(|span| session.spaces().read(span));
        if let Place::Method(method) = place {
            open.extend(
                ["points", "il", "body", "regions", "scopes"]
                    .map(|part| format!("{place}/{part}").parse::<Place>().unwrap()),
            );
            session.method_name(method);
        }
        nodes::context(session, place);
        assert_eq!(place.to_string().parse(), Ok(place));
        if rows.is_none() && fields.is_none() {
            assert!(!nodes::absence(session, place).is_empty());
        }
    }
}

/// The first rows of a list, one in the middle, and the last ones.
fn ends<'r>(rows: &'r Rows<'_>) -> impl Iterator<Item = nodes::rows::Row> + 'r {
    let (len, middle) = (rows.len, rows.len / 2);
    rows.window(0..5)
        .chain(rows.window(middle.max(5)..middle.max(5) + 1))
        .chain(rows.window(len.saturating_sub(3).max(6)..len))
}

/// Asks everything of files that may not even open.
fn ask_everything(files: Vec<(&str, Vec<u8>)>, places: usize) {
    match open(files) {
        Ok(session) => {
            dump(&session);
            look_around(&session, places);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// The image and the symbols of a sample, by name and bytes.
fn pair(sample: &Sample) -> Vec<(String, Vec<u8>)> {
    let named = |path: &PathBuf| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(path).unwrap());
    sample.files().iter().map(named).collect()
}

/// The samples with file `index` of each changed in turn: `change` gives versions of its bytes.
fn each_changed(mut change: impl FnMut(&str, &[u8], &mut dyn FnMut(String, Vec<u8>))) {
    // All of each is read; every fourth is looked around in as well.
    let mut places = [40, 0, 0, 0].into_iter().cycle();
    for sample in samples() {
        let files = pair(&sample);
        for (changed, (name, bytes)) in files.iter().enumerate() {
            change(&sample.name, bytes, &mut |what, bytes| {
                let with = files.iter().enumerate().map(|(index, (name, other))| {
                    (name.as_str(), if index == changed { bytes.clone() } else { other.clone() })
                });
                let with: Vec<_> = with.collect();
                let places = places.next().unwrap_or_default();
                case(format!("{}/{name} {what}", sample.name), || ask_everything(with, places));
            });
        }
    }
}

/// Steps three times as long where the tests are not to be thorough.
fn fewer(step: usize) -> usize {
    if is_thorough() { step } else { step * 3 }
}

#[test]
fn truncated_files_are_read_up_to_the_cut() {
    each_changed(|sample, bytes, go| {
        // The smallest at many bytes, the others at some.
        let step = if sample == "ticker" { fewer(1) } else { fewer((bytes.len() / 24).max(1)) | 1 };
        for len in (0..bytes.len()).step_by(step) {
            go(format!("cut to {len}"), bytes[..len].to_vec());
        }
    });
}

#[test]
fn damaged_files_are_read_except_for_the_damage() {
    each_changed(|sample, bytes, go| {
        let step = if sample == "ticker" { fewer(3) } else { fewer((bytes.len() / 40).max(1)) | 1 };
        for (at, flip) in (0..bytes.len()).step_by(step).zip([0xff, 0x01, 0x80, 0x10].into_iter().cycle()) {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= flip;
            go(format!("damaged at {at:#x}"), damaged);
        }
    });
}

/// Limit of the peak memory of a process that ran all cases above.
#[cfg(target_os = "linux")]
fn assert_memory_is_bounded() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 1 << 20, "{} MB", kilobytes >> 10);
}

#[cfg(not(target_os = "linux"))]
fn assert_memory_is_bounded() {}

#[test]
fn malformed_files_are_reported() {
    for (name, make) in malformed::MALFORMED {
        ask_pair(name, make(), 1000);
    }
    assert_memory_is_bounded();
}

#[test]
fn malformed_windows_pdbs_are_reported() {
    let image = Recipe::of(60).pair().image;
    for (name, make) in malformed_msf::MALFORMED {
        let pdb = make();
        case(name, || ask_everything(vec![("Synth.pdb", pdb.clone())], 400));
        case(format!("{name}, with an image"), || {
            ask_everything(vec![("Synth.dll", image.clone()), ("Synth.pdb", pdb)], 400);
        });
    }
    assert_memory_is_bounded();
}

#[test]
fn repeated_references_in_a_small_file_are_bounded() {
    for (name, make) in repeated::REPEATED {
        ask_pair(name, make(), 100);
    }
    assert_memory_is_bounded();
}

/// Asks everything of a pair, of its image alone, and in thorough tests of its PDB alone.
fn ask_pair(name: &str, Pair { image, pdb, .. }: Pair, places: usize) {
    case(name, || ask_everything(vec![("Synth.dll", image.clone()), ("Synth.pdb", pdb.clone())], places));
    case(format!("{name}, the image"), || ask_everything(vec![("Synth.dll", image.clone())], places));
    if is_thorough() {
        case(format!("{name}, the PDB"), || ask_everything(vec![("Synth.pdb", pdb.clone())], places));
    }
}

/// Metadata of nothing but what a test puts in.
fn metadata(tables: &Tables, heaps: &Heaps) -> Metadata {
    let mut bytes = Vec::new();
    metadata::write("v4.0.30319", None, tables, heaps, &mut bytes);
    let region = Spaces::default().add_bytes("metadata", Origin::File(PathBuf::new()), bytes);
    Metadata::parse(Root::parse(region).unwrap(), &[0; 64])
}

/// A name of `token`, and that it came soon.
fn name(metadata: &Metadata, token: u32) -> String {
    let (index, start) = (NameIndex::default(), Instant::now());
    let name = Names::new(metadata, &index).token(Token(token));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(name.len() <= MAX_NAME + 3, "{} bytes", name.len());
    name
}

/// A name that doubles with each of 60 steps would have 2^60 parts.
#[test]
fn exponentially_long_names_are_cut() {
    const GENERICINST: u8 = 0x15;
    const CLASS: u8 = 0x12;
    const INT: u8 = 0x08;
    let (mut tables, mut heaps) = (Tables::new(), Heaps::new());
    let list = heaps.string("L");
    tables.add(tables::TYPE_REF, [0, list, 0]);
    for row in 1..=60 {
        // L<next, next>, by the coded index of a TypeSpec; the last is int.
        let next = (row + 1) << 2 | 2;
        let blob = heaps.blob(&[
            GENERICINST,
            CLASS,
            1 << 2 | 1,
            2,
            CLASS,
            0x80 | (next >> 8) as u8,
            next as u8,
            CLASS,
            0x80 | (next >> 8) as u8,
            next as u8,
        ]);
        tables.add(tables::TYPE_SPEC, [blob]);
    }
    let int = heaps.blob(&[INT]);
    tables.add(tables::TYPE_SPEC, [int]);
    let metadata = metadata(&tables, &heaps);
    assert_eq!(name(&metadata, 0x1b00_003d), "int");
    assert_eq!(name(&metadata, 0x1b00_003b), "L<L<int, int>, L<int, int>>");
    let longest = name(&metadata, 0x1b00_0001);
    assert!(longest.ends_with('…') && longest.starts_with("L<L<L<"), "{longest}");
}

#[test]
fn cyclic_names_end() {
    let (mut tables, mut heaps) = (Tables::new(), Heaps::new());
    let turn = heaps.string("Turn");
    // A TypeRef in itself, two in each other; a TypeSpec that is an array of itself.
    for scope in [1, 3, 2] {
        tables.add(tables::TYPE_REF, [scope << 2 | 3, turn, 0]);
    }
    let array = heaps.blob(&[0x1d, 0x12, 1 << 2 | 2]);
    tables.add(tables::TYPE_SPEC, [array]);
    let metadata = metadata(&tables, &heaps);
    for token in [0x0100_0001, 0x0100_0002, 0x1b00_0001] {
        assert!(!name(&metadata, token).is_empty());
    }
}

#[test]
fn only_unbounded_values_are_omitted() {
    let (_, all_points) = repeated::REPEATED[0];
    for (make, left_out) in [(all_points, true), (|| Recipe::of(800).pair(), false)] {
        let Pair { image, pdb, .. } = make();
        let session = open(vec![("Synth.dll", image), ("Synth.pdb", pdb)]).unwrap();
        assert_eq!(dump(&session), left_out);
    }
}

#[test]
fn points_that_all_methods_share_end_with_one_finding() {
    for (methods, count) in [(100, 0), (800, 1)] {
        let Pair { image, pdb, .. } = repeated::shared_points(&Recipe::of(methods));
        let session = open(vec![("Synth.dll", image), ("Synth.pdb", pdb)]).unwrap();
        let mut errors = 0;
        let read = session.symbol_file().unwrap().content.all_points(&mut |_, point| {
            errors += usize::from(point.is_err_and(|error| matches!(error.kind, ErrorKind::LeftOut { .. })));
            ControlFlow::Continue(())
        });
        let findings = session.spaces().budget().left_out().len();
        assert_eq!((read, errors, findings), (ControlFlow::Continue(()), count, count), "{methods}");
    }
}

/// All of 60 000 type parameters belong to one method, and none has the number that it should have.
#[test]
fn type_parameters_without_number_take_no_time() {
    let (mut tables, mut heaps) = (Tables::new(), Heaps::new());
    let run = heaps.string("Run");
    let signature = heaps.blob(&[0, 0, 1]);
    tables.add(tables::METHOD_DEF, [0, 0, 0x16, run, signature, 1]);
    for _ in 0..60_000 {
        tables.add(tables::GENERIC_PARAM, [0xffff, 0, 1 << 1 | 1, run]);
    }
    assert!(name(&metadata(&tables, &heaps), 0x0600_0001).contains("Run<!!0, !!1, "));
}

/// Addresses near the end of 32 bits in each field of each section header: sums of them do not fit.
#[test]
fn sections_at_the_end_of_the_address_space_are_read() {
    for sample in samples().iter().filter(|sample| ["native", "parcel-x86"].contains(&sample.name.as_str())) {
        let files = pair(sample);
        let named: Vec<(&str, Vec<u8>)> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
        let session = open(named.clone()).unwrap();
        for (index, section) in session.image().unwrap().pe.sections.iter().enumerate() {
            // VirtualSize, VirtualAddress, SizeOfRawData, PointerToRawData (PE format, section table).
            for field in [8, 12, 16, 20] {
                for value in [u32::MAX - 15, u32::MAX / 2] {
                    let at = section.header.span.start as usize + field;
                    let mut changed = named.clone();
                    changed[0].1[at..at + 4].copy_from_slice(&value.to_le_bytes());
                    let what = format!("{}: section {index}, field {field}, {value:#x}", sample.name);
                    case(what, || ask_about_machine_code(changed));
                }
            }
        }
    }
}

/// Asks for the fields of every contribution and function, beside the rest.
fn ask_about_machine_code(files: Vec<(&str, Vec<u8>)>) {
    let Ok(session) = open(files) else { return };
    dump(&session);
    look_around(&session, 40);
    for list in [Place::Contributions, Place::Functions] {
        let rows = nodes::rows(&session, list).unwrap();
        for place in rows.window(0..rows.len).filter_map(|row| row.place) {
            nodes::fields(&session, place);
            nodes::rows(&session, place);
        }
    }
}

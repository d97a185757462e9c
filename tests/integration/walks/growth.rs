//! Time grows with the size of a pair, and not with its square.
//!
//! Each question is put to two pairs, one with ten times the methods of the other. The bound on the ratio is generous: quadratic work
//! takes a hundred times as long. Each time is the best of several; where the bound is exceeded, both are measured again, since more
//! runs come nearer to the true times. Work of one thread is measured in processor time, which other processes hardly influence; work
//! that is shared by several threads in elapsed time.

use pdblens::nodes;
use pdblens::nodes::Side;
use pdblens::nodes::method::MethodView;
use pdblens::query::check::{Grade, check};
use pdblens::query::coverage::coverage;
use pdblens::source::SourceOptions;
use std::path::PathBuf;
use std::time::Duration;

use crate::support::synth::{Pair, Recipe};
use pdblens::nodes::{Place, TableId, Token};
use pdblens::session::Session;

/// Limit of the factor by which an answer about ten times as much may take longer.
const BOUND: u32 = 35;

/// Shorter times than this say nothing.
const NOTHING: Duration = Duration::from_millis(2);

/// Measurements of both before an answer fails.
const MAX_ROUNDS: u32 = 4;

/// The files of a session.
type Files = Vec<(&'static str, Vec<u8>)>;

struct Pairs {
    small: Files,
    large: Files,
}

impl Pairs {
    fn of(methods: u32) -> Self {
        let pair = |methods| {
            let Pair { image, pdb, .. } = Recipe::of(methods).pair();
            vec![("Synth.dll", image), ("Synth.pdb", pdb)]
        };
        Self { small: pair(methods), large: pair(10 * methods) }
    }

    /// With Windows PDBs.
    fn windows(methods: u32) -> Self {
        let pair = |methods| {
            let recipe = Recipe::of(methods);
            vec![("Synth.dll", recipe.pair().image), ("Synth.pdb", recipe.windows(4096))]
        };
        Self { small: pair(methods), large: pair(10 * methods) }
    }

    /// With one file, of a size of its own.
    fn hostile(name: &'static str, size: u32, make: fn(u32) -> Vec<u8>) -> Self {
        let file = |size| vec![(name, make(size))];
        Self { small: file(size), large: file(10 * size) }
    }

    /// Checks the larger one; it has one finding that begins like this.
    fn one_finding(&self, sentence: &str) {
        let found = check(&open(&self.large), &SourceOptions::default());
        let found: Vec<_> = found.iter().filter(|remark| remark.grade == Grade::Finding).collect();
        let like_it = found.iter().filter(|remark| remark.sentence.contains(sentence)).count();
        assert_eq!(like_it, 1, "{sentence}: {found:#?}");
    }

    /// Puts a question to both.
    fn ask<T>(&self, what: &str, mut question: impl FnMut(&Session) -> T) {
        let sessions = [&self.small, &self.large].map(open);
        assert_grows(what, of_thread, |large| question(&sessions[usize::from(large)]));
    }

    /// Dumps both, which several threads do.
    fn dump(&self, what: &str) {
        let sessions = [&self.small, &self.large].map(open);
        let dump = |large| pdblens::cli::document(&sessions[usize::from(large)], std::io::sink()).unwrap();
        assert_grows(what, elapsed, dump);
    }

    /// Opens both.
    fn open_both(&self, what: &str) {
        assert_grows(what, of_thread, |large| open(if large { &self.large } else { &self.small }));
    }
}

/// Asserts that `work(true)`, for ten times as much, takes less than `BOUND` times as long as `work(false)` by a clock.
fn assert_grows<T>(what: &str, now: fn() -> Duration, mut work: impl FnMut(bool) -> T) {
    let mut time = |large: bool| {
        let start = now();
        std::hint::black_box(work(large));
        now().saturating_sub(start)
    };
    let mut best = [Duration::MAX; 2];
    for _ in 0..MAX_ROUNDS {
        for (large, times) in [(false, 5), (true, 1)] {
            let least = (0..times).map(|_| time(large)).min().unwrap();
            let best = &mut best[usize::from(large)];
            *best = least.min(*best);
        }
        if best[1] < best[0].max(NOTHING) * BOUND {
            eprintln!("{what}: {best:?}");
            return;
        }
    }
    panic!("{what}: {:?}, and {:?} for ten times as much", best[0], best[1]);
}

#[test]
#[should_panic(expected = "for ten times as much")]
fn quadratic_work_exceeds_the_bound() {
    thread_local!(static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) });
    let pairs = |large: bool| {
        let count = if large { 100 } else { 10 };
        STEPS.set(STEPS.get() + count * count);
    };
    // A clock of steps, so that neither the machine nor the optimiser decides.
    assert_grows("pairs of numbers", || Duration::from_millis(STEPS.get()), pairs);
}

fn open(files: &Files) -> Session {
    Session::from_bytes(files.iter().map(|(name, bytes)| (PathBuf::from(name), bytes.clone())).collect()).unwrap()
}

/// Processor time of this thread.
#[cfg(unix)]
fn of_thread() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The same as [`elapsed`], where no clock of a thread is at hand.
#[cfg(not(unix))]
fn of_thread() -> Duration {
    elapsed()
}

/// Time since the first call.
fn elapsed() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

#[test]
fn opening_names_and_lists_grow_with_the_pair() {
    let pairs = Pairs::of(10_000);
    pairs.open_both("opening");
    pairs.ask("names of all methods", |session| {
        (1..=session.methods())
            .map(|row| session.method_name(Token::new(TableId::METHOD_DEF, row)).len())
            .sum::<usize>()
    });
    pairs.ask("the end of every table", |session| {
        let tables = Side::loaded(session).flat_map(|(side, metadata)| {
            metadata.tables.present().map(move |table| Place::Table(side, table.id)).collect::<Vec<_>>()
        });
        let window = |place: Place| {
            let rows = nodes::rows(session, place).unwrap();
            rows.window(rows.len.saturating_sub(40)..rows.len).map(|row| row.cells.len()).sum::<usize>()
        };
        tables.map(window).sum::<usize>()
    });
    pairs.ask("all methods, listed", |session| nodes::rows(session, Place::Methods).unwrap().iter().count());
    pairs.ask("all places", |session| nodes::rows(session, Place::Places).unwrap().iter().count());
    pairs.ask("the users of blobs", |session| {
        let heap = Side::Pdb.metadata(session).unwrap().heaps.blobs.len() as u32;
        let place = |offset| Place::HeapEntry(Side::Pdb, nodes::Heap::Blobs, offset);
        (1..heap).step_by(997).filter(|offset| nodes::fields(session, place(*offset)).is_some()).count()
    });
    pairs.ask("one method, as all of its parts", |session| {
        let method = Token::new(TableId::METHOD_DEF, session.methods() - 1);
        (
            MethodView::of(session, method).points.len(),
            nodes::fields(session, Place::Method(method)).map(|fields| fields.rows.len()),
        )
    });
    pairs.ask("a method by its name", |session| {
        let method = Token::new(TableId::METHOD_DEF, session.methods() / 2);
        nodes::resolve(session, &format!("method/{}", session.method_name(method)))
    });
}

#[test]
fn the_document_grows_with_the_pair() {
    let pairs = Pairs::of(2000);
    pairs.dump("dump");
}

#[test]
fn windows_pdbs_grow_the_same_way() {
    let pairs = Pairs::windows(1000);
    pairs.open_both("opening a Windows PDB");
    pairs.ask("all methods of a Windows PDB, listed", |session| {
        nodes::rows(session, Place::Methods).unwrap().iter().count()
    });
    pairs.ask("all places of a Windows PDB", |session| nodes::rows(session, Place::Places).unwrap().iter().count());
    pairs.dump("dump of a Windows PDB");
}

/// A metadata root with so many streams that are longer than the file.
pub(super) fn long_streams(count: u32) -> Vec<u8> {
    let mut bytes = b"BSJB\x01\0\x01\0\0\0\0\0\x0c\0\0\0PDB v1.0\0\0\0\0\0\0".to_vec();
    bytes.extend_from_slice(&(count as u16).to_le_bytes());
    for _ in 0..count {
        bytes.extend_from_slice(b"\0\0\0\0\0\0\0\x40\0\0\0\0");
    }
    bytes
}

/// A `.mdb` of so many methods, all with the same points, local variables and scopes, ten times as many.
pub(super) fn shared_lists(methods: u32) -> Vec<u8> {
    mdb_of(methods, 10 * methods)
}

/// A `.mdb` whose methods have the same points, local variables and scopes.
pub(super) fn mdb_of(methods: u32, rows: u32) -> Vec<u8> {
    let seven_bit = |bytes: &mut Vec<u8>, mut number: u32| {
        while number > 0x7f {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
    };
    let mut data = vec![0; 112];
    let lines = data.len() as u32;
    data.extend(std::iter::repeat_n(0x13, rows as usize).chain([0, 1, 1]));
    let locals = data.len() as u32;
    seven_bit(&mut data, rows);
    data.extend(std::iter::repeat_n(0, 3 * rows as usize));
    let blocks = data.len() as u32;
    seven_bit(&mut data, rows);
    data.extend(std::iter::repeat_n(1, 4 * rows as usize));
    let record = data.len() as u32;
    for number in [1, locals, 0, blocks, 0, 0, 0] {
        seven_bit(&mut data, number);
    }
    let table = data.len() as u32;
    let row = |method| [0x0600_0001 + method, record, lines];
    data.extend((0..methods).flat_map(row).flat_map(u32::to_le_bytes));
    let len = data.len() as u32;
    let header = [0xfd7f_a614, 0x45e8_2623, 50, 0, 1, 2, 3, 4, len, 112, table - 112, 0, 0, 0, 0, 0, 0, methods, table];
    let header = header.into_iter().chain([12 * methods, 0, 0, 0, 0, u32::MAX, 8, 9, 0]);
    data.splice(..112, header.flat_map(u32::to_le_bytes));
    data
}

#[test]
fn streams_of_metadata_are_listed_up_to_a_limit() {
    let pairs = Pairs::hostile("Streams.pdb", 6500, long_streams);
    pairs.open_both("opening streams without end");
    pairs.one_finding("streams: 64744 left out, because at most 256 are read");
}

#[test]
fn methods_that_share_their_data_cost_as_much_as_the_file() {
    let pairs = Pairs::hostile("Shared.exe.mdb", 40, shared_lists);
    pairs.open_both("opening shared lists");
    pairs.ask("coverage of shared lists", coverage);
    pairs.ask("methods of shared lists", |session| nodes::rows(session, Place::Methods).unwrap().iter().count());
    pairs.one_finding("methods that share data: 396 left out, because at most 4 are read");
}

//! Time grows with the size of a pair, and not with its square.
//!
//! Each question is put to two pairs, one with ten times the methods of the other. The bound on the ratio is generous: quadratic work
//! takes a hundred times as long. Each time is the best of several; where the bound is exceeded, both are measured again, since more
//! runs come nearer to the true times. Work of one thread is measured in processor time, which other processes hardly influence; work
//! that is shared by several threads in elapsed time.

use pdblens::nodes;
use pdblens::nodes::Side;
use pdblens::nodes::method::MethodView;
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

/// The files of a pair.
type Files = [(&'static str, Vec<u8>); 2];

struct Pairs {
    small: Files,
    large: Files,
}

impl Pairs {
    fn of(methods: u32) -> Self {
        let pair = |methods| {
            let Pair { image, pdb, .. } = Recipe::of(methods).pair();
            [("Synth.dll", image), ("Synth.pdb", pdb)]
        };
        Self { small: pair(methods), large: pair(10 * methods) }
    }

    /// With Windows PDBs.
    fn windows(methods: u32) -> Self {
        let pair = |methods| {
            let recipe = Recipe::of(methods);
            [("Synth.dll", recipe.pair().image), ("Synth.pdb", recipe.windows(4096))]
        };
        Self { small: pair(methods), large: pair(10 * methods) }
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
    let pairs = |large: bool| {
        let count = if large { 5_000_u64 } else { 500 };
        let sum = |a: u64| (0..count).map(|b| std::hint::black_box(a ^ b)).sum::<u64>();
        (0..count).map(sum).sum::<u64>()
    };
    assert_grows("pairs of numbers", of_thread, pairs);
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

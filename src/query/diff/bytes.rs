//! Bytes that differ between two builds, each run with its owner: the answer to why two builds are not identical.

use crate::bytes::{SpaceId, Span};
use crate::nodes;
use crate::nodes::{Heap, Place, Side};
use crate::query::owner::owner_at;
use crate::session::Session;
use crate::text::safe::spaced_hex;

/// Limit on the runs that are listed; the others are counted.
const MAX_RUNS: usize = 10_000;

/// Consecutive bytes of one owner, some of which differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteRun {
    /// Name of the file in the first build.
    pub file: String,
    /// First byte that differs, and the number of bytes up to the last one that does.
    pub span: Span,
    /// Innermost owner of the first byte, in the first build.
    pub place: Place,
    /// Field or role of the bytes there: `time date stamp`, `MVID`; empty if none is known.
    pub field: String,
    /// The bytes of both builds, at most eight.
    pub before: String,
    /// Those of the second.
    pub after: String,
}

/// Bytes of one file of two builds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileBytes {
    /// Name of the file in the first build.
    pub file: String,
    /// Sizes in both.
    pub sizes: [u64; 2],
    /// Number of bytes that differ at the same offset; those that only one build has included.
    pub differing: u64,
}

/// Comparison byte by byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByteDiff {
    /// Image and symbols, where both builds have them.
    pub files: Vec<FileBytes>,
    /// Runs in the order of their offsets.
    pub runs: Vec<ByteRun>,
    /// Number of runs that are not listed.
    pub more: u64,
}

impl ByteDiff {
    /// Returns whether every byte of every file is the same in both builds.
    pub fn is_identical(&self) -> bool {
        self.files.iter().all(|file| file.differing == 0)
    }

    /// Number of bytes that differ.
    pub fn differing(&self) -> u64 {
        self.files.iter().map(|file| file.differing).sum()
    }
}

/// Spaces of the files of a session: the image, and the symbols that are not inside it.
fn files(session: &Session) -> [Option<(SpaceId, String)>; 2] {
    let symbols = session.symbol_file().map(|file| (file.space, file.name.clone()));
    [session.image().map(|image| (image.space, image.name.clone())), symbols]
}

/// Compares the bytes of two builds. With `attribute` each run gets its owner, which takes a search a run.
pub fn bytes(a: &Session, b: &Session, attribute: bool) -> ByteDiff {
    let mut diff = ByteDiff::default();
    for (before, after) in files(a).into_iter().zip(files(b)) {
        let (Some((space, name)), Some((other, _))) = (before, after) else { continue };
        let (Ok(one), Ok(two)) = (a.spaces().region(space), b.spaces().region(other)) else { continue };
        let (one, two) = (one.bytes(), two.bytes());
        let common = one.iter().zip(two).filter(|(a, b)| a != b).count() as u64;
        let differing = common + (one.len() as u64).abs_diff(two.len() as u64);
        diff.files.push(FileBytes { file: name.clone(), sizes: [one.len() as u64, two.len() as u64], differing });
        if attribute {
            runs(a, (space, &name), one, two, &mut diff);
        }
    }
    diff
}

/// Finds the runs of one file and their owners.
fn runs(session: &Session, (space, name): (SpaceId, &str), one: &[u8], two: &[u8], diff: &mut ByteDiff) {
    let common = one.len().min(two.len());
    let differs = |at: &usize| one.get(*at) != two.get(*at);
    let mut at = 0;
    while let Some(start) = (at..common).find(differs) {
        // Equal bytes inside a run that are fewer than a number's do not end it.
        let mut end = start + 1;
        while let Some(next) = (end..common.min(end + 4)).find(differs) {
            end = next + 1;
        }
        at = end;
        if diff.runs.len() == MAX_RUNS {
            diff.more += 1;
            continue;
        }
        let found = owner_at(session, space, start as u64, None);
        let Some(owner) = found.owners.first().copied() else { continue };
        // A run ends with its owner, if that is of the file itself and not of a stream in it.
        let is_here = found.byte.space == space && owner.span.space == space;
        let limit = if is_here { (owner.span.end() as usize).clamp(start + 1, end) } else { end };
        let last = (start..limit).rev().find(differs).unwrap_or(start);
        at = limit;
        let shown = |bytes: &[u8]| spaced_hex(bytes.get(start..=last).unwrap_or_default(), 8);
        diff.runs.push(ByteRun {
            file: name.to_owned(),
            span: Span::new(space, start as u64, (last + 1 - start) as u64),
            place: owner.place,
            field: field(session, owner.place, found.byte),
            before: shown(one),
            after: shown(two),
        });
    }
}

/// Name of the field of `place` that has a byte.
fn field(session: &Session, place: Place, byte: Span) -> String {
    if place == Place::HeapEntry(Side::Image, Heap::Guids, 1) {
        return "MVID".to_owned();
    }
    let Some(fields) = nodes::fields(session, place) else { return String::new() };
    let has = |span: Span| span.space == byte.space && span.start <= byte.start && byte.start < span.end();
    let rows = fields.rows.iter().filter(|row| !row.group && has(row.span));
    rows.min_by_key(|row| row.span.len).map(|row| row.name.clone()).unwrap_or_default()
}

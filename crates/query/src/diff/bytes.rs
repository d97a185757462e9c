//! Bytes that differ between two builds, each run with its owner: the answer to why two builds are not identical.

use super::align::Gap;
use super::pairing::gaps_of_parts;
use super::parts::FileParts;
use super::streams::gaps_of_streams;
use crate::owner::owner_at;
use pdblens_formats::bytes::{SpaceId, Span};
use pdblens_nodes as nodes;
use pdblens_nodes::pe::layout::layout_index;
use pdblens_nodes::{Heap, Place, build_index};
use pdblens_session::session::Session;
use pdblens_session::text::safe::spaced_hex;

/// Limit on the runs that are listed; the others are counted.
const MAX_RUNS: usize = 10_000;

/// Consecutive bytes of one owner, some of which differ.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "diff_run"))]
pub struct ByteRun {
    /// Name of the file in the first build.
    pub file: String,
    /// First byte that differs, and the number of bytes up to the last one that does: in the first build, or in the second where only
    /// that has them.
    pub span: Span,
    /// Offset of the first byte in the second build, where both have it.
    #[serde(rename = "second_offset", skip_serializing_if = "Option::is_none")]
    pub second: Option<u64>,
    /// Innermost owner of the first byte, in the build that has it; in the first where both do.
    pub place: Place,
    /// Field or role of the bytes there: `time date stamp`, `MVID`; empty if none is known.
    pub field: String,
    /// The bytes of both builds, at most eight; empty in the build that does not have them.
    pub before: String,
    /// Those of the second.
    pub after: String,
    /// Number of bytes of each build: they differ where bytes were inserted or left out.
    pub sizes: [u64; 2],
}

/// Bytes of one file of two builds.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "diff_file"))]
pub struct FileBytes {
    /// Name of the file in the first build.
    pub file: String,
    /// Sizes in both.
    pub sizes: [u64; 2],
    /// True if bytes were compared part by part, and not at the same offsets.
    #[serde(rename = "aligned")]
    pub is_aligned: bool,
    /// Number of bytes that differ, after what one build has more is set aside, and of those that only one build has.
    pub differing: u64,
}

/// Comparison byte by byte.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "byte_diff"))]
pub struct ByteDiff {
    /// Image and symbols, where both builds have them.
    pub files: Vec<FileBytes>,
    /// Runs in the order of their offsets.
    pub runs: Vec<ByteRun>,
    /// Number of runs that are not listed.
    pub more: u64,
}

impl ByteDiff {
    pub fn is_identical(&self) -> bool {
        self.files.iter().all(|file| file.differing == 0)
    }

    pub fn differing(&self) -> u64 {
        self.files.iter().map(|file| file.differing).sum()
    }
}

/// Spaces of the files of a session: the image, and the symbols that are not inside it.
fn files(session: &Session) -> [Option<(SpaceId, String)>; 2] {
    let symbols = session.symbol_file().map(|file| (file.space, file.name.clone()));
    [session.image().map(|image| (image.space, image.name.clone())), symbols]
}

/// Returns true if both builds have the same files, and every byte of them is the same.
pub(super) fn are_identical(a: &Session, b: &Session) -> bool {
    files(a).into_iter().zip(files(b)).all(|pair| match pair {
        (None, None) => true,
        (Some((one, _)), Some((two, _))) => match (a.spaces().region(one), b.spaces().region(two)) {
            (Ok(one), Ok(two)) => one.bytes() == two.bytes(),
            _ => false,
        },
        _ => false,
    })
}

/// Compares the bytes of two builds. With `attribute`, each run gets its owner, at the cost of a search per run.
pub fn bytes(a: &Session, b: &Session, attribute: bool) -> ByteDiff {
    let mut diff = ByteDiff::default();
    for (before, after) in files(a).into_iter().zip(files(b)) {
        let (Some((space, name)), Some((other, _))) = (before, after) else { continue };
        let (Ok(one), Ok(two)) = (a.spaces().region(space), b.spaces().region(other)) else { continue };
        let (one, two) = (one.bytes(), two.bytes());
        let mut file = FileBytes { file: name, sizes: [one.len() as u64, two.len() as u64], ..FileBytes::default() };
        let mut gaps = Vec::new();
        if one != two {
            let is_symbols = a.symbol_file().is_some_and(|file| file.space == space);
            let by_stream = if is_symbols { gaps_of_streams(a, b, one, two) } else { None };
            gaps = by_stream
                .unwrap_or_else(|| gaps_of_parts(&FileParts::of(a, space, one), &FileParts::of(b, other, two)));
            // Parts in another order, each of them the same: the files are not.
            if gaps.iter().all(|gap| gap.differing(one, two) == 0) {
                gaps = vec![Gap { first: 0..one.len(), second: 0..two.len() }];
            }
        }
        if attribute && !gaps.is_empty() {
            // Every run asks for its owner: a layout that was not made is searched for method by method each time.
            build_index(a, layout_index());
            build_index(b, layout_index());
        }
        let from = diff.runs.len();
        for Gap { first, second } in gaps {
            file.is_aligned |= first.start != second.start || first.len() != second.len();
            let common = first.len().min(second.len());
            let sides = [(a, space, one, first), (b, other, two, second)];
            let [same, more] = [0..common, common..usize::MAX].map(|part| {
                sides.each_ref().map(|(session, space, bytes, range)| Side {
                    session,
                    space: *space,
                    at: range.start + part.start.min(range.len()),
                    bytes: bytes
                        .get(range.clone())
                        .and_then(|bytes| bytes.get(part.start..part.end.min(bytes.len())))
                        .unwrap_or_default(),
                })
            });
            let longer: u64 = more.iter().map(|side| side.bytes.len() as u64).sum();
            file.differing = file.differing + differing(&same) + longer;
            if attribute {
                runs(&same, &file.file, &mut diff);
                more.iter().enumerate().for_each(|(build, side)| only(side, build, &file.file, &mut diff));
            }
        }
        if let Some(own) = diff.runs.get_mut(from..) {
            own.sort_by_key(|run| run.span.start);
        }
        diff.files.push(file);
    }
    diff
}

/// Stretch of a file of one build.
struct Side<'s> {
    session: &'s Session,
    space: SpaceId,
    /// Its offset in the file.
    at: usize,
    bytes: &'s [u8],
}

/// Number of bytes that differ at the same position of two stretches.
fn differing([one, two]: &[Side<'_>; 2]) -> u64 {
    one.bytes.iter().zip(two.bytes).filter(|(a, b)| a != b).count() as u64
}

/// Finds the runs of two stretches of one length and their owners.
fn runs([first, second]: &[Side<'_>; 2], name: &str, diff: &mut ByteDiff) {
    let (one, two) = (first.bytes, second.bytes);
    let differs = |at: &usize| one.get(*at) != two.get(*at);
    let mut at = 0;
    while let Some(start) = (at..one.len()).find(differs) {
        // Equal bytes inside a run that are fewer than a number's do not end it.
        let mut end = start + 1;
        while let Some(next) = (end..one.len().min(end + 4)).find(differs) {
            end = next + 1;
        }
        at = end;
        if diff.runs.len() == MAX_RUNS {
            diff.more += 1;
            continue;
        }
        let found = owner_at(first.session, first.space, (first.at + start) as u64, None);
        let Some(owner) = found.owners.first().copied() else { continue };
        // A run ends with its owner, if that is of the file itself and not of a stream in it.
        let is_here = found.byte.space == first.space && owner.span.space == first.space;
        let own = (owner.span.end() as usize).saturating_sub(first.at);
        let limit = if is_here { own.clamp(start + 1, end) } else { end };
        let last = (start..limit).rev().find(differs).unwrap_or(start);
        at = limit;
        let shown = |bytes: &[u8]| spaced_hex(bytes.get(start..=last).unwrap_or_default(), 8);
        let len = (last + 1 - start) as u64;
        diff.runs.push(ByteRun {
            file: name.to_owned(),
            span: Span::new(first.space, (first.at + start) as u64, len),
            second: Some((second.at + start) as u64),
            place: owner.place,
            field: field(first.session, owner.place, found.byte),
            before: shown(one),
            after: shown(two),
            sizes: [len; 2],
        });
    }
}

/// Smallest page of an MSF file: where the owner is in a stream, its bytes in the file go that far at least.
const PAGE: usize = 512;

/// Adds the runs of a stretch that only one build has, 0 the first and 1 the second, owner by owner.
fn only(side: &Side<'_>, build: usize, name: &str, diff: &mut ByteDiff) {
    let (bytes, mut at, from) = (side.bytes, 0_usize, diff.runs.len());
    while at < bytes.len() {
        if diff.runs.len() >= MAX_RUNS {
            diff.more += 1;
            return;
        }
        let offset = side.at + at;
        let found = owner_at(side.session, side.space, offset as u64, None);
        let Some(owner) = found.owners.first().copied() else { return };
        let left = (owner.span.end().saturating_sub(found.byte.start) as usize).max(1);
        let in_page = if found.byte.space == side.space { usize::MAX } else { PAGE - offset % PAGE };
        let len = left.min(in_page).min(bytes.len() - at);
        let shown = spaced_hex(bytes.get(at..at + len).unwrap_or_default(), 8);
        at += len;
        // Pages of one owner that follow each other are one run.
        if let Some(last) = diff.runs.get_mut(from..).and_then(<[ByteRun]>::last_mut)
            && last.place == owner.place
        {
            last.span.len += len as u64;
            last.sizes[build] += len as u64;
            continue;
        }
        let (mut sizes, mut shown_in) = ([0; 2], [String::new(), String::new()]);
        (sizes[build], shown_in[build]) = (len as u64, shown);
        let [before, after] = shown_in;
        diff.runs.push(ByteRun {
            file: name.to_owned(),
            span: Span::new(side.space, offset as u64, len as u64),
            second: None,
            place: owner.place,
            field: field(side.session, owner.place, found.byte),
            before,
            after,
            sizes,
        });
    }
}

fn field(session: &Session, place: Place, byte: Span) -> String {
    if place == Place::HeapEntry(nodes::Side::Image, Heap::Guids, 1) {
        return "MVID".to_owned();
    }
    let Some(fields) = nodes::fields(session, place) else { return String::new() };
    let has = |span: Span| span.space == byte.space && span.start <= byte.start && byte.start < span.end();
    let rows = fields.rows.iter().filter(|row| !row.group && has(row.span));
    rows.min_by_key(|row| row.span.len).map(|row| row.name.clone()).unwrap_or_default()
}

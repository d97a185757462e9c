//! Inputs of the exercises: fixed ones, and those that a pair of files has.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{EXERCISES, Exercise};
use crate::codec::parse_hex;
use crate::lesson::samples;
use pdblens_formats::bytes::Span;
use pdblens_formats::metadata::TableId;
use pdblens_nodes::{PePart, Place};
use pdblens_session::session::Session;

const MAX_FILE: u64 = 1 << 20;
/// Methods of a file whose points are inputs: those with the longest blobs.
const MAX_BLOBS: usize = 4;
const MAX_READS: usize = 50_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExerciseCase {
    pub exercise: &'static str,
    /// Name of the case, which is that of its file without the extension.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// A case of `cases.toml`.
#[derive(Deserialize)]
struct FixedCase {
    exercise: String,
    name: String,
    hex: String,
}

pub fn built_in() -> Vec<ExerciseCase> {
    static FIXED: LazyLock<Vec<FixedCase>> = LazyLock::new(|| {
        let text = include_str!("../../assets/course/cases.toml");
        let mut table: std::collections::HashMap<String, Vec<FixedCase>> = toml::from_str(text).unwrap_or_default();
        table.remove("case").unwrap_or_default()
    });
    let fixed = FIXED.iter().filter_map(|case| {
        let exercise = super::named(&case.exercise)?.name;
        Some(ExerciseCase { exercise, name: case.name.clone(), bytes: parse_hex(&case.hex).ok()? })
    });
    let samples = samples::BUILT_IN.iter().zip((0..).map_while(samples::session));
    let samples = samples.flat_map(|(sample, session)| named_cases(session, sample.folder));
    let mut found: Vec<ExerciseCase> = fixed.chain(samples).collect();
    found.sort_by_key(|case| EXERCISES.iter().position(|exercise| exercise.name == case.exercise));
    found
}

/// Cases that the files of a session have; their names begin with `own`.
pub fn of_session(session: &Session) -> Vec<ExerciseCase> {
    let name = session.paths().first().and_then(|path| path.file_stem()).map(ToOwned::to_owned).unwrap_or_default();
    let name = name.to_string_lossy().to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    named_cases(session, &format!("own-{name}"))
}

fn named_cases(session: &Session, name: &str) -> Vec<ExerciseCase> {
    let mut found = Vec::new();
    let mut add = |exercise: &Exercise, name: String, bytes: &[u8]| {
        let answer = exercise.answer(bytes);
        let reads: usize = answer.records.iter().map(|steps| steps.list.len()).sum();
        if answer.refusal.is_none() && reads < MAX_READS {
            found.push(ExerciseCase { exercise: exercise.name, name, bytes: bytes.to_vec() });
        }
    };
    let entries = session.image().map_or(0, |image| image.pe.debug.len());
    for entry in 0..entries {
        let steps = crate::steps(session, Place::PePart(PePart::Debug(entry as u16)));
        let record = steps.iter().flat_map(|steps| &steps.list).filter(|step| step.record == "codeview");
        let bytes: Vec<u8> = record.flat_map(|step| step.bytes.clone()).collect();
        if let Some(exercise) = super::named("rsds").filter(|_| !bytes.is_empty()) {
            add(exercise, name.to_owned(), &bytes);
        }
    }
    let file = whole_file(session).unwrap_or_default();
    let is_of = if session.portable_pdb().is_some() { InputKind::Portable } else { InputKind::Msf };
    for exercise in EXERCISES.iter().filter(|exercise| exercise.input == is_of && !file.is_empty()) {
        add(exercise, name.to_owned(), &file);
    }
    if let Some(exercise) = super::named("points") {
        for (row, blob) in longest_blobs(session) {
            add(exercise, format!("{name}-method-{row}"), &blob);
        }
    }
    found
}

fn whole_file(session: &Session) -> Option<Vec<u8>> {
    let space = session.symbol_file()?.space;
    let len = session.spaces().get(space)?.len();
    if len > MAX_FILE {
        return None;
    }
    Some(session.spaces().read(Span::new(space, 0, len)).ok()?.to_vec())
}

/// The longest blobs of sequence points without a document, with the rows of their methods.
fn longest_blobs(session: &Session) -> Vec<(u32, Vec<u8>)> {
    let Some(pdb) = session.portable_pdb() else { return Vec::new() };
    let methods = pdb.metadata.rows(TableId::METHOD_DEBUG_INFORMATION);
    let blob =
        |row| pdb.points_blob(row).ok().flatten().filter(|(document, _)| *document > 0).map(|(_, blob)| (row, blob));
    let mut blobs: Vec<_> = (1..=methods).filter_map(blob).collect();
    blobs.sort_by_key(|(row, blob)| (std::cmp::Reverse(blob.len()), *row));
    let mut seen = BTreeSet::new();
    blobs.retain(|(_, blob)| seen.insert(blob.data));
    blobs.into_iter().take(MAX_BLOBS).map(|(row, blob)| (row, blob.data.to_vec())).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    Bytes,
    Portable,
    Msf,
}

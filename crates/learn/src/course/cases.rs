//! Inputs of the exercises: fixed ones, and those that a pair of files has.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::native::{self, MAX_FUNCTIONS};
use super::readers::method_name;
use super::{EXERCISES, ExpectedAnswer};
use crate::Steps;
use crate::codec::parse_hex;
use crate::lesson::samples;
use crate::question::faults;
use pdblens_formats::bytes::{SpaceId, Span};
use pdblens_formats::metadata::TableId;
use pdblens_formats::pdb::ModuleStream;
use pdblens_nodes::{PePart, Place, R2rPart, Token};
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
    /// Reason for the case: what it tests.
    pub why: String,
    pub result: CaseResult,
    pub bytes: Vec<u8>,
}

/// Result of reading an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CaseResult {
    /// The answer.
    #[default]
    Valid,
    /// An error.
    Invalid,
    /// Either of them: the input is against a limit, and can be read.
    Acceptable,
}

/// A case of `cases.toml`.
#[derive(Deserialize)]
struct FixedCase {
    exercises: Vec<String>,
    name: String,
    why: String,
    #[serde(default)]
    result: CaseResult,
    #[serde(default)]
    hex: String,
    /// Offsets and bytes between zeros, of an input of `length` bytes.
    #[serde(default)]
    pieces: Vec<(usize, String)>,
    #[serde(default)]
    length: usize,
    /// Fault whose PDB is the input.
    fault: Option<String>,
}

impl FixedCase {
    fn bytes(&self) -> Option<Vec<u8>> {
        if let Some(fault) = &self.fault {
            let [_, (_, pdb)] = faults::named(fault)?.pair()?.files;
            return Some(pdb);
        }
        let mut bytes = parse_hex(&self.hex).ok()?;
        bytes.resize(bytes.len().max(self.length), 0);
        for (at, piece) in &self.pieces {
            let piece = parse_hex(piece).ok()?;
            bytes.get_mut(*at..)?.get_mut(..piece.len())?.copy_from_slice(&piece);
        }
        Some(bytes)
    }

    /// The case in each of its exercises.
    fn cases(&self) -> impl Iterator<Item = ExerciseCase> {
        let bytes = self.bytes();
        self.exercises.iter().filter_map(move |exercise| {
            let exercise = super::named(exercise)?.name;
            let (name, why, result) = (self.name.clone(), self.why.clone(), self.result);
            Some(ExerciseCase { exercise, name, why, result, bytes: bytes.clone()? })
        })
    }
}

impl ExerciseCase {
    pub fn answer(&self) -> ExpectedAnswer {
        let answer = super::named(self.exercise).map(|exercise| exercise.answer(&self.bytes));
        ExpectedAnswer { may_be_refused: self.result == CaseResult::Acceptable, ..answer.unwrap_or_default() }
    }
}

pub fn built_in() -> Vec<ExerciseCase> {
    static FIXED: LazyLock<Vec<FixedCase>> = LazyLock::new(|| {
        let text = include_str!("../../assets/course/cases.toml");
        let mut table: std::collections::HashMap<String, Vec<FixedCase>> = toml::from_str(text).unwrap_or_default();
        table.remove("case").unwrap_or_default()
    });
    let samples = samples::BUILT_IN.iter().zip((0..).map_while(samples::session));
    let samples = samples
        .flat_map(|(sample, session)| named_cases(session, sample.folder, &format!("the sample {}", sample.name)));
    let mut found: Vec<ExerciseCase> = FIXED.iter().flat_map(FixedCase::cases).chain(samples).collect();
    found.sort_by_key(|case| EXERCISES.iter().position(|exercise| exercise.name == case.exercise));
    found
}

/// Cases that the files of a session have; their names begin with `own`.
pub fn of_session(session: &Session) -> Vec<ExerciseCase> {
    let name = session.paths().first().and_then(|path| path.file_stem()).map(ToOwned::to_owned).unwrap_or_default();
    let name = name.to_string_lossy().to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    named_cases(session, &format!("own-{name}"), "a file of yours")
}

fn named_cases(session: &Session, name: &str, why: &str) -> Vec<ExerciseCase> {
    let mut found = Vec::new();
    let mut add = |exercise: &str, name: String, bytes: &[u8]| {
        let Some(exercise) = super::named(exercise) else { return };
        let answer = exercise.answer(bytes);
        let reads: usize = answer.records.iter().map(|steps| steps.list.len()).sum();
        if answer.refusal.is_none() && reads < MAX_READS {
            let (exercise, why, result) = (exercise.name, why.to_owned(), CaseResult::Valid);
            found.push(ExerciseCase { exercise, name, why, result, bytes: bytes.to_vec() });
        }
    };
    let entries = session.image().map_or(0, |image| image.pe.debug.len());
    for entry in 0..entries {
        let steps = crate::steps(session, Place::PePart(PePart::Debug(entry as u16)));
        let record = steps.iter().flat_map(|steps| &steps.list).filter(|step| step.record == "codeview");
        let bytes: Vec<u8> = record.flat_map(|step| step.bytes.clone()).collect();
        if !bytes.is_empty() {
            add("rsds", name.to_owned(), &bytes);
        }
    }
    let file = session.symbol_file().and_then(|file| whole_file(session, file.space)).unwrap_or_default();
    let is_of = match (session.portable_pdb(), session.mdb()) {
        (Some(_), _) => InputKind::Portable,
        (None, Some(_)) => InputKind::Mdb,
        (None, None) => InputKind::Msf,
    };
    for exercise in EXERCISES.iter().filter(|exercise| exercise.input == is_of && !file.is_empty()) {
        add(exercise.name, name.to_owned(), &file);
    }
    if is_of == InputKind::Portable && !file.is_empty() {
        add("frames", name.to_owned(), &[frames(session, false).as_bytes(), b"\n", &file].concat());
        if let Some(image) = session.image().and_then(|image| whole_file(session, image.space)) {
            let head = format!("image {}\n{}\n", image.len(), frames(session, true));
            add("frames", format!("{name}-names"), &[head.as_bytes(), &file, &image].concat());
        }
    }
    for (row, blob) in longest_blobs(session, MAX_BLOBS) {
        add("points", format!("{name}-method-{row}"), &blob);
    }
    for (index, bounds) in bounds(session).into_iter().enumerate() {
        add("bounds", format!("{name}-{index}"), &bounds);
    }
    for module in modules(session) {
        let name = format!("{name}-module-{}", module.number);
        add("symbols", name.clone(), module.symbols().slice().data);
        if !module.c13().is_empty() {
            add("c13", name, module.c13().slice().data);
        }
    }
    if let Some(addresses) = native::addresses_in(session).filter(|_| !file.is_empty()) {
        add("addresses", name.to_owned(), &[addresses.as_bytes(), b"\n", &file].concat());
    }
    found
}

/// Frames in the methods with the longest blobs: at a point, inside its code, and behind it. With names, in all methods and in none.
fn frames(session: &Session, with_names: bool) -> String {
    let mut text = if with_names { "at Nowhere.None() +0x0\n".to_owned() } else { String::new() };
    let (methods, points_each, step) = if with_names { (usize::MAX, 2, 1) } else { (MAX_BLOBS, usize::MAX, 2) };
    for (row, blob) in longest_blobs(session, methods) {
        let method = Token::new(TableId::METHOD_DEF, row);
        let Some(named) = (if with_names { method_name(session, method) } else { Some(String::new()) }) else {
            continue;
        };
        let answer = super::named("points").map(|exercise| exercise.answer(&blob).json).unwrap_or_default();
        let points = answer["points"].as_array().map_or(&[][..], Vec::as_slice);
        for (index, point) in points.iter().step_by(step).take(points_each).enumerate() {
            let offset = point["offset"].as_u64().unwrap_or(0) + index as u64 % 2;
            let _ = match named.as_str() {
                "" => writeln!(text, "{method}+{offset:#x}"),
                named => writeln!(text, "at {named}() +{offset:#x}"),
            };
        }
    }
    text
}

fn whole_file(session: &Session, space: SpaceId) -> Option<Vec<u8>> {
    let len = session.spaces().get(space)?.len();
    if len > MAX_FILE {
        return None;
    }
    Some(session.spaces().read(Span::new(space, 0, len)).ok()?.to_vec())
}

/// Bounds of machine code, of the first methods that have some.
fn bounds(session: &Session) -> Vec<Vec<u8>> {
    let of = |index| crate::steps(session, Place::R2r(R2rPart::DebugInfo(index)));
    let is_packed = |steps: &Steps| steps.list.iter().any(|step| step.record == "bounds header");
    let all = (0..MAX_FUNCTIONS as u32).filter_map(of).filter(is_packed).take(MAX_BLOBS);
    let span = |steps: Steps| Some(steps.list.iter().find(|step| step.field.name == "bounds")?.field.span);
    all.filter_map(span).filter_map(|span| Some(session.spaces().read(span).ok()?.to_vec())).collect()
}

/// The first modules of a Windows PDB that have symbols.
fn modules(session: &Session) -> Vec<ModuleStream> {
    let Some(pdb) = session.windows_pdb() else { return Vec::new() };
    let read = |number| ModuleStream::read(pdb, session.spaces(), number as u32).ok();
    let all = (0..pdb.modules().len()).filter_map(read).filter(|module| !module.symbols().is_empty());
    all.take(MAX_BLOBS).collect()
}

/// The longest blobs of sequence points without a document, with the rows of their methods.
fn longest_blobs(session: &Session, most: usize) -> Vec<(u32, Vec<u8>)> {
    let Some(pdb) = session.portable_pdb() else { return Vec::new() };
    let methods = pdb.metadata.rows(TableId::METHOD_DEBUG_INFORMATION);
    let blob =
        |row| pdb.points_blob(row).ok().flatten().filter(|(document, _)| *document > 0).map(|(_, blob)| (row, blob));
    let mut blobs: Vec<_> = (1..=methods).filter_map(blob).collect();
    blobs.sort_by_key(|(row, blob)| (std::cmp::Reverse(blob.len()), *row));
    let mut seen = BTreeSet::new();
    blobs.retain(|(_, blob)| seen.insert(blob.data));
    blobs.into_iter().take(most).map(|(row, blob)| (row, blob.data.to_vec())).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    Bytes,
    Portable,
    Msf,
    /// An .mdb file.
    Mdb,
    /// Frames of a trace, a portable PDB, and the image where frames have names.
    Frames,
    /// Addresses, and a Windows PDB of native code.
    Addresses,
}

//! `pdblens gen corpus DIR`: the inputs of the course with their answers, as docs/corpus.md describes them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{cases, write};
use crate::cli::command::{Error, Exit, Out};
use crate::learn::course::{CaseResult, EXERCISES, reads_json};
use crate::learn::question::faults::{ChangedBytes, faults};
use crate::source::Extraction;
use crate::store::new_file::Existing;
use crate::text::safe::hex;

const FORMAT: u32 = 2;

/// Writes each input as `NAME/CASE.bin`, its answer and reads as `NAME/CASE.json`, and the list of all as `corpus.json`.
pub(in crate::cli) fn write_corpus(out: &mut Out, folder: &Path, files: &[PathBuf]) -> Result<Exit, Error> {
    let cases = cases(files)?;
    let extraction = Extraction::to(folder, Existing::Replace);
    let mut extraction = extraction.map_err(|error| Error::cannot_write(folder, &error))?;
    let text = |value: &Value| format!("{value:#}\n").into_bytes();
    let mut exercises = Vec::new();
    for exercise in &EXERCISES {
        let mut names = Vec::new();
        for case in cases.iter().filter(|case| case.exercise == exercise.name) {
            let answer = case.answer();
            if let (Some(reason), false) = (&answer.refusal, case.result == CaseResult::Invalid) {
                return Err(Error::Other(format!("{}/{}: {reason}", case.exercise, case.name)));
            }
            let records = answer.records.iter().map(|steps| json!({"title": steps.title, "reads": reads_json(steps)}));
            let records: Vec<Value> = records.collect();
            let json = json!({"why": case.why, "result": case.result, "answer": answer.json, "records": records});
            write(&mut extraction, exercise.name, &format!("{}.bin", case.name), &case.bytes)?;
            write(&mut extraction, exercise.name, &format!("{}.json", case.name), &text(&json))?;
            names.push(case.name.clone());
        }
        let (name, title, paragraph) = (exercise.name, exercise.title, exercise.paragraph);
        exercises.push(json!({"name": name, "title": title, "specification": paragraph, "cases": names}));
    }
    let version = env!("CARGO_PKG_VERSION");
    let gallery = write_gallery(&mut extraction)?;
    let list = json!({"format": FORMAT, "pdblens": version, "exercises": exercises, "gallery": gallery});
    write(&mut extraction, "", "corpus.json", &text(&list))?;
    let (inputs, pairs, folder) = (cases.len(), gallery.len(), folder.display());
    out.line(&format!("{inputs} inputs with their answers and {pairs} damaged pairs are in {folder}."))?;
    Ok(Exit::Done)
}

/// Writes the damaged pairs as `gallery/NAME/FILE`, and returns the list of their faults.
fn write_gallery(extraction: &mut Extraction) -> Result<Vec<Value>, Error> {
    let mut list = Vec::new();
    for fault in faults() {
        let Some(pair) = fault.pair() else { continue };
        for (name, bytes) in &pair.files {
            write(extraction, &format!("gallery/{}", fault.name), name, bytes)?;
        }
        let change = |change: &ChangedBytes| {
            let (before, after) = (hex(&change.before), hex(&change.after));
            json!({"file": change.file, "offset": change.offset, "before": before, "after": after})
        };
        let changes: Vec<Value> = pair.changes.iter().map(change).collect();
        let files = pair.files.map(|(name, _)| name);
        let (name, sentence, rules) = (&fault.name, &fault.sentence, &fault.rules);
        list.push(json!({"name": name, "fault": sentence, "rules": rules, "files": files, "changes": changes}));
    }
    Ok(list)
}

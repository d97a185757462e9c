//! `pdblens gen corpus DIR`: the inputs of the course with their answers, as docs/corpus.md describes them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{cases, write};
use crate::cli::command::{Error, Exit, Out};
use crate::learn::course::{EXERCISES, reads_json};
use crate::source::Extraction;
use crate::store::new_file::Existing;

const FORMAT: u32 = 1;

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
            let answer = exercise.answer(&case.bytes);
            let records = answer.records.iter().map(|steps| json!({"title": steps.title, "reads": reads_json(steps)}));
            let records: Vec<Value> = records.collect();
            let json = json!({"answer": answer.json, "records": records});
            write(&mut extraction, exercise.name, &format!("{}.bin", case.name), &case.bytes)?;
            write(&mut extraction, exercise.name, &format!("{}.json", case.name), &text(&json))?;
            names.push(case.name.clone());
        }
        let (name, title, paragraph) = (exercise.name, exercise.title, exercise.paragraph);
        exercises.push(json!({"name": name, "title": title, "specification": paragraph, "cases": names}));
    }
    let version = env!("CARGO_PKG_VERSION");
    let list = json!({"format": FORMAT, "pdblens": version, "exercises": exercises});
    write(&mut extraction, "", "corpus.json", &text(&list))?;
    out.line(&format!("{} inputs with their answers are in {}.", cases.len(), folder.display()))?;
    Ok(Exit::Done)
}

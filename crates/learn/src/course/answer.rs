//! Answers: the JSON of an input, each value of it with the read that it comes from.

use serde_json::{Map, Value};

use super::widths::Counts;
use crate::{Step, Steps};

/// Index of a record in [`ExpectedAnswer::records`], and that of a step in it.
pub(crate) type ReadAt = (usize, usize);

#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    /// Path in the JSON: `points/3/endColumn`.
    pub(crate) path: String,
    /// Path of a number that is subtracted first, so that a wrong start is not told twice.
    pub(crate) minus: Option<String>,
    pub(crate) value: Value,
    /// The read that it comes from; `None` for a value that follows from several.
    pub(crate) read: Option<ReadAt>,
}

#[derive(Clone, Debug, Default)]
pub struct ExpectedAnswer {
    /// The JSON that a reader prints; `{"error": …}` for an input that it refuses.
    pub json: Value,
    pub records: Vec<Steps>,
    /// Values in the order in which they are read.
    pub(crate) leaves: Vec<Leaf>,
    pub refusal: Option<String>,
    /// True if a reader may refuse the input too.
    pub may_be_refused: bool,
    /// Row counts and heap sizes, where the answer is about the widths of columns.
    pub(super) counts: Option<Counts>,
}

impl ExpectedAnswer {
    pub(super) fn refused(reason: String, records: Vec<Steps>) -> Self {
        let json = serde_json::json!({ "error": reason });
        Self { json, records, refusal: Some(reason), ..Self::default() }
    }

    pub(super) fn record(&mut self, steps: Steps) -> usize {
        self.records.push(steps);
        self.records.len() - 1
    }

    pub(super) fn put(&mut self, path: String, value: impl Into<Value>, read: Option<ReadAt>) {
        let value = value.into();
        *slot(&mut self.json, &path) = value.clone();
        self.leaves.push(Leaf { path, minus: None, value, read });
    }

    /// Adds a number that is compared as the distance from another.
    pub(super) fn distance(&mut self, path: String, from: String, value: i64, read: Option<ReadAt>) {
        self.leaves.push(Leaf { path, minus: Some(from), value: value.into(), read });
    }

    /// Adds a value that follows from others, or an empty list.
    pub(super) fn set(&mut self, path: &str, value: impl Into<Value>) {
        *slot(&mut self.json, path) = value.into();
    }

    pub(crate) fn read(&self, (record, step): ReadAt) -> Option<(&Steps, &Step)> {
        let steps = self.records.get(record)?;
        Some((steps, steps.list.get(step)?))
    }

    pub(super) fn at(&self, path: &str) -> Option<&Value> {
        self.json.pointer(&format!("/{path}"))
    }

    pub(super) fn number_at(&self, path: &str) -> Option<i64> {
        self.at(path)?.as_i64()
    }
}

/// The value at a path, which is made if it is not there: a number in the path is an index of a list.
fn slot<'v>(root: &'v mut Value, path: &str) -> &'v mut Value {
    path.split('/').fold(root, |value, step| match step.parse::<usize>() {
        Ok(index) => {
            if !value.is_array() {
                *value = Value::Array(Vec::new());
            }
            let list = value.as_array_mut().expect("made above");
            list.resize(list.len().max(index + 1), Value::Null);
            &mut list[index]
        }
        Err(_) => {
            if !value.is_object() {
                *value = Value::Object(Map::new());
            }
            value.as_object_mut().expect("made above").entry(step).or_insert(Value::Null)
        }
    })
}

/// A path as people write it: `points[3].endColumn`.
pub(super) fn shown(path: &str) -> String {
    let mut text = String::new();
    for step in path.split('/') {
        if step.bytes().all(|byte| byte.is_ascii_digit()) {
            text.extend(["[", step, "]"]);
        } else {
            text.push_str(if text.is_empty() { "" } else { "." });
            text.push_str(step);
        }
    }
    text
}

//! The reads of another reader, as JSON, beside the steps of a record.

use serde_json::{Map, Value, json};

use super::answer::ExpectedAnswer;
use super::readers::add_points;
use crate::{Step, Steps};
use pdblens_session::text::safe::hex;

/// The answer that the JSON of another reader is compared with, and that JSON in the same form; `None` where it has no reads, or one
/// with nothing to compare.
///
/// The JSON is a list of reads, an object with the list in `steps` or `reads`, or one with `points`. Of a read the members `offset`,
/// `bytes`, `raw` and `value` are compared, those that it has. Offsets that begin at 0 count from the start of the record.
pub fn expected_reads(steps: Steps, given: &Value) -> Option<(ExpectedAnswer, Value)> {
    let mut answer = ExpectedAnswer::default();
    if given.get("points").is_some_and(Value::is_array) {
        let record = answer.record(steps);
        add_points(&mut answer, record, "", None);
        return Some((answer, given.clone()));
    }
    let list =
        given.as_array().or_else(|| given.get("steps")?.as_array()).or_else(|| given.get("reads")?.as_array())?;
    let is_read = |read: &&Value| read.get("group") != Some(&Value::Bool(true));
    let mut given: Vec<Map<String, Value>> = list.iter().filter(is_read).map(members).collect();
    if given.iter().any(Map::is_empty) {
        return None;
    }
    let first = steps.reads().next().map_or(0, |step| step.field.span.start);
    let is_relative = first > 0 && given.first().and_then(|read| read.get("offset")) == Some(&Value::from(0));
    if is_relative {
        for offset in given.iter_mut().filter_map(|read| read.get_mut("offset")) {
            *offset = offset.as_u64().map_or(Value::Null, |offset| offset.saturating_add(first).into());
        }
    }
    let list = steps.list.clone();
    let record = answer.record(steps);
    answer.set("reads", json!([]));
    for (index, (at, step)) in list.iter().enumerate().filter(|(_, step)| !step.field.group).enumerate() {
        let path = |name: &str| format!("reads/{index}/{name}");
        let Some(read) = given.get(index) else {
            answer.put(path("value"), right_value(step, None), Some((record, at)));
            continue;
        };
        for name in ["offset", "bytes", "raw", "value"].into_iter().filter(|name| read.contains_key(*name)) {
            let right = match name {
                "offset" => step.field.span.start.into(),
                "bytes" => hex(&step.bytes).into(),
                "raw" => step.raw.into(),
                _ => right_value(step, read.get("value")),
            };
            answer.put(path(name), right, Some((record, at)));
        }
    }
    Some((answer, json!({ "reads": given })))
}

/// The members of a read that are compared; a bare number or text is a value.
fn members(read: &Value) -> Map<String, Value> {
    let mut found = Map::new();
    let Value::Object(read) = read else {
        found.insert("value".to_owned(), read.clone());
        return found;
    };
    let start = read.get("span").and_then(|span| span.get(1));
    let number = read.get("number_value").filter(|number| !number.is_null());
    let raw = read.get("raw").filter(|raw| !raw.is_null());
    let bytes = read.get("bytes").and_then(Value::as_str);
    let bytes = bytes.map(|bytes| bytes.replace([' ', '-'], "").to_lowercase().into());
    let all = [
        ("offset", read.get("offset").or(start).cloned()),
        ("bytes", bytes),
        ("raw", raw.cloned()),
        ("value", number.or_else(|| read.get("value")).cloned()),
    ];
    found.extend(all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    found
}

/// The value of a step in the form in which it is given: a number, or its text.
fn right_value(step: &Step, given: Option<&Value>) -> Value {
    match (step.field.number, given) {
        (Some(number), None | Some(Value::Number(_))) => number.into(),
        (Some(number), Some(Value::String(text))) if text.parse::<i64>().is_ok() => number.to_string().into(),
        _ => step.field.value.clone().into(),
    }
}

pub fn reads_json(steps: &Steps) -> Value {
    let read = |step: &Step| {
        let value = step.field.number.map_or_else(|| step.field.value.clone().into(), Value::from);
        json!({
            "offset": step.field.span.start,
            "bytes": hex(&step.bytes),
            "record": step.record,
            "name": step.field.name,
            "read": step.form(),
            "raw": step.raw,
            "value": value,
        })
    };
    steps.reads().map(read).collect()
}

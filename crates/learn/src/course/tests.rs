use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::compare::slips_of;
use super::*;
use crate::steps;
use pdblens_session::session::Session;

/// The right answers with the value of a leaf replaced.
fn with(answer: &ExpectedAnswer, index: usize, wrong: &Value) -> Option<Value> {
    let leaf = &answer.leaves[index];
    let mut json = answer.json.clone();
    let value = match &leaf.minus {
        Some(from) => (answer.number_at(from)? + wrong.as_i64()?).into(),
        None => wrong.clone(),
    };
    *json.pointer_mut(&format!("/{}", leaf.path))? = value;
    Some(json)
}

#[test]
fn every_exercise_has_a_task_and_inputs_and_their_answers_are_right() {
    let cases = built_in();
    for exercise in &EXERCISES {
        assert!(exercise.task().len() > 80, "{}", exercise.name);
        let of = || cases.iter().filter(|case| case.exercise == exercise.name);
        let names: BTreeSet<&str> = of().map(|case| case.name.as_str()).collect();
        assert!(of().count() >= 2 && names.len() == of().count(), "{}: {names:?}", exercise.name);
        for case in of() {
            let answer = case.answer();
            let (name, is_invalid) = (format!("{}/{}", exercise.name, case.name), case.result == CaseResult::Invalid);
            assert!(case.why.len() > 5, "{name}");
            assert_eq!(answer.refusal.is_some(), is_invalid, "{name}: {:?}", answer.refusal);
            assert_eq!(difference(&answer, &answer.json), None, "{name}");
            assert!(answer.refusal.is_some() || !answer.leaves.is_empty(), "{answer:?}");
            let refused = difference(&answer, &json!({ "error": "no" }));
            assert_eq!(refused.is_some(), case.result == CaseResult::Valid, "{name}");
            assert!(difference(&answer, &json!({})).is_some());
        }
    }
}

#[test]
fn points_of_inputs_have_columns_that_files_may_have() {
    let cases = built_in();
    let exercise = named("points").unwrap();
    for case in cases.iter().filter(|case| case.exercise == exercise.name && case.result == CaseResult::Valid) {
        let answer = exercise.answer(&case.bytes).json;
        let points = answer["points"].as_array().unwrap();
        assert!(!points.is_empty());
        for point in points.iter().filter(|point| point["hidden"] == false) {
            for column in ["startColumn", "endColumn"] {
                assert!((0..=0xffff).contains(&point[column].as_i64().unwrap()), "{}: {point}", case.name);
            }
        }
    }
}

#[test]
fn every_known_mistake_is_told() {
    let mut seen = BTreeSet::new();
    for case in built_in() {
        let answer = named(case.exercise).unwrap().answer(&case.bytes);
        for index in 0..answer.leaves.len() {
            for (wrong, because) in slips_of(&answer, index) {
                let words = because.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
                let name = answer.leaves[index].path.rsplit('/').next().unwrap().to_owned();
                let key = (case.exercise, name, words);
                if seen.contains(&key) {
                    continue;
                }
                let Some(json) = with(&answer, index, &wrong) else { continue };
                // Each mistake once for each kind of value.
                if seen.insert(key) {
                    let found = difference(&answer, &json).unwrap();
                    assert_eq!(found.mistake, Some(because), "{}/{} {wrong}: {found:?}", case.exercise, case.name);
                }
            }
        }
    }
    let sentences: BTreeSet<&String> = seen.iter().map(|(.., words)| words).collect();
    assert!(seen.len() > 150 && sentences.len() > 50, "{} of {}: {sentences:#?}", seen.len(), sentences.len());
}

#[test]
fn a_list_that_is_too_short_or_too_long_is_told() {
    let case = built_in().into_iter().find(|case| case.exercise == "points" && case.name == "hidden-first").unwrap();
    let answer = named("points").unwrap().answer(&case.bytes);
    assert_eq!(answer.at("points/0/hidden"), Some(&json!(true)));
    // A reader that leaves hidden points out has the next point in their place.
    let mut json = answer.json.clone();
    json["points"].as_array_mut().unwrap().remove(0);
    let found = difference(&answer, &json).unwrap();
    assert_eq!(found.path, "points[0].offset");
    assert!(found.mistake.unwrap().contains("A hidden point is a point"));
    let mut json = answer.json.clone();
    json["points"].as_array_mut().unwrap().push(json!({ "offset": 99 }));
    let found = difference(&answer, &json).unwrap();
    assert_eq!((found.path.as_str(), found.given.as_str()), ("points[4]", "{\"offset\":99}"));
    json["points"].as_array_mut().unwrap().truncate(2);
    // A visible point need not say that it is not hidden; a hidden one has to say that it is.
    let mut plain = answer.json.clone();
    plain["points"][1].as_object_mut().unwrap().remove("hidden");
    assert_eq!(difference(&answer, &plain), None);
    plain["points"][0].as_object_mut().unwrap().remove("hidden");
    assert_eq!(difference(&answer, &plain).unwrap().path, "points[0].hidden");
    assert_eq!(difference(&answer, &json).unwrap().given, "nothing");
}

#[test]
fn sizes_of_rows_are_those_of_the_decoder() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/workshop/Workshop.pdb");
    let session = Session::open(&[sample.into()]).unwrap();
    let answer = named("layout").unwrap().answer(&std::fs::read(sample).unwrap());
    let tables = &session.portable_pdb().unwrap().metadata.tables;
    assert!(tables.present().count() > 5);
    for (index, table) in tables.present().enumerate() {
        let right = json!({"table": table.id.0, "rowSize": table.row_size(), "offset": table.span().start});
        assert_eq!(answer.json["tables"][index], right);
    }
}

#[test]
fn reads_of_another_reader_are_compared_as_they_are_written() {
    let session = Session::sample();
    let steps = || steps(&session, "method/0x06000003/points".parse().unwrap()).unwrap();
    let compare = |given: &Value| {
        let (answer, given) = expected_reads(steps(), given).unwrap();
        difference(&answer, &given)
    };
    let reads = reads_json(&steps());
    assert_eq!(compare(&reads), None);
    // Offsets in the record, bytes with blanks, values alone.
    let mut relative = reads.clone();
    for (index, read) in relative.as_array_mut().unwrap().iter_mut().enumerate() {
        *read =
            json!({"offset": index, "bytes": read["bytes"].as_str().unwrap().to_uppercase(), "value": read["value"]});
    }
    assert_eq!(compare(&json!({ "steps": relative })), None);
    let mut values: Vec<Value> = reads.as_array().unwrap().iter().map(|read| read["value"].clone()).collect();
    assert_eq!(compare(&values.clone().into()), None);
    values[25] = 121.into();
    let found = compare(&values.clone().into()).unwrap();
    assert_eq!((found.path.as_str(), found.given.as_str(), found.right.as_str()), ("reads[25].value", "121", "-4"));
    assert!(found.mistake.unwrap().contains("read as unsigned"));
    values.truncate(3);
    assert_eq!(compare(&values.into()).unwrap().path, "reads[3].value");
    for nothing in [json!({"lines": []}), json!([{"offset": 0}, {"Value": 3}])] {
        assert!(expected_reads(steps(), &nothing).is_none(), "{nothing}");
    }
}

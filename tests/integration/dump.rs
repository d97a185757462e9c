//! `dump --json` against System.Reflection.Metadata: whatever the oracle says of a sample, the real binary says too.
//!
//! `golden/oracle/NAME.json` is about a pair, `NAME.image.json` about an image alone. Ours may say more: extra members are
//! fine, a missing or different one is not, and lists are equally long.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::samples::{Sample, repository, samples};
use serde_json::{Value, json};

/// Paths at which `have` lacks what `want` has.
fn differences(want: &Value, have: &Value, path: &str, found: &mut Vec<String>) {
    match (want, have) {
        (Value::Object(want), Value::Object(have)) => {
            for (key, want) in want {
                match have.get(key) {
                    Some(have) => differences(want, have, &format!("{path}.{key}"), found),
                    None => found.push(format!("{path}.{key}: missing")),
                }
            }
        }
        (Value::Array(want), Value::Array(have)) if want.len() == have.len() => {
            for (index, (want, have)) in want.iter().zip(have).enumerate() {
                differences(want, have, &format!("{path}[{index}]"), found);
            }
        }
        (Value::Array(want), Value::Array(have)) => {
            found.push(format!("{path}: a list of {}, not of {}", have.len(), want.len()));
        }
        (want, have) if want == have => {}
        (want, have) => found.push(format!("{path}: {have}, not {want}")),
    }
}

fn assert_holds(want: &Value, have: &Value, what: &str) {
    let mut found = Vec::new();
    differences(want, have, "$", &mut found);
    assert!(found.is_empty(), "{what}: {} differences\n{}", found.len(), found[..found.len().min(20)].join("\n"));
}

/// Output of the real binary for these files.
fn dump(files: &[&Path]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_pdblens")).arg("dump").args(files).arg("--json").output().unwrap();
    assert!(output.status.success(), "{files:?}: {}", String::from_utf8_lossy(&output.stderr));
    let mut printed: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{files:?}: {error}"));
    assert_eq!((&printed["schema"], printed["pairs"].as_array().unwrap().len()), (&json!(1), 1), "{files:?}");
    printed["pairs"][0].take()
}

/// An answer of the oracle in the words of `dump`: it gives methods by token and full name, and languages by id.
fn in_our_words(mut answer: Value) -> Value {
    let rename = |row: &mut Value, from: &str, to: &str| {
        if let Some(value) = row.as_object_mut().unwrap().remove(from) {
            row[to] = value;
        }
    };
    for (list, from, to) in
        [("methods", "name", "full_name"), ("scopes", "method", "token"), ("documents", "language", "language_id")]
    {
        for row in answer.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            rename(row, from, to);
        }
    }
    for method in answer.get_mut("methods").and_then(Value::as_array_mut).into_iter().flatten() {
        for other in ["kickoff", "move_next"] {
            if let Some(token) = method.get(other).filter(|token| token.is_string()).cloned() {
                method[other] = json!({"token": token});
            }
        }
    }
    answer
}

/// Each answer of the oracle, with the sample that it is about.
fn answers(suffix: &str) -> Vec<(Sample, Value)> {
    let known = |name: &str| std::fs::read(repository("tests/golden/oracle").join(format!("{name}{suffix}")));
    let answers = samples().into_iter().filter_map(|sample| {
        let answer = serde_json::from_slice(&known(&sample.name).ok()?).unwrap();
        Some((sample, in_our_words(answer)))
    });
    answers.collect()
}

/// A folder that holds nothing but copies of these files.
fn alone(name: &str, files: &[&PathBuf]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("oracle").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for file in files {
        std::fs::copy(file, folder.join(file.file_name().unwrap())).unwrap();
    }
    folder
}

#[test]
fn the_dump_of_a_pair_matches_the_oracle() {
    let answers = answers(".json");
    assert_eq!(answers.len(), 15);
    for (sample, want) in answers {
        let Sample { name, image, symbols } = &sample;
        match symbols {
            Some(symbols) => {
                assert_holds(&want, &dump(&[image, symbols]), &format!("{name}, image first"));
                assert_holds(&want, &dump(&[symbols, image]), &format!("{name}, PDB first"));
                assert_holds(&want, &dump(&[symbols]), &format!("{name}, PDB alone: its image lies beside it"));
            }
            None => assert!(name.ends_with("-embedded"), "{name}"),
        }
        let have = dump(&[image]);
        assert_holds(&want, &have, &format!("{name}, image alone: its PDB lies beside it or inside"));
        assert_eq!(have["match"]["status"], "matched", "{name}");
        assert_eq!(have["findings"], json!([]), "{name}");
    }
}

#[test]
fn the_dump_of_an_image_matches_the_oracle() {
    let answers = answers(".image.json");
    assert_eq!(answers.len(), 6);
    for (Sample { name, image, .. }, want) in answers {
        assert_holds(&want, &dump(&[&image]), &name);
        let folder = alone(&name, &[&image]);
        let have = dump(&[&folder.join(image.file_name().unwrap())]);
        assert_holds(&want, &have, &format!("{name}, with nothing beside it"));
        assert_eq!(have["match"]["status"], "no-pdb", "{name}");
    }
}

/// The part of an answer that the PDB alone gives: everything but what the image's tables and code say.
fn of_pdb(want: &Value) -> Value {
    let mut want = want.clone();
    let members = want.as_object_mut().unwrap();
    members.retain(|key, _| matches!(&**key, "pdb" | "documents" | "methods" | "scopes" | "imports" | "custom"));
    for method in members["methods"].as_array_mut().unwrap() {
        let of_pdb = ["token", "document", "blob", "kickoff", "move_next", "points"];
        method.as_object_mut().unwrap().retain(|key, _| of_pdb.contains(&&**key));
    }
    want
}

#[test]
fn a_value_has_no_length() {
    let file = repository("assets/samples/workshop/Workshop.dll");
    let bytes = |place: &str, options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        command.arg("dump").arg(&file).arg(place).args(options).output().unwrap().stdout
    };
    let blob = bytes("pdb/heap/blob/0x17d", &["--value"]);
    let json: Value = serde_json::from_slice(&blob).unwrap();
    assert_eq!(json["documents"]["/_/*"], "https://example.com/pdblens/samples/*");
    assert_eq!(bytes("table/CustomDebugInformation/2", &["--value"]), blob, "the row leads to its blob");
    assert_eq!(bytes("pdb/heap/blob/0x17d", &[]), [&[0x80, 0x89], blob.as_slice()].concat());
    let name = bytes("image/heap/strings/0x1", &[]);
    assert_eq!([bytes("image/heap/strings/0x1", &["--value"]), vec![0]].concat(), name);
    assert!(name.len() > 1, "{name:?}");
    let mut show = Command::new(env!("CARGO_BIN_EXE_pdblens"));
    show.arg("show").arg(&file).args(["pdb/heap/blob/0x17d", "--value"]);
    assert_eq!(show.output().unwrap().stdout, blob);
}

#[test]
fn the_dump_of_a_single_pdb_matches_the_oracle() {
    let mut count = 0;
    for (Sample { name, symbols, .. }, want) in answers(".json") {
        let Some(symbols) = symbols else { continue };
        let folder = alone(&format!("{name}.pdb"), &[&symbols]);
        let have = dump(&[&folder.join(symbols.file_name().unwrap())]);
        assert_eq!(have.get("image"), None, "{name}");
        assert_holds(&of_pdb(&want), &have, &name);
        count += 1;
    }
    assert_eq!(count, 12);
}

#[test]
fn a_difference_is_seen() {
    let want = json!({"a": [1, {"b": "x"}], "c": true, "d": null});
    let seen = |have: Value| {
        let mut found = Vec::new();
        differences(&want, &have, "$", &mut found);
        found
    };
    assert_eq!(seen(json!({"a": [1, {"b": "x", "more": 1}], "c": true, "d": null, "e": 2})), [""; 0]);
    assert_eq!(
        seen(json!({"a": [1, {"b": "y"}], "c": 1})),
        ["$.a[1].b: \"y\", not \"x\"", "$.c: 1, not true", "$.d: missing"]
    );
    assert_eq!(seen(json!({"a": [1], "c": true, "d": null})), ["$.a: a list of 1, not of 2"]);
    assert_eq!(seen(json!([])).len(), 1);
}

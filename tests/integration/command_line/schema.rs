//! The JSON of every command against `docs/schema.json`. A test beside the structs it is made from compares it with them.
//!
//! The validator knows the keywords that the schema uses, and refuses others. It is stricter than the schema in one way:
//! a member that the schema does not name is an error.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{Folder, pdblens, sample};

/// `docs/schema.json`.
fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn dump_prints_the_schema_in_docs() {
    let printed = pdblens(&["dump", "--schema"]);
    assert!(serde_json::from_slice::<Value>(&printed.stdout).unwrap() == schema());
}

#[test]
fn members_are_snake_case() {
    let schema = schema();
    let mut members = BTreeSet::new();
    each_property(&schema, &mut |name, _| {
        members.insert(name.to_owned());
    });
    assert!(members.len() > 150, "only {} members were found", members.len());
    let wrong: Vec<_> = members.iter().filter(|name| !is_snake_case(name)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Members that hold sentences are of the definition `reason`, which has a code.
#[test]
fn a_code_stands_beside_each_sentence() {
    const SENTENCES: &[&str] = &[
        "contradiction",
        "doubt",
        "error",
        "errors",
        "notes",
        "problems",
        "reasons",
        "skipped",
        "source_link_error",
        "violations",
    ];
    let schema = schema();
    let mut seen = BTreeSet::new();
    each_property(&schema, &mut |name, property| {
        if !SENTENCES.contains(&name) {
            return;
        }
        seen.insert(name.to_owned());
        let text = property.to_string();
        let is_reason = ["reason", "decode_error"].iter().any(|name| text.contains(&format!("#/$defs/{name}\"")));
        assert!(is_reason, "{name}: {text}");
    });
    assert_eq!(seen.len(), SENTENCES.len(), "{seen:?}");
}

/// The document of a command that may be given several pairs has `pairs`, and no other has.
#[test]
fn commands_that_take_several_pairs_answer_in_pairs() {
    const OF_PAIRS: &[&str] = &[
        "chains_of_pairs",
        "check",
        "coverage",
        "diff_pairs",
        "dump",
        "extract",
        "find",
        "info",
        "list",
        "quality",
        "samples",
        "sources",
    ];
    let schema = schema();
    for document in schema["anyOf"].as_array().unwrap() {
        let name = document["$ref"].as_str().unwrap().strip_prefix("#/$defs/").unwrap();
        let has_pairs = schema["$defs"][name]["properties"].get("pairs").is_some();
        assert_eq!(has_pairs, OF_PAIRS.contains(&name), "{name}");
    }
}

#[test]
fn the_output_of_every_command_matches_the_schema() {
    let checker = Checker { schema: schema() };
    let folder = Folder::new();
    let extracted = folder.path().join("sources").display().to_string();
    let path = |path: &str| sample(path).display().to_string();
    let (dll, faults, tally) = (path("workshop/Workshop.dll"), path("faults"), path("native/tally.pdb"));
    let trace = path("faults/il-offsets.txt");
    let [hot, profile] = ["hot.dll", "hot.nettrace"].map(|name| path(&format!("../../tests/golden/samples/{name}")));
    let (ticker, release) = (path("ticker/Ticker.dll"), path("ticker-release/Ticker.dll"));
    let alone = folder.write("Alone.dll", fs::read(&ticker).unwrap()).display().to_string();
    for (definition, args) in [
        ("where", vec!["where", &dll, "0x06000002+0x3", "2+999", "No.Such+1"]),
        ("where", vec!["where", &tally, "0x1079"]),
        ("where", vec!["where", &path("faults/Faults.dll"), "0x06000006+0x6d"]),
        ("break", vec!["break", "--sample", "Program.cs:21", "Clock.cs:1", "Clock.cs:999"]),
        ("break", vec!["break", &tally, "tally.c:12"]),
        ("trace", vec!["trace", "--symbols", &faults, &trace]),
        ("extract", vec!["sources", &path("workshop-embedded/Workshop.dll"), "--extract", &extracted]),
        ("extract", vec!["sources", &path("workshop-embedded"), &path("ticker-embedded"), "--extract", &extracted]),
        ("samples", vec!["points", &hot, "--samples", &profile]),
        ("coverage", vec!["info", "--coverage", &path("ticker"), &path("native")]),
        ("chains_of_pairs", vec!["sources", "--steps", &dll]),
        ("chains_of_pairs", vec!["find", "--steps", &dll, &ticker]),
        ("chains", vec!["break", "--steps", &ticker, "Clock.cs:13"]),
        ("chains", vec!["where", "--steps", &dll, "0x06000002+0x3"]),
        ("break_why", vec!["break", "--why", "--sample", "Program.cs:21", "Clock.cs:zz"]),
        ("check_rules", vec!["check", "--rules"]),
        ("lessons", vec!["learn", "--list"]),
        ("store_list", vec!["store", "list", &path("")]),
        ("list", vec!["list", &path("ticker"), &path("faults"), "method/1/points"]),
        ("list", vec!["sources", &path("ticker-embedded"), "--search", "console"]),
        ("list", vec!["info", "--sizes=document", &path("ticker"), &path("native")]),
        ("find", vec!["find", &dll, &tally, &alone]),
        ("diff", vec!["diff", &ticker, &release]),
        ("srcsrv", vec!["srcsrv", &tally]),
        ("check", vec!["check", &ticker, &path("ticker-release/Ticker.pdb")]),
        ("check", vec!["check", &path("ticker"), &path("faults")]),
        ("info", vec!["info", &alone]),
        ("info", vec!["info", &ticker, &path("ticker-release/Ticker.pdb")]),
        ("show", vec!["show", "--sample", "method/3/points/2"]),
    ] {
        checker.run(definition, &args);
    }
    for file in files() {
        for command in ["info", "dump", "check", "sources"] {
            checker.run(command, &[command, &file]);
        }
    }
}

#[test]
fn every_list_and_record_matches_the_schema() {
    let checker = Checker { schema: schema() };
    for file in ["ticker/Ticker.dll", "ticker-windows/Ticker.dll", "native/tally.pdb", "ticker-mono/Ticker.exe.mdb"] {
        let file = sample(file);
        if !file.exists() {
            continue;
        }
        let file = file.display().to_string();
        for row in checker.run("list", &["list", &file])["pairs"][0]["rows"].as_array().unwrap() {
            let place = row["place"].as_str().unwrap();
            let printed = pdblens(&["list", &file, place, "--json"]);
            if printed.stdout.is_empty() {
                checker.run("show", &["show", &file, place]);
                continue;
            }
            let list = checker.run("list", &["list", &file, place]);
            for row in list["pairs"][0]["rows"].as_array().unwrap() {
                let wrong: Vec<_> = row.as_object().unwrap().keys().filter(|name| !is_snake_case(name)).collect();
                assert!(wrong.is_empty(), "{place}: {wrong:?}");
                // Offsets, sizes and ranges are data; an operand is text, as in the code.
                for (member, cell) in row.as_object().unwrap().iter().filter(|(member, _)| *member != "operand") {
                    let text = cell.as_str().unwrap_or_default();
                    assert!(!text.starts_with("IL_") && !is_size(text) && !is_range(text), "{place}.{member}: {text}");
                }
            }
        }
    }
}

#[test]
fn the_rows_of_every_export_match_the_schema() {
    let checker = Checker { schema: schema() };
    for command in ["points", "lines", "methods", "documents"] {
        let mut seen = 0;
        for folder in ["ticker", "ticker-windows", "native", "ticker-mono"] {
            let printed = pdblens(&[command, &sample(folder).display().to_string(), "--jsonl"]);
            for line in String::from_utf8(printed.stdout).unwrap().lines() {
                let mut errors = Errors::new();
                let row = serde_json::from_str(line).unwrap();
                checker.check(&checker.schema["$defs"][format!("{command}_row")], &row, "$", &mut errors);
                assert!(errors.is_empty(), "{command} {folder}: {errors:#?}");
                seen += 1;
            }
        }
        assert!(seen > 5, "{command}: {seen}");
    }
}

/// Every image and symbol file of the samples.
fn files() -> Vec<String> {
    let folders = fs::read_dir(sample("")).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> =
        folders.flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())).collect();
    let is_one = |path: &&PathBuf| {
        path.extension().and_then(OsStr::to_str).is_some_and(|e| ["dll", "exe", "pdb", "mdb"].contains(&e))
    };
    let found: Vec<String> = files.iter().filter(is_one).map(|path| path.display().to_string()).collect();
    assert!(found.len() > 30, "{found:?}");
    found
}

/// Returns true for a number of bytes in words: `32 bytes`.
fn is_size(text: &str) -> bool {
    text.strip_suffix(" bytes").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns true for numbers with a dash between them: `3–5`.
fn is_range(text: &str) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    text.match_indices('–')
        .any(|(at, dash)| digit(text[..at].chars().next_back()) && digit(text[at + dash.len()..].chars().next()))
}

fn is_snake_case(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.chars().all(plain) && name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.contains("__")
}

/// Calls `each` with all members that a schema names, and the schema of each.
fn each_property(schema: &Value, each: &mut dyn FnMut(&str, &Value)) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::Object(named)) = members.get("properties") {
                named.iter().for_each(|(name, property)| each(name, property));
            }
            members.values().for_each(|value| each_property(value, each));
        }
        Value::Array(items) => items.iter().for_each(|value| each_property(value, each)),
        _ => {}
    }
}

struct Checker {
    schema: Value,
}

type Errors = Vec<String>;

impl Checker {
    /// Runs a command with `--json` and validates what it prints.
    fn run(&self, definition: &str, args: &[&str]) -> Value {
        let output = pdblens(&[args, &["--json"]].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        let value = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{args:?}: {error}\n{text}{}", String::from_utf8_lossy(&output.stderr)));
        let mut errors = Errors::new();
        self.check(&self.schema["$defs"][definition], &value, "$", &mut errors);
        errors.truncate(20);
        assert!(errors.is_empty(), "{args:?}: {errors:#?}");
        value
    }

    /// A value and the members it may have.
    fn check(&self, schema: &Value, value: &Value, at: &str, errors: &mut Errors) {
        self.validate(schema, value, at, errors);
        let mut named = BTreeSet::new();
        if let (Some(members), true) = (value.as_object(), self.closed(schema, &mut named)) {
            errors.extend(members.keys().filter(|key| !named.contains(*key)).map(|key| format!("{at}.{key}: unknown")));
        }
    }

    /// Adds the members that a schema names; false where it allows any.
    fn closed(&self, schema: &Value, named: &mut BTreeSet<String>) -> bool {
        let Some(schema) = schema.as_object().filter(|schema| !schema.contains_key("additionalProperties")) else {
            return false;
        };
        if let Some(Value::Object(properties)) = schema.get("properties") {
            named.extend(properties.keys().cloned());
        }
        let parts = self.parts(schema);
        let constrained = ["properties", "type", "const", "enum"].iter().any(|key| schema.contains_key(*key));
        (constrained || !parts.is_empty()) && parts.into_iter().all(|part| self.closed(part, named))
    }

    /// The schemas that a schema is made of, for the same value.
    fn parts<'v>(&'v self, schema: &'v Map<String, Value>) -> Vec<&'v Value> {
        let branches = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
        branches.chain(schema.get("$ref").map(|to| self.resolve(to))).collect()
    }

    fn resolve(&self, to: &Value) -> &Value {
        self.schema.pointer(to.as_str().unwrap().strip_prefix('#').unwrap()).unwrap()
    }

    fn validate(&self, schema: &Value, value: &Value, at: &str, errors: &mut Errors) {
        for (keyword, wanted) in schema.as_object().unwrap() {
            let fine = match keyword.as_str() {
                "description" | "title" | "format" | "default" => true,
                "$ref" => {
                    self.validate(self.resolve(wanted), value, at, errors);
                    true
                }
                "type" => is_type(wanted, value),
                "const" => value == wanted,
                "enum" => wanted.as_array().unwrap().contains(value),
                "pattern" => value.as_str().is_none_or(|text| matches(wanted.as_str().unwrap(), text)),
                "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap()),
                "maximum" => value.as_f64().is_none_or(|number| number <= wanted.as_f64().unwrap()),
                "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= wanted.as_u64().unwrap()),
                "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= wanted.as_u64().unwrap()),
                "required" => value.as_object().is_none_or(|members| {
                    wanted.as_array().unwrap().iter().all(|name| members.contains_key(name.as_str().unwrap()))
                }),
                "properties" => {
                    for (name, schema) in wanted.as_object().unwrap() {
                        if let Some(member) = value.get(name) {
                            self.check(schema, member, &format!("{at}.{name}"), errors);
                        }
                    }
                    true
                }
                "additionalProperties" => {
                    let named = schema.get("properties").and_then(Value::as_object);
                    for (name, member) in value.as_object().into_iter().flatten() {
                        if named.is_some_and(|named| named.contains_key(name)) {
                            continue;
                        }
                        if *wanted == Value::Bool(false) {
                            errors.push(format!("{at}.{name}: unknown"));
                        } else {
                            self.check(wanted, member, &format!("{at}.{name}"), errors);
                        }
                    }
                    true
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(wanted, item, &format!("{at}[{index}]"), errors);
                    }
                    true
                }
                "prefixItems" => {
                    for (item, schema) in value.as_array().into_iter().flatten().zip(wanted.as_array().unwrap()) {
                        self.check(schema, item, at, errors);
                    }
                    true
                }
                "allOf" => self.fitting(wanted, value) == wanted.as_array().unwrap().len(),
                "anyOf" => self.fitting(wanted, value) > 0,
                "oneOf" => self.fitting(wanted, value) == 1,
                other => panic!("the validator does not know {other:?}"),
            };
            if !fine {
                let mut shown = value.to_string();
                shown.truncate(shown.char_indices().nth(200).map_or(shown.len(), |(at, _)| at));
                errors.push(format!("{at}: {keyword} {wanted}: {shown}"));
            }
        }
    }

    /// Number of the schemas that a value is valid for.
    fn fitting(&self, schemas: &Value, value: &Value) -> usize {
        let fits = |schema: &&Value| {
            let mut errors = Errors::new();
            self.validate(schema, value, "", &mut errors);
            errors.is_empty()
        };
        schemas.as_array().unwrap().iter().filter(fits).count()
    }
}

fn is_type(wanted: &Value, value: &Value) -> bool {
    match wanted {
        Value::Array(any) => any.iter().any(|one| is_type(one, value)),
        Value::String(name) => match name.as_str() {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            other => panic!("the validator does not know the type {other:?}"),
        },
        other => panic!("the validator does not know the type {other}"),
    }
}

/// The patterns of the schema, each by hand.
fn matches(pattern: &str, text: &str) -> bool {
    let hex = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    let number = text.strip_prefix("0x").filter(|digits| hex(digits) && !digits.is_empty());
    match pattern {
        "^0x[0-9a-f]{8}$" => number.is_some_and(|digits| digits.len() == 8),
        "^0x[0-9a-f]+$" => number.is_some(),
        "^([0-9a-f]{2})*$" => hex(text) && text.len().is_multiple_of(2),
        "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" => {
            let parts: Vec<&str> = text.split('-').collect();
            parts.iter().all(|part| hex(part)) && parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        }
        "^[a-z]" => text.starts_with(|c: char| c.is_ascii_lowercase()),
        other => panic!("the validator does not know the pattern {other:?}"),
    }
}

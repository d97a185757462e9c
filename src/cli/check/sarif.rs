//! SARIF 2.1.0, as code scanning reads it.
//!
//! The first location is one that can be shown: the source, or line 1 of the file that was checked. Bytes are a related location,
//! because a region has lines or bytes, not both (3.30.4). The fingerprint is made of names, which stay from build to build.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::Checked;
use super::report::{CheckOutcome, Located, Pair, fingerprint, fingerprints};
use crate::query::check::{Grade, all_rules, group_of};
use crate::session::inputs::Location;
use crate::text::paths::percent_encoded_except;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn write(out: &mut impl Write, all: &[Checked]) -> io::Result<()> {
    let mut artifacts = Artifacts::default();
    let (mut results, mut notifications) = (Vec::new(), Vec::new());
    for checked in all {
        match &checked.outcome {
            CheckOutcome::Pair(pair) | CheckOutcome::Package(pair) => {
                results_of(checked, pair, &mut artifacts, &mut results);
            }
            CheckOutcome::Unreadable(why) => {
                let location = json!({ "physicalLocation": { "artifactLocation": artifacts.location(&checked.path) } });
                // Code scanning shows results, and no notifications.
                let fingerprint = fingerprint(&["read", &checked.path.to_string_lossy()]);
                results.push(result("read", "error", &why.text, &location, &fingerprint));
                notifications
                    .push(json!({ "level": "error", "message": { "text": why.text }, "locations": [location] }));
            }
            CheckOutcome::Skipped(_) => {}
        }
    }
    let rules: Vec<Value> = all_rules().chain([("lint", "the rules of the symbols hold")]).map(rule).collect();
    let run = json!({
        "tool": { "driver": {
            "name": "pdblens",
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": rules,
        } },
        "automationDetails": { "id": "pdblens/check/" },
        "invocations": [{
            "executionSuccessful": notifications.is_empty(),
            "toolExecutionNotifications": notifications,
        }],
        "artifacts": artifacts.list,
        "results": results,
        "columnKind": "utf16CodeUnits",
    });
    serde_json::to_writer_pretty(&mut *out, &json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] }))?;
    writeln!(out)
}

fn rule((id, about): (&'static str, &'static str)) -> Value {
    let sentence = format!("{}{}.", about.get(..1).unwrap_or("").to_uppercase(), about.get(1..).unwrap_or(""));
    let help =
        format!("`pdblens check` verifies that {about}. `--warn {id}` and `--allow {id}` change what it counts for.");
    json!({
        "id": id,
        "shortDescription": { "text": sentence },
        "fullDescription": { "text": sentence },
        "help": { "text": help },
        "properties": { "tags": ["dotnet", "symbols", group_of(id)] },
    })
}

fn results_of(checked: &Checked, pair: &Pair, artifacts: &mut Artifacts, results: &mut Vec<Value>) {
    for (located, fingerprint) in pair.worse_than_good().zip(fingerprints(&checked.path, pair)) {
        let rule = located.remark.rule;
        let level = if located.remark.grade == Grade::Finding { "error" } else { "note" };
        let of = located.method.as_deref().unwrap_or(&pair.assembly);
        let text = format!("{of}: {}", located.remark.sentence);
        let mut result = result(rule, level, &text, &location(checked, located, artifacts), &fingerprint);
        if let Some((file, start, len)) = &located.bytes {
            result["relatedLocations"] = json!([{
                "id": 1,
                "message": { "text": "the bytes" },
                "physicalLocation": {
                    "artifactLocation": artifacts.location(file),
                    "region": { "byteOffset": start, "byteLength": len },
                },
            }]);
        }
        results.push(result);
    }
}

fn result(rule: &str, level: &str, text: &str, location: &Value, fingerprint: &str) -> Value {
    let mut result = json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": text },
        "locations": [location],
        "partialFingerprints": { "primaryLocationLineHash": fingerprint },
    });
    if let Some(index) = all_rules().position(|(id, _)| id == rule) {
        result["ruleIndex"] = index.into();
    }
    result
}

fn location(checked: &Checked, located: &Located, artifacts: &mut Artifacts) -> Value {
    let (place, region) = match &located.source {
        Some(source) => (json!({ "uri": encoded(&source.path) }), (source.start, source.end)),
        // The file of an archive's entry is the archive.
        None => {
            let file = match Location::of(&checked.path) {
                Location::Entry { container, .. } => container,
                Location::File(path) => path,
            };
            (artifacts.location(&file), ((1, 1), (1, 1)))
        }
    };
    let ((line, column), (end_line, end_column)) = region;
    let mut location = json!({ "physicalLocation": {
        "artifactLocation": place,
        "region": { "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column },
    } });
    let place = located.remark.place.map(|place| place.to_string());
    if located.method.is_some() || place.is_some() {
        let mut logical = json!({});
        if let Some(method) = &located.method {
            logical["fullyQualifiedName"] = method.as_str().into();
            logical["kind"] = "function".into();
        }
        if let Some(place) = place {
            logical["decoratedName"] = place.into();
        }
        location["logicalLocations"] = json!([logical]);
    }
    location
}

/// Files that results are about; an entry has its container for a parent.
#[derive(Default)]
struct Artifacts {
    list: Vec<Value>,
    known: HashMap<Location, usize>,
}

impl Artifacts {
    fn index(&mut self, location: &Location) -> usize {
        if let Some(index) = self.known.get(location) {
            return *index;
        }
        let artifact = match location {
            Location::File(path) => json!({ "location": { "uri": uri(path) } }),
            Location::Entry { container, path } => {
                let parent = self.index(&Location::File(container.clone()));
                json!({ "location": { "uri": encoded(path) }, "parentIndex": parent })
            }
        };
        self.list.push(artifact);
        self.known.insert(location.clone(), self.list.len() - 1);
        self.list.len() - 1
    }

    fn location(&mut self, path: &Path) -> Value {
        let index = self.index(&Location::of(path));
        let mut location = self.list[index]["location"].clone();
        location["index"] = index.into();
        location
    }
}

/// URI of a file: relative as the path is, else with the scheme `file`.
fn uri(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let text = encoded(text.strip_prefix("./").unwrap_or(&text));
    match text.strip_prefix('/') {
        Some(_) => format!("file://{text}"),
        None if path.is_absolute() => format!("file:///{text}"),
        None => text,
    }
}

/// Percent-encodes the bytes that a path in a URI may not contain.
fn encoded(path: &str) -> String {
    percent_encoded_except(path, "/._-~+")
}

//! `check --format sarif` against SARIF 2.1.0: the objects that a report has, described here in words of our own, and what the schema
//! cannot say (indexes). `PDBLENS_SARIF_SCHEMA` names the published schema, which `jsonschema` of Python then reads too.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::samples::repository;

/// Type of a property.
#[derive(Clone, Copy)]
enum Type {
    Text,
    Flag,
    /// A whole number from here on.
    Number(i64),
    OneOf(&'static [&'static str]),
    Object(&'static Object),
    /// A list; no two are equal if that is set.
    List(&'static Object, bool),
    /// A list of different texts.
    Texts,
    /// Any names with texts.
    Names,
}

/// Object of a report: its properties, which have to be there, and whether it may have others.
struct Object {
    name: &'static str,
    required: &'static [&'static str],
    properties: &'static [(&'static str, Type)],
    open: bool,
}

const fn object(
    name: &'static str,
    required: &'static [&'static str],
    properties: &'static [(&'static str, Type)],
) -> Object {
    Object { name, required, properties, open: false }
}

use Type::{Flag, List, Names, Number, OneOf, Text, Texts};

const LEVEL: Type = OneOf(&["none", "note", "warning", "error"]);
static LOG: Object = object(
    "sarifLog",
    &["version", "runs"],
    &[("$schema", Text), ("version", OneOf(&["2.1.0"])), ("runs", List(&RUN, false))],
);
static RUN: Object = object(
    "run",
    &["tool"],
    &[
        ("tool", Type::Object(&TOOL)),
        ("automationDetails", Type::Object(&DETAILS)),
        ("invocations", List(&INVOCATION, false)),
        ("artifacts", List(&ARTIFACT, true)),
        ("results", List(&RESULT, false)),
        ("columnKind", OneOf(&["utf16CodeUnits", "unicodeCodePoints"])),
    ],
);
static TOOL: Object = object("tool", &["driver"], &[("driver", Type::Object(&DRIVER))]);
static DRIVER: Object =
    object("toolComponent", &["name"], &[("name", Text), ("semanticVersion", Text), ("rules", List(&RULE, true))]);
static RULE: Object = object(
    "reportingDescriptor",
    &["id"],
    &[
        ("id", Text),
        ("shortDescription", Type::Object(&TEXT)),
        ("fullDescription", Type::Object(&TEXT)),
        ("help", Type::Object(&TEXT)),
        ("properties", Type::Object(&BAG)),
    ],
);
static TEXT: Object = object("multiformatMessageString", &["text"], &[("text", Text), ("markdown", Text)]);
static BAG: Object = Object { name: "propertyBag", required: &[], properties: &[("tags", Texts)], open: true };
static DETAILS: Object = object("runAutomationDetails", &[], &[("id", Text)]);
static INVOCATION: Object = object(
    "invocation",
    &["executionSuccessful"],
    &[("executionSuccessful", Flag), ("toolExecutionNotifications", List(&NOTIFICATION, false))],
);
static NOTIFICATION: Object = object(
    "notification",
    &["message"],
    &[("message", Type::Object(&MESSAGE)), ("level", LEVEL), ("locations", List(&LOCATION, true))],
);
/// Its `id` names a message of the rule, which none of ours has.
static MESSAGE: Object = object("message", &["text"], &[("text", Text), ("markdown", Text)]);
static LOCATION: Object = object(
    "location",
    &[],
    &[
        ("id", Number(-1)),
        ("message", Type::Object(&MESSAGE)),
        ("physicalLocation", Type::Object(&PHYSICAL)),
        ("logicalLocations", List(&LOGICAL, true)),
    ],
);
static PHYSICAL: Object = object(
    "physicalLocation",
    &["artifactLocation"],
    &[("artifactLocation", Type::Object(&FILE)), ("region", Type::Object(&REGION))],
);
static FILE: Object = object("artifactLocation", &[], &[("uri", Text), ("index", Number(-1))]);
static REGION: Object = object(
    "region",
    &[],
    &[
        ("startLine", Number(1)),
        ("startColumn", Number(1)),
        ("endLine", Number(1)),
        ("endColumn", Number(1)),
        ("byteOffset", Number(-1)),
        ("byteLength", Number(0)),
    ],
);
static LOGICAL: Object =
    object("logicalLocation", &[], &[("fullyQualifiedName", Text), ("decoratedName", Text), ("kind", Text)]);
static ARTIFACT: Object = object("artifact", &[], &[("location", Type::Object(&FILE)), ("parentIndex", Number(-1))]);
static RESULT: Object = object(
    "result",
    &["message"],
    &[
        ("ruleId", Text),
        ("ruleIndex", Number(-1)),
        ("level", LEVEL),
        ("message", Type::Object(&MESSAGE)),
        ("locations", List(&LOCATION, false)),
        ("relatedLocations", List(&LOCATION, true)),
        ("partialFingerprints", Names),
    ],
);

/// Adds what is wrong with a value.
fn check(value: &Value, of: Type, path: &str, wrong: &mut Vec<String>) {
    let mut fail = |what: &str| wrong.push(format!("{path}: {what}: {value}"));
    match of {
        Text if !value.is_string() => fail("no text"),
        Flag if !value.is_boolean() => fail("neither true nor false"),
        Number(least) if value.as_i64().is_none_or(|number| number < least) => fail("no number of this range"),
        OneOf(words) if value.as_str().is_none_or(|word| !words.contains(&word)) => fail("none of the words"),
        Names if value.as_object().is_none_or(|all| !all.values().all(Value::is_string)) => {
            fail("not names with texts");
        }
        Texts => {
            let texts: Option<Vec<&str>> = value.as_array().and_then(|all| all.iter().map(Value::as_str).collect());
            if texts.is_none_or(|texts| texts.iter().collect::<BTreeSet<_>>().len() < texts.len()) {
                fail("no list of different texts");
            }
        }
        Type::Object(object) => check_object(value, object, path, wrong),
        List(object, unique) => {
            let Some(list) = value.as_array() else { return fail("no list") };
            let different: BTreeSet<String> = list.iter().map(Value::to_string).collect();
            if unique && different.len() < list.len() {
                fail("two are equal");
            }
            for (index, one) in list.iter().enumerate() {
                check_object(one, object, &format!("{path}[{index}]"), wrong);
            }
        }
        _ => {}
    }
}

fn check_object(value: &Value, object: &Object, path: &str, wrong: &mut Vec<String>) {
    let Some(members) = value.as_object() else {
        wrong.push(format!("{path}: no {}", object.name));
        return;
    };
    let missing = object.required.iter().filter(|name| !members.contains_key(**name));
    wrong.extend(missing.map(|name| format!("{path}: {} without {name}", object.name)));
    for (name, member) in members {
        match object.properties.iter().find(|(known, _)| known == name) {
            Some((_, of)) => check(member, *of, &format!("{path}.{name}"), wrong),
            None if object.open => {}
            None => wrong.push(format!("{path}: {} has no property {name}", object.name)),
        }
    }
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

/// Every value of the name `name`, however deep.
fn each<'v>(value: &'v Value, name: &str, found: &mut Vec<&'v Value>) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| each(one, name, found)),
        Value::Object(all) => {
            found.extend(all.get(name));
            all.values().for_each(|one| each(one, name, found));
        }
        _ => {}
    }
}

/// Faults of a report, by the schema and beyond it.
fn faults(report: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    check_object(report, &LOG, "$", &mut wrong);
    for run in list(report, "runs") {
        let (rules, artifacts) = (list(&run["tool"]["driver"], "rules"), list(run, "artifacts"));
        let at = |list: &'_ [Value], index: &Value| index.as_u64().and_then(|index| list.get(index as usize).cloned());
        for result in list(run, "results").iter().filter(|result| !result["ruleIndex"].is_null()) {
            if at(rules, &result["ruleIndex"]).is_none_or(|rule| rule["id"] != result["ruleId"]) {
                wrong.push(format!("ruleIndex {} is not {}", result["ruleIndex"], result["ruleId"]));
            }
        }
        for (own, artifact) in artifacts.iter().enumerate().filter(|(_, artifact)| !artifact["parentIndex"].is_null()) {
            let parent = artifact["parentIndex"].as_u64();
            if parent.is_none_or(|parent| parent as usize >= artifacts.len() || parent as usize == own) {
                wrong.push(format!("artifact {own} has the parent {}", artifact["parentIndex"]));
            }
        }
        let (mut files, mut regions) = (Vec::new(), Vec::new());
        each(run, "artifactLocation", &mut files);
        each(run, "region", &mut regions);
        for file in files.into_iter().filter(|file| !file["index"].is_null()) {
            if at(artifacts, &file["index"]).is_none_or(|artifact| artifact["location"]["uri"] != file["uri"]) {
                wrong.push(format!("no artifact is {file}"));
            }
        }
        for region in regions {
            let (has_lines, has_bytes) = (!region["startLine"].is_null(), !region["byteOffset"].is_null());
            if has_lines == has_bytes || region["startLine"].as_u64() > region["endLine"].as_u64() {
                wrong.push(format!("a region has lines or bytes: {region}"));
            }
        }
    }
    wrong
}

/// Reports of all samples, of the broken pairs, and of a package with a file that cannot be read.
fn reports() -> Vec<(String, Value)> {
    let folder = Folder::new();
    let image = std::fs::read(repository("assets/samples/ticker/Ticker.dll")).unwrap();
    folder.write("cut and dried/Cut.dll", &image[..100]);
    let mut package = zip::ZipWriter::new(std::fs::File::create(folder.path().join("Acme.1.2.0.nupkg")).unwrap());
    package.start_file("lib/net8.0/Acme.dll", zip::write::SimpleFileOptions::default()).unwrap();
    package.write_all(&image).unwrap();
    package.start_file("lib/net9.0/Cut.dll", zip::write::SimpleFileOptions::default()).unwrap();
    package.write_all(&image[..100]).unwrap();
    package.finish().unwrap();
    let report = |what: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdblens"));
        let output = command.args(["check", what, "--format", "sarif"]).args(more).current_dir(folder.path()).output();
        let output = output.unwrap();
        let report = serde_json::from_slice(&output.stdout);
        (what.to_owned(), report.unwrap_or_else(|_| panic!("{what}: {}", String::from_utf8_lossy(&output.stderr))))
    };
    let [samples, broken] = ["assets/samples", "assets/broken"].map(|path| repository(path).display().to_string());
    vec![report(&samples, &["--deny", "sources"]), report(&broken, &[]), report("Acme.1.2.0.nupkg", &["cut and dried"])]
}

#[test]
fn every_report_keeps_the_schema() {
    let (mut kinds, reports) = (BTreeSet::new(), reports());
    for (what, report) in &reports {
        let wrong = faults(report);
        assert!(wrong.is_empty(), "{what}: {} faults\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
        for (kind, name) in [("bytes", "byteOffset"), ("parents", "parentIndex")] {
            let mut found = Vec::new();
            each(report, name, &mut found);
            kinds.extend((!found.is_empty()).then_some(kind));
        }
        assert!(!list(&report["runs"][0], "results").is_empty(), "{what}");
    }
    assert_eq!(kinds.len(), 2, "the reports have only {kinds:?}");
    assert_eq!(reports[2].1["runs"][0]["invocations"][0]["executionSuccessful"], false);
    if let Some(schema) = std::env::var_os("PDBLENS_SARIF_SCHEMA") {
        for (what, report) in &reports {
            python(&schema, what, report);
        }
    }
}

/// Validates a report against the published schema.
fn python(schema: &std::ffi::OsStr, what: &str, report: &Value) {
    const PROGRAM: &str = "import json, sys, jsonschema
with open(sys.argv[1]) as file: schema = json.load(file)
found = list(jsonschema.validators.validator_for(schema)(schema).iter_errors(json.load(sys.stdin)))
for error in found[:20]: print(list(error.absolute_path), error.message)
sys.exit(1 if found else 0)";
    let mut command = Command::new("python3");
    command.args(["-c", PROGRAM]).arg(schema).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("PDBLENS_SARIF_SCHEMA is set, and there is no python3");
    child.stdin.take().unwrap().write_all(report.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stdout));
}

/// Change of a report.
type Edit = fn(&mut Value);

#[test]
fn a_report_that_does_not_keep_the_schema_is_found() {
    let (_, good) = reports().remove(1);
    assert!(faults(&good).is_empty());
    let edits: [(&str, Edit); 10] = [
        ("has no property extra", |report| report["runs"][0]["extra"] = 1.into()),
        ("without message", |report| drop(report["runs"][0]["results"][0].as_object_mut().unwrap().remove("message"))),
        ("none of the words", |report| report["runs"][0]["results"][0]["level"] = "severe".into()),
        ("ruleIndex 999", |report| report["runs"][0]["results"][0]["ruleIndex"] = 999.into()),
        ("no number of this range", |report| report["runs"][0]["results"][0]["ruleIndex"] = "0".into()),
        ("has the parent 0", |report| report["runs"][0]["artifacts"][0]["parentIndex"] = 0.into()),
        ("no artifact is", |report| report["runs"][0]["artifacts"][0]["location"]["uri"] = "other".into()),
        ("neither true nor false", |report| report["runs"][0]["invocations"][0]["executionSuccessful"] = 1.into()),
        ("two are equal", |report| {
            let rules = report["runs"][0]["tool"]["driver"]["rules"].as_array_mut().unwrap();
            rules.push(rules[0].clone());
        }),
        ("lines or bytes", |report| {
            report["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["byteOffset"] = 1.into();
        }),
    ];
    for (said, edit) in edits {
        let mut report = good.clone();
        edit(&mut report);
        let wrong = faults(&report);
        assert!(wrong.iter().any(|fault| fault.contains(said)), "{said}: {wrong:?}");
    }
}

//! Findings that `law_allow.txt` still allows, one a line: `rule key number`.
//!
//! The file can only shrink: a test fails when more is found than is allowed, and when less is found.
//! `LAW_UPDATE=1 cargo test --test integration law` writes it again from what is found.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

/// Something that breaks a rule.
pub(super) struct Finding {
    /// The file, or `file>file`; without spaces.
    pub key: String,
    pub number: usize,
    /// Lines of explanation, for the reader of the failure.
    pub detail: String,
}

/// Findings by key: their numbers are added and their details joined.
pub(super) fn by_key(each: impl IntoIterator<Item = (String, String)>) -> Vec<Finding> {
    let mut found: BTreeMap<String, Finding> = BTreeMap::new();
    for (key, detail) in each {
        let finding = found.entry(key.clone()).or_insert(Finding { key, number: 0, detail: String::new() });
        finding.number += 1;
        let _ = write!(finding.detail, "\n      {detail}");
    }
    found.into_values().collect()
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/integration/law_allow.txt")
}

type Allowed = BTreeMap<(String, String), usize>;

fn parse(text: &str) -> Allowed {
    let line = |line: &str| {
        let [rule, key, number] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("no rule, key, number: {line}")
        };
        ((rule.to_owned(), key.to_owned()), number.parse().unwrap_or_else(|_| panic!("no number: {line}")))
    };
    text.lines().filter(|line| !line.is_empty()).map(line).collect()
}

/// Fails if a rule is broken otherwise than `law_allow.txt` says.
#[track_caller]
pub(super) fn assert_kept(rule: &str, law: &str, findings: &[Finding]) {
    static FILE: Mutex<()> = Mutex::new(());
    let _alone = FILE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut allowed = parse(&fs::read_to_string(path()).unwrap_or_default());
    if std::env::var_os("LAW_UPDATE").is_some() {
        allowed.retain(|(of, _), _| of != rule);
        allowed.extend(findings.iter().map(|finding| ((rule.to_owned(), finding.key.clone()), finding.number)));
        let mut text = String::new();
        for ((rule, key), number) in &allowed {
            let _ = writeln!(text, "{rule} {key} {number}");
        }
        fs::write(path(), text).unwrap();
        return;
    }
    let report = differences(rule, findings, &allowed);
    assert!(report.is_empty(), "\n{rule}: {law}\n{report}");
}

fn differences(rule: &str, findings: &[Finding], allowed: &Allowed) -> String {
    let mut out = String::new();
    let mut spent: BTreeMap<&str, usize> =
        allowed.iter().filter(|((of, _), _)| of == rule).map(|((_, key), number)| (key.as_str(), *number)).collect();
    for Finding { key, number, detail } in findings {
        let allowed = spent.remove(key.as_str()).unwrap_or(0);
        if *number > allowed {
            let _ = writeln!(out, "  {key}: {number}, allowed {allowed}{detail}");
        } else if *number < allowed {
            let _ = writeln!(out, "  {key}: {number}, allowed {allowed}: the allowance must shrink");
        }
    }
    for (key, allowed) in spent {
        let _ = writeln!(out, "  {key}: none left, allowed {allowed}: the line must go");
    }
    if out.contains("allowance must shrink") || out.contains("line must go") {
        out.push_str("  (`LAW_UPDATE=1 cargo test --test integration law` rewrites law_allow.txt)\n");
    }
    out
}

#[test]
fn allowances_only_shrink() {
    let allowed = parse("rule a.rs 2\nrule b.rs 1\nother c.rs 5\n");
    let found = |number: usize| by_key((0..number).map(|_| ("a.rs".to_owned(), "here".to_owned())));
    let b = || by_key([("b.rs".to_owned(), "there".to_owned())]);
    let report = |a: usize| differences("rule", &found(a).into_iter().chain(b()).collect::<Vec<_>>(), &allowed);
    assert_eq!(report(2), "");
    assert!(report(3).contains("a.rs: 3, allowed 2\n      here"), "{}", report(3));
    assert!(report(1).contains("a.rs: 1, allowed 2: the allowance must shrink"), "{}", report(1));
    assert!(report(0).contains("a.rs: none left, allowed 2: the line must go"), "{}", report(0));
}

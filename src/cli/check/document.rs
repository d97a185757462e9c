//! The JSON of `check`.

use std::io::{self, Write};

use serde::Serialize;

use super::Checked;
use super::many::Totals;
use crate::cli::json;
use crate::query::check::{GROUPS, Group, all_rules, group_of};

/// Verdicts, pair by pair and rule by rule.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "check"))]
pub(in crate::cli) struct CheckDocument<'c> {
    /// Number of findings in all pairs; a pair lists at most twenty results of a rule. If there are any, the exit code is 3.
    findings: usize,
    pairs: &'c [Checked],
}

/// The rules of `check`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "check_rules"))]
pub(in crate::cli) struct RulesDocument {
    rules: Vec<RuleJson>,
    groups: &'static [Group],
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "rule"))]
struct RuleJson {
    rule: &'static str,
    /// Group that it belongs to.
    group: &'static str,
    about: &'static str,
}

impl RulesDocument {
    pub(super) fn new() -> Self {
        Self {
            rules: all_rules().map(|(rule, about)| RuleJson { rule, group: group_of(rule), about }).collect(),
            groups: GROUPS,
        }
    }
}

pub(super) fn write(out: &mut impl Write, all: &[Checked], totals: &Totals) -> io::Result<()> {
    json::write(out, &CheckDocument { findings: totals.findings, pairs: all })
}

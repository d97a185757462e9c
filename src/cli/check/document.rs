//! The JSON of `check`.

use std::io::{self, Write};

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::Checked;
use super::many::Totals;
use super::report::{GalleryVerdict, Outcome};
use crate::cli::dump::SpaceJson;
use crate::cli::json;
use crate::cli::values::Version;
use crate::query::check::package::LeftOut;
use crate::query::check::{GROUPS, Remark, all_rules, group_of};

/// Verdicts, pair by pair and rule by rule.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "check"))]
pub(in crate::cli) struct Document<'c> {
    schema: Version,
    /// Number of findings in all pairs; a pair lists at most twenty remarks of a rule. If there are any, the exit code is 3.
    findings: usize,
    pairs: Vec<PairJson<'c>>,
}

/// The rules of `check`.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "check_rules"))]
pub(in crate::cli) struct RulesDocument {
    schema: Version,
    rules: Vec<RuleJson>,
    groups: Vec<GroupJson>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "rule"))]
struct RuleJson {
    rule: &'static str,
    /// Group that it belongs to.
    group: &'static str,
    about: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "rule_group"))]
struct GroupJson {
    group: &'static str,
    about: &'static str,
}

impl RulesDocument {
    pub(super) fn new() -> Self {
        Self {
            schema: Version,
            rules: all_rules().map(|(rule, about)| RuleJson { rule, group: group_of(rule), about }).collect(),
            groups: GROUPS.iter().map(|group| GroupJson { group: group.id, about: group.about }).collect(),
        }
    }
}

/// One of the pairs; without `findings` and `remarks` if it was not checked.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "checked_pair"))]
struct PairJson<'c> {
    /// Path or address (`Acme.nupkg!lib/net8.0/Acme.dll`) of the image, or of symbols that are alone.
    path: String,
    /// Reason why it was not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<&'c LeftOut>,
    /// Reason why it cannot be read: the exit code is 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'c str>,
    /// Answer that the NuGet gallery would give, for a package: then `image` is the package with the assemblies and `symbols` the one with
    /// their symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'c GalleryVerdict>,
    /// Path or address of the image.
    image: Option<&'c str>,
    /// Path or address of the symbols; that of the image, where they are embedded in it.
    symbols: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<usize>,
    /// Number of findings that `info` and `list` have; absent unless a policy (`--deny`, `--warn`, `--allow`, `pdblens.toml`) changes what
    /// is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings_without_policy: Option<usize>,
    /// Files and streams that spans are in; absent for a package.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    spaces: &'c [SpaceJson],
    #[serde(skip_serializing_if = "Option::is_none")]
    remarks: Option<Vec<&'c Remark>>,
}

impl<'c> PairJson<'c> {
    fn of(checked: &'c Checked) -> Self {
        let path = checked.path.display().to_string();
        let none = Self {
            path,
            skipped: None,
            error: None,
            verdict: None,
            image: None,
            symbols: None,
            findings: None,
            findings_without_policy: None,
            spaces: &[],
            remarks: None,
        };
        match &checked.outcome {
            Outcome::Skipped(why) => Self { skipped: Some(why), ..none },
            Outcome::Unreadable(why) => Self { error: Some(why), ..none },
            Outcome::Pair(pair) | Outcome::Package(pair, _) => Self {
                verdict: match &checked.outcome {
                    Outcome::Package(_, verdict) => Some(verdict),
                    _ => None,
                },
                image: pair.image.as_deref(),
                symbols: pair.symbols.as_deref(),
                findings: Some(pair.findings),
                findings_without_policy: pair.findings_without_policy,
                spaces: &pair.spaces,
                remarks: Some(pair.remarks.iter().map(|located| &located.remark).collect()),
                ..none
            },
        }
    }
}

pub(super) fn write(out: &mut impl Write, all: &[Checked], totals: &Totals) -> io::Result<()> {
    let pairs = all.iter().map(PairJson::of).collect();
    json::write(out, &Document { schema: Version, findings: totals.findings, pairs })
}

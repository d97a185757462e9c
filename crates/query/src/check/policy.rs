//! Policy of a build pipeline: rules that fail it, rules that are only reported, and rules that are left out.

use std::collections::HashMap;

use super::package::RULES as PACKAGE_RULES;
use crate::quality::{self, Threshold};
use pdblens_session::session::Session;
use pdblens_session::source::SourceOptions;

use super::{Grade, LAST_RULES, METHOD_RULES, PORTABLE_RULES, RULES, Remark};

/// A set of rules with a name.
#[derive(Debug, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "rule_group"))]
pub struct Group {
    /// Its name, which does not change.
    #[serde(rename = "group")]
    pub id: &'static str,
    /// Subject of the rules.
    pub about: &'static str,
    #[serde(skip)]
    rules: &'static [&'static str],
}

/// The group of every rule about the content of the symbols.
const LINT: &str = "lint";
const PACKAGE: &str = "package";

/// Rule of the least shares that a project asks for: its id, its group and its condition.
pub(crate) const QUALITY: (&str, &str) =
    ("quality", "points, names and lines are as many as [quality] in pdblens.toml asks for");

/// The groups. Each rule is in one.
pub const GROUPS: &[Group] = &[
    Group {
        id: "pair",
        about: "image and PDB match and can be read",
        // And every rule about the pair that no list names.
        rules: &["budget"],
    },
    Group {
        id: "sources",
        about: "a debugger finds the sources and can verify them",
        rules: &[
            "source-link",
            "embedded-source",
            "untracked",
            "source-reachable",
            "source-hash",
            "source-line-ends",
            "generated-source",
            "document-hash",
            "source-hash-strong",
        ],
    },
    Group {
        id: "deterministic",
        about: "the build is repeatable and reveals nothing about the build machine",
        rules: &["deterministic", "paths", "compiler", "compiler-flags"],
    },
    Group {
        id: PACKAGE,
        about: "the NuGet gallery accepts the package, and a debugger can use its symbols",
        rules: &[PACKAGE],
    },
    Group { id: QUALITY.0, about: "the symbols cover enough of the code", rules: &[QUALITY.0] },
    Group { id: LINT, about: "the symbols are well-formed: every rule that is in no other group", rules: &[LINT] },
];

pub fn group_of(rule: &str) -> &'static str {
    if PACKAGE_RULES.iter().any(|known| known.id == rule) {
        return PACKAGE;
    }
    if let Some(group) = GROUPS.iter().find(|group| group.rules.contains(&rule)) {
        return group.id;
    }
    match GROUPS.first() {
        Some(of_pair) if RULES.iter().any(|known| known.id == rule) => of_pair.id,
        _ => LINT,
    }
}

/// Id and description of every rule.
pub fn all_rules() -> impl Iterator<Item = (&'static str, &'static str)> {
    let pair = RULES.iter().map(|rule| (rule.id, rule.about));
    let package = PACKAGE_RULES.iter().map(|rule| (rule.id, rule.about));
    let last = LAST_RULES.iter().map(|rule| (rule.id, rule.about));
    pair.chain(last)
        .chain([QUALITY])
        .chain(package)
        .chain(METHOD_RULES.iter().copied())
        .chain(PORTABLE_RULES.iter().map(|rule| (rule.id, rule.about)))
}

/// Treatment of a rule, or of a group of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Left out.
    Allow,
    /// A note: told, and no reason to fail.
    Warn,
    /// A finding: a reason to fail, even where it is only worth knowing.
    Deny,
}

/// Treatment of each rule that differs from the rule's own grade.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    levels: HashMap<String, Level>,
    /// Least shares, in percent.
    pub thresholds: Vec<Threshold>,
}

impl Policy {
    /// Adds the treatment of a rule or group, of several the strictest; false if there is none of this name.
    pub fn set(&mut self, name: &str, level: Level) -> bool {
        let known = GROUPS.iter().any(|group| group.id == name) || all_rules().any(|(id, _)| id == name);
        if known {
            let now = self.levels.entry(name.to_owned()).or_insert(level);
            if level as u8 > *now as u8 {
                *now = level;
            }
        }
        known
    }

    /// The same policy with another treatment of some rules and groups.
    #[must_use]
    pub fn with<'l>(&self, levels: impl IntoIterator<Item = &'l (String, Level)>) -> Self {
        let mut changed = self.clone();
        changed.levels.extend(levels.into_iter().cloned());
        changed
    }

    /// Treatment of a rule: its own before that of its group.
    fn level(&self, rule: &str) -> Option<Level> {
        self.levels.get(rule).or_else(|| self.levels.get(group_of(rule))).copied()
    }

    /// Adds the remarks on shares that are below their thresholds. An image without its PDB has a remark of another rule.
    pub fn measure(&self, session: &Session, sources: &SourceOptions, remarks: &mut Vec<Remark>) {
        if !self.thresholds.is_empty()
            && let Ok(quality) = quality::summary(session, sources, 0)
        {
            remarks.extend(quality::below(&quality, &self.thresholds));
        }
    }

    /// Grades the remarks again, leaves out those of allowed rules, and sorts the findings before the others.
    pub fn apply(&self, remarks: &mut Vec<Remark>) {
        remarks.retain(|remark| remark.grade == Grade::Good || self.level(remark.rule) != Some(Level::Allow));
        for remark in remarks.iter_mut().filter(|remark| remark.grade != Grade::Good) {
            match self.level(remark.rule) {
                Some(Level::Deny) => remark.grade = Grade::Finding,
                Some(Level::Warn) => remark.grade = Grade::Note,
                Some(Level::Allow) | None => {}
            }
        }
        remarks.sort_by_key(|remark| remark.grade != Grade::Finding);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remarks() -> Vec<Remark> {
        let remark = |rule, grade| Remark { rule, grade, sentence: String::new(), place: None, span: None, count: 1 };
        vec![
            remark("id", Grade::Finding),
            remark("paths", Grade::Note),
            remark("compiler", Grade::Note),
            remark("read", Grade::Good),
        ]
    }

    fn grades(set: &[(&str, Level)]) -> Vec<(&'static str, Grade)> {
        let (mut policy, mut all) = (Policy::default(), remarks());
        assert!(set.iter().all(|(name, level)| policy.set(name, *level)), "{set:?}");
        policy.apply(&mut all);
        all.iter().map(|remark| (remark.rule, remark.grade)).collect()
    }

    #[test]
    fn a_rule_comes_before_its_group() {
        use Grade::{Finding, Good, Note};
        assert_eq!(grades(&[]), [("id", Finding), ("paths", Note), ("compiler", Note), ("read", Good)]);
        assert_eq!(
            grades(&[("deterministic", Level::Deny), ("paths", Level::Allow), ("pair", Level::Warn)]),
            [("compiler", Finding), ("id", Note), ("read", Good)]
        );
        assert_eq!(grades(&[("paths", Level::Allow), ("paths", Level::Deny)])[1], ("paths", Finding));
        assert!(!Policy::default().set("no-such-rule", Level::Deny));
    }

    #[test]
    fn every_rule_of_a_group_exists() {
        let known: Vec<_> = all_rules().map(|(id, _)| id).collect();
        for group in GROUPS {
            assert!(
                group.rules.iter().all(|rule| [LINT, PACKAGE].contains(rule) || known.contains(rule)),
                "{}",
                group.id
            );
        }
        assert_eq!(group_of("point-boundary"), LINT);
    }
}

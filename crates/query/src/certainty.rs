//! Certainty of an answer: every judgement is known, derived, open or not known.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "certainty"))]
pub enum Certainty {
    /// An id, a table or a record of the runtime says so.
    Known,
    /// A rule whose hit rate was measured says so, or evidence of that name.
    Derived(&'static str),
    /// There are several answers.
    Open,
    /// Nothing at hand decides it; this would.
    NotKnown(&'static str),
}

impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known => f.write_str("known: a table, an id or a recording says so"),
            Self::Derived(rule) => write!(f, "derived, by the rule {rule}"),
            Self::Open => f.write_str("open: several answers are possible"),
            Self::NotKnown(what) => write!(f, "not known; it takes {what}"),
        }
    }
}

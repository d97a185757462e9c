//! Sentences with a code, which a script can compare.

use std::fmt;

use serde::Serialize;

/// A sentence, and the code of what it says. The sentence may change in any version, the code does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "reason"))]
#[non_exhaustive]
pub struct Reason {
    /// Code of the sentence: `no-pdb`, `unexpected-end`.
    pub reason: &'static str,
    /// The sentence, for people.
    pub text: String,
}

impl Reason {
    /// The sentence `text` with its code.
    pub fn new(reason: &'static str, text: impl Into<String>) -> Self {
        Self { reason, text: text.into() }
    }

    /// The most important of several, as a sentence; empty without one.
    pub fn first(reasons: &[Self]) -> &str {
        reasons.first().map_or("", |reason| &reason.text)
    }

    /// The sentences of several, joined by `; `.
    pub fn joined(reasons: &[Self]) -> String {
        reasons.iter().map(|reason| reason.text.as_str()).collect::<Vec<_>>().join("; ")
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

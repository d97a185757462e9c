//! Outcomes of the check of a text.

use std::borrow::Cow;

/// Outcome of the check of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "statement_proof"))]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// The text does what the IL does.
    Proved,
    /// The text has a form that is not checked.
    #[default]
    Undecided,
    /// The text does something else, or no rule says that it does the same.
    Refused,
}

impl Proof {
    /// `proved`, `undecided` or `refused`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Undecided => "undecided",
            Self::Refused => "refused",
        }
    }
}

/// The reason for which a check ends early.
#[derive(Debug)]
pub(super) struct Stop(pub Proof, pub Cow<'static, str>);

pub(super) type Proven<T> = Result<T, Stop>;

impl Stop {
    pub fn refused(reason: impl Into<Cow<'static, str>>) -> Self {
        Self(Proof::Refused, reason.into())
    }
}

pub(super) fn undecided(form: impl Into<Cow<'static, str>>) -> Stop {
    Stop(Proof::Undecided, form.into())
}

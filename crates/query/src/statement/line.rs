//! The statement of a point, as it is shown.

use std::borrow::Cow;

use super::readback::Proof;

/// The statement of one visible point.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "reconstructed_statement"))]
pub struct Statement {
    /// One line of C#.
    #[serde(rename = "statement")]
    pub text: String,
    /// True if the text is proved: it does what the IL of the point does.
    pub whole: bool,
    /// True if the text is exactly as wide as the span of the point.
    pub fits: bool,
    /// Outcome of the check of the text against the IL.
    pub proof: Proof,
    /// The rule that the text breaks, or the form of it that is not checked; none for a proved one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Cow<'static, str>>,
    /// A condition the other way round.
    #[serde(skip)]
    pub(super) opposite: Option<String>,
    /// The usual spelling, where that of the text has another width.
    #[serde(skip)]
    pub(super) usual: Option<String>,
}

/// Sign before the calls of a line of native code, which stand for its statement.
pub(super) const CALLS: &str = "→ ";

impl Statement {
    /// True for a text that is not proved to do what its code does.
    pub fn is_doubtful(&self) -> bool {
        !self.whole && !self.text.starts_with(CALLS)
    }

    /// The text, behind `≈` if it is not proved.
    pub fn marked(&self) -> Cow<'_, str> {
        if self.is_doubtful() { format!("≈ {}", self.text).into() } else { self.text.as_str().into() }
    }

    /// The reason why a text is not proved: the rule that it breaks, or the form that is not checked.
    pub fn doubt(&self) -> Option<String> {
        let rule = self.rule.as_deref().unwrap_or("a part is left out");
        self.is_doubtful().then(|| format!("not proved: {rule}"))
    }
}

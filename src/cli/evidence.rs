//! JSON of the evidence beside ids, in the commands that answer from the code.

use serde::Serialize;

use super::Error;
use super::output::{Out, say};
use crate::nodes::rows::Tone;
use crate::query::evidence::{Evidence, evidence, id_warning, mismatch_warning};
use crate::session::Session;
use crate::text::safe::visible;

/// Evidence beside ids: what of the symbols fits the code.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "evidence"))]
pub(super) struct EvidenceJson {
    /// Null if a few methods disagree, as those of a faulty compiler would.
    agrees: Option<bool>,
    /// The evidence in a sentence.
    text: String,
    #[serde(flatten)]
    scores: Evidence,
}

impl EvidenceJson {
    /// Evidence of the open files; nothing where no method has both symbols and code.
    pub(super) fn of(session: &Session) -> Option<Self> {
        let found = evidence(session);
        let text = found.sentence(session.pdb_match())?;
        Some(Self { agrees: found.agrees(), text, scores: found.clone() })
    }
}

/// Prints before an answer that the symbols are of another build.
pub(super) fn print_mismatch(session: &Session, out: &mut Out) -> Result<(), Error> {
    mismatch_warning(session).map_or(Ok(()), |text| out.prose(&[("! ", Tone::Warn)], &[(&text, Tone::Warn)]))
}

/// Prints on standard error that the ids of image and symbols differ, where standard output has a form of its own.
pub(super) fn say_mismatch(session: &Session) {
    if let Some(text) = id_warning(session) {
        say_warning(&text);
    }
}

pub(super) fn say_warning(text: &str) {
    say(&format!("warning: {}", visible(text)));
}

//! JSON of the evidence beside ids, in the commands that answer from the code.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::Error;
use super::output::{Out, say};
use crate::nodes::rows::Tone;
use crate::query::evidence::{Score, evidence, id_warning, mismatch_warning};
use crate::session::Session;
use crate::text::safe::visible;

/// Evidence beside ids: what of the symbols fits the code.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "evidence"))]
pub(super) struct EvidenceJson {
    /// Null if a few methods disagree, as those of a faulty compiler would.
    agrees: Option<bool>,
    sentence: String,
    /// Methods in which everything fits.
    methods: Score,
    /// Points at the start of an instruction.
    points: Score,
    /// Scopes that end inside the code.
    scopes: Score,
    /// Variables with a slot of the local signature.
    slots: Score,
    /// Outermost scopes as long as the code.
    sizes: Score,
}

impl EvidenceJson {
    /// Evidence of the open files; nothing where no method has both symbols and code.
    pub(super) fn of(session: &Session) -> Option<Self> {
        let found = evidence(session);
        let sentence = found.sentence(session.pdb_match())?;
        Some(Self {
            agrees: found.agrees(),
            sentence,
            methods: found.methods,
            points: found.points,
            scopes: found.scopes,
            slots: found.slots,
            sizes: found.sizes,
        })
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

/// Prints a warning on standard error.
pub(super) fn say_warning(text: &str) {
    say(&format!("warning: {}", visible(text)));
}

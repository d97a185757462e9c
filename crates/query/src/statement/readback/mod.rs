//! The check of a statement: its text is parsed, lowered as Roslyn does, and walked beside the IL of its point.
//!
//! The tree that wrote the text is not asked: names, casts and type arguments get lost between tree and text. Both sides are run as
//! stack machines whose values have the same numbers where they are equal. What has an effect is an event (a call, a store, a test, an
//! exit): each event of one side must be the next event of the other. A text is proved if all paths of both sides end alike.

mod arithmetic;
mod calls;
mod invoke;
mod literals;
mod lower;
mod machine;
mod members;
mod names;
mod parse;
mod parse_types;
mod proof;
mod sense;
mod step;
mod text;
mod tokens;
mod type_names;
mod types;
mod values;
mod walk;
mod words;

use std::borrow::Cow;

use super::body::Body;
use super::library::Library;
pub use proof::Proof;
use proof::{Stop, undecided};
use walk::Readback;

/// Checks the text of a point against the IL of its range; of one that is not proved, the rule that it breaks or the form it has.
pub(super) fn check(
    library: &Library<'_>,
    body: &Body<'_>,
    point: usize,
    text: &str,
) -> (Proof, Option<Cow<'static, str>>) {
    let found = (|| {
        if text.contains(['…', '⟨']) {
            return Err(undecided("a placeholder"));
        }
        let statement = text::read(text)?;
        let judge = |is_bitwise| Readback::judge(library, body, point, &statement, is_bitwise);
        match judge(false) {
            Err(stop)
                if stop.0 == Proof::Refused && !body.is_debug() && (text.contains("&&") || text.contains("||")) =>
            {
                judge(true).map_err(|_| stop)
            }
            first => first,
        }
    })();
    match found {
        Ok(()) => (Proof::Proved, None),
        Err(Stop(proof, reason)) => (proof, Some(reason)),
    }
}

//! The check of a statement: its text is parsed, lowered as Roslyn does, and walked beside the IL of its point.
//!
//! The tree that wrote the text is not asked: names, casts and type arguments get lost between tree and text. Both sides are run as
//! stack machines whose values have the same numbers where they are equal. What has an effect is an event (a call, a store, a test, an
//! exit): each event of one side must be the next event of the other. A text is proved if all paths of both sides end alike.

// The arms follow the order of C#'s rules, one a rule, and the names of operands those of the specification (`a`, `b`).
#![allow(
    clippy::assigning_clones,
    clippy::many_single_char_names,
    clippy::match_same_arms,
    clippy::needless_pass_by_value,
    clippy::needless_range_loop,
    clippy::nonminimal_bool,
    clippy::struct_field_names,
    clippy::unnecessary_wraps,
    clippy::unused_self
)]

mod arithmetic;
mod calls;
mod invoke;
mod leave;
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
use machine::Machine;
pub use proof::Proof;
use proof::{Stop, undecided};
use walk::{Mode, Readback};

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
        let machine = Machine::new(library, body, body.ranges[point]);
        let judge = |mode| Readback::judge(&machine, point, &statement, mode);
        let first = judge(Mode::default());
        let is_refused = matches!(&first, Err(stop) if stop.0 == Proof::Refused);
        let has_choice = ["&&", "||", "!", " is "].iter().any(|sign| text.contains(sign));
        if !is_refused || !has_choice {
            return first;
        }
        let others = [(false, true), (true, false), (true, true)];
        let mut others = others.iter().filter(|(is_bitwise, _)| !is_bitwise || !body.is_debug());
        let is_proved = others.any(|(is_bitwise, is_condition)| {
            judge(Mode { is_bitwise: *is_bitwise, is_condition: *is_condition }).is_ok()
        });
        if is_proved { Ok(()) } else { first }
    })();
    match found {
        Ok(()) => (Proof::Proved, None),
        Err(Stop(proof, reason)) => (proof, Some(reason)),
    }
}

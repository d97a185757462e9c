//! The first difference between two readers: the value, the read that it comes from, and the mistake.

use super::Error;
use super::output::Out;
use super::steps::{arithmetic, reason};
use crate::learn;
use crate::learn::course::{Difference, ExpectedAnswer};
use crate::nodes::rows::Tone;
use crate::text::safe::spaced_hex;

/// Bytes of a read that are shown.
const MAX_BYTES: usize = 16;

pub(super) fn print_difference(out: &mut Out, answer: &ExpectedAnswer, found: &Difference) -> Result<(), Error> {
    let Difference { path, given, right, mistake, .. } = found;
    if found.is_refusal() {
        out.prose(&[("  the input is refused: ", Tone::Text)], &[(given, Tone::Bad)])?;
    } else {
        let (path, is, right_is) = ((path.as_str(), Tone::Strong), (" is ", Tone::Text), ("; right is ", Tone::Text));
        out.prose(&[("  ", Tone::Text)], &[path, is, (given, Tone::Bad), right_is, (right, Tone::Ok)])?;
    }
    if let Some((steps, index)) = found.read(answer)
        && let Some(step) = steps.list.get(index)
    {
        let of = if step.record.is_empty() { String::new() } else { format!("{} › ", step.record) };
        let at = format!("read {} of {}, at {:#x}", step.number, steps.reads().count(), step.field.span.start);
        let value = format!("{of}{} = {}", step.field.name, step.field.stored_and_decoded());
        let bytes = spaced_hex(&step.bytes, MAX_BYTES);
        out.prose(
            &[(&format!("  {at}: "), Tone::Dim)],
            &[(&bytes, Tone::Strong), ("  ", Tone::Text), (&value, Tone::Text)],
        )?;
        if let Some(reading) = learn::reading(step) {
            arithmetic(out, &reading)?;
        }
        let changes = step.changes_text().join("; ");
        if !changes.is_empty() {
            out.prose(&[("      ", Tone::Text)], &[(&changes, Tone::Text)])?;
        }
        reason(out, steps, index)?;
    }
    if let Some(mistake) = mistake {
        out.prose(&[("  → ", Tone::Warn)], &[(mistake, Tone::Strong)])?;
    }
    Ok(())
}

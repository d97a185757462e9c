//! Reasons why a field is at its place in a record: what the reads before it decided.

use super::steps::Steps;

/// Reason why the element at `index` of `steps` is read there, in sentences; the sentence of its description where no read
/// before it decides.
pub fn reason(steps: &Steps, index: usize) -> String {
    let Some(step) = steps.list.get(index) else { return String::new() };
    let about = || match step.field.about {
        "" if step.field.is_derived() && step.field.span.is_empty() => COMPUTED,
        "" if step.field.is_derived() => DERIVED,
        about => about,
    };
    of_point(steps, index).unwrap_or_else(|| about().to_owned())
}

/// Reason of a fact that has no sentence of its own.
const DERIVED: &str =
    "A derived value: it is computed from these bytes, or compared with others; no decoder reads it here.";

/// Reason of a fact that has no bytes.
const COMPUTED: &str = "A derived value: it is counted, or computed from other values; no decoder reads it here.";

fn of_point(steps: &Steps, index: usize) -> Option<String> {
    let step = steps.list.get(index)?;
    let number = point_number(steps, index);
    let base = last_visible(steps, index);
    let hidden_since = base.is_some_and(|base| base + 1 < number);
    Some(match (step.record.as_str(), step.field.name.as_str()) {
        ("point", "δ start line" | "δ start column") => {
            let base = base?;
            let not = if hidden_since { format!(", not to point {}, which is hidden", number - 1) } else { String::new() };
            format!(
                "The point is not hidden (Δ lines and Δ columns are not both 0) and not the first visible one: the number is a \
                 signed difference to point {base}{not}."
            )
        }
        ("point", "start line" | "start column") => format!(
            "Point {number} is the first visible one: there is no point that a difference could count from, so the number is \
             absolute and unsigned."
        ),
        ("point", "Δ columns") => match previous(steps, index, "Δ lines")? {
            0 => "Δ lines is 0: the point ends on the line where it begins, so its end column is not before its start column, and \
                  the number is unsigned."
                .to_owned(),
            lines => format!(
                "Δ lines is {lines}: the point ends on another line, where the end column may be less than the start column, so \
                 the number is signed."
            ),
        },
        ("hidden point", "Δ columns") => {
            "Δ lines and Δ columns are both 0: the point is hidden, has no start line, and ends with this byte.".to_owned()
        }
        ("point" | "hidden point", "δ IL offset") if number == 1 && has_base(step) => {
            "Counts from the IL offset of the point before it, hidden or not.".to_owned()
        }
        ("point" | "hidden point", "δ IL offset") if number == 1 => {
            "The first point: its IL offset is absolute, and 0 does not mark a document record here.".to_owned()
        }
        ("point" | "hidden point", "δ IL offset") => {
            format!("Counts from the IL offset of point {}, hidden or not.", number - 1)
        }
        ("header", "initial document") => {
            "The row of MethodDebugInformation names no document, because the method has several: the blob names the first.".to_owned()
        }
        _ => return None,
    })
}

/// Returns true if the read counts from an earlier point, which a record of one point does not list.
fn has_base(step: &super::Step) -> bool {
    step.field.changes.first().is_some_and(|change| change.before.is_some())
}

/// Number of the sequence point, from 1, that the element at `index` belongs to.
pub(super) fn point_number(steps: &Steps, index: usize) -> usize {
    let is_point =
        |step: &&super::Step| step.field.group && matches!(step.field.name.as_str(), "point" | "hidden point");
    steps.list.iter().take(index + 1).filter(is_point).count()
}

/// Number of the last visible point before the one that the element at `index` belongs to.
fn last_visible(steps: &Steps, index: usize) -> Option<usize> {
    let points = steps.list.iter().take(index + 1).filter(|step| step.field.group);
    let names: Vec<&str> =
        points.map(|step| step.field.name.as_str()).filter(|name| matches!(*name, "point" | "hidden point")).collect();
    let before = names.get(..names.len().checked_sub(1)?)?;
    before.iter().rposition(|name| *name == "point").map(|index| index + 1)
}

/// Value of the last field called `name` before `index`.
pub(super) fn previous(steps: &Steps, index: usize, name: &str) -> Option<i64> {
    steps.list.iter().take(index).rfind(|step| step.field.name == name)?.field.number
}

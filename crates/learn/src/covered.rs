//! Steps with covered values: their names and reasons do not give the values away.

use super::reason::{point_number, previous, reason};
use super::steps::{Step, Steps};

/// Name of the records that only the values of a blob tell apart: points, hidden points and changes of the document.
const POINT: &str = "point";

impl Steps {
    /// The title without the values of the record: `point 3`, not `point 3 · IL_0006 hidden`, and `MemberRef/7` without the name.
    pub fn covered_title(&self) -> &str {
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_record = |before: &str| before.rsplit_once(['/', ' ']).is_some_and(|(_, number)| is_number(number));
        let before = self.title.split_once(" · ").map(|(before, _)| before);
        before.filter(|before| is_record(before)).unwrap_or(&self.title)
    }

    /// Name of the group at `index`, or of the innermost group around the read there, without what its values decide.
    pub fn covered_record(&self, index: usize) -> &str {
        let Some(step) = self.list.get(index) else { return "" };
        let name = if step.field.group { step.field.name.as_str() } else { step.record.as_str() };
        if self.is_point(index, name) { POINT } else { name }
    }

    /// Returns true if the element at `index` belongs to a record of a sequence points blob, which is called `name`.
    fn is_point(&self, index: usize, name: &str) -> bool {
        match name {
            "point" | "hidden point" => true,
            "document" => {
                let group = self.list.iter().take(index + 1).rposition(|step| step.field.group);
                let first = group.and_then(|group| self.list.get(group + 1));
                first.is_some_and(|first| first.field.name == "δ IL offset")
            }
            _ => false,
        }
    }
}

/// Text in the place of a value that a sentence tells.
pub(crate) const COVER: &str = "[?]";
/// Digits from which a number in a sentence is taken for the value rather than for another one.
const MIN_DIGITS: usize = 3;

/// `text` with a cover in the place of the number that `step` reads, where it is a word of the text.
pub(crate) fn without_value(text: &str, step: &Step) -> String {
    let mut out = text.to_owned();
    if step.field.number.is_none() {
        return out;
    }
    let value = step.field.value.split_whitespace().next().unwrap_or_default().to_owned();
    let raw = step.raw.map(|raw| raw.to_string());
    for number in raw.into_iter().chain([value]).filter(|number| number.len() >= MIN_DIGITS) {
        let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let ends = |at: usize| (out.get(..at), out.get(at + number.len()..));
        let is_word = |at: &usize| {
            let (before, after) = ends(*at);
            !is_part(before.and_then(|text| text.chars().next_back()))
                && !is_part(after.and_then(|text| text.chars().next()))
        };
        let found: Vec<usize> = out.match_indices(&number).map(|(at, _)| at).filter(is_word).collect();
        for at in found.into_iter().rev() {
            out.replace_range(at..at + number.len(), COVER);
        }
    }
    out
}

/// Reason why the element at `index` is read there, from the reads before it alone.
pub fn covered_reason(steps: &Steps, index: usize) -> String {
    steps.list.get(index).map_or_else(String::new, |step| without_value(&reason_before(steps, index), step))
}

fn reason_before(steps: &Steps, index: usize) -> String {
    let Some(step) = steps.list.get(index) else { return String::new() };
    let record = step.record.as_str();
    if !steps.is_point(index, record) {
        return reason(steps, index);
    }
    // The record of a document is no point, and has no number.
    let number = point_number(steps, index) + usize::from(record == "document");
    match step.field.name.as_str() {
        "δ IL offset" if number > 1 => {
            format!("Counts from the IL offset of point {}, hidden or not; 0 marks a document record.", number - 1)
        }
        "Δ lines" => "End line minus start line; a hidden point has 0 here, and 0 columns after it.".to_owned(),
        "Δ columns" if previous(steps, index, "Δ lines") == Some(0) => {
            "Δ lines is 0: the number is unsigned. 0 here marks a hidden point, which ends with this byte; any other number is \
             followed by a start line."
                .to_owned()
        }
        _ => reason(steps, index),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Codec;
    use crate::steps;
    use pdblens_session::session::Session;

    fn published() -> Steps {
        // A visible point, a hidden one, and a change of the document.
        let codec = Codec::named("points").unwrap();
        let text = "locals 20; IL_0000 19:5-19:6; IL_0001 hidden; document 2; IL_0003 20:9-20:12";
        codec.decode(&codec.encode(text).unwrap()).steps
    }

    #[test]
    fn covered_records_do_not_tell_what_they_are() {
        let published = published();
        for (index, step) in published.list.iter().enumerate() {
            let (record, why) = (published.covered_record(index), covered_reason(&published, index));
            assert!(record == "header" || record == "point", "{record}");
            assert!(
                !why.contains("are both 0") && !why.contains("0 lines and 0 columns"),
                "{}: {why}",
                step.field.name
            );
        }
        let hidden =
            published.list.iter().position(|step| step.record == "hidden point" && step.field.name == "Δ columns");
        assert!(reason(&published, hidden.unwrap()).contains("both 0"));
        let session = Session::sample();
        let point = steps(&session, "method/0x06000003/points/1".parse().unwrap()).unwrap();
        assert!(point.title.starts_with("point 1 · IL_"), "{}", point.title);
        assert_eq!(point.covered_title(), "point 1");
        let row = steps(&session, "table/MemberRef/1".parse().unwrap()).unwrap();
        assert_eq!(row.covered_title(), "MemberRef/1");
        let method = steps(&session, "method/0x06000003/points".parse().unwrap()).unwrap();
        assert_eq!(method.covered_title(), method.title);
    }
}

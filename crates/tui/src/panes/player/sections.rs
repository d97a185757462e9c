//! Sections of the player, as lines of toned text.

use crate::ui::text::wrap;
use crate::ui::theme::Role;
use pdblens_learn::covered::covered_reason;
use pdblens_learn::reading::{BitRole, ReadingRow, covered_rows};
use pdblens_learn::steps::notation;
use pdblens_learn::{self as learn, Steps, paragraph};
use pdblens_session::text::safe::spaced_hex;

/// Text in parts, each with its role.
pub(super) type SectionLine = Vec<(Role, String)>;

pub(super) struct PlayerSection {
    pub title: SectionLine,
    pub lines: Vec<SectionLine>,
    /// True in the right column, where there are two.
    pub right: bool,
    /// True if only a pane of two columns has room for it.
    pub optional: bool,
}

/// Cells between bits in large type.
const WIDE_GAP: usize = 3;
/// Text in the place of a hidden value.
pub(super) const HIDDEN: &str = "?";

fn dim(text: impl Into<String>) -> (Role, String) {
    (Role::Dim, text.into())
}

fn plain(text: impl Into<String>) -> (Role, String) {
    (Role::Text, text.into())
}

/// The current step in one line: its records, its field, its number.
pub(super) fn heading(steps: &Steps, index: usize, hides: bool) -> SectionLine {
    let Some(step) = steps.list.get(index) else { return Vec::new() };
    let last = steps.reads().count();
    let record = if hides { steps.covered_record(index) } else { &step.record };
    let record = if record.is_empty() { String::new() } else { format!("{record} › ") };
    let mut line = vec![
        dim("Step "),
        (Role::Strong, format!("{}", step.number)),
        dim(format!(" of {last}  ")),
        plain(record),
        (Role::Strong, step.field.name.clone()),
    ];
    if step.field.span.is_empty() {
        line.push(dim("  derived"));
    } else {
        line.push(dim(format!("  {:#x}  ", step.field.span.start)));
        line.push((Role::Number, spaced_hex(&step.bytes, 12)));
    }
    if hides {
        line.push((Role::Warn, "  answers hidden".to_owned()));
    }
    line
}

/// Bytes around those of the current step, which are in brackets.
pub(super) fn bytes(steps: &Steps, reads: &[usize], index: usize, width: usize) -> SectionLine {
    let of = |read: &usize| steps.list.get(*read).map_or(&[][..], |step| step.bytes.as_slice());
    let at = reads.iter().position(|read| *read == index).unwrap_or(0);
    let most = (width / 3).saturating_sub(3).max(1);
    let own: Vec<u8> = of(&index).iter().copied().take(most).collect();
    let (before, after) = ((most - own.len()) / 3, most - own.len());
    let (lead, rest) = reads.split_at_checked(at).unwrap_or((reads, &[]));
    let mut ahead: Vec<u8> = lead.iter().rev().flat_map(|read| of(read).iter().rev()).copied().take(before).collect();
    ahead.reverse();
    let behind = rest.iter().skip(1).flat_map(of).copied().take(after - ahead.len());
    let behind: Vec<u8> = behind.collect();
    vec![
        dim("Bytes  "),
        (Role::Dim, format!("{} ", spaced_hex(&ahead, most))),
        (Role::Strong, format!("[{}]", spaced_hex(&own, most))),
        (Role::Dim, format!(" {}", spaced_hex(&behind, most))),
    ]
}

/// State of the decoder before and after the step; `whole` adds what the step does not change.
pub(super) fn state(steps: &Steps, index: usize, hides: bool, whole: bool) -> PlayerSection {
    let (before, after) = (steps.state_after(index), steps.state_after(index + 1));
    let wide = after.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
    // The value decides if the later changes are there: whether a point is complete.
    let shown = if hides { 1 } else { usize::MAX };
    let changed: Vec<&str> = steps
        .list
        .get(index)
        .map(|step| step.field.changes.iter().take(shown).map(|change| change.state.name).collect())
        .unwrap_or_default();
    let changes = |name: &str| changed.contains(&name);
    let is_known = |name: &str| !hides || changes(name) || before.iter().any(|(other, ..)| *other == name);
    let one = |(name, show, value): &(&'static str, pdblens_formats::bytes::Show, i64)| {
        let change = steps.list.get(index).and_then(|step| step.field.changes.iter().find(|at| at.state.name == *name));
        let known = before.iter().find(|(other, ..)| other == name).map(|(.., value)| *value);
        let old = change.map_or(known, |change| change.before);
        let mut line = vec![dim(format!("{name:wide$}  "))];
        let old = old.map(|old| notation(*show, old));
        if !changes(name) {
            line.push((Role::Mute, format!("{:>10}", old.unwrap_or_default())));
            return line;
        }
        let new = if hides { HIDDEN.to_owned() } else { notation(*show, *value) };
        // As the log has it: a value that was not there before has no arrow.
        let sign = if old.is_some() { "  →  " } else { "  =  " };
        line.push(plain(format!("{:>10}", old.unwrap_or_default())));
        line.extend([dim(sign), (Role::Accent, new)]);
        line
    };
    let mut lines: Vec<SectionLine> =
        after.iter().filter(|(name, ..)| is_known(name) && (whole || changes(name))).map(one).collect();
    // A record without a state has no such section.
    if lines.is_empty() && !steps.state_after(usize::MAX).is_empty() {
        lines.push(vec![dim(if after.is_empty() { "no state yet" } else { "unchanged" })]);
    }
    PlayerSection {
        title: vec![dim("State of the decoder  "), (Role::Mute, "before → after".to_owned())],
        lines,
        right: true,
        optional: false,
    }
}

/// The arithmetic from the bytes to the value, its bits apart where there is room.
///
/// `covered` is the line in the place of a hidden value.
pub(super) fn read(steps: &Steps, index: usize, covered: Option<&str>, width: usize, large: bool) -> PlayerSection {
    let Some(step) = steps.list.get(index) else {
        return PlayerSection { title: Vec::new(), lines: Vec::new(), right: false, optional: false };
    };
    let reading = learn::reading(step).unwrap_or_default();
    let title = if reading.title.is_empty() { step.form().to_owned() } else { reading.title.clone() };
    let form = paragraph::of_form(step.field.read).map_or_else(String::new, |form| format!("  {form}"));
    let with_bits = reading.rows.iter().filter(|row| !row.bits.is_empty());
    let label = with_bits.map(|row| row.label.chars().count()).max().unwrap_or(0);
    // The value follows with its meaning.
    let rows = reading.rows.iter().filter(|row| !row.bits.is_empty() || row.label != "value");
    let shown: Vec<ReadingRow> = if covered.is_some() { covered_rows(step) } else { rows.cloned().collect() };
    let bits = reading.rows.iter().map(|row| row.bits.len() + usize::from(row.indent)).max().unwrap_or(0);
    let gap = if large && label + bits * (WIDE_GAP + 1) < width { WIDE_GAP } else { 1 };
    let mut lines: Vec<SectionLine> = shown.iter().flat_map(|row| row_lines(row, label, width, gap)).collect();
    if let Some(text) = covered {
        lines.push(vec![(Role::Warn, format!("{HIDDEN}  {text}"))]);
    } else {
        let meaning = if step.field.meaning.is_empty() { String::new() } else { format!("  {}", step.field.meaning) };
        let value = step.field.stored_and_decoded().into_owned();
        let room = width.saturating_sub(label + 2).max(16);
        if value.chars().count() + meaning.chars().count() <= room {
            lines.push(vec![dim(format!("{:label$}  ", "value")), (Role::Strong, value), plain(meaning)]);
        } else {
            let meaning = wrap(&meaning, room).into_iter().filter(|line| !line.is_empty()).map(plain);
            let parts = wrap(&value, room).into_iter().map(|line| (Role::Strong, line)).chain(meaning);
            let name = |index: usize| if index == 0 { "value" } else { "" };
            lines.extend(parts.enumerate().map(|(index, part)| vec![dim(format!("{:label$}  ", name(index))), part]));
        }
    }
    let verb = if step.field.is_derived() { "Found" } else { "Read" };
    PlayerSection {
        title: vec![dim(format!("{verb}  {title}")), (Role::Mute, form)],
        lines,
        right: false,
        optional: false,
    }
}

/// A row of a reading, its bits `gap` cells apart; its words are on a line of their own where they do not fit beside the bits.
fn row_lines(row: &ReadingRow, label: usize, width: usize, gap: usize) -> Vec<SectionLine> {
    if row.bits.is_empty() {
        return vec![vec![dim(format!("{}  ", row.label)), plain(row.text.clone())]];
    }
    let mut lines = bit_lines(row, label, width, gap);
    let used: usize = lines.last().into_iter().flatten().map(|(_, text)| text.chars().count()).sum();
    if used + row.text.chars().count() <= width {
        lines.last_mut().into_iter().for_each(|line| line.push(plain(row.text.clone())));
        return lines;
    }
    let words = wrap(&row.text, width.saturating_sub(label + 2).max(16));
    lines.extend(words.into_iter().map(|text| vec![plain(format!("{:label$}  {text}", ""))]));
    lines
}

/// The bits of a row, as many whole bytes on a line as there is room for: bits of rows below each other stay below each other.
fn bit_lines(row: &ReadingRow, label: usize, width: usize, gap: usize) -> Vec<SectionLine> {
    const BYTE: usize = 8;
    let room = width.saturating_sub(label + 2) / (BYTE * (gap + 1) + 1);
    let per_line = room.max(1) * BYTE;
    let indent = usize::from(row.indent);
    let mut lines = vec![vec![dim(format!("{:label$}  ", row.label)), plain(" ".repeat(indent * (gap + 1)))]];
    for (index, bit) in row.bits.iter().enumerate() {
        let is_last_of_byte = (row.bits.len() - index - 1).is_multiple_of(BYTE);
        let gap = " ".repeat(gap + usize::from(is_last_of_byte));
        let role = match bit.role {
            BitRole::Prefix | BitRole::Unused => Role::Mute,
            BitRole::Payload => Role::Number,
            BitRole::Sign => Role::Warn,
        };
        if index > 0 && (indent + index).is_multiple_of(per_line) {
            lines.push(vec![dim(format!("{:label$}  ", ""))]);
        }
        lines.last_mut().into_iter().for_each(|line| line.push((role, format!("{}{gap}", bit.digit()))));
    }
    lines
}

/// Reason why the field is there, and the paragraph of the specification.
pub(super) fn reason(paragraph: Option<&str>, steps: &Steps, index: usize, hides: bool, width: usize) -> PlayerSection {
    let why = if hides { covered_reason(steps, index) } else { learn::reason(steps, index) };
    let mut lines: Vec<SectionLine> = wrap(&why, width).into_iter().map(|line| vec![plain(line)]).collect();
    if let Some(paragraph) = paragraph {
        lines.push(vec![(Role::Comment, paragraph.to_owned())]);
    }
    PlayerSection { title: vec![dim("Why this field is here")], lines, right: false, optional: false }
}

/// Sequence points that are complete, at most the `most` last ones of `total`.
pub(super) fn output(steps: &Steps, index: usize, hides: bool, most: usize, total: usize) -> PlayerSection {
    let count = if hides { index } else { index + 1 };
    let points = steps.points_after(count);
    let first = points.len().saturating_sub(most);
    let line = |(at, text): (usize, &String)| vec![dim(format!("{:>4}  ", at + 1)), plain(text.clone())];
    let lines = points.iter().enumerate().skip(first).map(line).collect();
    let title = vec![dim("Out  points so far  "), (Role::Mute, format!("{}/{total}", points.len()))];
    PlayerSection { title, lines, right: true, optional: true }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_learn::reading::Bit;

    /// The lowest bits tell the value: none may be outside of the pane.
    #[test]
    fn bits_that_do_not_fit_on_a_line_are_on_the_next() {
        let bits =
            |count: u8| (0..count).map(|at| Bit { set: at % 3 == 0, role: BitRole::Payload }).collect::<Vec<_>>();
        for (count, indent) in [(8, 0), (16, 0), (29, 3), (32, 0), (64, 0)] {
            let row = ReadingRow { label: "bytes".to_owned(), bits: bits(count), indent, text: String::new() };
            for (width, gap) in [(20, 1), (40, 1), (80, 1), (200, 1), (80, 3)] {
                let lines = row_lines(&row, 7, width, gap);
                let texts: Vec<String> =
                    lines.iter().map(|line| line.iter().map(|(_, text)| text.as_str()).collect()).collect();
                let digits = texts.concat().chars().filter(char::is_ascii_digit).count();
                assert_eq!(digits, usize::from(count), "{texts:?}");
                let longest = texts.iter().map(|text| text.trim_end().chars().count()).max().unwrap();
                assert!(longest <= width.max(7 + 2 + 8 * (gap + 1)), "{width} {gap}: {texts:?}");
            }
        }
    }
}

//! All that is known of one field: what it is, its bits, its derivation, its reason, its paragraph, and what refers to it.

use super::referring::referring;
use super::steps::Steps;
use super::{derive, paragraph, reason};
use crate::bytes::Span;
use crate::nodes::fields::Fields;
use crate::nodes::{self, Place};
use crate::session::Session;
use crate::text::safe::spaced_hex;

/// The most rows that are named as referring to an entry.
const MAX_REFS: usize = 12;

/// A heading and the lines below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Noun phrase.
    pub heading: &'static str,
    /// Sentences, or rows of bits with a label; a tab is before the words of a row.
    pub lines: Vec<String>,
}

/// The field that was asked for.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// Name of the field and its record.
    pub title: String,
    /// Sections, the most important first; none is empty.
    pub sections: Vec<Section>,
    /// Place that the value leads to.
    pub to: Option<Place>,
}

/// Explains the field of `fields`, the record at `place`, that has the first byte of `part`; the first one without it.
pub fn about(session: &Session, place: Place, fields: &Fields, part: Option<Span>) -> Explanation {
    let read = |span| session.spaces().read(span).map(|bytes| bytes.to_vec()).unwrap_or_default();
    let steps = Steps::of(fields, read).at(place);
    let has = |span: Span| part.is_some_and(|part| span.space == part.space && span.contains(part.start));
    let of_part = steps.list.iter().position(|step| !step.field.group && has(step.field.span));
    let Some(index) = of_part.or_else(|| steps.list.iter().position(|step| !step.field.group)) else {
        return Explanation::default();
    };
    let Some(step) = steps.list.get(index) else { return Explanation::default() };
    let field = &step.field;
    let mut about =
        Explanation { title: format!("{} · {}", field.name, steps.title), to: field.to, ..Explanation::default() };
    let mut add = |heading, lines: Vec<String>| {
        let lines: Vec<String> = lines.into_iter().filter(|line| !line.trim().is_empty()).collect();
        if !lines.is_empty() {
            about.sections.push(Section { heading, lines });
        }
    };
    let record = if step.record.is_empty() { String::new() } else { format!("Part of: {}.", step.record) };
    add("what it is", vec![field.about.to_owned(), record]);
    let stored = match &field.stored {
        Some((stored, decoded)) => format!("stored {stored} → decoded {decoded}"),
        None => field.value.clone(),
    };
    let meaning = if field.meaning.is_empty() { String::new() } else { format!("  {}", field.meaning) };
    let form = if step.form().is_empty() { "derived: computed, not read".to_owned() } else { step.form().to_owned() };
    let at = nodes::span_text(session, field.span);
    add("value", vec![format!("{stored}{meaning}"), format!("{form}: {}  at {at}", spaced_hex(&step.bytes, 16))]);
    add("changes", step.changes_text());
    add("derivation", derivation(&steps, index));
    let why = reason(&steps, index);
    add("why it is here", vec![if why == field.about { String::new() } else { why }]);
    let mut paragraphs = vec![paragraph(place, &step.record), paragraph::of_form(field.read)];
    paragraphs.dedup();
    add("specified in", paragraphs.into_iter().flatten().map(str::to_owned).collect());
    add("leads to", field.to.map(|to| to.to_string()).into_iter().collect());
    add("referred to by", referring_lines(session, place));
    about
}

/// Rows of a derivation, their bits in one column, and a tab before their words.
fn derivation(steps: &Steps, index: usize) -> Vec<String> {
    let Some(derivation) = steps.list.get(index).and_then(derive) else { return Vec::new() };
    let label = derivation.rows.iter().map(|row| row.label.chars().count()).max().unwrap_or(0);
    let bits = derivation.rows.iter().map(|row| row.bits_text().chars().count()).max().unwrap_or(0);
    let row = |row: &super::derivation::DerivationRow| {
        format!("{:label$}  {:bits$}\t{}", row.label, row.bits_text(), row.text).trim_end().to_owned()
    };
    derivation.rows.iter().map(row).collect()
}

/// Places that refer to the record, each with the column that does.
fn referring_lines(session: &Session, place: Place) -> Vec<String> {
    let (found, more) = referring(session, place, MAX_REFS);
    let mut lines: Vec<String> =
        found.iter().map(|(place, column)| format!("{place}  {column}").trim_end().to_owned()).collect();
    if more {
        lines.push("and more".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_explained_from_its_bytes_to_its_paragraph() {
        let session = Session::sample();
        let place: Place = "method/0x06000003/points".parse().unwrap();
        let fields = nodes::fields(&session, place).unwrap();
        let delta = fields.rows.iter().rfind(|row| row.name == "δ start column").unwrap().span;
        let about = about(&session, place, &fields, Some(delta));
        assert!(about.title.starts_with("δ start column"), "{}", about.title);
        let headings: Vec<&str> = about.sections.iter().map(|section| section.heading).collect();
        assert_eq!(headings, ["what it is", "value", "changes", "derivation", "why it is here", "specified in"]);
        let text = about.sections.iter().flat_map(|section| &section.lines).cloned().collect::<Vec<_>>().join("\n");
        for part in ["stored 121 → decoded -4", "start column 13 → 9", "two's complement", "ECMA-335 II.23.2"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn an_entry_of_a_heap_names_its_rows() {
        let session = Session::sample();
        let place: Place = "pdb/heap/blob/0x1b".parse().unwrap();
        let fields = nodes::fields(&session, place).unwrap();
        let about = about(&session, place, &fields, None);
        let refs = about.sections.iter().find(|section| section.heading == "referred to by").unwrap();
        assert!(refs.lines.iter().any(|line| line.contains("table/Document/1")), "{refs:?}");
    }
}

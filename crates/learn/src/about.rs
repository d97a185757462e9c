//! All that is known of a record, or of one field: what it is, its bits, its derivation, its reason, its paragraph, and what refers to it.

use super::referring::referring;
use super::steps::{Step, Steps};
use super::{glossary, paragraph, reading, reason};
use pdblens_formats::bytes::Span;
use pdblens_nodes::fields::{FieldRow, Fields};
use pdblens_nodes::{self as nodes, Place};
use pdblens_query::owner::owner_at;
use pdblens_session::session::Session;
use pdblens_session::text::safe::{count, spaced_hex};

const MAX_REFS: usize = 12;

/// A heading and the lines below it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "explanation_section"))]
pub struct Section {
    /// Noun phrase.
    pub heading: &'static str,
    /// Sentences, or rows of bits with a label; a tab is before the words of a row.
    pub lines: Vec<String>,
}

/// Explanation of a record, a field, a list, or of other input.
#[derive(Clone, Debug, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "explanation"))]
pub struct Explanation {
    /// Name of the record; of a field, its own before it.
    pub title: String,
    /// Sections, the most important first; none is empty. A tab in a line separates a name from its text.
    pub sections: Vec<Section>,
    /// Place that the value leads to, or that was meant.
    #[serde(rename = "place")]
    pub to: Option<Place>,
}

const MAX_FIELDS: usize = 40;

/// Explains `part` of the record or the facts at `place`: a field, a group of fields, or all of it where no part is selected. A fact
/// that a field stores is explained as that field, a part outside of `fields` as the field of the record that has it, and a
/// place without fields as a list.
pub fn about(session: &Session, place: Place, fields: Option<&Fields>, part: Option<Span>) -> Explanation {
    let part = part.filter(|part| !part.is_empty());
    let Some(fields) = fields else {
        return match part.and_then(|part| record_with(session, place, part)) {
            Some((place, fields)) => explain(session, place, &fields, part),
            None => of_list(session, place),
        };
    };
    match stored_fact(session, place, fields, part) {
        Some((place, fields, part)) => explain(session, place, &fields, Some(part)),
        None => explain(session, place, fields, part),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Record,
    /// A group, by its index in the rows.
    Group(usize),
    /// A field, by its index in the rows.
    Field(usize),
    /// Bytes that no field has.
    Elsewhere,
}

impl Subject {
    fn of(fields: &Fields, part: Option<Span>) -> Self {
        let rows = &fields.rows;
        let Some(part) = part else {
            // The one field of an entry is the entry.
            let only = (fields.leaves().count() == 1).then(|| rows.iter().position(|row| !row.group)).flatten();
            let only = only.filter(|row| rows.get(*row).is_some_and(|row| !row.is_derived()));
            return only.map_or(Self::Record, Self::Field);
        };
        let exact = |group: bool| rows.iter().position(|row| row.group == group && row.span == part);
        if let Some(field) = exact(false) {
            return Self::Field(field);
        }
        if !fields.span.is_empty() && part.covers(fields.span) {
            return Self::Record;
        }
        let inner = rows.iter().position(|row| !row.group && !row.span.is_empty() && row.span.covers(part));
        let around = || rows.iter().rposition(|row| row.group && !row.span.is_empty() && row.span.covers(part));
        let first = || fields.at(part);
        exact(true)
            .map(Self::Group)
            .or_else(|| inner.map(Self::Field))
            .or_else(|| around().map(Self::Group))
            .or_else(|| first().map(Self::Field))
            .unwrap_or(Self::Elsewhere)
    }
}

fn explain(session: &Session, place: Place, fields: &Fields, part: Option<Span>) -> Explanation {
    let steps = Steps::shown(session, fields).at(place);
    match Subject::of(fields, part) {
        Subject::Field(index) => of_field(session, place, &steps, index),
        Subject::Group(index) => of_record(session, place, &steps, Some(index)),
        Subject::Record | Subject::Elsewhere => of_record(session, place, &steps, None),
    }
}

/// Field that stores a fact, with its record; also for a part that `fields` do not have.
fn stored_fact(session: &Session, place: Place, fields: &Fields, part: Option<Span>) -> Option<(Place, Fields, Span)> {
    match Subject::of(fields, part) {
        Subject::Field(index) => {
            let fact = fields.rows.get(index).filter(|row| row.is_derived())?;
            let to = fact.to.filter(|to| nodes::required_index(session, *to).is_none())?;
            let fields = nodes::fields(session, to)?;
            let same = |leaf: &&FieldRow| {
                let described = !fact.about.is_empty() && leaf.about == fact.about;
                !leaf.is_derived() && if fact.span.is_empty() { described } else { leaf.span.covers(fact.span) }
            };
            let span = fields.leaves().find(same)?.span;
            Some((to, fields, span))
        }
        Subject::Elsewhere => {
            let part = part.filter(|part| nodes::bytes(session, place) != Some(*part))?;
            let (place, fields) = record_with(session, place, part)?;
            Some((place, fields, part))
        }
        Subject::Record | Subject::Group(_) => None,
    }
}

/// The smallest record that has `part`, where that is not all bytes of `place`.
fn record_with(session: &Session, place: Place, part: Span) -> Option<(Place, Fields)> {
    if nodes::required_index(session, place).is_none() && nodes::bytes(session, place) == Some(part) {
        return None;
    }
    let owners = owner_at(session, part.space, part.start, None).owners;
    owners.into_iter().find_map(|owner| {
        nodes::required_index(session, owner.place).is_none().then_some(())?;
        let fields = nodes::fields(session, owner.place)?;
        fields.at(part).map(|_| (owner.place, fields))
    })
}

/// Sections in the making: those without lines are left out.
fn add(about: &mut Explanation, heading: &'static str, lines: Vec<String>) {
    let lines: Vec<String> = lines.into_iter().filter(|line| !line.trim().is_empty()).collect();
    if !lines.is_empty() {
        about.sections.push(Section { heading, lines });
    }
}

fn of_field(session: &Session, place: Place, steps: &Steps, index: usize) -> Explanation {
    let Some(step) = steps.list.get(index) else { return Explanation::default() };
    let field = &step.field;
    let mut about =
        Explanation { title: format!("{} · {}", field.name, steps.title), to: field.to, ..Explanation::default() };
    let record = if step.record.is_empty() { String::new() } else { format!("Part of: {}.", step.record) };
    add(&mut about, "what it is", vec![field.about.to_owned(), record]);
    let stored = match &field.stored {
        Some((stored, decoded)) => format!("stored {stored} → decoded {decoded}"),
        None => field.value.clone(),
    };
    let meaning = if field.meaning.is_empty() { String::new() } else { format!("  {}", field.meaning) };
    let at = nodes::span_text(session, field.span);
    let origin = match (step.form(), field.span.is_empty()) {
        ("", true) => "derived: computed, not read".to_owned(),
        ("", false) => format!("derived: computed from the bytes at {at}"),
        (form, _) => format!("{form}: {}  at {at}", spaced_hex(&step.bytes, 16)),
    };
    add(&mut about, "value", vec![format!("{stored}{meaning}"), origin]);
    add(&mut about, "changes", step.changes_text());
    add(&mut about, "derivation", reading(step).unwrap_or_default().lines());
    let why = reason(steps, index);
    add(&mut about, "why it is here", vec![if why == field.about { String::new() } else { why }]);
    let mut paragraphs = vec![paragraph(place, &step.record), paragraph::of_form(field.read)];
    paragraphs.dedup();
    add(&mut about, "specified in", paragraphs.into_iter().flatten().map(str::to_owned).collect());
    add(&mut about, "leads to", field.to.map(|to| to.to_string()).into_iter().collect());
    add(&mut about, "referred to by", referring_lines(session, place));
    about
}

fn of_record(session: &Session, place: Place, steps: &Steps, group: Option<usize>) -> Explanation {
    // One group around all fields is the record.
    let around =
        |step: &&Step| step.field.group && steps.list.iter().skip(1).all(|inner| inner.field.depth > step.field.depth);
    let group = group.or_else(|| steps.list.first().filter(around).map(|_| 0));
    let outer = group.and_then(|index| steps.list.get(index));
    let depth = outer.map_or(0, |step| step.field.depth.saturating_add(1));
    let inside = steps.list.iter().skip(group.map_or(0, |index| index + 1));
    let inside: Vec<&Step> = inside.take_while(|step| step.field.depth >= depth).collect();
    let title = match outer {
        Some(step) if group != Some(0) => format!("{} · {}", step.field.name, steps.title),
        _ if steps.title.is_empty() => place.to_string(),
        _ => steps.title.clone(),
    };
    let mut about = Explanation { title, ..Explanation::default() };
    let groups: Vec<&Step> = match outer {
        Some(step) => vec![step],
        None => inside.iter().filter(|step| step.field.group && step.field.depth == 0).copied().collect(),
    };
    let mut what: Vec<String> = Vec::new();
    for step in groups.iter().filter(|step| !step.field.about.is_empty()) {
        let name = if groups.len() > 1 { format!("{}: ", step.field.name) } else { String::new() };
        let sentence = format!("{name}{}", step.field.about);
        if !what.contains(&sentence) {
            what.push(sentence);
        }
    }
    if what.is_empty() {
        what.extend(description(place, &about.title));
    }
    what.extend(outer.filter(|step| !step.record.is_empty()).map(|step| format!("Part of: {}.", step.record)));
    add(&mut about, "what it is", what);
    let span = outer.map_or(steps.span, |step| step.field.span);
    if !span.is_empty() {
        let text = format!("{} at {}", count(span.len, "byte"), nodes::span_text(session, span));
        add(&mut about, "bytes", vec![text]);
    }
    let is_read = inside.iter().any(|step| !step.field.group && !step.field.is_derived());
    add(&mut about, if is_read { "fields" } else { "facts" }, field_lines(&inside, depth));
    if let Some(error) = &steps.error {
        add(&mut about, "stops at an error", vec![error.to_string()]);
    }
    let record = groups.first().map_or("", |step| step.field.name.as_str());
    add(&mut about, "specified in", paragraph(place, record).map(str::to_owned).into_iter().collect());
    add(&mut about, "referred to by", referring_lines(session, place));
    about
}

/// A line a field: its name, a tab, its value and the meaning of that.
fn field_lines(inside: &[&Step], depth: u8) -> Vec<String> {
    let indent = |step: &Step| "  ".repeat(usize::from(step.field.depth.saturating_sub(depth)));
    let name = |step: &Step| format!("{}{}", indent(step), step.field.name);
    let width = inside.iter().take(MAX_FIELDS).map(|step| name(step).chars().count()).max().unwrap_or(0);
    let line = |step: &&Step| {
        let (value, meaning) = (step.field.stored_and_decoded(), &step.field.meaning);
        format!("{:width$}\t{value}  {meaning}", name(step)).trim_end().to_owned()
    };
    let mut lines: Vec<String> = inside.iter().take(MAX_FIELDS).map(line).collect();
    if inside.len() > MAX_FIELDS {
        lines.push(format!("and {} more", inside.len() - MAX_FIELDS));
    }
    lines
}

fn of_list(session: &Session, place: Place) -> Explanation {
    let is_indexed = nodes::required_index(session, place).is_none();
    let rows = if is_indexed { nodes::rows(session, place) } else { None };
    let title = rows.as_ref().map_or_else(|| place.to_string(), |rows| rows.title.clone());
    let mut about = Explanation { title, ..Explanation::default() };
    let what = description(place, &about.title).into_iter().collect();
    add(&mut about, "what it is", what);
    let columns = rows.iter().flat_map(|rows| &rows.columns).map(|head| head.name).collect::<Vec<_>>().join(", ");
    let length = rows.as_ref().map_or_else(String::new, |rows| format!("a list of {}", count(rows.len as u64, "row")));
    let columns = if columns.is_empty() { columns } else { format!("columns: {columns}") };
    add(&mut about, "contents", vec![length, columns]);
    add(&mut about, "specified in", paragraph(place, "").map(str::to_owned).into_iter().collect());
    add(&mut about, "referred to by", referring_lines(session, place));
    about
}

/// Sentence about a place that is no record: the one of its table, or of the first term in its path or title.
fn description(place: Place, title: &str) -> Option<String> {
    if let Place::Table(_, table) = place {
        return table.def().map(|def| def.doc.about.to_owned());
    }
    let path = place.to_string();
    let term = glossary::find(path.rsplit('/').next().unwrap_or_default()).ok();
    let term = term.or_else(|| glossary::terms_in(title).first().copied())?;
    Some(format!("{}: {}", term.term, term.meaning))
}

fn referring_lines(session: &Session, place: Place) -> Vec<String> {
    let (found, more) = referring(session, place, MAX_REFS);
    let mut lines: Vec<String> =
        found.iter().map(|(place, column)| format!("{place}  {column}").trim_end().to_owned()).collect();
    if more {
        lines.push("and more".to_owned());
    }
    lines
}

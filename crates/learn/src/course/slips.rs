//! Mistakes about the place of a value in its record; those about the form of a number are in `question::mistakes`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::answer::{ExpectedAnswer, Leaf};
use super::compare::Slip;
use super::widths::{WRONG_RULES, WidthRule};
use crate::{Step, Steps};
use pdblens_formats::bytes::stored;

/// Steps before and after a read that have the bytes around it.
const NEIGHBOURS: usize = 6;
const NUL: &str = "The NUL bytes at the end do not belong to the text.";
const END: &str = "The difference counts from the start of the point: add it.";
const INCLUSIVE: &str = "The end is exclusive: it is the column after the last character.";
const NEXT_POINT: &str = "A hidden point is a point too: the list has it, with its IL offset.";
const HEADER: &str = "The first number of the blob is the local signature and no part of the first point.";
const NO_DOCUMENT: &str = "The row of the method has a document: the blob does not begin with one.";

pub(super) fn of_leaf(answer: &ExpectedAnswer, leaf: &Leaf) -> Vec<Slip> {
    let (parent, name) = leaf.path.rsplit_once('/').unwrap_or(("", &leaf.path));
    let sibling = |name: &str| answer.at(&format!("{parent}/{name}"));
    let mut found: Vec<Slip> = Vec::new();
    let mut add = |value: Option<Value>, because: &str| found.extend(value.map(|value| (value, because.to_owned())));
    match (name, &leaf.value) {
        ("version", Value::String(text)) => add(padded(answer, leaf, text), NUL),
        ("name", Value::String(text)) if parent.starts_with("streams/") => add(Some(format!("{text}\0").into()), NUL),
        ("path", Value::String(text)) => add(Some(format!("{text}\0").into()), NUL),
        ("name", Value::String(text)) => found.extend(of_document_name(text)),
        ("endLine" | "endColumn", Value::Number(number)) => {
            let start = sibling(if name == "endLine" { "startLine" } else { "startColumn" });
            let distance = number.as_i64();
            add(
                distance
                    .zip(start.and_then(Value::as_i64))
                    .map(|(distance, start)| distance.saturating_sub(start).into()),
                END,
            );
            add(distance.filter(|_| name == "endColumn").map(|distance| distance.saturating_sub(1).into()), INCLUSIVE);
        }
        ("hidden", Value::Bool(is_hidden)) if is_of_point(answer, leaf) => {
            let text = if *is_hidden {
                "Δ lines and Δ columns are both 0: the point is hidden, and its record ends here."
            } else {
                "Only a point whose Δ lines and Δ columns are both 0 is hidden."
            };
            add(Some((!is_hidden).into()), text);
        }
        ("offset", _) if leaf.path.contains("points/") => found.extend(of_offset(answer, parent)),
        ("rowSize" | "offset", _) if leaf.path.starts_with("tables/") => found.extend(of_layout(answer, parent, name)),
        ("rows", _) if leaf.path == "tables/0/rows" => {
            let sorted =
                answer.records.first().and_then(|steps| steps.reads().find(|step| step.field.name == "sorted"));
            let low = sorted.and_then(|step| step.raw).map(|sorted| (sorted & 0xffff_ffff).into());
            add(low, "Between the mask `valid` and the row counts are the 8 bytes of the mask `sorted`.");
        }
        ("entryPoint", Value::Number(token)) => {
            let row = token.as_u64().map(|token| (token & 0xff_ffff).into());
            add(row, "That is the row alone: the highest byte of a token is its table.");
        }
        ("startLine" | "startColumn", _) if is_after_hidden(answer, parent) => {
            let difference = leaf.read.and_then(|read| answer.read(read)?.1.field.number);
            add(difference.map(Value::from), "A hidden point changes the IL offset alone: line and column stay.");
        }
        ("streamCount", _) => {
            let mut reads = answer.records.iter().flat_map(Steps::reads);
            let page = reads.find(|step| step.field.name == "page of the directory").and_then(|step| step.field.number);
            let text = "That page is the block map, which the superblock names. The directory is in the pages that the block map lists.";
            add(page.map(Value::from), text);
        }
        ("size", Value::Null) => {
            let text = "The size 0xFFFFFFFF marks a stream that does not exist: it has no bytes and no pages.";
            add(Some(0xffff_ffff_u32.into()), text);
        }
        ("language" | "hashAlgorithm", Value::String(_)) => {
            add(Some(Value::Null), "Only the index 0 means that there is no GUID: indexes into #GUID count from 1.");
        }
        _ => {}
    }
    found
}

/// Returns true for a value of a sequence point of a portable PDB.
fn is_of_point(answer: &ExpectedAnswer, leaf: &Leaf) -> bool {
    leaf.read.and_then(|read| answer.read(read)).is_some_and(|(_, step)| step.record.ends_with("point"))
}

fn is_after_hidden(answer: &ExpectedAnswer, point: &str) -> bool {
    let before =
        point.rsplit_once('/').and_then(|(list, index)| Some((list, index.parse::<usize>().ok()?.checked_sub(1)?)));
    before.is_some_and(|(list, index)| answer.at(&format!("{list}/{index}/hidden")) == Some(&Value::Bool(true)))
}

/// Numbers that begin some bytes before or after the right one.
pub(super) fn shifted(steps: &Steps, index: usize) -> Vec<Slip> {
    let Some(step) = steps.list.get(index) else { return Vec::new() };
    let (size, start) = (step.bytes.len(), step.field.span.start);
    if !stored::has_fixed_size(step.field.read) || size < 2 {
        return Vec::new();
    }
    let of_read = |read: &Step| (read.field.span.start..).zip(read.bytes.clone()).collect::<Vec<_>>();
    let around = steps.list.iter().skip(index.saturating_sub(NEIGHBOURS)).take(2 * NEIGHBOURS);
    let bytes: BTreeMap<u64, u8> = around.flat_map(of_read).collect();
    let at = |start: u64| {
        let all = (start..start + size as u64).map(|at| bytes.get(&at).copied()).collect::<Option<Vec<u8>>>();
        stored::decoded(step.field.read, &all?)
    };
    let early = "The number was read too early: the field before it is longer.";
    let late = "The number was read too late: too much was read before it.";
    let early = (1..4).filter_map(|by| Some((at(start.checked_sub(by)?)?, early)));
    let late = (1..4).filter_map(|by| Some((at(start + by)?, late)));
    early.chain(late).map(|(number, because)| (number.into(), because.to_owned())).collect()
}

/// A text with the zeros that fill its field.
fn padded(answer: &ExpectedAnswer, leaf: &Leaf, text: &str) -> Option<Value> {
    let (_, step) = answer.read(leaf.read?)?;
    Some(format!("{text}{}", "\0".repeat(step.bytes.len().checked_sub(text.len())?)).into())
}

fn of_document_name(text: &str) -> Vec<Slip> {
    let separator = if text.contains('\\') { '\\' } else { '/' };
    let all = [
        (
            format!("{separator}{text}"),
            "The first byte of the name is the separator. Write it between the parts, not in front of the first.",
        ),
        (
            text.trim_start_matches(separator).to_owned(),
            "Part 0 is the empty text, and a separator follows it as it follows any part.",
        ),
        (text.replace(separator, ""), "Join the parts with the separator, which is the first byte of the name."),
        (
            text.replace(separator, if separator == '/' { "\\" } else { "/" }),
            "The separator is the first byte of the name, not that of your system.",
        ),
    ];
    all.into_iter().map(|(wrong, because)| (wrong.into(), because.to_owned())).collect()
}

fn of_offset(answer: &ExpectedAnswer, point: &str) -> Vec<Slip> {
    let mut found = Vec::new();
    let Some((list, index)) =
        point.rsplit_once('/').and_then(|(list, index)| Some((list, index.parse::<usize>().ok()?)))
    else {
        return found;
    };
    if answer.at(&format!("{point}/hidden")) == Some(&Value::Bool(true)) {
        let next = answer.at(&format!("{list}/{}/offset", index + 1));
        found.extend(next.map(|next| (next.clone(), NEXT_POINT.to_owned())));
    }
    let signature = answer.at("localSignature").filter(|_| index == 0);
    found.extend(signature.map(|signature| (signature.clone(), HEADER.to_owned())));
    let first = answer.records.first().filter(|_| index == 0 && signature.is_some());
    let second = first.and_then(|steps| steps.reads().nth(2)?.field.number);
    found.extend(second.map(|number| (number.into(), NO_DOCUMENT.to_owned())));
    found
}

fn of_layout(answer: &ExpectedAnswer, table: &str, name: &str) -> Vec<Slip> {
    let Some((counts, index)) =
        answer.counts.as_ref().zip(table.rsplit_once('/').and_then(|(_, index)| index.parse().ok()))
    else {
        return Vec::new();
    };
    let tables: Vec<_> = counts.present().collect();
    let first = answer.number_at("tables/0/offset").unwrap_or(0);
    let mut found: Vec<Slip> = Vec::new();
    // A rule that would have made another size before is not the reader's.
    let is_kept = |rule| {
        let mut before = tables.iter().take(index);
        before.all(|table| counts.row_size(*table, rule) == counts.row_size(*table, WidthRule::Right))
    };
    for (rule, because) in WRONG_RULES.iter().filter(|(rule, _)| is_kept(*rule)) {
        let size = tables.get(index).map(|table| counts.row_size(*table, *rule));
        let before = tables
            .iter()
            .take(index)
            .map(|table| i64::from(counts.row_size(*table, *rule)) * i64::from(counts.rows(*table)));
        let value = if name == "rowSize" {
            size.map(Value::from)
        } else {
            Some(before.fold(first, i64::saturating_add).into())
        };
        found.extend(value.map(|value| (value, (*because).to_owned())));
    }
    if name == "offset" {
        let header = answer.records.first().map_or(0, |steps| steps.span.start.cast_signed());
        let own = answer.number_at(&format!("{table}/offset")).unwrap_or(0).saturating_sub(header);
        found.push((
            own.into(),
            "That is the offset in the #~ stream: add the offset of the stream in the file.".to_owned(),
        ));
    }
    found
}

pub(super) fn of_missing(answer: &ExpectedAnswer, leaf: &Leaf) -> Option<String> {
    if leaf.path.contains("/pages/") {
        return Some("A stream takes ⌈size / page size⌉ pages: a page that is filled in part is a page.".to_owned());
    }
    let (parent, name) = leaf.path.rsplit_once('/')?;
    let is_hidden = answer.at(&format!("{parent}/hidden")) == Some(&Value::Bool(true));
    (name == "offset" && is_hidden).then(|| NEXT_POINT.to_owned())
}

pub(super) fn of_surplus(path: &str) -> Option<String> {
    path.contains("/pages/").then(|| {
        "A stream takes ⌈size / page size⌉ pages: one of size 0 has none, and a full last page has no other after it.".to_owned()
    })
}

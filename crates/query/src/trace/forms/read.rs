//! A frame made of the groups of an expression.

use std::ops::Range;

use pdblens_formats::metadata::Token;
use regex::bytes::Captures;

use super::super::frame::{Edit, Frame, Module, Offset};
use super::super::locales::line_word;

/// The frame in a line whose groups an expression has found; `None` where a number is too large.
pub(super) fn frame(line: &[u8], groups: &Captures<'_>) -> Option<Frame> {
    let text = |group: &str| groups.name(group).map(|found| String::from_utf8_lossy(found.as_bytes()).into_owned());
    let range = trimmed(line, groups.get_match().range());
    let name = text("name").unwrap_or_default();
    let token = text("token").map(|digits| u32::from_str_radix(&digits, 16)).transpose().ok()?.map(Token);
    let offset = offset(groups)?;
    let module = match (text("module"), text("footer"), text("mvid")) {
        (Some(file), ..) => Module::File(file),
        (_, Some(short), _) => Module::Footer(short),
        (.., Some(mvid)) => mvid.parse().map_or(Module::Unknown, |mvid| Module::Mvid(mvid, String::new())),
        _ => Module::Unknown,
    };
    let edit = edit(groups, offset, range.end);
    let path = text("path").map(|path| path.trim().to_owned()).filter(|path| !path.is_empty());
    let (parameters, inner) = (text("parameters"), text("inner"));
    let frame = Frame { range, row: 0, name, parameters, inner, module, token, offset, path, edit };
    // The parentheses of `operator()` are of its name.
    if frame.name.ends_with("operator") && frame.parameters.as_deref() == Some("") {
        return Some(Frame { name: frame.name + "()", parameters: None, ..frame });
    }
    Some(frame)
}

pub(in super::super) fn trimmed(line: &[u8], range: Range<usize>) -> Range<usize> {
    let found = line.get(range.clone()).unwrap_or_default();
    let start = range.start + found.len() - found.trim_ascii_start().len();
    start..start + found.trim_ascii().len()
}

/// Position that a frame gives: a line before an offset.
fn offset(groups: &Captures<'_>) -> Option<Offset> {
    let digits = |group: &str| {
        let found = groups.name(group)?;
        Some(std::str::from_utf8(found.as_bytes()).unwrap_or_default().replace('`', ""))
    };
    let hex = |group: &str| digits(group).map(|digits| u64::from_str_radix(&digits, 16).ok());
    if let Some(line) = digits("line") {
        return Some(Offset::Line(line.parse().ok()?));
    }
    if groups.name("inlined").is_some() {
        return Some(Offset::Inlined);
    }
    if let Some(il) = hex("il") {
        return Some(Offset::of_il(il?));
    }
    if let Some(il) = hex("exact") {
        return Some(Offset::ExactIl(u32::try_from(il?).unwrap_or(u32::MAX)));
    }
    if let Some(offset) = hex("precompiled") {
        return Some(Offset::Precompiled(u32::try_from(offset?).ok()?));
    }
    if let Some(offset) = digits("decimal") {
        return Some(Offset::Native(offset.parse().ok()?));
    }
    match hex("native").or_else(|| hex("address")) {
        Some(offset) => Some(Offset::Native(offset?)),
        None => Some(Offset::None),
    }
}

/// Edit that gives a frame its line; a frame without an offset has its own, or none that is certain.
fn edit(groups: &Captures<'_>, offset: Offset, end: usize) -> Edit {
    let range = |group: &str| groups.name(group).map(|found| found.range());
    let word = |group: &str| groups.name(group).map(|found| found.as_bytes()).unwrap_or_default();
    if matches!(offset, Offset::Line(_) | Offset::None) {
        return Edit::None;
    }
    if let Some(file) = range("file") {
        return Edit::File(file, line_word(word("at"), word("within")));
    }
    if let Some(colon) = range("colon") {
        return Edit::Colon(colon);
    }
    if let Some(piped) = range("piped") {
        return Edit::Piped(piped);
    }
    Edit::In(range("end").unwrap_or(end..end))
}

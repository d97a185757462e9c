//! Events as Sentry's SDK for .NET sends them.
//!
//! A frame has the row or token of its method in `function_id`, the IL offset in `instruction_addr`, and in `addr_mode`
//! which of the images of the event it is in. An image has the id of its PDB in `debug_id`: a GUID, then the stamp of a
//! portable PDB or the age of a Windows PDB. What is found goes into the members that Sentry gives a frame with symbols:
//! `filename`, `abs_path`, `lineno`, `colno`.
//!
//! Specified in Sentry's RFC 0013.

use std::fmt::Write;
use std::io;

use super::frame::{Edit, Frame, Module, Offset};
use super::json::{Kind, Value};
use super::library::Library;
use super::outcome::Outcome;
use super::resolve::Trace;
use super::{Sink, Told, edited};
use pdblens_formats::bytes::Guid;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::text::paths::file_name;

/// Name of the form in reports.
const FORM: &str = "Sentry event";

/// Texts that a document must contain to be parsed as an event.
const MARKS: [&[u8]; 2] = [b"\"frames\"", b"\"instruction_addr\""];

/// Writes a document with its frames resolved; `false`, and nothing is written, where it is no such event.
pub(crate) fn document(library: &mut Library, line: u64, bytes: &[u8], sink: &mut dyn Sink) -> io::Result<bool> {
    if MARKS.iter().any(|mark| super::scan::find(bytes, mark, 0).is_none()) {
        return Ok(false);
    }
    let Some(event) = Value::parse(bytes) else { return Ok(false) };
    let images = event.get("debug_meta").and_then(|meta| meta.get("images")).map_or(&[][..], Value::elements);
    let mut found: Vec<(&Value, Frame)> = Vec::new();
    event.objects(&mut |object| {
        for value in object.get("frames").map_or(&[][..], Value::elements) {
            if let Some(frame) = frame(bytes, value, images) {
                found.push((value, frame));
            }
        }
    });
    if found.is_empty() {
        return Ok(false);
    }
    found.sort_by_key(|(value, _)| value.range.start);
    let outcomes: Vec<Outcome> = found.iter().map(|(_, frame)| library.resolve(frame, &Trace::default())).collect();
    let mut edits = Vec::new();
    for ((value, _), outcome) in found.iter().zip(&outcomes) {
        if let Outcome::Resolved(resolved) = outcome {
            let text = |text: &str| serde_json::Value::from(text).to_string();
            let members = [
                ("filename", text(file_name(&resolved.path))),
                ("abs_path", text(&resolved.path)),
                ("lineno", resolved.line.to_string()),
                ("colno", resolved.column.to_string()),
            ];
            edit(value, &members, &mut edits);
        }
    }
    edits.sort_by_key(|(range, _): &(std::ops::Range<usize>, String)| range.start);
    sink.text(&edited(bytes, edits.into_iter()))?;
    let (mut line, mut counted) = (line, 0);
    for ((value, frame), outcome) in found.iter().zip(&outcomes) {
        let passed = bytes.get(counted..value.range.start).unwrap_or_default();
        line += passed.split(|byte| *byte == b'\n').skip(1).count() as u64;
        counted = value.range.start;
        sink.frame(&Told { line, form: FORM, frame, outcome })?;
    }
    Ok(true)
}

/// Sets members of an object: it replaces members that exist, and puts new ones first.
fn edit(object: &Value, members: &[(&str, String)], edits: &mut Vec<(std::ops::Range<usize>, String)>) {
    let mut new = String::new();
    for (name, value) in members {
        match object.get(name) {
            Some(old) => edits.push((old.range.clone(), value.clone())),
            None => {
                let _ = write!(new, "\"{name}\":{value},");
            }
        }
    }
    if matches!(&object.kind, Kind::Object(members) if members.is_empty()) {
        new.pop();
    }
    edits.push((object.range.start + 1..object.range.start + 1, new));
}

/// A frame with an IL offset and without a line.
fn frame(bytes: &[u8], value: &Value, images: &[Value]) -> Option<Frame> {
    let il = value.get("instruction_addr")?.number(bytes)?;
    let function = value.get("function_id")?.number(bytes)?;
    let function = Token(u32::try_from(function).ok()?);
    // Some send the token, some only the row in it.
    let token = if function.0 >> 24 == 0 { Token::new(TableId::METHOD_DEF, function.0) } else { function };
    let text = |name: &str| value.get(name).and_then(|value| value.text(bytes));
    let index = text("addr_mode").and_then(|mode| mode.strip_prefix("rel:")?.parse::<usize>().ok());
    let module = index.and_then(|index| module(bytes, images.get(index)?)).unwrap_or(Module::Unknown);
    let known = value.get("lineno").and_then(|line| line.number(bytes)).filter(|line| *line > 0);
    let offset = match known {
        Some(line) => Offset::Line(u32::try_from(line).ok()?),
        None => Offset::of_il(il),
    };
    let name = text("function").unwrap_or_default();
    let name = name.split('(').next().unwrap_or_default().to_owned();
    let name = text("module").map_or_else(|| name.clone(), |module| format!("{module}.{name}"));
    Some(Frame {
        range: value.range.clone(),
        name,
        parameters: None,
        inner: None,
        module,
        token: Some(token),
        offset,
        edit: Edit::None,
    })
}

/// The symbols that an image names.
fn module(bytes: &[u8], image: &Value) -> Option<Module> {
    let text = |name: &str| image.get(name).and_then(|value| value.text(bytes));
    let file = text("debug_file").or_else(|| text("code_file")).unwrap_or_default();
    let id: String = text("debug_id")?.chars().filter(|c| *c != '-').collect();
    let (guid, rest) = id.split_at_checked(32)?;
    let guid: Guid = guid.parse().ok()?;
    let rest = u32::from_str_radix(rest, 16).ok();
    Some(Module::Symbols(guid, rest, file_name(&file).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_their_images_are_read() {
        let bytes = br#"{"frames":[{"instruction_addr":"0x21","function_id":"0xc","addr_mode":"rel:0","function":"M(Int32)","module":"Ns.T"},
            {"instruction_addr":10,"function_id":100663302,"addr_mode":"rel:1","lineno":7},{"instruction_addr":"0x1"}],
            "images":[{"debug_id":"4e2ca887-825e-46f3-968f-25b41ae1b5f3-9e6d3fcc","debug_file":"./T.pdb"},
            {"debug_id":"0c1033f78632492e91c6c314b72e1920e60b819d","debug_file":"C:\\x\\i.pdb"}]}"#;
        let event = Value::parse(bytes).unwrap();
        let images = event.get("images").unwrap().elements();
        let frames: Vec<_> = event.get("frames").unwrap().elements().iter().map(|v| frame(bytes, v, images)).collect();
        let first = frames[0].as_ref().unwrap();
        assert_eq!(
            (first.name.as_str(), first.token, first.offset),
            ("Ns.T.M", Some(Token(0x0600_000c)), Offset::Il(0x21))
        );
        let guid = "4e2ca887-825e-46f3-968f-25b41ae1b5f3".parse().unwrap();
        assert_eq!(first.module, Module::Symbols(guid, Some(0x9e6d_3fcc), "T.pdb".into()));
        let second = frames[1].as_ref().unwrap();
        assert_eq!((second.token, second.offset), (Some(Token(0x0600_0006)), Offset::Line(7)));
        assert!(matches!(&second.module, Module::Symbols(_, Some(0xe60b_819d), name) if name == "i.pdb"));
        assert_eq!(frames[2], None);
    }

    #[test]
    fn members_replace_those_that_are_there() {
        let bytes = br#"{"lineno": null, "x": 1}"#;
        let mut edits = Vec::new();
        edit(&Value::parse(bytes).unwrap(), &[("lineno", "5".into()), ("colno", "9".into())], &mut edits);
        edits.sort_by_key(|(range, _)| range.start);
        assert_eq!(edited(bytes, edits.into_iter()), br#"{"colno":9,"lineno": 5, "x": 1}"#);
    }
}

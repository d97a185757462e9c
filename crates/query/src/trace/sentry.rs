//! Events as Sentry's SDK for .NET sends them.
//!
//! A frame has the row or token of its method in `function_id`, the IL offset in `instruction_addr`, and in `addr_mode`
//! which of the images of the event it is in. An image has the id of its PDB in `debug_id`: a GUID, then the stamp of a
//! portable PDB or the age of a Windows PDB. What is found goes into the members that Sentry gives a frame with symbols:
//! `filename`, `abs_path`, `lineno`, `colno`.
//!
//! Specified in Sentry's RFC 0013.

use super::documents::{DocumentForm, FrameObject};
use super::frame::{Frame, Module, Offset};
use super::json::Value;
use pdblens_formats::bytes::Guid;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::text::paths::file_name;

pub(super) const FORM: DocumentForm = DocumentForm {
    name: "Sentry event",
    marks: &[b"\"frames\"", b"\"instruction_addr\""],
    frames,
    members: |found| {
        vec![
            ("filename", file_name(&found.path).into()),
            ("abs_path", found.path.clone().into()),
            ("lineno", found.line.into()),
            ("colno", found.column.into()),
        ]
    },
};

fn frames<'v>(bytes: &[u8], event: &'v Value) -> Vec<FrameObject<'v>> {
    let images = event.get("debug_meta").and_then(|meta| meta.get("images")).map_or(&[][..], Value::elements);
    let mut found = Vec::new();
    event.objects(&mut |object| {
        for value in object.get("frames").map_or(&[][..], Value::elements) {
            let frame = frame(bytes, value, images);
            found.extend(frame.map(|frame| FrameObject { value, frame, is_caller: false, returns: false, note: None }));
        }
    });
    found
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
    Some(Frame { range: value.range.clone(), name, module, token: Some(token), offset, ..Frame::default() })
}

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
}

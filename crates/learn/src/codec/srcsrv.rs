//! Streams of srcsrv.

use std::sync::Arc;

use super::{Codec, EncodeError, Encoded};
use pdblens_formats::bytes::{Error, Region, SpaceId};
use pdblens_formats::srcsrv::{Assignment, SrcSrv};
use pdblens_session::source::srcsrv::Evaluator;

/// Mark before the target that a file evaluates to.
const ARROW: &str = " → ";

/// Headings as Microsoft's tools write them, before the lines of each section.
const HEADINGS: [(&str, &str); 3] = [
    ("ini ", "SRCSRV: ini ------------------------------------------------"),
    ("variable ", "SRCSRV: variables ------------------------------------------"),
    ("file ", "SRCSRV: source files ---------------------------------------"),
];
const END: &str = "SRCSRV: end ------------------------------------------------";

pub(super) const SRCSRV: Codec = Codec {
    name: "srcsrv",
    about: "the text of a srcsrv stream, with the target of each file: ini VERSION=2; variable SRCSRVTRG=%var2%; file a.c*b.c",
    paragraph: "SrcSrv language specification",
    example: (
        "53 52 43 53 52 56 3a 20 69 6e 69 20 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d \
         2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 0d 0a 56 45 52 53 49 4f 4e 3d 32 0d \
         0a 53 52 43 53 52 56 3a 20 76 61 72 69 61 62 6c 65 73 20 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d \
         2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 0d 0a 53 52 43 53 52 56 54 52 47 \
         3d 68 74 74 70 3a 2f 2f 78 2f 25 76 61 72 32 25 0d 0a 53 52 43 53 52 56 3a 20 73 6f 75 72 63 65 20 66 69 6c \
         65 73 20 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d \
         2d 2d 2d 2d 2d 2d 0d 0a 61 2e 63 2a 62 2e 63 0d 0a 53 52 43 53 52 56 3a 20 65 6e 64 20 2d 2d 2d 2d 2d 2d 2d \
         2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d 2d \
         2d 2d 2d 2d 2d 0d 0a",
        "ini VERSION=2\nvariable SRCSRVTRG=http://x/%var2%\nfile a.c*b.c → http://x/b.c",
    ),
    decode: |c| {
        let bytes = c.remaining().to_vec();
        SrcSrv::decode(c)?;
        let stream = SrcSrv::parse(Region::whole(SpaceId(0), Arc::new(bytes)));
        match stream.problems.first() {
            Some(problem) => Err(Error::clone(problem)),
            None => Ok(text(&stream)),
        }
    },
    encode,
};

pub fn is_srcsrv(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("SRCSRV: ini") && text.contains(['\n', '\r'])
}

fn text(stream: &SrcSrv) -> String {
    let evaluator = Evaluator::new(stream);
    let assignment =
        |kind: &str, found: &Assignment| format!("{kind} {}={}", stream.text(found.name), stream.text(found.value));
    let ini = stream.ini.iter().map(|found| assignment("ini", found));
    let variables = stream.variables.iter().map(|found| assignment("variable", found));
    let files = stream.files.iter().enumerate().map(|(index, file)| {
        let target = evaluator.file(index).map(|file| format!("{ARROW}{}", file.target));
        format!("file {}{}", stream.text(file.span), target.unwrap_or_default())
    });
    ini.chain(variables).chain(files).collect::<Vec<_>>().join("\n")
}

/// Encodes lines, or items with semicolons between them; each begins with its section.
fn encode(text: &str) -> Encoded {
    let separator = if text.contains('\n') { '\n' } else { ';' };
    let items: Vec<&str> = text.split(separator).map(str::trim).filter(|item| !item.is_empty()).collect();
    let known = |item: &&str| HEADINGS.iter().any(|(kind, _)| item.starts_with(kind));
    if let Some(item) = items.iter().find(|item| !known(item)) {
        let reason = "a line begins with its section: ini NAME=VALUE, variable NAME=VALUE or file PATH*VAR2";
        return Err(EncodeError::new(*item, reason));
    }
    let mut lines = Vec::new();
    for (kind, heading) in HEADINGS {
        lines.push(heading);
        for line in items.iter().filter_map(|item| item.strip_prefix(kind)) {
            let line = match line.rsplit_once(ARROW) {
                Some((line, _)) if kind == "file " => line.trim(),
                _ => line.trim(),
            };
            if kind != "file " && line.find('=').unwrap_or(0) == 0 {
                return Err(EncodeError::new(line, "NAME=VALUE is expected"));
            }
            lines.push(line);
        }
    }
    lines.push(END);
    Ok(lines.iter().flat_map(|line| line.bytes().chain(*b"\r\n")).collect())
}

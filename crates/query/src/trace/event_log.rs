//! Crashes in the Windows event log (event 1000, Application Error) and in reports of Windows Error Reporting.
//!
//! ```text
//! Faulting module name: tally.exe, version: 1.0.0.0, time stamp: 0x5f3e1c2a
//! Fault offset: 0x0000000000001079
//! Faulting application a.exe, version 1.0.0.0, faulting module tally.exe, version 1.0.0.0, fault address 0x00001079.
//! ```
//!
//! The offset is an address relative to the module, whose name stands on a line before it.

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{find, hex, text, trim_end, trim_start};

pub(crate) const FORM: Form = Form { name: "event log", find: find_frame };

/// Words before the offset.
const OFFSETS: &[&[u8]] = &[b"Fault offset:", b"Exception Offset:", b"Fault Offset:", b", fault address "];

/// Words before the module.
const MODULES: &[&[u8]] = &[
    b"Faulting module name:",
    b"faulting module name:",
    b"Fault Module Name:",
    b"Faulting module ",
    b"faulting module ",
];

/// Words that say something else of the module.
const OTHERS: &[&[u8]] = &[b"path:", b"id:", b"ID:"];

/// Words between a module and the time stamp of its image.
const STAMP: &[u8] = b", time stamp: 0x";

/// The longest name of a module.
const MAX_NAME: usize = 260;

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    let (start, words) = OFFSETS.iter().filter_map(|words| Some((find(line, words, from)?, words))).min()?;
    let number = trim_start(line, start + words.len());
    let number = number + if line.get(number..number + 2) == Some(b"0x") { 2 } else { 0 };
    let (offset, end) = hex(line, number)?;
    Some(Frame {
        range: start..end,
        name: String::new(),
        parameters: None,
        inner: None,
        module: Module::Faulting,
        token: None,
        offset: Offset::Native(offset),
        edit: Edit::In(end..end),
    })
}

/// The faulting module that a line names, and the time stamp of its image; empty where the line says that it is unknown.
pub(crate) fn faulting_module(line: &[u8]) -> Option<(String, Option<u32>)> {
    let (at, words) = MODULES.iter().find_map(|words| Some((find(line, words, 0)?, words)))?;
    let start = trim_start(line, at + words.len());
    let rest = line.get(start..).filter(|rest| !OTHERS.iter().any(|other| rest.starts_with(other)))?;
    let len = rest.iter().take(MAX_NAME).position(|byte| *byte == b',').unwrap_or(rest.len().min(MAX_NAME));
    let name = text(line, &(start..trim_end(line, start + len, start)));
    let stamp = find(line, STAMP, start).and_then(|at| hex(line, at + STAMP.len()));
    let stamp = stamp.and_then(|(stamp, _)| u32::try_from(stamp).ok());
    Some((if name == "unknown" { String::new() } else { name }, stamp))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_and_offset_are_read() {
        let frame = find_frame(b"Fault offset: 0x0000000000001079", 0).unwrap();
        assert_eq!((frame.offset, frame.module), (Offset::Native(0x1079), Module::Faulting));
        let frame = find_frame(b"  Exception Offset:\t00001079", 0).unwrap();
        assert_eq!(frame.offset, Offset::Native(0x1079));
        assert_eq!(find_frame(b"Fault offset: none", 0), None);
        for line in [
            "Faulting module name: tally.exe, version: 1.0.0.0, time stamp: 0x5f3e1c2a",
            "Faulting application name: x.exe, faulting module name: tally.exe, version: 1",
            "  Fault Module Name:\ttally.exe",
            "Faulting application x.exe, version 1, faulting module tally.exe, version 1, fault address 0x00001079.",
        ] {
            let stamp = line.contains("stamp").then_some(0x5f3e_1c2a);
            assert_eq!(faulting_module(line.as_bytes()), Some(("tally.exe".to_owned(), stamp)), "{line}");
        }
        assert_eq!(faulting_module(b"Faulting module name: unknown, version: 0.0.0.0"), Some((String::new(), None)));
        assert_eq!(faulting_module(b"Faulting module path: C:\\tally.exe"), None);
    }
}

//! Faulting module of a crash. The Windows event log (event 1000, Application Error) and reports of Windows Error Reporting name
//! it. A later line has the offset in this module.
//!
//! ```text
//! Faulting module name: tally.exe, version: 1.0.0.0, time stamp: 0x5f3e1c2a
//! Faulting application a.exe, version 1.0.0.0, faulting module tally.exe, version 1.0.0.0, fault address 0x00001079.
//! ```

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::forms;

static MODULE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    forms::compile(
        r"(?:[Ff]aulting module name:|Fault Module Name:|[Ff]aulting module )[ \t]*(?<name>[^,]{0,260})
        (?:.*?, time stamp: 0x(?<stamp>[0-9A-Fa-f]{1,8}))?",
    )
});

/// Words that say something else of the module.
const OTHERS: [&str; 3] = ["path:", "id:", "ID:"];

/// The faulting module that a line names, and the time stamp of its image; empty where the line says that it is unknown.
pub(super) fn faulting_module(line: &[u8]) -> Option<(String, Option<u32>)> {
    let found = forms::captures(&MODULE, line)?;
    let text = |group| found.name(group).map(|text| String::from_utf8_lossy(text.as_bytes().trim_ascii()).into_owned());
    let name = text("name")?;
    if OTHERS.iter().any(|other| name.starts_with(other)) {
        return None;
    }
    let stamp = text("stamp").and_then(|stamp| u32::from_str_radix(&stamp, 16).ok());
    Some((if name == "unknown" { String::new() } else { name }, stamp))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faulting_module_is_read() {
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

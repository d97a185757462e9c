//! Footers of ProductionStackTrace: after the trace, they identify exactly which build each assembly is.
//!
//! ```text
//! ==========
//! MODULE: Test => Test, Version=1.0.0.0, …; G:27657a27…; A:1; F:other.pdb
//! ```
//!
//! After the threads of a crash, .NET's in-process reporter lists the modules by the numbers that the frames have:
//!
//! ```text
//! modules:
//!   [0] Test 27657a27-…                         a name, and the module version id
//! *** *** *** …
//! ```

use std::collections::HashMap;
use std::sync::LazyLock;

use super::forms;
use super::frame::Module;
use memchr::memmem;
use regex::bytes::Regex;

const MAX_LEN: usize = 4096;

/// Row of the modules of a crash report, perhaps after what a log writes before each line.
static ROW: LazyLock<Option<Regex>> = LazyLock::new(|| {
    forms::compile(
        r"(?:^|[ \t])(?<number>\[\d{1,5}\]) (?:(?<name>\S[^\r\n]*?) (?<mvid>[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})
        |<unknown>)[ \t\r\n]*$",
    )
});

/// Returns whether a line begins or ends a crash report.
pub(crate) fn is_separator(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(b"*** *** *** ***")
}

/// The name of a module in frames, and the module: a row that does not say which it is has the name alone.
fn row(line: &[u8]) -> Option<(String, Module)> {
    let found = ROW.as_ref()?.captures(line.get(..line.len().min(MAX_LEN))?)?;
    let text = |group: &str| found.name(group).map(|text| String::from_utf8_lossy(text.as_bytes()).into_owned());
    let number = text("number")?;
    let module = match text("mvid").and_then(|mvid| mvid.parse().ok()) {
        Some(mvid) => Module::Mvid(mvid, text("name").unwrap_or_default()),
        None => Module::Footer(number.clone()),
    };
    Some((number, module))
}

/// The short name of a module in frames, and the module that a footer or a row of a crash report says it is.
pub(crate) fn footer(line: &[u8]) -> Option<(String, Module)> {
    let Some(at) = memmem::find(line, b"MODULE: ") else { return row(line) };
    let text = String::from_utf8_lossy(line.get(at + 8..)?);
    let (short, rest) = text.split_once(" => ")?;
    let part = |mark: &str| rest.split(';').find_map(|part| part.trim().strip_prefix(mark)).map(str::trim);
    let assembly = rest.split([',', ';']).next().unwrap_or(rest).trim();
    let module = match part("G:").and_then(|guid| guid.parse().ok()) {
        Some(guid) => {
            let age = part("A:").and_then(|age| age.parse().ok());
            Module::Symbols(guid, age, part("F:").unwrap_or(assembly).to_owned())
        }
        None => Module::File(assembly.to_owned()),
    };
    Some((short.trim().to_owned(), module))
}

/// The module that frames call `short`; without a footer an assembly of that name, but a number is none.
pub(crate) fn module(footers: &HashMap<String, Module>, short: &str) -> Module {
    let unknown = || if short.starts_with('[') { Module::Footer } else { Module::File };
    footers.get(short).cloned().unwrap_or_else(|| unknown()(short.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn footers_are_read() {
        let line = b"MODULE: T#2 => Test, Version=1.0; G:27657a27000000000000000000000001; A:3; F:o.pdb";
        let guid = "27657a27000000000000000000000001".parse().unwrap();
        assert_eq!(footer(line), Some(("T#2".into(), Module::Symbols(guid, Some(3), "o.pdb".into()))));
        let bare = footer(b"MODULE: Test => Test, Version=1.0; G:; A:; F:");
        assert_eq!(bare, Some(("Test".into(), Module::File("Test".into()))));
    }

    #[test]
    fn rows_of_a_crash_report_are_read() {
        let mvid = "83c8b08c-3bb5-404b-a539-25998b36962c";
        for (line, name) in [
            (format!("  [0] Outage {mvid}\n"), "Outage"),
            (format!("11-27 10:30:34.123  4812  4812 F DOTNET_CRASH:   [0] My App.dll {mvid}\r\n"), "My App.dll"),
        ] {
            let module = Module::Mvid(mvid.parse().unwrap(), name.into());
            assert_eq!(footer(line.as_bytes()), Some(("[0]".into(), module)), "{line}");
        }
        assert_eq!(footer(b"  [12] <unknown>"), Some(("[12]".into(), Module::Footer("[12]".into()))));
        assert!(is_separator(b"*** *** *** *** *** ***\r\n") && !is_separator(b"*** stars ***"));
    }

    #[test]
    fn other_lines_are_no_footers() {
        for line in ["MODULE: x", "MODULES", "modules:", "  [0] Outage", "  #00 [0] 0x6000001 0x2"] {
            assert_eq!(footer(line.as_bytes()), None, "{line}");
        }
    }
}

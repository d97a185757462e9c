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

use std::sync::LazyLock;

use super::forms;
use memchr::memmem;
use pdblens_formats::bytes::Guid;
use regex::bytes::Regex;

const MAX_LEN: usize = 4096;

/// Row of the modules of a crash report, perhaps after what a log writes before each line.
static ROW: LazyLock<Option<Regex>> = LazyLock::new(|| {
    forms::compile(
        r"(?:^|[ \t])(?<number>\[\d{1,5}\]) (?:(?<name>\S[^\r\n]*?) (?<mvid>[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})
        |<unknown>)[ \t\r\n]*$",
    )
});

/// Module line of a footer, or row of a crash report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footer {
    /// Name of the module in the frames.
    pub(crate) short: String,
    pub(crate) assembly: String,
    pub(crate) id: Option<(Guid, Option<u32>)>,
    /// The name of its PDB, where that is not the assembly's.
    pub(crate) file: Option<String>,
    /// The module version id, which a crash report has.
    pub(crate) mvid: Option<Guid>,
}

/// Returns whether a line begins or ends a crash report.
pub(crate) fn is_separator(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(b"*** *** *** ***")
}

fn row(line: &[u8]) -> Option<Footer> {
    let found = ROW.as_ref()?.captures(line.get(..line.len().min(MAX_LEN))?)?;
    let text = |group: &str| found.name(group).map(|text| String::from_utf8_lossy(text.as_bytes()).into_owned());
    Some(Footer {
        short: text("number")?,
        assembly: text("name").unwrap_or_default(),
        mvid: text("mvid").and_then(|mvid| mvid.parse().ok()),
        ..Footer::default()
    })
}

pub(crate) fn footer(line: &[u8]) -> Option<Footer> {
    let Some(at) = memmem::find(line, b"MODULE: ") else { return row(line) };
    let text = String::from_utf8_lossy(line.get(at.saturating_add(8)..)?).into_owned();
    let (short, rest) = text.split_once(" => ")?;
    let mut parts = rest.split(';').map(str::trim);
    let full = parts.next()?;
    let mut footer = Footer {
        short: short.trim().to_owned(),
        assembly: full.split(',').next().unwrap_or(full).trim().to_owned(),
        ..Footer::default()
    };
    for part in parts {
        match part.split_once(':') {
            Some(("G", guid)) => footer.id = guid.trim().parse().ok().map(|guid| (guid, None)),
            Some(("A", age)) => {
                if let Some((_, slot)) = &mut footer.id {
                    *slot = age.trim().parse().ok();
                }
            }
            Some(("F", file)) => footer.file = Some(file.trim().to_owned()),
            _ => {}
        }
    }
    Some(footer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn footers_are_read() {
        let footer =
            footer(b"MODULE: T#2 => Test, Version=1.0; G:27657a27000000000000000000000001; A:3; F:o.pdb").unwrap();
        assert_eq!((footer.short.as_str(), footer.assembly.as_str()), ("T#2", "Test"));
        assert_eq!(
            footer.id.map(|(guid, age)| (guid.digits(), age)),
            Some(("27657a27000000000000000000000001".into(), Some(3)))
        );
        assert_eq!(footer.file.as_deref(), Some("o.pdb"));
    }

    #[test]
    fn rows_of_a_crash_report_are_read() {
        let mvid = "83c8b08c-3bb5-404b-a539-25998b36962c";
        for (line, name) in [
            (format!("  [0] Outage {mvid}\n"), "Outage"),
            (format!("11-27 10:30:34.123  4812  4812 F DOTNET_CRASH:   [0] My App.dll {mvid}\r\n"), "My App.dll"),
        ] {
            let footer = footer(line.as_bytes()).unwrap();
            let found = (footer.short.as_str(), footer.assembly.as_str(), footer.mvid);
            assert_eq!(found, ("[0]", name, mvid.parse().ok()), "{line}");
        }
        assert_eq!(footer(b"  [12] <unknown>").map(|footer| (footer.short, footer.mvid)), Some(("[12]".into(), None)));
        assert!(is_separator(b"*** *** *** *** *** ***\r\n") && !is_separator(b"*** stars ***"));
    }

    #[test]
    fn other_lines_are_no_footers() {
        for line in ["MODULE: x", "MODULES", "modules:", "  [0] Outage", "  #00 [0] 0x6000001 0x2"] {
            assert_eq!(footer(line.as_bytes()), None, "{line}");
        }
    }
}

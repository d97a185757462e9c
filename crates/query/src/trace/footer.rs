//! Footers of ProductionStackTrace: after the trace, they identify exactly which build each assembly is.
//!
//! ```text
//! ==========
//! MODULE: Test => Test, Version=1.0.0.0, …; G:27657a27…; A:1; F:other.pdb
//! ```

use super::scan::find;
use pdblens_formats::bytes::Guid;

/// Module line of a footer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Footer {
    /// Name of the module in the frames.
    pub(crate) short: String,
    /// The name of its assembly.
    pub(crate) assembly: String,
    /// Id of its PDB, if the footer has one.
    pub(crate) id: Option<(Guid, Option<u32>)>,
    /// The name of its PDB, where that is not the assembly's.
    pub(crate) file: Option<String>,
}

/// Parses the footer of a module in a line.
pub(crate) fn footer(line: &[u8]) -> Option<Footer> {
    let text = String::from_utf8_lossy(line.get(find(line, b"MODULE: ", 0)? + 8..)?).into_owned();
    let (short, rest) = text.split_once(" => ")?;
    let mut parts = rest.split(';').map(str::trim);
    let full = parts.next()?;
    let mut footer = Footer {
        short: short.trim().to_owned(),
        assembly: full.split(',').next().unwrap_or(full).trim().to_owned(),
        id: None,
        file: None,
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
    fn other_lines_are_no_footers() {
        for line in ["MODULE: x", "MODULES"] {
            assert_eq!(footer(line.as_bytes()), None, "{line}");
        }
    }
}

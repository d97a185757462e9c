//! Links: a place, a read, a pasted blob or a page of a lesson as the fragment of an address of the page.
//!
//! ```text
//! #at=method/0x06000003/points&step=3&file=sample
//! #points=02-00-00-01-13&step=2
//! #lesson=8/4
//! ```

use std::fmt::{self, Write};

use pdblens_session::text::safe::spaced_hex;

/// A place, a blob or a page, as an address has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// A place as it is typed; a read of its record, from 1; true for a place of the built-in sample.
    At { place: String, step: Option<usize>, sample: bool },
    /// Bytes that are in no file, and one of their reads, from 1.
    Bytes { kind: &'static str, bytes: Vec<u8>, step: usize },
    /// Key of a lesson, and its page, from 1.
    Lesson { key: String, page: usize },
}

impl Link {
    /// The link with the address of the page, which belongs to the repository of the program.
    pub fn address(&self) -> String {
        let repository = env!("CARGO_PKG_REPOSITORY").trim_start_matches("https://github.com/");
        let (account, name) = repository.split_once('/').unwrap_or((repository, ""));
        format!("https://{account}.github.io/{name}/{self}")
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At { place, step, sample } => {
                write!(f, "#at={}", encoded(place))?;
                step.map_or(Ok(()), |step| write!(f, "&step={step}"))?;
                f.write_str(if *sample { "&file=sample" } else { "" })
            }
            Self::Bytes { kind, bytes, step } => {
                write!(f, "#{kind}={}&step={step}", spaced_hex(bytes, usize::MAX).replace(' ', "-"))
            }
            Self::Lesson { key, page } => write!(f, "#lesson={}/{page}", encoded(key)),
        }
    }
}

/// A text without the characters that end a member of a fragment or that browsers change in it.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b if b.is_ascii_alphanumeric() || b"/.:,-_~!$'()*;@|".contains(&b) => out.push(char::from(b)),
            b => _ = write!(out, "%{b:02X}"),
        }
    }
    out
}

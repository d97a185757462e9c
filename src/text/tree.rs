//! Decoded values with no type of their own: what JSON prints as it is, and lists show in one line.

use crate::bytes::Guid;
use crate::formats::portable::custom::{self, Kind};
pub use crate::formats::tree::Tree;

/// Characters of a one-line summary.
const MAX_LINE: usize = 200;

/// Decodes a blob of custom debug information.
pub fn custom(kind: Guid, blob: crate::bytes::Slice<'_>) -> crate::bytes::Result<Tree> {
    custom::tree(kind, blob)
}

/// The name of a kind of custom debug information.
pub fn custom_kind(kind: Guid) -> Option<&'static str> {
    Kind::of(kind).map(|kind| kind.name)
}

impl Tree {
    /// All of it in one line, cut where that gets long.
    pub fn line(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, true);
        if let Some((at, _)) = out.char_indices().nth(MAX_LINE) {
            out.truncate(at);
            out.push('…');
        }
        out
    }

    fn write(&self, out: &mut String, outermost: bool) {
        if out.len() > MAX_LINE * 4 {
            return;
        }
        match self {
            Self::Number(number) => out.push_str(&number.to_string()),
            Self::Bool(value) => out.push_str(if *value { "yes" } else { "no" }),
            Self::Text(text) => out.push_str(text),
            Self::Null => out.push('–'),
            // An option reads better as it was given.
            Self::Object(members) if matches!(members.as_slice(), [("name", _), ("value", _)]) => {
                for (index, (_, value)) in members.iter().enumerate() {
                    out.push_str(if index > 0 { "=" } else { "" });
                    value.write(out, false);
                }
            }
            Self::Object(members) => {
                for (index, (name, value)) in members.iter().enumerate() {
                    out.push_str(if index > 0 { " " } else { "" });
                    out.push_str(name);
                    out.push('=');
                    value.write(out, false);
                }
            }
            Self::List(items) => {
                let (open, close) = if outermost { ("", "") } else { ("[", "]") };
                out.push_str(open);
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { " · " } else { "" });
                    item.write(out, false);
                }
                out.push_str(close);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Slice, SpaceId};

    #[test]
    fn a_blob_in_one_line() {
        // Options are names and values, each ended by a NUL.
        let blob = b"language\0C#\0unsafe\0True\0";
        let found = custom(custom::compilation_options::GUID, Slice::new(blob, SpaceId(0), 0)).unwrap();
        assert_eq!(found.line(), "language=C# · unsafe=True");
        let unknown = custom(Guid([9; 16]), Slice::new(&[0xca, 0xfe], SpaceId(0), 0)).unwrap();
        assert_eq!(unknown, Tree::Text("cafe".to_owned()));
    }
}

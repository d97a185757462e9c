//! Decoded values with no type of their own: what JSON prints as it is, and lists show in one line.

use pdblens_formats::bytes::Guid;
use pdblens_formats::portable::custom::{self, Kind};
pub use pdblens_formats::tree::Tree;

/// Characters of a one-line summary.
const MAX_LINE: usize = 200;

/// Decodes a blob of custom debug information.
pub fn custom(kind: Guid, blob: pdblens_formats::bytes::Slice<'_>) -> pdblens_formats::bytes::Result<Tree> {
    custom::tree(kind, blob)
}

/// The name of a kind of custom debug information.
pub fn custom_kind(kind: Guid) -> Option<&'static str> {
    Kind::of(kind).map(|kind| kind.name)
}

/// All of it in one line, cut where that gets long.
pub fn line(tree: &Tree) -> String {
    let mut out = String::new();
    write(tree, &mut out, true);
    if let Some((at, _)) = out.char_indices().nth(MAX_LINE) {
        out.truncate(at);
        out.push('…');
    }
    out
}

fn write(tree: &Tree, out: &mut String, outermost: bool) {
    if out.len() > MAX_LINE * 4 {
        return;
    }
    match tree {
        Tree::Number(number) => out.push_str(&number.to_string()),
        Tree::Bool(value) => out.push_str(if *value { "yes" } else { "no" }),
        Tree::Text(text) => out.push_str(text),
        Tree::Null => out.push('–'),
        // An option reads better as it was given.
        Tree::Object(members) if matches!(members.as_slice(), [("name", _), ("value", _)]) => {
            for (index, (_, value)) in members.iter().enumerate() {
                out.push_str(if index > 0 { "=" } else { "" });
                write(value, out, false);
            }
        }
        Tree::Object(members) => {
            for (index, (name, value)) in members.iter().enumerate() {
                out.push_str(if index > 0 { " " } else { "" });
                out.push_str(name);
                out.push('=');
                write(value, out, false);
            }
        }
        Tree::List(items) => {
            let (open, close) = if outermost { ("", "") } else { ("[", "]") };
            out.push_str(open);
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { " · " } else { "" });
                write(item, out, false);
            }
            out.push_str(close);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_formats::bytes::{Slice, SpaceId};

    #[test]
    fn a_blob_in_one_line() {
        // Options are names and values, each ended by a NUL.
        let blob = b"language\0C#\0unsafe\0True\0";
        let found = custom(custom::compilation_options::GUID, Slice::new(blob, SpaceId(0), 0)).unwrap();
        assert_eq!(line(&found), "language=C# · unsafe=True");
        let unknown = custom(Guid([9; 16]), Slice::new(&[0xca, 0xfe], SpaceId(0), 0)).unwrap();
        assert_eq!(unknown, Tree::Text("cafe".to_owned()));
    }
}

//! A decoded value as a generic tree, for JSON and for display in one line.

use serde::{Serialize, Serializer};

/// Most characters of a line.
const MAX_LINE: usize = 200;

/// A value, or a composition of values.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Tree {
    Number(i64),
    /// Boolean.
    Bool(bool),
    Text(String),
    /// Named members, in order.
    #[serde(serialize_with = "members")]
    Object(Vec<(&'static str, Tree)>),
    /// Elements of one kind.
    List(Vec<Tree>),
    Null,
}

impl Tree {
    /// The value in one line, cut where that gets long.
    pub fn line(&self) -> String {
        let mut out = String::new();
        write(self, &mut out, true);
        if let Some((at, _)) = out.char_indices().nth(MAX_LINE) {
            out.truncate(at);
            out.push('…');
        }
        out
    }
}

fn members<S: Serializer>(members: &[(&'static str, Tree)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(members.iter().map(|(name, value)| (name, value)))
}

fn write(tree: &Tree, out: &mut String, outermost: bool) {
    if out.len() > MAX_LINE * 4 {
        return;
    }
    match tree {
        Tree::Number(number) => out.push_str(&number.to_string()),
        Tree::Bool(value) => out.push_str(if *value { "yes" } else { "no" }),
        Tree::Text(text) => out.push_str(text),
        Tree::Null => out.push_str("none"),
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

impl From<&[u8]> for Tree {
    fn from(text: &[u8]) -> Self {
        Self::Text(String::from_utf8_lossy(text).into_owned())
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl From<$number> for Tree {
            fn from(number: $number) -> Self {
                Self::Number(number.into())
            }
        }
    )*};
}
numbers!(u8 u32 i32);

impl<T: Into<Self>> FromIterator<T> for Tree {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Guid, Slice, SpaceId};
    use crate::portable::custom;

    #[test]
    fn a_blob_in_one_line() {
        // Options are names and values, each ended by a NUL.
        let blob = b"language\0C#\0unsafe\0True\0";
        let found = custom::tree(custom::compilation_options::GUID, Slice::new(blob, SpaceId(0), 0)).unwrap();
        assert_eq!(found.line(), "language=C# · unsafe=True");
        let unknown = custom::tree(Guid([9; 16]), Slice::new(&[0xca, 0xfe], SpaceId(0), 0)).unwrap();
        assert_eq!(unknown, Tree::Text("cafe".to_owned()));
    }
}

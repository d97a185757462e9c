//! Decoded values with no type of their own: what JSON prints as it is, and lists show in one line.

use crate::bytes::Guid;
use crate::formats::portable::custom::{self, Decoded, Kind, embedded_source, lambda_map, local_slot_map};
use crate::text::safe::{hex, utf8};

/// Characters of a one-line summary.
const MAX_LINE: usize = 200;

/// A value made of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// A number.
    Number(i64),
    /// A yes or no.
    Bool(bool),
    /// Text.
    Text(String),
    /// Named values, in order.
    Object(Vec<(&'static str, Tree)>),
    /// Values of one kind.
    List(Vec<Tree>),
    /// Nothing.
    Null,
}

impl From<&[u8]> for Tree {
    fn from(text: &[u8]) -> Self {
        Self::Text(utf8(text).into_owned())
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

/// Value of a blob of custom debug information.
pub fn custom(kind: Guid, blob: crate::bytes::Slice<'_>) -> crate::bytes::Result<Tree> {
    custom::decode(kind, blob).map(|found| tree(&found))
}

/// The name of a kind of custom debug information.
pub fn custom_kind(kind: Guid) -> Option<&'static str> {
    Kind::of(kind).map(|kind| kind.name)
}

fn tree(found: &Decoded<'_>) -> Tree {
    use Tree::{Bool, Null, Object, Text};
    match found {
        Decoded::HoistedScopes(scopes) => {
            scopes.iter().map(|s| Object(vec![("start", s.start.into()), ("length", s.length.into())])).collect()
        }
        Decoded::DynamicLocals(flags) => flags.flags().into_iter().map(Bool).collect(),
        Decoded::TupleNames(names) => {
            names.iter().map(|name| if name.is_empty() { Null } else { name.data.into() }).collect()
        }
        Decoded::DefaultNamespace(name) => name.data.into(),
        Decoded::LocalSlotMap(slots) => slots.iter().map(slot).collect(),
        Decoded::LambdaMap(map) => Object(vec![
            ("method_ordinal", map.method_ordinal.into()),
            ("closures", map.closures.iter().copied().collect()),
            ("lambdas", map.lambdas.iter().map(lambda).collect()),
        ]),
        Decoded::StateMap(states) => states
            .iter()
            .map(|state| {
                Object(vec![
                    ("state", state.number.into()),
                    ("syntax_offset", state.syntax_offset.into()),
                    ("ordinal", state.ordinal.into()),
                ])
            })
            .collect(),
        Decoded::AsyncStepping(found) => {
            let awaits = found.awaits.iter().map(|found| {
                Object(vec![
                    ("yield", found.yield_offset.into()),
                    ("resume", found.resume_offset.into()),
                    ("move_next", found.move_next.into()),
                ])
            });
            Object(vec![("catch_handler", found.catch_handler.map_or(Null, Tree::from)), ("awaits", awaits.collect())])
        }
        Decoded::EmbeddedSource(source) => {
            let (format, size) = match source.format {
                embedded_source::Format::Raw => ("raw", source.content.len() as i64),
                embedded_source::Format::Deflate(size) => ("deflate", size.into()),
                embedded_source::Format::Reserved(number) => ("reserved", number.into()),
            };
            Object(vec![("format", Text(format.to_owned())), ("size", Tree::Number(size))])
        }
        Decoded::SourceLink(json) => json.data.into(),
        Decoded::CompilationReferences(references) => references
            .iter()
            .map(|found| {
                Object(vec![
                    ("file", found.file.data.into()),
                    ("aliases", found.aliases.data.into()),
                    ("assembly", Bool(found.flags & 1 != 0)),
                    ("embed_interop_types", Bool(found.flags & 2 != 0)),
                    ("time_stamp", found.time_stamp.into()),
                    ("size_of_image", found.size_of_image.into()),
                    ("mvid", Text(found.mvid.to_string())),
                ])
            })
            .collect(),
        Decoded::CompilationOptions(options) => options
            .iter()
            .map(|found| Object(vec![("name", found.name.data.into()), ("value", found.value.data.into())]))
            .collect(),
        Decoded::TypeDocuments(rows) => rows.iter().copied().collect(),
        Decoded::PrimaryConstructor => Bool(true),
        Decoded::NameSnapshot(buckets) => buckets
            .iter()
            .map(|bucket| {
                let names = bucket.names.iter().map(|name| name.data).collect();
                Object(vec![("key", bucket.key.data.into()), ("names", names)])
            })
            .collect(),
        Decoded::Unknown(bytes) => Text(hex(bytes.data)),
    }
}

fn slot(slot: &local_slot_map::LocalSlot) -> Tree {
    match *slot {
        local_slot_map::LocalSlot::Temporary => Tree::Null,
        local_slot_map::LocalSlot::Variable { kind, syntax_offset, ordinal } => Tree::Object(vec![
            ("kind", kind.into()),
            ("syntax_offset", syntax_offset.into()),
            ("ordinal", ordinal.into()),
        ]),
    }
}

fn lambda(lambda: &lambda_map::Lambda) -> Tree {
    let closure = match lambda.closure {
        lambda_map::Closure::This => Tree::Text("this".to_owned()),
        lambda_map::Closure::Static => Tree::Text("static".to_owned()),
        lambda_map::Closure::Index(index) => index.into(),
    };
    Tree::Object(vec![("syntax_offset", lambda.syntax_offset.into()), ("closure", closure)])
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

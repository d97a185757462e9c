//! C++ names and sizes of the types of a native PDB.
//!
//! A type is a number; the record after it refers to others. A name is put together as C declares things, from the inside
//! out: `int (*)(const char *, ...)[3]`. Hostile records may refer to one another without end, so that there is a ceiling on
//! how many are looked at for one name.

use pdblens_formats::bytes::Slice;
use pdblens_formats::codeview::types::{Builtin, Property, TypeData};
use pdblens_formats::pdb::TypeStream;

/// Records that may be looked at for one name.
const MAX_STEPS: u32 = 256;
/// Bytes of the declarator around a name.
const MAX_TEXT: usize = 16 << 10;
/// Placeholder for a part of a name that cannot be decoded.
const UNKNOWN: &str = "?";

/// Names of the types of one PDB.
#[derive(Clone, Copy, Debug)]
pub struct TypeNames<'a> {
    types: &'a TypeStream,
    ids: &'a TypeStream,
}

impl<'a> TypeNames<'a> {
    pub const fn new(types: &'a TypeStream, ids: &'a TypeStream) -> Self {
        Self { types, ids }
    }

    pub fn of(&self, index: u32) -> String {
        let mut steps = MAX_STEPS;
        let name = self.declare(index, String::new(), &mut steps);
        name.trim_end().to_owned()
    }

    /// The name of the id with this number: a function with its namespace or class, or text.
    pub fn of_id(&self, index: u32) -> String {
        match self.ids.get(index).and_then(|record| record.read().ok()) {
            Some(TypeData::Function { scope: 0, name, .. }) => text(name),
            Some(TypeData::Function { scope, name, .. }) => format!("{}::{}", self.string(scope), text(name)),
            Some(TypeData::Method { class, name, .. }) => format!("{}::{}", self.of(class), text(name)),
            Some(TypeData::Text { text: end, .. }) => text(end),
            Some(TypeData::SourceLine { of, .. }) => self.of(of),
            _ => UNKNOWN.to_owned(),
        }
    }

    fn string(&self, id: u32) -> String {
        match self.ids.get(id).and_then(|record| record.read().ok()) {
            Some(TypeData::Text { text: end, .. }) => text(end),
            _ => UNKNOWN.to_owned(),
        }
    }

    /// The whole text of a string id, whose beginning may be in a list of others; empty for an id of another kind.
    pub fn text_of_id(&self, index: u32) -> String {
        let mut steps = MAX_STEPS;
        let mut out = String::new();
        self.add_text(index, &mut out, &mut steps);
        out
    }

    /// String ids of a record of build information; empty for an id of another kind.
    pub fn build_info(&self, index: u32) -> Vec<u32> {
        match self.ids.get(index).and_then(|record| record.read().ok()) {
            Some(TypeData::BuildInfo(ids)) => ids.iter().collect(),
            _ => Vec::new(),
        }
    }

    fn add_text(&self, index: u32, out: &mut String, steps: &mut u32) {
        if out.len() >= MAX_TEXT {
            return;
        }
        let Some(left) = steps.checked_sub(1) else { return };
        *steps = left;
        match self.ids.get(index).and_then(|record| record.read().ok()) {
            Some(TypeData::Text { before, text: end }) => {
                if before != 0 {
                    self.add_text(before, out, steps);
                }
                out.push_str(&text(end));
            }
            Some(TypeData::List(parts)) => parts.iter().for_each(|part| self.add_text(part, out, steps)),
            _ => {}
        }
    }

    fn read(&self, index: u32) -> Option<TypeData<'a>> {
        self.types.get(index)?.read().ok()
    }

    /// Declaration of `inner`, a name or a declarator, with the type `index`.
    fn declare(&self, index: u32, inner: String, steps: &mut u32) -> String {
        if inner.len() >= MAX_TEXT {
            return UNKNOWN.to_owned();
        }
        let Some(left) = steps.checked_sub(1) else { return UNKNOWN.to_owned() };
        *steps = left;
        if index < self.types.first() || self.types.is_empty() {
            let builtin = Builtin::of(index);
            let star = if builtin.pointer > 0 { "*" } else { "" };
            return join(builtin.name.unwrap_or(UNKNOWN), &format!("{star}{inner}"));
        }
        match self.read(index) {
            Some(
                TypeData::Class { name, .. }
                | TypeData::Union { name, .. }
                | TypeData::Enumeration { name, .. }
                | TypeData::Alias { name, .. },
            ) => join(&text(name), &inner),
            Some(TypeData::Modifier { of, flags }) => {
                let words = modifiers(flags);
                match self.read(of) {
                    Some(TypeData::Pointer { .. }) => self.declare(of, join(&words, &inner), steps),
                    _ => join(&words, &self.declare(of, inner, steps)),
                }
            }
            Some(TypeData::Pointer { to, attributes, class }) => {
                let mut pointer = self.star(attributes, class, steps);
                if !inner.is_empty() {
                    pointer = if attributes & QUALIFIERS == 0 { pointer + &inner } else { join(&pointer, &inner) };
                }
                let wrapped = matches!(
                    self.read(to),
                    Some(TypeData::Procedure { .. } | TypeData::MemberFunction { .. } | TypeData::Array { .. })
                );
                self.declare(to, if wrapped { format!("({pointer})") } else { pointer }, steps)
            }
            Some(
                TypeData::Procedure { returns, arguments, .. } | TypeData::MemberFunction { returns, arguments, .. },
            ) => {
                let arguments = self.arguments(arguments, steps);
                self.declare(returns, format!("{inner}({arguments})"), steps)
            }
            Some(TypeData::Array { of, .. }) => {
                let bytes = self.read(index).and_then(|array| array.size());
                let count = bytes.zip(self.size_of(of)).and_then(|(all, one)| all.checked_div(one));
                let count = count.map_or(String::new(), |count| count.to_string());
                self.declare(of, format!("{inner}[{count}]"), steps)
            }
            Some(TypeData::BitField { of, length, .. }) => format!("{} : {length}", self.declare(of, inner, steps)),
            Some(TypeData::List(_)) => format!("({}){inner}", self.arguments(index, steps)),
            Some(TypeData::VirtualShape { .. } | TypeData::VirtualTable { .. }) => join("<virtual functions>", &inner),
            _ => join(UNKNOWN, &inner),
        }
    }

    /// The sign of a pointer, with the class whose members it points to and its qualifiers.
    fn star(&self, attributes: u32, class: u32, steps: &mut u32) -> String {
        let sign = match TypeData::pointer_mode(attributes) {
            1 => "&",
            4 => "&&",
            _ => "*",
        };
        let class = if class == 0 { String::new() } else { self.declare(class, String::new(), steps) + "::" };
        let words = [(CONST, "const"), (VOLATILE, "volatile")];
        let set: Vec<_> = words.into_iter().filter(|(bit, _)| attributes & bit != 0).map(|(_, word)| word).collect();
        format!("{class}{sign}{}", set.join(" "))
    }

    fn arguments(&self, list: u32, steps: &mut u32) -> String {
        let Some(TypeData::List(list)) = self.read(list) else { return UNKNOWN.to_owned() };
        let mut names = Vec::new();
        for index in list.iter() {
            // A last parameter without a type stands for any number of them.
            names.push(if index == 0 { "...".to_owned() } else { self.declare(index, String::new(), steps) });
            if *steps == 0 || names.iter().map(String::len).sum::<usize>() > MAX_TEXT {
                break;
            }
        }
        names.join(", ")
    }

    /// Size of a value in bytes; that of a forward reference is in the record that defines the type.
    pub fn size_of(&self, mut index: u32) -> Option<u64> {
        for _ in 0..MAX_STEPS {
            if index < self.types.first() {
                let builtin = Builtin::of(index);
                builtin.name?;
                return Some(if builtin.pointer > 0 { builtin.pointer } else { builtin.size } as u64);
            }
            let data = self.read(index)?;
            index = match data {
                TypeData::Modifier { of, .. } | TypeData::Enumeration { of, .. } | TypeData::Alias { of, .. } => of,
                _ if data.property().is_some_and(Property::is_forward) => self.types.definition_of(&data)?,
                _ => return data.size(),
            };
        }
        None
    }
}

const VOLATILE: u32 = 0x200;
const CONST: u32 = 0x400;
const QUALIFIERS: u32 = CONST | VOLATILE;

fn text(slice: Slice<'_>) -> String {
    crate::text::safe::utf8(slice.data).into_owned()
}

/// Two parts of a name with a space between, unless one of them is empty or the second continues the first.
fn join(one: &str, other: &str) -> String {
    match other {
        "" => one.to_owned(),
        _ if one.is_empty() || other.starts_with(['[', ')']) => format!("{one}{other}"),
        _ => format!("{one} {other}"),
    }
}

fn modifiers(flags: u16) -> String {
    let words = [(1, "const"), (2, "volatile"), (4, "__unaligned")];
    let set: Vec<_> = words.into_iter().filter(|(bit, _)| flags & bit != 0).map(|(_, word)| word).collect();
    set.join(" ")
}

/// Keyword of a type record: `struct`, `class`, `union` or `enum`, with `forward` before a forward reference.
pub fn kind(kind: u16, data: &TypeData<'_>) -> &'static str {
    let forward = |property: &Property| property.is_forward();
    match (kind, data) {
        (0x1504 | 0x1608, TypeData::Class { property, .. }) if forward(property) => "forward class",
        (0x1504 | 0x1608, _) => "class",
        (0x1519 | 0x160b, _) => "interface",
        (_, TypeData::Class { property, .. }) if forward(property) => "forward struct",
        (_, TypeData::Class { .. }) => "struct",
        (_, TypeData::Union { property, .. }) if forward(property) => "forward union",
        (_, TypeData::Union { .. }) => "union",
        (_, TypeData::Enumeration { property, .. }) if forward(property) => "forward enum",
        (_, TypeData::Enumeration { .. }) => "enum",
        (_, TypeData::Pointer { .. }) => "pointer",
        (_, TypeData::Modifier { .. }) => "qualified type",
        (_, TypeData::Procedure { .. }) => "function type",
        (_, TypeData::MemberFunction { .. }) => "member function type",
        (_, TypeData::List(_)) => "list",
        (_, TypeData::Fields(_)) => "members",
        (_, TypeData::MethodList(_)) => "overloads",
        (_, TypeData::BitField { .. }) => "bit-field",
        (_, TypeData::Array { .. }) => "array",
        (_, TypeData::VirtualShape { .. } | TypeData::VirtualTable { .. }) => "virtual table",
        (_, TypeData::Alias { .. }) => "alias",
        (_, TypeData::TypeServer { .. }) => "type server",
        (_, TypeData::Function { .. }) => "function",
        (_, TypeData::Method { .. }) => "member function",
        (_, TypeData::Text { .. }) => "text",
        (_, TypeData::BuildInfo(_)) => "build",
        (_, TypeData::SourceLine { .. }) => "definition",
        _ => "other",
    }
}

/// Bit of a modifier for `const`.
const MODIFIED_CONST: u16 = 1;

impl TypeNames<'_> {
    /// The type of the result and the parameters of a function type: `int` and `(const char *) const`; `None` for another type.
    pub fn signature(&self, index: u32) -> Option<(String, String)> {
        let (returns, arguments, this) = match self.read(index)? {
            TypeData::Procedure { returns, arguments, .. } => (returns, arguments, 0),
            TypeData::MemberFunction { returns, arguments, this, .. } => (returns, arguments, this),
            _ => return None,
        };
        let mut steps = MAX_STEPS;
        let parameters = self.arguments(arguments, &mut steps);
        let end = if self.is_of_constant(this) { " const" } else { "" };
        Some((self.of(returns), format!("({parameters}){end}")))
    }

    /// The function type of the id of a function.
    pub fn type_of_id(&self, id: u32) -> Option<u32> {
        match self.ids.get(id)?.read().ok()? {
            TypeData::Function { of, .. } | TypeData::Method { of, .. } => Some(of),
            _ => None,
        }
    }

    /// Returns whether the type of `this` points to a constant.
    fn is_of_constant(&self, this: u32) -> bool {
        let Some(TypeData::Pointer { to, .. }) = self.read(this) else { return false };
        matches!(self.read(to), Some(TypeData::Modifier { flags, .. }) if flags & MODIFIED_CONST != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_formats::bytes::{Region, SpaceId};
    use std::sync::Arc;

    /// A type stream with these records, numbered from 0x1000 on.
    fn types(records: &[Vec<u8>]) -> TypeStream {
        let body: Vec<u8> = records
            .iter()
            .flat_map(|record| {
                let mut record = record.clone();
                record.resize((record.len() + 2).next_multiple_of(4) - 2, 0xf1);
                [(record.len() as u16).to_le_bytes().to_vec(), record].concat()
            })
            .collect();
        let mut bytes = vec![0; 56];
        let end = 0x1000 + records.len() as u32;
        for (at, number) in [(0, 20_040_203_u32), (4, 56), (8, 0x1000), (12, end), (16, body.len() as u32)] {
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        bytes.extend(body);
        TypeStream::parse(Region::whole(SpaceId(0), Arc::new(bytes)))
    }

    fn record(kind: u16, numbers: &[u32], rest: &[u8]) -> Vec<u8> {
        let mut record = kind.to_le_bytes().to_vec();
        record.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        record.extend(rest);
        record
    }

    const POINTER: u32 = 8 << 13 | 0xc;

    #[test]
    fn names_are_those_of_a_declaration() {
        let types = types(&[
            record(0x1001, &[0x70], &[1, 0]),                             // 1000 const char
            record(0x1002, &[0x1000, POINTER], &[]),                      // 1001 const char *
            record(0x1201, &[2, 0x1001, 0], &[]),                         // 1002 (const char *, ...)
            record(0x1008, &[0x74, 0x0002_0000, 0x1002], &[]),            // 1003 int (const char *, ...)
            record(0x1002, &[0x1003, POINTER], &[]),                      // 1004 pointer to it
            record(0x1503, &[0x74, 0x23], &[12, 0, 0]),                   // 1005 int[3]
            record(0x1503, &[0x1005, 0x23], &[24, 0, 0]),                 // 1006 int[2][3]
            record(0x1002, &[0x1005, POINTER | 1 << 5], &[]),             // 1007 int (&)[3]
            record(0x1505, &[0x0080_0000, 0, 0, 0], b"\0\0geo::Point\0"), // 1008 geo::Point, forward
            record(0x1002, &[0x41, POINTER | 2 << 5, 0x1008], &[1, 0]),   // 1009 double geo::Point::*
            record(0x1002, &[0x1008, POINTER | CONST], &[]),              // 100a geo::Point *const
            record(0x1205, &[0x74], &[3, 0]),                             // 100b int : 3
            record(0x1505, &[0, 0, 0, 0], b"\x10\0geo::Point\0"),         // 100c geo::Point
            record(0x1609, &[0x200, 0x1005, 0, 0], b"\x02\0\x18\0Wide\0.?AUWide@@\0"), // 100d Wide, of VS 2019
            record(0x160a, &[0x200, 0x1005], b"\x01\0\x08\0Either\0.?ATEither@@\0"), // 100e Either, of VS 2019
            record(0x1504, &[0x0280_0000, 0, 0, 0], b"\0\0Wide\0.?AUWide@@\0"), // 100f Wide, forward
        ]);
        let names = TypeNames::new(&types, &types);
        for (index, name, size) in [
            (0x74, "int", Some(4)),
            (0x670, "char *", Some(8)),
            (0x1001, "const char *", Some(8)),
            (0x1002, "(const char *, ...)", None),
            (0x1003, "int (const char *, ...)", None),
            (0x1004, "int (*)(const char *, ...)", Some(8)),
            (0x1006, "int[2][3]", Some(24)),
            (0x1007, "int (&)[3]", Some(8)),
            (0x1008, "geo::Point", Some(16)),
            (0x1009, "double geo::Point::*", Some(8)),
            (0x100a, "geo::Point *const", Some(8)),
            (0x100b, "int : 3", None),
            (0x100c, "geo::Point", Some(16)),
            (0x100d, "Wide", Some(24)),
            (0x100e, "Either", Some(8)),
            (0x100f, "Wide", Some(24)),
            (0xff, "?", None),
            (0x2000, "?", None),
        ] {
            assert_eq!((names.of(index).as_str(), names.size_of(index)), (name, size), "{index:x}");
        }
    }

    #[test]
    fn types_that_go_round_in_a_circle_have_a_name_that_ends() {
        let types = types(&[
            record(0x1002, &[0x1000, POINTER], &[]),
            record(0x1201, &[2, 0x1002, 0x1002], &[]),
            record(0x1008, &[0x1002, 0x0002_0000, 0x1001], &[]),
            record(0x1001, &[0x1003], &[1, 0]),
        ]);
        let names = TypeNames::new(&types, &types);
        for index in 0x1000..0x1004 {
            assert!(names.of(index).len() < 4096, "{index:x}");
            names.size_of(index);
        }
    }
}

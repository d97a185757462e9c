//! Users of a type through instantiations and arrays of it or with it, which have rows of their own, and through names in attributes.

use super::index::{self, CodeUse};
use super::kind::{UseKind, User};
use super::members::{PARENT, method_specs};
use crate::place::{Place, Side};
use crate::table::blobs;
use memchr::memmem::Finder;
use pdblens_formats::bytes::{Cursor, Slice, count_work};
use pdblens_formats::metadata::schema::{MEMBER_REF_PARENT, TYPE_DEF_OR_REF};
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_formats::signature::{self, Signature, Type};
use pdblens_session::session::Session;
use pdblens_session::text::safe::utf8;
use std::collections::{HashMap, HashSet};

/// Columns that can have a row of TypeSpec, but for the types of members that are referred to.
const SPEC_COLUMNS: &[(TableId, usize, &str)] = &[
    (TableId::TYPE_DEF, 3, "Extends"),
    (TableId::INTERFACE_IMPL, 1, "Interface"),
    (TableId::GENERIC_PARAM_CONSTRAINT, 1, "Constraint"),
    (TableId::EVENT, 2, "EventType"),
];

/// A type in a row of TypeSpec.
#[derive(Clone, Copy, Default)]
struct Part {
    /// It is the type: an instantiation, an array or a pointer of it.
    is_type: bool,
    /// An instantiation has the type among its arguments.
    is_argument: bool,
    /// The row is an array with a shape.
    is_shaped: bool,
}

impl Part {
    fn of(of: &Type, wanted: Token) -> Self {
        let mut part = Self { is_shaped: matches!(of, Type::ShapedArray(..)), ..Self::default() };
        part.look(of, wanted, false);
        part
    }

    /// The decoder limits the depth.
    fn look(&mut self, of: &Type, wanted: Token, inside: bool) {
        match of {
            Type::Named { token, .. } => self.see(*token, wanted, inside),
            Type::Array(of) | Type::ShapedArray(of, _) | Type::Pointer(of) | Type::Reference(of) | Type::Pinned(of) => {
                self.look(of, wanted, inside);
            }
            Type::Modified { modifier, of, .. } => {
                self.see(*modifier, wanted, inside);
                self.look(of, wanted, inside);
            }
            Type::Generic { token, arguments, .. } => {
                self.see(*token, wanted, inside);
                for of in arguments {
                    self.look(of, wanted, true);
                }
            }
            // Types of a pointer to a method are no arguments, but the pointer is not the type, either.
            Type::Function(_) => of.each_token(&mut |token| self.see(token, wanted, true)),
            _ => {}
        }
    }

    fn see(&mut self, token: Token, wanted: Token, inside: bool) {
        self.is_argument |= inside && token == wanted;
        self.is_type |= !inside && token == wanted;
    }
}

/// A token in code that leads to a type.
#[derive(Clone, Copy)]
enum Through {
    Spec(Part),
    /// A method or field of an instantiated type: its creation and static members name the arguments.
    Member {
        is_static: bool,
    },
    /// An element of a shaped array is made by a constructor of the array.
    ArrayConstructor,
    Instantiation,
}

impl Through {
    fn kinds(self, found: &CodeUse) -> [Option<UseKind>; 2] {
        match self {
            Self::Spec(part) => [part.is_type.then_some(found.kind), part.is_argument.then_some(UseKind::Argument)],
            Self::Member { is_static } if is_static || found.kind == UseKind::New || found.is_static => {
                [None, Some(UseKind::Argument)]
            }
            Self::ArrayConstructor if found.kind == UseKind::New => [Some(UseKind::Type), None],
            Self::Member { .. } | Self::ArrayConstructor => [None, None],
            Self::Instantiation => [None, Some(UseKind::Argument)],
        }
    }
}

/// Adds the users of a row of TypeDef or TypeRef, but for those that refer to the row itself. `signatures` are the rows whose signature has it.
pub(super) fn add(session: &Session, metadata: &Metadata, of: Token, signatures: Vec<Token>, users: &mut Vec<User>) {
    let mut through: HashMap<Token, Through> = HashMap::new();
    for row in &signatures {
        match row.table() {
            TableId::TYPE_SPEC => {
                let Some(spec) = spec(metadata, row.row()) else { continue };
                through.insert(*row, Through::Spec(Part::of(&spec, of)));
            }
            TableId::METHOD_SPEC => _ = through.insert(*row, Through::Instantiation),
            _ => {}
        }
    }
    if through.values().any(|of| matches!(of, Through::Spec(_))) {
        add_members(metadata, &mut through);
    }
    let tokens: Vec<Token> = through.keys().copied().collect();
    let mut seen = HashSet::new();
    if !tokens.is_empty() {
        for found in index::in_code(session, &tokens) {
            let Some(of) = through.get(&found.token) else { continue };
            for kind in of.kinds(&found).into_iter().flatten() {
                seen.insert(found.token);
                users.push(CodeUse { kind, ..found }.user());
            }
        }
        add_columns(metadata, &through, &mut seen, users);
    }
    // A row that leads on to users is none itself.
    users.extend(signatures.into_iter().filter(|row| !seen.contains(row)).map(|row| User {
        kind: UseKind::Signature,
        place: Place::row(row.table(), row.row()),
        field: "",
    }));
    if of.table() == TableId::TYPE_DEF {
        add_attributes(session, metadata, of, users);
    }
}

/// Adds base classes, interfaces, constraints and events whose type is a row of TypeSpec that is there.
fn add_columns(
    metadata: &Metadata,
    through: &HashMap<Token, Through>,
    seen: &mut HashSet<Token>,
    users: &mut Vec<User>,
) {
    for (id, column, field) in SPEC_COLUMNS.iter().copied() {
        let table = metadata.table(id);
        let cells = table.column(column);
        for row in 1..=table.rows() {
            let Some((of, spec)) = cells.get(row).and_then(|cell| TYPE_DEF_OR_REF.decode(cell)) else { continue };
            let spec = Token::new(of, spec);
            if through.contains_key(&spec) {
                seen.insert(spec);
                users.push(User { kind: UseKind::Column, place: Place::row(id, row), field });
            }
        }
    }
}

fn spec(metadata: &Metadata, row: u32) -> Option<Type> {
    let blob = metadata.blob_cell(TableId::TYPE_SPEC, row, 0).ok()?;
    Some(signature::decode_type(&mut blob.cursor()).ok()?.value)
}

/// Adds the references to members of the rows of TypeSpec that are there, and the instantiations of these members.
fn add_members(metadata: &Metadata, through: &mut HashMap<Token, Through>) {
    let parents = metadata.table(TableId::MEMBER_REF).column(PARENT);
    let mut members = Vec::new();
    for row in 1..=metadata.rows(TableId::MEMBER_REF) {
        let Some((table, spec_row)) = parents.get(row).and_then(|parent| MEMBER_REF_PARENT.decode(parent)) else {
            continue;
        };
        let Some(Through::Spec(part)) = through.get(&Token::new(table, spec_row)).copied() else { continue };
        let member = match part {
            Part { is_shaped: true, .. } => Through::ArrayConstructor,
            Part { is_argument: true, .. } => Through::Member { is_static: is_static(metadata, row) },
            _ => continue,
        };
        members.push((Token::new(TableId::MEMBER_REF, row), member));
    }
    let of_members = members.iter().map(|(member, _)| *member).collect::<Vec<_>>();
    let instantiations = method_specs(metadata, &of_members);
    through.extend(members);
    for (method, of) in instantiations {
        if let Some(member) = through.get(&of).copied() {
            through.entry(method).or_insert(member);
        }
    }
}

/// Returns whether a method of MemberRef is static; of a field, the instruction tells.
fn is_static(metadata: &Metadata, member: u32) -> bool {
    let blob = metadata.blob_cell(TableId::MEMBER_REF, member, 2).ok();
    let signature = blob.and_then(|blob| signature::decode(&mut blob.cursor()).ok());
    matches!(signature, Some(Signature::Method(method)) if !method.has_this)
}

/// Adds the custom attributes whose value names a type of this image.
fn add_attributes(session: &Session, metadata: &Metadata, of: Token, users: &mut Vec<User>) {
    let Some(names) = session.names() else { return };
    let mut name = String::new();
    if names.write_reflection_type(of.row(), &mut name).is_err() || name.is_empty() {
        return;
    }
    let name = escaped(&name);
    let assembly =
        metadata.string_cell(TableId::ASSEMBLY, 1, 7).map(|name| utf8(name.data).into_owned()).unwrap_or_default();
    let (finder, work) = (Finder::new(&name), session.spaces().budget().work());
    for row in 1..=metadata.rows(TableId::CUSTOM_ATTRIBUTE) {
        let Ok(value) = metadata.blob_cell(TableId::CUSTOM_ATTRIBUTE, row, 2) else { continue };
        if !work.goes_on("uses in custom attributes", || Token::new(TableId::CUSTOM_ATTRIBUTE, row).to_string()) {
            break;
        }
        count_work(value.len());
        if finder.find(value.data).is_none() {
            continue;
        }
        if type_names(session, row, value).iter().any(|text| names_type(text, &name, &assembly)) {
            users.push(User { kind: UseKind::Attribute, place: Place::row(TableId::CUSTOM_ATTRIBUTE, row), field: "" });
        }
    }
}

/// A name as attributes write it: what separates arguments, ranks and assemblies has a backslash before it.
fn escaped(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for c in name.chars() {
        if matches!(c, '\\' | ',' | '[' | ']' | '&' | '*') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Names of types in the value of a custom attribute, as reflection writes them.
fn type_names(session: &Session, row: u32, value: Slice<'_>) -> Vec<String> {
    let mut cursor = Cursor::recording(value);
    // The names before an error are kept.
    _ = blobs::attribute(session, Side::Image, row, &mut cursor);
    let fields = cursor.fields();
    let names = fields.iter().filter(|field| field.name() == "type name");
    names.filter_map(|field| Some(utf8(value.at(field.span).ok()?.data).into_owned())).collect()
}

/// Returns whether a name with type arguments, arrays and assemblies names a type of this assembly.
fn names_type(text: &str, name: &str, assembly: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let starts = text[..at].chars().next_back().is_none_or(|before| before == '[');
        let mut rest = &text[at + name.len()..];
        // Type arguments and ranks of arrays are between the name and its assembly.
        let mut depth = 0_u32;
        let is_behind = |c: char, depth: &mut u32| {
            *depth = match c {
                '[' => *depth + 1,
                ']' if *depth > 0 => *depth - 1,
                _ => return *depth > 0 || matches!(c, '*' | '&'),
            };
            true
        };
        let end = rest.char_indices().find(|(_, c)| !is_behind(*c, &mut depth)).map_or(rest.len(), |(at, _)| at);
        rest = &rest[end..];
        let named = rest.strip_prefix(',').map(|rest| rest.split([',', ']']).next().unwrap_or(rest).trim());
        starts && (rest.is_empty() || rest.starts_with(']') || named.is_some_and(|named| named == assembly))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_named_with_arguments_arrays_and_its_assembly() {
        let named = |text| names_type(text, "A.B+C", "Own");
        for text in [
            "A.B+C",
            "A.B+C, Own, Version=1.0.0.0",
            "A.B+C[], Own",
            "A.B+C[[System.Int32, Other]], Own",
            "X.Y`1[[A.B+C, Own]], Other",
            "X`1[A.B+C]",
        ] {
            assert!(named(text), "{text}");
        }
        assert_eq!(escaped("<A<B,C>-D>d__1"), "<A<B\\,C>-D>d__1");
        for text in ["A.B+C, Other", "A.B+CD", "XA.B+C", "A.B+C+D", "A.B+C`1", "X`1[[A.B+C, Other]], Own", ""] {
            assert!(!named(text), "{text}");
        }
    }
}

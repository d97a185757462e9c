//! Records of the type streams with everything in them.

use crate::function::NativeView;
use crate::stream::leaf_text;
use pdblens_formats::bytes::Span;
use pdblens_formats::codeview::types::{TypeData, kind_name};
use pdblens_formats::pdb::TypeStream;
use pdblens_session::text::cpp_types::{self, TypeNames};
use pdblens_session::text::safe::utf8;

/// A type, or an id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeDetails {
    /// Index in its stream.
    pub index: u32,
    /// CodeView's name of the record (`LF_POINTER`).
    pub record: &'static str,
    /// Noun for it: `class`, `pointer`, `function`.
    pub kind: &'static str,
    /// Name as C++ writes it; the whole text of a string.
    pub name: String,
    /// Decorated name; empty if there is none.
    pub unique_name: String,
    /// Size of a value in bytes.
    pub size: Option<u64>,
    /// True for a reference to a definition in another record.
    pub is_forward: bool,
    /// Bytes of the record.
    pub span: Span,
    /// Types or ids that it is made of, by their role.
    pub refers: Vec<(&'static str, u32)>,
    /// Elements of a list of arguments, of strings, or of build information.
    pub list: Vec<u32>,
    /// Members of a field list.
    pub members: Vec<MemberDetails>,
    /// Overloads of a method list, by type.
    pub overloads: Vec<u32>,
    /// Numbers by name: attributes, bit position, calling convention.
    pub numbers: Vec<(&'static str, u64)>,
    /// Error that ends it early.
    pub error: Option<String>,
}

/// Member of a class, union or enumeration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberDetails {
    /// CodeView's name of the record (`LF_MEMBER`).
    pub record: &'static str,
    /// Name; empty for a base class.
    pub name: String,
    /// Its type, or the index of a list of overloads or further members; 0 for an enumerator.
    pub of: u32,
    /// Offset in an object, or value of an enumerator.
    pub value: Option<String>,
    /// Access and kind of function, as encoded.
    pub attributes: u16,
}

impl NativeView<'_> {
    /// All types, or all ids, in their order.
    pub fn each_type<E>(&self, ids: bool, mut each: impl FnMut(TypeDetails) -> Result<(), E>) -> Result<(), E> {
        let types: &TypeStream = self.types(ids);
        let Some(names) = self.view.type_names() else { return Ok(()) };
        for record in types.iter() {
            let mut details = TypeDetails {
                index: record.index,
                record: kind_name(record.kind).unwrap_or_default(),
                span: record.span(),
                ..TypeDetails::default()
            };
            match record.read() {
                Ok(data) => {
                    details.kind = cpp_types::kind(record.kind, &data);
                    details.add(names, ids, &data);
                }
                Err(error) => details.error = Some(error.to_string()),
            }
            each(details)?;
        }
        Ok(())
    }
}

impl TypeDetails {
    fn add(&mut self, names: TypeNames<'_>, ids: bool, data: &TypeData<'_>) {
        let is_text = matches!(data, TypeData::Text { .. });
        let name = match () {
            () if is_text => names.text_of_id(self.index),
            () if ids => names.of_id(self.index),
            () => names.of(self.index),
        };
        // Lists and field lists have no name of their own.
        let is_list = matches!(data, TypeData::List(_) | TypeData::Fields(_) | TypeData::MethodList(_));
        if name != "?" && !is_list {
            self.name = name;
        }
        self.size = if ids { None } else { names.size_of(self.index) };
        self.is_forward = data.property().is_some_and(pdblens_formats::codeview::types::Property::is_forward);
        self.add_references(data);
        self.add_content(data);
    }

    fn refer(&mut self, roles: &[(&'static str, u32)]) {
        self.refers.extend(roles.iter().filter(|(_, index)| *index != 0));
    }

    fn add_references(&mut self, data: &TypeData<'_>) {
        match *data {
            TypeData::Modifier { of, .. } | TypeData::BitField { of, .. } | TypeData::Alias { of, .. } => {
                self.refer(&[("of", of)]);
            }
            TypeData::Pointer { to, class, .. } => self.refer(&[("to", to), ("class", class)]),
            TypeData::Procedure { returns, arguments, .. } => {
                self.refer(&[("returns", returns), ("arguments", arguments)]);
            }
            TypeData::MemberFunction { returns, class, this, arguments, .. } => {
                self.refer(&[("returns", returns), ("class", class), ("this", this), ("arguments", arguments)]);
            }
            TypeData::Array { of, index, .. } => self.refer(&[("of", of), ("index", index)]),
            TypeData::Class { fields, derived, shape, .. } => {
                self.refer(&[("fields", fields), ("derived", derived), ("shape", shape)]);
            }
            TypeData::Union { fields, .. } => self.refer(&[("fields", fields)]),
            TypeData::Enumeration { of, fields, .. } => self.refer(&[("of", of), ("fields", fields)]),
            TypeData::VirtualTable { class, base, .. } => self.refer(&[("class", class), ("base", base)]),
            TypeData::Function { scope, of, .. } => self.refer(&[("scope", scope), ("of", of)]),
            TypeData::Method { class, of, .. } => self.refer(&[("class", class), ("of", of)]),
            TypeData::Text { before, .. } => self.refer(&[("before", before)]),
            TypeData::SourceLine { of, source, .. } => self.refer(&[("of", of), ("source", source)]),
            _ => {}
        }
    }

    fn add_content(&mut self, data: &TypeData<'_>) {
        match data {
            TypeData::List(list) | TypeData::BuildInfo(list) => self.list = list.iter().collect(),
            TypeData::Fields(members) => {
                for member in members.iter() {
                    match member {
                        Ok(member) => self.members.push(MemberDetails {
                            record: kind_name(member.kind).unwrap_or_default(),
                            name: utf8(member.name.data).into_owned(),
                            of: member.of,
                            value: member.value.map(leaf_text),
                            attributes: member.attributes,
                        }),
                        Err(error) => self.error = Some(error.to_string()),
                    }
                }
            }
            TypeData::MethodList(methods) => self.overloads = methods.iter().map(|method| method.of).collect(),
            TypeData::Class { unique, property, count, .. }
            | TypeData::Union { unique, property, count, .. }
            | TypeData::Enumeration { unique, property, count, .. } => {
                self.unique_name = utf8(unique.data).into_owned();
                self.numbers.extend([("members", u64::from(*count)), ("property", u64::from(property.0))]);
            }
            TypeData::Modifier { flags, .. } => self.numbers.push(("flags", u64::from(*flags))),
            TypeData::Pointer { attributes, .. } => self.numbers.push(("attributes", u64::from(*attributes))),
            TypeData::Procedure { convention, .. } | TypeData::MemberFunction { convention, .. } => {
                self.numbers.push(("convention", u64::from(*convention)));
            }
            TypeData::BitField { length, position, .. } => {
                self.numbers.extend([("length", u64::from(*length)), ("position", u64::from(*position))]);
            }
            TypeData::VirtualShape { count } => self.numbers.push(("entries", u64::from(*count))),
            TypeData::VirtualTable { offset, .. } => self.numbers.push(("offset", u64::from(*offset))),
            TypeData::SourceLine { line, module, .. } => {
                self.numbers.extend([("line", u64::from(*line)), ("module", u64::from(*module))]);
            }
            _ => {}
        }
    }
}

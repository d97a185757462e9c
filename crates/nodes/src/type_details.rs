//! Records of the type streams with everything in them.

use crate::native::NativeView;
use crate::stream::leaf_text;
use pdblens_formats::bytes::Span;
use pdblens_formats::codeview::types::{TypeData, kind_name};
use pdblens_formats::pdb::TypeStream;
use pdblens_formats::reason::Reason;
use pdblens_formats::serialize::some_hexadecimal;
use pdblens_session::session::Session;
use pdblens_session::text::cpp_types::{self, TypeNames};
use pdblens_session::text::safe::utf8;

/// A type, or an id.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "type"))]
pub struct TypeDetails {
    /// Index in its stream.
    #[serde(serialize_with = "pdblens_formats::serialize::hexadecimal")]
    #[cfg_attr(feature = "schema", schemars(with = "pdblens_formats::json_schema::TypeIndex"))]
    pub index: u32,
    /// CodeView's name of the record (`LF_POINTER`).
    pub record: &'static str,
    /// Noun for it: `class`, `pointer`, `function`.
    pub kind: &'static str,
    /// Name as C++ writes it; the whole text of a string.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Decorated name; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub unique_name: String,
    /// Size of a value in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// True for a reference to a definition in another record.
    #[serde(rename = "forward", skip_serializing_if = "std::ops::Not::not")]
    pub is_forward: bool,
    /// Bytes of the record.
    pub span: Span,
    /// Types or ids that it is made of, by their role.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refers: Vec<TypeReference>,
    /// Elements of a list of arguments, of strings, or of build information.
    #[serde(serialize_with = "pdblens_formats::serialize::hexadecimals", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<pdblens_formats::json_schema::TypeIndex>"))]
    pub list: Vec<u32>,
    /// Members of a field list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberDetails>,
    /// Overloads of a method list, by type.
    #[serde(serialize_with = "pdblens_formats::serialize::hexadecimals", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<pdblens_formats::json_schema::TypeIndex>"))]
    pub overloads: Vec<u32>,
    /// Numbers by name: attributes, bit position, calling convention.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<NamedNumber>,
    /// Error that ends it early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Reason>,
}

/// A type or id that another one is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "type_reference"))]
pub struct TypeReference {
    /// `of`, `to`, `returns`, `arguments`, `class`, `this`, `fields`, `scope`, and others.
    pub role: &'static str,
    /// Its index.
    #[serde(serialize_with = "pdblens_formats::serialize::hexadecimal")]
    #[cfg_attr(feature = "schema", schemars(with = "pdblens_formats::json_schema::TypeIndex"))]
    pub index: u32,
}

/// A number of a type by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "named_number"))]
pub struct NamedNumber {
    /// Name of the field.
    pub name: &'static str,
    /// Its value.
    pub value: u64,
}

/// Member of a class, union or enumeration.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "member"))]
pub struct MemberDetails {
    /// CodeView's name of the record (`LF_MEMBER`).
    pub record: &'static str,
    /// Name; empty for a base class.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its type, or the index of a list of overloads or further members; `None` for an enumerator.
    #[serde(rename = "type", serialize_with = "some_hexadecimal", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<pdblens_formats::json_schema::TypeIndex>"))]
    pub of: Option<u32>,
    /// Offset in an object, or value of an enumerator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Access and kind of function, as encoded.
    pub attributes: u16,
}

/// Calls `each` with all types, or all ids, of native code in their order.
pub fn each_type<E>(session: &Session, ids: bool, mut each: impl FnMut(TypeDetails) -> Result<(), E>) -> Result<(), E> {
    let native = NativeView::of(session);
    let Some((native, names)) = native.and_then(|native| Some((native, native.view.type_names()?))) else {
        return Ok(());
    };
    let types: &TypeStream = native.types(ids);
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
            Err(error) => details.error = Some(Reason::new(error.kind.code(), error.to_string())),
        }
        each(details)?;
    }
    Ok(())
}

impl TypeDetails {
    fn number(&mut self, name: &'static str, value: u64) {
        self.numbers.push(NamedNumber { name, value });
    }

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
        let roles = roles.iter().filter(|(_, index)| *index != 0);
        self.refers.extend(roles.map(|(role, index)| TypeReference { role, index: *index }));
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
                            of: if member.of == 0 { None } else { Some(member.of) },
                            value: member.value.map(leaf_text),
                            attributes: member.attributes,
                        }),
                        Err(error) => self.error = Some(Reason::new(error.kind.code(), error.to_string())),
                    }
                }
            }
            TypeData::MethodList(methods) => self.overloads = methods.iter().map(|method| method.of).collect(),
            TypeData::Class { unique, property, count, .. }
            | TypeData::Union { unique, property, count, .. }
            | TypeData::Enumeration { unique, property, count, .. } => {
                self.unique_name = utf8(unique.data).into_owned();
                self.number("members", u64::from(*count));
                self.number("property", u64::from(property.0));
            }
            TypeData::Modifier { flags, .. } => self.number("flags", u64::from(*flags)),
            TypeData::Pointer { attributes, .. } => self.number("attributes", u64::from(*attributes)),
            TypeData::Procedure { convention, .. } | TypeData::MemberFunction { convention, .. } => {
                self.number("convention", u64::from(*convention));
            }
            TypeData::BitField { length, position, .. } => {
                self.number("length", u64::from(*length));
                self.number("position", u64::from(*position));
            }
            TypeData::VirtualShape { count } => self.number("entries", u64::from(*count)),
            TypeData::VirtualTable { offset, .. } => self.number("offset", u64::from(*offset)),
            TypeData::SourceLine { line, module, .. } => {
                self.number("line", u64::from(*line));
                self.number("module", u64::from(*module));
            }
            _ => {}
        }
    }
}

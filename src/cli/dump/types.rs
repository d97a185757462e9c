//! Types, ids, public and global symbols of a Windows PDB.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::super::json::{List, Room};
use super::super::values::{CodeText, TypeText};
use crate::bytes::Span;
use crate::nodes::Token;
use crate::nodes::code_unit::CodeUnit;
use crate::nodes::function::NativeView;
use crate::nodes::global_symbols::{SymbolDetails, each_symbol};
use crate::nodes::type_details::{MemberDetails, TypeDetails};
use crate::session::Session;

/// A type of native code, or an id: a function, a string, build information.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "type"))]
pub(super) struct TypeJson {
    index: TypeText,
    /// `LF_POINTER`, `LF_STRUCTURE`.
    record: &'static str,
    /// Noun for it.
    kind: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    /// Decorated name.
    #[serde(skip_serializing_if = "String::is_empty")]
    unique_name: String,
    /// Bytes of a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// True for a reference to a definition in another record.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    forward: bool,
    /// Types or ids that it is made of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refers: Vec<ReferenceJson>,
    /// Elements of a list of arguments, strings or build information.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    list: Vec<TypeText>,
    /// Members of a field list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<MemberJson>,
    /// Types of the overloads of a method list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    overloads: Vec<TypeText>,
    /// Attributes, flags, counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    numbers: Vec<NumberJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    span: Span,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "type_reference"))]
struct ReferenceJson {
    /// `of`, `to`, `returns`, `arguments`, `class`, `this`, `fields`, `scope`, and others.
    role: &'static str,
    index: TypeText,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "named_number"))]
struct NumberJson {
    name: &'static str,
    value: u64,
}

/// Member of a class, union or enumeration.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "member"))]
struct MemberJson {
    /// `LF_MEMBER`, `LF_ONEMETHOD`, `LF_ENUMERATE`.
    record: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    /// Its type, a method list, or the continuation of the list; absent for an enumerator.
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<TypeText>,
    /// Offset in an object, or value of an enumerator.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// Access (bits 0 and 1), kind of function (bits 2 to 4).
    attributes: u16,
}

/// A public or a global symbol.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "symbol"))]
pub(super) struct GlobalJson {
    /// `S_PUB32`, `S_PROCREF`, `S_UDT`.
    record: &'static str,
    /// Name as in the record.
    name: String,
    /// Source name, if the one in the record is decorated.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_name: Option<String>,
    /// RVA; with native code that is in the image.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<CodeText>,
    /// Section, from 1; with an address.
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<u16>,
    /// Offset in the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u32>,
    /// Method of managed code.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<Token>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<TypeText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<String>,
    /// Value of a constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// Module, from 0, with the record that it refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<u32>,
    /// Offset of that record in the stream of the module.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<u32>,
    flags: u32,
    span: Span,
}

/// The types, or the ids.
pub(super) fn types<'s>(session: &'s Session, ids: bool, room: &'s Room) -> List<'s, TypeJson> {
    List::each(move |emit| match NativeView::of(session) {
        Some(native) => native.each_type(ids, |details| emit(TypeJson::of(details))),
        None => Ok(()),
    })
    .within(room)
}

/// The public symbols, or the global ones.
pub(super) fn globals<'s>(session: &'s Session, publics: bool, room: &'s Room) -> List<'s, GlobalJson> {
    List::each(move |emit| each_symbol(session, publics, |details| emit(GlobalJson::of(details)))).within(room)
}

impl TypeJson {
    fn of(details: TypeDetails) -> Self {
        let indices = |list: Vec<u32>| list.into_iter().map(Into::into).collect();
        let reference = |(role, index): (&'static str, u32)| ReferenceJson { role, index: index.into() };
        let number = |(name, value): (&'static str, u64)| NumberJson { name, value };
        Self {
            index: details.index.into(),
            record: details.record,
            kind: details.kind,
            name: details.name,
            unique_name: details.unique_name,
            size: details.size,
            forward: details.is_forward,
            refers: details.refers.into_iter().map(reference).collect(),
            list: indices(details.list),
            members: details.members.into_iter().map(MemberJson::of).collect(),
            overloads: indices(details.overloads),
            numbers: details.numbers.into_iter().map(number).collect(),
            error: details.error,
            span: details.span,
        }
    }
}

impl MemberJson {
    fn of(member: MemberDetails) -> Self {
        let MemberDetails { record, name, of, value, attributes } = member;
        Self { record, name, r#type: (of != 0).then(|| of.into()), value, attributes }
    }
}

impl GlobalJson {
    fn of(details: SymbolDetails) -> Self {
        let (section, offset) = details.address.unzip();
        let (index, of) = details.of.unzip();
        let (module, symbol) = details.reference.unzip();
        Self {
            record: details.kind,
            name: details.name,
            source_name: details.source_name,
            address: details.rva.map(|rva| CodeUnit::Function(rva).into()),
            section,
            offset,
            token: details.token,
            index: index.map(Into::into),
            r#type: of.filter(|name| name != "?"),
            value: details.value,
            module,
            symbol,
            flags: details.flags,
            span: details.span,
        }
    }
}

//! Values that recur in JSON: tokens, GUIDs, spans, places, and the objects that several commands share.

#[cfg(test)]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use super::json::List;
use crate::bytes::{Guid, Span};
use crate::nodes::code_unit;
use crate::nodes::code_unit::CodeUnit;
use crate::nodes::document;
use crate::nodes::finding::{self, Finding};
use crate::nodes::{Place, SCHEMA, SequencePoint, Token};
use crate::session::{PdbMatch, Session};
use crate::symbols::{IdSuffix, ModuleHash, SymbolId};
use crate::text::safe::hex;

/// The first member of every document.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Version;

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(SCHEMA)
    }
}

#[cfg(test)]
impl JsonSchema for Version {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "version".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"const": SCHEMA, "description": "Version of the format: members are only ever added to it."})
    }
}

/// Declares strings of one form: type, name in the schema, pattern and description.
macro_rules! strings {
    ($($name:ident($inner:ty) = $schema:literal, $pattern:literal, $description:literal;)*) => {$(
        #[doc = $description]
        #[derive(Clone, Copy, Debug)]
        pub(super) struct $name(pub $inner);

        impl From<$inner> for $name {
            fn from(value: $inner) -> Self {
                Self(value)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.0)
            }
        }

        #[cfg(test)]
        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $schema.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "pattern": $pattern, "description": $description})
            }
        }
    )*};
}

strings! {
    TypeText(TypeIndex) = "type_index", "^0x[0-9a-f]+$", "Index of a type or an id; one below 0x1000 is built in.";
    CodeText(CodeUnit) = "address", "^0x[0-9a-f]+$", "RVA of a native function's first byte.";
}

/// Index of a type or of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TypeIndex(pub u32);

impl std::fmt::Display for TypeIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl From<u32> for TypeText {
    fn from(index: u32) -> Self {
        Self(TypeIndex(index))
    }
}

/// Bytes, two lower-case hexadecimal digits each.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "bytes"))]
pub(super) struct BytesText(#[cfg_attr(test, schemars(regex(pattern = "^([0-9a-f]{2})*$")))] String);

impl BytesText {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(hex(bytes))
    }

    /// The bytes, if there are any.
    pub(super) fn some(bytes: &[u8]) -> Option<Self> {
        (!bytes.is_empty()).then(|| Self::of(bytes))
    }
}

/// Hash of a document in some modules of a native PDB.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "module_hash"))]
pub(super) struct ModuleHashJson {
    hash_algorithm: Option<Guid>,
    hash: BytesText,
    /// Names of the modules; of very many the first.
    modules: Vec<String>,
    /// Number of the modules.
    count: u32,
}

impl ModuleHashJson {
    pub(super) fn of(found: &ModuleHash) -> Self {
        Self {
            hash_algorithm: found.algorithm,
            hash: BytesText::of(&found.hash),
            modules: found.modules.clone(),
            count: found.count,
        }
    }
}

/// Result of matching image and symbols.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "match"))]
pub(super) struct Match {
    status: Status,
    /// One sentence each, the most important first.
    reasons: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, schemars(rename = "match_status"))]
enum Status {
    /// The ids agree.
    Matched,
    /// The ids differ.
    Mismatched,
    /// At least one of them has no id.
    Unknown,
    /// The PDB is that of a hot-reload delta, without its base.
    NeedsBase,
    /// There is an image and no PDB.
    NoPdb,
    /// There is a PDB and no image.
    NoImage,
}

impl Match {
    pub(super) fn of(session: &Session) -> Self {
        let status = match session.pdb_match() {
            PdbMatch::Matched => Status::Matched,
            PdbMatch::Mismatched(_) => Status::Mismatched,
            PdbMatch::Unknown => Status::Unknown,
            PdbMatch::NeedsBase => Status::NeedsBase,
            PdbMatch::NoPdb => Status::NoPdb,
            PdbMatch::NoImage => Status::NoImage,
        };
        Self { status, reasons: session.match_reasons().to_vec() }
    }
}

/// Problem in a file.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "finding"))]
pub(super) struct FindingJson {
    place: Place,
    /// One sentence.
    finding: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<Span>,
}

/// The findings of a session, one after the other.
pub(super) fn findings(session: &Session) -> List<'_, FindingJson> {
    List::of(|| {
        finding::known(session).findings.to_vec().into_iter().map(|Finding { place, span, sentence }| FindingJson {
            place,
            finding: sentence,
            span,
        })
    })
}

/// Id of symbols; left out where the format has none.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct Id {
    #[serde(skip_serializing_if = "Option::is_none")]
    guid: Option<Guid>,
    /// Last four bytes of a Portable PDB's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    stamp: Option<u32>,
    /// Number of times a Windows PDB was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    age: Option<u32>,
}

impl From<Option<SymbolId>> for Id {
    fn from(id: Option<SymbolId>) -> Self {
        let (stamp, age) = match id.map(|id| id.suffix) {
            Some(IdSuffix::Stamp(stamp)) => (Some(stamp), None),
            Some(IdSuffix::Age(age)) => (None, Some(age)),
            Some(IdSuffix::None) | None => (None, None),
        };
        Self { guid: id.map(|id| id.guid), stamp, age }
    }
}

/// A method or a native function.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct Code {
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<Token>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<CodeText>,
    name: String,
}

impl Code {
    pub(super) fn of(session: &Session, of: CodeUnit) -> Self {
        let native = of.is_native();
        Self {
            method: (!native).then(|| of.token()),
            function: native.then(|| of.into()),
            name: code_unit::name(session, of),
        }
    }

    /// The same code by another of its names.
    pub(super) fn called(self, name: String) -> Self {
        Self { name, ..self }
    }
}

/// An offset in the code of a method or a native function.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct Offset {
    /// IL offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    il: Option<u32>,
    /// Bytes from the start of the native function.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u32>,
}

impl Offset {
    pub(super) fn of(of: CodeUnit, offset: u32) -> Self {
        let native = of.is_native();
        Self { il: (!native).then_some(offset), offset: native.then_some(offset) }
    }
}

/// The source that a visible sequence point spans.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "source_range"))]
pub(super) struct SourceRange {
    /// Path of the document, as the symbols have it.
    document: String,
    /// Row of the document, from 1.
    row: u32,
    #[serde(flatten)]
    at: Offset,
    /// From 1.
    start_line: u32,
    /// In UTF-16 units, from 1; 0 where it is not known.
    start_column: u32,
    end_line: u32,
    /// Exclusive.
    end_column: u32,
}

impl SourceRange {
    /// None where there is no point, or a hidden one.
    pub(super) fn of(session: &Session, of: CodeUnit, point: Option<SequencePoint>) -> Option<Self> {
        let point = point.filter(|point| !point.is_hidden())?;
        Some(Self {
            document: document::name(session, point.document).unwrap_or_default(),
            row: point.document,
            at: Offset::of(of, point.offset),
            start_line: point.start_line,
            start_column: point.start_column,
            end_line: point.end_line,
            end_column: point.end_column,
        })
    }
}

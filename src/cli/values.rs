//! Values that recur in JSON: tokens, GUIDs, spans, places, and the objects that several commands share.

use serde::Serialize;

use crate::bytes::Guid;
use crate::formats::reason::Reason;
use crate::nodes::code_unit::{CodeOffset, CodeUnit};
use crate::nodes::{SequencePoint, document};
use crate::query::check::{Grade, Remark};
use crate::session::{PdbMatch, Session};
use crate::symbols::{IdSuffix, SymbolId};
use crate::text::safe::hex;

/// Bytes, two lower-case hexadecimal digits each.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
pub(super) struct BytesText(#[cfg_attr(test, schemars(with = "pdblens_formats::json_schema::Bytes"))] String);

impl BytesText {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(hex(bytes))
    }

    /// The bytes, if there are any.
    pub(super) fn some(bytes: &[u8]) -> Option<Self> {
        (!bytes.is_empty()).then(|| Self::of(bytes))
    }
}

/// Result of matching image and symbols.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "match"))]
pub(super) struct Match {
    #[serde(flatten)]
    status: PdbMatch,
    /// One sentence each, the most important first.
    reasons: Vec<Reason>,
}

impl Match {
    pub(super) fn of(session: &Session) -> Self {
        Self { status: session.pdb_match(), reasons: session.match_reasons().to_vec() }
    }
}

pub(super) fn findings(remarks: Vec<Remark>) -> Vec<Remark> {
    remarks.into_iter().filter(|remark| remark.grade == Grade::Finding).collect()
}

/// Id of symbols; left out where the format has none.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

/// A value, or the reason that there is none.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
pub(super) enum Reply<T, E> {
    Answer(T),
    Refused(E),
}

impl<T, E> From<Result<T, E>> for Reply<T, E> {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(answer) => Self::Answer(answer),
            Err(error) => Self::Refused(error),
        }
    }
}

/// Reason why a row cannot be read.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
pub(super) struct Broken {
    pub(super) error: Reason,
}

/// A query that names no code: the exit code is 3.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "refused"))]
pub(super) struct Refused {
    query: String,
    /// Text before its colon or tab; absent where the query has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// `unknown`, `not-there`, `no-overload`, `ambiguous`, `no-document`, `not-an-offset`, `other-kind` or `refused`.
    reason: &'static str,
    /// The reason in a sentence.
    text: String,
}

impl Refused {
    pub(super) fn of(query: &str, label: Option<&str>, reason: &'static str, text: String) -> Self {
        Self { query: query.to_owned(), label: label.map(str::to_owned), reason, text }
    }
}

/// The source that a visible sequence point spans.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "source_range"))]
pub(super) struct SourceRange {
    /// Path of the document, as the symbols have it.
    document: String,
    /// Row of the document, from 1.
    row: u32,
    #[serde(flatten)]
    at: CodeOffset,
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
            at: CodeOffset::of(of, point.offset),
            start_line: point.start_line,
            start_column: point.start_column,
            end_line: point.end_line,
            end_column: point.end_column,
        })
    }
}

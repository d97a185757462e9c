//! Comparison of two builds by name: rows and tokens change from build to build, names stay.
//!
//! A method is its type, name and parameters. Its code is compared instruction by instruction, with tokens replaced by what they refer
//! to. Its points are compared by their lines; if all of them have moved by the same number of lines, the method counts as moved, not
//! changed.

mod align;
mod bytes;
mod code;
mod documents;
mod generated;
mod methods;
mod native;
mod pairing;
mod parts;
mod points;
mod scopes;
mod streams;

pub use bytes::{ByteDiff, ByteRun, FileBytes, bytes};
pub use points::{AlignedPoints, aligned_lines, aligned_points, shift};

use std::cmp::Reverse;
use std::collections::BTreeMap;

use pdblens_formats::reason::Reason;
use pdblens_nodes::Place;
use pdblens_session::session::Session;
use pdblens_session::symbols::SymbolReader;

/// Limit on the distances that are listed of the methods of a document.
const MAX_SHIFTS: usize = 4;

/// Subject of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "subject"))]
pub enum Subject {
    /// A method.
    Method,
    /// A document.
    Document,
    /// Compiler option.
    Option,
    /// Referenced assembly.
    Reference,
    /// Native function.
    Function,
    /// Class, structure, union or enumeration of native code.
    Type,
    /// Public symbol.
    Public,
    /// Object file or other input of the linker.
    Module,
}

/// Kind of a change, the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "how"))]
pub enum ChangeKind {
    /// In both, with differences.
    Changed,
    /// Only in the second build.
    Added,
    /// Only in the first build.
    Removed,
    /// Equal, at another place.
    Moved,
}

/// Most important difference of a method or document that has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "cause"))]
pub enum Cause {
    /// IL, exception regions or types of local variables.
    Code,
    /// Sequence points.
    Lines,
    /// Local variables, constants and their scopes.
    Names,
    /// Text of a document: its hash differs.
    Text,
}

/// Lines by which a method or function has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "moved"))]
pub struct Moved {
    /// Its document in the second build.
    pub document: Place,
    /// Number of lines, negative for up.
    pub by: i64,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "change"))]
pub struct Change {
    /// Subject of the change.
    pub subject: Subject,
    /// Kind of a change.
    pub how: ChangeKind,
    /// Most important difference of a method or document that has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Lines by which a method or function has moved that is equal otherwise; those of its first document that has moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
    /// Name of the subject.
    pub name: String,
    /// Differences, one sentence each.
    pub details: Vec<String>,
    /// Place in the first build.
    pub before: Option<Place>,
    /// Place in the second build.
    pub after: Option<Place>,
}

/// Differences between two builds, and counts of what is equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diff {
    /// Number of methods that are equal in both.
    pub same_methods: usize,
    /// Number of documents that are equal in both.
    pub same_documents: usize,
    /// Number of records of native symbols that are equal in both.
    #[serde(skip)]
    pub same_native: usize,
    /// True if both builds have the same files, and every byte of them is the same.
    #[serde(rename = "identical")]
    pub is_identical: bool,
    /// Parts that could not be compared, with the reason.
    pub notes: Vec<Reason>,
    /// The differences, by subject.
    pub changes: Vec<Change>,
}

impl Subject {
    pub const ALL: [Self; 8] = [
        Self::Method,
        Self::Document,
        Self::Option,
        Self::Reference,
        Self::Function,
        Self::Type,
        Self::Public,
        Self::Module,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Document => "document",
            Self::Option => "option",
            Self::Reference => "reference",
            Self::Function => "function",
            Self::Type => "type",
            Self::Public => "public",
            Self::Module => "module",
        }
    }
}

impl ChangeKind {
    pub const ALL: [Self; 4] = [Self::Changed, Self::Added, Self::Removed, Self::Moved];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Moved => "moved",
        }
    }

    pub const fn mark(self) -> &'static str {
        match self {
            Self::Added => "+",
            Self::Removed => "-",
            Self::Changed => "~",
            Self::Moved => "→",
        }
    }
}

impl Cause {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Code => "IL changed",
            Self::Lines => "Lines only",
            Self::Names => "Locals and scopes only",
            Self::Text => "Document changed",
        }
    }
}

impl Change {
    fn new(subject: Subject, how: ChangeKind, name: impl Into<String>) -> Self {
        let name = name.into();
        Self { subject, how, cause: None, moved: None, name, details: Vec::new(), before: None, after: None }
    }

    fn places(self, before: Option<Place>, after: Option<Place>) -> Self {
        Self { before, after, ..self }
    }

    fn details(self, details: Vec<String>) -> Self {
        Self { details, ..self }
    }
}

impl Diff {
    /// Methods or functions that have only moved, by document.
    pub fn moved_by_document(&self, subject: Subject) -> Vec<(Place, Vec<&Change>)> {
        let mut found: BTreeMap<u32, Vec<&Change>> = BTreeMap::new();
        for change in self.changes.iter().filter(|change| change.subject == subject) {
            if let Some(Moved { document: Place::Document(row), .. }) = change.moved {
                found.entry(row).or_default().push(change);
            }
        }
        found.into_iter().map(|(row, changes)| (Place::Document(row), changes)).collect()
    }
}

/// Number of lines by which methods have moved, the most frequent first: `1 line up (46), 3 lines down (2)`.
pub fn shifts(changes: &[&Change]) -> String {
    let mut numbers: BTreeMap<i64, usize> = BTreeMap::new();
    for moved in changes.iter().filter_map(|change| change.moved) {
        let number = numbers.entry(moved.by).or_default();
        *number += 1;
    }
    let mut numbers: Vec<_> = numbers.into_iter().collect();
    numbers.sort_by_key(|(_, number)| Reverse(*number));
    if let [(by, _)] = numbers.as_slice() {
        return shift(*by);
    }
    let more = numbers.len().saturating_sub(MAX_SHIFTS);
    let listed = numbers.iter().take(MAX_SHIFTS).map(|(by, number)| format!("{} ({number})", shift(*by)));
    let rest = (more > 0).then(|| format!("{more} other distances"));
    listed.chain(rest).collect::<Vec<_>>().join(", ")
}

/// Compares two builds. Files with the same bytes are not decoded.
pub fn diff(a: &Session, b: &Session) -> Diff {
    let mut diff = Diff { is_identical: bytes::are_identical(a, b), ..Diff::default() };
    let has_deltas = |session: &Session| session.portable_pdb().is_some_and(|pdb| !pdb.generations().is_empty());
    if diff.is_identical && !has_deltas(a) && !has_deltas(b) {
        (diff.same_methods, diff.same_documents) = (a.methods() as usize, documents_of(a) as usize);
    } else {
        let pairs = documents::compare(a, b, &mut diff);
        methods::compare(a, b, &pairs, &mut diff);
        documents::options(a, b, &mut diff);
        documents::references(a, b, &mut diff);
        native::compare(a, b, &mut diff);
    }
    for (session, which) in [(a, "first"), (b, "second")] {
        if session.symbols().is_none() {
            let text = format!("the {which} has no symbols: documents, points and options are not compared");
            diff.notes.push(Reason::new("no-symbols", text));
        }
        if session.metadata().is_none() && session.native_pdb().is_none() {
            let text = format!("the {which} has no image: methods are compared by token, without their code");
            diff.notes.push(Reason::new("no-image", text));
        }
    }
    diff.changes.sort_by_key(|change| (change.subject, change.how, change.cause));
    diff
}

fn documents_of(session: &Session) -> u32 {
    session.symbols().map_or(0, SymbolReader::documents)
}

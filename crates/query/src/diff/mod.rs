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
mod machine;
mod methods;
mod native;
mod pairing;
mod parts;
mod points;
mod scopes;
mod streams;

pub use bytes::{ByteDiff, ByteRun, FileBytes, bytes};

use pdblens_formats::reason::Reason;
use pdblens_nodes::Place;
use pdblens_session::session::Session;
use pdblens_session::symbols::SymbolReader;

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

/// Kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "how"))]
pub enum ChangeKind {
    /// Only in the second build.
    Added,
    /// Only in the first build.
    Removed,
    /// In both, with differences.
    Changed,
    /// Equal, at another place.
    Moved,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "change"))]
pub struct Change {
    /// Subject of the change.
    pub subject: Subject,
    /// Kind of a change.
    pub how: ChangeKind,
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
    /// All of them, in order.
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

    /// Name in JSON.
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
    /// Name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
            Self::Moved => "moved",
        }
    }

    /// One character for it.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Added => "+",
            Self::Removed => "-",
            Self::Changed => "~",
            Self::Moved => "→",
        }
    }
}

impl Change {
    fn new(subject: Subject, how: ChangeKind, name: impl Into<String>) -> Self {
        Self { subject, how, name: name.into(), details: Vec::new(), before: None, after: None }
    }

    fn places(self, before: Option<Place>, after: Option<Place>) -> Self {
        Self { before, after, ..self }
    }

    fn details(self, details: Vec<String>) -> Self {
        Self { details, ..self }
    }
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
    diff.changes.sort_by_key(|change| change.subject);
    diff
}

fn documents_of(session: &Session) -> u32 {
    session.symbols().map_or(0, SymbolReader::documents)
}

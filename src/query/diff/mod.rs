//! Two builds, compared by what things are called: rows and tokens move from build to build, names stay.
//!
//! A method is its type, name and parameters. Its code is compared instruction by instruction, with what a token stands for
//! in place of the token. Its points are compared by their lines; where all of them have moved by the same number of lines,
//! the method has moved and not changed.

mod code;
mod documents;
mod methods;
mod points;

use crate::nodes::Place;
use crate::session::Session;
use crate::symbols::SymbolReader;

/// What a change is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// A method.
    Method,
    /// A document.
    Document,
    /// An option that the compiler was run with.
    Option,
    /// An assembly that is referred to.
    Reference,
}

/// What has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum How {
    /// Only the second has it.
    Added,
    /// Only the first has it.
    Removed,
    /// Both have it, and it is not the same.
    Changed,
    /// It is the same in another place.
    Moved,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What it is about.
    pub subject: Subject,
    /// What has happened.
    pub how: How,
    /// What it is called.
    pub name: String,
    /// What is different, in one sentence each.
    pub details: Vec<String>,
    /// Where it is in the first.
    pub before: Option<Place>,
    /// Where it is in the second.
    pub after: Option<Place>,
}

/// Everything that is different, and how much is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// The differences, by subject.
    pub changes: Vec<Change>,
    /// How many methods are the same in both.
    pub same_methods: usize,
    /// How many documents are.
    pub same_documents: usize,
    /// What could not be compared, and why.
    pub notes: Vec<String>,
}

impl Subject {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Method, Self::Document, Self::Option, Self::Reference];

    /// What JSON calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Document => "document",
            Self::Option => "option",
            Self::Reference => "reference",
        }
    }
}

impl How {
    /// What JSON calls it.
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
    fn new(subject: Subject, how: How, name: impl Into<String>) -> Self {
        Self { subject, how, name: name.into(), details: Vec::new(), before: None, after: None }
    }

    fn places(self, before: Option<Place>, after: Option<Place>) -> Self {
        Self { before, after, ..self }
    }

    fn details(self, details: Vec<String>) -> Self {
        Self { details, ..self }
    }
}

/// What is different between two builds.
pub fn diff(a: &Session, b: &Session) -> Diff {
    let mut diff = Diff::default();
    let pairs = documents::compare(a, b, &mut diff);
    methods::compare(a, b, &pairs, &mut diff);
    documents::options(a, b, &mut diff);
    documents::references(a, b, &mut diff);
    for (session, which) in [(a, "first"), (b, "second")] {
        if session.symbols().is_none() {
            diff.notes.push(format!("the {which} has no symbols: documents, points and options are not compared"));
        }
        if session.metadata().is_none() {
            diff.notes.push(format!("the {which} has no image: methods are compared by token, without their code"));
        }
    }
    diff.changes.sort_by_key(|change| change.subject);
    diff
}

/// How many documents a session has.
fn documents_of(session: &Session) -> u32 {
    session.symbols().map_or(0, SymbolReader::documents)
}

//! The contract of the kinds of nodes: a function for each question that can be asked of a node.

use crate::fields::Fields;
use crate::lazy_index::LazyIndex;
use crate::named::AddNamed;
use crate::owner::FindOwners;
use crate::place::Place;
use crate::rows::{Cell, Rows};
use pdblens_formats::bytes::Span;
use pdblens_session::session::Session;

/// Declares [`Kind`] and [`Node`] from one list of questions: parameters, answer, and the answer of a kind that says nothing.
macro_rules! questions {
    ($($(#[doc = $about:literal])+ $question:ident($($name:ident: $type:ty),*) -> $answer:ty, or $default:expr;)+) => {
        /// A kind of node. `A` are the arguments of an address; each question has them last. A kind states only what applies to it,
        /// and takes the rest from [`Kind::NEW`].
        pub(crate) struct Kind<A: 'static = ()> {
            /// Functions that find its nodes by a byte of theirs.
            pub owners: &'static [FindOwners],
            /// Functions that list its nodes by name, for the search.
            pub named: &'static [AddNamed],
            /// Nodes of this kind that the list of places names.
            pub listed: fn(&Session) -> Vec<Place>,
            $($(#[doc = $about])+ pub $question: for<'s> fn($($type,)* A) -> $answer,)+
        }

        impl<A> Kind<A> {
            /// A kind that answers nothing.
            pub const NEW: Self = Self {
                owners: &[],
                named: &[],
                listed: |_| Vec::new(),
                $($question: |$($name,)* _| { $(_ = $name;)* $default },)+
            };
        }

        /// A node, whatever the arguments of its address.
        #[allow(clippy::extra_unused_lifetimes)]
        pub(crate) trait Node {
            $($(#[doc = $about])+ fn $question<'s>(&self, $($name: $type),*) -> $answer;)+
        }

        pub(crate) struct Bound<A: 'static> {
            pub kind: Kind<A>,
            pub args: A,
        }

        #[allow(clippy::extra_unused_lifetimes)]
        impl<A: Copy> Node for Bound<A> {
            $(fn $question<'s>(&self, $($name: $type),*) -> $answer { (self.kind.$question)($($name,)* self.args) })+
        }
    };
}

questions! {
    /// Next step up the breadcrumb, where its path does not tell.
    parent() -> Option<Place>, or None;
    /// Noun for it in a search result, and its rank there. Asked of every result: it looks at no file.
    label() -> Label, or Label::new("", 2);
    /// Context in a search result: its line, its method; its path unless the kind knows better.
    context(session: &Session) -> Option<String>, or None;
    /// Returns whether it can be there, as far as that is known without decoding it.
    exists(session: &Session) -> bool, or true;
    /// Reason why it is not there, in one sentence.
    absence(session: &Session) -> Option<String>, or None;
    /// Its rows, where it is a list.
    rows(session: &'s Session) -> Option<Rows<'s>>, or None;
    /// Rows without what needs an index that is not built yet; all of them unless the kind knows better.
    partial_rows(session: &'s Session, index: LazyIndex) -> Option<Rows<'s>>, or None;
    /// Index of the row of `place`, or of the row that contains it; `None` if only a search of all rows finds it.
    row_of(session: &Session, place: Place) -> Option<usize>, or None;
    /// Title and size in the list of places, where rows and fields would take too long to count.
    heading(session: &Session) -> Option<(String, Cell)>, or None;
    /// Its fields, where it is a record.
    fields(session: &Session) -> Option<Fields>, or None;
    /// Facts about it, where it is no record.
    summary(session: &Session) -> Option<Fields>, or None;
    /// Its bytes; those of its fields unless the kind knows better.
    bytes(session: &Session) -> Option<Span>, or None;
    /// Indexes that its rows or fields take.
    indexes(session: &Session) -> Vec<LazyIndex>, or Vec::new();
}

/// Noun for a node, and how soon it is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// Noun for it; empty for what is not searched for.
    pub noun: &'static str,
    /// Rank among nodes of one name: the most likely meant is 0.
    pub rank: u8,
}

impl Label {
    pub(crate) const fn new(noun: &'static str, rank: u8) -> Self {
        Self { noun, rank }
    }
}

impl Default for Label {
    fn default() -> Self {
        Self::new("", 2)
    }
}

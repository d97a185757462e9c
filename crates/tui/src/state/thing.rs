//! Things that a cursor can be on, and what can be done with each: key hints, menu, help and docs/keys.md are made of these lists.

use crate::engine::action::Action;
use crate::state::view::PaneId;
use pdblens_nodes::{FunctionPart, MethodPart, Place, TableId};

/// An action, and what it does with a thing in a word or two.
pub(crate) type Offer = (Action, &'static str);

use Action::{
    Compare, Copy, Editor, Explain, FetchSource, Filter, Findings, FoldBytes, Follow, HideAnswers, Learn, MachineCode,
    NextPoint, Order, Parent, ReadAgain, Restart, Right, SetMark, Sort, Symbols, UsedBy, WhatIf, Why,
};

const ABOUT: Offer = (Explain, "what is this");
const COPIES: Offer = (Copy, "copy");
const BYTES: Offer = (FoldBytes, "bytes");
const MARK: Offer = (SetMark, "mark");
const FETCH: Offer = (FetchSource, "fetch the source");
const EDIT: Offer = (Editor, "editor");
const CODE: Offer = (MachineCode, "machine code");
const COMPARE: Offer = (Compare, "compare");
const DECODE: Offer = (Learn, "decode");
const USERS: Offer = (UsedBy, "used by");
const LOOK: Offer = (Symbols, "look in");
const REASON: Offer = (Why, "why");
const OTHER_ORDER: Offer = (Order, "other order");

/// Declares the kinds of things: the name of each, and its actions, most useful first.
macro_rules! things {
    ($($thing:ident $name:literal [$($offer:expr),* $(,)?])*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Thing {
            $($thing,)*
        }

        impl Thing {
            pub(crate) const ALL: &[Self] = &[$(Self::$thing),*];

            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$thing => $name,)*
                }
            }

            pub(crate) const fn offers(self) -> &'static [Offer] {
                match self {
                    $(Self::$thing => &[$($offer),*],)*
                }
            }
        }
    };
}

things! {
    Method "method" [
        (Follow, "its first point"), USERS, (Why, "why it stops or not"), CODE, DECODE, FETCH, COMPARE, EDIT, BYTES,
        COPIES, OTHER_ORDER, ABOUT,
    ]
    Point "sequence point" [
        (Follow, "follow"), USERS, REASON, DECODE, (NextPoint, "next point"), CODE, FETCH, COMPARE, EDIT, BYTES, MARK,
        COPIES, ABOUT,
    ]
    Instruction "instruction" [
        (Follow, "follow"), USERS, REASON, (NextPoint, "next point"), CODE, DECODE, BYTES, (WhatIf, "change a byte"),
        COPIES, ABOUT,
    ]
    Type "type" [(Follow, "its methods"), USERS, COMPARE, FETCH, EDIT, BYTES, COPIES, ABOUT]
    Field "field" [(Follow, "its type"), USERS, DECODE, COMPARE, BYTES, COPIES, ABOUT]
    Document "document" [
        (Follow, "its text"), FETCH, USERS, EDIT, LOOK, BYTES, COMPARE, COPIES, OTHER_ORDER, ABOUT,
    ]
    Line "line" [
        (Follow, "its point"), (Why, "will it be hit"), CODE, EDIT, FETCH, LOOK, MARK, COPIES,
        OTHER_ORDER, ABOUT,
    ]
    Row "row" [
        (Follow, "follow the cell"), (UsedBy, "who refers here"), DECODE, (Parent, "out"), BYTES, (Sort, "sort"),
        (Filter, "only"), (WhatIf, "change a byte"), COPIES, ABOUT,
    ]
    Part "part of a file" [
        (Follow, "open"), (Parent, "out"), (Order, "by size"), (Sort, "sort"), USERS, DECODE, BYTES, COMPARE, MARK,
        COPIES, ABOUT,
    ]
    Byte "bytes" [
        (Follow, "its owner"), ABOUT, DECODE, (WhatIf, "change it"), (UsedBy, "who refers here"), MARK, COPIES,
    ]
    Frame "frame" [(Follow, "go there"), (ReadAgain, "read again"), LOOK, CODE, EDIT, FETCH, COPIES]
    Finding "sentence" [
        (Follow, "go there"), REASON, (FetchSource, "fetch"), LOOK, ABOUT, (Findings, "findings"),
        COPIES,
    ]
    Change "change" [
        (Follow, "open"), (NextPoint, "next"), (Right, "side by side"), (Order, "equal ones too"), (Sort, "sizes"), (Filter, "only"),
        (Compare, "another build"), COPIES,
    ]
    User "user" [
        (Follow, "go there"), (UsedBy, "its users"), (Right, "unfold its callers"), (Order, "by type, by file"),
        (Parent, "close"), COPIES,
    ]
    Step "lesson or step" [
        (Right, "bit by bit"), (Follow, "go there"), (HideAnswers, "cover values"), ABOUT, (WhatIf, "change a byte"),
        (Restart, "begin again"), COPIES,
    ]
}

impl Thing {
    /// The thing that the cursor of a pane is on; a place decides where the pane does not.
    pub(crate) const fn of(pane: Option<PaneId>, place: Place) -> Self {
        match pane {
            Some(PaneId::Trace) => return Self::Frame,
            Some(PaneId::UsedBy) => return Self::User,
            Some(PaneId::Compare) => return Self::Change,
            Some(PaneId::Match | PaneId::Overview) => return Self::Finding,
            Some(PaneId::Bytes) => return Self::Byte,
            Some(PaneId::Player) => return Self::Step,
            _ => {}
        }
        match place {
            Place::Method(_) | Place::Function(_) => Self::Method,
            Place::MethodPart(_, MethodPart::Instruction(_) | MethodPart::NativeAt(_))
            | Place::FunctionPart(_, FunctionPart::CodeAt(_)) => Self::Instruction,
            Place::MethodPart(..) | Place::FunctionPart(..) => Self::Point,
            Place::Type(_) | Place::TypeLayout(_) | Place::Row(_, TableId::TYPE_DEF | TableId::TYPE_REF, _) => {
                Self::Type
            }
            Place::Row(_, TableId::FIELD, _) => Self::Field,
            Place::Document(_) => Self::Document,
            Place::Line(..) => Self::Line,
            Place::Bytes(_) | Place::Record(..) | Place::HeapEntry(..) => Self::Byte,
            Place::Row(..) | Place::MdbRow(..) | Place::Id(_) => Self::Row,
            Place::Findings | Place::Overview => Self::Finding,
            _ => Self::Part,
        }
    }
}

//! Things that a cursor can be on, and what can be done with each: key hints and the menu are made of these lists.

use crate::engine::action::Action;
use crate::state::view::PaneId;
use pdblens_nodes::{FunctionPart, MethodPart, Place, TableId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thing {
    Method,
    Point,
    Instruction,
    Type,
    Field,
    Document,
    Line,
    Row,
    Part,
    Byte,
    Frame,
    Finding,
    Change,
    User,
}

/// An action, and what it does with a thing in a word or two.
pub(crate) type Offer = (Action, &'static str);

use Action::{
    Compare, CopyValue, Editor, Explain, FetchSource, Filter, FoldBytes, Follow, Learn, MachineCode, NextPoint,
    OpenTrace, Order, Parent, SetMark, Sort, Symbols, UsedBy, WhatIf,
};

const ABOUT: Offer = (Explain, "what is this");
const COPY: Offer = (CopyValue, "copy");
const BYTES: Offer = (FoldBytes, "bytes");
const MARK: Offer = (SetMark, "mark");
const FETCH: Offer = (FetchSource, "fetch");
const EDIT: Offer = (Editor, "editor");
const CODE: Offer = (MachineCode, "machine code");
const COMPARE: Offer = (Compare, "compare");
const DECODE: Offer = (Learn, "decode");
const USERS: Offer = (UsedBy, "used by");
const OTHER_ORDER: Offer = (Order, "other order");

const OF_METHOD: &[Offer] =
    &[(Follow, "its first point"), USERS, CODE, DECODE, FETCH, COMPARE, EDIT, BYTES, COPY, OTHER_ORDER, ABOUT];
const OF_POINT: &[Offer] = &[
    (Follow, "follow"),
    USERS,
    DECODE,
    (NextPoint, "next point"),
    CODE,
    FETCH,
    COMPARE,
    EDIT,
    BYTES,
    MARK,
    COPY,
    ABOUT,
];
const OF_INSTRUCTION: &[Offer] = &[
    (Follow, "follow"),
    USERS,
    (NextPoint, "next point"),
    CODE,
    DECODE,
    BYTES,
    (WhatIf, "change a byte"),
    COPY,
    ABOUT,
];
const OF_TYPE: &[Offer] = &[(Follow, "its methods"), USERS, COMPARE, FETCH, EDIT, BYTES, COPY, ABOUT];
const OF_FIELD: &[Offer] = &[(Follow, "its type"), USERS, DECODE, COMPARE, BYTES, COPY, ABOUT];
const OF_DOCUMENT: &[Offer] = &[(Follow, "its text"), FETCH, USERS, EDIT, BYTES, COMPARE, COPY, OTHER_ORDER, ABOUT];
const OF_LINE: &[Offer] = &[(Follow, "its point"), CODE, EDIT, FETCH, MARK, COPY, OTHER_ORDER, ABOUT];
const OF_ROW: &[Offer] = &[
    (Follow, "follow the cell"),
    (UsedBy, "who refers here"),
    DECODE,
    (Parent, "out"),
    BYTES,
    (Sort, "sort"),
    (Filter, "only"),
    (WhatIf, "change a byte"),
    COPY,
    ABOUT,
];
const OF_PART: &[Offer] = &[
    (Follow, "open"),
    (Parent, "out"),
    (Order, "by size"),
    (Sort, "sort"),
    USERS,
    DECODE,
    BYTES,
    COMPARE,
    MARK,
    COPY,
    ABOUT,
];
const OF_BYTE: &[Offer] =
    &[(Follow, "its owner"), ABOUT, DECODE, (WhatIf, "change it"), (UsedBy, "who refers here"), MARK, COPY];
const OF_FRAME: &[Offer] =
    &[(Follow, "go there"), (Symbols, "symbols"), (OpenTrace, "open a trace"), CODE, EDIT, FETCH, COPY];
const OF_FINDING: &[Offer] = &[(Follow, "go there"), ABOUT, FETCH, (Symbols, "symbols"), (Filter, "only"), COPY];
const OF_CHANGE: &[Offer] =
    &[(Follow, "open"), (Order, "equal ones too"), (Filter, "only"), (Compare, "another build"), COPY];
const OF_USER: &[Offer] =
    &[(Follow, "go there"), (UsedBy, "its users"), (Order, "callers as a tree"), (Sort, "sort"), COPY];

impl Thing {
    /// The thing that the cursor of a pane is on; a place decides where the pane does not.
    pub(crate) const fn of(pane: Option<PaneId>, place: Place) -> Self {
        match pane {
            Some(PaneId::Trace) => return Self::Frame,
            Some(PaneId::UsedBy) => return Self::User,
            Some(PaneId::Compare) => return Self::Change,
            Some(PaneId::Match | PaneId::Guide) => return Self::Finding,
            Some(PaneId::Bytes) => return Self::Byte,
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

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Point => "sequence point",
            Self::Instruction => "instruction",
            Self::Type => "type",
            Self::Field => "field",
            Self::Document => "document",
            Self::Line => "line",
            Self::Row => "row",
            Self::Part => "part of a file",
            Self::Byte => "bytes",
            Self::Frame => "frame",
            Self::Finding => "finding",
            Self::Change => "change",
            Self::User => "user",
        }
    }

    /// Actions on the thing, most useful first.
    pub(crate) const fn offers(self) -> &'static [Offer] {
        match self {
            Self::Method => OF_METHOD,
            Self::Point => OF_POINT,
            Self::Instruction => OF_INSTRUCTION,
            Self::Type => OF_TYPE,
            Self::Field => OF_FIELD,
            Self::Document => OF_DOCUMENT,
            Self::Line => OF_LINE,
            Self::Row => OF_ROW,
            Self::Part => OF_PART,
            Self::Byte => OF_BYTE,
            Self::Frame => OF_FRAME,
            Self::Finding => OF_FINDING,
            Self::Change => OF_CHANGE,
            Self::User => OF_USER,
        }
    }
}

//! The listing of a method or function: points with the instructions of each, and between them the starts of exception clauses and the
//! two ends of each await and yield.

use std::cmp::Reverse;
use std::sync::Arc;

use super::machine_code::{self, NativeCode};
use super::points;
use crate::panes::lanes::{LanePoints, Lanes};
use crate::ui::theme::Role;
use crate::ui::tree::Nesting;
use pdblens_nodes::method::{self, MethodView, il_label};
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{MethodPart, Place};
use pdblens_query::where_is::{self, awaits, yields};
use pdblens_session::session::Session;
use pdblens_session::text::safe::hex;

const MAX_DEPTH: usize = 8;
/// Width from which the bytes of opcodes are shown.
const WITH_BYTES: u16 = 60;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    /// A point by index, the head of the code up to the next one.
    Point(usize),
    /// The error that ended the points early.
    Error,
    Instruction {
        index: usize,
        depth: u8,
    },
    /// A remark on the instruction that follows: an exception clause begins there, by number of its region, or an await
    /// suspends.
    Remark {
        region: Option<usize>,
        words: String,
        depth: u8,
        /// Offset of the instruction.
        before: u32,
    },
    Machine(machine_code::MachineItem),
}

/// A remark before it is placed: offset, end of what it opens, order, region and words.
type Remark = (u32, Reverse<u64>, Option<usize>, String);

/// The starts of try blocks and handlers.
fn clauses(view: &MethodView, session: &Session) -> Vec<Remark> {
    let regions = view.body.as_ref().map_or(&[][..], |body| body.regions.as_slice());
    let mut begins: Vec<Remark> = Vec::new();
    let mut tried: Vec<(u32, u64)> = Vec::new();
    for (number, region) in regions.iter().enumerate() {
        let (start, end) = (region.tried.start, region.tried.end());
        // Handlers of the same try block share its start.
        if !tried.contains(&(start, end)) {
            tried.push((start, end));
            begins.push((start, Reverse(end), Some(number), "try".to_owned()));
        }
        let words = where_is::clause_name(session, region);
        begins.push((region.handler.start, Reverse(region.handler.end()), Some(number), words));
    }
    begins
}

/// The ends of awaits and yields; they open nothing.
fn pauses(view: &MethodView, session: &Session) -> Vec<Remark> {
    let pauses = awaits::of(session, view.of.token()).into_iter().enumerate();
    let both = pauses.flat_map(|(index, pause)| {
        let number = index + 1;
        [
            (pause.yield_offset, Reverse(0), None, format!("await {number} suspends")),
            (pause.resume_offset, Reverse(0), None, format!("await {number} resumes")),
        ]
    });
    let yields = yields::of(session, view).into_iter().enumerate().flat_map(|(index, found)| {
        let number = index + 1;
        [
            (found.returns, Reverse(0), None, format!("yield {number} returns")),
            (found.resumes, Reverse(0), None, format!("yield {number} resumes")),
        ]
    });
    both.chain(yields).collect()
}

fn items(view: &MethodView, session: &Session) -> Vec<Item> {
    let mut begins = clauses(view, session);
    begins.extend(pauses(view, session));
    begins.sort();
    let (mut out, mut next, mut open) =
        (Vec::with_capacity(view.instructions.len()), begins.into_iter().peekable(), Vec::new());
    for (index, (offset, _)) in view.instructions.iter().enumerate() {
        open.retain(|end| u64::from(*offset) < *end);
        while let Some((_, Reverse(end), region, words)) = next.next_if(|(start, ..)| start <= offset) {
            out.push(Item::Remark { region, words, depth: open.len().min(MAX_DEPTH) as u8, before: *offset });
            open.extend(region.map(|_| end));
        }
        out.push(Item::Instruction { index, depth: open.len().min(MAX_DEPTH) as u8 });
    }
    out
}

/// The role of an opcode: control flow stands out.
pub(super) fn opcode_role(name: &str) -> Role {
    let word = name.split('.').next().unwrap_or(name);
    let goes = matches!(
        word,
        "b" | "beq"
            | "bge"
            | "bgt"
            | "ble"
            | "blt"
            | "bne"
            | "br"
            | "brfalse"
            | "brtrue"
            | "call"
            | "calli"
            | "callvirt"
            | "endf"
            | "endfilter"
            | "endfinally"
            | "jmp"
            | "leave"
            | "newobj"
            | "ret"
            | "rethrow"
            | "switch"
            | "throw"
    );
    if goes { Role::Keyword } else { Role::Text }
}

/// Puts each point before the code that begins at it, those after the end of the code last; the error that ended the points early follows
/// the last one.
fn with_points(code: Vec<Item>, view: &MethodView) -> Vec<Item> {
    let mut items = Vec::with_capacity(code.len() + view.points.len());
    let mut points = view.points.iter().enumerate().peekable();
    let error = |next: usize| view.points_error.as_ref().filter(|_| next == view.points.len()).map(|_| Item::Error);
    items.extend(error(0));
    for item in code {
        let offset = item.offset(view);
        while let Some((index, _)) = points.next_if(|(_, point)| Some(point.offset) <= offset) {
            items.extend([Some(Item::Point(index)), error(index + 1)].into_iter().flatten());
        }
        items.push(item);
    }
    items.extend(points.flat_map(|(index, _)| [Some(Item::Point(index)), error(index + 1)]).flatten());
    items
}

impl Item {
    /// Offset of a point or an instruction, or of the instruction that a remark precedes.
    pub(super) fn offset(&self, view: &MethodView) -> Option<u32> {
        match self {
            Self::Point(index) => view.points.get(*index).map(|point| point.offset),
            Self::Instruction { index, .. } => view.instructions.get(*index).map(|(offset, _)| *offset),
            Self::Remark { before, .. } => Some(*before),
            Self::Machine(item) => machine_code::offset_of(item),
            Self::Error => None,
        }
    }
}

#[derive(Default)]
pub(super) struct Listing {
    pub(super) items: Vec<Item>,
    /// Document of the first point that has one.
    pub(super) document: Option<u32>,
    /// True if there is code besides points.
    pub(super) has_code: bool,
    pub(super) lanes: Lanes,
    pub(super) native: NativeCode,
    /// Points in precompiled code.
    pub(super) points: LanePoints,
}

impl Listing {
    pub(super) fn of(view: &MethodView, session: &Session) -> Self {
        let first = view.points.iter().find(|point| !point.is_hidden());
        let mut listing = Self { document: first.map(|point| point.document), ..Self::default() };
        let code = if view.of.is_native() {
            let (native, items) = NativeCode::of(view, session);
            listing.native = native;
            items.into_iter().map(Item::Machine).collect()
        } else {
            listing.points = LanePoints::of(view, session);
            listing.lanes = Lanes::of(view, session);
            items(view, session)
        };
        listing.has_code = if view.of.is_native() { view.code.is_some() } else { !code.is_empty() };
        listing.items = with_points(code, view);
        listing
    }

    /// A cell for the brackets, which the pane draws.
    pub(super) fn lane(&self) -> Cell {
        Cell::new(" ".repeat(self.lanes.width()))
    }

    /// Row of the point that a row belongs to.
    pub(super) fn head_of(&self, row: usize) -> Option<usize> {
        self.items.get(..=row)?.iter().rposition(|item| matches!(item, Item::Point(_)))
    }
}

/// The code of a point is inside it; the error that ended the points is in none.
impl Nesting for Listing {
    fn rows(&self) -> usize {
        self.items.len()
    }

    fn parent(&self, row: usize) -> Option<usize> {
        self.head_of(row).filter(|head| *head < row && self.items.get(row) != Some(&Item::Error))
    }

    fn end(&self, row: usize) -> usize {
        let ends = |item: &Item| matches!(item, Item::Point(_) | Item::Error);
        let rest = self.items.get(row + 1..).filter(|_| matches!(self.items.get(row), Some(Item::Point(_))));
        row + 1 + rest.map_or(0, |rest| rest.iter().position(ends).unwrap_or(rest.len()))
    }
}

/// The columns of the list, with the names of those that have a heading.
fn columns(session: &Session, view: &MethodView, width: u16) -> Vec<Head> {
    let encoded = Head::text(method::points::encoded_as(session));
    match (view.of.is_native(), view.points.is_empty()) {
        (true, true) => machine_code::COLUMNS.to_vec(),
        (true, false) => {
            let [number, offset, source] = [Head::text("#"), Head::text("offset"), Head::text("source")];
            let columns = [number, offset, source, encoded, Head::text("rva"), Head::text("kind")];
            columns.into_iter().take(points::native_columns(width)).collect()
        }
        (false, true) => Head::list([":", "", "", "", "", ""]),
        (false, false) => {
            let [lane, bytes] = [Head::text(""), Head::text("")];
            vec![Head::number("#"), lane, Head::text("IL"), bytes, Head::text("source"), encoded]
        }
    }
}

/// The rows for a pane of a width.
pub(super) fn rows(session: &Session, view: Arc<MethodView>, listing: Arc<Listing>, width: u16) -> Rows<'_> {
    Rows::new("", columns(session, &view, width), listing.items.len(), move |row| {
        let (view, Some(item)) = (&*view, listing.items.get(row)) else { return Row::default() };
        match item {
            Item::Point(index) => points::row(session, view, &listing, (*index, width)),
            Item::Error => points::error_row(session, view),
            Item::Machine(item) => listing.native.row(item, view, session),
            Item::Remark { region, words, depth, before } => {
                let indent = "  ".repeat(*depth as usize);
                let words = Cell::toned(format!("{indent}{words}"), Tone::Warn);
                let part = region.map_or(MethodPart::Instruction(*before), |number| MethodPart::Region(number as u32));
                let cells = vec![Cell::default(), listing.lane(), Cell::default(), Cell::default(), words];
                Row::at(Place::MethodPart(view.of.token(), part), cells)
            }
            Item::Instruction { index, depth } => instruction_row(session, view, &listing, (*index, *depth, width)),
        }
    })
}

fn instruction_row(
    session: &Session,
    view: &MethodView,
    listing: &Listing,
    (index, depth, width): (usize, u8, u16),
) -> Row {
    let Some((offset, span)) = view.instructions.get(index).copied() else { return Row::default() };
    let indent = "  ".repeat(depth as usize);
    let (code, opcode, operand) = match method::instruction(session, offset, span) {
        Ok(found) => {
            let code = if found.opcode.code > 0xff { 2 } else { 1 };
            let mut text = view.brief_operand(session, &found);
            if found.opcode.name == "newobj" {
                // The type is what is made, and the name of a constructor says nothing.
                text = text.replacen("..ctor(", "(", 1);
            }
            let mut operand = Cell::toned(text, Tone::Dim);
            operand.to = method::operand_place(view.of.token(), &found);
            if operand.to.is_some() {
                operand.tone = Tone::Text;
            }
            (code, Cell::new(format!("{indent}{}", found.opcode.name)), operand)
        }
        Err(error) => (1, Cell::toned("?", Tone::Bad), Cell::toned(session.spaces().error_text(&error), Tone::Bad)),
    };
    let bytes = method::image_bytes(session, span).map_or(&[][..], |slice| slice.data);
    let bytes = if width < WITH_BYTES { &[] } else { bytes };
    let cells = vec![
        // The sign of a breakpoint is drawn by the pane.
        if view.points.is_empty() { Cell::default() } else { Cell::new("  ") },
        listing.lane(),
        Cell::toned(il_label(offset.into()), Tone::Dim),
        Cell::toned(hex(bytes.get(..code).unwrap_or(bytes)), Tone::Dim),
        opcode,
        operand,
    ];
    Row { is_packed: true, ..Row::at(view.of.code(offset), cells).from(span) }
}

//! The listing of a method or function: instructions, and between them the starts of exception clauses and the two ends of each await
//! and yield.

use std::cmp::Reverse;
use std::sync::Arc;

use super::machine_code::{self, NativeCode};
use crate::panes::lanes::{LanePoints, Lanes};
use crate::ui::theme::Role;
use pdblens_nodes::method::native::bodies;
use pdblens_nodes::method::{self, MethodView, il_label};
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{MethodPart, Place};
use pdblens_query::where_is::{self, awaits, yields};
use pdblens_session::session::Session;
use pdblens_session::text::safe::hex;

const MAX_DEPTH: usize = 8;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
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

#[derive(Default)]
pub(super) struct Listing {
    pub(super) items: Vec<Item>,
    pub(super) lanes: Lanes,
    pub(super) native: NativeCode,
    /// Points in precompiled code.
    pub(super) points: LanePoints,
}

impl Listing {
    pub(super) fn of(view: &MethodView, session: &Session) -> Self {
        if view.of.is_native() {
            let (native, items) = NativeCode::of(view, session);
            let items = items.into_iter().map(Item::Machine).collect();
            return Self { items, native, ..Self::default() };
        }
        let points = LanePoints::of(view, &bodies(session, view.of.token()));
        Self { items: items(view, session), lanes: Lanes::of(view, session), points, ..Self::default() }
    }
}

pub(super) fn rows(session: &Session, view: Arc<MethodView>, listing: Arc<Listing>) -> Rows<'_> {
    let columns =
        if view.of.is_native() { machine_code::COLUMNS.to_vec() } else { Head::list([":", "", "", "", "", ""]) };
    Rows::new("", columns, listing.items.len(), move |row| {
        let (view, Some(item)) = (&*view, listing.items.get(row)) else { return Row::default() };
        let token = view.of.token();
        // The brackets are drawn by the pane: here they only take their cells.
        let lane = Cell::new(" ".repeat(listing.lanes.width()));
        match item {
            Item::Machine(item) => listing.native.row(item, view, session),
            Item::Remark { region, words, depth, before } => {
                let indent = "  ".repeat(*depth as usize);
                let words = Cell::toned(format!("{indent}{words}"), Tone::Warn);
                let part = region.map_or(MethodPart::Instruction(*before), |number| MethodPart::Region(number as u32));
                let cells = vec![Cell::default(), lane, Cell::default(), Cell::default(), words];
                Row::at(Place::MethodPart(token, part), cells)
            }
            Item::Instruction { index, depth } => {
                let Some((offset, span)) = view.instructions.get(*index).copied() else { return Row::default() };
                let point = view.point_begins_at(offset);
                let indent = "  ".repeat(*depth as usize);
                let (code, opcode, operand) = match method::instruction(session, offset, span) {
                    Ok(found) => {
                        let code = if found.opcode.code > 0xff { 2 } else { 1 };
                        let mut operand = Cell::toned(view.brief_operand(session, &found), Tone::Dim);
                        operand.to = method::operand_place(token, &found);
                        if operand.to.is_some() {
                            operand.tone = Tone::Text;
                        }
                        (code, Cell::new(format!("{indent}{}", found.opcode.name)), operand)
                    }
                    Err(error) => {
                        (1, Cell::toned("?", Tone::Bad), Cell::toned(session.spaces().error_text(&error), Tone::Bad))
                    }
                };
                let bytes = method::image_bytes(session, span).map_or(&[][..], |slice| slice.data);
                let number = point.map_or(String::new(), |point| (point + 1).to_string());
                let cells = vec![
                    // The sign of a breakpoint in machine code is drawn by the pane.
                    Cell::new(if listing.points.is_empty() { number } else { format!("{number}  ") }),
                    lane,
                    Cell::toned(il_label(offset.into()), Tone::Dim),
                    Cell::toned(hex(bytes.get(..code).unwrap_or(bytes)), Tone::Dim),
                    opcode,
                    operand,
                ];
                Row::at(view.of.code(offset), cells).from(span)
            }
        }
    })
}

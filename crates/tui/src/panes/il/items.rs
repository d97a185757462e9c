//! The rows of a method: instructions, and between them the starts of exception clauses and the two ends of each await and yield.

use std::cmp::Reverse;

use super::machine_code;
use crate::ui::theme::Role;
use pdblens_nodes::method::MethodView;
use pdblens_query::where_is::{self, awaits, yields};
use pdblens_session::session::Session;

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

pub(super) fn items(view: &MethodView, session: &Session) -> Vec<Item> {
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
    let goes = [
        "b",
        "beq",
        "bge",
        "bgt",
        "ble",
        "blt",
        "bne",
        "br",
        "brfalse",
        "brtrue",
        "call",
        "calli",
        "callvirt",
        "endf",
        "endfilter",
        "endfinally",
        "jmp",
        "leave",
        "newobj",
        "ret",
        "rethrow",
        "switch",
        "throw",
    ];
    if goes.contains(&word) { Role::Keyword } else { Role::Text }
}

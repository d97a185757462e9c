//! The yields of an iterator: the offsets at which its `MoveNext` returns an element and resumes after it.
//!
//! Symbols do not list them, as they do for awaits; they are derived from the code. A `yield return` stores the element in the field that
//! `Current` returns and a number in the field of the state, and leaves; the next call branches on the state to the instruction that
//! follows.

use pdblens_formats::il::{FlowControl, Instruction, Operand, Operation};
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_nodes::method::{self, MethodView};
use pdblens_session::session::Session;

/// Names of the field that `Current` returns: of Roslyn for C# and for Visual Basic, and of mcs.
const CURRENT: [&str; 3] = ["<>2__current", "$Current", "$current"];
/// Names of the field of the state, of the same compilers.
const STATE: [&str; 3] = ["<>1__state", "$State", "$PC"];
/// Limit on the instructions between the store of the element and the return.
const MAX_BETWEEN: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Yield {
    /// IL offset of the instruction that leaves.
    pub returns: u32,
    /// IL offset at which the next call continues.
    pub resumes: u32,
}

/// The yields of a method, in the order of its code; none where it is not the `MoveNext` of an iterator.
pub fn of(session: &Session, view: &MethodView) -> Vec<Yield> {
    let (Some(metadata), Some(names)) = (session.metadata(), session.names()) else { return Vec::new() };
    if view.instructions.is_empty() || names.method_name(view.of.token()) != "MoveNext" {
        return Vec::new();
    }
    let decoded = view.instructions.iter().map_while(|(at, span)| method::instruction(session, *at, *span).ok());
    let code: Vec<Instruction<'_>> = decoded.collect();
    let mut targets: Vec<i64> = Vec::new();
    for instruction in &code {
        match instruction.operand {
            Operand::Branch(target) => targets.push(target),
            Operand::Switch(cases) => targets.extend(cases.iter()),
            _ => {}
        }
    }
    targets.sort_unstable();
    let stores = |instruction: &Instruction<'_>, fields: &[&str]| is_store(metadata, instruction, fields);
    let mut found: Vec<Yield> = Vec::new();
    for (index, _) in code.iter().enumerate().filter(|(_, instruction)| stores(instruction, &CURRENT)) {
        let after = code.iter().skip(index + 1).take(MAX_BETWEEN);
        let mut has_state = false;
        let leaves = after.clone().position(|instruction| {
            has_state |= stores(instruction, &STATE);
            matches!(instruction.opcode.flow, FlowControl::Return | FlowControl::Branch)
        });
        let exit = leaves.and_then(|leaves| code.get(index + 1 + leaves));
        if has_state
            && let Some(exit) = exit
            && targets.binary_search(&i64::from(exit.next())).is_ok()
        {
            found.push(Yield { returns: exit.offset, resumes: exit.next() });
        }
    }
    found
}

fn is_store(metadata: &Metadata, instruction: &Instruction<'_>, fields: &[&str]) -> bool {
    let Operand::Token(token) = instruction.operand else { return false };
    // Both tables have the name in their second column.
    let has_name = matches!(token.table(), TableId::FIELD | TableId::MEMBER_REF);
    instruction.opcode.operation() == Operation::StoreField
        && has_name
        && name(metadata, token).is_some_and(|name| fields.iter().any(|field| field.as_bytes() == name))
}

fn name(metadata: &Metadata, token: Token) -> Option<&[u8]> {
    metadata.string_cell(token.table(), token.row(), 1).ok().map(|name| name.data)
}

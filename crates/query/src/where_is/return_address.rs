//! Calls around an offset of code, to find the call that a caller's frame is at.
//!
//! The offset of a caller's frame is the return address of its callee, right after the `call`. Runtimes map machine code back to IL only
//! at some instructions, so the offset of a frame may also be that of the `call`, or of the statement that the call is in. The offset
//! alone does not show which of these it is, but the callee does, if the trace names it.

use std::borrow::Cow;

use pdblens_formats::il::{Body, Instruction, Operand, Operation};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_nodes::code_unit::{CodeOffset, CodeUnit, MethodView};
use pdblens_nodes::function::Disassembly;
use pdblens_nodes::method;
use pdblens_session::session::Session;
use pdblens_session::text::names::Names;

/// Limit on the instructions between the start of a statement and the call in it.
const MAX_AHEAD: usize = 64;

/// A call in a method of IL or in a native function.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "call"))]
pub struct CallSite {
    /// The method or function that calls.
    #[serde(skip)]
    pub of: CodeUnit,
    /// Offset of the call instruction in it.
    #[serde(flatten)]
    pub at: CodeOffset,
    /// Offset after it: the address that the callee returns to.
    #[serde(skip)]
    pub end: u32,
    /// Type and name of the callee, without namespace and parameters: `Int32.Parse`; of native code the name of the function.
    pub callee: String,
}

/// Position of an offset in relation to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "relation"))]
pub enum Relation {
    /// Right after it: the address that it returns to.
    After,
    /// On it.
    At,
    /// Before it, with no branch between them.
    Before,
}

impl Relation {
    pub const fn word(self) -> &'static str {
        match self {
            Self::After => "after",
            Self::At => "at",
            Self::Before => "before",
        }
    }
}

impl CallSite {
    pub const fn offset(&self) -> u32 {
        self.at.value()
    }

    pub fn label(&self) -> String {
        self.of.label(self.offset().into())
    }

    /// Name of the callee, without its type: `Parse`, `.ctor`.
    pub fn method_name(&self) -> &str {
        own_name(&self.callee)
    }
}

/// The call that ends at an offset, whose return address it therefore is.
pub fn call_before(session: &Session, view: &MethodView, offset: u32) -> Option<CallSite> {
    let CodeUnit::Method(method) = view.of else {
        let (start, callee) = Disassembly::call_before(session, view, offset)?;
        return Some(CallSite { of: view.of, at: CodeOffset::of(view.of, start), end: offset, callee });
    };
    let names = session.names()?;
    let body = method::body(session, method).ok().flatten()?;
    let mut instructions = method::instructions(session, &body).skip_to(offset).map_while(Result::ok);
    let last = instructions.next().filter(|found| found.next() == offset)?;
    let throws = instructions.next().is_some_and(|next| is_throw(&next));
    if throws { None } else { call_site(&names, method, &last) }
}

/// Offset of the instruction of a body that ends at an offset, where it calls or throws: the frame of a return address is in it.
pub(crate) fn instruction_before(session: &Session, body: &Body, offset: u32) -> Option<u32> {
    let mut instructions = method::instructions(session, body).skip_to(offset).map_while(Result::ok);
    let last = instructions.find(|found| found.next() >= offset)?;
    let is_left = last.next() == offset && (is_call(&last) || is_throw(&last));
    if is_left { Some(last.offset) } else { None }
}

/// Returns whether an instruction throws: what stands before it made the exception, and has returned.
fn is_throw(instruction: &Instruction<'_>) -> bool {
    matches!(instruction.opcode.operation(), Operation::Throw | Operation::Rethrow)
}

/// Calls that an offset may refer to, for which `wanted` returns true of the callee's own name: the call that ends at it, the call that begins at
/// it, and, if they are asked for, later calls before the next branch.
pub(crate) fn calls_around(
    session: &Session,
    (method, body): (Token, &Body),
    offset: u32,
    with_later: bool,
    wanted: &dyn Fn(Relation, &str) -> bool,
) -> Vec<(Relation, CallSite)> {
    let mut found = Vec::new();
    let Some(names) = session.names() else { return found };
    let mut ahead = 0_usize;
    for instruction in method::instructions(session, body).skip_to(offset).map_while(Result::ok) {
        let relation = match instruction.offset {
            _ if instruction.next() == offset => Relation::After,
            start if start == offset => Relation::At,
            start if start > offset && with_later => Relation::Before,
            start if start > offset => break,
            _ => continue,
        };
        if callee(&names, &instruction).is_some_and(|name| wanted(relation, own_name(&name))) {
            found.extend(call_site(&names, method, &instruction).map(|site| (relation, site)));
        }
        ahead += usize::from(relation == Relation::Before);
        if relation == Relation::At && is_throw(&instruction) {
            found.clear();
        }
        let leaves = matches!(instruction.operand, Operand::Branch(_) | Operand::Switch(_))
            || instruction.opcode.operation() == Operation::Return
            || is_throw(&instruction);
        if relation != Relation::After && (leaves || ahead > MAX_AHEAD) {
            break;
        }
    }
    found
}

/// Calls of a method for which `wanted` returns true of the callee's own name.
pub(crate) fn calls_named(
    session: &Session,
    (method, body): (Token, &Body),
    wanted: &dyn Fn(&str) -> bool,
) -> Vec<CallSite> {
    let Some(names) = session.names() else { return Vec::new() };
    calls(session, body, names, wanted).filter_map(|found| call_site(&names, method, &found)).collect()
}

/// Number of calls of a method for which `wanted` returns true of the callee's own name.
pub(crate) fn count_calls(session: &Session, method: Token, wanted: &dyn Fn(&str) -> bool) -> usize {
    let (Some(names), Ok(Some(body))) = (session.names(), method::body(session, method)) else { return 0 };
    calls(session, &body, names, wanted).count()
}

fn calls<'s>(
    session: &'s Session,
    body: &Body,
    names: Names<'s>,
    wanted: &dyn Fn(&str) -> bool,
) -> impl Iterator<Item = Instruction<'s>> {
    let is_wanted = move |found: &Instruction<'_>| callee(&names, found).is_some_and(|name| wanted(own_name(&name)));
    method::instructions(session, body).map_while(Result::ok).filter(is_wanted)
}

/// Name of the method that an instruction calls, without its type, which takes longer to name; empty where it has none.
fn callee<'m>(names: &Names<'m>, instruction: &Instruction<'_>) -> Option<Cow<'m, str>> {
    match instruction.operand {
        Operand::Token(token) if is_call(instruction) => Some(names.own_name(token).unwrap_or_default()),
        _ => None,
    }
}

pub(crate) fn is_call(instruction: &Instruction<'_>) -> bool {
    matches!(instruction.opcode.operation(), Operation::Call | Operation::CallIndirect | Operation::NewObject)
}

fn call_site(names: &Names<'_>, method: Token, instruction: &Instruction<'_>) -> Option<CallSite> {
    if !is_call(instruction) {
        return None;
    }
    let Operand::Token(token) = instruction.operand else { return None };
    let callee = match token.table() {
        TableId::STAND_ALONE_SIG => "a function pointer".to_owned(),
        _ => type_and_name(&names.brief().token(token)).to_owned(),
    };
    Some(CallSite { of: method.into(), at: CodeOffset::Il(instruction.offset), end: instruction.next(), callee })
}

/// The type and name in `int Int32.Parse(string)`: without what is returned, and without parameters.
fn type_and_name(method: &str) -> &str {
    let mut depth = 0usize;
    let end = method.char_indices().rev().find(|(_, c)| {
        match c {
            ')' => depth += 1,
            '(' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    let method = end.filter(|(_, c)| *c == '(').and_then(|(at, _)| method.get(..at)).unwrap_or(method);
    let mut depth = 0usize;
    let space = method.char_indices().rev().find(|(_, c)| {
        match c {
            '>' | ']' | ')' => depth += 1,
            '<' | '[' | '(' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && *c == ' '
    });
    space.and_then(|(at, _)| method.get(at + 1..)).unwrap_or(method)
}

/// The last part of a name of a method, without type arguments: `Parse` of `Int32.Parse`, `ToList` of `Enumerable.ToList<int>`.
pub(crate) fn own_name(name: &str) -> &str {
    let mut depth = 0usize;
    let mut start = 0;
    let mut arguments = name.len();
    for (at, c) in name.char_indices().rev() {
        match c {
            '>' | ']' => depth += 1,
            '<' | '[' => {
                depth = depth.saturating_sub(1);
                let is_behind = at > 0 && !name.get(..at).is_some_and(|before| before.ends_with('.'));
                if depth == 0 && is_behind && closes(name, arguments) {
                    arguments = at;
                }
            }
            '.' if depth == 0 => {
                start = at + 1;
                break;
            }
            _ => {}
        }
    }
    // The dot of `.ctor` is part of its name.
    let is_dotted = name.get(..start).is_some_and(|before| before == "." || before.ends_with(".."));
    let start = if is_dotted { start - 1 } else { start };
    name.get(start..arguments).unwrap_or(name)
}

fn closes(name: &str, end: usize) -> bool {
    name.get(..end).is_some_and(|name| name.ends_with(['>', ']']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_name_of_a_callee_is_cut_out_of_its_signature() {
        for (signature, callee, own) in [
            ("int Int32.Parse(string)", "Int32.Parse", "Parse"),
            ("void Crate..ctor(int)", "Crate..ctor", ".ctor"),
            ("List<!!0> Enumerable.ToList<int>(IEnumerable<!!0>)", "Enumerable.ToList<int>", "ToList"),
            ("!0 Func<Dictionary<int, string>>.Invoke()", "Func<Dictionary<int, string>>.Invoke", "Invoke"),
            ("Task Program.<>c.<Main>b__0_1()", "Program.<>c.<Main>b__0_1", "<Main>b__0_1"),
            ("void T.<M>g__Check|2_0<int>(int)", "T.<M>g__Check|2_0<int>", "<M>g__Check|2_0"),
            ("main()", "main", "main"),
            ("", "", ""),
        ] {
            assert_eq!(type_and_name(signature), callee);
            assert_eq!(own_name(callee), own, "{callee}");
        }
    }

    #[test]
    fn calls_stand_around_an_offset() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples/faults/Faults.dll");
        let session = Session::open(&[path]).unwrap();
        let parse = Token(0x0600_0002);
        let body = method::body(&session, parse).unwrap().unwrap();
        let around = |offset| -> Vec<(Relation, u32, String)> {
            let found = calls_around(&session, (parse, &body), offset, true, &|_, _| true);
            let near = calls_around(&session, (parse, &body), offset, false, &|_, _| true);
            assert!(near.iter().eq(found.iter().filter(|(relation, _)| *relation != Relation::Before)), "{offset}");
            found.into_iter().map(|(relation, site)| (relation, site.offset(), site.callee)).collect()
        };
        let call = || "Int32.Parse".to_owned();
        assert_eq!(around(2), [(Relation::Before, 3, call())]);
        assert_eq!(around(3), [(Relation::At, 3, call())]);
        assert_eq!(around(8), [(Relation::After, 3, call())]);
        assert_eq!(around(9), []);
        assert_eq!(
            call_before(&session, &MethodView::of(&session, parse), 8).map(|site| (site.offset(), site.end)),
            Some((3, 8))
        );
        assert_eq!(call_before(&session, &MethodView::of(&session, parse), 3), None);
        assert_eq!(around(0x23), [], "the exception was made there");
        assert_eq!(call_before(&session, &MethodView::of(&session, parse), 0x23), None);
        let named = calls_named(&session, (parse, &body), &|name| name == "Concat");
        assert_eq!(named.iter().map(CallSite::offset).collect::<Vec<_>>(), [0x18]);
    }
}

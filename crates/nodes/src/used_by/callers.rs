//! Tree of callers: the callers of a method or function, their callers, and so on.

use super::{Recent, User, add_code, index, members, name, native, position_cells};
use crate::place::{CodeUnit, Place};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_session::session::Session;
use pdblens_session::symbols::StateMachine;
use pdblens_session::text::safe::count;
use std::collections::HashSet;

/// Limits on the callers that are listed, and on the calls between them and the method.
const MAX_CALLERS: usize = 200;
const MAX_DEPTH: u8 = 12;

#[derive(Clone, Copy, Debug)]
struct Caller {
    place: Place,
    callee: usize,
    depth: u8,
    /// True if its callers are listed elsewhere.
    is_again: bool,
}

/// Callers of a method or function as a tree, the method itself first; `None` for a place without code.
pub fn callers(session: &Session, place: Place) -> Option<Rows<'_>> {
    let of = place.code_unit()?.place();
    let tree = session.cache().get::<Recent<Caller>>().get(of, || Some(find(session, of)))?;
    let columns = Head::list(["caller", "level:", "line:", "at", "document"]);
    let others = tree.len().saturating_sub(1);
    let more = if others >= MAX_CALLERS { " at least" } else { "" };
    let title = format!("{}: tree of {}{more}", name(session, of), count(others as u64, "caller"));
    Some(Rows::new(title, columns, tree.len(), move |index| {
        tree.get(index).map_or_else(Row::default, |caller| row(session, caller))
    }))
}

fn row(session: &Session, caller: &Caller) -> Row {
    let [line, at, document] = position_cells(session, caller.place);
    let again = if caller.is_again { "  callers above" } else { "" };
    let tone = if caller.is_again { Tone::Dim } else { Tone::Text };
    let name = Cell::toned(format!("{}{again}", name(session, caller.place)), tone).to(caller.place);
    let level = Cell::toned(caller.depth.to_string(), Tone::Dim);
    Row { depth: caller.depth, ..Row::at(caller.place, vec![name, level, line, at, document]) }
}

/// The tree, found level by level: near callers are complete before far ones.
fn find(session: &Session, of: Place) -> Vec<Caller> {
    let mut found = vec![Caller { place: of, callee: 0, depth: 0, is_again: false }];
    let (mut seen, mut next) = (HashSet::new(), 0);
    // Each method of the tree is a question.
    index::UseIndex::of(session);
    seen.extend(of.code_unit());
    while let Some(caller) = found.get(next).copied() {
        let unit = caller.place.code_unit().map(|unit| source_of(session, unit));
        if let Some(unit) = unit.filter(|_| !caller.is_again && caller.depth < MAX_DEPTH) {
            for place in calls(session, unit) {
                let user = place.code_unit().map(|unit| source_of(session, unit)).unwrap_or_default();
                let is_again = !seen.insert(user);
                found.push(Caller { place, callee: next, depth: caller.depth.saturating_add(1), is_again });
            }
        }
        if found.len() > MAX_CALLERS {
            found.truncate(MAX_CALLERS + 1);
            break;
        }
        next += 1;
    }
    let (mut tree, mut open) = (Vec::with_capacity(found.len()), vec![0]);
    while let Some(index) = open.pop() {
        tree.extend(found.get(index));
        let after = found.iter().enumerate().skip(index + 1);
        let own: Vec<usize> = after.filter(|(_, caller)| caller.callee == index).map(|(index, _)| index).collect();
        open.extend(own.into_iter().rev());
    }
    tree
}

/// The async method or iterator whose body a method is; else the method itself.
fn source_of(session: &Session, unit: CodeUnit) -> CodeUnit {
    let CodeUnit::Method(token) = unit else { return unit };
    let kickoff = session.symbols().and_then(|symbols| symbols.state_machine(StateMachine::MoveNext(token)));
    kickoff.map_or(unit, CodeUnit::Method)
}

fn calls(session: &Session, of: CodeUnit) -> Vec<Place> {
    let mut users: Vec<User> = Vec::new();
    match (of, session.metadata()) {
        (CodeUnit::Method(token), Some(metadata)) => {
            add_code(session, &members::tokens(session, metadata, token), &mut users);
        }
        (CodeUnit::Function(_), _) => native::add(session, of.place(), &mut users),
        (CodeUnit::Method(_), None) => {}
    }
    let mut places: Vec<Place> = users.iter().filter(|user| user.kind.is_call()).map(|user| user.place).collect();
    places.sort_unstable();
    places.dedup_by_key(|place| place.code_unit());
    places
}

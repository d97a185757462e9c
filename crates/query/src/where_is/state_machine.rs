//! Mapping between an async method or iterator and the method that contains its body.
//!
//! The source calls the *kickoff* method, which creates a state machine and starts it. The code of the body is in the state machine's
//! `MoveNext`. A portable PDB links the two in its StateMachineMethod table. The image does so too, whatever the format of the symbols:
//! the kickoff has an attribute that names the type of its state machine.

use pdblens_formats::fields;
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_nodes::table::attributes;
use pdblens_session::session::Session;
use pdblens_session::symbols::StateMachine;
use pdblens_session::text::safe::utf8;

fields! {
    /// Always 1 (ECMA-335 II.23.3).
    PROLOG: "prolog";
    /// Length of the type name in bytes.
    LENGTH: "length";
    /// Name of the type of the state machine, as reflection writes it.
    TYPE_NAME: "type name";
}

/// The attributes that name a state machine. All of them take its type.
const ATTRIBUTES: &[&str] =
    &["AsyncStateMachineAttribute", "IteratorStateMachineAttribute", "AsyncIteratorStateMachineAttribute"];

/// The method that contains the body of `method`, if `method` is async or an iterator.
pub fn move_next(session: &Session, method: Token) -> Option<Token> {
    if method.is_nil() {
        return None;
    }
    let said = session.symbols().and_then(|symbols| symbols.state_machine(StateMachine::Kickoff(method)));
    said.or_else(|| named_state_machine(session, method))
}

/// The async method or iterator whose body `method` contains.
pub fn kickoff(session: &Session, method: Token) -> Option<Token> {
    if method.is_nil() {
        return None;
    }
    if let Some(kickoff) = session.symbols().and_then(|symbols| symbols.state_machine(StateMachine::MoveNext(method))) {
        return Some(kickoff);
    }
    let names = session.names()?;
    let owner = names.owner(method.row());
    let around = names.enclosing(owner);
    if around == 0 || names.method_name(method) != "MoveNext" {
        return None;
    }
    methods_of(session.metadata()?, around).find(|kickoff| named_state_machine(session, *kickoff) == Some(method))
}

/// The only method with a name among those of the type of `method`.
pub(crate) fn method_beside(session: &Session, method: Token, name: &str) -> Option<Token> {
    let (metadata, names) = (session.metadata()?, session.names()?);
    let mut named = methods_of(metadata, names.owner(method.row())).filter(|method| names.method_name(*method) == name);
    let found = named.next()?;
    if named.next().is_some() { None } else { Some(found) }
}

/// The methods of a type, by the row of the type.
pub(crate) fn methods_of(metadata: &Metadata, type_def: u32) -> impl Iterator<Item = Token> {
    let rows = metadata.list(TableId::TYPE_DEF, type_def, 5, TableId::METHOD_DEF);
    rows.map(|row| Token::new(TableId::METHOD_DEF, metadata.through_pointer(TableId::METHOD_DEF, row)))
}

/// The `MoveNext` of the type that an attribute of `kickoff` names.
pub(crate) fn named_state_machine(session: &Session, kickoff: Token) -> Option<Token> {
    let (metadata, names) = (session.metadata()?, session.names()?);
    let wanted = state_machine_name(session, kickoff)?;
    // A state machine is nested in the type of its kickoff.
    let around = names.owner(kickoff.row());
    let nested = metadata.table(TableId::NESTED_CLASS);
    let mut rows = (1..=nested.rows()).filter(|row| nested.cell(*row, 1) == Ok(around));
    rows.find_map(|row| {
        let inner = nested.cell(row, 0).ok()?;
        let move_next = methods_of(metadata, inner).find(|method| names.method_name(*method) == "MoveNext")?;
        let full = names.reflection_name(move_next);
        (full.strip_suffix(".MoveNext") == Some(wanted.as_str())).then_some(move_next)
    })
}

pub(crate) fn is_async(session: &Session, method: Token) -> bool {
    let is_one = |name: &str| ATTRIBUTES.contains(&name) && name.starts_with("Async");
    attributes::of(session, method).any(|(_, name)| is_one(&name))
}

/// The name of the type that an attribute of `kickoff` says is its state machine, as reflection writes it.
fn state_machine_name(session: &Session, kickoff: Token) -> Option<String> {
    let is_one = |(_, name): &(u32, String)| ATTRIBUTES.contains(&name.as_str());
    let (row, _) = attributes::of(session, kickoff).find(is_one)?;
    let value = session.metadata()?.blob_cell(TableId::CUSTOM_ATTRIBUTE, row, 2).ok()?;
    let mut cursor = value.cursor();
    cursor.u16(&PROLOG).ok()?;
    let len = cursor.compressed(&LENGTH).ok()?;
    let full = utf8(cursor.bytes(&TYPE_NAME, u64::from(len)).ok()?.data).into_owned();
    // A type of another assembly would have that after a comma; the name itself escapes commas.
    Some(full.split(',').next().unwrap_or(&full).to_owned())
}

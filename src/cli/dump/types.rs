//! Types, ids, public and global symbols of a Windows PDB.

use super::super::json::{List, Room};
use crate::nodes::function::NativeView;
use crate::nodes::global_symbols::{SymbolDetails, each_symbol};
use crate::nodes::type_details::TypeDetails;
use crate::session::Session;

/// The types, or the ids.
pub(super) fn types<'s>(session: &'s Session, ids: bool, room: &'s Room) -> List<'s, TypeDetails> {
    List::each(move |emit| match NativeView::of(session) {
        Some(native) => native.each_type(ids, emit),
        None => Ok(()),
    })
    .within(room)
}

/// The public symbols, or the global ones.
pub(super) fn globals<'s>(session: &'s Session, publics: bool, room: &'s Room) -> List<'s, SymbolDetails> {
    List::each(move |emit| each_symbol(session, publics, emit)).within(room)
}

//! Facts about native code as a whole.

use super::view::{NativeView, symbols_index};
use crate::facts::Facts;
use crate::fields::Fields;
use crate::lazy_index::is_cached;
use crate::place::Place;
use pdblens_session::session::Session;

pub(crate) fn native_facts(session: &Session) -> Option<Fields> {
    let native = NativeView::of(session)?;
    let mut facts = Facts::new("native code");
    if is_cached(session, symbols_index()) {
        facts.fact("functions", native.functions().len()).to(Place::Functions);
        facts.fact("types", native.types(false).len()).to(Place::Types).mean("in stream 2");
        facts.fact("ids", native.types(true).len()).to(Place::Ids).mean("in stream 4");
    }
    facts.fact("modules", native.view.pdb.modules().len()).to(Place::Modules);
    facts.done()
}

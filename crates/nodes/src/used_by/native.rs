//! Users in native code: calls, inlined calls, and records of types.

use super::kind::{UseKind, User};
use crate::fields::FieldRow;
use crate::function::{Disassembly, each_details};
use crate::lazy_index::{IndexKind, LazyIndex};
use crate::native::{NativeView, symbols_index};
use crate::pe::{exports_of, name_of_export};
use crate::place::{FunctionPart, PePart, Place};
use crate::types::explain_type;
use pdblens_session::parallel::{parallel_map, processors};
use pdblens_session::session::Session;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::OnceLock;

const CHUNK: usize = 256;

/// Users with the functions, types and ids that they refer to, in the order of these.
#[derive(Debug, Default)]
struct Kept(OnceLock<Vec<(Place, User)>>);

static INDEX: IndexKind = IndexKind {
    name: |_| "machine code, inlined calls and types".to_owned(),
    size: |session, _| symbols_index().size(session),
    is_built: |session, _| session.cache().get::<Kept>().0.get().is_some(),
    build: |session, _| {
        uses(session);
    },
    is_optional: false,
};

pub(super) const fn index() -> LazyIndex {
    INDEX.of(Place::Functions)
}

fn uses(session: &Session) -> &[(Place, User)] {
    session.cache().get::<Kept>().0.get_or_init(|| {
        let Some(native) = NativeView::of(session) else { return Vec::new() };
        let mut found = calls(session, native);
        add_inlined(session, &mut found);
        add_records(session, native, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    })
}

/// Adds the users of a function, a type or an id. A function is meant by any address of its code.
pub(super) fn add(session: &Session, place: Place, users: &mut Vec<User>) {
    let Some(native) = NativeView::of(session) else { return };
    if matches!(place, Place::Function(_)) {
        users.extend(exports_of(session, place).map(|place| User { kind: UseKind::Export, place, field: "" }));
    }
    let uses = uses(session);
    let mut of = |place: Place| {
        let start = uses.partition_point(|(to, _)| *to < place);
        let same = uses.get(start..).unwrap_or_default().iter().take_while(|(to, _)| *to == place);
        users.extend(same.map(|(_, user)| *user));
    };
    let Place::Function(rva) = place else { return of(place) };
    let Some(function) = native.function_at(rva) else { return };
    of(native.place_of(&function));
    let name = native.name_of(&function);
    // Inlined calls name the function by its id, which the function itself does not have.
    let Some(names) = native.view.type_names() else { return };
    let ids = native.types(true);
    let ids = ids.first()..ids.first().saturating_add(ids.len());
    ids.filter(|id| names.of_id(*id) == name).for_each(|id| of(Place::Id(id)));
}

/// Calls and jumps from one function to another.
fn calls(session: &Session, native: NativeView<'_>) -> Vec<(Place, User)> {
    let chunks: Vec<_> = native.functions().chunks(CHUNK).collect();
    let found = parallel_map(chunks, processors(), |functions| {
        let mut found = Vec::new();
        for function in functions {
            let Some(rva) = native.rva_of(function) else { continue };
            for (offset, to) in Disassembly::transfers(session, rva, function.len) {
                let called = native.function_at(to).filter(|called| called != function);
                let Some(called) = called.filter(|called| native.rva_of(called) == Some(to)) else { continue };
                let place = Place::FunctionPart(rva, FunctionPart::CodeAt(offset));
                found.push((native.place_of(&called), User { kind: UseKind::Call, place, field: "" }));
            }
        }
        found
    });
    found.into_iter().flatten().collect()
}

fn add_inlined(session: &Session, found: &mut Vec<(Place, User)>) {
    each_details(session, &mut |details| {
        let Some(rva) = details.rva else { return ControlFlow::Continue(()) };
        for site in &details.inlined {
            let offset = site.ranges.first().map_or(0, |range| range.offset);
            let place = Place::FunctionPart(rva, FunctionPart::CodeAt(offset));
            found.push((Place::Id(site.id), User { kind: UseKind::InlinedCall, place, field: "" }));
        }
        ControlFlow::Continue(())
    });
}

/// Adds the records of types and ids that refer to others.
fn add_records(session: &Session, native: NativeView<'_>, found: &mut Vec<(Place, User)>) {
    for (ids, place) in [(false, Place::Type as fn(u32) -> Place), (true, Place::Id)] {
        let types = native.types(ids);
        for row in 0..types.len() {
            let number = types.first().saturating_add(row);
            let place = place(number);
            let Some(fields) = explain_type(session, number, ids) else { continue };
            let links: BTreeSet<(Place, &'static str)> = fields.rows.iter().filter_map(link).collect();
            found.extend(links.into_iter().map(|(to, field)| (to, User { kind: UseKind::Record, place, field })));
        }
    }
}

fn link(field: &FieldRow) -> Option<(Place, &'static str)> {
    match field.to? {
        Place::TypeLayout(number) => Some((Place::Type(number), "")),
        to @ (Place::Type(_) | Place::Id(_)) => Some((to, "")),
        _ => None,
    }
}

/// Name of a type, an id or an export; the path of anything else.
pub(super) fn name(session: &Session, place: Place) -> String {
    let names = NativeView::of(session).and_then(|native| native.view.type_names());
    match (place, names) {
        (Place::Type(number), Some(names)) => names.of(number),
        (Place::Id(number), Some(names)) => names.of_id(number),
        (Place::PePart(PePart::Export(index)), _) => name_of_export(session, index),
        _ => place.to_string(),
    }
}

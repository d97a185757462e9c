//! Functions and types of native code by their names and addresses.

use super::{ResolveError, named_place, names_and_steps};
use crate::candidates::Candidates;
use crate::function::address;
use crate::native::NativeView;
use crate::place::Place;
use crate::types;
use pdblens_session::session::Session;
use pdblens_session::text::demangle::demangled;
use pdblens_session::text::distance::{Nearest, tolerance};
use pdblens_session::text::safe::utf8;

/// The place of a path with the name of a function or type; `None` for other paths, and without native code.
pub(super) fn named(session: &Session, text: &str) -> Option<Result<Place, ResolveError>> {
    let native = NativeView::of(session)?;
    if let Some(rest) = text.strip_prefix("function/") {
        return Some(function_place(session, native, rest));
    }
    let rest = text.strip_prefix("type/")?;
    let (name, tail) = rest.strip_suffix("/layout").map_or((rest, ""), |name| (name, "/layout"));
    let number = types::named(native, name).ok_or_else(|| ResolveError::Unknown(text.to_owned()));
    Some(number.and_then(|number| named_place(session, "type", number, tail)))
}

/// A function's name has no slashes in it but those of operators.
fn function_place(session: &Session, native: NativeView<'_>, rest: &str) -> Result<Place, ResolveError> {
    if let Some(place) = addressed_place(session, native, rest) {
        return place;
    }
    for (name, tail) in names_and_steps(rest) {
        match functions_named(session, name).as_slice() {
            [] => {}
            [rva] => return named_place(session, "function", *rva, tail),
            many => {
                let shown = Candidates::of(many, |rva| format!("function/{rva:#x}"));
                return Err(ResolveError::Ambiguous(name.to_owned(), shown));
            }
        }
    }
    Err(ResolveError::Unknown(format!("function/{rest}")))
}

/// The place of a function by an address in any notation, such as `0001:00000079/lines`.
fn addressed_place(session: &Session, native: NativeView<'_>, rest: &str) -> Option<Result<Place, ResolveError>> {
    let (address, tail) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let rva = address::parse_address(session, native, address)?;
    Some(
        rva.map_err(|why| ResolveError::NotThere(why.text)).and_then(|rva| named_place(session, "function", rva, tail)),
    )
}

/// The functions of native code that `name` means, by address: by name, by the end of it, or by the linker's name; and
/// public symbols without a function, by either name.
pub fn functions_named(session: &Session, name: &str) -> Vec<u32> {
    let Some(native) = NativeView::of(session) else { return Vec::new() };
    if let Some(Ok(Place::Function(rva))) = name.starts_with("function/").then(|| name.parse()) {
        return vec![rva];
    }
    let tail = format!("::{name}");
    let mut ranked = [Vec::new(), Vec::new(), Vec::new()];
    for function in native.functions() {
        let own = native.name_of(function);
        match () {
            () if own == name => ranked[0].extend(native.rva_of(function)),
            () if own.ends_with(&tail) => ranked[1].extend(native.rva_of(function)),
            () => {}
        }
    }
    if ranked[0].is_empty() {
        for symbol in native.globals().publics().filter_map(Result::ok) {
            let rank = rank_of_public(&utf8(symbol.name.data), name, &tail);
            let rva = rank.and_then(|_| native.view.rva(symbol.section, symbol.offset));
            if let Some(list) = rank.and_then(|rank| ranked.get_mut(rank)) {
                list.extend(rva);
            }
        }
    }
    let mut found = ranked.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
    found.sort_unstable();
    found.dedup();
    found
}

/// Rank of a public symbol for a name: 0 if the name is the linker's or the source name, 1 if it is the end of that, 2 if
/// the parameters are left out.
fn rank_of_public(decorated: &str, name: &str, tail: &str) -> Option<usize> {
    if decorated == name {
        return Some(0);
    }
    let source = demangled(decorated)?;
    let bare = source.split('(').next().unwrap_or(&source);
    match () {
        () if source == name => Some(0),
        () if source.ends_with(tail) => Some(1),
        () if bare == name || bare.ends_with(tail) => Some(2),
        () => None,
    }
}

/// Error for a function name that is unknown, with the nearest known one.
pub(crate) fn no_function(session: &Session, name: &str) -> ResolveError {
    let Some(native) = NativeView::of(session) else { return ResolveError::Unknown(name.to_owned()) };
    let wanted = name.to_lowercase();
    let mut near = Nearest::new(&wanted, tolerance(&wanted));
    for function in native.functions().iter().take(20_000) {
        let own = native.name_of(function);
        near.offer(&own.to_lowercase(), &own);
    }
    match near.best() {
        Some(own) => ResolveError::Near(name.to_owned(), own),
        None => ResolveError::NotThere(format!(
            "no function is called {name:?} · tip: `pdblens list FILE functions` lists them all"
        )),
    }
}

//! Code that an input with parameters means, where several types have it.

use super::{cut, parsed};
use crate::nodes::Place;
use crate::nodes::code_unit::CodeUnit;
use crate::nodes::function::NativeView;
use crate::nodes::resolve::{self, ResolveError};
use crate::query::search::CUT;
use crate::session::Session;

/// The methods or functions that have the name and the parameters of an input, such as `Combine(uint, uint)+0x1f`; empty for an input
/// without parameters, and for one that means a single method. Of a text that a screen has cut, everything that it can be.
pub fn overloads(session: &Session, typed: &str) -> Vec<Place> {
    if typed.contains(CUT) {
        return cut::places(session, typed);
    }
    let Some(Err(ResolveError::Ambiguous(name, _))) = typed.contains('(').then(|| parsed(session, typed)) else {
        return Vec::new();
    };
    let methods = resolve::methods_named(session, &name).into_iter().map(Place::Method);
    let functions = NativeView::of(session).map(|_| resolve::functions_named(session, &name)).unwrap_or_default();
    methods.chain(functions.into_iter().map(|rva| CodeUnit::Function(rva).place())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_leave_the_methods_that_have_them() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/warehouse/Acme.Warehouse.dll");
        let session = Session::open(&[path.into()]).unwrap();
        for typed in
            ["NormalizeCustomerAsync(long)", "NormalizeCustomerAsync(long)+0x1", "NormalizeCustomerAsync(Int64) +0x1"]
        {
            let found = overloads(&session, typed);
            assert_eq!(found.len(), 2, "{typed}: {found:?}");
            let is_meant = |place: &Place| {
                place
                    .code_unit()
                    .is_some_and(|of| session.method_name(of.token()).ends_with("NormalizeCustomerAsync(long)"))
            };
            assert!(found.iter().all(is_meant), "{typed}: {found:?}");
        }
        for typed in [
            "NormalizeCustomerAsync",
            "NormalizeCustomerAsync(bool)",
            "RouteRouteHandler84.NormalizeCustomerAsync(long)+0x2",
            "",
        ] {
            assert_eq!(overloads(&session, typed), [], "{typed}");
        }
    }
}

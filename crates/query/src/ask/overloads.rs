//! Code that an input with parameters means, where several types have it.

use crate::address::{AddressErrorKind, offset, parse_offset};
use pdblens_formats::metadata::Token;
use pdblens_nodes::Place;
use pdblens_nodes::code_unit::CodeUnit;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::resolve::{self, ResolveError};
use pdblens_session::session::Session;
use pdblens_session::text::parameters::{split_frame, split_parameters};

/// The methods or functions that have the name and the parameters of an input, such as `Combine(uint, uint)+0x1f`; empty for an input
/// without parameters, and for one that means a single method. Of a list of parameters that is not closed yet, the methods whose parameters begin like it.
pub fn overloads(session: &Session, typed: &str) -> Vec<Place> {
    let error = if typed.contains('(') { parse_offset(session, typed).err() } else { None };
    let Some(AddressErrorKind::Resolve(ResolveError::Ambiguous(name, _))) = error.map(|error| error.kind) else {
        return with_parameter_prefix(session, typed);
    };
    let methods = resolve::methods_named(session, &name).into_iter().map(Place::Method);
    let functions = NativeView::of(session).map(|_| resolve::functions_named(session, &name)).unwrap_or_default();
    methods.chain(functions.into_iter().map(|rva| CodeUnit::Function(rva).place())).collect()
}

/// The methods whose parameter list begins with the typed, unclosed one: `Write(byte*`, or `Write(byte*+0x1f`.
fn with_parameter_prefix(session: &Session, typed: &str) -> Vec<Place> {
    let (name, Some(list), "") = split_frame(typed) else { return Vec::new() };
    if typed.contains(')') {
        return Vec::new();
    }
    let is_offset = |digits: &str| digits.is_empty() || offset::parse(digits).is_some();
    let list = list.rsplit_once('+').filter(|(_, digits)| is_offset(digits)).map_or(list, |(list, _)| list);
    let (Some(names), list) = (session.names(), list.replace(' ', "")) else { return Vec::new() };
    // Parameters are typed as the lists of methods print them.
    let short = |method| names.brief().method_short(method);
    let has_prefix =
        |method: &Token| split_parameters(&short(*method)).1.is_some_and(|own| own.replace(' ', "").starts_with(&list));
    resolve::methods_named(session, name).into_iter().filter(has_prefix).map(Place::Method).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_leave_the_methods_that_have_them() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/warehouse/Acme.Warehouse.dll");
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
        for typed in ["NormalizeCustomerAsync(lo", "NormalizeCustomerAsync(lo+", "NormalizeCustomerAsync(lo+0x1"] {
            let found = overloads(&session, typed);
            assert_eq!(found.len(), 3, "{typed}: {found:?}");
            let is_whole = |place: &Place| found.contains(place);
            assert!(overloads(&session, "NormalizeCustomerAsync(long)").iter().all(is_whole), "{typed}: {found:?}");
        }
        assert_eq!(overloads(&session, "NormalizeCustomerAsync(long,int+0x1").len(), 1);
        assert_eq!(overloads(&session, "NormalizeCustomerAsync(none"), []);
    }
}

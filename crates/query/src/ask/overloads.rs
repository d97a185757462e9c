//! Code that an input with parameters or an offset means, where several methods have its name.

use crate::address::{AddressErrorKind, offset, parse_offset};
use crate::breakpoint::{Judge, Why};
use crate::where_is::{Position, where_is};
use pdblens_nodes::method::range_text;
use pdblens_nodes::resolve::{self, ResolveError};
use pdblens_nodes::{CodeUnit, Place, Token};
use pdblens_session::session::Session;
use pdblens_session::text::parameters::{split_frame, split_parameters};
use pdblens_session::text::safe::count;

/// Position of an offset in the code of a method, the most likely first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// An instruction begins there, or no code is at hand.
    #[default]
    Start,
    Inside,
    PastEnd,
}

#[derive(Clone, Debug, Default)]
pub struct AtOffset {
    pub fit: Fit,
    /// Range of the point, `825:17–825:62`; empty without one.
    pub lines: String,
    /// Point and instruction, or the size of code that ends before the offset.
    pub about: String,
    pub why: Option<Why>,
}

/// Offset at the end of an input: `Since+0x1f`, `Since:15`, `Since IL_001f`.
pub fn typed_offset(typed: &str) -> Option<u32> {
    match typed.trim().rsplit_once(['+', ':', '@', ' '])? {
        (name, digits) if typed.get(name.len()..)?.starts_with(' ') => offset::parse_marked(digits),
        (_, digits) => offset::parse(digits),
    }
}

/// Describes an offset in a method or function, or in the body of an async method or iterator.
pub fn at_offset(judge: &Judge<'_>, of: CodeUnit, offset: u32) -> AtOffset {
    let answer = where_is(judge.session(), of, offset);
    let target = answer.state_machine.as_deref().unwrap_or(&answer);
    let word = target.of.words().point;
    let point = match target.position {
        Position::PastEnd | Position::NoFunction => {
            let size = count(u64::from(target.code_size.unwrap_or_default()), "byte");
            return AtOffset {
                fit: Fit::PastEnd,
                about: format!("no: {size} of {}", of.words().code),
                ..AtOffset::default()
            };
        }
        Position::Exact | Position::Inside => format!("{word} {}", target.found.number),
        Position::Hidden => format!("{word} {}, hidden", target.found.number),
        Position::BeforeFirst => format!("before the first {word}"),
        Position::NoPoints => format!("no {word}s"),
    };
    let (fit, instruction) = match &target.instruction {
        Some(found) if found.offset != offset => {
            (Fit::Inside, format!(", inside {} at {}", found.opcode, target.of.label(found.offset.into())))
        }
        Some(found) => (Fit::Start, format!(", {}", found.opcode)),
        None => (Fit::Start, String::new()),
    };
    let shown = target.shown();
    AtOffset {
        fit,
        lines: shown.as_ref().map(range_text).unwrap_or_default(),
        about: point + &instruction,
        why: shown.map(|point| judge.why_of_point(target.of, target.found.number, point)),
    }
}

/// The methods or functions that have the name of an input with parameters or an offset, such as `Combine(uint, uint)+0x1f`, and its
/// parameters; empty for another input, and for one that means a single method. Of a list of parameters that is not closed yet, the
/// methods whose parameters begin like it.
pub fn overloads(session: &Session, typed: &str) -> Vec<Place> {
    let is_special = typed.contains('(') || typed_offset(typed).is_some();
    let error = if is_special { parse_offset(session, typed).err() } else { None };
    let Some(AddressErrorKind::Resolve(ResolveError::Ambiguous(name, _))) = error.map(|error| error.kind) else {
        return with_parameter_prefix(session, typed);
    };
    let methods = resolve::methods_named(session, &name).into_iter().map(Place::Method);
    let functions = resolve::functions_named(session, &name).into_iter();
    methods.chain(functions.map(|rva| CodeUnit::Function(rva).place())).collect()
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
    use pdblens_session::source::SourceOptions;

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
        // An offset asks for each method of a name.
        assert!(overloads(&session, "NormalizeCustomerAsync+0x1").len() > 2);
        assert_eq!(
            [typed_offset("A.B+0x1f"), typed_offset("B IL_001f"), typed_offset("B")],
            [Some(31), Some(31), None]
        );
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

    #[test]
    fn an_offset_begins_an_instruction_or_is_inside_one_or_past_the_end() {
        let session = Session::sample();
        let options = SourceOptions::default();
        let judge = Judge::of(&session, &options);
        let since = CodeUnit::Method(Token(0x0600_0003));
        for (offset, fit, lines, about) in [
            (0xb, Fit::Start, "13:13–13:46", "point 4, ldloc.1"),
            (2, Fit::Inside, "11:13–11:29", "point 2, inside call at IL_0001"),
            (0xfff, Fit::PastEnd, "", "no: 26 bytes of IL"),
        ] {
            let found = at_offset(&judge, since, offset);
            assert_eq!((found.fit, found.lines.as_str(), found.about.as_str()), (fit, lines, about));
            assert_eq!(found.why.is_some(), fit != Fit::PastEnd);
        }
    }
}

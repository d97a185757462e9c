//! Frames of which only the method is known.
//!
//! ```text
//!    at Ns.T.M(String[] args)
//!    at lambda_method1(Closure, String)                     made at run time: it has no type
//!    at async Task Ns.T.M(string[] args)                    Demystifier
//! C:\src\P.cs(45,0): at Ns.T.M(String text)                 xUnit, which has the line before the method
//!   at (wrapper managed-to-native) Ns.T.M (intptr)          Mono
//! ```

use super::frame::{Form, Frame, Module, Offset};
use super::locales::is_at;
use super::scan::{Signature, signature_before, text, trim_end, trim_start};
use super::unity_player::is_type;

pub(crate) const FORM: Form = Form { name: "name only", find: find_frame };

/// Words that Demystifier writes before the type that a method returns.
const MODIFIERS: [&str; 5] = ["async", "ref", "readonly", "static", "new"];

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    let end = trim_end(line, line.len(), from);
    let signature = signature_before(line, end, from)?;
    let (name, parameters) = (text(line, &signature.name), text(line, &signature.parameters));
    // Anything else is prose.
    let start = start_of(line, from, &signature, &name, &parameters)?;
    if is_script(&parameters) {
        return None;
    }
    let inner = signature.inner.map(|inner| text(line, &inner));
    let offset = line_before(line.get(from..start)?).map_or(Offset::None, Offset::Line);
    let named = Frame::named(name, Module::Unknown);
    Some(Frame { range: start..end, parameters: Some(parameters), inner, offset, ..named })
}

/// Returns whether the text in parentheses is a place of JavaScript, whose frames are beside those of Blazor: `dotnet.js:1:2233`.
fn is_script(parameters: &str) -> bool {
    let mut parts = parameters.rsplit(':');
    let numbers = parts.by_ref().take(2).filter(|part| part.parse::<u32>().is_ok()).count();
    numbers == 2 && parts.next().is_some()
}

/// The line in `FILE(LINE,COLUMN): `, which ends before a frame.
fn line_before(before: &[u8]) -> Option<u32> {
    let place = before.trim_ascii_end().strip_suffix(b"):")?;
    let open = place.iter().rposition(|byte| *byte == b'(')?;
    let (file, numbers) = (place.get(..open)?, std::str::from_utf8(place.get(open + 1..)?).ok()?);
    let number = numbers.split(',').next()?.parse().ok()?;
    file.contains(&b'.').then_some(number)
}

/// The word for "at" that a frame begins with.
fn start_of(line: &[u8], from: usize, signature: &Signature, name: &str, parameters: &str) -> Option<usize> {
    let first = trim_start(line, 0);
    if is_at(line.get(signature.at.clone())?) {
        // Without a type it is a method only where nothing but types is in the parentheses, and no sentence before it.
        let is_alone = signature.at.start == first && is_made(name) && are_types(parameters);
        return (name.contains('.') || is_alone).then_some(signature.at.start);
    }
    let before = std::str::from_utf8(line.get(first..signature.name.start)?).ok()?.trim_end();
    let (at, between) = before.split_once(' ')?;
    let between = between.trim_start();
    let is_wrapper = between
        .strip_prefix("(wrapper ")
        .and_then(|kind| kind.find(')'))
        .is_some_and(|at| at + b"(wrapper )".len() == between.len());
    let is_frame = first >= from && is_at(at.as_bytes()) && name.contains('.') && (is_wrapper || returns(between));
    is_frame.then_some(first)
}

/// Returns whether a name without a type is that of a method, as a runtime makes it.
fn is_made(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_<>`|$".contains(c);
    name.starts_with(|c: char| c.is_alphabetic() || "_<".contains(c)) && name.chars().all(is_part)
}

fn are_types(parameters: &str) -> bool {
    parameters.trim().is_empty() || parameters.split(',').all(is_type)
}

/// Returns whether a text is modifiers and the type that a method returns.
fn returns(text: &str) -> bool {
    if let Some(inside) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return inside.contains(',') && inside.split(',').all(is_type);
    }
    let mut depth = 0usize;
    let outside = |c: &char| {
        let was = depth;
        depth = if *c == '<' { depth + 1 } else { depth.saturating_sub(usize::from(*c == '>')) };
        was + depth == 0
    };
    let bare: String = text.chars().filter(outside).collect();
    let mut words = bare.split_whitespace().skip_while(|word| MODIFIERS.contains(word));
    let is_type = words.next().is_none_or(is_type);
    is_type && words.next().is_none() && !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_prose_is_not() {
        let frame = find_frame(b"   at Faults.Program.Numbers(Int32 count)+MoveNext() ", 0).unwrap();
        assert_eq!((frame.name.as_str(), frame.parameters.as_deref()), ("Faults.Program.Numbers", Some("Int32 count")));
        assert!(find_frame("   \u{e0} A.B(C d)".as_bytes(), 0).is_some());
        for (line, name) in [
            ("   at lambda_method1(Closure, String)", "lambda_method1"),
            ("   at lambda_method(Closure , Object )", "lambda_method"),
            ("   at Main()", "Main"),
            ("   at async Task Faults.Program.Main(string[] args)", "Faults.Program.Main"),
            ("   at void Faults.Program.Parse(string text)", "Faults.Program.Parse"),
            ("   at async Task<Dictionary<string, int>> A.B(string text)", "A.B"),
            ("   at (int a, string b) A.B()", "A.B"),
            ("  at (wrapper managed-to-native) System.Foo.Bar (intptr)", "System.Foo.Bar"),
        ] {
            let frame = find_frame(line.as_bytes(), 0).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((frame.name.as_str(), frame.range.start), (name, line.find("at ").unwrap()), "{line}");
        }
        let frame = find_frame(b"    C:\\my src\\P.cs(45,0): at A.B(String text)", 0).unwrap();
        assert_eq!((frame.name.as_str(), frame.offset), ("A.B", Offset::Line(45)));
        assert_eq!(find_frame(b"(see 45): at A.B(String text)", 0).unwrap().offset, Offset::None);
        for line in [
            "    at Module.mono_wasm_invoke (dotnet.native.8.0.1.js:1:223344)",
            "    at A.b (http://localhost:5000/_framework/blazor.js:3:33)",
            "at",
            "look at f(x)",
            "call A.B(c)",
            "at A.B(c) now",
            "at A.B",
            "at least(two)",
            "    at foo (bar.js:12:3)",
            "look at Main()",
            "at the end A.B(c)",
            "at (see below) A.B(c)",
            "at most once(ish)",
        ] {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}

//! Unity's player, where no place is written: a type, a colon, a method and its parameters, and nothing else on the line.
//!
//! ```text
//! UnityEngine.Debug:Log (object)
//! Ns.Inventory:Parse (string,int[])
//! 0x0000020E7B2A3B33 (Mono JIT Code) [Program.cs:45] Ns.T:M (string)          of a crash
//! 0x00007ff6c1b31050 (Unity) StackWalker::GetCurrentCallstack
//! 0x00007ff6c1b31050 (Unity) (function-name not available)
//! ```

use super::frame::{Edit, Form, Frame, Module, Offset};
use super::scan::{hex, is_module, signature_before, text, trim_end, trim_start};

pub(crate) const FORM: Form = Form { name: "Unity player", find: find_frame };

/// Frame of a crash: an address, the module in parentheses, perhaps a place in brackets, and a name.
pub(crate) const CRASH: Form = Form { name: "Unity player, crash", find: find_crash };

/// The module that the player writes for methods of managed code.
const JIT: &str = "Mono JIT Code";

/// Text in the place of a name that is not known.
const UNNAMED: &str = "(function-name not available)";

/// Limit on the length of a line with the frame of a crash.
const MAX_LEN: usize = 16 << 10;

/// Names of C# for types, by which parameters are told from remarks.
const KEYWORDS: &[&str] = &[
    "bool", "byte", "char", "decimal", "double", "dynamic", "float", "int", "intptr", "long", "nint", "nuint",
    "object", "sbyte", "short", "single", "string", "uint", "uintptr", "ulong", "ushort", "void",
];

fn find_frame(line: &[u8], from: usize) -> Option<Frame> {
    let end = trim_end(line, line.len(), from);
    let signature = signature_before(line, end, from)?;
    // Anything before it makes it a part of a sentence.
    if trim_start(line, 0) != signature.name.start || !signature.at.is_empty() {
        return None;
    }
    let (name, parameters) = (text(line, &signature.name), text(line, &signature.parameters));
    let (class, method) = name.split_once(':')?;
    if !is_class(class) || !is_method(method) || !are_types(&parameters, class) {
        return None;
    }
    let named = Frame::named(format!("{class}.{method}"), Module::Unknown);
    let inner = signature.inner.map(|inner| text(line, &inner));
    Some(Frame { range: signature.name.start..end, parameters: Some(parameters), inner, ..named })
}

fn find_crash(line: &[u8], from: usize) -> Option<Frame> {
    let start = trim_start(line, 0);
    if from > start || line.len() > MAX_LEN || line.get(start..start + 2) != Some(b"0x") {
        return None;
    }
    let (address, open) = hex(line, start + 2).filter(|(_, end)| *end >= start + 10)?;
    let end = trim_end(line, line.len(), start);
    let rest = std::str::from_utf8(line.get(open..end)?).ok()?.strip_prefix(" (")?;
    let (module, rest) = rest.split_once(')')?;
    let rest = rest.trim_start();
    let place = rest.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    let (place, name) = place.map_or((None, rest), |(place, name)| (place.rsplit_once(':'), name));
    let name =
        name.strip_prefix("(wrapper ").and_then(|rest| rest.split_once(") ")).map_or(name, |(_, name)| name).trim();
    let number = place.and_then(|(_, number)| number.parse().ok());
    let is_jit = module == JIT;
    let name = if name == UNNAMED { "" } else { name };
    if (name.is_empty() && is_jit) || !(is_jit || is_module(module.as_bytes()) || module.starts_with('<')) {
        return None;
    }
    let named = match find_frame(name.as_bytes(), 0) {
        Some(frame) => Frame { parameters: frame.parameters, ..Frame::named(frame.name, Module::Unknown) },
        None => Frame::named(name.to_owned(), Module::Unknown),
    };
    let range = start..end;
    Some(match number {
        Some(number) => Frame { range, offset: Offset::Line(number), ..named },
        // Code of the JIT compiler is in no module.
        None if is_jit => Frame { range, ..named },
        None => {
            Frame { range, module: Module::Loaded, offset: Offset::Native(address), edit: Edit::In(end..end), ..named }
        }
    })
}

fn is_identifier(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "_<>`+[],|$".contains(c);
    !text.starts_with(|c: char| c.is_ascii_digit()) && !text.is_empty() && text.chars().all(is_part)
}

/// Returns whether a text is the name of a type: identifiers with dots or slashes between them.
fn is_class(text: &str) -> bool {
    text.split(['.', '/']).all(is_identifier) && text.starts_with(|c: char| c.is_uppercase() || c == '<' || c == '_')
}

fn is_method(text: &str) -> bool {
    let own = text.strip_prefix('.').unwrap_or(text);
    own.split('.').all(is_identifier) && text.starts_with(|c: char| c.is_alphabetic() || "._<".contains(c))
}

/// Returns whether a text is a type, or a type and the name of a parameter.
pub(super) fn is_type(part: &str) -> bool {
    let part = part.trim();
    let name = part.split(' ').next().unwrap_or_default().trim_end_matches(['&', '*', ']', '[', '?']);
    let is_keyword = KEYWORDS.contains(&name.to_ascii_lowercase().as_str());
    let is_qualified = name.contains('.') && name.split(['.', '/', '+']).all(is_identifier);
    let is_plain = is_identifier(name) && name.starts_with(|c: char| c.is_uppercase());
    (is_keyword || is_qualified || is_plain) && part.split(' ').count() <= 2
}

/// Returns whether a text lists types of parameters. Words in parentheses are a remark, and so are empty ones after a lone word.
fn are_types(text: &str, class: &str) -> bool {
    match text.trim() {
        "" => class.contains(['.', '/']),
        text => {
            text.split(',').all(is_type)
                && (class.contains(['.', '/']) || text.split(',').all(|part| !part.trim().contains(' ')))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_player_are_read() {
        for (line, name, parameters) in [
            ("Faults.Program:Parse (string)", "Faults.Program.Parse", "string"),
            ("UnityEngine.Debug:Log(Object)", "UnityEngine.Debug.Log", "Object"),
            ("  Ns.T/Inner:.ctor (System.Int32 n,string[]) ", "Ns.T/Inner..ctor", "System.Int32 n,string[]"),
            ("Ns.T/<Run>d__2:MoveNext ()", "Ns.T/<Run>d__2.MoveNext", ""),
            ("Player:Hit (int,UnityEngine.Collider)", "Player.Hit", "int,UnityEngine.Collider"),
        ] {
            let frame = find_frame(line.as_bytes(), 0).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((frame.name.as_str(), frame.parameters.as_deref()), (name, Some(parameters)), "{line}");
            assert_eq!(frame.offset, Offset::None);
        }
    }

    #[test]
    fn frames_of_a_crash_are_read() {
        let read = |line: &str| find_crash(line.as_bytes(), 0).unwrap_or_else(|| panic!("{line}"));
        let frame = read("0x0000020E7B2A3B33 (Mono JIT Code) [Program.cs:45] Faults.Program:Parse (string)");
        assert_eq!((frame.name.as_str(), frame.offset), ("Faults.Program.Parse", Offset::Line(45)));
        let frame = read("0x0000020E7B2A3B33 (Mono JIT Code) Faults.Program:Parse (string)");
        assert_eq!(
            (frame.parameters.as_deref(), frame.offset, frame.module),
            (Some("string"), Offset::None, Module::Unknown)
        );
        let frame = read("0x0000020E7B2A3B33 (Mono JIT Code) (wrapper runtime-invoke) <Module>:invoke (object,intptr)");
        assert!(frame.name.ends_with("invoke"), "{frame:?}");
        let frame = read("  0x00007ff6c1b31050 (Unity) StackWalker::GetCurrentCallstack ");
        assert_eq!((frame.name.as_str(), frame.module), ("StackWalker::GetCurrentCallstack", Module::Loaded));
        assert_eq!(frame.offset, Offset::Native(0x7ff6_c1b3_1050));
        for line in ["0x00007ff6c1b31050 (Unity) (function-name not available)", "0x00007ff6c1b31050 (Unity) "] {
            assert_eq!((read(line).name, read(line).module), (String::new(), Module::Loaded), "{line}");
        }
        for line in [
            "0x1234 (Unity) f",
            "0x00007ff6c1b31050 (a remark of words) f",
            "0x00007ff6c1b31050 f",
            "0x00007ff6c1b31050 (Mono JIT Code)",
        ] {
            assert_eq!(find_crash(line.as_bytes(), 0), None, "{line}");
        }
    }

    #[test]
    fn prose_is_left() {
        for line in [
            "warning:deprecated (use the other one)",
            "Error:failed (42)",
            "Note: see (Appendix)",
            "http://example.com (string)",
            "example.com:admin (root)",
            "12:30:05 (UTC)",
            "Status:done (ok)",
            "Ready:Go ()",
            "call Ns.T:M (string)",
            "Ns.T:M (string) failed",
            "std::vector (int)",
            "main.c:12 (int)",
            "C:\\temp (old)",
            "Key:value (Some remark here)",
        ] {
            assert_eq!(find_frame(line.as_bytes(), 0), None, "{line}");
        }
    }
}

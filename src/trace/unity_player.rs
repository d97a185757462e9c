//! Unity's player, where no place is written: a type, a colon, a method and its parameters, and nothing else on the line.
//!
//! ```text
//! UnityEngine.Debug:Log (object)
//! Ns.Inventory:Parse (string,int[])
//! ```

use super::frame::{Form, Frame, Module};
use super::scan::{signature_before, text, trim_end, trim_start};

pub(crate) const FORM: Form = Form { name: "Unity player", find: find_frame };

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

/// Returns whether a text lists types of parameters. Words in parentheses are a remark, and so are empty ones after a lone word.
fn are_types(text: &str, class: &str) -> bool {
    let is_type = |part: &str| {
        let part = part.trim();
        let name = part.split(' ').next().unwrap_or_default().trim_end_matches(['&', '*', ']', '[']);
        let is_keyword = KEYWORDS.contains(&name.to_ascii_lowercase().as_str());
        let is_qualified = name.contains('.') && name.split(['.', '/', '+']).all(is_identifier);
        let is_plain = is_identifier(name) && name.starts_with(|c: char| c.is_uppercase());
        (is_keyword || is_qualified || is_plain) && part.split(' ').count() <= 2
    };
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
    use crate::trace::Offset;

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

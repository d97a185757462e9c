//! Methods as traces write them, compared with methods as metadata has them.

use super::library::{Pair, last_part};
use crate::formats::metadata::Token;

/// C# keywords of the primitive types.
const KEYWORDS: &[(&str, &str)] = &[
    ("Void", "void"),
    ("Boolean", "bool"),
    ("Char", "char"),
    ("SByte", "sbyte"),
    ("Byte", "byte"),
    ("Int16", "short"),
    ("UInt16", "ushort"),
    ("Int32", "int"),
    ("UInt32", "uint"),
    ("Int64", "long"),
    ("UInt64", "ulong"),
    ("Single", "float"),
    ("Double", "double"),
    ("String", "string"),
    ("Object", "object"),
    ("IntPtr", "nint"),
    ("UIntPtr", "nuint"),
];

/// A name with dots for every kind of separator, and without type arguments: `Ns.Outer.Inner.M` of `Ns.Outer+Inner.M[T]`.
pub(crate) fn plain(name: &str) -> String {
    let mut depth = 0usize;
    let kept = name.chars().filter(|c| {
        match c {
            '[' => depth += 1,
            ']' => {
                depth = depth.saturating_sub(1);
                return false;
            }
            _ => {}
        }
        depth == 0
    });
    kept.map(|c| if matches!(c, '+' | '/') { '.' } else { c }).collect()
}

/// Returns whether `written` (made [`plain`]) can be the method that metadata calls `full`.
pub(crate) fn agree(full: &str, written: &str) -> bool {
    let full = full.replace(['+', '/'], ".");
    let ends =
        |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    // A name with spaces in it is cut short where it is read: only its end is there.
    full == written || ends(&full, written) || full.strip_suffix(written).is_some_and(|rest| rest.ends_with(' '))
}

impl Pair {
    /// The methods that a frame may mean: by name, and among overloads by the types of the parameters.
    pub(crate) fn methods_meant(&self, name: &str, parameters: Option<&str>) -> Vec<Token> {
        let Some(names) = self.session.names() else { return Vec::new() };
        let written = plain(name);
        let called = self.methods_called(last_part(&written)).iter().copied();
        let found: Vec<Token> = called.filter(|method| agree(&names.reflection_name(*method), &written)).collect();
        let Some(parameters) = parameters.filter(|_| found.len() > 1) else { return found };
        let wanted = types_written(parameters);
        let types = |method: &Token| types_of(&names.method_short(*method));
        let exact: Vec<Token> = found.iter().copied().filter(|method| types(method) == wanted).collect();
        if exact.is_empty() { found } else { exact }
    }
}

/// The types in `String[] args, Func`2 f`.
fn types_written(parameters: &str) -> Vec<String> {
    split(parameters)
        .map(|parameter| {
            let end =
                parameter.rfind(' ').filter(|at| !parameter.get(*at..).is_some_and(|rest| rest.contains([']', '>'])));
            simple(end.and_then(|at| parameter.get(..at)).unwrap_or(parameter))
        })
        .collect()
}

/// The types in `Method<T>(string[], System.Func<int>)`.
fn types_of(method: &str) -> Vec<String> {
    let inner = method.strip_suffix(')').and_then(|text| {
        let mut depth = 1usize;
        let open = text.char_indices().rev().find(|(_, c)| {
            match c {
                ')' => depth += 1,
                '(' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        text.get(open?.0 + 1..)
    });
    split(inner.unwrap_or_default()).map(simple).collect()
}

/// Splits a list at the commas outside brackets.
fn split(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0usize;
    list.split(move |c| {
        match c {
            '[' | '<' | '(' => depth += 1,
            ']' | '>' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(str::trim)
    .filter(|part| !part.is_empty())
}

/// A type without namespace, arity and arguments, as C# calls it: `string[]` of `System.String[]`, `Func` of `Func`2`.
fn simple(written: &str) -> String {
    let (written, by_reference) = match written.strip_prefix("ref ") {
        Some(rest) => (rest, true),
        None => (written.strip_suffix('&').unwrap_or(written), written.ends_with('&')),
    };
    let mut depth = 0usize;
    let (mut name, mut suffix) = (String::new(), String::new());
    let mut chars = written.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // `[]` and `[,]` are arrays, anything else in brackets is type arguments.
            '[' if depth == 0 && matches!(chars.peek(), Some(']' | ',' | '*')) => {
                suffix.push('[');
                suffix.extend(chars.by_ref().take_while(|c| *c != ']'));
                suffix.push(']');
            }
            '[' | '<' => depth += 1,
            ']' | '>' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            '*' => suffix.push('*'),
            '.' | '+' | '/' => name.clear(),
            c => name.push(c),
        }
    }
    let name = name.split('`').next().unwrap_or_default();
    let name = KEYWORDS.iter().find(|(clr, _)| *clr == name).map_or(name, |(_, keyword)| keyword);
    format!("{name}{suffix}{}", if by_reference { "&" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_traces_and_of_metadata_meet() {
        for (written, method) in [
            ("String[] args", "Main(string[])"),
            ("System.String[] args", "Main(string[])"),
            ("", "M()"),
            ("Func`2 f, Int32& n", "M<T>(System.Func<int, string>, ref int)"),
            ("System.ReadOnlySpan`1[T] value, System.Int32[,] grid", "M(System.ReadOnlySpan<T>, int[,])"),
            ("Dictionary`2 d, T item", "M(System.Collections.Generic.Dictionary<string, int>, T)"),
            ("Outer+Inner x", "M(Ns.Outer.Inner)"),
            ("Int32* p", "M(int*)"),
            ("Int32(Int32) f", "M(Int32(Int32))"),
        ] {
            assert_eq!(types_written(written), types_of(method), "{written}");
        }
        assert_ne!(types_written("Int32 a"), types_of("M(long)"));
    }

    #[test]
    fn names_agree_by_their_ends() {
        assert_eq!(plain("Ns.A`1+B.M[TKey,TValue[]]"), "Ns.A`1.B.M");
        assert!(agree("Ns.A+B.M", "Ns.A.B.M"));
        assert!(agree("Ns.A+B.M", "B.M"));
        assert!(agree("Ns.Tests.it adds up", "up"));
        assert!(!agree("Ns.A.M", "Other.A.M"));
        assert!(!agree("Ns.A.CM", "M"));
    }
}

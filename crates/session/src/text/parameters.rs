//! Parameters of a method as traces, debuggers and people write them, compared with those of metadata by their types.

use std::borrow::Cow;

/// C# keywords of the primitive types, by their names in metadata and in IL.
const KEYWORDS: &[(&str, &str)] = &[
    ("int8", "sbyte"),
    ("uint8", "byte"),
    ("int16", "short"),
    ("uint16", "ushort"),
    ("int32", "int"),
    ("uint32", "uint"),
    ("int64", "long"),
    ("uint64", "ulong"),
    ("float32", "float"),
    ("float64", "double"),
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

/// A name, and the text inside the parentheses that follow it; an unclosed list ends with the text.
pub fn split_parameters(text: &str) -> (&str, Option<&str>) {
    let (name, parameters, _) = split_frame(text);
    (name, parameters)
}

/// A name, the text inside the parentheses that follow it, and what follows those.
pub fn split_frame(text: &str) -> (&str, Option<&str>, &str) {
    let Some(open) = text.find('(') else { return (text, None, "") };
    let (name, list) = text.split_at(open);
    let list = list.get(1..).unwrap_or_default();
    let mut depth = 1usize;
    let end = list.find(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let closed = end.and_then(|end| Some((list.get(..end)?, list.get(end + 1..)?)));
    let (inside, rest) = closed.unwrap_or((list, ""));
    (name.trim_end(), Some(inside), rest)
}

/// A name as Mono writes it in its crash reports, `Ns.T:M`, with a dot in the place of the colon; `::` stays.
pub fn without_colon(name: &str) -> Cow<'_, str> {
    let split = name.rsplit_once(':').filter(|(of, method)| {
        !of.is_empty() && !method.is_empty() && !of.ends_with([':', '\\', '/']) && !name.contains("::")
    });
    split.map_or(Cow::Borrowed(name), |(of, method)| Cow::Owned(format!("{of}.{method}")))
}

/// The types in `String[] args, Func`2 f`.
pub fn types_written(parameters: &str) -> Vec<String> {
    split(parameters)
        .map(|parameter| {
            let end =
                parameter.rfind(' ').filter(|at| !parameter.get(*at..).is_some_and(|rest| rest.contains([']', '>'])));
            simple(end.and_then(|at| parameter.get(..at)).unwrap_or(parameter))
        })
        .collect()
}

/// The types in `Method<T>(string[], System.Func<int>)`.
pub fn types_of(method: &str) -> Vec<String> {
    name_and_types(method).1.into_iter().map(simple).collect()
}

/// `Method<T>` and the types in `Method<T>(string[], System.Func<int>)` as they are written.
pub fn name_and_types(method: &str) -> (&str, Vec<&str>) {
    let list = method.strip_suffix(')').and_then(|text| {
        let mut depth = 1usize;
        let open = text.char_indices().rev().find(|(_, c)| {
            match c {
                ')' => depth += 1,
                '(' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let (name, list) = text.split_at_checked(open?.0)?;
        Some((name, list.get(1..)?))
    });
    list.map_or((method, Vec::new()), |(name, list)| (name, split(list).collect()))
}

/// Parameters that are compared with those of other overloads.
const MAX_COMPARED: usize = 40;

/// The types of the parameters of a method, `(int, string)`. Where that is longer than `room` characters, equal ones in a row are
/// `string ×3`; where that is longer too, a run that all of `others` have, the overloads beside it, is `…`, unless it is the whole list.
pub fn condensed(types: &[&str], others: &[Vec<&str>], room: usize) -> String {
    let whole = format!("({})", types.join(", "));
    if whole.chars().count() <= room || types.len() > MAX_COMPARED {
        return whole;
    }
    let own = with_counts(types);
    let counted = format!("({})", own.join(", "));
    let common: Vec<Vec<usize>> = others.iter().map(|other| common(&own, &with_counts(other))).collect();
    let shared = |index: &usize| common.iter().all(|indices| indices.contains(index));
    let is_shared: Vec<bool> = (0..own.len()).map(|index| !others.is_empty() && shared(&index)).collect();
    if counted.chars().count() <= room || !is_shared.contains(&false) {
        return counted;
    }
    let (mut text, mut next) = (String::new(), 0);
    for run in is_shared.chunk_by(|a, b| a == b) {
        let of_run = &own[next..next + run.len()];
        next += run.len();
        let is_left_out = run.len() > 1 && run[0];
        let separator = match (text.is_empty(), is_left_out || text.ends_with('…')) {
            (true, _) => "",
            (false, true) => " ",
            (false, false) => ", ",
        };
        text.push_str(separator);
        text.push_str(&if is_left_out { "…".to_owned() } else { of_run.join(", ") });
    }
    format!("({text})")
}

/// Types, those that are equal in a row once with their number.
fn with_counts(types: &[&str]) -> Vec<String> {
    let of_run = |run: &[&str]| match run.len() {
        1 => run[0].to_owned(),
        equal => format!("{} ×{equal}", run[0]),
    };
    types.chunk_by(|a, b| a == b).map(of_run).collect()
}

/// Indices in `a` of a longest common subsequence of two lists.
fn common(a: &[String], b: &[String]) -> Vec<usize> {
    let b = &b[..b.len().min(MAX_COMPARED)];
    // Lengths for the rests of both lists.
    let mut longest = vec![vec![0_usize; b.len() + 1]; a.len() + 1];
    for (i, j) in (0..a.len()).rev().flat_map(|i| (0..b.len()).rev().map(move |j| (i, j))) {
        longest[i][j] = if a[i] == b[j] { longest[i + 1][j + 1] + 1 } else { longest[i + 1][j].max(longest[i][j + 1]) };
    }
    let (mut found, mut i, mut j) = (Vec::new(), 0, 0);
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            found.push(i);
            (i, j) = (i + 1, j + 1);
        } else if longest[i + 1][j] >= longest[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
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

/// Words of C# before a type that is passed by reference, longest first.
const BY_REFERENCE: &[&str] = &["ref readonly ", "ref ", "out ", "in "];
/// Words of C# before a parameter that are no part of its type.
const MODIFIERS: &[&str] = &["this ", "params ", "scoped "];

/// A type without namespace, arity and arguments, as C# calls it: `string[]` of `System.String[]`, `Func` of `Func`2`.
fn simple(written: &str) -> String {
    let written = MODIFIERS.iter().find_map(|word| written.strip_prefix(word)).unwrap_or(written);
    let (written, by_reference) = match BY_REFERENCE.iter().find_map(|word| written.strip_prefix(word)) {
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
    fn overloads_show_the_parameters_in_which_they_differ() {
        let lists: [&[&str]; 4] = [
            &["Next", "Func<A, (B, C)>", "Pipeline", "string", "string", "Context"],
            &["Next", "Func<A, T>", "Pipeline", "string", "string", "string", "Token"],
            &["Next", "Func<A, T>", "Pipeline", "string", "string", "string", "int?", "Token"],
            &["Next", "Func<A, T>", "Pipeline", "string"],
        ];
        let beside =
            |index: usize| [index.wrapping_sub(1), index + 1].map(|at| lists.get(at).map(|list| list.to_vec()));
        let of = |index: usize, room: usize| {
            condensed(lists[index], &beside(index).into_iter().flatten().collect::<Vec<_>>(), room)
        };
        assert_eq!(of(0, 60), "(Next, Func<A, (B, C)>, Pipeline, string, string, Context)");
        assert_eq!(of(0, 56), "(Next, Func<A, (B, C)>, Pipeline, string ×2, Context)");
        assert_eq!(of(0, 30), "(Next, Func<A, (B, C)>, Pipeline, string ×2, Context)", "one parameter is not left out");
        assert_eq!(of(1, 30), "(Next, Func<A, T>, Pipeline, string ×3, Token)", "the one above has another Func");
        assert_eq!(of(2, 30), "(… string ×3, int?, Token)");
        assert_eq!(of(3, 10), "(… string)");
        assert_eq!(
            condensed(&["int", "bool"], &[vec!["int", "bool", "long"]], 5),
            "(int, bool)",
            "nothing would be left"
        );
        assert_eq!(condensed(&[], &[], 1), "()");
    }

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
            ("out int n, in long m, params string[] rest", "M(ref int, ref long, string[])"),
            ("Int32(Int32) f", "M(Int32(Int32))"),
        ] {
            assert_eq!(types_written(written), types_of(method), "{written}");
        }
        assert_ne!(types_written("Int32 a"), types_of("M(long)"));
    }

    #[test]
    fn a_name_is_split_from_its_types() {
        assert_eq!(name_and_types("C.M(int, List<int, string>)"), ("C.M", vec!["int", "List<int, string>"]));
        assert_eq!(name_and_types("C<(int, int)>.M((int, int)[], T)"), ("C<(int, int)>.M", vec!["(int, int)[]", "T"]));
        assert_eq!(name_and_types("C.M()"), ("C.M", Vec::new()));
        assert_eq!(name_and_types("M)"), ("M)", Vec::new()));
    }

    #[test]
    fn a_list_ends_with_its_own_parenthesis() {
        assert_eq!(split_parameters("A.M(int, F(long)) in /x (y)/f.cs:line 3"), ("A.M", Some("int, F(long)")));
        assert_eq!(split_parameters("A.M (string"), ("A.M", Some("string")));
        assert_eq!(split_parameters("A.M"), ("A.M", None));
        assert_eq!(split_frame("A.M (int) [0x3] in <a>:0"), ("A.M", Some("int"), " [0x3] in <a>:0"));
        assert_eq!(split_frame("A.M(int"), ("A.M", Some("int"), ""));
    }
}

//! Parts of names and paths: `A.B.Run(int)` has three, and its last one is `Run(int)`.

/// Characters between the parts of a name or a path.
pub const SEPARATORS: &[u8] = b"./\\:+";

/// Byte offset of the last part of a name or path: after the last separator that is not in its parameters.
pub fn last_part(name: &str) -> usize {
    let bytes = name.as_bytes();
    if let Some(at) = memchr::memrchr2(b'/', b'\\', bytes) {
        return at + 1;
    }
    if memchr::memchr(b'<', bytes).is_some() {
        return last_outside_brackets(bytes);
    }
    let end = memchr::memchr(b'(', bytes).filter(|at| *at > 0).unwrap_or(bytes.len());
    // The separator before `.ctor` belongs to the name.
    let own = name.get(..end).unwrap_or_default().trim_end_matches('.').as_bytes();
    memchr::memrchr3(b'.', b':', b'+', own).map_or(0, |at| at + 1)
}

/// The same of a name with arguments of templates, whose separators are theirs.
fn last_outside_brackets(bytes: &[u8]) -> usize {
    let (mut last, mut depth) = (0, 0_usize);
    for (at, byte) in bytes.iter().copied().enumerate() {
        match byte {
            b'(' if depth == 0 && at > 0 => break,
            b'<' if depth > 0 || begins_arguments(bytes, at) => depth += 1,
            b'(' => depth += 1,
            b'>' | b')' => depth = depth.saturating_sub(1),
            b'.' | b':' | b'+' if depth == 0 && at + 1 < bytes.len() => last = at + 1,
            _ => {}
        }
    }
    last
}

/// Returns whether the bracket at an offset follows the name of a template: it is no operator, and no name of a compiler.
fn begins_arguments(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    before.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') && !before.ends_with(b"operator")
}

#[cfg(test)]
mod tests {
    use super::last_part;

    #[test]
    fn separators_in_parameters_and_arguments_are_theirs() {
        for (name, last) in [
            ("A.B.Run(C.D)", "Run(C.D)"),
            ("/src/a.b/C.cs", "C.cs"),
            ("Tree<A.B>.Run", "Run"),
            ("std::vector<a::b>", "vector<a::b>"),
            ("operator<<", "operator<<"),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert_eq!(&name[last_part(name)..], last, "{name}");
        }
    }
}

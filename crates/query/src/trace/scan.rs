//! Looking at bytes of a line, forwards and backwards. Everything here passes over each byte once: a line may be hostile.

use std::ops::Range;

/// The most bytes that a method's name and parameters may take.
const LONGEST_SIGNATURE: usize = 16 << 10;

/// Limit on the closing parentheses tried: a file name may have some.
const MAX_PARENTHESES: usize = 8;

/// A C++ name without its parameters; those of `operator()` follow the parentheses of the name.
pub(crate) fn without_parameters(name: &str) -> &str {
    let open = name.char_indices().skip(1).find(|(at, c)| *c == '(' && !name[..*at].ends_with("operator"));
    open.map_or(name, |(open, _)| name[..open].trim_end())
}

/// Returns the start of `needle` at or after `from`.
pub(crate) fn find(line: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    let first = *needle.first()?;
    let mut at = from;
    loop {
        at += line.get(at..)?.iter().position(|byte| *byte == first)?;
        if line.get(at..)?.starts_with(needle) {
            return Some(at);
        }
        at += 1;
    }
}

/// Result of `read` at the first occurrence of `mark` for which it has one; its arguments are the occurrence, and the end of the one
/// before it or `from`.
pub(crate) fn first_at<T>(
    line: &[u8],
    mark: &[u8],
    from: usize,
    read: impl Fn(usize, usize) -> Option<T>,
) -> Option<T> {
    let mut floor = from;
    while let Some(at) = find(line, mark, floor) {
        if let Some(found) = read(at, floor) {
            return Some(found);
        }
        floor = at + mark.len();
    }
    None
}

/// The hexadecimal number that begins at `at` (after its `0x`), and where it ends; `None` where there is none, or it has
/// more than 16 digits.
pub(crate) fn hex(line: &[u8], at: usize) -> Option<(u64, usize)> {
    let digits = line.get(at..)?.iter().take_while(|byte| byte.is_ascii_hexdigit()).take(17).count();
    let text = std::str::from_utf8(line.get(at..at + digits)?).ok()?;
    Some((u64::from_str_radix(text, 16).ok()?, at + digits))
}

/// The decimal number that begins at `at`, and where it ends.
pub(crate) fn decimal(line: &[u8], at: usize) -> Option<(u64, usize)> {
    let digits = line.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).take(20).count();
    let text = std::str::from_utf8(line.get(at..at + digits)?).ok()?;
    Some((text.parse().ok()?, at + digits))
}

/// The hexadecimal number after `0x` that ends at `end`, and where its `0x` begins.
pub(crate) fn hex_before(line: &[u8], end: usize, floor: usize) -> Option<(u64, usize)> {
    let digits = line.get(floor..end)?.iter().rev().take_while(|byte| byte.is_ascii_hexdigit()).take(17).count();
    let start = end - digits;
    let mark = start.checked_sub(2).filter(|mark| *mark >= floor)?;
    if line.get(mark..start)? != b"0x" {
        return None;
    }
    Some((hex(line, start)?.0, mark))
}

/// The word (anything but white space) that ends at `end`.
pub(crate) fn word_before(line: &[u8], end: usize, floor: usize) -> Range<usize> {
    let len = line.get(floor..end).map_or(0, |text| text.iter().rev().take_while(|byte| !is_space(**byte)).count());
    end - len..end
}

/// `end`, moved back over white space.
pub(crate) fn trim_end(line: &[u8], end: usize, floor: usize) -> usize {
    let spaces = line.get(floor..end).map_or(0, |text| text.iter().rev().take_while(|byte| is_space(**byte)).count());
    end - spaces
}

/// `at`, moved on over white space.
pub(crate) fn trim_start(line: &[u8], at: usize) -> usize {
    at + line.get(at..).map_or(0, |text| text.iter().take_while(|byte| is_space(**byte)).count())
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Byte ranges of a method in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    /// The word before it: `at`, in whatever language.
    pub(crate) at: Range<usize>,
    /// Type and name.
    pub(crate) name: Range<usize>,
    /// Text between the parentheses.
    pub(crate) parameters: Range<usize>,
    /// The method of its state machine that runs, where it says so: `MoveNext` of `Numbers(Int32 count)+MoveNext()`.
    pub(crate) inner: Option<Range<usize>>,
}

/// The method whose closing parenthesis is the last byte before `end`.
///
/// A name has no white space but between brackets; parentheses in parameters are those of function pointers.
pub(crate) fn signature_before(line: &[u8], end: usize, floor: usize) -> Option<Signature> {
    let floor = floor.max(end.saturating_sub(LONGEST_SIGNATURE));
    let own = plain_signature(line, end, floor)?;
    // A method of a state machine stands after the iterator that it is of; its own name has no parenthesis.
    let Some(inner_start) = line.get(own.name.clone())?.windows(2).rposition(|pair| pair == b")+") else {
        return Some(own);
    };
    let inner_start = own.name.start + inner_start;
    let outer = plain_signature(line, inner_start + 1, floor)?;
    Some(Signature { inner: Some(inner_start + 2..own.name.end), ..outer })
}

fn plain_signature(line: &[u8], end: usize, floor: usize) -> Option<Signature> {
    let (open, close) = parentheses(line, end, floor)?;
    let name = name_before(line, trim_end(line, open, floor), floor)?;
    let at = word_before(line, trim_end(line, name.start, floor), floor);
    Some(Signature { at, name, parameters: open + 1..close, inner: None })
}

/// The parentheses that end at `end`: where they open, and where they close.
fn parentheses(line: &[u8], end: usize, floor: usize) -> Option<(usize, usize)> {
    let close = end.checked_sub(1).filter(|close| line.get(*close) == Some(&b')'))?;
    let mut depth = 0usize;
    let open = line.get(floor..close + 1)?.iter().rposition(|byte| {
        match byte {
            b')' => depth += 1,
            b'(' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })?;
    Some((floor + open, close))
}

/// A method and the file after it: `at Ns.T.M(String s) in App.dll`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MethodAndFile {
    /// The method.
    pub(crate) signature: Signature,
    /// The word between them: `in`, in whatever language.
    pub(crate) within: Range<usize>,
    /// The name of the file.
    pub(crate) file: Range<usize>,
}

/// The method before the file whose name ends at `end`.
pub(crate) fn method_and_file(line: &[u8], end: usize, floor: usize) -> Option<MethodAndFile> {
    let mut close = end;
    for _ in 0..MAX_PARENTHESES {
        close = floor + line.get(floor..close)?.iter().rposition(|byte| *byte == b')')?;
        let behind = close + 1;
        let Some(inner) = line.get(behind..end)?.strip_prefix(b" ") else { continue };
        let Some(space) = inner.iter().position(|byte| *byte == b' ') else { continue };
        let (within, file) = (behind + 1..behind + 1 + space, behind + 2 + space..end);
        if within.is_empty() || file.is_empty() {
            continue;
        }
        if let Some(signature) = signature_before(line, behind, floor) {
            return Some(MethodAndFile { signature, within, file });
        }
    }
    None
}

/// The type and name of a method that end at `end`; white space only between brackets.
pub(crate) fn name_before(line: &[u8], end: usize, floor: usize) -> Option<Range<usize>> {
    let floor = floor.max(end.saturating_sub(LONGEST_SIGNATURE));
    let mut depth = 0usize;
    let stop = line.get(floor..end)?.iter().rposition(|byte| {
        match byte {
            b']' => depth += 1,
            b'[' => depth = depth.saturating_sub(1),
            b'"' => return true,
            byte => return depth == 0 && is_space(*byte),
        }
        false
    });
    let start = stop.map_or(floor, |stop| floor + stop + 1);
    (start < end).then_some(start..end)
}

/// Returns whether bytes can be the name of a module: `tally`, `tally.exe`.
pub(crate) fn is_module(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

/// Bytes of a line as text; what is not UTF-8 becomes U+FFFD.
pub(crate) fn text(line: &[u8], range: &Range<usize>) -> String {
    String::from_utf8_lossy(line.get(range.clone()).unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_both_ends() {
        assert_eq!(hex(b"0x6000002+0x6", 2), Some((0x600_0002, 9)));
        assert_eq!(hex_before(b"0x6000002+0x6", 9, 0), Some((0x600_0002, 0)));
        assert_eq!(hex_before(b"0x6000002", 9, 1), None);
        assert_eq!(hex(b"12345678123456781", 0), None, "too many digits");
        assert_eq!(decimal(b"+39 ", 1), Some((39, 3)));
        assert_eq!(find(b"aab", b"ab", 0), Some(1));
        assert_eq!(find(b"aab", b"ab", 2), None);
        assert_eq!(find(b"aab", b"b", 9), None);
    }

    fn signature(line: &str) -> Option<(String, String, String)> {
        let found = signature_before(line.as_bytes(), line.len(), 0)?;
        let part = |range| text(line.as_bytes(), &range);
        Some((part(found.at), part(found.name), part(found.parameters)))
    }

    #[test]
    fn signatures_are_found_by_their_end() {
        for (line, at, name, parameters) in [
            ("   at Ns.T.M(String[] args)", "at", "Ns.T.M", "String[] args"),
            ("   at A`1.<M>g__C|2_0(Int32 n)", "at", "A`1.<M>g__C|2_0", "Int32 n"),
            ("x at D.M[TKey, TValue](Func`2 f)", "at", "D.M[TKey, TValue]", "Func`2 f"),
            ("  at Ns.T..ctor (System.String s)", "at", "Ns.T..ctor", "System.String s"),
            ("at T.P(Int32(Int32) f, (X) y)", "at", "T.P", "Int32(Int32) f, (X) y"),
            ("M()", "", "M", ""),
            ("at T.N(Int32 n)+MoveNext()", "at", "T.N", "Int32 n"),
            ("at T.N(Int32 n)+I<B>.GetResult()", "at", "T.N", "Int32 n"),
        ] {
            assert_eq!(signature(line), Some((at.into(), name.into(), parameters.into())), "{line}");
        }
        for line in ["", ")", "at M(", "M())", "(x)"] {
            assert_eq!(signature(line), None, "{line}");
        }
    }
}

//! Search for words in the bytes of a line.

use memchr::memmem;

/// Returns the start of `needle` at or after `from`.
pub(crate) fn find(line: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    Some(from.saturating_add(memmem::find(line.get(from..)?, needle)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found() {
        assert_eq!(find(b"aab", b"ab", 0), Some(1));
        assert_eq!(find(b"aab", b"ab", 2), None);
        assert_eq!(find(b"aab", b"b", 9), None);
    }
}

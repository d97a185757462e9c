//! Words of a command line, as a shell takes them.

use std::borrow::Cow;

/// The word in single quotes, unless it has only characters that no shell treats in a special way.
///
/// A shell of Unix takes a backslash away; one of Windows has no single quotes.
pub fn shell_quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:".contains(c) || cfg!(windows) && c == '\\';
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_and_signs_are_quoted() {
        assert_eq!(shell_quoted("a/b-1.dll"), "a/b-1.dll");
        assert_eq!(shell_quoted("My App.dll"), "'My App.dll'");
        assert_eq!(shell_quoted("it's"), r"'it'\''s'");
        assert_eq!(shell_quoted("method/A<B>.C"), "'method/A<B>.C'");
        assert_eq!(shell_quoted(""), "''");
    }
}

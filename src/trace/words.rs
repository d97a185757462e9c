//! The words around a frame. .NET Framework and its language packs translate them.

/// One language.
pub(crate) struct Words {
    /// Before the method.
    pub(crate) at: &'static str,
    /// Before the file.
    pub(crate) within: &'static str,
    /// Before the line's number.
    pub(crate) line: &'static str,
}

const fn words(at: &'static str, within: &'static str, line: &'static str) -> Words {
    Words { at, within, line }
}

/// Those that put the words in the same order as English does.
pub(crate) const LANGUAGES: &[Words] = &[
    words("at", "in", "line"),
    words("bei", "in", "Zeile"),
    words("à", "dans", "ligne"),
    words("en", "en", "línea"),
    words("in", "in", "riga"),
    words("em", "na", "linha"),
    words("в", "в", "строка"),
    words("w", "w", "wiersz"),
    words("v", "v", "řádek"),
    words("bij", "in", "regel"),
    words("vid", "i", "rad"),
    words("ved", "i", "linje"),
    words("kohteessa", "tiedostossa", "rivi"),
    words("場所", "場所", "行"),
    words("在", "位置", "行号"),
    words("於", "於", "行"),
    words("위치:", "파일", "줄"),
];

/// The word for "line" that goes with those for "at" and "in".
pub(crate) fn line_word(at: &[u8], within: &[u8]) -> &'static str {
    let found = LANGUAGES.iter().find(|words| words.at.as_bytes() == at && words.within.as_bytes() == within);
    found.map_or("line", |words| words.line)
}

/// Returns whether a word is "at" in some language.
pub(crate) fn is_at(word: &[u8]) -> bool {
    LANGUAGES.iter().any(|words| words.at.as_bytes() == word)
}

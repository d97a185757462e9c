//! The words around a frame. .NET Framework and its language packs translate them.

pub(crate) struct Locale {
    /// Before the method.
    pub(crate) at: &'static str,
    /// Before the file.
    pub(crate) within: &'static str,
    /// Before the line's number.
    pub(crate) line: &'static str,
}

const fn locale(at: &'static str, within: &'static str, line: &'static str) -> Locale {
    Locale { at, within, line }
}

/// Those that put the words in the same order as English does.
pub(crate) const LOCALES: &[Locale] = &[
    locale("at", "in", "line"),
    locale("bei", "in", "Zeile"),
    locale("à", "dans", "ligne"),
    locale("en", "en", "línea"),
    locale("in", "in", "riga"),
    locale("em", "na", "linha"),
    locale("в", "в", "строка"),
    locale("w", "w", "wiersz"),
    locale("v", "v", "řádek"),
    locale("bij", "in", "regel"),
    locale("vid", "i", "rad"),
    locale("ved", "i", "linje"),
    locale("kohteessa", "tiedostossa", "rivi"),
    locale("場所", "場所", "行"),
    locale("在", "位置", "行号"),
    locale("於", "於", "行"),
    locale("위치:", "파일", "줄"),
];

/// The word for "line" that goes with those for "at" and "in".
pub(crate) fn line_word(at: &[u8], within: &[u8]) -> &'static str {
    let found = LOCALES.iter().find(|locale| locale.at.as_bytes() == at && locale.within.as_bytes() == within);
    found.map_or("line", |locale| locale.line)
}

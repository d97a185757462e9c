//! The words around a frame. .NET Framework and its language packs translate them.

/// Words before the method, before the file, and before the number of the line, in the languages that put them in the order of English.
pub(crate) const LOCALES: [[&str; 3]; 17] = [
    ["at", "in", "line"],
    ["bei", "in", "Zeile"],
    ["à", "dans", "ligne"],
    ["en", "en", "línea"],
    ["in", "in", "riga"],
    ["em", "na", "linha"],
    ["в", "в", "строка"],
    ["w", "w", "wiersz"],
    ["v", "v", "řádek"],
    ["bij", "in", "regel"],
    ["vid", "i", "rad"],
    ["ved", "i", "linje"],
    ["kohteessa", "tiedostossa", "rivi"],
    ["場所", "場所", "行"],
    ["在", "位置", "行号"],
    ["於", "於", "行"],
    ["위치:", "파일", "줄"],
];

/// The word for "line" that goes with those for "at" and "in".
pub(crate) fn line_word(at: &[u8], within: &[u8]) -> &'static str {
    let found = LOCALES.iter().find(|words| words[0].as_bytes() == at && words[1].as_bytes() == within);
    found.map_or("line", |[.., line]| line)
}

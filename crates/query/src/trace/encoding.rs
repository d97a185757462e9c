//! Encodings of a text: UTF-8, and the two orders of UTF-16, which PowerShell writes.
//!
//! Text is looked at as UTF-8, and written back in the encoding that it came in.

use std::io::{self, Read};

/// Bytes of the input that are looked at to tell its encoding.
const LOOKED_AT: usize = 512;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, or any other that has ASCII in single bytes.
    #[default]
    Bytes,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
}

/// File that is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinaryKind {
    /// Name with its article: `a PE image`.
    pub name: &'static str,
    /// It could be an image or a symbol file.
    pub is_symbols: bool,
}

/// First bytes of kinds of files that are mistaken for a text.
const KINDS: &[(&[u8], &str, bool)] = &[
    (b"MZ", "a PE image", true),
    (b"Microsoft C/C++ ", "a Windows PDB", true),
    (b"BSJB", "a portable PDB", true),
    (b"\x14\xa6\x7f\xfd\x23\x26\xe8\x45", "a Mono symbol file", true),
    (b"MDMP", "a minidump: print its stacks first, with `dotnet-dump`, WinDbg or `minidump-stackwalk`", false),
    (b"PAGEDU64", "a kernel dump", false),
    (b"\x7fELF", "an ELF file", false),
    (b"PK\x03\x04", "a zip archive", false),
    (b"\x1f\x8b", "compressed with gzip", false),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", false),
];

/// Kind of a file that is no text, by its first bytes; `None` for a text.
pub fn binary_kind(first: &[u8]) -> Option<BinaryKind> {
    let has_nul = first.contains(&0);
    // Short marks are words of texts too.
    let known = KINDS.iter().find(|(mark, ..)| first.starts_with(mark) && (has_nul || mark.len() >= 8));
    if let Some((_, name, is_symbols)) = known {
        return Some(BinaryKind { name, is_symbols: *is_symbols });
    }
    let controls = first.iter().filter(|byte| matches!(byte, 0..=6 | 0x0e..=0x1a | 0x1c..=0x1f)).count();
    let is_binary = first.len() >= 16 && controls > first.len() / 16 && of(first) == Encoding::Bytes;
    is_binary.then_some(BinaryKind { name: "binary", is_symbols: false })
}

/// Returns whether a text begins as a crash report of Apple's systems (`.ips`) does: a JSON object in the first line, with the type of
/// the report. Its frames are addresses in Mach-O images, among which there are no managed ones.
pub fn is_apple_report(first: &[u8]) -> bool {
    let line = first.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let has = |member: &[u8]| line.windows(member.len()).any(|found| found == member);
    line.starts_with(b"{") && has(b"\"bug_type\"") && has(b"\"incident_id\"")
}

/// Encoding of a text by its first bytes. A byte order mark alone proves nothing: a text in another encoding may begin with those letters.
fn of(first: &[u8]) -> Encoding {
    let (pairs, _) = first.get(..LOOKED_AT.min(first.len())).unwrap_or_default().as_chunks::<2>();
    let ascii = |high: usize| {
        pairs.iter().filter(|pair| pair.get(high) == Some(&0) && matches!(pair.get(high ^ 1), Some(9..=0x7e))).count()
    };
    let is = |mark: [u8; 2], high: usize| match pairs.split_first() {
        Some((first, rest)) if *first == mark => ascii(high) * 8 >= rest.len(),
        _ => pairs.len() >= 2 && ascii(high) * 8 >= pairs.len() * 7,
    };
    match () {
        () if is([0xff, 0xfe], 1) => Encoding::Utf16Le,
        () if is([0xfe, 0xff], 0) => Encoding::Utf16Be,
        () => Encoding::Bytes,
    }
}

#[derive(Debug)]
pub(crate) struct Decoder<R> {
    inner: R,
    encoding: Option<Encoding>,
    raw: Vec<u8>,
    /// Bytes that were decoded.
    ready: io::Cursor<Vec<u8>>,
    ended: bool,
}

impl<R: Read> Decoder<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, encoding: None, raw: Vec::new(), ready: io::Cursor::default(), ended: false }
    }

    /// The encoding, which is known once something was read.
    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding.unwrap_or_default()
    }

    fn more(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        let len = self.inner.read(buffer)?;
        self.ended = len == 0;
        self.raw.extend_from_slice(buffer.get(..len).unwrap_or_default());
        Ok(())
    }

    /// Reads as far as is needed to tell the encoding. A line that is waited for is not held back.
    fn detect(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        loop {
            self.more(buffer)?;
            let could_be = matches!(
                self.raw.as_slice(),
                [] | [0xff | 0xfe | 0] | [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [_, 0, ..] | [0, _, ..]
            );
            if self.ended || !could_be || self.raw.len() >= 8 {
                self.encoding = Some(of(&self.raw));
                return Ok(());
            }
        }
    }

    /// Decodes the units that are complete.
    fn decode(&mut self) -> Vec<u8> {
        if self.encoding() == Encoding::Bytes {
            return std::mem::take(&mut self.raw);
        }
        let big = self.encoding() == Encoding::Utf16Be;
        let (pairs, rest) = self.raw.as_chunks::<2>();
        let unit = |pair: &[u8; 2]| if big { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) };
        let mut units: Vec<u16> = pairs.iter().map(unit).collect();
        let mut kept = rest.to_vec();
        // The second half of a pair may be still to come.
        if let Some(last) = units.last().copied().filter(|last| (0xd800..0xdc00).contains(last) && !self.ended) {
            units.pop();
            let bytes = if big { last.to_be_bytes() } else { last.to_le_bytes() };
            kept = [bytes.as_slice(), rest].concat();
        }
        let mut text = String::from_utf16_lossy(&units);
        if self.ended && !kept.is_empty() {
            kept.clear();
            text.push(char::REPLACEMENT_CHARACTER);
        }
        self.raw = kept;
        text.into_bytes()
    }
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let len = self.ready.read(buffer)?;
            if len > 0 || buffer.is_empty() || self.ended {
                return Ok(len);
            }
            match self.encoding {
                None => self.detect(buffer)?,
                Some(_) => self.more(buffer)?,
            }
            self.ready = io::Cursor::new(self.decode());
        }
    }
}

#[derive(Debug)]
pub struct Encoder {
    big: bool,
    /// First bytes of a character that continues in the next piece.
    begun: Vec<u8>,
}

impl Encoder {
    /// Creates an encoder; `None` for text that is written byte by byte.
    pub fn new(encoding: Encoding) -> Option<Self> {
        (encoding != Encoding::Bytes).then(|| Self { big: encoding == Encoding::Utf16Be, begun: Vec::new() })
    }

    /// Encodes a part of the text, which may begin and end inside a character.
    pub fn encode(&mut self, part: &[u8]) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.begun);
        bytes.extend_from_slice(part);
        // The text was made of characters: only the last one can lack bytes.
        let end = bytes.utf8_chunks().last().map_or(0, |last| bytes.len() - last.invalid().len());
        self.begun = bytes.split_off(end);
        let unit = |unit: u16| if self.big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        String::from_utf8_lossy(&bytes).encode_utf16().flat_map(unit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out at most some bytes at once.
    struct Slow<'b>(&'b [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let len = self.1.min(buffer.len()).min(self.0.len());
            buffer[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }

    fn utf16(units: &[u16], big: bool) -> Vec<u8> {
        units.iter().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    #[test]
    fn utf16_is_read_and_written_back_whatever_the_pieces() {
        let text = "\u{feff}at A.B() größe 🚀\r\n";
        let mut units: Vec<u16> = text.encode_utf16().collect();
        units.extend([0xd83d, 0x78, 0xdc00]);
        for big in [false, true] {
            let bytes = utf16(&units, big);
            // A lone surrogate is no text.
            let wanted: Vec<u16> = text.encode_utf16().chain([0xfffd, 0x78, 0xfffd]).collect();
            for step in [1, 2, 3, 7, 1000] {
                let mut decoder = Decoder::new(Slow(&bytes, step));
                let mut decoded = Vec::new();
                decoder.read_to_end(&mut decoded).unwrap();
                assert!(decoded.starts_with(text.as_bytes()), "{big} {step}: {decoded:?}");
                let mut encoder = Encoder::new(decoder.encoding()).unwrap();
                let back: Vec<u8> = decoded.chunks(step).flat_map(|part| encoder.encode(part)).collect();
                assert_eq!(back, utf16(&wanted, big), "{big} {step}");
            }
        }
        // PowerShell's pipes write no mark.
        assert_eq!(of(&utf16(&"   at A.B()".encode_utf16().collect::<Vec<_>>(), false)), Encoding::Utf16Le);
    }

    #[test]
    fn other_texts_are_read_as_they_are() {
        for text in [
            &b""[..],
            b"\xff\xfe log of something\n",
            b"\xfe\xff caf\xe9",
            b"a",
            b"a\0",
            b"\xef\xbb\xbfat",
            b"\0\0\0\0",
        ] {
            let mut decoder = Decoder::new(Slow(text, 1));
            let mut decoded = Vec::new();
            decoder.read_to_end(&mut decoded).unwrap();
            assert_eq!((decoded.as_slice(), decoder.encoding()), (text, Encoding::Bytes));
        }
    }

    #[test]
    fn what_is_no_text_is_told() {
        for (bytes, name) in [
            (&b"MZ\x90\0\x03\0\0\0"[..], "a PE image"),
            (b"Microsoft C/C++ MSF 7.00\r\n", "a Windows PDB"),
            (b"BSJB\x01\0\x01\0", "a portable PDB"),
            (&[0; 64], "binary"),
        ] {
            assert_eq!(binary_kind(bytes).map(|kind| kind.name), Some(name));
        }
        for text in ["MZ is how it begins", "", "BSJB", "\x1b[1mbold\x1b[0m", "\0"] {
            assert_eq!(binary_kind(text.as_bytes()), None, "{text}");
        }
        for (first, is_report) in [
            (r#"{"app_name":"Ticker","timestamp":"2026-01-01","bug_type":"309","incident_id":"7F"}"#, true),
            (r#"{"bug_type":"309", "incident_id":"7F"}"#, true),
            (r#"{"app_name":"Ticker"}"#, false),
            ("\"bug_type\" \"incident_id\"", false),
            ("", false),
        ] {
            let report = format!("{first}\n{{\"usedImages\":[], \"bug_type\":\"309\", \"incident_id\":\"7F\"}}");
            assert_eq!(is_apple_report(report.as_bytes()), is_report, "{first}");
        }
        assert_eq!(binary_kind(&utf16(&"at A.B() in C.dll".encode_utf16().collect::<Vec<_>>(), false)), None);
    }
}

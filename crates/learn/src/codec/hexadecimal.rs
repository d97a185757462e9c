//! Bytes as people paste them: digits, or lines of a dump.

use super::is_srcsrv;
use pdblens_session::text::safe::spaced_hex;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HexError {
    /// Neither a digit nor a separator.
    #[error("character {at} of the bytes, `{character}`, is not a hexadecimal digit")]
    Digit {
        /// Number of the character, from 1.
        at: usize,
        character: char,
    },
    /// A byte of one digit at the end of a run of digits.
    #[error("character {at} of the bytes is half a byte: two digits make one")]
    Half {
        /// Number of the character, from 1.
        at: usize,
    },
    /// A line of a dump that does not follow the one before it.
    #[error("the dump has a line at {found:#x} where one at {expected:#x} must follow: paste all lines, without `*`")]
    Gap {
        /// Offset after the line before.
        expected: u64,
        found: u64,
    },
}

/// Parses bytes in hexadecimal: `0a 1b`, `0a1b`, `0x0a, 0x1b`, `0A-1B`. Blanks, commas, dashes, colons and underscores separate.
///
/// Lines of a dump have an offset before the bytes and may have characters after them, as `xxd`, `hexdump -C`, `hexyl`, `db` of
/// WinDbg and the screens print them: both are left out.
///
/// # Errors
///
/// The first character that is no part of a byte, or the first line that does not follow the one before it.
pub fn parse_hex(text: &str) -> Result<Vec<u8>, HexError> {
    let (mut bytes, mut next, mut is_dump) = (Vec::new(), None, false);
    for line in text.lines().filter_map(DumpLine::parse) {
        is_dump |= !line.bytes.is_empty();
        if let Some(expected) = next.filter(|next| *next != line.offset) {
            return Err(HexError::Gap { expected, found: line.offset });
        }
        next = Some(line.offset.saturating_add(line.bytes.len() as u64));
        bytes.extend(line.bytes);
    }
    if is_dump { Ok(bytes) } else { digits(text) }
}

/// A pasted text as one line: of a dump the bytes alone, of a srcsrv stream, whose line ends count, its kind and bytes.
pub fn one_line(text: &str, separator: &str) -> String {
    if is_srcsrv(text) {
        // Terminals paste line ends as CR alone.
        let text = if text.contains('\n') { text.to_owned() } else { text.replace('\r', "\r\n") };
        return format!("srcsrv {}", spaced_hex(text.trim_start().as_bytes(), usize::MAX));
    }
    let is_dump = text.lines().filter_map(DumpLine::parse).any(|line| !line.bytes.is_empty());
    let bytes = if is_dump { parse_hex(text).ok() } else { None };
    bytes.map_or_else(|| text.replace(['\r', '\n'], separator), |bytes| spaced_hex(&bytes, usize::MAX))
}

fn digits(text: &str) -> Result<Vec<u8>, HexError> {
    let (mut bytes, mut half, mut previous) = (Vec::new(), None, ' ');
    for (index, character) in text.chars().enumerate() {
        let at = index + 1;
        match (character.to_digit(16), half) {
            (Some(digit), None) => half = Some((digit as u8, at)),
            (Some(digit), Some((high, _))) => {
                bytes.push(high << 4 | digit as u8);
                half = None;
            }
            // The prefix 0x, of which the zero was taken for a digit.
            (None, Some((0, zero))) if matches!(character, 'x' | 'X') && previous == '0' && zero.abs_diff(at) == 1 => {
                half = None;
            }
            (None, Some((_, at))) => return Err(HexError::Half { at }),
            (None, None) if character.is_whitespace() || ",;-:_{}[]()".contains(character) => {}
            (None, None) => return Err(HexError::Digit { at, character }),
        }
        previous = character;
    }
    match half {
        Some((_, at)) => Err(HexError::Half { at }),
        None => Ok(bytes),
    }
}

/// Bytes in a line of a dump: characters follow.
const IN_LINE: usize = 16;
/// Digits that an offset has at least.
const MIN_OFFSET: usize = 4;

struct DumpLine {
    offset: u64,
    bytes: Vec<u8>,
}

impl DumpLine {
    fn parse(line: &str) -> Option<Self> {
        let line = line.trim_start_matches(['│', '|', ' ', '\t', '▌']);
        let end = line.find([' ', '\t', ':', '│', '|']).unwrap_or(line.len());
        let (head, rest) = line.split_at_checked(end)?;
        let hex = head.strip_prefix("0x").unwrap_or(head).replace('`', "");
        if hex.len() < MIN_OFFSET {
            return None;
        }
        let offset = u64::from_str_radix(&hex, 16).ok()?;
        let ends = rest.chars().next();
        let rest = rest.strip_prefix(':').unwrap_or(rest).trim_start_matches(['│', '|', '\t']);
        let is_marked = matches!(ends, Some(':' | '│' | '|' | '\t')) || head.contains('`');
        let words = rest.split_whitespace().take_while(|word| byte_word(word).is_some());
        // Without a sign after it, an offset has more digits than the bytes: blanks may have been lost in the shell.
        let are_bytes = words.clone().all(|word| word.len() == 2) && words.clone().count() > 1;
        let is_offset = are_bytes && hex.len() >= 6 && (rest.starts_with("  ") || offset.is_multiple_of(8));
        let is_last = ends.is_none() && hex.len() >= 8 && offset < u64::from(u16::MAX);
        match (is_marked || is_offset, is_last) {
            (true, _) => Some(Self { offset, bytes: bytes_of(rest) }),
            // The offset of the end, alone in the last line.
            (false, true) => Some(Self { offset, bytes: Vec::new() }),
            (false, false) => None,
        }
    }
}

/// Bytes of a word of a dump: pairs of digits, with or without `0x`.
fn byte_word(word: &str) -> Option<Vec<u8>> {
    let word = word.strip_prefix("0x").unwrap_or(word);
    let is_bytes = word.len().is_multiple_of(2) && word.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_bytes.then(|| digits(word).ok())?.filter(|bytes| !bytes.is_empty())
}

/// Bytes after the offset, up to the column of characters.
fn bytes_of(rest: &str) -> Vec<u8> {
    let (mut bytes, mut width) = (Vec::new(), None);
    let mut left = rest.trim_start();
    while let Some(word) = left.split([' ', '\t', '-', '┊', '│', '|']).next() {
        let Some(found) = byte_word(word).filter(|found| width.is_none_or(|width| found.len() <= width)) else { break };
        width = width.or(Some(found.len()));
        bytes.extend(found);
        left = left.get(word.len()..).unwrap_or_default();
        let after = left.trim_start_matches([' ', '\t', '-', '┊']);
        let gap = left.len().saturating_sub(after.len());
        let is_wide = left.starts_with("   ");
        if gap == 0 || is_wide || bytes.len() >= IN_LINE {
            break;
        }
        left = after;
    }
    bytes
}

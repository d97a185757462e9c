//! Codecs: small records as bytes and as text, both ways: inverse for what compilers write, a number in the fewest bytes, a list
//! in its order. A codec is one file and one line in [`CODECS`].

mod bounds;
mod constant;
mod custom;
mod hexadecimal;
mod imports;
mod link;
mod name;
mod numbers;
mod points;
mod rsds;
mod signature;
mod slots;
mod srcsrv;
#[cfg(test)]
mod tests;
mod tokens;
pub mod typed;

pub use hexadecimal::{HexError, one_line, parse_hex};
pub use srcsrv::is_srcsrv;
pub use tokens::lines;

use super::Steps;
use pdblens_formats::bytes::{Cursor, Error, Recording, Result};
use pdblens_formats::reason::Reason;

/// A kind of record that can be typed and pasted.
#[derive(Debug)]
pub struct Codec {
    pub name: &'static str,
    /// One line: the record, and the form of its text.
    pub about: &'static str,
    pub paragraph: &'static str,
    /// Bytes in hexadecimal, and their text.
    pub example: (&'static str, &'static str),
    decode: for<'a> fn(&mut Cursor<'a, Recording>) -> Result<String>,
    encode: Encode,
}

pub const CODECS: &[&Codec] = &[
    &numbers::UINT,
    &numbers::SINT,
    &points::POINTS,
    &points::POINTS_WITH_DOCUMENT,
    &points::RECORDS,
    &name::NAME,
    &constant::CONSTANT,
    &imports::IMPORTS,
    &slots::SLOTS,
    &numbers::GUID,
    &rsds::RSDS,
    &signature::SIGNATURE,
    &signature::TYPE,
    &srcsrv::SRCSRV,
    &custom::HOISTED_SCOPES,
    &custom::ASYNC_STEPPING,
    &custom::LAMBDA_MAP,
    &custom::STATE_MAP,
    &custom::TUPLE_NAMES,
    &custom::DYNAMIC_LOCALS,
    &custom::OPTIONS,
    &custom::REFERENCES,
    &custom::TYPE_DOCUMENTS,
    &custom::DEFAULT_NAMESPACE,
    &custom::SOURCE_LINK,
    &custom::EMBEDDED_SOURCE,
    &custom::NAME_SNAPSHOT,
    &bounds::BOUNDS,
];

/// Decoded bytes: their text, or an error after as many steps as could be read.
#[derive(Debug)]
pub struct Decoded {
    /// Text that `encode` makes the same bytes of.
    pub text: std::result::Result<String, Error>,
    pub steps: Steps,
    /// Text of the records before an error, each complete.
    pub complete: Vec<String>,
    /// Limits of the specification that values do not keep, in sentences.
    pub violations: Vec<Reason>,
    /// Advice where an error has a usual cause, or where a value keeps the limits and is still a mistake.
    pub advice: Option<String>,
}

impl Codec {
    /// Finds a codec by its name; `int` is an unsigned one.
    pub fn named(name: &str) -> Option<&'static Self> {
        let name = if name == "int" { "uint" } else { name };
        CODECS.iter().copied().find(|codec| codec.name == name)
    }

    /// Returns true if its bytes are text: a program in the language of srcsrv, JSON, a name.
    pub fn is_of_text(&self) -> bool {
        matches!(self.name, "srcsrv" | "source-link" | "namespace")
    }

    pub fn decode(&self, bytes: &[u8]) -> Decoded {
        let mut text = Ok(String::new());
        let mut steps = Steps::recorded(self.name, bytes, |cursor| {
            let mut found = (self.decode)(cursor);
            if found.is_ok() && !cursor.is_done() {
                found = Err(Error::invalid("the record ends here, and bytes follow", cursor.rest().span()));
            }
            text.clone_from(&found);
            found.map(drop)
        });
        let is_points = self.name == points::POINTS.name;
        let lacking = if is_points && text.is_err() { points::lacking_byte(bytes) } else { None };
        let points::Partial { complete, violations, remark } = points::partial(self.name, bytes);
        if is_points {
            points::forget_document(&mut steps);
        }
        let advice = lacking.or(remark).or_else(|| points::doubt(self.name, &steps));
        Decoded { text, steps, complete, violations, advice }
    }

    pub fn encode(&self, text: &str) -> Encoded {
        (self.encode)(text)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}`: {reason}")]
pub struct EncodeError {
    pub word: String,
    /// Reason, in a sentence without capital.
    pub reason: String,
}

type Encoded<T = Vec<u8>> = std::result::Result<T, EncodeError>;
type Encode = fn(&str) -> Encoded;

impl EncodeError {
    fn new(word: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { word: word.into(), reason: reason.into() }
    }
}

/// Parses a number, decimal or with the prefix `0x`.
fn number<T: TryFrom<i128>>(word: &str) -> Encoded<T> {
    let (sign, digits) = word.strip_prefix(['-', '−']).map_or((1, word), |digits| (-1, digits));
    let parsed = match digits.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    let number = parsed.map_err(|_| EncodeError::new(word, "a number is expected, such as 19 or 0x13"))?;
    T::try_from(number.saturating_mul(sign)).map_err(|_| EncodeError::new(word, "the number is out of range"))
}

/// Appends an unsigned compressed integer (ECMA-335 II.23.2).
fn put_unsigned(out: &mut Vec<u8>, number: u32) -> Encoded<()> {
    match number {
        0..0x80 => out.push(number as u8),
        0x80..0x4000 => out.extend(((number as u16) | 0x8000).to_be_bytes()),
        0x4000..0x2000_0000 => out.extend((number | 0xc000_0000).to_be_bytes()),
        _ => return Err(EncodeError::new(number.to_string(), "exceeds 0x1fffffff, the largest compressed integer")),
    }
    Ok(())
}

/// Appends a signed compressed integer (ECMA-335 II.23.2): in the fewest bytes, the sign rotated into the lowest bit.
fn put_signed(out: &mut Vec<u8>, number: i32) -> Encoded<()> {
    let rotated = |bits: u32| {
        let mask = !(u32::MAX << bits);
        let value = number.cast_unsigned() & mask;
        (value << 1 | value >> bits.saturating_sub(1)) & mask
    };
    match number {
        -0x40..0x40 => out.push(rotated(7) as u8),
        -0x2000..0x2000 => out.extend((rotated(14) as u16 | 0x8000).to_be_bytes()),
        -0x1000_0000..0x1000_0000 => out.extend((rotated(29) | 0xc000_0000).to_be_bytes()),
        _ => {
            let reason = "is outside −0x10000000..0x0fffffff, the range of a signed compressed integer";
            return Err(EncodeError::new(number.to_string(), reason));
        }
    }
    Ok(())
}

/// The bytes that `put` makes of each item.
fn each<T>(items: impl IntoIterator<Item = T>, put: impl Fn(&mut Vec<u8>, T) -> Encoded<()>) -> Encoded {
    let mut out = Vec::new();
    items.into_iter().try_for_each(|item| put(&mut out, item))?;
    Ok(out)
}

/// Parts of a text between semicolons or line ends, without blanks around them.
fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split([';', '\n']).map(str::trim).filter(|item| !item.is_empty())
}

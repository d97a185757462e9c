//! Codecs: small records as bytes and as text, both ways.
//!
//! Bytes come from a hexadecimal dump, a bug report or a specification; text is what a person types. `decode` and `encode` are
//! inverse for what compilers write: a number in the fewest bytes, a list in its order. A codec is one file and one line in
//! [`CODECS`].

mod bounds;
mod constant;
mod custom;
mod encode;
mod guid;
mod hexadecimal;
mod imports;
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

pub use encode::EncodeError;
pub use hexadecimal::{HexError, one_line, parse_hex};
pub use srcsrv::is_srcsrv;
pub use tokens::lines;

use super::Steps;
use pdblens_formats::bytes::{Cursor, Error, Recording, Result, Slice, SpaceId};
use pdblens_formats::reason::Reason;
use pdblens_nodes::fields::{Fields, recorded};

type Encode = fn(&str) -> std::result::Result<Vec<u8>, EncodeError>;

/// A kind of record that can be typed and pasted.
#[derive(Debug)]
pub struct Codec {
    /// Word on the command line.
    pub name: &'static str,
    /// One line: the record, and the form of its text.
    pub about: &'static str,
    pub paragraph: &'static str,
    /// Bytes in hexadecimal, and their text.
    pub example: (&'static str, &'static str),
    decode: for<'a> fn(&mut Cursor<'a, Recording>) -> Result<String>,
    encode: Encode,
    /// Advice for bytes that this codec cannot decode.
    advice: fn(&[u8]) -> Option<String>,
}

/// Codecs in the order of the help.
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
    &guid::GUID,
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
    /// Reads, up to the error if there is one.
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
        let slice = Slice::new(bytes, SpaceId(0), 0);
        let mut text = Ok(String::new());
        let (steps, error) = recorded(slice, |cursor| {
            let mut found = (self.decode)(cursor);
            if found.is_ok() && !cursor.is_done() {
                found = Err(Error::invalid("the record ends here, and bytes follow", cursor.rest().span()));
            }
            text.clone_from(&found);
            found.map(drop)
        });
        let fields = Fields::present(self.name, slice, &steps, error, |_, _| None);
        let read =
            |span: pdblens_formats::bytes::Span| slice.at(span).map(|part| part.data.to_vec()).unwrap_or_default();
        let advice = if text.is_err() { (self.advice)(bytes) } else { None };
        let points::Partial { complete, violations, remark } = points::partial(self.name, bytes);
        let advice = advice.or(remark);
        let mut steps = Steps::of(&fields, read);
        if self.name == points::POINTS.name {
            points::forget_document(&mut steps);
        }
        let advice = advice.or_else(|| points::doubt(self.name, &steps));
        Decoded { text, steps, complete, violations, advice }
    }

    pub fn encode(&self, text: &str) -> std::result::Result<Vec<u8>, EncodeError> {
        (self.encode)(text)
    }
}

const fn no_advice(_: &[u8]) -> Option<String> {
    None
}

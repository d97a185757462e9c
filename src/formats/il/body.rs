use super::instruction::Instructions;
use super::region::{self, ExceptionRegion};
use crate::bytes::{Cursor, Error, ErrorKind, Recorder, Result, Slice, Span};
use crate::formats::metadata::Token;

/// The lowest two bits of a header's first byte: what kind of header it is.
const FORMAT: u8 = 0x3;
const TINY: u8 = 0x2;
const FAT: u8 = 0x3;

/// Flags of a fat header.
const MORE_SECTIONS: u16 = 0x08;
const INIT_LOCALS: u16 = 0x10;

/// What the stack of a method with a tiny header can hold.
const TINY_MAX_STACK: u16 = 8;

/// How many 32-bit words a fat header has.
const FAT_WORDS: u16 = 3;

/// The body of a method (ECMA-335 II.25.4): how much stack it wants, its locals, its code, its exception regions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// All its bytes: header, code, sections.
    pub span: Span,
    /// The bytes of the header: 1 if it is tiny, 12 if it is fat.
    pub header: Span,
    /// The most values that its code ever has on the stack.
    pub max_stack: u16,
    /// The token of the signature that lists its local variables; nil if it has none.
    pub local_signature: Token,
    /// Whether its locals begin as zero.
    pub init_locals: bool,
    /// How many bytes of code the header says there are.
    pub code_size: u32,
    /// The bytes of the code, as far as there are any.
    pub code: Span,
    /// The parts of the code that are watched for exceptions, inner ones first.
    pub regions: Vec<ExceptionRegion>,
    /// What could not be read, or says something impossible.
    pub problems: Vec<Error>,
}

impl Body {
    /// Reads the body at the start of `slice`, which may have more bytes than the body has.
    pub fn parse(slice: Slice<'_>) -> Result<Self> {
        Self::decode(&mut Cursor::new(slice))
    }

    /// Reads the body at the start of what `cursor` reads. An error means that there is not even a header; what is wrong
    /// behind that is one of the problems.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group("method body", |cursor| {
            let start = cursor.position();
            let (mut body, more) = match cursor.peek().map(|first| first & FORMAT) {
                Some(TINY) => (cursor.group("tiny header", tiny_header)?, false),
                Some(FAT) | None => cursor.group("fat header", fat_header)?,
                Some(_) => {
                    cursor.u8("flags and size")?;
                    return Err(Error::invalid("neither a tiny nor a fat header", cursor.since(start)));
                }
            };
            let code_start = cursor.position();
            let (size, left) = (body.code_size as u64, cursor.left());
            cursor.bytes("code", size.min(left))?;
            body.code = cursor.since(code_start);
            if size > left {
                body.problems.push(Error::new(ErrorKind::UnexpectedEnd { wanted: size, left }, body.code));
            } else if more && let Err(error) = region::decode_sections(cursor, &mut body) {
                body.problems.push(error);
            }
            body.span = cursor.since(start);
            Ok(body)
        })
    }

    /// The instructions in `slice`, which is what the body was read from.
    pub fn instructions<'a>(&self, slice: Slice<'a>) -> Instructions<'a> {
        Instructions::new(slice.at(self.code).unwrap_or_default())
    }
}

fn tiny_header<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Body> {
    let start = cursor.position();
    let first = cursor.u8("format and code size")?;
    let code_size = first as u32 >> 2;
    Ok(Body { header: cursor.since(start), max_stack: TINY_MAX_STACK, code_size, ..Body::default() })
}

/// The header, and whether sections follow the code.
fn fat_header<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<(Body, bool)> {
    let start = cursor.position();
    let flags = cursor.u16("flags and header size")?;
    let words = flags >> 12;
    let mut problems = Vec::new();
    if words != FAT_WORDS {
        problems.push(Error::invalid("a fat header has 3 words", cursor.since(start)));
    }
    let max_stack = cursor.u16("max stack")?;
    let code_size = cursor.u32("code size")?;
    let local_signature = Token(cursor.u32("local signature")?);
    if words > FAT_WORDS {
        cursor.bytes("rest of the header", 4 * (words - FAT_WORDS) as u64)?;
    }
    let (header, init_locals) = (cursor.since(start), flags & INIT_LOCALS != 0);
    let body = Body { header, max_stack, local_signature, init_locals, code_size, problems, ..Body::default() };
    Ok((body, flags & MORE_SECTIONS != 0))
}

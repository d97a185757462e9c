use super::region::{self, ExceptionRegion};
use crate::bytes::{Cursor, Error, ErrorKind, Recorder, Result, Slice, Span, fields, record};
use crate::metadata::Token;

/// Low two bits of a header's first byte: tiny or fat format (ECMA-335 II.25.4.1).
const FORMAT: u8 = 0x3;
const TINY: u8 = 0x2;
const FAT: u8 = 0x3;
/// Flags of a fat header (ECMA-335 II.25.4.4).
const MORE_SECTIONS: u16 = 0x08;
const INIT_LOCALS: u16 = 0x10;
/// Implied maximum stack depth of a method with a tiny header.
const TINY_MAX_STACK: u16 = 8;
/// Size of a fat header in 4-byte words.
const FAT_WORDS: u16 = 3;

const HEADER_FLAGS: &[(u64, &str)] =
    &[(0x3003, "fat, 3 words"), (0x0008, "sections follow the code"), (0x0010, "locals begin as zero")];

fields! {
    /// A method body: a header, the code, and sections with the exception clauses.
    METHOD_BODY: "method body";
    /// The header of a small method: less than 64 bytes of code, no locals, no exception clauses, and maxstack 8.
    TINY_HEADER: "tiny header";
    /// The format in the lowest two bits (2: tiny), and the code size in the other six.
    FORMAT_AND_CODE_SIZE: "format and code size" as Hex;
    /// Bytes of a header with more than 3 words, which no specification defines.
    REST_OF_THE_HEADER: "rest of the header";
    /// The instructions; an IL offset counts from the first of these bytes.
    CODE: "code";
    /// A first byte that is neither that of a tiny nor that of a fat header.
    FLAGS_AND_SIZE: "flags and size" as Hex;
}

record! {
    /// The header of a method that does not fit a tiny one.
    struct FatHeader: "fat header" {
        /// Flags, with the format in the lowest two bits (3: fat), and the size of the header in 32-bit words in the
        /// highest four, always 3.
        flags_and_header_size: u16 as Flags(HEADER_FLAGS),
        /// The maximum number of values on the evaluation stack, which the JIT compiler relies on.
        max_stack: u16,
        /// The size of the code in bytes.
        code_size: u32,
        /// The row of StandAloneSig with the types of the local variables; 0 if there are none. Their names are in the
        /// PDB.
        local_signature: u32 as Token,
    }
}

/// A method body (ECMA-335 II.25.4): header, code, and exception clauses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Header, code and sections.
    pub span: Span,
    /// 1 byte for a tiny header, 12 for a fat one.
    pub header: Span,
    /// Maximum depth of the evaluation stack, in values.
    pub max_stack: u16,
    /// StandAloneSig token of the local variables' signature; nil if there are none.
    pub local_signature: Token,
    /// True if local variables are zero-initialized (`.locals init`).
    pub init_locals: bool,
    /// Size of the code in bytes, as stated.
    pub code_size: u32,
    /// Bytes of the code, fewer than `code_size` if the file is truncated.
    pub code: Span,
    /// Exception clauses in file order; inner ones come first.
    pub regions: Vec<ExceptionRegion>,
    /// Sections that could not be read, and clauses that contradict the code.
    pub problems: Vec<Error>,
}

impl Body {
    /// Decodes the body at the start of `slice`, which may extend past its end.
    pub fn parse(slice: Slice<'_>) -> Result<Self> {
        Self::decode(&mut Cursor::new(slice))
    }

    /// Decodes the body at the cursor. Fails only if there is no valid header; later errors are among the problems.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group(&METHOD_BODY, |cursor| {
            let start = cursor.position();
            let (mut body, more) = match cursor.peek().map(|first| first & FORMAT) {
                Some(TINY) => (cursor.group(&TINY_HEADER, tiny_header)?, false),
                Some(FAT) | None => cursor.group(&FatHeader::DOC, fat_header)?,
                Some(_) => {
                    cursor.u8(&FLAGS_AND_SIZE)?;
                    return Err(Error::invalid("the method header is neither tiny nor fat", cursor.since(start)));
                }
            };
            let code_start = cursor.position();
            let (size, left) = (body.code_size as u64, cursor.left());
            cursor.bytes(&CODE, size.min(left))?;
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
}

fn tiny_header<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Body> {
    let start = cursor.position();
    let first = cursor.u8(&FORMAT_AND_CODE_SIZE)?;
    let code_size = first as u32 >> 2;
    Ok(Body { header: cursor.since(start), max_stack: TINY_MAX_STACK, code_size, ..Body::default() })
}

/// Decodes a fat header; returns true as well if sections follow the code.
fn fat_header<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<(Body, bool)> {
    let start = cursor.position();
    let fat = FatHeader::decode_fields(cursor)?;
    let flags = fat.flags_and_header_size;
    let words = flags >> 12;
    let mut problems = Vec::new();
    if words != FAT_WORDS {
        let span = fat.span_of(&FatHeader::flags_and_header_size);
        problems.push(Error::unexpected("number of words of the fat header", words, "3", span));
    }
    if words > FAT_WORDS {
        cursor.bytes(&REST_OF_THE_HEADER, u64::from(words.saturating_sub(FAT_WORDS)) * 4)?;
    }
    let body = Body {
        header: cursor.since(start),
        max_stack: fat.max_stack,
        local_signature: Token(fat.local_signature),
        init_locals: flags & INIT_LOCALS != 0,
        code_size: fat.code_size,
        problems,
        ..Body::default()
    };
    Ok((body, flags & MORE_SECTIONS != 0))
}

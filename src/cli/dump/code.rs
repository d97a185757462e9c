//! Instructions and sequence points of a method: most of a dump, written without a serializer.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::ser::{Serialize, Serializer};

use super::super::json::{Raw, push_number, push_text};
use crate::bytes::Span;
use crate::nodes::method::{self, MethodView, il_label};
use crate::nodes::{Instruction, Operand, OperandType, SequencePoint, TABLE_COUNT, Token};
use crate::session::Session;

/// Rows of a table whose names are kept, and limit on the bytes of all names kept: memory stays bounded for images of any size.
const MAX_ROWS: u32 = 1 << 17;
const MAX_BYTES: usize = 24 << 20;

/// A name in quotes, set by the first thread that needs it.
type KeptName = OnceLock<Box<[u8]>>;

/// Names of the tokens of the image, for all threads: most tokens occur many times.
pub(super) struct TokenNames {
    /// Cells by table and row; those of a table are allocated with its first token.
    tables: [OnceLock<Box<[KeptName]>>; TABLE_COUNT],
    bytes: AtomicUsize,
}

impl TokenNames {
    pub(super) const fn new() -> Self {
        Self { tables: [const { OnceLock::new() }; TABLE_COUNT], bytes: AtomicUsize::new(0) }
    }

    /// Appends the name of a token, made by `make` where it is not kept.
    fn push(&self, session: &Session, token: Token, list: &mut Vec<u8>, make: impl FnOnce(&mut Vec<u8>)) {
        let kept = self.kept(session, token);
        if let Some(name) = kept.and_then(OnceLock::get) {
            return list.extend_from_slice(name);
        }
        let start = list.len();
        make(list);
        let name = list.get(start..).unwrap_or_default();
        if let Some(kept) = kept
            && self.bytes.fetch_add(name.len(), Ordering::Relaxed) < MAX_BYTES
        {
            // Another thread may have stored it first.
            let _ = kept.set(name.into());
        }
    }

    /// Cell for the name of a token; `None` if the token is not that of a row, or if the row is beyond the limit.
    fn kept(&self, session: &Session, token: Token) -> Option<&KeptName> {
        let table = self.tables.get(usize::from(token.table().0))?;
        let rows = || session.metadata().map_or(0, |metadata| metadata.rows(token.table())).min(MAX_ROWS);
        let names = table.get_or_init(|| (0..rows()).map(|_| OnceLock::new()).collect());
        names.get((token.row() as usize).checked_sub(1)?)
    }
}

/// Memory that a thread keeps from one method to the next.
#[derive(Default)]
pub(super) struct Scratch {
    /// The list that is written, and the operand in it.
    list: Vec<u8>,
    operand: Vec<u8>,
}

/// The instructions of a body, which are decoded while they are written.
pub(super) struct Instructions<'s> {
    pub(super) session: &'s Session,
    pub(super) view: Rc<MethodView>,
    pub(super) names: &'s TokenNames,
    pub(super) scratch: Rc<RefCell<Scratch>>,
}

impl Serialize for Instructions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut kept = self.scratch.borrow_mut();
        let Scratch { list, operand } = &mut *kept;
        list.clear();
        list.push(b'[');
        if let Some(body) = &self.view.body {
            for found in method::instructions(self.session, body) {
                list.extend_from_slice(if list.len() > 1 { b",{\"offset\":" } else { b"{\"offset\":" });
                match found {
                    Ok(found) => {
                        push_number(list, found.offset);
                        self.push(&found, operand, list);
                    }
                    Err(error) => {
                        push_number(list, method::offset_in(body, &error));
                        list.extend_from_slice(b",\"error\":");
                        push_text(list, &self.session.spaces().error_text(&error));
                    }
                }
                list.push(b'}');
            }
        }
        list.push(b']');
        Raw(list).serialize(serializer)
    }
}

impl Instructions<'_> {
    /// Appends the members of an instruction after its offset.
    fn push(&self, found: &Instruction<'_>, operand: &mut Vec<u8>, list: &mut Vec<u8>) {
        list.extend_from_slice(b",\"opcode\":\"");
        list.extend_from_slice(found.opcode.name.as_bytes());
        list.extend_from_slice(b"\",\"operand\":");
        operand.clear();
        operand.push(b'"');
        push_operand(found.operand, operand);
        operand.push(b'"');
        let has_operand = operand.len() > 2;
        list.extend_from_slice(if has_operand { operand } else { b"null" });
        let before = list.len();
        list.extend_from_slice(TEXT);
        let start = list.len();
        self.push_named(found, list);
        let text = list.get(start..).unwrap_or_default();
        if text.len() <= 2 || text == operand.as_slice() {
            list.truncate(before);
        }
    }

    /// Appends the operand with names, in quotes; nothing where the names are those of the encoded operand.
    fn push_named(&self, found: &Instruction<'_>, list: &mut Vec<u8>) {
        let make = |list: &mut Vec<u8>| push_text(list, &self.view.operand(self.session, found));
        match found.operand {
            Operand::Integer(_) | Operand::Branch(_) => {}
            // The token of a string is an offset, whatever table it names.
            Operand::Token(token) if found.opcode.operand != OperandType::InlineString => {
                self.names.push(self.session, token, list, make);
            }
            Operand::None => {
                if let Some(variable) = found.opcode.implied_variable() {
                    push_text(list, self.view.variable_name(variable, found));
                }
            }
            _ => make(list),
        }
    }
}

/// Key of the operand with names in it.
const TEXT: &[u8] = b",\"text\":";

/// Appends an encoded operand: tokens as tokens, floating-point numbers as their bytes.
fn push_operand(operand: Operand<'_>, out: &mut Vec<u8>) {
    match operand {
        Operand::None => {}
        Operand::Integer(number) => match u32::try_from(number) {
            Ok(number) => push_number(out, number),
            Err(_) => out.extend_from_slice(number.to_string().as_bytes()),
        },
        Operand::Single(bits) => out.extend_from_slice(format!("0x{:08x}", bits.swap_bytes()).as_bytes()),
        Operand::Double(bits) => out.extend_from_slice(format!("0x{:016x}", bits.swap_bytes()).as_bytes()),
        Operand::Variable(variable) => push_number(out, variable.number()),
        Operand::Branch(target) => push_label(target, out),
        Operand::Switch(targets) => {
            for (index, target) in targets.iter().enumerate() {
                out.extend_from_slice(if index > 0 { b"," } else { b"" });
                push_label(target, out);
            }
        }
        Operand::Token(token) => {
            out.extend_from_slice(b"0x");
            push_hex(token.0, 8, out);
        }
    }
}

/// Appends the label of a branch target.
fn push_label(target: i64, out: &mut Vec<u8>) {
    match u16::try_from(target) {
        Ok(target) => {
            out.extend_from_slice(b"IL_");
            push_hex(target.into(), 4, out);
        }
        Err(_) => out.extend_from_slice(il_label(target).as_bytes()),
    }
}

fn push_hex(number: u32, digits: u32, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    (0..digits).rev().for_each(|digit| out.push(DIGITS[(number >> (4 * digit) & 0xf) as usize]));
}

/// The points of a method.
pub(super) struct Points(pub(super) Rc<MethodView>);

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = Vec::with_capacity(2 + self.0.points.len() * 144);
        list.push(b'[');
        for point in &self.0.points {
            if list.len() > 1 {
                list.push(b',');
            }
            push_point(point, method::point_span(&self.0, point), &mut list);
        }
        list.push(b']');
        Raw(&list).serialize(serializer)
    }
}

fn push_point(point: &SequencePoint, span: Option<Span>, list: &mut Vec<u8>) {
    let mut member = |name: &[u8], number: u32| {
        list.extend_from_slice(name);
        push_number(list, number);
    };
    member(b"{\"il\":", point.offset);
    member(b",\"document\":", point.document);
    if point.is_hidden() {
        list.extend_from_slice(b",\"hidden\":true");
    } else {
        member(b",\"hidden\":false,\"start_line\":", point.start_line);
        member(b",\"start_column\":", point.start_column);
        member(b",\"end_line\":", point.end_line);
        member(b",\"end_column\":", point.end_column);
    }
    if let Some(span) = span {
        for (before, number) in [(&b",\"span\":["[..], u64::from(span.space.0)), (b",", span.start), (b",", span.len)] {
            list.extend_from_slice(before);
            push_number(list, number);
        }
        list.push(b']');
    }
    list.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Session {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker-windows/Ticker.dll");
        Session::open(&[path.into()]).unwrap()
    }

    #[test]
    fn a_string_is_not_named_like_the_row_of_its_number() {
        let (session, names) = (sample(), TokenNames::new());
        let mut strings = 0;
        for row in 1..=session.methods() {
            let view = Rc::new(method::without_instructions(&session, Token(0x0600_0000 | row)));
            let scratch = Rc::new(RefCell::new(Scratch::default()));
            let writer = Instructions { session: &session, view: Rc::clone(&view), names: &names, scratch };
            let found = view.body.iter().flat_map(|body| method::instructions(&session, body)).map(Result::unwrap);
            for found in found.filter(|found| matches!(found.opcode.name, "call" | "ldstr")) {
                // A compiler writes 0x70 for a string; the offset is the same.
                let token = Token(0x0600_0001);
                let mut list = Vec::new();
                writer.push_named(&Instruction { operand: Operand::Token(token), ..found }, &mut list);
                let is_string = found.opcode.name == "ldstr";
                assert_eq!(list.starts_with(b"\"\\\""), is_string, "{}", String::from_utf8_lossy(&list));
                strings += usize::from(is_string);
            }
        }
        assert!(strings > 0);
    }

    #[test]
    fn the_name_of_a_row_is_made_once() {
        let (session, names) = (sample(), TokenNames::new());
        // Two methods, and tokens of no row: 0, one past the last, a string.
        for (token, times) in [(0x0600_0001, 1), (0x0600_0002, 1), (0x0600_0000, 2), (0x0600_ffff, 2), (0x7000_0001, 2)]
        {
            let (mut list, mut made) = (Vec::new(), 0);
            for _ in 0..2 {
                names.push(&session, Token(token), &mut list, |list| {
                    made += 1;
                    list.extend_from_slice(&token.to_be_bytes());
                });
            }
            assert_eq!((list, made), (token.to_be_bytes().repeat(2), times), "{token:#x}");
        }
    }
}

/// Schema of what is written; it is made by a test.
#[cfg(test)]
mod schema {
    use schemars::{JsonSchema, Schema, SchemaGenerator};

    use super::{Instructions, Points};
    use crate::cli::values::SpanText;

    #[derive(JsonSchema)]
    #[schemars(rename = "instruction", untagged)]
    #[expect(dead_code, reason = "it describes what is written")]
    enum InstructionJson<'i> {
        Decoded {
            offset: u32,
            opcode: &'i str,
            /// Encoded operand: a token, a number, `IL_0010`, or comma-separated switch targets; floating-point numbers are
            /// `0x` and their bytes in file order.
            operand: Option<&'i str>,
            /// Operand with names instead of tokens, if that differs.
            #[serde(skip_serializing_if = "Option::is_none")]
            text: Option<&'i str>,
        },
        Broken {
            offset: u32,
            error: String,
        },
    }

    /// A sequence point; a hidden one has no lines and columns.
    #[derive(JsonSchema)]
    #[schemars(rename = "sequence_point")]
    #[expect(dead_code, reason = "it describes what is written")]
    struct PointJson {
        /// IL offset.
        il: u32,
        /// Row of the document.
        document: u32,
        hidden: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        start_line: Option<u32>,
        /// In UTF-16 units, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        start_column: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        end_line: Option<u32>,
        /// Exclusive.
        #[serde(skip_serializing_if = "Option::is_none")]
        end_column: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        span: Option<SpanText>,
    }

    /// Declares that what is written is a list of `$element`.
    macro_rules! list_of {
        ($list:ty, $name:literal, $element:ty) => {
            impl JsonSchema for $list {
                fn inline_schema() -> bool {
                    true
                }

                fn schema_name() -> std::borrow::Cow<'static, str> {
                    $name.into()
                }

                fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                    Vec::<$element>::json_schema(generator)
                }
            }
        };
    }

    list_of!(Instructions<'_>, "instructions", InstructionJson<'_>);
    list_of!(Points, "sequence_points", PointJson);
}

//! Instructions and sequence points of a method: most of a dump, written without a serializer.

use std::cell::RefCell;
use std::rc::Rc;

use serde::ser::{Serialize, Serializer};

use super::super::json::{HEX, Raw, push_text};
use super::line::{Line, Opcodes};
use super::names::TokenNames;
use crate::bytes::Span;
use crate::nodes::method::{self, MethodView, il_label};
use crate::nodes::{Instruction, Operand, OperandType, SequencePoint};
use crate::session::Session;

/// Memory that a thread keeps from one method to the next.
#[derive(Default)]
pub(super) struct Scratch {
    /// The list that is written.
    list: Vec<u8>,
    /// A point, or the first part of an instruction.
    line: Line,
    opcodes: Opcodes,
}

/// The instructions of a body, which are decoded while they are written.
pub(super) struct Instructions<'s> {
    pub(super) session: &'s Session,
    pub(super) view: Rc<MethodView>,
    pub(super) names: &'s TokenNames<'s>,
    pub(super) scratch: Rc<RefCell<Scratch>>,
}

impl Serialize for Instructions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut kept = self.scratch.borrow_mut();
        let Scratch { list, line, opcodes } = &mut *kept;
        list.clear();
        if let Some(body) = &self.view.body {
            for found in method::instructions(self.session, body) {
                line.clear();
                line.push(if list.is_empty() { b"[{\"offset\":" } else { b",{\"offset\":" });
                match found {
                    Ok(found) => {
                        line.number(found.offset.into());
                        line.opcode(opcodes, found.opcode);
                        if has_text(&found) {
                            self.push_operand(&found, line, list);
                        } else {
                            write_operand(found.operand, line);
                            list.extend_from_slice(line.bytes());
                        }
                    }
                    Err(error) => {
                        line.number(method::offset_in(body, &error).into());
                        line.push(b",\"error\":");
                        list.extend_from_slice(line.bytes());
                        push_text(list, &self.session.spaces().error_text(&error));
                    }
                }
                list.push(b'}');
            }
        }
        list.extend_from_slice(if list.is_empty() { b"[]" } else { b"]" });
        Raw(list).serialize(serializer)
    }
}

impl Instructions<'_> {
    /// Appends an instruction: the line that it begins with, its operand as it is encoded, and with names if that differs.
    fn push_operand(&self, found: &Instruction<'_>, line: &mut Line, list: &mut Vec<u8>) {
        let start = list.len() + line.len();
        match found.operand {
            Operand::Switch(targets) if !targets.is_empty() => {
                list.extend_from_slice(line.bytes());
                line.clear();
                push_targets(targets.iter(), list);
            }
            operand => write_operand(operand, line),
        }
        let end = list.len() + line.len();
        line.push(b",\"text\":");
        list.extend_from_slice(line.bytes());
        let text = list.len();
        self.push_named(found, list);
        // Two bytes are the quotes around nothing.
        if list.len() <= text + 2 || list[text..] == list[start..end] {
            list.truncate(end);
        }
    }

    /// Appends the operand with names, in quotes; nothing where the names are those of the encoded operand.
    fn push_named(&self, found: &Instruction<'_>, list: &mut Vec<u8>) {
        let make = |list: &mut Vec<u8>| push_text(list, &self.view.operand_by(self.session, self.names.all, found));
        match found.operand {
            // The token of a string is an offset, whatever table it names.
            Operand::Token(token) if found.opcode.operand != OperandType::InlineString => {
                self.names.push(self.session, token, list, make);
            }
            Operand::None => {
                if let Some(variable) = found.opcode.implied_variable() {
                    push_text(list, self.view.variable_name(variable, found));
                }
            }
            Operand::Variable(variable) => push_text(list, self.view.variable_name(variable, found)),
            _ => make(list),
        }
    }
}

/// Returns whether names may give the operand of an instruction another text; numbers and labels have none.
const fn has_text(found: &Instruction<'_>) -> bool {
    match found.operand {
        Operand::Integer(_) | Operand::Branch(_) => false,
        Operand::None => found.opcode.implied_variable().is_some(),
        _ => true,
    }
}

/// Writes an encoded operand in quotes: tokens as tokens, floating-point numbers as their bytes; `null` for none.
#[inline]
fn write_operand(operand: Operand<'_>, line: &mut Line) {
    match operand {
        Operand::None | Operand::Switch(_) => return line.push(b"null"),
        Operand::Integer(number) => {
            if number < 0 {
                line.push(b"\"-");
            } else {
                line.push(b"\"");
            }
            line.number(number.unsigned_abs());
        }
        Operand::Single(bits) => {
            line.push(b"\"0x");
            line.hex(bits.swap_bytes());
        }
        Operand::Double(bits) => {
            line.push(b"\"0x");
            line.hex((bits.swap_bytes() >> 32) as u32);
            line.hex(bits.swap_bytes() as u32);
        }
        Operand::Variable(variable) => {
            line.push(b"\"");
            line.number(variable.number().into());
        }
        Operand::Branch(target) => {
            line.push(b"\"");
            write_label(target, line);
        }
        Operand::Token(token) => {
            line.push(b"\"0x");
            line.hex(token.0);
        }
    }
    line.push(b"\"");
}

/// Writes the label of a branch target.
fn write_label(target: i64, line: &mut Line) {
    match u16::try_from(target) {
        Ok(target) => {
            let [[a, b], [c, d]] = target.to_be_bytes().map(|byte| HEX[usize::from(byte)]);
            line.push(&[b'I', b'L', b'_', a, b, c, d]);
        }
        Err(_) => il_label(target).bytes().for_each(|byte| line.push(&[byte])),
    }
}

/// Appends the targets of a jump table, in quotes.
fn push_targets(targets: impl Iterator<Item = i64>, list: &mut Vec<u8>) {
    let mut line = Line::default();
    for (index, target) in targets.enumerate() {
        line.clear();
        line.push(if index > 0 { b"," } else { b"\"" });
        write_label(target, &mut line);
        list.extend_from_slice(line.bytes());
    }
    list.push(b'"');
}

/// The points of a method.
pub(super) struct Points {
    pub(super) view: Rc<MethodView>,
    pub(super) scratch: Rc<RefCell<Scratch>>,
}

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut kept = self.scratch.borrow_mut();
        let Scratch { list, line, .. } = &mut *kept;
        list.clear();
        for point in &self.view.points {
            line.clear();
            line.push(if list.is_empty() { b"[" } else { b"," });
            write_point(point, method::point_span(&self.view, point), line);
            list.extend_from_slice(line.bytes());
        }
        list.extend_from_slice(if list.is_empty() { b"[]" } else { b"]" });
        Raw(list).serialize(serializer)
    }
}

fn write_point(point: &SequencePoint, span: Option<Span>, line: &mut Line) {
    line.push(b"{\"il\":");
    line.number(point.offset.into());
    line.push(b",\"document\":");
    line.number(point.document.into());
    if point.is_hidden() {
        line.push(b",\"hidden\":true");
    } else {
        line.push(b",\"hidden\":false,\"start_line\":");
        line.number(point.start_line.into());
        line.push(b",\"start_column\":");
        line.number(point.start_column.into());
        line.push(b",\"end_line\":");
        line.number(point.end_line.into());
        line.push(b",\"end_column\":");
        line.number(point.end_column.into());
    }
    if let Some(span) = span {
        line.push(b",\"span\":[");
        line.number(span.space.0.into());
        line.push(b",");
        line.number(span.start);
        line.push(b",");
        line.number(span.len);
        line.push(b"]");
    }
    line.push(b"}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::Token;

    fn sample() -> Session {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker-windows/Ticker.dll");
        Session::open(&[path.into()]).unwrap()
    }

    #[test]
    fn a_string_is_not_named_like_the_row_of_its_number() {
        let session = sample();
        let (names, mut strings) = (TokenNames::new(session.names()), 0);
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

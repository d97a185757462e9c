//! Instructions and sequence points of a method: most of a dump, made while it is written.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use serde::ser::{Serialize, Serializer};

use crate::bytes::Span;
use crate::formats::reason::Reason;
use crate::nodes::code_unit::CodeOffset;
use crate::nodes::method::{self, MethodView, il_label};
use crate::nodes::{Instruction, Operand, OperandType, SequencePoint};
use crate::session::Session;
use crate::text::names::Names;

/// The instructions of a body, which are decoded while they are written.
pub(super) struct Instructions<'s> {
    pub(super) session: &'s Session,
    pub(super) view: Rc<MethodView>,
    pub(super) names: Option<Names<'s>>,
}

/// An instruction, or the error that ends the code.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "instruction"))]
#[serde(untagged)]
pub(super) enum InstructionJson<'i> {
    Decoded {
        offset: u32,
        opcode: &'static str,
        /// Encoded operand: a token, a number, `IL_0010`, or comma-separated switch targets; floating-point numbers are
        /// `0x` and their bytes in file order.
        #[cfg_attr(test, schemars(with = "Option<String>"))]
        operand: Option<Encoded<'i>>,
        /// Operand with names instead of tokens, if that differs.
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<Cow<'i, str>>,
    },
    Broken {
        offset: u32,
        error: Reason,
    },
}

pub(super) struct Encoded<'i>(Operand<'i>);

impl Serialize for Instructions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let body = self.view.body.iter();
        serializer.collect_seq(body.flat_map(|body| {
            method::instructions(self.session, body).map(move |found| match found {
                Ok(found) => self.decoded(&found),
                Err(error) => InstructionJson::Broken {
                    offset: method::offset_in(body, &error),
                    error: self.session.spaces().reason(&error),
                },
            })
        }))
    }
}

impl Instructions<'_> {
    fn decoded<'i>(&'i self, found: &Instruction<'i>) -> InstructionJson<'i> {
        let operand = match found.operand {
            Operand::None => None,
            Operand::Switch(targets) if targets.is_empty() => None,
            operand => Some(Encoded(operand)),
        };
        let text = self.text(found).filter(|text| {
            !text.is_empty() && operand.as_ref().is_none_or(|operand| operand.to_string() != text.as_ref())
        });
        InstructionJson::Decoded { offset: found.offset, opcode: found.opcode.name, operand, text }
    }

    /// Returns the operand with names; `None` for numbers and labels, which have none.
    fn text<'i>(&'i self, found: &Instruction<'i>) -> Option<Cow<'i, str>> {
        let make = || self.view.operand_by(self.session, self.names, found);
        Some(match found.operand {
            Operand::Integer(_) | Operand::Branch(_) => return None,
            // The token of a string is an offset, whatever table it names.
            Operand::Token(token) if found.opcode.operand != OperandType::InlineString => {
                self.names.map_or_else(|| make().into(), |names| names.cached_token(token))
            }
            Operand::None => self.view.variable_name(found.opcode.implied_variable()?, found).into(),
            Operand::Variable(variable) => self.view.variable_name(variable, found).into(),
            _ => make().into(),
        })
    }
}

impl fmt::Display for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Operand::None => Ok(()),
            Operand::Integer(number) => write!(f, "{number}"),
            Operand::Single(bits) => write!(f, "0x{:08x}", bits.swap_bytes()),
            Operand::Double(bits) => write!(f, "0x{:016x}", bits.swap_bytes()),
            Operand::Variable(variable) => write!(f, "{}", variable.number()),
            Operand::Branch(target) => f.write_str(&il_label(target)),
            Operand::Token(token) => write!(f, "{token}"),
            Operand::Switch(targets) => targets.iter().enumerate().try_for_each(|(index, target)| {
                let comma = if index > 0 { "," } else { "" };
                write!(f, "{comma}{}", il_label(target))
            }),
        }
    }
}

impl Serialize for Encoded<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

pub(super) struct PointsOf(pub(super) Rc<MethodView>);

/// A sequence point, or a line of native code; a hidden one has no lines and columns.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "sequence_point"))]
pub(super) struct PointJson {
    #[serde(flatten)]
    at: CodeOffset,
    /// Row of the document, 0 for none.
    document: u32,
    hidden: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u32>,
    /// In UTF-16 units, from 1; absent in native code without columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    /// Exclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<Span>,
}

impl Serialize for PointsOf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.points.iter().map(|point| PointJson::of(&self.0, point)))
    }
}

impl PointJson {
    fn of(view: &MethodView, point: &SequencePoint) -> Self {
        Self::at(CodeOffset::Il(point.offset), point, method::point_span(view, point))
    }

    /// A line of a native function, whose bytes are in `stream`.
    pub(super) fn native(point: &SequencePoint, stream: Span) -> Self {
        let span = stream.part(point.at.into(), point.len.into());
        let own = Self::at(CodeOffset::Offset(point.offset), point, Some(span));
        let start_column = own.start_column.filter(|column| *column > 0);
        let end_column = start_column.and(own.end_column).filter(|column| *column > 0);
        Self { start_column, end_column, ..own }
    }

    fn at(at: CodeOffset, point: &SequencePoint, span: Option<Span>) -> Self {
        let visible = |number: u32| (!point.is_hidden()).then_some(number);
        Self {
            at,
            document: point.document,
            hidden: point.is_hidden(),
            start_line: visible(point.start_line),
            start_column: visible(point.start_column),
            end_line: visible(point.end_line),
            end_column: visible(point.end_column),
            span,
        }
    }
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
        let (names, mut strings) = (session.names(), 0);
        for row in 1..=session.methods() {
            let view = Rc::new(method::without_instructions(&session, Token(0x0600_0000 | row)));
            let list = Instructions { session: &session, view: Rc::clone(&view), names };
            let found = view.body.iter().flat_map(|body| method::instructions(&session, body)).map(Result::unwrap);
            for found in found.filter(|found| matches!(found.opcode.name, "call" | "ldstr")) {
                // A compiler writes 0x70 for a string; the offset is the same.
                let found = Instruction { operand: Operand::Token(Token(0x0600_0001)), ..found };
                let text = list.text(&found).unwrap();
                let is_string = found.opcode.name == "ldstr";
                assert_eq!(text.starts_with('"'), is_string, "{text}");
                strings += usize::from(is_string);
            }
        }
        assert!(strings > 0);
    }
}

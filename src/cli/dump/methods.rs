//! Methods: names, bodies, sequence points.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::rc::Rc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::{Serialize, SerializeSeq, Serializer};

use super::super::json::{self, List, Room};
use super::super::values::{SpanText, TokenText};
use super::render;
use crate::nodes::method;
use crate::nodes::method::MethodView;
use crate::nodes::method::{il_label, region_kind};
use crate::nodes::{Operand, SequencePoint, TableId, Token};
use crate::session::Session;
use crate::symbols::{StateMachine, SymbolReader};

/// Limit on the cached names, so that memory stays bounded for images of any size.
const MAX_NAMES: usize = 50_000;

/// Cached names of tokens: most tokens occur many times.
type TokenNames = RefCell<HashMap<Token, String>>;

/// A MethodDef of the image, or a MethodDebugInformation of the symbols.
#[derive(serde::Serialize, JsonSchema)]
#[schemars(rename = "method")]
pub(super) struct MethodJson<'s> {
    token: TokenText,
    /// Name as reflection writes it, `Ns.Outer+Inner.Method`; with an image.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Name as C# writes it, `Ns.Outer.Inner.Method(long)`; with an image.
    #[serde(skip_serializing_if = "Option::is_none")]
    display: Option<String>,
    /// RVA of the body, 0 for none; with an image.
    #[serde(skip_serializing_if = "Option::is_none")]
    rva: Option<u32>,
    #[serde(flatten)]
    body: Option<BodyJson<'s>>,
    /// True if a part cannot be decoded.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    bad: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<String>,
    #[serde(flatten)]
    symbols: Option<PointsJson<'s>>,
}

/// The IL body of a method.
#[derive(serde::Serialize, JsonSchema)]
struct BodyJson<'s> {
    /// Bytes of IL.
    code_size: u32,
    max_stack: u16,
    init_locals: bool,
    local_signature: Option<TokenText>,
    /// Header, code and exception regions.
    body: SpanText,
    exception_regions: Vec<RegionJson>,
    il: Instructions<'s>,
}

#[derive(serde::Serialize, JsonSchema)]
#[schemars(rename = "exception_region")]
struct RegionJson {
    kind: &'static str,
    try_start: u32,
    try_length: u32,
    handler_start: u32,
    handler_length: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter_start: Option<u32>,
    catch_type: Option<TokenText>,
}

/// The instructions of a body, which are decoded while they are written.
struct Instructions<'s> {
    session: &'s Session,
    view: Rc<MethodView>,
    names: Rc<TokenNames>,
}

#[derive(serde::Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "instruction")]
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

/// Members of a method that come from the symbols.
#[derive(serde::Serialize, JsonSchema)]
struct PointsJson<'s> {
    /// Row of the document that all points share.
    document: Option<u32>,
    /// Offset of the sequence points in the blob heap.
    blob: Option<u32>,
    /// Position, from 1, of the hot-reload delta that has the points, among those named; absent for those of the base.
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<usize>,
    /// The async method or iterator whose body this is.
    kickoff: Option<TokenText>,
    /// The method that holds the body of this one.
    move_next: Option<TokenText>,
    /// Bytes of the sequence points.
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<SpanText>,
    points: List<'s, PointJson>,
}

/// A sequence point; a hidden one has no lines and columns.
#[derive(serde::Serialize, JsonSchema)]
#[schemars(rename = "sequence_point")]
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

/// Writes the member with every method, in the order of the rows, until `room` is used up. All processors make them.
pub(super) fn write(session: &Session, writer: &mut dyn Write, room: &Room) -> io::Result<()> {
    writer.write_all(b",\n\"methods\":[")?;
    let count = session.methods();
    let each = || {
        let names = Rc::new(TokenNames::default());
        move |row, writer: &mut render::Sender<'_>| {
            writer.write_all(if row == 1 { b"\n" } else { b",\n" })?;
            json::element(writer, &MethodJson::of(session, Token::new(TableId::METHOD_DEF, row), Rc::clone(&names)))
        }
    };
    if !room.is_full() {
        render::in_order(count, each, writer, &|| room.is_full())?;
    }
    writer.write_all(if count > 0 { b"\n]" } else { b"]" })
}

impl<'s> MethodJson<'s> {
    fn of(session: &'s Session, token: Token, names: Rc<TokenNames>) -> Self {
        let view = Rc::new(MethodView::of(session, token));
        let defined = session.metadata().filter(|metadata| token.row() <= metadata.rows(TableId::METHOD_DEF));
        let known = session.symbols().filter(|symbols| token.row() <= symbols.methods());
        Self {
            token: token.into(),
            name: defined.map(|_| session.names().map(|names| names.reflection_name(token)).unwrap_or_default()),
            display: defined.map(|_| session.method_name(token)),
            rva: defined.map(|metadata| metadata.table(TableId::METHOD_DEF).cell(token.row(), 0).unwrap_or(0)),
            body: BodyJson::of(session, &view, names),
            bad: !view.errors.is_empty(),
            errors: view.errors.iter().map(ToString::to_string).collect(),
            symbols: known.map(|symbols| PointsJson::of(session, symbols, view)),
        }
    }
}

impl<'s> BodyJson<'s> {
    fn of(session: &'s Session, view: &Rc<MethodView>, names: Rc<TokenNames>) -> Option<Self> {
        let body = view.body.as_ref()?;
        let regions = body.regions.iter().map(|region| RegionJson {
            kind: region_kind(region),
            try_start: region.tried.start,
            try_length: region.tried.len,
            handler_start: region.handler.start,
            handler_length: region.handler.len,
            filter_start: region.filter().map(|filter| filter.start),
            catch_type: region.class().and_then(some_token),
        });
        Some(Self {
            code_size: body.code_size,
            max_stack: body.max_stack,
            init_locals: body.init_locals,
            local_signature: some_token(body.local_signature),
            body: body.span.into(),
            exception_regions: regions.collect(),
            il: Instructions { session, view: Rc::clone(view), names },
        })
    }
}

impl Serialize for Instructions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { session, view, names } = self;
        let mut list = serializer.serialize_seq(Some(view.instructions.len()))?;
        let mut names = names.borrow_mut();
        let (mut operand, mut other);
        operand = String::new();
        for (offset, span) in &view.instructions {
            let found = match method::instruction(session, *offset, *span) {
                Ok(found) => found,
                Err(error) => {
                    list.serialize_element(&InstructionJson::Broken {
                        offset: *offset,
                        error: session.spaces().error_text(&error),
                    })?;
                    continue;
                }
            };
            operand.clear();
            write_operand(found.operand, &mut operand);
            let text = if let Operand::Token(token) = found.operand {
                if names.len() > MAX_NAMES {
                    names.clear();
                }
                names.entry(token).or_insert_with(|| view.operand(session, &found)).as_str()
            } else {
                other = view.operand(session, &found);
                other.as_str()
            };
            list.serialize_element(&InstructionJson::Decoded {
                offset: *offset,
                opcode: found.opcode.name,
                operand: Some(operand.as_str()).filter(|operand| !operand.is_empty()),
                text: Some(text).filter(|text| !text.is_empty() && *text != operand),
            })?;
        }
        list.end()
    }
}

impl JsonSchema for Instructions<'_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "instructions".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<InstructionJson<'_>>::json_schema(generator)
    }
}

/// Writes an encoded operand: tokens as tokens, floating-point numbers as their bytes.
fn write_operand(operand: Operand<'_>, out: &mut String) {
    let _ = match operand {
        Operand::None => Ok(()),
        Operand::Integer(number) => write!(out, "{number}"),
        Operand::Single(bits) => write!(out, "0x{:08x}", bits.swap_bytes()),
        Operand::Double(bits) => write!(out, "0x{:016x}", bits.swap_bytes()),
        Operand::Variable(variable) => write!(out, "{}", variable.number()),
        Operand::Branch(target) => write!(out, "{}", il_label(target)),
        Operand::Switch(targets) => targets
            .iter()
            .enumerate()
            .try_for_each(|(index, target)| write!(out, "{}{}", if index > 0 { "," } else { "" }, il_label(target))),
        Operand::Token(token) => write!(out, "{token}"),
    };
}

impl PointsJson<'_> {
    fn of(session: &Session, symbols: &dyn SymbolReader, view: Rc<MethodView>) -> Self {
        let token = view.of.token();
        Self {
            document: view.symbols.document,
            blob: view.symbols.blob,
            generation: session.generation_of(token).map(|(number, _)| number),
            kickoff: symbols.state_machine(StateMachine::MoveNext(token)).map(Into::into),
            move_next: symbols.state_machine(StateMachine::Kickoff(token)).map(Into::into),
            span: view.symbols.points.map(Into::into),
            points: List::each(move |emit| view.points.iter().try_for_each(|point| emit(PointJson::of(&view, point)))),
        }
    }
}

impl PointJson {
    fn of(view: &MethodView, point: &SequencePoint) -> Self {
        let visible = !point.is_hidden();
        Self {
            il: point.offset,
            document: point.document,
            hidden: !visible,
            start_line: visible.then_some(point.start_line),
            start_column: visible.then_some(point.start_column),
            end_line: visible.then_some(point.end_line),
            end_column: visible.then_some(point.end_column),
            span: view.symbols.points.map(|blob| blob.part(point.at as u64, point.len as u64).into()),
        }
    }
}

fn some_token(token: Token) -> Option<TokenText> {
    (!token.is_nil()).then(|| token.into())
}

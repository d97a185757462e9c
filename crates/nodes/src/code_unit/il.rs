//! Views of methods of IL, and the words for what is in them.

use crate::code_unit::view::MethodView;
use crate::place::{CodeUnit, MethodPart, Place, Side, il_label};
use pdblens_formats::bytes::{Error, ErrorKind, Result, Slice, Span, count_work};
use pdblens_formats::il::{
    Body, ExceptionRegion, Instruction, Instructions, Operand, OperandType, RegionKind, Variable,
};
use pdblens_formats::metadata::{Heap, Metadata, TableId, Token};
use pdblens_formats::sequence_point::{SequencePoint, signed};
use pdblens_session::session::Session;
use pdblens_session::symbols::{Scope, Variable as Local};
use pdblens_session::text::constant::{quoted, units};
use pdblens_session::text::names::Names;
use pdblens_session::text::parameters::name_and_types;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::utf8;
use std::ops::ControlFlow;

/// Number of bytes that are read at first for a method body: most bodies are shorter.
const MOST_BODIES: u64 = 0x1000;

/// View of a method of IL, decoded; an empty one where there is none.
pub(crate) fn method_view(session: &Session, token: Token) -> MethodView {
    let mut view = view_with(session, token, scopes);
    add_arguments(session, token, &mut view);
    if let Some(body) = &view.body {
        view.instructions = instruction_spans(session, body).collect();
    }
    view
}

/// IL offset of an error in the code of a body.
pub fn offset_in(body: &Body, error: &Error) -> u32 {
    error.span.start.saturating_sub(body.code.start) as u32
}

/// The view without its list of instructions, for a caller that decodes them one after the other. The types of constants are not named:
/// instructions do not refer to them. In a Windows PDB they decide how a value is written.
pub fn without_instructions(session: &Session, token: Token) -> MethodView {
    let mut view = points_and_scopes(session, token);
    add_arguments(session, token, &mut view);
    view
}

/// The same without the names of arguments, for a caller that shows none.
pub fn points_and_scopes(session: &Session, token: Token) -> MethodView {
    let names = session.names();
    let name = |token: Token| match names {
        Some(names) if token.table() == TableId::STAND_ALONE_SIG => names.token(token),
        _ => String::new(),
    };
    view_with(session, token, |session, method| scopes_by(session, method, &name))
}

fn view_with(
    session: &Session,
    token: Token,
    scopes: impl FnOnce(&Session, Token) -> Result<Vec<Scope>>,
) -> MethodView {
    let mut view = MethodView { of: CodeUnit::Method(token), ..MethodView::default() };
    if let Some(symbols) = session.symbols().filter(|symbols| token.row() <= symbols.methods()) {
        view.symbols = view.keep(symbols.method(token)).unwrap_or_default();
        // Most points take five bytes or more.
        let bytes = view.symbols.points.map_or(0, |span| span.len);
        let mut points = Vec::with_capacity((bytes / 5).min(256) as usize);
        let read = symbols.points(token, &mut |point| {
            points.push(point);
            ControlFlow::Continue(())
        });
        view.points_error = read.as_ref().err().cloned();
        view.keep(read);
        view.points = points.into();
        view.scopes = view.keep(scopes(session, token)).unwrap_or_default();
    }
    match body(session, token) {
        Ok(Some(body)) => {
            view.errors.extend(body.problems.iter().cloned());
            (view.size, view.code) = (Some(body.code_size), Some(body.code));
            view.body = Some(body);
        }
        Ok(None) if session.mdb().is_none() => view.size = recorded_size(&view),
        Ok(None) => {}
        Err(error) => view.errors.push(error),
    }
    view
}

fn add_arguments(session: &Session, token: Token, view: &mut MethodView) {
    view.arguments = arguments(session, token);
    name_arguments(&mut view.arguments, &view.scopes);
}

/// Size of the code by the symbols: the only outermost scope, from 0 on, is all of the method. A `.mdb` has no such scope.
fn recorded_size(view: &MethodView) -> Option<u32> {
    let mut outermost = view.scopes.iter().filter(|scope| scope.depth == 0);
    let (Some(whole), None) = (outermost.next(), outermost.next()) else { return None };
    let is_whole = whole.start == 0 && view.points.iter().all(|point| point.offset < whole.length);
    is_whole.then_some(whole.length)
}

pub fn scopes(session: &Session, method: Token) -> Result<Vec<Scope>> {
    let names = session.names();
    let name = |token: Token| match names {
        // The type of a constant of a Windows PDB is a signature of its own.
        Some(names) if token.table() == TableId::STAND_ALONE_SIG => names.token(token),
        Some(names) => names.type_name(token),
        None => token.to_string(),
    };
    let mut scopes = scopes_by(session, method, &name)?;
    for constant in scopes.iter_mut().flat_map(|scope| &mut scope.constants) {
        if constant.value.starts_with("default(") && is_reference(session, constant.type_signature) {
            "null".clone_into(&mut constant.value);
        }
    }
    Ok(scopes)
}

/// The scopes of a method, types named by `name`.
fn scopes_by(session: &Session, method: Token, name: &dyn Fn(Token) -> String) -> Result<Vec<Scope>> {
    let mut scopes = session.symbols().map_or_else(|| Ok(Vec::new()), |symbols| symbols.scopes(method, name))?;
    if let Some(whole) = scopes.iter_mut().find(|scope| scope.is_unbounded())
        && let Ok(Some(body)) = body(session, method)
    {
        whole.length = body.code_size;
    }
    Ok(scopes)
}

/// Range of a scope, whose end is exclusive: `IL_0001..IL_0010`.
pub fn scope_text(scope: &Scope) -> String {
    let end = if scope.is_unbounded() { "the end".to_owned() } else { il_label(scope.end() as i64) };
    format!("{}..{end}", il_label(scope.start.into()))
}

/// Returns true if a signature of a constant is a class, an array or another type whose values are references.
fn is_reference(session: &Session, signature: Option<Token>) -> bool {
    let Some((metadata, token)) = session.metadata().zip(signature) else { return false };
    let Ok(blob) = metadata.blob_cell(TableId::STAND_ALONE_SIG, token.row(), 0) else { return false };
    // FIELD, then the type (ECMA-335 II.23.1.16): STRING, CLASS, ARRAY, OBJECT, SZARRAY, GENERICINST of CLASS.
    matches!(blob.data, [6, 0x0e | 0x12 | 0x14 | 0x1c | 0x1d, ..] | [6, 0x15, 0x12, ..])
}

/// The body of a method; `None` where it has none: abstract, not written in IL, or changed by a hot-reload delta.
pub fn body(session: &Session, token: Token) -> Result<Option<Body>> {
    let Some((image, metadata)) = session.image().and_then(|image| Some((image, image.metadata.as_ref()?))) else {
        return Ok(None);
    };
    let table = metadata.table(TableId::METHOD_DEF);
    // The code that the points of a delta are of is in the delta's own IL, which is not open.
    let is_changed = session.portable_pdb().is_some_and(|pdb| pdb.newest(token.row()).is_some());
    if token.row() > table.rows() || is_changed {
        return Ok(None);
    }
    let (rva, flags) = (table.cell(token.row(), 0)?, table.cell(token.row(), 1)?);
    // The low two bits say what the code is: 0 is IL.
    if rva == 0 || flags & 3 != 0 {
        return Ok(None);
    }
    let body = match Body::parse(image.pe.near_rva(rva, MOST_BODIES)?) {
        Ok(body) if body.problems.is_empty() => body,
        _ => Body::parse(image.pe.rest_at_rva(rva)?)?,
    };
    count_work(body.code.len);
    Ok(Some(body))
}

pub fn instructions<'s>(session: &'s Session, body: &Body) -> Instructions<'s> {
    Instructions::new(image_bytes(session, body.code).unwrap_or_default())
}

/// IL offset and bytes of each instruction of a body, and of bytes that are none.
pub(crate) fn instruction_spans<'s>(session: &'s Session, body: &'s Body) -> impl Iterator<Item = (u32, Span)> {
    instructions(session, body).map(|found| match found {
        Ok(instruction) => (instruction.offset, instruction.span),
        Err(error) => (offset_in(body, &error), error.span),
    })
}

pub fn instruction(session: &Session, offset: u32, span: Span) -> Result<Instruction<'_>> {
    Instruction::decode(&mut image_bytes(session, span)?.cursor(), offset)
}

pub fn image_bytes(session: &Session, span: Span) -> Result<Slice<'_>> {
    match session.image() {
        Some(image) => image.pe.bytes(span),
        None => Err(Error::new(ErrorKind::UnexpectedEnd { wanted: span.len, left: 0 }, span)),
    }
}

/// The names of a method's arguments: `this` first, where there is one.
fn arguments(session: &Session, token: Token) -> Vec<String> {
    let Some(metadata) = session.metadata().filter(|m| !token.is_nil() && token.row() <= m.rows(TableId::METHOD_DEF))
    else {
        return Vec::new();
    };
    let mut names = if is_static(metadata, token) { Vec::new() } else { vec!["this".to_owned()] };
    let first = names.len();
    for row in metadata.list(TableId::METHOD_DEF, token.row(), 5, TableId::PARAM) {
        let row = metadata.through_pointer(TableId::PARAM, row);
        let Ok(sequence) = metadata.table(TableId::PARAM).cell(row, 1) else { break };
        let Some(index) = (sequence as usize).checked_sub(1).map(|index| index + first) else { continue };
        if index > names.len() + 255 {
            continue;
        }
        if names.len() <= index {
            names.resize(index + 1, String::new());
        }
        if let (Some(slot), Ok(name)) = (names.get_mut(index), metadata.string_cell(TableId::PARAM, row, 2)) {
            *slot = utf8(name.data).into_owned();
        }
    }
    names
}

fn is_static(metadata: &Metadata, method: Token) -> bool {
    metadata.table(TableId::METHOD_DEF).cell(method.row(), 2).is_ok_and(|flags| flags & 0x10 != 0)
}

/// The type of an argument, counted with `this`; empty for `this`.
fn argument_type(session: &Session, method: Token, index: usize) -> String {
    let (Some(metadata), Some(names)) = (session.metadata(), session.names()) else { return String::new() };
    let this = usize::from(!is_static(metadata, method));
    let Some(parameter) = index.checked_sub(this) else { return String::new() };
    name_and_types(&names.method(method)).1.get(parameter).copied().unwrap_or_default().to_owned()
}

/// Names arguments by the symbols where the metadata has no name: C++/CLI writes few rows of Param.
fn name_arguments(arguments: &mut Vec<String>, scopes: &[Scope]) {
    for variable in scopes.iter().flat_map(|scope| &scope.variables) {
        let index = usize::from(variable.slot);
        if !variable.is_argument || index > 255 {
            continue;
        }
        if arguments.len() <= index {
            arguments.resize(index + 1, String::new());
        }
        if let Some(name) = arguments.get_mut(index)
            && name.is_empty()
        {
            name.clone_from(&variable.name);
        }
    }
}

impl MethodView {
    /// The types of its local variables, by slot.
    pub fn local_types(&self, session: &Session) -> &[String] {
        self.local_types.get_or_init(|| match (&self.body, session.names()) {
            (Some(body), Some(names)) => names.locals(body.local_signature),
            _ => Vec::new(),
        })
    }

    /// Type of a variable: from the local signature, or of an argument from the method's; empty for a field of a state machine.
    pub fn type_of(&self, session: &Session, variable: &Local) -> String {
        let slot = usize::from(variable.slot);
        if variable.is_argument {
            return argument_type(session, self.of.token(), slot);
        }
        if variable.is_field() {
            return String::new();
        }
        self.local_types(session).get(slot).cloned().unwrap_or_default()
    }

    /// Name of the variable that an instruction accesses; empty where it has none.
    pub fn variable_name(&self, variable: Variable, instruction: &Instruction<'_>) -> &str {
        match variable {
            Variable::Argument(number) => self.arguments.get(number as usize).map_or("", String::as_str),
            // A variable's scope begins after the store that gives it its first value.
            Variable::Local(slot) => self
                .local_name(slot, instruction.offset)
                .or_else(|| self.local_name(slot, instruction.next()))
                .unwrap_or_default(),
        }
    }

    /// The operand of one of its instructions as a .NET developer reads it: names for tokens, variables and targets.
    pub fn operand(&self, session: &Session, instruction: &Instruction<'_>) -> String {
        self.operand_by(session, session.names(), instruction)
    }

    /// The same for where there is little room.
    pub fn brief_operand(&self, session: &Session, instruction: &Instruction<'_>) -> String {
        self.operand_by(session, session.names().map(Names::brief), instruction)
    }

    /// The same with names of the caller.
    pub fn operand_by(&self, session: &Session, names: Option<Names<'_>>, instruction: &Instruction<'_>) -> String {
        let named = |variable| self.variable_name(variable, instruction).to_owned();
        match instruction.operand {
            Operand::None => instruction.opcode.implied_variable().map(named).unwrap_or_default(),
            Operand::Integer(number) => number.to_string(),
            Operand::Single(bits) => format!("{:?}", f32::from_bits(bits)),
            Operand::Double(bits) => format!("{:?}", f64::from_bits(bits)),
            Operand::Variable(variable) => match (named(variable), variable) {
                (name, Variable::Argument(number) | Variable::Local(number)) if name.is_empty() => number.to_string(),
                (name, _) => name,
            },
            Operand::Branch(target) => il_label(target),
            Operand::Switch(targets) => {
                let shown: Vec<String> = targets.iter().take(32).map(il_label).collect();
                let more = if targets.len() > 32 { ", …" } else { "" };
                format!("({}{more})", shown.join(", "))
            }
            Operand::Token(token) if instruction.opcode.operand == OperandType::InlineString => {
                match session.metadata() {
                    Some(metadata) => {
                        let text = metadata.heaps.user_string(token.row()).unwrap_or_default();
                        quoted('"', units(text))
                    }
                    None => token.to_string(),
                }
            }
            Operand::Token(token) => names.map_or_else(|| token.to_string(), |names| names.token(token)),
        }
    }
}

/// Number of points of a method, and the document of the first.
pub(crate) fn point_count(session: &Session, method: Token) -> (u32, Option<u32>) {
    let (mut count, mut document) = (0_u32, None);
    if let Some(symbols) = session.symbols() {
        // A method whose points cannot be decoded has those that could.
        let _ = symbols.points(method, &mut |point| {
            count += 1;
            document = document.or(Some(point.document).filter(|row| *row > 0));
            ControlFlow::Continue(())
        });
    }
    (count, document)
}

pub fn operand_place(method: Token, found: &Instruction<'_>) -> Option<Place> {
    match found.operand {
        Operand::Branch(target) => {
            u32::try_from(target).ok().map(|target| Place::MethodPart(method, MethodPart::Instruction(target)))
        }
        Operand::Token(token) if found.opcode.operand == OperandType::InlineString => {
            Some(Place::HeapEntry(Side::Image, Heap::UserStrings, token.row()))
        }
        Operand::Token(token) if token.table() == TableId::METHOD_DEF && !token.is_nil() => Some(Place::Method(token)),
        Operand::Token(token) if token.table().def().is_some() && !token.is_nil() => {
            Some(Place::row(token.table(), token.row()))
        }
        _ => None,
    }
}

pub fn point_span(view: &MethodView, point: &SequencePoint) -> Option<Span> {
    view.symbols.points.map(|blob| blob.part(point.at as u64, point.len as u64))
}

/// First and last visible point of a method, by their lines.
pub fn point_extent(session: &Session, method: Token) -> Result<Option<(SequencePoint, SequencePoint)>> {
    let mut extent: Option<(SequencePoint, SequencePoint)> = None;
    if let Some(symbols) = session.symbols().filter(|symbols| (1..=symbols.methods()).contains(&method.row())) {
        symbols.points(method, &mut |point| {
            if !point.is_hidden() {
                let (first, last) = extent.unwrap_or((point, point));
                let earlier = point.document == first.document && point.start_line < first.start_line;
                let later = point.document == first.document && point.end_line > last.end_line;
                extent = Some((if earlier { point } else { first }, if later { point } else { last }));
            }
            ControlFlow::Continue(())
        })?;
    }
    Ok(extent)
}

/// A point's lines and columns: `13:13–13:35`, or `hidden`.
pub fn range_text(point: &SequencePoint) -> String {
    if point.is_hidden() {
        return "hidden".to_owned();
    }
    lines_text([point.start_line, point.start_column, point.end_line, point.end_column])
}

/// First line and column, last line and the column after the last, which are negative where a delta leads below 0; 0 for a column
/// that is not known.
pub fn lines_text(numbers: [u32; 4]) -> String {
    let [start_line, start_column, end_line, end_column] = numbers.map(signed);
    match (start_column, end_column) {
        // Without columns, lines are all that there is.
        (0, _) if end_line <= start_line => start_line.to_string(),
        (0, _) => format!("{start_line}–{end_line}"),
        // Mono and clang write no end.
        (_, 0) => format!("{start_line}:{start_column}"),
        _ => format!("{start_line}:{start_column}–{end_line}:{end_column}"),
    }
}

/// When a region's handler runs, in a word.
pub fn region_kind(region: &ExceptionRegion) -> &'static str {
    match region.kind {
        RegionKind::Catch { .. } => "catch",
        RegionKind::Filter { .. } => "filter",
        RegionKind::Finally => "finally",
        RegionKind::Fault => "fault",
        RegionKind::Unknown { .. } => "unknown",
    }
}

pub(crate) fn first_line(session: &Session, method: Token) -> Option<String> {
    let (point, _) = point_extent(session, method).ok()??;
    Some(format!("{}:{}", file_name(&document_name(session, point.document)?), point.start_line))
}

/// Path of a document, counted from 1.
pub fn document_name(session: &Session, row: u32) -> Option<String> {
    session.symbol_file()?.content.document_name(row).ok()
}

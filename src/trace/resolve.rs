//! Resolution of a frame to a source line.

use super::frame::{Frame, Module, Offset};
use super::library::{Key, Library, Pair};
use super::names::{agree, plain};
use super::production::Footer;
use crate::formats::il::Instruction;
use crate::formats::metadata::{TableId, Token};
use crate::nodes::SequencePoint;
use crate::nodes::code_unit;
use crate::nodes::code_unit::CodeUnit;
use crate::nodes::document;
use crate::nodes::function::NativeView;
use crate::nodes::method;
use crate::nodes::method::il_label;
use crate::nodes::resolve;
use crate::query::where_is;
use crate::query::where_is::explain_text;
use crate::query::where_is::hop::{self, Hop};
use crate::query::where_is::state_machine;

/// The most candidates that are named.
const MAX_CANDIDATES: usize = 16;

/// Outcome of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its line is known now.
    Resolved(Box<Resolved>),
    /// The trace has its line already.
    Known,
    /// Several methods match, or one without an offset; the text is the reason.
    Candidates(Vec<Candidate>, String),
    /// It cannot be resolved, and why.
    No(String),
}

/// Resolved location of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The path of the document.
    pub path: String,
    /// The first line of the sequence point.
    pub line: u32,
    /// Its first column.
    pub column: u32,
    /// Its last line.
    pub end_line: u32,
    /// The column behind its last.
    pub end_column: u32,
    /// The method or function whose code that is.
    pub of: CodeUnit,
    /// Its name.
    pub name: String,
    /// IL offset in the method, or offset of the machine code in the function.
    pub offset: u32,
    /// The symbols that say so.
    pub symbols: String,
    /// The pair that they are of: [`Tracer::pair`](super::Tracer::pair) has it.
    pub pair: usize,
    /// Notes on the resolution.
    pub notes: Vec<String>,
}

/// A method that a frame could mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The method.
    pub method: Token,
    /// Its name.
    pub name: String,
    /// The symbols that know it.
    pub symbols: String,
    /// The pair that they are of.
    pub pair: usize,
    /// Path, first line and last line of its source.
    pub lines: Option<(String, u32, u32)>,
}

/// Context of a frame in its trace.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trace<'t> {
    /// The footers behind it.
    pub(crate) footers: &'t [Footer],
    /// The previous frame, which this one called, started a state machine: then this is the kickoff method, and
    /// not the body that goes by the same name.
    pub(crate) started: bool,
}

/// Returns whether a method starts state machines: `AsyncMethodBuilderCore.Start[TStateMachine]` and its like.
pub(crate) fn starts(name: &str) -> bool {
    name.contains("MethodBuilder") && plain(name).ends_with(".Start")
}

impl Library {
    /// Resolves a frame of a trace.
    pub(crate) fn resolve(&mut self, frame: &Frame, trace: &Trace<'_>) -> Outcome {
        if let Some(inner) = frame.inner.as_deref().filter(|inner| *inner != "MoveNext") {
            return Outcome::No(format!("it is in {inner} of a state machine, to which no source belongs"));
        }
        let (il, exact) = match frame.offset {
            Offset::Line(_) => return Outcome::Known,
            Offset::Native(offset) if matches!(frame.module, Module::File(_)) => return self.function(frame, offset),
            Offset::Native(offset) => {
                return Outcome::No(format!(
                    "{offset:#x} is an offset of machine code: which IL that was is known to the process and its dump, \
                     not to symbols of IL"
                ));
            }
            Offset::None => return self.candidates(frame),
            Offset::Il(u32::MAX) | Offset::ExactIl(u32::MAX) => {
                return Outcome::No("the runtime did not know the offset".to_owned());
            }
            Offset::Il(il) => (il, trace.started),
            Offset::ExactIl(il) => (il, true),
        };
        let mut notes = Vec::new();
        let key = match Self::key(frame, trace.footers, &mut notes) {
            Ok(key) => key,
            Err(reason) => return Outcome::No(reason),
        };
        let pairs = match &key {
            Some(key) => match self.find(key) {
                Ok(pair) => vec![pair],
                Err(reason) => return Outcome::No(reason),
            },
            None => self.all(),
        };
        if let (Some(token), None) = (frame.token, &key) {
            return Outcome::No(format!("nothing says which module {token} is of"));
        }
        let proven = key.as_ref().is_some_and(Key::is_proof);
        match frame.token {
            Some(token) => {
                let Some(pair) = pairs.first().and_then(|index| self.pair(*index)) else {
                    return Outcome::No("no symbols were found".to_owned());
                };
                if let Err(reason) = pair.check_token(frame, token, proven) {
                    return Outcome::No(reason);
                }
                pair.line(token, il, exact, notes)
            }
            None => self.by_name(frame, il, &pairs, notes),
        }
    }

    /// Returns the key of the frame's module; `None` where nothing identifies it.
    fn key(frame: &Frame, footers: &[Footer], notes: &mut Vec<String>) -> Result<Option<Key>, String> {
        Ok(match &frame.module {
            Module::Unknown => None,
            Module::File(name) => {
                notes.push(format!("{name} by name: nothing in the trace says which build"));
                Some(Key::Name(name.clone()))
            }
            Module::Footer(short) => match footers.iter().find(|footer| footer.short == *short) {
                Some(Footer { id: Some((guid, age)), assembly, file, .. }) => {
                    notes.push(format!("{assembly} by the id in its footer, {guid}"));
                    Some(Key::Id(*guid, *age, file.clone().unwrap_or_else(|| assembly.clone())))
                }
                Some(footer) => {
                    notes.push(format!("{} by name: its footer has no id", footer.assembly));
                    Some(Key::Name(footer.assembly.clone()))
                }
                None => {
                    notes.push(format!("{short} by name: the trace has no footer for it"));
                    Some(Key::Name(short.clone()))
                }
            },
            Module::Mvid(mvid) if mvid.is_nil() => {
                return Err(
                    "a module id of zeros: IL2CPP writes that, which keeps neither module nor IL offset".to_owned()
                );
            }
            Module::Mvid(mvid) => {
                notes.push(format!("module by its version id {mvid}"));
                Some(Key::Mvid(*mvid))
            }
            Module::Symbols(guid, rest, name) => {
                notes.push(format!("{name} by its id {guid}"));
                Some(Key::Id(*guid, *rest, name.clone()))
            }
        })
    }

    /// The line of a frame that names its method and has no token.
    fn by_name(&self, frame: &Frame, il: u32, pairs: &[usize], mut notes: Vec<String>) -> Outcome {
        let mut matching: Vec<(&Pair, Token)> = Vec::new();
        for pair in pairs.iter().filter_map(|index| self.pair(*index)) {
            let methods = pair.methods_meant(&frame.name, frame.parameters.as_deref());
            matching.extend(methods.into_iter().map(|method| (pair, method)));
        }
        if matching.len() > 1 {
            // In most of several the offset would be past the end, or in the middle of an instruction.
            let possible: Vec<_> =
                matching.iter().copied().filter(|(pair, method)| pair.is_possible(*method, il)).collect();
            if possible.len() < matching.len() && !possible.is_empty() {
                notes.push(format!(
                    "of {} methods of that name only {} can have that offset",
                    matching.len(),
                    possible.len()
                ));
                matching = possible;
            }
        }
        match matching.as_slice() {
            [] => Outcome::No(format!("no method {} was found in the symbols at hand", frame.name)),
            [(pair, method)] => {
                notes.push(format!("{method} by its name"));
                pair.line(*method, il, false, notes)
            }
            several => Outcome::Candidates(
                several.iter().take(MAX_CANDIDATES).map(|(pair, method)| pair.candidate(*method)).collect(),
                format!("{} methods match", several.len()),
            ),
        }
    }

    /// Resolves a frame of native code.
    fn function(&mut self, frame: &Frame, offset: u64) -> Outcome {
        let mut notes = Vec::new();
        let found = match Self::key(frame, &[], &mut notes) {
            Ok(Some(key)) => self.find(&key),
            Ok(None) => Err("nothing says which module it is in".to_owned()),
            Err(reason) => Err(reason),
        };
        match found.map(|index| self.pair(index)) {
            Ok(Some(pair)) => pair.function_line(&frame.name, offset, notes),
            Ok(None) => Outcome::No("no symbols were found".to_owned()),
            Err(reason) => Outcome::No(reason),
        }
    }

    /// The methods that a frame of which only the name is known could mean.
    fn candidates(&mut self, frame: &Frame) -> Outcome {
        let pairs = self.all();
        let mut found = Vec::new();
        for pair in pairs.iter().filter_map(|index| self.pair(*index)) {
            for method in pair.methods_meant(&frame.name, frame.parameters.as_deref()) {
                let body = state_machine::move_next(&pair.session, method).unwrap_or(method);
                if found.len() < MAX_CANDIDATES {
                    found.push(pair.candidate(body));
                }
            }
        }
        if found.is_empty() {
            return Outcome::No(format!(
                "no IL offset in the frame, and no method {} in the loaded symbols",
                frame.name
            ));
        }
        Outcome::Candidates(found, "no IL offset in the frame: its line cannot be determined".to_owned())
    }
}

impl Pair {
    /// Checks that a token can be that of a frame.
    fn check_token(&self, frame: &Frame, token: Token, proven: bool) -> Result<(), String> {
        let session = &self.session;
        if token.table() != TableId::METHOD_DEF || token.is_nil() || token.row() > session.methods() {
            let methods = session.methods();
            return Err(format!("{} does not match: no method {token} among its {methods}", self.path()));
        }
        let Some(names) = session.names().filter(|_| !proven && !frame.name.is_empty()) else { return Ok(()) };
        let (full, written) = (names.reflection_name(token), plain(&frame.name));
        if agree(&full, &written) {
            return Ok(());
        }
        Err(format!("{} does not match: {token} is {full} there, not {}", self.path(), frame.name))
    }

    /// Returns whether an IL offset can be one of `method`, or of the method with its body.
    fn is_possible(&self, method: Token, il: u32) -> bool {
        let body = state_machine::move_next(&self.session, method).unwrap_or(method);
        match method::body(&self.session, body) {
            Ok(Some(found)) => {
                let mut instructions = method::instructions(&self.session, &found).filter_map(Result::ok);
                instructions.any(|Instruction { offset, .. }| offset == il)
            }
            _ => true,
        }
    }

    /// The line of an IL offset.
    fn line(&self, token: Token, il: u32, exact: bool, mut notes: Vec<String>) -> Outcome {
        let session = &self.session;
        let size = |method: Token| method::body(session, method).ok().flatten().map(|body| body.code_size);
        let mut method = token;
        if let Some(move_next) = state_machine::move_next(session, token).filter(|_| !exact) {
            notes.push(Hop::to_body(session, token, move_next).text());
            if size(token).is_some_and(|size| il < size) {
                notes.push(format!("it could also be one of {token} itself, which has no lines"));
            }
            method = move_next;
        }
        if let Some(size) = size(method).filter(|size| il >= *size) {
            let at = il_label(il.into());
            return Outcome::No(format!(
                "{} does not match: {at} is past the end of {method}, which has {size:#x} bytes of IL",
                self.path()
            ));
        }
        notes.extend(hop::to_record(session, method.into()).iter().map(Hop::text));
        let found = where_is::points_around(session, method, il);
        let Some(point) = found.shown() else {
            let reason = match (found.error, state_machine::move_next(session, method)) {
                (Some(error), _) => format!("the sequence points of {method} cannot be read: {error}"),
                (None, Some(body)) => {
                    format!("{method} has no lines: it only starts {} ({body})", session.method_name(body))
                }
                (None, None) if found.number > 0 => {
                    format!("all sequence points of {method} are hidden: no source belongs to it")
                }
                (None, None) => format!("{method} has no sequence points: no source belongs to it"),
            };
            return Outcome::No(reason);
        };
        if found.visible.is_none() {
            notes.push("it begins with hidden code: this is the first line that is not hidden".to_owned());
        } else if found.covering.is_some_and(|point| point.is_hidden()) {
            notes.push("the point there is hidden: this is the last one before it that is not".to_owned());
        }
        self.resolved(method.into(), il, point, notes)
    }

    /// The line of a point of a method or a function.
    fn resolved(&self, of: CodeUnit, offset: u32, point: SequencePoint, notes: Vec<String>) -> Outcome {
        let Some(path) = document::name(&self.session, point.document) else {
            return Outcome::No(format!("there is no document {}", point.document));
        };
        Outcome::Resolved(Box::new(Resolved {
            path,
            line: point.start_line,
            column: point.start_column,
            end_line: point.end_line,
            end_column: point.end_column,
            of,
            name: code_unit::name(&self.session, of),
            offset,
            symbols: self.path(),
            pair: self.number,
            notes,
        }))
    }

    /// The line of an offset of the machine code of a function.
    fn function_line(&self, name: &str, offset: u64, mut notes: Vec<String>) -> Outcome {
        let session = &self.session;
        if NativeView::of(session).is_none() {
            return Outcome::No(format!("{} is not of native code, and {offset:#x} is an offset of that", self.path()));
        }
        let (rva, offset) = match (resolve::functions_named(session, name).as_slice(), u32::try_from(offset)) {
            ([rva], Ok(offset)) => (*rva, offset),
            ([], _) => return Outcome::No(format!("{} has no function {name}", self.path())),
            (several, _) => return Outcome::No(format!("{name} could be any of {} functions", several.len())),
        };
        let of = CodeUnit::Function(rva);
        let answer = where_is::where_is(session, of, offset);
        let Some(point) = answer.shown() else {
            return Outcome::No(explain_text::sentences(session, &answer).into_iter().next().unwrap_or_default());
        };
        // A frame that called another is where the call returns to.
        let before = offset.checked_sub(1).and_then(|before| where_is::points_around(session, of, before).shown());
        if let Some(call) = before.filter(|call| call.start_line != point.start_line) {
            notes.push(format!("as the address that a call returns to it could also be line {}", call.start_line));
        }
        self.resolved(of, offset, point, notes)
    }

    fn candidate(&self, method: Token) -> Candidate {
        let session = &self.session;
        let lines = where_is::point_extent(session, method).ok().flatten().and_then(|(first, last)| {
            Some((document::name(session, first.document)?, first.start_line, last.end_line))
        });
        Candidate { method, name: session.method_name(method), symbols: self.path(), pair: self.number, lines }
    }
}

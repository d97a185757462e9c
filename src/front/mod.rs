//! The front of the library: an open pair, the questions that can be asked of it, and their answers.

mod answers;
mod error;
mod files;
mod input;
mod sources;
mod trace;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pdblens_formats::bytes::Guid;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::document;
use pdblens_nodes::function::{InlinedCall, NativeView};
use pdblens_nodes::method::MethodView;
use pdblens_query::address::{self, OffsetQuery, line_query, offset_at};
use pdblens_query::ask::parse_address;
use pdblens_query::breakpoint::{Judge, LinePart, Sign, bind};
use pdblens_query::check;
use pdblens_query::native_where::at_address;
use pdblens_query::where_is::{LocalKind, Position, where_is};
use pdblens_session::session::{PdbMatch, Session};
use pdblens_session::source::{SourceOptions, Sources};
use pdblens_session::store::{SymbolPath, SymbolPaths};
use pdblens_session::symbols::StateMachine;
use pdblens_session::text::guids;
use pdblens_session::text::paths::without_passwords;
use pdblens_session::text::safe::{hex, utf8};

pub use answers::{
    Address, Binding, Breakpoint, Code, Diagnosis, Document, DocumentText, Finding, Frame, Function, Grade, Hit, Line,
    LocalVariable, Location, Method, PdbFormat, Rule, SourceVerdict, Storage, StoreKey, Trace, Verdict,
};
pub use error::Error;
pub use input::Input;
pub use pdblens_formats::bytes::Memory;
pub use pdblens_formats::reason::Reason;
pub use pdblens_query::check::Level;
pub use trace::resolve_trace;

/// An image and its symbols, or one of the two. Clones share what was read; questions can be asked from several threads.
#[derive(Clone, Debug)]
pub struct Symbols {
    session: Arc<Session>,
}

impl Symbols {
    /// Opens an image or a symbol file, and the other half of the pair beside it or inside it. Nothing is downloaded.
    ///
    /// With the feature `packages` the path may be that of a file in a package: `Acme.1.2.0.nupkg!lib/net8.0/Acme.dll`.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::of(Session::open(&[path.as_ref().to_owned()])?)
    }

    /// Opens an image like [`open`](Self::open). Symbols that are not beside it are looked for along a symbol path, as `_NT_SYMBOL_PATH` has one:
    /// folders, symbol stores and packages, separated by `;`. Servers are not asked.
    pub fn open_along(path: impl AsRef<Path>, symbol_path: &str) -> Result<Self, Error> {
        let paths = SymbolPaths { named: SymbolPath::parse(symbol_path), ..SymbolPaths::default() };
        let session = Session::open(&[path.as_ref().to_owned()])?;
        Self::of(paths.complete(session, None, &mut |_, _| ControlFlow::Continue(()))?.0)
    }

    /// Opens an image and a symbol file, whether they match or not.
    pub fn open_pair(image: impl Into<PathBuf>, symbols: impl Into<PathBuf>) -> Result<Self, Error> {
        Self::of(Session::open(&[image.into(), symbols.into()])?)
    }

    /// Opens files in memory: an image, its symbols, or both. No other file is looked for.
    pub fn from_memory(files: impl IntoIterator<Item = Input>) -> Result<Self, Error> {
        Self::of(Session::from_bytes(files.into_iter().map(|file| (file.path, file.bytes)).collect())?)
    }

    fn of(session: Session) -> Result<Self, Error> {
        if session.image().is_none() && session.symbols().is_none() {
            return Err(Error::new("nothing", "no file was named"));
        }
        Ok(Self { session: Arc::new(session) })
    }

    /// Result of comparing the ids of the two files.
    pub fn verdict(&self) -> Verdict {
        match self.session.pdb_match() {
            PdbMatch::Matched => Verdict::Matched,
            PdbMatch::Mismatched(_) => Verdict::Mismatched,
            PdbMatch::Unknown | PdbMatch::NeedsBase => Verdict::Unknown,
            PdbMatch::NoPdb => Verdict::NoPdb,
            PdbMatch::NoImage => Verdict::NoImage,
        }
    }

    /// Reasons for the [`verdict`](Self::verdict), the most important first.
    pub fn reasons(&self) -> &[Reason] {
        self.session.match_reasons()
    }

    /// Source files of the PDB, in its order.
    pub fn documents(&self) -> Result<Vec<Document>, Error> {
        let Some(symbols) = self.session.symbols() else { return Ok(Vec::new()) };
        let options = SourceOptions::default();
        let sources = Sources::of(&self.session, &options);
        let document = |number| {
            let found = symbols.document(number).map_err(|error| self.unreadable(&error))?;
            let name_of = |guid: Option<Guid>| guid.and_then(guids::name);
            Ok(Document {
                language: name_of(found.language),
                hash_algorithm: name_of(found.hash_algorithm),
                hash: hex(&found.hash),
                url: sources.url(&found.name).map(|url| without_passwords(&url)),
                is_embedded: symbols.embedded_source(number).is_some(),
                path: found.name,
            })
        };
        (1..=symbols.documents()).map(document).collect()
    }

    /// Source Link's JSON, as it is in the PDB.
    pub fn source_link(&self) -> Option<String> {
        let json = self.session.symbols()?.source_servers().source_link?;
        Some(utf8(&json).into_owned())
    }

    /// Methods of the metadata, by ascending token; empty for native code.
    pub fn methods(&self) -> impl Iterator<Item = Method> + '_ {
        let tokens = (1..=self.session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row));
        tokens.map(|token| Method { token: token.0, name: self.session.method_name(token) })
    }

    /// The method of a name, as [`find`](Self::find) takes it: `Clock.Since`, `Ticker.Clock.Since(long)`, `0x06000003`.
    pub fn method(&self, name: &str) -> Result<Method, Error> {
        match self.find(name)? {
            Address::Offset(Code::Token(token), 0) => {
                Ok(Method { token, name: self.session.method_name(Token(token)) })
            }
            _ => Err(Error::new("no-method", format!("{name} is no method"))),
        }
    }

    /// Functions of a native PDB, by ascending address; empty for managed code.
    pub fn functions(&self) -> impl Iterator<Item = Function> + '_ {
        let native = NativeView::of(&self.session);
        native.into_iter().flat_map(|native| {
            native.functions().iter().filter_map(move |function| {
                let rva = native.rva_of(function)?;
                Some(Function { rva, size: function.len, name: native.name_of(function) })
            })
        })
    }

    /// The async method or iterator whose body is `token`, the `MoveNext` of a state machine: the method that a user knows.
    pub fn kickoff_of(&self, token: u32) -> Option<u32> {
        let machine = self.session.symbols()?.state_machine(StateMachine::MoveNext(Token(token)))?;
        Some(machine.0)
    }

    /// Variables and constants in scope at an offset of a method or function.
    pub fn variables(&self, of: Code, offset: u32) -> Vec<LocalVariable> {
        let unit = match of {
            Code::Token(token) => CodeUnit::Method(Token(token)),
            Code::Rva(rva) => CodeUnit::Function(rva),
        };
        let locals = where_is(&self.session, unit, offset).locals.into_iter();
        let variables = locals.map(|local| LocalVariable {
            name: local.name,
            type_name: local.type_name,
            storage: match local.kind {
                LocalKind::Slot(slot) => Storage::Slot(slot),
                LocalKind::Argument(index) => Storage::Argument(index),
                LocalKind::Field(token) => Storage::Field(token.0),
                LocalKind::Constant(value) => Storage::Constant(value),
                LocalKind::Machine(place) => Storage::Machine(place),
            },
            is_hidden: local.hidden,
        });
        variables.collect()
    }

    /// Sequence points of a method, by ascending IL offset: its line table.
    pub fn lines(&self, token: u32) -> Result<Vec<Line>, Error> {
        let view = MethodView::of(&self.session, Token(token));
        if let Some(error) = &view.points_error {
            return Err(self.unreadable(error));
        }
        let mut last: Option<(u32, Arc<str>)> = None;
        let line = |point: &SequencePoint| {
            let document = match &last {
                Some((document, path)) if *document == point.document => Arc::clone(path),
                _ => self.path_of(point).into(),
            };
            last = Some((point.document, Arc::clone(&document)));
            let [line, end_line] =
                [point.start_line, point.end_line].map(|line| if point.is_hidden() { 0 } else { line });
            let (column, end_column) = (point.start_column, point.end_column);
            Line { offset: point.offset, document, line, column, end_line, end_column }
        };
        Ok(view.points.iter().map(line).collect())
    }

    /// Location of an IL offset of a method; none where no code is. Its line is 0 where the symbols have no line of the code.
    pub fn line_of(&self, token: u32, il_offset: u32) -> Option<Location> {
        let method = Token(token);
        let is_there = method.table() == TableId::METHOD_DEF && (1..=self.session.methods()).contains(&method.row());
        if is_there { self.locations(CodeUnit::Method(method), il_offset).into_iter().next() } else { None }
    }

    /// Locations of a relative virtual address (address less the base of the loaded module), the innermost inlined call first, the function
    /// itself last. Empty where no function has the address, line 0 as in [`line_of`](Self::line_of). Of a ReadyToRun image it is the IL method.
    pub fn lines_of_address(&self, rva: u32) -> Vec<Location> {
        if let Some(found) = at_address(&self.session, rva) {
            return self.locations(CodeUnit::Method(found.method), found.il);
        }
        let Some(native) = NativeView::of(&self.session) else { return Vec::new() };
        // One function and its line are in the index. All else takes the whole answer.
        let found = native.at(rva);
        match found.line {
            Some(point) if !point.is_hidden() && found.problems.is_empty() && native.folded_at(rva).is_empty() => {
                Self::with_calls(&found.inlined, found.name, self.place(Some(point)), self.doubt())
            }
            _ => match offset_at(native, rva) {
                Ok(OffsetQuery { of, offset }) => self.locations(of, offset),
                Err(_) => Vec::new(),
            },
        }
    }

    /// Reason why no answer is certain: the image and the symbols are of different builds.
    fn doubt(&self) -> Option<Reason> {
        if self.verdict() == Verdict::Mismatched { self.reasons().first().cloned() } else { None }
    }

    fn locations(&self, of: CodeUnit, offset: u32) -> Vec<Location> {
        let answer = where_is(&self.session, of, offset);
        if matches!(answer.position, Position::PastEnd | Position::NoFunction) {
            return Vec::new();
        }
        let mut doubt = answer.contradiction.clone();
        if answer.folded.len() > 1 {
            let names: Vec<&str> = answer.folded.iter().map(|function| function.name.as_str()).collect();
            doubt = Some(Reason::new("folded", format!("the linker folded functions into one: {}", names.join(", "))));
        }
        let place = self.place(answer.shown());
        Self::with_calls(&answer.inlined, code_unit::name(&self.session, of), place, self.doubt().or(doubt))
    }

    /// The inlined calls at an address, the innermost first, and the function that they are in.
    fn with_calls(
        calls: &[InlinedCall],
        function: String,
        (document, line, column): (String, u32, u32),
        doubt: Option<Reason>,
    ) -> Vec<Location> {
        let inlined = calls.iter().rev().map(|call| Location {
            function: call.name.clone(),
            document: call.file.clone(),
            line: call.line,
            column: 0,
            doubt: doubt.clone(),
        });
        let mut all: Vec<Location> = inlined.collect();
        all.push(Location { function, document, line, column, doubt });
        all
    }

    /// Code that a breakpoint on a line binds to. The document is a path of the PDB, the end of one, or a file name.
    pub fn breakpoint(&self, document: &str, line: u32) -> Result<Breakpoint, Error> {
        let found = bind(&self.session, &line_query(&self.session, document, line, None)?);
        let hits = found.hits.iter().filter(|hit| hit.binds).map(|hit| Hit {
            function: code(hit.of),
            name: code_unit::name(&self.session, hit.of),
            offset: hit.range.start,
            end: hit.range.end,
        });
        Ok(Breakpoint { line: found.line, hits: hits.collect() })
    }

    /// Reason why a breakpoint on a line binds, moves or stays hollow. The line may be one of a document that the PDB does not have.
    pub fn diagnose(&self, document: &str, line: u32) -> Diagnosis {
        let options = SourceOptions::default();
        let query = line_query(&self.session, document, line, None);
        let why = Judge::of(&self.session, &options).why(query.as_ref());
        let binding = match (why.verdict.sign(), why.verdict.line) {
            (Sign::Moves, LinePart::Moves(line)) => Binding::Moves(line),
            (Sign::Stops | Sign::Moves, _) => Binding::Binds,
            (Sign::Setting, _) => Binding::WithSetting,
            (Sign::Never, _) => Binding::Hollow,
        };
        Diagnosis { binding, reason: Reason::new(why.cause.name(), why.sentence), fix: why.fix }
    }

    /// Subject that a text refers to: `Clock.Since+0xF`, `0x06000003`, `Clock.cs:13`, a place.
    pub fn find(&self, text: &str) -> Result<Address, Error> {
        Ok(match parse_address(&self.session, text)? {
            address::Address::Code(OffsetQuery { of, offset }) => Address::Offset(code(of), offset),
            address::Address::Line(query) => {
                let path = query.documents.first().and_then(|row| document::name(&self.session, *row));
                Address::Line { document: path.unwrap_or_default(), line: query.line }
            }
            address::Address::Place(place) => match place.code_unit() {
                Some(of) if place == of.place() => Address::Offset(code(of), 0),
                _ => Address::Place(place.to_string()),
            },
        })
    }

    /// Rules of `pdblens check` that do not hold, as the policy grades them, findings first. Nothing is downloaded.
    pub fn check(&self, policy: &Policy) -> Vec<Finding> {
        let mut remarks = check::check(&self.session, &SourceOptions::default());
        policy.0.apply(&mut remarks);
        let all = remarks.into_iter().filter_map(|remark| {
            let grade = match remark.grade {
                check::Grade::Finding => Grade::Finding,
                check::Grade::Note => Grade::Note,
                check::Grade::Good => return None,
            };
            let place = remark.place.map(|place| place.to_string());
            Some(Finding { grade, reason: Reason::new(remark.rule, remark.sentence), place })
        });
        all.collect()
    }

    fn path_of(&self, point: &SequencePoint) -> String {
        document::name(&self.session, point.document).unwrap_or_default()
    }

    /// Path, line and column of a point; those of a hidden one are empty and 0, as those of none.
    fn place(&self, point: Option<SequencePoint>) -> (String, u32, u32) {
        let visible = point.filter(|point| !point.is_hidden());
        visible.map_or_else(Default::default, |point| (self.path_of(&point), point.start_line, point.start_column))
    }

    fn unreadable(&self, error: &pdblens_formats::bytes::Error) -> Error {
        Error::new(error.kind.code(), self.session.spaces().error_text(error))
    }
}

/// Treatment of the rules of [`Symbols::check`]: the default is that each has its own grade.
#[derive(Clone, Debug, Default)]
pub struct Policy(check::Policy);

impl Policy {
    /// The same policy with the treatment of a rule, or of a group of rules: `pair`, `sources`, `lint`. Of several the strictest counts, and a
    /// rule before its group.
    pub fn with(mut self, rule: &str, level: Level) -> Result<Self, Error> {
        if self.0.set(rule, level) {
            Ok(self)
        } else {
            Err(Error::new("no-rule", format!("no rule or group is called {rule}")))
        }
    }
}

/// Rules of [`Symbols::check`].
pub fn rules() -> impl Iterator<Item = Rule> {
    check::all_rules().map(|(id, about)| Rule { id, about })
}

fn code(of: CodeUnit) -> Code {
    match of {
        CodeUnit::Method(token) => Code::Token(token.0),
        CodeUnit::Function(rva) => Code::Rva(rva),
    }
}

//! Reason why a breakpoint does not bind, or binds and is not hit: one sentence and one fix.

use super::{
    Breakpoint, Cause, DebuggerAttribute, Hit, Judge, LinePart, LineQuery, MachinePart, MethodsOnLines, ModulePart,
    Sign, Verdict, bind, is_optimized,
};
use crate::address::{AddressError, AddressErrorKind, line_query};
use crate::check::{self, Grade};
use crate::evidence::evidence;
use crate::native_where::{native_where, sentence};
use crate::where_is::state_machine;
use pdblens_formats::il::{Operand, Operation};
use pdblens_formats::metadata::TableId;
use pdblens_formats::reason::Reason;
use pdblens_formats::signature::{self, Primitive, Signature, Type};
use pdblens_nodes::binding::RefusalCause;
use pdblens_nodes::resolve::ResolveError;
use pdblens_nodes::{CodeUnit, SequencePoint, Token, code_unit, document, method};
use pdblens_session::session::{PdbMatch, Session, refused_partner};
use pdblens_session::source::{HashVerdict, SourceOptions, SourceText};
use pdblens_session::symbols::Format;
use pdblens_session::text::safe::{count, visible};

/// Answer to "why is my breakpoint hollow?".
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "why"))]
pub struct Why {
    /// First cause that applies.
    #[serde(rename = "reason")]
    pub cause: Cause,
    /// The reason, in one sentence.
    #[serde(rename = "text")]
    pub sentence: String,
    /// Remedy, in the imperative.
    pub fix: String,
    /// Verdict of a debugger on the breakpoint.
    #[serde(skip)]
    pub verdict: Verdict,
}

impl Why {
    fn new(cause: Cause, sentence: impl Into<String>, fix: impl Into<String>) -> Self {
        let verdict = Verdict::none(LinePart::Nothing, ModulePart::Fits);
        Self { cause, sentence: sentence.into(), fix: fix.into(), verdict }
    }
}

impl Judge<'_> {
    /// Verdict on a line, with its cause. The line may be one of a document that the symbols do not have.
    pub fn why(&self, line: Result<&LineQuery, &AddressError>) -> Why {
        match (line, self.module()) {
            (Ok(query), _) => self.why_of(query, &bind(self.session(), query)),
            (Err(_), Some(why)) => {
                Why { verdict: Verdict::none(LinePart::Nothing, ModulePart::OtherBuild(why.cause)), ..why.clone() }
            }
            (Err(error), None) => no_document(self.session(), error),
        }
    }

    /// Verdict on a point by its number, with its cause.
    pub fn why_of_point(&self, of: CodeUnit, number: u32, point: SequencePoint) -> Why {
        let query = LineQuery::of(point.document, point.start_line, None);
        let hits = vec![Hit { of, number, point, range: point.offset..point.offset, binds: true }];
        self.why_of(&query, &Breakpoint { line: query.line, hits, ..Breakpoint::default() })
    }

    /// Verdict on a line whose code was found, with the cause that decides its sign.
    pub fn why_of(&self, query: &LineQuery, found: &Breakpoint) -> Why {
        let (session, verdict) = (self.session(), self.line(query, found));
        let best = self.best(found).map(|(hit, _)| hit);
        let why = match best {
            _ if matches!(verdict.module, ModulePart::OtherBuild(_)) => self.module().cloned(),
            _ if verdict.module == ModulePart::SourceDiffers => source_hash(self, query),
            None => mapped_line(self, query).or_else(|| Some(no_code(session, query, found))),
            Some(hit) => self.cause_at(query, found, hit, verdict),
        };
        let mut why = why.unwrap_or_else(|| unexplained(session, query, found));
        if let Some(hit) = best
            && !matches!(verdict.module, ModulePart::OtherBuild(_) | ModulePart::SourceDiffers)
        {
            self.complete(&mut why, query, hit, verdict);
        }
        Why { verdict, ..why }
    }

    /// Cause at the point that decides about a line of code that fits; `None` where nothing is in the way.
    fn cause_at(&self, query: &LineQuery, found: &Breakpoint, hit: &Hit, verdict: Verdict) -> Option<Why> {
        let session = self.session();
        match (verdict.line, verdict.module, verdict.machine) {
            (LinePart::Nothing, ..) => Some(hidden_point(session, hit)),
            (_, ModulePart::Attribute(DebuggerAttribute::Hidden), _) => {
                Some(kept_out(session, hit, DebuggerAttribute::Hidden))
            }
            (.., MachinePart::Refused { .. }) => Some(refused(self, hit)),
            (.., MachinePart::Never(cause)) => Some(never_binds(self, hit, cause)),
            (_, ModulePart::Attribute(attribute), _) => Some(kept_out(session, hit, attribute)),
            (_, ModulePart::Optimized, _) => why_of_module(session),
            (LinePart::Moves(_), ..) => hidden_line(self, query, found)
                .or_else(|| mapped_line(self, query))
                .or_else(|| Some(moved(session, query, found))),
            _ => other_folder(session, query).or_else(|| in_state_machine(session, found)),
        }
    }

    /// Adds what the sentence of the cause leaves open.
    fn complete(&self, why: &mut Why, query: &LineQuery, hit: &Hit, verdict: Verdict) {
        let session = self.session();
        if let (LinePart::Moves(line), Sign::Setting | Sign::Never) = (verdict.line, verdict.sign()) {
            why.sentence = format!("no code on line {}, the next is line {line}: {}", query.line, why.sentence);
        }
        if !matches!(verdict.machine, MachinePart::NoOffset | MachinePart::Refused { .. } | MachinePart::Never(_)) {
            why.sentence = format!("{}; {}", why.sentence, verdict.machine.words());
        }
        if self.is_inlined_only(hit.of) {
            why.sentence += "; where the method is inlined, the debugger takes the breakpoint and never stops";
        }
        if let Some(field) = static_number(session, hit) {
            why.sentence = format!(
                "{}; the breakpoint can change the program: on x64, .NET 10 may read {field} here as it was at the first stop (dotnet/runtime#117514)",
                why.sentence
            );
        }
        if self.is_contradicted(hit) {
            why.sentence += "; the rule for IL says otherwise, so the recording is of another build or another runtime";
        }
    }
}

/// Name of the static field of a number that the statement of a breakpoint begins with. The first instruction of its machine code reads
/// memory relative to itself; a debugger runs a copy of it, and .NET 10 fills the copy once.
fn static_number(session: &Session, hit: &Hit) -> Option<String> {
    let CodeUnit::Method(method) = hit.of else { return None };
    let (metadata, body) = (session.metadata()?, method::body(session, method).ok()??);
    let mut code = method::instructions(session, &body).map_while(Result::ok);
    let first =
        code.find(|found| found.offset >= hit.point.offset && found.opcode.operation() != Operation::Nothing)?;
    let Operand::Token(field) = first.operand else { return None };
    if first.opcode.name != "ldsfld" || field.table() != TableId::FIELD {
        return None;
    }
    let blob = metadata.blob_cell(TableId::FIELD, field.row(), 2).ok()?;
    let Ok(Signature::Field(of)) = signature::decode(&mut blob.cursor()) else { return None };
    let is_number =
        matches!(&of.value, Type::Primitive(primitive) if !matches!(primitive, Primitive::String | Primitive::Object));
    let name = metadata.string_cell(TableId::FIELD, field.row(), 1).ok()?;
    is_number.then(|| visible(&String::from_utf8_lossy(name.data)).into_owned())
}

pub(super) fn module_cause(session: &Session, sources: &SourceOptions) -> Option<Why> {
    const ONE_BUILD: &str = "deploy the DLL and the PDB of one build together";
    if let Some(refused) = refused_partner(session) {
        let missing = if session.symbols().is_none() { "PDB of this image" } else { "image of this PDB" };
        return Some(Why::new(Cause::Id, format!("no {missing} was found: {refused}"), ONE_BUILD));
    }
    if session.symbols().is_none() {
        let fix = "put the PDB of this build beside the DLL, or name a symbol server with --symbols";
        return Some(Why::new(Cause::Id, "no PDB for this image was found", fix));
    }
    if session.pdb_match().is_mismatch() {
        let reason = Reason::first(session.match_reasons());
        let sentence = format!("{}: {reason}", session.pdb_match().summary());
        return Some(Why::new(Cause::Id, sentence, ONE_BUILD));
    }
    let remarks = check::checksum_remarks(session, sources);
    if let Some(wrong) = remarks.into_iter().find(|remark| remark.grade == Grade::Finding) {
        let fix = "use the PDB as the compiler wrote it: it was changed afterwards";
        return Some(Why::new(Cause::Checksum, wrong.sentence, fix));
    }
    let evidence = evidence(session);
    if evidence.agrees() != Some(false) {
        return None;
    }
    let sentence = evidence.sentence(session.pdb_match())?;
    Some(Why::new(Cause::Evidence, sentence, "make the tool that rewrites the DLL rewrite its PDB too"))
}

fn no_document(session: &Session, error: &AddressError) -> Why {
    let asked = match &error.kind {
        AddressErrorKind::NoDocument { name, .. } => name.as_str(),
        AddressErrorKind::Resolve(ResolveError::Ambiguous(..)) => {
            let fix = "set it with more of the path, so that only one document matches";
            let why = Why::new(Cause::SeveralDocuments, error.to_string(), fix);
            return Why { verdict: Verdict::none(LinePart::SeveralDocuments, ModulePart::Fits), ..why };
        }
        _ => return Why::new(Cause::NoDocument, error.to_string(), "name a document and a line"),
    };
    let rows = session.symbols().map_or(0, pdblens_session::symbols::SymbolReader::documents);
    let (sentence, fix) = if rows > 0 {
        (
            format!(
                "no document of this PDB is called {asked:?}: it was compiled from {}",
                count(rows, "other document")
            ),
            "check that the project that contains the file is the one that was built and loaded",
        )
    } else if session.problems().is_empty() {
        (
            "this PDB names no documents: it is stripped to public symbols, or was written without lines".to_owned(),
            "use the full PDB of this build; link.exe writes a stripped one beside it with /PDBSTRIPPED",
        )
    } else {
        (
            "no documents can be read: the PDB is damaged".to_owned(),
            "run `pdblens check` to see what is wrong with it, and get the PDB from the build again",
        )
    };
    Why::new(Cause::NoDocument, sentence, fix)
}

/// A path of another folder than the one in the PDB, by which a debugger does not find the document.
fn other_folder(session: &Session, query: &LineQuery) -> Option<Why> {
    let (asked, name) = (query.other_path.as_ref()?, document_name(session, query));
    Some(Why::new(
        Cause::PathMap,
        format!("the PDB has the file under another path, {name}, but a debugger looks for {asked}"),
        "map the path in the debugger (sourceFileMap), or set the breakpoint by file name and allow any path",
    ))
}

fn source_hash(judge: &Judge<'_>, query: &LineQuery) -> Option<Why> {
    let different = judge.other_text(query)?;
    Some(Why::new(
        Cause::SourceHash,
        format!("{} is not the text that was compiled: its hash differs from that in the PDB", different.from),
        "rebuild, or check out the commit that was built",
    ))
}

fn document_name(session: &Session, query: &LineQuery) -> String {
    query.documents.first().and_then(|row| document::name(session, *row)).unwrap_or_default()
}

fn hidden_point(session: &Session, hit: &Hit) -> Why {
    let (word, method) = (hit.of.words().point, code_unit::name(session, hit.of));
    let sentence = format!("{word} {} of {method} is hidden: a debugger steps over it", hit.number);
    Why::new(Cause::HiddenPoints, sentence, "set it on a statement before or after it")
}

fn no_code(session: &Session, query: &LineQuery, found: &Breakpoint) -> Why {
    if let Some(method) = all_hidden(session, query) {
        return Why::new(
            Cause::HiddenPoints,
            format!("all sequence points of {method} are hidden, so a debugger never stops in it"),
            "set it in code that is not generated",
        );
    }
    let why = Why::new(
        Cause::NoCode,
        format!("no code on line {} of {} or after it", query.line, document_name(session, query)),
        "set it on a line with a statement; code of an inactive #if or an unused partial method is not compiled",
    );
    unless_unreadable(why, session, found)
}

fn moved(session: &Session, query: &LineQuery, found: &Breakpoint) -> Why {
    let (line, name) = (found.line, document_name(session, query));
    let asked = query.line;
    let sentence =
        format!("no code on line {asked} of {name}: a debugger moves it to line {line}, the next line with code");
    let fix = format!("set it on line {line}, or where the statement begins");
    unless_unreadable(Why::new(Cause::Moved, sentence, fix), session, found)
}

const COMPILE_LATER: &str =
    ", or start the program with DOTNET_ReadyToRun=0, so that the method is compiled when it is called";

/// Machine code whose maps have no entry for a point: a debugger refuses the breakpoint while the runtime uses that code.
fn refused(judge: &Judge<'_>, hit: &Hit) -> Why {
    let session = judge.session();
    let bodies = native_where(session, hit.of.token(), hit.range.start);
    let method = code_unit::name(session, hit.of);
    let body = bodies.iter().find(|body| body.accepted == Some(false));
    let refusal = body.map_or_else(String::new, |body| sentence(body, hit.range.start));
    let (code, fix) = match body.and_then(|body| body.recorded.as_ref()) {
        Some(recorded) => (format!("recorded code ({})", recorded.tier), ""),
        None => ("precompiled code".to_owned(), COMPILE_LATER),
    };
    let sentence = format!("while the runtime uses the {code} of {method}, the breakpoint is {refusal}");
    Why::new(Cause::Precompiled, sentence, nearest_text(judge, hit) + fix)
}

/// Code that has no entry for a point, by the rule for IL, whichever tier compiles it.
fn never_binds(judge: &Judge<'_>, hit: &Hit, cause: RefusalCause) -> Why {
    let (at, method) = (hit.of.label(hit.point.offset.into()), code_unit::name(judge.session(), hit.of));
    let sentence = format!("a debugger refuses {at} of {method} once it is compiled: {}", cause.words());
    let suppress = ", or suppress JIT optimisation on module load";
    let fix = nearest_text(judge, hit) + if why_of_module(judge.session()).is_some() { suppress } else { "" };
    Why::new(Cause::NeverBinds, sentence, fix)
}

/// `set it at IL_0008, the nearest offset of the statement that binds`
fn nearest_text(judge: &Judge<'_>, hit: &Hit) -> String {
    judge.nearest(hit).map_or_else(
        || "set it on another line".to_owned(),
        |il| format!("set it at {}, the nearest offset of the statement that binds", hit.of.label(il.into())),
    )
}

/// A line that `#line hidden` takes out of the points of a method: it has code, and a debugger passes over it.
fn hidden_line(judge: &Judge<'_>, query: &LineQuery, found: &Breakpoint) -> Option<Why> {
    if !is_among_hidden(judge.session(), query) {
        return None;
    }
    let text = judge.text_with(query, |verdict| matches!(verdict, HashVerdict::Verified(_)))?.text?;
    let (at, directive) = directive_of(&text, query.line)?;
    if directive != "hidden" {
        return None;
    }
    let (line, name) = (query.line, document_name(judge.session(), query));
    Some(Why::new(
        Cause::HiddenLine,
        format!(
            "line {line} of {name} is compiled, but `#line hidden` on line {at} hides it: a debugger moves the breakpoint to line {}",
            found.line
        ),
        format!("set it on line {}, or remove the directive{}", found.line, points_again(&text, line)),
    ))
}

/// A line that `#line` gives to another document, which has its points.
fn mapped_line(judge: &Judge<'_>, query: &LineQuery) -> Option<Why> {
    let text = judge.text_with(query, |verdict| matches!(verdict, HashVerdict::Verified(_)))?.text?;
    let (at, directive) = directive_of(&text, query.line)?;
    // `3 "Page.razor"`, or with a span: `(3, 1) - (3, 9) 5 "Page.razor"`.
    let (numbers, name) = directive.strip_suffix('"')?.split_once('"')?;
    let number = numbers.trim_start_matches('(').split(|letter: char| !letter.is_ascii_digit()).next()?;
    let line = number.parse::<u32>().ok()?.checked_add(query.line - at - 1)?;
    let mapped = line_query(judge.session(), name, line, None).ok()?;
    if bind(judge.session(), &mapped).line != line {
        return None;
    }
    let (own, asked) = (document_name(judge.session(), query), query.line);
    Some(Why::new(
        Cause::MappedLine,
        format!("line {asked} of {own} is compiled as line {line} of {name}, as `#line` on line {at} says"),
        format!("set it on line {line} of {name}{}", points_again(&text, asked)),
    ))
}

/// The directive `#line` that a line with a statement is under, and what it says.
fn directive_of(text: &SourceText, line: u32) -> Option<(u32, &str)> {
    let statement = text.line(line)?.trim();
    if statement.is_empty() || statement.starts_with("//") || statement.starts_with('#') {
        return None;
    }
    let mut before = (1..line).rev().filter_map(|line| Some((line, text.line(line)?.trim())));
    before.find_map(|(at, text)| Some((at, text.strip_prefix("#line")?.trim())))
}

/// `; line 12 has "#line default", after which the file has points again`
fn points_again(text: &SourceText, line: u32) -> String {
    let is_default = |line: &u32| {
        text.line(*line).and_then(|text| text.trim().strip_prefix("#line")).is_some_and(|said| said.trim() == "default")
    };
    let at = (line + 1..=text.lines()).find(is_default);
    at.map_or_else(String::new, |at| format!("; the points of this file go on after `#line default` on line {at}"))
}

/// Returns true where a hidden point follows a point that ends before the line, and comes before one that begins after it.
fn is_among_hidden(session: &Session, query: &LineQuery) -> bool {
    MethodsOnLines::of(session, &query.documents).all.iter().any(|(_, points)| {
        let (mut before, mut is_hidden) = (false, false);
        points.iter().any(|point| {
            if point.is_hidden() {
                is_hidden = true;
                return false;
            }
            // `#line` also sends lines between to other documents.
            if !query.documents.contains(&point.document) {
                return false;
            }
            let is_found = before && is_hidden && point.start_line > query.line;
            (before, is_hidden) = (point.end_line < query.line, false);
            is_found
        })
    })
}

/// The answer, and that methods with unreadable points may have code there.
fn unless_unreadable(mut why: Why, session: &Session, found: &Breakpoint) -> Why {
    if let Some((of, _)) = found.errors.first() {
        let others = found.errors.len() - 1;
        let more = if others > 0 { format!(" and {}", count(others as u64, "other method")) } else { String::new() };
        let name = code_unit::name(session, *of);
        why.sentence =
            format!("{}; but the points of {name}{more} cannot be read, and it may have code there", why.sentence);
    }
    why
}

/// Name of a method of the documents whose points are all hidden.
fn all_hidden(session: &Session, query: &LineQuery) -> Option<String> {
    let all = MethodsOnLines::of(session, &query.documents).all;
    let is_hidden = |points: &[SequencePoint]| points.iter().all(SequencePoint::is_hidden);
    let (of, _) = all.into_iter().find(|(_, points)| !points.is_empty() && is_hidden(points))?;
    Some(code_unit::name(session, of))
}

fn bound(found: &Breakpoint) -> impl Iterator<Item = Token> {
    found.hits.iter().filter(|hit| hit.binds).map(|hit| hit.of.token())
}

fn kept_out(session: &Session, hit: &Hit, attribute: DebuggerAttribute) -> Why {
    let (name, method) = (attribute.name(), session.method_name(hit.of.token()));
    let (effect, setting) = match attribute {
        DebuggerAttribute::Hidden => ("no breakpoint binds in it", ""),
        _ => ("a debugger with Just My Code does not stop in it", "turn Just My Code off, or "),
    };
    Why::new(
        Cause::DebuggerAttribute,
        format!("{method} has the attribute [{name}], so {effect}"),
        format!("{setting}remove [{name}] from the method or its type"),
    )
}

/// The reason why a debugger with its usual settings skips all code of the module.
pub fn why_of_module(session: &Session) -> Option<Why> {
    let native = session.symbols().is_some_and(|symbols| symbols.format() == Format::Native);
    (is_optimized(session) == Some(true) && !native).then(|| {
        Why::new(
            Cause::Optimized,
            "the assembly is optimised, so that Just My Code leaves it out and the compiler may inline the method",
            "build Debug, or turn Just My Code off and suppress JIT optimisation on module load",
        )
    })
}

/// Code of a state machine, which binds, and may all the same not run when it is expected to.
fn in_state_machine(session: &Session, found: &Breakpoint) -> Option<Why> {
    let (method, kickoff) = bound(found).find_map(|method| Some((method, state_machine::kickoff(session, method)?)))?;
    Some(Why::new(
        Cause::StateMachine,
        format!(
            "the line is compiled into {}, the state machine of {}, and runs when that is awaited or enumerated",
            session.method_name(method),
            session.method_name(kickoff)
        ),
        "await or enumerate the result: the call alone runs up to the first await, an iterator not at all",
    ))
}

fn unexplained(session: &Session, query: &LineQuery, found: &Breakpoint) -> Why {
    let methods = count(bound(found).count() as u64, "method");
    let name = document_name(session, query);
    if name.starts_with("/_") {
        return Why::new(
            Cause::PathMap,
            format!("it binds in {methods}, if the debugger knows that its file is {name} in the PDB"),
            "map /_/ to the folder of the sources in the debugger (sourceFileMap)",
        );
    }
    let sentence = match session.pdb_match() {
        PdbMatch::NoImage => format!("the PDB has code of {methods} on the line; no image is open to compare with"),
        _ => format!("nothing in these files explains a hollow breakpoint: it binds in {methods}"),
    };
    Why::new(Cause::Unexplained, sentence, "check that the process has loaded this DLL, and not another copy of it")
}

//! The judge of breakpoints: one verdict for `break`, `where`, `quality` and every mark of the screens.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::why::{Why, module_cause, why_of_module};
use super::{
    Breakpoint, DebuggerAttribute, Hit, LinePart, LineQuery, MethodCode, MethodsOnLines, ModulePart, Verdict,
    attribute_of, inlined_rows,
};
use pdblens_nodes::code_unit::MethodView;
use pdblens_nodes::{CodeUnit, SequencePoint};
use pdblens_session::session::Session;
use pdblens_session::source::{HashVerdict, Source, SourceOptions, Sources};

#[derive(Debug)]
pub struct Judge<'s> {
    session: &'s Session,
    options: &'s SourceOptions,
    /// Cause that keeps every breakpoint of the module hollow; to find it, the whole PDB is hashed.
    module: OnceCell<Option<Why>>,
    is_optimized: bool,
    methods: RefCell<HashMap<CodeUnit, Rc<JudgedMethod>>>,
    /// MethodDef rows of the methods that are inlined in precompiled code.
    inlined: OnceCell<HashSet<u32>>,
    /// Documents with another text at hand.
    other_texts: RefCell<HashMap<u32, bool>>,
}

#[derive(Debug)]
struct JudgedMethod {
    attribute: Option<DebuggerAttribute>,
    code: MethodCode,
}

impl<'s> Judge<'s> {
    pub fn of(session: &'s Session, options: &'s SourceOptions) -> Self {
        let is_optimized = why_of_module(session).is_some();
        let (module, methods, inlined, other_texts) = Default::default();
        Self { session, options, module, is_optimized, methods, inlined, other_texts }
    }

    pub fn with(session: &'s Session, options: &'s SourceOptions, module: Option<Why>) -> Self {
        Self { module: module.into(), ..Self::of(session, options) }
    }

    /// Cause that keeps every breakpoint of the module hollow.
    pub fn module(&self) -> Option<&Why> {
        self.module.get_or_init(|| module_cause(self.session, self.options)).as_ref()
    }

    /// Verdict on a breakpoint in the module, wherever nothing else decides.
    pub fn of_module(&self) -> Verdict {
        let module = match self.module() {
            Some(why) => ModulePart::OtherBuild(why.cause),
            None if self.is_optimized => ModulePart::Optimized,
            None => ModulePart::Fits,
        };
        Verdict::none(LinePart::Here, module)
    }

    /// Verdict on a breakpoint at a point.
    pub fn point(&self, of: CodeUnit, point: &SequencePoint) -> Verdict {
        let verdict = self.visible_point(of, point.document, point.offset);
        if point.is_hidden() { Verdict { line: LinePart::Nothing, ..verdict } } else { verdict }
    }

    /// Verdict on a breakpoint at the visible point of an offset.
    pub fn visible_point(&self, of: CodeUnit, document: u32, offset: u32) -> Verdict {
        let method = self.method(of);
        let module = match (self.of_module().module, method.attribute) {
            (other @ ModulePart::OtherBuild(_), _) => other,
            _ if self.has_other_text(document) => ModulePart::SourceDiffers,
            (_, Some(attribute)) => ModulePart::Attribute(attribute),
            (module, None) => module,
        };
        Verdict { line: LinePart::Here, module, machine: method.code.at(offset) }
    }

    /// Verdict on a line: that of the best point that the breakpoint binds to.
    pub(super) fn line(&self, query: &LineQuery, found: &Breakpoint) -> Verdict {
        let moved = if found.line == query.line { LinePart::Here } else { LinePart::Moves(found.line) };
        match self.best(found) {
            Some((_, verdict)) if verdict.line == LinePart::Here => Verdict { line: moved, ..verdict },
            Some((_, verdict)) => verdict,
            None if self.module().is_some() => Verdict { line: LinePart::Nothing, ..self.of_module() },
            None if query.documents.iter().any(|row| self.has_other_text(*row)) => {
                Verdict::none(LinePart::Nothing, ModulePart::SourceDiffers)
            }
            None => Verdict::none(LinePart::Nothing, ModulePart::Fits),
        }
    }

    /// Offset of the statement of a hit where a breakpoint binds that is nearest to it.
    pub(super) fn nearest(&self, hit: &Hit) -> Option<u32> {
        let view = MethodView::of(self.session, hit.of);
        let next = view.points.iter().map(|point| point.offset).find(|offset| *offset > hit.point.offset);
        let end = next.or(view.size).unwrap_or(u32::MAX);
        self.method(hit.of).code.nearest(hit.point.offset, hit.point.offset..end)
    }

    /// Returns true if precompiled code has the method inlined, and no body of it.
    pub fn is_inlined_only(&self, of: CodeUnit) -> bool {
        let (CodeUnit::Method(token), code) = (of, &self.method(of).code) else { return false };
        let inlined = || self.inlined.get_or_init(|| inlined_rows(self.session));
        code.bodies.is_empty() && inlined().contains(&token.row())
    }

    /// Returns true if a recording and the rule for IL contradict each other at a hit.
    pub(super) fn is_contradicted(&self, hit: &Hit) -> bool {
        self.method(hit.of).code.is_contradicted(hit.point.offset)
    }

    /// The point with the best sign of those that a breakpoint binds to, the first of several.
    pub(super) fn best<'f>(&self, found: &'f Breakpoint) -> Option<(&'f Hit, Verdict)> {
        let bound = found.hits.iter().filter(|hit| hit.binds);
        bound.map(|hit| (hit, self.point(hit.of, &hit.point))).min_by_key(|(_, verdict)| verdict.sign())
    }

    /// Verdicts on the lines of a document, from line 1 to its last line with code. `is_cancelled` ends the list.
    pub fn lines(&self, document: u32, is_cancelled: &dyn Fn() -> bool) -> Vec<Verdict> {
        self.from_to(document, 1, MAX_LINES, is_cancelled)
    }

    /// As [`lines`](Self::lines), of a part of the document.
    pub fn from_to(&self, document: u32, first: u32, last: u32, is_cancelled: &dyn Fn() -> bool) -> Vec<Verdict> {
        let mut query = LineQuery::of(document, first, None);
        let methods = MethodsOnLines::of(self.session, &query.documents);
        let last = last.min(first.saturating_add(MAX_LINES)).min(methods.last_line());
        let work = self.session.spaces().budget().work();
        let goes_on = |line: &u32| !is_cancelled() && work.goes_on("lines with verdicts", || format!("line {line}"));
        let lines = (first..=last).take_while(goes_on);
        let verdict = |line| {
            query.line = line;
            self.line(&query, &methods.bind(self.session, &query))
        };
        lines.map(verdict).collect()
    }

    fn method(&self, of: CodeUnit) -> Rc<JudgedMethod> {
        if let Some(known) = self.methods.borrow().get(&of) {
            return Rc::clone(known);
        }
        let attribute = attribute_of(self.session, of.token());
        let judged = Rc::new(JudgedMethod { attribute, code: MethodCode::of(self.session, of) });
        let mut methods = self.methods.borrow_mut();
        if methods.len() >= MAX_METHODS {
            methods.clear();
        }
        methods.insert(of, Rc::clone(&judged));
        judged
    }

    fn has_other_text(&self, document: u32) -> bool {
        let known = self.other_texts.borrow().get(&document).copied();
        known.unwrap_or_else(|| {
            let differs = self.other_text(&LineQuery::of(document, 1, None)).is_some();
            self.other_texts.borrow_mut().insert(document, differs);
            differs
        })
    }

    /// A text of the document that is at hand and is not the one that was compiled: debuggers ask for the exact one.
    pub(super) fn other_text(&self, query: &LineQuery) -> Option<Source> {
        self.text_with(query, |verdict| *verdict == HashVerdict::Differs)
    }

    /// The first text at hand of the documents of a line whose hash has such a verdict.
    pub(super) fn text_with(&self, query: &LineQuery, is_wanted: fn(&HashVerdict) -> bool) -> Option<Source> {
        let sources = Sources::of(self.session, self.options);
        let mut found = query.documents.iter().filter_map(|row| sources.get(*row).ok());
        found.find(|source| is_wanted(&source.verdict))
    }

    pub const fn session(&self) -> &'s Session {
        self.session
    }
}

const MAX_LINES: u32 = 1 << 16;
/// Methods whose machine code is kept.
const MAX_METHODS: usize = 4096;

//! Rules about every method: its points, its scopes, and the code that both are about.

use super::points;
use crate::nodes::method;
use std::ops::ControlFlow;

use crate::bytes::{Error, Span};
use crate::formats::il::Body;
use crate::formats::metadata::{Metadata, TableId, Token};
use crate::formats::sequence_point::SequencePoint;
use crate::formats::signature::{self, Signature};
use crate::nodes::MethodPart;
use crate::nodes::Place;
use crate::nodes::method::il_label;
use crate::query::check::{Grade, Remark, Report};
use crate::session::Session;
use crate::symbols::SymbolReader;
use crate::symbols::{Format, Method, Scope};

/// The rules, and what each asks.
pub(crate) const RULES: [(&str, &str); 18] = [
    (READ, "what the symbols say of a method can be read"),
    (RANGE, "IL offsets, lines, columns and documents of points are in bounds"),
    (ORDER, "the points of a method are in the order of their IL offsets"),
    (DOCUMENT, "every point is in a document that there is"),
    (READER, "System.Reflection.Metadata, and so trimmers, AOT compilers and debuggers, can read every point"),
    (EMPTY, "a point ends behind its start"),
    (HIDDEN, "a hidden point has no columns"),
    (NO_CODE, "only a method with code has points and scopes"),
    (BOUNDARY, "a point is at the start of an instruction"),
    (LINES, "a point is in the text of its document"),
    (SIGNATURE, "symbols and code have the same signature of local variables"),
    (SCOPE_RANGE, "a scope is not empty, and ends within the code"),
    (SCOPE_FIRST, "the first scope of a method is all of its code"),
    (SCOPE_BOUNDARY, "a scope begins and ends where an instruction does"),
    (SCOPE_NESTED, "two scopes are one inside the other, or apart"),
    (VARIABLE_SLOT, "a variable's slot is in the local signature"),
    (VARIABLE_NAME, "a variable has a name"),
    (ALL_HIDDEN, "not all points of a method are hidden"),
];

const READ: &str = "method-read";
pub(super) const RANGE: &str = "point-range";
pub(super) const ORDER: &str = "point-order";
pub(super) const DOCUMENT: &str = "point-document";
pub(super) const READER: &str = "point-reader";
pub(super) const EMPTY: &str = "point-empty";
pub(super) const HIDDEN: &str = "point-hidden";
pub(super) const NO_CODE: &str = "method-code";
pub(super) const BOUNDARY: &str = "point-boundary";
pub(super) const LINES: &str = "point-lines";
pub(super) const SIGNATURE: &str = "local-signature";
const SCOPE_RANGE: &str = "scope-range";
const SCOPE_FIRST: &str = "scope-first";
const SCOPE_BOUNDARY: &str = "scope-boundary";
const SCOPE_NESTED: &str = "scope-nested";
const VARIABLE_SLOT: &str = "variable-slot";
const VARIABLE_NAME: &str = "variable-name";
pub(super) const ALL_HIDDEN: &str = "method-hidden";

/// Limit on the points and bytes of code examined: methods may share them, so that a small file can have any number.
const MAX_WORK: u64 = 1 << 28;

/// Limit on the remarks kept per rule.
const MAX_REMARKS: usize = 20;

/// Remarks of all rules at once, as methods come one after the other.
pub(super) struct Found<'s> {
    pub(super) session: &'s Session,
    remarks: Vec<Remark>,
    counts: [usize; RULES.len()],
    /// Findings of each rule in the current method: the first remark, if it is kept, and the number of the others. They have
    /// one cause.
    current: [Option<(Option<usize>, usize)>; RULES.len()],
}

impl Found<'_> {
    pub(super) fn add(&mut self, rule: &'static str, grade: Grade, sentence: String, place: Place, span: Option<Span>) {
        let index = RULES.iter().position(|(id, _)| *id == rule).unwrap_or(0);
        let (Some(count), Some(current)) = (self.counts.get_mut(index), self.current.get_mut(index)) else { return };
        if let Some((_, others)) = current {
            *others += 1;
            return;
        }
        *count += 1;
        let kept = *count <= MAX_REMARKS;
        *current = Some((kept.then_some(self.remarks.len()), 0));
        if kept {
            self.remarks.push(Remark { rule, grade, sentence, place: Some(place), span, count: 1 });
        }
    }

    /// Ends the remarks on a method: the first of each rule says how many more there are like it.
    fn end_method(&mut self) {
        for current in &mut self.current {
            if let Some((Some(first), others)) = current.take().filter(|(_, others)| *others > 0)
                && let Some(remark) = self.remarks.get_mut(first)
            {
                remark.sentence = format!("{} (and {others} more in this method)", remark.sentence);
            }
        }
    }

    pub(super) fn finding(&mut self, rule: &'static str, sentence: String, place: Place, span: Option<Span>) {
        self.add(rule, Grade::Finding, sentence, place, span);
    }

    fn error(&mut self, rule: &'static str, error: &Error, place: Place) {
        self.finding(rule, self.session.spaces().error_text(error), place, Some(error.span));
    }
}

/// One method, read once for all rules.
pub(super) struct Facts {
    pub(super) token: Token,
    pub(super) symbols: Method,
    pub(super) points: Vec<SequencePoint>,
    pub(super) scopes: Vec<Scope>,
    pub(super) body: Option<Body>,
    /// Offsets of the instructions, and the end of the code.
    starts: Vec<u32>,
}

impl Facts {
    pub(super) fn size(&self) -> u64 {
        self.body.as_ref().map_or(0, |body| body.code.len)
    }

    pub(super) fn is_start(&self, il: u64) -> bool {
        u32::try_from(il).is_ok_and(|il| self.starts.binary_search(&il).is_ok())
    }

    pub(super) fn point(&self, index: usize) -> (Place, Option<Span>) {
        let span = self.points.get(index).zip(self.symbols.points);
        (
            Place::MethodPart(self.token, MethodPart::Point(index as u32 + 1)),
            span.map(|(point, blob)| blob.part(u64::from(point.at), u64::from(point.len))),
        )
    }
}

/// `image`: the metadata of the code that the symbols are about, where that is at hand.
/// Nothing where `go_on` said to stop.
pub(crate) fn run(
    session: &Session,
    image: Option<&Metadata>,
    report: &mut Report,
    go_on: &dyn Fn(u64, u64) -> bool,
) -> Option<()> {
    // Native symbols have no IL, unless methods of managed code are beside them.
    let has_il = |symbols: &&dyn SymbolReader| symbols.format() != Format::Native || symbols.methods() > 0;
    let Some(symbols) = session.symbols().filter(has_il) else { return Some(()) };
    let (counts, current) = ([0; RULES.len()], [None; RULES.len()]);
    let mut found = Found { session, remarks: Vec::new(), counts, current };
    let mut texts = points::Texts::new();
    let mut left = MAX_WORK;
    for row in 1..=symbols.methods() {
        if row % 256 == 0 && !go_on(row.into(), symbols.methods().into()) {
            return None;
        }
        let token = Token::new(TableId::METHOD_DEF, row);
        let facts = read(image.map(|_| session), symbols, token, &mut found);
        let owned: usize = facts.scopes.iter().map(|scope| scope.variables.len() + scope.constants.len()).sum();
        left = left.saturating_sub(8 * (facts.points.len() + owned) as u64 + facts.size());
        if left == 0 {
            let sentence = "methods behind this one are not looked at: there is too much of them".to_owned();
            found.add(READ, Grade::Note, sentence, Place::Method(token), None);
            break;
        }
        points::points(symbols, &facts, &mut found);
        if image.is_some() {
            points::code(&facts, &mut found);
        }
        points::lines(symbols, &facts, &mut texts, &mut found);
        scopes(symbols.format(), &facts, &mut found);
        variables(image, &facts, &mut found);
        found.end_method();
    }
    let Found { mut remarks, counts, .. } = found;
    for ((rule, _), count) in RULES.iter().zip(counts) {
        report.begin(rule);
        let (own, others): (Vec<_>, Vec<_>) = remarks.into_iter().partition(|remark| remark.rule == *rule);
        remarks = others;
        let grade = own.iter().map(|remark| remark.grade).max();
        report.remarks.extend(own);
        if let Some(grade) = grade.filter(|_| count > MAX_REMARKS) {
            report.others(grade, count - MAX_REMARKS);
        }
    }
    Some(())
}

fn read(session: Option<&Session>, symbols: &dyn SymbolReader, token: Token, found: &mut Found<'_>) -> Facts {
    let place = Place::Method(token);
    let mut facts = Facts {
        token,
        symbols: Method::default(),
        points: Vec::new(),
        scopes: Vec::new(),
        body: None,
        starts: Vec::new(),
    };
    match symbols.method(token) {
        Ok(method) => facts.symbols = method,
        Err(error) => found.error(READ, &error, place),
    }
    let points = &mut facts.points;
    let read = symbols.points(token, &mut |point| {
        points.push(point);
        ControlFlow::Continue(())
    });
    if let Err(error) = read {
        found.error(READ, &error, Place::MethodPart(token, MethodPart::Points));
    }
    match symbols.scopes(token, &|token| token.to_string()) {
        Ok(scopes) => facts.scopes = scopes,
        Err(error) => found.error(READ, &error, Place::MethodPart(token, MethodPart::Scopes)),
    }
    if facts.points.is_empty() && facts.scopes.is_empty() {
        return facts;
    }
    let Some(session) = session else { return facts };
    match method::body(session, token) {
        Ok(Some(body)) => {
            let instructions = method::instructions(session, &body);
            facts.starts = instructions
                .map(|one| match one {
                    Ok(instruction) => instruction.offset,
                    Err(error) => (error.span.start.saturating_sub(body.code.start)) as u32,
                })
                .collect();
            facts.body = Some(body);
        }
        Ok(None) => {}
        Err(error) => found.error(READ, &error, Place::MethodPart(token, MethodPart::Body)),
    }
    facts
}

fn scopes(format: Format, facts: &Facts, found: &mut Found<'_>) {
    let at = |scope: &Scope| scope.record.map_or(Place::MethodPart(facts.token, MethodPart::Scopes), Place::from);
    let end = |scope: &Scope| u64::from(scope.start) + u64::from(scope.length);
    let range = |scope: &Scope| format!("{}–{}", il_label(scope.start.into()), il_label(end(scope) as i64));
    // Those that are open where the next begins, outer ones first.
    let mut open: Vec<&Scope> = Vec::new();
    for (index, scope) in facts.scopes.iter().enumerate() {
        let (place, span) = (at(scope), Some(scope.span));
        if scope.length == 0 || end(scope) >= 1 << 31 {
            let sentence = match scope.length {
                0 => format!("empty scope {}", range(scope)),
                _ => format!("scope {} ends past the largest IL offset", range(scope)),
            };
            found.finding(SCOPE_RANGE, sentence, place, span);
        }
        while open.last().is_some_and(|outer| end(outer) <= u64::from(scope.start)) {
            open.pop();
        }
        if let Some(outer) = open.last().filter(|outer| end(scope) > end(outer)) {
            found.finding(SCOPE_NESTED, format!("{} cuts across {}", range(scope), range(outer)), place, span);
        }
        open.push(scope);
        if facts.body.is_none() {
            continue;
        }
        if end(scope) > facts.size() {
            let sentence =
                format!("{} reaches behind the code, which ends at {}", range(scope), il_label(facts.size() as i64));
            found.finding(SCOPE_RANGE, sentence, place, span);
        } else if !facts.is_start(u64::from(scope.start)) || !closes(format, facts, end(scope)) {
            let sentence = format!("{} begins or ends in the middle of an instruction", range(scope));
            found.finding(SCOPE_BOUNDARY, sentence, place, span);
        }
        if format == Format::Portable && index == 0 && (scope.start != 0 || end(scope) < facts.size()) {
            let sentence =
                format!("{} is not all of the code, which ends at {}", range(scope), il_label(facts.size() as i64));
            found.finding(SCOPE_FIRST, sentence, place, span);
        }
    }
}

/// Returns whether a scope may end at `end`. Visual Basic writes the last byte of the scope into Windows PDBs, not the one behind it.
fn closes(format: Format, facts: &Facts, end: u64) -> bool {
    let is_end = |end: u64| facts.is_start(end) || end == facts.size();
    is_end(end) || format == Format::Windows && is_end(end + 1)
}

fn variables(image: Option<&Metadata>, facts: &Facts, found: &mut Found<'_>) {
    let mut all = facts.scopes.iter().flat_map(|scope| &scope.variables).peekable();
    if all.peek().is_none() {
        return;
    }
    let slots = facts.body.as_ref().and_then(|body| slots(image?, body.local_signature));
    for variable in all {
        let place = variable.record.map_or(Place::MethodPart(facts.token, MethodPart::Scopes), Place::from);
        if let Some(slots) = slots.filter(|slots| usize::from(variable.slot) >= *slots) {
            let sentence = format!("{} has slot {}, and the code has {slots}", variable.name, variable.slot);
            found.finding(VARIABLE_SLOT, sentence, place, Some(variable.span));
        }
        if variable.name.is_empty() {
            let sentence = format!("the variable in slot {} has no name", variable.slot);
            found.add(VARIABLE_NAME, Grade::Note, sentence, place, Some(variable.span));
        }
    }
}

/// Number of local variables in a signature; `None` where it cannot be read.
fn slots(image: &Metadata, signature: Token) -> Option<usize> {
    if signature.is_nil() {
        return Some(0);
    }
    let blob = image.blob_cell(TableId::STAND_ALONE_SIG, signature.row(), 0).ok()?;
    match signature::decode(&mut blob.cursor()).ok()? {
        Signature::Locals(types) => Some(types.len()),
        _ => None,
    }
}

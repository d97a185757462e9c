//! Rules about every method: its points, its scopes, and its code.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{own_image, points};
use crate::check::{Grade, Remark, Report};
use crate::evidence::Sample;
use crate::method_facts::MethodFacts;
use pdblens_formats::bytes::{Error, ErrorKind, Span};
use pdblens_nodes::method::il_label;
use pdblens_nodes::{MethodPart, Place, TableId, Token};
use pdblens_session::parallel::{join, parallel_map, processors};
use pdblens_session::session::Session;
use pdblens_session::symbols::{Format, Scope, SymbolReader};

pub(crate) const RULES: [(&str, &str); 18] = [
    (READ, "the symbols of every method can be read"),
    (RANGE, "IL offsets, lines, columns and documents of points are in bounds"),
    (ORDER, "the points of a method are in the order of their IL offsets"),
    (DOCUMENT, "every point is in a document that exists"),
    (READER, "System.Reflection.Metadata, and so trimmers, AOT compilers and debuggers, can read every point"),
    (EMPTY, "a point ends after its start"),
    (HIDDEN, "a hidden point has no columns"),
    (NO_CODE, "only a method with code has points and scopes"),
    (BOUNDARY, "a point is at the start of an instruction"),
    (LINES, "a point is in the text of its document"),
    (SIGNATURE, "symbols and code have the same local signature"),
    (SCOPE_RANGE, "a scope is not empty, and ends within the code"),
    (SCOPE_FIRST, "the first scope of a method covers all of its code"),
    (SCOPE_BOUNDARY, "a scope begins and ends where an instruction does"),
    (SCOPE_NESTED, "two scopes are nested or disjoint"),
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
/// Fewest methods that are worth a thread of their own.
const MIN_PART: u32 = 1024;

/// Maker of a sentence: most remarks are only counted.
pub(super) type Sentence<'t> = &'t dyn Fn() -> String;

/// Remarks of all rules at once, as methods come one after the other.
pub(super) struct MethodFindings<'s> {
    pub(super) session: &'s Session,
    kept: MethodRemarks,
    /// Findings of each rule in the current method, which have one cause: the first remark, if it is kept, and the number of the others.
    current: [Option<(Option<usize>, usize)>; RULES.len()],
}

impl MethodFindings<'_> {
    pub(super) fn add(
        &mut self,
        rule: &'static str,
        grade: Grade,
        sentence: Sentence<'_>,
        place: Place,
        span: Option<Span>,
    ) {
        let index = RULES.iter().position(|(id, _)| *id == rule).unwrap_or(0);
        let (Some(count), Some(current)) = (self.kept.counts.get_mut(index), self.current.get_mut(index)) else {
            return;
        };
        if let Some((_, others)) = current {
            *others = others.saturating_add(1);
            return;
        }
        *count = count.saturating_add(1);
        let is_kept = *count <= self.kept.limit;
        *current = Some((is_kept.then_some(self.kept.remarks.len()), 0));
        if is_kept {
            self.kept.remarks.push(Remark { rule, grade, sentence: sentence(), place: Some(place), span, count: 1 });
        }
    }

    /// Ends the remarks on a method: the first of each rule says how many more there are like it.
    fn end_method(&mut self) {
        for current in &mut self.current {
            if let Some((Some(first), others)) = current.take().filter(|(_, others)| *others > 0)
                && let Some(remark) = self.kept.remarks.get_mut(first)
            {
                remark.sentence = format!("{} (and {others} more in this method)", remark.sentence);
            }
        }
    }

    pub(super) fn finding(&mut self, rule: &'static str, sentence: Sentence<'_>, place: Place, span: Option<Span>) {
        self.add(rule, Grade::Finding, sentence, place, span);
    }

    fn error(&mut self, rule: &'static str, error: &Error, place: Place) {
        let session = self.session;
        self.finding(rule, &|| session.spaces().error_text(error), place, Some(error.span));
    }
}

pub(crate) struct MethodRemarks {
    /// Limit on the remarks kept per rule.
    limit: usize,
    remarks: Vec<Remark>,
    counts: [usize; RULES.len()],
}

/// Reads every method once, for the rules and for the evidence that the files are of one build; keeps up to `limit` remarks of each rule.
/// Nothing where `go_on` said to stop.
pub(crate) fn examine(session: &Session, limit: usize, go_on: &dyn Fn(u64, u64) -> bool) -> Option<MethodRemarks> {
    let none = MethodRemarks { limit, remarks: Vec::new(), counts: [0; RULES.len()] };
    // Native symbols have no IL, unless methods of managed code are beside them.
    let has_il = |symbols: &&dyn SymbolReader| symbols.format() != Format::Native;
    let Some(symbols) = session.symbols().filter(has_il) else { return Some(none) };
    let methods = symbols.methods();
    let threads = processors().min((methods / MIN_PART) as usize).max(1) as u32;
    let mut parts = in_parts(session, symbols, limit, threads, go_on)?.into_iter();
    let most_work = session.spaces().budget().most_work();
    let mut found = parts.next().and_then(|first| parts.try_fold(first, |part, next| part.with_next(next, most_work)));
    // If the parts together exceed the work limit, the methods are examined one after the other up to that limit.
    if found.is_none() {
        found = in_parts(session, symbols, limit, 1, go_on)?.pop();
    }
    let found = found?;
    if found.left > 0
        && let Some(sample) = found.sample
    {
        sample.keep(session);
    }
    Some(found.remarks)
}

/// Examines the methods in so many parts at once; `None` where `go_on` said to stop.
fn in_parts(
    session: &Session,
    symbols: &dyn SymbolReader,
    limit: usize,
    threads: u32,
    go_on: &dyn Fn(u64, u64) -> bool,
) -> Option<Vec<MethodsPart>> {
    let (methods, stop) = (symbols.methods(), AtomicBool::new(false));
    let part = |number: u32, go_on: &dyn Fn(u32) -> bool| {
        let share = |all: u64| all.checked_div(threads.into()).unwrap_or_default() as u32;
        let rows = |number: u32| share(u64::from(methods).saturating_mul(number.into()));
        MethodsPart::of(session, symbols, limit, rows(number).saturating_add(1)..=rows(number.saturating_add(1)), go_on)
    };
    let first = || {
        let first = part(0, &|done| go_on((done.saturating_mul(threads)).min(methods).into(), methods.into()));
        stop.store(first.is_none(), Ordering::Relaxed);
        first
    };
    let others = |number| part(number, &|_| !stop.load(Ordering::Relaxed));
    let (first, others) = join(first, || parallel_map(1..threads, threads as usize, others));
    std::iter::once(first).chain(others).collect()
}

struct MethodsPart {
    remarks: MethodRemarks,
    sample: Option<Sample>,
    /// Work that is left; 0 if methods were not examined because of it.
    left: u64,
}

impl MethodsPart {
    fn of(
        session: &Session,
        symbols: &dyn SymbolReader,
        limit: usize,
        rows: RangeInclusive<u32>,
        go_on: &dyn Fn(u32) -> bool,
    ) -> Option<Self> {
        let kept = MethodRemarks { limit, remarks: Vec::new(), counts: [0; RULES.len()] };
        let mut found = MethodFindings { session, kept, current: [None; RULES.len()] };
        let with_code = own_image(session).is_some();
        let (mut facts, mut sample) = (MethodFacts::new(symbols), with_code.then(|| Sample::of(session)));
        let (mut texts, mut left) = (points::Texts::default(), session.spaces().budget().most_work());
        for row in rows {
            if row % 256 == 0 && !go_on(row) {
                return None;
            }
            let token = Token::new(TableId::METHOD_DEF, row);
            facts.read(session, symbols, token, with_code, &mut |place, error| {
                // Methods that are left out are one finding about the file.
                if !matches!(error.kind, ErrorKind::LeftOut { .. }) {
                    found.error(READ, &error, place);
                }
            });
            left = left.saturating_sub(facts.work());
            if left == 0 {
                let sentence = || "methods after this one are not checked: they have too much data".to_owned();
                found.add(READ, Grade::Note, &sentence, Place::Method(token), None);
                break;
            }
            if let Some(sample) = &mut sample {
                sample.add(&facts);
            }
            points::points(symbols, &facts, &mut found);
            if with_code {
                points::code(&facts, &mut found);
            }
            points::lines(symbols, &facts, &mut texts, &mut found);
            scopes(&facts, &mut found);
            variables(&facts, &mut found);
            found.end_method();
        }
        Some(Self { remarks: found.kept, sample, left })
    }

    /// Both parts, as if they were examined one after the other; `None` if that would have exceeded the work limit.
    fn with_next(self, next: Self, most_work: u64) -> Option<Self> {
        let sample = match (self.sample, next.sample) {
            (Some(own), Some(next)) => Some(own.with_next(&next)?),
            _ => None,
        };
        let left = self.left.checked_sub(most_work.saturating_sub(next.left)).filter(|left| *left > 0)?;
        Some(Self { remarks: self.remarks.with_next(&next.remarks), sample, left })
    }
}

impl MethodRemarks {
    fn with_next(mut self, next: &Self) -> Self {
        for ((rule, _), (count, more)) in RULES.iter().zip(self.counts.iter_mut().zip(next.counts)) {
            let room = self.limit.saturating_sub(*count);
            self.remarks.extend(next.remarks.iter().filter(|remark| remark.rule == *rule).take(room).cloned());
            *count = count.saturating_add(more);
        }
        self
    }

    pub(crate) fn tell(&self, report: &mut Report) {
        for ((rule, _), count) in RULES.iter().zip(self.counts) {
            report.begin(rule);
            let own = || self.remarks.iter().filter(|remark| remark.rule == *rule);
            report.remarks.extend(own().cloned());
            if count > self.limit
                && let Some(grade) = own().map(|remark| remark.grade).max()
            {
                report.others(grade, count.saturating_sub(self.limit));
            }
        }
    }
}

fn scopes(facts: &MethodFacts, found: &mut MethodFindings<'_>) {
    let at = |scope: &Scope| scope.record.map_or(Place::MethodPart(facts.token, MethodPart::Scopes), Place::from);
    let range =
        |scope: &Scope| format!("{}..{} (end exclusive)", il_label(scope.start.into()), il_label(scope.end() as i64));
    // Those that are open where the next begins, outer ones first.
    let mut open: Vec<&Scope> = Vec::new();
    // The end of all of a method is the reader's own where the format does not record it.
    for (index, scope) in facts.scopes.iter().enumerate().filter(|(_, scope)| !scope.is_whole) {
        let (place, span) = (at(scope), Some(scope.span));
        let is_empty = scope.length == 0 && facts.has_exact_scopes();
        if is_empty || scope.end() >= 1 << 31 {
            let sentence = || match scope.length {
                0 => format!("empty scope {}", range(scope)),
                _ => format!("scope {} ends past the largest IL offset", range(scope)),
            };
            found.finding(SCOPE_RANGE, &sentence, place, span);
        }
        while open.last().is_some_and(|outer| outer.end() <= u64::from(scope.start)) {
            open.pop();
        }
        if let Some(outer) = open.last().filter(|outer| scope.end() > outer.end()) {
            found.finding(SCOPE_NESTED, &|| format!("{} cuts across {}", range(scope), range(outer)), place, span);
        }
        open.push(scope);
        if facts.body.is_none() {
            continue;
        }
        if !facts.is_inside(scope) {
            let sentence =
                || format!("{} extends past the code, which ends at {}", range(scope), il_label(facts.size() as i64));
            found.finding(SCOPE_RANGE, &sentence, place, span);
        } else if facts.has_exact_scopes() && !facts.is_between_instructions(scope) {
            let sentence = || format!("{} begins or ends in the middle of an instruction", range(scope));
            found.finding(SCOPE_BOUNDARY, &sentence, place, span);
        }
        let is_said = scope.start == 0 && !facts.is_inside(scope);
        if index == 0 && !is_said && facts.first_is_all_of_code() == Some(false) {
            let sentence = || {
                let end = il_label(facts.size() as i64);
                format!("{} does not cover all of the code, which ends at {end}", range(scope))
            };
            found.finding(SCOPE_FIRST, &sentence, place, span);
        }
    }
}

fn variables(facts: &MethodFacts, found: &mut MethodFindings<'_>) {
    for variable in facts.scopes.iter().flat_map(|scope| &scope.variables) {
        let place = variable.record.map_or(Place::MethodPart(facts.token, MethodPart::Scopes), Place::from);
        if facts.has_slot(variable) == Some(false)
            && let Some(slots) = facts.slots
        {
            let sentence = || format!("{} has slot {}, but the code has {slots}", variable.name, variable.slot);
            found.finding(VARIABLE_SLOT, &sentence, place, Some(variable.span));
        }
        if variable.name.is_empty() {
            let sentence = || format!("the variable in {} has no name", variable.storage());
            found.add(VARIABLE_NAME, Grade::Note, &sentence, place, Some(variable.span));
        }
    }
}

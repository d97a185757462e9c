//! Rules about every method: its points, its scopes, and its code.

use super::{own_image, points};
use crate::check::{Grade, Report};
use crate::evidence::Sample;
use crate::method_facts::MethodFacts;
use pdblens_formats::bytes::{Error, ErrorKind, Span};
use pdblens_nodes::method::il_label;
use pdblens_nodes::{MethodPart, Place, TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::symbols::{Format, Scope, SymbolReader};

pub(crate) const RULES: [(&str, &str); 23] = [
    ("method-read", "the symbols of every method can be read"),
    ("point-range", "IL offsets, lines, columns and documents of points are in bounds"),
    ("point-order", "the points of a method are in the order of their IL offsets"),
    ("point-document", "every point is in a document that exists"),
    ("point-reader", "System.Reflection.Metadata, and so trimmers, AOT compilers and debuggers, can read every point"),
    ("point-empty", "a point ends after its start"),
    ("point-hidden", "a hidden point has no columns"),
    ("method-code", "only a method with code has points and scopes"),
    ("point-boundary", "a point is at the start of an instruction"),
    ("point-binds", "a breakpoint binds at every visible point, in debuggable code"),
    ("stepping-join", "no step ends in the middle of another point, in debuggable code"),
    ("stepping-twice", "a step ends at other text, in debuggable code"),
    ("stepping-back", "a step goes back in the text only in a loop, in debuggable code"),
    ("point-first", "the first point of a method is at IL_0000"),
    ("point-lines", "a point is in the text of its document"),
    ("local-signature", "symbols and code have the same local signature"),
    ("scope-range", "a scope is not empty, and ends within the code"),
    ("scope-first", "the first scope of a method covers all of its code"),
    ("scope-boundary", "a scope begins and ends where an instruction does"),
    ("scope-nested", "two scopes are nested or disjoint"),
    ("variable-slot", "a variable's slot is in the local signature"),
    ("variable-name", "a variable has a name"),
    ("method-hidden", "not all points of a method are hidden"),
];

/// Maker of a sentence: most remarks are only counted.
pub(super) type Sentence<'t> = &'t dyn Fn() -> String;

/// Remarks of all rules at once, as methods come one after the other.
pub(super) struct MethodFindings<'s> {
    pub(super) session: &'s Session,
    /// A report for each rule.
    reports: Vec<Report>,
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
        let (Some(report), Some(current)) = (self.reports.get_mut(index), self.current.get_mut(index)) else { return };
        if let Some((_, others)) = current {
            *others += 1;
            return;
        }
        let kept = if report.has_room() { Some(report.remarks.len()) } else { None };
        *current = Some((kept, 0));
        report.at(grade, kept.map_or_else(String::new, |_| sentence()), Some(place), span);
    }

    /// Ends the remarks on a method: the first of each rule says how many more there are like it.
    fn end_method(&mut self) {
        for (current, report) in self.current.iter_mut().zip(&mut self.reports) {
            if let Some((Some(first), others)) = current.take().filter(|(_, others)| *others > 0)
                && let Some(remark) = report.remarks.get_mut(first)
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

/// Reads every method once, for the rules and for the evidence that the files are of one build: a report of each rule, with up to `limit`
/// remarks. Nothing where `go_on` said to stop.
pub(crate) fn examine(session: &Session, limit: usize, go_on: &dyn Fn(u64, u64) -> bool) -> Option<Vec<Report>> {
    let report = |(id, _): &(&'static str, &str)| {
        let mut report = Report::with_limit(limit);
        report.begin(id);
        report
    };
    let reports = RULES.iter().map(report).collect();
    // Native symbols have no IL, unless methods of managed code are beside them.
    let has_il = |symbols: &&dyn SymbolReader| symbols.format() != Format::Native;
    let Some(symbols) = session.symbols().filter(has_il) else { return Some(reports) };
    let mut found = MethodFindings { session, reports, current: [None; RULES.len()] };
    let with_code = own_image(session).is_some();
    let (mut facts, mut sample) = (MethodFacts::new(symbols), with_code.then(|| Sample::of(session)));
    let (mut texts, mut left) = (points::Texts::default(), session.spaces().budget().most_work());
    for row in 1..=symbols.methods() {
        if row % 256 == 0 && !go_on(row.into(), symbols.methods().into()) {
            return None;
        }
        let token = Token::new(TableId::METHOD_DEF, row);
        facts.read(session, symbols, token, with_code, &mut |place, error| {
            // Methods that are left out are one finding about the file.
            if !matches!(error.kind, ErrorKind::LeftOut { .. }) {
                found.error("method-read", &error, place);
            }
        });
        left = left.saturating_sub(facts.work());
        if left == 0 {
            let sentence = || "methods after this one are not checked: they have too much data".to_owned();
            found.add("method-read", Grade::Finding, &sentence, Place::Method(token), None);
            break;
        }
        if let Some(sample) = &mut sample {
            sample.add(&facts);
        }
        points::points(symbols, &facts, &mut found);
        if with_code {
            points::code(&facts, &mut found);
            points::binding(&facts, &mut found);
        }
        points::lines(symbols, &facts, &mut texts, &mut found);
        scopes(&facts, &mut found);
        variables(&facts, &mut found);
        found.end_method();
    }
    if let Some(sample) = sample.filter(|_| left > 0) {
        sample.keep(session);
    }
    Some(found.reports)
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
            found.finding("scope-range", &sentence, place, span);
        }
        while open.last().is_some_and(|outer| outer.end() <= u64::from(scope.start)) {
            open.pop();
        }
        if let Some(outer) = open.last().filter(|outer| scope.end() > outer.end()) {
            found.finding("scope-nested", &|| format!("{} cuts across {}", range(scope), range(outer)), place, span);
        }
        open.push(scope);
        if facts.body.is_none() {
            continue;
        }
        if !facts.is_inside(scope) {
            let sentence =
                || format!("{} extends past the code, which ends at {}", range(scope), il_label(facts.size() as i64));
            found.finding("scope-range", &sentence, place, span);
        } else if facts.has_exact_scopes() && !facts.is_between_instructions(scope) {
            let sentence = || format!("{} begins or ends in the middle of an instruction", range(scope));
            found.finding("scope-boundary", &sentence, place, span);
        }
        let is_said = scope.start == 0 && !facts.is_inside(scope);
        if index == 0 && !is_said && facts.first_is_all_of_code() == Some(false) {
            let sentence = || {
                let end = il_label(facts.size() as i64);
                format!("{} does not cover all of the code, which ends at {end}", range(scope))
            };
            found.finding("scope-first", &sentence, place, span);
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
            found.finding("variable-slot", &sentence, place, Some(variable.span));
        }
        if variable.name.is_empty() {
            let sentence = || format!("the variable in {} has no name", variable.storage());
            found.add("variable-name", Grade::Note, &sentence, place, Some(variable.span));
        }
    }
}

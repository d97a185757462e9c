//! Comparison of methods by name.

use std::collections::{HashMap, VecDeque};

use super::code::{self, Build};
use super::documents::Pairs;
use super::generated::{PairNames, fold};
use super::{Change, ChangeKind, Diff, Subject, points, scopes};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::reason::Reason;
use pdblens_nodes::Place;
use pdblens_session::session::Session;
use pdblens_session::text::names::NameCache;

/// Limit on the points and bytes of code compared: methods may share them, so that a small file can have any number.
const MAX_WORK: u64 = 1 << 28;

/// Limit on the methods of one name that are paired by their code; more are paired in their order.
const MAX_ALIKE: usize = 64;

/// The methods of a build by name, in their order.
fn by_name(session: &Session, named: bool) -> impl Iterator<Item = (String, Token)> {
    let names = PairNames::new(session);
    let methods = (1..=session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row));
    methods.map(move |method| (if named { names.name(method) } else { method.to_string() }, method))
}

/// Both builds, and what is kept of the comparison.
struct Comparison<'c, 's> {
    sessions: [&'s Session; 2],
    builds: [Build<'s>; 2],
    named: bool,
    pairs: &'c Pairs,
    left: u64,
}

impl Comparison<'_, '_> {
    fn code(&mut self, before: Token, after: Token) -> Vec<String> {
        let [a, b] = self.builds;
        if self.named { code::differences((a, before), (b, after), &mut self.left) } else { Vec::new() }
    }

    /// Takes the method that `method` has become out of those of its name: one with the same code, or else the first.
    fn take(&mut self, method: Token, alike: &mut VecDeque<Token>) -> Option<Token> {
        let is_choice = (2..=MAX_ALIKE).contains(&alike.len());
        let same = is_choice.then(|| alike.iter().position(|other| self.code(method, *other).is_empty())).flatten();
        alike.remove(same.unwrap_or(0))
    }

    /// Compares a pair; nothing if there is no difference.
    fn pair(&mut self, before: Token, after: Token, code: Vec<String>) -> Option<Change> {
        let mut details = code;
        let code_is_same = details.is_empty();
        let [a, b] = self.sessions;
        let lines = points::compare((a, before), (b, after), self.pairs, &mut self.left);
        let moved = matches!(lines, points::Lines::Moved(_));
        details.extend(lines.sentence());
        let in_scope = scopes::compare((a, before), (b, after), code_is_same, &mut self.left);
        let scopes_are_same = in_scope.is_empty();
        details.extend(in_scope);
        if details.is_empty() {
            return None;
        }
        let how = if moved && code_is_same && scopes_are_same { ChangeKind::Moved } else { ChangeKind::Changed };
        let change = Change::new(Subject::Method, how, self.shown(0, before)).details(details);
        Some(change.places(Some(Place::Method(before)), Some(Place::Method(after))))
    }

    fn shown(&self, build: usize, method: Token) -> String {
        match self.sessions.get(build) {
            Some(session) if self.named => session.method_name(method),
            _ => method.to_string(),
        }
    }
}

pub(crate) fn compare(a: &Session, b: &Session, pairs: &Pairs, diff: &mut Diff) {
    // Names come from images: where one is missing, tokens are all there is.
    let named = a.metadata().is_some() && b.metadata().is_some();
    let caches = [NameCache::new(), NameCache::new()];
    let [before, after] = &caches;
    let builds = [Build::new(a, before), Build::new(b, after)];
    let mut comparison = Comparison { sessions: [a, b], builds, named, pairs, left: MAX_WORK };
    let mut others: HashMap<String, VecDeque<Token>> = HashMap::new();
    for (name, method) in by_name(b, named) {
        others.entry(name).or_default().push_back(method);
    }
    for (name, method) in by_name(a, named) {
        if comparison.left == 0 {
            let text = format!("methods from {method} on are not compared: they have too much data");
            diff.notes.push(Reason::new("limit", text));
            break;
        }
        match others.get_mut(&name).and_then(|alike| comparison.take(method, alike)) {
            None => {
                let change = Change::new(Subject::Method, ChangeKind::Removed, comparison.shown(0, method));
                diff.changes.push(change.places(Some(Place::Method(method)), None));
            }
            Some(other) => {
                let code = comparison.code(method, other);
                match comparison.pair(method, other, code) {
                    Some(change) => diff.changes.push(change),
                    None => diff.same_methods += 1,
                }
            }
        }
    }
    let mut added: Vec<Token> = others.into_values().flatten().collect();
    added.sort();
    diff.changes.extend(added.into_iter().map(|method| {
        let change = Change::new(Subject::Method, ChangeKind::Added, comparison.shown(1, method));
        change.places(None, Some(Place::Method(method)))
    }));
    let uses = |change: &Change| shared_of(comparison.builds, change);
    diff.changes = fold(std::mem::take(&mut diff.changes), &uses);
}

/// Members that methods share, as far as the code of an added or removed method names them.
fn shared_of([before, after]: [Build<'_>; 2], change: &Change) -> Vec<String> {
    match (change.how, change.before, change.after) {
        (ChangeKind::Added, _, Some(Place::Method(method))) => after.shared_of(method),
        (ChangeKind::Removed, Some(Place::Method(method)), _) => before.shared_of(method),
        _ => Vec::new(),
    }
}

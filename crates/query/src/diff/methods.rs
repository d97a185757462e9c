//! Comparison of methods by name.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::code::{self, Build};
use super::documents::Pairs;
use super::generated::{PairNames, fold};
use super::{Cause, Change, ChangeKind, Diff, Moved, Subject, pairing, points, scopes};
use pdblens_formats::metadata::{Heap, Metadata, TableId, Token};
use pdblens_formats::reason::Reason;
use pdblens_nodes::{Place, method};
use pdblens_session::session::Session;
use pdblens_session::text::names::NameCache;

fn all(session: &Session) -> impl Iterator<Item = Token> {
    (1..=session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row))
}

/// The methods of a build by name, in their order, but for those that are paired already.
fn by_name<'s>(session: &'s Session, named: bool, paired: &'s HashSet<Token>) -> impl Iterator<Item = (String, Token)> {
    let names = PairNames::new(session);
    let rest = all(session).filter(|method| !paired.contains(method));
    rest.map(move |method| (if named { names.name(method) } else { method.to_string() }, method))
}

struct Comparison<'c, 's> {
    sessions: [&'s Session; 2],
    builds: [Build<'s>; 2],
    named: bool,
    pairs: &'c Pairs,
    /// The methods that have the same bytes of code in both builds, and tokens that mean the same.
    same: HashSet<Token>,
    left: u64,
}

impl Comparison<'_, '_> {
    /// Pairs the methods of one name: those with the same code first, and then those whose code has most in common.
    fn pair_alike(&mut self, before: &[Token], after: &[Token], pairs: &mut HashMap<Token, Token>) {
        if let ([one], [other]) = (before, after) {
            pairs.insert(*one, *other);
            return;
        }
        if !self.named || before.is_empty() || after.is_empty() {
            return;
        }
        let [a, b] = self.builds;
        let mut text = |build, method| code::code_text((build, method), &mut self.left);
        // Several methods may share one large body: only the hashes of all of them are kept.
        let mut same: HashMap<u64, VecDeque<Token>> = HashMap::new();
        for other in after {
            same.entry(hash(&text(b, *other))).or_default().push_back(*other);
        }
        let mut ones = Vec::new();
        for one in before {
            match same.get_mut(&hash(&text(a, *one))).and_then(VecDeque::pop_front) {
                Some(other) => _ = pairs.insert(*one, other),
                None => ones.push(*one),
            }
        }
        let mut others: Vec<Token> = same.into_values().flatten().collect();
        others.sort_unstable();
        if ones.len() * others.len() > pairing::MAX_TRIED {
            return pairs.extend(ones.into_iter().zip(others));
        }
        let codes: Vec<String> = ones.iter().map(|one| text(a, *one)).collect();
        let other_codes: Vec<String> = others.iter().map(|other| text(b, *other)).collect();
        let keys: Vec<&[u8]> = codes.iter().map(String::as_bytes).collect();
        let other_keys: Vec<&[u8]> = other_codes.iter().map(String::as_bytes).collect();
        for pair in pairing::pairs_of(&keys, &other_keys) {
            if let (Some(one), Some(other)) = pair {
                pairs.extend(ones.get(one).copied().zip(others.get(other).copied()));
            }
        }
    }

    /// Compares a pair; nothing if there is no difference.
    fn pair(&mut self, before: Token, after: Token) -> Option<Change> {
        let ([a, b], [build, other]) = (self.sessions, self.builds);
        let mut details = Vec::new();
        if self.named && !self.same.contains(&before) {
            details = code::differences((build, before), (other, after), &mut self.left);
        }
        let code_is_same = details.is_empty();
        let lines = points::compare((a, before), (b, after), self.pairs, &mut self.left);
        details.extend(lines.sentence());
        let in_scope = scopes::compare((a, before), (b, after), code_is_same, &mut self.left);
        let cause = match &lines {
            _ if !code_is_same => Cause::Code,
            points::Lines::Changed(_) => Cause::Lines,
            _ => Cause::Names,
        };
        let is_moved = code_is_same && in_scope.is_empty();
        details.extend(in_scope);
        if !is_moved && lines != points::Lines::Same {
            let breakpoint = points::aligned_points([a, b], [Some(before), Some(after)]).breakpoint();
            details.extend((!breakpoint.is_empty()).then(|| format!("breakpoints: {breakpoint}")));
        }
        if details.is_empty() {
            return None;
        }
        let places = (Some(Place::Method(before)), Some(Place::Method(after)));
        let change = |how| Change::new(Subject::Method, how, self.shown(0, before)).details(details);
        let change = match lines {
            points::Lines::Moved(by) if is_moved => Change {
                moved: by
                    .into_iter()
                    .find(|(_, by)| *by != 0)
                    .map(|(row, by)| Moved { document: Place::Document(row), by }),
                ..change(ChangeKind::Moved)
            },
            _ => Change { cause: Some(cause), ..change(ChangeKind::Changed) },
        };
        Some(change.places(places.0, places.1))
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
    let mut left = a.spaces().budget().most_work() + b.spaces().budget().most_work();
    let mut same = HashSet::new();
    if named && have_same_tokens(a, b) {
        same.extend(all(a).filter(|method| has_same_body(a, b, *method, &mut left)));
    }
    let mut others: HashMap<Token, Token> = HashMap::new();
    let mut comparison = Comparison { sessions: [a, b], builds, named, pairs, same, left };
    let mut alike: HashMap<String, [Vec<Token>; 2]> = HashMap::new();
    for (build, session) in [a, b].into_iter().enumerate() {
        for (name, method) in by_name(session, named, &comparison.same) {
            alike.entry(name).or_default()[build].push(method);
        }
    }
    let mut groups: Vec<[Vec<Token>; 2]> = alike.into_values().collect();
    groups.sort_unstable();
    for [before, after] in &groups {
        comparison.pair_alike(before, after, &mut others);
    }
    for method in all(a) {
        if comparison.left == 0 {
            let text = format!("methods from {method} on are not compared: they have too much data");
            diff.notes.push(Reason::new("limit", text));
            break;
        }
        let other = if comparison.same.contains(&method) { Some(method) } else { others.get(&method).copied() };
        match other {
            None => {
                let change = Change::new(Subject::Method, ChangeKind::Removed, comparison.shown(0, method));
                diff.changes.push(change.places(Some(Place::Method(method)), None));
            }
            Some(other) => match comparison.pair(method, other) {
                Some(change) => diff.changes.push(change),
                None => diff.same_methods += 1,
            },
        }
    }
    let paired: HashSet<Token> = others.into_values().collect();
    let is_added = |method: &Token| !comparison.same.contains(method) && !paired.contains(method);
    diff.changes.extend(all(b).filter(is_added).map(|method| {
        let change = Change::new(Subject::Method, ChangeKind::Added, comparison.shown(1, method));
        change.places(None, Some(Place::Method(method)))
    }));
    let uses = |change: &Change| shared_of(comparison.builds, change);
    diff.changes = fold(std::mem::take(&mut diff.changes), &uses);
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Members that methods share, as far as the code of an added or removed method names them.
fn shared_of([before, after]: [Build<'_>; 2], change: &Change) -> Vec<String> {
    match (change.how, change.before, change.after) {
        (ChangeKind::Added, _, Some(Place::Method(method))) => after.shared_of(method),
        (ChangeKind::Removed, Some(Place::Method(method)), _) => before.shared_of(method),
        _ => Vec::new(),
    }
}

/// Columns with the RVA of code and data, which differ between builds of the same code.
const PLACES: [(TableId, usize); 2] = [(TableId::METHOD_DEF, 0), (TableId::FIELD_RVA, 0)];

/// Returns true if the images of both builds have the same names, signatures and rows, as after a change inside methods: every token means
/// the same, and methods need no names to be paired.
fn have_same_tokens(a: &Session, b: &Session) -> bool {
    let (Some(one), Some(two)) = (a.metadata(), b.metadata()) else { return false };
    let heaps = [Heap::Strings, Heap::UserStrings, Heap::Blobs];
    heaps.iter().all(|heap| one.heaps.get(*heap).bytes() == two.heaps.get(*heap).bytes()) && have_same_rows(one, two)
}

fn have_same_rows(one: &Metadata, two: &Metadata) -> bool {
    let ids = |metadata: &Metadata| metadata.tables.present().map(|table| (table.id, table.rows())).collect::<Vec<_>>();
    let same = |(id, _): &(TableId, u32)| {
        let (table, other) = (one.table(*id), two.table(*id));
        let columns = (0..table.columns().len()).filter(|column| !PLACES.contains(&(*id, *column)));
        columns.into_iter().all(|column| table.column(column).cells().eq(other.column(column).cells()))
    };
    let tables = ids(one);
    tables == ids(two) && tables.iter().all(same)
}

/// Returns true if a method has the same bytes of code in both builds: header, instructions and exception clauses. The work is deducted
/// from `left`; where nothing is left, none is the same.
fn has_same_body(a: &Session, b: &Session, method: Token, left: &mut u64) -> bool {
    if *left == 0 {
        return false;
    }
    let body = |session| method::body(session, method);
    match (body(a), body(b)) {
        (Ok(None), Ok(None)) => true,
        (Ok(Some(one)), Ok(Some(two))) if one.problems.is_empty() && two.problems.is_empty() => {
            *left = left.saturating_sub(one.span.len);
            match (method::image_bytes(a, one.span), method::image_bytes(b, two.span)) {
                (Ok(one), Ok(two)) => one.data == two.data,
                _ => false,
            }
        }
        _ => false,
    }
}

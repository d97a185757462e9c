//! Comparison of methods by name.

use std::collections::HashMap;

use super::code::{self, TokenNames};
use super::documents::Pairs;
use super::{Change, ChangeKind, Diff, Subject, points};
use crate::formats::metadata::{TableId, Token};
use crate::nodes::Place;
use crate::session::Session;

/// Limit on the points and bytes of code compared: methods may share them, so that a small file can have any number.
const MAX_WORK: u64 = 1 << 28;

pub(crate) fn compare(a: &Session, b: &Session, pairs: &Pairs, diff: &mut Diff) {
    // Names come from images: where one is missing, tokens are all there is.
    let by_name = a.metadata().is_some() && b.metadata().is_some();
    let name = |session: &Session, method: Token| {
        if by_name { session.method_name(method) } else { method.to_string() }
    };
    let all =
        |session: &Session| (1..=session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row)).collect::<Vec<_>>();
    let mut others: HashMap<String, Vec<Token>> = HashMap::new();
    for method in all(b).into_iter().rev() {
        others.entry(name(b, method)).or_default().push(method);
    }
    let (names_a, names_b) = (TokenNames::new(a), TokenNames::new(b));
    let mut left = MAX_WORK;
    for method in all(a) {
        if left == 0 {
            diff.notes.push(format!("methods from {method} on are not compared: there is too much of them"));
            break;
        }
        let name = name(a, method);
        let place = Some(Place::Method(method));
        let Some(other) = others.get_mut(&name).and_then(Vec::pop) else {
            diff.changes.push(Change::new(Subject::Method, ChangeKind::Removed, name).places(place, None));
            continue;
        };
        let mut details =
            if by_name { code::differences((&names_a, method), (&names_b, other), &mut left) } else { Vec::new() };
        let code_is_same = details.is_empty();
        let lines = points::compare((a, method), (b, other), pairs, &mut left);
        let moved = matches!(lines, points::Lines::Moved(_));
        details.extend(lines.sentence());
        if details.is_empty() {
            diff.same_methods += 1;
            continue;
        }
        let how = if moved && code_is_same { ChangeKind::Moved } else { ChangeKind::Changed };
        let change = Change::new(Subject::Method, how, name).details(details);
        diff.changes.push(change.places(place, Some(Place::Method(other))));
    }
    let mut added: Vec<(Token, String)> = others
        .into_iter()
        .flat_map(|(name, methods)| methods.into_iter().map(move |method| (method, name.clone())))
        .collect();
    added.sort();
    diff.changes.extend(added.into_iter().map(|(method, name)| {
        Change::new(Subject::Method, ChangeKind::Added, name).places(None, Some(Place::Method(method)))
    }));
}

//! The local variables, constants and scopes of one method in two builds.

use pdblens_formats::metadata::Token;
use pdblens_nodes::method::{il_label, scopes};
use pdblens_session::session::Session;
use pdblens_session::symbols::Scope;
use pdblens_session::text::safe::count;

const MAX_LISTED: usize = 3;

/// Variables and constants in the order of their scopes, each with all that a debugger shows.
fn locals(scopes: &[Scope]) -> Vec<String> {
    let variable = |scope: &Scope| -> Vec<String> {
        let hidden = |hidden: bool| if hidden { ", hidden" } else { "" };
        scope.variables.iter().map(|v| format!("{} ({}{})", v.name, v.storage(), hidden(v.hidden))).collect()
    };
    let constant = |scope: &Scope| -> Vec<String> {
        scope.constants.iter().map(|c| format!("const {} {} = {}", c.type_name, c.name, c.value)).collect()
    };
    scopes.iter().flat_map(|scope| variable(scope).into_iter().chain(constant(scope))).collect()
}

/// Compares the names in scope and, if the code is the same, their ranges. The work is deducted from `left`.
pub(crate) fn compare(a: (&Session, Token), b: (&Session, Token), same_code: bool, left: &mut u64) -> Vec<String> {
    let (before, after) = match (scopes(a.0, a.1), scopes(b.0, b.1)) {
        (Ok(before), Ok(after)) => (before, after),
        (Err(_), Err(_)) => return Vec::new(),
        (Err(_), _) => return vec!["scopes, which cannot be read in the first".to_owned()],
        (_, Err(_)) => return vec!["scopes, which cannot be read in the second".to_owned()],
    };
    let (one, two) = (locals(&before), locals(&after));
    let names: usize = [before.len(), after.len(), one.len(), two.len()].into_iter().sum();
    *left = left.saturating_sub(names as u64 * 32);
    let mut found = Vec::new();
    if one != two {
        found.push(format!("locals, {} → {}", listed(&one, &two), listed(&two, &one)));
    }
    let range = |scope: &Scope| (scope.start, scope.end());
    let ranges = |scopes: &[Scope]| scopes.iter().map(range).collect::<Vec<_>>();
    if same_code && ranges(&before) != ranges(&after) {
        found.push(match before.iter().map(range).zip(after.iter().map(range)).find(|(one, two)| one != two) {
            Some((one, two)) => format!("scope {} → {} (ends exclusive)", shown(one), shown(two)),
            None => format!("scopes, {} → {}", before.len(), after.len()),
        });
    }
    found
}

fn shown((start, end): (u32, u64)) -> String {
    format!("{}..{}", il_label(start.into()), il_label(end as i64))
}

/// Names that `others` does not have; `none` where there are no such names.
fn listed(names: &[String], others: &[String]) -> String {
    let own: Vec<_> = names.iter().filter(|name| !others.contains(name)).collect();
    let more = own.len().saturating_sub(MAX_LISTED);
    let mut text = own.iter().take(MAX_LISTED).map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text = format!("{text} and {}", count(more as u64, "other"));
    }
    match (own.is_empty(), names.is_empty()) {
        (false, _) => text,
        (true, true) => "none".to_owned(),
        (true, false) => format!("the same {} in another order", names.len()),
    }
}

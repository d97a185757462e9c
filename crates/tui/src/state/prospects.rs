//! The verdict on the halves of a pair, and what a debugger makes of it: breakpoints, sources, stack traces.

use std::collections::BTreeMap;

use crate::state::text_group::TextGroup;
use crate::state::view::View;
use pdblens_nodes::rows::Tone;
use pdblens_query::breakpoint::{is_optimized, why_of_module};
use pdblens_session::session::{PdbMatch, Session};
use pdblens_session::symbols::Format;

/// One thing that a debugger does with the pair, or does not.
pub(crate) struct Prospect {
    pub tone: Tone,
    pub label: &'static str,
    pub text: String,
    /// The view that shows it.
    pub view: View,
    /// Empty where nothing needs one.
    pub remedy: String,
}

pub(crate) fn tone(verdict: Option<PdbMatch>) -> Tone {
    match verdict {
        Some(PdbMatch::Matched) => Tone::Ok,
        Some(PdbMatch::Mismatched(_)) => Tone::Bad,
        _ => Tone::Warn,
    }
}

/// The verdict in a sentence; `alone` follows the name of a file without its other half.
pub(crate) fn sentence(session: &Session, alone: &str) -> String {
    let verdict = session.pdb_match();
    let names = (session.image().map(|file| file.name.as_str()), session.symbol_file().map(|file| file.name.as_str()));
    match (names, verdict) {
        ((Some(image), Some(pdb)), PdbMatch::Matched) => {
            format!("{pdb} matches {image}")
        }
        ((Some(image), Some(pdb)), PdbMatch::Mismatched(_)) => {
            let why = verdict.summary().rsplit(": ").next().unwrap_or_default();
            format!("{pdb} does not match {image}: {why}")
        }
        ((Some(file), None) | (None, Some(file)), _) => format!("{}: {file}{alone}", verdict.summary()),
        _ => verdict.summary().to_owned(),
    }
}

/// The prospects of a pair that matches. `texts` are the numbers of documents by the state of their text, once they are counted.
pub(crate) fn prospects(
    session: &Session,
    texts: Option<&BTreeMap<TextGroup, usize>>,
    more: &'static str,
) -> Vec<Prospect> {
    let mut found = Vec::new();
    let mut add = |tone: Tone, label: &'static str, text: &str, view: View, remedy: String| {
        found.push(Prospect { tone, label, text: text.to_owned(), view, remedy });
    };
    let symbols = session.symbols().filter(|symbols| symbols.format() != Format::Native && symbols.methods() > 0);
    if symbols.is_some() {
        match why_of_module(session) {
            Some(why) => {
                let text = "optimised: Just My Code skips the assembly, and methods may be inlined";
                add(Tone::Warn, "breakpoints", text, View::Methods, why.fix);
            }
            None if is_optimized(session) == Some(false) => {
                let text = "bind: the assembly is not optimised";
                add(Tone::Ok, "breakpoints", text, View::Methods, String::new());
            }
            None => {}
        }
    }
    if session.symbols().is_some_and(|symbols| symbols.documents() > 0) {
        let (at_hand, text) = texts.map_or((false, more.to_owned()), texts_at_hand);
        add(if at_hand { Tone::Ok } else { Tone::Warn }, "sources", &text, View::Sources, String::new());
    }
    if symbols.is_some() {
        let text = "resolve to file and line: paste one in any view";
        add(Tone::Ok, "stack traces", text, View::Trace, String::new());
    }
    found
}

/// Returns whether all texts are at hand, and the numbers of those in each state.
fn texts_at_hand(counts: &BTreeMap<TextGroup, usize>) -> (bool, String) {
    let all: usize = counts.values().sum();
    let here: usize = counts.iter().filter(|(group, _)| group.is_at_hand()).map(|(_, number)| number).sum();
    let others = counts.iter().filter(|(group, _)| !group.is_at_hand());
    let parts = others.map(|(group, number)| format!("{number} {}", group.name()));
    (here == all, std::iter::once(format!("{here} of {all} at hand")).chain(parts).collect::<Vec<_>>().join(", "))
}

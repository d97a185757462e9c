//! The verdict on the halves of a pair, and what a debugger makes of it: breakpoints, sources, stack traces.

use std::collections::BTreeMap;

use crate::engine::action::Action;
use crate::engine::jobs::CancelToken;
use crate::state::paths::Paths;
use crate::state::text_group::{TextGroup, counts_of_texts};
use crate::state::view::View;
use crate::ui::glyphs::Glyphs;
use pdblens_nodes::rows::Tone;
use pdblens_query::breakpoint::{Judge, ModulePart, Sign, Verdict, why_of_module};
use pdblens_session::session::{PdbMatch, Session};
use pdblens_session::symbols::Format;

/// One thing that a debugger does with the pair, or does not.
pub(crate) struct Prospect {
    pub tone: Tone,
    /// Sign of breakpoints.
    sign: Option<Sign>,
    pub label: &'static str,
    pub text: String,
    /// The view that shows it.
    pub view: View,
    /// Empty where nothing needs one.
    pub remedy: String,
}

impl Prospect {
    pub const fn sign(&self, glyphs: &Glyphs) -> &'static str {
        match self.sign {
            Some(sign) => glyphs.breakpoint(sign),
            None => glyphs.sign(self.tone),
        }
    }

    /// The action that leads to the view.
    pub(crate) const fn action(&self) -> Action {
        match self.view {
            View::Sources => Action::ByFile,
            view => Action::View(view.number()),
        }
    }
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

/// The prospects of a pair that matches. `judged` has the verdict on its breakpoints, and the numbers of documents by the state of their
/// text, once they are known.
pub(crate) fn prospects(session: &Session, judged: Option<&Judged>, more: &'static str) -> Vec<Prospect> {
    let mut found = Vec::new();
    let mut add = |tone: Tone, label: &'static str, text: &str, view: View| {
        found.push(Prospect { tone, sign: None, label, text: text.to_owned(), view, remedy: String::new() });
    };
    let symbols = session.symbols().filter(|symbols| symbols.format() != Format::Native && symbols.methods() > 0);
    if session.symbols().is_some_and(|symbols| symbols.documents() > 0) {
        let (at_hand, text) = judged.map_or((false, more.to_owned()), |judged| texts_at_hand(&judged.texts));
        add(if at_hand { Tone::Ok } else { Tone::Warn }, "sources", &text, View::Sources);
    }
    if symbols.is_some() {
        let text = "resolve to file and line: paste one in any view";
        add(Tone::Ok, "stack traces", text, View::Trace);
        found.insert(0, breakpoints(session, judged.map(|judged| judged.breakpoints), more));
    }
    found
}

fn breakpoints(session: &Session, verdict: Option<Verdict>, more: &'static str) -> Prospect {
    let sign = verdict.map(Verdict::sign);
    let tone = if sign == Some(Sign::Stops) { Tone::Ok } else { Tone::Warn };
    let reason = match verdict.map(|verdict| verdict.module) {
        Some(ModulePart::Optimized) => ": the assembly is optimised, and methods may be inlined",
        Some(ModulePart::Fits) => ": the assembly is not optimised",
        _ => "",
    };
    let text = verdict.map_or_else(|| more.to_owned(), |verdict| verdict.words() + reason);
    let why = why_of_module(session).filter(|_| sign == Some(Sign::Setting));
    let remedy = why.map_or_else(String::new, |why| why.fix);
    Prospect { tone, sign, label: "breakpoints", text, view: View::Methods, remedy }
}

/// Facts about a pair that take time.
pub(crate) struct Judged {
    pub texts: BTreeMap<TextGroup, usize>,
    /// Verdict on breakpoints of the module.
    pub breakpoints: Verdict,
}

impl Judged {
    /// `None` where the job was cancelled.
    pub fn of(session: &Session, paths: &Paths, token: &CancelToken) -> Option<Self> {
        let texts = counts_of_texts(session, paths, token)?;
        Some(Self { texts, breakpoints: Judge::of(session, &paths.sources).of_module() })
    }
}

/// Returns whether all texts are at hand, and the numbers of those in each state.
fn texts_at_hand(counts: &BTreeMap<TextGroup, usize>) -> (bool, String) {
    let all: usize = counts.values().sum();
    let here: usize = counts.iter().filter(|(group, _)| group.is_at_hand()).map(|(_, number)| number).sum();
    let others = counts.iter().filter(|(group, _)| !group.is_at_hand());
    let parts = others.map(|(group, number)| format!("{number} {}", group.name()));
    (here == all, std::iter::once(format!("{here} of {all} at hand")).chain(parts).collect::<Vec<_>>().join(", "))
}

//! The verdict on the halves of a pair, and what a debugger makes of it: breakpoints, sources, stack traces.

use std::collections::BTreeMap;

use crate::engine::action::Action;
use crate::engine::jobs::CancelToken;
use crate::state::paths::Paths;
use crate::state::text_group::{TextGroup, counts_of_texts};
use crate::state::view::View;
use crate::ui::glyphs::Glyphs;
use pdblens_nodes::Place;
use pdblens_nodes::rows::Tone;
use pdblens_query::breakpoint::{Judge, ModulePart, Sign, Verdict, why_of_module};
use pdblens_query::check::{self, Grade, Remark};
use pdblens_session::session::{PdbMatch, Session};
use pdblens_session::symbols::Format;
use pdblens_session::text::safe::count;

/// A sentence about what the pair means, which is its own remedy: what its keys do.
pub(crate) struct Prospect {
    pub tone: Tone,
    /// Sign of breakpoints.
    sign: Option<Sign>,
    pub text: String,
    /// Actions beside it, the last one that of Enter.
    pub keys: &'static [(Action, &'static str)],
    /// A second line; empty where nothing needs one.
    pub remedy: String,
    /// Place that Enter goes to, instead of the last action.
    pub place: Option<Place>,
}

impl Prospect {
    pub const fn sign(&self, glyphs: &Glyphs) -> &'static str {
        match self.sign {
            Some(sign) => glyphs.breakpoint(sign),
            None => glyphs.sign(self.tone),
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
    let mut add = |tone: Tone, text: String, keys: &'static [(Action, &'static str)]| {
        found.push(Prospect { tone, sign: None, text, keys, remedy: String::new(), place: None });
    };
    let symbols = session.symbols().filter(|symbols| symbols.format() != Format::Native && symbols.methods() > 0);
    if session.symbols().is_some_and(|symbols| symbols.documents() > 0) {
        const FETCHES: &[(Action, &str)] = &[(Action::FetchSource, "fetch"), (Action::ByFile, "files")];
        const SHOWS: &[(Action, &str)] = &[(Action::ByFile, "files")];
        let (at_hand, text) = judged.map_or((false, more.to_owned()), |judged| texts_at_hand(&judged.texts));
        let (tone, keys) = if at_hand { (Tone::Ok, SHOWS) } else { (Tone::Warn, FETCHES) };
        add(tone, text, keys);
    }
    if symbols.is_some() {
        const TRACE: &[(Action, &str)] = &[(Action::View(View::Trace.number()), "Trace")];
        let text = "Stack traces resolve to lines: paste one in any view".to_owned();
        add(Tone::Ok, text, TRACE);
        found.insert(0, breakpoints(session, judged.map(|judged| judged.breakpoints), more));
    }
    if let Some(remarks) = judged.and_then(|judged| judged.remarks.as_deref()).filter(|remarks| !remarks.is_empty()) {
        found.push(rules(remarks));
    }
    found
}

/// Findings of the check; none where the job was cancelled.
pub(crate) fn checked(session: &Session, paths: &Paths, token: &CancelToken) -> Vec<Remark> {
    let progress = |done, total| {
        token.report(done, total);
        !token.is_cancelled()
    };
    check::check_listing(session, &paths.sources, MAX_OF_RULE, &progress).unwrap_or_default()
}

/// Remarks of a rule that are kept for a number.
const MAX_OF_RULE: usize = 4096;

/// Number of the rules that hold, and the first of what does not.
fn rules(remarks: &[Remark]) -> Prospect {
    let of_rule: Vec<&[Remark]> = remarks.chunk_by(|a, b| a.rule == b.rule).collect();
    let held = of_rule.iter().filter(|found| found.iter().all(|remark| remark.grade == Grade::Good)).count();
    let held = count(held as u64, "rule") + if held == 1 { " holds" } else { " hold" };
    let worst = remarks.iter().filter(|found| found.grade != Grade::Good).max_by_key(|found| found.grade);
    let text = match worst {
        None => held,
        Some(first) => format!("{held}; {}: {}", check::summary(remarks), first.sentence),
    };
    let place = worst.and_then(|first| first.place.or(first.span.map(Place::Bytes)));
    let tone = if check::findings(remarks) > 0 { Tone::Bad } else { Tone::Ok };
    Prospect { tone, sign: None, text, keys: &[(Action::Findings, "findings")], remedy: String::new(), place }
}

const BREAKPOINTS: &[(Action, &str)] = &[(Action::Why, "why"), (Action::View(View::Methods.number()), "Code")];

fn breakpoints(session: &Session, verdict: Option<Verdict>, more: &'static str) -> Prospect {
    let sign = verdict.map(Verdict::sign);
    let tone = if sign == Some(Sign::Stops) { Tone::Ok } else { Tone::Warn };
    let reason = match verdict.map(|verdict| verdict.module) {
        Some(ModulePart::Optimized) => ": the assembly is optimised",
        Some(ModulePart::Fits) => ": the assembly is not optimised",
        _ => "",
    };
    let words = verdict.map_or_else(|| more.to_owned(), Verdict::words);
    // Of many breakpoints, not of one.
    let words = words.strip_prefix("stops").map_or_else(|| words.clone(), |rest| format!("stop{rest}"));
    let why = why_of_module(session).filter(|_| sign == Some(Sign::Setting));
    let remedy = why.map_or_else(String::new, |why| why.fix);
    Prospect { tone, sign, text: format!("Breakpoints {words}{reason}"), keys: BREAKPOINTS, remedy, place: None }
}

/// Facts about a pair that take time.
pub(crate) struct Judged {
    pub texts: BTreeMap<TextGroup, usize>,
    /// Verdict on breakpoints of the module.
    pub breakpoints: Verdict,
    /// Findings of the check, once they are known.
    pub remarks: Option<Vec<Remark>>,
}

impl Judged {
    /// `None` where the job was cancelled.
    pub fn of(session: &Session, paths: &Paths, token: &CancelToken) -> Option<Self> {
        let texts = counts_of_texts(session, paths, token)?;
        Some(Self { texts, breakpoints: Judge::of(session, &paths.sources).of_module(), remarks: None })
    }
}

/// Returns whether all texts are at hand, and the numbers of those in each state.
fn texts_at_hand(counts: &BTreeMap<TextGroup, usize>) -> (bool, String) {
    let all: usize = counts.values().sum();
    let here: usize = counts.iter().filter(|(group, _)| group.is_at_hand()).map(|(_, number)| number).sum();
    let others = counts.iter().filter(|(group, _)| !group.is_at_hand());
    let parts = others.map(|(group, number)| format!("{number} {}", group.name()));
    let text = std::iter::once(format!("{here} of {all} sources are here")).chain(parts);
    (here == all, text.collect::<Vec<_>>().join(", "))
}

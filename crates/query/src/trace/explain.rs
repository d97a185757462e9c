//! Sentences about the outcome of a frame: what it is, by which symbols, and how that is known.

use super::Told;
use super::outcome::{Candidate, CandidateLines, Outcome};
use pdblens_nodes::method::{il_label, lines_text};
use pdblens_nodes::rows::Tone;

/// Calls that are listed without a request: more of them narrow little down.
const MAX_CALLS: usize = 3;

impl Told<'_> {
    /// The lines that call the frame above, in the methods that a frame without an IL offset could mean; none if they are more than three.
    pub fn candidate_calls(&self) -> Vec<String> {
        let Outcome::Candidates { found, .. } = self.outcome else { return Vec::new() };
        let mut calls = Vec::new();
        for (candidate, lines) in found.iter().flat_map(|one| one.lines.iter().map(move |lines| (one, lines))) {
            for line in &lines.calls {
                let call = (candidate.code.name(), lines.path.as_str(), *line);
                // Two builds may have the same line.
                if !calls.contains(&call) {
                    calls.push(call);
                }
            }
        }
        match calls.as_slice() {
            [(name, path, line)] => vec![format!("{path}:{line} is the one line of {name} that calls the frame above")],
            several if several.len() <= MAX_CALLS => {
                let text =
                    |(name, path, line)| format!("could be {path}:{line} of {name}, which calls the frame above");
                several.iter().copied().map(text).collect()
            }
            _ => Vec::new(),
        }
    }

    /// All that is known of the frame.
    pub fn sentences(&self) -> Vec<(String, Tone)> {
        let certainty = self.outcome.certainty();
        match self.outcome {
            Outcome::Known => vec![("line already in the trace".to_owned(), Tone::Dim)],
            Outcome::No(refusal) => {
                vec![(format!("not resolved: {} ({}); {certainty}", refusal.reason, self.form), Tone::Warn)]
            }
            Outcome::Candidates { found: candidates, refusal } => {
                let refused = (format!("not resolved: {} ({}); {certainty}", refusal.reason, self.form), Tone::Warn);
                [refused].into_iter().chain(candidate_lines(candidates)).collect()
            }
            Outcome::Resolved(found) => {
                let span = lines_text([found.line, found.column, found.end_line, found.end_column]);
                let sentence = format!(
                    "{} {} +{:#x} is {} {span} ({})",
                    found.code.unit(),
                    found.code.name(),
                    found.offset.value(),
                    found.path,
                    self.form
                );
                let symbols = format!("symbols: {}", found.symbols);
                let proof = if found.proof.is_of_build() { Tone::Ok } else { Tone::Dim };
                let proved = (format!("{}; {certainty}", found.proof), proof);
                let mut said = vec![(sentence, Tone::Ok), (symbols, Tone::Dim), proved];
                let doubts = found.doubt.iter().chain(&found.contradiction);
                said.extend(doubts.map(|doubt| (doubt.text.clone(), Tone::Warn)));
                said.extend(found.notes.iter().map(|note| (note.text.clone(), Tone::Dim)));
                said
            }
        }
    }
}

/// Lines for what a frame could mean, with the symbols of each; once, where all are of the same.
fn candidate_lines(candidates: &[Candidate]) -> Vec<(String, Tone)> {
    let first = candidates.first().map_or("", |candidate| candidate.symbols.as_str());
    let is_same = candidates.iter().all(|candidate| candidate.symbols == first);
    let line = |candidate: &Candidate| match candidate_text(candidate) {
        text if is_same => (text, Tone::Text),
        text => (format!("{text}; symbols: {}", candidate.symbols), Tone::Text),
    };
    let once = (is_same && !first.is_empty()).then(|| (format!("symbols: {first}"), Tone::Dim));
    candidates.iter().map(line).chain(once).collect()
}

fn candidate_text(candidate: &Candidate) -> String {
    let lines: Vec<String> = candidate.lines.iter().map(document_text).collect();
    let lines = if lines.is_empty() { "no lines".to_owned() } else { lines.join(", ") };
    let mut versions: Vec<String> = candidate.versions.iter().map(ToString::to_string).collect();
    if let Some(taken) = versions.first_mut() {
        taken.push_str(" (taken)");
    }
    let versions = if versions.is_empty() { String::new() } else { format!("; versions: {}", versions.join(", ")) };
    let at = candidate.at.map_or_else(String::new, |at| format!(" at {}", il_label(at.value().into())));
    format!("  could be {} {}{at}  {lines}{versions}", candidate.code.unit(), candidate.code.name())
}

fn document_text(lines: &CandidateLines) -> String {
    let CandidateLines { path, first, last, calls } = lines;
    let calls: Vec<String> = calls.iter().map(u32::to_string).collect();
    let calls =
        if calls.is_empty() { String::new() } else { format!(", calls the frame above on {}", calls.join(", ")) };
    format!("{path}:{first}–{last}{calls}")
}

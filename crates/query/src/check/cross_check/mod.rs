//! Windows PDBs, read a second time by the `pdb` crate and compared: modules, symbol records, functions, lines, types and ids.
//!
//! A difference is a finding with both values: one of the readers is wrong, or the file is ambiguous. What `pdb` cannot read is not a
//! fault of the file: the summary says how much was not compared, and why.

use super::Question;
use super::report::Report;
use pdblens_formats::bytes::{SpaceId, Spaces};
use pdblens_formats::cross_check::compare;
use pdblens_nodes::Place;
use pdblens_session::text::safe::{count, visible};

pub(super) fn cross_check(question: &Question<'_>, report: &mut Report) {
    let Some(file) = question.session.symbol_file() else { return };
    // The `pdb` crate reads PDBs of linkers only.
    if file.content.windows().is_some_and(|pdb| pdb.is_compile_time()) {
        return;
    }
    compare_with(question, report, (question.session.spaces(), file.space));
}

/// Compares what the `pdb` crate reads in `theirs` with the symbols of the session.
fn compare_with(question: &Question<'_>, report: &mut Report, theirs: (&Spaces, SpaceId)) {
    let Some(pdb) = question.session.windows_pdb() else { return };
    let found = match compare((pdb, question.session.spaces()), theirs, question.go_on) {
        Ok(found) => found,
        Err(why) => {
            return report.note(format!("not cross-checked: the `pdb` crate cannot read the file: {why}"));
        }
    };
    for difference in &found.differences {
        let sentence = visible(&difference.sentence).into_owned();
        report.finding(sentence, Place::Stream(difference.stream), difference.span);
    }
    report.stopped |= found.is_stopped;
    if found.is_stopped {
        return;
    }
    if found.differences.is_empty() {
        let counts = found.counts.iter().filter(|(_, number)| *number > 0);
        let counts: Vec<String> = counts.map(|(noun, number)| count(*number, noun)).collect();
        report.good(format!("cross-checked with the `pdb` crate: same id, {}", counts.join(", ")));
    }
    if found.is_over_budget {
        let [(_, modules), ..] = found.counts;
        let total = pdb.modules().len();
        report.note(format!("cross-checked up to a limit: {} of {total}", count(modules, "module")));
    } else if let Some(reason) = found.skipped.first() {
        let parts = count(found.skipped.len() as u64, "part");
        report.note(format!("{parts} not cross-checked, which the `pdb` crate cannot read: {}", visible(&reason.text)));
    }
}

#[cfg(test)]
mod tests;

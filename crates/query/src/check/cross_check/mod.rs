//! Windows PDBs, read a second time by the `pdb` crate and compared: modules, symbol records, functions, lines, types and ids.
//!
//! A difference is a finding with both values: one of the readers is wrong, or the file is ambiguous. What `pdb` cannot read is not a
//! fault of the file: the summary says how much was not compared, and why.

use super::Question;
use super::report::Report;
use pdblens_formats::bytes::{SpaceId, Spaces};
use pdblens_formats::cross_check::{Comparison, Own, Subject, compare};
use pdblens_formats::pdb::dbi::Module as OwnModule;
use pdblens_formats::pdb::{Pdb, streams};
use pdblens_nodes::Place;
use pdblens_session::session::Session;
use pdblens_session::symbols::{Format, IdSuffix};
use pdblens_session::text::safe::visible;

/// Reads the symbols with the `pdb` crate and compares.
pub(super) fn cross_check(question: &Question<'_>, report: &mut Report) {
    let Some(file) = question.session.symbol_file() else { return };
    compare_with(question, report, (question.session.spaces(), file.space));
}

/// Compares what the `pdb` crate reads in `theirs` with the symbols of the session.
fn compare_with(question: &Question<'_>, report: &mut Report, theirs: (&Spaces, SpaceId)) {
    let session = question.session;
    let Some(file) = session.symbol_file() else { return };
    let (Some(pdb), Some(id)) = (file.content.windows(), file.reader().id()) else { return };
    let age = if let IdSuffix::Age(age) = id.suffix { Some(age) } else { None };
    let own = Own { pdb, spaces: session.spaces(), guid: id.guid, age };
    match compare(own, theirs, question.go_on) {
        Ok(found) => answer(session, pdb, report, &found),
        Err(why) => report.note(format!("not cross-checked: the `pdb` crate cannot read the file: {why}")),
    }
}

/// Says what differs, what was compared, and what was not.
fn answer(session: &Session, pdb: &Pdb, report: &mut Report, found: &Comparison) {
    for difference in &found.differences {
        let (what, ours, theirs) = (&difference.what, visible(&difference.ours), visible(&difference.theirs));
        let place = place(session, pdb, difference.subject);
        report.finding(format!("{what}: {ours} here, {theirs} by the `pdb` crate"), place, difference.span);
    }
    report.stopped |= found.is_stopped;
    if found.is_stopped {
        return;
    }
    if found.differences.is_empty() {
        let mut parts = vec!["same id".to_owned(), counted(found.modules, "module")];
        let counts = [(found.functions, "function"), (found.lines, "line"), (found.types, "type"), (found.ids, "id")];
        parts.extend(counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(count, what)));
        report.good(format!("cross-checked with the `pdb` crate: {}", parts.join(", ")));
    }
    if found.is_over_budget {
        let (modules, total) = (counted(found.modules, "module"), grouped(pdb.modules().len() as u64));
        report.note(format!("cross-checked up to a limit: {modules} of {total}"));
    } else if let Some(reason) = &found.reason {
        let parts = counted(found.skipped, "part");
        report.note(format!("{parts} not cross-checked, which the `pdb` crate cannot read: {}", visible(reason)));
    }
}

/// Place of a difference: that of the debugger's view in native symbols, a stream in managed ones.
fn place(session: &Session, pdb: &Pdb, subject: Subject) -> Place {
    let native = session.symbols().is_some_and(|symbols| matches!(symbols.format(), Format::Native | Format::Mixed));
    match subject {
        Subject::Modules if native => Place::Modules,
        Subject::Module(number) if native => Place::Module(number),
        Subject::Types(streams::TPI) if native => Place::Types,
        Subject::Types(_) if native => Place::Ids,
        Subject::Types(stream) => Place::Stream(stream),
        Subject::File | Subject::Modules => Place::Streams,
        Subject::Module(number) => {
            let stream = pdb.modules().get(number as usize).and_then(OwnModule::stream);
            stream.map_or(Place::Streams, Place::Stream)
        }
    }
}

/// A count and what is counted, with the digits in groups of three: `14 201 types`.
fn counted(n: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(n), if n == 1 { "" } else { "s" })
}

fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests;

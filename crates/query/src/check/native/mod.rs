//! Rules about the streams of a native PDB: numbers in them that refer to sections, modules, records and types that do not exist.

pub(super) mod lines;
mod streams;
mod symbols;
#[cfg(test)]
mod tests;

use super::Question;
use super::report::Report;
use pdblens_formats::bytes::Span;
use pdblens_nodes::Place;
use pdblens_nodes::finding::Finding;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::stream::PdbView;
use pdblens_session::session::Session;
use pdblens_session::symbols::Format;

/// Limit on the faults of a rule that are kept.
const MAX_FAULTS: usize = 1_000;

#[derive(Default)]
struct Faults(Vec<Finding>);

impl Faults {
    fn add(&mut self, place: Place, span: Option<Span>, sentence: String) {
        if !self.is_full() {
            self.0.push(Finding { place, span, sentence });
        }
    }

    fn is_full(&self) -> bool {
        self.0.len() >= MAX_FAULTS
    }
}

/// Symbols of a PDB of native code. Mixed-mode PDBs are excluded: their compiler numbers sections and scopes in another way.
fn native(session: &Session) -> Option<NativeView<'_>> {
    if session.symbols()?.format() == Format::Native { NativeView::of(session) } else { None }
}

/// DBI stream, module records, section headers and contributions.
pub(crate) fn streams(question: &Question<'_>, report: &mut Report) {
    let Some(native) = native(question.session) else { return };
    let mut faults = Faults::default();
    streams::check(question.session, &native, &mut faults);
    streams::check_hashes(&native, &mut faults);
    tell(faults, report, "machine, sections, contributions, modules and hash records of the PDB lead to what is there");
}

/// Symbols of every module.
pub(crate) fn symbols(question: &Question<'_>, report: &mut Report) {
    let Some(native) = native(question.session) else { return };
    let mut faults = Faults::default();
    symbols::check(&native, question.go_on, &mut faults);
    tell(faults, report, "scopes, types and code of all symbols are there");
}

/// Symbols that refer to the symbol of a module, in PDBs of native and of managed code.
pub(crate) fn references(question: &Question<'_>, report: &mut Report) {
    let Some(view) = PdbView::of(question.session) else { return };
    let mut faults = Faults::default();
    symbols::check_references(view, &mut faults);
    tell(faults, report, "every symbol reference names a module");
}

fn tell(faults: Faults, report: &mut Report, good: &str) {
    if report.causes(faults.0) == 0 {
        report.good(good);
    }
}

//! Rules about the streams of a native PDB: numbers in them that refer to sections, modules, records and types that do not exist.

pub(super) mod lines;
mod streams;
mod symbols;
#[cfg(test)]
mod tests;

use super::Question;
use super::report::Report;
use crate::quality::{NativeQuality, native_quality};
use pdblens_formats::bytes::Span;
use pdblens_nodes::Place;
use pdblens_nodes::finding::Finding;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::stream::PdbView;
use pdblens_session::session::Session;
use pdblens_session::symbols::Format;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;

/// Object files that a remark names.
const MAX_OBJECTS: usize = 10;
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

/// Object files that are compiled without lines.
pub(crate) fn coverage(question: &Question<'_>, report: &mut Report) {
    let Some(found) = native(question.session).and_then(|_| native_quality(question.session)) else { return };
    let objects = count(found.object_files.len() as u64, "object file");
    let NativeQuality { code, code_with_lines, object_files } = found;
    if code_with_lines == 0 {
        return report.note(format!("none of {code} bytes of code, of {objects}, has a line"));
    }
    let share = code_with_lines * 100 / code;
    report.good(format!("{share} % of {code} bytes of code have lines"));
    let without: Vec<_> = object_files.iter().filter(|object| object.code_with_lines == 0).collect();
    if !without.is_empty() {
        let worst = without.iter().take(MAX_OBJECTS);
        let worst: Vec<_> =
            worst.map(|object| format!("{} ({} bytes)", file_name(&object.name), object.code)).collect();
        report.note(format!("{} of {objects} with code have no line: {}", without.len(), worst.join(", ")));
    }
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

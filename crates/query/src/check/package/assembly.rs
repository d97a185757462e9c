//! Rules about the assemblies and their PDBs.

use super::Subject;
use super::shipped::Fault;
use crate::check::report::{Grade, Report};
use pdblens_session::text::safe::count;

pub(super) fn symbols(subject: &Subject<'_>, grade: Grade, report: &mut Report) {
    if subject.packages.main.is_none() && subject.packages.legacy.is_none() {
        return report.note("the package with the assemblies is not beside its symbols package");
    }
    for assembly in subject.assemblies.iter().filter(|assembly| !assembly.has_symbols) {
        let sentence =
            format!("{} has no symbols: not inside, not beside it, not in a symbols package", assembly.path());
        report.add(grade, sentence);
    }
    if report.is_clean() {
        match subject.assemblies.len() {
            0 => {}
            1 => report.good("its assembly has symbols"),
            total => report.good(format!("each of {total} assemblies has symbols")),
        }
    }
}

pub(super) fn optimised(subject: &Subject<'_>, grade: Grade, report: &mut Report) {
    for assembly in subject.assemblies.iter().filter(|assembly| !assembly.is_optimized) {
        let why = "its DebuggableAttribute turns the optimiser off; pack with -c Release";
        report.add(grade, format!("{} is a Debug build: {why}", assembly.path()));
    }
    if report.is_clean() && !subject.assemblies.is_empty() {
        report.good("no assembly is a Debug build");
    }
}

pub(super) fn portable(subject: &Subject<'_>, grade: Grade, report: &mut Report) {
    for why in subject.shipped.iter().filter_map(|shipped| shipped.not_portable.as_ref()) {
        report.add(grade, why);
    }
    let number = subject.shipped.len() as u64;
    if report.is_clean() && number > 0 {
        report.good(count(number, "portable PDB"));
    }
}

pub(super) fn id(subject: &Subject<'_>, grade: Grade, report: &mut Report) {
    let mut number = 0_u64;
    for fault in subject.shipped_images() {
        number = number.saturating_add(1);
        if let Some(Fault::Id(why)) = fault {
            report.add(grade, why);
        }
    }
    if report.is_clean() && number > 0 {
        report.good(format!("{} named by file name and id", count(number, "PDB")));
    }
}

pub(super) fn pdb_checksum(subject: &Subject<'_>, grade: Grade, report: &mut Report) {
    let mut number = 0_u64;
    // A PDB of another build is refused already.
    for fault in subject.shipped_images().filter(|fault| !matches!(fault, Some(Fault::Id(_)))) {
        number = number.saturating_add(1);
        if let Some(Fault::Checksum(why)) = fault {
            report.add(grade, why);
        }
    }
    if report.is_clean() && number > 0 {
        report.good(format!("{} verified by its checksum", count(number, "PDB")));
    }
}

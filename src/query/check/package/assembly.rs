//! Rules about the assemblies and their PDBs.

use super::{Subject, Symbols, inner};
use crate::query::check::report::{Grade, Report};
use crate::text::paths::file_name;
use crate::text::safe::count;

pub(super) fn symbols(subject: &Subject<'_>, grade: Grade, report: &mut Report) {
    if subject.packages.main.is_none() && subject.packages.legacy.is_none() {
        return report.note("the package with the assemblies is not beside its symbols package");
    }
    let total = subject.assemblies.len() as u64;
    let missing = subject.assemblies.iter().filter(|assembly| assembly.symbols == Symbols::Missing);
    let mut found = 0;
    for assembly in missing {
        found += 1;
        let sentence =
            format!("{} has no symbols: not inside, not beside it, not in a symbols package", assembly.path());
        report.add(grade, sentence);
    }
    if total > 0 && found == 0 {
        report.good(if total == 1 {
            "its assembly has symbols".to_owned()
        } else {
            format!("each of {total} assemblies has symbols")
        });
    }
}

pub(super) fn portable(subject: &Subject<'_>, grade: Grade, report: &mut Report) {
    let (mut number, mut sound) = (0_u64, true);
    for (_, location, is_portable) in subject.with_symbols() {
        number += 1;
        if !is_portable {
            sound = false;
            report.add(grade, format!("{} is a Windows PDB: the gallery takes portable PDBs alone", inner(location)));
        }
    }
    if sound && number > 0 {
        report.good(count(number, "portable PDB"));
    }
}

pub(super) fn id(subject: &Subject<'_>, grade: Grade, report: &mut Report) {
    let (mut number, mut sound) = (0_u64, true);
    for (assembly, location, _) in subject.with_symbols() {
        number += 1;
        let have = file_name(inner(location));
        let sentence = match (&assembly.named, &assembly.mismatch) {
            (_, Some(why)) => format!("{} and its PDB do not match: {why}", assembly.path()),
            (None, _) => format!("{} does not name a PDB: it has no CodeView entry", assembly.path()),
            (Some(named), _) if !named.eq_ignore_ascii_case(have) => {
                format!("{} names its PDB {named}, and the symbols package has {have}", assembly.path())
            }
            _ => continue,
        };
        sound = false;
        report.add(grade, sentence);
    }
    if sound && number > 0 {
        report.good(format!("{} named by file name and id", count(number, "PDB")));
    }
}

pub(super) fn pdb_checksum(subject: &Subject<'_>, grade: Grade, report: &mut Report) {
    let (mut number, mut sound) = (0_u64, true);
    // A Windows PDB and one of another build are refused already.
    let judged = subject.with_symbols().filter(|(assembly, _, portable)| *portable && assembly.mismatch.is_none());
    for (assembly, _, _) in judged {
        number += 1;
        let sentence = match (assembly.checksums, &assembly.wrong_checksum) {
            (0, _) => format!("{} has no checksum of its PDB (PdbChecksum entry)", assembly.path()),
            (_, Some(why)) => format!("{}: {why}", assembly.path()),
            _ => continue,
        };
        sound = false;
        report.add(grade, sentence);
    }
    if sound && number > 0 {
        report.good(format!("{} verified by its checksum", count(number, "PDB")));
    }
}

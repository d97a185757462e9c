//! The rules: archives and their manifests, assemblies and their PDBs.

use std::collections::HashSet;
use std::time::{Duration, SystemTime};

use super::Subject;
use super::shipped::{Fault, images_of, paths};
use crate::check::report::{Grade, Report};
use pdblens_formats::nuspec::normalized_version;
use pdblens_session::session::inputs::Package;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;
use pdblens_session::text::time::stamp;

const SYMBOL_PACKAGE_FILES: &[&str] = &["pdb", "nuspec", "xml", "psmdcp", "rels", "p7s"];
const SYMBOLS_PACKAGE: &str = "SymbolsPackage";

/// Name of an entry with `/` between the steps.
pub(super) fn normal(name: &str) -> String {
    name.replace('\\', "/")
}

pub(super) fn entries(subject: &Subject<'_>, grade: Grade, report: &mut Report) {
    let day = Duration::from_hours(24);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    // The date has no time zone.
    let tomorrow = stamp((now + day).as_secs());
    for package in subject.packages.each() {
        let (mut seen, mut sound) = (HashSet::new(), true);
        let mut late = package.entries.iter().filter(|entry| entry.modified.as_ref().is_some_and(|at| *at > tomorrow));
        if let Some(first) = late.next() {
            sound = false;
            let modified = first.modified.as_deref().unwrap_or_default();
            let more = match late.count() {
                0 => String::new(),
                others => format!("; so are {others} more"),
            };
            report
                .add(grade, format!("{} in {} is dated in the future ({modified}){more}", first.name, package.name()));
        }
        for entry in &package.entries {
            let name = normal(&entry.name);
            let leads_out = name.starts_with('/') || name.contains(':') || name.split('/').any(|step| step == "..");
            let why = if leads_out {
                "leads out of the package".to_owned()
            } else if name.contains("//") || entry.name.contains("\\\\") {
                "has an empty folder name".to_owned()
            } else if !seen.insert(name.to_lowercase()) {
                "is there twice".to_owned()
            } else {
                continue;
            };
            sound = false;
            report.add(grade, format!("{} in {} {why}", entry.name, package.name()));
        }
        if sound {
            report.good(format!("{} in {}", count(package.entries.len() as u64, "file"), package.name()));
        }
    }
}

pub(super) fn manifest(subject: &Subject<'_>, grade: Grade, report: &mut Report) {
    for package in subject.packages.each() {
        if let Err(why) = &package.nuspec {
            report.add(grade, format!("the manifest of {} cannot be read: {why}", package.name()));
        }
    }
    let Some(Ok(nuspec)) = subject.packages.symbols.as_ref().map(|package| &package.nuspec) else { return };
    let mut sound = true;
    if !nuspec.types.iter().any(|kind| kind.eq_ignore_ascii_case(SYMBOLS_PACKAGE)) {
        sound = false;
        report.add(grade, format!("the manifest of the symbols package lacks the package type {SYMBOLS_PACKAGE}"));
    }
    for (has, name) in [(nuspec.has_authors, "authors"), (nuspec.has_owners, "owners")] {
        if has {
            sound = false;
            report.add(grade, format!("the manifest of the symbols package has <{name}>, which is not allowed in one"));
        }
    }
    if sound {
        report.good(format!("its package type is {SYMBOLS_PACKAGE}"));
    }
}

pub(super) fn pair(subject: &Subject<'_>, grade: Grade, report: &mut Report) {
    if let Some(legacy) = &subject.packages.legacy {
        let (name, what) = (legacy.name(), "a symbols package of the old format, which the gallery does not accept");
        report.add(grade, format!("{name} is {what}: pack with SymbolPackageFormat=snupkg"));
    }
    let (Some(main), Some(symbols)) = (&subject.packages.main, &subject.packages.symbols) else { return };
    let (Ok(main), Ok(symbols)) = (&main.nuspec, &symbols.nuspec) else { return };
    // The gallery compares ids without case, and versions in their normal form.
    let same = main.id.eq_ignore_ascii_case(&symbols.id)
        && normalized_version(&main.version) == normalized_version(&symbols.version);
    if same {
        report.good(format!("both are {} {}", main.id, main.version));
    } else {
        let sentence = format!(
            "the package is {} {}, the symbols package {} {}",
            main.id, main.version, symbols.id, symbols.version
        );
        report.add(grade, sentence);
    }
}

pub(super) fn files(subject: &Subject<'_>, grade: Grade, report: &mut Report) {
    let Some(package) = &subject.packages.symbols else { return };
    for entry in package.entries.iter().filter(|entry| !normal(&entry.name).ends_with('/')) {
        let name = normal(&entry.name);
        let extension = file_name(&name).rsplit_once('.').map(|(_, extension)| extension.to_owned());
        // The comparison has regard to case, and files without an extension pass.
        if extension.is_some_and(|extension| !SYMBOL_PACKAGE_FILES.contains(&extension.as_str())) {
            report.add(grade, format!("{name} is not allowed in a symbols package"));
        }
    }
    if report.is_clean() {
        report.good("the symbols package contains only symbols and its own files");
    }
}

/// Names of the PDBs in the symbols package; the gallery has regard to the case of the extension.
#[allow(clippy::case_sensitive_file_extension_comparisons)]
pub(super) fn pdbs(package: &Package) -> impl Iterator<Item = String> {
    package.entries.iter().map(|entry| normal(&entry.name)).filter(|name| name.ends_with(".pdb"))
}

pub(super) fn empty(subject: &Subject<'_>, grade: Grade, report: &mut Report) {
    let Some(package) = &subject.packages.symbols else { return };
    match pdbs(package).count() as u64 {
        0 => report.add(grade, "the symbols package has no file whose name ends in .pdb"),
        number => report.good(format!("the symbols package has {}", count(number, "PDB"))),
    }
}

pub(super) fn orphans(subject: &Subject<'_>, grade: Grade, report: &mut Report) {
    let (Some(main), Some(symbols)) = (&subject.packages.main, &subject.packages.symbols) else { return };
    let names = paths(&mut main.entries.iter().map(|entry| normal(&entry.name)));
    for pdb in pdbs(symbols) {
        if images_of(&pdb, &names).next().is_none() {
            report.add(grade, format!("{pdb} has no .dll or .exe of its name in the same folder of {}", main.name()));
        }
    }
    if report.is_clean() && pdbs(symbols).next().is_some() {
        report.good("each PDB has its assembly in the package");
    }
}

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
        number += 1;
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
        number += 1;
        if let Some(Fault::Checksum(why)) = fault {
            report.add(grade, why);
        }
    }
    if report.is_clean() && number > 0 {
        report.good(format!("{} verified by its checksum", count(number, "PDB")));
    }
}

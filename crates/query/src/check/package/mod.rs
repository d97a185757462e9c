//! Rules of NuGet packages: what the gallery refuses when a package is pushed, and what a debugger would miss in it.
//!
//! # References
//!
//! NuGet/NuGetGallery: `PackageUploadService`, `SymbolPackageUploadService`, and `SymbolsValidatorService` of NuGet.Jobs.

mod rules;
mod selection;
mod shipped;

use std::path::PathBuf;

pub use self::selection::left_out;
use self::shipped::{Fault, Shipped};
use super::Remark;
use super::report::Grade::{self, Finding, Note};
use super::report::Report;
use crate::breakpoint::is_optimized;
use pdblens_session::session::Session;
use pdblens_session::session::inputs::{Location, Packages};
use pdblens_session::text::safe::count;

#[derive(Debug)]
pub struct PackageRule {
    /// Its name, which does not change.
    pub id: &'static str,
    pub about: &'static str,
    /// The grade of its remarks: a finding where the gallery refuses the package.
    grade: Grade,
    run: fn(&Subject<'_>, Grade, &mut Report),
}

/// Every rule of packages, in the order of the answers.
pub(crate) const RULES: &[PackageRule] = &[
    rule("zip-entries", "the gallery accepts the names and dates of the package's files", Finding, rules::entries),
    rule("package-symbols", "each assembly of the package has symbols", Note, rules::symbols),
    rule("optimised", "each assembly of the package is a Release build", Note, rules::optimised),
    rule("snupkg-manifest", "the manifest of the symbols package says what it is", Finding, rules::manifest),
    rule("snupkg-pair", "package and symbols package have the same id and version", Finding, rules::pair),
    rule("snupkg-files", "the symbols package contains only symbols and its own files", Finding, rules::files),
    rule("snupkg-empty", "the symbols package has a PDB", Finding, rules::empty),
    rule("snupkg-orphan", "each PDB of the symbols package has its assembly in the package", Finding, rules::orphans),
    rule("package-portable", "each PDB of the symbols package is portable", Finding, rules::portable),
    rule("package-id", "each assembly names its PDB by file name and id", Finding, rules::id),
    rule("package-checksum", "each assembly has the checksum of its PDB", Finding, rules::pdb_checksum),
];

const fn rule(
    id: &'static str,
    about: &'static str,
    grade: Grade,
    run: fn(&Subject<'_>, Grade, &mut Report),
) -> PackageRule {
    PackageRule { id, about, grade, run }
}

/// Facts about an assembly in a package, which outlive the open files.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// The file or entry that it is read from.
    location: Location,
    /// Symbols are inside it, beside it or in the symbols package.
    has_symbols: bool,
    /// Its `DebuggableAttribute` leaves the optimiser on, or it has none.
    is_optimized: bool,
}

impl Assembly {
    /// Facts about the assembly of a session that is not [`left_out`]; `None` for what needs no symbols: native code, files without
    /// methods, and files in folders that are not run.
    pub fn of(session: &Session) -> Option<Self> {
        let image = session.image().filter(|image| image.metadata.is_some())?;
        let location = Location::of(&image.path);
        let (_, path) = location.innermost()?;
        if !selection::is_code(path) || session.methods() == 0 || selection::is_reference(session) {
            return None;
        }
        let is_optimized = is_optimized(session).unwrap_or(true);
        Some(Self { has_symbols: session.symbol_file().is_some(), is_optimized, location })
    }

    fn container(&self) -> Option<PathBuf> {
        self.location.innermost().map(|(container, _)| container)
    }

    fn path(&self) -> &str {
        self.location.innermost().map_or("", |(_, path)| path)
    }
}

struct Subject<'p> {
    packages: &'p Packages,
    assemblies: Vec<&'p Assembly>,
    shipped: Vec<Shipped>,
}

impl Subject<'_> {
    /// Images at the paths of PDBs: the first reason to refuse each.
    fn shipped_images(&self) -> impl Iterator<Item = Option<&Fault>> {
        self.shipped.iter().flat_map(|shipped| shipped.faults.iter().map(Option::as_ref))
    }
}

/// Remarks on two packages; `assemblies` may be those of others too.
pub fn check(packages: &Packages, assemblies: &[Assembly]) -> Vec<Remark> {
    let ours =
        |assembly: &&Assembly| packages.each().any(|package| assembly.container().as_ref() == Some(&package.path));
    let subject =
        Subject { packages, assemblies: assemblies.iter().filter(ours).collect(), shipped: shipped::all(packages) };
    let mut report = Report::default();
    for rule in RULES {
        report.begin(rule.id);
        (rule.run)(&subject, rule.grade, &mut report);
    }
    report.end();
    report.remarks
}

/// Reasons to refuse a package that another build has to mend, before those that another pack does.
const BY_BUILD: [&str; 5] = ["package-id", "package-checksum", "package-portable", "snupkg-orphan", "snupkg-empty"];

/// The verdict of the gallery on the remarks of [`check`], in one sentence: the most important reason, and how many more there are.
pub fn verdict(packages: &Packages, remarks: &[Remark]) -> String {
    let mut refused: Vec<&Remark> = remarks.iter().filter(|remark| remark.grade == Finding).collect();
    refused.sort_by_key(|remark| BY_BUILD.iter().position(|rule| *rule == remark.rule).unwrap_or(BY_BUILD.len()));
    match (refused.as_slice(), &packages.symbols) {
        ([first], _) => format!("the NuGet gallery would refuse this, because {}", first.sentence),
        ([first, others @ ..], _) => {
            let others = others.iter().map(|remark| remark.count).sum::<usize>();
            let more = count(others as u64, "more reason");
            format!("the NuGet gallery would refuse this, because {}; {more}", first.sentence)
        }
        ([], Some(_)) => "nothing was found that the NuGet gallery would refuse".to_owned(),
        ([], None) => "nothing was found that the NuGet gallery would refuse; there is no symbols package".to_owned(),
    }
}

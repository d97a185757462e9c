//! Rules about the build of the pair.

use std::collections::BTreeMap;

use super::report::{Grade, Report};
use super::{Question, each_document};
use pdblens_formats::pe::{CliHeader, Payload};
use pdblens_nodes::Place;
use pdblens_session::symbols::{Document, Format, SymbolReader};
use pdblens_session::text::paths::components;
use pdblens_session::text::safe::count;

const OPTIONS: &[&str] =
    &["compiler-version", "compilers", "language", "language-version", "optimization", "runtime-version"];

/// First version of the compilation options that a compilation can be repeated from.
const MIN_VERSION: u32 = 2;

pub(crate) fn deterministic(question: &Question<'_>, report: &mut Report) {
    let Some(image) = question.session.image() else { return };
    if image.pe.debug.iter().any(|entry| matches!(entry.payload, Ok(Payload::Reproducible(_)))) {
        report.good("deterministic build");
    } else {
        report.note("the build is not marked as deterministic");
    }
}

/// Machine-specific paths: they differ from build to build, and reveal who built, or where.
pub(crate) fn paths(question: &Question<'_>, report: &mut Report) {
    let session = question.session;
    // The linker writes the path, where the code is native or mixed.
    let is_linked = session.image().is_some_and(|image| image.pe.cli.as_ref().is_none_or(CliHeader::is_mixed));
    for (place, entry) in question.debug_entries() {
        let Some(rsds) = entry.rsds() else { continue };
        if let Some(kind) = PathKind::of(&rsds.path) {
            let fix = if is_linked { "name it with /PDBALTPATH:%_PDB%" } else { "map it with PathMap (-pathmap)" };
            let sentence = format!("the image names its PDB as {}: {}; {fix}", rsds.path, kind.sentence());
            report.at(Grade::Note, sentence, Some(place), entry.data);
        }
    }
    let Some(symbols) = session.symbols().filter(|symbols| symbols.documents() > 0) else { return };
    // Paths below one folder have one cause.
    let mut folders: BTreeMap<(PathKind, String), (u64, u32, Document)> = BTreeMap::new();
    let all_read = each_document(symbols, |row, document| {
        if let Some(kind) = PathKind::of(&document.name) {
            let folder = folders.entry((kind, root(&document.name, kind)));
            let (count, ..) = folder.or_insert_with(|| (0, row, document.clone()));
            *count += 1;
        }
    });
    for ((kind, folder), (number, row, first)) in &folders {
        let subject = match number {
            1 => first.name.clone(),
            _ => format!("{} below {folder}", count(*number, "document")),
        };
        let sentence = format!("{}: {subject}; map it with PathMap (-pathmap, /d1trimfile)", kind.sentence());
        report.at(Grade::Note, sentence, Some(Place::Document(*row)), Some(first.span));
    }
    if folders.is_empty() && all_read {
        report.good("no document has a machine-specific path");
    }
}

/// Kind of a path that deterministic builds, which write `/_/`, do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PathKind {
    /// Below a user's home folder, root's included.
    Home,
    /// Below the folder in which a build service works.
    Agent,
    Absolute,
}

impl PathKind {
    /// Kind of the path; none if it is relative or mapped.
    fn of(path: &str) -> Option<Self> {
        let is_drive = path.get(1..3).is_some_and(|rest| matches!(rest, ":\\" | ":/"));
        if !(path.starts_with('/') || path.starts_with(r"\\") || is_drive) {
            return None;
        }
        let steps: Vec<String> = components(path)?.iter().map(|step| step.to_ascii_lowercase()).collect();
        let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
        match steps.as_slice() {
            // The first steps of paths that a build has mapped.
            ["_" | "_1" | "_2" | "_3", ..] => None,
            ["home", "runner" | "vsts" | "vsts_azpcontainer", ..]
            | ["users", "runner" | "runneradmin" | "vssadministrator", ..] => Some(Self::Agent),
            ["builds" | "__w" | "github" | "agent" | "vsts", _, ..] | ["var", "lib", "jenkins", ..] => {
                Some(Self::Agent)
            }
            // The agents of Azure Pipelines and GitHub, `D:\a\1\s`.
            ["a", ..] if is_drive => Some(Self::Agent),
            // Folders of users; `root` is that of the only user of most containers.
            ["users" | "home" | "documents and settings" | "root", _, ..] => Some(Self::Home),
            _ => Some(Self::Absolute),
        }
    }

    const fn sentence(self) -> &'static str {
        match self {
            Self::Home => "a machine-specific path, in the home folder of a user",
            Self::Agent => "a machine-specific path, in the work folder of a build agent",
            Self::Absolute => "an absolute path that is not mapped",
        }
    }
}

/// Folder that is the cause of a path: the first two steps, of a home or an agent the first three at most.
fn root(path: &str, kind: PathKind) -> String {
    let before = usize::from(kind != PathKind::Absolute);
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    let separators = path.char_indices().filter(|(_, c)| matches!(c, '/' | '\\')).map(|(at, _)| at);
    let ends: Vec<usize> = separators.filter(|at| *at > 0).collect();
    let end = ends.get(before + usize::from(is_drive)).or(ends.last());
    end.and_then(|end| path.get(..*end)).unwrap_or(path).to_owned()
}

pub(crate) fn compiler(question: &Question<'_>, report: &mut Report) {
    let Some(symbols) = question.session.symbols() else { return };
    let options = symbols.compilation().options;
    let found: Vec<String> = OPTIONS
        .iter()
        .filter_map(|wanted| options.iter().find(|(name, _)| name == wanted))
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    if found.is_empty() {
        let why = if symbols.format() == Format::Windows { ": a Windows PDB has no compilation options" } else { "" };
        report.note(format!("no compiler version in the symbols{why}"));
    } else {
        report.good(found.join(", "));
    }
}

/// Options and references of a portable PDB, which compilers write since SDK 5.0.300: without them a build cannot be repeated from its
/// symbols. Symbols without any options are reported by another rule.
pub(crate) fn flags(question: &Question<'_>, report: &mut Report) {
    let portable = question.session.symbols().filter(|symbols| symbols.format() == Format::Portable);
    let Some(found) = portable.map(SymbolReader::compilation).filter(|found| !found.options.is_empty()) else { return };
    let version = found.options.iter().find(|(name, _)| name == "version").map(|(_, value)| value.as_str());
    let version = match version.map(|text| (text, text.parse::<u32>())) {
        Some((_, Ok(version @ MIN_VERSION..))) => Some(version),
        Some((_, Ok(version))) => {
            let why = format!("versions before {MIN_VERSION} lack what is needed to repeat a compilation");
            report.note(format!("the compilation options are of version {version}: {why}"));
            None
        }
        Some((text, Err(_))) => {
            report.note(format!("the version of the compilation options is {text:?}, which is not a number"));
            None
        }
        None => {
            report.note("the compilation options have no version");
            None
        }
    };
    match (found.references, version) {
        (0, _) => report.note("the symbols do not list what they were compiled against (metadata references)"),
        (references, Some(version)) => {
            let references = count(references as u64, "metadata reference");
            report.good(format!("compilation options of version {version}, {references}"));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_whose_machine_compiled() {
        for path in ["/home/me/a.cs", r"C:\Users\me\a.cs", "c:/users/me/a.cs", "/root/app/a.cs"] {
            assert_eq!(PathKind::of(path), Some(PathKind::Home), "{path}");
        }
        let agents = [r"D:\a\1\s\src\a.cs", "/builds/me/app/a.cs", "/home/runner/work/a/a.cs", "/__w/1/s/a.cs"];
        for path in agents {
            assert_eq!(PathKind::of(path), Some(PathKind::Agent), "{path}");
        }
        for path in [r"C:\src\a.cs", "/src/a.cs", r"\\server\share\a.cs"] {
            assert_eq!(PathKind::of(path), Some(PathKind::Absolute), "{path}");
        }
        for path in ["/_/src/a.cs", "/_1/a.cs", "home/a.cs", "a.cs", ""] {
            assert_eq!(PathKind::of(path), None, "{path}");
        }
        assert_eq!(root(r"D:\a\1\s\a.cs", PathKind::Agent), r"D:\a\1");
        assert_eq!(root("/home/me/app/a.cs", PathKind::Home), "/home/me");
        assert_eq!(root("/src/a.cs", PathKind::Absolute), "/src");
    }
}

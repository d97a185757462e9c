//! Rules about the build of the pair.

use super::Question;
use super::report::{Grade, Report};
use crate::formats::pe::Payload;
use crate::nodes::PePart;
use crate::nodes::Place;
use crate::text::paths::components;

/// Options that say most about a build.
const OPTIONS: &[&str] =
    &["compiler-version", "compilers", "language", "language-version", "optimization", "runtime-version"];

/// Folders that only one machine has.
const HOMES: &[&str] = &["users", "home", "documents and settings"];

pub(crate) fn deterministic(question: &Question<'_>, report: &mut Report) {
    let Some(image) = question.session.image() else { return };
    if image.pe.debug.iter().any(|entry| matches!(entry.payload, Ok(Payload::Reproducible(_)))) {
        report.good("the image says that its build was deterministic");
    } else {
        report.note("the image does not say that its build was deterministic");
    }
}

/// Paths that name the machine's own folders: they differ from build to build, and tell who built.
pub(crate) fn paths(question: &Question<'_>, report: &mut Report) {
    let session = question.session;
    for (index, entry) in session.image().into_iter().flat_map(|image| image.pe.debug.iter().enumerate()) {
        if let Some(rsds) = entry.rsds().filter(|rsds| is_own(&rsds.path)) {
            let place = Place::PePart(PePart::Debug(index as u16));
            report.at(Grade::Note, format!("the image names its PDB as {}", rsds.path), Some(place), entry.data);
        }
    }
    let Some(symbols) = session.symbols().filter(|symbols| symbols.documents() > 0) else { return };
    let mut none = true;
    for row in 1..=symbols.documents() {
        if let Some(document) = symbols.document(row).ok().filter(|document| is_own(&document.name)) {
            none = false;
            let sentence = format!("{} contains a machine-specific path", document.name);
            report.at(Grade::Note, sentence, Some(Place::Document(row)), Some(document.span));
        }
    }
    if none {
        report.good("no document has a machine-specific path");
    }
}

/// Returns whether a path leads through a user's own folder: deterministic builds write `/_/`.
fn is_own(path: &str) -> bool {
    let rooted = path.starts_with('/') || path.get(1..3).is_some_and(|rest| rest.starts_with(':'));
    let first = components(path).and_then(|steps| steps.first().map(|step| step.to_ascii_lowercase()));
    rooted && first.is_some_and(|first| HOMES.contains(&first.as_str()))
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
        report.note("the symbols do not say what compiled them");
    } else {
        report.good(found.join(", "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_users_folder_is_a_machines_own() {
        for path in ["/home/me/a.cs", r"C:\Users\me\a.cs", "c:/users/me/a.cs"] {
            assert!(is_own(path), "{path}");
        }
        for path in ["/_/src/a.cs", r"C:\src\a.cs", "home/a.cs", "a.cs", ""] {
            assert!(!is_own(path), "{path}");
        }
    }
}

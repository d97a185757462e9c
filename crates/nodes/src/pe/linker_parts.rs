//! Parts of an image that its linker made: which of them the image has, and which file shows each.

use crate::fields::Fields;
use crate::pe::linker::tables;
use crate::pe::{exports, imports, resources, rich, version};
use crate::place::PePart;
use crate::rows::Rows;
use pdblens_session::session::Session;
use pdblens_session::text::safe;

const PARTS: [PePart; 7] = [
    PePart::Imports,
    PePart::DelayImports,
    PePart::Exports,
    PePart::Resources,
    PePart::Version,
    PePart::Manifest,
    PePart::Rich,
];

/// Number of entries of a part; `None` where the image does not have it, or for a part that is no table of the linker.
pub fn count(session: &Session, part: PePart) -> Option<usize> {
    let (_, tables) = tables(session)?;
    let some = |count: usize| Some(count).filter(|count| *count > 0);
    match part {
        PePart::Imports | PePart::DelayImports => some(imports::count(tables, part == PePart::DelayImports)),
        PePart::Exports => Some(tables.exports.as_ref()?.as_ref().map_or(0, |exports| exports.exports.len())),
        PePart::Resources => some(tables.resources.entries.len()),
        PePart::Version => Some(tables.version.as_ref()?.as_ref().map_or(0, |version| version.strings.len())),
        PePart::Manifest => tables.manifest.map(|span| span.len as usize),
        PePart::Rich => tables.rich.as_ref().map(|rich| rich.entries.len()),
        _ => None,
    }
}

pub const fn name(part: PePart) -> &'static str {
    match part {
        PePart::Imports => "imports",
        PePart::DelayImports => "delay imports",
        PePart::Exports => "exports",
        PePart::Resources => "resources",
        PePart::Version => "version",
        PePart::Manifest => "manifest",
        PePart::Rich => "Rich header",
        _ => "",
    }
}

pub fn present(session: &Session) -> impl Iterator<Item = PePart> {
    PARTS.into_iter().filter(|part| count(session, *part).is_some())
}

/// Returns whether a part is there; always true for what is no table of the linker.
pub(super) fn exists(session: &Session, part: PePart) -> bool {
    match list_of(part) {
        Some((list, index, _)) => count(session, list).is_some_and(|count| (index as usize) < count),
        None => !PARTS.contains(&part) || count(session, part).is_some(),
    }
}

/// The list that an entry is in, its position there, and a noun for it; `None` for what is no entry.
const fn list_of(part: PePart) -> Option<(PePart, u32, &'static str)> {
    match part {
        PePart::Import(index) => Some((PePart::Imports, index, "import")),
        PePart::DelayImport(index) => Some((PePart::DelayImports, index, "delay import")),
        PePart::Export(index) => Some((PePart::Exports, index, "export")),
        PePart::Resource(index) => Some((PePart::Resources, index, "resource row")),
        _ => None,
    }
}

/// Reason why a part is not there, in one sentence; `None` for what is no table of the linker.
pub(super) fn absence(session: &Session, part: PePart) -> Option<String> {
    let image = session.image()?;
    let entry = list_of(part);
    if let Some((list, _, noun)) = entry
        && let Some(number) = count(session, list)
    {
        return Some(format!("the image has {}, counted from 0", safe::count(number as u64, noun)));
    }
    let sentence = match entry.map_or(part, |(list, ..)| list) {
        PePart::Imports => "the image imports nothing: it has no import table",
        PePart::DelayImports => "the image has no delay imports: all of its imports are bound when it is loaded",
        PePart::Exports if image.metadata.is_some() => {
            "the image has no export table: other assemblies find its types by its metadata"
        }
        PePart::Exports => "the image exports nothing: it has no export table",
        PePart::Resources => "the image has no Windows resources",
        PePart::Version => "the image has no version resource",
        PePart::Manifest => "the image has no manifest among its resources",
        PePart::Rich => "the image has no Rich header: only Microsoft's linker writes one",
        _ => return None,
    };
    Some(sentence.to_owned())
}

/// DLL that an import is from; `None` for other parts.
pub(super) fn module(session: &Session, part: PePart) -> Option<&str> {
    match part {
        PePart::Import(index) => imports::module(session, false, index),
        PePart::DelayImport(index) => imports::module(session, true, index),
        _ => None,
    }
}

pub(super) fn rows(session: &Session, part: PePart) -> Option<Rows<'_>> {
    count(session, part)?;
    match part {
        PePart::Imports => imports::rows(session, false),
        PePart::DelayImports => imports::rows(session, true),
        PePart::Exports => exports::rows(session),
        PePart::Resources => resources::rows(session),
        PePart::Version => version::rows(session),
        PePart::Manifest => version::manifest_rows(session),
        PePart::Rich => rich::rows(session),
        _ => None,
    }
}

/// Fields of a part: those of its records, which may stand apart from each other.
pub(super) fn fields(session: &Session, part: PePart) -> Option<Fields> {
    match part {
        PePart::Imports => imports::descriptors(session, false),
        PePart::DelayImports => imports::descriptors(session, true),
        PePart::Import(index) => imports::fields(session, false, index),
        PePart::DelayImport(index) => imports::fields(session, true, index),
        PePart::Exports => exports::directory(session),
        PePart::Export(index) => exports::fields(session, index),
        PePart::Resources => resources::root(session),
        PePart::Resource(index) => resources::fields(session, index),
        PePart::Version => version::fields(session),
        PePart::Manifest => version::manifest(session),
        PePart::Rich => rich::fields(session),
        _ => None,
    }
}

//! Resolution of text to a [`Place`]: paths with names in them, and suggestions for wrong ones.

use crate::candidates::Candidates;
use crate::code_unit::document_name;
use crate::native::NativeView;
use crate::place::{Place, Side};
mod native;
mod nearest;

use crate::place::{PATTERNS, path};
use crate::register::ask;
use crate::stream::PdbView;
pub use native::functions_named;
pub use nearest::nearest_document;
use nearest::{nearest, wrong_path};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::text::names::{Names, without_arities, without_type_parameters};
use pdblens_session::text::parameters::{split_frame, split_parameters, types_of, types_written};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Reason why a path leads nowhere, and the nearest one that leads somewhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// Nothing of that name; the nearest path that there is.
    #[error("{absence} · tip: did you mean {1:?}?", absence = no_such(.0))]
    Near(String, String),
    /// Nothing of that name, and nothing like it.
    #[error(
        "{absence} · tip: `pdblens list FILE` names the lists, `pdblens list FILE method/TOKEN` the parts of a method",
        absence = no_such(.0)
    )]
    Unknown(String),
    /// Something that could be there and is not: why, in one sentence.
    #[error("{0}")]
    NotThere(String),
    /// A method whose overloads have other parameters than the written ones.
    #[error("no overload of {name} has the parameters ({parameters}) · tip: it has {overloads}")]
    NoOverload { name: String, parameters: String, overloads: Candidates },
    /// A name that several have.
    #[error("{0:?} could be any of {1}")]
    Ambiguous(String, Candidates),
}

/// Limit on the bytes of a text that names a place: no name of a compiler is as long, and some look-ups try every part.
pub const MAX_TEXT: usize = 4096;

/// Says that a path leads nowhere, or that nothing has the name in it.
fn no_such(path: &str) -> String {
    match path.split_once('/') {
        Some((kind @ ("method" | "function" | "type" | "document" | "module"), name)) if !name.contains('/') => {
            format!("no {kind} is named {name:?}")
        }
        _ => format!("there is no place {path:?}"),
    }
}

impl ResolveError {
    /// Error of a text that is longer than [`MAX_TEXT`]; `None` for others.
    pub fn too_long(text: &str) -> Option<Self> {
        let len = text.len();
        (len > MAX_TEXT).then(|| Self::NotThere(format!("this text has {len} bytes, and a place at most {MAX_TEXT}")))
    }

    /// Its code in JSON.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Near(..) | Self::Unknown(_) => "unknown",
            Self::NotThere(_) => "not-there",
            Self::NoOverload { .. } => "no-overload",
            Self::Ambiguous(..) => "ambiguous",
        }
    }
}

/// The place that `text` means: a path, with names where paths have numbers.
///
/// `method/Clock.Since/points`, `document/Program.cs/21`, `table/document/1`, `type/parcel::Box/layout`.
pub fn resolve(session: &Session, text: &str) -> Result<Place, ResolveError> {
    resolve_exactly(session, text).map_err(|error| with_nearest(session, error))
}

/// Returns the error with the nearest path, where it is about an unknown one: found by a pass over all names.
pub fn with_nearest(session: &Session, error: ResolveError) -> ResolveError {
    match error {
        ResolveError::Unknown(path) => nearest(session, &path),
        error => error,
    }
}

/// The place that `text` means, as [`resolve`] finds it; the error about an unknown path lacks the nearest one.
pub fn resolve_exactly(session: &Session, text: &str) -> Result<Place, ResolveError> {
    let text = text.trim().trim_matches('/');
    if let Some(error) = ResolveError::too_long(text) {
        return Err(error);
    }
    let error = match text.parse::<Place>() {
        Ok(place) => return Ok(on_open_side(session, place)),
        Err(error) => error,
    };
    if let Some(rest) = text.strip_prefix("method/") {
        return method_place(session, text, rest);
    }
    if let Some(rest) = text.strip_prefix("document/") {
        return document_place(session, text, rest);
    }
    native::named(session, text).unwrap_or_else(|| Err(wrong_path(session, text, &error)))
}

/// Columns of TypeDef and Field.
const FIELD_LIST: usize = 4;
const FIELD_NAME: usize = 1;

/// The row of a type, `Ns.Type` or `Type`, or of a field of one, `Type._field`; `None` where no name is this one, or several are.
pub fn type_or_field(session: &Session, text: &str) -> Option<Place> {
    let (metadata, names) = (session.metadata()?, session.names()?);
    let of_name = |wanted: &str| {
        let rows = 1..=metadata.rows(TableId::TYPE_DEF);
        let named = rows.map(|row| (row, names.type_name(Token::new(TableId::TYPE_DEF, row))));
        let ends = |name: &str| name.strip_suffix(wanted).is_some_and(|lead| lead.is_empty() || lead.ends_with('.'));
        let found: Vec<(u32, String)> = named.filter(|(_, name)| !wanted.is_empty() && ends(name)).collect();
        let whole = found.iter().find(|(_, name)| name == wanted);
        whole.or(if found.len() == 1 { found.first() } else { None }).map(|(row, _)| *row)
    };
    if let Some(row) = of_name(text) {
        return Some(Place::row(TableId::TYPE_DEF, row));
    }
    let (owner, field) = text.rsplit_once('.')?;
    let mut fields = metadata.list(TableId::TYPE_DEF, of_name(owner)?, FIELD_LIST, TableId::FIELD);
    let is_it = |row: &u32| {
        metadata.string_cell(TableId::FIELD, *row, FIELD_NAME).is_ok_and(|name| name.data == field.as_bytes())
    };
    fields.find(is_it).map(|row| Place::row(TableId::FIELD, row))
}

/// A table of the image, or that of the PDB where no image is open.
pub fn on_open_side(session: &Session, place: Place) -> Place {
    let has_pdb_only = session.metadata().is_none() && session.portable_pdb().is_some();
    match place {
        Place::Table(Side::Image, table) if has_pdb_only => Place::Table(Side::Pdb, table),
        Place::Row(Side::Image, table, row) if has_pdb_only => Place::Row(Side::Pdb, table, row),
        other => other,
    }
}

/// The place of a path whose subject was found by its name, with the rest of the path after that.
fn named_place(session: &Session, word: &str, number: u32, rest: &str) -> Result<Place, ResolveError> {
    let place = path::parse_named(word, number, rest, PATTERNS);
    place.map_err(|error| wrong_path(session, &format!("{word}/{number:#x}{rest}"), &error))
}

/// Limit on the steps of a path from a method. Each step costs one more search of all method names.
const MAX_STEPS: usize = 8;

/// Prefixes that may be a name, the longest first, each with the steps after it.
fn names_and_steps(rest: &str) -> impl Iterator<Item = (&str, &str)> {
    let slashes = rest.rmatch_indices('/').map(|(at, _)| at).take(MAX_STEPS);
    [rest.len()].into_iter().chain(slashes).map(|end| rest.split_at(end))
}

/// A method's name may have slashes in it, so the longest prefix that is a name wins.
fn method_place(session: &Session, text: &str, rest: &str) -> Result<Place, ResolveError> {
    for (name, tail) in names_and_steps(rest) {
        match methods_named(session, name).as_slice() {
            [] => {}
            [method] => return named_place(session, "method", method.0, tail),
            many => {
                let shown = Candidates::of(many, |method| format!("method/{method} {}", session.method_name(*method)));
                return Err(ResolveError::Ambiguous(name.to_owned(), shown));
            }
        }
    }
    Err(no_overload(session, rest).unwrap_or_else(|| ResolveError::Unknown(text.to_owned())))
}

/// Error for parameters that no method of the name has, with those that there are.
fn no_overload(session: &Session, written: &str) -> Option<ResolveError> {
    let (name, parameters, rest) = split_frame(written);
    let (parameters, names) = (parameters?, session.names()?);
    if !rest.is_empty() && !rest.starts_with('/') {
        return None;
    }
    let methods = methods_ranked(session, names, name);
    if methods.is_empty() {
        return None;
    }
    let overloads = Candidates::of(&methods, |method| format!("method/{method} {}", session.method_name(*method)));
    Some(ResolveError::NoOverload { name: name.to_owned(), parameters: parameters.to_owned(), overloads })
}

fn document_place(session: &Session, text: &str, rest: &str) -> Result<Place, ResolveError> {
    let (name, line) = match rest.rsplit_once('/') {
        Some((name, line)) if line.parse::<u32>().is_ok() => (name, line.parse().ok()),
        _ => (rest, None),
    };
    let place = |row| line.map_or(Place::Document(row), |line| Place::Line(row, line));
    match documents_named(session, name).as_slice() {
        [] => Err(ResolveError::Unknown(text.to_owned())),
        [row] => Ok(place(*row)),
        many => Err(several_documents(session, name, many)),
    }
}

pub fn several_documents(session: &Session, name: &str, rows: &[u32]) -> ResolveError {
    let path = |row: &u32| format!("document/{row} {}", document_name(session, *row).unwrap_or_default());
    ResolveError::Ambiguous(name.to_owned(), Candidates::of(rows, path))
}

/// The methods that `name` means: by token or row, by full name, by the end of it, with parameters or without.
pub fn methods_named(session: &Session, name: &str) -> Vec<Token> {
    if let Some(token) = path::method(name) {
        return vec![token];
    }
    let Some(names) = session.names() else { return methods_of_symbols(session, name) };
    let found = methods_ranked(session, names, name);
    let (bare, Some(parameters), rest) = split_frame(name) else { return found };
    if !found.is_empty() || !rest.is_empty() {
        return found;
    }
    // Spellings other than that of metadata: without namespaces as in the lists, or those of reflection.
    let overloads = methods_ranked(session, names, bare);
    let parameters_of = |short: String| split_parameters(&short).1.map(|own| own.replace(' ', ""));
    let written = Some(parameters.replace(' ', ""));
    let brief = |method: &&Token| parameters_of(names.brief().method_short(**method)) == written;
    let has_types = |method: &&Token| types_of(&names.method_short(**method)) == types_written(parameters);
    let by_text: Vec<Token> = overloads.iter().filter(brief).copied().collect();
    let by_types = || overloads.iter().filter(has_types).copied().collect::<Vec<_>>();
    let found = if by_text.is_empty() { by_types() } else { by_text };
    // Texts write `Name()` for a method whatever its parameters.
    if found.is_empty() && parameters.trim().is_empty() { overloads } else { found }
}

/// The last names that no method has: the readings of a text ask for the same one.
#[derive(Debug, Default)]
struct UnknownNames(Mutex<VecDeque<String>>);

const MAX_UNKNOWN: usize = 8;

/// The methods with the best rank for `name`.
fn methods_ranked(session: &Session, names: Names<'_>, name: &str) -> Vec<Token> {
    let unknown = || session.cache().get::<UnknownNames>().0.lock().unwrap_or_else(PoisonError::into_inner);
    if unknown().iter().any(|other| other == name) {
        return Vec::new();
    }
    let found = methods_like(session, names, name);
    if found.is_empty() {
        let mut unknown = unknown();
        unknown.push_front(name.to_owned());
        unknown.truncate(MAX_UNKNOWN);
    }
    found
}

fn methods_like(session: &Session, names: Names<'_>, name: &str) -> Vec<Token> {
    let rows = session.metadata().map_or(0, |metadata| metadata.rows(TableId::METHOD_DEF));
    let bare = name.split('(').next().unwrap_or(name);
    let last = bare.rsplit(['.', '+', ':']).next().unwrap_or(bare);
    // The lists have the type parameters: `Read<T>`.
    let last = without_type_parameters(last);
    // `.ctor` and `.cctor` begin with the dot that separates others from their type.
    let simple = if matches!(last, "ctor" | "cctor") { format!(".{last}") } else { last.to_owned() };
    let candidates = (1..=rows).map(|row| Token::new(TableId::METHOD_DEF, row));
    let mut found: Vec<(u8, Token)> = candidates
        .filter_map(|method| {
            let own = names.method_name(method);
            // Explicit implementations have dots in their own names: Ns.IFace.Method.
            let worth = own == simple || own == bare || own.ends_with(bare) || bare.ends_with(&own);
            if worth { rank(names, method, &own, name, bare).map(|rank| (rank, method)) } else { None }
        })
        .collect();
    let best = found.iter().map(|(rank, _)| *rank).min();
    found.retain(|(rank, _)| Some(*rank) == best);
    found.into_iter().map(|(_, method)| method).collect()
}

/// The methods that `name` means where only the symbols have names: by full name, by the end of it.
fn methods_of_symbols(session: &Session, name: &str) -> Vec<Token> {
    let Some(symbols) = session.symbols() else { return Vec::new() };
    // Parameters are in the image.
    let (name, _) = split_parameters(name);
    let tail = format!(".{name}");
    let methods = (1..=symbols.methods()).map(|row| Token::new(TableId::METHOD_DEF, row));
    let is_meant = |method: &Token| {
        let said = symbols.method_name(*method).map(|(owner, own)| format!("{owner}.{own}"));
        said.is_some_and(|full| full == name || full.ends_with(&tail))
    };
    methods.filter(is_meant).collect()
}

/// The documents that `name` refers to: by row, full path, end of path or file name, ignoring case and the kind of slashes.
pub fn documents_named(session: &Session, name: &str) -> Vec<u32> {
    let rows = session.symbols().map_or(0, pdblens_session::symbols::SymbolReader::documents);
    if let Some(row) = super::number(name).filter(|row| (1..=rows).contains(row)) {
        return vec![row];
    }
    let wanted = name.replace('\\', "/");
    let tail = format!("/{}", wanted.trim_start_matches('/'));
    let (folded, folded_tail) = (wanted.to_lowercase(), tail.to_lowercase());
    // The whole path before the end of one, and both as they are written before any case.
    let mut ranks: [Vec<u32>; 4] = Default::default();
    for row in 1..=rows {
        let Some(path) = document_name(session, row).map(|path| path.replace('\\', "/")) else { continue };
        let lower = path.to_lowercase();
        let rank = [path == wanted, lower == folded, path.ends_with(&tail), lower.ends_with(&folded_tail)];
        if let Some(rows) = rank.iter().position(|fits| *fits).and_then(|rank| ranks.get_mut(rank)) {
            rows.push(row);
        }
    }
    ranks.into_iter().find(|rows| !rows.is_empty()).unwrap_or_default()
}

/// Reason why a part of a Windows PDB, or of one of native code, is not there, if none is open.
fn no_pdb(session: &Session, place: Place) -> Option<String> {
    use Place::{Functions, Ids, Modules, Pages, Streams, Types};
    let is_list = matches!(place, Streams | Pages | Modules | Functions | Types | Ids);
    let (is_native, has_msf) = (place.is_of_native_code(), PdbView::of(session).is_some());
    if !has_msf && is_list {
        Some(format!("there are no {place}: they exist only in a Windows PDB (MSF), and none is open"))
    } else if !has_msf && place.is_of_streams() {
        let parts = "streams and pages exist only in a Windows PDB (MSF), and none is open";
        Some(format!("nothing is at {place}: {parts}"))
    } else if is_native && NativeView::of(session).is_none() {
        Some(format!("nothing is at {place}: it exists only in a Windows PDB of native code, and none is open"))
    } else {
        None
    }
}

/// Reason why a place that could be there is not, in one sentence.
pub fn absence(session: &Session, place: Place) -> String {
    let is_of_pdb = place.is_of_streams() || place.to_string().starts_with("pdb/");
    if is_of_pdb && session.symbols().is_none() {
        return "no PDB is open".to_owned();
    }
    let own = || ask(place, |node| node.absence(session));
    no_pdb(session, place).or_else(own).unwrap_or_else(|| match nearest(session, &place.to_string()) {
        ResolveError::Unknown(_) => format!("there is nothing at {place}"),
        near => near.to_string(),
    })
}

/// Rank of a method for a name: 0 is best, `None` no match.
fn rank(names: Names<'_>, method: Token, own: &str, name: &str, bare: &str) -> Option<u8> {
    let (full, reflected) = (names.method(method), names.reflection_name(method));
    let ends = |text: &str, end: &str| {
        text.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with(['.', '+', '/']))
    };
    let (full_bare, reflected_plain) = (full.split('(').next().unwrap_or(&full), reflected.replace('+', "."));
    if full == name || reflected == name {
        Some(0)
    } else if full_bare == bare && !name.contains('(') || reflected_plain == name {
        Some(1)
    } else if ends(&full, name) {
        Some(2)
    } else if !name.contains('(') && (ends(full_bare, bare) || ends(&reflected, bare) || ends(&reflected_plain, bare)) {
        Some(3)
    } else if own == name || !name.contains('(') && ends(&without_arities(&reflected_plain), bare) {
        Some(4)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_for_numbers() {
        let session = Session::sample();
        let since = Token(0x0600_0003);
        for name in
            ["Clock.Since", "Since", "Ticker.Clock.Since", "Ticker.Clock.Since(long)", "Since(long)", "0x06000003", "3"]
        {
            assert_eq!(resolve(&session, &format!("method/{name}")), Ok(Place::Method(since)), "{name}");
        }
        assert_eq!(
            resolve(&session, "method/Since/il/0x2"),
            "method/3/il/2".parse().map_err(|_| ResolveError::Unknown(String::new()))
        );
        assert_eq!(resolve(&session, "document/program.cs/21"), Ok(Place::Line(1, 21)));
        assert_eq!(
            resolve(&session, "method/Sicne"),
            Err(ResolveError::Near("method/Sicne".into(), "method/Ticker.Clock.Since".into()))
        );
        assert_eq!(resolve(&session, "tabels"), Err(ResolveError::Near("tabels".into(), "tables".into())));
        assert!(matches!(resolve(&session, "qqqqqqqqqqqqqqqqq"), Err(ResolveError::Unknown(_))));
    }

    #[test]
    fn a_wrong_path_is_told_by_its_first_wrong_step() {
        let session = Session::sample();
        let reason = |text: &str| resolve(&session, text).unwrap_err().to_string();
        assert!(
            reason("method/Since/ponts")
                .ends_with("unknown word \"ponts\": expected body, il, native, points, regions, scopes, source")
        );
        assert!(reason("table/Document/x").ends_with("\"x\" is not a number from 1 on"));
        assert!(reason("pe/dbg").contains("unknown word \"dbg\": expected cli, coff, debug"));
        // Records have the singular of their list's name.
        assert!(reason("documents/1").ends_with("did you mean \"document/1\"?"));
        for (wrong, right) in [("metod/1", "method/1"), ("docment/Clock.cs", "document/Clock.cs")] {
            assert!(reason(wrong).ends_with(&format!("did you mean \"{right}\"?")), "{}", reason(wrong));
        }
        // Nothing far away is suggested.
        assert!(reason("method/Nowhere.AtAll/points").contains("`pdblens list FILE` names the lists"));
    }
}

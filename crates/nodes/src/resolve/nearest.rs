//! The invalid step of a path, and the nearest path that exists.

use crate::code_unit::document_name;
use crate::place::Place;
use std::ops::ControlFlow;

use super::native::no_function;
use crate::candidates::Candidates;
use crate::place::path::PlaceError;
use crate::register;
use crate::resolve::{ResolveError, resolve_exactly};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::text::distance::{Nearest, distance, tolerance};
use pdblens_session::text::names::without_type_parameters;
use pdblens_session::text::paths::file_name;

const MAX_METHODS: u32 = 100_000;

/// Reason why no pattern reads a path: the step that is wrong, or the path that was probably meant where it is the first. An unknown path
/// is left to [`nearest`].
pub(super) fn wrong_path(session: &Session, text: &str, error: &PlaceError) -> ResolveError {
    let Some((first, rest)) = text.split_once('/') else { return ResolveError::Unknown(text.to_owned()) };
    // A list has the plural of its records' name: `page/5` is in `pages`.
    let record = first.strip_suffix('s').map(|record| format!("{record}/{rest}"));
    if let Some(record) = record.filter(|record| record.parse::<Place>().is_ok()) {
        return ResolveError::Near(text.to_owned(), record);
    }
    match error {
        PlaceError::UnknownWord { word, expected } if word != first && !expected.is_empty() => {
            ResolveError::NotThere(format!("there is no place {text:?}: {error}"))
        }
        PlaceError::BadArgument { .. } | PlaceError::Incomplete { .. } => {
            ResolveError::NotThere(format!("there is no place {text:?}: {error}"))
        }
        PlaceError::UnknownWord { expected, .. } => match misspelt(session, first, rest, expected) {
            Some(path) => ResolveError::Near(text.to_owned(), path),
            None => ResolveError::Unknown(text.to_owned()),
        },
    }
}

/// The place that a path leads to with another first step: of those that are `expected`, the nearest to `first`.
fn misspelt(session: &Session, first: &str, rest: &str, expected: &[&str]) -> Option<String> {
    let steps = expected.iter().map(|step| (distance(&first.to_lowercase(), step), *step));
    let mut near: Vec<(usize, &str)> = steps.filter(|(far, _)| *far <= tolerance(first)).collect();
    near.sort_unstable();
    let mut paths = near.into_iter().map(|(_, step)| format!("{step}/{rest}"));
    paths.find(|path| resolve_exactly(session, path).is_ok())
}

/// File name of a document that is nearest to the one of `path`. The extension does not count as a part that agrees.
pub fn nearest_document(session: &Session, path: &str) -> Option<String> {
    let rows = session.symbols().map_or(0, pdblens_session::symbols::SymbolReader::documents).min(20_000);
    let folded = file_name(path).to_lowercase();
    let wanted = folded.as_str();
    let stem = wanted.rsplit_once('.').map_or(wanted, |(stem, _)| stem);
    let mut near = Nearest::new(wanted, tolerance(stem));
    for path in (1..=rows).filter_map(|row| document_name(session, row)) {
        let name = file_name(&path);
        near.offer(&name.to_lowercase(), name);
    }
    near.best()
}

/// Error for the name of a type in the place of a method's: the methods that it has.
fn methods_of_type(session: &Session, name: &str) -> Option<ResolveError> {
    let (names, metadata) = (session.names()?, session.metadata()?);
    let is_named =
        |full: &str| full.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'));
    let tokens = |table| (1..=metadata.rows(table)).map(move |row| Token::new(table, row));
    // To read the own name alone takes a tenth of the time.
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_like = |token: &Token| {
        let own = metadata.string_cell(TableId::TYPE_DEF, token.row(), 1);
        own.is_ok_and(|own| own.data.starts_with(last.as_bytes()))
    };
    let mut types = tokens(TableId::TYPE_DEF).filter(is_like);
    let found = types.find(|token| is_named(without_type_parameters(&names.type_name(*token))))?;
    let methods: Vec<Token> =
        tokens(TableId::METHOD_DEF).filter(|method| names.owner(method.row()) == found.row()).collect();
    let listed = Candidates::of(&methods, |method| names.brief().method(*method));
    Some(ResolveError::NotThere(if methods.is_empty() {
        format!("{name} is a type without methods")
    } else {
        format!("{name} is a type; its methods: {}", listed.names())
    }))
}

/// The path nearest to `text` among those that there are.
pub(super) fn nearest(session: &Session, text: &str) -> ResolveError {
    let wanted = text.to_lowercase();
    let mut paths: Vec<String> =
        register::places_rows(session).iter().filter_map(|row| row.place).map(|place| place.to_string()).collect();
    let (first, rest) = wanted.split_once('/').unwrap_or((&wanted, ""));
    if let Some(name) = text.strip_prefix("function/") {
        return no_function(session, name);
    }
    if matches!(first, "method" | "methods") && !rest.is_empty() {
        let (name, tail) =
            rest.split_once('/').map_or((rest, String::new()), |(name, tail)| (name, format!("/{tail}")));
        if let Some(error) = methods_of_type(session, text.split_once('/').map_or(name, |(_, written)| written)) {
            return error;
        }
        let mut near = Nearest::new(name, tolerance(name));
        let mut offer = |row: u32, full: &str| {
            let folded = full.to_lowercase();
            // With its type and namespace, with its type, or alone: whichever was meant.
            let starts = folded.rmatch_indices('.').map(|(at, _)| at + 1).take(2).chain([0]);
            starts.filter_map(|at| folded.get(at..)).for_each(|end| near.offer(end, full));
            if row < MAX_METHODS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let _ = session.names().map(|names| names.each_method(&mut offer));
        return match near.best() {
            Some(near) => ResolveError::Near(text.to_owned(), format!("method/{near}{tail}")),
            None => ResolveError::Unknown(text.to_owned()),
        };
    }
    if matches!(first, "document" | "documents") && !rest.is_empty() {
        // A line may follow the name.
        let name = rest.split_once('/').map_or(rest, |(name, _)| name);
        if let Some(name) = nearest_document(session, name) {
            return ResolveError::Near(text.to_owned(), format!("document/{name}"));
        }
        paths.clear();
    }
    if rest.is_empty()
        && let Some(error) = methods_of_type(session, text)
    {
        return error;
    }
    let mut near = Nearest::new(&wanted, tolerance(&wanted));
    for path in &paths {
        near.offer(&path.to_lowercase(), path);
    }
    match near.best() {
        Some(path) => ResolveError::Near(text.to_owned(), path),
        None => ResolveError::Unknown(text.to_owned()),
    }
}

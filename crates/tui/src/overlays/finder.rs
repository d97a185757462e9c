//! Names among the choices of the prompt: everything that has one, by ranked matching.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::ranking::rank_names;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use crate::ui::fuzzy::MAX_TYPED;
use pdblens_nodes::rows::{Cell, Row, Tone};
use pdblens_nodes::{self as nodes, Place, function};
use pdblens_query::search::Index;
use pdblens_session::session::Session;
use pdblens_session::text::names::without_arities;

/// Number of names from which ranking is a job; until it is done, names that contain the text are shown.
const ASYNC_LIMIT: usize = 20_000;
pub(super) const MAX_RESULTS: usize = 1000;
/// The names, once they are collected.
pub type Names = Arc<OnceLock<Index>>;

#[derive(Clone)]
pub struct Finder {
    names: Names,
    answer: Arc<Mutex<FinderAnswer>>,
}

/// The result for a text among a number of names, best first.
#[derive(Default)]
struct FinderAnswer {
    typed: String,
    among: usize,
    found: Arc<[u32]>,
    /// True if the matches are ranked; else they only contain the text.
    is_ranked: bool,
}

impl Finder {
    pub fn new(names: Names) -> Self {
        Self { names, answer: Arc::default() }
    }

    /// The result for a text: the known one, or one that is quickly computed.
    pub(super) fn results(&self, typed: &str) -> Arc<[u32]> {
        let mut answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(index) = self.names.get() else { return Arc::default() };
        if typed.len() > MAX_TYPED {
            return Arc::default();
        }
        if answer.typed != typed || answer.among != index.len() {
            let few = index.len() < ASYNC_LIMIT || typed.trim().is_empty();
            let named = as_named(index, typed);
            let found = if few {
                rank_names(index, &named, MAX_RESULTS, &|| false)
            } else {
                index.containing(&named, MAX_RESULTS)
            };
            let (typed, among) = (typed.to_owned(), index.len());
            *answer = FinderAnswer { typed, among, found: found.into(), is_ranked: few };
        }
        Arc::clone(&answer.found)
    }

    /// Number of names, once they are collected.
    pub(super) fn all(&self) -> Option<usize> {
        self.names.get().map(Index::len)
    }

    pub(super) fn place(&self, name: u32) -> Option<Place> {
        self.names.get()?.place(name as usize)
    }

    pub(super) fn name_of(&self, place: Place) -> Option<u32> {
        let index = self.names.get()?;
        (0..index.len()).find(|at| index.place(*at) == Some(place)).map(|at| at as u32)
    }

    pub(super) fn full_name(&self, name: u32) -> String {
        self.names.get().map_or_else(String::new, |index| index.name(name as usize))
    }

    /// Returns whether a name is `typed` without the namespaces and types before it.
    pub(super) fn is_exact(&self, name: u32, typed: &str) -> bool {
        let full = self.names.get().map(|index| index.name(name as usize)).unwrap_or_default();
        let typed = typed.replace("::", ".");
        let plain = if typed.contains('`') { full.as_str().into() } else { without_arities(&full) };
        let full = plain.as_ref();
        let start = full.len().checked_sub(typed.len());
        let (before, end) = start.and_then(|start| full.split_at_checked(start)).unwrap_or_default();
        !end.is_empty() && end.eq_ignore_ascii_case(&typed) && (before.is_empty() || before.ends_with('.'))
    }

    /// The row of a name: overloads with their parameters.
    pub(super) fn row(&self, name: u32, session: Option<&Session>) -> Row {
        let at = name as usize;
        let Some((index, place)) = self.names.get().and_then(|index| Some((index, index.place(at)?))) else {
            return Row::default();
        };
        let about = session.map_or_else(String::new, |session| nodes::context(session, place));
        let parameters = session.and_then(|session| parameters(session, place)).unwrap_or_default();
        let kind = Cell::toned(index.kind(at), Tone::Dim);
        Row::at(place, vec![Cell::new(format!("{}{parameters}", index.name(at))), kind, Cell::toned(about, Tone::Dim)])
    }

    /// Ranks the names for a new input: a job where there are many.
    pub(super) fn query_changed(&mut self, typed: &str) -> Vec<Effect> {
        if typed.len() > MAX_TYPED {
            return Vec::new();
        }
        self.results(typed);
        let is_ranked = self.answer.lock().unwrap_or_else(PoisonError::into_inner).is_ranked;
        if is_ranked || self.names.get().is_none() {
            return Vec::new();
        }
        let (names, answer, typed) = (Arc::clone(&self.names), Arc::clone(&self.answer), typed.to_owned());
        vec![Effect::Start(Job::new("finding", "find", move |token| {
            let stop = || token.is_cancelled();
            let rank = |index| rank_names(index, &as_named(index, &typed), MAX_RESULTS, &stop);
            let ranked = names.get().map(rank).unwrap_or_default();
            let mut answer = answer.lock().unwrap_or_else(PoisonError::into_inner);
            if answer.typed == typed && !token.is_cancelled() {
                (answer.found, answer.is_ranked) = (ranked.into(), true);
            }
            Msg::OverlayReady
        }))]
    }
}

/// The input as the names are written: `Type::Method` with a dot, where no name has the colons.
fn as_named<'t>(index: &Index, typed: &'t str) -> Cow<'t, str> {
    let dotted = typed.replace("::", ".");
    let is_dotted =
        dotted != typed && index.containing(typed, 1).is_empty() && !index.containing(&dotted, 1).is_empty();
    if is_dotted { dotted.into() } else { typed.into() }
}

/// The parameters of a method, by which overloads differ: `(string, int)`.
fn parameters(session: &Session, place: Place) -> Option<String> {
    let token = match place {
        Place::Method(token) => token,
        Place::Function(rva) => return function::parameters(session, rva),
        _ => return None,
    };
    let names = session.names()?;
    let short = names.brief().method_short(token);
    Some(short.strip_prefix(names.method_name(token).as_str())?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_session::session::Session;

    #[test]
    fn names_are_found_by_a_part_and_by_likeness() {
        let index = Index::build(&Session::sample(), &|_, _| true);
        let names = |found: Vec<u32>| found.iter().map(|i| index.name(*i as usize)).collect::<Vec<_>>();
        assert_eq!(names(index.containing("k.sInCe", MAX_RESULTS)), ["Ticker.Clock.Since"]);
        assert_eq!(names(rank_names(&index, "clksince", MAX_RESULTS, &|| false)), ["Ticker.Clock.Since"]);
        assert_eq!(names(rank_names(&index, "since clock", MAX_RESULTS, &|| false)), ["Ticker.Clock.Since"]);
        // Of equal matches, a method precedes a parameter.
        assert_eq!(names(rank_names(&index, "args", MAX_RESULTS, &|| false))[0], "args");
        assert_eq!(rank_names(&index, "", MAX_RESULTS, &|| false).len(), index.len());
    }
}

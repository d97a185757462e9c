//! The names that an input finds in all open files, in one order.

use super::direct::NamedCode;
use super::{Ask, Choice};
use crate::overlays::finder::{Finder, MAX_RESULTS};
use crate::ui::fuzzy::{Tier, worst_tier};
use pdblens_nodes::{Place, TableId};

/// Names of each of the other files.
const MAX_OTHERS: usize = 100;

/// Class of a name for an input, best first; the names of a class are in the order of their files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// Code with the typed parameters.
    Meant,
    /// The typed name, after namespaces and types.
    Exact,
    Like(Tier),
}

impl Ask {
    /// The names that `name` finds, those of the best class first, of each class the definitions, and of these the shown files first.
    /// `typed` is the whole input, and `place` what it means by itself.
    pub(super) fn names(&self, typed: &str, name: &str, place: Option<Place>) -> Vec<Choice> {
        let named = self.overloads_of(typed);
        if named.iter().any(|code| code.at.is_some()) {
            let mut found = named.to_vec();
            found.sort_by_key(|code| code.at.as_ref().map(|at| at.fit));
            return found.into_iter().map(Choice::AtOffset).collect();
        }
        if name.is_empty() {
            return self.finder.results(name).iter().map(|at| Choice::Name(None, *at)).collect();
        }
        let words: Vec<&str> = name.split_whitespace().collect();
        let class = |finder: &Finder, index: Option<usize>, at: u32| {
            let is_at = |place| named.iter().any(|code| (code.file, code.place) == (index, place));
            if finder.place(at).is_some_and(is_at) {
                Class::Meant
            } else if finder.is_exact(at, name) {
                Class::Exact
            } else {
                Class::Like(worst_tier(&finder.full_name(at), &words).unwrap_or(Tier::Fuzzy))
            }
        };
        // The places that the input itself means are among the choices already.
        let in_others = self.direct_in_others(typed).into_iter();
        let meant: Vec<_> =
            in_others.map(|(index, place, _)| (Some(index), place)).chain(place.map(|place| (None, place))).collect();
        let mut found: Vec<(Class, Choice)> = Vec::new();
        for file in std::iter::once(None).chain((0..self.others.len()).map(Some)) {
            let Some(finder) = self.finder(file) else { continue };
            let most = if file.is_none() { MAX_RESULTS } else { MAX_OTHERS };
            let is_new = |at: &u32| finder.place(*at).is_none_or(|place| !meant.contains(&(file, place)));
            let names = with_overloads(finder, name, &named, file, most).into_iter().filter(is_new);
            found.extend(names.map(|at| (class(finder, file, at), Choice::Name(file, at))));
        }
        found.sort_by_key(|(class, choice)| (*class, self.is_reference(choice)));
        found.into_iter().map(|(_, choice)| choice).collect()
    }

    /// Returns whether a name is that of a type or member of another file, which may be open.
    fn is_reference(&self, choice: &Choice) -> bool {
        let place = match choice {
            Choice::Name(file, at) => self.finder(*file).and_then(|finder| finder.place(*at)),
            _ => None,
        };
        matches!(place, Some(Place::Row(_, TableId::TYPE_REF | TableId::MEMBER_REF | TableId::EXPORTED_TYPE, _)))
    }
}

/// The first names that a text finds, and those of the code that is named where it is none of them: what the input means may have another
/// name than the one that is typed.
fn with_overloads(finder: &Finder, name: &str, named: &[NamedCode], index: Option<usize>, most: usize) -> Vec<u32> {
    let mut found: Vec<u32> = finder.results(name).iter().copied().take(most).collect();
    if found.len() < named.len() || found.len() == most {
        let places = named.iter().filter(|code| code.file == index).map(|code| code.place);
        let missing: Vec<u32> =
            places.filter_map(|place| finder.name_of(place)).filter(|at| !found.contains(at)).collect();
        found.extend(missing);
    }
    found
}

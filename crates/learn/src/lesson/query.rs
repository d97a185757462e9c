//! Queries: which record of the open files shows something, and which read in it.

use super::file::wrong;
use pdblens_formats::reason::Reason;
use serde::Deserialize;

use crate::candidates::{Bound, numbers, with_number};
use crate::{Step, Steps, steps};
use pdblens_nodes::{self as nodes, Place};
use pdblens_session::session::Session;

/// A query for an example: the first read of the first record that has all that is asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "RawQuery")]
pub struct Query {
    place: PlacePattern,
    read: ReadFilter,
    /// Another read that the record must have.
    has: Option<ReadFilter>,
    /// Another read that the innermost group around the read must have.
    with: Option<ReadFilter>,
    /// True if the example is at the place that the read leads to.
    follow: bool,
    /// Name of the field there; its first read without.
    then: Option<String>,
    /// Another record of the same number that must match: `method/*/points` beside `table/MethodDebugInformation/*`.
    beside: Option<Box<Query>>,
}

/// Conditions on a read; all must hold.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of conditions on a read")]
struct ReadFilter {
    /// Names of the field, with `|` between them.
    field: Option<String>,
    /// Names of the innermost group around it, with `|` between them.
    record: Option<String>,
    value: Option<Condition>,
    /// Number of bytes.
    length: Option<Condition>,
    /// Form of the stored value, as tables of steps have it.
    form: Option<String>,
    /// Text that value or meaning has in it, in any case.
    meaning: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { place = \"table/Document/1\", field = \"Name\" }")]
struct RawQuery {
    place: PlacePattern,
    field: Option<String>,
    record: Option<String>,
    value: Option<Condition>,
    length: Option<Condition>,
    form: Option<String>,
    meaning: Option<String>,
    has: Option<ReadFilter>,
    with: Option<ReadFilter>,
    #[serde(default)]
    follow: bool,
    then: Option<String>,
    beside: Option<Box<Query>>,
}

impl From<RawQuery> for Query {
    fn from(raw: RawQuery) -> Self {
        let RawQuery { place, field, record, value, length, form, meaning, has, with, follow, then, beside } = raw;
        Self {
            place,
            read: ReadFilter { field, record, value, length, form, meaning },
            has,
            with,
            follow,
            then,
            beside,
        }
    }
}

/// A comparison with a number: `< 0`, `>= 0x80`, `!= 1`, `= 5`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Condition {
    compare: Compare,
    number: i64,
}

type Compare = fn(&i64, &i64) -> bool;

/// Comparisons as they are written, those of two characters first.
const COMPARISONS: [(&str, Compare); 6] =
    [("<=", i64::le), (">=", i64::ge), ("!=", i64::ne), ("<", i64::lt), (">", i64::gt), ("=", i64::eq)];

impl TryFrom<String> for Condition {
    type Error = Reason;

    fn try_from(text: String) -> Result<Self, Reason> {
        let form = || wrong(format!("`{text}` is not a condition: write `< 0`, `>= 0x80`, `!= 1` or `= 5`"));
        let trimmed = text.trim_start();
        let found = COMPARISONS.iter().find_map(|(sign, compare)| Some((*compare, trimmed.strip_prefix(sign)?)));
        let (compare, rest) = found.ok_or_else(form)?;
        let rest = rest.trim();
        let (sign, digits) = rest.strip_prefix('-').map_or((1, rest), |digits| (-1, digits));
        let number = match digits.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        Ok(Self { compare, number: i64::saturating_mul(sign, number.map_err(|_| form())?) })
    }
}

impl Condition {
    pub fn holds(self, number: i64) -> bool {
        (self.compare)(&number, &self.number)
    }
}

/// Paths, of which the first that has an example counts: `pdb/metadata/pdb | stream/1`. A `*` matches each method, function or number.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct PlacePattern(Vec<String>);

impl TryFrom<String> for PlacePattern {
    type Error = Reason;

    fn try_from(text: String) -> Result<Self, Reason> {
        let paths: Vec<String> = text.split('|').map(|path| path.trim().to_owned()).collect();
        for path in &paths {
            let one = with_number(path, 1);
            if one.parse::<Place>().is_err() {
                let text = format!("`{path}` is not a place: `pdblens list FILE` lists the places of a file");
                return Err(wrong(text));
            }
        }
        Ok(Self(paths))
    }
}

impl PlacePattern {
    fn candidates<'s>(&'s self, session: &'s Session) -> impl Iterator<Item = (u32, Place)> + 's {
        let places = move |path: &'s String| {
            let place = move |number| Some((number, with_number(path, number).parse().ok()?));
            numbers(session, path).filter_map(place)
        };
        self.0.iter().flat_map(places).filter(|(_, place)| nodes::exists(session, *place))
    }

    fn with(&self, number: u32) -> impl Iterator<Item = Place> + '_ {
        self.0.iter().filter_map(move |path| with_number(path, number).parse().ok())
    }
}

fn group_around(list: &[Step], at: usize) -> &[Step] {
    let Some(depth) = list.get(at).map(|step| step.field.depth) else { return &[] };
    let is_outside = |step: &Step| step.field.depth < depth;
    let (before, after) = list.split_at_checked(at).unwrap_or_default();
    let start = before.iter().rposition(is_outside).map_or(0, |head| head + 1);
    let end = after.iter().position(is_outside).map_or(list.len(), |len| at + len);
    list.get(start..end).unwrap_or_default()
}

/// Returns true if `name` is one of several with `|` between them.
fn is_one_of(names: &str, name: &str) -> bool {
    names.split('|').any(|one| one.trim() == name)
}

impl ReadFilter {
    fn matches(&self, step: &Step) -> bool {
        let field = &step.field;
        let has = |text: &String| {
            let text = text.to_lowercase();
            field.value.to_lowercase().contains(&text) || field.meaning.to_lowercase().contains(&text)
        };
        !field.group
            && self.field.as_ref().is_none_or(|names| is_one_of(names, &field.name))
            && self.record.as_ref().is_none_or(|names| is_one_of(names, &step.record))
            && self.value.is_none_or(|value| field.number.is_some_and(|number| value.holds(number)))
            && self.length.is_none_or(|length| length.holds(step.bytes.len() as i64))
            && self.form.as_ref().is_none_or(|form| *form == step.form())
            && self.meaning.as_ref().is_none_or(has)
    }
}

#[derive(Clone, Debug)]
pub struct Found {
    pub place: Place,
    pub steps: Steps,
    pub at: usize,
    /// Number that the `*` of the path took: the row of a method, the address of a function; 0 for a path without.
    pub number: u32,
}

impl Query {
    /// The example whose path has `number` in the place of its `*`.
    pub(crate) fn find_numbered(&self, session: &Session, number: u32, bound: &Bound) -> Option<Found> {
        let mut places = self.place.with(number).filter(|place| nodes::exists(session, *place));
        places.find_map(|place| self.in_record(session, (number, place), None, bound))
    }

    /// The first example in the open files, as far as the bound of a search goes.
    pub fn find(&self, session: &Session) -> Option<Found> {
        self.find_within(session, None, &Bound::default())
    }

    /// The first example within a bound that has other bytes than `not`.
    pub(crate) fn find_within(&self, session: &Session, not: Option<&[u8]>, bound: &Bound) -> Option<Found> {
        let mut candidates = self.place.candidates(session).take_while(|_| bound.is_open());
        candidates.find_map(|candidate| self.in_record(session, candidate, not, bound))
    }

    /// The example in a record, if the record beside it matches too.
    fn in_record(
        &self,
        session: &Session,
        (number, place): (u32, Place),
        not: Option<&[u8]>,
        bound: &Bound,
    ) -> Option<Found> {
        let found = self.read_in(session, (number, place), not, bound)?;
        let Some(beside) = &self.beside else { return Some(found) };
        let mut places = beside.place.with(number);
        places.any(|place| beside.in_record(session, (number, place), None, bound).is_some()).then_some(found)
    }

    fn read_in(
        &self,
        session: &Session,
        (number, place): (u32, Place),
        not: Option<&[u8]>,
        bound: &Bound,
    ) -> Option<Found> {
        let found = steps(session, place);
        bound.count(found.as_ref().map_or(0, |found| found.list.len()));
        let found = found?;
        if self.has.as_ref().is_some_and(|has| !found.list.iter().any(|step| has.matches(step))) {
            return None;
        }
        let is_other = |step: &Step| not.is_none_or(|bytes| step.bytes != bytes);
        let is_read = |step: &Step| self.read.matches(step) && (self.follow || is_other(step));
        let has_beside = |at: usize| {
            self.with.as_ref().is_none_or(|with| group_around(&found.list, at).iter().any(|step| with.matches(step)))
        };
        let mut reads = found.list.iter().enumerate().filter(|(_, step)| is_read(step));
        let (at, _) = reads.find(|(at, _)| has_beside(*at))?;
        if !self.follow {
            return Some(Found { place, steps: found, at, number });
        }
        let place = found.list.get(at)?.field.to?;
        let steps = steps(session, place)?;
        let is_it = |step: &Step| self.then.as_ref().is_none_or(|name| *name == step.field.name);
        let at = steps.list.iter().position(|step| !step.field.group && is_it(step) && is_other(step))?;
        Some(Found { place, steps, at, number })
    }
}

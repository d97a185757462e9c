//! Paths of places: patterns, their arguments, and errors for paths that match no pattern.

use super::{Place, Side};
use pdblens_formats::metadata::{Heap, TableId, Token};
use std::collections::VecDeque;
use std::fmt;

/// A path with its arguments in capitals (`method/TOKEN/points/ORDINAL`), and how it is read and written. `SIDE/` in front means
/// `image/`, `pdb/` or nothing.
pub(crate) struct Pattern {
    pub path: &'static str,
    pub read: fn(&mut Args<'_>) -> Result<Place, PlaceError>,
    /// Arguments of a place that has the pattern; `None` for any other place.
    pub arguments: fn(Place) -> Option<Arguments>,
}

type Arguments = Vec<Box<dyn Argument>>;

/// The pattern of a path, by the place that its arguments make: `path!("page/N" (number) => Page(number))`.
macro_rules! path {
    ($path:literal ($($argument:ident),* $(,)?) => $($place:tt)+) => {
        $crate::place::path::Pattern {
            path: $path,
            read: |_args| {
                $(let $argument = $crate::place::path::Argument::read(_args)?;)*
                Ok($crate::place::Place::$($place)+)
            },
            arguments: |place| match place {
                $crate::place::Place::$($place)+ => Some(vec![$(Box::new($argument)),*]),
                _ => None,
            },
        }
    };
    (@part $path:literal $place:ident ($($whole:ident)?) ($($argument:ident),*) $($part:tt)+) => {
        path!($path ($($whole,)? $($argument),*) => $place($($whole,)? $($part)+))
    };
}

/// Declares the parts of something, each with its path. A place has the arguments of the whole, then the part.
macro_rules! parts {
    (
        pub enum $name:ident in $place:ident $whole:tt {
            $($(#[$doc:meta])* $variant:ident $(($($argument:ident: $type:ty),+))? = $path:literal,)+
        }
    ) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant $(($($type),+))?,)+
        }

        impl $name {
            pub(crate) const PATTERNS: &'static [$crate::place::path::Pattern] = &[
                $(path!(@part $path $place $whole ($($($argument),+)?) Self::$variant $(($($argument),+))?),)+
            ];
        }
    };
}

/// Reason why a text is no path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// No path has this word there.
    #[error("unknown word {word:?}: expected {}", listed(expected))]
    UnknownWord {
        word: String,
        /// Words, and arguments in capitals, that paths have there; empty where no path goes on.
        expected: Vec<&'static str>,
    },
    /// Longer paths begin like this one.
    #[error("incomplete path: expected {}", listed(expected))]
    Incomplete { expected: Vec<&'static str> },
    #[error("{text:?} is not {expected}")]
    BadArgument { text: String, expected: &'static str },
}

fn listed(expected: &[&str]) -> String {
    if expected.is_empty() { "the end of the path".to_owned() } else { expected.join(", ") }
}

/// Arguments of a path that are still to be read, in their order.
pub(crate) struct Args<'t> {
    side: Option<Side>,
    /// Each with its name in the pattern.
    values: VecDeque<(&'static str, &'t str)>,
    /// The first argument as a number, where the path has the name of its subject there.
    named: Option<u32>,
}

impl<'t> Args<'t> {
    /// Takes the next argument, which `read` makes of its text.
    pub(crate) fn take<T>(
        &mut self,
        expected: &'static str,
        read: impl FnOnce(&'t str) -> Option<T>,
    ) -> Result<T, PlaceError> {
        let (_, text) = self.values.pop_front().unwrap_or_default();
        read(text).ok_or_else(|| PlaceError::BadArgument { text: text.to_owned(), expected })
    }
}

/// An argument of a path.
pub(crate) trait Argument {
    fn read(args: &mut Args<'_>) -> Result<Self, PlaceError>
    where
        Self: Sized;

    /// Writes it. `name` is its name in the pattern.
    fn write(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// `ROW` and `ORDINAL` count from 1; `OFFSET`, `RVA` and `INDEX` are written in hexadecimal.
impl Argument for u32 {
    fn read(args: &mut Args<'_>) -> Result<Self, PlaceError> {
        let is_ordinal = args.values.front().is_some_and(|(name, _)| matches!(*name, "ROW" | "ORDINAL"));
        match args.named.take() {
            Some(number) => args.take("", |_| Some(number)),
            None if is_ordinal => args.take("a number from 1 on", |text| number(text).filter(|number| *number > 0)),
            None => args.take("a number", number),
        }
    }

    fn write(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if matches!(name, "OFFSET" | "RVA" | "INDEX") { write!(f, "{self:#x}") } else { write!(f, "{self}") }
    }
}

/// A method by its token, or by its row alone.
impl Argument for Token {
    fn read(args: &mut Args<'_>) -> Result<Self, PlaceError> {
        let named = args.named.take().map(Token);
        args.take("a token or row of MethodDef", |text| named.or_else(|| method(text)))
    }

    fn write(&self, _: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The file that the path names; else that of the table's number, or the PDB.
impl Argument for Side {
    fn read(args: &mut Args<'_>) -> Result<Self, PlaceError> {
        let table = args.values.iter().find(|(name, _)| *name == "TABLE").and_then(|(_, text)| TableId::named(text));
        Ok(args.side.unwrap_or_else(|| table.map_or(Self::Pdb, Self::of)))
    }

    fn write(&self, _: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Arguments whose text alone says what they are: what is expected, how it is read, and its text.
macro_rules! arguments {
    ($($type:ty: $expected:literal, $read:expr, $text:expr;)+) => {$(
        impl $crate::place::path::Argument for $type {
            fn read(args: &mut $crate::place::path::Args<'_>) -> Result<Self, $crate::place::path::PlaceError> {
                args.take($expected, $read)
            }

            fn write(&self, _: &str, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}", $text(*self))
            }
        }
    )+};
}

arguments! {
    u8: "a number below 256", |text| number(text)?.try_into().ok(), Self::from;
    u16: "a number below 65536", |text| number(text)?.try_into().ok(), Self::from;
    TableId: "a metadata table", Self::named, Self::name;
    Heap: "a heap", |text| by_word(Self::ALL, heap_word, text), heap_word;
}

/// The value with a word, whatever its case.
pub(crate) fn by_word<T: Copy, W: AsRef<str>>(
    all: impl IntoIterator<Item = T>,
    word: fn(T) -> W,
    text: &str,
) -> Option<T> {
    all.into_iter().find(|value| word(*value).as_ref().eq_ignore_ascii_case(text))
}

fn heap_word(heap: Heap) -> String {
    heap.stream().trim_start_matches('#').to_ascii_lowercase()
}

/// Writes the path of a place by the first pattern that it has.
pub(crate) fn write(place: Place, patterns: &[Pattern], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut found = patterns.iter().filter_map(|pattern| Some((pattern.path, (pattern.arguments)(place)?)));
    let Some((path, arguments)) = found.next() else { return Ok(()) };
    let mut arguments = arguments.into_iter();
    let (steps, has_side) = steps_of(path);
    let side = if has_side { arguments.next() } else { None };
    // The number of a table says in which file it is.
    let is_known = matches!(place, Place::Table(side, id) | Place::Row(side, id, _) if side == Side::of(id));
    if let Some(side) = side.filter(|_| !is_known) {
        side.write("SIDE", f)?;
    }
    for (index, step) in steps.enumerate() {
        let separator = if index == 0 { "" } else { "/" };
        if !is_argument(step) {
            write!(f, "{separator}{step}")?;
        } else if let Some(argument) = arguments.next() {
            f.write_str(separator)?;
            argument.write(step, f)?;
        }
    }
    Ok(())
}

/// Next step up from a place: the longest path before its own that is one, or the list of its kind (`page/5` is in `pages`).
pub(crate) fn parent(place: Place) -> Place {
    let path = place.to_string();
    let ends = path.rmatch_indices('/').filter_map(|(end, _)| path.get(..end));
    let mut parents = ends.flat_map(|before| [before.to_owned(), format!("{before}s")]);
    parents.find_map(|path| path.parse().ok()).unwrap_or(Place::Overview)
}

/// A number in decimal, or in hexadecimal after `0x`.
pub fn number(text: &str) -> Option<u32> {
    long_number(text)?.try_into().ok()
}

/// A number of up to 64 bits in decimal, or in hexadecimal after `0x`.
pub fn long_number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A method by its token, or by its row alone.
pub(crate) fn method(text: &str) -> Option<Token> {
    let number = bare_token(text).or_else(|| number(text))?;
    let token = if number >> 24 == 0 { Token::new(TableId::METHOD_DEF, number) } else { Token(number) };
    if token.table() == TableId::METHOD_DEF && !token.is_nil() { Some(token) } else { None }
}

/// A token of a method in 7 or 8 hexadecimal digits without `0x`, as profilers and disassemblers write it. Read as decimal rows, these
/// digits would exceed the rows of any image.
pub fn bare_token(text: &str) -> Option<u32> {
    if !matches!(text.len(), 7 | 8) || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let token = u32::from_str_radix(text, 16).ok()?;
    if token >> 24 == u32::from(TableId::METHOD_DEF.0) { Some(token) } else { None }
}

fn is_argument(step: &str) -> bool {
    step.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn steps_of(pattern: &'static str) -> (impl Iterator<Item = &'static str> + Clone, bool) {
    match pattern.strip_prefix("SIDE/") {
        Some(rest) => (rest.split('/'), true),
        None => (pattern.split('/'), false),
    }
}

/// Number of leading `steps` that a pattern matches.
fn matching(pattern: &'static str, steps: &[&str]) -> usize {
    let fits = |(own, step): &(&str, &&str)| is_argument(own) || own.eq_ignore_ascii_case(step);
    steps_of(pattern).0.zip(steps).take_while(fits).count()
}

/// Reads a path by the first pattern that it matches.
pub(crate) fn parse(text: &str, patterns: &[&[Pattern]]) -> Result<Place, PlaceError> {
    let text = text.trim_matches('/');
    let (side, path) = match text.split_once('/') {
        Some(("image", rest)) => (Some(Side::Image), rest),
        Some(("pdb", rest)) => (Some(Side::Pdb), rest),
        _ => (None, text),
    };
    parse_steps(side, &path.split('/').collect::<Vec<_>>(), None, patterns)
}

/// Reads a path whose first argument is the name of something with a number: `function/clamp/lines`. The rest of the path, which may be
/// empty, follows the name.
pub(crate) fn parse_named(word: &str, number: u32, rest: &str, patterns: &[&[Pattern]]) -> Result<Place, PlaceError> {
    let rest = rest.trim_matches('/');
    let mut steps = vec![word, ""];
    if !rest.is_empty() {
        steps.extend(rest.split('/'));
    }
    parse_steps(None, &steps, Some(number), patterns)
}

fn parse_steps(
    side: Option<Side>,
    steps: &[&str],
    named: Option<u32>,
    patterns: &[&[Pattern]],
) -> Result<Place, PlaceError> {
    let all = || patterns.iter().copied().flatten().filter(|pattern| side.is_none() || steps_of(pattern.path).1);
    for Pattern { path, read, .. } in all() {
        let (own, _) = steps_of(path);
        if own.clone().count() == steps.len() && matching(path, steps) == steps.len() {
            let values = own.zip(steps.iter().copied()).filter(|(own, _)| is_argument(own)).collect();
            return read(&mut Args { side, values, named });
        }
    }
    Err(diagnose(steps, all().map(|pattern| pattern.path)))
}

/// Error of a path that matches no pattern: its first step that none has there, or what is missing at its end.
fn diagnose(steps: &[&str], patterns: impl Iterator<Item = &'static str> + Clone) -> PlaceError {
    let longest = patterns.clone().map(|pattern| matching(pattern, steps)).max().unwrap_or(0);
    let near = patterns.filter(move |pattern| matching(pattern, steps) == longest);
    let mut expected: Vec<&str> = match steps.get(longest) {
        Some(_) => near.filter_map(|pattern| steps_of(pattern).0.nth(longest)).collect(),
        // The shortest of them: those that are longer begin like these.
        None => {
            let len = |pattern: &'static str| steps_of(pattern).0.count();
            let shortest = near.clone().map(len).min();
            near.filter(|pattern| Some(len(pattern)) == shortest).collect()
        }
    };
    expected.sort_unstable();
    expected.dedup();
    match steps.get(longest) {
        Some(word) => PlaceError::UnknownWord { word: (*word).to_owned(), expected },
        None => PlaceError::Incomplete { expected },
    }
}

//! Types and ids of native code by their numbers, as lists, fields and breadcrumbs print them: `0x213b`, `field list 0x2252`,
//! `Types › 0x213b`.

use super::{Answer, Here, plain};
use pdblens_nodes::function::NativeView;
use pdblens_nodes::{self as nodes, Place};
use pdblens_session::session::Session;

/// The type and the id with a number that is typed alone.
pub(super) fn numbered(session: &Session, typed: &str) -> Vec<Place> {
    let number = typed.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let Some((number, native)) = number.zip(NativeView::of(session)) else { return Vec::new() };
    let has = |ids: bool| native.types(ids).get(number).is_some();
    let places = [(Place::Type(number), false), (Place::Id(number), true)];
    places.into_iter().filter(|(_, ids)| has(*ids)).map(|(place, _)| place).collect()
}

/// A type or an id by its number after the words that screens print before it.
pub(super) fn named(session: &Session, typed: &str, _: Here) -> Option<Answer> {
    let (words, number) = typed.rsplit_once(' ')?;
    let is_words = words.chars().all(|c| c.is_alphabetic() || c.is_whitespace() || matches!(c, '-' | '\u{203a}' | '>'));
    let is_hex = number.strip_prefix("0x").is_some_and(|digits| !digits.is_empty());
    if !is_words || !is_hex || NativeView::of(session).is_none() {
        return None;
    }
    let is_word = |wanted: &str| words.split_whitespace().any(|word| word.eq_ignore_ascii_case(wanted));
    let wants_id = is_word("id") || is_word("ids");
    let mut found = numbered(session, number);
    found.sort_by_key(|place| matches!(place, Place::Id(_)) != wants_id);
    let is_named = wants_id || is_word("type") || is_word("types");
    match found.into_iter().find(|place| !is_named || matches!(place, Place::Id(_)) == wants_id) {
        Some(place) => Some(Ok(plain(place))),
        None if is_named => {
            let number = nodes::number(number)?;
            let place = if wants_id { Place::Id(number) } else { Place::Type(number) };
            Some(Err(nodes::absence(session, place)))
        }
        None => None,
    }
}

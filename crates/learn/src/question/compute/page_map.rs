//! Questions about the free page maps of an MSF file.

use super::{Expected, Given, Question, field, mistakes, number_mistake, page_size, text_mistake};
use crate::steps;
use pdblens_formats::bytes::{Show, Span};
use pdblens_nodes::{self as nodes, Place};
use pdblens_session::session::Session;

/// Number of the active map, 1 or 2.
fn active(session: &Session) -> Option<i64> {
    let active = field(&steps(session, Place::Header)?, "active free page map")?.field.number?;
    (1..=2).contains(&active).then_some(active)
}

fn list(pages: &[u64]) -> String {
    pages.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

/// Pages in use of the first byte of the active map that has both kinds.
pub(super) fn pages_in_use(session: &Session) -> Option<Question> {
    let (active, size) = (active(session)?, page_size(session)?.cast_unsigned());
    let page = nodes::bytes(session, Place::Page(active as u32))?;
    let pages = field(&steps(session, Place::Header)?, "page count")?.field.number?.cast_unsigned();
    let map = session.spaces().read(Span { len: page.len.min(size).min(pages / 8), ..page }).ok()?;
    let (at, byte) = map.iter().enumerate().find(|(_, byte)| !matches!(**byte, 0 | 0xff))?;
    let first = (at as u64).saturating_mul(8);
    let of = |is_it: &dyn Fn(u64) -> bool| (0..8).filter(|bit| is_it(*bit)).map(|bit| first | bit).collect::<Vec<_>>();
    let is_free = |bit: u64| byte >> bit & 1 == 1;
    let right = of(&|bit| !is_free(bit));
    let other = |pages: Vec<u64>, because: &str| (pages != right).then(|| text_mistake(list(&pages), because));
    let mistakes = [
        other(of(&is_free), "Those bits are 1, which means free."),
        other(of(&|bit| !is_free(bit ^ 7)), "Bits are counted from the lowest: bit 0 is the last digit of the byte."),
        other(right.iter().map(|page| page.saturating_add(1)).collect(), "Bits and pages are counted from 0."),
    ];
    let with_noun = [format!("pages {}", list(&right)), list(&right).replace(", ", " ")];
    Some(Question {
        prompt: format!(
            "Byte {at} of the active free page map is {byte:#04x}. Which of pages {first} to {} are in use?",
            first.saturating_add(7)
        ),
        given: vec![("bits".to_owned(), format!("{byte:08b}")), ("map".to_owned(), format!("page {active}"))],
        hints: vec!["A bit that is 0 means in use.".to_owned(), format!("The lowest bit is page {first}.")],
        solution: vec![list(&right)],
        expected: Expected::Text { any: std::iter::once(list(&right)).chain(with_noun).collect(), contains: false },
        mistakes: mistakes::merged(Vec::new(), mistakes.into_iter().flatten()),
    })
}

/// Page that the next commit puts its map into.
pub(super) fn next_map(session: &Session) -> Option<Question> {
    let active = active(session)?;
    let right = 3_i64.saturating_sub(active);
    let mistakes = [
        number_mistake(
            active,
            "That map counts. If it were overwritten and the writer failed, the old content would be lost.",
        ),
        number_mistake(0, "Page 0 is the superblock, which is written last: that is the commit."),
        number_mistake(3, "The two maps alternate between pages 1 and 2."),
    ];
    Some(Question {
        prompt: "Into which page does a writer put the free page map of the next commit of this file?".to_owned(),
        given: vec![("0x24 of the file".to_owned(), active.to_string())],
        hints: vec!["The map that counts must not be changed before the commit.".to_owned()],
        solution: vec![format!("{active} counts, so that {right} is written")],
        expected: Expected::Number { value: right, show: Show::Plain },
        mistakes: mistakes::other_than(&Given::Number(right), mistakes),
    })
}

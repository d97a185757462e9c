//! Questions about the free page maps of an MSF file.

use super::{Question, field, page_size};
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
    let first = at as u64 * 8;
    let of = |is_it: &dyn Fn(u64) -> bool| (0..8).filter(|bit| is_it(*bit)).map(|bit| first | bit).collect::<Vec<_>>();
    let is_free = |bit: u64| byte >> bit & 1 == 1;
    let right = of(&|bit| !is_free(bit));
    let last = first + 7;
    let prompt =
        format!("Byte {at} of the active free page map is {byte:#04x}. Which of pages {first} to {last} are in use?");
    let any = [list(&right), format!("pages {}", list(&right)), list(&right).replace(", ", " ")];
    let mut question = Question::of_text(prompt, any.to_vec())
        .fact("bits", format!("{byte:08b}"))
        .fact("map", format!("page {active}"))
        .hint("A bit that is 0 means in use.")
        .hint(format!("The lowest bit is page {first}."))
        .solved(list(&right));
    question.wrong(list(&of(&is_free)), "Those bits are 1, which means free.");
    let text = "Bits are counted from the lowest: bit 0 is the last digit of the byte.";
    question.wrong(list(&of(&|bit| !is_free(bit ^ 7))), text);
    let next: Vec<u64> = right.iter().map(|page| page + 1).collect();
    question.wrong(list(&next), "Bits and pages are counted from 0.");
    Some(question)
}

/// Page that the next commit puts its map into.
pub(super) fn next_map(session: &Session) -> Option<Question> {
    let active = active(session)?;
    let right = 3_i64 - active;
    let prompt = "Into which page does a writer put the free page map of the next commit of this file?";
    let mut question = Question::of_number(prompt, right, Show::Plain)
        .fact("0x24 of the file", active.to_string())
        .hint("The map that counts must not be changed before the commit.")
        .solved(format!("{active} counts, so that {right} is written"));
    let text = "That map counts. If it were overwritten and the writer failed, the old content would be lost.";
    question.wrong(active, text);
    question.wrong(0_i64, "Page 0 is the superblock, which is written last: that is the commit.");
    question.wrong(3_i64, "The two maps alternate between pages 1 and 2.");
    Some(question)
}

//! Questions whose answers are worked out from the files.

mod lines;
mod page_map;
mod sources;
mod state_machine;
mod there_and_back;

use super::Question;
use crate::lesson::Example;
use crate::lesson::file::Compute;
use crate::{Step, Steps, steps};
use pdblens_formats::bytes::{ReadAs, Show, Span};
use pdblens_nodes::{self as nodes, PePart, Place};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::{hex, spaced_hex};

/// Streams that are tried for one with pages apart.
const MAX_STREAMS: u32 = 64;
/// Minor version of the debug directory entry of a portable PDB.
const PORTABLE: i64 = 0x504d;

/// The questions about `example` in its files: one, or those of the exercise; none where the files have nothing to ask about.
pub(super) fn questions(what: Compute, example: &Example, session: &Session) -> Vec<Question> {
    let points = || lines::of_place(example.place, session);
    let question = match what {
        Compute::ThereAndBack => return there_and_back::questions(session),
        Compute::StoreKey => store_key(&example.steps, session),
        Compute::FileOffset => file_offset(session),
        Compute::Line => {
            let found = points().and_then(|(of, points)| lines::line(of, &points));
            found.map(|found| in_method(found.question, example))
        }
        Compute::SourceLink => sources::source_link(session),
        Compute::Srcsrv => sources::srcsrv(session),
        Compute::PagesInUse => page_map::pages_in_use(session),
        Compute::NextMap => page_map::next_map(session),
        Compute::KickoffLine => state_machine::kickoff_line(example, session),
        Compute::StateMachineLine => state_machine::move_next_line(example, session),
        Compute::Breakpoint => {
            let found = points().and_then(|(of, points)| lines::breakpoint(of, &points));
            found.map(|question| in_method(question, example))
        }
    };
    question.into_iter().collect()
}

fn in_method(mut question: Question, example: &Example) -> Question {
    let name = example.steps.title.split(" · ").next().unwrap_or_default();
    question.given.insert(0, ("method".to_owned(), name.to_owned()));
    question
}

fn field<'s>(steps: &'s Steps, name: &str) -> Option<&'s Step> {
    steps.list.iter().find(|step| !step.field.group && step.field.name == name)
}

fn store_key(entry: &Steps, session: &Session) -> Option<Question> {
    let guid = field(entry, "guid").filter(|step| step.field.read == ReadAs::Guid)?;
    let age = field(entry, "age")?.field.number?;
    let path = &field(entry, "path")?.field.value;
    let portable = field(entry, "minor version")?.field.number == Some(PORTABLE);
    let name = file_name(path).to_lowercase();
    let digits = guid.field.value.replace('-', "");
    let (age_text, suffix) = (format!("{age:x}"), if portable { "FFFFFFFF".to_owned() } else { format!("{age:x}") });
    let both = |id: String| [format!("{name}/{id}/{name}"), id];
    let right = both(format!("{digits}{suffix}"));
    let mut question = Question::of_text(
        "Under which key does a symbol store keep this PDB? It has the form name/id/name.",
        right.to_vec(),
    )
    .fact("GUID bytes", spaced_hex(&guid.bytes, 16))
    .fact("age", age.to_string())
    .fact("path", path)
    .fact("minor version", format!("{:#x}", if portable { PORTABLE } else { 0 }))
    .hint("The name is the file name of the path, in lower case; the id is the GUID without dashes and the age in hexadecimal.")
    .hint("Reverse the first 4 bytes of the GUID, then the next 2, then the next 2; keep the last 8.")
    .hint("The minor version 0x504d marks a portable PDB, whose key ends with FFFFFFFF.")
    .solved(&right[0]);
    let known = [
        (digits.clone(), "The end is missing: the age follows the GUID, or FFFFFFFF for a portable PDB."),
        (format!("{digits}{age_text}"), "A portable PDB has FFFFFFFF in the place of the age."),
        (format!("{digits}FFFFFFFF"), "FFFFFFFF is for portable PDBs: a Windows PDB has its age there."),
        (
            format!("{}{suffix}", hex(&guid.bytes)),
            "The GUID stands as its bytes do: its first three groups are little-endian and have to be reversed.",
        ),
    ];
    let coff = steps(session, Place::PePart(PePart::Coff)).unwrap_or_default();
    let stamps = [entry, &coff].map(|steps| field(steps, "time date stamp")?.raw);
    let with_stamp =
        stamps.into_iter().flatten().flat_map(|stamp| [format!("{digits}{stamp:08x}"), format!("{digits}{stamp}")]);
    let with_stamp = with_stamp
        .map(|id| (id, "No stamp is part of the key, neither that of the entry nor that of the COFF header."));
    for (id, because) in known.into_iter().chain(with_stamp) {
        for answer in both(id) {
            question.wrong(answer, because);
        }
    }
    let text = "The key has the file name alone, without the folders of the path.";
    for last in [path.as_str(), name.as_str()] {
        let whole = format!("{path}/{digits}{suffix}/{last}");
        if file_name(path).len() < path.len() {
            question.wrong(whole, text);
        }
    }
    let text = "That is where the compiler wrote the PDB: the key has its file name and its id.";
    question.wrong(path.clone(), text);
    Some(question)
}

fn page_size(session: &Session) -> Option<i64> {
    field(&steps(session, Place::Header)?, "page size")?.field.number.filter(|size| *size > 0)
}

fn file_offset(session: &Session) -> Option<Question> {
    let page = page_size(session)?.cast_unsigned();
    let at = |span: Span, offset: u64| {
        let piece = session.spaces().resolve(span.part(offset, 1)).into_iter().next()?;
        Some(piece.span.start)
    };
    let streams =
        || (1..MAX_STREAMS).filter_map(|number| Some((number, nodes::bytes(session, Place::Stream(number))?)));
    let second = page + 0x10;
    let two = |(_, span): &(u32, Span)| span.len > second;
    let follows = |span: Span| at(span, page) == at(span, 0).map(|first| first + page);
    let apart = |found: &(u32, Span)| two(found) && !follows(found.1);
    let (stream, span) = streams()
        .find(apart)
        .or_else(|| streams().find(two))
        .or_else(|| streams().find(|(_, span)| span.len > 0x10))?;
    let offset = if span.len > second { second } else { 0x10 };
    let page_at = |index: u64| at(span, index * page)?.checked_div(page);
    let pages: Vec<u64> = (0..=offset.checked_div(page)?).filter_map(page_at).collect();
    let right = at(span, offset)?.cast_signed();
    let (first, last) = (*pages.first()? as i64, *pages.last()? as i64);
    let list: Vec<String> = pages.iter().map(u64::to_string).collect();
    let divide = format!(
        "Divide {offset:#x} by {page:#x}: the quotient is the index into the list of pages, the remainder the offset in that page."
    );
    let prompt = format!("In which byte of the file is byte {offset:#x} of stream {stream}?");
    let mut question = Question::of_number(prompt, right, Show::Hex)
        .fact("page size", format!("{page} ({page:#x})"))
        .fact(format!("pages of stream {stream}"), list.join(", "))
        .hint(divide)
        .hint(format!("The page is {last}."))
        .solved(format!("{last} × {page:#x} + {:#x} = {right:#x}", offset.checked_rem(page)?));
    add_wrong_offsets(&mut question, (first, last), pages.len() > 1, offset, page);
    Some(question)
}

/// Adds wrong offsets in the file of a byte at `offset` of a stream, whose page is `last` and whose first page is `first`.
fn add_wrong_offsets(question: &mut Question, (first, last): (i64, i64), several: bool, offset: u64, page: u64) {
    let (Some(index), Some(rest)) = (offset.checked_div(page), offset.checked_rem(page)) else { return };
    let (offset_number, size) = (offset.cast_signed(), page.cast_signed());
    if several {
        // If the next page is the one before, both mistakes give the same number.
        let also = if first == last + 1 {
            format!(" (Or the whole offset was added to page {last}: take the remainder.)")
        } else {
            String::new()
        };
        let text = format!(
            "That is byte {rest:#x} of page {first}, the first of the list. {offset:#x} / {page:#x} is {index}: the byte is in the page at index {index}, counted from 0.{also}"
        );
        question.wrong(first * size + rest.cast_signed(), text);
    }
    let begin = last * size;
    let text = "The pages of a stream need not follow each other: look up the page that has the byte.";
    question.wrong(first * size + offset_number, text);
    let text = "The offset in the page is what is left after whole pages: take the remainder.";
    question.wrong(begin + offset_number, text);
    question.wrong(begin, "That is where the page begins: the offset in the page is missing.");
    question.wrong(offset_number, "That is the offset in the stream: its pages are elsewhere in the file.");
    question.wrong(last, "That is the number of the page: multiply it by the size of a page.");
}

//! Search by name: one text with all names in it, and the place of each. Search for a text in the sources at hand.

mod texts;

pub use texts::{FoundLines, find_lines};

use std::cmp::Reverse;
use std::ops::Range;

use memchr::memmem::Finder;
use pdblens_formats::bytes::{Resource, Share};
use pdblens_nodes::named::NameList;
use pdblens_nodes::{Place, Side, Token, register};
use pdblens_session::session::{self, Session};

/// The most bytes of a name that are looked at: files may say long things over and over.
const MAX_NAME_LEN: usize = 1024;
/// Bytes of names that are put in lower case at a time, to search them.
const BLOCK: usize = 1 << 15;
/// Names that room is made for, at most, and the bytes of each.
const MAX_ROOM: u64 = 1 << 22;
const BYTES_OF_NAME: usize = 32;
/// Bytes that a name takes besides its two texts.
const PER_NAME: u64 = 32;

#[derive(Debug, Default)]
pub struct Index {
    /// All names, each with a line end after it.
    text: String,
    /// End of each name in the text.
    ends: Vec<u32>,
    /// Index of a name, and its place, from which on names are those of successive rows.
    runs: Vec<(u32, Place)>,
    /// Part of the budget that the names hold.
    share: Option<Share>,
    /// The first name that there was no room for, and the number of them.
    left_out: Option<(Place, u64)>,
}

impl Index {
    /// Everything with a name. `go_on` is told how far it is, and says whether to continue.
    pub fn build(session: &Session, go_on: &dyn Fn(u64, u64) -> bool) -> Self {
        session::hold(session);
        let rows = Side::loaded(session)
            .flat_map(|(_, metadata)| metadata.tables.present().map(|table| u64::from(table.rows())));
        let total = u64::from(session.methods()) + rows.sum::<u64>();
        let share = Some(session.spaces().budget().share(Resource::Names));
        // Room that is not used costs nothing; a text that grows leaves holes as large as itself.
        let room = total.min(MAX_ROOM) as usize;
        let text = String::with_capacity(room * BYTES_OF_NAME);
        let index = Self { text, ends: Vec::with_capacity(room), share, ..Self::default() };
        let mut collector = Collector { index, go_on, done: 0, total };
        // A stopped search keeps the rows that it has.
        let _ = register::names(session, &mut collector);
        let mut index = collector.index;
        index.text.shrink_to_fit();
        index.ends.shrink_to_fit();
        if let (Some(share), Some((first, count))) = (&index.share, index.left_out) {
            share.leave_out("names to search for", first.to_string(), Some(count));
        }
        index
    }

    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn name(&self, index: usize) -> &str {
        self.text.get(self.range(index)).unwrap_or_default()
    }

    fn range(&self, index: usize) -> Range<usize> {
        let before = index.checked_sub(1).and_then(|before| self.ends.get(before));
        let begin = before.map_or(0, |end| end + 1);
        let end = self.ends.get(index).copied().unwrap_or(begin);
        begin as usize..end as usize
    }

    pub fn place(&self, index: usize) -> Option<Place> {
        let index = u32::try_from(index).ok().filter(|index| (*index as usize) < self.len())?;
        let (first, place) = self.runs.get(self.runs.partition_point(|(first, _)| *first <= index).checked_sub(1)?)?;
        later(*place, index - first)
    }

    /// Kind of the named item, in a word.
    pub fn kind(&self, index: usize) -> &'static str {
        self.place(index).map_or("", |place| place.label().noun)
    }

    /// Rank among items of the same name: 0 first.
    pub fn rank(&self, index: usize) -> u8 {
        self.place(index).map_or(u8::MAX, |place| place.label().rank)
    }

    /// The names that have all words of `wanted` in them, whatever the case: the first `most` of them.
    pub fn containing(&self, wanted: &str, most: usize) -> Vec<u32> {
        self.containing_in(wanted, 0..self.len() as u32, most)
    }

    pub fn containing_in(&self, wanted: &str, mut names: Range<u32>, most: usize) -> Vec<u32> {
        let lower = wanted.to_ascii_lowercase();
        // The longest is in the fewest names.
        let mut words: Vec<&str> = lower.split_whitespace().collect();
        words.sort_by_key(|word| Reverse(word.len()));
        let words: Vec<Finder<'_>> = words.into_iter().map(Finder::new).collect();
        let Some((longest, others)) = words.split_first() else { return names.take(most).collect() };
        let (mut found, mut block) = (Vec::new(), Vec::new());
        while !names.is_empty() && found.len() < most {
            // The names of the next block, in lower case as far as ASCII has cases.
            let (first, start) = (names.start as usize, self.range(names.start as usize).start);
            let last = self.name_at(first, start + BLOCK).min(names.end as usize - 1);
            block.clear();
            block.extend_from_slice(self.text.as_bytes().get(start..self.range(last).end).unwrap_or_default());
            block.make_ascii_lowercase();
            let mut at = 0_usize;
            while let Some(hit) = block.get(at..).and_then(|rest| longest.find(rest))
                && found.len() < most
            {
                let index = self.name_at(names.start as usize, start + at + hit);
                let range = self.range(index);
                let name = block.get(range.start - start..range.end - start);
                if others.iter().all(|word| word.find(name.unwrap_or_default()).is_some()) {
                    found.push(index as u32);
                }
                names.start = index as u32 + 1;
                at = range.end - start + 1;
            }
            names.start = last as u32 + 1;
        }
        found
    }

    /// The name that the byte at `at` of the text belongs to, which is `from` or one after it, and likely to be near.
    fn name_at(&self, from: usize, at: usize) -> usize {
        let ends = self.ends.get(from..).unwrap_or_default();
        let is_before = |end: &u32| (*end as usize) < at;
        let mut far = 1;
        while ends.get(far).is_some_and(is_before) {
            far *= 2;
        }
        let (near, far) = (far / 2, ends.len().min(far + 1));
        from + near + ends.get(near..far).unwrap_or_default().partition_point(is_before)
    }

    /// Ends the name that was written last, which has no more than its beginning; nothing more is taken once the budget is used up.
    fn add(&mut self, place: Place) {
        let begin = self.ends.last().map_or(0, |end| *end as usize + 1);
        let longest = (begin + MAX_NAME_LEN).min(self.text.len());
        let end = (begin..=longest).rev().find(|end| self.text.is_char_boundary(*end)).unwrap_or(begin);
        self.text.truncate(end);
        if end == begin {
            return self.text.truncate(begin);
        }
        let taken = (end - begin) as u64 * 2 + PER_NAME;
        let has_room = self.share.as_mut().is_none_or(|share| share.take(taken));
        match u32::try_from(end) {
            Ok(end) if has_room => {
                let number = self.ends.len() as u32;
                let next = self.runs.last().and_then(|(first, run)| later(*run, number - first));
                if next != Some(place) {
                    self.runs.push((number, place));
                }
                self.ends.push(end);
                self.text.push('\n');
            }
            _ => {
                self.text.truncate(begin);
                self.left_out.get_or_insert((place, 0)).1 += 1;
            }
        }
    }
}

/// The place of a row that is `rows` after that of a place; `None` where places are not those of rows.
const fn later(place: Place, rows: u32) -> Option<Place> {
    Some(match place {
        _ if rows == 0 => place,
        Place::Row(side, table, row) => Place::Row(side, table, row + rows),
        Place::Method(token) => Place::Method(Token(token.0 + rows)),
        Place::Document(row) => Place::Document(row + rows),
        _ => return None,
    })
}

struct Collector<'g> {
    index: Index,
    go_on: &'g dyn Fn(u64, u64) -> bool,
    done: u64,
    total: u64,
}

impl NameList for Collector<'_> {
    fn text(&mut self) -> &mut String {
        &mut self.index.text
    }

    fn end(&mut self, place: Place) -> Option<()> {
        self.index.add(place);
        self.done += 1;
        let goes_on = !self.done.is_multiple_of(4096) || (self.go_on)(self.done, self.total.max(self.done));
        goes_on.then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_nodes as nodes;

    #[test]
    fn methods_types_and_documents_are_found_by_name() {
        let session = Session::sample();
        let index = Index::build(&session, &|_, _| true);
        let all: Vec<(&str, Place)> = (0..index.len()).map(|i| (index.name(i), index.place(i).unwrap())).collect();
        for (name, place, kind, about) in [
            ("Ticker.Clock.Since", "method/0x06000003", "method", "Clock.cs:10"),
            ("Ticker.Clock", "table/TypeDef/3", "type", "Clock.cs:7"),
            ("/_/ticker/Program.cs", "document/1", "document", "C#"),
            ("elapsed", "table/LocalVariable/5", "local", "Ticker.Clock.Since(long)"),
            ("started", "table/Param/2", "parameter", "Ticker.Clock.Since(long)"),
            ("System.Console", "table/TypeRef/12", "type", "in System.Console"),
            ("WriteLine", "table/MemberRef/10", "member", "void System.Console.WriteLine(string)"),
            ("#Blob", "image/heap/blob", "heap", "image"),
            ("LocalScope", "table/LocalScope", "table", "5 rows"),
            (".text", "pe/sections/0", "section", ""),
            ("naps", "table/LocalVariable/1", "local", "Ticker.Program.Main(string[])"),
        ] {
            let found = all.iter().find(|(other, at)| *other == name && at.label().noun == kind);
            let Some((_, found)) = found else { panic!("no {kind} {name} in {all:#?}") };
            assert_eq!(
                (found.to_string().as_str(), nodes::context(&session, *found).as_str()),
                (place, about),
                "{name}"
            );
        }
    }

    #[test]
    fn a_part_of_a_name_is_found_in_every_name_once() {
        let index = Index::build(&Session::sample(), &|_, _| true);
        let slow = |wanted: &str| -> Vec<u32> {
            let has = |i: &u32| {
                let name = index.name(*i as usize).to_lowercase();
                wanted.split(' ').all(|word| name.contains(word))
            };
            (0..index.len() as u32).filter(has).collect()
        };
        for wanted in ["c", "k.s", "ticker", "e", "since", "nothing", "r.p", "since ticker", "t c"] {
            assert_eq!(index.containing(&wanted.to_uppercase(), 1000), slow(wanted), "{wanted}");
        }
        assert_eq!(index.containing("", 2), [0, 1]);
        assert_eq!(index.containing("e", 1).len(), 1);
    }
}

//! Search by name: all names with the place of each, and a search for a text in them. Search for a text in the sources at hand.

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
/// Names from one that is stored whole to the next.
const GROUP: usize = 32;
/// Bytes that a name takes besides its two texts.
const PER_NAME: u64 = 32;

/// All names. Names in a row have most in common, so that each is stored by how it differs from the one before it.
#[derive(Debug, Default)]
pub struct Index {
    /// Of each name the number of bytes that it has in common with the one before it, in one byte, the number of the others, in two, and the
    /// others.
    names: Vec<u8>,
    /// Beginning of the first name of each group, which has nothing in common with the one before it.
    groups: Vec<u32>,
    len: usize,
    /// Name that is written, and the one that was added last.
    next: String,
    last: String,
    /// Index of a name, and its place, from which on names are those of successive rows.
    runs: Vec<(u32, Place)>,
    /// Part of the budget that the names hold.
    share: Option<Share>,
    /// The first name that there was no room for, and the number of them.
    left_out: Option<(Place, u64)>,
}

/// Names of an index: the next one takes no time, any other one the time of a group.
pub struct NameReader<'i> {
    index: &'i Index,
    /// Number of the next name, and where it begins.
    next: usize,
    at: usize,
    name: String,
}

impl NameReader<'_> {
    /// The name with a number; empty where there is none.
    pub fn get(&mut self, number: usize) -> &str {
        if number + 1 == self.next {
            return &self.name;
        }
        if number < self.next || number / GROUP > self.next / GROUP && number != self.next {
            let Some(start) = self.index.groups.get(number / GROUP) else { return "" };
            (self.next, self.at) = (number / GROUP * GROUP, *start as usize);
        }
        while self.next <= number {
            let Some([shared, low, high, rest @ ..]) = self.index.names.get(self.at..) else { return "" };
            let own = rest.get(..u16::from_le_bytes([*low, *high]).into()).unwrap_or_default();
            self.name.truncate((*shared).into());
            self.name.push_str(std::str::from_utf8(own).unwrap_or_default());
            self.at += 3 + own.len();
            self.next += 1;
        }
        &self.name
    }
}

impl Index {
    /// Everything with a name. `go_on` is told how far it is, and says whether to continue.
    pub fn build(session: &Session, go_on: &dyn Fn(u64, u64) -> bool) -> Self {
        session::hold(session);
        let rows = Side::loaded(session)
            .flat_map(|(_, metadata)| metadata.tables.present().map(|table| u64::from(table.rows())));
        let total = u64::from(session.methods()) + rows.sum::<u64>();
        let index = Self { share: Some(session.spaces().budget().share(Resource::Names)), ..Self::default() };
        let mut collector = Collector { index, go_on, done: 0, total };
        // A stopped search keeps the rows that it has.
        let _ = register::names(session, &mut collector);
        let mut index = collector.index;
        index.names.shrink_to_fit();
        if let (Some(share), Some((first, count))) = (&index.share, index.left_out) {
            share.leave_out("names to search for", first.to_string(), Some(count));
        }
        index
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn name(&self, index: usize) -> String {
        self.reader().get(index).to_owned()
    }

    pub const fn reader(&self) -> NameReader<'_> {
        NameReader { index: self, next: 0, at: 0, name: String::new() }
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
        let (mut found, mut reader) = (Vec::new(), self.reader());
        let (mut block, mut ends) = (Vec::new(), Vec::new());
        while !names.is_empty() && found.len() < most {
            // The next names, in lower case as far as ASCII has cases, each with a line end.
            let first = names.start as usize;
            block.clear();
            ends.clear();
            while !names.is_empty() && block.len() < BLOCK {
                block.extend_from_slice(reader.get(names.start as usize).as_bytes());
                ends.push(block.len());
                block.push(b'\n');
                names.start += 1;
            }
            block.make_ascii_lowercase();
            let mut start = 0;
            while let Some(hit) = block.get(start..).and_then(|rest| longest.find(rest))
                && found.len() < most
            {
                let index = ends.partition_point(|end| *end < start + hit);
                let Some(end) = ends.get(index).copied() else { break };
                start = index.checked_sub(1).and_then(|before| ends.get(before)).map_or(0, |before| before + 1);
                let name = block.get(start..end).unwrap_or_default();
                if others.iter().all(|word| word.find(name).is_some()) {
                    found.push((first + index) as u32);
                }
                start = end + 1;
            }
        }
        found
    }

    /// Adds the name that is written; none once the budget is used up.
    fn add(&mut self, place: Place) {
        self.next.truncate(self.next.floor_char_boundary(MAX_NAME_LEN));
        if self.next.is_empty() {
            return;
        }
        let has_room = self.share.as_mut().is_none_or(|share| share.take(self.next.len() as u64 * 2 + PER_NAME));
        let Some(start) = u32::try_from(self.names.len()).ok().filter(|_| has_room) else {
            self.left_out.get_or_insert((place, 0)).1 += 1;
            return self.next.clear();
        };
        let shared = if self.len.is_multiple_of(GROUP) {
            self.groups.push(start);
            0
        } else {
            let both = self.next.bytes().zip(self.last.bytes()).take(u8::MAX.into());
            self.next.floor_char_boundary(both.take_while(|(a, b)| a == b).count())
        };
        let own = self.next.as_bytes().get(shared..).unwrap_or_default();
        self.names.push(shared as u8);
        self.names.extend((own.len() as u16).to_le_bytes());
        self.names.extend(own);
        let number = self.len as u32;
        let next = self.runs.last().and_then(|(first, run)| later(*run, number - first));
        if next != Some(place) {
            self.runs.push((number, place));
        }
        self.len += 1;
        std::mem::swap(&mut self.last, &mut self.next);
        self.next.clear();
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
        &mut self.index.next
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
        let all: Vec<(String, Place)> = (0..index.len()).map(|i| (index.name(i), index.place(i).unwrap())).collect();
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

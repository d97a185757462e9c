//! Everything with a name, for search: one text with all names in it, and where each leads.

use super::symbols::Symbols;
use super::{Place, Session, TableId, Token};
use crate::model::place::Side;

/// Everything with a name.
#[derive(Debug, Default)]
pub struct Index {
    /// All names, each with a line end behind it.
    text: String,
    /// The same in lower case, as far as ASCII has cases: every name stands where it stands in the text.
    lower: String,
    /// Where each name ends in the text.
    ends: Vec<u32>,
    places: Vec<Place>,
}

impl Index {
    /// How many names there are.
    pub const fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// One of them.
    pub fn name(&self, index: usize) -> &str {
        let begin = index.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| end + 1);
        let end = self.ends.get(index).copied().unwrap_or(begin);
        self.text.get(begin as usize..end as usize).unwrap_or_default()
    }

    /// Where it leads.
    pub fn place(&self, index: usize) -> Option<Place> {
        self.places.get(index).copied()
    }

    /// The names that have `wanted` in them, whatever the case: the first `most` of them.
    pub fn containing(&self, wanted: &str, most: usize) -> Vec<u32> {
        let wanted = wanted.to_ascii_lowercase();
        if wanted.is_empty() {
            return (0..self.len().min(most) as u32).collect();
        }
        let finder = memchr::memmem::Finder::new(&wanted);
        let next = |at: usize| self.lower.as_bytes().get(at..).and_then(|rest| finder.find(rest));
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some(hit) = next(at).filter(|_| found.len() < most) {
            let index = self.ends.partition_point(|end| (*end as usize) < at + hit);
            found.push(index as u32);
            // On to the next name.
            at = self.ends.get(index).map_or(self.lower.len(), |end| *end as usize + 1);
        }
        found
    }

    /// Ends the name that was written last; nothing more is taken once there is too much to count.
    fn add(&mut self, place: Place) {
        match u32::try_from(self.text.len()) {
            Ok(end) => {
                self.ends.push(end);
                self.places.push(place);
                self.text.push('\n');
            }
            Err(_) => self.text.truncate(self.ends.last().map_or(0, |end| *end as usize + 1)),
        }
    }
}

impl Session {
    /// Everything with a name: methods, types, documents. `go_on` is told how far it is, and says whether to go on.
    pub fn index(&self, go_on: &dyn Fn(u64, u64) -> bool) -> Index {
        let mut index = Index::default();
        let total = u64::from(self.methods());
        for row in 1..=self.methods() {
            if row % 4096 == 0 && !go_on(row.into(), total) {
                return index;
            }
            let method = Token::new(TableId::METHOD_DEF, row);
            match self.names().filter(|_| self.metadata().is_some_and(|m| row <= m.rows(TableId::METHOD_DEF))) {
                Some(names) => names.write_reflection_name(row, &mut index.text),
                None => index.text.push_str(&self.method_name(method)),
            }
            index.add(Place::Method(method));
        }
        if let (Some(names), Some(metadata)) = (self.names(), self.metadata()) {
            for row in 1..=metadata.rows(TableId::TYPE_DEF) {
                index.text.push_str(&names.type_name(Token::new(TableId::TYPE_DEF, row)));
                index.add(Place::Row(Side::Image, TableId::TYPE_DEF, row));
            }
        }
        for row in 1..=self.symbols().map_or(0, Symbols::documents) {
            index.text.push_str(&self.document_name(row).unwrap_or_default());
            index.add(Place::Document(row));
        }
        index.lower = index.text.to_ascii_lowercase();
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_types_and_documents_are_found_by_name() {
        let index = Session::sample().index(&|_, _| true);
        let all: Vec<(&str, Place)> = (0..index.len()).map(|i| (index.name(i), index.place(i).unwrap())).collect();
        let has = |name: &str, place: &str| all.iter().any(|(n, p)| n.ends_with(name) && p.to_string() == place);
        assert!(has("Ticker.Clock.Since", "method/0x06000003"), "{all:?}");
        assert!(has("Ticker.Clock", "table/TypeDef/3"), "{all:?}");
        assert!(has("Program.cs", "document/1"), "{all:?}");
    }

    #[test]
    fn a_part_of_a_name_is_found_in_every_name_once() {
        let index = Session::sample().index(&|_, _| true);
        let slow = |wanted: &str| -> Vec<u32> {
            let has = |i: &u32| index.name(*i as usize).to_lowercase().contains(wanted);
            (0..index.len() as u32).filter(has).collect()
        };
        for wanted in ["c", "k.s", "ticker", "e", "since", "nothing", "r.p"] {
            assert_eq!(index.containing(&wanted.to_uppercase(), 100), slow(wanted), "{wanted}");
        }
        assert_eq!(index.containing("", 2), [0, 1]);
        assert_eq!(index.containing("e", 1).len(), 1);
    }
}

//! Chains: answers step by step, where each step is a look-up in what the one before it found. Steps read nothing themselves:
//! their bytes are those of the record that gives the answer, the first of them where it is long.

mod breakpoint;
mod key;
mod sources;
mod where_is;

pub use breakpoint::breakpoint;
pub use key::symbol_keys;
pub use sources::{source_link, srcsrv};
pub use where_is::where_is;

use super::Steps;
use super::steps::first_bytes;
use pdblens_nodes::facts::Facts;
use pdblens_nodes::fields::FieldRow;
use pdblens_nodes::{self as nodes, CodeUnit, Place, SequencePoint};
use pdblens_query as query;
use pdblens_query::breakpoint::{LineQuery, bind};
use pdblens_session::session::Session;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// URL or command for the text of a document, by row.
    Document(u32),
    /// Code of a line of a document: row, line.
    Line(u32, u32),
    /// Line of an offset of the code.
    Code(CodeUnit, u32),
    SymbolKey,
}

pub fn answer(session: &Session, asked: Asked) -> Option<Steps> {
    match asked {
        Asked::Document(row) => {
            let maps = [source_link(session, row), srcsrv(session, row)];
            maps.into_iter().flatten().reduce(Steps::followed_by)
        }
        Asked::Line(row, line) => {
            let query = LineQuery::of(row, line, None);
            Some(breakpoint(session, &query, &bind(session, &query)))
        }
        Asked::Code(of, offset) => Some(where_is(session, &query::where_is::where_is(session, of, offset))),
        Asked::SymbolKey => symbol_keys(session).into_iter().reduce(Steps::followed_by),
    }
}

/// The most bytes of a record that a step shows.
const MAX_BYTES: u64 = 32;

const JIT: &str =
    "The map from IL to machine code is made by the JIT when the method runs; neither image nor PDB contains it.";

struct Chain<'s> {
    session: &'s Session,
    facts: Facts,
}

impl<'s> Chain<'s> {
    fn new(session: &'s Session, title: impl Into<String>) -> Self {
        Self { session, facts: Facts::new(title) }
    }

    #[allow(clippy::needless_pass_by_value)] // A number is given as it is.
    fn step(&mut self, name: &str, value: impl ToString, about: &'static str) -> &mut FieldRow {
        let row = self.facts.fact(name, value);
        row.about = about;
        row
    }

    #[allow(clippy::needless_pass_by_value)]
    fn find(&mut self, name: &str, value: impl ToString, place: Place, about: &'static str) -> &mut FieldRow {
        let span = nodes::bytes(self.session, place).unwrap_or_default();
        self.step(name, value, about).to(place).at(span)
    }

    /// Adds the last step: the end of what files can tell.
    fn jit(&mut self, of: CodeUnit) {
        if of.words().is_compiled_later {
            self.step("machine code", "not in any file", JIT).mean("the JIT's map takes over here");
        }
    }

    fn done(self) -> Steps {
        Steps::of(&self.facts.fields, |span| first_bytes(self.session, span, MAX_BYTES))
    }
}

fn line_of(point: &SequencePoint) -> (String, Option<Place>) {
    let place = (point.document > 0 && !point.is_hidden()).then_some(Place::Line(point.document, point.start_line));
    (nodes::method::range_text(point), place)
}

#[cfg(test)]
mod tests;

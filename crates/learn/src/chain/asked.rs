//! Questions whose answers are chains.

use super::{breakpoint, source_link, srcsrv, symbol_keys, where_is};
use crate::Steps;
use pdblens_nodes::CodeUnit;
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

/// Steps of the answer; `None` where the files have none.
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

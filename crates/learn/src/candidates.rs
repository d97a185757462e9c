//! Candidates of a path with `*`, and the bound of a search among them.

use std::cell::Cell;

use pdblens_nodes::function::functions_in_order;
use pdblens_nodes::{self as nodes, Place, TableId, Token};
use pdblens_session::precompiled::Precompiled;
use pdblens_session::session::Session;

/// Limit on the reads that one search decodes: all methods of an assembly of 14 MB have a quarter of it.
pub(crate) const MAX_READS: usize = 8 << 20;

/// Bound of a search, so that a file with much in it, or one that leads to the same bytes again and again, does not hold it up.
#[derive(Debug)]
pub struct Bound {
    left: Cell<usize>,
    tried: Cell<usize>,
}

impl Default for Bound {
    fn default() -> Self {
        Self::of(MAX_READS)
    }
}

impl Bound {
    pub const fn of(reads: usize) -> Self {
        Self { left: Cell::new(reads), tried: Cell::new(0) }
    }

    pub fn count(&self, reads: usize) {
        self.tried.set(self.tried.get() + 1);
        self.left.set(self.left.get().saturating_sub(reads.max(1)));
    }

    pub fn is_open(&self) -> bool {
        self.left.get() > 0
    }

    /// Number of records after which the search ended early; `None` if all were tried.
    pub fn reached(&self) -> Option<usize> {
        (!self.is_open()).then(|| self.tried.get())
    }
}

/// The path with a number, the token of a method, or the address of a function, in the place of its first `*`.
pub(crate) fn with_number(path: &str, number: u32) -> String {
    let first = match path.split_once("/*").map(|(head, _)| head) {
        Some("method") => Token::new(TableId::METHOD_DEF, number).to_string(),
        Some("function") => format!("{number:#x}"),
        _ => number.to_string(),
    };
    path.replacen('*', &first, 1)
}

/// Numbers that the first `*` of a path can have in the open files, in order; one number for a path without.
pub fn numbers<'s>(session: &'s Session, path: &'s str) -> Box<dyn Iterator<Item = u32> + 's> {
    let Some((head, _)) = path.split_once('*') else { return Box::new(std::iter::once(0)) };
    match head {
        "method/" | "r2r/entry-points/" => Box::new(1..=session.methods()),
        // Only the first function of a method has debug information.
        "r2r/debug-info/" => Box::new(0..Precompiled::tables(session).map_or(0, |code| code.functions())),
        "function/" => Box::new(functions_in_order(session, usize::MAX).into_iter()),
        _ => {
            let exists = move |number: u32| {
                format!("{head}{number}").parse::<Place>().is_ok_and(|place| nodes::exists(session, place))
            };
            // Rows are counted from 1, entries and streams from 0.
            Box::new((0..u32::MAX).skip_while(move |number| *number == 0 && !exists(0)).take_while(move |n| exists(*n)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_files() {
        let session = Session::sample();
        let of = |path: &str| numbers(&session, path).count();
        assert_eq!((of("header"), of("method/*/points")), (1, session.methods() as usize));
        assert_eq!(of("table/Document/*"), session.symbols().unwrap().documents() as usize);
        assert!(of("pe/debug/*") > 2 && of("function/*") == 0 && of("table/ExportedType/*") == 0);
    }

    #[test]
    fn a_bound_says_after_how_many_records_it_ended_a_search() {
        let bound = Bound::of(5);
        bound.count(4);
        assert!(bound.is_open() && bound.reached().is_none());
        bound.count(0);
        assert_eq!(bound.reached(), Some(2));
    }
}

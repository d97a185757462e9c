//! Candidates of a name that several things have, for an error.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidates {
    count: usize,
    listed: Vec<String>,
}

impl Candidates {
    const MAX_LISTED: usize = 8;

    pub fn of<T>(all: &[T], text: impl Fn(&T) -> String) -> Self {
        Self { count: all.len(), listed: all.iter().take(Self::MAX_LISTED).map(text).collect() }
    }

    /// Names of the first ones, and the number of the others.
    pub(crate) fn names(&self) -> String {
        let listed = self.listed.join(", ");
        match self.count - self.listed.len() {
            0 => listed,
            more => format!("{listed} and {more} more"),
        }
    }
}

impl fmt::Display for Candidates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.count, self.names())
    }
}

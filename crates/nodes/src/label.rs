//! Nouns for nodes, in the results of a search.

/// Noun for a node, and how soon it is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// Noun for it; empty for what is not searched for.
    pub noun: &'static str,
    /// Rank among nodes of one name: the most likely meant is 0.
    pub rank: u8,
}

impl Label {
    pub(crate) const fn new(noun: &'static str, rank: u8) -> Self {
        Self { noun, rank }
    }
}

impl Default for Label {
    fn default() -> Self {
        Self::new("", 2)
    }
}

//! Answers that are kept for questions that come again: a log has the same few traces over and over.

use std::collections::HashMap;
use std::hash::Hash;

/// Limit on the answers that are kept; one takes up to a few kilobytes.
const MAX_KEPT: usize = 1024;

/// Answers by all that they depend on.
#[derive(Debug)]
pub(super) struct Memo<K, V>(HashMap<K, V>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    pub(super) fn get(&self, key: &K) -> Option<V> {
        self.0.get(key).cloned()
    }

    pub(super) fn keep(&mut self, key: K, value: &V) {
        if self.0.len() >= MAX_KEPT {
            self.0.clear();
        }
        self.0.insert(key, value.clone());
    }
}

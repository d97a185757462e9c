//! Answers that are kept for questions that come again: a log has the same few traces over and over.

use std::collections::HashMap;
use std::hash::Hash;

/// Limit on the answers that are kept.
const MAX_KEPT: usize = 1024;
/// Limit on the text of an answer and its question: longer ones are not kept, for a file may have names of any length.
const MAX_TEXT: usize = 4 << 10;

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

    /// Keeps an answer, if it has few bytes of `text`.
    pub(super) fn keep(&mut self, key: K, value: &V, text: usize) {
        if text > MAX_TEXT {
            return;
        }
        if self.0.len() >= MAX_KEPT {
            self.0.clear();
        }
        self.0.insert(key, value.clone());
    }
}

//! Answers that are kept for questions that come again: a log has the same few traces over and over.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

/// Limit on the answers that are kept.
const MAX_KEPT: usize = 1024;
/// Limit on the text of an answer and its question: longer ones are not kept, for a file may have names of any length.
const MAX_TEXT: usize = 4 << 10;
/// Limit on the hashes of questions.
const MAX_SEEN: usize = 4096;

/// Answers by all that they depend on. Of a question that comes for the first time only a hash is kept.
#[derive(Debug)]
pub(super) struct Memo<K, V> {
    answers: HashMap<K, V>,
    /// Hashes of questions, each at its remainder by the number of places.
    seen: Vec<u64>,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self { answers: HashMap::new(), seen: vec![0; MAX_SEEN] }
    }
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    /// Returns true if a question was asked before, as far as is remembered.
    pub(super) fn comes_again(&mut self, question: &impl Hash) -> bool {
        let hash = self.answers.hasher().hash_one(question);
        let seen = self.seen.get_mut(hash as usize % MAX_SEEN);
        seen.is_some_and(|seen| std::mem::replace(seen, hash) == hash)
    }

    pub(super) fn get(&self, key: &K) -> Option<V> {
        self.answers.get(key).cloned()
    }

    /// Keeps an answer, if it has few bytes of `text`.
    pub(super) fn keep(&mut self, key: K, value: &V, text: usize) {
        if text > MAX_TEXT {
            return;
        }
        if self.answers.len() >= MAX_KEPT {
            self.answers.clear();
        }
        self.answers.insert(key, value.clone());
    }
}

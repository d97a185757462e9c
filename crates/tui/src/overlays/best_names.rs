//! The best of many names: each processor has a part of them, and no more than the best are kept.

use std::ops::Range;

use pdblens_query::search::Index;
use pdblens_session::parallel::{parallel_map, processors};

/// Names that each processor keeps for the next input.
const MAX_SEEN: usize = 1 << 17;
/// Keys above twice the wanted number, so that few names are not sorted again and again.
const SLACK: usize = 1024;

/// The order of a name: by quality and kind, by length, and then as they are listed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NameKey {
    pub(super) order: i64,
    len: u16,
    pub(super) name: u32,
}

impl NameKey {
    pub(super) fn of(order: i64, index: &Index, name: usize) -> Self {
        let len = index.name(name).len();
        Self { order, len: len.try_into().unwrap_or(u16::MAX), name: name as u32 }
    }
}

/// The best keys of those that were pushed.
pub(super) struct Keys {
    pub(super) list: Vec<NameKey>,
    most: usize,
    /// Keys after this one are not among the best.
    limit: Option<NameKey>,
    /// All names that were kept; `None` once there were too many.
    pub(super) seen: Option<Vec<u32>>,
}

impl Keys {
    const fn new(most: usize) -> Self {
        Self { list: Vec::new(), most, limit: None, seen: Some(Vec::new()) }
    }

    /// Returns whether a key may be among the best.
    pub(super) fn takes(&self, key: &NameKey) -> bool {
        self.limit.is_none_or(|limit| *key <= limit)
    }

    pub(super) fn push(&mut self, key: NameKey) {
        self.list.push(key);
        if self.list.len() > 2 * self.most + SLACK {
            self.cut();
        }
    }

    /// Keeps a name for the next input.
    pub(super) fn keep(&mut self, name: u32) {
        self.seen = self.seen.take().filter(|seen| seen.len() < MAX_SEEN);
        if let Some(seen) = &mut self.seen {
            seen.push(name);
        }
    }

    /// Adds the keys of the next part, and the names that it kept.
    fn append(&mut self, part: Self) {
        self.list.extend(part.list);
        self.seen = self.seen.take().zip(part.seen).map(|(mut seen, others)| {
            seen.extend(others);
            seen
        });
    }

    /// Drops all keys but the best.
    fn cut(&mut self) {
        if self.list.len() > self.most {
            self.list.select_nth_unstable(self.most);
            self.list.truncate(self.most);
            self.limit = self.list.iter().max().copied();
        }
    }
}

/// The first `most` of the keys that `list` pushes for 0..`count`, in their order. Each processor has a part of the range, `few` at
/// once, and keeps the best.
pub(super) fn best(
    (count, few): (usize, usize),
    most: usize,
    stop: &(dyn Fn() -> bool + Sync),
    list: &(dyn Fn(Range<usize>, &mut Keys) + Sync),
) -> Keys {
    let part = |range: Range<usize>| {
        let mut keys = Keys::new(most);
        for from in range.clone().step_by(few).take_while(|_| !stop()) {
            list(from..range.end.min(from + few), &mut keys);
        }
        keys.cut();
        keys
    };
    let threads = processors().min(count.div_ceil(few)).max(1);
    let share = count.div_ceil(threads);
    let mut all = Keys::new(most);
    let ranges = (0..threads).map(|thread| share * thread..count.min(share * (thread + 1)));
    for keys in parallel_map(ranges, threads, part) {
        all.append(keys);
    }
    all.cut();
    all.list.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEW: usize = 8192;

    #[test]
    fn parts_of_a_range_are_put_together_in_order() {
        let keys = |range: Range<usize>, keys: &mut Keys| {
            range.for_each(|at| keys.push(NameKey { order: (at as i64 * 7919) % 10_007, len: 0, name: at as u32 }));
        };
        let found: Vec<i64> = best((10_007 * 4, FEW), 100, &|| false, &keys).list.iter().map(|key| key.order).collect();
        assert_eq!(found, (0..100).map(|at| at / 4).collect::<Vec<i64>>());
        assert!(best((10_007, FEW), 100, &|| true, &keys).list.is_empty());
    }
}

//! Index of the methods of a module by the ends of their names.

use std::cell::OnceCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::text::names::Names;

/// Rows of methods behind hashes of parts of their names, which would be a copy of most of the `#Strings` heap.
#[derive(Debug)]
pub(super) struct MethodIndex {
    /// By the last two parts of their full names.
    by_ends: Vec<u64>,
    /// By the last part.
    by_name: OnceCell<Vec<u64>>,
}

impl MethodIndex {
    pub(super) fn of(names: &Names<'_>) -> Self {
        Self { by_ends: sorted(names, |name| hash(ends_of(name))), by_name: OnceCell::new() }
    }

    /// Methods whose name ends with the last part of `name`, among others.
    pub(super) fn named(&self, names: &Names<'_>, name: &str) -> impl Iterator<Item = Token> {
        let by_name = self.by_name.get_or_init(|| sorted(names, |name| hash(last_part(name))));
        rows_of(by_name, hash(last_part(name)))
    }

    /// Methods that a name may be of.
    pub(super) fn written(&self, names: &Names<'_>, written: &str) -> Vec<Token> {
        match ends_of(written) {
            (None, own) => self.named(names, own).collect(),
            ends => rows_of(&self.by_ends, hash(ends)).collect(),
        }
    }
}

/// Returns the part after the last dot of a name: `ctor` of `.ctor`.
fn last_part(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}

/// The last two parts of a name: `T` and `.ctor` of `Ns.T..ctor`.
fn ends_of(name: &str) -> (Option<&str>, &str) {
    let is_constructor = |own: &&str| name.strip_suffix(*own).is_some_and(|of| of.is_empty() || of.ends_with('.'));
    let (of, own) = match [".ctor", ".cctor"].into_iter().find(is_constructor) {
        Some(own) => (name.strip_suffix(own).and_then(|of| of.strip_suffix('.')), own),
        None => name.rsplit_once('.').map_or((None, name), |(of, own)| (Some(of), own)),
    };
    (of.and_then(|of| of.rsplit(['.', '+', '/']).next()), own)
}

fn hash(of: impl Hash) -> u32 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish() as u32
}

fn sorted(names: &Names<'_>, hash_of: impl Fn(&str) -> u32) -> Vec<u64> {
    let mut rows = Vec::new();
    let _ = names.each_method(|row, name| {
        rows.push(u64::from(hash_of(name)) << 32 | u64::from(row));
        ControlFlow::Continue(())
    });
    rows.sort_unstable();
    rows
}

fn rows_of(rows: &[u64], hash: u32) -> impl Iterator<Item = Token> {
    let hash = u64::from(hash);
    let start = rows.partition_point(|known| known >> 32 < hash);
    let found = rows.get(start..).unwrap_or_default().iter().take_while(move |known| **known >> 32 == hash);
    found.map(|known| Token::new(TableId::METHOD_DEF, *known as u32))
}

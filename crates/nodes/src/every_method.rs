//! All methods of an image, on all processors.

use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::parallel::{parallel_each, processors};
use pdblens_session::session::Session;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Methods that a thread takes at once.
const CHUNK: u32 = 1024;

/// Calls `each` with everything that `read` adds for some methods by their rows, in their order. `read` returns the bytes that it decoded:
/// the threads share the work of one question, since methods may share their code. The methods after it are left out as `what`.
///
/// # Errors
///
/// The first error of `each`, after which no method is read.
pub fn every_method<T: Send, E>(
    session: &Session,
    what: &'static str,
    read: impl Fn(u32, &mut Vec<T>) -> u64 + Sync,
    each: impl FnMut(Vec<T>) -> Result<(), E>,
) -> Result<(), E> {
    let (budget, methods) = (session.spaces().budget(), session.methods());
    let (most, done, end) = (budget.most_work(), AtomicU64::new(0), AtomicU32::new(u32::MAX));
    let read_some = |start| {
        let mut found = Vec::new();
        for row in start..=methods.min(start + CHUNK - 1) {
            if done.load(Ordering::Relaxed) > most {
                end.fetch_min(row, Ordering::Relaxed);
                break;
            }
            done.fetch_add(read(row, &mut found), Ordering::Relaxed);
        }
        found
    };
    let result = parallel_each((1..=methods).step_by(CHUNK as usize), processors(), read_some, each);
    let end = end.into_inner();
    if end <= methods {
        budget.end_work(what, Token::new(TableId::METHOD_DEF, end).to_string());
    }
    result
}

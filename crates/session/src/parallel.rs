//! Work on all processors, with results in the order of the items.

use std::cell::Cell;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Results of one item that may wait for those of the items before it.
const MAX_WAITING: usize = 4;

thread_local! {
    /// Set on the threads of [`parallel_streams`], which share all processors already.
    static SHARES_PROCESSORS: Cell<bool> = const { Cell::new(false) };
}

/// Number of processors that the program may use; 1 where the system does not tell.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Results of `work` on each item, in the order of the items, from at most `threads` threads.
pub fn parallel_map<T, R: Send>(
    items: impl IntoIterator<Item = T, IntoIter: Send>,
    threads: usize,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let mut results = Vec::new();
    let Ok(()) = parallel_each(items, threads, work, |result| {
        results.push(result);
        Ok::<_, Infallible>(())
    });
    results
}

/// Calls `each` on this thread with the result of `work` on each item, in the order of the items, as soon as the results before it are
/// there, as [`parallel_streams`] does.
///
/// # Errors
/// The first error of `each`, after which no item is begun.
pub fn parallel_each<T, R: Send, E>(
    items: impl IntoIterator<Item = T, IntoIter: Send>,
    threads: usize,
    work: impl Fn(T) -> R + Sync,
    each: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    parallel_streams(items, threads, |item, send| _ = send(work(item)), each)
}

/// Calls `each` on this thread with all results that `work` sends of each item, in the order of the items. `work` waits while a few
/// results of its item have to wait for those of the items before it, and ends when sending breaks. It runs on at most `threads` threads;
/// on this one if only one is asked for, or none can be started.
///
/// # Errors
/// The first error of `each`, after which no item is begun.
pub fn parallel_streams<T, R: Send, E>(
    items: impl IntoIterator<Item = T, IntoIter: Send>,
    threads: usize,
    work: impl Fn(T, &mut dyn FnMut(R) -> ControlFlow<()>) + Sync,
    mut each: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let items = items.into_iter();
    let threads = items.size_hint().1.map_or(threads, |most| threads.min(most));
    let items = Mutex::new(items);
    let lock = || items.lock().unwrap_or_else(PoisonError::into_inner);
    let flow = |is_wanted| if is_wanted { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    thread::scope(|scope| {
        let (streams, in_order) = channel();
        let mut is_started = false;
        let wanted = if threads > 1 { threads } else { 0 };
        for _ in 0..wanted {
            let (streams, lock, work) = (streams.clone(), &lock, &work);
            // Under the lock, so that the streams are in the order of the items. After an error they have no receiver.
            let next = move || {
                let mut items = lock();
                let (sender, stream) = sync_channel(MAX_WAITING);
                let item = items.next()?;
                streams.send(stream).ok()?;
                Some((item, sender))
            };
            let run = move || {
                SHARES_PROCESSORS.set(true);
                while let Some((item, sender)) = next() {
                    work(item, &mut |result| flow(sender.send(result).is_ok()));
                }
            };
            // The system may refuse a thread: those that run take its items.
            if thread::Builder::new().spawn_scoped(scope, run).is_err() {
                break;
            }
            is_started = true;
        }
        drop(streams);
        if is_started {
            return in_order.into_iter().flatten().try_for_each(each);
        }
        let mut result = Ok(());
        while result.is_ok()
            && let Some(item) = lock().next()
        {
            work(item, &mut |found| {
                result = each(found);
                flow(result.is_ok())
            });
        }
        result
    })
}

/// Results of both: of `here` on this thread, and of `other` on another thread at the same time. A limit on threads (`ulimit -u`, a pids
/// cgroup) may refuse one; then `other` follows on this thread, as it does where the processors are shared already. A panic of `other` goes on
/// here.
pub fn join<A, B: Send>(here: impl FnOnce() -> A, other: impl FnOnce() -> B + Copy + Send) -> (A, B) {
    if SHARES_PROCESSORS.get() {
        return (here(), other());
    }
    thread::scope(|scope| {
        let started = thread::Builder::new().spawn_scoped(scope, other);
        let result = here();
        let other =
            started.map_or_else(|_| other(), |thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        (result, other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let slow_first = |item: usize| {
            if item == 0 {
                thread::sleep(std::time::Duration::from_millis(20));
            }
            item * 2
        };
        for threads in [0, 1, 4, 1000] {
            let found = parallel_map(0..100, threads, slow_first);
            assert_eq!(found, (0..100).map(|item| item * 2).collect::<Vec<_>>(), "{threads} threads");
        }
        assert!(parallel_map(std::iter::empty::<usize>(), 4, slow_first).is_empty());
    }

    #[test]
    fn work_runs_on_several_threads_or_on_this_one() {
        let here = thread::current().id();
        let is_here = |_: usize| thread::current().id() == here;
        assert!(parallel_map(0..4, 1, is_here).into_iter().all(|is_here| is_here));
        assert!(!parallel_map(0..4, 2, is_here).into_iter().any(|is_here| is_here));
    }

    #[test]
    fn work_on_all_processors_starts_no_more_threads() {
        let id = || thread::current().id();
        let is_other = |()| join(id, id).1 != id();
        assert_eq!(parallel_map([(); 4], 2, is_other), [false; 4]);
        assert!(is_other(()));
    }

    #[test]
    fn an_error_ends_the_work() {
        for threads in [1, 4] {
            let mut seen = Vec::new();
            let result = parallel_each(
                0..,
                threads,
                |item: u32| item,
                |item| {
                    seen.push(item);
                    if item == 7 { Err("seven") } else { Ok(()) }
                },
            );
            assert_eq!((result, seen.len()), (Err("seven"), 8), "{threads} threads");
        }
    }
}

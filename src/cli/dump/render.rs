//! Lists whose elements are made on all processors and written in their order.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Elements that one processor makes before it is the turn of the next.
const CHUNK: u32 = 64;
/// Bytes that are handed on together.
const PART: usize = 1 << 16;
/// Parts of one processor that may wait for their turn.
const WAITING: usize = 4;

/// Bytes of a chunk of elements.
struct Part {
    bytes: Vec<u8>,
    /// The chunk ends here.
    ends: bool,
}

/// Writer that hands its bytes to the thread that writes them out.
pub(super) struct Sender<'s> {
    parts: &'s SyncSender<Part>,
    bytes: Vec<u8>,
}

/// Writes elements 1 to `count`, with what is between two of them. `make` returns a function that writes one: each thread has its own,
/// with what it keeps. The list ends once `is_full` is true.
pub(super) fn in_order<M: FnMut(u32, &mut Sender<'_>) -> io::Result<()>>(
    count: u32,
    make: impl Fn() -> M + Sync,
    writer: &mut dyn Write,
    is_full: &dyn Fn() -> bool,
) -> io::Result<()> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(count.div_ceil(CHUNK) as usize);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let receivers: Vec<Receiver<Part>> = (0..threads)
            .map(|first| {
                // An element may be much larger than a part: it is handed on while it is made.
                let (parts, receiver) = sync_channel(WAITING);
                let (make, stop) = (&make, &stop);
                scope.spawn(move || {
                    let chunks = (0..count).step_by(CHUNK as usize).skip(first).step_by(threads);
                    // It fails when the receiver is gone, as after a closed pipe.
                    let _ = work(chunks.map(|start| start + 1..(start + CHUNK).min(count) + 1), make(), &parts, stop);
                });
                receiver
            })
            .collect();
        for index in 0..count.div_ceil(CHUNK) as usize {
            let Some(receiver) = receivers.get(index % threads.max(1)) else { break };
            for part in receiver {
                writer.write_all(&part.bytes)?;
                stop.fetch_or(is_full(), Ordering::Relaxed);
                if part.ends {
                    break;
                }
            }
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(())
    })
}

fn work(
    chunks: impl Iterator<Item = std::ops::Range<u32>>,
    mut make: impl FnMut(u32, &mut Sender<'_>) -> io::Result<()>,
    parts: &SyncSender<Part>,
    stop: &AtomicBool,
) -> io::Result<()> {
    let mut sender = Sender { parts, bytes: Vec::new() };
    for chunk in chunks {
        for element in chunk {
            if !stop.load(Ordering::Relaxed) {
                make(element, &mut sender)?;
            }
        }
        sender.send(true)?;
    }
    Ok(())
}

impl Sender<'_> {
    fn send(&mut self, ends: bool) -> io::Result<()> {
        let bytes = std::mem::replace(&mut self.bytes, Vec::with_capacity(PART + PART / 8));
        self.parts.send(Part { bytes, ends }).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Write for Sender<'_> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    /// Most texts are of a few bytes, which the default takes a loop for.
    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() < PART { Ok(()) } else { self.send(false) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elements of very different sizes.
    fn element(number: u32, writer: &mut dyn Write) -> io::Result<()> {
        let text = format!("{number}:");
        (0..number % 7 * 3000).try_for_each(|_| writer.write_all(text.as_bytes()))?;
        writer.write_all(b"\n")
    }

    #[test]
    fn elements_are_written_in_their_order() {
        for count in [0, 1, 63, 64, 65, 1000] {
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            (1..=count).for_each(|number| element(number, &mut expected).unwrap());
            in_order(count, || |n, to: &mut Sender<'_>| element(n, to), &mut found, &|| false).unwrap();
            assert!(found == expected, "{count}");
        }
    }

    #[test]
    fn a_full_list_ends_with_a_whole_element() {
        let mut found = Vec::new();
        let full = AtomicBool::new(false);
        let is_full = || full.swap(true, Ordering::Relaxed);
        in_order(1_000_000, || |n, to: &mut Sender<'_>| element(n, to), &mut found, &is_full).unwrap();
        let lines = found.iter().filter(|byte| **byte == b'\n').count();
        assert!(found.ends_with(b"\n") && lines < 10_000, "{lines} elements");
    }

    #[test]
    fn a_closed_output_ends_the_work() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        assert!(in_order(1_000_000, || |n, to: &mut Sender<'_>| element(n, to), &mut Closed, &|| false).is_err());
    }
}

//! Lists whose elements are made on all processors and written in their order.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use serde::Serialize;

use super::super::json::{self, Buffer, Room};

/// A list of the document.
pub(super) struct Elements<'n> {
    /// Name of the member that it is.
    pub(super) name: &'n str,
    pub(super) count: u32,
    /// Elements that one processor makes before another may make the next: some hundred kilobytes of them.
    pub(super) chunk: u32,
}

/// Bytes that are handed on together.
const PART: usize = 1 << 17;
/// Parts of one processor that may wait for their turn.
const WAITING: usize = 4;
/// Greatest size of memory that is used again for a later part.
const MAX_SPARE: usize = 4 * PART;

/// Bytes of a chunk of elements.
struct Part {
    bytes: Vec<u8>,
    /// The chunk ends here.
    ends: bool,
}

/// Memory of parts that were written.
#[derive(Default)]
struct Spare(Mutex<Vec<Vec<u8>>>);

impl Spare {
    fn take(&self) -> Vec<u8> {
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.unwrap_or_else(|| Vec::with_capacity(PART + PART / 8))
    }

    fn give(&self, mut bytes: Vec<u8>) {
        if bytes.capacity() <= MAX_SPARE {
            bytes.clear();
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
        }
    }
}

/// Memory whose bytes are handed to the thread that writes them out.
pub(super) struct Sender<'s> {
    parts: &'s SyncSender<Part>,
    spare: &'s Spare,
    bytes: Vec<u8>,
    /// The other thread takes no more, as after a closed pipe.
    is_closed: bool,
}

/// Writes a member of the document that is a list, until `room` is used up. `make` returns a function that writes the element of a number,
/// from 1, with [`Sender::element`], or several, or none: each thread has its own, with what it keeps.
pub(super) fn member<M: FnMut(u32, &mut Sender<'_>) -> io::Result<()>>(
    list: &Elements<'_>,
    make: impl Fn() -> M + Sync,
    writer: &mut dyn Write,
    room: &Room,
) -> io::Result<()> {
    write!(writer, ",\n\"{}\":[", list.name)?;
    // Which element is the first is not known before: the comma before it is left out.
    let mut elements = json::Head::of(&mut *writer);
    if !room.is_full() {
        in_order(list, make, &mut elements, &|| room.is_full())?;
    }
    let end: &[u8] = if elements.is_empty() { b"]" } else { b"\n]" };
    writer.write_all(end)
}

/// Writes what `make` makes of each number, in their order. The list ends once `is_full` is true.
fn in_order<M: FnMut(u32, &mut Sender<'_>) -> io::Result<()>>(
    &Elements { count, chunk, .. }: &Elements<'_>,
    make: impl Fn() -> M + Sync,
    writer: &mut dyn Write,
    is_full: &dyn Fn() -> bool,
) -> io::Result<()> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(count.div_ceil(chunk) as usize);
    let (stop, spare) = (AtomicBool::new(false), Spare::default());
    let chunks = Mutex::new((0..count).step_by(chunk as usize));
    // Number of the thread that makes each chunk, in the order of the chunks.
    let (makers, order) = channel();
    thread::scope(|scope| {
        let receivers: Vec<Receiver<Part>> = (0..threads)
            .map(|thread| {
                // An element may be much larger than a part: it is handed on while it is made.
                let (parts, receiver) = sync_channel(WAITING);
                let (make, stop, spare, chunks, makers) = (&make, &stop, &spare, &chunks, makers.clone());
                scope.spawn(move || {
                    let chunks = std::iter::from_fn(|| {
                        let mut chunks = chunks.lock().unwrap_or_else(PoisonError::into_inner);
                        let start = chunks.next()?;
                        // Sent before the lock is released, so that the numbers are in the order of the chunks.
                        makers.send(thread).ok()?;
                        Some(start + 1..(start + chunk).min(count) + 1)
                    });
                    let sender = Sender { parts: &parts, spare, bytes: spare.take(), is_closed: false };
                    // It fails when the receiver is gone.
                    let _ = work(chunks, make(), sender, stop);
                });
                receiver
            })
            .collect();
        // The list ends when all threads are done.
        drop(makers);
        for thread in order {
            let Some(receiver) = receivers.get(thread) else { break };
            for part in receiver {
                writer.write_all(&part.bytes)?;
                spare.give(part.bytes);
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
    mut sender: Sender<'_>,
    stop: &AtomicBool,
) -> io::Result<()> {
    for chunk in chunks {
        for element in chunk {
            if !stop.load(Ordering::Relaxed) {
                make(element, &mut sender)?;
            }
        }
        sender.send(true);
        if sender.is_closed {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
    }
    Ok(())
}

impl Sender<'_> {
    /// Writes an element of the list, on a line of its own.
    pub(super) fn element(&mut self, element: &impl Serialize) -> io::Result<()> {
        self.bytes.extend_from_slice(b",\n");
        json::element(self, element)
    }

    fn send(&mut self, ends: bool) {
        let bytes = std::mem::replace(&mut self.bytes, self.spare.take());
        self.is_closed |= self.parts.send(Part { bytes, ends }).is_err();
    }
}

impl Buffer for Sender<'_> {
    #[inline]
    fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    #[inline]
    fn pass(&mut self) {
        if self.bytes.len() >= PART {
            self.send(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elements of very different sizes.
    fn element(number: u32, out: &mut impl Buffer) {
        let text = format!("{number}:");
        for _ in 0..number % 7 * 8 {
            out.bytes().extend_from_slice(text.repeat(400).as_bytes());
            out.pass();
        }
        out.bytes().push(b'\n');
    }

    /// Writes elements with [`in_order`].
    fn write(count: u32, writer: &mut dyn Write, is_full: &dyn Fn() -> bool) -> io::Result<()> {
        let each = || {
            |number, out: &mut Sender<'_>| {
                element(number, out);
                Ok(())
            }
        };
        in_order(&Elements { name: "", count, chunk: 64 }, each, writer, is_full)
    }

    #[test]
    fn elements_are_written_in_their_order() {
        for count in [0, 1, 63, 64, 65, 1000] {
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            (1..=count).for_each(|number| element(number, &mut expected));
            write(count, &mut found, &|| false).unwrap();
            assert!(found == expected, "{count}");
        }
    }

    #[test]
    fn a_full_list_ends_with_a_whole_element() {
        let mut found = Vec::new();
        let full = AtomicBool::new(false);
        let is_full = || full.swap(true, Ordering::Relaxed);
        write(1_000_000, &mut found, &is_full).unwrap();
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
        assert!(write(1_000_000, &mut Closed, &|| false).is_err());
    }
}

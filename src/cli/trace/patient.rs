//! Standard input that says when nothing comes for a while, so that what is held back can be shown.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Time without input after which a wait is long. Lines of one trace come faster.
const LONG_WAIT: Duration = Duration::from_millis(200);
/// Bytes that are read at once.
const PIECE: usize = 1 << 16;
type Piece = io::Result<Vec<u8>>;

/// Input as it is shared with a thread that reads it.
type Shared = Arc<Mutex<Option<Box<dyn Read + Send>>>>;

/// Input that a thread reads; after a wait of 200 ms a read fails with [`io::ErrorKind::TimedOut`], once, and may be repeated.
pub(super) struct PatientReader {
    pieces: Receiver<Piece>,
    piece: io::Cursor<Vec<u8>>,
    /// The wait for the next piece is long, and that has been reported.
    is_waiting: bool,
}

impl PatientReader {
    /// Reads an input in a thread of its own; without a thread, the input itself, which never says that it waits.
    pub(super) fn of(input: Box<dyn Read + Send>) -> Box<dyn Read> {
        let (send, pieces) = sync_channel(1);
        let shared: Shared = Arc::new(Mutex::new(Some(input)));
        let take = |shared: &Shared| shared.lock().unwrap_or_else(PoisonError::into_inner).take();
        let theirs = Arc::clone(&shared);
        let thread =
            thread::Builder::new().spawn(move || take(&theirs).into_iter().for_each(|input| read_all(input, &send)));
        match thread {
            Ok(_) => Box::new(Self { pieces, piece: io::Cursor::default(), is_waiting: false }),
            Err(_) => take(&shared).unwrap_or_else(|| Box::new(io::empty())),
        }
    }

    fn next(&mut self) -> Option<Piece> {
        if self.is_waiting {
            self.is_waiting = false;
            return self.pieces.recv().ok();
        }
        match self.pieces.recv_timeout(LONG_WAIT) {
            Ok(piece) => Some(piece),
            Err(RecvTimeoutError::Timeout) => {
                self.is_waiting = true;
                Some(Err(io::ErrorKind::TimedOut.into()))
            }
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }
}

impl Read for PatientReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.piece.read(buffer)? {
                0 if !buffer.is_empty() => match self.next() {
                    Some(piece) => self.piece = io::Cursor::new(piece?),
                    None => return Ok(0),
                },
                len => return Ok(len),
            }
        }
    }
}

fn read_all(mut input: Box<dyn Read + Send>, send: &SyncSender<Piece>) {
    let mut buffer = vec![0; PIECE];
    loop {
        let piece = match input.read(&mut buffer) {
            Ok(0) => return,
            Ok(len) => Ok(buffer.get(..len).unwrap_or_default().to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let is_last = piece.is_err();
        if send.send(piece).is_err() || is_last {
            return;
        }
    }
}

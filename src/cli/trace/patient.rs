//! Standard input that says when nothing comes for a while, so that what is held back can be shown.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Time without input after which a wait is long. Lines of one trace come faster.
const LONG_WAIT: Duration = Duration::from_millis(200);
/// Bytes that are read at once.
const PIECE: usize = 1 << 16;
type Piece = io::Result<Vec<u8>>;

/// Input that a thread reads; after a wait of 200 ms a read fails with [`io::ErrorKind::TimedOut`], once, and may be repeated.
pub(super) struct PatientReader {
    pieces: Receiver<Piece>,
    piece: io::Cursor<Vec<u8>>,
    /// The wait for the next piece is long, and that has been reported.
    is_waiting: bool,
}

impl PatientReader {
    /// Reads an input in a thread of its own.
    pub(super) fn of(input: Box<dyn Read + Send>) -> io::Result<Self> {
        let (send, pieces) = sync_channel(1);
        thread::Builder::new().spawn(move || read_all(input, &send))?;
        Ok(Self { pieces, piece: io::Cursor::default(), is_waiting: false })
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

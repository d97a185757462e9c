//! Standard output, without a buffer.

use std::fs::File;
use std::io::{self, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(windows)]
use std::os::windows::io::AsHandle;

pub(super) struct Pipe {
    output: Box<dyn Write>,
    /// Output after the reader is gone is dropped, instead of an error: the exit code is what the command is for.
    outlives_reader: bool,
    is_closed: bool,
}

impl Pipe {
    pub(super) fn new(is_terminal: bool) -> Self {
        Self { output: output(is_terminal), outlives_reader: false, is_closed: false }
    }

    /// Drops what is written after the reader has closed the pipe.
    pub(super) const fn outlive_reader(&mut self) {
        self.outlives_reader = true;
    }

    /// Takes a result of the output; of an output that is closed there is a stand-in where the command outlives its reader.
    fn take<T>(&mut self, result: io::Result<T>, dropped: T) -> io::Result<T> {
        match result {
            Err(error) if self.outlives_reader && error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(dropped)
            }
            result => result,
        }
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_closed {
            return Ok(bytes.len());
        }
        let written = self.output.write(bytes);
        self.take(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = if self.is_closed { Ok(()) } else { self.output.flush() };
        self.take(flushed, ())
    }
}

/// Standard output. Where it is no terminal, without the line buffer of the standard library, which searches each block for its last line.
fn output(is_terminal: bool) -> Box<dyn Write> {
    let lock = io::stdout().lock();
    #[cfg(unix)]
    let owned = lock.as_fd().try_clone_to_owned();
    #[cfg(windows)]
    let owned = lock.as_handle().try_clone_to_owned();
    match owned {
        Ok(owned) if !is_terminal => Box::new(File::from(owned)),
        _ => Box::new(lock),
    }
}

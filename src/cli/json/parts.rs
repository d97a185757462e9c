//! Writers that join parts of a document, each of which is serialized by itself.

use std::io::{self, Write};

/// Writer that holds back the last two bytes: a line end and a brace.
pub(super) struct Tail<W> {
    inner: W,
    held: Vec<u8>,
}

impl<W> Tail<W> {
    pub(super) const fn of(inner: W) -> Self {
        Self { inner, held: Vec::new() }
    }
}

impl<W: Write> Write for Tail<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        let ready = self.held.len().saturating_sub(2);
        self.inner.write_all(self.held.get(..ready).unwrap_or_default())?;
        self.held.drain(..ready);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Writer that leaves out the first byte: the comma before the first element of a list.
#[derive(Debug)]
pub struct Head<W> {
    inner: W,
    written: usize,
}

impl<W> Head<W> {
    pub const fn of(inner: W) -> Self {
        Self { inner, written: 0 }
    }

    /// Returns true if nothing was written.
    pub const fn is_empty(&self) -> bool {
        self.written == 0
    }
}

impl<W: Write> Write for Head<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let behind = if self.written == 0 { bytes.get(1..).unwrap_or_default() } else { bytes };
        self.inner.write_all(behind)?;
        self.written += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Writer that leaves out the first byte, a brace; a comma separates what follows from what is before it.
pub(super) struct Members<W> {
    inner: W,
    written: usize,
}

impl<W> Members<W> {
    pub(super) const fn of(inner: W) -> Self {
        Self { inner, written: 0 }
    }
}

impl<W: Write> Write for Members<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let behind = if self.written == 0 { bytes.get(1..).unwrap_or_default() } else { bytes };
        let is_first = self.written <= 1 && !behind.is_empty();
        self.written += bytes.len();
        match behind {
            // An object without members ends without a line end.
            b"}" if is_first => self.inner.write_all(b"\n")?,
            _ if is_first => self.inner.write_all(b",")?,
            _ => {}
        }
        self.inner.write_all(behind)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

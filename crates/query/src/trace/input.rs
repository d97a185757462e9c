//! Text, cut into lines and JSON documents, in bounded memory.

use std::io::{self, BufRead, BufReader, Read};

use memchr::{memchr, memchr_iter, memrchr};

use super::encoding::{Decoder, Encoding};
use super::json::DocumentEnd;
use super::{Sink, prefilter};

/// The longest line that is looked at. What is longer passes as it is.
const LONGEST_LINE: usize = 1 << 20;
/// The longest JSON document that is looked at as one.
pub(crate) const LONGEST_DOCUMENT: usize = 32 << 20;

pub(crate) enum Chunk {
    /// A line, with its number and its end.
    Line(u64, Vec<u8>),
    /// A JSON document that begins on that line, up to the end of its last line.
    Json(u64, Vec<u8>),
    Raw(Vec<u8>),
}

pub(crate) struct TraceInput<R> {
    reader: BufReader<Decoder<R>>,
    /// The number of the next line.
    number: u64,
    /// The previous line was cut at the length limit.
    in_long_line: bool,
    /// Lines that were read as JSON and are none.
    again: std::vec::IntoIter<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The buffer is empty. The next read may return at once.
    Short,
    /// The reader has reported [`io::ErrorKind::TimedOut`]: nothing came for a while.
    Long,
}

impl<R: Read> TraceInput<R> {
    pub(crate) fn new(reader: R) -> Self {
        let reader = BufReader::with_capacity(64 << 10, Decoder::new(reader));
        Self { reader, number: 0, in_long_line: false, again: Vec::new().into_iter() }
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.reader.get_ref().encoding()
    }

    /// The next piece. `idle` is called before a wait, and when it has become long.
    pub(crate) fn next(&mut self, idle: &mut dyn FnMut(Wait) -> io::Result<()>) -> io::Result<Option<Chunk>> {
        if let Some(line) = self.again.next() {
            self.number += 1;
            return Ok(Some(Chunk::Line(self.number, line)));
        }
        let limit = LONGEST_LINE;
        let Some(line) = self.read_line(limit, idle)? else { return Ok(None) };
        if self.in_long_line {
            self.in_long_line = line.last() != Some(&b'\n');
            return Ok(Some(Chunk::Raw(line)));
        }
        let mut scan = DocumentEnd::default();
        if scan.feed(&line).is_json() {
            return self.document(line, scan, idle).map(Some);
        }
        self.number += 1;
        if line.last() != Some(&b'\n') && line.len() >= limit {
            self.in_long_line = true;
            return Ok(Some(Chunk::Raw(line)));
        }
        Ok(Some(Chunk::Line(self.number, line)))
    }

    /// Writes the whole lines in the buffer before the first that may matter; returns false if there are none.
    pub(crate) fn pass_plain(&mut self, sink: &mut dyn Sink) -> io::Result<bool> {
        if self.in_long_line || !self.again.as_slice().is_empty() {
            return Ok(false);
        }
        let buffer = self.reader.buffer();
        let lines = buffer.get(..memrchr(b'\n', buffer).map_or(0, |end| end + 1)).unwrap_or_default();
        let plain = lines.get(..prefilter::first_that_matters(lines).unwrap_or(lines.len())).unwrap_or_default();
        let len = plain.len();
        if len > 0 {
            sink.text(plain)?;
            self.number += memchr_iter(b'\n', plain).count() as u64;
            self.reader.consume(len);
        }
        Ok(len > 0)
    }

    /// Reads on to the end of a JSON document; gives it back as lines where it turns out to be none.
    fn document(
        &mut self,
        mut bytes: Vec<u8>,
        mut scan: DocumentEnd,
        idle: &mut dyn FnMut(Wait) -> io::Result<()>,
    ) -> io::Result<Chunk> {
        let number = self.number + 1;
        while !scan.is_complete() {
            let more = if bytes.len() < LONGEST_DOCUMENT { self.read_line(LONGEST_LINE, idle)? } else { None };
            let Some(more) = more else { break };
            let state = scan.feed(&more);
            bytes.extend_from_slice(&more);
            if !state.is_json() {
                break;
            }
        }
        if scan.is_complete() {
            self.number += bytes.split_inclusive(|byte| *byte == b'\n').count() as u64;
            return Ok(Chunk::Json(number, bytes));
        }
        let lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        // The last line may continue in the next piece.
        if lines.last().is_some_and(|line| line.last() != Some(&b'\n')) {
            self.in_long_line = !self.is_at_end(idle)?;
        }
        self.again = lines.into_iter();
        self.number += 1;
        let first = self.again.next().unwrap_or_default();
        Ok(Chunk::Line(self.number, first))
    }

    fn is_at_end(&mut self, idle: &mut dyn FnMut(Wait) -> io::Result<()>) -> io::Result<bool> {
        loop {
            match self.reader.fill_buf() {
                Ok(available) => return Ok(available.is_empty()),
                Err(error) if error.kind() == io::ErrorKind::TimedOut => idle(Wait::Long)?,
                Err(error) => return Err(error),
            }
        }
    }

    /// The next line with its end, or as much of it as `limit` allows; `None` at the end.
    fn read_line(&mut self, limit: usize, idle: &mut dyn FnMut(Wait) -> io::Result<()>) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        loop {
            if self.reader.buffer().is_empty() {
                idle(Wait::Short)?;
            }
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    idle(Wait::Long)?;
                    continue;
                }
                Err(error) => return Err(error),
            };
            let end = memchr(b'\n', available).map(|at| at + 1);
            let take = end.unwrap_or(available.len()).min(limit - line.len());
            line.extend_from_slice(available.get(..take).unwrap_or_default());
            let done = available.is_empty() || end == Some(take) || line.len() >= limit;
            self.reader.consume(take);
            if done {
                return Ok((!line.is_empty()).then_some(line));
            }
        }
    }
}

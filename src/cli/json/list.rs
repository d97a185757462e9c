//! Lists whose elements exist only while they are written.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::ops::Range;
use std::{fmt, thread};

#[cfg(test)]
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::{Error as _, Serialize, SerializeSeq, Serializer};

use super::{Room, write_compact};
use pdblens_session::parallel::{processors, start};

/// Limit on the bytes of a chunk. What does not fit is written without being held.
const MAX_CHUNK: usize = 8 << 20;

/// Receives the elements of a [`List`].
pub type Emit<'e, T> = dyn FnMut(T) -> io::Result<()> + 'e;

type Each<'a, T> = Box<dyn Fn(&mut Emit<'_, T>) -> io::Result<()> + 'a>;
type EachOfNumber<'a, T> = Box<dyn Fn(u32, &mut Emit<'_, T>) -> io::Result<()> + Sync + 'a>;

/// A list whose elements are made while it is written.
pub struct List<'a, T> {
    source: Elements<'a, T>,
    room: Option<&'a Room>,
}

enum Elements<'a, T> {
    /// Elements one after the other.
    Each(Each<'a, T>),
    /// Elements of the numbers 1 to `count`, made by all processors in chunks of some hundred kilobytes.
    Chunks { count: u32, chunk: u32, make: EachOfNumber<'a, T> },
}

impl<'a, T: 'a> List<'a, T> {
    /// The elements that `make` passes to its argument.
    pub fn each(make: impl Fn(&mut Emit<'_, T>) -> io::Result<()> + 'a) -> Self {
        Self { source: Elements::Each(Box::new(make)), room: None }
    }

    /// The elements of the iterator that `make` returns.
    pub fn of<I: IntoIterator<Item = T>>(make: impl Fn() -> I + 'a) -> Self {
        Self::each(move |emit| make().into_iter().try_for_each(emit))
    }

    /// The elements of each number from 1 to `count`: one, several or none. All processors make them, `chunk` numbers at a time.
    pub fn in_chunks(
        count: u32,
        chunk: u32,
        make: impl Fn(u32, &mut Emit<'_, T>) -> io::Result<()> + Sync + 'a,
    ) -> Self {
        Self { source: Elements::Chunks { count, chunk, make: Box::new(make) }, room: None }
    }

    /// The same list, which ends when `room` is used up.
    pub fn within(self, room: &'a Room) -> Self {
        Self { room: Some(room), ..self }
    }
}

impl<T> List<'_, T> {
    fn is_full(&self) -> bool {
        self.room.is_some_and(Room::is_full)
    }
}

/// Error that ends a list without room; it never leaves this module.
fn full() -> io::Error {
    io::ErrorKind::StorageFull.into()
}

impl<T: Serialize> Serialize for List<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        match &self.source {
            Elements::Each(make) => self.write_each(&mut list, make)?,
            Elements::Chunks { count, chunk, make } => self.write_chunks(&mut list, *count, *chunk, &**make)?,
        }
        list.end()
    }
}

impl<T: Serialize> List<'_, T> {
    /// Writes the elements that `make` passes on, until the room is used up.
    fn write_each<L: SerializeSeq>(
        &self,
        list: &mut L,
        make: impl FnOnce(&mut Emit<'_, T>) -> io::Result<()>,
    ) -> Result<(), L::Error> {
        let mut failed = None;
        let made = make(&mut |element| {
            if self.is_full() {
                return Err(full());
            }
            list.serialize_element(&element).map_err(|error| {
                failed = Some(error);
                full()
            })
        });
        match (failed, made) {
            (Some(error), _) => Err(error),
            (None, Err(error)) if !self.is_full() => Err(L::Error::custom(error)),
            (None, _) => Ok(()),
        }
    }

    /// Writes chunks in their order while threads make those that follow.
    fn write_chunks<L: SerializeSeq>(
        &self,
        list: &mut L,
        count: u32,
        chunk: u32,
        make: &(dyn Fn(u32, &mut Emit<'_, T>) -> io::Result<()> + Sync),
    ) -> Result<(), L::Error> {
        // One more than the processors: they make elements while this thread writes.
        let ahead = processors() + 1;
        let mut chunks = (0..count).step_by(chunk as usize).map(|first| (first + 1, (first + chunk).min(count) + 1));
        thread::scope(|scope| {
            let mut running = VecDeque::new();
            while !self.is_full() {
                while running.len() < ahead
                    && let Some((first, end)) = chunks.next()
                {
                    running.push_back(start(scope, move || Chunk::of(first..end, make)));
                }
                let Some(next) = running.pop_front() else { break };
                let Chunk { json, rest } = next.result();
                if !json.is_empty() {
                    list.serialize_element(&Raw(&json))?;
                }
                for number in rest {
                    self.write_each(list, |emit| make(number, emit))?;
                }
            }
            Ok(())
        })
    }
}

/// JSON that is already written, which [`LineLayout`](super::Lines) takes as bytes.
struct Raw<'a>(&'a [u8]);

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// Elements of some numbers, a line each.
struct Chunk {
    json: Vec<u8>,
    /// Numbers whose elements are not among them, because they do not fit or cannot be made.
    rest: Range<u32>,
}

impl Chunk {
    fn of<T: Serialize>(numbers: Range<u32>, make: impl Fn(u32, &mut Emit<'_, T>) -> io::Result<()>) -> Self {
        let mut chunk = Self { json: Vec::new(), rest: numbers.clone() };
        for number in numbers {
            let whole = chunk.json.len();
            let made = make(number, &mut |element| {
                if !chunk.json.is_empty() {
                    chunk.write_all(b",\n")?;
                }
                write_compact(&mut chunk, &element)
            });
            if made.is_err() {
                chunk.json.truncate(whole);
                break;
            }
            chunk.rest.start = number + 1;
        }
        chunk
    }
}

impl Write for Chunk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.json.len() + bytes.len() > MAX_CHUNK {
            return Err(full());
        }
        self.json.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
impl<T: JsonSchema> JsonSchema for List<'_, T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        Vec::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<T>::json_schema(generator)
    }
}

impl<T> fmt::Debug for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("List")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::cli::json::write;

    #[test]
    fn a_list_ends_with_its_room() {
        let room = Room::new(100_000);
        let endless = List::of(|| 0_u64..).within(&room);
        let mut bytes = Vec::new();
        write(room.writer(&mut bytes), &endless).unwrap();
        assert!((100_000..400_000).contains(&bytes.len()), "{}", bytes.len());
        assert!(serde_json::from_slice::<Value>(&bytes).unwrap().as_array().unwrap().len() > 10_000);
    }

    #[test]
    fn an_error_while_an_element_is_made_is_passed_on() {
        let broken = || io::Error::other("standard input broke");
        let each: List<'_, u32> = List::each(|emit| {
            emit(1)?;
            Err(broken())
        });
        assert!(write(io::sink(), &each).unwrap_err().to_string().contains("standard input broke"));
        let chunks: List<'_, u32> = List::in_chunks(9, 2, |_, _| Err(broken()));
        assert!(write(io::sink(), &chunks).unwrap_err().to_string().contains("standard input broke"));
    }

    /// Elements of very different sizes; none for the multiples of seven.
    fn elements(number: u32, emit: &mut Emit<'_, String>) -> io::Result<()> {
        (0..number % 7).try_for_each(|_| emit(format!("{number}:").repeat(400)))
    }

    #[test]
    fn chunks_are_written_in_their_order() {
        for count in [0, 1, 63, 64, 65, 1000] {
            let mut expected = Vec::new();
            for number in 1..=count {
                elements(number, &mut |element| {
                    expected.push(element);
                    Ok(())
                })
                .unwrap();
            }
            let mut found = Vec::new();
            write(&mut found, &List::in_chunks(count, 64, elements)).unwrap();
            assert!(serde_json::from_slice::<Vec<String>>(&found).unwrap() == expected, "{count}");
        }
    }

    #[test]
    fn what_does_not_fit_into_a_chunk_is_written_in_its_place() {
        let text = |number: u32| number.to_string().repeat(MAX_CHUNK / 3 * number as usize);
        let mut found = Vec::new();
        write(&mut found, &List::in_chunks(5, 2, |number, emit| emit(text(number)))).unwrap();
        assert!(serde_json::from_slice::<Vec<String>>(&found).unwrap() == [1, 2, 3, 4, 5].map(text));
    }

    #[test]
    fn chunks_end_with_their_room() {
        let room = Room::new(1 << 20);
        let mut found = Vec::new();
        write(room.writer(&mut found), &List::in_chunks(1_000_000, 64, elements).within(&room)).unwrap();
        let elements = serde_json::from_slice::<Vec<String>>(&found).unwrap().len();
        assert!((100..10_000).contains(&elements), "{elements} elements");
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
        assert!(write(Closed, &List::in_chunks(1_000_000, 64, elements)).is_err());
    }
}

//! Lists whose elements exist only while they are written.

use std::io;

#[cfg(test)]
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::{Error as _, Serialize, SerializeSeq, Serializer};

use super::Room;

/// Receives the elements of a [`List`].
pub type Emit<'e, T> = dyn FnMut(T) -> io::Result<()> + 'e;
type Each<'a, T> = Box<dyn Fn(&mut Emit<'_, T>) -> io::Result<()> + 'a>;

/// A list whose elements are made while it is written.
pub struct List<'a, T> {
    make: Each<'a, T>,
    room: Option<&'a Room>,
}

impl<'a, T: 'a> List<'a, T> {
    /// The elements that `make` passes to its argument.
    pub fn each(make: impl Fn(&mut Emit<'_, T>) -> io::Result<()> + 'a) -> Self {
        Self { make: Box::new(make), room: None }
    }

    /// The elements of the iterator that `make` returns.
    pub fn of<I: IntoIterator<Item = T>>(make: impl Fn() -> I + 'a) -> Self {
        Self::each(move |emit| make().into_iter().try_for_each(emit))
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
        let mut failed = None;
        let made = (self.make)(&mut |element| {
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
            (None, Err(error)) if !self.is_full() => Err(S::Error::custom(error)),
            (None, _) => list.end(),
        }
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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::cli::json::write_lines as write;

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
    }

    #[test]
    fn a_closed_output_ends_the_work() {
        struct Closed;
        impl io::Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        assert!(write(Closed, &List::of(|| 0_u64..)).is_err());
    }
}

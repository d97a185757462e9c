//! Serializer for an element of a list: appends to memory, on one line, and asks no layout about each part.

use std::fmt::{self, Write as _};

use serde::ser::{self, Serialize, Serializer};
use serde_json::Error;

use super::{Buffer, push_escaped, push_number, push_text};

/// Appends the JSON of one value.
pub(super) struct Compact<'b, B>(pub(super) &'b mut B);

/// Text that is escaped while it is written.
struct Escaped<'v>(&'v mut Vec<u8>);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        push_escaped(self.0, part);
        Ok(())
    }
}

/// A list or an object that is being written.
pub(super) struct Parts<'b, B> {
    out: &'b mut B,
    has_one: bool,
    end: &'static [u8],
}

impl<'b, B: Buffer> Compact<'b, B> {
    fn open(self, begin: &[u8], end: &'static [u8]) -> Parts<'b, B> {
        self.0.bytes().extend_from_slice(begin);
        Parts { out: self.0, has_one: false, end }
    }

    /// Begins the object that a variant with content is: its name, then the content.
    fn variant(&mut self, name: &str) {
        self.0.bytes().push(b'{');
        push_text(self.0.bytes(), name);
        self.0.bytes().push(b':');
    }
}

impl<B: Buffer> Parts<'_, B> {
    fn separate(&mut self) {
        if self.has_one {
            self.out.bytes().push(b',');
        }
        self.has_one = true;
    }

    fn close(self) {
        self.out.bytes().extend_from_slice(self.end);
        self.out.pass();
    }

    fn element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.separate();
        value.serialize(Compact(self.out))
    }

    /// Writes a member; its name is that of a field, which is not escaped.
    fn member<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        self.separate();
        let bytes = self.out.bytes();
        bytes.push(b'"');
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(b"\":");
        value.serialize(Compact(self.out))
    }
}

/// Implements methods of [`Serializer`] by that of a wider integer.
macro_rules! integers {
    ($($method:ident: $integer:ty => $wider:ident;)*) => {$(
        fn $method(self, value: $integer) -> Result<(), Error> {
            self.$wider(value.into())
        }
    )*};
}

impl<'b, B: Buffer> Serializer for Compact<'b, B> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Parts<'b, B>;
    type SerializeTuple = Parts<'b, B>;
    type SerializeTupleStruct = Parts<'b, B>;
    type SerializeTupleVariant = Parts<'b, B>;
    type SerializeMap = Parts<'b, B>;
    type SerializeStruct = Parts<'b, B>;
    type SerializeStructVariant = Parts<'b, B>;

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.0.bytes().extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    integers! {
        serialize_i8: i8 => serialize_i64;
        serialize_i16: i16 => serialize_i64;
        serialize_i32: i32 => serialize_i64;
        serialize_u8: u8 => serialize_u64;
        serialize_u16: u16 => serialize_u64;
        serialize_u32: u32 => serialize_u64;
    }

    fn serialize_i64(self, value: i64) -> Result<(), Error> {
        let bytes = self.0.bytes();
        if value < 0 {
            bytes.push(b'-');
        }
        push_number(bytes, value.unsigned_abs());
        Ok(())
    }

    fn serialize_u64(self, value: u64) -> Result<(), Error> {
        push_number(self.0.bytes(), value);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        serde_json::to_writer(self.0.bytes(), &value)
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        serde_json::to_writer(self.0.bytes(), &value)
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        push_text(self.0.bytes(), value);
        Ok(())
    }

    fn collect_str<T: ?Sized + fmt::Display>(self, value: &T) -> Result<(), Error> {
        let out = self.0.bytes();
        out.push(b'"');
        // Memory takes whatever is written; an error would be that of `value`.
        let result = write!(Escaped(out), "{value}");
        out.push(b'"');
        result.map_err(ser::Error::custom)
    }

    /// Writes a [`Raw`](super::Raw): nothing else is given as bytes.
    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.0.bytes().extend_from_slice(value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.0.bytes().extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.variant(variant);
        value.serialize(Compact(self.0))?;
        self.0.bytes().push(b'}');
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'b, B>, Error> {
        Ok(self.open(b"[", b"]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'b, B>, Error> {
        Ok(self.open(b"[", b"]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts<'b, B>, Error> {
        Ok(self.open(b"[", b"]"))
    }

    fn serialize_tuple_variant(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'b, B>, Error> {
        self.variant(variant);
        Ok(self.open(b"[", b"]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'b, B>, Error> {
        Ok(self.open(b"{", b"}"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'b, B>, Error> {
        Ok(self.open(b"{", b"}"))
    }

    fn serialize_struct_variant(
        mut self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'b, B>, Error> {
        self.variant(variant);
        Ok(self.open(b"{", b"}}"))
    }
}

/// Implements a trait of serde whose parts are elements of a list.
macro_rules! elements {
    ($($of:ident $part:ident;)*) => {$(
        impl<B: Buffer> ser::$of for Parts<'_, B> {
            type Ok = ();
            type Error = Error;

            fn $part<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
                self.element(value)
            }

            fn end(self) -> Result<(), Error> {
                self.close();
                Ok(())
            }
        }
    )*};
}

elements! {
    SerializeSeq serialize_element;
    SerializeTuple serialize_element;
    SerializeTupleStruct serialize_field;
    SerializeTupleVariant serialize_field;
}

/// Implements a trait of serde whose parts are members with the names of fields.
macro_rules! members {
    ($($of:ident)*) => {$(
        impl<B: Buffer> ser::$of for Parts<'_, B> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: ?Sized + Serialize>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
                self.member(name, value)
            }

            fn end(self) -> Result<(), Error> {
                self.close();
                Ok(())
            }
        }
    )*};
}

members! { SerializeStruct SerializeStructVariant }

impl<B: Buffer> ser::SerializeMap for Parts<'_, B> {
    type Ok = ();
    type Error = Error;

    /// Writes the name of a member, which is a string: documents have no other keys.
    fn serialize_key<T: ?Sized + Serialize>(&mut self, name: &T) -> Result<(), Error> {
        self.element(name)
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.out.bytes().push(b':');
        value.serialize(Compact(self.out))
    }

    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}

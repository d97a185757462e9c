//! The value of a custom attribute: the arguments of its constructor, then fields and properties by name.
//!
//! The types of the arguments are in the signature of the constructor. An enum is stored as its underlying type, which only the
//! assembly that defines it tells: it is taken for 32 bits, which nearly all are.
//!
//! # References
//!
//! ECMA-335 II.23.3.

use super::{Primitive, Type};
use crate::bytes::{At, Cursor, Encoding, Error, Recorder, Result, fields};

fields! {
    /// The value of a custom attribute.
    CUSTOM_ATTRIBUTE: "custom attribute";
    /// 1, which begins every value.
    PROLOG: "prolog";
    /// An argument of the constructor, of the type that its signature has.
    FIXED_ARGUMENT: "fixed argument";
    /// The number of fields and properties that follow.
    NAMED_COUNT: "named argument count";
    /// A field or a property that is set after the constructor has run.
    NAMED_ARGUMENT: "named argument";
    /// 0x53 for a field, 0x54 for a property.
    MEMBER_KIND: "member kind" as OneOf(&[(0x53, "field"), (0x54, "property")]);
    /// The type of the value.
    TYPE: "type code" as OneOf(&[
        (0x02, "bool"), (0x03, "char"), (0x04, "i1"), (0x05, "u1"), (0x06, "i2"), (0x07, "u2"), (0x08, "i4"), (0x09, "u4"),
        (0x0a, "i8"), (0x0b, "u8"), (0x0c, "r4"), (0x0d, "r8"), (0x0e, "string"), (0x1d, "array"), (0x50, "System.Type"),
        (0x51, "object"), (0x55, "enum"),
    ]);
    /// The size of the string in bytes.
    STRING_SIZE: "string size";
    /// Always 0xFF: the string or type is null (ECMA-335 II.23.3).
    NULL: "null" as Hex;
    /// The name of the enum.
    ENUM_NAME: "enum name";
    /// The name of the field or property.
    NAME: "name";
    /// A string.
    STRING: "string";
    /// The name of a type as reflection writes it, with its assembly where it is in another one.
    TYPE_NAME: "type name";
    /// The number of elements; 0xFFFFFFFF for a null array.
    ELEMENT_COUNT: "element count" as Hex;
    /// The value of the argument.
    VALUE: "value";
}

/// Element types that only attributes have.
const SZARRAY: u8 = 0x1d;
const SYSTEM_TYPE: u8 = 0x50;
const BOXED: u8 = 0x51;
const ENUM: u8 = 0x55;
/// Limit on arrays in arrays and boxed values.
const MAX_DEPTH: usize = 16;

/// Reads the value, whose constructor has these parameters.
pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>, parameters: &[At<Type>]) -> Result<()> {
    cursor.group(&CUSTOM_ATTRIBUTE, |c| {
        let start = c.position();
        let prolog = c.u16(&PROLOG)?;
        if prolog != 1 {
            return Err(Error::unexpected("prolog of a custom attribute", prolog, "1", c.since(start)));
        }
        for parameter in parameters {
            c.group(&FIXED_ARGUMENT, |c| fixed(c, &parameter.value, 0))?;
        }
        let count = c.u16(&NAMED_COUNT)?;
        for _ in 0..count {
            c.group(&NAMED_ARGUMENT, |c| {
                c.u8(&MEMBER_KIND)?;
                let code = field_type(c, 0)?;
                string(c, &NAME)?;
                value(c, &code, 0)
            })?;
        }
        Ok(())
    })
}

/// Type of a value as the blob has it.
enum Code {
    Simple(u8),
    Array(Box<Self>),
}

fn too_deep<N: Recorder>(c: &Cursor<'_, N>) -> Error {
    Error::invalid("the arrays of a custom attribute nest too deep", c.since(c.position()))
}

fn fixed<N: Recorder>(c: &mut Cursor<'_, N>, of: &Type, depth: usize) -> Result<()> {
    if depth > MAX_DEPTH {
        return Err(too_deep(c));
    }
    match of {
        Type::Primitive(Primitive::Object) => boxed(c, depth),
        Type::Primitive(primitive) => simple(c, *primitive as u8),
        Type::Named { is_value: true, .. } => c.u32(&VALUE).map(drop),
        // The only class that an argument can have is System.Type.
        Type::Named { is_value: false, .. } => string(c, &TYPE_NAME),
        Type::Array(element) => {
            let count = c.u32(&ELEMENT_COUNT)?;
            (0..if count == u32::MAX { 0 } else { count }).try_for_each(|_| fixed(c, element, depth + 1))
        }
        _ => Err(Error::invalid("no attribute has a parameter of this type", c.since(c.position()))),
    }
}

fn boxed<N: Recorder>(c: &mut Cursor<'_, N>, depth: usize) -> Result<()> {
    let code = field_type(c, depth)?;
    value(c, &code, depth + 1)
}

fn field_type<N: Recorder>(c: &mut Cursor<'_, N>, depth: usize) -> Result<Code> {
    if depth > MAX_DEPTH {
        return Err(too_deep(c));
    }
    match c.u8(&TYPE)? {
        SZARRAY => Ok(Code::Array(Box::new(field_type(c, depth + 1)?))),
        ENUM => string(c, &ENUM_NAME).map(|()| Code::Simple(ENUM)),
        code => Ok(Code::Simple(code)),
    }
}

fn value<N: Recorder>(c: &mut Cursor<'_, N>, code: &Code, depth: usize) -> Result<()> {
    if depth > MAX_DEPTH {
        return Err(too_deep(c));
    }
    match code {
        Code::Array(element) => {
            let count = c.u32(&ELEMENT_COUNT)?;
            (0..if count == u32::MAX { 0 } else { count }).try_for_each(|_| value(c, element, depth + 1))
        }
        Code::Simple(BOXED) => boxed(c, depth + 1),
        Code::Simple(SYSTEM_TYPE) => string(c, &TYPE_NAME),
        Code::Simple(ENUM) => c.u32(&VALUE).map(drop),
        Code::Simple(code) => simple(c, *code),
    }
}

/// A value of a type with an element type of its own.
fn simple<N: Recorder>(c: &mut Cursor<'_, N>, code: u8) -> Result<()> {
    let start = c.position();
    match Primitive::of_element(code) {
        Some(Primitive::Boolean | Primitive::U1) => c.u8(&VALUE).map(drop),
        Some(Primitive::I1) => c.i8(&VALUE).map(drop),
        Some(Primitive::Char | Primitive::U2) => c.u16(&VALUE).map(drop),
        Some(Primitive::I2) => c.i16(&VALUE).map(drop),
        Some(Primitive::I4) => c.i32(&VALUE).map(drop),
        Some(Primitive::U4) => c.u32(&VALUE).map(drop),
        Some(Primitive::I8) => c.i64(&VALUE).map(drop),
        Some(Primitive::U8) => c.u64(&VALUE).map(drop),
        Some(Primitive::R4) => c.f32(&VALUE).map(drop),
        Some(Primitive::R8) => c.f64(&VALUE).map(drop),
        Some(Primitive::String) => string(c, &STRING),
        _ => Err(Error::unexpected("type of an attribute's argument", code, "a simple type", c.since(start))),
    }
}

/// A string with its size before it, or 0xFF for none.
fn string<N: Recorder>(c: &mut Cursor<'_, N>, doc: &'static crate::bytes::FieldDoc) -> Result<()> {
    if c.peek() == Some(0xff) {
        return c.u8(&NULL).map(drop);
    }
    let size = c.compressed(&STRING_SIZE)?;
    if size == 0 { Ok(()) } else { c.text(doc, size.into(), Encoding::Utf8).map(drop) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Slice, SpaceId, Span};

    #[test]
    fn arguments_of_the_constructor_come_before_named_ones() {
        let bytes = [1, 0, 2, 0, 0, 0, 3, b'a', b'b', b'c', 0xff, 1, 0, 0x54, 0x02, 1, b'X', 1];
        let at = |value| At::new(value, Span::default());
        let parameters = [
            at(Type::Primitive(Primitive::I4)),
            at(Type::Primitive(Primitive::String)),
            at(Type::Primitive(Primitive::String)),
        ];
        let mut cursor = Cursor::recording(Slice::new(&bytes, SpaceId(0), 0));
        decode(&mut cursor, &parameters).unwrap();
        assert!(cursor.is_done());
        let names: Vec<_> =
            cursor.fields().iter().filter(|field| field.name() == "value").map(|f| f.value.number()).collect();
        assert_eq!(names, [Some(2), Some(1)]);
        // Whatever the bytes are, the decoder ends.
        for len in 0..bytes.len() {
            assert!(decode(&mut Slice::new(&bytes[..len], SpaceId(0), 0).cursor(), &parameters).is_err(), "{len}");
        }
        let deep = [&[1_u8, 0, 1, 0, 0x53][..], &[SZARRAY; 40], &[2]].concat();
        assert!(decode(&mut Slice::new(&deep, SpaceId(0), 0).cursor(), &[]).is_err());
    }
}

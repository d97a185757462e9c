use super::element;
use super::types::{ArrayShape, CallKind, MethodSignature, Primitive, Signature, Type};
use crate::bytes::{At, Cursor, Error, ErrorKind, Recorder, Result};
use crate::formats::metadata::Token;
use crate::formats::metadata::schema::TYPE_DEF_OR_REF;

/// First bytes of signatures that are not a method's.
const FIELD: u8 = 0x06;
const LOCALS: u8 = 0x07;
const PROPERTY: u8 = 0x08;
const INSTANTIATION: u8 = 0x0a;

/// The first byte of all others: four bits say which, the rest are flags.
const KIND: u8 = 0x0f;
const GENERIC: u8 = 0x10;
const HAS_THIS: u8 = 0x20;
const EXPLICIT_THIS: u8 = 0x40;

/// How deep types may nest. Real ones rarely go beyond ten.
const DEEPEST: u32 = 64;
/// The most dimensions that the CLR lets an array have.
const MOST_DIMENSIONS: u32 = 32;
/// Type parameters are numbered by 16 bits.
const MOST_TYPE_PARAMETERS: u32 = 1 << 16;
/// A token has 24 bits for the row.
const LAST_ROW: u32 = 0xff_ffff;

/// Reads a signature that begins with a byte saying what it is of: all but that of a TypeSpec.
pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Signature> {
    let first = cursor.peek().unwrap_or_default();
    match first & KIND {
        FIELD => cursor.group("field signature", |c| {
            c.u8("kind")?;
            typed(c, "field type", 0).map(Signature::Field)
        }),
        LOCALS => cursor.group("local signature", |c| {
            c.u8("kind")?;
            list(c, "local count", "local variable").map(Signature::Locals)
        }),
        INSTANTIATION => cursor.group("instantiation", |c| {
            c.u8("kind")?;
            list(c, "argument count", "type argument").map(Signature::Instantiation)
        }),
        PROPERTY => cursor.group("property signature", |c| method(c, 0)).map(Signature::Property),
        _ => cursor.group("method signature", |c| method(c, 0)).map(Signature::Method),
    }
}

/// Reads a type: the signature of a TypeSpec, or a part of another record.
pub fn decode_type<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<At<Type>> {
    typed(cursor, "type", 0)
}

/// A type in its own group, which is named for what the type is to what surrounds it.
fn typed<N: Recorder>(cursor: &mut Cursor<'_, N>, role: &'static str, depth: u32) -> Result<At<Type>> {
    let start = cursor.position();
    let value = cursor.group(role, |cursor| type_inside(cursor, depth))?;
    Ok(At::new(value, cursor.since(start)))
}

fn boxed<N: Recorder>(cursor: &mut Cursor<'_, N>, role: &'static str, depth: u32) -> Result<Box<Type>> {
    typed(cursor, role, depth + 1).map(|at| Box::new(at.value))
}

fn type_inside<N: Recorder>(cursor: &mut Cursor<'_, N>, depth: u32) -> Result<Type> {
    let start = cursor.position();
    let element = cursor.u8("element type")?;
    if depth >= DEEPEST {
        return Err(cursor.error_since(start, ErrorKind::TooDeep("types")));
    }
    if let Some(primitive) = Primitive::of_element(element) {
        return Ok(Type::Primitive(primitive));
    }
    Ok(match element {
        element::CLASS | element::VALUETYPE => {
            Type::Named { token: type_token(cursor, "type")?, is_value: element == element::VALUETYPE }
        }
        element::SZARRAY => Type::Array(boxed(cursor, "element", depth)?),
        element::ARRAY => Type::ShapedArray(boxed(cursor, "element", depth)?, cursor.group("shape", shape)?),
        element::PTR => Type::Pointer(boxed(cursor, "target", depth)?),
        element::BYREF => Type::Reference(boxed(cursor, "target", depth)?),
        element::PINNED => Type::Pinned(boxed(cursor, "pinned type", depth)?),
        element::CMOD_REQD | element::CMOD_OPT => Type::Modified {
            required: element == element::CMOD_REQD,
            modifier: type_token(cursor, "modifier")?,
            of: boxed(cursor, "modified type", depth)?,
        },
        element::GENERICINST => {
            let is_value = class_or_value_type(cursor)?;
            let token = type_token(cursor, "type")?;
            let mut arguments = Vec::new();
            for _ in 0..count(cursor, "argument count")? {
                arguments.push(typed(cursor, "type argument", depth + 1)?.value);
            }
            Type::Generic { token, is_value, arguments }
        }
        element::VAR => Type::TypeParameter(cursor.compressed("parameter number")?),
        element::MVAR => Type::MethodParameter(cursor.compressed("parameter number")?),
        element::FNPTR => Type::Function(Box::new(cursor.group("method signature", |c| method(c, depth + 1))?)),
        element::INTERNAL => {
            return Err(Error::invalid("a pointer inside the running CLR has no place in a file", cursor.since(start)));
        }
        _ => return Err(Error::invalid("no type begins with this byte", cursor.since(start))),
    })
}

/// Whether the generic type that follows is a struct.
fn class_or_value_type<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<bool> {
    let start = cursor.position();
    match cursor.u8("class or value type")? {
        element::CLASS => Ok(false),
        element::VALUETYPE => Ok(true),
        _ => Err(Error::invalid("a generic type is a class or a value type", cursor.since(start))),
    }
}

/// Reads the token that a `TypeDefOrRefOrSpecEncoded` number stands for (ECMA-335 II.23.2.8): a coded index, compressed.
pub fn type_token<N: Recorder>(cursor: &mut Cursor<'_, N>, name: &'static str) -> Result<Token> {
    let start = cursor.position();
    match TYPE_DEF_OR_REF.decode(cursor.compressed(name)?) {
        Some((table, row)) if row <= LAST_ROW => Ok(Token::new(table, row)),
        _ => Err(Error::invalid("a coded index of no table or no row", cursor.since(start))),
    }
}

/// A count of things that take at least a byte each.
fn count<N: Recorder>(cursor: &mut Cursor<'_, N>, name: &'static str) -> Result<u32> {
    let start = cursor.position();
    let count = cursor.compressed(name)?;
    if count as u64 > cursor.left() {
        let kind = ErrorKind::UnexpectedEnd { wanted: count as u64, left: cursor.left() };
        return Err(cursor.error_since(start, kind));
    }
    Ok(count)
}

/// A number that must not be greater than `most`.
fn at_most<N: Recorder>(
    cursor: &mut Cursor<'_, N>,
    name: &'static str,
    most: u32,
    sentence: &'static str,
) -> Result<u32> {
    let start = cursor.position();
    match cursor.compressed(name)? {
        number if number <= most => Ok(number),
        _ => Err(Error::invalid(sentence, cursor.since(start))),
    }
}

fn list<N: Recorder>(cursor: &mut Cursor<'_, N>, counted: &'static str, role: &'static str) -> Result<Vec<At<Type>>> {
    (0..count(cursor, counted)?).map(|_| typed(cursor, role, 0)).collect()
}

fn shape<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<ArrayShape> {
    let rank = at_most(cursor, "rank", MOST_DIMENSIONS, "an array has at most 32 dimensions")?;
    let sizes = at_most(cursor, "size count", rank, "more sizes than dimensions")?;
    let sizes = (0..sizes).map(|_| cursor.compressed("size")).collect::<Result<_>>()?;
    let bounds = at_most(cursor, "lower bound count", rank, "more lower bounds than dimensions")?;
    let lower_bounds = (0..bounds).map(|_| cursor.compressed_signed("lower bound")).collect::<Result<_>>()?;
    Ok(ArrayShape { rank, sizes, lower_bounds })
}

/// What the signatures of methods, function pointers and properties have in common.
fn method<N: Recorder>(cursor: &mut Cursor<'_, N>, depth: u32) -> Result<MethodSignature> {
    let start = cursor.position();
    let first = cursor.u8("calling convention")?;
    let Some(call) = call_kind(first & KIND) else {
        return Err(Error::invalid("no signature begins with this byte", cursor.since(start)));
    };
    let generic_parameters = if first & GENERIC == 0 {
        0
    } else {
        at_most(cursor, "type parameter count", MOST_TYPE_PARAMETERS, "more type parameters than can be numbered")?
    };
    let parameter_count = count(cursor, "parameter count")?;
    let returns = typed(cursor, "return type", depth)?;
    let mut parameters = Vec::new();
    let mut sentinel = None;
    for number in 0..parameter_count {
        if cursor.peek() == Some(element::SENTINEL) && sentinel.is_none() {
            cursor.u8("sentinel")?;
            sentinel = Some(number);
        }
        parameters.push(typed(cursor, "parameter", depth)?);
    }
    Ok(MethodSignature {
        call,
        has_this: first & HAS_THIS != 0,
        explicit_this: first & EXPLICIT_THIS != 0,
        generic_parameters,
        returns,
        parameters,
        sentinel,
    })
}

/// The calling convention of those four bits; a property has none, so it counts as managed.
const fn call_kind(bits: u8) -> Option<CallKind> {
    Some(match bits {
        0x0 | PROPERTY => CallKind::Default,
        0x1 => CallKind::C,
        0x2 => CallKind::StdCall,
        0x3 => CallKind::ThisCall,
        0x4 => CallKind::FastCall,
        0x5 => CallKind::VarArg,
        0x9 => CallKind::Unmanaged,
        _ => return None,
    })
}

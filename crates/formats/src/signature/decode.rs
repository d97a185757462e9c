use super::element;
use super::types::{Arity, ArrayShape, CallKind, MethodSignature, Primitive, Signature, Type};
use crate::bytes::{At, Cursor, DECODED_TOKEN, Error, ErrorKind, FieldDoc, Recorder, Result, fields};
use crate::metadata::Token;
use crate::metadata::schema::TYPE_DEF_OR_REF;

/// First bytes of signatures other than a method's (ECMA-335 II.23.2).
const FIELD: u8 = 0x06;
const LOCALS: u8 = 0x07;
const PROPERTY: u8 = 0x08;
const METHOD_SPEC: u8 = 0x0a;
/// Low four bits of a method signature's first byte, the calling convention; the others are flags.
const KIND_BITS: u8 = 0x0f;
const GENERIC: u8 = 0x10;
const HAS_THIS: u8 = 0x20;
const EXPLICIT_THIS: u8 = 0x40;
/// Limit of nested types; compilers rarely exceed 10.
const MAX_DEPTH: usize = 64;
/// Maximum rank of an array in the CLR.
const MAX_RANK: u32 = 32;
/// Limit of type parameter numbers, which GenericParam stores in 16 bits.
const MAX_TYPE_PARAMETERS: u32 = 1 << 16;
/// Largest row number of a token.
const LAST_ROW: u32 = 0xff_ffff;
const KINDS: &[(u64, &str)] = &[(0x06, "field"), (0x07, "local variables"), (0x0a, "type arguments of a method")];

/// Common values of the first byte.
const CONVENTIONS: &[(u64, &str)] = &[
    (0x00, "static, managed"),
    (0x01, "unmanaged cdecl"),
    (0x02, "unmanaged stdcall"),
    (0x03, "unmanaged thiscall"),
    (0x04, "unmanaged fastcall"),
    (0x05, "static, variable arguments"),
    (0x08, "static property"),
    (0x09, "unmanaged, by modifiers of the return type"),
    (0x10, "static, generic"),
    (0x20, "instance"),
    (0x25, "instance, variable arguments"),
    (0x28, "instance property"),
    (0x30, "instance, generic"),
    (0x60, "instance, this among the parameters"),
];

fields! {
    /// The type of a field.
    FIELD_SIGNATURE: "field signature";
    /// The types of the local variables of a method, in the order of their slots.
    LOCAL_SIGNATURE: "local signature";
    /// The type arguments of a generic method.
    INSTANTIATION: "instantiation";
    /// The type of a property and of its indices, which are those of its getter.
    PROPERTY_SIGNATURE: "property signature";
    /// The calling convention, return type and parameters of a method.
    METHOD_SIGNATURE: "method signature";
    /// The kind of the signature.
    KIND: "kind" as OneOf(KINDS);
    /// The number of local variables.
    LOCAL_COUNT: "local count";
    /// The number of type arguments that follow.
    ARGUMENT_COUNT: "argument count";
    /// The type of the field.
    FIELD_TYPE: "field type";
    /// The type of one local variable, beginning with slot 0; the names are in the PDB.
    LOCAL_VARIABLE: "local variable";
    /// The type that replaces one type parameter.
    TYPE_ARGUMENT: "type argument";
    /// The type that a TypeSpec row stands for.
    TYPE: "type";
    /// The type, as a coded index: the lowest two bits select TypeDef, TypeRef or TypeSpec, and the rest is the row.
    NAMED_TYPE: "type" as Hex;
    /// The element type, which is a built-in type or decides how the type is made from what follows.
    ELEMENT_TYPE: "element type" as OneOf(element::NAMES);
    /// The type of the elements of the array.
    ELEMENT: "element";
    /// The dimensions of the array.
    SHAPE: "shape";
    /// The type that is pointed to or referred to.
    TARGET: "target";
    /// The type of a variable whose object the garbage collector must not move.
    PINNED_TYPE: "pinned type";
    /// The type that is the modifier, as a coded index; it adds a property such as volatile.
    MODIFIER: "modifier" as Hex;
    /// The type that the modifier applies to.
    MODIFIED_TYPE: "modified type";
    /// CLASS or VALUETYPE: the kind of the generic type.
    CLASS_OR_VALUE_TYPE: "class or value type" as OneOf(element::NAMES);
    /// The number of the type parameter, counted from 0; its name is in the GenericParam table.
    PARAMETER_NUMBER: "parameter number";
    /// The calling convention in the lowest four bits (8 is a property); 0x10 marks a generic method, 0x20 a this,
    /// and 0x40 a this that is among the parameters.
    CALLING_CONVENTION: "calling convention" as OneOf(CONVENTIONS);
    /// The number of type parameters of the method; a property has none.
    TYPE_PARAMETER_COUNT: "type parameter count";
    /// The number of parameters, without this and the return type; a property has them only if it is an indexer.
    PARAMETER_COUNT: "parameter count";
    /// The return type of a method, or the type of a property; void for none.
    RETURN_TYPE: "return type";
    /// The type of one parameter or of one index; the names are in the Param table.
    PARAMETER: "parameter";
    /// The mark after which the variable arguments of this one call begin.
    SENTINEL: "sentinel" as OneOf(element::NAMES);
    /// The module that the tokens after it belong to: 0 for this image, then the rows of AssemblyRef, then those of the manifest.
    MODULE: "module";
    /// The number of dimensions of the array.
    RANK: "rank";
    /// The number of dimensions that have a known size; usually 0.
    SIZE_COUNT: "size count";
    /// The size of one dimension.
    SIZE: "size";
    /// The number of dimensions that have a lower bound.
    LOWER_BOUND_COUNT: "lower bound count";
    /// The lowest index of one dimension; 0 in C#.
    LOWER_BOUND: "lower bound";
}

/// Decodes a signature that begins with its kind: any but that of a TypeSpec.
pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Signature> {
    let first = cursor.peek().unwrap_or_default();
    match first & KIND_BITS {
        FIELD => cursor.group(&FIELD_SIGNATURE, |c| {
            c.u8(&KIND)?;
            typed(c, &FIELD_TYPE, Nest::ECMA).map(Signature::Field)
        }),
        LOCALS => cursor.group(&LOCAL_SIGNATURE, |c| {
            c.u8(&KIND)?;
            list(c, &LOCAL_COUNT, &LOCAL_VARIABLE).map(Signature::Locals)
        }),
        METHOD_SPEC => cursor.group(&INSTANTIATION, |c| {
            c.u8(&KIND)?;
            list(c, &ARGUMENT_COUNT, &TYPE_ARGUMENT).map(Signature::Instantiation)
        }),
        PROPERTY => cursor.group(&PROPERTY_SIGNATURE, |c| method(c, Nest::ECMA)).map(Signature::Property),
        _ => cursor.group(&METHOD_SIGNATURE, |c| method(c, Nest::ECMA)).map(Signature::Method),
    }
}

/// Decodes a type: the signature of a TypeSpec, or a part of another record.
pub fn decode_type<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<At<Type>> {
    typed(cursor, &TYPE, Nest::ECMA)
}

/// Decodes a type of a ReadyToRun image: it may be one of another module, or the canonical reference type.
pub fn decode_native_type<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Type> {
    typed(cursor, &TYPE, Nest { depth: 0, is_native: true }).map(|at| at.value)
}

/// Place of a type in a signature.
#[derive(Clone, Copy)]
struct Nest {
    /// Number of types that it is in.
    depth: usize,
    /// True in ReadyToRun images, which have two more element types.
    is_native: bool,
}

impl Nest {
    const ECMA: Self = Self { depth: 0, is_native: false };

    const fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

/// Decodes a type as a group named after its role.
fn typed<N: Recorder>(cursor: &mut Cursor<'_, N>, role: &'static FieldDoc, nest: Nest) -> Result<At<Type>> {
    cursor.spanned(|cursor| cursor.group(role, |cursor| type_inside(cursor, nest)))
}

fn boxed<N: Recorder>(cursor: &mut Cursor<'_, N>, role: &'static FieldDoc, nest: Nest) -> Result<Box<Type>> {
    typed(cursor, role, nest.deeper()).map(|at| Box::new(at.value))
}

fn type_inside<N: Recorder>(cursor: &mut Cursor<'_, N>, nest: Nest) -> Result<Type> {
    let start = cursor.position();
    let element = cursor.u8(&ELEMENT_TYPE)?;
    if nest.depth >= MAX_DEPTH {
        return Err(cursor.error_since(start, ErrorKind::TooDeep("types")));
    }
    if let Some(primitive) = Primitive::of_element(element) {
        return Ok(Type::Primitive(primitive));
    }
    Ok(match element {
        element::CLASS | element::VALUETYPE => {
            Type::Named { token: type_token(cursor, &NAMED_TYPE)?, is_value: element == element::VALUETYPE }
        }
        element::SZARRAY => Type::Array(boxed(cursor, &ELEMENT, nest)?),
        element::ARRAY => Type::ShapedArray(boxed(cursor, &ELEMENT, nest)?, cursor.group(&SHAPE, shape)?),
        element::PTR => Type::Pointer(boxed(cursor, &TARGET, nest)?),
        element::BYREF => Type::Reference(boxed(cursor, &TARGET, nest)?),
        element::PINNED => Type::Pinned(boxed(cursor, &PINNED_TYPE, nest)?),
        element::CMOD_REQD | element::CMOD_OPT => Type::Modified {
            required: element == element::CMOD_REQD,
            modifier: type_token(cursor, &MODIFIER)?,
            of: boxed(cursor, &MODIFIED_TYPE, nest)?,
        },
        element::GENERICINST => {
            let is_value = class_or_value_type(cursor)?;
            let token = type_token(cursor, &NAMED_TYPE)?;
            let mut arguments = Vec::new();
            for _ in 0..count(cursor, &ARGUMENT_COUNT)? {
                arguments.push(typed(cursor, &TYPE_ARGUMENT, nest.deeper())?.value);
            }
            Type::Generic { token, is_value, arguments }
        }
        element::VAR => Type::TypeParameter(cursor.compressed(&PARAMETER_NUMBER)?),
        element::MVAR => Type::MethodParameter(cursor.compressed(&PARAMETER_NUMBER)?),
        element::FNPTR => Type::Function(Box::new(cursor.group(&METHOD_SIGNATURE, |c| method(c, nest.deeper()))?)),
        element::MODULE if nest.is_native => {
            Type::InModule { module: cursor.compressed(&MODULE)?, of: boxed(cursor, &TYPE, nest)? }
        }
        element::CANON if nest.is_native => Type::Canonical,
        element::INTERNAL => {
            return Err(Error::invalid("ELEMENT_TYPE_INTERNAL is not valid in a file", cursor.since(start)));
        }
        other => return Err(Error::unknown("element type", other, cursor.since(start))),
    })
}

/// Reads `CLASS` or `VALUETYPE` after `GENERICINST`; returns true for a value type.
fn class_or_value_type<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<bool> {
    let start = cursor.position();
    match cursor.u8(&CLASS_OR_VALUE_TYPE)? {
        element::CLASS => Ok(false),
        element::VALUETYPE => Ok(true),
        other => {
            let expected = "0x12 (CLASS) or 0x11 (VALUETYPE)";
            Err(Error::unexpected("element type of a generic instance", other, expected, cursor.since(start)))
        }
    }
}

/// Reads a `TypeDefOrRefOrSpecEncoded` token (ECMA-335 II.23.2.8): a compressed coded index.
pub fn type_token<N: Recorder>(cursor: &mut Cursor<'_, N>, doc: &'static FieldDoc) -> Result<Token> {
    let start = cursor.position();
    match TYPE_DEF_OR_REF.decode(cursor.compressed(doc)?) {
        Some((table, row)) if row <= LAST_ROW => {
            let token = Token::new(table, row);
            if row > 0 {
                cursor.changed(&DECODED_TOKEN, None, token.0);
            }
            Ok(token)
        }
        _ => Err(Error::invalid("the coded index names no table or row", cursor.since(start))),
    }
}

/// Reads the count of a list whose elements take at least one byte each.
fn count<N: Recorder>(cursor: &mut Cursor<'_, N>, doc: &'static FieldDoc) -> Result<u32> {
    let start = cursor.position();
    let count = cursor.compressed(doc)?;
    cursor.require(count as u64, start)?;
    Ok(count)
}

/// Reads a number that must not exceed `most`.
fn at_most<N: Recorder>(
    cursor: &mut Cursor<'_, N>,
    doc: &'static FieldDoc,
    most: u32,
    sentence: &'static str,
) -> Result<u32> {
    let start = cursor.position();
    match cursor.compressed(doc)? {
        number if number <= most => Ok(number),
        _ => Err(Error::invalid(sentence, cursor.since(start))),
    }
}

fn list<N: Recorder>(
    cursor: &mut Cursor<'_, N>,
    counted: &'static FieldDoc,
    role: &'static FieldDoc,
) -> Result<Vec<At<Type>>> {
    (0..count(cursor, counted)?).map(|_| typed(cursor, role, Nest::ECMA)).collect()
}

fn shape<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<ArrayShape> {
    let rank = at_most(cursor, &RANK, MAX_RANK, "an array has at most 32 dimensions")?;
    let sizes = at_most(cursor, &SIZE_COUNT, rank, "more sizes than dimensions")?;
    let sizes = (0..sizes).map(|_| cursor.compressed(&SIZE)).collect::<Result<_>>()?;
    let bounds = at_most(cursor, &LOWER_BOUND_COUNT, rank, "more lower bounds than dimensions")?;
    let lower_bounds = (0..bounds).map(|_| cursor.compressed_signed(&LOWER_BOUND)).collect::<Result<_>>()?;
    Ok(ArrayShape { rank, sizes, lower_bounds })
}

/// Decodes the common part of method, function pointer and property signatures.
fn method<N: Recorder>(cursor: &mut Cursor<'_, N>, nest: Nest) -> Result<MethodSignature> {
    let start = cursor.position();
    let first = cursor.u8(&CALLING_CONVENTION)?;
    let Some(call) = call_kind(first & KIND_BITS) else {
        return Err(Error::unknown("calling convention", first & KIND_BITS, cursor.since(start)));
    };
    let generic_parameters = if first & GENERIC == 0 {
        0
    } else {
        at_most(cursor, &TYPE_PARAMETER_COUNT, MAX_TYPE_PARAMETERS, "more type parameters than can be numbered")?
    };
    // Without a check of the count: the read at fault is the type that is missing, and nothing is allocated for it.
    let parameter_count = cursor.compressed(&PARAMETER_COUNT)?;
    let returns = typed(cursor, &RETURN_TYPE, nest)?;
    let mut parameters = Vec::new();
    let mut sentinel = None;
    for number in 0..parameter_count {
        if cursor.peek() == Some(element::SENTINEL) && sentinel.is_none() {
            cursor.u8(&SENTINEL)?;
            sentinel = Some(number);
        }
        parameters.push(typed(cursor, &PARAMETER, nest)?);
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

/// Decodes the beginning of a method's signature: what a call takes and gives, without the types.
pub fn decode_arity(cursor: &mut Cursor<'_>) -> Result<Arity> {
    let start = cursor.position();
    let first = cursor.u8(&CALLING_CONVENTION)?;
    if call_kind(first & KIND_BITS).is_none() {
        return Err(Error::unknown("calling convention", first & KIND_BITS, cursor.since(start)));
    }
    if first & GENERIC != 0 {
        cursor.compressed(&TYPE_PARAMETER_COUNT)?;
    }
    let parameters = cursor.compressed(&PARAMETER_COUNT)?;
    let mut returned = cursor.u8(&ELEMENT_TYPE)?;
    while matches!(returned, element::CMOD_REQD | element::CMOD_OPT) {
        cursor.compressed(&MODIFIER)?;
        returned = cursor.u8(&ELEMENT_TYPE)?;
    }
    let has_this = first & HAS_THIS != 0 && first & EXPLICIT_THIS == 0;
    Ok(Arity { has_this, parameters, has_result: returned != element::VOID })
}

/// Calling convention of the low four bits; that of a property counts as managed.
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

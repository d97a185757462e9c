use proptest::prelude::*;

use super::*;
use crate::bytes::record::undescribed;
use crate::bytes::{At, Cursor, ErrorKind, Field, Recording, Result, Slice, SpaceId, Value};
use crate::metadata::Token;

fn slice(bytes: &[u8]) -> Slice<'_> {
    Slice::new(bytes, SpaceId(5), 0x200)
}

/// Decodes with and without notes; both must say the same, and the leaves must tile what was read.
fn both<'a, T: PartialEq + std::fmt::Debug>(
    bytes: &'a [u8],
    plain: impl FnOnce(&mut Cursor<'a>) -> Result<T>,
    recording: impl FnOnce(&mut Cursor<'a, Recording>) -> Result<T>,
) -> (Result<T>, Vec<Field>) {
    let mut cursor = Cursor::recording(slice(bytes));
    let result = recording(&mut cursor);
    assert_eq!(plain(&mut Cursor::new(slice(bytes))), result);
    let end = cursor.position();
    let fields = cursor.fields();
    let mut at = 0x200;
    for leaf in fields.iter().filter(|field| field.value != Value::Group) {
        assert_eq!(leaf.span.start, at, "{}", leaf.name());
        at = leaf.span.end();
    }
    assert_eq!(at, end);
    (result, fields)
}

fn signature(bytes: &[u8]) -> Result<Signature> {
    both(bytes, decode, decode).0
}

fn method(bytes: &[u8]) -> MethodSignature {
    match signature(bytes).unwrap() {
        Signature::Method(method) => method,
        other => panic!("{other:?}"),
    }
}

fn a_type(bytes: &[u8]) -> Result<Type> {
    both(bytes, decode_type, decode_type).0.map(|at| at.value)
}

fn values(types: &[At<Type>]) -> Vec<&Type> {
    types.iter().map(|at| &at.value).collect()
}

const INT: Type = Type::Primitive(Primitive::I4);
const STRING: Type = Type::Primitive(Primitive::String);

fn named(token: u32) -> Type {
    Type::Named { token: Token(token), is_value: false }
}

#[test]
fn an_arity_is_that_of_the_whole_signature() {
    let signatures: [&[u8]; 6] = [
        &[0x00, 0x00, 0x01],
        // An instance method with a modifier on `void`, as `init` has, and one with a modified result.
        &[0x20, 0x01, 0x1f, 0x05, 0x01, 0x08],
        &[0x20, 0x01, 0x20, 0x05, 0x08, 0x0e],
        &[0x60, 0x02, 0x08, 0x1c, 0x0e],
        &[0x30, 0x01, 0x02, 0x1e, 0x00, 0x1d, 0x0e, 0x08],
        &[0x05, 0x02, 0x01, 0x08, 0x41, 0x0e],
    ];
    for bytes in signatures {
        let whole = method(bytes);
        let arity = Arity {
            has_this: whole.has_this && !whole.explicit_this,
            parameters: whole.parameters.len() as u32,
            has_result: !matches!(
                &whole.returns.value,
                Type::Primitive(Primitive::Void) | Type::Modified { required: true, .. }
            ),
        };
        assert_eq!(decode_arity(&mut Cursor::new(slice(bytes))), Ok(arity), "{bytes:x?}");
    }
    assert!(decode_arity(&mut Cursor::new(slice(&[0x06, 0x08]))).is_err(), "the signature of a field");
}

#[test]
fn a_method_with_parameters_that_know_their_bytes() {
    let bytes = [
        0x20, // has this, default
        0x02, // 2 parameters
        0x0a, // returns long
        0x08, // int
        0x1d, 0x0e, // string[]
    ];
    let found = method(&bytes);
    assert!(found.has_this && !found.explicit_this && found.call == CallKind::Default);
    assert_eq!(found.returns.value, Type::Primitive(Primitive::I8));
    assert_eq!(values(&found.parameters), [&INT, &Type::Array(Box::new(STRING))]);
    let span = found.parameters[1].span;
    assert_eq!((span.space, span.start, span.len), (SpaceId(5), 0x204, 2));
}

#[test]
fn generic_types_in_generic_types() {
    // Dictionary<string, List<!!0>>: a class by TypeSpec, TypeRef and TypeDef in turn.
    let bytes = [
        0x15, 0x12, 0x49, 0x02, // generic class TypeRef 0x12, 2 arguments
        0x0e, // string
        0x15, 0x11, 0x0e, 0x02, // generic struct TypeSpec 3, 2 arguments
        0x1e, 0x00, // the method's first type parameter
        0x12, 0x80, 0x84, // class TypeDef 0x21
    ];
    let inner = Type::Generic {
        token: Token(0x1b00_0003),
        is_value: true,
        arguments: vec![Type::MethodParameter(0), named(0x0200_0021)],
    };
    let outer = Type::Generic { token: Token(0x0100_0012), is_value: false, arguments: vec![STRING, inner] };
    assert_eq!(a_type(&bytes), Ok(outer));

    let (_, fields) = both(&bytes, decode_type, decode_type);
    let shown: Vec<_> =
        fields.iter().map(|f| format!("{}{} {}", "  ".repeat(f.depth.into()), f.name(), f.span.len)).collect();
    let expected = [
        "type 14",
        "  element type 1",
        "  class or value type 1",
        "  type 1",
        "  argument count 1",
        "  type argument 1",
        "    element type 1",
        "  type argument 9",
        "    element type 1",
        "    class or value type 1",
        "    type 1",
        "    argument count 1",
        "    type argument 2",
        "      element type 1",
        "      parameter number 1",
        "    type argument 3",
        "      element type 1",
        "      type 2",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn arrays_with_bounds() {
    let bytes = [
        0x14, 0x08, // array of int
        0x03, // 3 dimensions
        0x02, 0x04, 0x05, // 2 sizes: 4, 5
        0x02, 0x00, 0x7f, // 2 lower bounds: 0, -1
    ];
    let shape = ArrayShape { rank: 3, sizes: vec![4, 5], lower_bounds: vec![0, -1] };
    assert_eq!(a_type(&bytes), Ok(Type::ShapedArray(Box::new(INT), shape)));
    for (bytes, sentence) in [
        (&[0x14, 0x08, 0x21, 0x00, 0x00][..], "an array has at most 32 dimensions"),
        (&[0x14, 0x08, 0x01, 0x02, 0x01, 0x01, 0x00], "more sizes than dimensions"),
        (&[0x14, 0x08, 0x01, 0x00, 0x02, 0x00, 0x00], "more lower bounds than dimensions"),
    ] {
        assert_eq!(a_type(bytes).unwrap_err().to_string(), sentence);
    }
}

#[test]
fn pointers_to_methods() {
    let bytes = [
        0x1b, // function pointer
        0x02, // stdcall
        0x02, // 2 parameters
        0x01, // returns void
        0x0f, 0x01, // void*
        0x10, 0x08, // ref int
    ];
    let Ok(Type::Function(found)) = a_type(&bytes) else { panic!() };
    assert_eq!((found.call, found.returns.value), (CallKind::StdCall, Type::Primitive(Primitive::Void)));
    let pointer = Type::Pointer(Box::new(Type::Primitive(Primitive::Void)));
    assert_eq!(values(&found.parameters), [&pointer, &Type::Reference(Box::new(INT))]);
}

#[test]
fn variable_arguments_begin_at_the_sentinel() {
    let bytes = [
        0x05, // vararg
        0x03, // 3 parameters
        0x01, // returns void
        0x0e, // string
        0x41, // the variable ones
        0x08, 0x0d, // int, double
    ];
    let found = method(&bytes);
    assert_eq!((found.call, found.sentinel, found.parameters.len()), (CallKind::VarArg, Some(1), 3));
    assert_eq!(found.parameters[1].span.start, 0x205);
    assert!(signature(&[0x05, 0x02, 0x01, 0x41, 0x41, 0x08]).is_err(), "two of them");
}

#[test]
fn modifiers_stand_before_what_they_modify() {
    // modreq(TypeRef 1) ref modopt(TypeRef 2) int
    let inner = Type::Modified { required: false, modifier: Token(0x0100_0002), of: Box::new(INT) };
    let outer =
        Type::Modified { required: true, modifier: Token(0x0100_0001), of: Box::new(Type::Reference(Box::new(inner))) };
    assert_eq!(a_type(&[0x1f, 0x05, 0x10, 0x20, 0x09, 0x08]), Ok(outer));
}

#[test]
fn fields_properties_locals_and_instantiations() {
    let Ok(Signature::Field(found)) = signature(&[0x06, 0x13, 0x01]) else { panic!() };
    assert_eq!((found.value, found.span.start, found.span.len), (Type::TypeParameter(1), 0x201, 2));

    let Ok(Signature::Property(found)) = signature(&[0x28, 0x01, 0x0e, 0x08]) else { panic!() };
    assert!(found.has_this);
    assert_eq!((found.returns.value, values(&found.parameters)), (STRING, vec![&INT]));

    let Ok(Signature::Locals(found)) = signature(&[0x07, 0x02, 0x45, 0x10, 0x08, 0x16]) else { panic!() };
    let pinned = Type::Pinned(Box::new(Type::Reference(Box::new(INT))));
    assert_eq!(values(&found), [&pinned, &Type::Primitive(Primitive::TypedByRef)]);

    let Ok(Signature::Instantiation(found)) = signature(&[0x0a, 0x02, 0x08, 0x0e]) else { panic!() };
    assert_eq!(values(&found), [&INT, &STRING]);

    assert_eq!(method(&[0x30, 0x02, 0x00, 0x1e, 0x01]).generic_parameters, 2);
}

#[test]
fn what_is_no_signature_says_where() {
    let says = |bytes: &[u8]| {
        let error = signature(bytes).unwrap_err();
        (error.to_string(), error.span.start - 0x200, error.span.len)
    };
    assert_eq!(says(&[]), ("unexpected end at 0x200: 1 byte needed, 0 left".into(), 0, 0));
    assert_eq!(says(&[0x0b, 0x00, 0x01]), ("unknown calling convention 0xb".into(), 0, 1));
    assert_eq!(says(&[0x06, 0x00]), ("unknown element type 0".into(), 1, 1));
    assert_eq!(says(&[0x06, 0x21, 0, 0, 0, 0]), ("ELEMENT_TYPE_INTERNAL is not valid in a file".into(), 1, 1));
    assert_eq!(says(&[0x06, 0x12, 0x07]), ("the coded index names no table or row".into(), 2, 1));
    assert_eq!(says(&[0x06, 0x12, 0xdf, 0xff, 0xff, 0xfc]), ("the coded index names no table or row".into(), 2, 4));
    assert_eq!(
        says(&[0x06, 0x15, 0x08]),
        ("element type of a generic instance is 8, expected 0x12 (CLASS) or 0x11 (VALUETYPE)".into(), 2, 1)
    );
    assert_eq!(says(&[0x00, 0x03, 0x01, 0x08]), ("unexpected end at 0x204: 1 byte needed, 0 left".into(), 4, 0));
    assert_eq!(
        says(&[0x10, 0xc0, 0x02, 0x00, 0x00, 0x00, 0x01]),
        ("more type parameters than can be numbered".into(), 1, 4)
    );
}

#[test]
fn nesting_ends() {
    let nested = |head: &[u8], times: usize| [&head.repeat(times), &[0x08][..]].concat();
    assert!(a_type(&nested(&[0x1d], 63)).is_ok());
    for head in [&[0x1d][..], &[0x0f], &[0x1f, 0x05], &[0x15, 0x12, 0x05, 0x01], &[0x1b, 0x00, 0x00]] {
        let error = a_type(&nested(head, 1_000_000)).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::TooDeep(_)), "{head:x?}: {error}");
        assert_eq!(error.span.start, 0x200 + 64 * head.len() as u64);
    }
}

/// Bytes that are likelier than most to be a signature.
fn likely() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![3 => 0u8..0x22, 1 => prop::sample::select(vec![0x41u8, 0x45, 0x80, 0xc0]), 1 => any::<u8>()];
    prop::collection::vec(byte, 0..60)
}

proptest! {
    #[test]
    fn any_bytes_are_a_signature_or_an_error(bytes in likely()) {
        for error in [signature(&bytes).err(), a_type(&bytes).err()].into_iter().flatten() {
            prop_assert!(slice(&bytes).span().covers(error.span));
        }
    }
}

#[test]
fn every_field_of_a_signature_has_a_sentence() {
    for bytes in [
        &[0x30, 2, 2, 0x1e, 1, 0x13, 0][..],
        &[0x05, 2, 0x01, 0x0e, 0x41, 0x08],
        &[0x28, 1, 0x0e, 0x08],
        &[0x18, 1, 1, 0x0e, 0x41, 0x08],
        &[0x06, 0x1f, 0x05, 0x12, 0x05],
        &[0x07, 2, 0x45, 0x10, 0x1d, 0x08, 0x0f, 0x01],
        &[0x0a, 1, 0x15, 0x12, 0x05, 1, 0x08],
        &[0x00, 0, 0x1b, 0x00, 1, 0x14, 0x08, 2, 1, 3, 1, 0, 0x1b, 0x00, 0, 0x01],
    ] {
        let missing = undescribed(bytes, |c| decode(c).map(|_| ()));
        assert_eq!(missing, [""; 0], "{bytes:x?}");
    }
    // Any type in any other.
    let heads: [&[u8]; 6] = [&[0x1d], &[0x0f], &[0x45], &[0x20, 5], &[0x15, 0x12, 5, 1], &[0x14]];
    let ends: [&[u8]; 5] = [&[0x08], &[0x12, 5], &[0x13, 0], &[0x1b, 0, 0, 0x01], &[0x14, 0x08, 0, 0, 0]];
    for head in heads {
        for middle in heads {
            for end in ends {
                let missing = undescribed(&[head, middle, end, &[0; 9]].concat(), |c| decode_type(c).map(|_| ()));
                assert_eq!(missing, [""; 0], "{head:x?} {middle:x?} {end:x?}");
            }
        }
    }
}

//! Element types: the first byte of a type (ECMA-335 II.23.1.16).

/// No value: the return type of a method that returns nothing.
pub const VOID: u8 = 0x01;
/// `bool`.
pub const BOOLEAN: u8 = 0x02;
/// `char`, a UTF-16 code unit.
pub const CHAR: u8 = 0x03;
/// `sbyte`.
pub const I1: u8 = 0x04;
/// `byte`.
pub const U1: u8 = 0x05;
/// `short`.
pub const I2: u8 = 0x06;
/// `ushort`.
pub const U2: u8 = 0x07;
/// `int`.
pub const I4: u8 = 0x08;
/// `uint`.
pub const U4: u8 = 0x09;
/// `long`.
pub const I8: u8 = 0x0a;
/// `ulong`.
pub const U8: u8 = 0x0b;
/// `float`.
pub const R4: u8 = 0x0c;
/// `double`.
pub const R8: u8 = 0x0d;
/// `string`.
pub const STRING: u8 = 0x0e;
/// An unmanaged pointer to the type that follows.
pub const PTR: u8 = 0x0f;
/// A managed reference to the type that follows.
pub const BYREF: u8 = 0x10;
/// A value type, by coded token.
pub const VALUETYPE: u8 = 0x11;
/// A class or interface, by coded token.
pub const CLASS: u8 = 0x12;
/// A type parameter of the surrounding type, by number.
pub const VAR: u8 = 0x13;
/// An array with a shape.
pub const ARRAY: u8 = 0x14;
/// A generic type and its type arguments.
pub const GENERICINST: u8 = 0x15;
/// `TypedReference`: a reference and its type.
pub const TYPEDBYREF: u8 = 0x16;
/// `nint`, `System.IntPtr`.
pub const I: u8 = 0x18;
/// `nuint`, `System.UIntPtr`.
pub const U: u8 = 0x19;
/// A pointer to a method of the signature that follows.
pub const FNPTR: u8 = 0x1b;
/// `object`.
pub const OBJECT: u8 = 0x1c;
/// An array of one dimension that begins at 0.
pub const SZARRAY: u8 = 0x1d;
/// A type parameter of the method, by number.
pub const MVAR: u8 = 0x1e;
/// A modifier that callers must understand, by coded token, and the type it modifies.
pub const CMOD_REQD: u8 = 0x1f;
/// A modifier that callers may ignore, by coded token, and the type it modifies.
pub const CMOD_OPT: u8 = 0x20;
/// A pointer inside the running CLR.
pub(crate) const INTERNAL: u8 = 0x21;
/// Any reference type, in ReadyToRun images (`CANON_ZAPSIG`).
pub(crate) const CANON: u8 = 0x3e;
/// A type of another module, in ReadyToRun images (`MODULE_ZAPSIG`).
pub(crate) const MODULE: u8 = 0x3f;
/// Marks the start of a call's variable arguments.
pub const SENTINEL: u8 = 0x41;
/// Local variable whose object the garbage collector must not move.
pub const PINNED: u8 = 0x45;

/// Names in the specification.
pub const NAMES: &[(u64, &str)] = &[
    (VOID as u64, "void"),
    (BOOLEAN as u64, "boolean"),
    (CHAR as u64, "char"),
    (I1 as u64, "i1"),
    (U1 as u64, "u1"),
    (I2 as u64, "i2"),
    (U2 as u64, "u2"),
    (I4 as u64, "i4"),
    (U4 as u64, "u4"),
    (I8 as u64, "i8"),
    (U8 as u64, "u8"),
    (R4 as u64, "r4"),
    (R8 as u64, "r8"),
    (STRING as u64, "string"),
    (PTR as u64, "ptr"),
    (BYREF as u64, "byref"),
    (VALUETYPE as u64, "valuetype"),
    (CLASS as u64, "class"),
    (VAR as u64, "var"),
    (ARRAY as u64, "array"),
    (GENERICINST as u64, "genericinst"),
    (TYPEDBYREF as u64, "typedbyref"),
    (I as u64, "i"),
    (U as u64, "u"),
    (FNPTR as u64, "fnptr"),
    (OBJECT as u64, "object"),
    (SZARRAY as u64, "szarray"),
    (MVAR as u64, "mvar"),
    (CMOD_REQD as u64, "cmod_reqd"),
    (CMOD_OPT as u64, "cmod_opt"),
    (INTERNAL as u64, "internal"),
    (CANON as u64, "canonical"),
    (MODULE as u64, "module"),
    (SENTINEL as u64, "sentinel"),
    (PINNED as u64, "pinned"),
];

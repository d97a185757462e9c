//! Types as a text names them.

use pdblens_formats::signature::Primitive;

/// A type as it is written: its last name, its arguments, and the `?`, `*` and `[,]` that follow.
#[derive(Clone, Debug, Default)]
pub(super) struct TypeName {
    pub name: String,
    pub arguments: Vec<Self>,
    pub suffixes: Vec<Suffix>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Suffix {
    Nullable,
    Pointer,
    Array(u32),
}

/// The primitive type of a keyword or of its name in System.
pub(super) fn primitive(name: &str) -> Option<Primitive> {
    const NAMES: &str = "bool Boolean char Char sbyte SByte byte Byte short Int16 ushort UInt16 int Int32 uint UInt32 long Int64 \
        ulong UInt64 nint IntPtr nuint UIntPtr float Single double Double string String object Object void Void";
    const ALL: [Primitive; 17] = {
        use Primitive::{Boolean, Char, I, I1, I2, I4, I8, Object, R4, R8, String, U, U1, U2, U4, U8, Void};
        [Boolean, Char, I1, U1, I2, U2, I4, U4, I8, U8, I, U, R4, R8, String, Object, Void]
    };
    let position = NAMES.split(' ').position(|known| known == name)?;
    Some(ALL[position / 2])
}

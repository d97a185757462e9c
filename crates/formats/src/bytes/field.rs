use super::{Guid, Span};

/// Encoding of a text field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8; the span has no terminator.
    Utf8,
    /// UTF-8 with a terminating NUL, which the span includes.
    Utf8Z,
    /// UTF-16, little-endian; the span has no terminator.
    Utf16,
    /// UTF-16, little-endian, with a terminating NUL character, which the span includes.
    Utf16Z,
}

/// Raw value of a [`Field`], before it is interpreted.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A record or a part of one, made of the deeper fields that follow it.
    Group,
    Unsigned(u64),
    Signed(i64),
    /// Bits of an IEEE 754 binary32.
    Single(u32),
    /// Bits of an IEEE 754 binary64.
    Double(u64),
    Guid(Guid),
    /// Text, which the span delimits.
    Text(Encoding),
    /// Bytes without further structure, which the span delimits.
    Bytes,
}

impl Value {
    /// Returns the value of an integer; `None` for any other kind. Unsigned values above `i64::MAX` wrap.
    pub const fn number(self) -> Option<i64> {
        match self {
            Self::Unsigned(n) => Some(n.cast_signed()),
            Self::Signed(n) => Some(n),
            _ => None,
        }
    }
}

/// Form of a stored value: how a cursor read it.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReadAs {
    /// Not read by itself: a group, or a fact that is computed.
    #[default]
    Unread,
    U8,
    U16,
    /// Little-endian, 24 bits.
    U24,
    U32,
    U64,
    I8,
    I16,
    I32,
    I64,
    F32,
    F64,
    /// 16 bytes, of which the first three numbers are little-endian.
    Guid,
    /// Compressed unsigned integer, ECMA-335 II.23.2.
    Compressed,
    /// Compressed signed integer, ECMA-335 II.23.2.
    CompressedSigned,
    /// Groups of 7 bits, lowest first (LEB128).
    SevenBit,
    /// The same, the sign in the highest bit of the last group (SLEB128).
    SignedSevenBit,
    /// Unsigned integer of the native format of ready-to-run images.
    Native,
    /// Signed integer of the native format.
    NativeSigned,
    /// Unsigned number of nibbles; true if it begins with the high nibble of its first byte.
    Nibbles(bool),
    /// Signed number of nibbles, the sign in the lowest bit.
    SignedNibbles(bool),
    /// Bits of a little-endian bit string: the first, counted in the first byte, and their number.
    Bits {
        first: u8,
        len: u8,
    },
    Text(Encoding),
    Bytes,
}

/// Change of a decoder's state by one read: a base that later values are relative to, or a result.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    pub state: &'static FieldDoc,
    /// `None` where it has no value yet.
    pub before: Option<i64>,
    pub after: i64,
}

/// Notation of a field's value.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// Decimal numbers, hexadecimal bytes, text as it is.
    Plain,
    Hex,
    /// Enumeration: values and their names.
    OneOf(&'static [(u64, &'static str)]),
    /// Bit set: bits and their names.
    Flags(&'static [(u64, &'static str)]),
    /// Bit field made of flags and of enumerations under a mask: mask, value under the mask, name.
    Parts(&'static [(u64, u64, &'static str)]),
    /// Seconds since 1970, or a part of a hash in a deterministic build.
    Time,
    /// Metadata token; links to its row.
    Token,
    /// RVA; links to its bytes.
    Rva,
    /// Offset in the same file; links to its bytes.
    Offset,
    /// IL offset in the method that the record belongs to.
    IlOffset,
    /// Row of this table.
    Row(&'static str),
    /// GUID that may be well known (a language, a hash algorithm, a kind).
    Guid,
    /// Number of an MSF stream; links to it.
    Stream,
    /// Number of a module, counted from this number; links to it.
    Module(u32),
    /// Type index: of a record in TPI, or of one in IPI in the hash stream of IPI; links to it.
    TypeIndex,
    /// Index of a record in IPI; links to it.
    IdIndex,
    /// Offset in the string table `/names`; links to the string.
    NameOffset,
    /// Offset of an entry in the file checksums of the module; links to it.
    FileChecksum,
    /// Register, in CodeView's numbering for the processor.
    Register,
    /// Lines of a line record, packed into bits.
    PackedLines,
    /// Number of a hash table, whose meaning depends on the numbers before it.
    Hash(HashNumber),
}

/// Kinds of numbers in the hash tables of a PDB, and in the lists that go with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashNumber {
    /// Number of slots.
    SlotCount,
    /// Offset of the name of a stream.
    StreamName,
    /// Offset of the string in a slot.
    StringSlot,
    /// Word of the bits of used slots.
    UsedSlots,
    /// Word of the bits of deleted slots.
    DeletedSlots,
    /// Word of the bits of buckets with records.
    BucketBits,
    /// Position of the first record of a bucket.
    FirstRecord,
    /// Offset of a symbol, plus 1.
    SymbolRecord,
    /// Offset of a symbol.
    Symbol,
    /// Bucket of a type.
    TypeBucket,
    /// Row of a method in the image.
    MethodRow,
}

impl Show {
    /// Formats a number in this notation.
    pub fn number(self, number: i64) -> String {
        match self {
            Self::Token => format!("0x{number:08x}"),
            Self::IlOffset => format!("IL_{number:04x}"),
            Self::Hash(
                HashNumber::SlotCount | HashNumber::StreamName | HashNumber::StringSlot | HashNumber::MethodRow,
            )
            | Self::Plain
            | Self::Row(_)
            | Self::Time
            | Self::OneOf(_)
            | Self::Guid
            | Self::Stream
            | Self::Module(_)
            | Self::Register => number.to_string(),
            Self::Hex
            | Self::Flags(_)
            | Self::Parts(_)
            | Self::Rva
            | Self::Offset
            | Self::TypeIndex
            | Self::IdIndex
            | Self::NameOffset
            | Self::FileChecksum
            | Self::PackedLines
            | Self::Hash(_) => format!("{number:#x}"),
        }
    }
}

/// Description of a field or of a group of fields, declared once beside the decoder that reads it.
///
/// [`record!`](crate::record) and [`fields!`](crate::fields) make constants of this type; the reads of a
/// [`Cursor`](super::Cursor) take them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldDoc {
    /// Name in the specification, in lower case: `"size of raw data"`.
    pub name: &'static str,
    /// Notation of the value.
    pub show: Show,
    /// One sentence that stands alone: purpose, unit, special values.
    pub about: &'static str,
}

impl FieldDoc {
    /// Describes a field shown as [`Show::Plain`].
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, show: Show::Plain, about }
    }

    /// Returns the description with another notation.
    #[must_use]
    pub const fn shown(self, show: Show) -> Self {
        Self { show, ..self }
    }
}

/// Decoded value of a number that is stored in another form (plus 1, negated, relative to a base), recorded as a change.
pub const DECODED: FieldDoc = FieldDoc::new("decoded", "The decoded value of the stored number.");
/// The same for an IL offset.
pub const DECODED_IL_OFFSET: FieldDoc = DECODED.shown(Show::IlOffset);
/// The same for the token that a coded index is decoded to.
pub const DECODED_TOKEN: FieldDoc = DECODED.shown(Show::Token);
/// Zero bytes that align the next field; read by [`Cursor::align`](super::Cursor::align).
pub const PADDING: FieldDoc = FieldDoc::new("padding", "Unused bytes that align the next field.");

/// One value of a record as a recording [`Cursor`](super::Cursor) read it: its description, its bytes, and its value.
///
/// The fields of a record are in the order of its bytes. A [`Value::Group`] spans the fields of greater `depth` that follow
/// it; all others are leaves, and the leaves of a record tile its bytes.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    pub doc: &'static FieldDoc,
    pub span: Span,
    pub value: Value,
    pub read: ReadAs,
    /// Number of enclosing groups.
    pub depth: u8,
}

impl Field {
    /// Name in the specification.
    pub const fn name(&self) -> &'static str {
        self.doc.name
    }
}

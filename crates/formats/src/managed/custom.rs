//! Custom debug information of C# and Visual Basic: data about a method beyond sequence points and scopes.
//!
//! It is stored in `S_OEM` records of the method. `MD2` is a list of records, each with a kind and a length;
//! `asyncMethodInfo` has the points at which an `async` method yields and resumes. Most kinds have an equivalent in
//! Portable PDB:
//!
//! ```text
//! MD2            4, record count, padding; then for each record: 4, kind, 0, padding bytes at its end, length
//! kind 0         how many imports each scope around the method has, the innermost first
//! kinds 1, 2     the imports are those of another method · the module's are with another method
//! kind 3         the scopes of local variables that became fields
//! kind 4         the type that the compiler made for a state machine, by name
//! kind 5         which parts of the types of local variables are `dynamic`
//! kinds 6, 7, 9  what Edit and Continue must know: slots, lambdas, states
//! kind 8         the names of tuple elements
//! ```
//!
//! # References
//!
//! dotnet/roslyn `src/Dependencies/CodeAnalysis.Debugging/CustomDebugInfoEncoder.cs` and `CustomDebugInfoReader.cs`.

use crate::bytes::{At, Cursor, Encoding, Error, Recorder, Result, Slice, Span, fields, record};
use crate::portable::custom::{lambda_map, local_slot_map, state_map};

/// Name of the `S_OEM` record with the list of records.
pub(crate) const MD2: &str = "MD2";
/// The version of the list and of its records.
const VERSION: u8 = 4;

const KINDS: &[(u64, &str)] = &[
    (0, "imports by scope"),
    (1, "imports of another method"),
    (2, "imports of the module"),
    (3, "hoisted local scopes"),
    (4, "state machine type"),
    (5, "dynamic local variables"),
    (6, "Edit and Continue slot map"),
    (7, "Edit and Continue lambda map"),
    (8, "tuple element names"),
    (9, "Edit and Continue state map"),
];

fields! {
    /// Custom debug information: what C# and Visual Basic record about a method besides sequence points and scopes.
    MD2_LIST: "md2";
    /// The version of custom debug information; always 4.
    LIST_VERSION: "version";
    /// The number of records that follow.
    RECORD_COUNT: "record count";
    /// Unused bytes that align the next field.
    LIST_PADDING: "padding";
    /// Bytes after the last record.
    LIST_LEFT_OVER: "left over";
    /// Unused bytes that align the next record to a multiple of 4.
    RECORD_PADDING: "padding";
    /// The content of a record that cannot be decoded.
    RECORD_DATA: "data";
    /// The number of scopes around the method that have imports of their own: namespaces and the file.
    SCOPE_COUNT: "scope count";
    /// The number of the method's imports that belong to the next scope, the innermost first.
    IMPORT_COUNT: "import count";
    /// The method whose record lists the imports, which are the same as this method's.
    FORWARD_TO_METHOD: "forward to method" as Token;
    /// The method whose record lists the extern aliases of the module.
    FORWARD_TO_MODULE: "forward to method for the module" as Token;
    /// The number of local variables of the async method or iterator that were hoisted to fields.
    HOISTED_SCOPE_COUNT: "hoisted scope count";
    /// The type that the compiler generated for this async method or iterator; its MoveNext has the code.
    STATE_MACHINE_TYPE: "state machine type";
    /// The number of local variables and constants with `dynamic` in their type.
    DYNAMIC_LOCAL_COUNT: "dynamic local count";
    /// The number of local variables and constants whose type is a tuple with named elements.
    TUPLE_LOCAL_COUNT: "tuple local count";
    /// A dynamic local: the parts of the variable's type that are `dynamic`.
    DYNAMIC_LOCAL: "dynamic local";
    /// Flags for the parts of the type, one byte each, 1 for `dynamic`: string is 0, List<dynamic> is 0 1.
    DYNAMIC_FLAGS: "dynamic flags";
    /// The number of flags that are used, of 64.
    FLAG_COUNT: "flag count";
    /// The slot of the local variable; also 0 for a constant, which only its name identifies.
    DYNAMIC_SLOT: "slot";
    /// The name of the variable, at most 64 characters; a variable with a longer name has no record.
    DYNAMIC_NAME: "name";
    /// A tuple local: the names of the elements of the variable's type.
    TUPLE_LOCAL: "tuple local";
    /// The number of elements of the tuple.
    ELEMENT_COUNT: "element count";
    /// The name of an element; empty for an element without a name.
    ELEMENT_NAME: "element name";
    /// The slot of the local variable; -1 for a constant.
    TUPLE_SLOT: "slot";
    /// The IL offset at which the scope of a constant begins.
    SCOPE_START: "scope start" as IlOffset;
    /// The IL offset at which the scope of a constant ends (exclusive).
    SCOPE_END: "scope end" as IlOffset;
    /// The name of the variable or constant.
    TUPLE_NAME: "name";
}

record! {
    /// A record of custom debug information: its kind, its length, and its content.
    struct RecordHeader: "md2 record" {
        /// The version of the record; always 4.
        version: u8,
        /// The kind of custom debug information.
        kind: u8 as OneOf(KINDS),
        /// Reserved; must be 0.
        reserved: u8,
        /// The size of the padding at the end of the record in bytes; only kinds from 6 on set it.
        padding_size: u8,
        /// The size of the record in bytes, this header and the padding included.
        length: u32,
    }
}

record! {
    /// The scope of a local variable that was hoisted to a field of the state machine.
    pub struct HoistedScope: "hoisted scope" {
        /// The IL offset at which the variable comes into scope.
        start: u32 as IlOffset,
        /// The IL offset of the last byte of the scope (inclusive, unlike elsewhere); 0 for both offsets means no scope.
        last: u32 as IlOffset,
    }
}

/// One record of an MD2 list.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct CustomRecord {
    /// Kind, as stated.
    pub kind: u8,
    pub span: Span,
    pub value: Result<Custom>,
}

/// Content of a record of an MD2 list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Custom {
    /// Number of imports of each scope around the method, the innermost first.
    UsingGroups(Vec<u16>),
    /// Token of the method that has the imports of this one.
    ForwardMethod(At<u32>),
    /// Token of the method that has the imports of the module.
    ForwardModule(At<u32>),
    /// Scopes of the local variables that were hoisted to fields.
    HoistedScopes(Vec<HoistedScope>),
    /// Span of the name, in UTF-16, of the type of the state machine.
    StateMachineType(Span),
    /// Parts of the types of local variables that are `dynamic`.
    DynamicLocals(Vec<DynamicLocal>),
    /// Span of the map of local variable slots, which has the format of Portable PDB.
    SlotMap(Span),
    /// Span of the map of lambdas and closures, which has the format of Portable PDB.
    LambdaMap(Span),
    /// The names of tuple elements.
    TupleElementNames(Vec<TupleLocal>),
    /// Span of the map of a state machine's states, which has the format of Portable PDB.
    StateMap(Span),
    /// Content of an unknown kind.
    Unknown(Span),
}

impl HoistedScope {
    /// Size of the scope in bytes of IL.
    pub const fn len(&self) -> u32 {
        let last = if self.is_empty() { None } else { self.last.checked_sub(self.start) };
        if let Some(last) = last { last.saturating_add(1) } else { 0 }
    }

    /// Returns true for the empty scope, whose offsets are both 0.
    pub const fn is_empty(&self) -> bool {
        self.start == 0 && self.last == 0
    }
}

/// Parts of the type of a local variable that are `dynamic`.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DynamicLocal {
    /// One flag per part of the type, in the order of `DynamicAttribute`.
    pub flags: Vec<bool>,
    /// The slot; 0 for a constant too.
    pub slot: u32,
    /// Span of its name, in UTF-16 and not more than 64 characters.
    pub name: Span,
    pub span: Span,
}

/// The names of the elements of a tuple.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TupleLocal {
    /// Spans of the names of the elements; empty for an element without a name.
    pub elements: Vec<Span>,
    /// The slot; -1 for a constant.
    pub slot: i32,
    /// The IL offsets where a constant's scope begins and ends.
    pub scope: (i32, i32),
    /// Span of the name of the local variable or constant.
    pub name: Span,
    pub span: Span,
}

/// Decodes an MD2 list.
pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Vec<CustomRecord>> {
    cursor.group(&MD2_LIST, |c| {
        let start = c.position();
        let version = c.u8(&LIST_VERSION)?;
        if version != VERSION {
            return Err(Error::unexpected("version of the MD2 list", version, "4", c.since(start)));
        }
        let count = c.u8(&RECORD_COUNT)?;
        c.u16(&LIST_PADDING)?;
        let records = (0..count).map(|_| decode_record(c)).collect::<Result<Vec<_>>>()?;
        c.left_over(&LIST_LEFT_OVER)?;
        Ok(records)
    })
}

fn decode_record<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<CustomRecord> {
    c.group(&RecordHeader::DOC, |c| {
        let start = c.position();
        let RecordHeader { version, kind, padding_size, length, .. } = RecordHeader::decode_fields(c)?;
        let Some(len) = (length as u64).checked_sub(RecordHeader::SIZE) else {
            let expected = "at least its header's 8";
            return Err(Error::unexpected("length of the record", length, expected, c.since(start)));
        };
        // The padding size is meaningful for newer kinds only.
        let padding = if kind > 5 { (padding_size as u64).min(len) } else { 0 };
        let end = c.consumed() + len;
        c.require(len, start)?;
        let value = match version {
            VERSION => c.within(len - padding, |c| Custom::decode(kind, c)),
            _ => Err(Error::unexpected("version of the record", version, "4", c.since(start))),
        };
        let left = end.saturating_sub(c.consumed());
        if left > 0 {
            c.bytes(if value.is_ok() { &RECORD_PADDING } else { &RECORD_DATA }, left)?;
        }
        Ok(CustomRecord { kind, span: c.since(start), value })
    })
}

impl Custom {
    fn decode<N: Recorder>(kind: u8, c: &mut Cursor<'_, N>) -> Result<Self> {
        let start = c.position();
        Ok(match kind {
            0 => {
                let count = c.u16(&SCOPE_COUNT)?;
                Self::UsingGroups((0..count).map(|_| c.u16(&IMPORT_COUNT)).collect::<Result<_>>()?)
            }
            1 => Self::ForwardMethod(c.spanned(|c| c.u32(&FORWARD_TO_METHOD))?),
            2 => Self::ForwardModule(c.spanned(|c| c.u32(&FORWARD_TO_MODULE))?),
            3 => {
                let count = c.u32(&HOISTED_SCOPE_COUNT)?;
                Self::HoistedScopes(list(c, count, HoistedScope::SIZE, HoistedScope::decode)?)
            }
            4 => Self::StateMachineType(c.text_16z(&STATE_MACHINE_TYPE)?.span()),
            5 => {
                let count = c.u32(&DYNAMIC_LOCAL_COUNT)?;
                Self::DynamicLocals(list(c, count, 200, |c| c.group(&DYNAMIC_LOCAL, DynamicLocal::decode))?)
            }
            6 => {
                local_slot_map::decode(c)?;
                Self::SlotMap(c.since(start))
            }
            7 => {
                lambda_map::decode(c)?;
                Self::LambdaMap(c.since(start))
            }
            8 => {
                let count = c.u32(&TUPLE_LOCAL_COUNT)?;
                Self::TupleElementNames(list(c, count, 17, |c| c.group(&TUPLE_LOCAL, TupleLocal::decode))?)
            }
            9 => {
                state_map::decode(c)?;
                Self::StateMap(c.since(start))
            }
            _ => Self::Unknown(c.bytes(&RECORD_DATA, c.left())?.span()),
        })
    }
}

/// Reads `count` elements of at least `least` bytes each.
pub(super) fn list<'a, N: Recorder, T>(
    c: &mut Cursor<'a, N>,
    count: u32,
    least: u64,
    read: impl Fn(&mut Cursor<'a, N>) -> Result<T>,
) -> Result<Vec<T>> {
    c.require(count as u64 * least, c.position())?;
    (0..count).map(|_| read(c)).collect()
}

impl DynamicLocal {
    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Self> {
        let start = c.position();
        let flags = c.bytes(&DYNAMIC_FLAGS, 64)?;
        let count = c.spanned(|c| c.u32(&FLAG_COUNT))?;
        let slot = c.u32(&DYNAMIC_SLOT)?;
        let name = c.text(&DYNAMIC_NAME, 128, Encoding::Utf16)?;
        let Some(flags) = flags.data.get(..count.value as usize) else {
            return Err(Error::no_such("flag", count.value, flags.len(), count.span));
        };
        let units = name.data.chunks_exact(2).position(|unit| unit == [0, 0]);
        let len = units.map_or(name.len(), |units| units as u64 * 2);
        let flags = flags.iter().map(|flag| *flag != 0).collect();
        Ok(Self { flags, slot, name: name.span().part(0, len), span: c.since(start) })
    }
}

impl TupleLocal {
    fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Self> {
        let start = c.position();
        let count = c.u32(&ELEMENT_COUNT)?;
        let elements = list(c, count, 1, |c| c.text_z(&ELEMENT_NAME).map(Slice::span))?;
        let slot = c.i32(&TUPLE_SLOT)?;
        let scope = (c.i32(&SCOPE_START)?, c.i32(&SCOPE_END)?);
        let name = c.text_z(&TUPLE_NAME)?.span();
        Ok(Self { elements, slot, scope, name, span: c.since(start) })
    }
}

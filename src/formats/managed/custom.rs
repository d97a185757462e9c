//! Custom debug information: what C# and Visual Basic say about a method beyond points and scopes.
//!
//! It is in `S_OEM` records of the method. The one called `MD2` is a list of records, each with a kind and a length; the one
//! called `asyncMethodInfo` says where an `async` method yields and goes on. Most kinds have a Portable PDB relative:
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

use crate::bytes::{At, Cursor, Encoding, Error, ErrorKind, Notes, Result, Slice, Span};
use crate::formats::portable::custom::{lambda_map, local_slot_map, state_map};

/// What the `S_OEM` record with the list of records is called.
pub const MD2: &str = "MD2";

/// What the `S_OEM` record of an `async` method is called.
pub const ASYNC_METHOD_INFO: &str = "asyncMethodInfo";

/// The version of the list and of its records.
const VERSION: u8 = 4;

/// The bytes of a record before its content.
const RECORD_HEADER: u64 = 8;

/// One record of an MD2 list.
#[derive(Clone, Debug)]
pub struct CustomRecord {
    /// What kind it says it is.
    pub kind: u8,
    /// All of it.
    pub span: Span,
    /// What it says.
    pub value: Result<Custom>,
}

/// What a record of an MD2 list says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Custom {
    /// How many imports each scope around the method has, the innermost first.
    UsingGroups(Vec<u16>),
    /// The imports are those of this method.
    ForwardMethod(At<u32>),
    /// The imports of the module are with this method.
    ForwardModule(At<u32>),
    /// Where each local variable that became a field is in scope.
    HoistedScopes(Vec<At<HoistedScope>>),
    /// Where the name, in UTF-16, of the type of the state machine stands.
    StateMachineType(Span),
    /// Which parts of the types of local variables are `dynamic`.
    DynamicLocals(Vec<DynamicLocal>),
    /// Where the map of local variable slots stands: as in Portable PDB.
    SlotMap(Span),
    /// Where the map of lambdas and closures stands: as in Portable PDB.
    LambdaMap(Span),
    /// The names of tuple elements.
    TupleElementNames(Vec<TupleLocal>),
    /// Where the map of the states of a state machine stands: as in Portable PDB.
    StateMap(Span),
    /// A kind that is not known: where its content stands.
    Unknown(Span),
}

/// Where a local variable that became a field is in scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HoistedScope {
    /// The IL offset where its scope begins.
    pub start: u32,
    /// The IL offset of the last byte of its scope. Start and end 0: it is in scope nowhere.
    pub last: u32,
}

impl HoistedScope {
    /// How many bytes of IL it is in scope for.
    pub const fn len(self) -> u32 {
        if self.is_empty() || self.last < self.start { 0 } else { (self.last - self.start).saturating_add(1) }
    }

    /// Whether it is in scope nowhere.
    pub const fn is_empty(self) -> bool {
        self.start == 0 && self.last == 0
    }
}

/// Which parts of the type of a local variable are `dynamic`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DynamicLocal {
    /// One a part of the type, in the order of the custom attribute.
    pub flags: Vec<bool>,
    /// The slot; 0 for a constant too.
    pub slot: u32,
    /// Where its name, in UTF-16 and not more than 64 characters, stands.
    pub name: Span,
    /// All of it.
    pub span: Span,
}

/// The names of the elements of a tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TupleLocal {
    /// Where the name of each element stands; empty for one without.
    pub elements: Vec<Span>,
    /// The slot; -1 for a constant.
    pub slot: i32,
    /// The IL offsets where a constant's scope begins and ends.
    pub scope: (i32, i32),
    /// Where the name of the local variable or constant stands.
    pub name: Span,
    /// All of it.
    pub span: Span,
}

/// Reads all records of an MD2 list.
pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Vec<CustomRecord>> {
    cursor.group("md2", |c| {
        let start = c.position();
        let version = c.u8("version")?;
        if version != VERSION {
            return Err(c.error_since(start, ErrorKind::Invalid("custom debug information of a version other than 4")));
        }
        let count = c.u8("record count")?;
        c.u16("padding")?;
        let records = (0..count).map(|_| record(c)).collect::<Result<Vec<_>>>()?;
        if !c.is_done() {
            c.bytes("left over", c.left())?;
        }
        Ok(records)
    })
}

fn record<N: Notes>(c: &mut Cursor<'_, N>) -> Result<CustomRecord> {
    c.group("md2 record", |c| {
        let start = c.position();
        let version = c.u8("version")?;
        let kind = c.u8("kind")?;
        c.u8("reserved")?;
        let padding = c.u8("padding size")?;
        let len = c.u32("length")? as u64;
        let Some(len) = len.checked_sub(RECORD_HEADER) else {
            return Err(c.error_since(start, ErrorKind::Invalid("a record is shorter than what it begins with")));
        };
        // The number of padding bytes means something for the newer kinds only.
        let padding = if kind > 5 { (padding as u64).min(len) } else { 0 };
        let end = c.consumed() + len;
        if len > c.left() {
            return Err(c.error_since(start, ErrorKind::UnexpectedEnd { wanted: len, left: c.left() }));
        }
        let value = match version {
            VERSION => c.within(len - padding, |c| Custom::decode(kind, c)),
            _ => Err(Error::invalid("a record of a version other than 4", c.since(start))),
        };
        let left = end.saturating_sub(c.consumed());
        if left > 0 {
            c.bytes(if value.is_ok() { "padding" } else { "data" }, left)?;
        }
        Ok(CustomRecord { kind, span: c.since(start), value })
    })
}

impl Custom {
    /// Reads the bytes that a record of this kind holds.
    fn decode<N: Notes>(kind: u8, c: &mut Cursor<'_, N>) -> Result<Self> {
        let start = c.position();
        Ok(match kind {
            0 => {
                let count = c.u16("scope count")?;
                Self::UsingGroups((0..count).map(|_| c.u16("import count")).collect::<Result<_>>()?)
            }
            1 => Self::ForwardMethod(at(c, |c| c.u32("forward to method"))?),
            2 => Self::ForwardModule(at(c, |c| c.u32("forward to method for the module"))?),
            3 => {
                let count = c.u32("hoisted scope count")?;
                Self::HoistedScopes(list(c, count, 8, |c| c.group("hoisted scope", |c| at(c, HoistedScope::decode)))?)
            }
            4 => Self::StateMachineType(c.text_16z("state machine type")?.span()),
            5 => {
                let count = c.u32("dynamic local count")?;
                Self::DynamicLocals(list(c, count, 200, |c| c.group("dynamic local", DynamicLocal::decode))?)
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
                let count = c.u32("tuple local count")?;
                Self::TupleElementNames(list(c, count, 17, |c| c.group("tuple local", TupleLocal::decode))?)
            }
            9 => {
                state_map::decode(c)?;
                Self::StateMap(c.since(start))
            }
            _ => Self::Unknown(c.bytes("data", c.left())?.span()),
        })
    }
}

fn at<N: Notes, T>(c: &mut Cursor<'_, N>, read: impl FnOnce(&mut Cursor<'_, N>) -> Result<T>) -> Result<At<T>> {
    let start = c.position();
    Ok(At::new(read(c)?, c.since(start)))
}

/// Reads `count` things, each of which takes `least` bytes or more.
fn list<'a, N: Notes, T>(
    c: &mut Cursor<'a, N>,
    count: u32,
    least: u64,
    read: impl Fn(&mut Cursor<'a, N>) -> Result<T>,
) -> Result<Vec<T>> {
    let wanted = count as u64 * least;
    if wanted > c.left() {
        return Err(c.error_since(c.position(), ErrorKind::UnexpectedEnd { wanted, left: c.left() }));
    }
    (0..count).map(|_| read(c)).collect()
}

impl HoistedScope {
    fn decode<N: Notes>(c: &mut Cursor<'_, N>) -> Result<Self> {
        Ok(Self { start: c.u32("start")?, last: c.u32("last")? })
    }
}

impl DynamicLocal {
    fn decode<N: Notes>(c: &mut Cursor<'_, N>) -> Result<Self> {
        let start = c.position();
        let flags = c.bytes("dynamic flags", 64)?;
        let count = at(c, |c| c.u32("flag count"))?;
        let slot = c.u32("slot")?;
        let name = c.text("name", 128, Encoding::Utf16)?;
        let Some(flags) = flags.data.get(..count.value as usize) else {
            let kind = ErrorKind::NoSuch { what: "flag", index: count.value as u64, count: flags.len() };
            return Err(Error::new(kind, count.span));
        };
        let len =
            name.data.chunks_exact(2).position(|unit| unit == [0, 0]).map_or(name.len(), |units| units as u64 * 2);
        let flags = flags.iter().map(|flag| *flag != 0).collect();
        Ok(Self { flags, slot, name: name.span().part(0, len), span: c.since(start) })
    }
}

impl TupleLocal {
    fn decode<N: Notes>(c: &mut Cursor<'_, N>) -> Result<Self> {
        let start = c.position();
        let count = c.u32("element count")?;
        let elements = list(c, count, 1, |c| c.text_z("element name").map(Slice::span))?;
        let slot = c.i32("slot")?;
        let scope = (c.i32("scope start")?, c.i32("scope end")?);
        let name = c.text_z("name")?.span();
        Ok(Self { elements, slot, scope, name, span: c.since(start) })
    }
}

/// What `asyncMethodInfo` says: where an `async` method yields, and where it goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsyncInfo {
    /// The token of the method that starts the state machine.
    pub kickoff: At<u32>,
    /// The IL offset of the handler that the compiler made for exceptions that nobody awaits.
    pub catch_handler: Option<At<u32>>,
    /// Where it yields and goes on.
    pub awaits: Vec<At<Await>>,
}

/// One `await`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Await {
    /// The IL offset where it yields.
    pub yields: u32,
    /// The method that goes on: the same one, as a rule.
    pub method: u32,
    /// The IL offset where it goes on.
    pub resumes: u32,
}

impl AsyncInfo {
    /// Reads what the record holds.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group("async method info", |c| {
            let kickoff = at(c, |c| c.u32("kickoff method"))?;
            let catch_handler = at(c, |c| c.u32("catch handler"))?;
            let count = c.u32("await count")?;
            let awaits = list(c, count, 12, |c| {
                c.group("async await", |c| {
                    at(c, |c| {
                        let (yields, method) = (c.u32("yield offset")?, c.u32("resume method")?);
                        Ok(Await { yields, method, resumes: c.u32("resume offset")? })
                    })
                })
            })?;
            if !c.is_done() {
                c.bytes("left over", c.left())?;
            }
            let catch_handler = (catch_handler.value != u32::MAX).then_some(catch_handler);
            Ok(Self { kickoff, catch_handler, awaits })
        })
    }
}

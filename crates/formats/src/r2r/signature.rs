//! Signatures of ReadyToRun images: methods and fields by token, with their type arguments, and fixups.

use crate::bytes::{Cursor, Error, Recorder, Result, fields};
use crate::metadata::{TableId, Token};
use crate::signature::{Type, decode_native_type};

/// Bits of a method signature.
const METHOD_FLAGS: &[(u64, &str)] = &[
    (0x01, "unboxing stub"),
    (0x02, "instantiating stub"),
    (0x04, "method instantiation"),
    (0x08, "slot instead of token"),
    (0x10, "MemberRef"),
    (0x20, "constrained"),
    (0x40, "owner type"),
    (0x80, "module"),
];

const METHOD_INSTANTIATION: u32 = 0x04;
const SLOT: u32 = 0x08;
const MEMBER_REF: u32 = 0x10;
const CONSTRAINED: u32 = 0x20;
const OWNER_TYPE: u32 = 0x40;
const UPDATE_CONTEXT: u32 = 0x80;

/// Bits of a field signature.
const FIELD_FLAGS: &[(u64, &str)] = &[(1, "index instead of token"), (2, "MemberRef"), (4, "owner type")];

/// Bits of a type's layout.
const LAYOUT_FLAGS: &[(u64, &str)] =
    &[(1, "HFA"), (2, "alignment"), (4, "native alignment"), (8, "GC layout"), (0x10, "empty GC layout")];

/// Bit of a fixup's kind: a module follows, which the tokens belong to.
const MODULE_OVERRIDE: u8 = 0x80;

/// Limit of fixups in fixups: a dictionary lookup has one.
const MAX_DEPTH: usize = 4;

/// Names of the runtime's helper functions (ReadyToRunHelper), from the number of the first of each run. 0x40 is `NativeMemSet` in newer
/// versions, which have a managed `MemSet`.
const HELPERS: &[(u32, &str)] = &[
    (0x01, "Module GSCookie IndirectTrapThreads"),
    (0x08, "DelayLoad_MethodCall"),
    (0x10, "DelayLoad_Helper DelayLoad_Helper_Obj DelayLoad_Helper_ObjObj"),
    (0x20, "Throw Rethrow Overflow RngChkFail FailFast ThrowNullRef ThrowDivZero ThrowExact"),
    (0x30, "WriteBarrier CheckedWriteBarrier ByRefWriteBarrier BulkWriteBarrier"),
    (0x38, "Stelem_Ref Ldelema_Ref"),
    (0x3e, "MemZero MemSet MemSet MemCpy PInvokeBegin PInvokeEnd GCPoll ReversePInvokeEnter ReversePInvokeExit"),
    (0x50, "GetString LogMethodEnter"),
    (0x54, "GetRuntimeTypeHandle GetRuntimeMethodHandle GetRuntimeFieldHandle"),
    (0x58, "Box Box_Nullable Unbox Unbox_Nullable NewMultiDimArr"),
    (
        0x60,
        "NewObject NewArray CheckCastAny CheckInstanceAny GenericGcStaticBase GenericNonGcStaticBase GenericGcTlsBase",
    ),
    (0x67, "GenericNonGcTlsBase VirtualFuncPtr IsInstanceOfException NewMaybeFrozenArray NewMaybeFrozenObject"),
    (0xc0, "LMul LMulOfv ULMulOvf LDiv LMod ULDiv ULMod LLsh LRsh LRsz Lng2Dbl ULng2Dbl Div Mod UDiv UMod"),
    (0xd0, "Dbl2Int Dbl2IntOvf Dbl2Lng Dbl2LngOvf Dbl2UInt Dbl2UIntOvf Dbl2ULng Dbl2ULngOvf Lng2Flt ULng2Flt"),
    (0xe0, "DblRem FltRem DblRound FltRound"),
    (0xf0, "PersonalityRoutine PersonalityRoutineFilterFunclet"),
    (0xf8, "MonitorEnter MonitorExit"),
    (0x100, "WriteBarrier_EAX WriteBarrier_EBX WriteBarrier_ECX WriteBarrier_ESI WriteBarrier_EDI WriteBarrier_EBP"),
    (0x106, "CheckedWriteBarrier_EAX CheckedWriteBarrier_EBX CheckedWriteBarrier_ECX CheckedWriteBarrier_ESI"),
    (0x10a, "CheckedWriteBarrier_EDI CheckedWriteBarrier_EBP"),
    (0x110, "EndCatch StackProbe GetCurrentManagedThreadId"),
];

/// Name of a helper function of the runtime; `None` for a number without a known name.
pub fn helper_name(number: u32) -> Option<&'static str> {
    let (first, names) = HELPERS.iter().rfind(|(first, _)| *first <= number)?;
    names.split(' ').nth(number.checked_sub(*first)? as usize)
}

/// Kinds of fixups (ReadyToRunFixupKind).
pub const FIXUP_KINDS: &[(u64, &str)] = &[
    (0x07, "this object dictionary lookup"),
    (0x08, "type dictionary lookup"),
    (0x09, "method dictionary lookup"),
    (0x10, "type handle"),
    (0x11, "method handle"),
    (0x12, "field handle"),
    (0x13, "method entry"),
    (0x14, "method entry by MethodDef"),
    (0x15, "method entry by MemberRef"),
    (0x16, "virtual entry"),
    (0x17, "virtual entry by MethodDef"),
    (0x18, "virtual entry by MemberRef"),
    (0x19, "virtual entry by slot"),
    (0x1a, "helper"),
    (0x1b, "string"),
    (0x1c, "new object"),
    (0x1d, "new array"),
    (0x1e, "is instance of"),
    (0x1f, "cast"),
    (0x20, "field address"),
    (0x21, "static constructor trigger"),
    (0x22, "static base"),
    (0x23, "static base with references"),
    (0x24, "thread static base"),
    (0x25, "thread static base with references"),
    (0x26, "field base offset"),
    (0x27, "field offset"),
    (0x28, "type dictionary"),
    (0x29, "method dictionary"),
    (0x2a, "check type layout"),
    (0x2b, "check field offset"),
    (0x2c, "delegate constructor"),
    (0x2d, "declaring type handle"),
    (0x2e, "indirect P/Invoke target"),
    (0x2f, "P/Invoke target"),
    (0x30, "check instruction sets"),
    (0x31, "verify field offset"),
    (0x32, "verify type layout"),
    (0x33, "check virtual override"),
    (0x34, "verify virtual override"),
    (0x35, "check IL body"),
    (0x36, "verify IL body"),
];

fields! {
    /// A method by its token, with the type arguments that the code is compiled for.
    METHOD: "method signature";
    /// The parts that the signature has.
    FLAGS: "method flags" as Flags(METHOD_FLAGS);
    /// The module that the tokens belong to: 0 for this image, then the rows of AssemblyRef, then those of the manifest.
    MODULE: "module";
    /// The row of MethodDef.
    METHOD_DEF: "row of MethodDef" as Row("MethodDef");
    /// The row of MemberRef.
    MEMBER_REF_ROW: "row of MemberRef" as Row("MemberRef");
    /// The slot of the virtual method.
    SLOT_NUMBER: "slot";
    /// The number of type arguments of the method.
    ARGUMENT_COUNT: "argument count";
    /// A field by its token.
    FIELD: "field signature";
    /// The parts that the signature has.
    FIELD_FLAG_BITS: "field flags" as Flags(FIELD_FLAGS);
    /// The row of Field.
    FIELD_ROW: "row of Field" as Row("Field");
    /// The number of the field in its type.
    FIELD_INDEX: "field index";
    /// The content of a cell, which the runtime computes, or a condition, which it checks.
    FIXUP: "fixup";
    /// The kind of the fixup; 0x80 is set if a module follows.
    KIND: "kind" as Parts(KIND_PARTS);
    /// The number of the runtime's helper function.
    HELPER: "helper" as Hex;
    /// The offset of the text in the heap #US.
    STRING: "string offset" as Hex;
    /// The layout that the code was compiled for.
    LAYOUT: "layout flags" as Flags(LAYOUT_FLAGS);
    /// The size of the type in bytes.
    TYPE_SIZE: "type size";
    /// The kind of a struct of equal floating-point numbers.
    HFA: "hfa type";
    /// The alignment of the type in bytes.
    ALIGNMENT: "alignment";
    /// The words of the type that hold references, a bit a word.
    REFERENCES: "gc layout";
    /// The offset of the field that the code was compiled for.
    FIELD_OFFSET: "field offset";
    /// The number of instruction sets.
    SET_COUNT: "count of instruction sets";
    /// An instruction set, times 2, plus 1 if the code uses it.
    SET: "instruction set";
    /// 1 if an overriding method follows.
    OVERRIDE_FLAGS: "override flags" as Hex;
}

/// Kinds and the module bit, under their masks.
const KIND_PARTS: &[(u64, u64, &str)] = &kind_parts();

const fn kind_parts() -> [(u64, u64, &'static str); FIXUP_KINDS.len() + 1] {
    let mut parts = [(0x80, 0x80, "module"); FIXUP_KINDS.len() + 1];
    let (mut from, mut to): (&[_], &mut [_]) = (FIXUP_KINDS, &mut parts);
    while let ([(value, name), from_rest @ ..], [part, to_rest @ ..]) = (from, to) {
        *part = (0x7f, *value, *name);
        (from, to) = (from_rest, to_rest);
    }
    parts
}

/// A method as code refers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodReference {
    /// Bits of the signature.
    pub flags: u32,
    /// Module that the tokens belong to; 0 for this image.
    pub module: u32,
    /// MethodDef or MemberRef; nil for a slot.
    pub token: Token,
    /// Type that owns the method, instantiated.
    pub owner: Option<Type>,
    /// Type arguments of the method.
    pub arguments: Vec<Type>,
}

/// Operand of a fixup.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FixupTarget {
    Type(Type),
    Method(MethodReference),
    /// Field or MemberRef, and the type that owns it.
    Field(Token, Option<Type>),
    /// Offset in the heap #US.
    Text(u32),
    Helper(u32),
    /// Something else, which is not decoded.
    Other,
}

/// A fixup: the kind of a cell's content, and of what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixup {
    /// Kind, without the bit of a module.
    pub kind: u8,
    /// Module that the tokens belong to; 0 for this image.
    pub module: u32,
    /// Operand.
    pub target: FixupTarget,
}

impl Fixup {
    /// Name of the kind.
    pub fn name(&self) -> &'static str {
        FIXUP_KINDS.iter().find(|(kind, _)| *kind == u64::from(self.kind)).map_or("unknown fixup", |(_, name)| name)
    }
}

/// Reads a method signature.
pub fn method<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<MethodReference> {
    c.group(&METHOD, |c| {
        let flags = c.compressed(&FLAGS)?;
        let module = if flags & UPDATE_CONTEXT != 0 { c.compressed(&MODULE)? } else { 0 };
        let owner = if flags & OWNER_TYPE != 0 { Some(decode_native_type(c)?) } else { None };
        let token = if flags & SLOT != 0 {
            c.compressed(&SLOT_NUMBER)?;
            Token(0)
        } else if flags & MEMBER_REF != 0 {
            row(c, &MEMBER_REF_ROW, TableId::MEMBER_REF)?
        } else {
            row(c, &METHOD_DEF, TableId::METHOD_DEF)?
        };
        let mut arguments = Vec::new();
        if flags & METHOD_INSTANTIATION != 0 {
            for _ in 0..c.compressed(&ARGUMENT_COUNT)? {
                arguments.push(decode_native_type(c)?);
            }
        }
        if flags & CONSTRAINED != 0 {
            decode_native_type(c)?;
        }
        Ok(MethodReference { flags, module, token, owner, arguments })
    })
}

fn row<N: Recorder>(c: &mut Cursor<'_, N>, doc: &'static crate::bytes::FieldDoc, table: TableId) -> Result<Token> {
    let start = c.position();
    match c.compressed(doc)? {
        row if row < 1 << 24 => Ok(Token::new(table, row)),
        _ => Err(Error::invalid("the row number exceeds that of a token", c.since(start))),
    }
}

fn field<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<FixupTarget> {
    c.group(&FIELD, |c| {
        let flags = c.compressed(&FIELD_FLAG_BITS)?;
        let owner = if flags & 4 != 0 { Some(decode_native_type(c)?) } else { None };
        if flags & 1 != 0 {
            c.compressed(&FIELD_INDEX)?;
            return Ok(FixupTarget::Field(Token(0), owner));
        }
        let token = if flags & 2 != 0 {
            row(c, &MEMBER_REF_ROW, TableId::MEMBER_REF)?
        } else {
            row(c, &FIELD_ROW, TableId::FIELD)?
        };
        Ok(FixupTarget::Field(token, owner))
    })
}

/// Reads a fixup.
pub fn fixup<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Fixup> {
    c.group(&FIXUP, |c| nested(c, 0))
}

fn nested<N: Recorder>(c: &mut Cursor<'_, N>, depth: usize) -> Result<Fixup> {
    let start = c.position();
    let kind = c.u8(&KIND)?;
    let module = if kind & MODULE_OVERRIDE != 0 { c.compressed(&MODULE)? } else { 0 };
    let kind = kind & !MODULE_OVERRIDE;
    let own_method = |token| MethodReference { flags: 0, module, token, owner: None, arguments: Vec::new() };
    let target = match kind {
        0x07..=0x09 if depth >= MAX_DEPTH => {
            return Err(Error::invalid("fixups are nested too deeply", c.since(start)));
        }
        0x07 => {
            decode_native_type(c)?;
            return nested(c, depth + 1);
        }
        0x08 | 0x09 => return nested(c, depth + 1),
        0x10 | 0x1c..=0x1f | 0x21..=0x26 | 0x28 | 0x2d => FixupTarget::Type(decode_native_type(c)?),
        0x11 | 0x13 | 0x16 | 0x29 | 0x2e | 0x2f => FixupTarget::Method(method(c)?),
        0x12 | 0x20 | 0x27 => field(c)?,
        0x14 | 0x17 => FixupTarget::Method(own_method(row(c, &METHOD_DEF, TableId::METHOD_DEF)?)),
        0x15 | 0x18 => FixupTarget::Method(own_method(row(c, &MEMBER_REF_ROW, TableId::MEMBER_REF)?)),
        0x19 => {
            c.compressed(&SLOT_NUMBER)?;
            FixupTarget::Type(decode_native_type(c)?)
        }
        0x1a => FixupTarget::Helper(c.compressed(&HELPER)?),
        0x1b => FixupTarget::Text(c.compressed(&STRING)?),
        _ => check(c, kind)?,
    };
    Ok(Fixup { kind, module, target })
}

/// Reads a condition that the runtime checks, as far as its form is known.
fn check<N: Recorder>(c: &mut Cursor<'_, N>, kind: u8) -> Result<FixupTarget> {
    Ok(match kind {
        0x2a | 0x32 => {
            let of = decode_native_type(c)?;
            layout(c)?;
            FixupTarget::Type(of)
        }
        0x2b => {
            c.compressed(&FIELD_OFFSET)?;
            field(c)?
        }
        0x31 => {
            c.compressed(&FIELD_OFFSET)?;
            c.compressed(&FIELD_OFFSET)?;
            field(c)?
        }
        0x2c => {
            let target = method(c)?;
            decode_native_type(c)?;
            FixupTarget::Method(target)
        }
        0x30 => {
            for _ in 0..c.compressed(&SET_COUNT)? {
                c.compressed(&SET)?;
            }
            FixupTarget::Other
        }
        0x33 | 0x34 => {
            let flags = c.compressed(&OVERRIDE_FLAGS)?;
            let declared = method(c)?;
            decode_native_type(c)?;
            if flags & 1 != 0 {
                method(c)?;
            }
            FixupTarget::Method(declared)
        }
        _ => FixupTarget::Other,
    })
}

fn layout<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    let flags = c.compressed(&LAYOUT)?;
    let size = c.compressed(&TYPE_SIZE)?;
    if flags & 1 != 0 {
        c.compressed(&HFA)?;
    }
    if flags & 2 != 0 && flags & 4 == 0 {
        c.compressed(&ALIGNMENT)?;
    }
    if flags & 8 != 0 && flags & 0x10 == 0 {
        // A bit for each word of 8 bytes.
        c.bytes(&REFERENCES, u64::from(size).div_ceil(8).div_ceil(8))?;
    }
    Ok(())
}

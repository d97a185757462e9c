//! Symbol records that managed compilers write, with one struct per kind.
//!
//! A managed PDB uses few kinds of symbols; [`crate::codeview::symbols`] has the columns of all others.

use super::async_info::{ASYNC_METHOD_INFO, AsyncInfo};
use super::custom;
use crate::bytes::{At, Cursor, FieldDoc, Guid, Recorder, Result, Slice, fields, record};
use crate::codeview::Leaf;
use crate::codeview::flags::LOCAL_FLAGS;
use crate::codeview::symbols::{KIND, LENGTH, PADDING, Record, SYMBOL, kind};

fields! {
    /// The data of a kind of symbol that managed PDBs do not use.
    OTHER_DATA: "other data";
    /// The name of the method without its type; the module has the name of the type.
    METHOD_NAME: "name";
    /// The name of the scope, which is always empty.
    BLOCK_NAME: "name";
    /// The name of the variable in the source, or a name that the compiler generated.
    SLOT_NAME: "name";
    /// A local constant of a method, which has no slot: its value is in this record.
    MANAGED_CONSTANT: "managed constant";
    /// The row of StandAloneSig with the constant's type: the value alone does not tell 5 from DayOfWeek.Friday, or 0 from null.
    CONSTANT_SIGNATURE: "signature" as Token;
    /// The name of the constant in the source.
    CONSTANT_NAME: "name";
    /// An import of the method.
    IMPORT: "import";
    /// The import, whose first character is its kind: U namespace, A alias, T type, X and Z extern alias; @ and * are used by
    /// Visual Basic.
    IMPORT_NAME: "name";
    /// A record that the compiler defines, for what CodeView has no symbol for.
    OEM: "oem";
    /// The GUID of the owner of the record; C6EA3FC9-… stands for Microsoft's managed compilers.
    OEM_ID: "id";
    /// The type index; unused, 0.
    OEM_TYPE: "type";
    /// The name of the record: MD2 or asyncMethodInfo.
    OEM_NAME: "name";
    /// The contents of the record.
    OEM_DATA: "data";
    /// The name of the method, or in S_TOKENREF its token in hexadecimal digits.
    REFERENCE_NAME: "name";
    /// The name of the symbol; COM+_Entry_Point is the entry point of a managed program.
    PUBLIC_NAME: "name";
}

record! {
    /// A method: its token, and the range of its IL in the numbering of all IL.
    pub struct Procedure: "method" {
        /// The offset of the record of the enclosing scope; 0, because a method is in no scope.
        parent: u32,
        /// The offset in this stream of the S_END that closes the method.
        end: u32 as Offset,
        /// The offset of the next method; 0 in managed PDBs.
        next: u32 as Offset,
        /// The size of the method's IL in bytes.
        len "length of code": u32,
        /// The end of the prologue; used for native code only.
        debug_start: u32,
        /// The start of the epilogue; used for native code only.
        debug_end: u32,
        /// The MethodDef token of the method, which connects its symbols with its code.
        token: u32 as Token,
        /// The offset of the method's IL in the numbering of all IL, to which lines, scopes and contributions refer.
        offset: u32 as Hex,
        /// The section of the IL; always 1, because all IL is numbered as if it were in one section.
        section: u16,
        /// Properties of the procedure; used for native code only.
        flags: u8 as Hex,
        /// The register of the return value; used for native code only.
        return_register: u16,
    }
}

record! {
    /// A scope: the range of IL in which some variables have names.
    pub struct Block: "block" {
        /// The offset in this stream of the record of the enclosing scope.
        parent: u32 as Offset,
        /// The offset in this stream of the S_END that closes the scope.
        end: u32 as Offset,
        /// The size of the scope's IL in bytes.
        len "length of code": u32,
        /// The offset of the scope's IL in the numbering of all IL; minus the method's offset it is an IL offset.
        offset: u32 as Hex,
        /// The section of the IL; always 1, because all IL is numbered as if it were in one section.
        section: u16,
    }
}

record! {
    /// A local variable of a method, identified by its slot. With the flag of a parameter, an argument of a C++/CLI method.
    pub struct Slot: "local variable" {
        /// The index of the variable in the method's local signature, from 0; of an argument its index, `this` included.
        index "slot": u32,
        /// The row of StandAloneSig with the types of all local variables of the method.
        signature: u32 as Token,
        /// The offset at which the variable becomes live; used for native code only.
        live_offset: u32 as Hex,
        /// The section of the live offset; used for native code only.
        live_section: u16,
        /// Attributes of the variable; debuggers hide compiler-generated variables.
        flags: u16 as Flags(LOCAL_FLAGS),
    }
}

record! {
    /// A symbol reference: the module of a symbol, and the offset of its record.
    pub struct Reference: "symbol reference" {
        /// The checksum of the name; 0 if it was not computed.
        name_sum: u32 as Hex,
        /// The offset of the symbol record in the stream of its module.
        offset "symbol offset": u32 as Offset,
        /// The module with the symbol record, from 1.
        module: u16 as Module(1),
    }
}

record! {
    /// A public symbol, which the linker knew; in a managed PDB the entry point.
    pub struct Public: "public symbol" {
        /// Properties of the public symbol.
        flags: u32 as Flags(&[(1, "code"), (2, "function"), (4, "managed"), (8, "IL")]),
        /// The offset of the symbol in its section; for a managed entry point, its MethodDef token.
        offset: u32 as Token,
        /// The section of the image, from 1; 0 for a managed entry point.
        section: u16,
    }
}

/// Numbers of a record, and the name behind them.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct NamedRecord<'a, H> {
    pub head: H,
    pub name: Slice<'a>,
}

impl<H> std::ops::Deref for NamedRecord<'_, H> {
    type Target = H;

    fn deref(&self) -> &H {
        &self.head
    }
}

/// Content of a symbol record.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub enum ManagedSymbol<'a> {
    /// `S_GMANPROC`, `S_LMANPROC`.
    Procedure(NamedRecord<'a, Procedure>),
    /// `S_BLOCK32`.
    Block(NamedRecord<'a, Block>),
    /// `S_MANSLOT`.
    Slot(NamedRecord<'a, Slot>),
    Constant(Constant<'a>),
    /// An import, as text.
    Namespace(Slice<'a>),
    /// Record that a compiler defines.
    Oem(Oem<'a>),
    /// `S_PROCREF`, `S_LPROCREF`, `S_TOKENREF`.
    Reference(NamedRecord<'a, Reference>),
    /// `S_PUB32`.
    Public(NamedRecord<'a, Public>),
    /// The end of a method or a scope.
    End,
    /// Record of another kind.
    Other(Slice<'a>),
}

/// `S_MANCONSTANT`: a constant.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct Constant<'a> {
    /// The StandAloneSig token of its type.
    pub signature: u32,
    pub value: At<Leaf<'a>>,
    pub name: Slice<'a>,
}

/// `S_OEM`: a compiler-specific record.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct Oem<'a> {
    /// Owner of the record.
    pub id: Guid,
    /// Name, in UTF-16, if it is a managed compiler's.
    pub name: Slice<'a>,
    pub data: Slice<'a>,
}

/// Owner of the `S_OEM` records of Microsoft's managed compilers.
pub(crate) const MANAGED_OEM: Guid = Guid::of(0xC6EA_3FC9, 0x59B3, 0x49D6, 0xBC25_0902_BBAB_B460);

impl<'a> ManagedSymbol<'a> {
    /// Decodes a record.
    pub fn read(record: Record<'a>) -> Result<Self> {
        Self::decode(&mut record.slice.cursor())
    }

    /// Decodes one record, which extends to the end of the cursor.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'a, N>) -> Result<Self> {
        cursor.group(&SYMBOL, |c| {
            c.u16(&LENGTH)?;
            let kind = c.u16(&KIND)?;
            let symbol = match kind {
                kind::METHOD | kind::LOCAL_METHOD => {
                    Self::Procedure(named(c, &Procedure::DOC, Procedure::decode_fields, &METHOD_NAME)?)
                }
                kind::BLOCK => Self::Block(named(c, &Block::DOC, Block::decode_fields, &BLOCK_NAME)?),
                kind::SLOT => Self::Slot(named(c, &Slot::DOC, Slot::decode_fields, &SLOT_NAME)?),
                kind::CONSTANT => Self::Constant(c.group(&MANAGED_CONSTANT, Constant::decode)?),
                kind::NAMESPACE => Self::Namespace(c.group(&IMPORT, |c| c.text_z(&IMPORT_NAME))?),
                kind::OEM => Self::Oem(c.group(&OEM, Oem::decode)?),
                kind::PROCEDURE_REFERENCE | kind::LOCAL_PROCEDURE_REFERENCE | kind::TOKEN_REFERENCE => {
                    Self::Reference(named(c, &Reference::DOC, Reference::decode_fields, &REFERENCE_NAME)?)
                }
                kind::PUBLIC => Self::Public(named(c, &Public::DOC, Public::decode_fields, &PUBLIC_NAME)?),
                kind::END => Self::End,
                _ => Self::Other(c.bytes(&OTHER_DATA, c.left())?),
            };
            c.left_over(&PADDING)?;
            Ok(symbol)
        })
    }
}

fn named<'a, N: Recorder, H>(
    c: &mut Cursor<'a, N>,
    doc: &'static FieldDoc,
    head: impl FnOnce(&mut Cursor<'a, N>) -> Result<H>,
    name: &'static FieldDoc,
) -> Result<NamedRecord<'a, H>> {
    c.group(doc, |c| Ok(NamedRecord { head: head(c)?, name: c.text_z(name)? }))
}

impl<'a> Constant<'a> {
    fn decode<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        Ok(Self { signature: c.u32(&CONSTANT_SIGNATURE)?, value: Leaf::at(c)?, name: c.text_z(&CONSTANT_NAME)? })
    }
}

impl<'a> Oem<'a> {
    fn decode<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let id = c.guid(&OEM_ID)?;
        c.u32(&OEM_TYPE)?;
        let name = if id == MANAGED_OEM { c.text_16z(&OEM_NAME)? } else { Slice::default() };
        let oem = Self { id, name, data: c.rest() };
        if N::ENABLED && oem.is(custom::MD2) {
            custom::decode(c)?;
        } else if N::ENABLED && oem.is(ASYNC_METHOD_INFO) {
            AsyncInfo::decode(c)?;
        } else {
            c.bytes(&OEM_DATA, c.left())?;
        }
        Ok(oem)
    }

    /// Returns true for a record of a managed compiler with this name.
    pub fn is(&self, name: &str) -> bool {
        self.id == MANAGED_OEM && name.encode_utf16().flat_map(u16::to_le_bytes).eq(self.name.data.iter().copied())
    }
}

#[cfg(test)]
mod tests;

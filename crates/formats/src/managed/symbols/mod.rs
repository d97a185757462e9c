//! Symbol records that managed compilers write, with one struct per kind.
//!
//! A managed PDB uses few kinds of symbols; [`crate::codeview::symbols`] has the columns of all others.

use super::async_info::{ASYNC_METHOD_INFO, AsyncInfo};
use super::custom;
use crate::bytes::{At, Cursor, Guid, Recorder, Result, Slice, fields};
use crate::codeview::Leaf;
use crate::codeview::flags::LOCAL_FLAGS;
use crate::codeview::symbols::{KIND, LENGTH, PADDING, Record, SYMBOL, kind};

fields! {
    /// The data of a kind of symbol that managed PDBs do not use.
    OTHER_DATA: "other data";
    /// A method: its token, and the range of its IL in the numbering of all IL.
    METHOD: "method";
    /// The offset of the record of the enclosing scope; 0, because a method is in no scope.
    METHOD_PARENT: "parent";
    /// The offset in this stream of the S_END that closes the method.
    METHOD_END: "end" as Offset;
    /// The offset of the next method; 0 in managed PDBs.
    METHOD_NEXT: "next" as Offset;
    /// The size of the method's IL in bytes.
    METHOD_LENGTH: "length of code";
    /// The end of the prologue; used for native code only.
    DEBUG_START: "debug start";
    /// The start of the epilogue; used for native code only.
    DEBUG_END: "debug end";
    /// The MethodDef token of the method, which connects its symbols with its code.
    TOKEN: "token" as Token;
    /// The offset of the method's IL in the numbering of all IL, to which lines, scopes and contributions refer.
    METHOD_OFFSET: "offset" as Hex;
    /// The section of the IL; always 1, because all IL is numbered as if it were in one section.
    IL_SECTION: "section";
    /// Properties of the procedure; used for native code only.
    METHOD_FLAGS: "flags" as Hex;
    /// The register of the return value; used for native code only.
    RETURN_REGISTER: "return register";
    /// The name of the method without its type; the module has the name of the type.
    METHOD_NAME: "name";
    /// A scope: the range of IL in which some variables have names.
    BLOCK: "block";
    /// The offset in this stream of the record of the enclosing scope.
    BLOCK_PARENT: "parent" as Offset;
    /// The offset in this stream of the S_END that closes the scope.
    BLOCK_END: "end" as Offset;
    /// The size of the scope's IL in bytes.
    BLOCK_LENGTH: "length of code";
    /// The offset of the scope's IL in the numbering of all IL; minus the method's offset it is an IL offset.
    BLOCK_OFFSET: "offset" as Hex;
    /// The name of the scope, which is always empty.
    BLOCK_NAME: "name";
    /// A local variable of a method, identified by its slot. With the flag of a parameter, an argument of a C++/CLI method.
    LOCAL_VARIABLE: "local variable";
    /// The index of the variable in the method's local signature, from 0; of an argument its index, `this` included.
    SLOT: "slot";
    /// The row of StandAloneSig with the types of all local variables of the method.
    SLOT_SIGNATURE: "signature" as Token;
    /// The offset at which the variable becomes live; used for native code only.
    LIVE_OFFSET: "live offset" as Hex;
    /// The section of the live offset; used for native code only.
    LIVE_SECTION: "live section";
    /// Attributes of the variable; debuggers hide compiler-generated variables.
    SLOT_FLAGS: "flags" as Flags(LOCAL_FLAGS);
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
    /// A symbol reference: the module of a symbol, and the offset of its record.
    SYMBOL_REFERENCE: "symbol reference";
    /// The checksum of the name; 0 if it was not computed.
    NAME_SUM: "name sum" as Hex;
    /// The offset of the symbol record in the stream of its module.
    SYMBOL_OFFSET: "symbol offset" as Offset;
    /// The module with the symbol record, from 1.
    MODULE: "module" as Module(1);
    /// The name of the method, or in S_TOKENREF its token in hexadecimal digits.
    REFERENCE_NAME: "name";
    /// A public symbol, which the linker knew; in a managed PDB the entry point.
    PUBLIC_SYMBOL: "public symbol";
    /// Properties of the public symbol.
    PUBLIC_FLAGS: "flags" as Flags(&[(1, "code"), (2, "function"), (4, "managed"), (8, "IL")]);
    /// The offset of the symbol in its section; for a managed entry point, its MethodDef token.
    PUBLIC_OFFSET: "offset" as Token;
    /// The section of the image, from 1; 0 for a managed entry point.
    PUBLIC_SECTION: "section";
    /// The name of the symbol; COM+_Entry_Point is the entry point of a managed program.
    PUBLIC_NAME: "name";
}

/// Content of a symbol record.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub enum ManagedSymbol<'a> {
    Procedure(Procedure<'a>),
    Block(Block<'a>),
    Slot(Slot<'a>),
    Constant(Constant<'a>),
    /// An import, as text.
    Namespace(Slice<'a>),
    /// Record that a compiler defines.
    Oem(Oem<'a>),
    /// Reference to the record of a procedure.
    Reference(Reference<'a>),
    Public(Public<'a>),
    /// The end of a method or a scope.
    End,
    /// Record of another kind.
    Other(Slice<'a>),
}

/// `S_GMANPROC`, `S_LMANPROC`: a method.
#[derive(Clone, Copy, Debug)]
pub struct Procedure<'a> {
    /// Offset in the stream of the record that ends it.
    pub end: u32,
    /// Size of the IL in bytes.
    pub len: u32,
    /// Its MethodDef token.
    pub token: At<u32>,
    /// Offset of its IL in the numbering of all IL.
    pub offset: u32,
    /// Section number, always 1: the numbering of IL stands in for a section.
    pub section: u16,
    /// Its name, without its type's.
    pub name: Slice<'a>,
}

/// `S_BLOCK32`: a scope of a method.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// Offset in the stream of the record of the enclosing scope.
    pub parent: u32,
    /// Offset in the stream of the record that ends it.
    pub end: u32,
    /// Size of the IL in bytes.
    pub len: u32,
    /// Offset in the numbering of all IL.
    pub offset: u32,
    /// Section number, always 1.
    pub section: u16,
    /// Its name; scopes have none.
    pub name: Slice<'a>,
}

/// `S_MANSLOT`: a local variable, or an argument of a C++/CLI method.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// Slot of the local variable, or index of the argument.
    pub index: At<u32>,
    /// The StandAloneSig token of the method's local variables.
    pub signature: u32,
    /// Attributes; bit 0 marks an argument, bit 2 a variable that the compiler generated.
    pub flags: u16,
    pub name: Slice<'a>,
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

/// `S_PROCREF`, `S_LPROCREF`, `S_TOKENREF`: a reference to the record of a procedure.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'a> {
    /// Offset in the stream of its module.
    pub offset: u32,
    /// One more than the number of its module.
    pub module: u16,
    /// Its name, or its token in hexadecimal digits.
    pub name: Slice<'a>,
}

/// `S_PUB32`: a public symbol. A managed PDB has one, for the entry point: its offset is a MethodDef token.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct Public<'a> {
    /// Properties: code, function, managed, IL.
    pub flags: u32,
    /// Offset in its section.
    pub offset: u32,
    /// The section of the image.
    pub section: u16,
    pub name: Slice<'a>,
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
                kind::METHOD | kind::LOCAL_METHOD => Self::Procedure(c.group(&METHOD, Procedure::decode)?),
                kind::BLOCK => Self::Block(c.group(&BLOCK, Block::decode)?),
                kind::SLOT => Self::Slot(c.group(&LOCAL_VARIABLE, Slot::decode)?),
                kind::CONSTANT => Self::Constant(c.group(&MANAGED_CONSTANT, Constant::decode)?),
                kind::NAMESPACE => Self::Namespace(c.group(&IMPORT, |c| c.text_z(&IMPORT_NAME))?),
                kind::OEM => Self::Oem(c.group(&OEM, Oem::decode)?),
                kind::PROCEDURE_REFERENCE | kind::LOCAL_PROCEDURE_REFERENCE | kind::TOKEN_REFERENCE => {
                    Self::Reference(c.group(&SYMBOL_REFERENCE, Reference::decode)?)
                }
                kind::PUBLIC => Self::Public(c.group(&PUBLIC_SYMBOL, Public::decode)?),
                kind::END => Self::End,
                _ => Self::Other(c.bytes(&OTHER_DATA, c.left())?),
            };
            c.left_over(&PADDING)?;
            Ok(symbol)
        })
    }
}

impl<'a> Procedure<'a> {
    fn decode<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        c.u32(&METHOD_PARENT)?;
        let end = c.u32(&METHOD_END)?;
        c.u32(&METHOD_NEXT)?;
        let len = c.u32(&METHOD_LENGTH)?;
        c.u32(&DEBUG_START)?;
        c.u32(&DEBUG_END)?;
        let token = c.spanned(|c| c.u32(&TOKEN))?;
        let (offset, section) = (c.u32(&METHOD_OFFSET)?, c.u16(&IL_SECTION)?);
        c.u8(&METHOD_FLAGS)?;
        c.u16(&RETURN_REGISTER)?;
        Ok(Self { end, len, token, offset, section, name: c.text_z(&METHOD_NAME)? })
    }
}

impl<'a> Block<'a> {
    fn decode<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let (parent, end, len) = (c.u32(&BLOCK_PARENT)?, c.u32(&BLOCK_END)?, c.u32(&BLOCK_LENGTH)?);
        let (offset, section) = (c.u32(&BLOCK_OFFSET)?, c.u16(&IL_SECTION)?);
        Ok(Self { parent, end, len, offset, section, name: c.text_z(&BLOCK_NAME)? })
    }
}

impl<'a> Slot<'a> {
    fn decode<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let index = c.spanned(|c| c.u32(&SLOT))?;
        let signature = c.u32(&SLOT_SIGNATURE)?;
        c.u32(&LIVE_OFFSET)?;
        c.u16(&LIVE_SECTION)?;
        Ok(Self { index, signature, flags: c.u16(&SLOT_FLAGS)?, name: c.text_z(&SLOT_NAME)? })
    }
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

impl<'a> Reference<'a> {
    fn decode<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        c.u32(&NAME_SUM)?;
        Ok(Self { offset: c.u32(&SYMBOL_OFFSET)?, module: c.u16(&MODULE)?, name: c.text_z(&REFERENCE_NAME)? })
    }
}

impl<'a> Public<'a> {
    fn decode<N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let (flags, offset, section) = (c.u32(&PUBLIC_FLAGS)?, c.u32(&PUBLIC_OFFSET)?, c.u16(&PUBLIC_SECTION)?);
        Ok(Self { flags, offset, section, name: c.text_z(&PUBLIC_NAME)? })
    }
}

#[cfg(test)]
mod tests;

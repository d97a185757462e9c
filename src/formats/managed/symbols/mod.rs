//! The symbol records that managed compilers write, decoded one struct a kind.
//!
//! A managed PDB has few kinds of symbols; [`crate::formats::codeview::symbols`] has the columns of all others.

use super::custom::{self, AsyncInfo};
use crate::bytes::{At, Cursor, Guid, Notes, Result, Slice};
use crate::formats::codeview::Leaf;
use crate::formats::codeview::symbols::{Record, kind};
use crate::formats::pdb::text;

/// What a symbol record says.
#[derive(Clone, Copy, Debug)]
pub enum ManagedSymbol<'a> {
    /// A method.
    Procedure(Procedure<'a>),
    /// A scope.
    Block(Block<'a>),
    /// A local variable.
    Slot(Slot<'a>),
    /// A constant.
    Constant(Constant<'a>),
    /// An import, as text.
    Namespace(Slice<'a>),
    /// What a compiler adds of its own.
    Oem(Oem<'a>),
    /// Where the record of a procedure is.
    Reference(Reference<'a>),
    /// A public symbol.
    Public(Public<'a>),
    /// The end of a method or a scope.
    End,
    /// Anything else.
    Other(Slice<'a>),
}

/// `S_GMANPROC`, `S_LMANPROC`: a method.
#[derive(Clone, Copy, Debug)]
pub struct Procedure<'a> {
    /// Where the record that ends it stands in the stream.
    pub end: u32,
    /// How many bytes of IL it has.
    pub len: u32,
    /// Its MethodDef token.
    pub token: At<u32>,
    /// Where its IL begins in the numbering of all IL.
    pub offset: u32,
    /// The section, 1, that IL is pretended to be in.
    pub section: u16,
    /// Its name, without its type's.
    pub name: Slice<'a>,
}

/// `S_BLOCK32`: a scope of a method.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// Where the record of the scope around it stands in the stream.
    pub parent: u32,
    /// Where the record that ends it stands in the stream.
    pub end: u32,
    /// How many bytes of IL it has.
    pub len: u32,
    /// Where they begin in the numbering of all IL.
    pub offset: u32,
    /// The section that IL is pretended to be in.
    pub section: u16,
    /// Its name; scopes have none.
    pub name: Slice<'a>,
}

/// `S_MANSLOT`: a local variable.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// Which local variable of the method it is.
    pub index: At<u32>,
    /// The StandAloneSig token of the method's local variables.
    pub signature: u32,
    /// What it is: bit 2 says that the compiler made it up.
    pub flags: u16,
    /// Its name.
    pub name: Slice<'a>,
}

/// `S_MANCONSTANT`: a constant.
#[derive(Clone, Copy, Debug)]
pub struct Constant<'a> {
    /// The StandAloneSig token of its type.
    pub signature: u32,
    /// Its value.
    pub value: At<Leaf<'a>>,
    /// Its name.
    pub name: Slice<'a>,
}

/// `S_OEM`: what a compiler adds of its own.
#[derive(Clone, Copy, Debug)]
pub struct Oem<'a> {
    /// Whose it is.
    pub id: Guid,
    /// What it is called, in UTF-16, if it is a managed compiler's.
    pub name: Slice<'a>,
    /// What it holds.
    pub data: Slice<'a>,
}

/// `S_PROCREF`, `S_LPROCREF`, `S_TOKENREF`: where the record of a procedure is.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'a> {
    /// Where it stands in the stream of its module.
    pub offset: u32,
    /// One more than the number of its module.
    pub module: u16,
    /// Its name, or its token in hexadecimal digits.
    pub name: Slice<'a>,
}

/// `S_PUB32`: a public symbol. A managed PDB has one, for the entry point: its offset is a MethodDef token.
#[derive(Clone, Copy, Debug)]
pub struct Public<'a> {
    /// Whether it is code, a function, managed, IL.
    pub flags: u32,
    /// Where it is in its section.
    pub offset: u32,
    /// The section of the image.
    pub section: u16,
    /// Its name.
    pub name: Slice<'a>,
}

/// What Microsoft's managed compilers add.
pub const MANAGED_OEM: Guid = Guid::of(0xC6EA_3FC9, 0x59B3, 0x49D6, 0xBC25_0902_BBAB_B460);

impl<'a> ManagedSymbol<'a> {
    /// Decodes a record.
    pub fn read(record: Record<'a>) -> Result<Self> {
        Self::decode(&mut record.slice.cursor())
    }

    /// Reads one record, which takes all of the cursor's bytes.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'a, N>) -> Result<Self> {
        cursor.group("symbol", |c| {
            c.u16("length")?;
            let kind = c.u16("kind")?;
            let symbol = match kind {
                kind::METHOD | kind::LOCAL_METHOD => Self::Procedure(c.group("method", Procedure::decode)?),
                kind::BLOCK => Self::Block(c.group("block", Block::decode)?),
                kind::SLOT => Self::Slot(c.group("local variable", Slot::decode)?),
                kind::CONSTANT => Self::Constant(c.group("managed constant", Constant::decode)?),
                kind::NAMESPACE => Self::Namespace(c.group("import", |c| c.text_z("name"))?),
                kind::OEM => Self::Oem(c.group("oem", Oem::decode)?),
                kind::PROCEDURE_REFERENCE | kind::LOCAL_PROCEDURE_REFERENCE | kind::TOKEN_REFERENCE => {
                    Self::Reference(c.group("symbol reference", Reference::decode)?)
                }
                kind::PUBLIC => Self::Public(c.group("public symbol", Public::decode)?),
                kind::END => Self::End,
                _ => Self::Other(c.bytes("other data", c.left())?),
            };
            if !c.is_done() {
                c.bytes("padding", c.left())?;
            }
            Ok(symbol)
        })
    }
}

fn u32_at<N: Notes>(c: &mut Cursor<'_, N>, name: &'static str) -> Result<At<u32>> {
    let start = c.position();
    Ok(At::new(c.u32(name)?, c.since(start)))
}

impl<'a> Procedure<'a> {
    fn decode<N: Notes>(c: &mut Cursor<'a, N>) -> Result<Self> {
        c.u32("parent")?;
        let end = c.u32("end")?;
        c.u32("next")?;
        let len = c.u32("length of code")?;
        c.u32("debug start")?;
        c.u32("debug end")?;
        let token = u32_at(c, "token")?;
        let (offset, section) = (c.u32("offset")?, c.u16("section")?);
        c.u8("flags")?;
        c.u16("return register")?;
        Ok(Self { end, len, token, offset, section, name: c.text_z("name")? })
    }
}

impl<'a> Block<'a> {
    fn decode<N: Notes>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let (parent, end, len) = (c.u32("parent")?, c.u32("end")?, c.u32("length of code")?);
        let (offset, section) = (c.u32("offset")?, c.u16("section")?);
        Ok(Self { parent, end, len, offset, section, name: c.text_z("name")? })
    }
}

impl<'a> Slot<'a> {
    fn decode<N: Notes>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let index = u32_at(c, "slot")?;
        let signature = c.u32("signature")?;
        c.u32("live offset")?;
        c.u16("live section")?;
        Ok(Self { index, signature, flags: c.u16("flags")?, name: c.text_z("name")? })
    }
}

impl<'a> Constant<'a> {
    fn decode<N: Notes>(c: &mut Cursor<'a, N>) -> Result<Self> {
        Ok(Self { signature: c.u32("signature")?, value: Leaf::at(c)?, name: c.text_z("name")? })
    }
}

impl<'a> Oem<'a> {
    fn decode<N: Notes>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let id = c.guid("id")?;
        c.u32("type")?;
        let name = if id == MANAGED_OEM { c.text_16z("name")? } else { Slice::default() };
        let oem = Self { id, name, data: text::ahead(c, c.left())? };
        if N::TAKEN && oem.is(custom::MD2) {
            custom::decode(c)?;
        } else if N::TAKEN && oem.is(custom::ASYNC_METHOD_INFO) {
            AsyncInfo::decode(c)?;
        } else {
            c.bytes("data", c.left())?;
        }
        Ok(oem)
    }

    /// Whether a managed compiler calls it `name`.
    pub fn is(&self, name: &str) -> bool {
        self.id == MANAGED_OEM && name.encode_utf16().flat_map(u16::to_le_bytes).eq(self.name.data.iter().copied())
    }
}

impl<'a> Reference<'a> {
    fn decode<N: Notes>(c: &mut Cursor<'a, N>) -> Result<Self> {
        c.u32("name sum")?;
        Ok(Self { offset: c.u32("symbol offset")?, module: c.u16("module")?, name: c.text_z("name")? })
    }
}

impl<'a> Public<'a> {
    fn decode<N: Notes>(c: &mut Cursor<'a, N>) -> Result<Self> {
        let (flags, offset, section) = (c.u32("flags")?, c.u32("offset")?, c.u16("section")?);
        Ok(Self { flags, offset, section, name: c.text_z("name")? })
    }
}

#[cfg(test)]
mod tests;

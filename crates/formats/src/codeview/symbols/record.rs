use super::columns::{self, Column, Read, Role, columns};
use super::{KIND, LENGTH, SYMBOL};
use crate::bytes::{Cursor, Encoding, Recorder, Result, Slice, fields};
use crate::codeview::Leaf;

fields! {
    /// The fields of this kind of symbol.
    NATIVE_SYMBOL: "native symbol";
}

/// A symbol record of any kind; members that its kind does not have are 0 or empty.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Symbol<'a> {
    /// Kind; named by [`kind_name`](super::kind_name).
    pub kind: u16,
    pub name: Slice<'a>,
    /// Type index, or id index for a kind of function that ends in `_ID`.
    pub of: u32,
    /// The section of the image, from 1.
    pub section: u16,
    /// Offset in the section.
    pub offset: u32,
    pub len: u32,
    /// Offset in the stream of the record of the enclosing scope.
    pub parent: u32,
    /// Offset in the stream of the record that ends its scope.
    pub end: u32,
    /// Module, from 1, and offset of the record that a reference refers to.
    pub reference: (u16, u32),
    /// Section, from 1, and offset of the code that a trampoline leads to.
    pub target: (u16, u32),
    /// Register that holds the variable, or that `displacement` is relative to.
    pub register: u16,
    /// Offset from the register or from the base of the frame.
    pub displacement: i32,
    pub value: Option<Leaf<'a>>,
    /// Flags, specific to the kind: properties of a public symbol, an export or a function; language of a module.
    pub flags: u32,
    /// Number of functions in the list after the columns.
    pub count: u32,
    /// Bytes after the columns: binary annotations, gaps, strings.
    pub rest: Slice<'a>,
}

impl<'a> Symbol<'a> {
    /// Decodes one record, which extends to the end of the cursor.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'a, N>) -> Result<Self> {
        cursor.group(&SYMBOL, |c| {
            c.u16(&LENGTH)?;
            let mut symbol = Self { kind: c.u16(&KIND)?, ..Self::default() };
            let columns = columns(symbol.kind);
            if !columns.is_empty() {
                c.group(&NATIVE_SYMBOL, |c| columns.iter().try_for_each(|column| symbol.read(c, *column)))?;
            }
            if !c.is_done() {
                symbol.rest = c.rest();
                super::rest::read(c, symbol.kind, symbol.count)?;
            }
            Ok(symbol)
        })
    }

    fn read<N: Recorder>(&mut self, c: &mut Cursor<'a, N>, column: Column) -> Result<()> {
        let number = match column.read {
            Read::U8 => c.u8(column.doc)? as u32,
            Read::U16 => c.u16(column.doc)? as u32,
            Read::U32 => c.u32(column.doc)?,
            Read::I32 => c.i32(column.doc)?.cast_unsigned(),
            Read::Leaf => {
                self.value = Some(Leaf::decode(c)?);
                return Ok(());
            }
            Read::Text => {
                // Some writers omit the NUL of a last name, or leave it to the padding.
                let text = if c.remaining().contains(&0) {
                    c.text_z(column.doc)?
                } else {
                    c.text(column.doc, c.left(), Encoding::Utf8)?
                };
                if column.role == Role::Name {
                    self.name = text;
                }
                return Ok(());
            }
        };
        match column.role {
            Role::Type => self.of = number,
            Role::Section => self.section = number as u16,
            Role::Offset => self.offset = number,
            Role::Length => self.len = number,
            Role::Parent => self.parent = number,
            Role::End => self.end = number,
            Role::Module => self.reference.0 = number as u16,
            Role::Record => self.reference.1 = number,
            Role::Flags => self.flags = number,
            Role::Register => self.register = number as u16,
            Role::Displacement => self.displacement = number.cast_signed(),
            Role::TargetSection => self.target.0 = number as u16,
            Role::TargetOffset => self.target.1 = number,
            Role::Count => self.count = number,
            Role::Name | Role::None => {}
        }
        Ok(())
    }

    /// Returns true if `of` is an id index.
    pub const fn is_id(&self) -> bool {
        columns::names_id(self.kind)
    }
}

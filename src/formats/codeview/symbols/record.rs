use super::columns::{self, Column, Read, Role, columns};
use crate::bytes::{Cursor, Encoding, Notes, Result, Slice};
use crate::formats::codeview::Leaf;

/// What a symbol record says, whatever its kind; what its kind does not say is 0 or empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Symbol<'a> {
    /// Its kind, for which [`kind_name`](super::kind_name) has a name.
    pub kind: u16,
    /// Its name.
    pub name: Slice<'a>,
    /// The number of its type, or of its id where it is a function of a kind that ends in `_ID`.
    pub of: u32,
    /// The section of the image, from 1.
    pub section: u16,
    /// Where it is in the section.
    pub offset: u32,
    /// How many bytes it takes there.
    pub len: u32,
    /// Where the record of the scope around it stands in the stream.
    pub parent: u32,
    /// Where the record that ends its scope stands in the stream.
    pub end: u32,
    /// The module that it refers to, from 1, and where the record is there.
    pub reference: (u16, u32),
    /// The register that it is in, or is near to where `displacement` says how far.
    pub register: u16,
    /// How far from the register, or from the base of the frame, it is.
    pub displacement: i32,
    /// Its value.
    pub value: Option<Leaf<'a>>,
    /// Whether it is public, code, …; exported how; a function's bits; the language that a module was compiled from.
    pub flags: u32,
    /// What is behind the columns: the annotations of an inlined call, gaps, strings.
    pub rest: Slice<'a>,
}

impl<'a> Symbol<'a> {
    /// Reads one record, which takes all of the cursor's bytes.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'a, N>) -> Result<Self> {
        cursor.group("symbol", |c| {
            c.u16("length")?;
            let mut symbol = Self { kind: c.u16("kind")?, ..Self::default() };
            let columns = columns(symbol.kind);
            if !columns.is_empty() {
                c.group("native symbol", |c| columns.iter().try_for_each(|column| symbol.read(c, *column)))?;
            }
            if !c.is_done() {
                let name = if is_padding(c.remaining()) { "padding" } else { "data" };
                symbol.rest = c.bytes(name, c.left())?;
            }
            Ok(symbol)
        })
    }

    fn read<N: Notes>(&mut self, c: &mut Cursor<'a, N>, column: Column) -> Result<()> {
        let number = match column.read {
            Read::U8 => c.u8(column.name)? as u32,
            Read::U16 => c.u16(column.name)? as u32,
            Read::U32 => c.u32(column.name)?,
            Read::I32 => c.i32(column.name)?.cast_unsigned(),
            Read::Leaf => {
                self.value = Some(Leaf::decode(c)?);
                return Ok(());
            }
            Read::Text => {
                // Some writers leave the NUL of a last name to the padding, or leave it out.
                let text = if c.remaining().contains(&0) {
                    c.text_z(column.name)?
                } else {
                    c.text(column.name, c.left(), Encoding::Utf8)?
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
            Role::Name | Role::None => {}
        }
        Ok(())
    }

    /// Whether `of` is the number of an id rather than of a type.
    pub const fn is_id(&self) -> bool {
        columns::names_id(self.kind)
    }
}

/// Whether `bytes` are what fills a record up to a multiple of 4.
fn is_padding(bytes: &[u8]) -> bool {
    bytes.len() < 4 && bytes.iter().all(|byte| *byte == 0 || *byte > 0xf0)
}

use super::read;
use crate::bytes::{At, Cursor, Recorder, Result, Span};

/// A row of the table of methods.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// Its MethodDef token.
    pub token: u32,
    /// The offset of its [`MethodData`].
    pub data: u32,
    /// The offset of its line program; 0 where it has none.
    pub lines: u32,
    /// The bytes of this row.
    pub span: Span,
}

/// The rest of a method: where its lists are, each by its offset in the file, 0 for none.
#[derive(Clone, Copy, Debug)]
pub struct MethodData {
    /// Its compile unit, from 1.
    pub unit: u32,
    /// Its local variables.
    pub locals: u32,
    /// Its namespace, by [`super::Namespace::index`]; 0 for none.
    pub namespace: u32,
    /// Its scopes.
    pub blocks: u32,
    /// The locals that hold captured variables.
    pub scope_variables: u32,
    /// Its name in the source.
    pub real_name: u32,
    /// [`MethodData::AMBIGUOUS_NAMES`], [`MethodData::COLUMNS`], [`MethodData::ENDS`].
    pub flags: u32,
    /// The bytes of all this.
    pub span: Span,
}

/// A scope: a stretch of IL.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// 1 lexical, 2 made by the compiler, 3 body of an iterator, 4 dispatcher of an iterator.
    pub kind: u8,
    /// The one around it, from 1; none where it is negative.
    pub parent: i32,
    /// The IL offset where it begins.
    pub start: u32,
    /// The IL offset behind its last instruction.
    pub end: u32,
    /// The bytes of all this.
    pub span: Span,
}

/// A named local variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its slot in the method's signature of locals.
    pub index: u32,
    /// Its name.
    pub name: At<String>,
    /// The scope it is in, from 1; 0 is the whole method.
    pub block: u32,
}

/// A local that holds the object in which captured variables live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeVariable {
    /// The anonymous scope, by [`super::AnonymousScope::id`].
    pub scope: u32,
    /// The slot of the local; negative where it is `this`.
    pub index: i32,
}

impl Method {
    /// How many bytes a row takes.
    pub const SIZE: u64 = 12;

    /// Reads one.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group("mdb method", |c| {
            let (token, data, lines) = (c.u32("token")?, c.u32("data offset")?, c.u32("line table offset")?);
            Ok(Self { token, data, lines, span: c.since(start) })
        })
    }
}

impl MethodData {
    /// Two locals have the same name.
    pub const AMBIGUOUS_NAMES: u32 = 1;
    /// The line program is followed by a column for each point.
    pub const COLUMNS: u32 = 2;
    /// That is followed by the end of each point.
    pub const ENDS: u32 = 4;

    /// Reads it.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group("mdb method data", |c| {
            Ok(Self {
                unit: read::number(c, "compile unit")?,
                locals: read::number(c, "local variable table offset")?,
                namespace: read::number(c, "namespace")?,
                blocks: read::number(c, "code block table offset")?,
                scope_variables: read::number(c, "scope variable table offset")?,
                real_name: read::number(c, "real name offset")?,
                flags: read::number(c, "flags")?,
                span: c.since(start),
            })
        })
    }
}

/// The bit of a block's type that says that more bytes follow it.
const EXTENDED: i32 = 0x40;

/// Reads the scopes of a method.
pub(super) fn blocks<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Vec<Block>> {
    cursor.group("mdb code blocks", |c| {
        read::list(c, "count", |c| {
            let start = c.position();
            c.group("mdb code block", |c| {
                let kind = c.seven_bit("block type")?;
                let parent = c.seven_bit("parent")?;
                let (from, to) = (read::number(c, "start offset")?, read::number(c, "end offset")?);
                if kind & EXTENDED != 0 {
                    let len = c.u16("extension size")?;
                    c.bytes("extension", len as u64)?;
                }
                Ok(Block { kind: (kind & 0x3f) as u8, parent, start: from, end: to, span: c.since(start) })
            })
        })
    })
}

/// Reads the local variables of a method.
pub(super) fn locals<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Vec<Local>> {
    cursor.group("mdb local variables", |c| {
        read::list(c, "count", |c| {
            c.group("mdb local variable", |c| {
                Ok(Local {
                    index: read::number(c, "index")?,
                    name: read::owned(c, "name length", "name")?,
                    block: read::number(c, "block")?,
                })
            })
        })
    })
}

/// Reads the scope variables of a method.
pub(super) fn scope_variables<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Vec<ScopeVariable>> {
    cursor.group("mdb scope variables", |c| {
        read::list(c, "count", |c| {
            c.group("mdb scope variable", |c| {
                Ok(ScopeVariable { scope: read::number(c, "scope")?, index: c.seven_bit("index")? })
            })
        })
    })
}

/// Reads the name that a method has in the source.
pub(super) fn real_name<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<At<String>> {
    cursor.group("mdb real name", |c| read::owned(c, "name length", "name"))
}

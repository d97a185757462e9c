use super::read;
use crate::bytes::{At, Cursor, Recorder, Result, Span, fields, record};

record! {
    /// A row of the method table.
    pub struct MdbMethod: "mdb method" {
        /// The method in the assembly's metadata.
        token: u32 as Token,
        /// The file offset of the method data: compile unit, flags, and the offsets of its lists.
        data_offset: u32 as Offset,
        /// The file offset of the line program, 0 for none; it stands here so that a stack trace needs only this row.
        line_table_offset: u32 as Offset,
    }
}

fields! {
    /// The method data: offsets of the lists of a method, 0 for a list that it does not have.
    METHOD_DATA: "mdb method data";
    /// The compile unit that the method is part of, from 1.
    COMPILE_UNIT: "compile unit" as Row("CompileUnit");
    /// The file offset of the local variables.
    LOCALS_OFFSET: "local variable table offset" as Offset;
    /// The namespace of the method; 0 for none.
    NAMESPACE: "namespace";
    /// The file offset of the scopes (code blocks).
    BLOCKS_OFFSET: "code block table offset" as Offset;
    /// The file offset of the scope variables, which are locals that hold captured variables.
    SCOPE_VARIABLES_OFFSET: "scope variable table offset" as Offset;
    /// The file offset of the method's name in the source; 0 if the metadata has the same name.
    REAL_NAME_OFFSET: "real name offset" as Offset;
    /// Properties of the method, among them the lists that follow its line program.
    FLAGS: "flags" as Flags(&[(1, "two locals share a name"), (2, "columns follow"), (4, "ends follow")]);
    /// The scopes of a method: ranges of its IL.
    BLOCKS: "mdb code blocks";
    /// The number of scopes that follow.
    BLOCK_COUNT: "count";
    /// A scope: a range of IL in which some locals have names.
    BLOCK: "mdb code block";
    /// The origin of the scope.
    BLOCK_TYPE: "block type" as OneOf(&[
        (1, "lexical"),
        (2, "made by the compiler"),
        (3, "body of an iterator"),
        (4, "dispatcher of an iterator"),
    ]);
    /// The enclosing scope, from 1; -1 for none.
    PARENT: "parent";
    /// The IL offset at which the scope begins.
    START_OFFSET: "start offset" as IlOffset;
    /// The IL offset at which the scope ends.
    END_OFFSET: "end offset" as IlOffset;
    /// The size of the extension in bytes.
    EXTENSION_SIZE: "extension size";
    /// Data of a later version of the format.
    EXTENSION: "extension";
    /// The local variables of a method that have names.
    LOCALS: "mdb local variables";
    /// The number of local variables that follow.
    LOCAL_COUNT: "count";
    /// A local variable with a name.
    LOCAL: "mdb local variable";
    /// The slot of the variable in the method's local signature.
    LOCAL_INDEX: "index";
    /// The size of the name in bytes of UTF-8.
    NAME_LENGTH: "name length";
    /// The name of the variable in the source; the metadata has no names for locals.
    LOCAL_NAME: "name";
    /// The scope in which the variable has that name, from 1; 0 is the whole method.
    LOCAL_BLOCK: "block";
    /// The scope variables: the locals that hold what lambdas and iterators capture.
    SCOPE_VARIABLES: "mdb scope variables";
    /// The number of scope variables that follow.
    SCOPE_VARIABLE_COUNT: "count";
    /// A local that holds the object with captured variables.
    SCOPE_VARIABLE: "mdb scope variable";
    /// The anonymous scope whose captured variables the object holds.
    SCOPE: "scope";
    /// The slot of the local; negative for `this`.
    SCOPE_INDEX: "index";
    /// The name of the method in the source, where the metadata has another one.
    REAL_NAME: "mdb real name";
    /// The name of the method as it is written in the source.
    METHOD_NAME: "name";
}

/// Further data of a method: file offsets of its lists, 0 for none.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct MethodData {
    /// Compile unit, from 1.
    pub unit: u32,
    pub locals: u32,
    /// Namespace, by [`super::Namespace::index`]; 0 for none.
    pub namespace: u32,
    /// Scopes of a method.
    pub blocks: u32,
    /// Local variables that hold captured variables.
    pub scope_variables: u32,
    /// Name in the source.
    pub real_name: u32,
    /// 1 if local variables share a name, [`MethodData::COLUMNS`], [`MethodData::ENDS`].
    pub flags: u32,
    pub span: Span,
}

/// A scope: a range of IL.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// 1 lexical, 2 made by the compiler, 3 body of an iterator, 4 dispatcher of an iterator.
    pub kind: u8,
    /// Enclosing scope, from 1; negative for none.
    pub parent: i32,
    /// IL offset of the first instruction.
    pub start: u32,
    /// IL offset after the last instruction.
    pub end: u32,
    pub span: Span,
}

/// A named local variable.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct Local {
    /// Slot in the method's local signature.
    pub index: u32,
    pub name: At<String>,
    /// Scope, from 1; 0 for the whole method.
    pub block: u32,
}

impl MethodData {
    /// Flag of a method with a column for each point after the line program.
    pub const COLUMNS: u32 = 2;
    /// Flag of a method with an end for each point after the columns.
    pub const ENDS: u32 = 4;

    /// Decodes the record.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group(&METHOD_DATA, |c| {
            Ok(Self {
                unit: read::number(c, &COMPILE_UNIT)?,
                locals: read::number(c, &LOCALS_OFFSET)?,
                namespace: read::number(c, &NAMESPACE)?,
                blocks: read::number(c, &BLOCKS_OFFSET)?,
                scope_variables: read::number(c, &SCOPE_VARIABLES_OFFSET)?,
                real_name: read::number(c, &REAL_NAME_OFFSET)?,
                flags: read::number(c, &FLAGS)?,
                span: c.since(start),
            })
        })
    }
}

/// Bit of a block's type that announces further bytes.
const EXTENDED: i32 = 0x40;

pub(super) fn blocks<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Vec<Block>> {
    cursor.group(&BLOCKS, |c| {
        read::list(c, &BLOCK_COUNT, |c| {
            let start = c.position();
            c.group(&BLOCK, |c| {
                let kind = c.seven_bit(&BLOCK_TYPE)?;
                let parent = c.seven_bit(&PARENT)?;
                let (from, to) = (read::number(c, &START_OFFSET)?, read::number(c, &END_OFFSET)?);
                if kind & EXTENDED != 0 {
                    let len = c.u16(&EXTENSION_SIZE)?;
                    c.bytes(&EXTENSION, len as u64)?;
                }
                Ok(Block { kind: (kind & 0x3f) as u8, parent, start: from, end: to, span: c.since(start) })
            })
        })
    })
}

pub(super) fn locals<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Vec<Local>> {
    cursor.group(&LOCALS, |c| {
        read::list(c, &LOCAL_COUNT, |c| {
            c.group(&LOCAL, |c| {
                Ok(Local {
                    index: read::number(c, &LOCAL_INDEX)?,
                    name: read::owned(c, &NAME_LENGTH, &LOCAL_NAME)?,
                    block: read::number(c, &LOCAL_BLOCK)?,
                })
            })
        })
    })
}

pub(super) fn scope_variables<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
    cursor.group(&SCOPE_VARIABLES, |c| {
        let variable = |c: &mut Cursor<'_, N>| {
            read::number(c, &SCOPE)?;
            c.seven_bit(&SCOPE_INDEX)
        };
        read::list(c, &SCOPE_VARIABLE_COUNT, |c| c.group(&SCOPE_VARIABLE, variable)).map(drop)
    })
}

pub(super) fn real_name<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
    cursor.group(&REAL_NAME, |c| read::string(c, &NAME_LENGTH, &METHOD_NAME)).map(drop)
}

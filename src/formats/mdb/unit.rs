use super::read;
use crate::bytes::{At, Cursor, Recorder, Result, Span};

/// What was compiled as one: a source file and those that `#line` drew in.
#[derive(Clone, Debug)]
pub struct CompileUnit {
    /// Its source file, from 1.
    pub source: u32,
    /// The other files of it, from 1.
    pub includes: Vec<u32>,
    /// Its namespaces, and what they use.
    pub namespaces: Vec<Namespace>,
    /// The bytes of all this.
    pub span: Span,
}

/// A namespace and its `using` directives. No `mcs` since 2.0 or so writes any.
#[derive(Clone, Debug)]
pub struct Namespace {
    /// Its name.
    pub name: At<String>,
    /// Its number, which [`super::MethodData::namespace`] names.
    pub index: u32,
    /// The number of the one around it.
    pub parent: u32,
    /// What it uses.
    pub usings: Vec<At<String>>,
}

impl CompileUnit {
    /// Reads one.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group("mdb compile unit", |c| {
            let source = read::number(c, "source")?;
            let includes = read::list(c, "include count", |c| read::number(c, "include"))?;
            let namespaces = read::list(c, "namespace count", Namespace::decode)?;
            Ok(Self { source, includes, namespaces, span: c.since(start) })
        })
    }
}

impl Namespace {
    fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group("mdb namespace", |c| {
            Ok(Self {
                name: read::owned(c, "name length", "name")?,
                index: read::number(c, "index")?,
                parent: read::number(c, "parent")?,
                usings: read::list(c, "using count", |c| read::owned(c, "using length", "using"))?,
            })
        })
    }
}

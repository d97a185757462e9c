use super::read;
use crate::bytes::{At, Cursor, Recorder, Result, Span, fields};

fields! {
    /// A compile unit: a source file, and the files that `#line` directives refer to.
    UNIT: "mdb compile unit";
    /// The source file that the unit is named after.
    UNIT_SOURCE: "source" as Row("Source");
    /// The number of included files that follow.
    INCLUDE_COUNT: "include count";
    /// Another source file of the unit, which a `#line` directive refers to.
    INCLUDE: "include" as Row("Source");
    /// The number of namespaces that follow.
    NAMESPACE_COUNT: "namespace count";
    /// A namespace, and its `using` directives.
    NAMESPACE: "mdb namespace";
    /// The size of the namespace's name in bytes of UTF-8.
    NAME_LENGTH: "name length";
    /// The name of the namespace.
    NAME: "name";
    /// The number by which methods refer to the namespace.
    INDEX: "index";
    /// The number of the enclosing namespace.
    PARENT: "parent";
    /// The number of `using` directives that follow.
    USING_COUNT: "using count";
    /// The size of the imported namespace's name in bytes of UTF-8.
    USING_LENGTH: "using length";
    /// An imported namespace, in which an expression evaluator looks names up.
    USING: "using";
}

/// A compile unit: a source file, and the files that `#line` directives refer to.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct CompileUnit {
    /// Source file, from 1.
    pub source: u32,
    /// Other files of the unit, from 1.
    pub includes: Vec<u32>,
    pub namespaces: Vec<Namespace>,
    pub span: Span,
}

/// A namespace and its `using` directives, which `mcs` has not written since about 2.0.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct Namespace {
    pub name: At<String>,
    /// Number by which [`super::MethodData::namespace`] refers to it.
    pub index: u32,
    /// Number of the enclosing namespace.
    pub parent: u32,
    /// Imported namespaces.
    pub usings: Vec<At<String>>,
}

impl CompileUnit {
    /// Decodes one record.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group(&UNIT, |c| {
            let source = read::number(c, &UNIT_SOURCE)?;
            let includes = read::list(c, &INCLUDE_COUNT, |c| read::number(c, &INCLUDE))?;
            let namespaces = read::list(c, &NAMESPACE_COUNT, Namespace::decode)?;
            Ok(Self { source, includes, namespaces, span: c.since(start) })
        })
    }
}

impl Namespace {
    fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        cursor.group(&NAMESPACE, |c| {
            Ok(Self {
                name: read::owned(c, &NAME_LENGTH, &NAME)?,
                index: read::number(c, &INDEX)?,
                parent: read::number(c, &PARENT)?,
                usings: read::list(c, &USING_COUNT, |c| read::owned(c, &USING_LENGTH, &USING))?,
            })
        })
    }
}

use super::read;
use crate::bytes::{At, Cursor, Recorder, Result, Span, fields};

fields! {
    /// An anonymous scope: the variables and scopes that its lambdas and iterators capture.
    ANONYMOUS_SCOPE: "mdb anonymous scope";
    /// The number by which scope variables refer to the anonymous scope.
    ID: "id";
    /// The number of captured variables that follow.
    VARIABLE_COUNT: "captured variable count";
    /// A captured variable, which lives in an object instead of on the stack.
    VARIABLE: "mdb captured variable";
    /// The size of the variable's name in bytes of UTF-8.
    NAME_LENGTH: "name length";
    /// The name of the variable in the source.
    NAME: "name";
    /// The size of the field's name in bytes of UTF-8.
    CAPTURED_NAME_LENGTH: "captured name length";
    /// The name of the field that the variable became.
    CAPTURED_NAME: "captured name";
    /// The kind of variable that was captured.
    KIND: "kind" as OneOf(&[(0, "local"), (1, "parameter"), (2, "this")]);
    /// The number of captured scopes that follow.
    SCOPE_COUNT: "captured scope count";
    /// A scope around this one whose object it refers to.
    CAPTURED_SCOPE: "mdb captured scope";
    /// The number of the captured scope.
    SCOPE: "scope";
    /// The size of the field's name in bytes of UTF-8.
    SCOPE_NAME_LENGTH: "captured name length";
    /// The name of the field that refers to the object of the captured scope.
    SCOPE_NAME: "captured name";
}

/// An anonymous scope: the variables that its lambdas and iterators capture, which became fields of an object.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct AnonymousScope {
    /// Number by which scope variables refer to it.
    pub id: u32,
    pub variables: Vec<CapturedVariable>,
    /// Enclosing scopes that it captures.
    pub scopes: Vec<CapturedScope>,
    pub span: Span,
}

/// A captured variable, which became a field.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct CapturedVariable {
    pub name: At<String>,
    pub captured: At<String>,
    /// 0 local, 1 parameter, 2 `this`.
    pub kind: u8,
}

/// An enclosing scope, with the field that refers to it.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct CapturedScope {
    pub scope: u32,
    pub captured: At<String>,
}

impl AnonymousScope {
    /// Decodes one record.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group(&ANONYMOUS_SCOPE, |c| {
            let id = read::number(c, &ID)?;
            let variables = read::list(c, &VARIABLE_COUNT, |c| {
                c.group(&VARIABLE, |c| {
                    Ok(CapturedVariable {
                        name: read::owned(c, &NAME_LENGTH, &NAME)?,
                        captured: read::owned(c, &CAPTURED_NAME_LENGTH, &CAPTURED_NAME)?,
                        kind: c.u8(&KIND)?,
                    })
                })
            })?;
            let scopes = read::list(c, &SCOPE_COUNT, |c| {
                c.group(&CAPTURED_SCOPE, |c| {
                    Ok(CapturedScope {
                        scope: read::number(c, &SCOPE)?,
                        captured: read::owned(c, &SCOPE_NAME_LENGTH, &SCOPE_NAME)?,
                    })
                })
            })?;
            Ok(Self { id, variables, scopes, span: c.since(start) })
        })
    }
}

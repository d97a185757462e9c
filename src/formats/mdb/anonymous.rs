use super::read;
use crate::bytes::{At, Cursor, Recorder, Result, Span};

/// What a scope's lambdas and iterators capture: the variables that became fields of an object of the compiler's.
#[derive(Clone, Debug)]
pub struct AnonymousScope {
    /// Its number, which scope variables name.
    pub id: u32,
    /// What is captured.
    pub variables: Vec<CapturedVariable>,
    /// The scopes around it that it holds on to.
    pub scopes: Vec<CapturedScope>,
    /// The bytes of all this.
    pub span: Span,
}

/// A variable that became a field.
#[derive(Clone, Debug)]
pub struct CapturedVariable {
    /// Its name in the source.
    pub name: At<String>,
    /// The field's name.
    pub captured: At<String>,
    /// 0 local, 1 parameter, 2 `this`.
    pub kind: u8,
}

/// A scope around this one, and the field that refers to it.
#[derive(Clone, Debug)]
pub struct CapturedScope {
    /// Its number.
    pub scope: u32,
    /// The field's name.
    pub captured: At<String>,
}

impl AnonymousScope {
    /// Reads one.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Self> {
        let start = cursor.position();
        cursor.group("mdb anonymous scope", |c| {
            let id = read::number(c, "id")?;
            let variables = read::list(c, "captured variable count", |c| {
                c.group("mdb captured variable", |c| {
                    Ok(CapturedVariable {
                        name: read::owned(c, "name length", "name")?,
                        captured: read::owned(c, "captured name length", "captured name")?,
                        kind: c.u8("kind")?,
                    })
                })
            })?;
            let scopes = read::list(c, "captured scope count", |c| {
                c.group("mdb captured scope", |c| {
                    Ok(CapturedScope {
                        scope: read::number(c, "scope")?,
                        captured: read::owned(c, "captured name length", "captured name")?,
                    })
                })
            })?;
            Ok(Self { id, variables, scopes, span: c.since(start) })
        })
    }
}

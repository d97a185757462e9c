//! Which syntax each lambda of a method belongs to, and each closure, so that Edit and Continue can tell what has changed.
//!
//! The number of the method, the baseline of the syntax offsets, a count of closures and the syntax offset of each, and then
//! lambdas to the end: a syntax offset and a number that says what the lambda closes over.
//!
//! The specification has that number as 0 for none, else a closure from 1. Roslyn has always written 0 for `this` alone, 1
//! for a lambda that closes over nothing, and closures from 2.

use super::{Decoded, baseline, counted, entries, syntax_offset};
use crate::bytes::{Cursor, ErrorKind, Guid, Recorder, Result};

/// The GUID of the kind.
pub const GUID: Guid = Guid::of(0xa643_004c, 0x0240, 0x496f, 0xa783_30d6_4f49_79de);

/// What a lambda closes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closure {
    /// `this` and nothing else: it is an instance method of the same type.
    This,
    /// Nothing: it is static.
    Static,
    /// Variables: it is a method of the closure with this index.
    Index(u32),
}

/// One lambda.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lambda {
    /// Where its syntax stands.
    pub syntax_offset: i32,
    /// What it closes over.
    pub closure: Closure,
}

/// The lambdas and closures of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LambdaMap {
    /// The number of the method, as it is in the names of its lambdas (`<Main>b__0_1`: 0); -1 for none.
    pub method_ordinal: i32,
    /// Where the syntax of each closure stands.
    pub closures: Vec<i32>,
    /// The lambdas.
    pub lambdas: Vec<Lambda>,
}

pub(in crate::formats) fn decode<'a, N: Recorder>(c: &mut Cursor<'a, N>) -> Result<Decoded<'a>> {
    c.group("lambda and closure map", |c| {
        let method_ordinal = c.compressed("method ordinal")?.cast_signed() - 1;
        let from = baseline(c)?;
        let count = c.compressed("closure count")?;
        let closures = counted(c, count, |c| c.group("closure", |c| syntax_offset(c, from)))?;
        let lambdas = entries(c, |c| c.group("lambda", |c| lambda(c, from, count)))?;
        Ok(Decoded::LambdaMap(LambdaMap { method_ordinal, closures, lambdas }))
    })
}

fn lambda<N: Recorder>(c: &mut Cursor<'_, N>, baseline: i32, closures: u32) -> Result<Lambda> {
    let syntax_offset = syntax_offset(c, baseline)?;
    let start = c.position();
    let closure = match c.compressed("closure ordinal")? {
        0 => Closure::This,
        1 => Closure::Static,
        number if number - 2 < closures => Closure::Index(number - 2),
        number => {
            let (index, count) = (number as u64 - 2, closures as u64);
            return Err(c.error_since(start, ErrorKind::NoSuch { what: "closure", index, count }));
        }
    };
    Ok(Lambda { syntax_offset, closure })
}

//! Syntax offsets of a method's lambdas and closures, with which Edit and Continue maps them between versions.
//!
//! The ordinal of the method, the baseline of the syntax offsets, the number of closures and the syntax offset of each,
//! then lambdas to the end of the blob: a syntax offset and the ordinal of the closure.
//!
//! In the specification the closure ordinal is 0 for none, else a closure from 1. Roslyn has always written 0 for
//! `this` alone, 1 for a static lambda, and closures from 2.

use super::{CustomKind, baseline, counted, entries, kind, syntax_offset};
use crate::bytes::{Cursor, DECODED, ErrorKind, Guid, Recorder, Result, fields};
use crate::metadata::TableId;
use crate::tree::Tree;

/// Kind of the custom debug information.
pub const GUID: Guid = Guid::of(0xa643_004c, 0x0240, 0x496f, 0xa783_30d6_4f49_79de);
pub(super) const KIND: CustomKind = kind!("EncLambdaAndClosureMap", &[TableId::METHOD_DEF]);

fields! {
    /// The syntax that each lambda and closure belongs to, so that Edit and Continue can tell new ones from old.
    LAMBDA_AND_CLOSURE_MAP: "lambda and closure map";
    /// The number of the method in generated names such as <Main>b__0_1, plus one; 0 for none.
    METHOD_ORDINAL: "method ordinal";
    /// The baseline that syntax offsets count from, negated.
    SYNTAX_OFFSET_BASELINE: "syntax offset baseline";
    /// The number of closures that follow; lambdas take the rest of the blob.
    CLOSURE_COUNT: "closure count";
    /// A class that the compiler generated for the variables that lambdas share.
    CLOSURE: "closure";
    /// The position of the block that declares the variables, in characters from the start of the method body, minus the
    /// baseline.
    CLOSURE_SYNTAX_OFFSET: "syntax offset";
    /// A method that the compiler generated from a lambda or a local function.
    LAMBDA: "lambda";
    /// The position of the body of the lambda, in characters from the start of the method body, minus the baseline.
    LAMBDA_SYNTAX_OFFSET: "syntax offset";
    /// The closure of the lambda: 0 is this alone, 1 is none (static), 2 is the first closure.
    CLOSURE_ORDINAL: "closure ordinal" as OneOf(&[
        (0, "this alone"), (1, "nothing: static"), (2, "closure 0"), (3, "closure 1"), (4, "closure 2"),
    ]);
}

/// Variables that a lambda captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closure {
    /// `this` alone: the lambda is an instance method of the same type.
    This,
    /// None: the lambda is static.
    Static,
    /// Local variables: the lambda is a method of the closure with this index.
    Index(u32),
}

/// A lambda.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lambda {
    /// Position of the lambda's syntax in the method body.
    pub syntax_offset: i32,
    pub closure: Closure,
}

/// Lambdas and closures of a method.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LambdaMap {
    /// Ordinal of the method, as in the names of its lambdas (`<Main>b__0_1`: 0); -1 if undefined.
    pub method_ordinal: i32,
    /// Syntax offset of each closure.
    pub closures: Vec<i32>,
    pub lambdas: Vec<Lambda>,
}

/// Decodes the blob.
pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<LambdaMap> {
    c.group(&LAMBDA_AND_CLOSURE_MAP, |c| {
        let method_ordinal = c.compressed(&METHOD_ORDINAL)?.cast_signed().saturating_sub(1);
        c.changed(&DECODED, None, method_ordinal);
        let from = baseline(c, &SYNTAX_OFFSET_BASELINE)?;
        let count = c.compressed(&CLOSURE_COUNT)?;
        let closures = counted(c, count, |c| c.group(&CLOSURE, |c| syntax_offset(c, &CLOSURE_SYNTAX_OFFSET, from)))?;
        let lambdas = entries(c, |c| c.group(&LAMBDA, |c| lambda(c, from, count)))?;
        Ok(LambdaMap { method_ordinal, closures, lambdas })
    })
}

fn lambda<N: Recorder>(c: &mut Cursor<'_, N>, baseline: i32, closures: u32) -> Result<Lambda> {
    let syntax_offset = syntax_offset(c, &LAMBDA_SYNTAX_OFFSET, baseline)?;
    let start = c.position();
    let ordinal = c.compressed(&CLOSURE_ORDINAL)?;
    let closure = match (ordinal, ordinal.checked_sub(2)) {
        (0, _) => Closure::This,
        (_, None) => Closure::Static,
        (_, Some(index)) if index < closures => {
            c.changed(&DECODED, None, index);
            Closure::Index(index)
        }
        (_, Some(index)) => {
            let (index, count) = (index as u64, closures as u64);
            return Err(c.error_since(start, ErrorKind::NoSuch { what: "closure", index, count }));
        }
    };
    Ok(Lambda { syntax_offset, closure })
}

fn tree(map: &LambdaMap) -> Tree {
    let one = |lambda: &Lambda| {
        let closure = match lambda.closure {
            Closure::This => Tree::Text("this".to_owned()),
            Closure::Static => Tree::Text("static".to_owned()),
            Closure::Index(index) => index.into(),
        };
        Tree::Object(vec![("syntax_offset", lambda.syntax_offset.into()), ("closure", closure)])
    };
    Tree::Object(vec![
        ("method_ordinal", map.method_ordinal.into()),
        ("closures", map.closures.iter().copied().collect()),
        ("lambdas", map.lambdas.iter().map(one).collect()),
    ])
}

#[cfg(test)]
pub(super) const EXAMPLE: &[u8] = &[
    0x05, 0x03, // method 4, baseline -3
    0x02, 0x03, 0x0b, // two closures, at 0 and 8
    0x00, 0x00, // -3, closes over this
    0x65, 0x01, // 98, closes over nothing
    0x80, 0xab, 0x03, // 168, in the second closure
];

//! One method: its scopes with their local variables and constants, its imports' text, and what its compiler adds.

use super::async_info::{ASYNC_METHOD_INFO, AsyncInfo};
use super::custom::{self, CustomRecord, MD2};
use super::symbols::{ManagedSymbol, Procedure, Slot};
use crate::bytes::{At, Error, ErrorKind, Region, Result, Span};
use crate::codeview::symbols::{Record, Records, kind};
use crate::codeview::{Decimal, Leaf};

const MAX_SCOPE_DEPTH: usize = 255;
const COMPILER_GENERATED: u16 = 4;
/// The flag of a parameter (`fIsParam`).
const PARAMETER: u16 = 1;

/// A method: its scopes, local variables, constants and imports.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default)]
pub struct Method {
    /// Its token in the image; the bytes are those of the token in the record.
    pub token: At<u32>,
    /// The token in its record, which differs in a PDB with a token map.
    pub recorded: u32,
    /// Its name, without its type's.
    pub name: At<String>,
    /// Offset of its IL in the numbering of all IL.
    pub offset: u32,
    /// Size of the IL in bytes.
    pub len: u32,
    /// Its `S_GMANPROC` record.
    pub record: Span,
    /// Records from `S_GMANPROC` to the matching `S_END`.
    pub span: Span,
    /// Scope of the whole method, followed by the nested ones; each comes after its parent.
    pub scopes: Vec<Scope>,
    /// Its local variables with names.
    pub slots: Vec<LocalSlot>,
    pub constants: Vec<LocalConstant>,
    /// Imports as stored.
    pub namespaces: Vec<At<String>>,
    /// Records of its `MD2` list.
    pub custom: Vec<CustomRecord>,
    /// Content of its `asyncMethodInfo` record.
    pub async_info: Option<At<AsyncInfo>>,
    pub others: Vec<(u16, Span)>,
    pub problems: Vec<Error>,
}

/// A range of IL in which local variables and constants are in scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Index of the enclosing scope in [`Method::scopes`]; `None` for the scope of the whole method.
    pub parent: Option<usize>,
    /// The IL offset of its first byte.
    pub start: u32,
    /// Size of the IL in bytes.
    pub length: u32,
    /// Record that opens the scope: `S_BLOCK32`, or `S_GMANPROC` for the scope of the whole method.
    pub span: Span,
}

/// A local variable with its name.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalSlot {
    /// Index of its scope in [`Method::scopes`].
    pub scope: usize,
    pub index: At<u32>,
    /// The StandAloneSig token of the method's local variables.
    pub signature: u32,
    pub flags: u16,
    pub name: At<String>,
    pub span: Span,
}

/// A constant with its name and value.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub struct LocalConstant {
    /// Index of its scope in [`Method::scopes`].
    pub scope: usize,
    /// The StandAloneSig token of its type.
    pub signature: u32,
    pub value: At<ConstantValue>,
    pub name: At<String>,
    pub span: Span,
}

/// Value of a constant as stored: `null` is 0, a `char` is a number.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq)]
pub enum ConstantValue {
    Signed(i64),
    Unsigned(u64),
    /// Bits of an IEEE 754 binary32.
    Single(u32),
    /// Bits of an IEEE 754 binary64, also of a date.
    Double(u64),
    Text(String),
    Decimal(Decimal),
    /// Number of a type that .NET does not have, by its leaf.
    Other(u16),
}

impl LocalSlot {
    /// Returns true for a compiler-generated variable.
    pub const fn is_hidden(&self) -> bool {
        self.flags & COMPILER_GENERATED != 0
    }

    /// Returns true for an argument, which C++/CLI lists among the local variables: its slot is the index of the argument.
    pub const fn is_argument(&self) -> bool {
        self.flags & PARAMETER != 0
    }
}

impl Method {
    /// Reads the method whose record begins at `at` of `symbols`, the symbols of its module.
    pub(super) fn read(symbols: &Region, at: u32) -> Result<Self> {
        let mut records = Records::new(symbols.slice(), at as u64);
        let nowhere = || Error::invalid("no method at this offset", symbols.span().part(at as u64, 0));
        let record = records.next().ok_or_else(nowhere)??;
        let ManagedSymbol::Procedure(procedure) = ManagedSymbol::read(record)? else { return Err(nowhere()) };
        let mut method = Self {
            token: At::new(procedure.token, procedure.span_of(&Procedure::token)),
            recorded: procedure.token,
            name: procedure.name.text(),
            offset: procedure.offset,
            len: procedure.len,
            record: record.span(),
            span: record.span(),
            scopes: vec![Scope { parent: None, start: 0, length: procedure.len, span: record.span() }],
            ..Self::default()
        };
        // Indices of the open scopes in `scopes`.
        let mut open = vec![0];
        for record in records {
            if let Err(error) = record.and_then(|record| method.add(record, &mut open)) {
                method.problems.push(error);
                break;
            }
            let Some(_) = open.last() else { break };
        }
        if !open.is_empty() && method.problems.is_empty() {
            method.problems.push(Error::invalid("the method has no end record", method.record));
        }
        if let Some(end) = (open.is_empty()).then_some(procedure.end as u64)
            && symbols.span().start + end != method.span.end().saturating_sub(4)
        {
            let sentence = "the end of this method is not where its record says";
            method.problems.push(Error::invalid(sentence, method.record.part(8, 4)));
        }
        Ok(method)
    }

    fn add(&mut self, record: Record<'_>, open: &mut Vec<usize>) -> Result<()> {
        let span = record.span();
        let scope = open.last().copied().unwrap_or_default();
        if matches!(record.kind, kind::METHOD | kind::LOCAL_METHOD) {
            return Err(Error::invalid("the method overlaps the previous one", span));
        }
        self.span = self.span.to(span);
        match ManagedSymbol::read(record)? {
            ManagedSymbol::End => drop(open.pop()),
            ManagedSymbol::Block(block) => {
                if open.len() > MAX_SCOPE_DEPTH {
                    return Err(Error::new(ErrorKind::TooDeep("scopes"), span));
                }
                let start = block.offset.wrapping_sub(self.offset);
                if start > self.len || block.len > self.len.saturating_sub(start) {
                    self.problems.push(Error::invalid("the scope extends past the end of its method", span));
                }
                // A block that spans the whole method replaces the method's own scope.
                if let ([0], [whole]) = (open.as_slice(), self.scopes.as_mut_slice())
                    && (start, block.len) == (0, whole.length)
                {
                    whole.span = span;
                    open.push(0);
                    return Ok(());
                }
                open.push(self.scopes.len());
                self.scopes.push(Scope { parent: Some(scope), start, length: block.len, span });
            }
            ManagedSymbol::Slot(slot) => self.slots.push(LocalSlot {
                scope,
                index: At::new(slot.index, slot.span_of(&Slot::index)),
                signature: slot.signature,
                flags: slot.flags,
                name: slot.name.text(),
                span,
            }),
            ManagedSymbol::Constant(constant) => self.constants.push(LocalConstant {
                scope,
                signature: constant.signature,
                value: At::new(value(constant.value.value), constant.value.span),
                name: constant.name.text(),
                span,
            }),
            ManagedSymbol::Namespace(name) => self.namespaces.push(name.text()),
            ManagedSymbol::Oem(oem) if oem.is(MD2) => match custom::decode(&mut oem.data.cursor()) {
                Ok(records) => self.custom.extend(records),
                Err(error) => self.problems.push(error),
            },
            ManagedSymbol::Oem(oem) if oem.is(ASYNC_METHOD_INFO) => match AsyncInfo::decode(&mut oem.data.cursor()) {
                Ok(info) => self.async_info = Some(At::new(info, oem.data.span())),
                Err(error) => self.problems.push(error),
            },
            _ => self.others.push((record.kind, span)),
        }
        Ok(())
    }
}

fn value(leaf: Leaf<'_>) -> ConstantValue {
    match leaf {
        Leaf::Signed(number) => ConstantValue::Signed(number),
        Leaf::Unsigned(number) => ConstantValue::Unsigned(number),
        Leaf::Single(bits) => ConstantValue::Single(bits),
        Leaf::Double(bits) | Leaf::Date(bits) => ConstantValue::Double(bits),
        Leaf::Text(slice) => ConstantValue::Text(slice.lossy()),
        Leaf::Decimal(decimal) => ConstantValue::Decimal(decimal),
        Leaf::Other(leaf, _) => ConstantValue::Other(leaf),
    }
}

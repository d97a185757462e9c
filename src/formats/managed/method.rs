//! One method: its scopes with their local variables and constants, its imports' text, and what its compiler adds.

use super::custom::{self, ASYNC_METHOD_INFO, AsyncInfo, CustomRecord, MD2};
use super::symbols::ManagedSymbol;
use crate::bytes::{At, Error, ErrorKind, Region, Result, Slice, Span};
use crate::formats::codeview::symbols::{Record, Records, kind};
use crate::formats::codeview::{Decimal, Leaf};
use crate::formats::pdb::text;

/// The most scopes that are nested in each other.
const MAX_SCOPE_DEPTH: usize = 255;

/// The bit of a local variable's flags that says that the compiler made it up.
const COMPILER_GENERATED: u16 = 4;

/// What the symbols say about one method.
#[derive(Clone, Debug)]
pub struct Method {
    /// Its token.
    pub token: At<u32>,
    /// Its name, without its type's.
    pub name: At<String>,
    /// Where its IL begins in the numbering of all IL.
    pub offset: u32,
    /// How many bytes of IL it has.
    pub len: u32,
    /// Its `S_GMANPROC` record.
    pub record: Span,
    /// Its records, from `S_GMANPROC` to the `S_END` that belongs to it.
    pub span: Span,
    /// The scope of all of the method, and the scopes in it; each is behind the one around it.
    pub scopes: Vec<Scope>,
    /// Its local variables with names.
    pub slots: Vec<LocalSlot>,
    /// Its constants.
    pub constants: Vec<LocalConstant>,
    /// Its imports as they stand.
    pub namespaces: Vec<At<String>>,
    /// What its `MD2` record says.
    pub custom: Vec<CustomRecord>,
    /// What its `asyncMethodInfo` record says.
    pub async_info: Option<At<AsyncInfo>>,
    /// Records of other kinds.
    pub others: Vec<(u16, Span)>,
    /// What is wrong with it.
    pub problems: Vec<Error>,
}

/// The code in which local variables and constants have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The scope around it: a place in [`Method::scopes`]. None for that of all of the method.
    pub parent: Option<usize>,
    /// The IL offset of its first byte.
    pub start: u32,
    /// How many bytes of IL it has.
    pub length: u32,
    /// The record that begins it: `S_BLOCK32`, or `S_GMANPROC` where nothing is in scope in all of the method.
    pub span: Span,
}

/// A local variable with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalSlot {
    /// The scope it is in: a place in [`Method::scopes`].
    pub scope: usize,
    /// Which local variable it is.
    pub index: At<u32>,
    /// The StandAloneSig token of the method's local variables.
    pub signature: u32,
    /// What it is, bit by bit.
    pub flags: u16,
    /// Its name.
    pub name: At<String>,
    /// Its record.
    pub span: Span,
}

/// A constant with its name and value.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalConstant {
    /// The scope it is in: a place in [`Method::scopes`].
    pub scope: usize,
    /// The StandAloneSig token of its type.
    pub signature: u32,
    /// Its value.
    pub value: At<ConstantValue>,
    /// Its name.
    pub name: At<String>,
    /// Its record.
    pub span: Span,
}

/// The value of a constant, which knows less than its type: `null` is 0, a `char` a number.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstantValue {
    /// A number with a sign.
    Signed(i64),
    /// A number without.
    Unsigned(u64),
    /// The bits of a 32-bit floating-point number.
    Single(u32),
    /// The bits of a 64-bit floating-point number; of a date too.
    Double(u64),
    /// Text.
    Text(String),
    /// A decimal number.
    Decimal(Decimal),
    /// A number of a kind that .NET does not have, by its leaf.
    Other(u16),
}

impl LocalSlot {
    /// Whether the compiler made it up.
    pub const fn is_hidden(&self) -> bool {
        self.flags & COMPILER_GENERATED != 0
    }
}

impl Method {
    /// Reads the method whose record begins at `at` of `symbols`, the symbols of its module.
    pub(super) fn read(symbols: &Region, at: u32) -> Result<Self> {
        let mut records = Records::new(symbols.slice(), at as u64);
        let nowhere = Error::invalid("there is no method here", symbols.span().part(at as u64, 0));
        let record = records.next().ok_or(nowhere.clone())??;
        let ManagedSymbol::Procedure(procedure) = ManagedSymbol::read(record)? else { return Err(nowhere) };
        let mut method = Self {
            token: procedure.token,
            name: string(procedure.name),
            offset: procedure.offset,
            len: procedure.len,
            record: record.span(),
            span: record.span(),
            scopes: vec![Scope { parent: None, start: 0, length: procedure.len, span: record.span() }],
            slots: Vec::new(),
            constants: Vec::new(),
            namespaces: Vec::new(),
            custom: Vec::new(),
            async_info: None,
            others: Vec::new(),
            problems: Vec::new(),
        };
        // The scopes that are open: places in `scopes`.
        let mut open = vec![0];
        for record in records {
            if let Err(error) = record.and_then(|record| method.add(record, &mut open)) {
                method.problems.push(error);
                break;
            }
            let Some(_) = open.last() else { break };
        }
        if !open.is_empty() && method.problems.is_empty() {
            method.problems.push(Error::invalid("a method whose end is missing", method.record));
        }
        if let Some(end) = (open.is_empty()).then_some(procedure.end as u64)
            && symbols.span().start + end != method.span.end().saturating_sub(4)
        {
            let sentence = "the end of this method is not where its record says";
            method.problems.push(Error::invalid(sentence, method.record.part(8, 4)));
        }
        Ok(method)
    }

    /// Adds a record of the method.
    fn add(&mut self, record: Record<'_>, open: &mut Vec<usize>) -> Result<()> {
        let span = record.span();
        let scope = open.last().copied().unwrap_or_default();
        if matches!(record.kind, kind::METHOD | kind::LOCAL_METHOD) {
            return Err(Error::invalid("a method that begins before the one before it ends", span));
        }
        self.span = self.span.to(span);
        match ManagedSymbol::read(record)? {
            ManagedSymbol::End => drop(open.pop()),
            ManagedSymbol::Block(block) => {
                if open.len() > MAX_SCOPE_DEPTH {
                    return Err(Error::new(ErrorKind::TooDeep("scopes"), span));
                }
                let start = block.offset.wrapping_sub(self.offset);
                if start > self.len || block.len > self.len - start {
                    self.problems.push(Error::invalid("a scope that reaches past the method it is in", span));
                }
                // A scope around all of the method is the method's own: only what is in it needs a record.
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
                index: slot.index,
                signature: slot.signature,
                flags: slot.flags,
                name: string(slot.name),
                span,
            }),
            ManagedSymbol::Constant(constant) => self.constants.push(LocalConstant {
                scope,
                signature: constant.signature,
                value: At::new(value(constant.value.value), constant.value.span),
                name: string(constant.name),
                span,
            }),
            ManagedSymbol::Namespace(name) => self.namespaces.push(string(name)),
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

fn string(slice: Slice<'_>) -> At<String> {
    At::new(text::lossy(slice), slice.span())
}

fn value(leaf: Leaf<'_>) -> ConstantValue {
    match leaf {
        Leaf::Signed(number) => ConstantValue::Signed(number),
        Leaf::Unsigned(number) => ConstantValue::Unsigned(number),
        Leaf::Single(bits) => ConstantValue::Single(bits),
        Leaf::Double(bits) | Leaf::Date(bits) => ConstantValue::Double(bits),
        Leaf::Text(slice) => ConstantValue::Text(text::lossy(slice)),
        Leaf::Decimal(decimal) => ConstantValue::Decimal(decimal),
        Leaf::Other(leaf, _) => ConstantValue::Other(leaf),
    }
}

//! Index of what code and signatures refer to by token.

use super::UseKind;
use crate::lazy_index::IndexKind;
use crate::method::{body, instructions};
use pdblens_formats::bytes::{Space, Work};
use pdblens_formats::il::{Operand, Operation, RegionKind};
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_formats::signature;
use pdblens_session::parallel::{parallel_map, processors};
use pdblens_session::session::Session;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const CHUNK: u32 = 1024;

const SIGNATURES: &[(TableId, usize)] = &[
    (TableId::FIELD, 2),
    (TableId::METHOD_DEF, 4),
    (TableId::MEMBER_REF, 2),
    (TableId::STAND_ALONE_SIG, 0),
    (TableId::PROPERTY, 2),
    (TableId::METHOD_SPEC, 1),
];

/// A token in the code of a method. Of a string literal, the row is the offset into `#US`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CodeUse {
    target: u32,
    /// Row of MethodDef.
    pub method: u32,
    /// IL offset of the instruction, or of the handler of a catch clause.
    pub il: u32,
    pub kind: UseKind,
}

/// A token in the signature of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SignatureUse {
    target: u32,
    pub table: TableId,
    pub row: u32,
}

/// Uses by token, in the order of tokens.
#[derive(Debug, Default)]
pub(super) struct UseIndex {
    code: Vec<CodeUse>,
    signatures: Vec<SignatureUse>,
}

#[derive(Debug, Default)]
struct Kept(OnceLock<UseIndex>);

pub(super) static INDEX: IndexKind = IndexKind {
    name: |_| "method bodies".to_owned(),
    size: |session, _| {
        let image = session.image().and_then(|image| session.spaces().get(image.space));
        image.map_or(0, Space::len)
    },
    is_built: |session, _| session.cache().get::<Kept>().0.get().is_some(),
    build: |session, _| {
        UseIndex::of(session);
    },
    is_optional: false,
};

impl UseIndex {
    pub(super) fn of(session: &Session) -> &Self {
        session.cache().get::<Kept>().0.get_or_init(|| build(session))
    }

    pub(super) fn in_code(&self, token: Token) -> &[CodeUse] {
        range(&self.code, token, |found| found.target)
    }

    pub(super) fn in_signatures(&self, token: Token) -> &[SignatureUse] {
        range(&self.signatures, token, |found| found.target)
    }
}

fn range<T>(sorted: &[T], token: Token, target: impl Fn(&T) -> u32) -> &[T] {
    let start = sorted.partition_point(|found| target(found) < token.0);
    let end = sorted.partition_point(|found| target(found) <= token.0);
    sorted.get(start..end).unwrap_or_default()
}

fn build(session: &Session) -> UseIndex {
    let Some(metadata) = session.metadata() else { return UseIndex::default() };
    let (budget, methods) = (session.spaces().budget(), metadata.rows(TableId::METHOD_DEF));
    let starts = (1..=methods).step_by(CHUNK as usize);
    // The threads share the work, since the methods may share their code.
    let (most, done, end) = (budget.most_work(), AtomicU64::new(0), AtomicU32::new(u32::MAX));
    let parts = parallel_map(starts.collect::<Vec<_>>(), processors(), |start| {
        let mut found = Vec::new();
        for row in start..=methods.min(start + CHUNK - 1) {
            if done.load(Ordering::Relaxed) > most {
                end.fetch_min(row, Ordering::Relaxed);
                break;
            }
            done.fetch_add(read_body(session, row, &mut found), Ordering::Relaxed);
        }
        found
    });
    if end.load(Ordering::Relaxed) <= methods {
        budget.end_work("uses in code", Token::new(TableId::METHOD_DEF, end.into_inner()).to_string());
    }
    let mut index = UseIndex { code: parts.concat(), signatures: in_signatures(metadata, &budget.work()) };
    index.code.sort_unstable();
    index.signatures.sort_unstable();
    index.signatures.dedup();
    index
}

/// Adds the uses in the body of a method, if it has one; returns the size of its code.
fn read_body(session: &Session, method: u32, found: &mut Vec<CodeUse>) -> u64 {
    let Ok(Some(body)) = body(session, Token::new(TableId::METHOD_DEF, method)) else { return 0 };
    let mut add = |token: Token, il, kind| found.push(CodeUse { target: token.0, method, il, kind });
    if !body.local_signature.is_nil() {
        add(body.local_signature, 0, UseKind::Locals);
    }
    for region in &body.regions {
        if let RegionKind::Catch { class } = region.kind {
            add(class, region.handler.start, UseKind::Catch);
        }
    }
    for instruction in instructions(session, &body).flatten() {
        let Operand::Token(token) = instruction.operand else { continue };
        add(token, instruction.offset, kind_of(instruction.opcode.operation()));
    }
    body.code.len
}

const fn kind_of(operation: Operation) -> UseKind {
    match operation {
        Operation::NewObject => UseKind::New,
        Operation::Call | Operation::CallIndirect => UseKind::Call,
        Operation::LoadFunction => UseKind::FunctionPointer,
        Operation::LoadField => UseKind::Read,
        Operation::StoreField => UseKind::Write,
        Operation::LoadFieldAddress => UseKind::Address,
        Operation::LoadToken => UseKind::Token,
        Operation::LoadString => UseKind::Literal,
        _ => UseKind::Type,
    }
}

/// Types in the signatures of all rows. What precedes a damaged type is lost with it.
fn in_signatures(metadata: &Metadata, work: &Work) -> Vec<SignatureUse> {
    let mut found = Vec::new();
    let goes_on = |table, row: &u32| work.goes_on("uses in signatures", || Token::new(table, *row).to_string());
    for (table, column) in SIGNATURES.iter().copied() {
        for row in (1..=metadata.rows(table)).take_while(|row| goes_on(table, row)) {
            let Ok(blob) = metadata.blob_cell(table, row, column) else { continue };
            let Ok(signature) = signature::decode(&mut blob.cursor()) else { continue };
            signature.each_token(&mut |token| found.push(SignatureUse { target: token.0, table, row }));
        }
    }
    for row in (1..=metadata.rows(TableId::TYPE_SPEC)).take_while(|row| goes_on(TableId::TYPE_SPEC, row)) {
        let Ok(blob) = metadata.blob_cell(TableId::TYPE_SPEC, row, 0) else { continue };
        let Ok(of) = signature::decode_type(&mut blob.cursor()) else { continue };
        of.value.each_token(&mut |token| {
            found.push(SignatureUse { target: token.0, table: TableId::TYPE_SPEC, row });
        });
    }
    found
}

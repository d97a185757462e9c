//! Index of what code and signatures refer to by token.

use super::kind::{UseKind, User};
use crate::lazy_index::IndexKind;
use crate::method::{body, image_bytes, instructions};
use crate::place::{MethodPart, Place};
use memchr::memmem::Finder;
use pdblens_formats::bytes::{Space, Work};
use pdblens_formats::il::{Body, ExceptionRegion, Operand, Operation, RegionKind};
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_formats::signature;
use pdblens_session::parallel::{parallel_each, processors};
use pdblens_session::session::Session;
use std::convert::Infallible;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const CHUNK: u32 = 1024;
/// Pairs of a token and a user from which on they are put in a list.
const MANY_PAIRS: usize = 1 << 20;
/// Tokens that are looked for by their bytes at most.
const MOST_FINDERS: usize = 8;

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
    pub token: Token,
    /// Row of MethodDef.
    pub method: u32,
    /// IL offset of the instruction, or of the handler of a catch clause.
    pub il: u32,
    pub kind: UseKind,
    /// True for an instruction on a static field.
    pub is_static: bool,
}

impl CodeUse {
    pub const fn user(&self) -> User {
        let method = Token::new(TableId::METHOD_DEF, self.method);
        let place = match self.kind {
            UseKind::Locals => Place::Method(method),
            _ => Place::MethodPart(method, MethodPart::Instruction(self.il)),
        };
        User { kind: self.kind, place, field: "" }
    }
}

/// Users by token: nothing of a use but the two, since what else there is can be read again.
#[derive(Debug, Default)]
pub(super) struct UseIndex {
    /// Rows of the methods whose code has a token.
    code: UserLists,
    /// Tokens of the rows whose signature has a token.
    signatures: UserLists,
}

/// Users of each token, in a third of the memory of pairs: lists of some pairs, then of the next ones.
#[derive(Debug, Default)]
struct UserLists(Vec<UserList>);

/// Users of each token, ascending.
#[derive(Debug, Default)]
struct UserList {
    /// Tokens, ascending, each with the end of its users.
    tokens: Vec<(u32, u32)>,
    /// Each user less the one before it, in groups of seven bits, the lowest first; the last byte of a number is below 0x80.
    users: Vec<u8>,
}

impl UserLists {
    /// Adds pairs of a token and a user once there are many; `pairs` is empty then.
    fn take(&mut self, pairs: &mut Vec<(u32, u32)>) {
        if pairs.len() >= MANY_PAIRS {
            self.0.push(UserList::of(pairs));
        }
    }

    /// The lists with the rest of the pairs.
    fn with(mut self, mut pairs: Vec<(u32, u32)>) -> Self {
        self.0.push(UserList::of(&mut pairs));
        self
    }

    fn get(&self, token: Token) -> Vec<u32> {
        self.0.iter().flat_map(|list| list.get(token)).collect()
    }
}

impl UserList {
    /// Lists the pairs, and removes them. Users are left out once the list has 4 GB.
    fn of(pairs: &mut Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut list = Self::default();
        for of_token in pairs.chunk_by(|a, b| a.0 == b.0) {
            let mut before = 0;
            for (_, user) in of_token {
                let mut rest = user - before;
                before = *user;
                while rest >= 0x80 {
                    list.users.push(rest as u8 | 0x80);
                    rest >>= 7;
                }
                list.users.push(rest as u8);
            }
            let Ok(end) = u32::try_from(list.users.len()) else { break };
            list.tokens.extend(of_token.first().map(|(token, _)| (*token, end)));
        }
        pairs.clear();
        list.tokens.shrink_to_fit();
        list.users.shrink_to_fit();
        list
    }

    fn get(&self, token: Token) -> Vec<u32> {
        let Ok(index) = self.tokens.binary_search_by_key(&token.0, |(token, _)| *token) else { return Vec::new() };
        let end = |index: usize| self.tokens.get(index).map(|(_, end)| *end as usize);
        let start = index.checked_sub(1).and_then(end).unwrap_or(0);
        let bytes = self.users.get(start..end(index).unwrap_or(start)).unwrap_or_default();
        let mut user = 0;
        let mut next = |number: &[u8]| {
            user += number.iter().rev().fold(0, |rest, byte| rest << 7 | u32::from(byte & 0x7f));
            user
        };
        bytes.split_inclusive(|byte| *byte < 0x80).map(&mut next).collect()
    }
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
    /// Builds the index, unless it is there.
    pub(super) fn of(session: &Session) -> &Self {
        session.cache().get::<Kept>().0.get_or_init(|| build(session))
    }

    fn kept(session: &Session) -> Option<&Self> {
        session.cache().get::<Kept>().0.get()
    }
}

/// Uses of some tokens in code: of the methods that the index names or, where none is built, of those whose code has the bytes of one.
pub(super) fn in_code(session: &Session, tokens: &[Token]) -> Vec<CodeUse> {
    let mut wanted: Vec<u32> = tokens.iter().map(|token| token.0).collect();
    wanted.sort_unstable();
    let mut found = match UseIndex::kept(session) {
        Some(index) => {
            let mut methods: Vec<u32> = tokens.iter().flat_map(|token| index.code.get(*token)).collect();
            methods.sort_unstable();
            methods.dedup();
            let mut found = Vec::new();
            for method in methods {
                read_body(session, method, &mut |found_use| found.push(found_use));
            }
            found
        }
        None => {
            let finders: Vec<[u8; 4]> = wanted.iter().map(|token| token.to_le_bytes()).collect();
            let finders: Vec<Finder<'_>> = finders.iter().map(Finder::new).collect();
            let mut all = Vec::new();
            let read = |method, found: &mut Vec<CodeUse>| {
                let token = Token::new(TableId::METHOD_DEF, method);
                let Ok(Some(body)) = body(session, token) else { return 0 };
                if may_use(session, &body, &wanted, &finders) {
                    uses(session, method, &body, &mut |use_of| found.push(use_of));
                }
                body.code.len
            };
            each_body(session, read, |found| all.extend(found));
            all
        }
    };
    found.retain(|use_of| wanted.binary_search(&use_of.token.0).is_ok());
    found
}

/// Returns whether a body may refer to one of some tokens, by their bytes alone.
fn may_use(session: &Session, body: &Body, wanted: &[u32], finders: &[Finder<'_>]) -> bool {
    let is_wanted = |token: Token| wanted.binary_search(&token.0).is_ok();
    let catches = |region: &ExceptionRegion| matches!(region.kind, RegionKind::Catch { class } if is_wanted(class));
    // To look for many is slower than to decode.
    if finders.len() > MOST_FINDERS || is_wanted(body.local_signature) || body.regions.iter().any(catches) {
        return true;
    }
    let code = image_bytes(session, body.code).unwrap_or_default().data;
    finders.iter().any(|finder| finder.find(code).is_some())
}

/// Rows whose signatures have the token of a type.
pub(super) fn in_signatures(session: &Session, of: Token) -> Vec<Token> {
    match (UseIndex::kept(session), session.metadata()) {
        (Some(index), _) => index.signatures.get(of).into_iter().map(Token).collect(),
        (None, Some(metadata)) if matches!(of.table(), TableId::TYPE_DEF | TableId::TYPE_REF | TableId::TYPE_SPEC) => {
            let mut found = Vec::new();
            each_in_signatures(metadata, &session.spaces().budget().work(), &mut |target, row| {
                if target == of && found.last() != Some(&row) {
                    found.push(row);
                }
            });
            found
        }
        _ => Vec::new(),
    }
}

fn build(session: &Session) -> UseIndex {
    let Some(metadata) = session.metadata() else { return UseIndex::default() };
    let read = |method, found: &mut Vec<(u32, u32)>| {
        read_body(session, method, &mut |use_of| {
            let pair = (use_of.token.0, method);
            if found.last() != Some(&pair) {
                found.push(pair);
            }
        })
    };
    let (mut code, mut pairs) = (UserLists::default(), Vec::new());
    each_body(session, read, |found| {
        pairs.extend(found);
        code.take(&mut pairs);
    });
    let code = code.with(pairs);
    let (mut signatures, mut pairs) = (UserLists::default(), Vec::new());
    each_in_signatures(metadata, &session.spaces().budget().work(), &mut |target, row| {
        pairs.push((target.0, row.0));
        signatures.take(&mut pairs);
    });
    UseIndex { code, signatures: signatures.with(pairs) }
}

/// Calls `add` with what `read` finds in some methods, in the order of their rows. `read` returns the bytes that it decoded.
fn each_body<T: Send>(session: &Session, read: impl Fn(u32, &mut Vec<T>) -> u64 + Sync, mut add: impl FnMut(Vec<T>)) {
    let (budget, methods) =
        (session.spaces().budget(), session.metadata().map_or(0, |all| all.rows(TableId::METHOD_DEF)));
    let starts = (1..=methods).step_by(CHUNK as usize);
    // The threads share the work, since the methods may share their code.
    let (most, done, end) = (budget.most_work(), AtomicU64::new(0), AtomicU32::new(u32::MAX));
    let made = parallel_each(
        starts,
        processors(),
        |start| {
            let mut found = Vec::new();
            for row in start..=methods.min(start + CHUNK - 1) {
                if done.load(Ordering::Relaxed) > most {
                    end.fetch_min(row, Ordering::Relaxed);
                    break;
                }
                done.fetch_add(read(row, &mut found), Ordering::Relaxed);
            }
            found
        },
        |found| {
            add(found);
            Ok::<_, Infallible>(())
        },
    );
    let Ok(()) = made;
    if end.load(Ordering::Relaxed) <= methods {
        budget.end_work("uses in code", Token::new(TableId::METHOD_DEF, end.into_inner()).to_string());
    }
}

/// Adds the uses in the body of a method, if it has one; returns the size of its code.
fn read_body(session: &Session, method: u32, add: &mut dyn FnMut(CodeUse)) -> u64 {
    let Ok(Some(body)) = body(session, Token::new(TableId::METHOD_DEF, method)) else { return 0 };
    uses(session, method, &body, add);
    body.code.len
}

fn uses(session: &Session, method: u32, body: &Body, add: &mut dyn FnMut(CodeUse)) {
    let mut add = |token: Token, il, kind, is_static| add(CodeUse { token, method, il, kind, is_static });
    if !body.local_signature.is_nil() {
        add(body.local_signature, 0, UseKind::Locals, false);
    }
    for region in &body.regions {
        if let RegionKind::Catch { class } = region.kind {
            add(class, region.handler.start, UseKind::Catch, false);
        }
    }
    for instruction in instructions(session, body).flatten() {
        let Operand::Token(token) = instruction.operand else { continue };
        let is_static = matches!(instruction.opcode.name, "ldsfld" | "ldsflda" | "stsfld");
        add(token, instruction.offset, kind_of(instruction.opcode.operation()), is_static);
    }
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

/// Calls `add` with each type in a signature and the row that has it. What precedes a damaged type is lost with it.
fn each_in_signatures(metadata: &Metadata, work: &Work, add: &mut dyn FnMut(Token, Token)) {
    let goes_on = |row: Token| work.goes_on("uses in signatures", || row.to_string());
    for (table, column) in SIGNATURES.iter().copied() {
        let rows = (1..=metadata.rows(table)).map(|row| Token::new(table, row));
        for row in rows.take_while(|row| goes_on(*row)) {
            let Ok(blob) = metadata.blob_cell(table, row.row(), column) else { continue };
            let Ok(signature) = signature::decode(&mut blob.cursor()) else { continue };
            signature.each_token(&mut |token| add(token, row));
        }
    }
    let rows = (1..=metadata.rows(TableId::TYPE_SPEC)).map(|row| Token::new(TableId::TYPE_SPEC, row));
    for row in rows.take_while(|row| goes_on(*row)) {
        let Ok(blob) = metadata.blob_cell(TableId::TYPE_SPEC, row.row(), 0) else { continue };
        let Ok(of) = signature::decode_type(&mut blob.cursor()) else { continue };
        of.value.each_token(&mut |token| add(token, row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_the_users_of_its_pairs() {
        let pairs = vec![(7, 300), (2, 1), (7, 0x0600_0001), (7, 5), (2, 1), (9, u32::MAX)];
        let lists = UserLists::default().with(pairs).with(vec![(7, 0x0600_0002)]);
        let users = |token| lists.get(Token(token));
        assert_eq!([users(2), users(7), users(9)], [vec![1], vec![5, 300, 0x0600_0001, 0x0600_0002], vec![u32::MAX]]);
        assert!([0, 8, 10].into_iter().all(|token| users(token).is_empty()));
    }
}

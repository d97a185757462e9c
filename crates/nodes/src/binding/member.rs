//! Methods that instructions call, as far as the compiler's boundaries depend on them.

use crate::table::attributes;
use pdblens_formats::bytes::At;
use pdblens_formats::il::{Instruction, Operand, Operation};
use pdblens_formats::metadata::schema::{MEMBER_FORWARDED, MEMBER_REF_PARENT, METHOD_DEF_OR_REF, RESOLUTION_SCOPE};
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_formats::signature::{self, Arity, CallKind, MethodSignature, Primitive, Signature, Type, element};
use pdblens_session::session::Session;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bits of MethodDef.ImplFlags and of ImplMap.MappingFlags.
const SYNCHRONIZED: u32 = 0x20;
const PRESERVE_SIG: u32 = 0x80;
const SETS_LAST_ERROR: u32 = 0x40;
/// Bit of MethodDef.Flags.
const PINVOKE_IMPL: u32 = 0x2000;
/// Public key tokens of the assemblies of .NET, none of which has a P/Invoke that others can call.
const FRAMEWORK_TOKENS: [u64; 5] =
    [0xb77a_5c56_1934_e089, 0xb03f_5f7f_11d5_0a3a, 0x7cec_85d7_bea7_798e, 0xcc7b_13ff_cd2d_dd51, 0x31bf_3856_ad36_4e35];
/// Types in types: those of the framework are two deep.
const MAX_NESTING: u32 = 8;
/// Limit on the methods that are kept with their answers.
const MAX_KNOWN: usize = 1 << 15;

/// The method whose body is asked about.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Own {
    pub has_result: bool,
    pub is_synchronized: bool,
}

/// A method that is called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Callee {
    pub arity: Arity,
    pub role: Role,
}

/// Kinds of methods of which the compiler does not make an ordinary call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Ordinary,
    /// Constructor of a string or of an array with several dimensions, which is a call with a result.
    Array,
    GivesBackArgument,
    MakesNothing,
    /// Becomes an expression, or remains a call.
    Expression,
    /// Becomes something that is not known.
    Intrinsic,
    /// Native code, called without a stub where the call is not protected.
    PInvoke,
    MaybePInvoke,
}

/// Methods of other images, and instances, that calls were found of: they come again in body after body.
pub(super) struct Callees<'s> {
    session: &'s Session,
    known: MutexGuard<'s, HashMap<u64, Option<Callee>>>,
}

#[derive(Default)]
struct Known(Mutex<HashMap<u64, Option<Callee>>>);

impl Own {
    pub fn of(session: &Session, method: Token) -> Option<Self> {
        let metadata = session.metadata()?;
        let flags = metadata.table(TableId::METHOD_DEF).cell(method.row(), 1).ok()?;
        let has_result = arity(metadata, TableId::METHOD_DEF, method.row(), 4)?.has_result;
        Some(Self { has_result, is_synchronized: flags & SYNCHRONIZED != 0 })
    }
}

impl<'s> Callees<'s> {
    pub fn of_session(session: &'s Session) -> Self {
        let known = &session.cache().get::<Known>().0;
        Self { session, known: known.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    /// The method that an instruction calls. P/Invokes are told from other methods only where they decide: in code whose returns are merged.
    pub fn of(&mut self, instruction: &Instruction<'_>, merges_returns: bool) -> Option<Callee> {
        let operation = instruction.opcode.operation();
        let kind = match operation {
            Operation::Call => 0,
            Operation::NewObject => 1,
            Operation::CallIndirect => 2,
            _ => return None,
        };
        let (metadata, Operand::Token(token)) = (self.session.metadata()?, instruction.operand) else { return None };
        let find = || match operation {
            Operation::CallIndirect => pointer(metadata, token),
            _ => member(self.session, metadata, token, operation == Operation::NewObject, merges_returns),
        };
        // A method of the image itself is called from one or two places, and takes two cells.
        if token.table() == TableId::METHOD_DEF {
            return find();
        }
        let question = u64::from(token.0) << 3 | kind << 1 | u64::from(merges_returns);
        if let Some(known) = self.known.get(&question) {
            return *known;
        }
        let found = find();
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        self.known.insert(question, found);
        found
    }
}

/// A function pointer, by the signature that it is called with.
fn pointer(metadata: &Metadata, token: Token) -> Option<Callee> {
    let arity = arity(metadata, TableId::STAND_ALONE_SIG, token.row(), 0)?;
    let is_native =
        |found: MethodSignature| !matches!(found.call, CallKind::Default | CallKind::VarArg) && is_plain(&found);
    let found = method_signature(metadata, TableId::STAND_ALONE_SIG, token.row(), 0);
    Some(Callee { arity, role: if found.is_some_and(is_native) { Role::PInvoke } else { Role::Ordinary } })
}

fn member(session: &Session, metadata: &Metadata, token: Token, is_new: bool, merges_returns: bool) -> Option<Callee> {
    let token = match token.table() {
        TableId::METHOD_SPEC => {
            let cell = metadata.table(TableId::METHOD_SPEC).cell(token.row(), 0).ok()?;
            METHOD_DEF_OR_REF.decode(cell).map(|(table, row)| Token::new(table, row))?
        }
        _ => token,
    };
    let column = match token.table() {
        TableId::METHOD_DEF => 4,
        TableId::MEMBER_REF => 2,
        _ => return None,
    };
    let arity = arity(metadata, token.table(), token.row(), column)?;
    let role = match token.table() {
        TableId::METHOD_DEF => own_role(session, metadata, token, merges_returns),
        _ => foreign_role(metadata, token, is_new, merges_returns && !arity.has_this),
    };
    Some(Callee { arity, role })
}

fn arity(metadata: &Metadata, table: TableId, row: u32, column: usize) -> Option<Arity> {
    signature::decode_arity(&mut metadata.blob_cell(table, row, column).ok()?.cursor()).ok()
}

fn method_signature(metadata: &Metadata, table: TableId, row: u32, column: usize) -> Option<MethodSignature> {
    let blob = metadata.blob_cell(table, row, column).ok()?;
    match signature::decode(&mut blob.cursor()) {
        Ok(Signature::Method(found)) => Some(found),
        _ => None,
    }
}

fn unmodified(mut found: &Type) -> &Type {
    while let Type::Modified { of, .. } = found {
        found = of;
    }
    found
}

/// Returns true if all types are numbers, pointers and value types, which need no marshalling.
fn is_plain(found: &MethodSignature) -> bool {
    let is_plain = |found: &Type| match unmodified(found) {
        Type::Primitive(primitive) => !matches!(
            primitive,
            Primitive::Boolean | Primitive::Char | Primitive::String | Primitive::Object | Primitive::TypedByRef
        ),
        Type::Named { is_value, .. } => *is_value,
        Type::Pointer(_) | Type::Function(_) => true,
        _ => false,
    };
    is_plain(&found.returns.value) && found.parameters.iter().all(|parameter| is_plain(&parameter.value))
}

/// Role of a method of this image: one of the framework's own, or a P/Invoke that the compiler calls without a stub.
fn own_role(session: &Session, metadata: &Metadata, method: Token, may_be_native: bool) -> Role {
    // An image that refers to no other is the core library.
    if metadata.rows(TableId::ASSEMBLY_REF) == 0 {
        let owner = session.names().map_or(0, |names| names.owner(method.row()));
        return of_framework(metadata, Token::new(TableId::TYPE_DEF, owner), method);
    }
    if !may_be_native {
        return Role::Ordinary;
    }
    let [_, flags_of_code, flags] = metadata.table(TableId::METHOD_DEF).cells(method.row()).unwrap_or_default();
    let has_error = |row| metadata.table(TableId::IMPL_MAP).cell(row, 0).unwrap_or_default() & SETS_LAST_ERROR != 0;
    let map = || {
        let member = MEMBER_FORWARDED.encode(TableId::METHOD_DEF, method.row())?;
        metadata.table(TableId::IMPL_MAP).equal_range(1, member).next()
    };
    if flags & PINVOKE_IMPL == 0 || flags_of_code & PRESERVE_SIG == 0 || map().is_none_or(has_error) {
        return Role::Ordinary;
    }
    let is_plain =
        method_signature(metadata, TableId::METHOD_DEF, method.row(), 4).is_some_and(|found| is_plain(&found));
    let keeps_mode = || attributes::of(session, method).any(|(_, name)| name == "SuppressGCTransitionAttribute");
    if is_plain && !keeps_mode() { Role::PInvoke } else { Role::Ordinary }
}

fn foreign_role(metadata: &Metadata, method: Token, is_new: bool, may_be_native: bool) -> Role {
    let Some(owner) = owner(metadata, method) else {
        return if is_new { Role::Array } else { Role::Ordinary };
    };
    match of_framework(metadata, owner, method) {
        Role::Array if !is_new => Role::Ordinary,
        Role::Ordinary if may_be_native && is_foreign(metadata, outermost(metadata, owner)) => {
            let found = method_signature(metadata, TableId::MEMBER_REF, method.row(), 2);
            if found.is_some_and(|found| is_plain(&found)) { Role::MaybePInvoke } else { Role::Ordinary }
        }
        role => role,
    }
}

/// Role of a method of the framework, by namespace, type and name.
fn of_framework(metadata: &Metadata, owner: Token, method: Token) -> Role {
    let text = |of: Token, column| metadata.string_cell(of.table(), of.row(), column).unwrap_or_default().data;
    let (space, class) = (text(outermost(metadata, owner), 2), text(owner, 1));
    if !space.starts_with(b"System") {
        return Role::Ordinary;
    }
    let name = text(method, if method.table() == TableId::METHOD_DEF { 3 } else { 1 });
    let is_numeric = [&b"Vector"[..], b"Matrix", b"Plane", b"Quaternion", b"BitOperations"]
        .iter()
        .any(|name| class.starts_with(name));
    let is_vector = space.starts_with(b"System.Runtime.Intrinsics") || space == b"System.Numerics" && is_numeric;
    match (space, class, name) {
        (b"System", b"String", b".ctor") => Role::Array,
        (b"System.Runtime.CompilerServices", b"Unsafe", b"As" | b"AsRef") => Role::GivesBackArgument,
        (b"System.Runtime.CompilerServices", b"Unsafe", b"SkipInit") => Role::MakesNothing,
        (b"System.Runtime.CompilerServices", b"Unsafe", b"BitCast" | b"Unbox") => Role::Intrinsic,
        (b"System.Runtime.CompilerServices", b"Unsafe" | b"RuntimeHelpers", _) => Role::Expression,
        (_, _, b".ctor") => Role::Ordinary,
        // These need a processor that has them.
        _ if is_vector && (class.starts_with(b"Vector64") || class.starts_with(b"Vector512")) => Role::Intrinsic,
        _ if is_vector && class.starts_with(b"Vector") && name.starts_with(b"As") => Role::GivesBackArgument,
        (_, _, b"op_UnaryPlus" | b"op_Implicit" | b"op_Explicit") if is_vector => Role::Intrinsic,
        _ if is_vector => Role::Expression,
        (b"System", b"Math" | b"MathF" | b"BitConverter", _) => Role::Expression,
        _ => Role::Ordinary,
    }
}

/// The type that another image declares a method in; nil for one whose name does not matter, and `None` for an array type.
fn owner(metadata: &Metadata, method: Token) -> Option<Token> {
    let cell = metadata.table(TableId::MEMBER_REF).cell(method.row(), 0).unwrap_or_default();
    let Some((table, row)) = MEMBER_REF_PARENT.decode(cell) else { return Some(Token::default()) };
    if table != TableId::TYPE_SPEC {
        return Some(Token::new(table, row));
    }
    let blob = metadata.blob_cell(table, row, 0).unwrap_or_default();
    match blob.data {
        [element::ARRAY, ..] => None,
        [element::GENERICINST, element::VALUETYPE, ..] => match signature::decode_type(&mut blob.cursor()) {
            Ok(At { value: Type::Generic { token, .. }, .. }) => Some(token),
            _ => Some(Token::default()),
        },
        _ => Some(Token::default()),
    }
}

/// The type that a nested type of another assembly is in.
fn outermost(metadata: &Metadata, mut owner: Token) -> Token {
    for _ in 0..MAX_NESTING {
        match scope(metadata, owner) {
            Some(scope) if scope.table() == TableId::TYPE_REF => owner = scope,
            _ => break,
        }
    }
    owner
}

fn scope(metadata: &Metadata, owner: Token) -> Option<Token> {
    if owner.table() != TableId::TYPE_REF {
        return None;
    }
    let cell = metadata.table(TableId::TYPE_REF).cell(owner.row(), 0).ok()?;
    RESOLUTION_SCOPE.decode(cell).map(|(table, row)| Token::new(table, row))
}

/// Returns true for a type of another assembly that is not one of .NET.
fn is_foreign(metadata: &Metadata, outer: Token) -> bool {
    let Some(assembly) = scope(metadata, outer).filter(|scope| scope.table() == TableId::ASSEMBLY_REF) else {
        return false;
    };
    let key = metadata.blob_cell(TableId::ASSEMBLY_REF, assembly.row(), 5).unwrap_or_default().data;
    !<[u8; 8]>::try_from(key).is_ok_and(|key| FRAMEWORK_TOKENS.contains(&u64::from_be_bytes(key)))
}

//! Methods that instructions call, as far as the compiler's boundaries depend on them.

use crate::table::attributes;
use pdblens_formats::il::{Instruction, Operand, Operation};
use pdblens_formats::metadata::schema::{MEMBER_FORWARDED, MEMBER_REF_PARENT, METHOD_DEF_OR_REF, RESOLUTION_SCOPE};
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_formats::signature::{self, CallKind, MethodSignature, Primitive, Signature, Type};
use pdblens_session::session::Session;

/// Bits of MethodDef.ImplFlags and of ImplMap.MappingFlags.
const SYNCHRONIZED: u32 = 0x20;
const PRESERVE_SIG: u32 = 0x80;
const SETS_LAST_ERROR: u32 = 0x40;
/// Public key tokens of the assemblies of .NET, none of which has a P/Invoke that others can call.
const FRAMEWORK_TOKENS: [u64; 5] =
    [0xb77a_5c56_1934_e089, 0xb03f_5f7f_11d5_0a3a, 0x7cec_85d7_bea7_798e, 0xcc7b_13ff_cd2d_dd51, 0x31bf_3856_ad36_4e35];
/// Types in types: those of the framework are two deep.
const MAX_NESTING: u32 = 8;

/// The method whose body is asked about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Own {
    pub has_result: bool,
    pub is_synchronized: bool,
}

/// A method that is called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Callee {
    /// Without `this`.
    pub parameters: u32,
    pub has_this: bool,
    pub has_result: bool,
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

impl Own {
    pub fn of(session: &Session, method: Token) -> Self {
        let Some(metadata) = session.metadata() else { return Self { has_result: false, is_synchronized: false } };
        let flags = metadata.table(TableId::METHOD_DEF).cell(method.row(), 1).unwrap_or_default();
        let found = method_signature(metadata, TableId::METHOD_DEF, method.row(), 4);
        Self {
            has_result: found.is_some_and(|found| !is_void(&found.returns.value)),
            is_synchronized: flags & SYNCHRONIZED != 0,
        }
    }
}

impl Callee {
    pub fn of(session: &Session, instruction: &Instruction<'_>) -> Option<Self> {
        let (metadata, Operand::Token(token)) = (session.metadata()?, instruction.operand) else { return None };
        let operation = instruction.opcode.operation();
        if operation == Operation::CallIndirect {
            let found = method_signature(metadata, TableId::STAND_ALONE_SIG, token.row(), 0)?;
            let is_native = !matches!(found.call, CallKind::Default | CallKind::VarArg) && is_plain(&found);
            return Some(Self::new(&found, if is_native { Role::PInvoke } else { Role::Ordinary }));
        }
        if !matches!(operation, Operation::Call | Operation::NewObject) {
            return None;
        }
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
        let found = method_signature(metadata, token.table(), token.row(), column)?;
        let role = role(session, metadata, token, &found, operation == Operation::NewObject);
        Some(Self::new(&found, role))
    }

    fn new(found: &MethodSignature, role: Role) -> Self {
        Self {
            parameters: found.parameters.len() as u32,
            has_this: found.has_this && !found.explicit_this,
            has_result: !is_void(&found.returns.value),
            role,
        }
    }
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

fn is_void(found: &Type) -> bool {
    matches!(unmodified(found), Type::Primitive(Primitive::Void))
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

fn role(session: &Session, metadata: &Metadata, method: Token, found: &MethodSignature, is_new: bool) -> Role {
    let is_own = method.table() == TableId::METHOD_DEF;
    if is_own && is_direct_native(session, metadata, method, found) {
        return Role::PInvoke;
    }
    let Some(owner) = owner(session, metadata, method) else {
        return if is_new { Role::Array } else { Role::Ordinary };
    };
    let text = |table, row, column| metadata.string_cell(table, row, column).unwrap_or_default().data;
    let name = text(method.table(), method.row(), if is_own { 3 } else { 1 });
    let outer = outermost(metadata, owner);
    let (space, class) = (text(outer.table(), outer.row(), 2), text(owner.table(), owner.row(), 1));
    if is_new {
        return if (space, class) == (b"System", b"String") { Role::Array } else { Role::Ordinary };
    }
    match of_framework(space, class, name) {
        Role::Ordinary if is_foreign(metadata, outer) && !found.has_this && is_plain(found) => Role::MaybePInvoke,
        role => role,
    }
}

/// Role of a method by namespace, type and name.
fn of_framework(space: &[u8], class: &[u8], name: &[u8]) -> Role {
    let is_vector = space.starts_with(b"System.Runtime.Intrinsics") || space == b"System.Numerics";
    match (space, class, name) {
        (b"System.Runtime.CompilerServices", b"Unsafe", b"As" | b"AsRef") => Role::GivesBackArgument,
        (b"System.Runtime.CompilerServices", b"Unsafe", b"SkipInit") => Role::MakesNothing,
        (b"System.Runtime.CompilerServices", b"Unsafe", b"BitCast" | b"Unbox") => Role::Intrinsic,
        (b"System.Runtime.CompilerServices", b"Unsafe" | b"RuntimeHelpers", _) => Role::Expression,
        // These need a processor that has them.
        _ if is_vector && (class.starts_with(b"Vector64") || class.starts_with(b"Vector512")) => Role::Intrinsic,
        _ if is_vector && class.starts_with(b"Vector") && name.starts_with(b"As") => Role::GivesBackArgument,
        (_, _, b"op_UnaryPlus" | b"op_Implicit" | b"op_Explicit") if is_vector => Role::Intrinsic,
        _ if is_vector => Role::Expression,
        (b"System", b"Math" | b"MathF" | b"BitConverter", _) => Role::Expression,
        _ => Role::Ordinary,
    }
}

/// The type that declares a method; `None` for an array type.
fn owner(session: &Session, metadata: &Metadata, method: Token) -> Option<Token> {
    if method.table() == TableId::METHOD_DEF {
        return Some(Token::new(TableId::TYPE_DEF, session.names()?.owner(method.row())));
    }
    let parent = MEMBER_REF_PARENT.decode(metadata.table(TableId::MEMBER_REF).cell(method.row(), 0).ok()?);
    let (table, row) = parent?;
    if table != TableId::TYPE_SPEC {
        return Some(Token::new(table, row));
    }
    let blob = metadata.blob_cell(table, row, 0).ok()?;
    match signature::decode_type(&mut blob.cursor()).ok()?.value {
        Type::Named { token, .. } | Type::Generic { token, .. } => Some(token),
        Type::ShapedArray(..) | Type::Array(_) => None,
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

/// Returns true for a P/Invoke that the compiler calls without a stub.
fn is_direct_native(session: &Session, metadata: &Metadata, method: Token, found: &MethodSignature) -> bool {
    let Some(member) = MEMBER_FORWARDED.encode(TableId::METHOD_DEF, method.row()) else { return false };
    let table = metadata.table(TableId::IMPL_MAP);
    let Some(row) = table.equal_range(1, member).next() else { return false };
    let flags = metadata.table(TableId::METHOD_DEF).cell(method.row(), 1).unwrap_or_default();
    let has_error = table.cell(row, 0).unwrap_or_default() & SETS_LAST_ERROR != 0;
    let keeps_mode = || attributes::of(session, method).any(|(_, name)| name == "SuppressGCTransitionAttribute");
    flags & PRESERVE_SIG != 0 && !has_error && is_plain(found) && !keeps_mode()
}

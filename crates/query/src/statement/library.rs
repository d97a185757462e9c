//! Members and types by token, with the names that C# gives them. Looked up once a session.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use pdblens_formats::metadata::schema::{MEMBER_REF_PARENT, METHOD_DEF_OR_REF, RESOLUTION_SCOPE, TYPE_DEF_OR_REF};
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_formats::portable::constant::{Primitive as Constant, Value};
use pdblens_formats::signature::{self, Primitive, Signature, Type};
use pdblens_nodes::table::attributes;
use pdblens_session::session::Session;
use pdblens_session::text::constant::constant_text;
use pdblens_session::text::names::Names;
use pdblens_session::text::safe::utf8;

/// Bytes of the longest name that the runtime takes (`MAX_CLASS_NAME`).
const MAX_IDENTIFIER: u64 = 1023;

#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Member {
    pub name: Rc<str>,
    /// Name in C#: of the property, the event or the local function.
    pub shown: Rc<str>,
    pub owner: Ty,
    /// Prefix of the name of an accessor, an operator or a constructor; empty for others.
    pub role: &'static str,
    pub has_this: bool,
    pub parameters: Vec<Ty>,
    /// Types of the parameters as they are declared, with type parameters.
    pub open: Vec<Type>,
    pub returns: Ty,
    pub instantiation: Vec<Type>,
    /// True if a parameter mentions every type parameter: C# infers them.
    pub is_inferred: bool,
    pub is_extension: bool,
    pub is_virtual: bool,
    pub row: u32,
}

#[derive(Debug)]
pub(super) struct FieldMember {
    pub name: Rc<str>,
    pub owner: Ty,
    pub ty: Ty,
    pub row: u32,
    /// Name in the source: of the captured variable, or of the property.
    pub shown: Rc<str>,
}

#[derive(Debug)]
pub(super) struct ConstantMember {
    pub number: i64,
    /// The value as C# writes it.
    pub text: String,
    pub name: Rc<str>,
}

/// Extension methods of a file by their names: the type of each, and its number of parameters.
pub(super) type Extensions = HashMap<Rc<str>, Vec<(Token, usize)>>;

type Cache<K, V> = RefCell<HashMap<K, V>>;

/// Look-ups of statements in the metadata of a session.
pub(super) struct Library<'s> {
    pub session: &'s Session,
    pub metadata: &'s Metadata,
    pub names: Names<'s>,
    members: Cache<Token, Option<Rc<Member>>>,
    fields: Cache<Token, Option<Rc<FieldMember>>>,
    constants: Cache<u32, Rc<Vec<ConstantMember>>>,
    marked: Cache<Token, bool>,
    type_names: Cache<Token, (Rc<str>, Rc<str>)>,
    /// Types of this file and of others behind hashes of their names.
    types: OnceCell<Vec<(u32, Token)>>,
    /// Extension methods of this file by their names: the type of each, and its number of parameters.
    pub extensions: OnceCell<Extensions>,
    /// Texts of lambdas, by row and depth: each spelling of a statement asks for them. False if a part of it is left out.
    pub lambdas: Cache<(u32, usize), (Rc<str>, bool)>,
    pub units: Cache<(u32, u32), Option<u32>>,
}

impl<'s> Library<'s> {
    pub fn new(session: &'s Session) -> Option<Self> {
        Some(Self {
            session,
            metadata: session.metadata()?,
            names: session.names()?,
            members: RefCell::default(),
            fields: RefCell::default(),
            constants: RefCell::default(),
            marked: RefCell::default(),
            type_names: RefCell::default(),
            types: OnceCell::new(),
            extensions: OnceCell::new(),
            lambdas: RefCell::default(),
            units: RefCell::default(),
        })
    }

    pub fn cell(&self, table: TableId, row: u32, column: usize) -> u32 {
        self.metadata.table(table).cell(row, column).unwrap_or(0)
    }

    /// A name; empty where it is longer than the runtime takes it, because no C# has it.
    pub fn string(&self, table: TableId, row: u32, column: usize) -> Rc<str> {
        let offset = self.metadata.table(table).cell(row, column);
        match offset.and_then(|offset| self.metadata.heaps.string_within(offset, MAX_IDENTIFIER + 1)) {
            Ok(name) if name.len() <= MAX_IDENTIFIER => utf8(name.data).as_ref().into(),
            _ => "".into(),
        }
    }

    pub fn signature(&self, table: TableId, row: u32, column: usize) -> Option<Signature> {
        signature::decode(&mut self.metadata.blob_cell(table, row, column).ok()?.cursor()).ok()
    }

    pub fn locals(&self, signature: Token) -> Vec<Ty> {
        match self.signature(TableId::STAND_ALONE_SIG, signature.row(), 0) {
            Some(Signature::Locals(types)) => types.into_iter().map(|local| Rc::new(local.value)).collect(),
            _ => Vec::new(),
        }
    }

    pub fn ty(&self, token: Token, is_value: bool) -> Ty {
        match token.table() {
            TableId::TYPE_SPEC => {
                let blob = self.metadata.blob_cell(TableId::TYPE_SPEC, token.row(), 0).unwrap_or_default();
                signature::decode_type(&mut blob.cursor()).map_or_else(|_| unknown(), |at| Rc::new(at.value))
            }
            TableId::TYPE_REF | TableId::TYPE_DEF => {
                let (name, namespace) = self.type_name(token);
                if let Some(found) = of_system(&name)
                    && &*namespace == "System"
                {
                    return found;
                }
                let is_own = token.table() == TableId::TYPE_DEF;
                let is_value = is_value || is_own && matches!(&*self.base_name(token.row()), "ValueType" | "Enum");
                Rc::new(Type::Named { token, is_value })
            }
            _ => unknown(),
        }
    }

    /// The types of a name, without the number of its parameters.
    pub fn named(&self, name: &str) -> Vec<Token> {
        let rows = self.types.get_or_init(|| {
            let mut rows = Vec::new();
            for table in [TableId::TYPE_DEF, TableId::TYPE_REF] {
                for row in 1..=self.metadata.table(table).rows() {
                    let token = Token::new(table, row);
                    rows.push((self.plain_type_name(token, hash), token));
                }
            }
            rows.sort_unstable();
            rows
        });
        let wanted = hash(name.as_bytes());
        let first = rows.partition_point(|(hash, _)| *hash < wanted);
        let same = rows[first..].iter().take_while(|(hash, _)| *hash == wanted).map(|(_, token)| *token);
        same.filter(|token| self.plain_type_name(*token, |found| found == name.as_bytes())).collect()
    }

    /// Passes on the name of a type without the number of its parameters; an empty one where no C# has it.
    fn plain_type_name<T>(&self, token: Token, to: impl FnOnce(&[u8]) -> T) -> T {
        let offset = self.metadata.table(token.table()).cell(token.row(), 1);
        let name = offset.and_then(|offset| self.metadata.heaps.string_within(offset, MAX_IDENTIFIER + 1));
        let name = name.ok().filter(|name| name.len() <= MAX_IDENTIFIER).map_or(&[][..], |name| name.data);
        to(name.split(|byte| *byte == b'`').next().unwrap_or_default())
    }

    pub fn type_name(&self, token: Token) -> (Rc<str>, Rc<str>) {
        let read = |column| self.string(token.table(), token.row(), column);
        cached(&self.type_names, token, || (read(1), read(2)))
    }

    pub fn name_of(&self, ty: &Type) -> (Rc<str>, Rc<str>) {
        match (token(ty), plain(ty)) {
            (Some(token), _) => self.type_name(token),
            (_, Type::Primitive(Primitive::String)) => ("String".into(), "System".into()),
            (_, Type::Primitive(Primitive::Object)) => ("Object".into(), "System".into()),
            _ => ("".into(), "".into()),
        }
    }

    pub fn is_named(&self, ty: &Type, name: &str) -> bool {
        token(ty).is_some_and(|token| {
            self.metadata.string_cell(token.table(), token.row(), 1).is_ok_and(|found| found.data == name.as_bytes())
        })
    }

    pub fn base(&self, row: u32) -> Option<Token> {
        let (table, row) = TYPE_DEF_OR_REF.decode(self.cell(TableId::TYPE_DEF, row, 3))?;
        if row > 0 { Some(Token::new(table, row)) } else { None }
    }

    /// The methods of a type of this file that have a name.
    pub fn methods_named(&self, owner: Token, name: &str) -> Vec<Rc<Member>> {
        if owner.table() != TableId::TYPE_DEF {
            return Vec::new();
        }
        let methods = self.metadata.list(TableId::TYPE_DEF, owner.row(), 5, TableId::METHOD_DEF);
        let rows = methods.map(|row| self.metadata.through_pointer(TableId::METHOD_DEF, row));
        let named = rows.filter(|row| *self.string(TableId::METHOD_DEF, *row, 3) == *name);
        named.filter_map(|row| self.method(Token::new(TableId::METHOD_DEF, row))).collect()
    }

    pub fn base_name(&self, row: u32) -> Rc<str> {
        match self.base(row) {
            Some(base) if base.table() != TableId::TYPE_SPEC => self.type_name(base).0,
            _ => "".into(),
        }
    }

    /// Returns true for a type whose `Invoke` calls a delegate; members of reflection have one, too.
    pub fn is_delegate(&self, ty: &Type) -> bool {
        let name = self.name_of(ty).0;
        let base = token(ty).filter(|token| token.table() == TableId::TYPE_DEF).map(|own| self.base_name(own.row()));
        base.map_or(!name.ends_with("Info") && !name.ends_with("Base"), |base| &*base == "MulticastDelegate")
    }

    pub fn enumerators(&self, ty: &Type) -> Option<Rc<Vec<ConstantMember>>> {
        let token = token(ty).filter(|token| token.table() == TableId::TYPE_DEF)?;
        if &*self.base_name(token.row()) == "Enum" { Some(self.literals(token.row())) } else { None }
    }

    /// Constants of a type, or members of an enum.
    pub fn literals(&self, row: u32) -> Rc<Vec<ConstantMember>> {
        cached(&self.constants, row, || {
            let read = |field| {
                let (number, text) = self.constant(field << 2)?;
                Some(ConstantMember { number, text, name: self.string(TableId::FIELD, field, 1) })
            };
            Rc::new(self.fields(row).filter_map(read).collect())
        })
    }

    /// Rows of the fields of a type.
    fn fields(&self, row: u32) -> impl Iterator<Item = u32> {
        let fields = self.metadata.list(TableId::TYPE_DEF, row, 4, TableId::FIELD);
        fields.map(|field| self.metadata.through_pointer(TableId::FIELD, field))
    }

    pub fn has_field(&self, row: u32, name: &str) -> bool {
        self.fields(row).any(|field| *self.string(TableId::FIELD, field, 1) == *name)
    }

    /// Number and text of the constant of a field or parameter, by its coded index.
    pub fn constant(&self, parent: u32) -> Option<(i64, String)> {
        let table = self.metadata.table(TableId::CONSTANT);
        let row = table.lower_bound(2, parent);
        if table.cell(row, 2) != Ok(parent) {
            return None;
        }
        let bytes = self.metadata.blob_cell(TableId::CONSTANT, row, 3).ok()?;
        let mut wide = [0; 8];
        wide.iter_mut().zip(bytes.data).for_each(|(to, from)| *to = *from);
        let bits = i64::from_le_bytes(wide);
        let value = match table.cell(row, 0).ok()? {
            0x0e => return Some((0, constant_text(&Value::Primitive(Constant::String(bytes)), |_| String::new()))),
            0x04 => i64::from(bits as i8),
            0x06 => i64::from(bits as i16),
            0x08 => i64::from(bits as i32),
            _ => bits,
        };
        Some((value, value.to_string()))
    }

    pub fn field(&self, token: Token) -> Option<Rc<FieldMember>> {
        cached(&self.fields, token, || {
            let (is_own, row) = (token.table() == TableId::FIELD, token.row());
            if !is_own && token.table() != TableId::MEMBER_REF {
                return None;
            }
            let Some(Signature::Field(ty)) = self.signature(token.table(), row, 2) else { return None };
            let owner = self.owner(token);
            let ty = Rc::new(instantiate(&ty.value, arguments(&owner), &[]));
            let name = self.string(token.table(), row, 1);
            Some(Rc::new(FieldMember { shown: plain_name(&name), name, owner, ty, row: if is_own { row } else { 0 } }))
        })
    }

    /// The type that a Field, MethodDef or MemberRef is a member of.
    fn owner(&self, token: Token) -> Ty {
        let of = match token.table() {
            TableId::FIELD => self.names.field_owner(token.row()),
            TableId::METHOD_DEF => Token::new(TableId::TYPE_DEF, self.names.owner(token.row())),
            _ => {
                let parent = MEMBER_REF_PARENT.decode(self.cell(TableId::MEMBER_REF, token.row(), 0));
                parent.map_or(Token(0), |(table, row)| Token::new(table, row))
            }
        };
        if of.table() == TableId::METHOD_DEF { self.owner(of) } else { self.ty(of, false) }
    }

    pub fn method(&self, token: Token) -> Option<Rc<Member>> {
        cached(&self.members, token, || {
            if token.table() != TableId::METHOD_SPEC {
                return self.read_method(token, Vec::new());
            }
            let (table, target) = METHOD_DEF_OR_REF.decode(self.cell(TableId::METHOD_SPEC, token.row(), 0))?;
            let found = self.signature(TableId::METHOD_SPEC, token.row(), 1)?;
            let Signature::Instantiation(types) = found else { return None };
            self.read_method(Token::new(table, target), types.into_iter().map(|at| at.value).collect())
        })
    }

    fn read_method(&self, token: Token, instantiation: Vec<Type>) -> Option<Rc<Member>> {
        let is_def = token.table() == TableId::METHOD_DEF;
        let found = self.signature(token.table(), token.row(), if is_def { 4 } else { 2 })?;
        let Signature::Method(found) = found else { return None };
        let name = self.string(token.table(), token.row(), if is_def { 3 } else { 1 });
        let owner = self.owner(token);
        let row = if is_def { token.row() } else { 0 };
        let (role, shown) = self.role(row, &name);
        let is_mentioned = |number| found.parameters.iter().any(|ty| mentions(&ty.value, number));
        let of = |ty: &Type| Rc::new(instantiate(ty, arguments(&owner), &instantiation));
        let is_static = !found.has_this && !found.parameters.is_empty();
        Some(Rc::new(Member {
            is_extension: is_static && self.is_extension(row, &owner, &name),
            parameters: found.parameters.iter().map(|parameter| of(&parameter.value)).collect(),
            open: found.parameters.iter().map(|parameter| parameter.value.clone()).collect(),
            returns: of(&found.returns.value),
            has_this: found.has_this,
            is_virtual: self.is_virtual(row, &owner, &name, found.parameters.len()),
            is_inferred: (0..found.generic_parameters).all(is_mentioned),
            instantiation,
            shown,
            role,
            name,
            owner,
            row,
        }))
    }

    /// Returns true for a virtual method; one of a generic type of this file is looked up there.
    fn is_virtual(&self, row: u32, owner: &Type, name: &str, parameters: usize) -> bool {
        let is_it = |row: u32| self.cell(TableId::METHOD_DEF, row, 2) & 0x40 != 0;
        let Some(own) = token(owner).filter(|own| row == 0 && own.table() == TableId::TYPE_DEF) else {
            return is_it(row);
        };
        let rows = self.metadata.list(TableId::TYPE_DEF, own.row(), 5, TableId::METHOD_DEF);
        let mut rows = rows.map(|row| self.metadata.through_pointer(TableId::METHOD_DEF, row));
        rows.any(|row| {
            let found = &*self.string(TableId::METHOD_DEF, row, 3) == name && is_it(row);
            found
                && matches!(self.signature(TableId::METHOD_DEF, row, 4), Some(Signature::Method(found)) if found.parameters.len() == parameters)
        })
    }

    /// The part of a property or event that a method is, by its name; in this file those with a special name alone.
    fn role(&self, row: u32, name: &str) -> (&'static str, Rc<str>) {
        let prefixes = [".ctor", "op_", "get_", "set_", "add_", "remove_"];
        // An explicit implementation has the name of the interface before it.
        let last = name.rsplit('.').next().unwrap_or(name);
        let name = if name == ".ctor" { name } else { last };
        let is_special = row == 0 || self.cell(TableId::METHOD_DEF, row, 2) & 0x800 != 0 || name.starts_with("op_");
        let found = prefixes.iter().find_map(|prefix| Some((*prefix, name.strip_prefix(prefix)?)));
        match (found, name.split_once(">g__")) {
            (Some((role, rest)), _) if is_special => (role, rest.into()),
            (_, Some((_, local))) => ("", local.split('|').next().unwrap_or(local).into()),
            _ => ("", name.into()),
        }
    }

    fn is_extension(&self, row: u32, owner: &Type, name: &str) -> bool {
        if row > 0 {
            return self.is_marked(Token::new(TableId::METHOD_DEF, row));
        }
        let (owner, _) = self.name_of(owner);
        owner.ends_with("Extensions") && !name.starts_with("get_")
            || matches!(&*owner, "Queryable" | "ParallelEnumerable")
            || &*owner == "Enumerable" && !matches!(name, "Range" | "Repeat" | "Empty")
    }

    /// Returns true for an extension method, a parameter of `params`, and an `in` parameter.
    pub fn is_marked(&self, token: Token) -> bool {
        let is_it = |name: &str| matches!(name, "ExtensionAttribute" | "ParamArrayAttribute" | "IsReadOnlyAttribute");
        cached(&self.marked, token, || attributes::of(self.session, token).any(|(_, name)| is_it(&name)))
    }

    /// Row of Param of a parameter of a method of this file, counted from 0.
    pub fn parameter(&self, method: u32, number: usize) -> Option<u32> {
        let rows = self.metadata.list(TableId::METHOD_DEF, method, 5, TableId::PARAM);
        let mut rows = rows.map(|row| self.metadata.through_pointer(TableId::PARAM, row));
        rows.find(|row| method > 0 && self.cell(TableId::PARAM, *row, 1) as usize == number + 1)
    }

    pub fn enclosing(&self, token: Token) -> Option<Token> {
        let (table, row) = match token.table() {
            TableId::TYPE_DEF => (TableId::TYPE_DEF, self.names.enclosing(token.row())),
            _ => RESOLUTION_SCOPE.decode(self.cell(TableId::TYPE_REF, token.row(), 0))?,
        };
        (row > 0 && matches!(table, TableId::TYPE_DEF | TableId::TYPE_REF)).then(|| Token::new(table, row))
    }

    pub fn type_parameter(&self, owner: Token, number: u32) -> Rc<str> {
        let coded = owner.row() << 1 | u32::from(owner.table() == TableId::METHOD_DEF);
        let table = self.metadata.table(TableId::GENERIC_PARAM);
        let row = table.equal_range(2, coded).find(|row| table.cell(*row, 0) == Ok(number));
        row.map_or_else(|| "?".into(), |row| self.string(TableId::GENERIC_PARAM, row, 3))
    }
}

fn hash(name: &[u8]) -> u32 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish() as u32
}

pub(super) fn cached<K: Copy + Eq + Hash, V: Clone>(cache: &Cache<K, V>, key: K, read: impl FnOnce() -> V) -> V {
    if let Some(found) = cache.borrow().get(&key) {
        return found.clone();
    }
    let found = read();
    cache.borrow_mut().insert(key, found.clone());
    found
}

/// A type, shared by the values that have it; `void` if it is unknown.
pub(super) type Ty = Rc<Type>;

pub(super) fn primitive(of: Primitive) -> Ty {
    Rc::new(Type::Primitive(of))
}

pub(super) fn unknown() -> Ty {
    primitive(Primitive::Void)
}

pub(super) fn boolean() -> Ty {
    primitive(Primitive::Boolean)
}

pub(super) fn by_ref(of: &Type) -> Ty {
    Rc::new(Type::Reference(Box::new(of.clone())))
}

/// Kinds of values that conditions and constants are written by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Bool,
    Char,
    /// Integer of so many bytes; native integers count as 8.
    Int(u8, bool),
    Float,
    Reference,
    /// A struct or an enum, which signatures do not tell apart.
    Value,
    Pointer,
    Unknown,
}

/// Primitive types: names in namespace System, kinds of their values.
const PRIMITIVES: [(&str, Primitive, Class); 16] = [
    ("Boolean", Primitive::Boolean, Class::Bool),
    ("Char", Primitive::Char, Class::Char),
    ("SByte", Primitive::I1, Class::Int(1, true)),
    ("Byte", Primitive::U1, Class::Int(1, false)),
    ("Int16", Primitive::I2, Class::Int(2, true)),
    ("UInt16", Primitive::U2, Class::Int(2, false)),
    ("Int32", Primitive::I4, Class::Int(4, true)),
    ("UInt32", Primitive::U4, Class::Int(4, false)),
    ("Int64", Primitive::I8, Class::Int(8, true)),
    ("UInt64", Primitive::U8, Class::Int(8, false)),
    ("", Primitive::I, Class::Int(8, true)),
    ("", Primitive::U, Class::Int(8, false)),
    ("Single", Primitive::R4, Class::Float),
    ("Double", Primitive::R8, Class::Float),
    ("String", Primitive::String, Class::Reference),
    ("Object", Primitive::Object, Class::Reference),
];

pub(super) fn of_system(name: &str) -> Option<Ty> {
    PRIMITIVES.iter().find(|row| row.0 == name).map(|row| primitive(row.1))
}

/// The type without modifiers, `pinned` and `ref`.
pub(super) fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Modified { of, .. } | Type::Pinned(of) | Type::Reference(of) => plain(of),
        _ => ty,
    }
}

pub(super) fn class(ty: &Type) -> Class {
    match plain(ty) {
        Type::Primitive(of) => PRIMITIVES.iter().find(|row| row.1 == *of).map_or(Class::Unknown, |row| row.2),
        Type::Named { is_value: true, .. } | Type::Generic { is_value: true, .. } => Class::Value,
        Type::Named { .. } | Type::Generic { .. } | Type::Array(_) | Type::ShapedArray(..) => Class::Reference,
        Type::Pointer(_) | Type::Function(_) => Class::Pointer,
        _ => Class::Unknown,
    }
}

pub(super) fn token(ty: &Type) -> Option<Token> {
    match plain(ty) {
        Type::Named { token, .. } | Type::Generic { token, .. } => Some(*token),
        _ => None,
    }
}

pub(super) fn arguments(ty: &Type) -> &[Type] {
    match plain(ty) {
        Type::Generic { arguments, .. } => arguments,
        _ => &[],
    }
}

/// Type of the elements of an array, or of what a reference or pointer leads to.
pub(super) fn element(ty: &Type) -> Ty {
    match ty {
        Type::Array(of) | Type::ShapedArray(of, _) | Type::Pointer(of) | Type::Reference(of) => Rc::new(*of.clone()),
        Type::Modified { of, .. } | Type::Pinned(of) => element(of),
        _ => unknown(),
    }
}

/// The type with the type parameters of a type and of a method replaced.
pub(super) fn instantiate(ty: &Type, of_type: &[Type], of_method: &[Type]) -> Type {
    let inner = |of: &Type| Box::new(instantiate(of, of_type, of_method));
    match ty {
        Type::TypeParameter(number) => of_type.get(*number as usize).unwrap_or(ty).clone(),
        Type::MethodParameter(number) => of_method.get(*number as usize).unwrap_or(ty).clone(),
        Type::Array(of) => Type::Array(inner(of)),
        Type::ShapedArray(of, shape) => Type::ShapedArray(inner(of), shape.clone()),
        Type::Pointer(of) => Type::Pointer(inner(of)),
        Type::Reference(of) => Type::Reference(inner(of)),
        Type::Pinned(of) => Type::Pinned(inner(of)),
        Type::Modified { required, modifier, of } => {
            Type::Modified { required: *required, modifier: *modifier, of: inner(of) }
        }
        Type::Generic { token, is_value, arguments } => {
            let arguments = arguments.iter().map(|of| *inner(of)).collect();
            Type::Generic { token: *token, is_value: *is_value, arguments }
        }
        _ => ty.clone(),
    }
}

pub(super) fn mentions(ty: &Type, number: u32) -> bool {
    let other: Vec<Type> = (0..number).map(Type::MethodParameter).chain([Type::Canonical]).collect();
    instantiate(ty, &[], &other) != *ty
}

/// The variable that a field of the compiler holds: `x` of `<x>5__2`, `p` of `<>3__p`.
pub(super) fn plain_name(name: &str) -> Rc<str> {
    let inner = name.strip_prefix('<').and_then(|rest| rest.split_once('>')).map_or("", |(inner, _)| inner);
    match name.strip_prefix("<>3__") {
        _ if name.contains("TransparentIdentifier") => "_".into(),
        Some(rest) => rest.into(),
        None if !inner.is_empty() => inner.into(),
        None => name.into(),
    }
}

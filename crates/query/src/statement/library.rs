//! Members and types by token, with the names that C# gives them. Looked up once a session.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use pdblens_formats::metadata::schema::{
    CUSTOM_ATTRIBUTE_TYPE, HAS_CONSTANT, HAS_SEMANTICS, MEMBER_REF_PARENT, METHOD_DEF_OR_REF, RESOLUTION_SCOPE,
    TYPE_DEF_OR_REF,
};
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_formats::signature::{self, MethodSignature, Primitive, Signature, Type};
use pdblens_session::session::Session;
use pdblens_session::text::names::Names;
use pdblens_session::text::safe::{utf8, utf16};

use super::types::{self, Ty, arguments, instantiate, unknown};

/// The part of a property or an event that a method is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Plain,
    Constructor,
    Getter,
    Setter,
    Adder,
    Remover,
    Operator,
}

/// A method as a call sees it.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Member {
    /// Name in metadata.
    pub name: Rc<str>,
    /// Name in C#: of the property, the event or the local function.
    pub shown: Rc<str>,
    pub owner: Ty,
    pub role: Role,
    pub has_this: bool,
    pub parameters: Vec<Ty>,
    pub returns: Ty,
    /// Type arguments of the call.
    pub instantiation: Vec<Type>,
    /// True if a parameter mentions every type parameter: C# infers them.
    pub is_inferred: bool,
    pub is_extension: bool,
    pub is_virtual: bool,
    /// Row of MethodDef.
    pub row: u32,
}

/// A field as an instruction sees it.
#[derive(Debug)]
pub(super) struct FieldMember {
    pub name: Rc<str>,
    pub owner: Ty,
    pub ty: Ty,
    /// Row of Field.
    pub row: u32,
}

/// Type of a constant that is a text, as the Constant table has it.
const ELEMENT_TYPE_STRING: u32 = 0x0e;

/// Members of enums: their values and names, in the order of declaration.
type Enumerators = Rc<Vec<(i64, Rc<str>)>>;

/// Values and names of the constants of a type: number, bytes, and true for a string.
type Constants = Rc<Vec<(i64, Vec<u8>, bool, Rc<str>)>>;

/// Text of a lambda; false if a part of it is left out.
pub(super) type LambdaText = (Rc<str>, bool);

/// Types and names of the constants with a text; none where several types have one.
type TextConstants = HashMap<String, Option<(u32, Rc<str>)>>;

/// Look-ups of statements in the metadata of a session.
pub(super) struct Library<'s> {
    pub session: &'s Session,
    pub metadata: &'s Metadata,
    pub names: Names<'s>,
    members: RefCell<HashMap<u32, Option<Rc<Member>>>>,
    fields: RefCell<HashMap<u32, Option<Rc<FieldMember>>>>,
    enums: RefCell<HashMap<u32, Option<Enumerators>>>,
    constants: RefCell<HashMap<u32, Constants>>,
    is_annotated: OnceCell<bool>,
    /// Texts of lambdas, by row and depth: each spelling of a statement asks for them.
    pub lambdas: RefCell<HashMap<(u32, usize), LambdaText>>,
    texts: OnceCell<TextConstants>,
    semantics: OnceCell<HashMap<u32, (u32, Rc<str>)>>,
    marked: OnceCell<Vec<Token>>,
}

impl<'s> Library<'s> {
    /// The library of a session; none where no image is open.
    pub fn new(session: &'s Session) -> Option<Self> {
        Some(Self {
            session,
            metadata: session.metadata()?,
            names: session.names()?,
            members: RefCell::default(),
            fields: RefCell::default(),
            enums: RefCell::default(),
            constants: RefCell::default(),
            is_annotated: OnceCell::new(),
            lambdas: RefCell::default(),
            texts: OnceCell::new(),
            semantics: OnceCell::new(),
            marked: OnceCell::new(),
        })
    }

    pub fn cell(&self, table: TableId, row: u32, column: usize) -> u32 {
        self.metadata.table(table).cell(row, column).unwrap_or(0)
    }

    pub fn string(&self, table: TableId, row: u32, column: usize) -> Rc<str> {
        self.metadata.string_cell(table, row, column).map_or_else(|_| "".into(), |name| utf8(name.data).as_ref().into())
    }

    fn signature(&self, table: TableId, row: u32, column: usize) -> Option<Signature> {
        signature::decode(&mut self.metadata.blob_cell(table, row, column).ok()?.cursor()).ok()
    }

    /// Types of the local variables, by slot.
    pub fn locals(&self, signature: Token) -> Vec<Ty> {
        match self.signature(TableId::STAND_ALONE_SIG, signature.row(), 0) {
            Some(Signature::Locals(types)) => types.into_iter().map(|local| Rc::new(local.value)).collect(),
            _ => Vec::new(),
        }
    }

    /// The signature of an indirect call.
    pub fn call_site(&self, token: Token) -> Option<MethodSignature> {
        match self.signature(TableId::STAND_ALONE_SIG, token.row(), 0) {
            Some(Signature::Method(method)) => Some(method),
            _ => None,
        }
    }

    /// The type of a TypeDef, TypeRef or TypeSpec token.
    pub fn ty(&self, token: Token, is_value: bool) -> Ty {
        match token.table() {
            TableId::TYPE_SPEC => {
                let blob = self.metadata.blob_cell(TableId::TYPE_SPEC, token.row(), 0).unwrap_or_default();
                signature::decode_type(&mut blob.cursor()).map_or_else(|_| unknown(), |at| Rc::new(at.value))
            }
            TableId::TYPE_REF | TableId::TYPE_DEF => {
                let (name, namespace) = self.type_name(token);
                if let Some(found) = types::of_system(&name)
                    && namespace.as_ref() == "System"
                {
                    return types::primitive(found);
                }
                let is_value = is_value || token.table() == TableId::TYPE_DEF && self.is_value_type(token);
                Rc::new(Type::Named { token, is_value })
            }
            _ => unknown(),
        }
    }

    /// Name and namespace of a TypeDef or TypeRef.
    pub fn type_name(&self, token: Token) -> (Rc<str>, Rc<str>) {
        let row = token.row();
        (self.string(token.table(), row, 1), self.string(token.table(), row, 2))
    }

    /// Name and namespace of a type that has them; empty for others.
    pub fn name_of(&self, ty: &Type) -> (Rc<str>, Rc<str>) {
        match (types::token(ty), types::plain(ty)) {
            (Some(token), _) => self.type_name(token),
            (_, Type::Primitive(Primitive::String)) => ("String".into(), "System".into()),
            (_, Type::Primitive(Primitive::Object)) => ("Object".into(), "System".into()),
            _ => ("".into(), "".into()),
        }
    }

    /// Returns true for the type of that name.
    pub fn is_named(&self, ty: &Type, name: &str) -> bool {
        types::token(ty).is_some_and(|token| {
            let found = self.metadata.string_cell(token.table(), token.row(), 1);
            found.is_ok_and(|found| found.data == name.as_bytes())
        })
    }

    /// The type that a TypeDef derives from.
    pub fn base(&self, row: u32) -> Option<Token> {
        let (table, row) = TYPE_DEF_OR_REF.decode(self.cell(TableId::TYPE_DEF, row, 3))?;
        (row > 0).then(|| Token::new(table, row))
    }

    fn base_name(&self, token: Token) -> Rc<str> {
        match self.base(token.row()) {
            Some(base) if base.table() != TableId::TYPE_SPEC => self.type_name(base).0,
            _ => "".into(),
        }
    }

    fn is_value_type(&self, token: Token) -> bool {
        matches!(self.base_name(token).as_ref(), "ValueType" | "Enum")
    }

    /// Returns true for a delegate type: of this file by its base, of others by its `Invoke`.
    pub fn is_delegate(&self, ty: &Type) -> bool {
        match types::token(ty) {
            Some(token) if token.table() == TableId::TYPE_DEF => self.base_name(token).as_ref() == "MulticastDelegate",
            Some(token) => {
                let name = self.type_name(token).0;
                let name = name.split('`').next().unwrap_or_default();
                matches!(name, "Func" | "Action" | "Predicate" | "Comparison" | "Converter")
                    || name.ends_with("Handler")
                    || name.ends_with("Callback")
                    || name.ends_with("Delegate")
                    || matches!(name, "ThreadStart" | "ParameterizedThreadStart")
            }
            None => false,
        }
    }

    /// Values and names of an enum of this file.
    pub fn enumerators(&self, ty: &Type) -> Option<Enumerators> {
        let token = types::token(ty).filter(|token| token.table() == TableId::TYPE_DEF)?;
        if let Some(found) = self.enums.borrow().get(&token.row()) {
            return found.clone();
        }
        let found = (self.base_name(token).as_ref() == "Enum").then(|| self.read_enumerators(token.row()));
        self.enums.borrow_mut().insert(token.row(), found.clone());
        found
    }

    fn read_enumerators(&self, row: u32) -> Enumerators {
        let mut found = Vec::new();
        for field in self.metadata.list(TableId::TYPE_DEF, row, 4, TableId::FIELD) {
            let field = self.metadata.through_pointer(TableId::FIELD, field);
            if let Some((value, _)) = self.constant(field << 2) {
                found.push((value, self.string(TableId::FIELD, field, 1)));
            }
        }
        Rc::new(found)
    }

    /// Constants that a type declares.
    pub fn constants(&self, row: u32) -> Constants {
        if let Some(found) = self.constants.borrow().get(&row) {
            return found.clone();
        }
        let mut found = Vec::new();
        if self.base_name(Token::new(TableId::TYPE_DEF, row)).as_ref() != "Enum" {
            for field in self.metadata.list(TableId::TYPE_DEF, row, 4, TableId::FIELD) {
                let field = self.metadata.through_pointer(TableId::FIELD, field);
                if self.cell(TableId::FIELD, field, 1) != 0
                    && let Some((number, bytes)) = self.constant(field << 2)
                {
                    let is_text = matches!(self.field(Token::new(TableId::FIELD, field)), Some(found) if matches!(&*found.ty, Type::Primitive(Primitive::String)));
                    found.push((number, bytes, is_text, self.string(TableId::FIELD, field, 1)));
                }
            }
        }
        let found = Rc::new(found);
        self.constants.borrow_mut().insert(row, Rc::clone(&found));
        found
    }

    /// Returns true for a file whose source says which references may be null.
    pub fn is_annotated(&self) -> bool {
        *self.is_annotated.get_or_init(|| {
            [TableId::TYPE_DEF, TableId::TYPE_REF].into_iter().any(|table| {
                let is_it = |row| {
                    self.metadata.string_cell(table, row, 1).is_ok_and(|name| name.data == b"NullableContextAttribute")
                };
                (1..=self.metadata.rows(table)).any(is_it)
            })
        })
    }

    /// The one constant of the file that has a text: its type and its name.
    pub fn text_constant(&self, text: &str) -> Option<(Ty, Rc<str>)> {
        let texts = self.texts.get_or_init(|| {
            let mut found = HashMap::new();
            for row in 1..=self.metadata.rows(TableId::CONSTANT) {
                if self.cell(TableId::CONSTANT, row, 0) != ELEMENT_TYPE_STRING {
                    continue;
                }
                let parent = HAS_CONSTANT.decode(self.cell(TableId::CONSTANT, row, 2));
                if let Some((TableId::FIELD, field)) = parent
                    && let Ok(text) = self.metadata.blob_cell(TableId::CONSTANT, row, 3)
                {
                    let owner = self.names.field_owner(field).row();
                    let name = self.string(TableId::FIELD, field, 1);
                    let slot = found.entry(utf16(text.data)).or_insert(Some((owner, name)));
                    if slot.as_ref().is_some_and(|(known, _)| *known != owner) {
                        *slot = None;
                    }
                }
            }
            found
        });
        let (row, name) = texts.get(text)?.clone()?;
        Some((self.ty(Token::new(TableId::TYPE_DEF, row), false), name))
    }

    /// Number and bytes of the constant of a field or parameter, by its coded index.
    pub fn constant(&self, parent: u32) -> Option<(i64, Vec<u8>)> {
        let table = self.metadata.table(TableId::CONSTANT);
        let row = table.lower_bound(2, parent);
        if table.cell(row, 2) != Ok(parent) {
            return None;
        }
        let kind = table.cell(row, 0).ok()?;
        let bytes = self.metadata.blob_cell(TableId::CONSTANT, row, 3).ok()?.data.to_vec();
        let mut wide = [0; 8];
        wide.iter_mut().zip(&bytes).for_each(|(to, from)| *to = *from);
        let bits = i64::from_le_bytes(wide);
        let value = match kind {
            0x04 => i64::from(bits as i8),
            0x06 => i64::from(bits as i16),
            0x08 => i64::from(bits as i32),
            _ => bits,
        };
        Some((value, bytes))
    }

    /// The field of a Field or MemberRef token.
    pub fn field(&self, token: Token) -> Option<Rc<FieldMember>> {
        if let Some(found) = self.fields.borrow().get(&token.0) {
            return found.clone();
        }
        let found = self.read_field(token).map(Rc::new);
        self.fields.borrow_mut().insert(token.0, found.clone());
        found
    }

    fn read_field(&self, token: Token) -> Option<FieldMember> {
        if token.table() == TableId::FIELD {
            let Some(Signature::Field(ty)) = self.signature(TableId::FIELD, token.row(), 2) else { return None };
            let owner = Token::new(
                TableId::TYPE_DEF,
                self.metadata.table(TableId::TYPE_DEF).lower_bound(4, token.row() + 1).saturating_sub(1),
            );
            return Some(FieldMember {
                name: self.string(TableId::FIELD, token.row(), 1),
                owner: self.ty(owner, false),
                ty: Rc::new(ty.value),
                row: token.row(),
            });
        }
        let Some(Signature::Field(ty)) = self.signature(TableId::MEMBER_REF, token.row(), 2) else { return None };
        let owner = self.parent(token.row());
        let ty = Rc::new(instantiate(&ty.value, arguments(&owner), &[]));
        Some(FieldMember { name: self.string(TableId::MEMBER_REF, token.row(), 1), owner, ty, row: 0 })
    }

    /// The type that a MemberRef is a member of.
    fn parent(&self, row: u32) -> Ty {
        match MEMBER_REF_PARENT.decode(self.cell(TableId::MEMBER_REF, row, 0)) {
            Some((TableId::METHOD_DEF, method)) => {
                self.ty(Token::new(TableId::TYPE_DEF, self.names.owner(method)), false)
            }
            Some((table, row)) => self.ty(Token::new(table, row), false),
            None => unknown(),
        }
    }

    /// The method of a MethodDef, MemberRef or MethodSpec token.
    pub fn method(&self, token: Token) -> Option<Rc<Member>> {
        if let Some(found) = self.members.borrow().get(&token.0) {
            return found.clone();
        }
        let found = match token.table() {
            TableId::METHOD_SPEC => self.read_instance(token.row()),
            _ => self.read_method(token, Vec::new()),
        };
        let found = found.map(Rc::new);
        self.members.borrow_mut().insert(token.0, found.clone());
        found
    }

    fn read_instance(&self, row: u32) -> Option<Member> {
        let (table, target) = METHOD_DEF_OR_REF.decode(self.cell(TableId::METHOD_SPEC, row, 0))?;
        let Some(Signature::Instantiation(found)) = self.signature(TableId::METHOD_SPEC, row, 1) else { return None };
        self.read_method(Token::new(table, target), found.into_iter().map(|at| at.value).collect())
    }

    fn read_method(&self, token: Token, instantiation: Vec<Type>) -> Option<Member> {
        let is_def = token.table() == TableId::METHOD_DEF;
        let column = if is_def { 4 } else { 2 };
        let Some(Signature::Method(found)) = self.signature(token.table(), token.row(), column) else { return None };
        let name = self.string(token.table(), token.row(), if is_def { 3 } else { 1 });
        let owner = if is_def {
            self.ty(Token::new(TableId::TYPE_DEF, self.names.owner(token.row())), false)
        } else {
            self.parent(token.row())
        };
        let row = if is_def { token.row() } else { self.definition(&owner, &name, found.parameters.len()) };
        let (role, shown) = self.role(row, &name);
        let is_inferred = (0..found.generic_parameters)
            .all(|number| found.parameters.iter().any(|parameter| types::mentions(&parameter.value, number)));
        let of = |ty: &Type| Rc::new(instantiate(ty, arguments(&owner), &instantiation));
        let flags = if row > 0 { self.cell(TableId::METHOD_DEF, row, 2) } else { 0 };
        Some(Member {
            is_extension: !found.has_this && !found.parameters.is_empty() && self.is_extension(row, &owner, &name),
            parameters: found.parameters.iter().map(|parameter| of(&parameter.value)).collect(),
            returns: of(&found.returns.value),
            has_this: found.has_this,
            is_virtual: flags & 0x40 != 0,
            is_inferred,
            instantiation,
            shown,
            role,
            name,
            owner,
            row,
        })
    }

    /// Row of the MethodDef that a reference into an instance of a type of this file means; 0 for none.
    fn definition(&self, owner: &Type, name: &str, parameters: usize) -> u32 {
        let Some(token) = types::token(owner).filter(|token| token.table() == TableId::TYPE_DEF) else { return 0 };
        let is_it = |row: &u32| {
            self.metadata.string_cell(TableId::METHOD_DEF, *row, 3).is_ok_and(|found| found.data == name.as_bytes())
                && matches!(self.signature(TableId::METHOD_DEF, *row, 4), Some(Signature::Method(found)) if found.parameters.len() == parameters)
        };
        self.metadata.list(TableId::TYPE_DEF, token.row(), 5, TableId::METHOD_DEF).find(is_it).unwrap_or(0)
    }

    /// The part of a property or event that a method is, by MethodSemantics or, in other files, by its name.
    fn role(&self, row: u32, name: &Rc<str>) -> (Role, Rc<str>) {
        let of_table = self.semantics().get(&row).filter(|_| row > 0);
        if let Some((flags, property)) = of_table {
            let role = match flags {
                1 => Role::Setter,
                2 => Role::Getter,
                8 => Role::Adder,
                16 => Role::Remover,
                _ => Role::Plain,
            };
            return (role, property.rsplit('.').next().unwrap_or_default().into());
        }
        if name.as_ref() == ".ctor" {
            return (Role::Constructor, name.clone());
        }
        // An explicit implementation has the name of the interface before it.
        let last = name.rsplit('.').next().unwrap_or_default();
        if row > 0 && !last.starts_with("op_") {
            return (Role::Plain, shown_name(last).into());
        }
        let parts = [
            ("get_", Role::Getter),
            ("set_", Role::Setter),
            ("add_", Role::Adder),
            ("remove_", Role::Remover),
            ("op_", Role::Operator),
        ];
        match parts.iter().find_map(|(prefix, role)| Some((*role, last.strip_prefix(prefix)?))) {
            Some((role, rest)) => (role, rest.into()),
            None => (Role::Plain, shown_name(last).into()),
        }
    }

    fn semantics(&self) -> &HashMap<u32, (u32, Rc<str>)> {
        self.semantics.get_or_init(|| {
            let mut found = HashMap::new();
            for row in 1..=self.metadata.rows(TableId::METHOD_SEMANTICS) {
                let Ok([flags, method, association]) = self.metadata.table(TableId::METHOD_SEMANTICS).cells::<3>(row)
                else {
                    continue;
                };
                if let Some((table, of)) = HAS_SEMANTICS.decode(association) {
                    found.insert(method, (flags, self.string(table, of, 1)));
                }
            }
            found
        })
    }

    fn is_extension(&self, row: u32, owner: &Type, name: &str) -> bool {
        if row > 0 {
            return self.is_marked(Token::new(TableId::METHOD_DEF, row));
        }
        let (owner, _) = self.name_of(owner);
        owner.ends_with("Extensions") && !name.starts_with("get_")
            || matches!(owner.as_ref(), "Queryable" | "MemoryExtensions" | "ParallelEnumerable")
            || owner.as_ref() == "Enumerable" && !matches!(name, "Range" | "Repeat" | "Empty")
    }

    /// Returns true for a method with an ExtensionAttribute, or a parameter with a ParamArrayAttribute.
    pub fn is_marked(&self, token: Token) -> bool {
        let marked = self.marked.get_or_init(|| {
            let table = self.metadata.table(TableId::CUSTOM_ATTRIBUTE);
            let mut found = Vec::new();
            for row in 1..=table.rows() {
                let Ok([parent, constructor, _]) = table.cells::<3>(row) else { continue };
                let parent_table = match parent & 0x1f {
                    0 => TableId::METHOD_DEF,
                    4 => TableId::PARAM,
                    _ => continue,
                };
                let name = match CUSTOM_ATTRIBUTE_TYPE.decode(constructor) {
                    Some((TableId::MEMBER_REF, row)) => {
                        match MEMBER_REF_PARENT.decode(self.cell(TableId::MEMBER_REF, row, 0)) {
                            Some((TableId::TYPE_REF, row)) => self.string(TableId::TYPE_REF, row, 1),
                            _ => continue,
                        }
                    }
                    Some((TableId::METHOD_DEF, row)) => self.string(TableId::TYPE_DEF, self.names.owner(row), 1),
                    _ => continue,
                };
                if matches!(name.as_ref(), "ExtensionAttribute" | "ParamArrayAttribute" | "IsReadOnlyAttribute") {
                    found.push(Token::new(parent_table, parent >> 5));
                }
            }
            found.sort_unstable();
            found
        });
        marked.binary_search(&token).is_ok()
    }

    /// Row of Param of a parameter of a method of this file, counted from 0.
    pub fn parameter(&self, method: u32, number: usize) -> Option<u32> {
        let rows = self.metadata.list(TableId::METHOD_DEF, method, 5, TableId::PARAM);
        rows.map(|row| self.metadata.through_pointer(TableId::PARAM, row))
            .find(|row| self.cell(TableId::PARAM, *row, 1) as usize == number + 1)
    }

    /// The type that a TypeDef or TypeRef is nested in.
    pub fn enclosing(&self, token: Token) -> Option<Token> {
        if token.table() == TableId::TYPE_DEF {
            let row = self.names.enclosing(token.row());
            return (row > 0).then(|| Token::new(TableId::TYPE_DEF, row));
        }
        match RESOLUTION_SCOPE.decode(self.cell(TableId::TYPE_REF, token.row(), 0)) {
            Some((TableId::TYPE_REF, row)) if row > 0 => Some(Token::new(TableId::TYPE_REF, row)),
            _ => None,
        }
    }

    /// Name of a type parameter of a type or method.
    pub fn type_parameter(&self, owner: Token, number: u32) -> Rc<str> {
        let coded = owner.row() << 1 | u32::from(owner.table() == TableId::METHOD_DEF);
        let table = self.metadata.table(TableId::GENERIC_PARAM);
        let row = table.equal_range(2, coded).find(|row| table.cell(*row, 0) == Ok(number));
        row.map_or_else(|| "?".into(), |row| self.string(TableId::GENERIC_PARAM, row, 3))
    }

    /// Bytes of the data that a field begins with.
    pub fn initial_data(&self, field: u32, len: usize) -> Option<&'s [u8]> {
        let table = self.metadata.table(TableId::FIELD_RVA);
        let row = table.lower_bound(1, field);
        if table.cell(row, 1) != Ok(field) {
            return None;
        }
        let image = self.session.image()?;
        image.pe.near_rva(table.cell(row, 0).ok()?, len as u64).ok()?.data.get(..len)
    }
}

/// The name in C# of a local function; other names as they are.
pub(super) fn shown_name(name: &str) -> &str {
    match name.split_once(">g__") {
        Some((_, rest)) => rest.split('|').next().unwrap_or_default(),
        None => name,
    }
}

//! Types that a text names, and what C# knows of them.

use std::rc::Rc;

use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::signature::{Primitive, Type};

use super::super::body::Body;
use super::super::evaluate::operand_token;
use super::super::library::{self, Library, Ty, plain, primitive};
use super::proof::{Proven, undecided};
use super::type_names::{Suffix, TypeName, primitive as primitive_named};
use super::values::integer;

/// Classes of the platform whose `==` compares more than references.
const EQUATABLE: &str = " Type MemberInfo MethodInfo MethodBase ConstructorInfo PropertyInfo FieldInfo EventInfo \
    Assembly Module Version Uri XName XNamespace TypeInfo EncodingProvider ";

/// Looks up types from inside of a method.
pub(super) struct Types<'w, 's> {
    pub library: &'w Library<'s>,
    pub body: &'w Body<'s>,
    pub range: (u32, u32),
}

impl Types<'_, '_> {
    /// The type that a name means in the text.
    pub fn resolve(&self, name: &TypeName) -> Proven<Ty> {
        let (suffix, inner) = match name.suffixes.split_last() {
            Some((suffix, others)) => {
                let inner =
                    TypeName { name: name.name.clone(), arguments: name.arguments.clone(), suffixes: others.to_vec() };
                (Some(*suffix), Some(inner))
            }
            None => (None, None),
        };
        if let (Some(suffix), Some(inner)) = (suffix, inner) {
            let of = self.resolve(&inner)?;
            let of = Type::clone(&of);
            return Ok(Rc::new(match suffix {
                Suffix::Array(1) => Type::Array(Box::new(of)),
                Suffix::Pointer => Type::Pointer(Box::new(of)),
                Suffix::Nullable => {
                    let tokens = self.library.named("Nullable");
                    let token = tokens.first().ok_or_else(|| undecided("a type that is not found"))?;
                    Type::Generic { token: *token, is_value: true, arguments: vec![of] }
                }
                Suffix::Array(_) => return Err(undecided("an array of several dimensions")),
            }));
        }
        if let Some(of) = primitive_named(&name.name) {
            return Ok(primitive(of));
        }
        if name.arguments.is_empty()
            && let Some(found) = self.parameter(&name.name)
        {
            return Ok(Rc::new(found));
        }
        let mut tokens = self.library.named(if name.name == "decimal" { "Decimal" } else { &name.name });
        tokens.retain(|token| {
            let arity =
                self.library.type_name(*token).0.split_once('`').map_or(0, |(_, arity)| arity.parse().unwrap_or(0));
            arity == name.arguments.len()
        });
        // Of several types with the name, the one that the code of the point has: the IL says whether it is right.
        let (start, end) = self.range;
        let code = self.body.code.iter().filter(|found| (start..end).contains(&found.offset));
        let used = code.map(operand_token).find(|token| tokens.contains(token));
        let Some(token) = used.or_else(|| tokens.first().copied()) else {
            return Err(undecided("a type that is not found"));
        };
        if name.arguments.iter().all(|of| of.name.is_empty()) {
            return Ok(self.library.ty(token, false));
        }
        let arguments = name
            .arguments
            .iter()
            .map(|of| self.resolve(of).map(|ty| Type::clone(&ty)))
            .collect::<Proven<Vec<Type>>>()?;
        Ok(Rc::new(Type::Generic { token, is_value: name.name == "ValueTuple", arguments }))
    }

    /// A type parameter of the method or of its type.
    pub fn parameter(&self, name: &str) -> Option<Type> {
        let method = Token::new(TableId::METHOD_DEF, self.body.member.row);
        let owner = Token::new(TableId::TYPE_DEF, self.body.type_row);
        (0..16).find_map(|number| {
            if *self.library.type_parameter(method, number) == *name {
                return Some(Type::MethodParameter(number));
            }
            (*self.library.type_parameter(owner, number) == *name).then_some(Type::TypeParameter(number))
        })
    }

    /// Returns true if a name may mean a type.
    pub fn is_named(&self, name: &TypeName, ty: &Type) -> bool {
        let ty = match ty {
            Type::Modified { of, .. } | Type::Pinned(of) | Type::Reference(of) => &**of,
            ty => ty,
        };
        if let Some((suffix, others)) = name.suffixes.split_last() {
            let inner =
                TypeName { name: name.name.clone(), arguments: name.arguments.clone(), suffixes: others.to_vec() };
            return match (suffix, ty) {
                (Suffix::Array(1), Type::Array(of)) | (Suffix::Pointer, Type::Pointer(of)) => self.is_named(&inner, of),
                (Suffix::Array(rank), Type::ShapedArray(of, shape)) => *rank == shape.rank && self.is_named(&inner, of),
                (Suffix::Nullable, Type::Generic { arguments, .. }) => {
                    self.library.is_named(ty, "Nullable`1") && self.is_named(&inner, &arguments[0])
                }
                _ => false,
            };
        }
        match ty {
            Type::Primitive(of) => primitive_named(&name.name) == Some(*of),
            Type::TypeParameter(_) | Type::MethodParameter(_) => {
                name.arguments.is_empty() && self.parameter(&name.name).is_some_and(|found| found == *ty)
            }
            Type::Named { .. } if name.name == "decimal" => &*self.library.name_of(ty).0 == "Decimal",
            Type::Named { .. } | Type::Generic { .. } => {
                let found = self.library.name_of(ty).0;
                let (plain, _) = found.split_once('`').unwrap_or((&found, ""));
                let arguments = library::arguments(ty);
                let own = &arguments[arguments.len().saturating_sub(name.arguments.len())..];
                plain == name.name
                    && (own.len() == name.arguments.len())
                    && library::token(ty).is_none_or(|token| self.is_nearest(token))
                    && name.arguments.iter().zip(own).all(|(name, ty)| self.is_named(name, ty))
                    || primitive_named(&name.name).is_some_and(|of| library::of_system(plain) == Some(primitive(of)))
            }
            _ => false,
        }
    }

    /// Returns true if no other type has the name of one, or if it is in the nearest namespace: `using` is not known.
    fn is_nearest(&self, of: Token) -> bool {
        let library = self.library;
        let (name, own) = library.type_name(of);
        if library.enclosing(of).is_some() {
            return true;
        }
        let mut outer = Token::new(TableId::TYPE_DEF, self.body.type_row);
        for _ in 0..16 {
            let Some(next) = library.enclosing(outer) else { break };
            outer = next;
        }
        let here = library.type_name(outer).1;
        // Namespaces around the code, the nearest last.
        let distance = |space: &str| {
            let is_around = here.strip_prefix(space).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            (space.is_empty() || is_around).then_some(space.len())
        };
        let others = library.named(name.split('`').next().unwrap_or_default());
        let mut others = others.into_iter().filter(|other| library.enclosing(*other).is_none());
        others.all(|other| {
            let (other_name, space) = library.type_name(other);
            other_name != name || space == own || distance(&own) > distance(&space)
        })
    }

    /// Bytes and sign of the numbers that an enum is made of; `int` for an enum of another file.
    pub fn underlying(&self, ty: &Type) -> Option<(u8, bool)> {
        let token = library::token(ty)?;
        if token.table() != TableId::TYPE_DEF {
            return Some((4, true));
        }
        if &*self.library.base_name(token.row()) != "Enum" {
            return None;
        }
        let mut fields = self.library.metadata.list(TableId::TYPE_DEF, token.row(), 4, TableId::FIELD);
        let field = fields.next().map(|field| self.library.metadata.through_pointer(TableId::FIELD, field))?;
        integer(&self.library.field(Token::new(TableId::FIELD, field))?.ty)
    }

    /// Returns true for a class that declares `==`, or that has a base that does.
    pub fn has_equality(&self, ty: &Type) -> bool {
        let ty = plain(ty);
        if *ty == Type::Primitive(Primitive::String) {
            return true;
        }
        let mut token = library::token(ty);
        for _ in 0..16 {
            let Some(found) = token else { return false };
            if found.table() != TableId::TYPE_DEF {
                return EQUATABLE.contains(&format!(" {} ", self.library.type_name(found).0));
            }
            let methods = self.library.metadata.list(TableId::TYPE_DEF, found.row(), 5, TableId::METHOD_DEF);
            let mut rows = methods.map(|row| self.library.metadata.through_pointer(TableId::METHOD_DEF, row));
            if rows.any(|row| &*self.library.string(TableId::METHOD_DEF, row, 3) == "op_Equality") {
                return true;
            }
            token = self.library.base(found.row());
        }
        false
    }

    /// Returns true if a class of this file has another one as its base.
    pub fn is_base(&self, of: &Type, base: &Type) -> bool {
        let mut token = library::token(of);
        for _ in 0..16 {
            let Some(found) = token else { return false };
            if library::token(base) == Some(found) {
                return true;
            }
            if found.table() != TableId::TYPE_DEF {
                return false;
            }
            token = self.library.base(found.row());
        }
        false
    }
}

//! Names that C# binds to other members than the IL has, and the indentation of a document.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::rc::Rc;

use pdblens_formats::metadata::schema::TYPE_DEF_OR_REF;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_formats::signature::{Primitive, Type};
use pdblens_nodes::code_unit::{CodeUnit, each_point};

use super::body::has_wrong_column;
use super::library::{Class, Library, Member, cached, class, plain, token};

/// Columns at which a statement that is indented with tabs may begin.
const MOST_TABS: u32 = 16;

/// Columns from a statement to the `if` behind its `else`, and behind its `} else`.
pub(super) const ELSE_IF: [u32; 2] = [5, 7];

impl Library<'_> {
    /// The columns of one level of indentation in a document, from the points of a method and of those beside it; 4 where they do not
    /// tell, none where tabs and spaces are mixed. A tab is one column.
    pub fn unit(&self, method: u32, document: u32) -> Option<u32> {
        // Methods of one document follow each other.
        cached(&self.units, (method >> 6, document), || {
            let mut counts = [0_u32; 9];
            for row in (method & !63)..=(method | 63) {
                let of = CodeUnit::Method(Token::new(TableId::METHOD_DEF, row));
                let (mut before, mut of_else): (Option<SequencePoint>, HashSet<u32>) = Default::default();
                let _ = each_point(self.session, of, &mut |point| {
                    if point.is_hidden() || point.document != document || has_wrong_column(&point) {
                        return ControlFlow::Continue(());
                    }
                    // An `else if` may be to the right of the body before it.
                    let is_else = of_else.contains(&point.start_column);
                    of_else.extend(ELSE_IF.map(|columns| point.start_column + columns));
                    if let Some(before) = before.replace(point)
                        && point.start_line > before.end_line
                        && !is_else
                        && let deeper @ (1 | 2 | 3 | 4 | 8) = point.start_column.saturating_sub(before.start_column)
                        && (if deeper == 1 { point.start_column < MOST_TABS } else { point.start_column % deeper == 1 })
                    {
                        counts[deeper as usize] += 1;
                    }
                    ControlFlow::Continue(())
                });
            }
            let most = (1..=8).max_by_key(|columns| (counts[*columns], *columns == 4)).unwrap_or(4);
            let (tabs, spaces) = (counts[1], counts[2..].iter().sum::<u32>());
            if tabs.min(spaces) > 1 && tabs.min(spaces) * 8 > tabs.max(spaces) {
                return None;
            }
            Some(if counts[most] > 0 { most as u32 } else { 4 })
        })
    }

    /// Returns true for a class or struct and an interface that it has: a call of the interface's method needs a cast. Of types of
    /// other files, the names tell which is an interface.
    pub fn needs_cast(&self, ty: &Type, interface: &Type) -> bool {
        let ty = plain(ty);
        let is_foreign = match token(ty) {
            Some(token) => token.table() != TableId::TYPE_DEF,
            None => matches!(ty, Type::Array(_) | Type::Primitive(Primitive::String)),
        };
        is_foreign && self.is_interface(interface) && !self.is_interface(ty) || self.implements(ty, interface)
    }

    /// Returns true for an interface; of another file, by its name.
    pub fn is_interface(&self, ty: &Type) -> bool {
        if let Some(own) = token(ty).filter(|token| token.table() == TableId::TYPE_DEF) {
            return self.cell(TableId::TYPE_DEF, own.row(), 0) & 0x20 != 0;
        }
        let name = self.name_of(ty).0;
        name.strip_prefix('I').is_some_and(|rest| rest.starts_with(|second: char| second.is_ascii_uppercase()))
    }

    fn implements(&self, ty: &Type, interface: &Type) -> bool {
        let mut of = token(ty);
        let interface = token(interface);
        for _ in 0..16 {
            let Some(own) = of.filter(|of| of.table() == TableId::TYPE_DEF && interface.is_some()) else { break };
            if self.cell(TableId::TYPE_DEF, own.row(), 0) & 0x20 != 0 {
                return false;
            }
            let table = self.metadata.table(TableId::INTERFACE_IMPL);
            let is_it = |row: u32| {
                let found = table.cell(row, 1).ok().and_then(|coded| TYPE_DEF_OR_REF.decode(coded));
                found.is_some_and(|(table, row)| token(&self.ty(Token::new(table, row), false)) == interface)
            };
            if table.equal_range(0, own.row()).any(is_it) {
                return true;
            }
            of = self.base(own.row()).and_then(|base| token(&self.ty(base, false)));
        }
        false
    }

    /// Returns true if another class of this file has an extension method with the name and number of parameters of a method.
    pub fn has_other_extension(&self, member: &Member) -> bool {
        let all = self.extensions.get_or_init(|| {
            let mut found: HashMap<Rc<str>, Vec<(Token, usize)>> = HashMap::new();
            let types = (1..=self.metadata.rows(TableId::TYPE_DEF)).map(|row| Token::new(TableId::TYPE_DEF, row));
            for owner in types.filter(|owner| self.is_marked(*owner)) {
                for row in self.metadata.list(TableId::TYPE_DEF, owner.row(), 5, TableId::METHOD_DEF) {
                    let row = self.metadata.through_pointer(TableId::METHOD_DEF, row);
                    let method = self.method(Token::new(TableId::METHOD_DEF, row));
                    if let Some(method) = method.filter(|method| method.is_extension) {
                        found.entry(method.name.clone()).or_default().push((owner, method.parameters.len()));
                    }
                }
            }
            found
        });
        let (own, count) = (token(&member.owner), member.parameters.len());
        let mut named = all.get(&member.name).into_iter().flatten();
        named.any(|(owner, parameters)| Some(*owner) != own && *parameters == count)
    }

    /// Returns true if a type has a method with the name and number of arguments of an extension: C# takes that one.
    pub fn hides_extension(&self, ty: &Type, member: &Member, written: usize) -> bool {
        if *self.name_of(&member.owner).0 == *"CustomAttributeExtensions" {
            // `MemberInfo` and others have them with the argument `inherit`.
            let is_bool = member.parameters.last().is_some_and(|last| class(last) == Class::Bool);
            return is_bool && member.instantiation.is_empty() && &*member.name != "GetCustomAttribute";
        }
        let of = token(plain(ty)).filter(|of| of.table() == TableId::TYPE_DEF);
        let named = of.map_or_else(Vec::new, |of| self.methods_named(of, &member.name));
        named.iter().any(|other| other.has_this && other.parameters.len() == written)
    }

    /// Returns true if a type between that of an object and the owner of a method has another of its name and number of parameters.
    pub fn is_hidden(&self, ty: &Type, member: &Member) -> bool {
        let owner = token(&member.owner);
        let mut of = token(ty);
        // Collections of other files have an enumerator of their own, but for three interfaces.
        if &*member.name == "GetEnumerator"
            && of.is_some_and(|of| of.table() != TableId::TYPE_DEF)
            && self.is_named(&member.owner, "IEnumerable")
        {
            return !["IEnumerable", "ICollection", "IList"].iter().any(|name| self.is_named(ty, name));
        }
        for _ in 0..16 {
            let Some(own) = of.filter(|of| of.table() == TableId::TYPE_DEF && Some(*of) != owner) else { break };
            // The call of an override names the method that it overrides.
            let is_override = |row: u32| self.cell(TableId::METHOD_DEF, row, 2) & 0x140 == 0x40;
            let mut named = self.methods_named(own, &member.name).into_iter();
            if named.any(|other| other.parameters.len() == member.parameters.len() && !is_override(other.row)) {
                return true;
            }
            of = self.base(own.row()).and_then(|base| token(&self.ty(base, false)));
        }
        false
    }
}

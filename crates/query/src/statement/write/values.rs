//! Constants by the type that receives them, and strings.

use std::rc::Rc;

use pdblens_formats::signature::Type;

use super::super::library::ConstantMember;
use super::super::literal;
use super::super::node::{Kind, Part};
use super::super::spelling::{DEFAULT, HEX, NAME_OF};
use super::super::types::{self, Class, class};
use super::{LOWEST, Writer};

impl Writer<'_, '_, '_> {
    pub fn int(&mut self, number: i64, expected: &Type, own: &Type) -> &mut Self {
        let expected = match types::arguments(expected) {
            [of] if self.from.library.is_named(expected, "Nullable`1") => of,
            _ => types::plain(expected),
        };
        let by = if matches!(class(expected), Class::Unknown | Class::Reference) { own } else { expected };
        if matches!(class(by), Class::Int(..))
            && !(-1..=8).contains(&number)
            && let Some(name) = self.constant_name(&number.to_string(), |own| !own.is_text && own.number == number)
        {
            return self.name(&name);
        }
        match class(by) {
            Class::Value => self.enumerator(number, by),
            Class::Pointer | Class::Unknown | Class::Reference => self.push(&number.to_string()),
            Class::Int(..) if number >= 0 && self.choice(HEX) > 0 => {
                let digits = format!("{number:x}").len();
                let padded = if self.spelling.get(HEX) == 2 { digits.next_power_of_two().max(2) } else { digits };
                self.push(&format!("0x{number:0padded$x}"))
            }
            _ => self.push(&literal::int(number, by)),
        }
    }

    /// A member of an enum, or a combination of its members.
    fn enumerator(&mut self, number: i64, ty: &Type) -> &mut Self {
        let known = self.from.library.enumerators(ty);
        let own = known.iter().flat_map(|known| known.iter());
        let own: Vec<(i64, &str)> = own.map(|found| (found.number, &*found.name)).collect();
        let complement = own.iter().find(|(value, _)| *value == !number && *value != 0).copied();
        let names = match &known {
            Some(_) => literal::combination(number, own, true),
            None => literal::platform_enumerators(&self.from.library.name_of(ty).0, number),
        };
        match (&names[..], complement) {
            ([], None) if number == 0 => self.push("0"),
            ([], None) => self.push("(").ty(ty).push(")").push(&number.to_string()),
            ([] | [_, _, ..], Some((_, name))) => self.push("~").ty(ty).push(".").name(name),
            (names, _) => self.separated(names, " | ", |this, name| _ = this.ty(ty).push(".").name(name)),
        }
    }

    /// The name of a constant with a value: of the method, of its type or of a type around it.
    fn constant_name(&self, value: &str, is_it: impl Fn(&ConstantMember) -> bool) -> Option<Rc<str>> {
        let body = self.from.body;
        let offset = self.from.span().offset;
        if let Some(name) = body.constant_name(value, offset) {
            return Some(name.into());
        }
        let outer = |row: &u32| Some(self.from.library.names.enclosing(*row)).filter(|row| *row > 0);
        std::iter::successors(Some(body.type_row), outer).take(8).find_map(|row| {
            let constants = self.from.library.constants(row);
            let mut found = constants.iter().filter(|constant| is_it(constant));
            let first = found.next()?.name.clone();
            if found.next().is_none() { Some(first) } else { None }
        })
    }

    pub fn string(&mut self, text: &str) -> &mut Self {
        let (bytes, quoted) = (literal::utf16_bytes(text), literal::string(text));
        let is_it = |found: &ConstantMember| found.is_text && found.bytes == bytes && !bytes.is_empty();
        if let Some(name) = self.constant_name(&quoted, is_it) {
            return self.name(&name);
        }
        // The name of an argument or a member is often written `nameof`.
        if literal::is_identifier(text) && self.choice(NAME_OF) > 0 {
            return self.push("nameof(").push(text).push(")");
        }
        self.push(&quoted)
    }

    pub fn default(&mut self, ty: &Type) -> &mut Self {
        match self.choice(DEFAULT) {
            1 => self.push("default"),
            2 => self.push("new ").ty(ty).list(&[], &[], "(", ")"),
            _ if self.from.library.is_named(ty, "Nullable`1") => self.push("null"),
            _ => self.push("default(").ty(ty).push(")"),
        }
    }

    pub fn interpolated(&mut self, parts: &[Part]) -> &mut Self {
        self.push("$\"");
        for part in parts {
            let (value, alignment, format) = match part {
                Part::Text(text) => {
                    self.push(&literal::escaped(text).replace('{', "{{").replace('}', "}}"));
                    continue;
                }
                Part::Value(value, alignment, format) => (*value, *alignment, *format),
            };
            self.push("{").write(value, None, 2);
            if let Some(alignment) = alignment {
                self.push(",").write(alignment, None, LOWEST);
            }
            if let Some(Kind::Str(text)) = format.map(|format| self.from.kind(format)) {
                self.push(":").push(text);
            }
            self.push("}");
        }
        self.push("\"")
    }
}

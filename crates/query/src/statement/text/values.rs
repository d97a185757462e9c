//! Constants by the type that receives them, and strings.

use std::fmt::Write;
use std::rc::Rc;

use pdblens_formats::signature::{Primitive, Type};

use super::super::literal;
use super::super::node::{Kind, Node, Part};
use super::super::spelling::Axis;
use super::super::types::{self, Class, class};
use super::{COALESCE, LOWEST, Writer};

impl Writer<'_, '_, '_> {
    pub fn int(&mut self, number: i64, expected: &Type, own: &Type) {
        let expected = types::plain(expected);
        let expected = match types::arguments(expected) {
            [of] if self.from.library.is_named(expected, "Nullable`1") => of,
            _ => expected,
        };
        let by = match class(expected) {
            Class::Unknown | Class::Reference => own,
            _ => expected,
        };
        match class(by) {
            Class::Value => self.enumerator(number, by),
            Class::Pointer | Class::Unknown | Class::Reference => self.push(&number.to_string()),
            Class::Int(..)
                if !(-1..=8).contains(&number)
                    && let Some(name) = self
                        .constant_name(&number.to_string(), |(found, _, is_text, _)| !is_text && *found == number)
                    && self.choice(Axis::Constant) == 0 =>
            {
                self.name(&name);
            }
            Class::Int(..) if number >= 0 && self.choice(Axis::Hex) > 0 => {
                let digits = format!("{number:x}").len();
                let padded = if self.spelling.get(Axis::Hex) == 2 { digits.next_power_of_two().max(2) } else { digits };
                let _ = write!(self.out, "0x{number:0padded$x}");
            }
            _ => {
                let text = literal::int(number, by);
                self.push(&text);
            }
        }
    }

    /// A member of an enum, or a combination of its members.
    pub fn enumerator(&mut self, number: i64, ty: &Type) {
        let Some(known) = self.from.library.enumerators(ty) else {
            let (name, _) = self.from.library.name_of(ty);
            let names = literal::platform_enumerators(&name, number);
            if names.is_empty() {
                if number == 0 {
                    self.push("0");
                    return;
                }
                self.push("(");
                self.ty(ty);
                let _ = write!(self.out, "){number}");
                return;
            }
            self.join(&names, ty);
            return;
        };
        let members: Vec<(i64, &str)> = known.iter().map(|(value, name)| (*value, name.as_ref())).collect();
        let complement = members.iter().find(|(value, _)| *value == !number && *value != 0).map(|(_, name)| *name);
        let names = literal::combination(number, members.clone(), true);
        match complement {
            _ if names.len() == 1 => self.join(&names, ty),
            Some(name) => {
                self.push("~");
                self.join(&[name], ty);
            }
            None if !names.is_empty() => self.join(&names, ty),
            None if number == 0 => self.push("0"),
            None => {
                self.push("(");
                self.ty(ty);
                let _ = write!(self.out, "){number}");
            }
        }
    }

    pub fn join(&mut self, names: &[&str], ty: &Type) {
        for (number, name) in names.iter().enumerate() {
            self.push(if number > 0 { " | " } else { "" });
            self.ty(ty);
            self.push(".");
            self.name(name);
        }
    }

    /// The name of a constant with a value: of the method, of its type or of a type around it.
    pub fn constant_name(
        &self,
        value: &str,
        is_it: impl Fn(&(i64, Vec<u8>, bool, Rc<str>)) -> bool,
    ) -> Option<Rc<str>> {
        let body = self.from.body;
        let offset = body.view.points.get(self.from.arena.point).map_or(0, |point| point.offset);
        if let Some(name) = body.constant_name(value, offset) {
            return Some(name.into());
        }
        let mut row = body.type_row;
        for _ in 0..8 {
            if row == 0 {
                break;
            }
            let constants = self.from.library.constants(row);
            let mut found = constants.iter().filter(|constant| is_it(constant));
            if let (Some((.., name)), None) = (found.next(), found.next()) {
                return Some(name.clone());
            }
            row = self.from.library.names.enclosing(row);
        }
        None
    }

    pub fn string(&mut self, text: &str) {
        let bytes = literal::utf16_bytes(text);
        if let Some(name) = self.constant_name(&literal::string(text), |(_, found, is_text, _)| {
            *is_text && *found == bytes && !bytes.is_empty()
        }) && self.choice(Axis::Constant) == 0
        {
            return self.name(&name);
        }
        if let Some((ty, name)) = self.from.library.text_constant(text)
            && self.choice(Axis::Constant) == 2
        {
            self.ty(&ty);
            self.push(".");
            return self.name(&name);
        }
        // The name of an argument or a member is often written `nameof`.
        let is_name = self.from.body.view.arguments.iter().any(|name| name == text && name != "this");
        if (is_name || literal::is_identifier(text)) && self.choice(Axis::NameOf) > 0 {
            let _ = write!(self.out, "nameof({text})");
            return;
        }
        self.push(&literal::string(text));
    }

    pub fn default(&mut self, ty: &Type) {
        match self.choice(Axis::Default) {
            1 => return self.push("default"),
            2 => {
                self.push("new ");
                self.ty(ty);
                return self.list(&[], &[], "(", ")");
            }
            _ => {}
        }
        if self.from.library.is_named(ty, "Nullable`1") {
            self.push("null");
            return;
        }
        self.push("default(");
        self.ty(ty);
        self.push(")");
    }

    pub fn interpolated(&mut self, parts: &[Part]) {
        self.push("$\"");
        for part in parts {
            match part {
                Part::Text(text) => {
                    let text = literal::escaped(text).replace('{', "{{").replace('}', "}}");
                    self.push(&text);
                }
                Part::Value(value, alignment, format) => {
                    self.push("{");
                    self.write(*value, None, COALESCE);
                    if let Some(alignment) = alignment {
                        self.push(",");
                        self.write(*alignment, None, LOWEST);
                    }
                    if let Some(format) = format
                        && let Kind::Str(text) = self.from.arena.kind(*format)
                    {
                        self.push(":");
                        self.push(text);
                    }
                    self.push("}");
                }
            }
        }
        self.push("\"");
    }

    pub fn sum_as_interpolation(&mut self, node: &Node) {
        let mut parts = Vec::new();
        self.summands(node, &mut parts);
        self.interpolated(&parts);
    }

    pub fn summands(&self, node: &Node, parts: &mut Vec<Part>) {
        for kid in &node.kids {
            let found = self.node(*kid);
            match &found.kind {
                Kind::Binary("+") if is_text(found) => self.summands(found, parts),
                Kind::Str(text) => parts.push(Part::Text(text.clone())),
                _ => parts.push(Part::Value(*kid, None, None)),
            }
        }
    }
}

pub fn is_text(node: &Node) -> bool {
    matches!(&*node.ty, Type::Primitive(Primitive::String))
}

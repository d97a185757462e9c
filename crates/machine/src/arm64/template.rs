//! Rows of the table of instructions: encodings, conditions, and the templates of their texts.

use std::collections::HashMap;

use super::field::{Expression, Field, Fields};
use super::operand::{Function, NumberFormat, Op, RegisterClass};

/// An instruction: the bits that it has, and its parts in the lists of the table.
#[derive(Clone, Copy, Default)]
pub(super) struct Row {
    pub mask: u32,
    pub value: u32,
    pub mnemonic: Slice,
    pub operands: Slice,
    pub conditions: Slice,
}

/// Part of a list of the table.
#[derive(Clone, Copy, Default)]
pub(super) struct Slice {
    start: u16,
    len: u16,
}

impl Slice {
    /// The elements from `start` to `end`, of fewer than 65 536.
    pub(super) const fn new(start: usize, end: usize) -> Self {
        Self { start: start as u16, len: (end - start) as u16 }
    }

    pub(super) fn of<T>(self, list: &[T]) -> Option<&[T]> {
        list.get(self.start.into()..)?.get(..self.len.into())
    }
}

impl Row {
    /// Calls `each` with every value that the bits from `shift` on can have.
    pub(super) fn each_index(&self, shift: u32, mut each: impl FnMut(usize)) {
        let free = !self.mask >> shift;
        let mut bits = free;
        loop {
            each((self.value >> shift | bits) as usize);
            if bits == 0 {
                return;
            }
            bits = bits.saturating_sub(1) & free;
        }
    }
}

#[derive(Clone, Copy)]
enum Test {
    Equal,
    Differs,
    Less,
    /// The left side is the greater, or both are equal.
    NotLess,
    /// The left side is an even number.
    Even,
    /// The left side has one bit.
    OneBit,
}

#[derive(Clone, Copy)]
pub(super) struct Condition {
    left: Expression,
    test: Test,
    right: Expression,
}

impl Condition {
    pub(super) fn holds(&self, word: u32) -> bool {
        let (left, right) = (self.left.value(word, false), self.right.value(word, false));
        match self.test {
            Test::Equal => left == right,
            Test::Differs => left != right,
            Test::Less => left < right,
            Test::NotLess => left >= right,
            Test::Even => left & 1 == 0,
            Test::OneBit => left.count_ones() == 1,
        }
    }
}

/// Names that the lines of the table above a row have defined.
#[derive(Default)]
pub(super) struct Scope {
    widths: HashMap<&'static str, u8>,
    texts: HashMap<&'static str, &'static str>,
}

impl Scope {
    /// Defines the fields `NAME:WIDTH …`.
    pub(super) fn define_fields(&mut self, fields: &'static str) {
        let field =
            |field: &'static str| field.split_once(':').and_then(|(name, bits)| Some((name, bits.parse().ok()?)));
        self.widths.extend(fields.split_whitespace().filter_map(field));
    }

    pub(super) fn define(&mut self, name: &'static str, text: &'static str) {
        self.texts.insert(name, text);
    }

    /// Number of bits of the part of an encoding; fields of immediates end with it (`imm12`).
    fn width(&self, part: &str) -> Option<u8> {
        match part.split_once(':') {
            Some((_, bits)) => bits.parse().ok(),
            None => self.widths.get(part).copied().or_else(|| part.strip_prefix("imm")?.parse().ok()),
        }
    }

    /// The bits of an encoding, and its fields; `None` unless it has 32 bits.
    pub(super) fn encoding(&self, encoding: &'static str) -> Option<(Row, RowScope<'_>)> {
        let mut row = Row::default();
        let mut fields = Vec::new();
        let mut shift: u8 = 32;
        for part in encoding.split_whitespace() {
            if part.bytes().all(|bit| matches!(bit, b'0' | b'1')) {
                shift = shift.checked_sub(part.len() as u8)?;
                row.mask |= Field { shift, width: part.len() as u8 }.mask();
                row.value |= u32::from_str_radix(part, 2).ok()? << shift;
            } else {
                let width = self.width(part)?;
                shift = shift.checked_sub(width)?;
                let name = part.split(':').next().unwrap_or(part);
                fields.push((name, Field { shift, width }));
            }
        }
        (shift == 0).then_some((row, RowScope { scope: self, fields }))
    }
}

/// Names that a row has: its own fields, and the texts that are defined.
pub(super) struct RowScope<'s> {
    scope: &'s Scope,
    pub fields: Vec<(&'static str, Field)>,
}

impl RowScope<'_> {
    fn field(&self, name: &str) -> Option<Field> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, field)| *field)
    }

    /// `F.G`: fields of which the first has the upper bits.
    fn concatenation(&self, names: &str) -> Option<Fields> {
        let mut fields = Fields::default();
        for name in names.split('.') {
            fields.push(self.field(name)?)?;
        }
        Some(fields)
    }

    /// Fields with numbers that they are multiplied by or that are added: `64-immr`, `imms-immr+1`, `imm7*8`.
    fn expression(&self, text: &str) -> Option<Expression> {
        let mut found = Expression::default();
        let mut rest = text;
        let mut sign = 1_i16;
        loop {
            let end = rest.find(['+', '-']).unwrap_or(rest.len());
            let (term, after) = rest.split_at_checked(end)?;
            if let Ok(number) = term.parse::<i16>() {
                found.constant = found.constant.checked_add(sign.checked_mul(number)?)?;
            } else {
                let (fields, factor) = term.split_once('*').unwrap_or((term, "1"));
                found.add(self.concatenation(fields)?, sign.checked_mul(factor.parse().ok()?)?)?;
            }
            sign = if after.starts_with('-') { -1 } else { 1 };
            match after.get(1..) {
                Some(next) => rest = next,
                None => return Some(found),
            }
        }
    }

    /// `A==B`, `A!=B`, `A<B`, `A>=B`, `A=even`, `A=power`.
    pub(super) fn condition(&self, text: &str) -> Option<Condition> {
        for (name, test) in [("=even", Test::Even), ("=power", Test::OneBit)] {
            if let Some(left) = text.strip_suffix(name) {
                return Some(Condition { left: self.expression(left)?, test, right: Expression::default() });
            }
        }
        let tests = [("==", Test::Equal), ("!=", Test::Differs), (">=", Test::NotLess), ("<", Test::Less)];
        let (left, test, right) =
            tests.iter().find_map(|(sign, test)| text.split_once(sign).map(|(left, right)| (left, *test, right)))?;
        Some(Condition { left: self.expression(left)?, test, right: self.expression(right)? })
    }

    /// Adds the parts of a text: literals, `(a/b:F)` and `<operand>`.
    pub(super) fn template(&self, text: &'static str, ops: &mut Vec<Op>) -> Option<()> {
        let mut rest = text;
        while !rest.is_empty() {
            let literal = rest.find(['(', '<']).unwrap_or(rest.len());
            let (before, part) = rest.split_at_checked(literal)?;
            if !before.is_empty() {
                ops.push(Op::Text(before));
            }
            let Some(inner) = part.get(1..) else { break };
            let close = if part.starts_with('(') { ')' } else { '>' };
            let (inner, after) = inner.split_once(close)?;
            if close == ')' {
                self.choice(inner, ops)?;
            } else {
                self.operand(inner, ops)?;
            }
            rest = after;
        }
        Some(())
    }

    /// `a/b/-/c:F.G`. Where one of the choices is an operand, all are.
    fn choice(&self, text: &'static str, ops: &mut Vec<Op>) -> Option<()> {
        let (list, fields) = text.rsplit_once(':')?;
        let fields = self.concatenation(fields)?;
        if !list.contains('<') {
            ops.push(Op::Choice(list, fields));
            return Some(());
        }
        for (value, choice) in list.split('/').enumerate() {
            let mut chosen = Vec::new();
            self.template(choice, &mut chosen)?;
            ops.push(Op::Unless { fields, value: value as u8, skipped: chosen.len() as u8 });
            ops.append(&mut chosen);
        }
        Some(())
    }

    fn operand(&self, name: &'static str, ops: &mut Vec<Op>) -> Option<()> {
        if let Some(text) = self.scope.texts.get(name) {
            return self.template(text, ops);
        }
        let op = match name.split_once(':') {
            Some((format, number)) => Op::Number(NumberFormat::named(format)?, self.expression(number)?),
            None => match Function::named(name) {
                Some(function) => Op::Function(function),
                None => self.register(name)?,
            },
        };
        ops.push(op);
        Some(())
    }

    /// `Xn|SP`, `Rd`, `Vt+1`.
    fn register(&self, name: &str) -> Option<Op> {
        let (class, name) = name.split_at_checked(1)?;
        let (name, has_sp) = name.strip_suffix("|SP").map_or((name, false), |name| (name, true));
        let (name, next) = name.split_once('+').unwrap_or((name, "0"));
        let number = self.field(&format!("R{name}"))?;
        let class = match class {
            "R" => RegisterClass::General { width: self.field("sf")?, has_sp },
            "Z" => RegisterClass::General { width: self.field("size")?, has_sp },
            // No bits: all of them are set.
            "X" => RegisterClass::General { width: Field::default(), has_sp },
            "W" => RegisterClass::Word { has_sp },
            _ => RegisterClass::Simd(class.chars().next()?.to_ascii_lowercase()),
        };
        Some(Op::Register { class, number, next: next.parse().ok()? })
    }
}

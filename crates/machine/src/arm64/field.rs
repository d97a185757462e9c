//! Fields of an instruction, and numbers made of them.

/// Adjacent bits of an instruction.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Field {
    pub shift: u8,
    /// Number of bits.
    pub width: u8,
}

impl Field {
    /// All bits of the field, at its place.
    pub(super) const fn mask(self) -> u32 {
        self.max() << self.shift
    }

    pub(super) const fn max(self) -> u32 {
        !u32::MAX.unbounded_shl(self.width as u32)
    }

    pub(super) const fn value(self, word: u32) -> u32 {
        word >> self.shift & self.max()
    }
}

/// Fields that make one number, the first its upper bits; those that are not used have no bits.
#[derive(Clone, Copy, Default)]
pub(super) struct Fields([Field; 3]);

impl Fields {
    pub(super) fn push(&mut self, field: Field) -> Option<()> {
        *self.0.iter_mut().find(|slot| slot.width == 0)? = field;
        Some(())
    }

    pub(super) fn value(self, word: u32) -> u32 {
        self.0.iter().fold(0, |value, field| value << field.width | field.value(word))
    }

    fn signed(self, word: u32) -> i64 {
        let width: u32 = self.0.iter().map(|field| u32::from(field.width)).sum();
        let unused = 64_u32.saturating_sub(width).min(63);
        i64::from(self.value(word)) << unused >> unused
    }
}

/// A number: one or two fields with factors, and a constant.
#[derive(Clone, Copy, Default)]
pub(super) struct Expression {
    fields: Fields,
    factor: i8,
    /// A field that is subtracted.
    minus: Field,
    pub constant: i16,
}

impl Expression {
    /// Adds fields that are multiplied by `factor`; `None` if there is no room for them.
    pub(super) fn add(&mut self, fields: Fields, factor: i16) -> Option<()> {
        if self.factor == 0 {
            self.fields = fields;
            self.factor = factor.try_into().ok()?;
            return Some(());
        }
        let [field, Field { width: 0, .. }, _] = fields.0 else { return None };
        if factor != -1 || self.minus.width > 0 {
            return None;
        }
        self.minus = field;
        Some(())
    }

    /// The number in an instruction; the first fields are signed or not.
    pub(super) fn value(&self, word: u32, is_signed: bool) -> i64 {
        let fields = if is_signed { self.fields.signed(word) } else { self.fields.value(word).into() };
        let product = fields * i64::from(self.factor);
        product - i64::from(self.minus.value(word)) + i64::from(self.constant)
    }
}

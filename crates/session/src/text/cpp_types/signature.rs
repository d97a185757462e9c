//! Signatures of functions: the type of the result, and the types of the parameters.

use super::{MAX_STEPS, TypeNames};
use pdblens_formats::codeview::types::TypeData;

/// Bit of a modifier for `const`.
const MODIFIED_CONST: u16 = 1;

impl TypeNames<'_> {
    /// The type of the result and the parameters of a function type: `int` and `(const char *) const`; `None` for another type.
    pub fn signature(&self, index: u32) -> Option<(String, String)> {
        let (returns, arguments, this) = match self.read(index)? {
            TypeData::Procedure { returns, arguments, .. } => (returns, arguments, 0),
            TypeData::MemberFunction { returns, arguments, this, .. } => (returns, arguments, this),
            _ => return None,
        };
        let mut steps = MAX_STEPS;
        let parameters = self.arguments(arguments, &mut steps);
        let end = if self.is_of_constant(this) { " const" } else { "" };
        Some((self.of(returns), format!("({parameters}){end}")))
    }

    /// The function type of the id of a function.
    pub fn type_of_id(&self, id: u32) -> Option<u32> {
        match self.ids.get(id)?.read().ok()? {
            TypeData::Function { of, .. } | TypeData::Method { of, .. } => Some(of),
            _ => None,
        }
    }

    /// Returns whether the type of `this` points to a constant.
    fn is_of_constant(&self, this: u32) -> bool {
        let Some(TypeData::Pointer { to, .. }) = self.read(this) else { return false };
        matches!(self.read(to), Some(TypeData::Modifier { flags, .. }) if flags & MODIFIED_CONST != 0)
    }
}

use std::fmt::{self, Write};

use super::SignatureText;
use pdblens_formats::signature::Type;

/// Takes the name of a type and passes it on with its type arguments where the arity stands: ``List`1`` as `List<int>`.
pub(crate) struct GenericName<'o, 't> {
    pub(crate) text: SignatureText<'t>,
    pub(crate) out: &'o mut dyn Write,
    /// Those that are not written yet.
    pub(crate) arguments: &'t [Type],
    /// The number after a backtick, as far as it has come.
    pub(crate) arity: Option<u32>,
}

impl GenericName<'_, '_> {
    /// The number after a backtick is complete.
    fn end_arity(&mut self) -> fmt::Result {
        let Some(arity) = self.arity.take() else { return Ok(()) };
        let (now, later) = self.arguments.split_at((arity as usize).min(self.arguments.len()));
        self.arguments = later;
        if arity == 0 {
            // There was no number: an odd name, nothing generic.
            self.out.write_char('`')
        } else if now.is_empty() {
            // An open type. Nobody wants to see more commas than that.
            write!(self.out, "<{:,<1$}>", "", (arity as usize).saturating_sub(1).min(16))
        } else {
            self.text.list(self.out, "<", now.iter(), ">")
        }
    }

    /// The name is complete: arguments that its arities did not ask for follow it.
    pub(crate) fn end(mut self) -> fmt::Result {
        self.end_arity()?;
        self.text.list(self.out, "<", self.arguments.iter(), ">")
    }
}

impl Write for GenericName<'_, '_> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let mut rest = s;
        while let Some(first) = rest.chars().next() {
            rest = match (first, self.arity) {
                ('`', None) => {
                    self.arity = Some(0);
                    rest.split_at(1).1
                }
                (digit @ '0'..='9', Some(arity)) => {
                    self.arity = Some(arity.saturating_mul(10).saturating_add(digit.to_digit(10).unwrap_or_default()));
                    rest.split_at(1).1
                }
                ('+' | '/', _) => {
                    self.end_arity()?;
                    self.out.write_char('.')?;
                    rest.split_at(1).1
                }
                _ => {
                    self.end_arity()?;
                    // Nearly all of a name at once.
                    let special = rest.bytes().skip(1).position(|byte| matches!(byte, b'`' | b'+' | b'/'));
                    let (plain, after) = rest.split_at(special.map_or(rest.len(), |at| at.saturating_add(1)));
                    self.out.write_str(plain)?;
                    after
                }
            };
        }
        Ok(())
    }
}

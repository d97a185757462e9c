//! Texts of types that are kept from one name to the next: the names of a file repeat the same types many times.

use std::fmt::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::signatures::Signatures;
use super::{Limited, Names};
use crate::formats::metadata::{TABLE_COUNT, TableId, Token};

/// Greatest size of a text that is kept, rows of a table whose texts are, and limit on the bytes of all: memory stays bounded for
/// files of any size.
pub(super) const MAX_TEXT: usize = 512;
const MAX_ROWS: u32 = 1 << 16;
pub(super) const MAX_BYTES: usize = 4 << 20;

/// Ways in which the name of a type is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// As metadata has it: ``Ns.Outer+List`1``.
    Metadata,
    /// Without type arguments: `Ns.Outer.List<>`.
    Open,
    /// With its type parameters: `Ns.Outer.List<T>`.
    Declared,
    /// With the type arguments of a TypeSpec: `Ns.Outer.List<int>`.
    Instance,
}

impl Form {
    const COUNT: usize = Self::Instance as usize + 1;
}

/// A text, set by the first thread that needs it.
type Cell = OnceLock<Box<str>>;

/// Texts of types, for all threads.
#[derive(Debug)]
pub struct TypeTexts {
    /// Cells by form, table and row; those of a table are allocated with its first type.
    forms: [[OnceLock<Box<[Cell]>>; TABLE_COUNT]; Form::COUNT],
    pub(super) signatures: Signatures,
    pub(super) bytes: AtomicUsize,
}

impl TypeTexts {
    /// No texts yet, of a file whose texts these will be.
    pub fn new() -> Self {
        let forms = [const { [const { OnceLock::new() }; TABLE_COUNT] }; Form::COUNT];
        Self { forms, signatures: Signatures::default(), bytes: AtomicUsize::new(0) }
    }

    fn cell(&self, form: Form, token: Token, rows: impl Fn(TableId) -> u32) -> Option<&Cell> {
        let table = self.forms.get(form as usize)?.get(usize::from(token.table().0))?;
        let cells = table.get_or_init(|| (0..rows(token.table()).min(MAX_ROWS)).map(|_| OnceLock::new()).collect());
        cells.get((token.row() as usize).checked_sub(1)?)
    }
}

impl Default for TypeTexts {
    fn default() -> Self {
        Self::new()
    }
}

impl<'m> Names<'m> {
    /// The same names, which keep texts of types in `texts`, made for the same file.
    #[must_use]
    pub const fn keeping(self, texts: &'m TypeTexts) -> Self {
        Self { kept: Some(texts), ..self }
    }

    /// The texts that are kept, once all enclosing types are known: while they are searched for, a table that is out of order may give
    /// others.
    pub(super) fn texts(&self) -> Option<&'m TypeTexts> {
        self.kept.filter(|_| self.index.enclosing.get().is_some())
    }

    /// Writes the text of a type in a form: the one that is kept, or that of `write`.
    pub(super) fn write_kept(
        &self,
        form: Form,
        token: Token,
        out: &mut dyn Write,
        write: impl Fn(&mut dyn Write) -> fmt::Result,
    ) -> fmt::Result {
        let Some(kept) = self.texts() else { return write(out) };
        let Some(cell) = kept.cell(form, token, |table| self.metadata.rows(table)) else { return write(out) };
        if let Some(text) = cell.get() {
            return out.write_str(text);
        }
        let mut text = String::new();
        if write(&mut Limited { text: &mut text, max: MAX_TEXT }).is_err() {
            return write(out);
        }
        let result = out.write_str(&text);
        if kept.bytes.fetch_add(text.len(), Ordering::Relaxed) < MAX_BYTES {
            // Another thread may have stored it first.
            let _ = cell.set(text.into());
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    #[test]
    fn names_are_the_same_with_texts_that_are_kept() {
        for sample in ["ledger/Ledger.dll", "shapes/Shapes.dll", "workshop/Workshop.dll"] {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples").join(sample);
            let session = Session::open(&[path]).unwrap();
            let (names, texts) = (session.names().unwrap(), TypeTexts::new());
            let kept = names.keeping(&texts);
            // Twice: texts are made, and used.
            for _ in 0..2 {
                for table in TableId::all() {
                    for row in 0..=names.metadata.rows(table) + 1 {
                        let token = Token::new(table, row);
                        assert_eq!(kept.token(token), names.token(token), "{sample} {token}");
                        assert_eq!(kept.method(token), names.method(token), "{sample} {token}");
                        assert_eq!(kept.reflection_name(token), names.reflection_name(token), "{sample} {token}");
                    }
                }
            }
            assert!(texts.bytes.load(Ordering::Relaxed) > 1000, "{sample}: nothing is kept");
        }
    }
}

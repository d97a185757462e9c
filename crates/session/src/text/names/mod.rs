//! Names as a .NET developer reads them: `Ticker.Clock.Since(long)`, `List<int>`, `Outer<T>.Inner`.
//!
//! Metadata keeps a name in pieces: namespace, enclosing types, arity after a backtick, type parameters in a table of their
//! own, everything else in signatures. Here they are put together, whatever a file does to prevent it: chains have a greatest
//! length, signatures a greatest depth, and a name never takes more than [`MAX_NAME`] bytes.

mod cache;
mod member;
mod types;

pub use cache::NameCache;
pub use types::{without_arities, without_type_parameters};

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::text::safe::utf8;
use pdblens_formats::metadata::schema::METHOD_DEF_OR_REF;
use pdblens_formats::metadata::{LowerBounds, Metadata, TableId, Token};

/// Bytes of one name; longer names are cut.
pub const MAX_NAME: usize = 16 * 1024;
/// Bytes that are set aside for a name: most names fit.
const USUAL_NAME: usize = 96;
/// Length of a chain of enclosing types or scopes, and depth of a signature.
const MAX_DEPTH: usize = 64;
/// Number of enclosing types that are searched for in the table, before it is read whole: one name of a large file needs a few of its rows.
const SEARCHED: u32 = 64;

/// Lookups that need a pass over a table; kept beside the metadata they were made from.
#[derive(Debug, Default)]
pub struct NameIndex {
    enclosing: OnceLock<Vec<u32>>,
    searches: AtomicU32,
    method_lists: LowerBounds,
    field_lists: LowerBounds,
    parameter_owners: LowerBounds,
    method_rows: OnceLock<Vec<u32>>,
}

impl NameIndex {
    /// Row of MethodPtr of each method, in an uncompressed (`#-`) stream.
    fn method_rows(&self, metadata: &Metadata) -> &[u32] {
        self.method_rows.get_or_init(|| {
            let pointers = metadata.table(TableId::METHOD_PTR);
            let mut rows = vec![0; metadata.rows(TableId::METHOD_DEF) as usize + 1];
            for row in 1..=pointers.rows() {
                let slot = pointers.column(0).get(row).and_then(|method| rows.get_mut(method as usize));
                if let Some(slot) = slot {
                    *slot = row;
                }
            }
            rows
        })
    }
}

/// The names of one file.
#[derive(Clone, Copy, Debug)]
pub struct Names<'m> {
    metadata: &'m Metadata,
    index: &'m NameIndex,
    brief: bool,
    /// Cache of the names of types and of signatures, if the caller has one.
    cache: Option<&'m NameCache>,
}

impl<'m> Names<'m> {
    /// The names in `metadata`; `index` was made for it.
    pub const fn new(metadata: &'m Metadata, index: &'m NameIndex) -> Self {
        Self { metadata, index, brief: false, cache: None }
    }

    /// Short form of the names: without namespaces and return types, `int?` and `(int, string)` as C# writes them.
    #[must_use]
    pub const fn brief(self) -> Self {
        Self { brief: true, cache: None, ..self }
    }

    /// Name of a token, as IL assembly has it: `long Ticker.Clock.Now()`, `System.Console`, `"nap "`.
    pub fn token(&self, token: Token) -> String {
        self.text(|names, out| names.write_token(token, out))
    }

    /// The name of a type token: `System.Collections.Generic.List<T>`.
    pub fn type_name(&self, token: Token) -> String {
        self.text(|names, out| names.write_type(token, out, 0))
    }

    /// Text that `write` writes, cut where all names are.
    fn text(self, write: impl Fn(&Self, &mut Limited<'_>) -> fmt::Result) -> String {
        let mut text = String::with_capacity(USUAL_NAME);
        if write(&self, &mut Limited { text: &mut text, max: MAX_NAME }).is_ok() {
            return text;
        }
        if self.cache().is_some() {
            // A cached text is written whole or not at all, so that the name would be cut in another place.
            return Self { cache: None, ..self }.text(write);
        }
        text.push('…');
        text
    }

    /// A method's type and name as reflection writes them: `Ticker.Outer+Inner.Since`.
    pub fn reflection_name(&self, method: Token) -> String {
        let mut out = String::new();
        self.write_reflection_name(method.row(), &mut out);
        out
    }

    /// Appends a method's type and name as reflection writes them, allocating nothing but the text.
    pub fn write_reflection_name(&self, method_row: u32, out: &mut String) {
        self.write_owner(self.owner(method_row), out);
        out.push_str(&self.string(TableId::METHOD_DEF, method_row, 3));
    }

    /// Own name of a method, by its token or that of a reference to it; `None` for the token of a signature.
    pub fn own_name(&self, token: Token) -> Option<Cow<'m, str>> {
        let column = match token.table() {
            TableId::METHOD_DEF => 3,
            TableId::MEMBER_REF => 1,
            TableId::METHOD_SPEC => {
                let (table, row) =
                    METHOD_DEF_OR_REF.decode(cell(self.metadata, TableId::METHOD_SPEC, token.row(), 0))?;
                return self.own_name(Token::new(table, row));
            }
            _ => return None,
        };
        Some(self.string(token.table(), token.row(), column))
    }

    /// Names of the types around a method, innermost first, and last the namespace of the outermost.
    pub fn scopes(&self, method: Token) -> impl Iterator<Item = Cow<'m, str>> {
        let owner = self.owner(method.row());
        let types = if owner > 0 { self.chain(owner) } else { Vec::new() };
        let namespace = types.last().map(|row| self.string(TableId::TYPE_DEF, *row, 2));
        let names: Vec<Cow<'m, str>> = types.iter().map(|row| self.string(TableId::TYPE_DEF, *row, 1)).collect();
        names.into_iter().chain(namespace.filter(|namespace| !namespace.is_empty()))
    }

    /// Appends what stands before the name of a method of a type, `Ticker.Outer+Inner.`; nothing for row 0.
    fn write_owner(&self, type_row: u32, out: &mut String) {
        if type_row > 0 {
            let max = out.len() + MAX_NAME;
            let _ = self.write_metadata_type(Token::new(TableId::TYPE_DEF, type_row), &mut Limited { text: out, max });
            out.push('.');
        }
    }

    /// Appends a field's type and name as reflection writes them.
    pub fn write_field_name(&self, field_row: u32, out: &mut String) {
        let owner = self.field_owner(field_row).row();
        if owner > 0 {
            let max = out.len() + MAX_NAME;
            let _ = self.write_reflection_type(owner, &mut Limited { text: out, max });
            out.push('.');
        }
        out.push_str(&self.string(TableId::FIELD, field_row, 1));
    }

    /// The name of a method alone.
    pub fn method_name(&self, method: Token) -> String {
        self.string(TableId::METHOD_DEF, method.row(), 3).into_owned()
    }

    /// The TypeDef row that a method belongs to; 0 where none claims it.
    pub fn owner(&self, method_row: u32) -> u32 {
        let list_row = match self.metadata.rows(TableId::METHOD_PTR) {
            0 => method_row,
            _ => self.index.method_rows(self.metadata).get(method_row as usize).copied().unwrap_or(0),
        };
        // The last type whose list begins at or before the method.
        let types = self.metadata.table(TableId::TYPE_DEF);
        self.index.method_lists.lower_bound(types, 5, list_row.saturating_add(1)).saturating_sub(1)
    }

    /// The TypeDef row that a TypeDef is nested in; 0 where it is not.
    pub fn enclosing(&self, type_row: u32) -> u32 {
        let nested = self.metadata.table(TableId::NESTED_CLASS);
        if self.index.enclosing.get().is_none()
            && nested.is_sorted()
            && self.index.searches.fetch_add(1, Ordering::Relaxed) < SEARCHED
        {
            // Of rows with the same key the last counts, as below.
            let row = nested.lower_bound(0, type_row.saturating_add(1)).saturating_sub(1);
            return if nested.cell(row, 0) == Ok(type_row) { nested.cell(row, 1).unwrap_or(0) } else { 0 };
        }
        let index = self.index.enclosing.get_or_init(|| {
            let mut enclosing = vec![0; self.metadata.rows(TableId::TYPE_DEF) as usize + 1];
            let (inner, outer) = (nested.column(0), nested.column(1));
            for row in 1..=nested.rows() {
                let slot = inner.get(row).and_then(|inner| enclosing.get_mut(inner as usize));
                if let (Some(slot), Some(outer)) = (slot, outer.get(row)) {
                    *slot = outer;
                }
            }
            enclosing
        });
        index.get(type_row as usize).copied().unwrap_or(0)
    }

    /// A cell of `#Strings`; empty where it cannot be read.
    fn string(&self, table: TableId, row: u32, column: usize) -> Cow<'m, str> {
        let offset = self.metadata.table(table).cell(row, column);
        let name = offset.and_then(|offset| self.metadata.heaps.string_within(offset, MAX_NAME as u64));
        name.map(|name| utf8(name.data)).unwrap_or_default()
    }
}

fn cell(metadata: &Metadata, table: TableId, row: u32, column: usize) -> u32 {
    metadata.table(table).cell(row, column).unwrap_or(0)
}

/// Text that `write` writes, cut to [`MAX_NAME`] bytes.
fn text(write: impl FnOnce(&mut Limited<'_>) -> fmt::Result) -> String {
    let mut text = String::with_capacity(USUAL_NAME);
    if write(&mut Limited { text: &mut text, max: MAX_NAME }).is_err() {
        text.push('…');
    }
    text
}

/// A name in the making. An error says that it has grown too long, and ends the making of it.
struct Limited<'t> {
    text: &'t mut String,
    /// Bytes that the text may have.
    max: usize,
}

impl Write for Limited<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.text.len() + part.len() > self.max {
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

/// Columns of TypeDef and MethodDef.
const METHOD_LIST: usize = 5;
const METHOD_NAME: usize = 3;

impl Names<'_> {
    /// Calls `each` with the row and the name of every method, in the order of the rows, until it breaks: with what
    /// [`Names::write_reflection_name`] writes. The name of a type is put together once for all its methods.
    pub fn each_method(&self, mut each: impl FnMut(u32, &str) -> ControlFlow<()>) -> ControlFlow<()> {
        let types = self.metadata.table(TableId::TYPE_DEF);
        if self.metadata.rows(TableId::METHOD_PTR) > 0 || !types.rises(METHOD_LIST) {
            return self.each_by_row(each);
        }
        let heap = self.metadata.heaps.strings.bytes();
        let names = self.metadata.table(TableId::METHOD_DEF).column(METHOD_NAME).cells();
        let mut lists = types.column(METHOD_LIST).cells().peekable();
        let (mut owner, mut text, mut prefix, mut written) = (0_u32, String::new(), 0, u32::MAX);
        for (row, offset) in (1..).zip(names) {
            // The last type whose list begins at or before the method.
            while lists.next_if(|first| *first <= row).is_some() {
                owner = owner.saturating_add(1);
            }
            if owner != written {
                text.clear();
                self.write_owner(owner, &mut text);
                (prefix, written) = (text.len(), owner);
            }
            text.truncate(prefix);
            match short_string(heap, offset as usize) {
                Some(name) => text.push_str(&utf8(name)),
                None => text.push_str(&self.string(TableId::METHOD_DEF, row, METHOD_NAME)),
            }
            each(row, &text)?;
        }
        ControlFlow::Continue(())
    }

    /// The same, one method after the other.
    fn each_by_row(&self, mut each: impl FnMut(u32, &str) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut text = String::new();
        for row in 1..=self.metadata.rows(TableId::METHOD_DEF) {
            text.clear();
            self.write_reflection_name(row, &mut text);
            each(row, &text)?;
        }
        ControlFlow::Continue(())
    }
}

/// The bytes of the string at `offset`, if its end is found within the longest name.
#[inline]
fn short_string(heap: &[u8], offset: usize) -> Option<&[u8]> {
    let rest = if offset == 0 { return Some(&[]) } else { heap.get(offset..)? };
    let near = rest.get(..MAX_NAME.min(rest.len()))?;
    near.get(..memchr::memchr(0, near)?)
}

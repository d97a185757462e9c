//! The names of all methods, in one pass over types and methods.

use std::ops::ControlFlow;

use super::{MAX_NAME, Names};
use crate::text::safe::utf8;
use pdblens_formats::metadata::TableId;

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

//! Functions of the tree that the linker folded into one: each has a number and a record of its own.

use super::CodeTree;
use crate::function::NativeView;
use pdblens_formats::bytes::Span;
use pdblens_formats::pdb::Function;
use pdblens_session::session::Session;

impl CodeTree {
    /// Number of a function in the tree. Of folded functions, each has its own.
    pub fn number_of(&self, session: &Session, function: &Function) -> Option<u32> {
        let functions = NativeView::of(session)?.functions();
        let start = (function.section, function.offset);
        let first = functions.partition_point(|f| (f.section, f.offset) < start);
        let index = first.saturating_add(functions.get(first..)?.iter().position(|found| found == function)?) as u32;
        self.functions.iter().position(|found| *found == index).map(|at| self.first_function.saturating_add(at as u32))
    }

    /// Record of a function that is not the one its address is named for, as the linker folded them; `None` for all others.
    pub fn folded_record(&self, session: &Session, number: u32) -> Option<Span> {
        let native = NativeView::of(session)?;
        let function = native.functions().get(*self.functions.get(self.function_at(number)?)? as usize)?;
        native.folded_record(function)
    }
}

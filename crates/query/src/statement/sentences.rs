//! The evaluated code of a body on its way to texts: what the points before one say of it.

use std::cell::Cell;
use std::rc::Rc;

use super::body::Body;
use super::evaluate::Evaluator;
use super::library::Library;

pub(super) struct Sentences<'b, 's> {
    pub values: Evaluator<'b, 's>,
    /// First value of each local variable: they declare it.
    pub declared: Vec<(Rc<str>, u32)>,
    /// Choice on the axis `DECLARE`: the author's, as far as this method shows it.
    pub declares: Cell<u8>,
    /// Decisions that are being evaluated, one inside another.
    pub nested: usize,
    /// Texts that were written to find one that fits.
    pub spellings: Cell<u32>,
}

impl<'b, 's> Sentences<'b, 's> {
    pub fn new(library: &'b Library<'s>, body: &'b Body<'s>, lambdas: usize) -> Self {
        Self {
            values: Evaluator::new(library, body, lambdas),
            declared: Vec::new(),
            declares: Cell::default(),
            nested: 0,
            spellings: Cell::new(0),
        }
    }
}

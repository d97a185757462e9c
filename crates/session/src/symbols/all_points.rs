//! The points of all methods of a symbol file, and the names of its documents, each in the way that is fastest in its format.

use std::ops::ControlFlow;

use crate::symbols::{SymbolFormat, SymbolReader};
use pdblens_formats::bytes::Result;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::sequence_point::SequencePoint;

/// Receives a method and one of its points, or the error that ends them; breaks to stop.
pub type EachPoint<'e> = dyn FnMut(Token, Result<SequencePoint>) -> ControlFlow<()> + 'e;

impl SymbolFormat {
    /// Calls `each` with a method and one of its points, for all methods in their order, until it breaks: with what
    /// [`SymbolReader::points`] yields for each of them. An error is the last item of its method.
    pub fn all_points(&self, each: &mut EachPoint<'_>) -> ControlFlow<()> {
        match self {
            Self::Portable(pdb) if pdb.generations().is_empty() => {
                pdb.all_points(|row, point| each(Token::new(TableId::METHOD_DEF, row), point))
            }
            _ => method_by_method(self.reader(), each),
        }
    }

    /// Path of a document, without its hash, which may be far away.
    pub fn document_name(&self, row: u32) -> Result<String> {
        match self.windows() {
            Some(pdb) => pdb.document(row).map(|document| document.name.value.clone()),
            None => self.reader().document(row).map(|document| document.name),
        }
    }
}

fn method_by_method(reader: &dyn SymbolReader, each: &mut EachPoint<'_>) -> ControlFlow<()> {
    for row in 1..=reader.methods() {
        let (method, mut flow) = (Token::new(TableId::METHOD_DEF, row), ControlFlow::Continue(()));
        let read = reader.points(method, &mut |point| {
            flow = each(method, Ok(point));
            flow
        });
        flow?;
        if let Err(error) = read {
            each(method, Err(error))?;
        }
    }
    ControlFlow::Continue(())
}

//! The two kinds of code that a session can have, behind one interface: functions of native code, and methods of IL.
//!
//! A question about one unit matches on [`CodeUnit`]; a question about all units asks each kind.

use super::questions::each_point;
use crate::native::{Each, NativeView};
use crate::place::{CodeUnit, Words};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::symbols::SymbolReader;
use std::ops::ControlFlow;

/// Code of one kind.
pub trait CodeFormat {
    fn words(&self) -> &'static Words;
    /// True unless all functions have to be read before the rest is answered.
    fn is_ready(&self) -> bool;
    /// Number of units, in the order of the file.
    fn count(&self) -> u32;
    fn unit(&self, index: u32) -> Option<CodeUnit>;
    /// Calls `each` with every unit that may have code in one of `documents`, and all its points, or the error if these cannot be read.
    fn each(&self, documents: &[u32], each: &mut Each<'_, CodeUnit>) -> ControlFlow<()>;
}

/// Methods of IL.
struct Il<'s>(&'s Session);

/// Each kind of code of a session, native code first.
pub fn codes<'s>(session: &'s Session) -> impl Iterator<Item = Box<dyn CodeFormat + 's>> {
    let native = NativeView::of(session).map(|native| Box::new(native) as Box<dyn CodeFormat + 's>);
    native.into_iter().chain([Box::new(Il(session)) as Box<dyn CodeFormat + 's>])
}

impl CodeFormat for Il<'_> {
    fn words(&self) -> &'static Words {
        &Words::IL
    }

    fn is_ready(&self) -> bool {
        true
    }

    fn count(&self) -> u32 {
        self.0.methods()
    }

    fn unit(&self, index: u32) -> Option<CodeUnit> {
        (index < self.count()).then(|| Token::new(TableId::METHOD_DEF, index + 1).into())
    }

    fn each(&self, _: &[u32], each: &mut Each<'_, CodeUnit>) -> ControlFlow<()> {
        let (mut points, work) = (Vec::new(), self.0.spaces().budget().work());
        for row in 1..=self.0.symbols().map_or(0, SymbolReader::methods) {
            let of = CodeUnit::Method(Token::new(TableId::METHOD_DEF, row));
            if !work.goes_on("points of all methods", || of.token().to_string()) {
                break;
            }
            points.clear();
            let read = each_point(self.0, of, &mut |point| {
                points.push(point);
                ControlFlow::Continue(())
            });
            each(of, &points, read.err())?;
        }
        ControlFlow::Continue(())
    }
}

impl CodeFormat for NativeView<'_> {
    fn words(&self) -> &'static Words {
        &Words::NATIVE
    }

    fn is_ready(&self) -> bool {
        self.is_read()
    }

    fn count(&self) -> u32 {
        self.functions().len() as u32
    }

    fn unit(&self, index: u32) -> Option<CodeUnit> {
        self.functions().get(index as usize).and_then(|function| self.rva_of(function)).map(CodeUnit::Function)
    }

    fn each(&self, documents: &[u32], each: &mut Each<'_, CodeUnit>) -> ControlFlow<()> {
        self.each_function(documents, each)
    }
}

//! Questions that every symbol file answers, whatever its format.

use std::fmt::Debug;
use std::ops::ControlFlow;

use crate::symbols::{
    Compilation, Custom, Document, EmbeddedSource, Format, ImportScope, Mapping, Method, Scope, SourceServers,
    StateMachine, SymbolId, SymbolRecord,
};
use pdblens_formats::bytes::{Cursor, Error, Recording, Result, Span};
use pdblens_formats::fields;
use pdblens_formats::metadata::Token;
use pdblens_formats::sequence_point::SequencePoint;

fields! {
    /// The record of the document, whose layout depends on the format.
    pub(super) CONTENT: "content";
}

/// Documents, methods, points and scopes of a symbol file.
///
/// Rows are counted from 1.
pub trait SymbolReader: Send + Sync + Debug {
    fn format(&self) -> Format;

    /// Id by which an image names this file.
    fn id(&self) -> Option<SymbolId>;

    fn documents(&self) -> u32;

    fn document(&self, row: u32) -> Result<Document>;

    /// Text of a document that is inside the symbol file, not inflated yet.
    fn embedded_source(&self, _document: u32) -> Option<EmbeddedSource<'_>> {
        None
    }

    /// Highest row of a method that the file may know something of.
    fn methods(&self) -> u32 {
        0
    }

    /// Document, local signature and points blob of a method.
    fn method(&self, _method: Token) -> Result<Method> {
        Ok(Method::default())
    }

    /// The mapping that led to the record of a method; none where that has the method's own token.
    fn mapping(&self, _method: Token) -> Option<Mapping> {
        None
    }

    /// Type and name of a method. Most formats leave names to the image.
    fn method_name(&self, _method: Token) -> Option<(String, String)> {
        None
    }

    /// Calls `each` with the sequence points of a method in their order, until it breaks. Allocates nothing.
    fn points(&self, _method: Token, _each: &mut dyn FnMut(SequencePoint) -> ControlFlow<()>) -> Result<()> {
        Ok(())
    }

    /// Scopes of a method, outer ones first, with their variables and constants. `name` names a type of the image.
    fn scopes(&self, _method: Token, _name: &dyn Fn(Token) -> String) -> Result<Vec<Scope>> {
        Ok(Vec::new())
    }

    /// Number of import scopes, which are chained by their parents.
    fn import_scopes(&self) -> u32 {
        0
    }

    /// Import scope of this row.
    fn import_scope(&self, _row: u32) -> Result<ImportScope> {
        Err(Error::invalid("this format has no import scopes", Span::default()))
    }

    /// Row of the import scope around all scopes of a method whose scopes name none. May look at all methods.
    fn imports_of(&self, _method: Token) -> Option<u32> {
        None
    }

    /// The other method of a state machine: the body of an async method or iterator, or the method that a body is of.
    fn state_machine(&self, _known: StateMachine) -> Option<Token> {
        None
    }

    /// Number of custom debug information records.
    fn customs(&self) -> u32 {
        0
    }

    /// Custom debug information record of this row.
    fn custom(&self, _row: u32) -> Result<Custom> {
        Err(Error::invalid("this format has no custom debug information", Span::default()))
    }

    /// Ways from a document's name to its text: Source Link and `srcsrv`.
    fn source_servers(&self) -> SourceServers<'_> {
        SourceServers::default()
    }

    /// Entry point and compiler options.
    fn compilation(&self) -> Compilation {
        Compilation::default()
    }

    /// Decodes a record, all bytes of which `cursor` has, for the fields that the cursor records.
    fn decode(&self, record: SymbolRecord, cursor: &mut Cursor<'_, Recording>) -> Result<()>;
}

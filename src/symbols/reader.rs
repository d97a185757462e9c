//! Questions that every symbol file answers, whatever its format.

use std::fmt::Debug;
use std::ops::ControlFlow;

use crate::bytes::{Cursor, Error, Noted, Result, Span};
use crate::formats::metadata::Token;
use crate::formats::portable::points::Point;
use crate::formats::srcsrv::SrcSrv;
use crate::symbols::{Custom, Document, Format, ImportScope, Method, Scope, SymbolId};

/// A symbol file, read.
pub trait SymbolReader: Send + Sync + Debug {
    /// Which format it has.
    fn format(&self) -> Format;

    /// What an image names it by.
    fn id(&self) -> Option<SymbolId>;

    /// The method that the program starts with.
    fn entry_point(&self) -> Option<Token> {
        None
    }

    /// How many documents it names; they are counted from 1.
    fn documents(&self) -> u32;

    /// One of them.
    fn document(&self, row: u32) -> Result<Document>;

    /// Reads the bytes that [`Document::span`] spans, for what `cursor` notes of them.
    fn note_document(&self, _row: u32, cursor: &mut Cursor<'_, Noted>) -> Result<()> {
        cursor.bytes("content", cursor.left()).map(drop)
    }

    /// How many methods it may know something of: tokens of rows 1 to this.
    fn methods(&self) -> u32;

    /// What it says of a method as a whole.
    fn method(&self, method: Token) -> Result<Method>;

    /// What it calls a method: the type, and the name. Most formats leave names to the image.
    fn method_name(&self, _method: Token) -> Option<(String, String)> {
        None
    }

    /// Calls `each` with the sequence points of a method in their order, until it breaks. Nothing is allocated.
    fn points(&self, method: Token, each: &mut dyn FnMut(Point) -> ControlFlow<()>) -> Result<()>;

    /// The columns of a point, where they stand apart from the rest of it.
    fn columns_of(&self, _method: Token, _point: &Point) -> Option<Span> {
        None
    }

    /// The number of the point, counted from 1, that has a byte of `blob`, the points of a method; and its bytes there.
    fn point_with(&self, method: Token, blob: Span, byte: Span) -> Option<(u32, Span)> {
        let (mut number, mut found) = (0, None);
        // A method whose points cannot be decoded has those that could.
        let _ = self.points(method, &mut |point| {
            number += 1;
            let span = blob.part(point.at.into(), point.len.into());
            found = span.covers(byte).then_some((number, span));
            if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found
    }

    /// Reads the bytes that [`Method::points`] spans, for what `cursor` notes of them.
    fn note_points(&self, method: Token, cursor: &mut Cursor<'_, Noted>) -> Result<()>;

    /// The scopes of a method, outer ones first, with their variables and constants. `name` names a type of the image.
    fn scopes(&self, method: Token, name: &dyn Fn(Token) -> String) -> Result<Vec<Scope>>;

    /// The import scopes; they are counted from 1, and chained by their parents.
    fn import_scopes(&self) -> u32 {
        0
    }

    /// The import scope around all scopes of a method, where those do not say it: finding it may take a look at all methods.
    fn imports_of(&self, _method: Token) -> Option<u32> {
        None
    }

    /// One of them.
    fn import_scope(&self, _row: u32) -> Result<ImportScope> {
        Err(Error::invalid("this format has no import scopes", Span::default()))
    }

    /// The async method or iterator that `move_next` is the body of.
    fn kickoff(&self, _move_next: Token) -> Option<Token> {
        None
    }

    /// The method that holds the body of the async method or iterator `kickoff`.
    fn move_next(&self, _kickoff: Token) -> Option<Token> {
        None
    }

    /// The custom debug information, in its order.
    fn customs(&self) -> u32 {
        0
    }

    /// One record of it, counted from 1.
    fn custom(&self, _row: u32) -> Result<Custom> {
        Err(Error::invalid("this format has no custom debug information", Span::default()))
    }

    /// The Source Link document, as it stands in the file.
    fn source_link(&self) -> Option<Vec<u8>> {
        None
    }

    /// The `srcsrv` stream, which says how a debugger gets at the sources.
    fn srcsrv(&self) -> Option<&SrcSrv> {
        None
    }

    /// The text of a document where the file holds it: as it stands, or inflated.
    fn embedded_source(&self, _document: u32) -> Option<Result<Vec<u8>>> {
        None
    }

    /// Whether the file holds the text of a document.
    fn has_embedded_source(&self, _document: u32) -> bool {
        false
    }

    /// The options that the compiler says it was run with: names and values.
    fn compilation_options(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

//! Mono's `.mdb`.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use crate::symbols::{Document, Format, IdSuffix, Method, Scope, SymbolId, SymbolReader, SymbolRecord, Variable};
use crate::text::guids;
use pdblens_formats::bytes::{Cursor, Error, Recording, Result, Span};
use pdblens_formats::mdb::{Mdb, MdbSection};
use pdblens_formats::metadata::Token;
use pdblens_formats::sequence_point::{HIDDEN_LINE, SequencePoint, Violations};

impl SymbolReader for Mdb {
    fn format(&self) -> Format {
        Format::Mdb
    }

    fn id(&self) -> Option<SymbolId> {
        Some(SymbolId { guid: self.header().file.guid, suffix: IdSuffix::None })
    }

    fn documents(&self) -> u32 {
        self.documents().len() as u32
    }

    fn document(&self, row: u32) -> Result<Document> {
        let found = (row as usize).checked_sub(1).and_then(|index| self.documents().get(index));
        let found =
            found.ok_or_else(|| Error::no_such("document", row, self.documents().len() as u64, self.header().span))?;
        Ok(Document {
            name: self.path(found).into_owned(),
            language: None,
            // Mono's compilers write MD5, or zeros where they wrote none.
            hash_algorithm: (found.hash != [0; 16]).then_some(guids::MD5),
            hash: if found.hash == [0; 16] { Vec::new() } else { found.hash.to_vec() },
            span: found.span,
        })
    }

    fn methods(&self) -> u32 {
        // This is asked for each of them.
        self.last_row()
    }

    fn method(&self, method: Token) -> Result<Method> {
        let Some(index) = self.index(method.0) else { return Ok(Method::default()) };
        let mut documents: Vec<u32> = self.points(method.0)?.iter().map(|point| point.document).collect();
        documents.dedup();
        let lines = self.slice(MdbSection::Lines(index))?.span();
        Ok(Method {
            document: if let [document] = documents[..] { Some(document) } else { None },
            local_signature: None,
            points: Some(lines).filter(|lines| !lines.is_empty()),
            blob: None,
        })
    }

    fn points(&self, method: Token, each: &mut dyn FnMut(SequencePoint) -> ControlFlow<()>) -> Result<()> {
        let Some(index) = self.index(method.0) else { return Ok(()) };
        let points = self.points(method.0)?;
        let lines = self.slice(MdbSection::Lines(index))?.span();
        for point in points {
            let hidden = |number: u32| if point.hidden { 0 } else { number };
            let shared = SequencePoint {
                offset: point.offset,
                document: point.document,
                start_line: if point.hidden { HIDDEN_LINE } else { point.start_line },
                start_column: hidden(point.start_column),
                end_line: if point.hidden { HIDDEN_LINE } else { point.end_line },
                end_column: hidden(point.end_column),
                at: point.span.start.saturating_sub(lines.start) as u32,
                len: point.span.len.min(u8::MAX.into()) as u8,
                violations: Violations::NONE,
            };
            if each(shared).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn scopes(&self, method: Token, _name: &dyn Fn(Token) -> String) -> Result<Vec<Scope>> {
        if self.index(method.0).is_none() {
            return Ok(Vec::new());
        }
        let (blocks, locals) = (self.scopes(method.0)?, self.locals(method.0)?);
        let mut scopes: Vec<Scope> = Vec::with_capacity(blocks.len() + 1);
        // Block 0 of a local is the method itself, whose size only the image has.
        if locals.iter().any(|local| local.block == 0) {
            let span = self.method(method.0).map_or_else(Span::default, |row| row.span);
            scopes.push(Scope { span, length: u32::MAX, is_whole: true, ..Scope::default() });
        }
        let before = scopes.len();
        // Outer blocks first: mcs writes parents that are not those around a block, so that their ranges decide.
        let mut order: Vec<usize> = (0..blocks.len()).collect();
        order.sort_by_key(|index| blocks.get(*index).map(|block| (block.start, Reverse(block.end))));
        let mut places = vec![0; blocks.len()];
        let mut open: Vec<u32> = Vec::new();
        for index in order {
            let Some(block) = blocks.get(index) else { continue };
            while open.last().is_some_and(|end| block.start >= *end) {
                open.pop();
            }
            if let Some(place) = places.get_mut(index) {
                *place = scopes.len();
            }
            let length = block.end.saturating_sub(block.start);
            let depth = (open.len() + before).min(255) as u8;
            scopes.push(Scope { span: block.span, start: block.start, length, depth, ..Scope::default() });
            open.push(block.end);
        }
        for local in locals {
            let place = match (local.block as usize).checked_sub(1) {
                None => Some(0),
                Some(index) => places.get(index).copied(),
            };
            if let Some(scope) = place.and_then(|place| scopes.get_mut(place)) {
                let (slot, span) = (local.index as u16, local.name.span);
                let name = local.name.value;
                scope.variables.push(Variable { record: None, span, slot, is_argument: false, hidden: false, name });
            }
        }
        Ok(scopes)
    }

    fn decode(&self, record: SymbolRecord, cursor: &mut Cursor<'_, Recording>) -> Result<()> {
        match record {
            SymbolRecord::Document(row) => self.decode(MdbSection::Source(row.saturating_sub(1)), cursor),
            SymbolRecord::Points(method) => {
                self.index(method.0).map_or(Ok(()), |index| self.decode(MdbSection::Lines(index), cursor))
            }
        }
    }
}

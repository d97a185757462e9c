//! A decoded symbol file of any format.
//!
//! Of two, only the header is read: MSF 2.00 is from before .NET; an MSFZ file comes here when it cannot be unpacked. Each is named, and
//! its header explained field by field.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::reader::CONTENT;
use crate::symbols::{Document, Format, SymbolId, SymbolReader, SymbolRecord, WindowsSymbols, windows};
use pdblens_formats::bytes::{Cursor, Error, Recording, Region, Result, Spaces, Span};
use pdblens_formats::container::MAX_ENTRY;
use pdblens_formats::managed::WindowsPdb;
use pdblens_formats::mdb::Mdb;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::msf::{msf2::Msf2Header, msfz::rebuild};
use pdblens_formats::pdb::Globals;
use pdblens_formats::portable::PortablePdb;
use pdblens_formats::sequence_point::SequencePoint;

#[derive(Debug)]
pub enum SymbolFormat {
    /// Portable PDB: ECMA-335 metadata.
    Portable(Box<PortablePdb>),
    /// Windows PDB (MSF), of managed or of native code.
    Windows(Box<WindowsSymbols>),
    /// Mono's `.mdb`.
    Mdb(Box<Mdb>),
    /// A format that is recognised, and of which only the header is decoded.
    HeaderOnly(HeaderOnly),
}

impl SymbolFormat {
    pub fn reader(&self) -> &dyn SymbolReader {
        match self {
            Self::Portable(pdb) => &**pdb,
            Self::Windows(pdb) => &**pdb,
            Self::Mdb(mdb) => &**mdb,
            Self::HeaderOnly(file) => file,
        }
    }

    /// Hands over the bytes of all files, complete now, for what is decoded on demand.
    pub(crate) fn attach(&mut self, spaces: &Arc<Spaces>) {
        if let Self::Windows(pdb) = self {
            pdb.attach(spaces);
        }
    }

    pub const fn portable(&self) -> Option<&PortablePdb> {
        if let Self::Portable(pdb) = self { Some(pdb) } else { None }
    }

    const fn windows_symbols(&self) -> Option<&WindowsSymbols> {
        if let Self::Windows(pdb) = self { Some(pdb) } else { None }
    }

    /// Container, names and modules of a Windows PDB, managed or native.
    pub fn windows(&self) -> Option<&WindowsPdb> {
        self.windows_symbols().map(WindowsSymbols::windows)
    }

    pub fn native(&self) -> Option<&WindowsSymbols> {
        self.windows_symbols().filter(|pdb| pdb.is_native())
    }

    /// Public and global symbols of a Windows PDB; hashed when first asked for.
    pub fn globals(&self) -> Option<&Globals> {
        self.windows_symbols().map(WindowsSymbols::globals)
    }

    pub const fn mdb(&self) -> Option<&Mdb> {
        if let Self::Mdb(mdb) = self { Some(mdb) } else { None }
    }

    /// Bytes that a checksum of the whole file counts as zeros: those of the id. Empty for formats without a checksum.
    pub fn id_spans(&self) -> Vec<Span> {
        match self {
            Self::Portable(pdb) => pdb.stream.iter().map(|_| pdb.stream_span.part(0, 20)).collect(),
            Self::Windows(pdb) => windows::id_spans(pdb.windows()),
            Self::Mdb(_) | Self::HeaderOnly(_) => Vec::new(),
        }
    }

    pub fn problems(&self) -> Vec<Error> {
        match self {
            Self::Portable(pdb) => pdb.metadata.problems().chain(&pdb.problems).cloned().collect(),
            Self::Windows(pdb) => windows::problems(pdb.windows()),
            Self::Mdb(mdb) => mdb.problems().to_vec(),
            Self::HeaderOnly(file) => file.error.iter().cloned().collect(),
        }
    }

    pub fn columns_of(&self, method: Token, point: &SequencePoint) -> Option<Span> {
        self.windows_symbols()?.columns_of(method, point)
    }

    /// Number of the point that has `byte`, counted from 1, and its bytes there; `blob` are the points of the method.
    pub fn point_with(&self, method: Token, blob: Span, byte: Span) -> Option<(u32, Span)> {
        if let Self::Windows(pdb) = self {
            return pdb.point_with(method, byte);
        }
        let (mut number, mut found) = (0_u32, None);
        // A method whose points cannot be decoded has those that could.
        let _ = self.reader().points(method, &mut |point| {
            number = number.saturating_add(1);
            let span = blob.part(point.at.into(), point.len.into());
            found = span.covers(byte).then_some((number, span));
            if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        found
    }
}

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

/// A symbol file of which only the header is read.
#[derive(Debug)]
pub struct HeaderOnly {
    format: Format,
    file: Span,
    error: Option<Error>,
}

impl HeaderOnly {
    pub fn parse(format: Format, region: &Region) -> Self {
        let mut cursor = region.cursor();
        let read = match format {
            Format::SmallMsf => Msf2Header::read(&mut cursor).map(drop),
            _ => rebuild(region.slice(), MAX_ENTRY).map(drop),
        };
        Self { format, file: region.span(), error: read.err() }
    }
}

impl SymbolReader for HeaderOnly {
    fn format(&self) -> Format {
        self.format
    }

    fn id(&self) -> Option<SymbolId> {
        None
    }

    fn documents(&self) -> u32 {
        0
    }

    fn document(&self, _row: u32) -> Result<Document> {
        Err(Error::invalid("only the header of this format is decoded", self.file))
    }

    fn decode(&self, _record: SymbolRecord, cursor: &mut Cursor<'_, Recording>) -> Result<()> {
        cursor.bytes(&CONTENT, cursor.left()).map(drop)
    }
}

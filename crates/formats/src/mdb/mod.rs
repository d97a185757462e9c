//! Mono's `.mdb` (version 50.0), which `mcs -debug` writes beside an assembly as `Name.exe.mdb`.
//!
//! A header and a table of offsets; a data section with everything of variable length; then tables of fixed rows that
//! refer to it: methods (by token), sources, compile units; last the anonymous scopes. Numbers in the data section are
//! [groups of seven bits](Cursor::seven_bit), strings are a length and UTF-8, offsets are relative to the start of the
//! file. A method's lines are a line program similar to DWARF's, followed by a list of columns and one of ends if the
//! method's flags have them.
//!
//! The reference is Mono's `Mono.CompilerServices.SymbolWriter` (and `debug-mono-symfile.c` of the runtime). A file
//! belongs to the assembly whose module version id (MVID) is its GUID.

mod anonymous;
mod header;
mod lines;
mod method;
mod read;
mod section;
mod shared;
mod source;
#[cfg(test)]
mod tests;
mod unit;

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::bytes::{Cursor, Error, ErrorKind, Region, Result, Slice, Span};

pub use anonymous::{AnonymousScope, CapturedScope, CapturedVariable};
pub use header::{Header, MAGIC, TableLocation};
pub use lines::{LineRules, Point};
pub use method::{Block, Local, MdbMethod, MethodData};
pub use section::MdbSection;
pub use source::{MdbDocument, MdbEntry};
pub use unit::{CompileUnit, Namespace};

/// Rows of methods up to which any file is believed, beside those in proportion to its methods.
const MAX_ROW: u64 = 1 << 16;

/// A Mono symbol file.
#[derive(Debug)]
pub struct Mdb {
    region: Region,
    header: Header,
    documents: Vec<MdbDocument>,
    units: Vec<MdbEntry>,
    methods: Vec<MdbMethod>,
    /// Indices of `methods` in the order of their tokens.
    by_token: Vec<u32>,
    /// Highest row of a method, among those that a file of this size is believed to have.
    last_row: u32,
    /// Number of methods whose data is read.
    read_methods: usize,
    anonymous_scopes: OnceLock<(Vec<AnonymousScope>, Option<Error>)>,
    problems: Vec<Error>,
}

impl Mdb {
    /// Reads the header and the tables. Only a file without the magic number, or too short for its header, is refused.
    pub fn parse(region: Region) -> Result<Self> {
        let header = Header::decode(&mut region.cursor())?;
        let mut mdb = Self {
            header,
            documents: Vec::new(),
            units: Vec::new(),
            methods: Vec::new(),
            by_token: Vec::new(),
            last_row: 0,
            read_methods: 0,
            anonymous_scopes: OnceLock::new(),
            problems: Vec::new(),
            region,
        };
        mdb.check_header();
        let sources = mdb.rows(mdb.header.sources(), MdbEntry::SIZE, "source", MdbEntry::decode);
        mdb.documents = sources.into_iter().map(|entry| mdb.document(entry)).collect();
        mdb.units = mdb.rows(mdb.header.units(), MdbEntry::SIZE, "compile unit", MdbEntry::decode);
        mdb.methods = mdb.rows(mdb.header.methods(), MdbMethod::SIZE, "method", MdbMethod::decode);
        mdb.by_token = (0..mdb.methods.len() as u32).collect();
        let methods = &mdb.methods;
        mdb.by_token.sort_by_key(|index| methods.get(*index as usize).map(|method| method.token));
        // One row with a large token would make a small file cost what a large one does.
        let highest = mdb.methods.len() as u64 * 64 + MAX_ROW;
        let tokens = mdb.methods.iter().map(|method| method.token).filter(|token| token >> 24 == 6);
        let rows = tokens.map(|token| token & 0x00ff_ffff);
        mdb.last_row = rows.filter(|row| u64::from(*row) <= highest).max().unwrap_or(0);
        mdb.find_read_methods();
        Ok(mdb)
    }

    fn check_header(&mut self) {
        let Header { file, offsets, span } = self.header;
        if (file.major_version, file.minor_version) != (50, 0) {
            let expected = "50, and 0 as minor version: read as 50.0";
            self.problems.push(Error::unexpected("major version", file.major_version, expected, span));
        }
        let (value, expected) = (offsets.total_file_size.into(), self.region.len());
        if value != expected {
            self.problems
                .push(Error::new(ErrorKind::Differs { what: "file size in the header", value, expected }, span));
        }
    }

    /// The rows of `table`, as many of them as are there.
    fn rows<T>(
        &mut self,
        table: TableLocation,
        size: u64,
        what: &'static str,
        decode: fn(&mut Cursor<'_>) -> Result<T>,
    ) -> Vec<T> {
        let whole = self.region.clip(table.offset as u64, table.count as u64 * size);
        let there = whole.len().checked_div(size).unwrap_or_default();
        if there < table.count as u64 {
            let kind = ErrorKind::NoSuch { what, index: table.count as u64, count: there };
            self.problems.push(Error::new(kind, whole.span()));
        }
        let mut cursor = whole.cursor();
        (0..there).map_while(|_| decode(&mut cursor).ok()).collect()
    }

    /// The document that `entry` leads to, or an empty one in its place, so that the rest keep their numbers.
    fn document(&mut self, entry: MdbEntry) -> MdbDocument {
        let read = self.at(entry.data_offset).and_then(|mut cursor| MdbDocument::decode(&mut cursor));
        read.unwrap_or_else(|error| {
            self.problems.push(error);
            let nothing = entry.span.part(0, 0);
            MdbDocument { path: nothing, hash_span: nothing, span: entry.span, ..MdbDocument::default() }
        })
    }

    fn at(&self, offset: u32) -> Result<Cursor<'_>> {
        if offset as u64 > self.region.len() {
            return Err(Error::no_such("byte", offset, self.region.len(), self.region.span()));
        }
        Ok(Cursor::new(self.region.slice().rest(offset as u64)))
    }

    /// Size of the file in bytes.
    pub const fn len(&self) -> u64 {
        self.region.len()
    }

    /// Returns whether it has none.
    pub const fn is_empty(&self) -> bool {
        self.region.is_empty()
    }

    /// The bytes of the file from `start` up to `end`, as far as there are any.
    pub fn bytes(&self, start: u64, end: u64) -> Slice<'_> {
        let rest = self.region.slice().rest(start);
        rest.part(0, end.saturating_sub(start).min(rest.len())).unwrap_or_default()
    }

    /// The header with the table of offsets.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// Problems found in the header, the tables and the documents.
    pub fn problems(&self) -> &[Error] {
        &self.problems
    }

    /// The source files; [`Point::document`] counts them from 1.
    pub fn documents(&self) -> &[MdbDocument] {
        &self.documents
    }

    /// The path of a document.
    pub fn path(&self, document: &MdbDocument) -> Cow<'_, str> {
        self.text(document.path)
    }

    /// The characters at `span` of this file.
    pub fn text(&self, span: Span) -> Cow<'_, str> {
        self.region.slice().at(span).map_or(Cow::Borrowed(""), |slice| String::from_utf8_lossy(slice.data))
    }

    /// The rows of the table of compile units; [`MethodData::unit`] counts them from 1.
    pub fn units(&self) -> &[MdbEntry] {
        &self.units
    }

    /// The compile unit with `number`, counted from 1.
    pub fn unit(&self, number: u32) -> Result<CompileUnit> {
        let entry = (number as usize).checked_sub(1).and_then(|index| self.units.get(index));
        let entry =
            entry.ok_or_else(|| Error::no_such("compile unit", number, self.units.len() as u64, self.header.span))?;
        CompileUnit::decode(&mut self.at(entry.data_offset)?)
    }

    /// The rows of the table of methods, in the order of the file.
    pub fn methods(&self) -> &[MdbMethod] {
        &self.methods
    }

    /// Highest row of a method; rows out of all proportion to the number of methods do not count.
    pub const fn last_row(&self) -> u32 {
        self.last_row
    }

    /// The method with `token`.
    pub fn method(&self, token: u32) -> Option<&MdbMethod> {
        self.methods.get(self.index(token)? as usize)
    }

    /// Returns the row in the method table of the method with `token`, from 0.
    pub fn index(&self, token: u32) -> Option<u32> {
        let row = |index: &u32| self.methods.get(*index as usize);
        let first = self.by_token.partition_point(|index| row(index).is_some_and(|method| method.token < token));
        self.by_token.get(first).copied().filter(|index| row(index).is_some_and(|method| method.token == token))
    }

    fn expect(&self, token: u32) -> Result<&MdbMethod> {
        self.method(token).ok_or_else(|| Error::no_such("method", token, self.methods.len() as u64, self.header.span))
    }

    /// Reads the method data: compile unit, flags, and the offsets of the lists.
    pub fn data(&self, method: &MdbMethod) -> Result<MethodData> {
        MethodData::decode(&mut self.at(method.data_offset)?)
    }

    /// The sequence points of the method with `token`.
    pub fn points(&self, token: u32) -> Result<Vec<Point>> {
        self.points_of(self.expect(token)?)
    }

    /// The sequence points of a method.
    pub fn points_of(&self, method: &MdbMethod) -> Result<Vec<Point>> {
        if method.line_table_offset == 0 {
            return Ok(Vec::new());
        }
        self.check_read(method)?;
        let flags = self.data(method)?.flags;
        lines::decode(&mut self.at(method.line_table_offset)?, self.header.rules(), flags)
    }

    /// The scopes ("code blocks") of the method with `token`; [`Local::block`] and [`Block::parent`] count them from 1.
    pub fn scopes(&self, token: u32) -> Result<Vec<Block>> {
        self.list(self.expect(token)?, |data| data.blocks, method::blocks)
    }

    /// The named local variables of the method with `token`.
    pub fn locals(&self, token: u32) -> Result<Vec<Local>> {
        self.list(self.expect(token)?, |data| data.locals, method::locals)
    }

    /// One of the lists of a method; there is none where its offset is 0.
    fn list<T: Default>(
        &self,
        method: &MdbMethod,
        which: fn(&MethodData) -> u32,
        decode: fn(&mut Cursor<'_>) -> Result<T>,
    ) -> Result<T> {
        match which(&self.data(method)?) {
            0 => Ok(T::default()),
            offset => {
                self.check_read(method)?;
                decode(&mut self.at(offset)?)
            }
        }
    }

    /// Reads the anonymous scopes; and the error in the rest of them, if there is one.
    pub fn anonymous_scopes(&self) -> &(Vec<AnonymousScope>, Option<Error>) {
        self.anonymous_scopes.get_or_init(|| {
            let (table, mut found) = (self.header.anonymous_scopes(), Vec::new());
            let read = self.at(table.offset).and_then(|mut cursor| {
                (0..table.count).try_for_each(|_| AnonymousScope::decode(&mut cursor).map(|scope| found.push(scope)))
            });
            (found, read.err())
        })
    }
}

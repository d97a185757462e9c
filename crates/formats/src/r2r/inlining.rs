//! Inlining: for each method that was inlined, the methods whose machine code has it. A debugger that stops in an inlined method has
//! to stop in those.
//!
//! There are three forms. The oldest is a sorted index with lists of rows in nibbles. In the others a hashtable leads to streams of
//! native format integers; the last has methods of other modules too.

use super::hashtable::{HashEntry, Hashtable};
use super::{ReadyToRun, section};
use crate::bytes::{Cursor, Error, Recorder, Result, Slice, fields};
use crate::pe::Pe;

/// Size of the field before the oldest index.
const SIZE_FIELD: u64 = 4;
/// Size of an entry of the oldest index.
const INDEX_ENTRY: u64 = 8;

/// Flag of a version bubble with several modules, whose methods are named with their modules.
const MULTI_MODULE: u32 = 0x40;

fields! {
    /// The size of the index in bytes; the lists of inliners follow it.
    INDEX_SIZE: "size of index" as Hex;
    /// The MethodDef row of the inlined method; the entries are sorted by it.
    INLINEE_ROW: "inlined method" as Row("MethodDef");
    /// The distance of the list of inliners from the end of the index.
    INLINERS_AT: "distance of inliners" as Hex;
    /// The methods whose code has the inlined one.
    INLINERS: "inliners";
    /// The number of inliners.
    COUNT: "count of inliners";
    /// The MethodDef row of an inliner, minus the one before.
    ROW_DELTA: "row delta";
    /// The MethodDef row of an inliner, minus the one before, times 2; bit 0 tells that its module follows.
    ROW_DELTA_AND_FLAG: "row delta and flag" as Hex;
    /// An inlined method, and the methods whose code has it.
    INLINING: "inlining";
    /// The number of integers that follow.
    STREAM_SIZE: "count of numbers";
    /// The MethodDef row of the inlined method, times 2; bit 0 tells that its module follows.
    INLINEE: "inlined method and flag" as Hex;
    /// The MethodDef row of the inlined method, or the number of its cell among the IL bodies of other modules, times 4. Bit 0: it is such
    /// a cell; bit 1: inliners of other modules follow.
    CROSS_INLINEE: "inlined method and flags" as Hex;
    /// The module of the method, by its number: 0 for this one.
    MODULE: "module";
    /// The number of inliners of other modules.
    FOREIGN_COUNT: "count of foreign inliners";
    /// The number of the inliner's cell among the IL bodies, minus the one before.
    CELL_DELTA: "cell delta";
    /// The method that the numbers add up to.
    STATE_ROW: "row of MethodDef";
}

/// A method of an inlining table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InlinedMethod {
    /// Module, 0 for the image itself, and row of MethodDef.
    Row(u32, u32),
    /// A method of another module, by the number of its cell in the import section of IL bodies.
    IlBody(u32),
}

/// An inlined method, and its inliners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inlining {
    /// The inlined method.
    pub inlinee: InlinedMethod,
    /// The methods whose code has it.
    pub inliners: Vec<InlinedMethod>,
}

/// An inlining table.
#[derive(Clone, Copy, Debug)]
pub struct InliningTable<'i> {
    /// Bytes of the section.
    pub bytes: Slice<'i>,
    kind: u32,
    is_multi_module: bool,
    /// `None` in the oldest form.
    hashtable: Option<Hashtable<'i>>,
}

/// An entry of an inlining table.
#[derive(Clone, Copy, Debug)]
pub enum InliningEntry {
    /// One of the oldest form, by its number.
    Indexed(u64),
    /// One of a hashtable.
    Hashed(HashEntry),
}

impl ReadyToRun {
    /// The inlining table of a section.
    pub fn inlining<'i>(&self, image: &'i Pe, kind: u32) -> Option<Result<InliningTable<'i>>> {
        let is_multi_module = self.core.flags & MULTI_MODULE != 0;
        let read = |bytes| {
            let hashtable = if kind == section::INLINING { None } else { Some(Hashtable::read(bytes)?) };
            Ok(InliningTable { bytes, kind, is_multi_module, hashtable })
        };
        Some(self.bytes(image, kind)?.and_then(read))
    }
}

impl InliningTable<'_> {
    /// Inlined methods, up to the first error.
    pub fn entries(&self) -> Vec<InliningEntry> {
        if let Some(table) = &self.hashtable {
            return table.entries().into_iter().map(InliningEntry::Hashed).collect();
        }
        let size = self.bytes.cursor().u32(&INDEX_SIZE).unwrap_or(0);
        let most = self.bytes.len().min(size.into()) / INDEX_ENTRY;
        (0..most).map(InliningEntry::Indexed).collect()
    }

    /// An inlined method.
    pub fn get(&self, entry: InliningEntry) -> Result<Inlining> {
        self.decode(&mut self.bytes.cursor(), entry)
    }

    /// Reads an entry with the look-up that leads to it; the cursor is one of the section.
    pub fn decode<N: Recorder>(&self, c: &mut Cursor<'_, N>, entry: InliningEntry) -> Result<Inlining> {
        let entry = match entry {
            InliningEntry::Indexed(number) => return old(c, number),
            InliningEntry::Hashed(entry) => entry,
        };
        if let Some(table) = &self.hashtable {
            table.note(c, entry)?;
        }
        c.group(&INLINING, |c| {
            let stream = Stream { left: c.native_unsigned(&STREAM_SIZE)?, row: 0 };
            if self.kind == section::INLINING_2 { stream.inlining(c) } else { stream.cross(c, self.is_multi_module) }
        })
    }
}

/// Reads an entry of the oldest form.
fn old<N: Recorder>(c: &mut Cursor<'_, N>, number: u64) -> Result<Inlining> {
    c.seek(0)?;
    let index_end = u64::from(c.u32(&INDEX_SIZE)?) + SIZE_FIELD;
    c.seek(number * INDEX_ENTRY + SIZE_FIELD)?;
    let (row, distance) = (c.u32(&INLINEE_ROW)?, c.u32(&INLINERS_AT)?);
    c.seek(index_end + u64::from(distance))?;
    let inliners = c.group(&INLINERS, |c| {
        c.nibbles(|n| {
            let (count, mut row, mut all) = (n.unsigned(&COUNT)?, 0_u32, Vec::new());
            for _ in 0..count {
                let delta = n.unsigned(&ROW_DELTA)?;
                n.changed(&STATE_ROW, i64::from(row), row.wrapping_add(delta));
                row = row.wrapping_add(delta);
                all.push(InlinedMethod::Row(0, row));
            }
            Ok(all)
        })
    })?;
    Ok(Inlining { inlinee: InlinedMethod::Row(0, row), inliners })
}

/// Numbers of a stream that are left, and the row that the last of them added up to.
struct Stream {
    left: u32,
    row: u32,
}

impl Stream {
    fn next<N: Recorder>(&mut self, c: &mut Cursor<'_, N>, doc: &'static crate::bytes::FieldDoc) -> Result<u32> {
        let Some(left) = self.left.checked_sub(1) else {
            return Err(Error::invalid(
                "the entry ends before its count of inliners is reached",
                c.rest().span().part(0, 1),
            ));
        };
        self.left = left;
        c.native_unsigned(doc)
    }

    /// Module of a method, which follows its row where there is one.
    fn module<N: Recorder>(&mut self, c: &mut Cursor<'_, N>, has_module: bool) -> Result<u32> {
        if has_module { self.next(c, &MODULE) } else { Ok(0) }
    }

    /// Reads inliners to the end of the stream.
    fn inliners<N: Recorder>(&mut self, c: &mut Cursor<'_, N>, has_flag: bool) -> Result<Vec<InlinedMethod>> {
        let mut all = Vec::new();
        while self.left > 0 {
            let number = self.next(c, if has_flag { &ROW_DELTA_AND_FLAG } else { &ROW_DELTA })?;
            let delta = if has_flag { number >> 1 } else { number };
            c.changed(&STATE_ROW, i64::from(self.row), self.row.wrapping_add(delta));
            self.row = self.row.wrapping_add(delta);
            let module = self.module(c, has_flag && number & 1 != 0)?;
            all.push(InlinedMethod::Row(module, self.row));
        }
        Ok(all)
    }

    fn inlining<N: Recorder>(mut self, c: &mut Cursor<'_, N>) -> Result<Inlining> {
        let number = self.next(c, &INLINEE)?;
        let module = self.module(c, number & 1 != 0)?;
        Ok(Inlining { inlinee: InlinedMethod::Row(module, number >> 1), inliners: self.inliners(c, true)? })
    }

    fn cross<N: Recorder>(mut self, c: &mut Cursor<'_, N>, is_multi_module: bool) -> Result<Inlining> {
        let number = self.next(c, &CROSS_INLINEE)?;
        let is_foreign = number & 1 != 0;
        let module = self.module(c, !is_foreign && is_multi_module)?;
        let inlinee =
            if is_foreign { InlinedMethod::IlBody(number >> 2) } else { InlinedMethod::Row(module, number >> 2) };
        let mut inliners = Vec::new();
        if number & 2 != 0 {
            let mut cell = 0_u32;
            for _ in 0..self.next(c, &FOREIGN_COUNT)? {
                cell = cell.wrapping_add(self.next(c, &CELL_DELTA)?);
                inliners.push(InlinedMethod::IlBody(cell));
            }
        }
        inliners.extend(self.inliners(c, is_multi_module)?);
        Ok(Inlining { inlinee, inliners })
    }
}

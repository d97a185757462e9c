//! Sequence points, local variables and scopes of all methods, numbered through as rows of one table.

use super::{Block, Local, Mdb, MdbMethod, Point, lines, method};
use crate::bytes::{Cursor, Error, ErrorKind, Result};
use std::sync::{Mutex, PoisonError};

/// Kinds of rows that methods have.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    Points,
    Locals,
    Blocks,
}

/// Bytes of the methods' data that are read, as a multiple of those of the file: more than 1 only if methods share data.
const MAX_SHARED: u64 = 4;

/// Cumulative counts of rows, up to and including each method whose data is read.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    points: Vec<u32>,
    locals: Vec<u32>,
    blocks: Vec<u32>,
}

/// Members of the method that was decoded last: the rows of a list come one after the other, and each method is decoded as a whole.
#[derive(Debug)]
pub(super) struct Last<T>(Mutex<Option<(u32, Vec<T>)>>);

impl<T> Default for Last<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> Last<T> {
    /// Member `at` of the method with index `method`, whose members `read` decodes.
    fn get(&self, method: u32, at: u32, read: impl FnOnce() -> Result<Vec<T>>) -> Option<T> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let members = match last.take() {
            Some((of, members)) if of == method => members,
            _ => read().unwrap_or_default(),
        };
        last.insert((method, members)).1.get(at as usize).cloned()
    }
}

impl Mdb {
    /// Point of a row among those of all methods, with its method and its index there.
    pub fn point_row(&self, row: u32) -> Option<(&MdbMethod, u32, Point)> {
        let (method, at, of) = self.row(Members::Points, row)?;
        Some((of, at, self.last_points.get(method, at, || self.points_of(of))?))
    }

    /// Local variable of a row among those of all methods, with its method.
    pub fn local_row(&self, row: u32) -> Option<(&MdbMethod, Local)> {
        let (method, at, of) = self.row(Members::Locals, row)?;
        Some((of, self.last_locals.get(method, at, || self.locals_of(of))?))
    }

    /// Scope of a row among those of all methods, with its method.
    pub fn block_row(&self, row: u32) -> Option<(&MdbMethod, Block)> {
        let (method, at, of) = self.row(Members::Blocks, row)?;
        Some((of, self.last_blocks.get(method, at, || self.blocks_of(of))?))
    }

    fn row(&self, members: Members, row: u32) -> Option<(u32, u32, &MdbMethod)> {
        let (method, at) = self.member(members, row)?;
        Some((method, at, self.methods.get(method as usize)?))
    }

    /// Number of methods whose data is read: all of them, unless methods share more data than the file allows.
    pub const fn read_methods(&self) -> usize {
        self.ends.points.len()
    }

    /// Total number of rows.
    pub fn count(&self, members: Members) -> u32 {
        self.ends_of(members).last().copied().unwrap_or(0)
    }

    /// Returns the method's index and the index within the method of the row; all count from 0.
    pub fn member(&self, members: Members, row: u32) -> Option<(u32, u32)> {
        let ends = self.ends_of(members);
        let index = ends.partition_point(|end| *end <= row);
        ends.get(index)?;
        let before = index.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
        Some((index as u32, row.saturating_sub(before)))
    }

    fn ends_of(&self, members: Members) -> &[u32] {
        match members {
            Members::Points => &self.ends.points,
            Members::Locals => &self.ends.locals,
            Members::Blocks => &self.ends.blocks,
        }
    }

    /// Counts the rows of the methods, until their data together is longer than the file allows; the rest of the methods is a problem.
    pub(super) fn find_ends(&mut self) {
        let (mut ends, mut left) = (Ends::default(), self.region.len().saturating_mul(MAX_SHARED));
        let mut sums = [0_u32; 3];
        for (index, method) in self.methods.iter().enumerate() {
            let (rows, bytes) = self.measure(method);
            let Some(rest) = left.checked_sub(bytes) else {
                self.problems.push(self.left_out(index, method));
                break;
            };
            left = rest;
            for ((sum, list), rows) in
                sums.iter_mut().zip([&mut ends.points, &mut ends.locals, &mut ends.blocks]).zip(rows)
            {
                *sum = sum.saturating_add(rows);
                list.push(*sum);
            }
        }
        self.ends = ends;
    }

    /// Number of points, local variables and scopes of a method, and the bytes that all its lists take.
    fn measure(&self, method: &MdbMethod) -> ([u32; 3], u64) {
        let Ok(data) = self.data(method) else { return ([0; 3], 0) };
        let rules = self.header.rules();
        let mut bytes = 0_u64;
        let mut rows = |offset: u32, decode: &dyn Fn(&mut Cursor<'_>) -> Result<usize>| {
            let Ok(mut cursor) = self.at(offset) else { return 0 };
            if offset == 0 {
                return 0;
            }
            let rows = decode(&mut cursor).unwrap_or(0);
            bytes = bytes.saturating_add(cursor.consumed());
            rows as u32
        };
        let points = rows(method.line_table_offset, &|c| lines::decode(c, rules, data.flags).map(|list| list.len()));
        let locals = rows(data.locals, &|c| method::locals(c).map(|list| list.len()));
        let blocks = rows(data.blocks, &|c| method::blocks(c).map(|list| list.len()));
        rows(data.scope_variables, &|c| method::scope_variables(c).map(|list| list.len()));
        rows(data.real_name, &|c| method::real_name(c).map(|_| 1));
        ([points, locals, blocks], bytes)
    }

    fn left_out(&self, read: usize, method: &MdbMethod) -> Error {
        let count = self.methods.len().saturating_sub(read) as u64;
        Error::new(ErrorKind::LeftOut { what: "methods that share data", count, max: read as u64 }, method.span)
    }

    /// Fails for a method that is left out.
    pub(super) fn check_read(&self, method: &MdbMethod) -> Result<()> {
        let read = self.read_methods();
        match self.methods.get(read) {
            Some(first) if method.span.start >= first.span.start => Err(self.left_out(read, first)),
            _ => Ok(()),
        }
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

    /// The named local variables of a method.
    pub fn locals_of(&self, method: &MdbMethod) -> Result<Vec<Local>> {
        self.list(method, |data| data.locals, method::locals)
    }

    /// The scopes of a method.
    pub fn blocks_of(&self, method: &MdbMethod) -> Result<Vec<Block>> {
        self.list(method, |data| data.blocks, method::blocks)
    }
}

//! Sequence points, local variables and scopes of all methods, numbered through as rows of one table.

use super::{Block, Local, Mdb, Method, Point, lines, method};
use crate::bytes::Result;

/// Kinds of rows that methods have.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    Points,
    Locals,
    Blocks,
}

/// Cumulative counts of rows, up to and including each method.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    points: Vec<u32>,
    locals: Vec<u32>,
    blocks: Vec<u32>,
}

impl Mdb {
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
        Some((index as u32, row - before))
    }

    fn ends_of(&self, members: Members) -> &[u32] {
        let ends = self.ends.get_or_init(|| self.find_ends());
        match members {
            Members::Points => &ends.points,
            Members::Locals => &ends.locals,
            Members::Blocks => &ends.blocks,
        }
    }

    /// Counts the rows, limited by the size of the file: each takes at least one byte, unless methods share them.
    fn find_ends(&self) -> Ends {
        let (mut ends, mut left) = (Ends::default(), self.region.len().saturating_mul(2));
        let (mut points, mut locals, mut blocks) = (0_u32, 0_u32, 0_u32);
        for method in &self.methods {
            let here = [
                self.points_of(method).map_or(0, |found| found.len()),
                self.locals_of(method).map_or(0, |found| found.len()),
                self.blocks_of(method).map_or(0, |found| found.len()),
            ];
            let Some(rest) = left.checked_sub(here.iter().sum::<usize>() as u64 + 1) else { break };
            left = rest;
            for ((sum, list), here) in [&mut points, &mut locals, &mut blocks]
                .into_iter()
                .zip([&mut ends.points, &mut ends.locals, &mut ends.blocks])
                .zip(here)
            {
                *sum = sum.saturating_add(here as u32);
                list.push(*sum);
            }
        }
        ends
    }

    /// The sequence points of a method.
    pub fn points_of(&self, method: &Method) -> Result<Vec<Point>> {
        if method.line_table_offset == 0 {
            return Ok(Vec::new());
        }
        let flags = self.data(method)?.flags;
        lines::decode(&mut self.at(method.line_table_offset)?, self.header.rules(), flags)
    }

    /// The named local variables of a method.
    pub fn locals_of(&self, method: &Method) -> Result<Vec<Local>> {
        self.list(method, |data| data.locals, method::locals)
    }

    /// The scopes of a method.
    pub fn blocks_of(&self, method: &Method) -> Result<Vec<Block>> {
        self.list(method, |data| data.blocks, method::blocks)
    }
}

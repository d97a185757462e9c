//! Methods that share their data: a small file must not cost what a large one does.

use super::{Mdb, MdbMethod, lines, method};
use crate::bytes::{Cursor, Error, ErrorKind, Result};

/// Bytes of the methods' data that are read, as a multiple of those of the file: more than 1 only if methods share data.
const MAX_SHARED: u64 = 4;

impl Mdb {
    /// Number of methods whose data is read: all of them, unless methods share more data than the file allows.
    pub const fn read_methods(&self) -> usize {
        self.read_methods
    }

    /// Adds up the data of the methods, until it is longer than the file allows; the rest of the methods is a problem.
    pub(super) fn find_read_methods(&mut self) {
        let mut left = self.region.len() * MAX_SHARED;
        let fits = |method: &&MdbMethod| {
            let rest = left.checked_sub(self.measure(method));
            left = rest.unwrap_or(left);
            rest.is_some()
        };
        self.read_methods = self.methods.iter().take_while(fits).count();
        if let Some(first) = self.methods.get(self.read_methods) {
            self.problems.push(self.left_out(first));
        }
    }

    /// Bytes that all lists of a method take.
    fn measure(&self, method: &MdbMethod) -> u64 {
        let Ok(data) = self.data(method) else { return 0 };
        let rules = self.header.rules();
        let bytes = |offset: u32, decode: &dyn Fn(&mut Cursor<'_>) -> Result<()>| match self.at(offset) {
            Ok(mut cursor) if offset > 0 => {
                // A list that cannot be read to its end takes the bytes up to there.
                let _ = decode(&mut cursor);
                cursor.consumed()
            }
            _ => 0,
        };
        let lists = [
            bytes(method.line_table_offset, &|c| lines::decode(c, rules, data.flags).map(drop)),
            bytes(data.locals, &|c| method::locals(c).map(drop)),
            bytes(data.blocks, &|c| method::blocks(c).map(drop)),
            bytes(data.scope_variables, &|c| method::scope_variables(c)),
            bytes(data.real_name, &|c| method::real_name(c)),
        ];
        lists.into_iter().sum()
    }

    fn left_out(&self, first: &MdbMethod) -> Error {
        let count = self.methods.len().saturating_sub(self.read_methods) as u64;
        let max = self.read_methods as u64;
        Error::new(ErrorKind::LeftOut { what: "methods that share data", count, max }, first.span)
    }

    /// Fails for a method that is left out.
    pub(super) fn check_read(&self, method: &MdbMethod) -> Result<()> {
        match self.methods.get(self.read_methods) {
            Some(first) if method.span.start >= first.span.start => Err(self.left_out(first)),
            _ => Ok(()),
        }
    }
}

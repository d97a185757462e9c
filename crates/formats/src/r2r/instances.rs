//! Instance entry points: code of generic methods, and of methods of generic types, by their type arguments.

use super::EntryPoint;
use super::hashtable::{HashEntry, Hashtable};
use super::signature::{MethodReference, method};
use super::{ReadyToRun, section};
use crate::bytes::{Cursor, Recorder, Result};
use crate::pe::Pe;

/// An instantiated method with code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The method and its type arguments.
    pub method: MethodReference,
    /// Where its code begins.
    pub entry: EntryPoint,
}

impl Instance {
    /// Reads the datum of a hashtable's entry; the cursor is one of the whole section.
    pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Self> {
        Ok(Self { method: method(c)?, entry: EntryPoint::decode(c)? })
    }
}

impl ReadyToRun {
    /// The hashtable of instances.
    pub fn instance_table<'i>(&self, image: &'i Pe) -> Option<Result<Hashtable<'i>>> {
        Some(self.bytes(image, section::INSTANCES)?.and_then(Hashtable::read))
    }

    /// The instance of an entry.
    pub fn instance(table: &Hashtable<'_>, entry: HashEntry) -> Result<Instance> {
        let mut cursor = table.bytes().cursor();
        cursor.seek(entry.datum)?;
        Instance::decode(&mut cursor)
    }
}

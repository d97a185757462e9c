//! Instance entry points: code of generic methods, and of methods of generic types, by their type arguments.

use super::EntryPoint;
use super::hashtable::{HashEntry, Hashtable};
use super::signature::{MethodReference, method};
use super::{ReadyToRun, section};
use crate::bytes::{Cursor, Recorder, Result, fields};
use crate::pe::Pe;

/// An instantiated method with code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The method and its type arguments.
    pub method: MethodReference,
    /// Entry point of its code.
    pub entry: EntryPoint,
}

impl Instance {
    /// Reads the datum of a hashtable's entry; the cursor is one of the whole section.
    pub fn decode<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<Self> {
        Ok(Self { method: method(c)?, entry: EntryPoint::decode(c)? })
    }
}

fields! {
    /// The row of TypeDef times 2, or of ExportedType times 2 plus 1.
    AVAILABLE_TYPE: "available type" as Hex;
}

/// Reads the datum of an entry of the available types: the row, and whether it is one of ExportedType.
pub fn available_type<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<(u32, bool)> {
    let number = c.native_unsigned(&AVAILABLE_TYPE)?;
    Ok((number >> 1, number & 1 != 0))
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

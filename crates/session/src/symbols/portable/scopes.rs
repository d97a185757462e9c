//! Local scopes, their variables and constants.

use super::HeapBudget;
use crate::symbols::{Constant, RecordRef, Scope, Variable};
use crate::text::constant::{constant_text, constant_type};
use crate::text::safe::utf8;
use pdblens_formats::bytes::Result;
use pdblens_formats::metadata::{Metadata, Table, TableId, Token};
use pdblens_formats::portable::constant::Constant as ConstantBlob;

/// Limit on the values that are allocated before any is read.
const MAX_RESERVED: usize = 256;

/// Tables of scopes and of what they own, for reading many rows.
pub(super) struct ScopeTables<'m> {
    metadata: &'m Metadata,
    pub(super) scopes: Table<'m>,
    pub(super) variables: Table<'m>,
    pub(super) constants: Table<'m>,
}

impl<'m> ScopeTables<'m> {
    pub(super) fn of(metadata: &'m Metadata) -> Self {
        let table = |id| metadata.table(id);
        let (scopes, variables) = (table(TableId::LOCAL_SCOPE), table(TableId::LOCAL_VARIABLE));
        Self { metadata, scopes, variables, constants: table(TableId::LOCAL_CONSTANT) }
    }

    pub(super) fn scope(&self, row: u32, name: &dyn Fn(Token) -> String, room: &mut HeapBudget) -> Result<Scope> {
        let table = &self.scopes;
        let [_, import_scope, _, _, start, length] = table.cells(row)?;
        let variables = self.metadata.list(TableId::LOCAL_SCOPE, row, 2, TableId::LOCAL_VARIABLE);
        let constants = self.metadata.list(TableId::LOCAL_SCOPE, row, 3, TableId::LOCAL_CONSTANT);
        Ok(Scope {
            record: Some(RecordRef::Row(TableId::LOCAL_SCOPE, row)),
            span: table.row_span(row)?,
            start,
            length,
            end_inclusive: false,
            depth: 0,
            imports: Some(import_scope).filter(|row| *row > 0),
            variables: collected(variables, |row| self.variable(row, room))?,
            constants: collected(constants, |row| self.constant(row, name, room))?,
            is_whole: false,
        })
    }

    fn variable(&self, row: u32, room: &mut HeapBudget) -> Result<Variable> {
        let table = &self.variables;
        let [attributes, slot, name] = table.cells(row)?;
        let name = self.metadata.string_at(name, TableId::LOCAL_VARIABLE, row, 2)?;
        Ok(Variable {
            record: Some(RecordRef::Row(TableId::LOCAL_VARIABLE, row)),
            span: table.row_span(row)?,
            slot: slot as u16,
            is_argument: false,
            hidden: attributes & 1 != 0,
            name: utf8(room.take(name)?.data).into_owned(),
        })
    }

    fn constant(&self, row: u32, name: &dyn Fn(Token) -> String, room: &mut HeapBudget) -> Result<Constant> {
        let table = &self.constants;
        let signature = room.take(self.metadata.blob_cell(TableId::LOCAL_CONSTANT, row, 1)?)?;
        let decoded = ConstantBlob::decode(&mut signature.cursor());
        Ok(Constant {
            record: Some(RecordRef::Row(TableId::LOCAL_CONSTANT, row)),
            span: table.row_span(row)?,
            name: utf8(room.take(self.metadata.string_cell(TableId::LOCAL_CONSTANT, row, 0)?)?.data).into_owned(),
            type_signature: None,
            signature: signature.data.to_vec(),
            type_name: decoded.as_ref().map(|found| constant_type(&found.value, name)).unwrap_or_default(),
            value: decoded.map_or_else(|error| format!("({error})"), |found| constant_text(&found.value, name)),
        })
    }
}

/// Values of rows, up to the first error. The rows are those that a table has: no more are allocated.
pub(super) fn collected<T>(rows: std::ops::Range<u32>, mut read: impl FnMut(u32) -> Result<T>) -> Result<Vec<T>> {
    let mut values = Vec::with_capacity(rows.len().min(MAX_RESERVED));
    for row in rows {
        values.push(read(row)?);
    }
    Ok(values)
}

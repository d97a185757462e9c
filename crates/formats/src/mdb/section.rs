use super::{AnonymousScope, CompileUnit, Header, Mdb, MdbDocument, MdbEntry, MdbMethod, MethodData, lines, method};
use crate::bytes::{Cursor, Recorder, Result, Slice};

/// A part of the file that is decoded on its own. Numbers count from 0.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MdbSection {
    Header,
    Source(u32),
    Unit(u32),
    Locals(u32),
    /// Scopes of a method.
    Blocks(u32),
    /// Local variables of a method that hold captured variables.
    ScopeVariables(u32),
    /// Name in the source.
    RealName(u32),
    /// Line program of a method, with columns and ends.
    Lines(u32),
    MethodData(u32),
    MethodRow(u32),
    SourceRow(u32),
    UnitRow(u32),
    AnonymousScopes,
}

impl Mdb {
    /// Parts of this file, table by table.
    pub fn parts(&self) -> impl Iterator<Item = MdbSection> + '_ {
        let sources = 0..self.documents.len() as u32;
        let units = 0..self.units.len() as u32;
        let methods = 0..self.methods.len() as u32;
        let scopes = (self.header.anonymous_scopes().count > 0).then_some(MdbSection::AnonymousScopes);
        std::iter::once(MdbSection::Header)
            .chain(sources.flat_map(|n| [MdbSection::Source(n), MdbSection::SourceRow(n)]))
            .chain(units.flat_map(|n| [MdbSection::Unit(n), MdbSection::UnitRow(n)]))
            .chain(methods.flat_map(|n| self.parts_of(n)))
            .chain(scopes)
    }

    /// The parts of the method with `index` in the table of methods.
    pub fn parts_of(&self, index: u32) -> Vec<MdbSection> {
        let Some(method) = self.methods.get(index as usize) else { return Vec::new() };
        let mut parts = vec![MdbSection::MethodRow(index), MdbSection::MethodData(index)];
        if let Ok(data) = self.data(method) {
            let lists = [
                (data.locals, MdbSection::Locals(index)),
                (data.blocks, MdbSection::Blocks(index)),
                (data.scope_variables, MdbSection::ScopeVariables(index)),
                (data.real_name, MdbSection::RealName(index)),
                (method.line_table_offset, MdbSection::Lines(index)),
            ];
            parts.extend(lists.into_iter().filter(|(offset, _)| *offset > 0).map(|(_, part)| part));
        }
        parts
    }

    /// Bytes of a part, as far as it can be decoded; empty if the file does not have it.
    pub fn slice(&self, part: MdbSection) -> Result<Slice<'_>> {
        let Some(offset) = self.offset(part)? else { return Ok(Slice::default()) };
        let slice = self.region.slice().rest(offset as u64);
        let mut cursor = slice.cursor();
        // Errors are left to the caller that decodes the part.
        let _ = self.decode(part, &mut cursor);
        slice.part(0, cursor.consumed())
    }

    /// Returns the file offset of a section, if the file has it.
    pub fn offset(&self, part: MdbSection) -> Result<Option<u32>> {
        let documents = self.header.sources().offset;
        let row = |table: u32, n: u32, size: u64| u32::try_from(u64::from(n) * size + u64::from(table)).ok();
        let method = |n: u32| self.methods.get(n as usize);
        let data = |n: u32| method(n).map(|method| self.data(method)).transpose();
        Ok(match part {
            MdbSection::Header => Some(0),
            MdbSection::SourceRow(n) => row(documents, n, MdbEntry::SIZE),
            MdbSection::UnitRow(n) => row(self.header.units().offset, n, MdbEntry::SIZE),
            MdbSection::MethodRow(n) => row(self.header.methods().offset, n, MdbMethod::SIZE),
            MdbSection::Source(n) => self.documents.get(n as usize).map(|document| document.span.start as u32),
            MdbSection::Unit(n) => self.units.get(n as usize).map(|unit| unit.data_offset),
            MdbSection::MethodData(n) => method(n).map(|method| method.data_offset),
            MdbSection::Lines(n) => method(n).map(|method| method.line_table_offset),
            MdbSection::Locals(n) => data(n)?.map(|data| data.locals),
            MdbSection::Blocks(n) => data(n)?.map(|data| data.blocks),
            MdbSection::ScopeVariables(n) => data(n)?.map(|data| data.scope_variables),
            MdbSection::RealName(n) => data(n)?.map(|data| data.real_name),
            MdbSection::AnonymousScopes => Some(self.header.anonymous_scopes().offset),
        })
    }

    /// Decodes a part at the cursor.
    pub fn decode<N: Recorder>(&self, part: MdbSection, cursor: &mut Cursor<'_, N>) -> Result<()> {
        match part {
            MdbSection::Header => Header::decode(cursor).map(drop),
            MdbSection::SourceRow(_) | MdbSection::UnitRow(_) => MdbEntry::decode(cursor).map(drop),
            MdbSection::MethodRow(_) => MdbMethod::decode(cursor).map(drop),
            MdbSection::Source(_) => MdbDocument::decode(cursor).map(drop),
            MdbSection::Unit(_) => CompileUnit::decode(cursor).map(drop),
            MdbSection::MethodData(_) => MethodData::decode(cursor).map(drop),
            MdbSection::Locals(_) => method::locals(cursor).map(drop),
            MdbSection::Blocks(_) => method::blocks(cursor).map(drop),
            MdbSection::ScopeVariables(_) => method::scope_variables(cursor),
            MdbSection::RealName(_) => method::real_name(cursor),
            MdbSection::Lines(n) => {
                let flags = self.methods.get(n as usize).map(|method| self.data(method)).transpose()?;
                lines::decode(cursor, self.header.rules(), flags.map_or(0, |data| data.flags)).map(drop)
            }
            MdbSection::AnonymousScopes => {
                (0..self.header.anonymous_scopes().count).try_for_each(|_| AnonymousScope::decode(cursor).map(drop))
            }
        }
    }
}

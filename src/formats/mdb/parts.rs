use super::{AnonymousScope, CompileUnit, Document, Entry, Header, Mdb, Method, MethodData, lines, method};
use crate::bytes::{Cursor, Recorder, Result, Slice};

/// A piece of a symbol file that is explained as one. Numbers count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The header and the table of offsets.
    Header,
    /// What is known of a source file.
    Source(u32),
    /// What is known of a compile unit.
    Unit(u32),
    /// The local variables of a method.
    Locals(u32),
    /// Its scopes.
    Blocks(u32),
    /// Its locals that hold captured variables.
    ScopeVariables(u32),
    /// Its name in the source.
    RealName(u32),
    /// Its line program with columns and ends.
    Lines(u32),
    /// Where its lists are.
    MethodData(u32),
    /// Its row.
    MethodRow(u32),
    /// A row of the table of sources.
    SourceRow(u32),
    /// A row of the table of compile units.
    UnitRow(u32),
    /// All anonymous scopes.
    AnonymousScopes,
}

impl Mdb {
    /// Every part that this file has, table by table.
    pub fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        let sources = 0..self.documents.len() as u32;
        let units = 0..self.units.len() as u32;
        let methods = 0..self.methods.len() as u32;
        let scopes = (self.header.anonymous_scopes.count > 0).then_some(Part::AnonymousScopes);
        std::iter::once(Part::Header)
            .chain(sources.flat_map(|n| [Part::Source(n), Part::SourceRow(n)]))
            .chain(units.flat_map(|n| [Part::Unit(n), Part::UnitRow(n)]))
            .chain(methods.flat_map(|n| self.parts_of(n)))
            .chain(scopes)
    }

    /// The parts of the method with `index` in the table of methods.
    pub fn parts_of(&self, index: u32) -> Vec<Part> {
        let Some(method) = self.methods.get(index as usize) else { return Vec::new() };
        let mut parts = vec![Part::MethodRow(index), Part::MethodData(index)];
        if let Ok(data) = self.data(method) {
            let lists = [
                (data.locals, Part::Locals(index)),
                (data.blocks, Part::Blocks(index)),
                (data.scope_variables, Part::ScopeVariables(index)),
                (data.real_name, Part::RealName(index)),
                (method.lines, Part::Lines(index)),
            ];
            parts.extend(lists.into_iter().filter(|(offset, _)| *offset > 0).map(|(_, part)| part));
        }
        parts
    }

    /// The bytes of a part, as far as it can be read; none where the file has no such part.
    pub fn slice(&self, part: Part) -> Result<Slice<'_>> {
        let Some(offset) = self.offset(part)? else { return Ok(Slice::default()) };
        let slice = self.region.slice().rest(offset as u64);
        let mut cursor = slice.cursor();
        // What is wrong with it is for whoever decodes it to say.
        let _ = self.decode(part, &mut cursor);
        slice.part(0, cursor.consumed())
    }

    /// Where a part begins, if the file has it.
    pub fn offset(&self, part: Part) -> Result<Option<u32>> {
        let documents = self.header.sources.offset;
        let row = |table: u32, n: u32, size: u64| Some((table as u64 + n as u64 * size) as u32);
        let method = |n: u32| self.methods.get(n as usize);
        let data = |n: u32| method(n).map(|method| self.data(method)).transpose();
        Ok(match part {
            Part::Header => Some(0),
            Part::SourceRow(n) => row(documents, n, Entry::SIZE),
            Part::UnitRow(n) => row(self.header.units.offset, n, Entry::SIZE),
            Part::MethodRow(n) => row(self.header.methods.offset, n, Method::SIZE),
            Part::Source(n) => self.documents.get(n as usize).map(|document| document.span.start as u32),
            Part::Unit(n) => self.units.get(n as usize).map(|unit| unit.offset),
            Part::MethodData(n) => method(n).map(|method| method.data),
            Part::Lines(n) => method(n).map(|method| method.lines),
            Part::Locals(n) => data(n)?.map(|data| data.locals),
            Part::Blocks(n) => data(n)?.map(|data| data.blocks),
            Part::ScopeVariables(n) => data(n)?.map(|data| data.scope_variables),
            Part::RealName(n) => data(n)?.map(|data| data.real_name),
            Part::AnonymousScopes => Some(self.header.anonymous_scopes.offset),
        })
    }

    /// Reads a part; `cursor` is at its first byte.
    pub fn decode<N: Recorder>(&self, part: Part, cursor: &mut Cursor<'_, N>) -> Result<()> {
        match part {
            Part::Header => Header::decode(cursor).map(drop),
            Part::SourceRow(_) | Part::UnitRow(_) => Entry::decode(cursor).map(drop),
            Part::MethodRow(_) => Method::decode(cursor).map(drop),
            Part::Source(_) => Document::decode(cursor).map(drop),
            Part::Unit(_) => CompileUnit::decode(cursor).map(drop),
            Part::MethodData(_) => MethodData::decode(cursor).map(drop),
            Part::Locals(_) => method::locals(cursor).map(drop),
            Part::Blocks(_) => method::blocks(cursor).map(drop),
            Part::ScopeVariables(_) => method::scope_variables(cursor).map(drop),
            Part::RealName(_) => method::real_name(cursor).map(drop),
            Part::Lines(n) => {
                let flags = self.methods.get(n as usize).map(|method| self.data(method)).transpose()?;
                lines::decode(cursor, self.header.rules, flags.map_or(0, |data| data.flags)).map(drop)
            }
            Part::AnonymousScopes => {
                (0..self.header.anonymous_scopes.count).try_for_each(|_| AnonymousScope::decode(cursor).map(drop))
            }
        }
    }
}

//! The stream of a module: symbols, lines, checksums and inlinees, with the module's record in the DBI stream.

use std::sync::Arc;

use super::Pdb;
use super::dbi::Module;
use super::names::Names;
use crate::bytes::{Error, Region, Result, Slice, Spaces};
use crate::codeview::c13::{CHECKSUMS, Checksum, Checksums, LINES, Line, LineBlock, Subsections, blocks};
use crate::codeview::symbols::{Record, Records};

/// A module with the bytes of its stream.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct ModuleStream {
    /// Its number, from 0.
    pub number: u32,
    pub module: Module,
    pub region: Region,
}

/// A source file of a module.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Offset in the file checksums, by which lines refer to it.
    pub offset: u32,
    pub path: String,
    pub checksum: Checksum,
}

impl ModuleStream {
    /// Reads the stream of the module with this number.
    pub fn read(pdb: &Pdb, spaces: &Spaces, number: u32) -> Result<Self> {
        let (module, region) = pdb.module(spaces, number)?;
        Ok(Self { number, module, region })
    }

    /// Reads the stream without keeping its bytes in memory, for a pass over all modules.
    pub fn read_once(pdb: &Pdb, spaces: &Spaces, number: u32) -> Result<Option<Self>> {
        let Some(module) = pdb.modules().get(number as usize).copied() else { return Ok(None) };
        let Some(stream) = module.stream().and_then(|stream| pdb.msf.stream(stream)) else { return Ok(None) };
        let bytes = spaces.read(spaces.whole(stream.space))?.into_owned();
        Ok(Some(Self { number, module, region: Region::whole(stream.space, Arc::new(bytes)) }))
    }

    /// Symbols, including the signature.
    pub fn symbols(&self) -> Region {
        self.module.symbols(&self.region)
    }

    /// C13 debug subsections.
    pub fn c13(&self) -> Region {
        self.module.c13(&self.region)
    }

    /// The symbol record that begins at `offset` of the stream.
    pub fn symbol(&self, offset: u32) -> Result<Record<'_>> {
        let span = self.region.span().part(offset as u64, 0);
        let symbols = self.region.slice().part(0, self.module.symbols_size.min(self.region.len() as u32) as u64)?;
        let none = || Error::invalid("no symbol record at this offset", span);
        Records::new(symbols, offset as u64).next().unwrap_or_else(|| Err(none()))
    }

    /// Source files, addressed by the offsets in lines.
    pub fn checksums(&self) -> Checksums<'_> {
        Checksums(self.subsection(CHECKSUMS).unwrap_or_default())
    }

    /// C13 debug subsections; none if the stream is too short for them.
    fn subsections(&self) -> Subsections<'_> {
        Subsections::new(self.region.slice().at(self.c13().span()).unwrap_or_default())
    }

    /// The content of the first subsection of this kind.
    pub fn subsection(&self, kind: u32) -> Option<Slice<'_>> {
        let mut found = self.subsections().map_while(Result::ok);
        found.find(|subsection| subsection.kind == kind).map(|found| found.content)
    }

    /// The blocks of lines of the subsection whose content begins at `at` of the stream; an error is the last.
    pub fn blocks_of(&self, at: u32) -> Result<impl Iterator<Item = Result<LineBlock<'_>>>> {
        let c13 = self.c13().span();
        // The content follows kind and length.
        let from = (at as u64)
            .checked_sub(c13.start + 8)
            .ok_or_else(|| Error::invalid("no line table at this offset", c13))?;
        let rest = self.region.slice().at(c13)?.rest(from);
        let none = || Error::invalid("no line table at this offset", rest.span());
        blocks(Subsections::new(rest).next().unwrap_or_else(|| Err(none()))?.content)
    }

    /// Calls `line` for every line, subsection by subsection, and returns the problems.
    pub fn each_line(&self, mut line: impl FnMut(Line)) -> Vec<Error> {
        let mut problems = Vec::new();
        for subsection in self.subsections() {
            let read = subsection.and_then(|subsection| match subsection.kind {
                LINES => blocks(subsection.content)?.try_for_each(|block| {
                    block?.each(&mut line);
                    Ok(())
                }),
                _ => Ok(()),
            });
            problems.extend(read.err());
        }
        problems
    }

    /// Lines, subsection by subsection, and the problems.
    pub fn lines(&self) -> (Vec<Line>, Vec<Error>) {
        let mut lines = Vec::new();
        let problems = self.each_line(|line| lines.push(line));
        (lines, problems)
    }

    /// The source files of the module's lines, with their checksums; an error is the last.
    pub fn source_files(&self, names: &Names) -> impl Iterator<Item = Result<SourceFile>> {
        self.checksums().iter().map(|entry| entry.map(|(offset, checksum)| source_file(names, offset, checksum)))
    }

    /// The source file that a line refers to.
    pub fn source_file(&self, names: &Names, offset: u32) -> Result<SourceFile> {
        self.checksums().get(offset).map(|checksum| source_file(names, offset, checksum))
    }

    /// Returns true if the module has subsections of this kind.
    pub fn has(&self, kind: u32) -> bool {
        self.subsection(kind).is_some()
    }
}

fn source_file(names: &Names, offset: u32, checksum: Checksum) -> SourceFile {
    SourceFile { offset, path: names.get(checksum.name).unwrap_or_default().lossy(), checksum }
}

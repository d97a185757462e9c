//! The lines and source files of one module.

use super::ModuleStream;
use super::names::Names;
use crate::bytes::{Error, Result};
use crate::codeview::c13::{Checksum, LINES, Line, LineBlock, Subsections, blocks};

/// A source file of a module.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Offset in the file checksums, by which lines refer to it.
    pub offset: u32,
    pub path: String,
    /// Its checksum.
    pub checksum: Checksum,
}

impl ModuleStream {
    /// The blocks of lines of the subsection whose content begins at `at` of the stream; an error is the last.
    pub fn blocks_of(&self, at: u32) -> Result<impl Iterator<Item = Result<LineBlock<'_>>>> {
        let c13 = self.c13().span();
        // The content follows kind and length.
        let from = (at as u64)
            .checked_sub(c13.start.saturating_add(8))
            .ok_or_else(|| Error::invalid("no line table at this offset", c13))?;
        let rest = self.slice_at(c13)?.rest(from);
        let none = || Error::invalid("no line table at this offset", rest.span());
        blocks(Subsections::new(rest).next().unwrap_or_else(|| Err(none()))?.content)
    }

    /// Calls `line` for every line, subsection by subsection, and returns the problems.
    pub fn each_line(&self, mut line: impl FnMut(Line)) -> Vec<Error> {
        let mut problems = Vec::new();
        let c13 = self.slice_at(self.c13().span()).unwrap_or_default();
        for subsection in Subsections::new(c13) {
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
    let path = names.get(checksum.name).map_or(String::new(), |name| String::from_utf8_lossy(name.data).into_owned());
    SourceFile { offset, path, checksum }
}

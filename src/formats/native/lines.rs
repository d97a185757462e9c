//! The lines of a native module.
//!
//! The subsections are those of managed PDBs, only that here an address is an address. `pdb` leaves out hidden lines and
//! ends of lines; both are kept here.

use super::{ModuleBytes, index};
use crate::bytes::{Error, Result, Span};
use crate::formats::windows::c13::{Checksum, HIDDEN_LINE, LINES, LinesHeader, Point, Points, Subsections};
use crate::formats::windows::names::Names;

/// A line: the code from its offset to that of the next one belongs to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The section of the code.
    pub section: u16,
    /// Where the code begins there.
    pub offset: u32,
    /// The source file, by the offset of its entry among the module's checksums.
    pub file: u32,
    /// The first line; [`HIDDEN_LINE`] if it is hidden.
    pub start_line: u32,
    /// The last line.
    pub end_line: u32,
    /// The column of the first character, from 1; 0 if there are no columns.
    pub start_column: u32,
    /// The column behind the last character; 0 if there are no columns, or none was written.
    pub end_column: u32,
    /// Where its line record stands in the stream of the module.
    pub span: Span,
}

/// A source file of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// What lines refer to it by.
    pub offset: u32,
    /// Its path.
    pub path: String,
    /// Its checksum.
    pub checksum: Checksum,
}

impl Line {
    /// Whether no source belongs to it.
    pub const fn is_hidden(&self) -> bool {
        self.start_line == HIDDEN_LINE || self.start_line == 0x00f0_0f00
    }
}

impl ModuleBytes {
    /// The lines of the subsection whose content begins at `at` of the stream; an error is the last.
    pub fn lines_of(&self, at: u32) -> Result<impl Iterator<Item = Result<Line>>> {
        let c13 = self.c13().span();
        // The content is behind kind and length.
        let from = (at as u64).checked_sub(c13.start + 8).ok_or(Error::invalid("no lines begin here", c13))?;
        let rest = self.slice_at(c13)?.rest(from);
        let none = Error::invalid("no lines begin here", rest.span());
        let content = Subsections::new(rest).next().unwrap_or(Err(none))?.content;
        let header = LinesHeader::decode(&mut content.cursor())?;
        let (section, stream) = (header.section, self.region.span());
        // Offsets count from 0, and files are left as they are.
        let points = Points::new(content, 0, |file| file)?;
        Ok(points.map(move |point| point.map(|point| line(point, section, stream))))
    }

    /// All lines, subsection by subsection; an error is the last of its subsection.
    pub fn lines(&self) -> impl Iterator<Item = Result<Line>> {
        let c13 = self.slice_at(self.c13().span()).unwrap_or_default();
        let starts = Subsections::new(c13).map_while(Result::ok).filter(|found| found.kind == LINES);
        let lines = starts.map(|found| self.lines_of(found.content.start as u32));
        lines.flat_map(|lines| {
            let (lines, error) = match lines {
                Ok(lines) => (Some(lines), None),
                Err(error) => (None, Some(Err(error))),
            };
            lines.into_iter().flatten().chain(error)
        })
    }

    /// The line that the code at `offset` belongs to, of the subsection at `at`.
    pub fn line_at(&self, at: u32, offset: u32) -> Result<Option<Line>> {
        let mut found: Option<Line> = None;
        for line in self.lines_of(at)? {
            let line = line?;
            let later = found.is_none_or(|found| line.offset >= found.offset);
            if line.offset <= offset && later {
                found = Some(line);
            }
        }
        Ok(found)
    }

    /// The source files of the module's lines, with their checksums; an error is the last.
    pub fn source_files(&self, names: &Names) -> impl Iterator<Item = Result<SourceFile>> {
        self.checksums().iter().map(|entry| entry.map(|(offset, checksum)| source_file(names, offset, checksum)))
    }

    /// The source file that a line refers to.
    pub fn source_file(&self, names: &Names, offset: u32) -> Result<SourceFile> {
        self.checksums().get(offset).map(|checksum| source_file(names, offset, checksum))
    }

    /// Whether the module has subsections of this kind.
    pub fn has(&self, kind: u32) -> bool {
        index::subsection(self, kind).is_some()
    }
}

fn source_file(names: &Names, offset: u32, checksum: Checksum) -> SourceFile {
    let path = names.get(checksum.name).map_or(String::new(), |name| String::from_utf8_lossy(name.data).into_owned());
    SourceFile { offset, path, checksum }
}

fn line(point: Point, section: u16, stream: Span) -> Line {
    Line {
        section,
        offset: point.il,
        file: point.document,
        start_line: point.start_line,
        end_line: point.end_line,
        start_column: point.start_column,
        end_column: point.end_column,
        span: point.span(stream),
    }
}

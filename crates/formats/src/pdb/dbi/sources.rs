use crate::bytes::{Cursor, Error, Recorder, Region, Result, Slice, fields, or_problem};
use crate::pdb::text::{self, Strings};

fields! {
    /// The source info (file info) substream: the source files of each module.
    SOURCE_INFO: "source info";
    /// The number of modules with a list of source files.
    MODULE_COUNT: "module count";
    /// The number of source files, truncated to 16 bits; use the sum of the modules' own counts.
    TOTAL_FILE_COUNT: "file count";
    /// The index of the first source file of each module, truncated to 16 bits; readers add up the counts instead.
    FIRST_FILES: "first files";
    /// The index of the module's first source file in the list of name offsets, truncated to 16 bits.
    FIRST_FILE: "first file of module";
    /// The number of source files of each module.
    FILE_COUNTS: "file counts";
    /// The number of source files of the module.
    FILE_COUNT: "file count of module";
    /// The name offsets: one for each source file of each module.
    NAME_OFFSETS: "source name offsets";
    /// The offset of the name of the module's next source file in the names.
    NAME_OFFSET: "name offset";
    /// The names of the source files, each once.
    pub NAMES: "source names";
    /// The name of a source file as it was passed to the compiler.
    pub NAME: "name";
}

/// The source files of each module: ranges of one list of offsets into one buffer of names.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default)]
pub struct SourceInfo {
    pub region: Region,
    /// Number of modules with a list of source files.
    pub module_count: u16,
    /// Index in `offsets` of each module's first file, and the end.
    starts: Vec<u32>,
    /// Offsets in `names` of the files' names.
    offsets: Region,
    names: Region,
}

#[derive(Default)]
struct Parts {
    modules: u16,
    starts: Vec<u32>,
    offsets: (u64, u64),
}

impl SourceInfo {
    pub(super) fn parse(region: Region, problems: &mut Vec<Error>) -> Self {
        if region.is_empty() {
            return Self { region, ..Self::default() };
        }
        let read = Self::parts(&mut region.cursor());
        let Some(parts) = or_problem(read, problems) else { return Self { region, ..Self::default() } };
        let (at, len) = parts.offsets;
        let (offsets, names) = (region.clip(at, len), region.clip(at + len, u64::MAX));
        Self { region, module_count: parts.modules, starts: parts.starts, offsets, names }
    }

    /// Reads all of it for its fields.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
        Self::parts(cursor).map(drop)
    }

    fn parts<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Parts> {
        cursor.group(&SOURCE_INFO, |c| {
            let mut parts = Parts { modules: c.u16(&MODULE_COUNT)?, ..Parts::default() };
            // The field is truncated to 16 bits; the count is the sum of the modules' counts.
            c.u16(&TOTAL_FILE_COUNT)?;
            c.group(&FIRST_FILES, |c| (0..parts.modules).try_for_each(|_| c.u16(&FIRST_FILE).map(drop)))?;
            let mut files = 0_u32;
            c.group(&FILE_COUNTS, |c| {
                for _ in 0..parts.modules {
                    parts.starts.push(files);
                    files = files.saturating_add(c.u16(&FILE_COUNT)? as u32);
                }
                Ok(())
            })?;
            parts.starts.push(files);
            let (at, len) = (c.consumed(), u64::from(files) * 4);
            c.require(len, c.position())?;
            parts.offsets = (at, len);
            c.described(len, |c| {
                c.group(&NAME_OFFSETS, |c| (0..files).try_for_each(|_| c.u32(&NAME_OFFSET).map(drop)))
            })?;
            c.group(&NAMES, |c| text::all(c, c.left(), &NAME))?;
            Ok(parts)
        })
    }

    /// The names of the source files of the module with this number.
    pub fn files_of(&self, module: u16) -> impl Iterator<Item = Slice<'_>> {
        let range = |index: usize| self.starts.get(index).copied();
        let (first, end) = range(module.into()).zip(range(usize::from(module) + 1)).unwrap_or_default();
        let len = u64::from(end.saturating_sub(first)) * 4;
        let offsets = self.offsets.slice().part(u64::from(first) * 4, len).unwrap_or_default();
        let (mut cursor, names) = (offsets.cursor(), self.names.slice());
        std::iter::from_fn(move || cursor.u32(&NAME_OFFSET).ok())
            .filter_map(move |offset| text::at(names, offset as u64))
    }

    /// Names of all source files without duplicates, in the order of their first use.
    pub fn files(&self) -> Vec<Slice<'_>> {
        let mut seen = std::collections::HashSet::new();
        let mut cursor = self.offsets.cursor();
        let mut names = Strings::new(self.names.slice());
        std::iter::from_fn(|| cursor.u32(&NAME_OFFSET).ok())
            .filter(|offset| seen.insert(*offset))
            .filter_map(|offset| names.take(offset))
            .collect()
    }
}

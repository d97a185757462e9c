use crate::bytes::{Cursor, Error, ErrorKind, Notes, Region, Result, Slice};
use crate::formats::pdb::text::{self, Strings};

/// The source files of each module: ranges of one list of offsets into one buffer of names.
#[derive(Clone, Debug, Default)]
pub struct SourceInfo {
    /// All of it.
    pub region: Region,
    /// How many modules it has ranges for.
    pub module_count: u16,
    /// The first of a module's offsets in `offsets`, and one more for the end.
    starts: Vec<u32>,
    /// Where in `names` the names of the files begin.
    offsets: Region,
    names: Region,
}

/// The sizes of the parts.
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
        match Self::parts(&mut region.cursor()) {
            Ok(parts) => {
                let (at, len) = parts.offsets;
                let (offsets, names) = (region.clip(at, len), region.clip(at + len, u64::MAX));
                Self { region, module_count: parts.modules, starts: parts.starts, offsets, names }
            }
            Err(error) => {
                problems.push(error);
                Self { region, ..Self::default() }
            }
        }
    }

    /// Reads all of it for its fields.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<()> {
        Self::parts(cursor).map(drop)
    }

    fn parts<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Parts> {
        cursor.group("source info", |c| {
            let mut parts = Parts { modules: c.u16("module count")?, ..Parts::default() };
            // 16 bits are too few for it: the true count is the sum of the modules'.
            c.u16("file count")?;
            c.group("first files", |c| (0..parts.modules).try_for_each(|_| c.u16("first file of module").map(drop)))?;
            let mut files = 0_u32;
            c.group("file counts", |c| {
                for _ in 0..parts.modules {
                    parts.starts.push(files);
                    files += c.u16("file count of module")? as u32;
                }
                Ok(())
            })?;
            parts.starts.push(files);
            let (at, len) = (c.consumed(), files as u64 * 4);
            if len > c.left() {
                return Err(c.error_since(c.position(), ErrorKind::UnexpectedEnd { wanted: len, left: c.left() }));
            }
            parts.offsets = (at, len);
            if N::TAKEN {
                c.group("source name offsets", |c| (0..files).try_for_each(|_| c.u32("name offset").map(drop)))?;
            } else {
                c.skip(len)?;
            }
            c.group("source names", |c| text::all(c, c.left(), "name"))?;
            Ok(parts)
        })
    }

    /// The names of the source files of the module with this number.
    pub fn files_of(&self, module: u16) -> impl Iterator<Item = Slice<'_>> {
        let range = |index: usize| self.starts.get(index).copied();
        let (first, end) = range(module as usize).zip(range(module as usize + 1)).unwrap_or_default();
        let offsets = self.offsets.slice().part(first as u64 * 4, (end - first) as u64 * 4).unwrap_or_default();
        let (mut cursor, names) = (offsets.cursor(), self.names.slice());
        std::iter::from_fn(move || cursor.u32("name offset").ok())
            .filter_map(move |offset| text::at(names, offset as u64))
    }

    /// The names of all source files, each once, in the order in which modules first have them.
    pub fn files(&self) -> Vec<Slice<'_>> {
        let mut seen = std::collections::HashSet::new();
        let mut cursor = self.offsets.cursor();
        let mut names = Strings::new(self.names.slice());
        std::iter::from_fn(|| cursor.u32("name offset").ok())
            .filter(|offset| seen.insert(*offset))
            .filter_map(|offset| names.take(offset))
            .collect()
    }
}

use crate::bytes::{Cursor, Error, ErrorKind, Notes, Region, Result, Span};

/// Which bytes of the image come from which module. In a managed PDB: which stretch of the numbered IL is which type's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contribution {
    /// The section of the image.
    pub section: u16,
    /// The first byte in it.
    pub offset: u32,
    /// How many bytes.
    pub size: u32,
    /// The module.
    pub module: u16,
}

impl Contribution {
    /// Reads the 28 bytes of one.
    pub fn decode<N: Notes>(c: &mut Cursor<'_, N>) -> Result<Self> {
        let section = c.u16("section")?;
        c.u16("padding")?;
        let (offset, size) = (c.u32("offset")?, c.u32("size")?);
        c.u32("characteristics")?;
        let module = c.u16("module")?;
        c.u16("padding")?;
        c.u32("data crc")?;
        c.u32("relocation crc")?;
        Ok(Self { section, offset, size, module })
    }
}

/// The section contributions.
#[derive(Clone, Debug, Default)]
pub struct Contributions {
    /// All of them, with the version before them.
    pub region: Region,
    /// How many bytes each takes; 0 if that is not known.
    record_size: u64,
}

/// The versions of section contributions: a number that no other table begins with, and the date.
const VERSION_60: u32 = 0xf12e_ba2d;
const VERSION_2: u32 = 0xf131_51e4;

impl Contributions {
    pub(super) fn parse(region: Region, problems: &mut Vec<Error>) -> Self {
        let record_size = match region.cursor().u32("version") {
            Ok(VERSION_60) => 28,
            Ok(VERSION_2) => 32,
            Ok(_) => {
                let sentence = "section contributions of a version that is not known";
                problems.push(Error::invalid(sentence, region.span().part(0, 4)));
                0
            }
            Err(_) => 0,
        };
        Self { region, record_size }
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.region.len().saturating_sub(4).checked_div(self.record_size).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the one at `index` stands.
    pub fn span(&self, index: u64) -> Option<Span> {
        (index < self.len()).then(|| self.region.span().part(4 + index * self.record_size, self.record_size))
    }

    /// The one at `index`.
    pub fn get(&self, index: u64) -> Option<Contribution> {
        let slice = self.region.slice().at(self.span(index)?).ok()?;
        Contribution::decode(&mut slice.cursor()).ok()
    }

    /// Reads one record, of either version, for its fields.
    pub fn decode_record<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<Contribution> {
        cursor.group("section contribution", |c| {
            let contribution = Contribution::decode(c)?;
            if c.left() == 4 {
                c.u32("coff section")?;
            }
            Ok(contribution)
        })
    }

    /// Reads the version before the records for its fields.
    pub fn decode_version<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<()> {
        cursor.group("section contributions", |c| c.u32("version").map(drop))
    }
}

/// One section of the image, or in a managed PDB all its IL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SectionMapEntry {
    /// What the section's bytes may be used for.
    pub flags: u16,
    /// The number of the section.
    pub frame: u16,
    /// The first byte in it.
    pub offset: u32,
    /// How many bytes.
    pub length: u32,
}

/// The sections of the image.
#[derive(Clone, Debug, Default)]
pub struct SectionMap {
    /// All of it.
    pub region: Region,
    /// One for each section.
    pub entries: Vec<SectionMapEntry>,
}

impl SectionMap {
    pub(super) fn parse(region: Region, problems: &mut Vec<Error>) -> Self {
        let mut entries = Vec::new();
        if !region.is_empty()
            && let Err(error) = Self::entries(&mut region.cursor(), &mut entries)
        {
            problems.push(error);
        }
        Self { region, entries }
    }

    /// Reads all of it for its fields.
    pub fn decode<N: Notes>(cursor: &mut Cursor<'_, N>) -> Result<()> {
        Self::entries(cursor, &mut Vec::new())
    }

    fn entries<N: Notes>(cursor: &mut Cursor<'_, N>, entries: &mut Vec<SectionMapEntry>) -> Result<()> {
        cursor.group("section map", |c| {
            let start = c.position();
            let count = c.u16("section count")?;
            c.u16("logical section count")?;
            for _ in 0..count {
                if c.left() < 20 {
                    let kind = ErrorKind::UnexpectedEnd { wanted: count as u64 * 20, left: c.left() };
                    return Err(c.error_since(start, kind));
                }
                entries.push(c.group("section map entry", |c| {
                    let flags = c.u16("flags")?;
                    c.u16("overlay")?;
                    c.u16("group")?;
                    let frame = c.u16("frame")?;
                    c.u16("section name")?;
                    c.u16("class name")?;
                    Ok(SectionMapEntry { flags, frame, offset: c.u32("offset")?, length: c.u32("length")? })
                })?);
            }
            Ok(())
        })
    }
}

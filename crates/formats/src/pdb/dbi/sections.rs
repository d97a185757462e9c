use crate::bytes::{Cursor, Error, Recorder, Region, Result, Span, fields, record};

record! {
    /// A section contribution: a range of the image, and the module that it comes from. In a managed PDB it is a range of the
    /// numbering of all IL, and the type that it belongs to.
    pub struct Contribution: "section contribution" {
        /// The section of the image, from 1; always 1 in a managed PDB.
        section: u16,
        /// Unused bytes that align the next field.
        padding: [u8; 2],
        /// The offset of the first byte in the section; in a managed PDB, in the numbering of all IL.
        offset: u32 as Hex,
        /// The size of the range in bytes.
        size: u32,
        /// The characteristics of the section that the range was in, as in a section header of the image.
        characteristics: u32 as Hex,
        /// The module that the range comes from, from 0.
        module: u16 as Module(0),
        /// Unused bytes that align the next field.
        padding_2 "padding": [u8; 2],
        /// The CRC of the bytes, for incremental linking.
        data_crc: u32 as Hex,
        /// The CRC of the relocations, for incremental linking.
        relocation_crc: u32 as Hex,
    }
}

record! {
    /// A section contribution of version 2: the object file's section is known too.
    pub struct ContributionV2: "section contribution 2" {
        /// The section contribution as in version 1.
        contribution "section contribution": Contribution,
        /// The section of the object file that the range comes from.
        coff_section: u32,
    }
}

record! {
    /// An entry of the section map: a section of the image, or a part of one. A managed PDB has one entry, for all IL.
    pub struct SectionMapEntry: "section map entry" {
        /// Access rights and kind of addresses.
        flags: u16 as Flags(&[
            (1, "read"),
            (2, "write"),
            (4, "execute"),
            (8, "32-bit addresses"),
            (0x100, "selector"),
            (0x200, "absolute addresses"),
            (0x400, "group"),
        ]),
        /// The number of the overlay; obsolete.
        overlay: u16,
        /// The number of the group of 16-bit segments; obsolete.
        group: u16,
        /// The number of the section, from 1; 0 for absolute addresses.
        frame: u16,
        /// The offset of the section's name; 65535 for none.
        section_name: u16,
        /// The offset of the class name; 65535 for none.
        class_name: u16,
        /// The offset of the first byte in the section.
        offset: u32 as Hex,
        /// The size in bytes; in a managed PDB the size of all IL together.
        length: u32 as Hex,
    }
}

fields! {
    /// The section contributions: ranges of the image, and the modules that they come from.
    CONTRIBUTIONS: "section contributions";
    /// The version of the section contributions, which determines the size of a record.
    VERSION: "version" as OneOf(&[(VERSION_60 as u64, "28 bytes each"), (VERSION_2 as u64, "32 bytes each")]);
    /// The section map: the sections that addresses refer to.
    SECTION_MAP: "section map";
    /// The number of entries.
    SECTION_COUNT: "section count";
    /// The number of entries for sections of the image itself.
    LOGICAL_SECTION_COUNT: "logical section count";
}

/// The section contributions.
#[derive(Clone, Debug, Default)]
pub struct Contributions {
    /// Substream, including the version.
    pub region: Region,
    /// Size of a record in bytes; 0 for an unknown version.
    record_size: u64,
}

/// Versions of section contributions: 0xEFFE0000 plus a date.
const VERSION_60: u32 = 0xf12e_ba2d;
const VERSION_2: u32 = 0xf131_51e4;

impl Contributions {
    pub(super) fn parse(region: Region, problems: &mut Vec<Error>) -> Self {
        let record_size = match region.cursor().u32(&VERSION) {
            Ok(VERSION_60) => Contribution::SIZE,
            Ok(VERSION_2) => ContributionV2::SIZE,
            Ok(version) => {
                let span = region.span().part(0, 4);
                problems.push(Error::unknown("version of the section contributions", version, span));
                0
            }
            Err(_) => 0,
        };
        Self { region, record_size }
    }

    /// Number of entries.
    pub fn len(&self) -> u64 {
        self.region.len().saturating_sub(4).checked_div(self.record_size).unwrap_or(0)
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Span of the one at `index`.
    pub fn span(&self, index: u64) -> Option<Span> {
        let from = index * self.record_size + 4;
        (index < self.len()).then(|| self.region.span().part(from, self.record_size))
    }

    /// The one at `index`.
    pub fn get(&self, index: u64) -> Option<Contribution> {
        let slice = self.region.slice().at(self.span(index)?).ok()?;
        Contribution::decode(&mut slice.cursor()).ok()
    }

    /// Reads one record, of either version, for its fields.
    pub fn decode_record<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<Contribution> {
        if cursor.left() < ContributionV2::SIZE {
            return Contribution::decode(cursor);
        }
        ContributionV2::decode(cursor).map(|record| record.contribution)
    }

    /// Reads the version before the records for its fields.
    pub fn decode_version<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
        cursor.group(&CONTRIBUTIONS, |c| c.u32(&VERSION).map(drop))
    }
}

/// The sections of the image.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default)]
pub struct SectionMap {
    pub region: Region,
    /// One for each section.
    pub entries: Vec<SectionMapEntry>,
}

impl SectionMap {
    pub(super) fn parse(region: Region, problems: &mut Vec<Error>) -> Self {
        let mut entries = Vec::new();
        if !region.is_empty() {
            problems.extend(Self::entries(&mut region.cursor(), &mut entries).err());
        }
        Self { region, entries }
    }

    /// Reads all of it for its fields.
    pub fn decode<N: Recorder>(cursor: &mut Cursor<'_, N>) -> Result<()> {
        Self::entries(cursor, &mut Vec::new())
    }

    fn entries<N: Recorder>(cursor: &mut Cursor<'_, N>, entries: &mut Vec<SectionMapEntry>) -> Result<()> {
        cursor.group(&SECTION_MAP, |c| {
            let start = c.position();
            let count = c.u16(&SECTION_COUNT)?;
            c.u16(&LOGICAL_SECTION_COUNT)?;
            for _ in 0..count {
                if c.left() < SectionMapEntry::SIZE {
                    c.require(u64::from(count) * SectionMapEntry::SIZE, start)?;
                }
                entries.push(SectionMapEntry::decode(c)?);
            }
            Ok(())
        })
    }
}

//! Resources: a tree of tables, in which an image keeps its version, its manifest, icons and more. By custom it has three levels: type,
//! name, language. Decoded by the `object` crate, with the bytes of each part.
//!
//! # References
//!
//! Microsoft, *PE Format*, "The .rsrc Section".

use object::LittleEndian as LE;
use object::pe;
use object::read::pe::{ResourceDirectory, ResourceDirectoryEntryData, ResourceDirectoryTable, ResourceNameOrId};

use super::version::VersionInfo;
use super::{Directory, MAX_NAME, Pe};
use crate::bytes::{Cursor, Encoding, Error, ErrorKind, RECORD_NAMES, Recorder, Result, Slice, Span, fields, record};

/// Most entries that are read, tables included.
pub const MAX_ENTRIES: usize = 1 << 16;
/// Most problems that are kept.
pub const MAX_PROBLEMS: usize = 100;
/// Most tables inside each other.
pub const MAX_DEPTH: usize = 8;

const TABLE_HEADER: u64 = ResourceTable::SIZE;
const ENTRY_SIZE: u64 = 8;
const DATA_ENTRY_SIZE: u64 = ResourceDataEntry::SIZE;

record! {
    /// The head of a resource directory table (IMAGE_RESOURCE_DIRECTORY); its entries follow, those with names first.
    pub struct ResourceTable: "resource directory table" {
        /// Reserved; must be 0.
        characteristics: u32 as Hex,
        /// When the resource compiler created the table; mostly 0.
        time_date_stamp: u32 as Hex,
        /// The major version, which is rarely set.
        major_version: u16,
        /// The minor version, which is rarely set.
        minor_version: u16,
        /// The number of entries with a name, which come first.
        number_of_name_entries: u16,
        /// The number of entries with a number.
        number_of_id_entries: u16,
    }
}

record! {
    /// The location of a resource's data (IMAGE_RESOURCE_DATA_ENTRY).
    pub struct ResourceDataEntry: "resource data entry" {
        /// The RVA of the data.
        data_rva: u32 as Rva,
        /// The size of the data in bytes.
        size: u32,
        /// The code page of text in the data; mostly 0.
        code_page: u32,
        /// Reserved; must be 0.
        reserved: u32,
    }
}

fields! {
    /// The entry of a resource in a table: a type, a name or a language, depending on the level of the table.
    ENTRY: "resource directory entry";
    /// The number of the type, name or language.
    ID: "id";
    /// The offset of the name in the resource section; the top bit tells it from a number.
    NAME_OFFSET: "name offset" as Hex;
    /// The offset of the data entry in the resource section.
    DATA_OFFSET: "data entry offset" as Hex;
    /// The offset of the table of the next level in the resource section; the top bit tells it from a data entry.
    TABLE_OFFSET: "subdirectory offset" as Hex;
    /// The name of a resource or of a type.
    NAME: "resource name";
    /// The number of characters of the name.
    NAME_LENGTH: "length";
    /// The name in UTF-16, without a NUL.
    NAME_TEXT: "name";
}

/// Reads the head of a table with notes.
pub fn table<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    ResourceTable::decode(c).map(drop)
}

/// Reads the head of a table and all its entries with notes.
pub fn table_with_entries<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&ResourceTable::DOC, |c| {
        ResourceTable::decode_fields(c)?;
        while c.left() >= ENTRY_SIZE {
            entry(c)?;
        }
        Ok(())
    })
}

/// Reads an entry of a table with notes.
pub fn entry<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    let is_marked = |at: usize| c.remaining().get(at).is_some_and(|byte| byte & 0x80 != 0);
    let id = if is_marked(3) { &NAME_OFFSET } else { &ID };
    let target = if is_marked(7) { &TABLE_OFFSET } else { &DATA_OFFSET };
    c.group(&ENTRY, |c| {
        c.u32(id)?;
        c.u32(target).map(drop)
    })
}

/// Reads the name of an entry with notes.
pub fn name<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&NAME, |c| {
        let characters = c.u16(&NAME_LENGTH)?;
        c.text(&NAME_TEXT, u64::from(characters) * 2, Encoding::Utf16).map(drop)
    })
}

/// Reads a data entry with notes.
pub fn data_entry<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    ResourceDataEntry::decode(c).map(drop)
}

/// Names of the levels of tables, by custom.
pub const ENTRY_LEVELS: [&str; 3] = ["type", "name", "language"];

/// Number of the type "version information".
pub const VERSION: u16 = 16;
/// Number of the type "manifest".
pub const MANIFEST: u16 = 24;

/// Names of the types that have one (`winuser.h`), by number.
#[rustfmt::skip]
const TYPE_NAMES: &[(u16, &str)] = &[
    (1, "cursor"), (2, "bitmap"), (3, "icon"), (4, "menu"), (5, "dialog"), (6, "string table"), (7, "font directory"),
    (8, "font"), (9, "accelerators"), (10, "data"), (11, "message table"), (12, "cursor group"), (14, "icon group"),
    (VERSION, "version"), (17, "dialog include"), (19, "plug and play"), (20, "VxD"), (21, "animated cursor"),
    (22, "animated icon"), (23, "HTML"), (MANIFEST, "manifest"),
];

/// The resources of an image.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// The entries of all tables: each entry before those of the table that it leads to.
    pub entries: Vec<ResourceEntry>,
    /// Bytes of the root table with its entries, as many as were read.
    pub root: Span,
    /// Errors, at most [`MAX_PROBLEMS`].
    pub problems: Vec<Error>,
}

/// An entry of a table.
#[derive(Clone, Debug)]
pub struct ResourceEntry {
    /// Level of its table, from 1: by custom types, names, languages.
    pub level: u8,
    /// Number or name.
    pub id: ResourceId,
    /// Bytes of the name with its length; empty for a number.
    pub name_span: Span,
    /// Table or data; nothing where it cannot be read.
    pub content: Option<ResourceContent>,
    /// Bytes of the entry.
    pub span: Span,
}

/// Number or name of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceId {
    /// A number.
    Id(u16),
    /// A name.
    Name(String),
}

/// Target of an entry.
#[derive(Clone, Copy, Debug)]
pub enum ResourceContent {
    /// Another table, by the bytes of its head.
    Table(Span),
    /// Data.
    Data(ResourceData),
}

/// A resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceData {
    /// Address of the data.
    pub rva: u32,
    /// Bytes of the data.
    pub size: u32,
    /// Code page of its text; mostly 0.
    pub code_page: u32,
    /// The data, where all of it is in the file.
    pub data: Option<Span>,
    /// Bytes of the record that says all this.
    pub span: Span,
}

/// Name of a type by its number: `version`, `manifest`.
pub fn type_name(id: u16) -> Option<&'static str> {
    TYPE_NAMES.iter().find(|(known, _)| *known == id).map(|(_, name)| *name)
}

/// The tree in the making.
struct Reader<'i> {
    image: &'i Pe,
    bytes: Slice<'i>,
    directory: ResourceDirectory<'i>,
    entries: Vec<ResourceEntry>,
    /// Characters of names that there is still room for.
    names_left: usize,
    problems: Vec<Error>,
}

impl Resources {
    /// Reads the tree; an image without resources has no entries.
    pub fn read(image: &Pe) -> Self {
        let Some(rva) = image.directory(Directory::RESOURCES).map(|directory| directory.rva) else {
            return Self::default();
        };
        // The headers have reported an address that leads nowhere.
        let Ok(bytes) = image.rest_at_rva(rva) else { return Self::default() };
        let directory = ResourceDirectory::new(bytes.data);
        let mut reader = Reader {
            image,
            bytes,
            directory,
            entries: Vec::new(),
            names_left: RECORD_NAMES as usize / 2,
            problems: Vec::new(),
        };
        let mut size = 0;
        match directory.root() {
            Ok(root) => {
                size = TABLE_HEADER + root.entries.len() as u64 * ENTRY_SIZE;
                reader.table(&root, 0, 1);
            }
            Err(_) => reader.problem(Error::invalid("the resource table cannot be read", bytes.span())),
        }
        Self { entries: reader.entries, problems: reader.problems, root: bytes.span().part(0, size) }
    }

    /// All data of a type, in the order of the tree.
    pub fn of_type(&self, id: u16) -> Vec<ResourceData> {
        let mut inside = false;
        let data = self.entries.iter().filter_map(|entry| {
            if entry.level == 1 {
                inside = entry.id == ResourceId::Id(id);
            }
            entry.data().filter(|_| inside)
        });
        data.collect()
    }

    /// Number of resources: entries that lead to data.
    pub fn count(&self) -> usize {
        self.entries.iter().filter_map(ResourceEntry::data).count()
    }

    /// The version information, if there is any.
    pub fn version(&self, image: &Pe) -> Option<Result<VersionInfo>> {
        let span = self.version_span()?;
        Some(image.bytes(span).and_then(|bytes| VersionInfo::decode(&mut bytes.cursor())))
    }

    /// Bytes of the version information, if there is any.
    pub fn version_span(&self) -> Option<Span> {
        self.of_type(VERSION).first()?.data
    }

    /// Bytes of the manifest, if there is one: XML.
    pub fn manifest(&self) -> Option<Span> {
        self.of_type(MANIFEST).first()?.data
    }
}

impl ResourceEntry {
    /// The resource that it leads to; `None` for a table.
    pub const fn data(&self) -> Option<ResourceData> {
        match self.content {
            Some(ResourceContent::Data(data)) => Some(data),
            _ => None,
        }
    }
}

impl<'i> Reader<'i> {
    fn problem(&mut self, error: Error) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(error);
        }
    }

    /// Adds the entries of a table that begins `at` bytes into the directory, `depth` tables deep.
    fn table(&mut self, table: &ResourceDirectoryTable<'i>, at: u32, depth: usize) {
        for (index, entry) in table.entries.iter().enumerate() {
            let from = u64::from(at) + TABLE_HEADER + index as u64 * ENTRY_SIZE;
            let span = self.bytes.span().part(from, ENTRY_SIZE);
            if self.entries.len() >= MAX_ENTRIES {
                self.problem(Error::invalid("too many resources: the list is cut", span));
                break;
            }
            let (id, name_span) = self.id(*entry);
            let level = depth as u8;
            let index = self.entries.len();
            self.entries.push(ResourceEntry { level, id, name_span, content: None, span });
            let content = match self.content(*entry, depth, span) {
                Ok(content) => Some(content),
                Err(error) => {
                    self.problem(error);
                    None
                }
            };
            if let Some(entry) = self.entries.get_mut(index) {
                entry.content = content;
            }
        }
    }

    /// Number or name of an entry, and the bytes of the name.
    fn id(&mut self, entry: pe::ImageResourceDirectoryEntry) -> (ResourceId, Span) {
        match entry.name_or_id() {
            ResourceNameOrId::Id(id) => (ResourceId::Id(id), Span::default()),
            ResourceNameOrId::Name(name) => {
                let Ok(units) = name.data(self.directory) else {
                    return (ResourceId::Name(String::new()), Span::default());
                };
                let span = self
                    .bytes
                    .span()
                    .part(u64::from(entry.name_or_id.get(LE) & !(1 << 31)), 2 + units.len() as u64 * 2);
                let len = units.len().min(MAX_NAME as usize).min(self.names_left);
                self.names_left -= len;
                let text = char::decode_utf16(units.iter().take(len).map(|unit| unit.get(LE)));
                (ResourceId::Name(text.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()), span)
            }
        }
    }

    fn content(&mut self, entry: pe::ImageResourceDirectoryEntry, depth: usize, span: Span) -> Result<ResourceContent> {
        let at = entry.data_offset();
        match entry.data(self.directory) {
            Ok(ResourceDirectoryEntryData::Table(_)) if depth >= MAX_DEPTH => {
                Err(Error::new(ErrorKind::TooDeep("resource tables"), span))
            }
            Ok(ResourceDirectoryEntryData::Table(table)) => {
                self.table(&table, at, depth + 1);
                Ok(ResourceContent::Table(self.bytes.span().part(u64::from(at), TABLE_HEADER)))
            }
            Ok(ResourceDirectoryEntryData::Data(data)) => {
                let (rva, size) = (data.offset_to_data.get(LE), data.size.get(LE));
                Ok(ResourceContent::Data(ResourceData {
                    rva,
                    size,
                    code_page: data.code_page.get(LE),
                    data: self.image.at_rva(rva, size).ok().map(Slice::span),
                    span: self.bytes.span().part(u64::from(at), DATA_ENTRY_SIZE),
                }))
            }
            Err(_) => Err(Error::invalid("the data of a resource is outside the file", span)),
        }
    }
}

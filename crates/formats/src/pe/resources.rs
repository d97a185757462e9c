//! Resources: a tree of tables, in which an image keeps its version, its manifest, icons and more. By custom it has three levels: type,
//! name, language. Read by the `object` crate, with the bytes of each entry.
//!
//! # References
//!
//! Microsoft, *PE Format*, "The .rsrc Section".

use object::LittleEndian as LE;
use object::pe;
use object::read::pe::{ResourceDirectory, ResourceDirectoryEntryData, ResourceDirectoryTable, ResourceNameOrId};

use super::version::VersionInfo;
use super::{Directory, MAX_NAME, Pe};
use crate::bytes::{Error, ErrorKind, RECORD_NAMES, Result, Slice, Span};

/// Most entries that are read, tables included.
pub const MAX_ENTRIES: usize = 1 << 16;
pub(crate) const MAX_PROBLEMS: usize = 100;
/// Most tables inside each other.
pub const MAX_DEPTH: usize = 8;
const TABLE_HEADER: u64 = size_of::<pe::ImageResourceDirectory>() as u64;
const ENTRY_SIZE: u64 = size_of::<pe::ImageResourceDirectoryEntry>() as u64;
const DATA_ENTRY_SIZE: u64 = size_of::<pe::ImageResourceDataEntry>() as u64;
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
    /// Errors, at most `MAX_PROBLEMS`.
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
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceId {
    Id(u16),
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
                size = root.entries.len() as u64 * ENTRY_SIZE + TABLE_HEADER;
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
            if inside { entry.data() } else { None }
        });
        data.collect()
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
            let content = self.content(*entry, depth, span);
            let content = content.map_err(|error| self.problem(error)).ok();
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
                let at = u64::from(entry.name_or_id.get(LE) & !(1 << 31));
                let size = units.len() as u64 * 2 + 2;
                let span = self.bytes.span().part(at, size);
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

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
use super::{MAX_NAME, MAX_NAMES, Pe};
use crate::bytes::{Error, ErrorKind, Result, Slice, Span};

/// Most entries that are read, tables included.
pub const MAX_ENTRIES: usize = 1 << 16;
/// Most problems that are kept.
pub const MAX_PROBLEMS: usize = 100;
/// Most tables inside each other.
pub const MAX_DEPTH: usize = 8;

const RESOURCES: u8 = pe::IMAGE_DIRECTORY_ENTRY_RESOURCE as u8;
const TABLE_HEADER: u64 = 16;
const ENTRY_SIZE: u64 = 8;
const DATA_ENTRY_SIZE: u64 = 16;

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
    /// The entries of the first level: types.
    pub entries: Vec<ResourceEntry>,
    /// Errors, at most [`MAX_PROBLEMS`].
    pub problems: Vec<Error>,
}

/// An entry of a table.
#[derive(Clone, Debug)]
pub struct ResourceEntry {
    /// Number or name; on the first level the type, on the third the language.
    pub id: ResourceId,
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
#[derive(Clone, Debug)]
pub enum ResourceContent {
    /// Another table.
    Table(Vec<ResourceEntry>),
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
    left: usize,
    /// Characters of names that there is still room for.
    names_left: usize,
    problems: Vec<Error>,
}

impl Resources {
    /// Reads the tree; an image without resources has no entries.
    pub fn read(image: &Pe) -> Self {
        let Some(rva) = image.directory(RESOURCES).map(|directory| directory.rva) else { return Self::default() };
        let bytes = match image.rest_at_rva(rva) {
            Ok(bytes) => bytes,
            Err(error) => return Self { entries: Vec::new(), problems: vec![error] },
        };
        let directory = ResourceDirectory::new(bytes.data);
        let mut reader =
            Reader { image, bytes, directory, left: MAX_ENTRIES, names_left: MAX_NAMES / 2, problems: Vec::new() };
        let entries = match directory.root() {
            Ok(root) => reader.table(&root, 0, 1),
            Err(_) => {
                reader.problems.push(Error::invalid("the resource table cannot be read", bytes.span()));
                Vec::new()
            }
        };
        Self { entries, problems: reader.problems }
    }

    /// All data of a type, in the order of the tree.
    pub fn of_type(&self, id: u16) -> Vec<ResourceData> {
        let mut found = Vec::new();
        for entry in self.entries.iter().filter(|entry| entry.id == ResourceId::Id(id)) {
            entry.each_data(&mut |data| found.push(*data));
        }
        found
    }

    /// Number of resources: entries that lead to data.
    pub fn count(&self) -> usize {
        let mut count = 0;
        self.entries.iter().for_each(|entry| entry.each_data(&mut |_| count += 1));
        count
    }

    /// The version information, if there is any.
    pub fn version(&self, image: &Pe) -> Option<Result<VersionInfo>> {
        let span = self.of_type(VERSION).first()?.data?;
        Some(image.bytes(span).and_then(VersionInfo::decode))
    }

    /// The manifest, if there is one: XML.
    pub fn manifest(&self, image: &Pe) -> Option<String> {
        let bytes = image.bytes(self.of_type(MANIFEST).first()?.data?).ok()?.data;
        Some(String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).into_owned())
    }
}

impl ResourceEntry {
    fn each_data(&self, each: &mut dyn FnMut(&ResourceData)) {
        match &self.content {
            Some(ResourceContent::Data(data)) => each(data),
            Some(ResourceContent::Table(entries)) => entries.iter().for_each(|entry| entry.each_data(each)),
            None => {}
        }
    }
}

impl<'i> Reader<'i> {
    fn problem(&mut self, error: Error) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(error);
        }
    }

    /// The entries of a table that begins `at` bytes into the directory, `depth` tables deep.
    fn table(&mut self, table: &ResourceDirectoryTable<'i>, at: u32, depth: usize) -> Vec<ResourceEntry> {
        let mut entries = Vec::new();
        for (index, entry) in table.entries.iter().enumerate() {
            let from = u64::from(at) + TABLE_HEADER + index as u64 * ENTRY_SIZE;
            let span = self.bytes.span().part(from, ENTRY_SIZE);
            if self.left == 0 {
                self.problem(Error::invalid("more resources than are listed", span));
                break;
            }
            self.left -= 1;
            let content = match self.content(*entry, depth, span) {
                Ok(content) => Some(content),
                Err(error) => {
                    self.problem(error);
                    None
                }
            };
            entries.push(ResourceEntry { id: self.id(*entry), content, span });
            if self.left == 0 {
                break;
            }
        }
        entries
    }

    fn id(&mut self, entry: pe::ImageResourceDirectoryEntry) -> ResourceId {
        match entry.name_or_id() {
            ResourceNameOrId::Id(id) => ResourceId::Id(id),
            ResourceNameOrId::Name(name) => {
                let units = name.data(self.directory).unwrap_or_default();
                let len = units.len().min(MAX_NAME as usize).min(self.names_left);
                self.names_left -= len;
                let text = char::decode_utf16(units.iter().take(len).map(|unit| unit.get(LE)));
                ResourceId::Name(text.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
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
                Ok(ResourceContent::Table(self.table(&table, at, depth + 1)))
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
            Err(_) => Err(Error::invalid("a resource leads to bytes that the file does not have", span)),
        }
    }
}

//! Exports: the functions and data of a DLL that others may import, by name or by number. Decoded by the `object` crate, with the
//! bytes of each part.
//!
//! # References
//!
//! Microsoft, *PE Format*, "The .edata Section".

use std::ops::Range;

use object::LittleEndian as LE;
use object::pe::ImageExportDirectory;
use object::read::pe::{ExportAddressIndex, ExportTable};

use super::{Directory, Pe, lossy};
use crate::bytes::{Cursor, Error, RECORD_NAMES, Recorder, Result, Slice, Span, fields, record};

/// Most exports that are listed.
pub const MAX_EXPORTS: usize = 1 << 17;

const HEADER_SIZE: u64 = ExportDirectory::SIZE;

record! {
    /// The export directory table (IMAGE_EXPORT_DIRECTORY), which leads to the three tables of exports.
    pub struct ExportDirectory: "export directory table" {
        /// Reserved; must be 0.
        export_flags: u32 as Hex,
        /// When the table was created, or part of a hash in a deterministic build.
        time_date_stamp: u32 as Time,
        /// The major version, which is rarely set.
        major_version: u16,
        /// The minor version, which is rarely set.
        minor_version: u16,
        /// The RVA of the name that the DLL had when it was linked.
        name_rva: u32 as Rva,
        /// The ordinal of the first entry of the export address table.
        ordinal_base: u32,
        /// The number of entries of the export address table.
        address_table_entries: u32,
        /// The number of entries of the name pointer table and of the ordinal table.
        number_of_name_pointers: u32,
        /// The RVA of the export address table, which is in the order of ordinals.
        export_address_table_rva: u32 as Rva,
        /// The RVA of the name pointer table, which is in the order of names.
        name_pointer_rva: u32 as Rva,
        /// The RVA of the ordinal table, which has an index into the export address table for each name.
        ordinal_table_rva: u32 as Rva,
    }
}

fields! {
    /// The name of the DLL when it was linked.
    MODULE: "dll name";
    /// The location of an export: of code or data, or within the export table of the name of another DLL's export.
    ADDRESS_ENTRY: "export address table entry";
    /// The RVA of the code or data, or of the forwarder.
    EXPORT_RVA: "export rva" as Rva;
    /// The export of another DLL that the loader uses instead.
    FORWARDER: "forwarder";
    /// The entry of the export in the sorted list of names.
    NAME_POINTER: "name pointer table entry";
    /// The RVA of the name.
    NAME_RVA: "name rva" as Rva;
    /// The entry of the ordinal table beside the name pointer.
    ORDINAL_ENTRY: "ordinal table entry";
    /// The index into the export address table: the ordinal minus the ordinal base.
    INDEX: "index";
    /// The name that the export can be imported by.
    EXPORT_NAME: "export name";
    /// The text, with the NUL that ends it.
    TEXT: "name";
}

/// Reads the export directory table with notes.
pub fn directory_table<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    ExportDirectory::decode(c).map(drop)
}

/// Reads the name of the DLL with notes.
pub fn module_name<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&MODULE, |c| c.text_z(&TEXT)).map(drop)
}

/// Reads an entry of the export address table with notes.
pub fn address_entry<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&ADDRESS_ENTRY, |c| c.u32(&EXPORT_RVA)).map(drop)
}

/// Reads a forwarder with notes.
pub fn forwarder<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&FORWARDER, |c| c.text_z(&TEXT)).map(drop)
}

/// Reads an entry of the name pointer table with notes.
pub fn name_pointer<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&NAME_POINTER, |c| c.u32(&NAME_RVA)).map(drop)
}

/// Reads an entry of the ordinal table with notes.
pub fn ordinal_entry<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&ORDINAL_ENTRY, |c| c.u16(&INDEX)).map(drop)
}

/// Reads the name of an export with notes.
pub fn export_name<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&EXPORT_NAME, |c| c.text_z(&TEXT)).map(drop)
}

/// The export table of an image.
#[derive(Clone, Debug)]
pub struct Exports {
    /// Name of the DLL, as it was when it was linked.
    pub name: String,
    /// Bytes of the name; empty where it cannot be read.
    pub name_span: Span,
    /// Number of the first address.
    pub ordinal_base: u16,
    /// The exports: those with names in the order of the names, then the others in the order of their numbers.
    pub exports: Vec<Export>,
    /// Bytes of the export directory.
    pub span: Span,
    /// Errors, each of which ends a list or leaves out an entry.
    pub problems: Vec<Error>,
}

/// An exported function or variable; one with several names is there once for each.
#[derive(Clone, Debug)]
pub struct Export {
    /// Number that it can be imported by.
    pub ordinal: u16,
    /// Name that it can be imported by.
    pub name: Option<String>,
    /// Address, or the export of another DLL.
    pub target: ExportTarget,
    /// Bytes of its entry in the address table.
    pub span: Span,
    /// Bytes of its name; empty where it has none.
    pub name_span: Span,
    /// Bytes of the name of another DLL's export; empty where it is no forward.
    pub forward_span: Span,
    /// Its position among the names; `None` for an export that has only an ordinal.
    pub hint: Option<u32>,
    /// Bytes of its entries in the name pointer table and the ordinal table; empty where it has no name.
    pub key_spans: [Span; 2],
}

/// Target of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportTarget {
    /// At this address of the image.
    Address(u32),
    /// In another DLL: `NTDLL.RtlAllocateHeap`, `OTHER.#12`.
    Forward(String),
}

/// End of the last of the three tables of exports.
fn tables_end(directory: &ImageExportDirectory) -> u32 {
    let (functions, names) = (directory.number_of_functions.get(LE), directory.number_of_names.get(LE));
    let tables = [
        (directory.address_of_functions.get(LE), functions, 4),
        (directory.address_of_names.get(LE), names, 4),
        (directory.address_of_name_ordinals.get(LE), names, 2),
    ];
    tables.map(|(start, len, size)| start.saturating_add(len.saturating_mul(size))).into_iter().max().unwrap_or(0)
}

impl Exports {
    /// Reads the export table; nothing where the image has none.
    pub fn read(image: &Pe) -> Option<Result<Self>> {
        let directory = image.directory(Directory::EXPORTS)?;
        Some(Self::decode(image, directory.rva, directory.size))
    }

    fn decode(image: &Pe, rva: u32, size: u32) -> Result<Self> {
        let header = image.near_rva(rva, HEADER_SIZE)?;
        let span = header.span().part(0, HEADER_SIZE.min(header.len()));
        let unreadable = |_| Error::invalid("the export table cannot be read", span);
        let directory = ExportTable::parse_directory(header.data).map_err(unreadable)?;
        // Linkers may count the header alone: the tables are read wherever they are, and the size tells forwards from code.
        let bytes = image.near_rva(rva, tables_end(directory).saturating_sub(rva).max(size).into())?;
        let table = ExportTable::parse(bytes.data, rva).map_err(unreadable)?;
        let name = image.text_at_rva(table.directory().name.get(LE)).unwrap_or_default();
        let mut exports = Self {
            name: lossy(name),
            name_span: name.span(),
            ordinal_base: table.ordinal_base(),
            exports: Vec::new(),
            span,
            problems: Vec::new(),
        };
        exports.add_all(image, &table, rva..rva.saturating_add(size));
        Ok(exports)
    }

    fn add_all(&mut self, image: &Pe, table: &ExportTable<'_>, forwards: Range<u32>) {
        let mut named = vec![false; table.addresses().len()];
        let mut names = 0;
        let mut add = |index: ExportAddressIndex, name: Option<(u32, Slice<'_>)>| -> Result<()> {
            if self.exports.len() >= MAX_EXPORTS || names > RECORD_NAMES as usize {
                return Err(Error::invalid("too many exports: the list is cut", self.span));
            }
            let export = Export::find(image, (table, &forwards), index, name, self.span)?;
            names += (export.name_span.len + export.forward_span.len) as usize;
            self.exports.push(export);
            Ok(())
        };
        let mut problems = Vec::new();
        for (hint, (pointer, index)) in (0..).zip(table.name_iter().take(MAX_EXPORTS)) {
            if let Some(named) = named.get_mut(usize::from(index.0)) {
                *named = true;
            }
            let added = image.text_at_rva(pointer).and_then(|name| add(index, Some((hint, name))));
            if let Err(error) = added {
                problems.push(error);
                break;
            }
        }
        for (index, _, address) in table.address_iter() {
            let has_name = named.get(usize::from(index.0)).copied().unwrap_or(false);
            // A number that nothing has is an address of 0.
            if has_name || address == 0 {
                continue;
            }
            if let Err(error) = add(index, None) {
                problems.push(error);
                break;
            }
        }
        let names = table.name_pointers().len();
        if names > MAX_EXPORTS && problems.is_empty() {
            problems.push(Error::invalid("too many exports: the list is cut", self.span));
        }
        self.problems = problems;
    }
}

impl Export {
    /// The export of an entry of the address table, with its position among the names and its name. An address among `forwards` is one;
    /// `header` has the bytes that an error is about.
    fn find(
        image: &Pe,
        (table, forwards): (&ExportTable<'_>, &Range<u32>),
        index: ExportAddressIndex,
        name: Option<(u32, Slice<'_>)>,
        header: Span,
    ) -> Result<Self> {
        let at = |table: u32, index: u32, size: u32| {
            image.span_at_rva(table.wrapping_add(index * size), size).unwrap_or_default()
        };
        let directory = table.directory();
        let pointers = directory.address_of_names.get(LE);
        let ordinals = directory.address_of_name_ordinals.get(LE);
        let none = |_| Error::invalid("the ordinal of an export exceeds the address table", header);
        let address = table.address_by_index(index).map_err(none)?;
        let (target, forward_span) = if forwards.contains(&address) {
            let forward = image.text_at_rva(address)?;
            (ExportTarget::Forward(lossy(forward)), forward.span())
        } else {
            (ExportTarget::Address(address), Span::default())
        };
        Ok(Self {
            ordinal: table.ordinal_from_index(index).map_err(none)?.0,
            name: name.map(|(_, name)| lossy(name)),
            target,
            span: at(directory.address_of_functions.get(LE), u32::from(index.0), 4),
            name_span: name.map_or(Span::default(), |(_, name)| name.span()),
            forward_span,
            hint: name.map(|(hint, _)| hint),
            key_spans: name.map_or([Span::default(); 2], |(hint, _)| [at(pointers, hint, 4), at(ordinals, hint, 2)]),
        })
    }
}

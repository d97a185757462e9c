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

use super::{Directory, Pe};
use crate::bytes::{Error, RECORD_NAMES, Result, Slice, Span, or_problem};

pub(crate) const MAX_EXPORTS: usize = 1 << 17;
const HEADER_SIZE: u64 = size_of::<ImageExportDirectory>() as u64;

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
            name: name.lossy(),
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
            let Some(()) = or_problem(added, &mut problems) else { break };
        }
        for (index, _, address) in table.address_iter() {
            let has_name = named.get(usize::from(index.0)).copied().unwrap_or(false);
            // A number that nothing has is an address of 0.
            if has_name || address == 0 {
                continue;
            }
            let Some(()) = or_problem(add(index, None), &mut problems) else { break };
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
            image.span_at_rva(table.wrapping_add(index.saturating_mul(size)), size).unwrap_or_default()
        };
        let directory = table.directory();
        let pointers = directory.address_of_names.get(LE);
        let ordinals = directory.address_of_name_ordinals.get(LE);
        let none = |_| Error::invalid("the ordinal of an export exceeds the address table", header);
        let address = table.address_by_index(index).map_err(none)?;
        let (target, forward_span) = if forwards.contains(&address) {
            let forward = image.text_at_rva(address)?;
            (ExportTarget::Forward(forward.lossy()), forward.span())
        } else {
            (ExportTarget::Address(address), Span::default())
        };
        Ok(Self {
            ordinal: table.ordinal_from_index(index).map_err(none)?.0,
            name: name.map(|(_, name)| name.lossy()),
            target,
            span: at(directory.address_of_functions.get(LE), u32::from(index.0), 4),
            name_span: name.map_or(Span::default(), |(_, name)| name.span()),
            forward_span,
            hint: name.map(|(hint, _)| hint),
            key_spans: name.map_or([Span::default(); 2], |(hint, _)| [at(pointers, hint, 4), at(ordinals, hint, 2)]),
        })
    }
}

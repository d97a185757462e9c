//! Exports: the functions and data of a DLL that others may import, by name or by number. Decoded by the `object` crate, with the
//! bytes of each part.
//!
//! # References
//!
//! Microsoft, *PE Format*, "The .edata Section".

use object::LittleEndian as LE;
use object::pe;
use object::read::pe::{ExportAddressIndex, ExportTable};

use super::{MAX_NAMES, Pe, lossy};
use crate::bytes::{Error, Result, Slice, Span};

/// Most exports that are listed.
pub const MAX_EXPORTS: usize = 1 << 17;

const EXPORTS: u8 = pe::IMAGE_DIRECTORY_ENTRY_EXPORT as u8;
const HEADER_SIZE: u64 = 40;

/// The export table of an image.
#[derive(Clone, Debug)]
pub struct Exports {
    /// Name of the DLL, as it was when it was linked.
    pub name: String,
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
}

/// Target of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportTarget {
    /// At this address of the image.
    Address(u32),
    /// In another DLL: `NTDLL.RtlAllocateHeap`, `OTHER.#12`.
    Forward(String),
}

impl Exports {
    /// Reads the export table; nothing where the image has none.
    pub fn read(image: &Pe) -> Option<Result<Self>> {
        let directory = image.directory(EXPORTS)?;
        Some(Self::decode(image, directory.rva, directory.size))
    }

    fn decode(image: &Pe, rva: u32, size: u32) -> Result<Self> {
        let bytes = image.rest_at_rva(rva)?;
        // What lies in the directory is a forward and no code: the size matters.
        let bytes = bytes.part(0, bytes.len().min(u64::from(size)))?;
        let span = bytes.span().part(0, HEADER_SIZE.min(bytes.len()));
        let unreadable = |_| Error::invalid("the export table cannot be read", span);
        let table = ExportTable::parse(bytes.data, rva).map_err(unreadable)?;
        let name = image.text_at_rva(table.directory().name.get(LE)).map(lossy).unwrap_or_default();
        let mut exports =
            Self { name, ordinal_base: table.ordinal_base(), exports: Vec::new(), span, problems: Vec::new() };
        exports.add_all(image, &table, bytes);
        Ok(exports)
    }

    fn add_all(&mut self, image: &Pe, table: &ExportTable<'_>, bytes: Slice<'_>) {
        let mut named = vec![false; table.addresses().len()];
        let addresses = table.directory().address_of_functions.get(LE);
        let mut names = 0;
        let mut add = |index: ExportAddressIndex, name: Option<Slice<'_>>| -> Result<()> {
            if self.exports.len() >= MAX_EXPORTS || names > MAX_NAMES {
                return Err(Error::invalid("more exports than are listed", self.span));
            }
            let none = |_| Error::invalid("an export has a number that no address has", self.span);
            let address = table.address_by_index(index).map_err(none)?;
            let ordinal = table.ordinal_from_index(index).map_err(none)?.0;
            let target = if table.is_forward(address) {
                let forward = image.text_at_rva(address)?;
                names += forward.len() as usize;
                ExportTarget::Forward(lossy(forward))
            } else {
                ExportTarget::Address(address)
            };
            names += name.map_or(0, |name| name.len() as usize);
            let entry = image.at_rva(addresses.wrapping_add(u32::from(index.0) * 4), 4);
            self.exports.push(Export {
                ordinal,
                name: name.map(lossy),
                target,
                span: entry.map_or(Span::default(), Slice::span),
                name_span: name.map_or(Span::default(), Slice::span),
            });
            Ok(())
        };
        let mut problems = Vec::new();
        for (pointer, index) in table.name_iter().take(MAX_EXPORTS) {
            if let Some(named) = named.get_mut(usize::from(index.0)) {
                *named = true;
            }
            let added = image.text_at_rva(pointer).and_then(|name| add(index, Some(name)));
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
            problems.push(Error::invalid("more exports than are listed", bytes.span().part(0, HEADER_SIZE)));
        }
        self.problems = problems;
    }
}

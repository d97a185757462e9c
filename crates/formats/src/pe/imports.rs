//! Imports: the functions of other DLLs that the loader binds when it loads the image, and those that are bound when they are first
//! called (delay imports). Read by the `object` crate, with the bytes of each entry.
//!
//! # References
//!
//! Microsoft, *PE Format*, "The .idata Section" and "Delay-Load Import Tables".

use object::LittleEndian as LE;
use object::pe;
use object::read::pe::{DelayLoadImportTable, ImageNtHeaders, ImageThunkData, Import, ImportTable};

use super::{Directory, MAX_NAME, Pe};
use crate::bytes::{Error, RECORD_NAMES, Result, Slice, Span, or_problem};

pub(crate) const MAX_LIBRARIES: usize = 4096;
/// Most functions that are listed, of all DLLs together.
pub const MAX_FUNCTIONS: usize = 1 << 17;
const DESCRIPTOR_SIZE: u64 = size_of::<pe::ImageImportDescriptor>() as u64;
const DELAY_DESCRIPTOR_SIZE: u64 = size_of::<pe::ImageDelayloadDescriptor>() as u64;

/// The import and the delay import table of an image.
#[derive(Clone, Debug, Default)]
pub struct Imports {
    /// The DLLs: those that are bound when the image is loaded, then the delayed ones.
    pub libraries: Vec<Library>,
    /// Errors of the import table; the list that has one ends there.
    pub problems: Vec<Error>,
    /// Errors of the delay import table.
    pub delay_problems: Vec<Error>,
    /// Number of functions, of all DLLs together.
    functions: usize,
    /// Bytes of all names.
    names: usize,
}

/// A DLL, and what is imported from it.
#[derive(Clone, Debug)]
pub struct Library {
    /// File name: `KERNEL32.dll`.
    pub name: String,
    /// Bytes of the name.
    pub name_span: Span,
    /// Position of its first function among those of its table, where a DLL without functions has one position.
    pub first: usize,
    /// True for a DLL of the delay import table, which is loaded when one of its functions is first called.
    pub delayed: bool,
    /// The functions, in the order of their slots.
    pub functions: Vec<ImportedFunction>,
    /// Bytes of the descriptor.
    pub span: Span,
}

/// An imported function.
#[derive(Clone, Debug)]
pub struct ImportedFunction {
    /// Name or ordinal.
    pub symbol: ImportSymbol,
    /// Address of the pointer that the loader fills in.
    pub slot_rva: u32,
    /// Bytes of its slot, where the file has them.
    pub slot_span: Span,
    /// Bytes of its entry in the lookup table.
    pub span: Span,
    /// Bytes of hint and name; empty where it is imported by number.
    pub name_span: Span,
}

/// Key of an import among the exports of its DLL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportSymbol {
    /// Its name, and a guess at its index among the names.
    Name {
        /// Index to try first.
        hint: u16,
        /// Name.
        name: String,
    },
    /// Its ordinal.
    Ordinal(u16),
}

/// RVAs of one DLL's tables.
struct Tables {
    name: u32,
    lookup: u32,
    slots: u32,
    span: Span,
    delayed: bool,
}

impl Imports {
    /// Descriptors of the DLLs, and the one of zeros that ends them; `None` where there is none.
    pub fn descriptors(&self, delayed: bool) -> Option<Span> {
        let mut libraries = self.libraries.iter().filter(|library| library.delayed == delayed);
        let first = libraries.next()?.span;
        let last = libraries.next_back().map_or(first, |library| library.span);
        Some(Span { len: first.to(last).len + last.len, ..first })
    }

    /// Reads the import table and the delay import table.
    pub fn read(image: &Pe) -> Self {
        let mut imports = Self::default();
        for (index, read) in
            [(Directory::IMPORTS, descriptors as fn(&Pe, u32) -> _), (Directory::DELAY_IMPORTS, delay_descriptors)]
        {
            let Some(rva) = image.directory(index).map(|directory| directory.rva) else { continue };
            let (tables, problem) = read(image, rva);
            let before = imports.problems.len();
            imports.problems.extend(problem);
            let mut first = 0;
            for tables in tables {
                let library = if image.optional.is_some_and(|optional| optional.is_wide) {
                    imports.library::<pe::ImageNtHeaders64>(image, &tables)
                } else {
                    imports.library::<pe::ImageNtHeaders32>(image, &tables)
                };
                let Some(library) = or_problem(library, &mut imports.problems) else { continue };
                let len = library.functions.len().max(1);
                imports.libraries.push(Library { first, ..library });
                first += len;
            }
            if index == Directory::DELAY_IMPORTS {
                imports.delay_problems = imports.problems.split_off(before);
            }
        }
        imports
    }

    /// Reads the functions of one DLL, as many as the budget still has room for.
    fn library<H: ImageNtHeaders>(&mut self, image: &Pe, tables: &Tables) -> Result<Library> {
        let size = size_of::<H::ImageThunkData>() as u32;
        let room = MAX_FUNCTIONS.saturating_sub(self.functions);
        let name = image.text_at_rva(tables.name)?;
        let lookup = if tables.lookup == 0 { tables.slots } else { tables.lookup };
        let bytes = image.rest_at_rva(lookup)?;
        let mut functions = Vec::new();
        let (name, name_span, span) = (name.lossy(), name.span(), tables.span);
        // One table's reader is enough: addresses count from where the bytes begin.
        if let Ok(mut list) = ImportTable::new(bytes.data, lookup, lookup).thunks(lookup) {
            loop {
                let at = functions.len() as u32;
                if functions.len() == room || self.names > RECORD_NAMES as usize {
                    self.problems.push(Error::invalid("too many imported functions: the list is cut", span));
                    break;
                }
                match list.next::<H>() {
                    Ok(Some(thunk)) => {
                        let thunk_span = bytes.span().part(u64::from(at.saturating_mul(size)), u64::from(size));
                        let read = function::<H>(image, thunk, thunk_span);
                        let Some((symbol, name_span)) = or_problem(read, &mut self.problems) else { break };
                        self.names += name_span.len as usize;
                        let slot_rva = tables.slots.wrapping_add(at.saturating_mul(size));
                        let slot_span = image.span_at_rva(slot_rva, size).unwrap_or_default();
                        let span = thunk_span;
                        functions.push(ImportedFunction { symbol, slot_rva, slot_span, span, name_span });
                    }
                    Ok(None) => break,
                    Err(_) => {
                        self.problems.push(Error::invalid("the list of imported functions has no terminator", span));
                        break;
                    }
                }
            }
        }
        self.functions += functions.len();
        Ok(Library { name, name_span, first: 0, delayed: tables.delayed, functions, span })
    }
}

/// Name or ordinal of an imported function, and the bytes of hint and name.
fn function<H: ImageNtHeaders>(image: &Pe, thunk: H::ImageThunkData, span: Span) -> Result<(ImportSymbol, Span)> {
    if thunk.is_ordinal() {
        return Ok((ImportSymbol::Ordinal(thunk.ordinal()), Span::default()));
    }
    let rva = thunk.address();
    let near = image.near_rva(rva, MAX_NAME + 2).map_err(|error| error.at(span))?;
    let bytes = near.part(0, near.len().min(MAX_NAME + 2)).unwrap_or_default();
    match ImportTable::new(bytes.data, rva, rva).import::<H>(thunk) {
        Ok(Import::Name(hint, name)) => {
            let name_span = bytes.span().part(0, name.len() as u64 + 3);
            Ok((ImportSymbol::Name { hint, name: String::from_utf8_lossy(name).into_owned() }, name_span))
        }
        _ => Err(Error::invalid("the name of an imported function cannot be read", span)),
    }
}

fn descriptors(image: &Pe, rva: u32) -> (Vec<Tables>, Option<Error>) {
    // The headers have reported an address that leads nowhere.
    let Ok(bytes) = image.rest_at_rva(rva) else { return (Vec::new(), None) };
    let Ok(found) = ImportTable::new(bytes.data, rva, rva).descriptors() else { return (Vec::new(), None) };
    collect(found, bytes, DESCRIPTOR_SIZE, |descriptor, span| Tables {
        name: descriptor.name.get(LE),
        lookup: descriptor.original_first_thunk.get(LE),
        slots: descriptor.first_thunk.get(LE),
        span,
        delayed: false,
    })
}

fn delay_descriptors(image: &Pe, rva: u32) -> (Vec<Tables>, Option<Error>) {
    // The headers have reported an address that leads nowhere.
    let Ok(bytes) = image.rest_at_rva(rva) else { return (Vec::new(), None) };
    let base = image.image_base() as u32;
    let Ok(found) = DelayLoadImportTable::new(bytes.data, rva, rva).descriptors() else { return (Vec::new(), None) };
    collect(found, bytes, DELAY_DESCRIPTOR_SIZE, |descriptor, span| {
        // Visual C++ 6 wrote addresses of memory instead of RVAs.
        let is_rva = descriptor.attributes.get(LE) & pe::IMAGE_DELAYLOAD_RVA_BASED != 0;
        let at = |address: u32| if is_rva { address } else { address.wrapping_sub(base) };
        Tables {
            name: at(descriptor.dll_name_rva.get(LE)),
            lookup: at(descriptor.import_name_table_rva.get(LE)),
            slots: at(descriptor.import_address_table_rva.get(LE)),
            span,
            delayed: true,
        }
    })
}

fn collect<D>(
    found: impl Iterator<Item = object::Result<D>>,
    bytes: Slice<'_>,
    size: u64,
    tables: impl Fn(D, Span) -> Tables,
) -> (Vec<Tables>, Option<Error>) {
    let mut list = Vec::new();
    for (index, descriptor) in found.enumerate() {
        let span = bytes.span().part(index as u64 * size, size);
        match descriptor {
            Ok(_) if list.len() == MAX_LIBRARIES => {
                return (list, Some(Error::invalid("too many imported DLLs: the list is cut", span)));
            }
            Ok(descriptor) => list.push(tables(descriptor, span)),
            Err(_) => return (list, Some(Error::invalid("the list of imported DLLs has no terminator", span))),
        }
    }
    (list, None)
}

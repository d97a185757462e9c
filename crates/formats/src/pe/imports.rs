//! Imports: the functions of other DLLs that the loader binds when it loads the image, and those that are bound when they are first
//! called (delay imports). Decoded by the `object` crate, with the bytes of each part.
//!
//! # References
//!
//! Microsoft, *PE Format*, "The .idata Section" and "Delay-Load Import Tables".

use object::LittleEndian as LE;
use object::pe;
use object::read::pe::{DelayLoadImportTable, ImageNtHeaders, ImageThunkData, Import, ImportTable};

use super::{Directory, MAX_NAME, Pe, lossy};
use crate::bytes::{Cursor, Error, RECORD_NAMES, Recorder, Result, Slice, Span, fields, record};

/// Most DLLs that are listed.
pub const MAX_LIBRARIES: usize = 4096;
/// Most functions that are listed, of all DLLs together.
pub const MAX_FUNCTIONS: usize = 1 << 17;

record! {
    /// The imports from one DLL (IMAGE_IMPORT_DESCRIPTOR); an entry of zeros ends the table.
    pub struct ImportDescriptor: "import descriptor" {
        /// The RVA of the import lookup table, which lists the imported functions; some old linkers leave it 0.
        import_lookup_table_rva: u32 as Rva,
        /// 0 if the image is not bound; otherwise the time stamp of the DLL, or -1 if the bound import table has it.
        time_date_stamp: u32 as Hex,
        /// The index of the first forwarded import in a bound image; -1 if there is none.
        forwarder_chain: u32 as Hex,
        /// The RVA of the name of the DLL.
        name_rva: u32 as Rva,
        /// The RVA of the import address table, where the loader stores the addresses of the functions.
        import_address_table_rva: u32 as Rva,
    }
}

record! {
    /// The delayed imports from one DLL (ImgDelayDescr); an entry of zeros ends the table.
    pub struct DelayImportDescriptor: "delay import descriptor" {
        /// 1 if the addresses below are RVAs; 0 in images of Visual C++ 6.0, where they are virtual addresses.
        attributes: u32 as Hex,
        /// The RVA of the name of the DLL.
        name_rva: u32 as Rva,
        /// The RVA of the DLL's module handle, which is 0 until the DLL is loaded.
        module_handle_rva: u32 as Rva,
        /// The RVA of the import address table, whose entries lead to code that loads the DLL when first called.
        import_address_table_rva: u32 as Rva,
        /// The RVA of the import name table, which lists the imported functions.
        import_name_table_rva: u32 as Rva,
        /// The RVA of the addresses that were resolved when the image was built; 0 if there are none.
        bound_import_table_rva: u32 as Rva,
        /// The RVA of a copy of the import address table, which unloading the DLL restores; 0 if there is none.
        unload_import_table_rva: u32 as Rva,
        /// 0 if the imports are not bound; otherwise the time stamp of the DLL.
        time_stamp: u32 as Hex,
    }
}

fields! {
    /// The import directory table: one descriptor for each DLL, and one of zeros that ends it.
    TABLE: "import directory table";
    /// The delay-load directory table: one descriptor for each DLL, and one of zeros that ends it.
    DELAY_TABLE: "delay-load directory table";
    /// The key of an imported function in its DLL: an ordinal if the top bit is set, otherwise the address of a name.
    LOOKUP_ENTRY: "import lookup entry";
    /// The RVA of hint and name of the function.
    HINT_NAME_RVA: "hint name rva" as Rva;
    /// The ordinal of the function, in the low 16 bits; the top bit marks it as one.
    ORDINAL: "ordinal" as Hex;
    /// The name of an imported function, with a guess at its position.
    HINT_NAME: "hint and name";
    /// The index at which the loader first looks for the name among the names that the DLL exports.
    HINT: "hint";
    /// The name of the function, with the NUL that ends it.
    FUNCTION_NAME: "name";
    /// The slot that calls of the function go through.
    ADDRESS_ENTRY: "import address table entry";
    /// The address of the function once the loader has written it; before that a copy of the lookup entry, or for a delayed
    /// import the address of the code that loads the DLL.
    ADDRESS: "address" as Hex;
    /// The name of the imported DLL.
    MODULE: "dll name";
    /// The file name, with the NUL that ends it.
    MODULE_NAME: "name";
}

/// Reads an import descriptor with notes.
pub fn descriptor<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    ImportDescriptor::decode(c).map(drop)
}

/// Reads a delay import descriptor with notes.
pub fn delay_descriptor<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    DelayImportDescriptor::decode(c).map(drop)
}

/// Reads the descriptors of all DLLs with notes.
pub fn table<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&TABLE, |c| {
        while c.left() >= ImportDescriptor::SIZE {
            descriptor(c)?;
        }
        Ok(())
    })
}

/// Reads the delay import descriptors of all DLLs with notes.
pub fn delay_table<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&DELAY_TABLE, |c| {
        while c.left() >= DelayImportDescriptor::SIZE {
            delay_descriptor(c)?;
        }
        Ok(())
    })
}

/// Reads the name of a DLL with notes.
pub fn module_name<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&MODULE, |c| c.text_z(&MODULE_NAME)).map(drop)
}

/// Reads a lookup entry with notes; it is as wide as an address.
pub fn lookup_entry<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    let is_ordinal = c.remaining().last().is_some_and(|byte| byte & 0x80 != 0);
    let doc = if is_ordinal { &ORDINAL } else { &HINT_NAME_RVA };
    c.group(&LOOKUP_ENTRY, |c| if c.left() < 8 { c.u32(doc).map(u64::from) } else { c.u64(doc) }).map(drop)
}

/// Reads hint and name of a function with notes.
pub fn hint_name<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&HINT_NAME, |c| {
        c.u16(&HINT)?;
        c.text_z(&FUNCTION_NAME).map(drop)
    })
}

/// Reads an entry of the import address table with notes; it is as wide as an address.
pub fn address_entry<N: Recorder>(c: &mut Cursor<'_, N>) -> Result<()> {
    c.group(&ADDRESS_ENTRY, |c| if c.left() < 8 { c.u32(&ADDRESS).map(u64::from) } else { c.u64(&ADDRESS) }).map(drop)
}

/// The import and the delay import table of an image.
#[derive(Clone, Debug, Default)]
pub struct Imports {
    /// The DLLs: those that are bound when the image is loaded, then the delayed ones.
    pub libraries: Vec<Library>,
    /// Errors of the import table; the list that has one ends there.
    pub problems: Vec<Error>,
    /// Errors of the delay import table.
    pub delay_problems: Vec<Error>,
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
            for tables in tables {
                let library = if image.optional.is_some_and(|optional| optional.is_wide) {
                    imports.library::<pe::ImageNtHeaders64>(image, &tables)
                } else {
                    imports.library::<pe::ImageNtHeaders32>(image, &tables)
                };
                match library {
                    Ok(library) => imports.libraries.push(library),
                    Err(error) => imports.problems.push(error),
                }
            }
            if index == Directory::DELAY_IMPORTS {
                imports.delay_problems = imports.problems.split_off(before);
            }
        }
        imports
    }

    /// Number of functions, of all DLLs together.
    pub fn function_count(&self) -> usize {
        self.libraries.iter().map(|library| library.functions.len()).sum()
    }

    /// Reads the functions of one DLL, as many as the budget still has room for.
    fn library<H: ImageNtHeaders>(&mut self, image: &Pe, tables: &Tables) -> Result<Library> {
        let size = size_of::<H::ImageThunkData>() as u32;
        let room = MAX_FUNCTIONS.saturating_sub(self.function_count());
        let name = image.text_at_rva(tables.name)?;
        let lookup = if tables.lookup == 0 { tables.slots } else { tables.lookup };
        let bytes = image.rest_at_rva(lookup)?;
        let mut functions = Vec::new();
        let (name, name_span, span) = (lossy(name), name.span(), tables.span);
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
                        let thunk_span = bytes.span().part(u64::from(at * size), u64::from(size));
                        match function::<H>(image, thunk, thunk_span) {
                            Ok(found) => {
                                let slot_rva = tables.slots.wrapping_add(at * size);
                                let slot_span = image.span_at_rva(slot_rva, size).unwrap_or_default();
                                functions.push(ImportedFunction { slot_rva, slot_span, ..found });
                            }
                            Err(error) => {
                                self.problems.push(error);
                                break;
                            }
                        }
                    }
                    Ok(None) => break,
                    Err(_) => {
                        self.problems.push(Error::invalid("the list of imported functions has no terminator", span));
                        break;
                    }
                }
            }
        }
        Ok(Library { name, name_span, delayed: tables.delayed, functions, span })
    }
}

fn function<H: ImageNtHeaders>(image: &Pe, thunk: H::ImageThunkData, span: Span) -> Result<ImportedFunction> {
    if thunk.is_ordinal() {
        let symbol = ImportSymbol::Ordinal(thunk.ordinal());
        return Ok(ImportedFunction {
            symbol,
            slot_rva: 0,
            slot_span: Span::default(),
            span,
            name_span: Span::default(),
        });
    }
    let rva = thunk.address();
    let bytes = head(image.near_rva(rva, MAX_NAME + 2).map_err(|error| error.at(span))?);
    match ImportTable::new(bytes.data, rva, rva).import::<H>(thunk) {
        Ok(Import::Name(hint, name)) => Ok(ImportedFunction {
            symbol: ImportSymbol::Name { hint, name: String::from_utf8_lossy(name).into_owned() },
            slot_rva: 0,
            slot_span: Span::default(),
            span,
            name_span: bytes.span().part(0, name.len() as u64 + 3),
        }),
        _ => Err(Error::invalid("the name of an imported function cannot be read", span)),
    }
}

/// As many bytes as a hint and the longest name that is read take.
fn head(bytes: Slice<'_>) -> Slice<'_> {
    bytes.part(0, bytes.len().min(MAX_NAME + 2)).unwrap_or_default()
}

fn descriptors(image: &Pe, rva: u32) -> (Vec<Tables>, Option<Error>) {
    // The headers have reported an address that leads nowhere.
    let Ok(bytes) = image.rest_at_rva(rva) else { return (Vec::new(), None) };
    let Ok(found) = ImportTable::new(bytes.data, rva, rva).descriptors() else { return (Vec::new(), None) };
    collect(found, bytes, ImportDescriptor::SIZE, |descriptor, span| Tables {
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
    collect(found, bytes, DelayImportDescriptor::SIZE, |descriptor, span| {
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

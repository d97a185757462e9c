//! Parts of a PDB that are read once and kept: types, ids, sections, publics and globals, and the index by address.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::index::{AddressIndex, Function, LineRange};
use super::inline_sites::{InlineSite, sites_at};
use super::{AddressMap, Globals, ImageSection, ModuleStream, Pdb, TypeStream, streams};
use crate::bytes::{Error, Spaces};
use crate::codeview::c13::Line;

/// Tables of a PDB that are read on first use and kept. Every method takes the PDB and the spaces with its bytes.
#[derive(Debug, Default)]
pub struct PdbTables {
    types: OnceLock<TypeStream>,
    ids: OnceLock<TypeStream>,
    /// Section headers of the open image.
    image: Vec<ImageSection>,
    addresses: OnceLock<AddressMap>,
    globals: OnceLock<Globals>,
    index: OnceLock<AddressIndex>,
    /// Numbers of the modules by name, in lower case.
    module_numbers: OnceLock<HashMap<Vec<u8>, u32>>,
}

/// Function, line and inlined calls at an address of the image.
#[allow(missing_docs)]
#[derive(Clone, Debug, Default)]
pub struct AddressInfo {
    /// The section, from 1, and the offset in it.
    pub address: (u16, u32),
    pub function: Option<Function>,
    /// Line in the function that contains the code.
    pub line: Option<Line>,
    /// Inlined calls, outermost first.
    pub inlined: Vec<InlineSite>,
    pub problems: Vec<Error>,
}

impl PdbTables {
    /// The types.
    pub fn types(&self, pdb: &Pdb, spaces: &Spaces) -> &TypeStream {
        self.types.get_or_init(|| type_stream(pdb, spaces, streams::TPI))
    }

    /// The ids; none in a PDB whose stream 4 is not the IPI.
    pub fn ids(&self, pdb: &Pdb, spaces: &Spaces) -> &TypeStream {
        let read = || if pdb.info.has_ids() { type_stream(pdb, spaces, streams::IPI) } else { TypeStream::default() };
        self.ids.get_or_init(read)
    }

    /// Addresses of the sections of the image.
    pub fn addresses(&self, pdb: &Pdb, spaces: &Spaces) -> &AddressMap {
        self.addresses.get_or_init(|| AddressMap::read(pdb, spaces, &self.image))
    }

    /// Hands over the section headers of the image that the PDB belongs to.
    pub fn use_sections(&mut self, image: Vec<ImageSection>) {
        self.image = image;
    }

    /// The public and the global symbols.
    pub fn globals(&self, pdb: &Pdb, spaces: &Spaces) -> &Globals {
        self.globals.get_or_init(|| Globals::read(pdb, spaces))
    }

    /// Functions and lines by address.
    pub fn index(&self, pdb: &Pdb, spaces: &Spaces) -> &AddressIndex {
        self.index.get_or_init(|| AddressIndex::read(pdb, spaces))
    }

    /// The first module with a name, in any case.
    pub fn module_named(&self, pdb: &Pdb, name: &str) -> Option<u32> {
        let numbers = self.module_numbers.get_or_init(|| {
            let names = pdb.modules().iter().map(|module| pdb.dbi.as_ref()?.names_of(module).ok());
            let numbered =
                (0..).zip(names).filter_map(|(number, info)| Some((info?.name.data.to_ascii_lowercase(), number)));
            // The first of a name counts: it comes last here.
            numbered.collect::<Vec<_>>().into_iter().rev().collect()
        });
        numbers.get(&name.to_ascii_lowercase().into_bytes()).copied()
    }

    /// Reads all tables, which takes time in a large PDB.
    pub fn read_all(&self, pdb: &Pdb, spaces: &Spaces) {
        self.index(pdb, spaces);
        self.addresses(pdb, spaces);
        self.globals(pdb, spaces);
        self.types(pdb, spaces);
        self.ids(pdb, spaces);
    }

    /// Returns true once all tables are read.
    pub fn is_read(&self) -> bool {
        let types = self.types.get().is_some() && self.ids.get().is_some();
        types && self.index.get().is_some() && self.addresses.get().is_some() && self.globals.get().is_some()
    }

    /// Finds the function, line and inlined calls at `rva` of the image.
    pub fn find(&self, pdb: &Pdb, spaces: &Spaces, rva: u32) -> AddressInfo {
        let Some(address) = self.addresses(pdb, spaces).section_offset(rva) else { return AddressInfo::default() };
        let index = self.index(pdb, spaces);
        let mut found = AddressInfo { address, function: index.function_at(address), ..AddressInfo::default() };
        let mut read = |module: u32| match ModuleStream::read(pdb, spaces, module) {
            Ok(module) => Some(module),
            Err(error) => {
                found.problems.push(error);
                None
            }
        };
        // Folded functions share their address, and each has lines of its own.
        let own = found.function.and_then(|function| {
            let holds =
                |range: &LineRange| range.section == address.0 && address.1.wrapping_sub(range.offset) < range.len;
            index.lines_of(&function).find(holds)
        });
        let range = own.or_else(|| index.lines_at(address));
        let lines = range.and_then(|range| Some((range, read(range.module)?)));
        let module = found.function.and_then(|function| Some((function, read(function.module)?)));
        if let Some((range, module)) = lines {
            match module.line_at(range.at, address.1) {
                Ok(line) => found.line = line,
                Err(error) => found.problems.push(error),
            }
        }
        if let Some((function, module)) = module {
            match sites_at(&module, &function, address.1) {
                Ok(sites) => found.inlined = sites,
                Err(error) => found.problems.push(error),
            }
        }
        found
    }
}

fn type_stream(pdb: &Pdb, spaces: &Spaces, stream: u32) -> TypeStream {
    pdb.stream(spaces, stream).map(TypeStream::parse).unwrap_or_default()
}

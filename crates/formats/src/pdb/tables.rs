//! Parts of a PDB that are read once and kept: types, ids, sections, publics and globals, and the index by address.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::index::AddressIndex;
use super::{AddressMap, Globals, Pdb, TypeStream, streams};
use crate::bytes::Spaces;
use crate::pe::SectionHeader;

/// Tables of a PDB that are read on first use and kept. Every method takes the PDB and the spaces with its bytes.
#[derive(Debug, Default)]
pub struct PdbTables {
    types: OnceLock<TypeStream>,
    ids: OnceLock<TypeStream>,
    /// Section headers of the open image.
    image: Vec<SectionHeader>,
    addresses: OnceLock<AddressMap>,
    globals: OnceLock<Globals>,
    index: OnceLock<AddressIndex>,
    /// Numbers of the modules by name, in lower case.
    module_numbers: OnceLock<HashMap<Vec<u8>, u32>>,
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
    pub fn use_sections(&mut self, image: Vec<SectionHeader>) {
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
}

fn type_stream(pdb: &Pdb, spaces: &Spaces, stream: u32) -> TypeStream {
    pdb.stream(spaces, stream).map(TypeStream::parse).unwrap_or_default()
}

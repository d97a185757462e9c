//! Parts that only a Windows PDB of native code has: its compilers, and documents whose checksums are in its modules.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::{WindowsSymbols, module_name};
use crate::symbols::{Document, ModuleHash};
use crate::text::guids;
use pdblens_formats::bytes::{Guid, Result, Spaces};
use pdblens_formats::managed::WindowsPdb;
use pdblens_formats::pdb::ModuleStream;
use pdblens_formats::pe::SectionHeader;

const MAX_MODULES: usize = 64;

const MAX_HASHES: usize = 64;

#[derive(Debug, Default)]
pub(super) struct NativeParts {
    /// For each document a module that has it.
    modules: OnceLock<Vec<Option<u32>>>,
    /// Hashes of each document, by module.
    hashes: OnceLock<Vec<Vec<ModuleHash>>>,
    /// Names and values of the options of the compilers.
    pub(super) options: OnceLock<Vec<(String, String)>>,
}

impl WindowsSymbols {
    /// Hashes of a document by module, each different one once. The first call looks at all modules.
    pub fn module_hashes(&self, document: u32) -> &[ModuleHash] {
        let hashes = self.native.hashes.get_or_init(|| module_hashes(&self.pdb, &self.spaces));
        (document as usize).checked_sub(1).and_then(|index| hashes.get(index)).map_or(&[], Vec::as_slice)
    }

    /// Takes the section headers of its image, which count more than the copies of them.
    pub(crate) fn use_sections(&mut self, image: Vec<SectionHeader>) {
        self.tables.use_sections(image);
    }

    /// The document with its checksum from a module that has it.
    pub(super) fn with_checksum(&self, row: u32, mut document: Document) -> Result<Document> {
        let Some(module) = self.module_of(row) else { return Ok(document) };
        let module = ModuleStream::read(&self.pdb, &self.spaces, module)?;
        let mut files = module.source_files(&self.pdb.names).map_while(Result::ok);
        if let Some(file) = files.find(|file| file.path == document.name) {
            document.hash_algorithm = checksum_algorithm(file.checksum.kind);
            document.hash = self.spaces.read(file.checksum.checksum)?.into_owned();
        }
        Ok(document)
    }

    fn module_of(&self, row: u32) -> Option<u32> {
        let modules = self.native.modules.get_or_init(|| {
            let mut modules = vec![None; self.pdb.documents().len()];
            let Some(dbi) = &self.pdb.dbi else { return modules };
            let names = self.pdb.documents().iter().map(|found| found.name.value.as_str());
            let rows: HashMap<&str, usize> = names.zip(0..).collect();
            for module in 0..dbi.sources.module_count {
                for file in dbi.sources.files_of(module) {
                    let row = std::str::from_utf8(file.data).ok().and_then(|name| rows.get(name));
                    if let Some(slot @ None) = row.and_then(|row| modules.get_mut(*row)) {
                        *slot = Some(u32::from(module));
                    }
                }
            }
            modules
        });
        modules.get((row as usize).checked_sub(1)?).copied().flatten()
    }
}

/// Hash algorithm of a C13 checksum, by its kind.
pub const fn checksum_algorithm(kind: u8) -> Option<Guid> {
    match kind {
        1 => Some(guids::MD5),
        2 => Some(guids::SHA1),
        3 => Some(guids::SHA256),
        _ => None,
    }
}

/// Hashes of every document, by row, from one pass over the modules.
fn module_hashes(pdb: &WindowsPdb, spaces: &Spaces) -> Vec<Vec<ModuleHash>> {
    let mut documents = vec![Vec::new(); pdb.documents().len()];
    for number in 0..pdb.modules().len() as u32 {
        // Checksums before an error are kept.
        let Ok(Some(module)) = ModuleStream::read_once(pdb, spaces, number) else { continue };
        let mut name = None;
        for file in module.checksums().iter().map_while(|entry| Some(entry.ok()?.1)) {
            let row = pdb.document_row(file.name).and_then(|row| documents.get_mut((row as usize).checked_sub(1)?));
            let hash = module.region.slice().at(file.checksum).map_or(&[][..], |slice| slice.data);
            let Some(hashes): Option<&mut Vec<ModuleHash>> = row else { continue };
            let (algorithm, span) = (checksum_algorithm(file.kind), file.span);
            let known = hashes.iter().position(|known| known.algorithm == algorithm && known.hash == hash);
            if known.is_none() && hashes.len() < MAX_HASHES {
                hashes.push(ModuleHash { algorithm, hash: hash.to_vec(), span, ..ModuleHash::default() });
            }
            let last = hashes.len().saturating_sub(1);
            let Some(found) = hashes.get_mut(known.unwrap_or(last)) else { continue };
            found.count = found.count.saturating_add(1);
            if found.modules.len() < MAX_MODULES {
                found.modules.push(name.get_or_insert_with(|| module_name(pdb, number)).clone());
            }
        }
    }
    documents
}

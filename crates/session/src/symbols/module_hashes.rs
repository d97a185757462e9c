//! Hashes of the documents of a native PDB: each module has its own, in the file checksums.

use crate::symbols::{ModuleHash, checksum_algorithm};
use crate::text::safe::utf8;
use pdblens_formats::bytes::Spaces;
use pdblens_formats::managed::WindowsPdb;
use pdblens_formats::pdb::ModuleStream;

/// Modules that are named for one hash.
const MAX_MODULES: usize = 64;

/// Different hashes that are kept for one document.
const MAX_HASHES: usize = 64;

/// Hashes of every document, by row, from one pass over the modules.
pub(super) fn module_hashes(pdb: &WindowsPdb, spaces: &Spaces) -> Vec<Vec<ModuleHash>> {
    let mut documents = vec![Vec::new(); pdb.documents().len()];
    for number in 0..pdb.modules().len() as u32 {
        // What comes before an error counts.
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

fn module_name(pdb: &WindowsPdb, module: u32) -> String {
    let found = pdb.modules().get(module as usize).zip(pdb.dbi.as_ref());
    let info = found.and_then(|(module, dbi)| dbi.names_of(module).ok());
    info.map_or_else(String::new, |info| utf8(info.name.data).into_owned())
}

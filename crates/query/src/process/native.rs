//! Names of native functions: by the PDBs of images of Windows, and by what libraries export.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use pdblens_formats::bytes::Guid;
use pdblens_nodes::function::function_name;
use pdblens_session::session::Session;
use pdblens_session::store::http::Http;
use pdblens_session::store::{Search, SymbolPath, SymbolPaths, Wanted};
use pdblens_session::symbols::{IdSuffix, SymbolId};
use pdblens_session::text::paths::file_name;

use super::Process;

impl Process {
    /// The same process; PDBs of its native code are searched along paths, and servers are asked that the user named.
    #[must_use]
    pub fn with_symbols(mut self, paths: SymbolPaths) -> Self {
        self.symbols = paths;
        self
    }

    /// Name of the native function at an address. A PDB has those that a library does not export, too. Where natives are not named, only what leads to
    /// the PDB is read.
    pub(super) fn function_name(&self, at: u64) -> Option<String> {
        if !self.names_natives {
            self.runtime.windows_image(at);
            return None;
        }
        self.name_in_pdb(at).or_else(|| self.runtime.function_name(at))
    }

    fn name_in_pdb(&self, at: u64) -> Option<String> {
        let (base, id) = self.runtime.windows_image(at)?;
        let rva = u32::try_from(at.checked_sub(base)?).ok()?;
        let path = &self.runtime.target().file_at(at)?.path;
        let mut known = self.natives.lock().unwrap_or_else(PoisonError::into_inner);
        let session = known.entry(base).or_insert_with(|| self.native_pdb(path, id).map(Arc::new)).clone();
        drop(known);
        function_name(&*session?, rva)
    }

    /// The PDB with an id: beside the image or the core, or along the paths.
    fn native_pdb(&self, image: &str, (guid, age): (Guid, u32)) -> Option<Session> {
        let name = file_name(image);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let wanted = Wanted::symbols(&format!("{stem}.pdb"), SymbolId { guid, suffix: IdSuffix::Age(age) });
        let here = self.runtime.target().path_here(image);
        let folders = here.parent().into_iter().chain(self.images_in.as_deref());
        let beside = folders.map(|folder: &Path| folder.display().to_string()).collect::<Vec<_>>().join(";");
        let mut progress = |_, _| ControlFlow::Continue(());
        let found = match Search::new(&SymbolPath::parse(&beside), None).find(&wanted, &mut progress) {
            Some(found) => found,
            None => self.symbols.find(&wanted, [Some(&Http::default()), None], &mut progress).0?,
        };
        Session::from_bytes(vec![(found.path, found.bytes)]).ok()
    }
}

//! Composite images: the code of several assemblies in one file.
//!
//! An assembly has a core header of its own there, with the sections about its rows; all other sections are of the whole image. The file
//! of the assembly has its IL, and a ReadyToRun header that names the composite image.

use super::contents::ComponentAssembly;
use super::{ReadyToRun, section};
use crate::bytes::{Guid, Result};
use crate::metadata::{Metadata, Root, TableId};
use crate::pe::Pe;

/// Limit on the assemblies of an image.
const MAX_COMPONENTS: usize = 1 << 14;

/// Column of AssemblyRef with the name.
const NAME: usize = 6;

/// An assembly of a composite image.
#[derive(Clone, Debug)]
pub struct Component {
    /// Name of the assembly in the manifest; empty where that cannot be read.
    pub name: String,
    /// Module version id of the IL that was compiled; `None` where the image has none.
    pub mvid: Option<Guid>,
    /// The header as this assembly has it: its own sections, then those of the image.
    pub r2r: ReadyToRun,
}

impl ReadyToRun {
    /// File name of the composite image with the code of this component.
    pub fn owner(&self, image: &Pe) -> Option<String> {
        let bytes = self.bytes(image, section::OWNER)?.ok()?;
        Some(String::from_utf8_lossy(bytes.data).trim_end_matches('\0').to_owned())
    }

    /// Assemblies of a composite image, up to the first that cannot be read. The first is that of row 1 of AssemblyRef in the manifest.
    pub fn components(&self, image: &Pe) -> Vec<Component> {
        let Some(Ok(bytes)) = self.bytes(image, section::COMPONENTS) else { return Vec::new() };
        let manifest = self.manifest(image);
        let name = |row| {
            let name = manifest.as_ref()?.string_cell(TableId::ASSEMBLY_REF, row, NAME).ok()?;
            Some(String::from_utf8_lossy(name.data).into_owned())
        };
        let mvids = self.bytes(image, section::MVIDS).and_then(Result::ok).unwrap_or_default();
        let mvid = |index| Some(Guid(*mvids.data.chunks_exact(16).nth(index)?.first_chunk()?));
        let mut all = Vec::new();
        let mut c = bytes.cursor();
        while all.len() < MAX_COMPONENTS
            && let Ok(entry) = ComponentAssembly::decode(&mut c)
            && let Ok(r2r) = self.component(image, entry)
        {
            let index = all.len();
            let name = name((index as u32).saturating_add(1)).unwrap_or_default();
            all.push(Component { name, mvid: mvid(index).filter(|mvid| !mvid.is_nil()), r2r });
        }
        all
    }

    fn component(&self, image: &Pe, entry: ComponentAssembly) -> Result<Self> {
        let bytes = image.at_rva(entry.core_header_rva, entry.core_header_size)?;
        let (core, mut sections) = Self::core(&mut bytes.cursor())?;
        sections.extend_from_slice(&self.sections);
        Ok(Self { core, sections, span: bytes.span(), ..self.clone() })
    }

    /// Metadata with the names of the assemblies.
    fn manifest(&self, image: &Pe) -> Option<Metadata> {
        let bytes = self.bytes(image, section::MANIFEST)?.ok()?;
        let root = image.region().part_at(bytes.span()).and_then(Root::parse).ok()?;
        Some(Metadata::parse(root, &[0; 64]))
    }
}

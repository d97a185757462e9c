//! Modules of a process: their paths, and the ids of the images that are loaded.
//!
//! # References
//!
//! dotnet/runtime, `docs/design/datacontracts/Loader.md`

use pdblens_formats::bytes::Guid;

use crate::Result;
use crate::code::Runtime;
use crate::memory::after;

/// Most characters of a path, most entries of a debug directory, most modules and domains' assemblies.
const MOST_PATH: usize = 1 << 15;
const MOST_ENTRIES: u64 = 64;
const MOST_MODULES: u64 = 1 << 16;
/// Most blocks of a list of assemblies.
const MOST_BLOCKS: usize = 1 << 12;
/// First word of the CodeView record that names a PDB.
const RSDS: u32 = 0x5344_5352;
/// Type of its entry in the debug directory.
const CODEVIEW: u32 = 2;

/// A module of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its address, by which methods refer to it.
    pub address: u64,
    /// Path in the process; empty for a module made at run time.
    pub path: String,
    /// Address of its image; 0 without one.
    pub base: u64,
    /// GUID and age that the loaded image has of its PDB.
    pub pdb: Option<(Guid, u32)>,
}

impl Runtime {
    /// The module at an address.
    ///
    /// # Errors
    ///
    /// [`crate::MemoryError::NotMapped`], [`crate::MemoryError::NotDescribed`]
    pub fn module(&self, address: u64) -> Result<Module> {
        let text = |field| {
            let at = self.pointer(address, "Module", field)?;
            if at == 0 { Ok(String::new()) } else { self.memory().utf16(at, MOST_PATH) }
        };
        let mut path = text("Path").unwrap_or_default();
        if path.is_empty() {
            path = text("FileName").unwrap_or_default();
        }
        let base = self.pointer(address, "Module", "Base")?;
        Ok(Module { address, path, base, pdb: self.pdb_id(base) })
    }

    /// Id of the PDB that a loaded image names. The image is mapped by sections, or as it is on disk.
    pub(crate) fn pdb_id(&self, base: u64) -> Option<(Guid, u32)> {
        let memory = self.memory();
        let header = after(base, memory.u32(after(base, 0x3c)).ok()?.into());
        let optional = after(header, 24);
        let directories = after(optional, if memory.u16(optional).ok()? == 0x20b { 112 } else { 96 });
        let (rva, size) = (memory.u32(after(directories, 48)).ok()?, memory.u32(after(directories, 52)).ok()?);
        let sections = after(optional, memory.u16(after(header, 20)).ok()?.into());
        let count = u64::from(memory.u16(after(header, 6)).ok()?.min(96));
        let in_file = |rva: u32| {
            (0..count).find_map(|index| {
                let field = |at| memory.u32(after(sections, 40 * index + at)).ok();
                let distance = rva.checked_sub(field(12)?)?;
                (distance < field(16)?).then_some(u64::from(field(20)?) + u64::from(distance))
            })
        };
        let mapped = |rva: u32| Some(u64::from(rva));
        let id = |place: &dyn Fn(u32) -> Option<u64>| {
            (0..u64::from(size / 28).min(MOST_ENTRIES)).find_map(|index| {
                let entry = after(after(base, place(rva)?), 28 * index);
                if memory.u32(after(entry, 12)).ok()? != CODEVIEW {
                    return None;
                }
                let record = after(base, place(memory.u32(after(entry, 20)).ok()?)?);
                let bytes = memory.bytes(record, 24, 24).ok()?;
                let (guid, age) = bytes.get(4..)?.split_at_checked(16)?;
                let guid = Guid(guid.try_into().ok()?);
                (memory.u32(record).ok()? == RSDS).then_some((guid, u32::from_le_bytes(age.try_into().ok()?)))
            })
        };
        id(&mapped).or_else(|| id(&in_file))
    }

    /// Module of the program that was started.
    ///
    /// # Errors
    ///
    /// [`crate::MemoryError::NotMapped`], [`crate::MemoryError::NotDescribed`]
    pub fn root_module(&self) -> Result<Module> {
        let domain = self.memory().u64(self.contracts().global("AppDomain")?)?;
        let assembly = self.pointer(domain, "AppDomain", "RootAssembly")?;
        self.module(self.pointer(assembly, "Assembly", "Module")?)
    }

    /// The modules of the process, in the order in which their assemblies were loaded.
    ///
    /// # Errors
    ///
    /// [`crate::MemoryError::NotMapped`], [`crate::MemoryError::NotDescribed`]
    pub fn modules(&self) -> Result<Vec<Module>> {
        let contracts = self.contracts();
        let domain = self.memory().u64(contracts.global("AppDomain")?)?;
        let list = after(domain, contracts.offset("AppDomain", "DomainAssemblyList")?);
        let count =
            u64::from(self.memory().u32(after(list, contracts.offset("ArrayListBase", "Count")?))?).min(MOST_MODULES);
        let mut block = after(list, contracts.offset("ArrayListBase", "FirstBlock")?);
        let mut modules = Vec::new();
        let mut seen = 0;
        for _ in 0..MOST_BLOCKS {
            let size = u64::from(self.memory().u32(after(block, contracts.offset("ArrayListBlock", "Size")?))?);
            let items = after(block, contracts.offset("ArrayListBlock", "ArrayStart")?);
            for index in 0..size.min(count - seen) {
                let mut assembly = self.memory().u64(after(items, 8 * index))?;
                // Up to version 1 of the contract, a node between has the assembly as its first field.
                if contracts.version("Loader") == Some(1) && assembly != 0 {
                    assembly = self.memory().u64(assembly)?;
                }
                seen += 1;
                if assembly != 0
                    && let Ok(address) = self.pointer(assembly, "Assembly", "Module")
                    && address != 0
                {
                    modules.extend(self.module(address));
                }
            }
            block = self.pointer(block, "ArrayListBlock", "Next")?;
            if block == 0 || seen == count {
                break;
            }
        }
        Ok(modules)
    }
}

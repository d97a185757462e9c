//! Offsets and globals that the runtime describes.

use std::collections::HashMap;

use serde_json::Value;

use crate::elf::NativeLibrary;
use crate::memory::{Memory, after};
use crate::target::{Target, is_runtime};
use crate::{MemoryError, Result};

/// Symbol of the description in the library of the runtime.
const DESCRIPTOR: &str = "DotNetRuntimeContractDescriptor";
/// First bytes of the description.
const MAGIC: &[u8] = b"DNCCDAC\0";
/// Most bytes of its text; that of .NET 10 has 12 KB.
const MOST_TEXT: u64 = 4 << 20;
/// Most pointers of its globals; .NET 10 has 24.
const MOST_POINTERS: u64 = 1 << 16;

/// Offsets, globals and versions that the runtime describes.
#[derive(Debug)]
pub struct Contracts {
    /// Offsets of fields by type and name; `!` is the size of the type.
    types: HashMap<String, HashMap<String, u64>>,
    globals: HashMap<String, Global>,
    versions: HashMap<String, u64>,
}

#[derive(Debug)]
enum Global {
    Number(u64),
    Text(String),
    /// Address of the global.
    Pointer(u64),
}

impl Contracts {
    /// Reads the description of the runtime that is loaded in a process.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NoRuntime`] without one that describes itself.
    pub fn read(target: &Target) -> Result<Self> {
        let runtime = target.files.iter().find(|file| file.offset == 0 && is_runtime(&file.path));
        // A single-file program has the runtime in its host, the first file that is mapped.
        let host = target.files.iter().find(|file| file.offset == 0);
        if let Some(file) = runtime
            && target.memory.u8(file.start).is_err()
        {
            return Err(MemoryError::NotCore(
                "it leaves out the library of the runtime, and that is not at its path: put coreclr.dll of this version beside it",
            ));
        }
        for file in runtime.into_iter().chain(host) {
            let memory = target.memory.as_ref();
            let Some(library) = NativeLibrary::read(memory, file.start) else { continue };
            let Some(at) = library.symbol(memory, DESCRIPTOR) else { continue };
            return Self::at(memory, at);
        }
        Err(MemoryError::NoRuntime)
    }

    fn at(memory: &dyn Memory, at: u64) -> Result<Self> {
        if memory.bytes(at, 8, 8)? != MAGIC {
            return Err(MemoryError::NoRuntime);
        }
        let text = memory.bytes(memory.u64(after(at, 16))?, memory.u32(after(at, 12))?.into(), MOST_TEXT)?;
        let count = u64::from(memory.u32(after(at, 24))?);
        if count > MOST_POINTERS {
            return Err(MemoryError::Endless("pointers of the description"));
        }
        let pointers = memory.u64(after(at, 32))?;
        let pointers = (0..count).map(|index| memory.u64(after(pointers, 8 * index))).collect::<Result<Vec<_>>>()?;
        let Ok(value) = serde_json::from_slice::<Value>(&text) else { return Err(MemoryError::NoRuntime) };
        let mut contracts = Self { types: HashMap::new(), globals: HashMap::new(), versions: HashMap::new() };
        for (name, fields) in entries(&value["types"]) {
            let fields = entries(fields).filter_map(|(field, offset)| Some((field.clone(), number(first(offset))?)));
            contracts.types.insert(name.clone(), fields.collect());
        }
        for (name, value) in entries(&value["globals"]) {
            let global = match first(value) {
                // An index into the pointers.
                Value::Array(index) => index
                    .first()
                    .and_then(number)
                    .and_then(|index| pointers.get(index as usize))
                    .map(|at| Global::Pointer(*at)),
                value => number(value)
                    .map(Global::Number)
                    .or_else(|| value.as_str().map(|text| Global::Text(text.to_owned()))),
            };
            contracts.globals.extend(global.map(|global| (name.clone(), global)));
        }
        contracts.versions =
            entries(&value["contracts"]).filter_map(|(name, version)| Some((name.clone(), number(version)?))).collect();
        Ok(contracts)
    }

    /// Offset of a field.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotDescribed`]
    pub fn offset(&self, type_name: &str, field: &str) -> Result<u64> {
        let found = self.types.get(type_name).and_then(|fields| fields.get(field));
        found.copied().ok_or_else(|| MemoryError::NotDescribed(format!("{type_name}.{field}")))
    }

    /// Size of a type.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotDescribed`]
    pub fn size(&self, type_name: &str) -> Result<u64> {
        self.offset(type_name, "!")
    }

    /// Number or address of a global.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotDescribed`]
    pub fn global(&self, name: &str) -> Result<u64> {
        match self.globals.get(name) {
            Some(Global::Number(value) | Global::Pointer(value)) => Ok(*value),
            _ => Err(MemoryError::NotDescribed(name.to_owned())),
        }
    }

    /// Text of a global: the architecture.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.globals.get(name) {
            Some(Global::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Version of a contract.
    pub fn version(&self, name: &str) -> Option<u64> {
        self.versions.get(name).copied()
    }

    /// Pointer in a field of the structure at an address.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotDescribed`], [`MemoryError::NotMapped`]
    pub fn pointer(&self, memory: &dyn Memory, at: u64, type_name: &str, field: &str) -> Result<u64> {
        memory.u64(after(at, self.offset(type_name, field)?))
    }
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// The value of `[value, type]`, or the value itself. An index of a pointer is an array of one number and stays.
fn first(value: &Value) -> &Value {
    match value {
        Value::Array(items) if items.len() == 2 => &items[0],
        value => value,
    }
}

/// A number, or its text in decimal or hexadecimal digits.
fn number(value: &Value) -> Option<u64> {
    let Some(text) = value.as_str() else { return value.as_u64() };
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

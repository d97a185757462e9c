//! Names of an address: the nearest public symbol if no function contains it, and all functions that the linker folded into one.

use super::NativeView;
use crate::place::Place;
use pdblens_formats::bytes::Span;
use pdblens_formats::codeview::symbols::{Record, Symbol};
use pdblens_formats::pdb::Function;
use pdblens_formats::points_around::PointsAround;
use pdblens_session::text::demangle::readable;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::utf8;

/// Limit on the functions or public symbols that are listed for one address.
const MAX_FOLDED: usize = 64;

/// Last public symbol at or before an address, in the same section.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "nearest_symbol"))]
pub struct NearestSymbol {
    /// Source name: undecorated.
    pub name: String,
    /// Name as the linker wrote it.
    pub decorated: String,
    /// Its address in the image.
    #[serde(rename = "address", serialize_with = "pdblens_formats::serialize::hexadecimal")]
    #[cfg_attr(feature = "schema", schemars(with = "pdblens_formats::json_schema::Address"))]
    pub rva: u32,
    /// Bytes from the symbol to the address.
    pub offset: u32,
    /// Its record.
    #[serde(skip)]
    pub place: Place,
    /// Source names of further public symbols with the same address.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
}

/// One of several functions whose code the linker folded into one.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "folded_function"))]
pub struct FoldedFunction {
    /// Name of the function.
    pub name: String,
    /// File name of its module.
    pub module: String,
    /// Path of the source file; empty without lines.
    #[serde(rename = "document", skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// Line of the source; 0 without lines.
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u32,
    /// Its own points around the offset.
    #[serde(skip)]
    pub found: PointsAround,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl FoldedFunction {
    /// Returns whether the function goes by a name, with or without its namespaces.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with("::"))
    }
}

impl NearestSymbol {
    /// Name and distance, as debuggers write them: `name+0x4`.
    pub fn text(&self) -> String {
        if self.offset == 0 { self.name.clone() } else { format!("{}+{:#x}", self.name, self.offset) }
    }
}

impl NativeView<'_> {
    /// Public symbol at or before an address of the image, in the same section.
    pub fn nearest(&self, rva: u32) -> Option<NearestSymbol> {
        let (section, offset) = self.addresses().section_offset(rva)?;
        let globals = self.globals();
        let row = globals.public_row_at((section, offset))?;
        let stream = u32::from(self.view.pdb.dbi.as_ref()?.header.symbol_record_stream);
        let read = |row: u32| globals.public(row).and_then(|record: Record<'_>| Some((record, record.read().ok()?)));
        let (_, last) = read(row)?;
        let same = |symbol: &Symbol<'_>| (symbol.section, symbol.offset) == (last.section, last.offset);
        // Symbols of folded functions share an address: the first is the one that is named.
        let rows = (0..=row).rev().take(MAX_FOLDED).take_while(|row| read(*row).is_some_and(|(_, found)| same(&found)));
        let mut found: Vec<u32> = rows.collect();
        found.reverse();
        let (record, first) = read(*found.first()?)?;
        let decorated = utf8(first.name.data).into_owned();
        let others = found.iter().skip(1).filter_map(|row| Some(readable(&utf8(read(*row)?.1.name.data)))).collect();
        Some(NearestSymbol {
            name: readable(&decorated),
            decorated,
            rva: self.view.rva(first.section, first.offset)?,
            offset: offset.checked_sub(first.offset)?,
            place: Place::Record(stream, record.span().start as u32),
            others,
        })
    }

    /// Record of a function, where its address is named for another one that the linker folded it into.
    pub fn folded_record(&self, function: &Function) -> Option<Span> {
        let named = self.index().folded(function).first()?;
        let module = if named == function { None } else { self.module(function.module).ok() };
        module?.symbol(function.symbol).ok().map(Record::span)
    }

    /// Record of the function with a name, or with a name that ends in it, where the address is named for another one.
    pub fn folded_named(&self, rva: u32, name: &str) -> Option<Span> {
        let functions = self.index().functions_at(self.addresses().section_offset(rva)?);
        let is_it = |function: &&Function| {
            let full = self.name_of(function);
            full.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with("::"))
        };
        self.folded_record(functions.iter().take(MAX_FOLDED).find(is_it)?)
    }

    /// The function at an address whose record has the first of some bytes; of folded ones each has its own.
    pub fn folded_at_record(&self, rva: u32, part: Span) -> Option<Function> {
        let functions = self.index().functions_at(self.addresses().section_offset(rva)?);
        functions.iter().take(MAX_FOLDED).find(|function| self.folded_record(function) == Some(part)).copied()
    }

    /// Functions at an address of the image, each with its own line; empty unless they are several.
    pub fn folded_at(&self, rva: u32) -> Vec<FoldedFunction> {
        let Some(address) = self.addresses().section_offset(rva) else { return Vec::new() };
        let functions = self.index().functions_at(address);
        if functions.len() < 2 {
            return Vec::new();
        }
        let described = functions.iter().take(MAX_FOLDED).map(|function| {
            let offset = address.1.wrapping_sub(function.offset);
            let lines = self.lines_of(function).points;
            let mut found = PointsAround::default();
            let _ = lines.iter().try_for_each(|point| found.see(offset, *point));
            let line = found.visible;
            let document = line.and_then(|point| (point.document as usize).checked_sub(1));
            let document = document.and_then(|index| self.view.pdb.documents().get(index));
            FoldedFunction {
                name: self.name_of(function),
                module: file_name(&self.view.module_name(function.module)).to_owned(),
                file: document.map_or_else(String::new, |document| document.name.value.clone()),
                line: line.map_or(0, |point| point.start_line),
                found,
            }
        });
        described.collect()
    }
}

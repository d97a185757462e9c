//! A native PDB: functions, names and lines by address of the image.

use super::at::Recent;
use crate::lazy_index::{IndexKind, LazyIndex};
use crate::place::{CodeUnit, Place};
use crate::stream::PdbView;
use pdblens_formats::bytes::{Result, Space, Span};
use pdblens_formats::codeview::c13::cross_scope;
use pdblens_formats::codeview::symbols::{Symbol, kind};
use pdblens_formats::pdb::{AddressIndex, AddressMap, Function, Globals, ModuleStream, PdbTables, TypeStream};
use pdblens_session::session::Session;
use pdblens_session::text::demangle::readable;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::utf8;
use std::sync::OnceLock;

#[derive(Clone, Copy, Debug)]
pub struct NativeView<'s> {
    pub view: PdbView<'s>,
    native: &'s PdbTables,
    pub(super) recent: &'s Recent,
}

/// A call that was inlined.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "inlined_call"))]
pub struct InlinedCall {
    /// The function that was called.
    pub name: String,
    /// The path of the source file.
    #[serde(rename = "document")]
    pub file: String,
    /// The line of the function that was called.
    pub line: u32,
    /// The id of the function that was called.
    #[serde(skip)]
    pub id: u32,
    /// Offset of the record of the call in the stream of the module.
    #[serde(skip)]
    pub symbol: u32,
}

/// An id in the symbols of a module for one that another module exports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The id in the symbols of the module.
    pub local: u32,
    /// Index in the IPI stream.
    pub id: u32,
    /// File name of the module that exports it.
    pub module: String,
}

#[derive(Debug, Default)]
struct SymbolsRead(OnceLock<()>);

static SYMBOLS: IndexKind = IndexKind {
    name: |_| "functions, types and symbols".to_owned(),
    size: |session, _| {
        let file = |view: PdbView<'_>| session.spaces().get(view.pdb.msf.file).map_or(0, Space::len);
        PdbView::of(session).map_or(0, file)
    },
    is_built: |session, _| session.cache().get::<SymbolsRead>().0.get().is_some(),
    build: |session, _| {
        _ = session.symbol_file().and_then(|file| file.content.globals());
        if let Some(native) = NativeView::of(session) {
            native.read_all();
            // Checksums of the documents too, which are asked for where nothing may take its time.
            _ = session.native_pdb().map(|pdb| pdb.module_hashes(1));
        }
        _ = session.cache().get::<SymbolsRead>().0.set(());
    },
    is_optional: false,
};

pub(crate) const fn symbols_index() -> LazyIndex {
    SYMBOLS.of(Place::Functions)
}

/// Returns whether the code of a session is native code alone, without methods of IL beside it.
pub fn has_functions_only(session: &Session) -> bool {
    NativeView::of(session).is_some() && session.methods() == 0
}

/// The function with the code at an address of the image.
pub fn function_at(session: &Session, rva: u32) -> Option<(NativeView<'_>, Function)> {
    let native = NativeView::of(session)?;
    Some((native, native.function_at(rva)?))
}

/// The module of the function with the code at an address, and its file name.
pub fn module_of(session: &Session, rva: u32) -> Option<(u32, String)> {
    let (native, function) = function_at(session, rva)?;
    Some((function.module, file_name(&native.view.module_name(function.module)).to_owned()))
}

/// Calls that were inlined at an offset of a function, outermost first.
pub fn inlined_calls(session: &Session, of: CodeUnit, offset: u32) -> Vec<InlinedCall> {
    let at = function_at(session, of.address()).filter(|(_, function)| of.is_native() && offset < function.len);
    let rva = at.and_then(|(native, function)| Some((native, native.rva_in(&function, offset)?)));
    rva.map_or_else(Vec::new, |(native, rva)| native.at(rva).inlined)
}

/// Functions whose machine code is in a span of the image; none until the symbols are read.
pub(crate) fn functions_in(session: &Session, whole: Span) -> Vec<(String, Span, Place)> {
    let Some((native, image)) = NativeView::of(session).filter(NativeView::is_read).zip(session.image()) else {
        return Vec::new();
    };
    let named = |function: &Function| {
        let span = image.pe.span_at_rva(native.rva_of(function)?, function.len).ok()?;
        whole.covers(span).then(|| (native.name_of(function), span, native.place_of(function)))
    };
    native.functions().iter().filter_map(named).collect()
}

/// Addresses of the first `most` functions of native code, in the order of their code.
pub fn functions_in_order(session: &Session, most: usize) -> Vec<u32> {
    let Some(native) = NativeView::of(session) else { return Vec::new() };
    native.functions().iter().filter_map(|function| native.rva_of(function)).take(most).collect()
}

pub fn function_name(session: &Session, rva: u32) -> Option<String> {
    function_at(session, rva).map(|(native, function)| native.name_of(&function))
}

/// Name of the function with the code at an address; where no function has it, the nearest public symbol, or the address.
pub(crate) fn name_or_address(session: &Session, rva: u32) -> String {
    let nearest = || Some(NativeView::of(session)?.nearest(rva)?.text());
    function_name(session, rva).or_else(nearest).unwrap_or_else(|| format!("{rva:#x}"))
}

impl<'s> NativeView<'s> {
    /// View of the symbols, where they are a PDB of native code.
    pub fn of(session: &'s Session) -> Option<Self> {
        let view = PdbView::of(session)?;
        Some(Self { view, native: view.native?, recent: session.cache().get() })
    }

    /// Reads all that is read only once and kept: what takes its time where there is much.
    pub fn read_all(&self) {
        self.native.read_all(self.view.pdb, self.view.spaces);
    }

    pub fn is_read(&self) -> bool {
        self.native.is_read()
    }

    pub(crate) fn index(&self) -> &'s AddressIndex {
        self.native.index(self.view.pdb, self.view.spaces)
    }

    /// All functions, in the order of their addresses.
    pub fn functions(&self) -> &'s [Function] {
        self.index().functions()
    }

    /// Number of functions with the code of this one, itself among them: several where the linker folded them.
    pub(crate) fn folded_count(&self, function: &Function) -> usize {
        self.index().folded(function).len()
    }

    pub fn addresses(&self) -> &'s AddressMap {
        self.native.addresses(self.view.pdb, self.view.spaces)
    }

    pub fn function_at(&self, rva: u32) -> Option<Function> {
        self.index().function_at(self.addresses().section_offset(rva)?)
    }

    /// Last function that begins at or before an address of the image, whether or not it has the code there.
    pub fn function_before(&self, rva: u32) -> Option<Function> {
        self.index().function_before(self.addresses().section_offset(rva)?)
    }

    /// Returns true if a function has the code at an address: a section, from 1, and an offset.
    pub fn is_in_function(&self, address: (u16, u32)) -> bool {
        self.index().function_at(address).is_some()
    }

    /// The name of a public symbol, by where it is in the order of addresses, and the place of its record.
    pub fn public(&self, row: u32) -> Option<(String, Place)> {
        let record = self.globals().public(row)?;
        let symbol = Symbol::decode(&mut record.slice.cursor()).ok()?;
        let stream = u32::from(self.view.pdb.dbi.as_ref()?.header.symbol_record_stream);
        Some((utf8(symbol.name.data).into_owned(), Place::Record(stream, record.span().start as u32)))
    }

    pub fn name_of(&self, function: &Function) -> String {
        let name = || {
            let module = self.module(function.module).ok()?;
            let record = module.symbol(function.symbol).ok()?;
            let symbol = Symbol::decode(&mut record.slice.cursor()).ok()?;
            if symbol.kind == kind::TRAMPOLINE {
                return Some(format!("thunk to {}", self.target_name(symbol.target)));
            }
            Some(readable(&utf8(symbol.name.data)))
        };
        name().unwrap_or_default()
    }

    /// Name of the code that a trampoline leads to: that of a public symbol, as a trampoline may lead to another.
    fn target_name(&self, (section, offset): (u16, u32)) -> String {
        let public = self.globals().public_at((section, offset)).filter(|symbol| symbol.offset == offset);
        public.map_or_else(|| format!("{section:04x}:{offset:08x}"), |symbol| readable(&utf8(symbol.name.data)))
    }

    pub fn rva_in(&self, function: &Function, offset: u32) -> Option<u32> {
        self.view.rva(function.section, function.offset.checked_add(offset)?)
    }

    pub fn rva_of(&self, function: &Function) -> Option<u32> {
        self.view.rva(function.section, function.offset)
    }

    /// Size of a function's code: that of its record, as far as its section has room for it.
    pub(crate) fn size_of(&self, function: &Function) -> u32 {
        let section =
            usize::from(function.section).checked_sub(1).and_then(|index| self.addresses().named().get(index));
        let end = section.map(|section| section.virtual_size.max(section.size_of_raw_data));
        end.map_or(function.len, |end| function.len.min(end.saturating_sub(function.offset)))
    }

    /// The place of a function: its address, or its record where it has none.
    pub fn place_of(&self, function: &Function) -> Place {
        let record = || Place::Record(self.stream_of(function).unwrap_or(0), function.symbol);
        self.rva_of(function).map_or_else(record, Place::Function)
    }

    pub fn stream_of(&self, function: &Function) -> Option<u32> {
        self.view.pdb.modules().get(function.module as usize)?.stream()
    }

    /// Index in the IPI stream of an id in the symbols of a module, which may be one of another module.
    pub(crate) fn global_id(&self, module: &ModuleStream, id: u32) -> u32 {
        self.imported(module, id).map_or(id, |found| found.id)
    }

    /// The id that another module exports for one in the symbols of a module; nothing for the module's own.
    fn imported(&self, module: &ModuleStream, local: u32) -> Option<Imported> {
        cross_scope::imported(local)?;
        let (name, exported) = cross_scope::import_of(module.subsection(cross_scope::IMPORTS)?, local)?;
        let name = utf8(self.view.pdb.names.get(name)?.data).into_owned();
        let number = self.native.module_named(self.view.pdb, &name)?;
        let owner = self.module(number).ok()?;
        let id = cross_scope::export_of(owner.subsection(cross_scope::EXPORTS)?, exported)?;
        Some(Imported { local, id, module: file_name(&name).to_owned() })
    }

    /// Ids of inlined functions that a module imports, each once.
    pub fn imported_calls(&self, function: &Function, calls: &[InlinedCall]) -> Vec<Imported> {
        let Ok(module) = self.module(function.module) else { return Vec::new() };
        let mut found: Vec<Imported> = calls.iter().filter_map(|call| self.imported(&module, call.id)).collect();
        found.dedup();
        found
    }

    pub fn types(&self, ids: bool) -> &'s TypeStream {
        let (pdb, spaces) = (self.view.pdb, self.view.spaces);
        if ids { self.native.ids(pdb, spaces) } else { self.native.types(pdb, spaces) }
    }

    pub fn globals(&self) -> &'s Globals {
        self.native.globals(self.view.pdb, self.view.spaces)
    }

    pub(crate) fn module(&self, number: u32) -> Result<ModuleStream> {
        ModuleStream::read(self.view.pdb, self.view.spaces, number)
    }
}

/// The name of the function at an address with its return type and its parameters; `None` if its type record does not have them.
pub fn full_signature(session: &Session, rva: u32) -> Option<String> {
    let (native, function) = function_at(session, rva)?;
    let (returns, parameters) = native.signature_of(&function)?;
    let name = native.name_of(&function);
    let parameters = if name.ends_with(')') { "" } else { parameters.as_str() };
    Some(format!("{returns} {name}{parameters}"))
}

/// The parameters of the function at an address; `None` if its type record does not have them, or if its name already contains them.
pub fn parameters(session: &Session, rva: u32) -> Option<String> {
    let (native, function) = function_at(session, rva)?;
    if native.name_of(&function).ends_with(')') {
        return None;
    }
    native.signature_of(&function).map(|(_, parameters)| parameters)
}

impl NativeView<'_> {
    /// The type of the result and the parameters of a function: `int` and `(const char *)`; `None` where no type tells them.
    pub(crate) fn signature_of(&self, function: &Function) -> Option<(String, String)> {
        self.signature_in(&self.module(function.module).ok()?, function)
    }

    /// The type of the result and the parameters of a function of a module.
    pub(crate) fn signature_in(&self, module: &ModuleStream, function: &Function) -> Option<(String, String)> {
        let record = module.symbol(function.symbol).ok()?;
        let symbol = Symbol::decode(&mut record.slice.cursor()).ok()?;
        if symbol.of == 0 {
            return None;
        }
        let names = self.view.type_names()?;
        let of = self.global_id(module, symbol.of);
        names.signature(if symbol.is_id() { names.type_of_id(of)? } else { of })
    }
}

pub(crate) fn rva_text(rva: Option<u32>) -> String {
    rva.map_or(String::new(), |rva| format!("{rva:#x}"))
}

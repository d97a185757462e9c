//! Functions with everything that their modules have about them, in one pass over the modules.

use crate::code_unit::view::FunctionSymbol;
use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::native::{FunctionLines, NativeView, function_at};
use pdblens_formats::bytes::{Error, Span};
use pdblens_formats::codeview::symbols::{Symbol, kind_name};
use pdblens_formats::pdb::{Function, InlineSite, InlineeMap, ModuleStream};
use pdblens_formats::serialize::some_hexadecimal;
use pdblens_session::session::Session;
use pdblens_session::text::demangle::demangled;
use pdblens_session::text::safe::utf8;

/// Names of inlined functions that are kept for one module.
const MAX_NAMES: usize = 10_000;

/// A function with its lines, inlined calls and symbols.
#[derive(Clone, Debug, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct FunctionDetails {
    /// Location of its code and of its record.
    #[serde(flatten)]
    pub function: Function,
    /// RVA; absent for code that was removed from the image.
    #[serde(rename = "address", serialize_with = "some_hexadecimal", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<pdblens_formats::json_schema::Address>"))]
    pub rva: Option<u32>,
    /// Name as in its record.
    pub name: String,
    /// Source name, where the name in the record is decorated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_name: Option<String>,
    /// CodeView's name of the record (`S_GPROC32`).
    #[serde(rename = "record")]
    pub kind: &'static str,
    /// Name of the type.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Bytes of the record.
    pub span: Span,
    /// Its lines, in the order of their addresses.
    #[serde(skip)]
    pub lines: FunctionLines,
    /// Calls that were inlined into it, each before its nested ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inlined: Vec<InlinedSite>,
    /// Parameters, variables, blocks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<FunctionSymbol>,
    /// Errors in its record and its inlined calls.
    #[serde(skip)]
    pub errors: Vec<Error>,
}

/// A call that was inlined, with all of its code.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "inlined_site"))]
pub struct InlinedSite {
    /// Id of the called function, in the IPI stream.
    #[serde(serialize_with = "pdblens_formats::serialize::hexadecimal")]
    #[cfg_attr(feature = "schema", schemars(with = "pdblens_formats::json_schema::TypeIndex"))]
    pub id: u32,
    /// Name of the called function.
    pub name: String,
    /// Number of inlined calls around it.
    pub depth: u32,
    /// Offset of its record in the stream of the module.
    #[serde(skip)]
    pub symbol: u32,
    /// Its code, in the order of the annotations.
    pub ranges: Vec<InlinedRange>,
}

/// Range of inlined code with its source line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "inlined_range"))]
pub struct InlinedRange {
    /// Offset of the code in the function.
    pub offset: u32,
    /// Bytes of code.
    #[serde(rename = "size")]
    pub len: u32,
    /// Row of the document, 0 for none.
    pub document: u32,
    /// Line of the source.
    pub line: u32,
}

/// Data that the functions of a module share.
struct OfModule<'v> {
    native: NativeView<'v>,
    number: u32,
    inlinees: InlineeMap,
    names: HashMap<u32, String>,
    documents: HashMap<u32, u32>,
}

/// Calls `each` with every function of native code, module by module; no more than one module is held.
pub fn each_details(session: &Session, each: &mut dyn FnMut(FunctionDetails) -> ControlFlow<()>) {
    let Some(native) = NativeView::of(session) else { return };
    let mut shared: Option<OfModule<'_>> = None;
    native.each_with_lines(&|_| true, &mut |module, function, lines| {
        let of_module = shared.take().filter(|shared| shared.number == module.number);
        let of_module = shared.insert(of_module.unwrap_or_else(|| OfModule::new(native, module)));
        each(of_module.details(module, function, lines))
    });
}

/// Calls that were inlined into the function at an address, each before its nested ones, as far as they can be read.
pub fn inlined_sites(session: &Session, rva: u32) -> Vec<InlinedSite> {
    let Some((native, function)) = function_at(session, rva) else { return Vec::new() };
    let Ok(module) = native.module(function.module) else { return Vec::new() };
    let mut shared = OfModule::new(native, &module);
    let sites = module.inline_sites_of(function.symbol, &shared.inlinees).unwrap_or_default();
    sites.iter().map(|site| shared.inlined_site(&module, &function, site)).collect()
}

impl<'v> OfModule<'v> {
    fn new(native: NativeView<'v>, module: &ModuleStream) -> Self {
        let (names, documents) = (HashMap::new(), HashMap::new());
        Self { native, number: module.number, inlinees: module.inlinee_map(), names, documents }
    }

    fn details(&mut self, module: &ModuleStream, function: &Function, lines: FunctionLines) -> FunctionDetails {
        let native = self.native;
        let rva = native.rva_of(function);
        let mut details = FunctionDetails { function: *function, rva, lines, ..FunctionDetails::default() };
        let record = module.symbol(function.symbol);
        let symbol = record.and_then(|record| {
            details.span = record.span();
            details.kind = kind_name(record.kind).unwrap_or_default();
            let symbol = Symbol::decode(&mut record.slice.cursor())?;
            details.name = utf8(symbol.name.data).into_owned();
            details.type_name = native.type_of(module, &symbol);
            Ok(())
        });
        details.errors.extend(symbol.err());
        if details.name.is_empty() {
            details.name = native.name_of(function);
        }
        details.source_name = demangled(&details.name);
        match module.inline_sites_of(function.symbol, &self.inlinees) {
            Ok(sites) => {
                let sites = sites.iter().map(|site| self.inlined_site(module, function, site));
                details.inlined = sites.collect();
            }
            Err(error) => details.errors.push(error),
        }
        details.symbols = native.symbols_in(module, function);
        details
    }

    fn inlined_site(&mut self, module: &ModuleStream, function: &Function, site: &InlineSite) -> InlinedSite {
        let native = self.native;
        let id = native.global_id(module, site.id);
        if self.names.len() > MAX_NAMES {
            self.names.clear();
        }
        let named = || native.view.type_names().map_or_else(String::new, |names| names.of_id(id));
        let name = self.names.entry(id).or_insert_with(named).clone();
        let checksums = module.checksums();
        let mut document = |file: u32| *self.documents.entry(file).or_insert_with(|| native.row_of(checksums, file));
        let ranges = site.lines.iter().map(|line| InlinedRange {
            offset: line.offset.wrapping_sub(function.offset),
            len: line.len,
            document: document(line.file),
            line: line.line,
        });
        InlinedSite { ranges: ranges.collect(), id, name, depth: site.depth, symbol: site.symbol }
    }
}

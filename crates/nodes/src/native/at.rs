//! Look-ups by address. The decoded lines and inlined calls of a module are kept for the next look-up.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::line_records::{SubsectionLines, point};
use super::view::{InlinedCall, NativeView};
use pdblens_formats::bytes::{Error, Result, is_inside};
use pdblens_formats::pdb::index::LineRange;
use pdblens_formats::pdb::{Function, InlineSite, InlineeMap, ModuleStream};
use pdblens_formats::sequence_point::SequencePoint;

/// Lines, inlined calls and their ranges that are kept, of some 30 bytes each. With more of them, decoding begins anew.
const MAX_KEPT: usize = 1 << 18;

#[derive(Clone, Debug, Default)]
pub struct Address {
    pub function: Option<Function>,
    pub name: String,
    /// The line of the function itself: where code was inlined, that of the call.
    pub line: Option<SequencePoint>,
    /// The calls that were inlined there, the outermost first.
    pub inlined: Vec<InlinedCall>,
    pub problems: Vec<Error>,
}

/// Modules, as far as look-ups by address decoded them.
#[derive(Debug, Default)]
pub(crate) struct Recent(Mutex<Decoded>);

#[derive(Debug, Default)]
struct Decoded {
    modules: HashMap<u32, DecodedModule>,
    kept: usize,
}

#[derive(Debug)]
struct DecodedModule {
    stream: ModuleStream,
    inlinees: InlineeMap,
    /// Lines by the offset of their subsection.
    lines: HashMap<u32, SubsectionLines>,
    /// Functions by the offset of their record.
    functions: HashMap<u32, DecodedFunction>,
    /// Names of inlined functions by their ids.
    names: HashMap<u32, String>,
    /// Documents by the offset of their checksum: their rows and paths.
    documents: HashMap<u32, (u32, String)>,
}

#[derive(Debug)]
struct DecodedFunction {
    name: String,
    /// Inlined calls, each with its code from the first byte to the last, gaps included.
    calls: Result<Vec<(Range<u32>, InlineSite)>>,
}

impl NativeView<'_> {
    pub fn at(&self, rva: u32) -> Address {
        let mut address = Address::default();
        let Some(at) = self.addresses().section_offset(rva) else { return address };
        let Some(function) = self.index().function_at(at) else { return address };
        address.function = Some(function);
        let mut decoded = self.recent.0.lock().unwrap_or_else(PoisonError::into_inner);
        if decoded.kept > MAX_KEPT {
            *decoded = Decoded::default();
        }
        // Folded functions share their address, and each has lines of its own.
        let holds = |range: &LineRange| range.section == at.0 && is_inside(at.1, range.offset, range.len);
        let own = self.index().lines_of(&function).find(holds);
        if let Some(range) = own.or_else(|| self.index().lines_at(at)) {
            match decoded.line(self, range, &function, at.1) {
                Ok(line) => address.line = line,
                Err(error) => address.problems.push(error),
            }
        }
        if let Err(error) = decoded.add_calls(self, &function, at.1, &mut address) {
            address.problems.push(error);
        }
        address
    }
}

impl Decoded {
    fn module(&mut self, native: &NativeView<'_>, number: u32) -> Result<(&mut DecodedModule, &mut usize)> {
        let module = match self.modules.entry(number) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(slot) => {
                let module = DecodedModule::new(native.module(number)?);
                self.kept += module.inlinees.len();
                slot.insert(module)
            }
        };
        Ok((module, &mut self.kept))
    }

    /// The line among those of a range that covers an offset of the section.
    fn line(
        &mut self,
        native: &NativeView<'_>,
        range: LineRange,
        function: &Function,
        offset: u32,
    ) -> Result<Option<SequencePoint>> {
        let (module, kept) = self.module(native, range.module)?;
        let lines = module.lines.entry(range.at).or_insert_with(|| {
            let lines = SubsectionLines::read(&module.stream, range.at);
            *kept += lines.len() + 1;
            lines
        });
        let line = lines.covering(offset)?;
        Ok(line.map(|line| point(&line, function, module.document(native, line.file).0)))
    }

    fn add_calls(
        &mut self,
        native: &NativeView<'_>,
        function: &Function,
        offset: u32,
        address: &mut Address,
    ) -> Result<()> {
        let (module, kept) = self.module(native, function.module)?;
        let decoded = module.functions.entry(function.symbol).or_insert_with(|| {
            let calls = module.stream.inline_sites_of(function.symbol, &module.inlinees);
            let calls = calls.map(|sites| sites.into_iter().map(|site| (site.code(), site)).collect::<Vec<_>>());
            let ranges = calls.iter().flatten().map(|(_, site)| site.lines.len() + 1);
            *kept += 1 + ranges.sum::<usize>();
            DecodedFunction { name: native.name_of(function), calls }
        });
        address.name.clone_from(&decoded.name);
        let calls = decoded.calls.as_ref().map_err(Clone::clone)?;
        let at = |(code, site): &(Range<u32>, InlineSite)| {
            let line = if code.contains(&offset) { site.at(offset) } else { None };
            line.map(|line| (site.id, site.symbol, line))
        };
        for (id, symbol, line) in calls.iter().filter_map(at).collect::<Vec<_>>() {
            let (name, file) = (module.name(native, id), module.document(native, line.file).1.clone());
            address.inlined.push(InlinedCall { name, file, line: line.line, id, symbol });
        }
        Ok(())
    }
}

impl DecodedModule {
    fn new(stream: ModuleStream) -> Self {
        let inlinees = stream.inlinee_map();
        Self {
            stream,
            inlinees,
            lines: HashMap::new(),
            functions: HashMap::new(),
            names: HashMap::new(),
            documents: HashMap::new(),
        }
    }

    fn name(&mut self, native: &NativeView<'_>, id: u32) -> String {
        let name = || {
            let id = native.global_id(&self.stream, id);
            native.view.type_names().map_or_else(String::new, |names| names.of_id(id))
        };
        self.names.entry(id).or_insert_with(name).clone()
    }

    /// Row and path of the document that lines refer to by the offset of its checksum.
    fn document(&mut self, native: &NativeView<'_>, file: u32) -> &(u32, String) {
        let stream = &self.stream;
        self.documents.entry(file).or_insert_with(|| {
            let path =
                stream.source_file(&native.view.pdb.names, file).map_or_else(|_| String::new(), |file| file.path);
            (native.row_of(stream.checksums(), file), path)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_session::session::Session;

    #[test]
    fn what_is_kept_is_bounded_and_changes_no_answer() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/parcel-optimized/parcel.pdb");
        let session = Session::open(&[file.into()]).unwrap();
        let native = NativeView::of(&session).unwrap();
        let answers = || {
            let code = native.functions().iter().flat_map(|function| (0..function.len).map(move |at| (function, at)));
            let addresses = code.filter_map(|(function, at)| native.rva_in(function, at));
            addresses.map(|rva| format!("{:?}", native.at(rva))).collect::<Vec<_>>()
        };
        let first = answers();
        assert!(first.iter().any(|answer| answer.contains("InlinedCall")));
        native.recent.0.lock().unwrap().kept = MAX_KEPT + 1;
        assert_eq!(answers(), first);
        let kept = native.recent.0.lock().unwrap().kept;
        assert!(kept > 0 && kept < MAX_KEPT, "{kept}");
    }
}

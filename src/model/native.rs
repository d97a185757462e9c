//! What can be asked of a native PDB: which function and which line an address of the image is.

use std::collections::HashMap;

use super::pdb::PdbView;
use super::text::utf8;
use super::{Place, Session};
use crate::bytes::{Error, Result, Span};
use crate::formats::native::{Function, Globals, Line, ModuleBytes, Native, Symbol, Types};

/// A native PDB.
#[derive(Clone, Copy, Debug)]
pub struct NativeView<'s> {
    /// Its streams, names and modules.
    pub view: PdbView<'s>,
    native: &'s Native,
}

/// A line of native code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeLine {
    /// Where its code begins in the image; none where the PDB does not say.
    pub rva: Option<u32>,
    /// How far its code begins behind that of the function.
    pub offset: u32,
    /// The path of its source file.
    pub file: String,
    /// The row of its source file.
    pub document: Option<u32>,
    /// First and last line, first column and the one behind the last; 0 for what is not known.
    pub range: [u32; 4],
    /// Whether it is for a debugger to pass by.
    pub hidden: bool,
    /// Its record.
    pub span: Span,
}

/// A call that was inlined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InlinedCall {
    /// The function that was called.
    pub name: String,
    /// The path of the source file.
    pub file: String,
    /// The line of the function that was called.
    pub line: u32,
    /// The id of the function that was called.
    pub id: u32,
}

/// What an address of the image is.
#[derive(Clone, Debug, Default)]
pub struct Address {
    /// The function.
    pub function: Option<Function>,
    /// What it is called.
    pub name: String,
    /// The line of the function itself: where code was inlined, that of the call.
    pub line: Option<CodeLine>,
    /// The calls that were inlined there, the outermost first.
    pub inlined: Vec<InlinedCall>,
    /// What could not be read.
    pub problems: Vec<Error>,
}

impl Session {
    /// The symbols, where they are of native code.
    pub fn native(&self) -> Option<NativeView<'_>> {
        let view = self.pdb()?;
        Some(NativeView { view, native: view.native? })
    }
}

impl<'s> NativeView<'s> {
    /// All functions, in the order of their addresses.
    pub fn functions(&self) -> &'s [Function] {
        self.native.index(self.view.pdb, self.view.spaces).functions()
    }

    /// The function with the code at an address of the image.
    pub fn function_at(&self, rva: u32) -> Option<Function> {
        let address = self.native.addresses(self.view.pdb, self.view.spaces).section_offset(rva)?;
        self.native.index(self.view.pdb, self.view.spaces).function_at(address)
    }

    /// What a function is called.
    pub fn name_of(&self, function: &Function) -> String {
        let name = || {
            let module = self.module(function.module).ok()?;
            let record = module.symbol(function.symbol).ok()?;
            let symbol = Symbol::decode(&mut record.slice.cursor()).ok()?;
            Some(utf8(symbol.name.data).into_owned())
        };
        name().unwrap_or_default()
    }

    /// Where a function begins in the image.
    pub fn rva_of(&self, function: &Function) -> Option<u32> {
        self.view.rva(function.section, function.offset)
    }

    /// The place of a function: its address, or its record where it has none.
    pub fn place_of(&self, function: &Function) -> Place {
        let stream = self.view.pdb.modules().get(function.module as usize).map_or(0, |module| u32::from(module.stream));
        self.rva_of(function).map_or(Place::Record(stream, function.symbol), Place::Function)
    }

    /// The lines of a function, in the order of their addresses.
    pub fn lines_of(&self, function: &Function) -> Result<Vec<CodeLine>> {
        let index = self.native.index(self.view.pdb, self.view.spaces);
        let module = self.module(function.module)?;
        let mut lines: Vec<Line> = Vec::new();
        if let Some(range) = index.lines_at((function.section, function.offset)) {
            for block in self.module(range.module)?.blocks_of(range.at)? {
                block?.each(|line| {
                    if line.offset.wrapping_sub(function.offset) < function.len.max(1) {
                        lines.push(line);
                    }
                });
            }
        }
        lines.sort_by_key(|line| line.offset);
        let mut files = Files::default();
        Ok(lines.iter().map(|line| self.line(&module, function, line, &mut files)).collect())
    }

    /// What the byte at an address of the image is.
    pub fn at(&self, rva: u32) -> Address {
        let found = self.native.find(self.view.pdb, self.view.spaces, rva);
        let mut address = Address { function: found.function, problems: found.problems, ..Address::default() };
        let Some(function) = found.function else { return address };
        address.name = self.name_of(&function);
        let Ok(module) = self.module(function.module) else { return address };
        let mut files = Files::default();
        address.line = found.line.map(|line| self.line(&module, &function, &line, &mut files));
        let offset = found.address.1;
        for site in found.inlined {
            let Some(line) = site.at(offset) else { continue };
            let name = self.view.type_names().map_or_else(String::new, |names| names.of_id(site.id));
            let (file, _) = self.file(&module, line.file, &mut files);
            address.inlined.push(InlinedCall { name, file, line: line.line, id: site.id });
        }
        address
    }

    /// The types, or the ids.
    pub fn types(&self, ids: bool) -> &'s Types {
        let (pdb, spaces) = (self.view.pdb, self.view.spaces);
        if ids { self.native.ids(pdb, spaces) } else { self.native.types(pdb, spaces) }
    }

    /// The public and the global symbols.
    pub fn globals(&self) -> &'s Globals {
        self.native.globals(self.view.pdb, self.view.spaces)
    }

    fn module(&self, number: u32) -> Result<ModuleBytes> {
        ModuleBytes::read(self.view.pdb, self.view.spaces, number)
    }

    fn line(&self, module: &ModuleBytes, function: &Function, line: &Line, files: &mut Files) -> CodeLine {
        let (file, document) = self.file(module, line.file, files);
        CodeLine {
            rva: self.view.rva(line.section, line.offset),
            offset: line.offset.wrapping_sub(function.offset),
            file,
            document,
            range: [line.start_line, u32::from(line.start_column), line.end_line, u32::from(line.end_column)],
            hidden: line.is_hidden(),
            span: line.span(module.region.span()),
        }
    }

    /// The path of a source file, and its row.
    fn file(&self, module: &ModuleBytes, offset: u32, files: &mut Files) -> (String, Option<u32>) {
        let look = || {
            let path = module.source_file(&self.view.pdb.names, offset).map_or(String::new(), |file| file.path);
            let mut documents = (1..).zip(self.view.pdb.documents());
            let row = documents.find(|(_, document)| document.name.value == path).map(|(row, _)| row);
            (path, row)
        };
        files.entry(offset).or_insert_with(look).clone()
    }
}

/// Source files by the offset that lines refer to them with.
type Files = HashMap<u32, (String, Option<u32>)>;

impl CodeLine {
    /// Its lines and columns: `13:13–13:35`, `13`, or `hidden`.
    pub fn range_text(&self) -> String {
        let [start, column, end, behind] = self.range;
        match (self.hidden, column, behind) {
            (true, ..) => "hidden".to_owned(),
            (_, 0, _) if start == end => start.to_string(),
            (_, 0, _) => format!("{start}–{end}"),
            (_, column, 0) => format!("{start}:{column}"),
            _ => format!("{start}:{column}–{end}:{behind}"),
        }
    }
}

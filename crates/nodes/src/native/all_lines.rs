//! Every line of a native PDB, as the modules have them.

use std::ops::ControlFlow;

use super::line_records::{SubsectionLines, point};
use super::view::NativeView;
use pdblens_formats::bytes::Error;
use pdblens_formats::codeview::c13::{LINES, Subsection, Subsections};
use pdblens_formats::codeview::symbols::Symbol;
use pdblens_formats::pdb::{Function, ModuleStream};
use pdblens_formats::sequence_point::SequencePoint;
use pdblens_session::text::safe::utf8;

#[derive(Clone, Debug)]
pub struct ModuleLine<'n> {
    /// RVA of the code of the line; `None` where no section has it.
    pub rva: Option<u32>,
    /// Name of the function that has the code, and the offset of the line in it; `None` outside of any.
    pub function: Option<(&'n str, u32)>,
    /// Document, lines and columns; the offset counts from the function.
    pub point: SequencePoint,
}

/// Callback for each line, or the error that ends those of a subsection or module; breaks to stop.
pub type EachLine<'e> = dyn FnMut(Result<&ModuleLine<'_>, &Error>) -> ControlFlow<()> + 'e;

/// A module whose lines are walked, and the function that the last one was in.
struct Walk<'v> {
    native: NativeView<'v>,
    module: ModuleStream,
    function: Option<Function>,
    name: String,
}

impl NativeView<'_> {
    /// Calls `each` with every line of every module once, until it breaks; no more than one module is held.
    pub fn each_module_line(&self, each: &mut EachLine<'_>) -> ControlFlow<()> {
        for number in 0..self.view.pdb.modules().len() as u32 {
            let module = match ModuleStream::read_once(self.view.pdb, self.view.spaces, number) {
                Ok(Some(module)) => module,
                Ok(None) => continue,
                Err(error) => {
                    each(Err(&error))?;
                    continue;
                }
            };
            let c13 = module.c13();
            let mut walk = Walk { native: *self, module, function: None, name: String::new() };
            for subsection in Subsections::new(c13.slice()) {
                match subsection {
                    Ok(subsection) if subsection.kind == LINES => walk.subsection(subsection, each)?,
                    Ok(_) => {}
                    Err(error) => each(Err(&error))?,
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl Walk<'_> {
    fn subsection(&mut self, subsection: Subsection<'_>, each: &mut EachLine<'_>) -> ControlFlow<()> {
        let at = subsection.content.start as u32;
        let SubsectionLines { lines, error, .. } = SubsectionLines::read(&self.module, at);
        for line in &lines {
            self.set_function((line.section, line.offset), at);
            let start = self.function.map(|function| function.offset);
            let from = self.function.unwrap_or(Function { offset: line.offset, ..Function::default() });
            let document = self.native.row_of(self.module.checksums(), line.file);
            let found = ModuleLine {
                rva: self.native.view.rva(line.section, line.offset),
                function: start.map(|start| (self.name.as_str(), line.offset.wrapping_sub(start))),
                point: point(line, &from, document),
            };
            each(Ok(&found))?;
        }
        error.map_or(ControlFlow::Continue(()), |error| each(Err(&error)))
    }

    /// Finds the function at an address: of folded ones that of the module, and of several in it the one with the lines at `at`.
    fn set_function(&mut self, address: (u16, u32), at: u32) {
        let index = self.native.index();
        let all = index.functions_at(address);
        let own = || all.iter().filter(|function| function.module == self.module.number);
        let has_lines = |function: &&Function| index.lines_of(function).any(|range| range.at == at);
        let only = own().take(2).count() == 1;
        let found = if only { own().next() } else { own().find(has_lines) };
        let found = found.or_else(|| all.first()).copied();
        if found != self.function {
            self.name = found.map_or(String::new(), |function| self.name_of(&function));
            self.function = found;
        }
    }

    /// Name as the record has it.
    fn name_of(&self, function: &Function) -> String {
        let of_module = function.module == self.module.number;
        let record = if of_module { self.module.symbol(function.symbol).ok() } else { None };
        let symbol = record.and_then(|record| Symbol::decode(&mut record.slice.cursor()).ok());
        match symbol.map(|symbol| utf8(symbol.name.data).into_owned()) {
            Some(name) if !name.is_empty() => name,
            _ => self.native.name_of(function),
        }
    }
}

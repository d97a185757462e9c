//! The functions of native code in the tree: module by module, and behind them the public symbols of code that no module says more of.

use super::function_order::{self, FunctionPart};
use super::overloads::Overloads;
use super::{Branch, Member};
use crate::native::NativeView;
use crate::place::Place;
use pdblens_formats::bytes::Span;
use pdblens_formats::codeview::symbols::Symbol;
use pdblens_formats::pdb::Function;
use pdblens_session::session::Session;
use pdblens_session::text::demangle::readable;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;
use std::collections::HashMap;

/// The bits of a public symbol's flags that say that it is code.
const CODE: u32 = 3;

#[derive(Clone, Debug, Default)]
pub(super) struct FunctionTree {
    /// Position of each function in the order of addresses.
    order: Vec<u32>,
    /// Number of the first function: 0, or after the methods where there are both (C++/CLI).
    pub first: u32,
    publics: Vec<u32>,
    /// Functions that are under another one, by their number: funclets, and those that the linker folded into one.
    parts: HashMap<u32, FunctionPart>,
    /// True for the largest first, false for the smallest; `None` in the order of the file.
    pub by_size: Option<bool>,
    /// The functions whose names others of their module have, by where they are in the order of addresses.
    same_named: Overloads,
}

impl FunctionTree {
    /// The functions behind `methods` methods, each module a branch; `None` without native code.
    pub fn of(session: &Session, methods: u32, by_size: Option<bool>, branches: &mut Vec<Branch>) -> Option<Self> {
        let native = NativeView::of(session)?;
        let functions = native.functions();
        let module = |index: &u32| functions.get(*index as usize).map_or(u32::MAX, |function| function.module);
        let mut all: Vec<u32> = (0..functions.len() as u32).collect();
        all.sort_by_key(module);
        let of_modules = all.chunk_by(|a, b| module(a) == module(b));
        let mut modules: Vec<(u64, &[u32])> = of_modules.map(|own| (code_size(native, own), own)).collect();
        if let Some(descending) = by_size {
            modules.sort_by_key(|(bytes, _)| if descending { -(*bytes as i64) } else { *bytes as i64 });
        }
        let publics = undescribed_code(native);
        let mut tree = Self { first: if methods > 0 { methods + 1 } else { 0 }, by_size, publics, ..Self::default() };
        for (bytes, of_module) in modules {
            let number = of_module.first().map_or(0, module);
            let name = file_name(&native.view.module_name(number)).to_owned();
            let first = tree.end();
            let names = function_order::names_of(native, of_module);
            tree.same_named.add(names.iter().map(|(index, name)| (*index, readable(name))));
            let ordered = function_order::of_module(native, of_module, &names, by_size);
            tree.parts.extend(ordered.parts.into_iter().map(|(at, part)| (first + at, part)));
            tree.order.extend(ordered.order);
            let members = first..tree.end();
            branches.push(Branch { name, place: Some(Place::Module(number)), depth: 0, members, bytes });
        }
        if !tree.publics.is_empty() {
            let members = tree.end()..tree.end() + tree.publics.len() as u32;
            let name = "public symbols".to_owned();
            branches.push(Branch { name, place: Some(Place::Publics), depth: 0, members, bytes: 0 });
        }
        Some(tree)
    }

    /// Number of functions, without public symbols.
    pub fn count(&self) -> u32 {
        self.order.len() as u32
    }

    /// The number after the last function.
    fn end(&self) -> u32 {
        self.first + self.count()
    }

    pub fn is_part(&self, number: u32) -> bool {
        self.parts.contains_key(&number)
    }

    pub fn parts_of(&self, number: u32) -> u32 {
        if self.parts.is_empty() || self.is_part(number) {
            return 0;
        }
        (number + 1..self.end()).take_while(|next| self.is_part(*next)).count() as u32
    }

    /// The functions that have parts.
    pub fn roots(&self) -> Vec<u32> {
        let before = self.parts.keys().map(|part| part - 1);
        let mut roots: Vec<u32> = before.filter(|before| !self.is_part(*before)).collect();
        roots.sort_unstable();
        roots
    }

    /// Position of a function in the order of addresses; `None` for a public symbol or a method.
    fn index(&self, number: u32) -> Option<u32> {
        self.order.get(number.checked_sub(self.first)? as usize).copied()
    }

    pub fn function(&self, session: &Session, number: u32) -> Option<Function> {
        NativeView::of(session)?.functions().get(self.index(number)? as usize).copied()
    }

    pub fn number_at(&self, session: &Session, rva: u32) -> Option<u32> {
        self.number_of(session, &NativeView::of(session)?.function_before(rva)?)
    }

    pub fn number_of(&self, session: &Session, function: &Function) -> Option<u32> {
        let functions = NativeView::of(session)?.functions();
        let start = (function.section, function.offset);
        let first = functions.partition_point(|f| (f.section, f.offset) < start);
        let index = (first + functions.get(first..)?.iter().position(|found| found == function)?) as u32;
        self.order.iter().position(|found| *found == index).map(|at| self.first + at as u32)
    }

    pub fn member(&self, session: &Session, number: u32) -> Option<Member> {
        let native = NativeView::of(session)?;
        let Some(index) = self.index(number) else {
            let row = self.publics.get(number.checked_sub(self.end())? as usize)?;
            let (name, place) = native.public(*row)?;
            return Some(Member { name, place: Some(place), ..Member::default() });
        };
        let function = native.functions().get(index as usize)?;
        let place = Some(native.place_of(function));
        if let Some(FunctionPart::Funclet(name, meaning)) = self.parts.get(&number) {
            return Some(Member { name: name.clone(), place, detail: (*meaning).to_owned() });
        }
        let (parameters, address) = self.same_named.function_details(native, index);
        // Folded functions of the same module are under it.
        let folded = native.folded_count(function);
        let others = folded > 1 && self.parts.get(&(number + 1)) != Some(&FunctionPart::Folded);
        let detail = match self.parts.get(&number) {
            Some(_) => "folded".to_owned(),
            None if others => format!("{folded} folded"),
            None => address,
        };
        Some(Member { name: native.name_of(function) + &parameters, place, detail })
    }

    pub fn lines(&self, session: &Session, number: u32) -> u32 {
        let function = self.function(session, number).zip(NativeView::of(session));
        function.map_or(0, |(function, native)| native.line_count(&function) as u32)
    }

    pub fn folded_record(&self, session: &Session, number: u32) -> Option<Span> {
        NativeView::of(session)?.folded_record(&self.function(session, number)?)
    }
}

/// The public symbols of code of which no module says more, by where they are in the order of addresses.
fn undescribed_code(native: NativeView<'_>) -> Vec<u32> {
    let is_undescribed =
        |symbol: &Symbol<'_>| symbol.flags & CODE != 0 && !native.is_in_function((symbol.section, symbol.offset));
    let rows = (0..).zip(native.globals().publics());
    rows.filter(|(_, symbol)| symbol.as_ref().is_ok_and(is_undescribed)).map(|(row, _)| row).collect()
}

/// Size of the code of functions in the order of their addresses, folded ones counted once.
fn code_size(native: NativeView<'_>, functions: &[u32]) -> u64 {
    let all = functions.iter().filter_map(|index| native.functions().get(*index as usize));
    let (mut bytes, mut last) = (0_u64, None);
    for function in all {
        let at = (function.section, function.offset);
        if last.replace(at) != Some(at) {
            bytes += u64::from(function.len);
        }
    }
    bytes
}

/// Totals of a module in a sentence; `None` while the functions have not been read.
pub(super) fn module_summary(session: &Session, number: u32) -> Option<String> {
    let native = NativeView::of(session).filter(NativeView::is_read)?;
    let functions = native.functions();
    let of_module = |index: &u32| functions.get(*index as usize).is_some_and(|function| function.module == number);
    let own: Vec<u32> = (0..functions.len() as u32).filter(of_module).collect();
    let lines: usize =
        own.iter().filter_map(|index| functions.get(*index as usize)).map(|function| native.line_count(function)).sum();
    let (name, object) = native.view.module_names(number);
    let path = if object.is_empty() { name.clone() } else { object };
    Some(format!(
        "{}, a module: {}, {} of code, {}. It was linked from {path}.",
        file_name(&name),
        count(own.len() as u64, "function"),
        count(code_size(native, &own), "byte"),
        count(lines as u64, "line")
    ))
}

//! Methods under their types and namespaces; functions of native code under the modules that they were linked from.

mod branch_summary;
mod first;
mod function_order;
mod overloads;
mod own;

pub use branch_summary::branch_summary;
pub use first::{entry_point, first_body, first_point};
pub use own::is_of_tools;

use super::function::NativeView;
use crate::code_unit::document_name;
use crate::code_unit::find_point;
use crate::place::{CodeUnit, Place, Side, Words};
use pdblens_formats::metadata::{TableId, Token};

use crate::method;
use function_order::FunctionPart;
use overloads::Overloads;
use pdblens_formats::bytes::Span;
use pdblens_formats::pdb::Function;
use pdblens_session::session::Session;
use pdblens_session::text::demangle::readable;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::utf8;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    pub name: String,
    pub place: Option<Place>,
    /// 0 for what has others in it, 1 for what is in those.
    pub depth: u8,
    /// Its methods or functions, by their number.
    pub members: Range<u32>,
    /// Size of the code of its functions, folded ones counted once.
    pub bytes: u64,
}

#[derive(Clone, Debug, Default)]
pub struct CodeTree {
    /// Namespaces and types, each type after its namespace; or modules. Empty where nothing says what methods are in.
    pub branches: Vec<Branch>,
    pub total: u32,
    /// The functions of native code, module by module: where each is in the order of addresses. Its number is that of the
    /// method's row otherwise.
    functions: Vec<u32>,
    /// Number of the first function: 0, or after the methods where there are both (C++/CLI).
    first_function: u32,
    /// The public symbols of code of which nothing else is known, after the functions.
    publics: Vec<u32>,
    native: bool,
    /// Functions that are under another one, by their number: funclets, and those that the linker folded into one.
    parts: HashMap<u32, FunctionPart>,
    /// True for the largest first, false for the smallest; `None` in the order of the file.
    by_size: Option<bool>,
    /// The methods whose names others of their type have, by their rows.
    methods: Overloads,
    /// The functions whose names others of their module have, by where they are in the order of addresses.
    same_named: Overloads,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    pub name: String,
    pub place: Option<Place>,
    /// Relation to the function that it is under; of others the number of functions with the same code, if other modules have some.
    pub detail: String,
}

fn types_tree(session: &Session) -> CodeTree {
    let mut tree = CodeTree { total: session.methods(), ..CodeTree::default() };
    let (Some(names), Some(metadata)) = (session.names(), session.metadata()) else {
        tree.branches = types_of_symbols(session, tree.total);
        if tree.branches.is_empty() {
            tree.branches = documents_of_symbols(session, tree.total);
        }
        return tree;
    };
    let mut namespaces: Vec<(String, Vec<Branch>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut row = 1;
    while row <= tree.total {
        let owner = names.owner(row);
        let mut end = row + 1;
        while end <= tree.total && names.owner(end) == owner {
            end += 1;
        }
        let named = |row| (row, names.method_name(Token::new(TableId::METHOD_DEF, row)));
        tree.methods.add((row..end).map(named));
        let around = |row: &u32| Some(names.enclosing(*row)).filter(|outer| *outer > 0);
        let outermost = std::iter::successors(Some(owner), around).take(64).last();
        let namespace = metadata.string_cell(TableId::TYPE_DEF, outermost.unwrap_or(owner), 2);
        let namespace = namespace.map_or_else(|_| String::new(), |slice| utf8(slice.data).into_owned());
        let full = if owner == 0 { "?".to_owned() } else { names.type_name(Token::new(TableId::TYPE_DEF, owner)) };
        let name = full.strip_prefix(namespace.as_str()).map_or(full.as_str(), |name| name.trim_start_matches('.'));
        let place = Some(Place::Row(Side::Image, TableId::TYPE_DEF, owner));
        let branch = Branch { name: name.to_owned(), place, depth: 1, members: row..end, bytes: 0 };
        let index = *known.entry(namespace.clone()).or_insert(namespaces.len());
        if index == namespaces.len() {
            namespaces.push((namespace, Vec::new()));
        }
        if let Some((_, types)) = namespaces.get_mut(index) {
            types.push(branch);
        }
        row = end;
    }
    for (name, types) in namespaces {
        let name = if name.is_empty() { "(no namespace)".to_owned() } else { name };
        tree.branches.push(Branch { name, place: None, depth: 0, members: 0..0, bytes: 0 });
        tree.branches.extend(types);
    }
    tree
}

/// The types of methods where only the symbols say them. What is between two methods of a type is of that type too.
fn types_of_symbols(session: &Session, total: u32) -> Vec<Branch> {
    let mut branches: Vec<Branch> = Vec::new();
    let Some(symbols) = session.symbols() else { return branches };
    for row in 1..=total {
        let Some((owner, _)) = symbols.method_name(Token::new(TableId::METHOD_DEF, row)) else { continue };
        match branches.last_mut().filter(|last| last.name == owner) {
            Some(last) => last.members.end = row + 1,
            None => {
                let members = row..row + 1;
                branches.push(Branch { name: owner, place: None, depth: 0, members, bytes: 0 });
            }
        }
    }
    branches
}

/// The documents of methods where nothing says their types. A method without points is in the document of the one before it; a
/// document whose methods are not consecutive is named once more, with the token of the next one.
fn documents_of_symbols(session: &Session, total: u32) -> Vec<Branch> {
    let mut branches: Vec<Branch> = Vec::new();
    let mut known = HashSet::new();
    for row in 1..=total {
        let token = Token::new(TableId::METHOD_DEF, row);
        let first = find_point(session, token.into(), &mut |point| !point.is_hidden() && point.document > 0);
        let document = first.map_or(0, |(_, point)| point.document);
        let place = Some(Place::Document(document));
        match branches.last_mut().filter(|last| document == 0 || last.place == place) {
            Some(last) => last.members.end = row + 1,
            None if document == 0 => {}
            None => {
                let path = document_name(session, document).unwrap_or_default();
                let again = if known.insert(document) { String::new() } else { format!(" from {token}") };
                let first = if branches.is_empty() { 1 } else { row };
                let name = format!("{}{again}", file_name(&path));
                branches.push(Branch { name, place, depth: 0, members: first..row + 1, bytes: 0 });
            }
        }
    }
    branches
}

/// Functions under their modules, in the order of the modules or by size; last, public symbols of code that no module says more of.
fn modules_tree(session: &Session, by_size: Option<bool>) -> CodeTree {
    let Some(native) = NativeView::of(session) else { return CodeTree::default() };
    let functions = native.functions();
    let module = |index: &u32| functions.get(*index as usize).map_or(u32::MAX, |function| function.module);
    let mut all: Vec<u32> = (0..functions.len() as u32).collect();
    all.sort_by_key(module);
    let mut modules: Vec<(u64, &[u32])> = all
        .chunk_by(|a, b| module(a) == module(b))
        .map(|of_module| (code_size(native, of_module), of_module))
        .collect();
    if let Some(descending) = by_size {
        modules.sort_by_key(|(bytes, _)| if descending { -(*bytes as i64) } else { *bytes as i64 });
    }
    let methods = if session.methods() > 0 { types_tree(session) } else { CodeTree::default() };
    let first_function = if methods.total > 0 { methods.total + 1 } else { 0 };
    let (mut branches, mut order, mut parts) = (methods.branches, Vec::with_capacity(all.len()), HashMap::new());
    let mut same_named = Overloads::default();
    for (bytes, of_module) in modules {
        let number = of_module.first().map_or(0, module);
        let name = file_name(&native.view.module_name(number)).to_owned();
        let first = first_function + order.len() as u32;
        let names = function_order::names_of(native, of_module);
        same_named.add(names.iter().map(|(index, name)| (*index, readable(name))));
        let ordered = function_order::of_module(native, of_module, &names, by_size);
        parts.extend(ordered.parts.into_iter().map(|(at, part)| (first + at, part)));
        order.extend(ordered.order);
        let members = first..first_function + order.len() as u32;
        branches.push(Branch { name, place: Some(Place::Module(number)), depth: 0, members, bytes });
    }
    let publics = native.undescribed_code();
    if !publics.is_empty() {
        let first = first_function + order.len() as u32;
        let members = first..first + publics.len() as u32;
        let name = "public symbols".to_owned();
        branches.push(Branch { name, place: Some(Place::Publics), depth: 0, members, bytes: 0 });
    }
    let total = methods.total + functions.len() as u32;
    let methods = methods.methods;
    CodeTree {
        branches,
        total,
        functions: order,
        first_function,
        publics,
        native: true,
        parts,
        by_size,
        methods,
        same_named,
    }
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

impl CodeTree {
    /// Tree of all methods or functions, in the order of the file.
    pub fn of(session: &Session) -> Self {
        Self::ordered(session, None)
    }

    /// Tree of all methods or functions; functions by size if `by_size` tells whether the largest are first.
    pub fn ordered(session: &Session, by_size: Option<bool>) -> Self {
        if NativeView::of(session).is_some() { modules_tree(session, by_size) } else { types_tree(session) }
    }

    pub fn parts(&self, number: u32) -> u32 {
        if self.parts.is_empty() || self.is_part(number) {
            return 0;
        }
        let behind = number + 1..=self.total + self.first_function;
        behind.take_while(|next| self.is_part(*next)).count() as u32
    }

    pub fn is_part(&self, number: u32) -> bool {
        self.parts.contains_key(&number)
    }

    /// Number of the function that a part is under; of others the number itself.
    pub fn root(&self, number: u32) -> u32 {
        (0..=number).rev().find(|before| !self.is_part(*before)).unwrap_or(number)
    }

    pub fn roots(&self) -> Vec<u32> {
        let mut roots: Vec<u32> =
            self.parts.keys().map(|part| part.saturating_sub(1)).filter(|before| !self.is_part(*before)).collect();
        roots.sort_unstable();
        roots
    }

    pub const fn is_sortable(&self) -> bool {
        self.native
    }

    pub const fn by_size(&self) -> Option<bool> {
        self.by_size
    }

    pub fn size(&self, session: &Session, number: u32) -> Option<u32> {
        let index = self.functions.get(self.function_at(number)?)?;
        NativeView::of(session)?.functions().get(*index as usize).map(|function| function.len)
    }

    /// The numbers of methods where no branch has them.
    pub fn loose(&self) -> Range<u32> {
        if self.branches.is_empty() && !self.native { 1..self.total + 1 } else { 0..0 }
    }

    pub fn number(&self, session: &Session, of: CodeUnit) -> Option<u32> {
        match of {
            CodeUnit::Method(token) => Some(token.row()),
            CodeUnit::Function(rva) => self.number_of(session, &NativeView::of(session)?.function_before(rva)?),
        }
    }

    /// Number of a method or function among all, counted from 1.
    pub fn ordinal(&self, number: u32) -> u32 {
        number + u32::from(self.native && self.first_function == 0)
    }

    /// Words for what it is of; where it has methods too, those of methods.
    pub const fn words(&self) -> &'static Words {
        if self.native && self.first_function == 0 { &Words::NATIVE } else { &Words::IL }
    }

    /// Position of a function or public symbol among the functions; `None` for a method.
    fn function_at(&self, number: u32) -> Option<usize> {
        if self.native { number.checked_sub(self.first_function).map(|at| at as usize) } else { None }
    }

    pub fn member(&self, session: &Session, number: u32) -> Member {
        let Some(at) = self.function_at(number) else { return self.method(session, number) };
        let Some(native) = NativeView::of(session) else { return Member::default() };
        if let Some(index) = self.functions.get(at) {
            let Some(function) = native.functions().get(*index as usize) else { return Member::default() };
            let place = Some(native.place_of(function));
            if let Some(FunctionPart::Funclet(name, meaning)) = self.parts.get(&number) {
                return Member { name: name.clone(), place, detail: (*meaning).to_owned() };
            }
            let (parameters, address) = self.same_named.function_details(native, *index);
            // Folded functions of the same module are under it.
            let folded = native.folded_count(function);
            let others = folded > 1 && self.parts.get(&(number + 1)) != Some(&FunctionPart::Folded);
            let detail = match self.parts.get(&number) {
                Some(_) => "folded".to_owned(),
                None if others => format!("{folded} folded"),
                None => address,
            };
            return Member { name: native.name_of(function) + &parameters, place, detail };
        }
        let row = at.checked_sub(self.functions.len()).and_then(|at| self.publics.get(at));
        let Some((name, place)) = row.and_then(|row| native.public(*row)) else { return Member::default() };
        Member { name, place: Some(place), ..Member::default() }
    }

    pub fn points(&self, session: &Session, number: u32) -> u32 {
        let Some(at) = self.function_at(number) else {
            return method::point_count(session, Token::new(TableId::METHOD_DEF, number)).0;
        };
        let function = self.functions.get(at);
        let (Some(index), Some(native)) = (function, NativeView::of(session)) else { return 0 };
        native.functions().get(*index as usize).map_or(0, |function| native.line_count(function) as u32)
    }

    /// A method; its name with its parameters where others of its type have the same.
    fn method(&self, session: &Session, row: u32) -> Member {
        let token = Token::new(TableId::METHOD_DEF, row);
        let place = Some(Place::Method(token));
        let name = match session.names() {
            Some(names) => self.methods.method_name(names, row),
            None => session
                .symbols()
                .and_then(|symbols| symbols.method_name(token))
                .map_or_else(String::new, |(_, name)| name),
        };
        // A method whose name cannot be read is shown by its token.
        let name = if name.is_empty() { token.to_string() } else { name };
        Member { name, place, ..Member::default() }
    }
}

impl CodeTree {
    /// Number of a function in the tree. Of folded functions, each has its own.
    pub fn number_of(&self, session: &Session, function: &Function) -> Option<u32> {
        let functions = NativeView::of(session)?.functions();
        let start = (function.section, function.offset);
        let first = functions.partition_point(|f| (f.section, f.offset) < start);
        let index = (first + functions.get(first..)?.iter().position(|found| found == function)?) as u32;
        self.functions.iter().position(|found| *found == index).map(|at| self.first_function + at as u32)
    }

    /// Record of a function that is not the one its address is named for, as the linker folded them; `None` for all others.
    pub fn folded_record(&self, session: &Session, number: u32) -> Option<Span> {
        let native = NativeView::of(session)?;
        let function = native.functions().get(*self.functions.get(self.function_at(number)?)? as usize)?;
        native.folded_record(function)
    }
}

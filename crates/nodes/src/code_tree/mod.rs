//! Methods under their types and namespaces; functions of native code under the modules that they were linked from.

mod branch_summary;
mod first;
mod function_order;
mod native;
mod overloads;
mod own;

pub use branch_summary::branch_summary;
pub use first::{entry_point, first_body, first_point};
pub use own::is_of_tools;

use crate::code_unit::document_name;
use crate::code_unit::find_point;
use crate::place::{CodeUnit, Place, Side, Words};
use pdblens_formats::metadata::{TableId, Token};

use crate::method;
use native::FunctionTree;
use overloads::Overloads;
use pdblens_formats::bytes::Span;
use pdblens_formats::pdb::Function;
use pdblens_session::session::Session;
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
    /// The methods whose names others of their type have, by their rows.
    methods: Overloads,
    functions: Option<FunctionTree>,
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
    tree.branches.reserve_exact(namespaces.iter().map(|(_, types)| types.len() + 1).sum());
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

impl CodeTree {
    /// Tree of all methods or functions, in the order of the file.
    pub fn of(session: &Session) -> Self {
        Self::ordered(session, None)
    }

    /// Tree of all methods or functions; functions by size if `by_size` tells whether the largest are first.
    pub fn ordered(session: &Session, by_size: Option<bool>) -> Self {
        let mut tree = types_tree(session);
        tree.functions = FunctionTree::of(session, tree.total, by_size, &mut tree.branches);
        tree.total += tree.functions.as_ref().map_or(0, FunctionTree::count);
        tree
    }

    pub fn parts(&self, number: u32) -> u32 {
        self.functions.as_ref().map_or(0, |functions| functions.parts_of(number))
    }

    pub fn is_part(&self, number: u32) -> bool {
        self.functions.as_ref().is_some_and(|functions| functions.is_part(number))
    }

    /// Number of the function that a part is under; of others the number itself.
    pub fn root(&self, number: u32) -> u32 {
        (0..=number).rev().find(|before| !self.is_part(*before)).unwrap_or(number)
    }

    pub fn roots(&self) -> Vec<u32> {
        self.functions.as_ref().map_or_else(Vec::new, FunctionTree::roots)
    }

    pub const fn is_sortable(&self) -> bool {
        self.functions.is_some()
    }

    pub fn by_size(&self) -> Option<bool> {
        self.functions.as_ref()?.by_size
    }

    pub fn size(&self, session: &Session, number: u32) -> Option<u32> {
        self.functions.as_ref()?.function(session, number).map(|function| function.len)
    }

    /// The numbers of methods where no branch has them.
    pub fn loose(&self) -> Range<u32> {
        if self.branches.is_empty() && self.functions.is_none() { 1..self.total + 1 } else { 0..0 }
    }

    pub fn number(&self, session: &Session, of: CodeUnit) -> Option<u32> {
        match of {
            CodeUnit::Method(token) => Some(token.row()),
            CodeUnit::Function(rva) => self.functions.as_ref()?.number_at(session, rva),
        }
    }

    /// Number of a function in the tree. Of folded functions, each has its own.
    pub fn number_of(&self, session: &Session, function: &Function) -> Option<u32> {
        self.functions.as_ref()?.number_of(session, function)
    }

    /// Number of a method or function among all, counted from 1.
    pub fn ordinal(&self, number: u32) -> u32 {
        number + u32::from(self.has_functions_only())
    }

    /// Words for what it is of; where it has methods too, those of methods.
    pub fn words(&self) -> &'static Words {
        if self.has_functions_only() { &Words::NATIVE } else { &Words::IL }
    }

    fn has_functions_only(&self) -> bool {
        self.functions.as_ref().is_some_and(|functions| functions.first == 0)
    }

    /// The functions, where the number is that of a function or public symbol and not of a method.
    fn of_functions(&self, number: u32) -> Option<&FunctionTree> {
        self.functions.as_ref().filter(|functions| number >= functions.first)
    }

    pub fn member(&self, session: &Session, number: u32) -> Member {
        match self.of_functions(number) {
            Some(functions) => functions.member(session, number).unwrap_or_default(),
            None => self.method(session, number),
        }
    }

    pub fn points(&self, session: &Session, number: u32) -> u32 {
        match self.of_functions(number) {
            Some(functions) => functions.lines(session, number),
            None => method::point_count(session, Token::new(TableId::METHOD_DEF, number)).0,
        }
    }

    /// Record of a function that is not the one its address is named for, as the linker folded them; `None` for all others.
    pub fn folded_record(&self, session: &Session, number: u32) -> Option<Span> {
        self.functions.as_ref()?.folded_record(session, number)
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

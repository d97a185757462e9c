//! Import scopes as rows, each shared by all methods that have the same imports.
//!
//! A Windows PDB has no records for import scopes: a method has the import strings of all scopes around it, or refers to another method
//! that has them. To make them look like those of a portable PDB, row 1 is the scope of the whole module (what a project imports), and
//! each method with strings of its own gets a row for each scope around it, the outermost first. Scopes with equal imports in the same
//! parent share one row, as in a portable PDB.

use std::collections::HashMap;

use super::WindowsSymbols;
use crate::symbols::{Import, ImportScope};
use pdblens_formats::bytes::{Error, Spaces, Span};
use pdblens_formats::managed::custom::Custom;
use pdblens_formats::managed::imports::{Import as Text, ImportKind, ImportLevel};
use pdblens_formats::managed::{Imports, Method, WindowsPdb};

/// The row of what is imported in all of the module.
const MODULE: u32 = 1;

#[derive(Debug, Default)]
pub(crate) struct ImportTable {
    rows: Vec<ImportScope>,
    /// The row of the innermost scope around a method that has strings of its own, by its token.
    innermost: HashMap<u32, u32>,
    /// The row of each scope, by the one around it and what it imports.
    known: HashMap<(u32, Vec<Import>), u32>,
}

impl WindowsSymbols {
    /// All import scopes, made when they are first asked for.
    pub(crate) fn import_table(&self) -> &ImportTable {
        self.imports.get_or_init(|| {
            let mut table = ImportTable::default();
            for token in self.tokens() {
                if let Ok(method) = self.pdb.method(&self.spaces, token) {
                    table.add(&method, self.pdb.imports(&self.spaces, &method));
                }
            }
            table
        })
    }
}

impl ImportTable {
    pub(crate) fn len(&self) -> u32 {
        self.rows.len() as u32
    }

    pub(crate) fn get(&self, row: u32) -> Option<&ImportScope> {
        self.rows.get((row as usize).checked_sub(1)?)
    }

    /// The innermost import scope around a method.
    pub(crate) fn of(&self, pdb: &WindowsPdb, spaces: &Spaces, method: &Method) -> Option<u32> {
        let own = || self.innermost.get(&method.token.value);
        let forwards = pdb.imports(spaces, method).forwards;
        forwards.last().map_or_else(own, |owner| self.innermost.get(&owner.value)).copied()
    }

    fn add(&mut self, method: &Method, imports: Imports) {
        let groups = method.custom.iter().find_map(|record| match &record.value {
            Ok(Custom::UsingGroups(groups)) => Some((groups.len(), record.span)),
            _ => None,
        });
        if !imports.forwards.is_empty() || (groups.is_none() && imports.list.is_empty()) {
            return;
        }
        if self.rows.is_empty() {
            self.rows.push(ImportScope::default());
        }
        // Visual Basic has one scope around all of a file.
        let (count, span) = groups.unwrap_or((1, method.record));
        let mut scopes = vec![ImportScope { span, ..ImportScope::default() }; count.max(1)];
        if let (Some(first), Some(error)) = (scopes.first_mut(), imports.problems.into_iter().next()) {
            first.error = Some(error);
        }
        for text in imports.list {
            let level = match text.level {
                ImportLevel::Scope(level) => Some(level),
                ImportLevel::File => Some(0),
                ImportLevel::Project => None,
            };
            let scope = match level {
                Some(level) => scopes.get_mut(level),
                None => self.rows.first_mut(),
            };
            if let Some(scope) = scope {
                add_to(scope, &text, level.is_none());
            }
        }
        let mut parent = MODULE;
        for scope in scopes.into_iter().rev() {
            let next = (self.rows.len() as u32).saturating_add(1);
            let row = *self.known.entry((parent, scope.imports.clone())).or_insert(next);
            if row == next {
                self.rows.push(ImportScope { parent: Some(parent), ..scope });
            }
            parent = row;
        }
        self.innermost.insert(method.token.value, parent);
    }
}

/// Adds an import to a scope; only once, where every method says it again.
fn add_to(scope: &mut ImportScope, text: &Text, once: bool) {
    // The root namespace and that of the code are not imported: the one is custom debug information, the other in names.
    if matches!(text.kind, ImportKind::RootNamespace | ImportKind::CurrentNamespace) {
        return;
    }
    let Some(import) = import(text) else {
        scope.error = scope.error.take().or(Some(Error::invalid("unknown kind of import", text.raw.span)));
        return;
    };
    if !(once && scope.imports.contains(&import)) {
        scope.span = around(scope.span, text.raw.span);
        scope.imports.push(import);
    }
}

/// The strings of a scope are consecutive in one stream.
fn around(span: Span, string: Span) -> Span {
    if span.space == string.space && span.start < string.start && !span.is_empty() { span } else { string }
}

/// An import in the kinds of a portable PDB, which has numbers where text is here.
fn import(text: &Text) -> Option<Import> {
    let target = Some(text.target.clone());
    let alias = text.alias.clone();
    Some(match text.kind {
        ImportKind::Namespace => Import { kind: 1, namespace: target, ..Import::default() },
        ImportKind::ExternNamespace => Import { kind: 2, namespace: target, text: alias, ..Import::default() },
        ImportKind::Type => Import { kind: 3, text: target, ..Import::default() },
        ImportKind::XmlNamespace => Import { kind: 4, alias, namespace: target, ..Import::default() },
        ImportKind::Extern => Import { kind: 5, alias, ..Import::default() },
        ImportKind::ExternAssembly => Import { kind: 6, alias, text: target, ..Import::default() },
        ImportKind::Alias if is_of_type(&text.raw.value) => {
            Import { kind: 9, alias, text: target, ..Import::default() }
        }
        ImportKind::Alias => Import { kind: 7, alias, namespace: target, ..Import::default() },
        ImportKind::RootNamespace | ImportKind::CurrentNamespace | ImportKind::Unknown => return None,
    })
}

/// Returns whether an alias names a type. Visual Basic does not distinguish them.
fn is_of_type(raw: &str) -> bool {
    raw.starts_with('A') && raw.split_once(' ').is_some_and(|(_, target)| target.starts_with('T'))
}

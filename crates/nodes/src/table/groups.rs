//! Rows of a table under the type or method that they belong to, and methods under the name that they share.

use std::ops::Range;

use crate::place::Side;
use crate::rows::{Grouped, Groups, Heading};
use crate::table::derived::owner;
use pdblens_formats::metadata::{Metadata, TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::text::names::Names;
use pdblens_session::text::parameters::{condensed, name_and_types};
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;

/// Rows before and after a method in which others of its name are looked for, and those of a local for others of its method.
const MAX_OVERLOADS: usize = 64;
const MAX_BESIDE: usize = 64;
/// Characters of parameters above which those that other overloads have too are left out.
const MAX_PARAMETERS: usize = 40;
/// Rows of a type that its document is looked for in.
const MAX_WITHOUT_DOCUMENT: u32 = 64;
/// Indentation of a method below its type, and of parameters below the name of their method.
const LEVEL: &str = "  ";

/// The groups of a table whose `column` names types or methods; `None` where its rows are of no type, or in no order.
pub(super) fn of(session: &Session, side: Side, table: TableId, column: usize) -> Option<Groups<'_>> {
    let (metadata, names) = (side.metadata(session)?, session.names()?);
    match table {
        TableId::METHOD_DEF | TableId::FIELD | TableId::PROPERTY | TableId::EVENT => {
            let of = move |index| Grouped { headings: of_type(metadata, names, table, index), ..Grouped::default() };
            Some(Groups::new(column, true, of))
        }
        // The method of a scope is a column of its own, after the derived one.
        TableId::LOCAL_VARIABLE | TableId::LOCAL_CONSTANT | TableId::PARAM | TableId::LOCAL_SCOPE => {
            let column = column + usize::from(table == TableId::LOCAL_SCOPE);
            let of = move |index| Grouped { headings: of_method(metadata, names, table, index), ..Grouped::default() };
            Some(Groups::new(column, true, of))
        }
        TableId::METHOD_DEBUG_INFORMATION => {
            let image = Side::Image.metadata(session)?;
            let rows = metadata.rows(table);
            let is_parallel = rows == image.rows(TableId::METHOD_DEF)
                && session.portable_pdb().is_some_and(|pdb| pdb.method_of_row(rows) == rows);
            let methods = MethodGroups { image, debug: metadata, names };
            is_parallel.then(|| Groups::new(column, false, move |index| methods.grouped(session, index)))
        }
        _ => None,
    }
}

/// The heading of the type that a row belongs to.
fn of_type(metadata: &Metadata, names: Names<'_>, table: TableId, index: usize) -> Vec<Heading> {
    let row = index as u32 + 1;
    let Some(owner) = owner(metadata, table, row) else { return Vec::new() };
    let (map, list) = match table {
        TableId::METHOD_DEF => (TableId::TYPE_DEF, "MethodList"),
        TableId::FIELD => (TableId::TYPE_DEF, "FieldList"),
        TableId::PROPERTY => (TableId::PROPERTY_MAP, "PropertyList"),
        _ => (TableId::EVENT_MAP, "EventList"),
    };
    let of_owner =
        if map == TableId::TYPE_DEF { Some(owner.row()) } else { super::context::list_owner(metadata, map, list, row) };
    let rows = of_owner.zip(map.column(list)).map(|(of, column)| metadata.list(map, of, column, table));
    let rows = rows.filter(|rows| rows.contains(&row)).unwrap_or(row..row + 1);
    let rows = rows.start as usize - 1..rows.end as usize - 1;
    vec![Heading { rows, name: names.brief().row(owner), detail: String::new() }]
}

/// The heading of the method that a local or a parameter belongs to.
fn of_method(metadata: &Metadata, names: Names<'_>, table: TableId, index: usize) -> Vec<Heading> {
    let of = |index: usize| owner(metadata, table, index as u32 + 1);
    let Some(method) = of(index) else { return Vec::new() };
    let is_same = |other: &usize| of(*other) == Some(method);
    let first = (0..index).rev().take(MAX_BESIDE).take_while(is_same).last().unwrap_or(index);
    let last = (index..metadata.rows(table) as usize).take(MAX_BESIDE).take_while(is_same).last().unwrap_or(index);
    vec![Heading { rows: first..last + 1, name: names.brief().row(method), detail: String::new() }]
}

#[derive(Clone, Copy)]
struct MethodGroups<'s> {
    image: &'s Metadata,
    debug: &'s Metadata,
    names: Names<'s>,
}

impl MethodGroups<'_> {
    /// The type of a method, with the file that it begins in, and the name that overloads share.
    fn grouped(&self, session: &Session, index: usize) -> Grouped {
        let mut headings = of_type(self.image, self.names, TableId::METHOD_DEF, index);
        let Some(of_type) = headings.first_mut() else { return Grouped::default() };
        let of = of_type.rows.clone();
        of_type.detail = self.document(session, of.start as u32 + 1..of.end as u32 + 1);
        let text = self.text(index);
        let (name, types) = name_and_types(&text);
        let is_same = |other: &usize| self.name(*other) == self.name(index) && are_overloads(&self.text(*other), &text);
        let first = (of.start..index).rev().take(MAX_OVERLOADS).take_while(is_same).last().unwrap_or(index);
        let end = (index..of.end).take(MAX_OVERLOADS).take_while(is_same).last().unwrap_or(index) + 1;
        if end - first == 1 || name == text {
            let rest = format!("{LEVEL}{text}");
            return Grouped { headings, whole: rest.clone(), rest };
        }
        // Of more, not all were looked at.
        let number = end - first;
        let detail = if number < MAX_OVERLOADS { count(number as u64, "overload") } else { "overloads".to_owned() };
        headings.push(Heading { rows: first..end, name: format!("{LEVEL}{name}"), detail });
        let beside = [index.checked_sub(1), Some(index + 1)].map(|at| at.filter(|at| (first..end).contains(at)));
        let beside: Vec<String> = beside.into_iter().flatten().map(|at| self.text(at)).collect();
        let others: Vec<Vec<&str>> = beside.iter().map(|text| name_and_types(text).1).collect();
        let rest = format!("{LEVEL}{LEVEL}{}", condensed(&types, &others, MAX_PARAMETERS));
        Grouped { headings, rest, whole: format!("{LEVEL}{LEVEL}{text}") }
    }

    /// Name and parameters.
    fn text(&self, index: usize) -> String {
        let token = Token::new(TableId::METHOD_DEF, index as u32 + 1);
        let text = self.names.brief().method_short(token);
        if text.is_empty() { token.to_string() } else { text }
    }

    fn name(&self, index: usize) -> Option<&[u8]> {
        let column = TableId::METHOD_DEF.column("Name")?;
        Some(self.image.string_cell(TableId::METHOD_DEF, index as u32 + 1, column).ok()?.data)
    }

    /// Name of the first document of some methods.
    fn document(&self, session: &Session, rows: Range<u32>) -> String {
        let documents = self.debug.table(TableId::METHOD_DEBUG_INFORMATION);
        let mut of_rows = rows.take(MAX_WITHOUT_DOCUMENT as usize).filter_map(|row| documents.cell(row, 0).ok());
        let name =
            of_rows.find(|document| *document > 0).and_then(|row| crate::code_unit::il::document_name(session, row));
        name.map_or_else(String::new, |name| file_name(&name).to_owned())
    }
}

/// Returns true for two texts that differ in their parameters alone: `Get<T>(T)` is no overload of `Get(int)`.
fn are_overloads(a: &str, b: &str) -> bool {
    name_and_types(a).0 == name_and_types(b).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_below_the_headings_of_its_type_and_name() {
        let path = format!("{}/../../assets/samples/warehouse/Acme.Warehouse.dll", env!("CARGO_MANIFEST_DIR"));
        let session = Session::open(&[path.into()]).unwrap();
        let table = TableId::METHOD_DEBUG_INFORMATION;
        let groups = of(&session, Side::Pdb, table, 2).unwrap();
        let names = session.names().unwrap().brief();
        let rows = Side::Pdb.metadata(&session).unwrap().rows(table) as usize;
        let (mut before, mut overloads): (Vec<Heading>, usize) = (Vec::new(), 0);
        for index in 0..rows {
            let Grouped { headings, rest, whole: of_row } = groups.of(index);
            let shared = headings.get(1).map_or("", |heading| heading.name.trim());
            let whole = names.row(Token::new(TableId::METHOD_DEF, index as u32 + 1));
            assert!(whole == format!("{}.{}", headings[0].name, of_row.trim()), "{whole} {of_row}");
            if !rest.contains(['…', '×']) {
                assert_eq!(format!("{}.{shared}{}", headings[0].name, rest.trim()), whole);
            }
            for heading in &headings {
                assert!(heading.rows.contains(&index), "{index} {heading:?}");
                let is_first = heading.rows.start == index;
                assert!(is_first != before.contains(heading), "{index} {heading:?} {before:?}");
            }
            overloads += usize::from(headings.len() > 1);
            before = headings;
        }
        assert!(overloads > 50, "{overloads}");
        assert_eq!(groups.of(1).headings[1].detail, "2 overloads");
    }

    #[test]
    fn locals_are_below_their_method() {
        let session = Session::sample();
        let groups = of(&session, Side::Pdb, TableId::LOCAL_VARIABLE, 2).unwrap();
        let metadata = Side::Pdb.metadata(&session).unwrap();
        let rows = metadata.rows(TableId::LOCAL_VARIABLE) as usize;
        let mut next = 0;
        while next < rows {
            let headings = groups.of(next).headings;
            let [heading] = &headings[..] else { panic!("{next} {headings:?}") };
            assert_eq!(heading.rows.start, next);
            assert!(heading.rows.clone().all(|row| groups.of(row).headings == headings), "{headings:?}");
            assert!(heading.name.ends_with(')') && heading.name.contains('.'), "{headings:?}");
            next = heading.rows.end;
        }
        assert!(rows > 2, "{rows}");
    }

    #[test]
    fn overloads_differ_in_their_parameters_alone() {
        assert_eq!(name_and_types("<Main>g__Add|0_0(int)"), ("<Main>g__Add|0_0", vec!["int"]));
        assert!(are_overloads("Mix(int)", "Mix((uint, int))"));
        assert!(
            !are_overloads("Throw(string)", "Throw<T>(T, string)") && !are_overloads("Throw<T>(T)", "Throw(string)")
        );
    }
}

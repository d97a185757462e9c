//! Nodes with a name, which each kind lists for the search.

use crate::place::Place;
use crate::rows::Rows;
use pdblens_session::session::Session;

/// Turns in which the kinds list their nodes: of names that are as like, those that people look for most come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Turn {
    Methods,
    TypeDefs,
    Documents,
    Functions,
    Types,
    Symbols,
    Modules,
    Streams,
    /// Rows of all other tables.
    Rows,
    Locals,
    Metadata,
    Image,
    /// String literals: no names, but remembered.
    Strings,
}

/// Adds the nodes of a kind that have a name, when it is its turn; `None` once the list was told to stop.
pub(crate) type AddNamed = (Turn, fn(&Session, &mut dyn NameList) -> Option<()>);

pub trait NameList {
    /// Text to write the next name to.
    fn text(&mut self) -> &mut String;

    /// Ends the name of `place`, which is left out if it is empty; `None` to stop.
    fn end(&mut self, place: Place) -> Option<()>;

    /// Adds a name; an empty one is left out.
    fn add(&mut self, place: Place, name: &str) -> Option<()> {
        self.text().push_str(name);
        self.end(place)
    }
}

/// Adds the rows of a list by the text of one of its columns.
pub(crate) fn add_column(list: &mut dyn NameList, rows: Option<Rows<'_>>, column: &str) -> Option<()> {
    let Some(rows) = rows else { return Some(()) };
    let Some(column) = rows.columns.iter().position(|head| head.name == column) else { return Some(()) };
    for row in rows.iter() {
        if let (Some(place), Some(cell)) = (row.place, row.cells.get(column)) {
            list.add(place, &cell.text)?;
        }
    }
    Some(())
}

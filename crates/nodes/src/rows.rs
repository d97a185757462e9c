//! Lists: a head, a row count, and windows of rows that are built on demand.

use crate::place::Place;
use pdblens_formats::bytes::{Budget, Error, Spaces, Span, count_work};
use pdblens_session::text::safe::count;
use std::ops::Range;
use std::sync::Arc;

/// A list of any length. Only the rows that are asked for are made.
pub struct Rows<'s> {
    pub title: String,
    pub columns: Vec<Head>,
    pub len: usize,
    /// Number of columns that a narrow list shows; the cells of the others are in the full text of the cursor row.
    pub narrow: Option<usize>,
    /// Columns that are not drawn, as one value of all rows is in the title; they stay in exports and copies.
    pub hidden: Vec<usize>,
    /// Groups that a screen draws under headings; exports and copies have the column that says the same.
    pub groups: Option<Groups<'s>>,
    /// True for a short list whose column widths are those of all rows, so that columns do not move while it scrolls.
    pub steady: bool,
    /// Limit on the work that all rows together may be.
    budget: Option<Budget>,
    row: Box<dyn Fn(usize) -> Row + Send + Sync + 's>,
}

/// Groups of consecutive rows that share the beginning of a column.
pub struct Groups<'s> {
    pub column: usize,
    /// True if the headings say all of the column: it is not drawn.
    pub hides: bool,
    of: Box<dyn Fn(usize) -> Grouped + Send + Sync + 's>,
}

/// The groups of a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grouped {
    /// The outermost first.
    pub headings: Vec<Heading>,
    /// Text of the column without what the headings say, indented below them.
    pub rest: String,
    /// The same in full, for the row of the cursor; empty where it is what the column has.
    pub whole: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Indices of the rows below it.
    pub rows: Range<usize>,
    pub name: String,
    pub detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its title, and its key in JSON.
    pub name: &'static str,
    /// True for numbers, which are right-aligned.
    pub right: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub place: Option<Place>,
    pub span: Option<Span>,
    /// Depth in a list that shows a tree.
    pub depth: u8,
    /// True if the last cell is drawn directly after the cell before it, not in its own column.
    pub is_packed: bool,
    pub cells: Vec<Cell>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Content, with whatever characters the file has.
    pub text: String,
    /// A detail beside it, of less weight: a heap offset beside a name, a name beside a row.
    pub beside: String,
    pub to: Option<Place>,
    pub tone: Tone,
    /// Value of the cell for scripts, if it cannot be parsed from the text.
    pub data: Option<Data>,
}

/// Value of a cell, for programs.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "cell_data"))]
pub enum Data {
    /// An offset, a size, a count.
    Number(u64),
    /// First and last number; of offsets the end is exclusive.
    Range(u64, u64),
    /// First and last page of each run of pages.
    Ranges(Vec<(u32, u32)>),
    /// Range of source; columns are 0 where they are not known.
    Source {
        /// From 1.
        start_line: u32,
        /// From 1.
        start_column: u32,
        /// From 1.
        end_line: u32,
        /// Exclusive.
        end_column: u32,
    },
}

/// Role of a text, which themes and terminals turn into a style.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tone {
    #[default]
    Text,
    /// Less important: an offset, a label.
    Dim,
    /// A name that the reader is looking for.
    Strong,
    /// As it should be.
    Ok,
    /// Worth a look.
    Warn,
    /// Wrong.
    Bad,
}

impl<'s> Groups<'s> {
    pub fn new(column: usize, hides: bool, of: impl Fn(usize) -> Grouped + Send + Sync + 's) -> Self {
        Self { column, hides, of: Box::new(of) }
    }

    pub fn of(&self, row: usize) -> Grouped {
        (self.of)(row)
    }
}

impl<'s> Rows<'s> {
    /// `len` rows, made by `row` when they are looked at.
    pub fn new(
        title: impl Into<String>,
        columns: Vec<Head>,
        len: usize,
        row: impl Fn(usize) -> Row + Send + Sync + 's,
    ) -> Self {
        let row = Box::new(row);
        Self {
            title: title.into(),
            columns,
            len,
            narrow: None,
            hidden: Vec::new(),
            groups: None,
            steady: false,
            budget: None,
            row,
        }
    }

    /// Rows that are made already: for short lists.
    pub fn of(title: impl Into<String>, columns: Vec<Head>, rows: Vec<Row>) -> Self {
        Self::new(title, columns, rows.len(), move |index| rows.get(index).cloned().unwrap_or_default())
    }

    /// Rows that are made already, and that others have too.
    pub fn shared(columns: &[Head], rows: &Arc<Vec<Row>>) -> Rows<'static> {
        let rows = Arc::clone(rows);
        Rows::new("", columns.to_vec(), rows.len(), move |index| rows.get(index).cloned().unwrap_or_default())
    }

    /// The same rows, with only those links that lead to a place that is `there`.
    #[must_use]
    pub(crate) fn linked(self, there: impl Fn(Place) -> bool + Send + Sync + 's) -> Self {
        self.changed(move |row| {
            row.place = row.place.filter(|place| there(*place));
            for cell in &mut row.cells {
                cell.to = cell.to.filter(|place| there(*place));
            }
        })
    }

    #[must_use]
    pub fn changed(self, change: impl Fn(&mut Row) + Send + Sync + 's) -> Self {
        let make = self.row;
        let row = Box::new(move |index| {
            let mut row = make(index);
            change(&mut row);
            row
        });
        Self { row, ..self }
    }

    /// The same rows in another order: `row` gives the index of the row on a line.
    #[must_use]
    pub fn reordered(self, row: impl Fn(usize) -> usize + Send + Sync + 's) -> Self {
        let make = self.row;
        Self { groups: None, row: Box::new(move |line| make(row(line))), ..self }
    }

    /// The same rows with more columns from index `at` on, whose cells are made from the index of the row.
    #[must_use]
    pub fn with(
        mut self,
        at: usize,
        columns: Vec<Head>,
        cells: impl Fn(usize) -> Vec<Cell> + Send + Sync + 's,
    ) -> Self {
        let at = at.min(self.columns.len());
        self.columns.splice(at..at, columns);
        let make = self.row;
        let row = Box::new(move |index| {
            let mut row = make(index);
            row.cells.resize(row.cells.len().max(at), Cell::default());
            row.cells.splice(at..at, cells(index));
            row
        });
        Self { row, ..self }
    }

    pub fn draws(&self, column: usize) -> bool {
        column < self.narrow.unwrap_or(usize::MAX) && !self.hidden.contains(&column)
    }

    pub fn get(&self, index: usize) -> Option<Row> {
        (index < self.len).then(|| (self.row)(index))
    }

    /// The rows of a range, as far as there are any.
    pub fn window(&self, range: Range<usize>) -> impl Iterator<Item = Row> {
        (range.start..range.end.min(self.len)).map(|index| (self.row)(index))
    }

    /// The same rows, which end where they would be more work than files of a session may be.
    pub(crate) fn within(self, budget: &Budget) -> Self {
        Self { budget: Some(budget.clone()), ..self }
    }

    pub fn iter(&self) -> impl Iterator<Item = Row> {
        let work = self.budget.as_ref().map(Budget::work);
        let goes_on = move |index: &usize| {
            work.as_ref().is_none_or(|work| work.goes_on("rows", || format!("row {index} of {}", self.title)))
        };
        (0..self.len).take_while(goes_on).map(|index| {
            let row = (self.row)(index);
            // Rows can share a name or a signature, which each of them spells out.
            count_work(row.cells.iter().map(|cell| (cell.text.len() + cell.beside.len()) as u64).sum());
            row
        })
    }

    /// Index of the row of `place`, by a search of all rows.
    pub fn position(&self, place: Place) -> Option<usize> {
        self.iter().position(|row| row.place == Some(place))
    }
}

impl std::fmt::Debug for Rows<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rows({}, {} rows)", self.title, self.len)
    }
}

impl Head {
    pub const fn text(name: &'static str) -> Self {
        Self { name, right: false }
    }

    pub const fn number(name: &'static str) -> Self {
        Self { name, right: true }
    }

    /// Columns by their names; a colon behind a name aligns the column right, as in Markdown: `["method", "bytes:"]`.
    pub fn list<const N: usize>(names: [&'static str; N]) -> Vec<Self> {
        let head = |name: &'static str| name.strip_suffix(':').map_or(Self::text(name), Self::number);
        names.map(head).to_vec()
    }
}

impl Row {
    /// A row that stands for nothing.
    pub fn plain(cells: Vec<Cell>) -> Self {
        Self { cells, ..Self::default() }
    }

    pub fn at(place: Place, cells: Vec<Cell>) -> Self {
        Self { place: Some(place), cells, ..Self::default() }
    }

    #[must_use]
    pub fn from(self, span: Span) -> Self {
        Self { span: Some(span), ..self }
    }

    pub fn tabbed(&self) -> String {
        self.cells.iter().map(|cell| cell.text.trim()).collect::<Vec<_>>().join("\t")
    }
}

impl Cell {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub fn toned(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone, ..Self::default() }
    }

    /// A number of things: `32 bytes`.
    pub fn count(number: u64, noun: &str) -> Self {
        Self::new(count(number, noun)).data(Data::Number(number))
    }

    /// The message of an error, in parentheses where a value is expected.
    pub fn broken(spaces: &Spaces, error: &Error) -> Self {
        Self::toned(format!("({})", spaces.error_text(error)), Tone::Bad)
    }

    #[must_use]
    pub fn beside(mut self, detail: impl Into<String>) -> Self {
        self.beside = detail.into();
        self
    }

    #[must_use]
    pub fn data(mut self, data: Data) -> Self {
        self.data = Some(data);
        self
    }

    #[must_use]
    pub fn to(mut self, place: impl Into<Option<Place>>) -> Self {
        self.to = place.into();
        self
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}

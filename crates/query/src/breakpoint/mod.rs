//! Line to offset: the code that a breakpoint on a source line binds to.
//!
//! One line may be code of many methods: a lambda in a statement, an initialiser that every constructor runs, the body of an
//! iterator. A debugger binds the breakpoint in each of them, at the first point that begins on the line; where a statement
//! only passes through the line, at the innermost such; and where no code touches the line, at the next line that has some.

mod cause;
mod judge;
mod machine;
mod verdict;
mod why;

pub use crate::address::LineQuery;
pub use cause::Cause;
pub use judge::Judge;
pub(crate) use machine::inlined_rows;
pub use machine::{MethodCode, NativeOffsets};
pub use pdblens_nodes::table::attributes::is_optimized;
pub use verdict::{IL_RULE, LinePart, MachinePart, ModulePart, Sign, Verdict, VerdictFields};
pub use why::{Why, why_of_module};

use std::ops::{ControlFlow, Range};
use std::rc::Rc;

use crate::where_is::state_machine;
use pdblens_formats::bytes::{Error, Resource, count_work};
use pdblens_nodes::code_unit::{self, CodeUnit};
use pdblens_nodes::table::attributes;
use pdblens_nodes::{Place, SequencePoint, TableId, Token, function, method};
use pdblens_session::session::Session;

const MAX_HITS: usize = 100_000;
/// Number of points from which on a list may be that of another method, too; and of such lists that one is compared with.
const LONG: usize = 256;
const MOST_COMPARED: usize = 4;

#[derive(Clone, Debug, Default)]
pub struct Breakpoint {
    /// Line that it binds to: the requested one, or the next with code; 0 if there is none.
    pub line: u32,
    /// The code that the line touches, by method.
    pub hits: Vec<Hit>,
    /// There are more hits than listed.
    pub more: bool,
    /// Methods that cannot be read.
    pub errors: Vec<(CodeUnit, Error)>,
    /// Methods that have code in the documents, and the number of their points: all were compared with the line.
    pub scanned: (usize, usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub of: CodeUnit,
    /// Number of the sequence point in its method, from 1.
    pub number: u32,
    pub point: SequencePoint,
    pub range: Range<u32>,
    /// A debugger stops there, as set by `mark_bound`: one point in each method.
    pub binds: bool,
}

impl Hit {
    pub const fn place(&self) -> Place {
        self.of.point(self.number)
    }
}

type At = (u32, u32);

impl LineQuery {
    /// Returns whether a point covers the line, and the column if there is one.
    fn touches(&self, point: &SequencePoint) -> bool {
        match self.column {
            None => point.start_line <= self.line && self.line <= point.end_line,
            Some(column) => start(point) <= (self.line, column) && (self.line, column) < end(point),
        }
    }

    /// Returns whether a point begins after the line, or after the column if there is one.
    fn is_before(&self, point: &SequencePoint) -> bool {
        start(point) > (self.line, self.column.unwrap_or(u32::MAX))
    }
}

const fn start(point: &SequencePoint) -> At {
    (point.start_line, point.start_column)
}

/// A point without a known end extends to the end of its line.
const fn end(point: &SequencePoint) -> At {
    (point.end_line, if point.end_column == 0 { u32::MAX } else { point.end_column })
}

pub fn bind(session: &Session, query: &LineQuery) -> Breakpoint {
    let methods = MethodsOnLines::of(session, &query.documents);
    let scanned = (methods.all.len(), methods.all.iter().map(|(_, points)| points.len()).sum());
    Breakpoint { errors: methods.errors.clone(), scanned, ..methods.bind(session, query) }
}

/// Methods and functions that have code in some documents, with all their points.
struct MethodsOnLines {
    all: Vec<(CodeUnit, Rc<[SequencePoint]>)>,
    errors: Vec<(CodeUnit, Error)>,
    /// Visible points in the documents, as indices of `all` and of the points, in the order of the lines and columns where they begin.
    order: Vec<(u32, u32)>,
    /// For each of these, the last line that it or one before it touches.
    reach: Vec<u32>,
}

impl MethodsOnLines {
    fn of(session: &Session, documents: &[u32]) -> Self {
        let mut found = Self { all: Vec::new(), errors: Vec::new(), order: Vec::new(), reach: Vec::new() };
        // Methods may share their points: long lists are kept once.
        let mut long: Vec<Rc<[SequencePoint]>> = Vec::new();
        let mut share = session.spaces().budget().share(Resource::Rows);
        code_unit::each(session, documents, &mut |of, points, error| {
            if points.iter().any(|point| documents.contains(&point.document)) {
                if !share.take(points.len() as u64) {
                    share.leave_out("methods on a line", of.place().to_string(), None);
                    return ControlFlow::Break(());
                }
                let is_visible = |point: &SequencePoint| !point.is_hidden() && documents.contains(&point.document);
                let visible = (0..).zip(points).filter(|(_, point)| is_visible(point)).map(|(index, _)| index);
                found.order.extend(visible.map(|index| (found.all.len() as u32, index)));
                let known = long.iter().rev().take(MOST_COMPARED).find(|known| known[..] == *points).map(Rc::clone);
                let kept = known.unwrap_or_else(|| {
                    let new: Rc<[SequencePoint]> = points.into();
                    if new.len() >= LONG {
                        long.push(Rc::clone(&new));
                    }
                    new
                });
                found.all.push((of, kept));
            }
            if let Some(error) = error
                && found.errors.len() < MAX_HITS
            {
                found.errors.push((of, error));
            }
            ControlFlow::Continue(())
        });
        let mut order = std::mem::take(&mut found.order);
        order.sort_unstable_by_key(|at| start(found.point(*at)));
        let mut last = 0;
        let reach = order.iter().map(|at| {
            let point = found.point(*at);
            last = point.end_line.max(point.start_line).max(last);
            last
        });
        Self { reach: reach.collect(), order, ..found }
    }

    fn point(&self, (method, index): (u32, u32)) -> &SequencePoint {
        &self.all[method as usize].1[index as usize]
    }

    fn last_line(&self) -> u32 {
        self.reach.last().copied().unwrap_or(0)
    }

    /// The code on a line, without what is said of all methods.
    fn bind(&self, session: &Session, query: &LineQuery) -> Breakpoint {
        let mut query = query.clone();
        let (mut found, mut next) = self.touched(&query);
        // Nothing at the column: what comes next on the line, else whatever the line touches.
        if found.hits.is_empty() && query.column.is_some() {
            query.column = next.filter(|(line, _)| *line == query.line).map(|(_, column)| column);
            (found, next) = self.touched(&query);
        }
        if found.hits.is_empty()
            && let Some((line, _)) = next
        {
            query = LineQuery { line, column: None, ..query };
            (found, _) = self.touched(&query);
            found.hits.retain(|hit| hit.point.start_line == line);
        }
        if !found.hits.is_empty() {
            found.line = query.line;
        }
        mark_bound(&mut found.hits, &query);
        close_ranges(session, &mut found.hits);
        found
    }

    /// All code that `query` touches, by method and then by IL offset; and where the first code after it begins.
    fn touched(&self, query: &LineQuery) -> (Breakpoint, Option<At>) {
        let behind = self.order.partition_point(|at| self.point(*at).start_line <= query.line);
        let candidates = (0..behind).rev().take_while(|index| self.reach[*index] >= query.line);
        let candidates = candidates.inspect(|_| count_work(1)).map(|index| self.order[index]);
        let mut touched: Vec<_> = candidates.filter(|at| query.touches(self.point(*at))).collect();
        touched.sort_unstable();
        let mut found = Breakpoint { more: touched.len() > MAX_HITS, ..Breakpoint::default() };
        touched.truncate(MAX_HITS);
        found.hits.extend(touched.into_iter().map(|(method, index)| {
            let (of, points) = &self.all[method as usize];
            let point = points[index as usize];
            let behind = points.get(index as usize + 1).map_or(u32::MAX, |next| next.offset.max(point.offset));
            Hit { of: *of, number: index + 1, point, range: point.offset..behind, binds: false }
        }));
        let next = self.order.partition_point(|at| !query.is_before(self.point(*at)));
        (found, self.order.get(next).map(|at| start(self.point(*at))))
    }
}

/// The code of a method's last point ends with the method.
fn close_ranges(session: &Session, hits: &mut [Hit]) {
    for hit in hits.iter_mut().filter(|hit| hit.range.end == u32::MAX) {
        let size = match hit.of {
            CodeUnit::Method(method) => method::body(session, method).ok().flatten().map(|body| body.code_size),
            CodeUnit::Function(rva) => function::function_at(session, rva).map(|(_, function)| function.len),
        };
        hit.range.end = size.map_or(u32::MAX, |size| size.max(hit.range.start));
    }
}

/// Marks the hits that a debugger stops at, one in each method: the first point that begins on the line. Where a statement only passes
/// through, or a column is meant, it is the innermost; other methods have it too where they share the source, as constructors do initialisers.
fn mark_bound(hits: &mut [Hit], query: &LineQuery) {
    let size = |point: &SequencePoint| {
        let lines = point.end_line.saturating_sub(point.start_line);
        (lines, point.end_column.saturating_sub(if lines == 0 { point.start_column } else { 0 }))
    };
    let begins = query.column.is_none() && hits.iter().any(|hit| hit.point.start_line == query.line);
    let innermost =
        hits.iter().map(|hit| &hit.point).min_by_key(|point| size(point)).map(|point| (start(point), end(point)));
    for method in hits.chunk_by_mut(|a, b| a.of == b.of) {
        let wanted = |hit: &&mut Hit| {
            let point = &hit.point;
            if begins { point.start_line == query.line } else { innermost == Some((start(point), end(point))) }
        };
        if let Some(hit) = method.iter_mut().filter(wanted).min_by_key(|hit| hit.point.offset) {
            hit.binds = true;
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DebuggerAttribute {
    /// A breakpoint does not bind, a step passes over.
    Hidden,
    /// A step passes through; with Just My Code a breakpoint does not stop.
    StepThrough,
    /// With Just My Code neither breakpoint nor step stops.
    NonUserCode,
}

impl DebuggerAttribute {
    /// All of them, the strongest first.
    pub const ALL: [Self; 3] = [Self::Hidden, Self::StepThrough, Self::NonUserCode];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Hidden => "DebuggerHidden",
            Self::StepThrough => "DebuggerStepThrough",
            Self::NonUserCode => "DebuggerNonUserCode",
        }
    }
}

/// Attributes of the method, of its type and of the types around it, the strongest first.
pub fn debugger_attributes(session: &Session, method: Token) -> Vec<DebuggerAttribute> {
    if method.table() != TableId::METHOD_DEF {
        return Vec::new();
    }
    let Some(names) = session.names() else { return Vec::new() };
    let mut owners = vec![method];
    let mut owner = names.owner(method.row());
    while owner != 0 && owners.len() < 16 {
        owners.push(Token::new(TableId::TYPE_DEF, owner));
        owner = names.enclosing(owner);
    }
    let found: Vec<String> =
        owners.into_iter().flat_map(|owner| attributes::of(session, owner)).map(|(_, name)| name).collect();
    let has = |one: &DebuggerAttribute| found.iter().any(|name| name.strip_suffix("Attribute") == Some(one.name()));
    DebuggerAttribute::ALL.into_iter().filter(has).collect()
}

/// The strongest attribute that keeps a debugger out of a method, or out of the method whose state machine it is of.
pub(crate) fn attribute_of(session: &Session, method: Token) -> Option<DebuggerAttribute> {
    // Compilers mark the kickoff of every async method [DebuggerStepThrough].
    let kickoff = state_machine::kickoff(session, method).into_iter();
    let kickoff = kickoff.flat_map(|kickoff| debugger_attributes(session, kickoff));
    let kickoff = kickoff.filter(|attribute| *attribute != DebuggerAttribute::StepThrough);
    kickoff.chain(debugger_attributes(session, method)).min()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::address::parse_line;
    use pdblens_nodes::method::MethodView;

    fn sample(name: &str) -> Session {
        Session::open(&[Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples").join(name)]).unwrap()
    }

    /// The line that it lands on, and in which methods at which IL offsets.
    fn lands(session: &Session, text: &str) -> (u32, Vec<String>) {
        let found = bind(session, &parse_line(session, text).unwrap());
        let bound = found.hits.iter().filter(|hit| hit.binds);
        (found.line, bound.map(|hit| format!("{}+{:#x}", code_unit::name(session, hit.of), hit.range.start)).collect())
    }

    #[test]
    fn initialisers_bind_in_the_constructor_and_lambdas_in_themselves() {
        let session = sample("workshop/Workshop.dll");
        assert_eq!(
            lands(&session, "Parts.First.cs:7"),
            (7, vec!["Workshop.Parts.Parts()".replace("Parts()", ".ctor()") + "+0x0"])
        );
        let (line, methods) = lands(&session, "StateMachines.cs:59");
        assert_eq!(line, 59);
        assert!(methods.len() == 1 && methods[0].contains("<Adder>"), "{methods:?}");
        // The statement around the lambda is touched too, and not bound.
        let touched = bind(&session, &parse_line(&session, "StateMachines.cs:59").unwrap());
        assert!(touched.hits.iter().any(|hit| !hit.binds && hit.point.start_line < 59), "{touched:?}");
    }

    #[test]
    fn every_point_is_found_by_the_place_where_it_begins() {
        let session = sample("workshop/Workshop.dll");
        for row in 1..=session.methods() {
            let method = Token::new(TableId::METHOD_DEF, row);
            for (index, point) in
                MethodView::of(&session, method).points.iter().enumerate().filter(|(_, point)| !point.is_hidden())
            {
                let query = LineQuery::of(point.document, point.start_line, Some(point.start_column));
                let found = bind(&session, &query);
                let hit = found.hits.iter().find(|hit| hit.of == method.into() && hit.number == index as u32 + 1);
                let empty = start(point) == end(point);
                assert!(empty || hit.is_some(), "{method} {point:?}");
                assert!(
                    hit.is_none_or(|hit| hit.range == MethodView::of(&session, method).point_range(index)),
                    "{hit:?}"
                );
                assert!(empty || found.hits.iter().any(|hit| hit.binds), "{method} {point:?}");
            }
        }
    }

    #[test]
    fn a_line_without_code_lands_on_the_next_that_has_some() {
        let session = Session::sample();
        let (line, methods) = lands(&session, "Program.cs:1");
        assert!(line > 1 && methods.len() == 1, "{line} {methods:?}");
        assert_eq!(lands(&session, "Program.cs:9999"), (0, vec![]));
    }
}

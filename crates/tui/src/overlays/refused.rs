//! Points of the open files that a debugger refuses, by document and method, each with its reason and its source.

use std::collections::HashMap;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::overlays::OverlayContext;
use crate::overlays::picker::{Choices, Picker};
use crate::panes::preview::ChosenPreview;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg, RefusedStatement};
use crate::state::paths::Paths;
use pdblens_nodes::code_unit::{CodeUnit, MethodView};
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{Place, TableId, Token};
use pdblens_query::breakpoint::Sign;
use pdblens_query::quality::{RefusedPoint, refused_points};
use pdblens_query::statement::Statements;
use pdblens_session::session::Session;
use pdblens_session::source::Sources;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;

/// Points that are listed.
const MAX_LISTED: usize = 20_000;
/// Bytes of a statement that are kept.
const MAX_STATEMENT: usize = 200;

pub struct Refused {
    found: Arc<Vec<RefusedStatement>>,
    /// The lines of the list, for the text that was typed last.
    lines: Arc<Vec<ListedLine>>,
    preview: ChosenPreview,
}

/// A line of the list, with the index of its point.
#[derive(Clone, Copy)]
enum ListedLine {
    /// The head of a method: its first point, and the number of its points that are listed.
    Method(usize, usize),
    Point(usize),
}

impl ListedLine {
    const fn index(self) -> usize {
        match self {
            Self::Method(index, _) | Self::Point(index) => index,
        }
    }
}

pub fn refused(mut found: Vec<RefusedStatement>, within: &str) -> Picker<Refused> {
    found.sort_by(|a, b| a.point.document.cmp(&b.point.document));
    let lines = Arc::new(matching(&found, within));
    Picker::new(Refused { found: Arc::new(found), lines, preview: ChosenPreview::default() }).typing(within)
}

/// A job that asks for each method which of its points a debugger refuses; those with the text `within` show first.
pub fn refused_job(session: Arc<Session>, paths: Arc<Paths>, within: String) -> Effect {
    Effect::Start(Job::new("listing refused points", "refused", move |token| {
        let (all, mut found) = (session.methods(), Vec::new());
        let (sources, statements) = (Sources::of(&session, &paths.sources), Statements::new(&session));
        let mut texts = HashMap::new();
        for row in 1..=all {
            token.report(u64::from(row), u64::from(all));
            if token.is_cancelled() || found.len() >= MAX_LISTED {
                break;
            }
            let token = Token::new(TableId::METHOD_DEF, row);
            let name = session.names().map(|names| names.brief().method(token)).unwrap_or_default();
            for point in refused_points(&session, token) {
                let text = texts.entry(point.document.clone()).or_insert_with(|| {
                    let view = MethodView::of(&session, token);
                    let document = view.points.iter().find(|known| known.offset == point.il)?.document;
                    sources.get(document).ok()?.text
                });
                let line = text.as_ref().and_then(|text| Some(text.line(point.line)?.trim().to_owned()));
                let from_il = || Some(statements.as_ref()?.at(token.into(), point.il)?.text);
                let mut statement = line.or_else(from_il).unwrap_or_default();
                statement.truncate(statement.floor_char_boundary(MAX_STATEMENT));
                found.push(RefusedStatement { point, method: name.clone(), statement });
            }
        }
        Msg::RefusedListed(found, within)
    }))
}

/// The lines of the points with every typed word in their row or in the head of their method, by document and method.
fn matching(found: &[RefusedStatement], typed: &str) -> Vec<ListedLine> {
    let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
    let has_words = |RefusedStatement { point, statement, .. }: &RefusedStatement| {
        let RefusedPoint { document, method, line, il, text, .. } = point;
        let text = format!("{document} {method} {line} IL_{il:04x} {statement} {text}").to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    let mut lines = Vec::new();
    let mut first = 0;
    let is_same = |a: &RefusedPoint, b: &RefusedPoint| (&a.document, &a.method) == (&b.document, &b.method);
    for group in found.chunk_by(|a, b| is_same(&a.point, &b.point)) {
        let points: Vec<usize> = (first..).zip(group).filter(|(_, point)| has_words(point)).map(|(at, _)| at).collect();
        first += group.len();
        lines.extend(points.first().map(|at| ListedLine::Method(*at, points.len())));
        lines.extend(points.into_iter().map(ListedLine::Point));
    }
    lines
}

/// The row of a point, or that of its method.
fn row(RefusedStatement { point, method, statement }: &RefusedStatement, line: ListedLine, sign: &str) -> Row {
    if let ListedLine::Method(_, points) = line {
        let name = format!("{}  {method}", file_name(&point.document));
        let method = point.place.code_unit().map(CodeUnit::place);
        return Row { place: method, ..Row::plain(vec![Cell::toned(name, Tone::Strong).beside(points.to_string())]) };
    }
    let nearest = point.nearest.map_or_else(String::new, |il| format!("IL_{il:04x} binds"));
    let cells = vec![
        Cell::new(format!("{:>6} {sign}", point.line)),
        Cell::new(format!("IL_{:04x}", point.il)),
        Cell::new(statement.as_str()),
        Cell::toned(nearest, Tone::Dim),
        Cell::toned(point.text.as_str(), Tone::Dim),
    ];
    Row { depth: 1, ..Row::at(point.place, cells) }
}

impl Refused {
    fn place(&self, index: usize) -> Option<Place> {
        let line = *self.lines.get(index)?;
        row(self.found.get(line.index())?, line, "").place
    }
}

impl Choices for Refused {
    const TITLE: &'static str = "Refused points: a debugger never stops there";

    fn size(&self, screen: Rect) -> (u16, u16) {
        (120, screen.height / 3)
    }

    fn rows(&self, _: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let (found, lines) = (Arc::clone(&self.found), Arc::clone(&self.lines));
        let methods = lines.iter().filter(|line| matches!(line, ListedLine::Method(..))).count();
        let (points, methods) = (count((lines.len() - methods) as u64, "point"), count(methods as u64, "method"));
        let sign = cx.look.glyphs.breakpoint(Sign::Never);
        // The statement is what a row is known by.
        let heads = Head::list(["line", "il", "name", "nearest", "reason"]);
        Rows::new(format!("{points} in {methods}"), heads, lines.len(), move |index| {
            let line = lines.get(index).copied();
            let point = line.and_then(|line| Some((found.get(line.index())?, line)));
            point.map_or_else(Row::default, |(point, line)| row(point, line, sign))
        })
    }

    fn accept(&self, index: usize, _: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        self.place(index).map(|place| Effect::Go(place.into())).into_iter().collect()
    }

    fn query_changed(&mut self, typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        self.lines = Arc::new(matching(&self.found, typed));
        Vec::new()
    }

    fn moved(&self, index: usize, _: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let Some((session, place)) = cx.session.zip(self.place(index)) else { return Vec::new() };
        self.preview.read(session, place, cx.paths)
    }

    fn draw_source(&self, index: usize, _: &str, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> bool {
        self.place(index).is_some_and(|place| self.preview.draw(place, area, buf, &cx.look))
    }

    fn empty_text(&self, _typed: &str) -> String {
        "no point is refused".to_owned()
    }
}

//! Points of the open files that a debugger refuses, by document and method, each with its reason and its source.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::overlays::OverlayContext;
use crate::overlays::picker::{Choices, Picker};
use crate::panes::preview::ChosenPreview;
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{Place, TableId, Token};
use pdblens_query::breakpoint::Sign;
use pdblens_query::quality::{RefusedPoint, refused_points};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;

/// Points that are listed.
const MAX_LISTED: usize = 20_000;

pub struct Refused {
    found: Vec<RefusedPoint>,
    preview: ChosenPreview,
}

pub fn refused(mut found: Vec<RefusedPoint>) -> Picker<Refused> {
    found.sort_by(|a, b| a.document.cmp(&b.document));
    Picker::new(Refused { found, preview: ChosenPreview::default() })
}

/// A job that asks for each method which of its points a debugger refuses; those with the text `within` show first.
pub fn refused_job(session: Arc<Session>, within: String) -> Effect {
    Effect::Start(Job::new("listing refused points", "refused", move |token| {
        let (all, mut found) = (session.methods(), Vec::new());
        for row in 1..=all {
            token.report(u64::from(row), u64::from(all));
            if token.is_cancelled() || found.len() >= MAX_LISTED {
                break;
            }
            found.extend(refused_points(&session, Token::new(TableId::METHOD_DEF, row)));
        }
        Msg::RefusedListed(found, within)
    }))
}

fn row(point: &RefusedPoint, sign: &str) -> Row {
    let nearest = point.nearest.map_or_else(String::new, |il| format!("IL_{il:04x} binds"));
    let cells = vec![
        Cell::toned(format!("{:>6} {sign}", point.line), Tone::Text),
        Cell::new(format!("IL_{:04x}", point.il)),
        Cell::toned(point.text.clone(), Tone::Dim),
        Cell::toned(nearest, Tone::Dim),
    ];
    Row { depth: 1, ..Row::at(point.place, cells) }
}

impl Refused {
    /// The points with every typed word in their row, or in the head of their method.
    fn matching(&self, typed: &str) -> Vec<&RefusedPoint> {
        let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
        let has_words = |point: &&RefusedPoint| {
            let text = format!("{} {} {}", point.document, point.method, row(point, "").tabbed()).to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        self.found.iter().filter(has_words).collect()
    }

    /// The points by document and method, each group below the name of both.
    fn grouped(&self, typed: &str, sign: &str) -> Vec<Row> {
        let found = self.matching(typed);
        let groups = found.chunk_by(|a, b| (&a.document, &a.method) == (&b.document, &b.method));
        let rows = groups.flat_map(|group| {
            let name = format!("{}  {}", file_name(&group[0].document), group[0].method);
            let number = Cell::toned(name, Tone::Strong).beside(group.len().to_string());
            let method = group[0].place.code_unit().map(pdblens_nodes::CodeUnit::place);
            let head = Row { place: method, ..Row::plain(vec![number]) };
            std::iter::once(head).chain(group.iter().map(|point| row(point, sign)))
        });
        rows.collect()
    }

    fn place(&self, index: usize, typed: &str) -> Option<Place> {
        self.grouped(typed, "").get(index)?.place
    }
}

impl Choices for Refused {
    const TITLE: &'static str = "Refused points: a debugger never stops there";

    fn size(&self, screen: Rect) -> (u16, u16) {
        (120, screen.height / 3)
    }

    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let rows = self.grouped(typed, cx.look.glyphs.breakpoint(Sign::Never));
        Rows::of(count(self.matching(typed).len() as u64, "point"), Head::list(["", "", "", ""]), rows)
    }

    fn accept(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        self.place(index, typed).map(|place| Effect::Go(place.into())).into_iter().collect()
    }

    fn moved(&self, index: usize, typed: &str, cx: &OverlayContext<'_>) -> Vec<Effect> {
        let Some((session, place)) = cx.session.zip(self.place(index, typed)) else { return Vec::new() };
        self.preview.read(session, place, cx.paths)
    }

    fn draw_source(&self, index: usize, typed: &str, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> bool {
        self.place(index, typed).is_some_and(|place| self.preview.draw(place, area, buf, &cx.look))
    }

    fn empty_text(&self, _typed: &str) -> String {
        "no point is refused".to_owned()
    }
}

//! Points of the open files that a debugger refuses, in one list, each with its reason.

use std::sync::Arc;

use crate::overlays::OverlayContext;
use crate::overlays::picker::{Choices, Picker};
use crate::state::effect::Effect;
use crate::state::message::{Job, Msg};
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{TableId, Token};
use pdblens_query::breakpoint::Sign;
use pdblens_query::quality::{RefusedPoint, refused_points};
use pdblens_session::session::Session;
use pdblens_session::text::paths::file_name;
use pdblens_session::text::safe::count;

/// Points that are listed.
const MAX_LISTED: usize = 20_000;

pub struct Refused(Vec<RefusedPoint>);

pub fn refused(found: Vec<RefusedPoint>) -> Picker<Refused> {
    Picker::new(Refused(found))
}

/// A job that asks for each method which of its points a debugger refuses.
pub fn refused_job(session: Arc<Session>) -> Effect {
    Effect::Start(Job::new("listing refused points", "refused", move |token| {
        let (all, mut found) = (session.methods(), Vec::new());
        for row in 1..=all {
            token.report(u64::from(row), u64::from(all));
            if token.is_cancelled() || found.len() >= MAX_LISTED {
                break;
            }
            found.extend(refused_points(&session, Token::new(TableId::METHOD_DEF, row)));
        }
        Msg::RefusedListed(found)
    }))
}

fn row(point: &RefusedPoint, sign: &str) -> Row {
    let nearest = point.nearest.map_or_else(String::new, |il| format!("IL_{il:04x} binds"));
    let cells = vec![
        Cell::toned(format!("{sign} {}:{}", file_name(&point.document), point.line), Tone::Text),
        Cell::new(format!("IL_{:04x}", point.il)),
        Cell::new(point.method.clone()),
        Cell::toned(point.text.clone(), Tone::Dim),
        Cell::toned(nearest, Tone::Dim),
    ];
    Row::at(point.place, cells)
}

impl Refused {
    /// The points with every typed word in their row.
    fn matching(&self, typed: &str, sign: &str) -> impl Iterator<Item = Row> {
        let words: Vec<String> = typed.split_whitespace().map(str::to_lowercase).collect();
        let rows = self.0.iter().map(move |point| row(point, sign));
        rows.filter(move |row| {
            let text = row.tabbed().to_lowercase();
            words.iter().all(|word| text.contains(word))
        })
    }
}

impl Choices for Refused {
    const TITLE: &'static str = "Refused points: a debugger never stops there";

    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let rows: Vec<Row> = self.matching(typed, cx.look.glyphs.breakpoint(Sign::Never)).collect();
        Rows::of(count(rows.len() as u64, "point"), Head::list(["", "", "", "", ""]), rows)
    }

    fn accept(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        let place = self.matching(typed, "").nth(index).and_then(|row| row.place);
        place.map(|place| Effect::Go(place.into())).into_iter().collect()
    }

    fn empty_text(&self, _typed: &str) -> String {
        "no point is refused".to_owned()
    }
}

//! The coverage of the open files: how many bytes have a field, and a list of those that have none.

use std::sync::Arc;

use crate::overlays::OverlayContext;
use crate::overlays::picker::{Choices, Picker};
use crate::state::effect::Effect;
use crate::state::selection::Selection;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_nodes::{Place, span_text};
use pdblens_query::coverage::{Coverage, Rest};

pub struct CoverageList(Arc<Vec<Coverage>>);

pub fn coverage(found: Arc<Vec<Coverage>>) -> Picker<CoverageList> {
    Picker::new(CoverageList(found))
}

enum CoverageRow<'c> {
    File(&'c Coverage),
    Rest(&'c Rest),
    /// Number of ranges that are not listed.
    More(usize),
}

impl CoverageList {
    fn lines(&self, typed: &str) -> Vec<CoverageRow<'_>> {
        let typed = typed.trim();
        let is_wanted = |rest: &&Rest| rest.place.is_some_and(|place| place.to_string().contains(typed));
        let mut lines = Vec::new();
        for file in self.0.iter() {
            lines.push(CoverageRow::File(file));
            lines.extend(file.rest.iter().filter(|rest| typed.is_empty() || is_wanted(rest)).map(CoverageRow::Rest));
            let hidden = file.ranges.saturating_sub(file.rest.len());
            lines.extend((hidden > 0).then_some(CoverageRow::More(hidden)));
        }
        lines
    }
}

impl Choices for CoverageList {
    const TITLE: &'static str = "Coverage: bytes that have a field";

    fn rows(&self, typed: &str, cx: &OverlayContext<'_>) -> Rows<'static> {
        let row = |line: CoverageRow<'_>| match line {
            CoverageRow::File(file) => {
                let (share, sizes) = file.summary();
                Row::plain(vec![
                    Cell::toned(file.name.clone(), Tone::Strong),
                    Cell::new(share),
                    Cell::toned(sizes, Tone::Dim),
                ])
            }
            CoverageRow::Rest(rest) => {
                let owner = rest.place.map_or_else(String::new, |place| place.to_string());
                let bytes = cx.session.map_or_else(String::new, |session| span_text(session, rest.span));
                let cells = vec![Cell::toned(bytes, Tone::Dim), Cell::new("no field"), Cell::new(owner)];
                Row { depth: 1, ..Row::plain(cells) }
            }
            CoverageRow::More(ranges) => {
                let text = format!("and {ranges} more; pdblens info FILE --coverage --json lists them");
                Row { depth: 1, ..Row::plain(vec![Cell::toned(text, Tone::Dim)]) }
            }
        };
        let rows: Vec<Row> = self.lines(typed).into_iter().map(row).collect();
        Rows::of("", Head::list(["", "", ""]), rows)
    }

    fn accept(&self, index: usize, typed: &str, _: &OverlayContext<'_>) -> Vec<Effect> {
        match self.lines(typed).get(index) {
            Some(CoverageRow::Rest(rest)) => {
                vec![Effect::Go(Selection {
                    place: rest.place.unwrap_or(Place::Bytes(rest.span)),
                    part: Some(rest.span),
                })]
            }
            _ => Vec::new(),
        }
    }
}

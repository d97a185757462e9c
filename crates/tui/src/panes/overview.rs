//! The Facts pane: what the files are.

use crate::panes::pane::Pane;
use crate::panes::tree_def::TreeDef;
use crate::panes::tree_pane;
use pdblens_nodes as nodes;
use pdblens_nodes::Place;
use pdblens_nodes::finding;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_session::session::{PdbMatch, Session};
use pdblens_session::text::safe::count;

static FACTS: TreeDef = TreeDef {
    name: "Facts",
    exported: &[Head::text("fact"), Head::text("value")],
    rows: |session| facts(session),
    starts_closed: |row| name_of(row) == CUSTOM,
    ..TreeDef::USUAL
};

pub fn new() -> Box<dyn Pane> {
    tree_pane::new(&FACTS)
}

/// Facts that the card above or another view has.
const ELSEWHERE: [&str; 7] =
    ["debug entry", "module id", "runtime", "language", "language-version", "optimization", "reason"];
/// Facts that the card of a pair that matches has.
const ON_CARD: [&str; 3] = ["id", "built", "assembly"];
/// Name of the kinds of custom debug information, which are inside one row.
const CUSTOM: &str = "custom";

fn name_of(row: &Row) -> &str {
    row.cells.first().map_or("", |cell| cell.text.as_str())
}

fn facts(session: &Session) -> Vec<Row> {
    let mut rows = Vec::new();
    // The first section is the verdict, which the pane above has.
    let all = nodes::rows(session, Place::Overview);
    let sections = all.iter().flat_map(Rows::iter).skip(1).skip_while(|row| row.depth > 0);
    let matched = matches!(session.pdb_match(), PdbMatch::Matched);
    let custom: Vec<Row> =
        all.iter().flat_map(Rows::iter).filter(|row| row.depth > 0 && name_of(row) == CUSTOM).collect();
    for mut row in sections {
        let name = name_of(&row);
        if row.depth > 0 && (ELSEWHERE.contains(&name) || matched && ON_CARD.contains(&name)) {
            continue;
        }
        if row.place == Some(Place::Findings) && row.depth == 0 {
            // `!` lists what the check finds.
            break;
        }
        if row.depth > 0 && name == CUSTOM {
            if custom.len() > 1 && row.cells == custom[0].cells {
                let number: u64 =
                    custom.iter().filter_map(|row| row.cells.get(1)?.text.split(' ').next()?.parse::<u64>().ok()).sum();
                let text = format!("{} of {} kinds", count(number, "row"), custom.len());
                let cells = vec![Cell::toned(CUSTOM, Tone::Dim), Cell::new(text)];
                rows.push(Row { place: row.place, cells, depth: 1, ..Row::default() });
            }
            row.depth = if custom.len() > 1 { 2 } else { 1 };
            if custom.len() > 1 {
                row.cells[0].text.clear();
            }
        }
        if row.depth == 0 {
            if !rows.is_empty() {
                rows.push(Row::default());
            }
            // A heading spans both columns.
            row.cells.truncate(1);
        }
        // Every line is a link: marking all of them would mark none.
        row.cells.iter_mut().for_each(|cell| cell.to = None);
        rows.push(row);
    }
    rows.extend(read_errors(session));
    rows
}

/// Errors of reading, as far as there are any, after an empty line.
fn read_errors(session: &Session) -> Vec<Row> {
    let errors = finding::problems(session).take(20).map(|finding| {
        let cells = vec![Cell::toned("✗", Tone::Dim), Cell::toned(finding.sentence, Tone::Bad)];
        Row { depth: 1, ..Row::at(finding.place, cells) }
    });
    let number = finding::problems(session).count() as u64;
    let heading = Row::at(Place::Findings, vec![Cell::toned(count(number, "read error"), Tone::Bad)]);
    if number == 0 { Vec::new() } else { [Row::default(), heading].into_iter().chain(errors).collect() }
}

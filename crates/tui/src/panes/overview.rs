//! The Facts and Health panes: what the files are, and the findings of the check.

use crate::engine::jobs::CancelToken;
use crate::panes::lists;
use crate::panes::pane::Pane;
use crate::panes::tree_def::{Refinement, TreeDef};
use crate::panes::tree_pane;
use crate::state::paths::Paths;
use crate::state::view::ViewDef;
use pdblens_nodes as nodes;
use pdblens_nodes::Place;
use pdblens_nodes::finding;
use pdblens_nodes::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_query::check;
use pdblens_query::check::{Grade, Remark, summary};
use pdblens_session::session::{PdbMatch, Session};
use pdblens_session::text::safe::count;

static FACTS: TreeDef = TreeDef {
    name: "Facts",
    exported: &[Head::text("fact"), Head::text("value")],
    rows: |session, _| facts(session),
    ..TreeDef::USUAL
};

static HEALTH: TreeDef = TreeDef {
    name: "Health",
    exported: &[Head::text("rule"), Head::text("finding")],
    rows: |_, _| health(Health::Checking),
    refinement: Some(Refinement { label: "checking the files", slot: "check", rows: checked }),
    folds: true,
    starts_closed: |_| true,
    ..TreeDef::USUAL
};

pub fn new() -> Box<dyn Pane> {
    tree_pane::new(&FACTS)
}

pub fn health_pane() -> Box<dyn Pane> {
    tree_pane::new(&HEALTH)
}

fn facts(session: &Session) -> Vec<Row> {
    let mut rows = Vec::new();
    // The first section is the verdict, which the pane above has.
    let all = nodes::rows(session, Place::Overview);
    let sections = all.iter().flat_map(Rows::iter).skip(1).skip_while(|row| row.depth > 0);
    let matched = matches!(session.pdb_match(), PdbMatch::Matched);
    for mut row in sections {
        let name = row.cells.first().map_or("", |cell| cell.text.as_str());
        // The File view has the debug directory, and the pane above has the id that both files have.
        if row.depth > 0 && (name == "debug entry" || name == "id" && matched) {
            continue;
        }
        if row.place == Some(Place::Findings) && row.depth == 0 {
            // The list of findings is that of the check, in the Health pane.
            break;
        }
        if row.depth == 0 && !rows.is_empty() {
            rows.push(Row::default());
        }
        if row.depth == 0 {
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

/// The state of the check.
enum Health {
    Checking,
    Stopped,
    Known(Vec<Remark>),
}

#[allow(clippy::unnecessary_wraps)] // Others can be told to stop for good.
fn checked(session: &Session, paths: &Paths, _: &[ViewDef], token: &CancelToken) -> Option<Vec<Row>> {
    let report_progress = |done, total| {
        token.report(done, total);
        !token.is_cancelled()
    };
    lists::read_symbol_tables(session);
    let Some(mut remarks) = check::check_listing(session, &paths.sources, MAX_LISTED, &report_progress) else {
        return Some(health(Health::Stopped));
    };
    remarks.sort_by_key(|remark| std::cmp::Reverse(remark.grade));
    Some(health(Health::Known(remarks)))
}

/// Remarks of one rule that show at once; the others are in a row that unfolds.
const MAX_SHOWN: usize = 20;
/// Remarks of one rule that are listed at all.
const MAX_LISTED: usize = 4096;

/// The remarks by rule: the first ones of each, and below them a row that has the others inside it. Rules that hold are inside
/// one row.
fn remark_rows(remarks: &[Remark]) -> Vec<Row> {
    let mut rows = Vec::new();
    let (remarks, good) = remarks.split_at(remarks.partition_point(|remark| remark.grade != Grade::Good));
    // Remarks of a rule are consecutive.
    for alike in remarks.chunk_by(|a, b| a.rule == b.rule && a.grade == b.grade) {
        let shown = if alike.len() > MAX_SHOWN + 1 { MAX_SHOWN } else { alike.len() };
        for (index, remark) in alike.iter().take(shown).enumerate() {
            let rule = if index == 0 { remark.rule } else { "" };
            rows.push(remark_row(remark, &format!("{} {rule}", remark.grade.mark()), &remark.sentence));
        }
        let folded = alike.get(shown..).unwrap_or_default();
        if let Some(first) = folded.first() {
            let more: usize = folded.iter().map(|remark| remark.count).sum();
            let rest =
                remark_row(first, &format!("{} {MORE}", first.grade.mark()), &format!("{more} more of {}", first.rule));
            // It is none of them, and leads to none.
            rows.push(Row { place: None, span: None, ..rest });
            let inside = |remark: &Remark| Row { depth: 1, ..remark_row(remark, "", &remark.sentence) };
            rows.extend(folded.iter().map(inside));
        }
    }
    if !good.is_empty() {
        let rules = good.chunk_by(|a, b| a.rule == b.rule).count();
        let text = if rules == 1 { "1 rule holds".to_owned() } else { format!("{rules} rules hold") };
        rows.push(Row::plain(vec![Cell::toned("✓", Tone::Ok), Cell::toned(text, Tone::Dim)]));
        let inside = |remark: &Remark| Row { depth: 1, ..remark_row(remark, remark.rule, &remark.sentence) };
        rows.extend(good.iter().map(inside));
    }
    rows
}

/// First word of the row that has further remarks inside it.
const MORE: &str = "and";

fn remark_row(remark: &Remark, rule: &str, sentence: &str) -> Row {
    let (mark, text) = match remark.grade {
        Grade::Good => (Tone::Ok, Tone::Dim),
        Grade::Note => (Tone::Dim, Tone::Text),
        Grade::Finding => (Tone::Bad, Tone::Bad),
    };
    let place = remark.place.or(remark.span.map(Place::Bytes));
    Row { place, depth: 0, cells: vec![Cell::toned(rule, mark), Cell::toned(sentence, text)], span: remark.span }
}

/// The result of the check.
fn health(health: Health) -> Vec<Row> {
    let mut rows = Vec::new();
    let heading = |text: &str| Row::plain(vec![Cell::toned("rules", Tone::Strong), Cell::toned(text, Tone::Dim)]);
    match health {
        Health::Checking => rows.push(heading("…")),
        Health::Stopped => rows.push(heading("not checked: run `pdblens check FILE`")),
        Health::Known(remarks) => {
            let (text, remarks) = (summary(&remarks), remark_rows(&remarks));
            let first = remarks.first().filter(|row| row.cells.iter().any(|cell| cell.tone == Tone::Bad));
            // The heading leads to the first finding.
            let (place, span) = first.map_or((None, None), |row| (row.place, row.span));
            rows.push(Row { place, span, ..heading(&text) });
            rows.extend(remarks);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remark_of_a_rule_is_reachable() {
        let remark = |at: u32| Remark {
            rule: "untracked",
            grade: Grade::Note,
            sentence: format!("remark {at}"),
            place: Some(Place::Document(at)),
            span: None,
            count: 1,
        };
        let rows = |count: u32| remark_rows(&(1..=count).map(remark).collect::<Vec<_>>());
        let depths = |rows: &[Row]| rows.iter().map(|row| usize::from(row.depth)).sum::<usize>();
        assert_eq!(
            (rows(21).len(), depths(&rows(21))),
            (21, 0),
            "one more is no longer than the row that would have it"
        );
        let many = rows(25);
        assert_eq!((many.len(), depths(&many)), (26, 5));
        assert_eq!((many[20].cells[1].text.as_str(), many[20].place), ("5 more of untracked", None));
        let places: Vec<_> = many.iter().filter_map(|row| row.place).collect();
        assert_eq!(places, (1..=25).map(Place::Document).collect::<Vec<_>>());
    }
}

//! Variables and constants, and the scopes that own them.

use std::collections::HashMap;
use std::ops::Range;

use super::Portable;
use crate::check::Report;
use pdblens_formats::metadata::TableId;
use pdblens_formats::portable::constant::Constant;
use pdblens_nodes::Place;
use pdblens_nodes::Side;
use pdblens_session::text::safe::utf8;

const SCOPE: TableId = TableId::LOCAL_SCOPE;
const VARIABLE: TableId = TableId::LOCAL_VARIABLE;
const CONSTANT: TableId = TableId::LOCAL_CONSTANT;

/// The run of rows that each scope owns. Runs that overlap are another rule's finding: no more rows come than there are.
fn runs(portable: &Portable<'_>, column: usize, owned: TableId) -> impl Iterator<Item = Range<u32>> {
    let mut left = portable.pdb.rows(owned);
    (1..=portable.pdb.rows(SCOPE)).map_while(move |scope| {
        let run = portable.pdb.list(SCOPE, scope, column, owned);
        left = left.checked_sub(run.end.saturating_sub(run.start))?;
        Some(run)
    })
}

pub(crate) fn variables(portable: &Portable<'_>, report: &mut Report) {
    let table = portable.pdb.table(VARIABLE);
    let (mut slots, mut names) = (HashMap::new(), HashMap::new());
    for run in runs(portable, 2, VARIABLE).filter(|run| run.len() > 1) {
        slots.clear();
        names.clear();
        for row in run {
            if let Some(first) = table.column(1).get(row).and_then(|slot| slots.insert(slot, row)) {
                portable.cell(
                    report,
                    (VARIABLE, row, 1),
                    format!("variable {first} of the same scope has this slot too"),
                );
            }
            let Ok(name) = portable.pdb.string_cell(VARIABLE, row, 2) else { continue };
            if let Some(first) = names.insert(name.data, row) {
                let sentence = format!("variable {first} of the same scope is called {} too", utf8(name.data));
                portable.cell(report, (VARIABLE, row, 2), sentence);
            }
        }
    }
}

pub(crate) fn constants(portable: &Portable<'_>, report: &mut Report) {
    let mut names = HashMap::new();
    for run in runs(portable, 3, CONSTANT).filter(|run| run.len() > 1) {
        names.clear();
        for row in run {
            let Ok(name) = portable.pdb.string_cell(CONSTANT, row, 0) else { continue };
            if let Some(first) = names.insert(name.data, row) {
                let sentence = format!("constant {first} of the same scope is called {} too", utf8(name.data));
                portable.cell(report, (CONSTANT, row, 0), sentence);
            }
        }
    }
}

pub(crate) fn signatures(portable: &Portable<'_>, report: &mut Report) {
    for row in 1..=portable.pdb.rows(CONSTANT) {
        let read =
            portable.pdb.blob_cell(CONSTANT, row, 1).and_then(|blob| Constant::decode(&mut blob.cursor()).map(drop));
        if let Err(error) = read {
            report.error(&error, Place::Row(Side::Pdb, CONSTANT, row));
        }
    }
}

/// Rows before the first run belong to no scope; and the starts of runs must ascend, or rows between them belong to none either.
pub(crate) fn owners(portable: &Portable<'_>, report: &mut Report) {
    let scopes = portable.pdb.table(SCOPE);
    for (column, owned) in [(2, VARIABLE), (3, CONSTANT)] {
        let rows = portable.pdb.rows(owned);
        if rows == 0 {
            continue;
        }
        let mut next = 1;
        for scope in 1..=scopes.rows() {
            let first = scopes.column(column).get(scope).unwrap_or(0);
            if first < next {
                let sentence = format!("the run of {} begins before that of the previous scope", owned.name());
                portable.cell(report, (SCOPE, scope, column), sentence);
            }
            if scope == 1 && first > 1 {
                portable.row(report, owned, 1, format!("{} is in no scope", owned.name()));
            }
            next = next.max(first);
        }
        if scopes.rows() == 0 {
            portable.row(report, owned, 1, format!("{} is in no scope: there are none", owned.name()));
        }
    }
}

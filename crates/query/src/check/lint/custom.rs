//! Custom debug information.

use std::collections::HashMap;

use super::Portable;
use crate::check::{Grade, Report};
use pdblens_formats::metadata::TableId;
use pdblens_formats::metadata::schema::HAS_CUSTOM_DEBUG_INFORMATION;
use pdblens_formats::portable::custom::{self, CustomKind};
use pdblens_nodes::Place;
use pdblens_nodes::Side;

const ID: TableId = TableId::CUSTOM_DEBUG_INFORMATION;

pub(crate) fn kinds(portable: &Portable<'_>, report: &mut Report) {
    let table = portable.pdb.table(ID);
    for row in 1..=table.rows() {
        let place = Place::Row(Side::Pdb, ID, row);
        let guid = match portable.pdb.guid_cell(table.id, row, 1) {
            Ok(Some(guid)) => guid,
            Ok(None) => {
                portable.cell(report, (ID, row, 1), "custom debug information without a kind");
                continue;
            }
            Err(error) => {
                report.error(&error, place);
                continue;
            }
        };
        let parent = table.cell(row, 0).ok().and_then(|cell| HAS_CUSTOM_DEBUG_INFORMATION.decode(cell));
        match (CustomKind::of(guid), parent) {
            (Some(kind), Some((parent, _))) if !kind.parents.contains(&parent) => {
                let sentence = format!("{} cannot belong to a row of {}", kind.name, parent.name());
                portable.cell(report, (ID, row, 0), sentence);
            }
            (None, _) => {
                let span = table.cell_span(row, 1).ok();
                report.at(Grade::Note, format!("kind {guid} is not known"), Some(place), span);
            }
            _ => {}
        }
    }
}

pub(crate) fn values(portable: &Portable<'_>, report: &mut Report) {
    let table = portable.pdb.table(ID);
    for row in 1..=table.rows() {
        let Ok(Some(guid)) = portable.pdb.guid_cell(table.id, row, 1) else { continue };
        let read = portable.pdb.blob_cell(ID, row, 2).and_then(|blob| custom::validate(guid, blob));
        if let Err(error) = read {
            report.error(&error, Place::Row(Side::Pdb, ID, row));
        }
    }
}

pub(crate) fn unique(portable: &Portable<'_>, report: &mut Report) {
    let table = portable.pdb.table(ID);
    let mut seen = HashMap::new();
    for row in 1..=table.rows() {
        let (Some(parent), Some(kind)) = (table.column(0).get(row), table.column(1).get(row)) else { continue };
        if let Some(first) = seen.insert((parent, kind), row) {
            portable.row(report, ID, row, format!("row {first} has the same parent and kind"));
        }
    }
}

//! Documents.

use std::collections::HashMap;

use super::Portable;
use crate::check::Report;
use pdblens_formats::bytes::Resource;
use pdblens_formats::metadata::TableId;
use pdblens_nodes::Place;
use pdblens_nodes::Side;
use pdblens_session::store::digest::Algorithm;
use pdblens_session::symbols::document_name;

const ID: TableId = TableId::DOCUMENT;

pub(crate) fn names(portable: &Portable<'_>, report: &mut Report) {
    let table = portable.pdb.table(ID);
    for row in 1..=table.rows() {
        if table.column(0).get(row) == Some(0) {
            portable.cell(report, (ID, row, 0), "the name of a document must not be nil");
        } else if let Err(error) = document_name(portable.pdb, row) {
            report.error(&error, Place::Row(Side::Pdb, ID, row));
        }
    }
}

pub(crate) fn unique(portable: &Portable<'_>, report: &mut Report) {
    // A few bytes of a file can stand for any number of names.
    let (mut seen, mut share) = (HashMap::new(), portable.session.spaces().budget().share(Resource::Names));
    let rows = portable.pdb.rows(ID);
    for row in 1..=rows {
        let Ok(name) = document_name(portable.pdb, row) else { continue };
        if !share.take(name.len() as u64) {
            let count = u64::from(rows.saturating_sub(row)) + 1;
            return share.leave_out("names of documents to compare", format!("document {row}"), Some(count));
        }
        if let Some(first) = seen.get(&name) {
            portable.cell(report, (ID, row, 0), format!("document {first} is called {name} too"));
        } else {
            seen.insert(name, row);
        }
    }
}

pub(crate) fn hashes(portable: &Portable<'_>, report: &mut Report) {
    let table = portable.pdb.table(ID);
    for row in 1..=table.rows() {
        let algorithm = portable.pdb.guid_cell(table.id, row, 1);
        let hash = portable.pdb.blob_cell(ID, row, 2);
        let place = Place::Row(Side::Pdb, ID, row);
        match (algorithm, hash) {
            (Err(error), _) | (_, Err(error)) => report.error(&error, place),
            (Ok(None), Ok(hash)) if !hash.is_empty() => {
                portable.cell(report, (ID, row, 1), "a hash without an algorithm");
            }
            (Ok(Some(guid)), Ok(hash)) => {
                let size = Algorithm::of(guid).map(Algorithm::size);
                // F# names the algorithm where it could not read the file to hash it.
                if size.is_some_and(|size| !hash.is_empty() && hash.len() != size as u64) {
                    let sentence =
                        format!("the hash has {} bytes, but its algorithm produces {}", hash.len(), size.unwrap_or(0));
                    report.finding(sentence, place, Some(hash.span()));
                }
            }
            _ => {}
        }
    }
}

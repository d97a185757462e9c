//! The heaps: what is in them, and what of that is used.

use std::collections::BTreeSet;

use super::Portable;
use crate::bytes::Span;
use crate::formats::metadata::{ColumnKind, Heap, TableId};
use crate::formats::portable::document::DocumentName;
use crate::formats::portable::imports;
use crate::nodes::Place;
use crate::nodes::Side;
use crate::query::check::{Grade, Report};
use crate::text::safe::{count, utf8};

/// The heaps that a portable PDB uses.
const USED: [Heap; 3] = [Heap::Strings, Heap::Guids, Heap::Blobs];

pub(crate) fn entries(portable: &Portable<'_>, report: &mut Report) {
    for heap in USED {
        let all = portable.pdb.heaps.get(heap).span();
        let end = portable.pdb.heaps.entries(heap).last().map_or(all.start, |(_, span)| span.end());
        if end < all.end() {
            let rest = Span::new(all.space, end, all.end() - end);
            let sentence = format!("the last {} of {} are no entry", count(rest.len, "byte"), heap.stream());
            report.finding(sentence, Place::Heap(Side::Pdb, heap), Some(rest));
        }
    }
}

/// Every index into `heap` that something has.
fn used(portable: &Portable<'_>, heap: Heap) -> BTreeSet<u32> {
    let mut used = BTreeSet::new();
    for table in portable.pdb.tables.present() {
        for (column, def) in table.columns().iter().enumerate() {
            let is_it = match def.kind {
                ColumnKind::String => heap == Heap::Strings,
                ColumnKind::Guid => heap == Heap::Guids,
                ColumnKind::Blob => heap == Heap::Blobs,
                _ => false,
            };
            if is_it {
                used.extend((1..=table.rows()).filter_map(|row| table.column(column).get(row)));
            }
        }
    }
    if heap == Heap::Blobs {
        inner_blobs(portable, &mut used);
    }
    used.remove(&0);
    used
}

/// The blobs that blobs name: parts of documents' names, names in imports.
fn inner_blobs(portable: &Portable<'_>, used: &mut BTreeSet<u32>) {
    for row in 1..=portable.pdb.rows(TableId::DOCUMENT) {
        let name = portable.pdb.blob_cell(TableId::DOCUMENT, row, 0);
        if let Ok(name) = name.and_then(|blob| DocumentName::decode(&mut blob.cursor())) {
            used.extend(name.parts().map(|part| part.value));
        }
    }
    for row in 1..=portable.pdb.rows(TableId::IMPORT_SCOPE) {
        if let Ok(blob) = portable.pdb.blob_cell(TableId::IMPORT_SCOPE, row, 1) {
            // What cannot be read is another rule's finding.
            let _ = imports::decode(&mut blob.cursor(), |import| {
                used.extend(import.alias);
                used.extend(import.namespace);
            });
        }
    }
}

pub(crate) fn starts(portable: &Portable<'_>, report: &mut Report) {
    let starts: BTreeSet<u32> = portable.pdb.heaps.entries(Heap::Blobs).map(|(at, _)| at).collect();
    let heap = portable.pdb.heaps.get(Heap::Blobs).span();
    for at in used(portable, Heap::Blobs) {
        if !starts.contains(&at) {
            let place = Place::HeapEntry(Side::Pdb, Heap::Blobs, at);
            report.finding(format!("no blob starts at {at:#x}"), place, Some(heap.part(u64::from(at), 1)));
        }
    }
}

pub(crate) fn orphan_blobs(portable: &Portable<'_>, report: &mut Report) {
    let used = used(portable, Heap::Blobs);
    for (at, span) in portable.pdb.heaps.entries(Heap::Blobs) {
        // An empty one is padding, or the empty blob that every heap begins with.
        if at > 0 && span.len > 1 && !used.contains(&at) {
            let place = Place::HeapEntry(Side::Pdb, Heap::Blobs, at);
            let sentence = format!("nothing uses the blob at {at:#x}, {}", count(span.len, "byte"));
            report.at(Grade::Note, sentence, Some(place), Some(span));
        }
    }
}

pub(crate) fn orphan_strings(portable: &Portable<'_>, report: &mut Report) {
    let used = used(portable, Heap::Strings);
    for (at, span) in portable.pdb.heaps.entries(Heap::Strings) {
        let next = at.saturating_add(span.len as u32);
        // Strings may share their ends, so an index anywhere into it uses it.
        if at > 0 && span.len > 1 && used.range(at..next).next().is_none() {
            let name = portable.pdb.heaps.string(at).map(|text| utf8(text.data).into_owned()).unwrap_or_default();
            let place = Place::HeapEntry(Side::Pdb, Heap::Strings, at);
            report.at(Grade::Note, format!("nothing uses the string {name:?}"), Some(place), Some(span));
        }
    }
}

pub(crate) fn orphan_guids(portable: &Portable<'_>, report: &mut Report) {
    let used = used(portable, Heap::Guids);
    for (number, span) in portable.pdb.heaps.entries(Heap::Guids) {
        if !used.contains(&number) {
            let place = Place::HeapEntry(Side::Pdb, Heap::Guids, number);
            report.at(Grade::Note, format!("nothing uses GUID {number}"), Some(place), Some(span));
        }
    }
}

//! Rules about heaps: their entries, and which of them are used.

use std::collections::BTreeSet;

use super::Portable;
use crate::check::{Grade, Report};
use pdblens_formats::bytes::Span;
use pdblens_formats::portable::document::DocumentName;
use pdblens_formats::portable::imports;
use pdblens_nodes::{Heap, Place, Side, TableId};
use pdblens_session::text::safe::{count, utf8};

/// Entries of a heap, and what the tables and blobs say of it.
#[derive(Debug)]
pub(super) struct Content {
    /// Indexes of entries, ascending.
    starts: Vec<u32>,
    /// End of the last entry, in the file.
    end: u64,
    /// Indexes into the heap, ascending, some of which may be outside it.
    used: Vec<u32>,
}

impl Content {
    fn of<'p>(portable: &'p Portable<'_>, heap: Heap) -> &'p Self {
        let [strings, guids, blobs] = &portable.heaps;
        let cell = match heap {
            Heap::Strings => strings,
            Heap::Guids => guids,
            _ => blobs,
        };
        cell.get_or_init(|| {
            let all = portable.pdb.heaps.get(heap).span();
            let (mut starts, mut end) = (Vec::new(), all.start);
            for (at, span) in portable.pdb.heaps.entries(heap) {
                starts.push(at);
                end = span.end();
            }
            Self { starts, end, used: used(portable, heap) }
        })
    }

    /// Calls `each` with the entries that nothing uses, and that have a content: index and span.
    fn each_orphan(&self, portable: &Portable<'_>, heap: Heap, mut each: impl FnMut(u32, Span)) {
        for at in difference(&self.starts, &self.used).filter(|at| *at > 0) {
            // An empty one is padding, or the empty entry that a heap begins with.
            match portable.pdb.heaps.entry_span(heap, at) {
                Ok(span) if span.len > 1 => each(at, span),
                _ => {}
            }
        }
    }
}

pub(crate) fn entries(portable: &Portable<'_>, report: &mut Report) {
    for heap in [Heap::Strings, Heap::Guids, Heap::Blobs] {
        let all = portable.pdb.heaps.get(heap).span();
        let end = Content::of(portable, heap).end;
        if end < all.end() {
            let rest = Span::new(all.space, end, all.end() - end);
            let sentence = format!("no entry in the last {} of {}", count(rest.len, "byte"), heap.stream());
            report.finding(sentence, Place::Heap(Side::Pdb, heap), Some(rest));
        }
    }
}

/// Numbers of one ascending list that the other does not have.
fn difference<'l>(all: &'l [u32], others: &'l [u32]) -> impl Iterator<Item = u32> + 'l {
    all.iter().copied().filter(|number| others.binary_search(number).is_err())
}

fn used(portable: &Portable<'_>, heap: Heap) -> Vec<u32> {
    let mut used = Vec::new();
    for table in portable.pdb.tables.present() {
        for (column, def) in table.columns().iter().enumerate() {
            if def.kind.heap() == Some(heap) {
                let cells = table.column(column);
                used.extend((1..=table.rows()).filter_map(|row| cells.get(row)));
                used.sort_unstable();
                used.dedup();
            }
        }
    }
    if heap == Heap::Blobs {
        used.extend(inner_blobs(portable));
        used.sort_unstable();
        used.dedup();
    }
    used.retain(|at| *at > 0);
    used
}

/// The blobs that blobs name: parts of documents' names, names in imports.
fn inner_blobs(portable: &Portable<'_>) -> BTreeSet<u32> {
    let mut used = BTreeSet::new();
    for row in 1..=portable.pdb.rows(TableId::DOCUMENT) {
        let name = portable.pdb.blob_cell(TableId::DOCUMENT, row, 0);
        if let Ok(name) = name.and_then(|blob| DocumentName::decode(&mut blob.cursor())) {
            used.extend(name.parts().map(|part| part.value));
        }
    }
    for row in 1..=portable.pdb.rows(TableId::IMPORT_SCOPE) {
        if let Ok(blob) = portable.pdb.blob_cell(TableId::IMPORT_SCOPE, row, 1) {
            // Another rule reports what cannot be read.
            let _ = imports::decode(&mut blob.cursor(), |import| {
                used.extend(import.alias.into_iter().chain(import.namespace));
            });
        }
    }
    used
}

pub(crate) fn starts(portable: &Portable<'_>, report: &mut Report) {
    let heap = portable.pdb.heaps.get(Heap::Blobs).span();
    let Content { starts, used, .. } = Content::of(portable, Heap::Blobs);
    for at in difference(used, starts) {
        let place = Place::HeapEntry(Side::Pdb, Heap::Blobs, at);
        report.finding(format!("no blob starts at {at:#x}"), place, Some(heap.part(u64::from(at), 1)));
    }
}

pub(crate) fn orphan_blobs(portable: &Portable<'_>, report: &mut Report) {
    Content::of(portable, Heap::Blobs).each_orphan(portable, Heap::Blobs, |at, span| {
        let place = Place::HeapEntry(Side::Pdb, Heap::Blobs, at);
        let sentence = format!("nothing uses the blob at {at:#x}, {}", count(span.len, "byte"));
        report.at(Grade::Note, sentence, Some(place), Some(span));
    });
}

pub(crate) fn orphan_strings(portable: &Portable<'_>, report: &mut Report) {
    let content = Content::of(portable, Heap::Strings);
    content.each_orphan(portable, Heap::Strings, |at, span| {
        let next = at + span.len as u32;
        // Strings may share their ends, so an index anywhere into it uses it.
        let first = content.used.partition_point(|used| *used < at);
        if content.used.get(first).is_none_or(|used| *used >= next) {
            let name = portable.pdb.heaps.string(at).map(|text| utf8(text.data).into_owned()).unwrap_or_default();
            let place = Place::HeapEntry(Side::Pdb, Heap::Strings, at);
            report.at(Grade::Note, format!("nothing uses the string {name:?}"), Some(place), Some(span));
        }
    });
}

pub(crate) fn orphan_guids(portable: &Portable<'_>, report: &mut Report) {
    Content::of(portable, Heap::Guids).each_orphan(portable, Heap::Guids, |number, span| {
        let place = Place::HeapEntry(Side::Pdb, Heap::Guids, number);
        report.at(Grade::Note, format!("nothing uses GUID {number}"), Some(place), Some(span));
    });
}

//! Bytes of metadata: its root, rows of its tables, entries of its heaps.

use super::Search;
use crate::bytes::Span;
use crate::formats::metadata::{Heap, Metadata, TableId, Token};
use crate::nodes::Place;
use crate::nodes::heap::refs;
use crate::nodes::regions;
use crate::nodes::{MetadataPart, Side};

/// The column of MethodDebugInformation that leads to the points.
const POINTS: u8 = 1;

impl Search<'_> {
    pub(crate) fn in_metadata(&mut self, side: Side) {
        let Some(metadata) = side.metadata(self.session) else { return };
        let root = &metadata.root;
        let part = |part| Place::Metadata(side, part);
        for (index, stream) in root.streams.iter().enumerate() {
            self.add(part(MetadataPart::Stream(index as u16)), stream.header);
        }
        self.add(part(MetadataPart::Root), root.span);
        self.add(part(MetadataPart::TablesHeader), metadata.tables.header);
        for heap in Heap::ALL {
            if metadata.heaps.get(heap).span().covers(self.byte) {
                self.in_heap(side, heap, metadata);
            }
        }
        let byte = self.byte;
        if let Some(table) = metadata.tables.present().find(|table| table.span().covers(byte)) {
            let from = byte.start - table.span().start;
            let row = (from / u64::from(table.row_size().max(1))) as u32 + 1;
            self.in_row(side, table.id, row, table.row_span(row).unwrap_or_default());
        }
        let pdb = root.stream("#Pdb").map_or(Span::default(), |stream| stream.region.span());
        self.add(part(MetadataPart::PdbStream), pdb);
        if self.owners.is_empty() {
            // Behind the last table, in a stream that nothing is known of, between the streams.
            let end = metadata.tables.present().map(|table| table.span().end()).max();
            let tables = root.stream("#~").or_else(|| root.stream("#-")).map(|stream| stream.region.span());
            let rest =
                |span: Span| Span::new(span.space, end.unwrap_or(0), span.end().saturating_sub(end.unwrap_or(0)));
            let rest = tables.map_or(Span::default(), rest);
            self.add(Place::Bytes(rest), rest);
        }
        if self.owners.is_empty() {
            for extent in regions::of_metadata(self.session, side) {
                self.add(Place::Bytes(extent.span), extent.span);
            }
        }
    }

    /// A row, and what it is one of the rows of.
    fn in_row(&mut self, side: Side, table: TableId, row: u32, span: Span) {
        self.add(Place::Row(side, table, row), span);
        let method = Token::new(TableId::METHOD_DEF, row);
        match (side, table) {
            (Side::Pdb, TableId::DOCUMENT) => self.add(Place::Document(row), span),
            (Side::Pdb, TableId::METHOD_DEBUG_INFORMATION) | (Side::Image, TableId::METHOD_DEF) => {
                self.add(Place::Method(method), span);
            }
            _ => {}
        }
    }

    /// The entry of a heap, and the points that it is.
    fn in_heap(&mut self, side: Side, heap: Heap, metadata: &Metadata) {
        let span = metadata.heaps.get(heap).span();
        if !self.has_index(refs::entries_index(side, heap)) {
            return self.add(Place::Heap(side, heap), span);
        }
        let offset = (self.byte.start - span.start) as u32;
        let wanted = if heap == Heap::Guids { offset / 16 + 1 } else { offset };
        let entries = refs::entries(self.session, side, heap);
        let row = entries.partition_point(|entry| *entry <= wanted).checked_sub(1);
        let entry = row.and_then(|row| entries.get(row)).copied();
        // The first entry of #Strings is nothing, and is there nevertheless.
        let bytes = entry.and_then(|entry| match (heap, entry) {
            (Heap::Strings, 0) => Some(span.part(0, 1)),
            _ => metadata.heaps.entry_span(heap, entry).ok(),
        });
        if let (Some(entry), Some(bytes)) = (entry, bytes.filter(|bytes| bytes.covers(self.byte))) {
            if (side, heap) == (Side::Pdb, Heap::Blobs) && self.has_index(refs::refs_index(side, heap)) {
                self.in_points(entry);
            }
            return self.add(Place::HeapEntry(side, heap, entry), bytes);
        }
        let from = bytes.map_or(span.start, Span::end).min(self.byte.start);
        let rest = Span::new(span.space, from, span.end().saturating_sub(from));
        self.add(Place::Bytes(rest), rest);
    }

    /// The point that has the byte, where a blob is the points of a method.
    fn in_points(&mut self, entry: u32) {
        let users = refs::of_entry(self.session, Side::Pdb, Heap::Blobs, entry);
        let of_points =
            || users.iter().filter(|user| user.table == TableId::METHOD_DEBUG_INFORMATION && user.column == POINTS);
        let near = self.near.filter(|near| of_points().any(|user| user.row == near.row()));
        let first = || of_points().next().map(|user| Token::new(TableId::METHOD_DEF, user.row));
        if let Some(method) = near.or_else(first) {
            self.in_points_of(method);
        }
    }
}

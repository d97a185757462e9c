//! Parts of a file, each compared with the part of the same name in the other build, wherever that is, so that bytes are never compared
//! with those of another kind of owner.

use std::collections::HashMap;
use std::ops::Range;

use crate::diff::generated::PairNames;
use pdblens_formats::bytes::{SpaceId, Span};
use pdblens_formats::metadata::{Heap, Metadata, TableId, Token};
use pdblens_nodes::regions::{self, FileRegionKind};
use pdblens_nodes::table::row_name;
use pdblens_nodes::{Side, method};
use pdblens_session::session::Session;

/// Stretch of a file with one kind of owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Name, which the part has in the other build too.
    pub key: String,
    pub range: Range<usize>,
    pub content: PartContent,
}

/// Content of a part, by which it is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartContent {
    Whole,
    /// Everything is at a fixed offset: nothing in it moves.
    Fixed,
    /// Entries of a heap.
    Entries(Side, Heap),
    /// Rows of a table, and their number.
    Rows(Side, TableId, u32),
}

/// Entry of a heap, or row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedRange {
    pub range: Range<usize>,
    /// Name of a row; `None` for an entry, which is known by its bytes.
    pub name: Option<String>,
}

/// A file of a build as parts. Entries and rows are listed where a part differs: all of them together take more than the file.
pub(super) struct FileParts<'s> {
    session: &'s Session,
    names: PairNames<'s>,
    pub bytes: &'s [u8],
    /// Parts in the order of the file, which they tile.
    pub parts: Vec<Part>,
}

impl<'s> FileParts<'s> {
    pub fn of(session: &'s Session, space: SpaceId, bytes: &'s [u8]) -> Self {
        let mut parts = Parts { space, found: Vec::new(), cuts: Vec::new() };
        let names = PairNames::new(session);
        if session.image().is_some_and(|image| image.space == space) {
            of_image(session, &names, &mut parts);
        }
        for (side, metadata) in Side::loaded(session) {
            of_metadata(session, side, metadata, &mut parts);
        }
        Self { session, names, bytes, parts: parts.tiled(bytes.len()) }
    }

    /// Entries or rows of a part, in their order; none for one that is compared as a whole.
    pub fn items(&self, part: &Part) -> Box<dyn Iterator<Item = NamedRange> + '_> {
        let end = part.range.end;
        let is_inside = move |item: &NamedRange| item.range.end <= end;
        match part.content {
            PartContent::Whole | PartContent::Fixed => Box::new(std::iter::empty()),
            PartContent::Entries(side, heap) => {
                let heaps = side.metadata(self.session).map(|metadata| &metadata.heaps).into_iter();
                let entries = heaps.flat_map(move |heaps| heaps.entries(heap));
                Box::new(entries.filter_map(|(_, span)| item(span, None)).filter(is_inside))
            }
            PartContent::Rows(side, id, rows) => {
                Box::new((1..=rows).filter_map(move |row| self.row(side, id, row)).filter(is_inside))
            }
        }
    }

    fn row(&self, side: Side, id: TableId, row: u32) -> Option<NamedRange> {
        let table = side.metadata(self.session)?.table(id);
        let method = match id {
            TableId::METHOD_DEF => row,
            TableId::METHOD_DEBUG_INFORMATION => self.session.portable_pdb().map_or(row, |pdb| pdb.method_of_row(row)),
            TableId::LOCAL_SCOPE => table.cell(row, 0).unwrap_or(0),
            _ => return item(table.row_span(row).ok()?, Some(row_name(self.session, side, id, row))),
        };
        item(table.row_span(row).ok()?, Some(self.names.name(Token::new(TableId::METHOD_DEF, method))))
    }
}

/// Parts in the making, all of one space.
struct Parts {
    space: SpaceId,
    found: Vec<Part>,
    /// Bounds of sections: nothing reaches across one.
    cuts: Vec<(usize, String)>,
}

impl Parts {
    fn add(&mut self, key: impl Into<String>, span: Span) -> Option<&mut Part> {
        if span.space != self.space || span.is_empty() {
            return None;
        }
        let range = usize::try_from(span.start).ok()?..usize::try_from(span.end()).ok()?;
        self.found.push(Part { key: key.into(), range, content: PartContent::Whole });
        self.found.last_mut()
    }

    fn fixed(&mut self, key: impl Into<String>, span: Span) {
        if let Some(part) = self.add(key, span) {
            part.content = PartContent::Fixed;
        }
    }

    /// The parts in the order of the file, without what an earlier one has, and what is between them; with keys of their own.
    fn tiled(mut self, len: usize) -> Vec<Part> {
        self.found.sort_by_key(|part| (part.range.start, std::cmp::Reverse(part.range.end)));
        let (mut out, mut at): (Vec<Part>, usize) = (Vec::new(), 0);
        self.cuts.sort_unstable();
        let cuts = self.cuts;
        let gap = |out: &mut Vec<Part>, range: Range<usize>| {
            let mut at = range.start;
            let mut key = format!("after {}", out.last().map_or("", |part| part.key.as_str()));
            let inside = cuts.iter().filter(|(cut, _)| range.start <= *cut && *cut < range.end);
            for (cut, name) in inside {
                if at < *cut {
                    out.push(Part { key, range: at..*cut, content: PartContent::Whole });
                }
                (at, key) = (*cut, name.clone());
            }
            out.push(Part { key, range: at..range.end, content: PartContent::Whole });
        };
        for mut part in self.found {
            let end = part.range.end.min(len);
            // A part that overlaps an earlier one is compared as part of that one.
            if part.range.start < at || part.range.start >= end {
                continue;
            }
            if part.range.start > at {
                gap(&mut out, at..part.range.start);
            }
            at = end;
            part.range.end = end;
            out.push(part);
        }
        if at < len {
            gap(&mut out, at..len);
        }
        let mut seen: HashMap<String, usize> = HashMap::new();
        for part in &mut out {
            let number = seen.entry(part.key.clone()).or_default();
            *number += 1;
            if *number > 1 {
                part.key = format!("{} #{number}", part.key);
            }
        }
        out
    }
}

/// Headers, what the directories lead to, and the bodies of methods.
fn of_image(session: &Session, names: &PairNames<'_>, parts: &mut Parts) {
    let Some(image) = session.image() else { return };
    let sections = image.pe.sections.iter();
    sections.for_each(|section| parts.fixed(format!("header of {}", section.name), section.header.span));
    for region in regions::of_image(session) {
        let is_own = region.kind == FileRegionKind::Header && region.name != "section headers";
        if is_own {
            parts.fixed(region.name, region.span);
        } else if region.name == "certificates" {
            parts.add(region.name, region.span);
        }
    }
    for section in &image.pe.sections {
        let [start, end] = [section.data.start, section.data.end()].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        parts.cuts.push((start, format!("section {}", section.name)));
        parts.cuts.push((end, format!("after section {}", section.name)));
    }
    for (section, found) in image.pe.sections.iter().zip(regions::of_sections(session)) {
        let before = parts.found.len();
        for region in found {
            match (region.kind, region.name.as_str()) {
                (FileRegionKind::Gap, _) | (_, "metadata" | "method bodies" | "debug directory") => {}
                _ => drop(parts.add(region.name, region.span)),
            }
        }
        // Native code has no parts that are known by name.
        if parts.found.len() == before && session.metadata().is_none() {
            parts.add(format!("section {}", section.name), section.data);
        }
    }
    for entry in &image.pe.debug {
        parts.fixed(format!("debug entry {}", entry.name()), entry.header.span);
    }
    let rows = session.metadata().map_or(0, |metadata| metadata.rows(TableId::METHOD_DEF));
    for token in (1..=rows).map(|row| Token::new(TableId::METHOD_DEF, row)) {
        if let Ok(Some(body)) = method::body(session, token) {
            parts.add(format!("body of {}", names.name(token)), body.span);
        }
    }
}

/// Streams of metadata: tables by their rows, heaps by their entries.
fn of_metadata(session: &Session, side: Side, metadata: &Metadata, parts: &mut Parts) {
    // The PDB in an image has a space of its own, which no file is.
    if metadata.root.span.space != parts.space {
        return;
    }
    let of = if side == Side::Pdb { "PDB" } else { "image" };
    for heap in Heap::ALL {
        let stream = metadata.root.streams.iter().find(|stream| stream.name == heap.stream());
        if let Some(part) = stream.and_then(|stream| parts.add(format!("{of} {}", heap.stream()), stream.region.span()))
        {
            part.content = PartContent::Entries(side, heap);
        }
    }
    for table in metadata.tables.present() {
        if let Some(part) = parts.add(format!("{of} table {}", table.id.0), table.span()) {
            part.content = PartContent::Rows(side, table.id, table.rows());
        }
    }
    for region in regions::of_metadata(session, side) {
        let is_heap = Heap::ALL.iter().any(|heap| heap.stream() == region.name);
        let is_tables = matches!(region.name.as_str(), "#~" | "#-");
        if is_tables {
            let first = metadata.tables.present().map(|table| table.span().start).min().unwrap_or(region.span.end());
            let header = first.saturating_sub(region.span.start).min(region.span.len);
            parts.add(format!("{of} table header"), region.span.part(0, header));
        } else if !is_heap && region.kind != FileRegionKind::Gap {
            parts.add(format!("{of} {}", region.name), region.span);
        }
    }
}

fn item(span: Span, name: Option<String>) -> Option<NamedRange> {
    Some(NamedRange { range: usize::try_from(span.start).ok()?..usize::try_from(span.end()).ok()?, name })
}

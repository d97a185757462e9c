//! Regions of a file: consecutive ranges without gaps, each with its kind.
//!
//! Headers locate structures, but not the bytes between them; here those bytes are a region too.

use crate::code_unit::il;
use crate::contributions;
use crate::native::functions_in;
use crate::place::{MetadataPart, PePart, Place, R2rPart, Side};
use crate::stream::{PartKind, PdbView, StreamPart};
use pdblens_formats::bytes::Span;
use pdblens_formats::metadata::{Table, TableId, Token};
use pdblens_formats::pe::{Directory, ImagePart, Pe};
use pdblens_session::precompiled::Precompiled;
use pdblens_session::session::{Image, Session};
use pdblens_session::text::paths::file_name;

/// The most stretches of one kind that are told apart: a file has a handful, but one that lies may claim many thousands.
const MAX_REGIONS: usize = 4096;
/// Parts of a stream that are told apart: a screen has room for about as many.
const MAX_IN_STREAM: usize = 256;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRegion {
    pub name: String,
    pub span: Span,
    pub kind: FileRegionKind,
    pub place: Option<Place>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileRegionKind {
    /// Something that says where other things are.
    Header,
    Data,
    /// Nothing says what it is: mostly zeros, to align what follows.
    Gap,
}

impl FileRegion {
    pub(crate) fn new(name: impl Into<String>, span: Span, kind: FileRegionKind, place: Option<Place>) -> Self {
        Self { name: name.into(), span, kind, place }
    }

    /// The content of a stream of metadata, where neither its name nor its parts tell; empty for others.
    pub fn meaning(&self) -> &'static str {
        match (self.place, self.name.as_str()) {
            (Some(Place::Metadata(Side::Image, _)), "#Strings") => "names",
            (Some(Place::Metadata(Side::Image, _)), "#US") => "string literals",
            (Some(Place::Metadata(Side::Image, _)), "#Blob") => "signatures",
            (Some(Place::Metadata(Side::Pdb, _)), "#Pdb") => "id",
            _ => "",
        }
    }
}

/// Sorts `parts` by offset, cuts overlaps from the later part, and adds regions for the gaps.
pub(crate) fn tile(whole: Span, mut parts: Vec<FileRegion>) -> Vec<FileRegion> {
    parts.retain(|part| part.span.space == whole.space && !part.span.is_empty());
    parts.sort_by_key(|part| (part.span.start, std::cmp::Reverse(part.span.len)));
    let mut out: Vec<FileRegion> = Vec::with_capacity(parts.len() * 2 + 1);
    let mut at = whole.start;
    let between = |from: u64, to: u64| Span::new(whole.space, from, to - from);
    let gap = |from: u64, to: u64| FileRegion::new("gap", between(from, to), FileRegionKind::Gap, None);
    for part in parts.into_iter().take(MAX_REGIONS) {
        let (start, end) = (part.span.start.max(at), part.span.end().min(whole.end()));
        if start >= end {
            continue;
        }
        if start > at {
            out.push(gap(at, start));
        }
        out.push(FileRegion { span: between(start, end), ..part });
        at = end;
    }
    if at < whole.end() {
        out.push(gap(at, whole.end()));
    }
    out
}

/// All bytes of the image: headers, sections, and the bytes between and after them.
pub fn of_image(session: &Session) -> Vec<FileRegion> {
    let Some(image) = session.image() else { return Vec::new() };
    let pe = &image.pe;
    let mut parts: Vec<FileRegion> = Vec::new();
    let headers =
        [(ImagePart::Dos, "DOS header"), (ImagePart::Coff, "COFF header"), (ImagePart::Optional, "optional header")];
    for (part, name) in headers {
        let span = pe.span(part).unwrap_or_default();
        parts.push(FileRegion::new(name, span, FileRegionKind::Header, Some(Place::PePart(part.into()))));
    }
    let sections = pe.sections.iter().take(MAX_REGIONS / 2);
    if let (Some(first), Some(last)) = (pe.sections.first(), sections.clone().next_back()) {
        let place = Some(Place::PePart(PePart::Sections));
        parts.push(FileRegion::new(
            "section headers",
            first.header.span.to(last.header.span),
            FileRegionKind::Header,
            place,
        ));
    }
    for (index, section) in sections.enumerate() {
        let place = Some(Place::PePart(PePart::Section(index as u16)));
        parts.push(FileRegion::new(section.name.clone(), section.data, FileRegionKind::Data, place));
    }
    if let Some(span) = pe.directory(Directory::CERTIFICATES).and_then(|directory| directory.data) {
        let place = Some(Place::PePart(PePart::Directory(Directory::CERTIFICATES)));
        parts.push(FileRegion::new("certificates", span, FileRegionKind::Data, place));
    }
    tile(pe.region().span(), parts)
}

/// All bytes of each section: code, metadata, and the structures that the directories refer to.
pub fn of_sections(session: &Session) -> Vec<Vec<FileRegion>> {
    let Some(image) = session.image() else { return Vec::new() };
    let mut parts = directories(&image.pe);
    parts.extend(managed(image));
    parts.extend(precompiled(session));
    parts.extend(bodies(session));
    parts.extend(modules(session));
    let of = |whole: Span| parts.iter().filter(|part| whole.covers(part.span)).cloned().collect();
    image.pe.sections.iter().take(MAX_REGIONS / 2).map(|section| tile(section.data, of(section.data))).collect()
}

/// The metadata of one side from its root to its end: the streams in the order of the file.
pub fn of_metadata(session: &Session, side: Side) -> Vec<FileRegion> {
    let Some(metadata) = side.metadata(session) else { return Vec::new() };
    let root = &metadata.root;
    let place = |part| Some(Place::Metadata(side, part));
    let mut parts = vec![FileRegion::new("root", root.span, FileRegionKind::Header, place(MetadataPart::Root))];
    for (index, stream) in root.streams.iter().enumerate().take(MAX_REGIONS / 2) {
        let place = place(MetadataPart::Stream(index as u16));
        parts.push(FileRegion::new(stream.name.clone(), stream.region.span(), FileRegionKind::Data, place));
    }
    tile(root.region.span(), parts)
}

/// The regions in a region: streams of metadata, tables, method bodies. Empty for one that is not told apart.
pub fn inside(session: &Session, region: &FileRegion) -> Vec<FileRegion> {
    match region.place {
        Some(Place::Metadata(side, MetadataPart::Root)) if region.name == "metadata" => of_metadata(session, side),
        Some(Place::Metadata(side, MetadataPart::Stream(_))) if matches!(region.name.as_str(), "#~" | "#-") => {
            let tables = side.metadata(session).into_iter().flat_map(|metadata| metadata.tables.present());
            let part = |table: Table<'_>| {
                FileRegion::new(table.id.name(), table.span(), FileRegionKind::Data, Some(Place::Table(side, table.id)))
            };
            tile(region.span, tables.map(part).collect())
        }
        Some(Place::Methods | Place::Method(_)) => {
            let spaces =
                if region.place == Some(Place::Methods) { by_namespace(session, region.span) } else { Vec::new() };
            if spaces.len() > 1 {
                return spaces;
            }
            let tokens = (1..=session.methods()).map(|row| Token::new(TableId::METHOD_DEF, row));
            let body = |token: Token| {
                let span = il::body(session, token).ok()??.span;
                let part = |name| FileRegion::new(name, span, FileRegionKind::Data, Some(Place::Method(token)));
                region.span.covers(span).then(|| part(session.method_name(token)))
            };
            tile(region.span, tokens.filter_map(body).take(MAX_REGIONS).collect())
        }
        Some(Place::Stream(stream)) => in_stream(session, stream).unwrap_or_default(),
        Some(Place::Contribution(_)) => {
            let functions = functions_in(session, region.span).into_iter().take(MAX_REGIONS);
            let part = |(name, span, place)| FileRegion::new(name, span, FileRegionKind::Data, Some(place));
            tile(region.span, functions.map(part).collect())
        }
        _ => Vec::new(),
    }
}

/// A region with what is in it, as far as a whole file shows it: tables of metadata, and IL by namespace.
pub fn expanded(session: &Session, region: FileRegion) -> Vec<FileRegion> {
    let parts = match region.place {
        Some(Place::Metadata(..) | Place::Methods) => inside(session, &region),
        _ => Vec::new(),
    };
    if parts.len() < 2 {
        return vec![region];
    }
    parts.into_iter().flat_map(|part| expanded(session, part)).collect()
}

/// IL of the methods of one namespace that follow each other, called by its last two parts; of a type without one, by the type.
fn by_namespace(session: &Session, whole: Span) -> Vec<FileRegion> {
    let (Some(metadata), Some(names), Some(image)) = (session.metadata(), session.names(), session.image()) else {
        return Vec::new();
    };
    let methods = metadata.table(TableId::METHOD_DEF);
    let addresses = methods.column(0);
    let mut bodies: Vec<(u32, u32)> =
        (1..=methods.rows()).filter_map(|row| Some((addresses.get(row).filter(|rva| *rva > 0)?, row))).collect();
    bodies.sort_unstable();
    let namespace = |owner: u32| {
        let outer = std::iter::successors(Some(owner), |of| Some(names.enclosing(*of)).filter(|of| *of > 0));
        let name = names.type_name(Token::new(TableId::TYPE_DEF, outer.take(16).last().unwrap_or(owner)));
        let parts: Vec<&str> = name.rsplit('.').skip(usize::from(name.contains('.'))).take(2).collect();
        parts.into_iter().rev().collect::<Vec<_>>().join(".")
    };
    let mut runs: Vec<(u32, u32, String)> = Vec::new();
    for types in bodies.chunk_by(|(_, one), (_, other)| names.owner(*one) == names.owner(*other)) {
        let Some((rva, row)) = types.first() else { continue };
        let name = namespace(names.owner(*row));
        if runs.last().is_none_or(|(.., last)| *last != name) {
            runs.push((*rva, *row, name));
        }
    }
    let starts: Vec<u64> =
        runs.iter().map(|(rva, ..)| image.pe.span_at_rva(*rva, 1).map_or(whole.end(), |span| span.start)).collect();
    let ends = starts.iter().copied().skip(1).chain([whole.end()]);
    let part = |((start, end), (_, row, name)): ((&u64, u64), (u32, u32, String))| {
        let span = Span::new(whole.space, *start, end.checked_sub(*start)?);
        let place = Place::Method(Token::new(TableId::METHOD_DEF, row));
        Some(FileRegion::new(name, span, FileRegionKind::Data, Some(place)))
    };
    tile(whole, starts.iter().zip(ends).zip(runs).filter_map(part).collect())
}

/// Parts of a stream: a function with all that is in it, records of one kind in a row, or several of these where they are many.
fn in_stream(session: &Session, stream: u32) -> Option<Vec<FileRegion>> {
    let view = PdbView::of(session)?;
    let (whole, region, parts) = (view.span(stream)?, view.region(stream)?, view.parts(stream));
    let is_one = |a: &StreamPart, b: &StreamPart| a.depth > 0 || b.depth > 0 || a.kind == b.kind;
    let groups: Vec<&[StreamPart]> = parts.chunk_by(is_one).collect();
    let name = |group: &[StreamPart]| {
        let first = group.first()?;
        let is_run = group.get(1).is_some_and(|next| next.depth == 0);
        let text = view.part_text(stream, *first, region.slice().at(first.span(whole)).unwrap_or_default());
        // The name of a symbol comes before its type or its address.
        let text = if let PartKind::Symbol(_) = first.kind { text.split("  ").next()? } else { &text };
        Some(if is_run || text.is_empty() { first.kind.name() } else { text.to_owned() })
    };
    let merged = groups.chunks(groups.len().div_ceil(MAX_IN_STREAM).max(1));
    let part = |groups: &[&[StreamPart]]| {
        let (first, last) = (groups.first()?, groups.last()?);
        let names = if groups.len() > 1 { format!("{} … {}", name(first)?, name(last)?) } else { name(first)? };
        let (first, last) = (first.first()?, last.last()?);
        let span = first.span(whole).to(last.span(whole));
        Some(FileRegion::new(names, span, FileRegionKind::Data, Some(Place::Record(stream, first.at))))
    };
    Some(tile(whole, merged.filter_map(part).collect()))
}

/// Machine code and data by the module that they come from; where modules alternate too often, neighbours together, called by the largest.
fn modules(session: &Session) -> Vec<FileRegion> {
    let (Some(view), stretches) = (PdbView::of(session), contributions::stretches(session)) else { return Vec::new() };
    let together = stretches.chunks(stretches.len().div_ceil(MAX_REGIONS / 2).max(1));
    let region = |all: &[(Span, u32, u16)]| {
        let (first, last) = (all.first()?, all.last()?);
        let (_, index, module) = all.iter().max_by_key(|(span, ..)| span.len)?;
        let name = view.module_name(u32::from(*module));
        let place = Some(Place::Contribution(*index));
        Some(FileRegion::new(file_name(&name), first.0.to(last.0), FileRegionKind::Data, place))
    };
    together.filter_map(region).collect()
}

/// The bodies of all methods, from the first to the last: what is between them is IL too, or aligns it.
fn bodies(session: &Session) -> Option<FileRegion> {
    let methods = session.metadata()?.table(TableId::METHOD_DEF);
    let addresses = methods.column(0);
    let with_code = (1..=methods.rows()).filter_map(|row| Some((addresses.get(row).filter(|rva| *rva > 0)?, row)));
    let body = |row: u32| il::body(session, Token::new(TableId::METHOD_DEF, row)).ok().flatten();
    let (first, last) = (body(with_code.clone().min()?.1)?, body(with_code.max()?.1)?);
    if first.span.space != last.span.space {
        return None;
    }
    Some(FileRegion::new("method bodies", first.span.to(last.span), FileRegionKind::Data, Some(Place::Methods)))
}

fn directories(pe: &Pe) -> Vec<FileRegion> {
    let mut parts = Vec::new();
    for (index, directory) in pe.directories.iter().enumerate() {
        let index = index as u8;
        if index == Directory::CERTIFICATES {
            continue;
        }
        let Some(span) = directory.data else { continue };
        let (name, kind, part) = match index {
            Directory::CLI => ("CLI header", FileRegionKind::Header, PePart::Cli),
            Directory::DEBUG => ("debug directory", FileRegionKind::Header, PePart::DebugDirectory),
            _ => (directory.name(), FileRegionKind::Data, PePart::Directory(index)),
        };
        parts.push(FileRegion::new(name, span, kind, Some(Place::PePart(part))));
    }
    for (index, entry) in pe.debug.iter().enumerate().take(MAX_REGIONS / 2) {
        let span = entry.data.unwrap_or_default();
        let place = Place::PePart(PePart::Debug(index as u16));
        parts.push(FileRegion::new(entry.name(), span, FileRegionKind::Data, Some(place)));
    }
    parts
}

fn managed(image: &Image) -> Vec<FileRegion> {
    let Some(cli) = image.pe.cli else { return Vec::new() };
    let root = Place::Metadata(Side::Image, MetadataPart::Root);
    let mut parts = Vec::new();
    if let Some(metadata) = &image.metadata {
        parts.push(FileRegion::new("metadata", metadata.root.region.span(), FileRegionKind::Data, Some(root)));
    }
    for (name, directory) in [("resources", cli.resources()), ("strong name", cli.strong_name_signature())] {
        let span = image.pe.span_at_rva(directory.rva, directory.size);
        if let Ok(span) = span {
            parts.push(FileRegion::new(name, span, FileRegionKind::Data, Some(Place::PePart(PePart::Cli))));
        }
    }
    parts
}

fn precompiled(session: &Session) -> Vec<FileRegion> {
    let Some(code) = Precompiled::tables(session) else { return Vec::new() };
    let mut all = vec![FileRegion::new("ReadyToRun", code.r2r.span, FileRegionKind::Header, Some(Place::ReadyToRun))];
    for entry in &code.r2r.sections {
        let Some(Ok(bytes)) = code.r2r.bytes(&code.image.pe, entry.kind) else { continue };
        let place = Some(Place::R2r(R2rPart::Section(entry.kind)));
        all.push(FileRegion::new(entry.name(), bytes.span(), FileRegionKind::Data, place));
    }
    let last = code.functions().checked_sub(1).and_then(|last| code.function(last));
    if let Some((first, last)) = code.function(0).zip(last) {
        let size = last.begin.saturating_sub(first.begin).saturating_add(last.size.unwrap_or(0));
        let place = Some(Place::R2r(R2rPart::Functions));
        let span = code.image.pe.span_at_rva(first.begin, size).unwrap_or_default();
        all.push(FileRegion::new("machine code", span, FileRegionKind::Data, place));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use pdblens_formats::bytes::SpaceId;

    fn span(start: u64, len: u64) -> Span {
        Span::new(SpaceId(0), start, len)
    }

    fn extent(name: &str, start: u64, len: u64) -> FileRegion {
        FileRegion::new(name, span(start, len), FileRegionKind::Data, None)
    }

    #[test]
    fn stretches_follow_each_other_whatever_claims_what() {
        let parts = vec![extent("c", 30, 40), extent("a", 0, 10), extent("b", 20, 5), extent("in c", 40, 5)];
        let parts = [parts, vec![extent("over c", 60, 500), extent("none", 80, 0)]].concat();
        let seen: Vec<_> =
            tile(span(0, 100), parts).into_iter().map(|e| (e.name, e.span.start, e.span.end())).collect();
        let expected =
            [("a", 0, 10), ("gap", 10, 20), ("b", 20, 25), ("gap", 25, 30), ("c", 30, 70), ("over c", 70, 100)];
        assert_eq!(seen, expected.map(|(name, start, end)| (name.to_owned(), start, end)));
        assert_eq!(tile(span(5, 0), vec![extent("a", 0, 10)]), []);
    }

    fn tiles(whole: Span, extents: &[FileRegion]) {
        let mut at = whole.start;
        for extent in extents {
            assert_eq!(extent.span.start, at, "{extent:?}");
            at = extent.span.end();
        }
        assert_eq!(at, whole.end());
    }

    #[test]
    fn a_sample_is_told_from_its_first_byte_to_its_last() {
        let session = Session::sample();
        let image = session.image().unwrap();
        let extents = of_image(&session);
        tiles(image.pe.region().span(), &extents);
        let names: Vec<&str> = extents.iter().map(|extent| extent.name.as_str()).collect();
        assert!(names.starts_with(&["DOS header", "COFF header", "optional header", "section headers"]), "{names:?}");
        assert!(names.contains(&".text"), "{names:?}");
        let sections = of_sections(&session);
        for (section, extents) in image.pe.sections.iter().zip(&sections) {
            tiles(section.data, extents);
        }
        let text = &sections[0];
        for name in ["CLI header", "method bodies", "metadata", "debug directory"] {
            assert!(text.iter().any(|extent| extent.name == name), "{name}: {text:?}");
        }
        for (side, metadata) in Side::loaded(&session) {
            let extents = of_metadata(&session, side);
            tiles(metadata.root.region.span(), &extents);
            assert!(extents.iter().any(|extent| extent.name == "#Blob"), "{extents:?}");
        }
    }
}

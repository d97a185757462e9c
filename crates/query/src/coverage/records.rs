//! Every record of the open files.

#![allow(clippy::items_after_statements, reason = "variants are named beside their match")]

use pdblens_formats::bytes::{Space, Span, Work};
use pdblens_formats::msf::{Owner, PageUse};
use pdblens_machine::{Machine, is_filler};
use pdblens_nodes::contributions::{contribution_count, contribution_list};
use pdblens_nodes::fields::Fields;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::stream::PdbView;
use pdblens_nodes::{
    self as nodes, Heap, MetadataPart, MethodPart, PePart, Place, R2rPart, Side, TableId, Token, manifest_resource,
};
use pdblens_session::precompiled::Precompiled;
use pdblens_session::session::Session;

pub(super) enum Found {
    Fields(Fields),
    Code(Span),
    Unused(Span),
}

/// Callbacks: for each of them, and whether to decode the next one.
pub(super) struct Visit<'v> {
    pub(super) found: &'v mut dyn FnMut(Found),
    pub(super) go_on: &'v dyn Fn() -> bool,
    pub(super) work: &'v Work,
}

pub(super) fn each(session: &Session, visit: &mut Visit<'_>) {
    image(session, visit);
    for (side, _) in Side::loaded(session) {
        metadata(session, side, visit);
    }
    methods(session, visit);
    functions(session, visit);
    contributions(session, visit);
    record(session, Place::Header, visit);
    if let Some(view) = PdbView::of(session) {
        streams(session, &view, visit);
        pages(session, &view, visit);
    }
    // The tables of an `.mdb` list the same bytes again, method by method.
    list(session, Place::Parts, visit);
}

fn record(session: &Session, place: Place, visit: &mut Visit<'_>) {
    if (visit.go_on)()
        && visit.work.goes_on("coverage", || place.to_string())
        && let Some(fields) = nodes::fields(session, place)
    {
        (visit.found)(Found::Fields(fields));
    }
}

/// The records of a list, and of the lists in it.
fn list(session: &Session, place: Place, visit: &mut Visit<'_>) {
    let places: Vec<Place> =
        nodes::rows(session, place).iter().flat_map(|rows| rows.iter().filter_map(|row| row.place)).collect();
    for place in places {
        record(session, place, visit);
    }
}

fn image(session: &Session, visit: &mut Visit<'_>) {
    let Some(image) = session.image() else { return };
    use PePart::{
        Cli, Coff, DebugDirectory, DelayImports, Directories, Dos, Exports, Imports, Manifest, Optional, Resources,
        Rich, Sections, Version,
    };
    for part in
        [Dos, Coff, Optional, Directories, Cli, Exports, Rich, Version, Manifest, Imports, DelayImports, Resources]
    {
        record(session, Place::PePart(part), visit);
    }
    for part in [Directories, Sections, DebugDirectory, Imports, DelayImports, Exports, Resources, Rich, Version] {
        list(session, Place::PePart(part), visit);
    }
    let count = image.pe.sections.len();
    (0..count).for_each(|index| record(session, Place::PePart(PePart::Section(index as u16)), visit));
    record(session, Place::Exceptions, visit);
    list(session, Place::Relocations, visit);
    record(session, Place::EntryStub, visit);
    precompiled(session, visit);
    for row in 1..=manifest_resource::count(session) {
        record(session, Place::ManifestResource(row), visit);
    }
}

/// The ReadyToRun tables, and the code that they lead to.
fn precompiled(session: &Session, visit: &mut Visit<'_>) {
    let Some(code) = Precompiled::tables(session) else { return };
    record(session, Place::ReadyToRun, visit);
    for entry in &code.r2r.sections {
        record(session, Place::R2r(R2rPart::Section(entry.kind)), visit);
    }
    use R2rPart::{DebugInfos, EntryPoints, Functions, Imports, Inlinings, Instances, Types};
    for part in [EntryPoints, Functions, DebugInfos, Imports, Inlinings, Instances, Types] {
        list(session, Place::R2r(part), visit);
    }
    let imports = code.r2r.imports(&code.image.pe).map_or(0, |imports| imports.len() as u32);
    (0..imports).for_each(|number| list(session, Place::R2r(R2rPart::Import(number)), visit));
    let (machine, mut end) = (Machine::of(code.r2r.target.machine), 0);
    for index in 0..code.functions() {
        let Some(function) = code.function(index) else { continue };
        let size = function.size.unwrap_or(0);
        if let Ok(code) = code.image.pe.at_rva(function.begin, size) {
            (visit.found)(Found::Code(code.span()));
        }
        let gap = function.begin.saturating_sub(end);
        if let (Some(machine), Ok(gap), 1..) = (machine, code.image.pe.at_rva(end, gap), end)
            && is_filler(machine, gap.data)
        {
            (visit.found)(Found::Unused(gap.span()));
        }
        end = function.begin.saturating_add(size);
    }
}

fn metadata(session: &Session, side: Side, visit: &mut Visit<'_>) {
    let Some(metadata) = side.metadata(session) else { return };
    use MetadataPart::{PdbStream, Root, Stream, TablesHeader};
    for part in [Root, TablesHeader, PdbStream] {
        record(session, Place::Metadata(side, part), visit);
    }
    for index in 0..metadata.root.streams.len() {
        record(session, Place::Metadata(side, Stream(index as u16)), visit);
    }
    for table in TableId::all() {
        for row in 1..=metadata.rows(table) {
            record(session, Place::Row(side, table, row), visit);
        }
    }
    for heap in Heap::ALL {
        let entries: Vec<u32> = metadata.heaps.entries(heap).map(|(offset, _)| offset).collect();
        for offset in entries {
            record(session, Place::HeapEntry(side, heap, offset), visit);
        }
    }
}

fn methods(session: &Session, visit: &mut Visit<'_>) {
    for row in 1..=session.methods() {
        let token = Token::new(TableId::METHOD_DEF, row);
        for part in [MethodPart::Body, MethodPart::Il, MethodPart::Points] {
            record(session, Place::MethodPart(token, part), visit);
        }
    }
}

fn functions(session: &Session, visit: &mut Visit<'_>) {
    let (Some(native), Some(image)) = (NativeView::of(session), session.image()) else { return };
    for function in native.functions() {
        let rva = native.rva_of(function);
        if let Some(code) = rva.and_then(|rva| image.pe.at_rva(rva, function.len).ok()) {
            (visit.found)(Found::Code(code.span()));
        }
    }
}

/// Bytes of the image that the modules contribute; between them and after the sections' virtual sizes there is nothing.
fn contributions(session: &Session, visit: &mut Visit<'_>) {
    let Some(image) = session.image() else { return };
    let count = contribution_count(session);
    (0..count as u32).for_each(|index| record(session, Place::Contribution(index), visit));
    for section in &image.pe.sections {
        let header = &section.header;
        let (start, size) = (u64::from(header.pointer_to_raw_data), u64::from(header.size_of_raw_data));
        let used = u64::from(header.virtual_size);
        if used > 0 && used < size {
            (visit.found)(Found::Unused(Span::new(image.space, start + used, size - used)));
        }
    }
    if count == 0 {
        return;
    }
    let Some(machine) = Machine::of(image.pe.machine()) else { return };
    for (rva, len) in gaps(session) {
        if let Ok(gap) = image.pe.at_rva(rva, len)
            && is_filler(machine, gap.data)
        {
            (visit.found)(Found::Unused(gap.span()));
        }
    }
}

/// Ranges between the contributions of a section: address and size.
fn gaps(session: &Session) -> Vec<(u32, u32)> {
    let mut all: Vec<(u16, u32, u32)> = contribution_list(session)
        .filter_map(|found| Some((found.section, found.rva?, found.rva?.checked_add(found.size)?)))
        .collect();
    all.sort_unstable();
    let mut end = (0, 0);
    let mut gaps = Vec::new();
    for (section, from, to) in all {
        if section == end.0 && from > end.1 {
            gaps.push((end.1, from.saturating_sub(end.1)));
        }
        end = if section == end.0 { (section, to.max(end.1)) } else { (section, to) };
    }
    gaps
}

fn streams(session: &Session, view: &PdbView<'_>, visit: &mut Visit<'_>) {
    record(session, Place::Directory, visit);
    for stream in 0..view.pdb.msf.stream_count() {
        for part in view.parts(stream).iter() {
            record(session, Place::Record(stream, part.at), visit);
        }
    }
}

/// Pages that hold maps and lists, and what of the others is unused.
fn pages(session: &Session, view: &PdbView<'_>, visit: &mut Visit<'_>) {
    let msf = &view.pdb.msf;
    let (map, page_size) = (msf.page_map(view.spaces), u64::from(msf.page_size()));
    let len = |space| view.spaces.get(space).map_or(0, Space::len);
    for page in 0..map.len() as u32 {
        let whole = Span::new(msf.file, u64::from(page) * page_size, page_size);
        let used = match map.owner(msf, page) {
            Owner::Unique(PageUse::FreePageMap { .. } | PageUse::PageList { .. }) => {
                record(session, Place::Page(page), visit);
                continue;
            }
            Owner::Unique(PageUse::Superblock) => page_size,
            Owner::Unique(PageUse::Directory { from }) => len(msf.directory).saturating_sub(from),
            Owner::Unique(PageUse::Stream { stream, from }) => {
                msf.stream(stream).map_or(0, |stream| len(stream.space)).saturating_sub(from)
            }
            Owner::Free => 0,
            Owner::Conflict(..) | Owner::Unclaimed | Owner::Missing => continue,
        };
        if used < page_size {
            (visit.found)(Found::Unused(whole.part(used, page_size - used)));
        }
    }
}

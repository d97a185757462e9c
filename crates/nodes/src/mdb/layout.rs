//! Regions of a Mono symbol file, in the order of the file.
//!
//! Its header and its tables lead to everything else. Here the regions are listed in file order: between two of them, and after the last,
//! there may be bytes that nothing refers to.

use crate::code_unit::document_name;
use crate::facts::Facts;
use crate::fields::{Fields, Meaning};
use crate::lazy_index::{IndexKind, LazyIndex};
use crate::method::owners::add_points;
use crate::method::points;
use crate::owner::OwnerSearch;
use crate::place::{MethodPart, Place};
use crate::regions::{FileRegion, FileRegionKind, tile};
use crate::rows::{Cell, Head, Row, Rows, Tone};
use pdblens_formats::bytes::{Cursor, Field, Recording, Show, Slice, Space, Span, is_inside};
use pdblens_formats::mdb::{Mdb, MdbEntry, MdbSection};
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;
use std::sync::OnceLock;

#[derive(Clone, Copy, Debug)]
pub(crate) struct MdbRegion {
    part: MdbSection,
    pub(crate) at: u32,
    pub(crate) len: u32,
}

impl MdbRegion {
    /// Its name, and that of the stretch of the file that it is in with others of its kind.
    const fn names(self) -> (&'static str, &'static str) {
        match self.part {
            MdbSection::Header => ("header", "header"),
            MdbSection::Source(_) => ("source file", "source files"),
            MdbSection::Unit(_) => ("compile unit", "compile units"),
            MdbSection::Locals(_) => ("local variables", "lines and names"),
            MdbSection::Blocks(_) => ("scopes", "lines and names"),
            MdbSection::ScopeVariables(_) => ("scope variables", "lines and names"),
            MdbSection::RealName(_) => ("real name", "lines and names"),
            MdbSection::Lines(_) => ("line program", "lines and names"),
            MdbSection::MethodData(_) => ("method data", "lines and names"),
            MdbSection::MethodRow(_) => ("row of the methods", "method table"),
            MdbSection::SourceRow(_) => ("row of the source files", "source table"),
            MdbSection::UnitRow(_) => ("row of the compile units", "unit table"),
            MdbSection::AnonymousScopes => ("anonymous scopes", "anonymous scopes"),
        }
    }

    /// Returns whether it leads to others.
    const fn leads(self) -> bool {
        matches!(
            self.part,
            MdbSection::Header | MdbSection::MethodRow(_) | MdbSection::SourceRow(_) | MdbSection::UnitRow(_)
        )
    }

    /// The method that it is of, by its number in the table of methods.
    const fn method(self) -> Option<u32> {
        match self.part {
            MdbSection::Locals(n)
            | MdbSection::Blocks(n)
            | MdbSection::ScopeVariables(n)
            | MdbSection::RealName(n)
            | MdbSection::Lines(n)
            | MdbSection::MethodData(n)
            | MdbSection::MethodRow(n) => Some(n),
            _ => None,
        }
    }

    pub(crate) const fn place(self) -> Place {
        match self.part {
            MdbSection::Header => Place::Header,
            _ => Place::Part(self.at),
        }
    }
}

#[derive(Debug, Default)]
struct MdbRegions(OnceLock<Vec<MdbRegion>>);

static REGIONS: IndexKind = IndexKind {
    name: |_| "regions of the symbol file".to_owned(),
    size: |session, _| {
        let file = session.symbol_file().and_then(|file| session.spaces().get(file.space));
        file.map_or(0, Space::len)
    },
    is_built: |session, _| session.cache().get::<MdbRegions>().0.get().is_some(),
    build: |session, _| _ = mdb_regions(session),
    is_optional: false,
};

pub(crate) const fn regions_index() -> LazyIndex {
    REGIONS.of(Place::Parts)
}

/// The regions of the open file, in its order; found once and kept.
fn mdb_regions(session: &Session) -> &[MdbRegion] {
    let found = &session.cache().get::<MdbRegions>().0;
    found.get_or_init(|| session.mdb().map_or_else(Vec::new, regions))
}

/// The regions of a file. None is longer than up to where the next one begins, whatever the file says.
fn regions(mdb: &Mdb) -> Vec<MdbRegion> {
    let begin = |part| Some((mdb.offset(part).ok()??, part));
    let mut begins: Vec<(u32, MdbSection)> = mdb.parts().filter_map(begin).collect();
    begins.sort_by_key(|(at, _)| *at);
    begins.dedup_by_key(|(at, _)| *at);
    let ends = begins.iter().skip(1).map(|(at, _)| u64::from(*at)).chain([mdb.len()]);
    let regions = begins.iter().zip(ends).map(|((at, part), end)| {
        let slice = mdb.bytes(u64::from(*at), end);
        let mut cursor = slice.cursor();
        // What is wrong with it is for whoever explains it to say.
        let _ = mdb.decode(*part, &mut cursor);
        MdbRegion { part: *part, at: *at, len: cursor.consumed() as u32 }
    });
    regions.filter(|region| region.len > 0).collect()
}

pub fn is_loaded(session: &Session) -> bool {
    session.mdb().is_some()
}

/// The region that has the byte at an offset of a Mono symbol file.
pub(crate) fn mdb_region_with(session: &Session, at: u32) -> Option<MdbRegion> {
    let regions = mdb_regions(session);
    let index = regions.partition_point(|region| region.at <= at).checked_sub(1)?;
    regions.get(index).copied().filter(|region| is_inside(at, region.at, region.len))
}

pub(crate) fn mdb_regions_within(session: &Session, span: Span) -> usize {
    if session.symbol_file().is_none_or(|file| file.space != span.space) {
        return 0;
    }
    let before = |at: u64| mdb_regions(session).partition_point(|region| u64::from(region.at) < at);
    before(span.end()) - before(span.start)
}

pub(crate) fn mdb_region(session: &Session, at: u32) -> Option<MdbRegion> {
    mdb_region_with(session, at).filter(|region| region.at == at)
}

/// Adds the region that has the byte, what else has its bytes, or the gap between two regions.
pub(super) fn region_owners(search: &mut OwnerSearch<'_>) {
    let (session, byte) = (search.session, search.byte);
    let file = session.symbol_file().filter(|file| file.content.mdb().is_some());
    if file.is_none_or(|file| file.space != byte.space) || !search.has_index(regions_index()) {
        return;
    }
    let Some(region) = u32::try_from(byte.start).ok().and_then(|at| mdb_region_with(session, at)) else {
        if let Some(gap) = file_regions(session).into_iter().find(|region| region.span.covers(byte)) {
            search.add(Place::Bytes(gap.span), gap.span);
        }
        return;
    };
    let span = Span::new(byte.space, region.at.into(), region.len.into());
    search.add(region.place(), span);
    match same_as(session, region) {
        Some(Place::MethodPart(method, _)) => add_points(search, method),
        Some(place) => search.add(place, span),
        None => {}
    }
}

/// Another place for the same bytes: a document, the points of a method.
fn same_as(session: &Session, region: MdbRegion) -> Option<Place> {
    match region.part {
        MdbSection::Source(index) => Some(Place::Document(index + 1)),
        MdbSection::Lines(index) => {
            method_of(session.mdb()?, index).map(|method| Place::MethodPart(method, MethodPart::Points))
        }
        _ => None,
    }
}

fn mdb_region_span(session: &Session, region: MdbRegion) -> Option<Span> {
    Some(Span::new(session.symbol_file()?.space, region.at.into(), region.len.into()))
}

/// A Mono symbol file from its first byte to its last: regions of a kind that lie beside each other are one stretch.
pub fn file_regions(session: &Session) -> Vec<FileRegion> {
    let (Some(mdb), Some(file)) = (session.mdb(), session.symbol_file()) else { return Vec::new() };
    let mut parts: Vec<FileRegion> = Vec::new();
    for region in mdb_regions(session) {
        let span = Span::new(file.space, region.at.into(), region.len.into());
        match parts.last_mut() {
            Some(last) if last.name == region.names().1 && last.span.end() == span.start => {
                last.span.len += span.len;
            }
            _ => {
                let kind = if region.leads() { FileRegionKind::Header } else { FileRegionKind::Data };
                let place = (region.part == MdbSection::Header).then_some(Place::Header);
                parts.push(FileRegion::new(region.names().1, span, kind, place));
            }
        }
    }
    tile(Span::new(file.space, 0, mdb.len()), parts)
}

pub(crate) fn mono_parts(session: &Session) -> Option<Rows<'_>> {
    let mdb = session.mdb()?;
    let regions = mdb_regions(session);
    let columns = Head::list(["offset:", "bytes:", "part", "of"]);
    Some(Rows::new(count(regions.len() as u64, "part"), columns, regions.len(), move |index| {
        let Some(region) = regions.get(index).copied() else { return Row::default() };
        let cells = vec![
            Cell::toned(format!("{:#x}", region.at), Tone::Dim),
            Cell::toned(region.len.to_string(), Tone::Dim),
            Cell::new(region.names().0).to(region.place()),
            mdb_region_of(session, mdb, region),
        ];
        Row { span: mdb_region_span(session, region), ..Row::at(region.place(), cells) }
    }))
}

/// The number of the region that begins at an offset or has the byte there.
pub(crate) fn mdb_region_row(session: &Session, at: u32) -> Option<usize> {
    mdb_regions(session).partition_point(|region| region.at <= at).checked_sub(1)
}

fn mdb_region_of(session: &Session, mdb: &Mdb, region: MdbRegion) -> Cell {
    let document =
        |number: u32| Cell::new(document_name(session, number).unwrap_or_default()).to(Place::Document(number));
    match (region.method().and_then(|index| method_of(mdb, index)), region.part) {
        (Some(method), _) => Cell::new(session.method_name(method)).to(Place::Method(method)),
        (None, MdbSection::Source(index) | MdbSection::SourceRow(index)) => document(index + 1),
        (None, MdbSection::Unit(index) | MdbSection::UnitRow(index)) => {
            mdb.unit(index + 1).map_or_else(|_| Cell::default(), |unit| document(unit.source))
        }
        _ => Cell::default(),
    }
}

pub(crate) fn explain_mdb_region(session: &Session, at: u32) -> Option<Fields> {
    let (mdb, region) = (session.mdb()?, mdb_region(session, at)?);
    let span = mdb_region_span(session, region)?;
    let of = mdb_region_of(session, mdb, region).text;
    let title = [region.names().0, of.as_str()].join(" · ");
    let title = title.trim_end_matches(" · ").to_owned();
    if let (MdbSection::Lines(_), Some(method)) = (region.part, region.method().and_then(|index| method_of(mdb, index)))
        && let Some(points) = points::explain_points(session, method).filter(|points| points.span == span)
    {
        return Some(Fields { title, ..points });
    }
    let slice = mdb.bytes(span.start, span.end());
    let decode = |cursor: &mut Cursor<'_, Recording>| mdb.decode(region.part, cursor);
    Some(Fields::explain(title, Slice { space: span.space, ..slice }, decode, |_, field| {
        mono_meaning(session, mdb, region.part, field)
    }))
}

pub(crate) fn mono_meaning(session: &Session, mdb: &Mdb, part: MdbSection, field: &Field) -> Option<Meaning> {
    let number = field.value.number().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0)?;
    let document = || Meaning::to(document_name(session, number).unwrap_or_default(), Place::Document(number));
    match field.doc.show {
        Show::Token => {
            let token = Token(number);
            Some(Meaning::to(session.method_name(token), Place::of_method(token)))
        }
        Show::Row("Source") => Some(document()),
        Show::Row("CompileUnit") => {
            let index = mdb.units().get((number as usize).checked_sub(1)?)?.data_offset;
            let to = mdb_region(session, index)?;
            Some(Meaning::to(mdb_region_of(session, mdb, to).text, to.place()))
        }
        Show::Offset => {
            let to = mdb_region(session, number)?;
            Some(Meaning::to(to.names().0, to.place()))
        }
        _ if *field.doc == MdbEntry::index && matches!(part, MdbSection::SourceRow(_)) => Some(document()),
        _ => None,
    }
}

fn method_of(mdb: &Mdb, index: u32) -> Option<Token> {
    let token = Token(mdb.methods().get(index as usize)?.token);
    (token.table() == TableId::METHOD_DEF && !token.is_nil()).then_some(token)
}

pub(crate) fn parts_facts(session: &Session) -> Option<Fields> {
    let file = session.symbol_file()?;
    let mut facts = Facts::new(file.name.clone());
    for extent in file_regions(session) {
        let row = facts.fact(extent.name.as_str(), extent.span.len).at(extent.span);
        row.mean(format!("bytes at {:#x}", extent.span.start)).to = extent.place;
    }
    let first = facts.fields.rows.first().map(|row| row.span)?;
    facts.fields.span = facts.fields.rows.last().map_or(first, |last| first.to(last.span));
    facts.done()
}

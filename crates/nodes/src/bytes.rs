//! Bytes that belong to no record: what contains them, what is beside them, and whether they are all zero.

use crate::facts::Facts;
use crate::fields::Fields;
use crate::kind::Kind;
use crate::lazy_index::is_cached;
use crate::mdb::layout;
use crate::method;
use crate::owner::{OwnerSearch, Turn};
use crate::pe::layout::{ImageLayout, layout_index};
use crate::place::{Place, Side};
use crate::regions;
use crate::regions::FileRegion;
use crate::within;
use pdblens_formats::bytes::Span;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_session::session::Session;

pub(crate) const BYTES: Kind<Span> = Kind {
    owners: &[(Turn::MetadataGaps, metadata_gap), (Turn::Gaps, image_gap)],
    exists: |session, span| {
        let space = session.spaces().get(span.space);
        !span.is_empty() && space.is_some_and(|space| span.end() <= space.len())
    },
    summary: bytes_facts,
    bytes: |_, span| Some(span),
    absence: |session, span| {
        let place = Place::Bytes(span);
        let len = session.spaces().get(span.space)?.len();
        if span.is_empty() {
            return Some(format!("{place} is a range without bytes"));
        }
        if span.end() > len {
            return Some(format!("{place} ends at {:#x}, past the end of the {len:#x} bytes", span.end()));
        }
        let title = bytes_facts(session, span)?.title;
        Some(format!(
            "{place} is not a list but bytes ({title}): `pdblens show FILE {place}` prints what is known about them"
        ))
    },
    ..Kind::NEW
};

fn metadata_gap(search: &mut OwnerSearch<'_>) {
    let Some((side, metadata)) = Side::with(search.session, search.byte) else { return };
    let tables = metadata.root.table_stream().map(|stream| stream.region.span());
    if let Some(tables) = tables {
        let from = metadata.tables.present().map(|table| table.span().end()).max().unwrap_or(0);
        let rest = Span::new(tables.space, from, tables.end().saturating_sub(from));
        search.add(Place::Bytes(rest), rest);
    }
    if search.owners.is_empty() {
        for region in regions::of_metadata(search.session, side) {
            search.add(Place::Bytes(region.span), region.span);
        }
    }
}

/// Adds the region between known ones of the image that has the byte: padding or unknown content.
fn image_gap(search: &mut OwnerSearch<'_>) {
    if !search.is_in_image() || !search.has_index(layout_index()) {
        return;
    }
    let (layout, at) = (ImageLayout::of(search.session), search.byte.start);
    let Some(region) = layout.region_with(at) else { return };
    let mut span = region.span;
    if region.place == Some(Place::Methods) {
        // From the end of a body to the next.
        let next = layout.bodies.partition_point(|(begin, _)| u64::from(*begin) <= at);
        let before = next.checked_sub(1).and_then(|index| layout.bodies.get(index));
        let body =
            before.and_then(|(_, row)| method::body(search.session, Token::new(TableId::METHOD_DEF, *row)).ok()?);
        let from = body.map_or(span.start, |body| body.span.end()).clamp(span.start, at);
        let to = layout.bodies.get(next).map_or(span.end(), |(begin, _)| u64::from(*begin).min(span.end()));
        span = Span::new(span.space, from, to - from);
    }
    search.add(Place::Bytes(span), span);
}

const LOOKED_AT: u64 = 1 << 16;

pub(crate) fn bytes_facts(session: &Session, span: Span) -> Option<Fields> {
    let extents = regions_around(session, span);
    let at = extents.iter().position(|extent| extent.span.covers(Span { len: span.len.min(1), ..span }));
    let name = at.and_then(|at| extents.get(at)).map_or("bytes", |extent| &extent.name);
    let within = within::within(session, span.space, span.start);
    let mut facts = Facts::new(format!("{name} · {}", within.name));
    facts.bytes(session, span);
    let parts = layout::mdb_regions_within(session, span);
    if parts > 0 {
        facts.fact("parts", parts).to(Place::Parts);
    }
    let looked = Span { len: span.len.min(LOOKED_AT), ..span };
    let bytes = session.spaces().read(looked).ok()?;
    match bytes.iter().position(|byte| *byte != 0) {
        None if looked == span => drop(facts.fact("content", "zeros")),
        None => drop(facts.fact("content", "zeros").mean(format!("in the first {LOOKED_AT} bytes"))),
        Some(0) => {}
        Some(at) => drop(facts.fact("content", "zeros").mean(format!("up to {:#x}", span.part(at as u64, 0).start))),
    }
    let neighbour = |index: Option<usize>| index.and_then(|index| extents.get(index));
    for (name, found) in [
        ("after", neighbour(at.and_then(|at| at.checked_sub(1)))),
        ("before", neighbour(at.and_then(|at| at.checked_add(1)))),
    ] {
        if let Some(found) = found {
            facts.fact(name, found.name.as_str()).to(found.place.unwrap_or(Place::Bytes(found.span)));
        }
    }
    facts.done()
}

/// The stretches that the file of `span` is cut into there, where that is known.
pub(crate) fn regions_around(session: &Session, span: Span) -> Vec<FileRegion> {
    for side in [Side::Image, Side::Pdb] {
        if side.metadata(session).is_some_and(|found| found.root.region.span().covers(span)) {
            return regions::of_metadata(session, side);
        }
    }
    let is_image = session.image().is_some_and(|image| image.space == span.space);
    match is_image {
        true if is_cached(session, layout_index()) => ImageLayout::of(session).regions.clone(),
        true => regions::of_image(session),
        false if session.mdb().is_some() => layout::file_regions(session),
        false => Vec::new(),
    }
}

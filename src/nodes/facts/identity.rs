//! Whether image and symbols belong together, by what either says of itself; and the headers of an image as a whole.

use super::Facts;
use crate::bytes::Span;
use crate::formats::pe::DebugEntry;
use crate::nodes;
use crate::nodes::fields::Fields;
use crate::nodes::place::{MetadataPart, PePart, Side};
use crate::nodes::{Heap, Place};
use crate::session::Session;
use crate::symbols::{Format, IdSuffix, SymbolId};

/// The id that the image wants its symbols to have, and the one that they have.
pub(crate) fn identity_facts(session: &Session) -> Option<Fields> {
    let mut facts = Facts::new(session.pdb_match().summary().trim_start_matches(|c: char| !c.is_alphanumeric()));
    let have = session.symbol_file().and_then(|file| file.reader().id());
    if let Some(image) = session.image() {
        let by_mvid = session.symbol_file().is_some_and(|file| file.reader().format() == Format::Mdb);
        for (index, entry) in image.pe.debug.iter().enumerate().filter(|_| !by_mvid) {
            if let Some(wanted) = crate::session::codeview_id(entry) {
                let place = Place::PePart(PePart::Debug(index as u16));
                wanted_facts(&mut facts, entry, wanted, have, place);
            }
        }
        if let Some(mvid) = image.mvid().filter(|_| by_mvid) {
            let place = Place::HeapEntry(Side::Image, Heap::Guids, 1);
            let row = facts.fact("image MVID", mvid).at(nodes::bytes(session, place).unwrap_or_default()).to(place);
            row.mean(same(have.map(|have| have.guid == mvid))).lesson("Module", "Mvid");
        }
        if facts.fields.rows.is_empty() {
            facts.fact("image", "names no PDB").to(Place::PePart(PePart::DebugDirectory));
        }
    }
    if let (Some(file), Some(have)) = (session.symbol_file(), have) {
        let spans = file.content.id_spans();
        // The GUID and what follows it, in one piece or in two.
        let guid = spans.first().map_or(Span::default(), |span| span.part(0, 16));
        let rest = match spans.as_slice() {
            [all] => all.part(16, all.len.saturating_sub(16)),
            [_, rest, ..] => *rest,
            [] => Span::default(),
        };
        let place = match file.reader().format() {
            Format::Portable => Some(Place::Metadata(Side::Pdb, MetadataPart::PdbStream)),
            Format::Windows | Format::Native => Some(Place::Record(crate::formats::pdb::streams::INFO, 0)),
            _ => Some(Place::Header),
        };
        let guid = if file.reader().format() == Format::Mdb { mdb_guid(session) } else { guid };
        facts.fact("symbols GUID", have.guid).at(guid).to(place);
        match have.suffix {
            IdSuffix::Stamp(stamp) => {
                _ = facts.fact("symbols stamp", format!("{stamp:#010x}")).at(rest).to(place);
            }
            IdSuffix::Age(age) => _ = facts.fact("symbols age", age).to(place),
            IdSuffix::None => {}
        }
    }
    let span = facts.fields.leaves().map(|row| row.span).find(|span| !span.is_empty());
    facts.fields.span = span.unwrap_or_default();
    facts.done()
}

/// Where a Mono symbol file has its GUID.
fn mdb_guid(session: &Session) -> Span {
    let header = nodes::fields(session, Place::Header);
    let found = header.iter().flat_map(Fields::leaves).find(|row| row.name == "guid");
    found.map_or_else(Span::default, |row| row.span)
}

/// What the headers of an image, or a list of them, come to.
pub(crate) fn image_facts(session: &Session, place: Place) -> Option<Fields> {
    let image = session.image()?;
    let mut facts = Facts::new(match place {
        Place::Pe => format!("{} · headers", image.name),
        place => place.to_string(),
    });
    let pe = &image.pe;
    let (name, count, each) = match place {
        Place::PePart(PePart::Sections) => ("headers", pe.sections.len(), "40 bytes each"),
        Place::PePart(PePart::Directories) => ("directories", pe.directories.len(), "8 bytes each"),
        Place::PePart(PePart::DebugDirectory) => ("entries", pe.debug.len(), "28 bytes each, and what they lead to"),
        _ => ("sections", pe.sections.len(), "what the headers are followed by"),
    };
    facts.fact(name, count).mean(each);
    if let Some(span) = nodes::bytes(session, place) {
        facts.bytes(session, span);
    }
    facts.done()
}

fn wanted_facts(facts: &mut Facts, entry: &DebugEntry, wanted: SymbolId, have: Option<SymbolId>, place: Place) {
    let payload = entry.data.unwrap_or_default();
    let row = facts.fact("image GUID", wanted.guid).at(payload.part(4, 16)).to(place);
    row.mean(same(have.map(|have| have.guid == wanted.guid)));
    match wanted.suffix {
        IdSuffix::Stamp(stamp) => {
            let row = facts.fact("image stamp", format!("{stamp:#010x}")).at(entry.span.part(4, 4)).to(place);
            row.mean(same(have.map(|have| have.suffix == wanted.suffix)));
        }
        IdSuffix::Age(age) => {
            let enough = |have: SymbolId| matches!(have.suffix, IdSuffix::Age(have) if have >= age);
            facts.fact("image age", age).at(payload.part(20, 4)).to(place).mean(same(have.map(enough)));
        }
        IdSuffix::None => {}
    }
}

/// Whether the symbols say the same.
const fn same(same: Option<bool>) -> &'static str {
    match same {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "",
    }
}

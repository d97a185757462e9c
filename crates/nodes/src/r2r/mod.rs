//! The ReadyToRun tables of an image: each section a list, each entry a record with the look-up that leads to it.

pub(crate) mod cells;
mod lists;
mod owners;
mod records;
mod sections;

use crate::facts::Facts;
use crate::fields::Fields;
use crate::kind::{Kind, Label};
use crate::pe;
use crate::place::{Place, R2rPart};
use crate::rows::{Cell, Head, Row, Rows, Tone};
pub use cells::{fixup_text, instance_name};
use pdblens_formats::bytes::Span;
use pdblens_formats::metadata::TableId;
use pdblens_formats::r2r::{Component, LAST_VERSION};
use pdblens_session::precompiled::{self};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;
pub(crate) use sections::of;
use sections::{home, section_of};

/// Bits of `ImplFlags` for the kind of the code (ECMA-335 II.23.1.11, CodeTypeMask); 0 is IL.
const CODE_TYPE: u32 = 3;

/// The header and its sections.
pub(crate) const READY_TO_RUN: Kind = Kind {
    listed: |session| of(session).map(|_| Place::ReadyToRun).into_iter().collect(),
    owners: owners::SECTIONS,
    parent: |()| Some(Place::Pe),
    exists: |session, ()| of(session).is_some(),
    absence: |session, ()| {
        session.image().map(|image| format!("{} has no ReadyToRun header: it has no precompiled code", image.name))
    },
    rows: |session, ()| section_rows(session),
    fields: |session, ()| {
        let (image, header) = (session.image()?, precompiled::header(session)?);
        let bytes = image.pe.bytes(header.as_ref().ok()?.span).ok()?;
        let machine = image.pe.coff.machine;
        Some(Fields::explain(
            "r2r",
            bytes,
            |c| pdblens_formats::r2r::ReadyToRun::decode(c, machine).map(drop),
            pe::meanings(session),
        ))
    },
    summary: |session, ()| {
        let code = of(session)?;
        let mut facts = Facts::new("r2r");
        facts.fact("version", code.r2r.version());
        facts.fact("target", format!("{}, {}", code.r2r.target.machine_name(), code.r2r.target.system_name()));
        facts.fact("methods", code.methods()).to(Place::R2r(R2rPart::EntryPoints));
        facts.fact("instances", code.instances()).to(Place::R2r(R2rPart::Instances));
        facts.done()
    },
    ..Kind::NEW
};

/// A part of the tables.
pub(crate) const PART: Kind<R2rPart> = Kind {
    listed: |session| lists::present(session).into_iter().map(Place::R2r).collect(),
    label: |_| Label::new("ReadyToRun", 2),
    exists: |session, part| of(session).is_some_and(|code| records::exists(&code, part)),
    absence: |session, part| match of(session) {
        None => (READY_TO_RUN.absence)(session, ()),
        Some(code) => Some(records::absence(session, &code, part)),
    },
    rows: |session, part| lists::rows(session, part),
    fields: |session, part| records::fields(session, part),
    bytes: |session, part| match part {
        R2rPart::Inlinings => of(session)?.inlining(0).map(|(table, _)| table.bytes.span()),
        part => match section_of(part) {
            Some(kind) => section_span(session, kind),
            None => records::fields(session, part).map(|fields| fields.span),
        },
    },
    ..Kind::NEW
};

/// Bytes of a section.
pub(crate) fn section_span(session: &Session, kind: u32) -> Option<Span> {
    let code = of(session)?;
    Some(code.r2r.bytes(&code.image.pe, kind)?.ok()?.span())
}

fn section_rows(session: &Session) -> Option<Rows<'_>> {
    let code = of(session)?;
    let row = |entry: &pdblens_formats::r2r::SectionEntry| {
        let place = home(entry.kind);
        let cells = vec![
            Cell::new(entry.kind.to_string()).to(place),
            Cell::new(entry.name()),
            Cell::new(format!("{:#x}", entry.rva)),
            Cell::new(entry.size.to_string()),
            Cell::toned(place.to_string(), Tone::Dim).to(place),
        ];
        let span = section_span(session, entry.kind).unwrap_or(entry.span);
        Row::at(place, cells).from(span)
    };
    let columns = Head::list(["type:", "section", "rva:", "bytes:", "place"]);
    let title = format!("ReadyToRun {} · {}", code.r2r.version(), count(code.r2r.sections.len() as u64, "section"));
    Some(Rows::of(title, columns, code.r2r.sections.iter().map(row).collect()))
}

/// Version, target and amounts of precompiled code, in one line: `16.0 for AMD64, Linux · 2518 of 4067 methods precompiled`.
pub fn line(session: &Session) -> Option<String> {
    let header = precompiled::header(session)?;
    let Ok(r2r) = header else { return Some("unreadable header".to_owned()) };
    let is_later = r2r.header.major_version > LAST_VERSION;
    let later = if is_later { format!(" (later than {LAST_VERSION}, as which it is read)") } else { String::new() };
    let target = format!("{}{later} for {}, {}", r2r.version(), r2r.target.machine_name(), r2r.target.system_name());
    let code = of(session)?;
    if r2r.is_component() {
        let owner = r2r.owner(&code.image.pe).unwrap_or_default();
        return Some(format!("{target} · component of the composite image {owner}, which has the code"));
    }
    if r2r.is_composite() {
        let (components, methods) =
            (count(code.components().len() as u64, "component"), count(code.methods(), "method"));
        let instances = count(code.instances(), "instantiation");
        return Some(format!("{target} · composite image of {components}: {methods} precompiled, {instances}"));
    }
    let all = with_il(session);
    let instances = count(code.instances(), "instantiation");
    Some(format!("{target} · {} of {} precompiled, {instances}", code.methods(), count(all, "method")))
}

/// Names of the assemblies of a composite image; of one without a name, its number.
pub fn components(session: &Session) -> Vec<String> {
    let all = of(session).map_or(&[][..], |code| code.components());
    let name =
        |(row, found): (u32, &Component)| if found.name.is_empty() { row.to_string() } else { found.name.clone() };
    (1..).zip(all).map(name).collect()
}

/// Number of methods with IL.
pub fn with_il(session: &Session) -> u32 {
    let Some(metadata) = session.metadata() else { return 0 };
    let table = metadata.table(TableId::METHOD_DEF);
    let (rvas, flags) = (table.column(0), table.column(1));
    let has_il = |row: &u32| {
        let is_il = flags.get(*row).is_some_and(|flags| flags & CODE_TYPE == 0);
        is_il && rvas.get(*row).is_some_and(|rva| rva > 0)
    };
    (1..=table.rows()).filter(has_il).count() as u32
}

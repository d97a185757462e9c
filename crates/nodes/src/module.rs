//! Modules of a Windows PDB: object files, or types.

use crate::facts::Facts;
use crate::fields::Fields;
use crate::kind::{Kind, Label};
use crate::named::{self, Turn};
use crate::place::Place;
use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::stream;
use crate::stream::{PdbView, record};
use pdblens_formats::pdb::streams;
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

pub(crate) const MODULES: Kind = Kind {
    named: &[(Turn::Modules, |session, list| named::add_column(list, modules_rows(session), "name"))],
    listed: |_| vec![Place::Modules],
    rows: |session, ()| modules_rows(session),
    row_of: |_, place, ()| match place {
        Place::Module(number) => Some(number as usize),
        _ => None,
    },
    summary: |session, ()| debug_information_facts(session, Place::Modules),
    bytes: |session, ()| Some(PdbView::of(session)?.pdb.dbi.as_ref()?.module_infos.span()),
    ..Kind::NEW
};

/// A module of a Windows PDB, counted from 0.
pub(crate) const MODULE: Kind<u32> = Kind {
    label: |_| Label::new("module", 1),
    exists: |session, number| PdbView::of(session).is_some_and(|view| (number as usize) < view.pdb.modules().len()),
    rows: |session, number| stream::stream_rows(session, stream_of(session, number)?),
    row_of: |session, place, _| match place {
        Place::Record(stream, _) => stream::row_of_stream(session, stream, place),
        _ => None,
    },
    fields: |session, number| {
        let at = PdbView::of(session)?.pdb.modules().get(number as usize)?.span.start;
        record::explain_record(session, streams::DBI, at as u32)
    },
    indexes: |session, number| {
        [streams::DBI].into_iter().chain(stream_of(session, number)).map(stream::records_index).collect()
    },
    ..Kind::NEW
};

pub(crate) fn modules_rows(session: &Session) -> Option<Rows<'_>> {
    let view = PdbView::of(session)?;
    let columns = Head::list(["module:", "size:", "stream:", "symbols:", "lines:", "files:", "name", "object"]);
    let modules = view.pdb.modules();
    let size_of = move |stream: Option<u32>| {
        stream.and_then(|stream| view.pdb.msf.stream(stream)).map_or(0, |stream| u64::from(stream.size))
    };
    let total: u64 = modules.iter().map(|module| size_of(module.stream())).sum();
    let title = format!("{}, {total} bytes in their streams", count(modules.len() as u64, "module"));
    Some(Rows::new(title, columns, modules.len(), move |index| {
        let (number, place) = (index as u32, Place::Module(index as u32));
        let Some(module) = modules.get(index) else { return Row::default() };
        let (name, object) = view.module_names(number);
        let stream = match module.stream() {
            Some(stream) => Cell::new(stream.to_string()).to(Place::Stream(stream)),
            None => Cell::toned("none", Tone::Dim),
        };
        let object = if object == name { String::new() } else { object };
        let cells = vec![
            Cell::toned(number.to_string(), Tone::Dim),
            Cell::new(size_of(module.stream()).to_string()),
            stream,
            Cell::new(module.symbols_size.to_string()),
            Cell::new(module.c13_size.to_string()),
            Cell::new(module.file_count.to_string()),
            Cell::new(name).to(place),
            Cell::toned(object, Tone::Dim),
        ];
        Row::at(place, cells).from(module.span)
    }))
}

fn stream_of(session: &Session, number: u32) -> Option<u32> {
    PdbView::of(session)?.pdb.modules().get(number as usize)?.stream()
}

pub(crate) fn debug_information_facts(session: &Session, place: Place) -> Option<Fields> {
    let dbi = PdbView::of(session)?.pdb.dbi.as_ref()?;
    let (name, number, span) = match place {
        Place::Modules => ("modules", dbi.modules.len(), dbi.module_infos.span()),
        Place::SectionMap => {
            let region = &dbi.section_map.region;
            ("sections", dbi.section_map.entries.len(), region.span())
        }
        _ => ("contributions", dbi.contributions.len() as usize, dbi.contributions.region.span()),
    };
    let mut facts = Facts::new(format!("{name} of the debug information"));
    facts.fact(name, number).to(Place::Stream(streams::DBI));
    facts.bytes(session, span);
    facts.done()
}

//! Section contributions: bytes of the image by the module that they come from.

use crate::rows::{Cell, Head, Row, Rows, Tone};
use crate::stream::{PdbView, no_msf};
use crate::{Kind, Place, function, module};
use pdblens_formats::bytes::Span;
use pdblens_formats::pdb::streams;
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

pub(crate) const CONTRIBUTIONS: Kind = Kind {
    listed: |_| vec![Place::Contributions],
    absence: |session, ()| no_msf(session, Place::Contributions),
    rows: |session, ()| contributions_rows(session),
    row_of: |session, place, ()| match place {
        Place::Contribution(number) => Some(number as usize),
        Place::Record(streams::DBI, at) => {
            let contributions = &PdbView::of(session)?.pdb.dbi.as_ref()?.contributions;
            let first = contributions.span(0)?;
            let row = u64::from(at).checked_sub(first.start)?.checked_div(first.len)?;
            contributions.span(row).filter(|span| span.start == u64::from(at)).map(|_| row as usize)
        }
        _ => None,
    },
    summary: |session, ()| module::debug_information_facts(session, Place::Contributions),
    bytes: |session, ()| Some(PdbView::of(session)?.pdb.dbi.as_ref()?.contributions.region.span()),
    ..Kind::NEW
};

pub(crate) fn contributions_rows(session: &Session) -> Option<Rows<'_>> {
    let view = PdbView::of(session)?;
    let contributions = &view.pdb.dbi.as_ref()?.contributions;
    let columns = Head::list(["rva:", "section", "bytes:", "module"]);
    let len = contributions.len();
    Some(Rows::new(count(len, "section contribution"), columns, len as usize, move |index| {
        let (found, span) = (contributions.get(index as u64), contributions.span(index as u64));
        let Some((found, span)) = found.zip(span) else { return Row::default() };
        let module = u32::from(found.module);
        let place = Place::Record(streams::DBI, span.start as u32);
        let rva = view.rva(found.section, found.offset);
        let address = Cell::toned(function::rva_text(rva), Tone::Dim);
        let cells = vec![
            if has_bytes(session, rva, found.size) { address.to(Place::Contribution(index as u32)) } else { address },
            Cell::new(format!("{}:{:08x}", found.section, found.offset)),
            Cell::new(found.size.to_string()),
            Cell::new(view.module_name(module)).to(Place::Module(module)),
        ];
        Row::at(place, cells).from(span)
    }))
}

/// A range of the image, and the module that it comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "contribution"))]
pub struct ContributionDetails {
    /// Section, from 1.
    pub section: u16,
    /// Offset in the section.
    pub offset: u32,
    /// Address in the image; `None` for code that was removed from it, and for managed code.
    #[serde(
        rename = "address",
        serialize_with = "pdblens_formats::serialize::some_hexadecimal",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<pdblens_formats::json_schema::Address>"))]
    pub rva: Option<u32>,
    /// Bytes of the range.
    pub size: u32,
    /// Module, from 0.
    pub module: u16,
    /// Characteristics of the section, as in an image.
    pub characteristics: u32,
    /// Bytes of the record.
    pub span: Span,
}

/// Returns true if the image has bytes at an address, which it has not for data that begins as zeros.
pub(crate) fn has_bytes(session: &Session, rva: Option<u32>, size: u32) -> bool {
    let image = session.image().zip(rva);
    size > 0 && image.is_some_and(|(image, rva)| image.pe.at_rva(rva, size).is_ok())
}

pub fn contribution_count(session: &Session) -> u64 {
    let all = PdbView::of(session).and_then(|view| Some(&view.pdb.dbi.as_ref()?.contributions));
    all.map_or(0, pdblens_formats::pdb::dbi::Contributions::len)
}

/// The contribution at a position of the DBI stream, from 0.
pub(crate) fn contribution_at(session: &Session, index: u32) -> Option<ContributionDetails> {
    let view = PdbView::of(session)?;
    let all = &view.pdb.dbi.as_ref()?.contributions;
    let (found, span) = (all.get(index.into())?, all.span(index.into())?);
    Some(ContributionDetails {
        section: found.section,
        offset: found.offset,
        rva: view.rva(found.section, found.offset),
        size: found.size,
        module: found.module,
        characteristics: found.characteristics,
        span,
    })
}

/// The section contributions, in the order of the DBI stream.
pub fn contribution_list(session: &Session) -> impl Iterator<Item = ContributionDetails> {
    (0..contribution_count(session) as u32).filter_map(move |index| contribution_at(session, index))
}

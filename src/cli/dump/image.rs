//! Spaces, the image, and its debug directory.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::bytes::{Guid, Origin, Space, SpaceId, Spaces, Span};
use crate::nodes::pe::debug_entry::DebugEntrySummary;
use crate::session::{Image, Session};

/// Address space of offsets: the bytes of a file, or bytes derived from another space. Has one of `file`, `inflated` and
/// `pages_of`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "space"))]
pub(in super::super) struct SpaceJson {
    /// Its number.
    space: u32,
    name: String,
    size: u64,
    /// Path of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The deflated bytes it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    inflated: Option<Span>,
    /// Number of the space whose pages it is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pages_of: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_size: Option<u32>,
}

impl SpaceJson {
    /// Spaces of these spans, and those that they are made of, in order.
    pub(in super::super) fn of_spans(session: &Session, spans: impl Iterator<Item = Span>) -> Vec<Self> {
        let mut wanted: BTreeSet<SpaceId> = spans.map(|span| span.space).collect();
        let mut queue: Vec<SpaceId> = wanted.iter().copied().collect();
        while let Some(space) = queue.pop().and_then(|id| session.spaces().get(id)) {
            let from = match &space.origin {
                Origin::Pages { file, .. } => Some(*file),
                Origin::Inflated(span) => Some(span.space),
                Origin::File(_) => None,
            };
            queue.extend(from.filter(|from| wanted.insert(*from)));
        }
        session.spaces().iter().filter(|(id, _)| wanted.contains(id)).map(Self::of).collect()
    }

    pub(in super::super) fn of((id, space): (SpaceId, &Space)) -> Self {
        let (mut file, mut inflated, mut pages) = (None, None, None);
        match &space.origin {
            Origin::File(path) => file = Some(path.to_string_lossy().into_owned()),
            Origin::Inflated(span) => inflated = Some(*span),
            Origin::Pages { file, page_size, .. } => pages = Some((file.0, *page_size)),
        }
        let (pages_of, page_size) = pages.unzip();
        Self { space: id.0, name: space.name().into_owned(), size: space.len(), file, inflated, pages_of, page_size }
    }
}

/// The DLL or EXE.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "image"))]
pub(in super::super) struct ImageJson {
    /// File name.
    name: String,
    /// Number of its space.
    space: u32,
    /// Machine type of the COFF header.
    machine: u16,
    /// True if it has CLI metadata.
    managed: bool,
    /// Module version id.
    mvid: Option<Guid>,
}

impl ImageJson {
    pub(in super::super) fn of(image: &Image) -> Self {
        Self {
            name: image.name.clone(),
            space: image.space.0,
            machine: image.pe.coff.machine,
            managed: image.metadata.is_some(),
            mvid: image.mvid(),
        }
    }
}

/// Entry of the debug directory with its decoded payload.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "debug_entry"))]
pub(in super::super) struct DebugEntryJson {
    r#type: u32,
    /// Name of the type.
    name: &'static str,
    characteristics: u32,
    stamp: u32,
    major: u16,
    minor: u16,
    /// Bytes of the payload.
    size: u32,
    /// RVA of the payload; 0 where it is not loaded.
    rva: u32,
    /// File offset of the payload.
    pointer: u32,
    span: Span,
    /// Bytes of the payload, if they are in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<Span>,
    #[serde(flatten)]
    content: DebugEntrySummary,
}

impl DebugEntryJson {
    pub(in super::super) fn all(spaces: &Spaces, image: &Image) -> Vec<Self> {
        let entries = image.pe.debug.iter();
        entries
            .map(|entry| Self {
                r#type: entry.header.kind,
                name: entry.name(),
                characteristics: entry.header.characteristics,
                stamp: entry.header.time_date_stamp,
                major: entry.header.major_version,
                minor: entry.header.minor_version,
                size: entry.header.size_of_data,
                rva: entry.header.address_of_raw_data,
                pointer: entry.header.pointer_to_raw_data,
                span: entry.header.span,
                payload: entry.data,
                content: DebugEntrySummary::of(spaces, entry),
            })
            .collect()
    }
}

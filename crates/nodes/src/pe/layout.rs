//! Layout of an image: method bodies, and the regions between and around them.

use crate::lazy_index::{IndexKind, LazyIndex, is_cached};
use crate::place::{PePart, Place};
use crate::regions::{self, FileRegion};
use pdblens_formats::bytes::Space;
use pdblens_formats::metadata::{Metadata, TableId};
use pdblens_session::session::{Image, Session};
use std::sync::OnceLock;

#[derive(Debug, Default)]
pub(crate) struct ImageLayout {
    /// File offset of each body below 4 GB and the row of its method, in the order of the file.
    pub(crate) bodies: Vec<(u32, u32)>,
    /// Regions from the first byte of the image to its last.
    pub(crate) regions: Vec<FileRegion>,
}

#[derive(Debug, Default)]
struct OpenLayout(OnceLock<ImageLayout>);

static LAYOUT: IndexKind = IndexKind {
    name: |_| "method bodies".to_owned(),
    size: |session, _| {
        let image = session.image().and_then(|image| session.spaces().get(image.space));
        image.map_or(0, Space::len)
    },
    is_built: |session, _| session.cache().get::<OpenLayout>().0.get().is_some(),
    build: |session, _| _ = ImageLayout::of(session),
    is_optional: false,
};

pub const fn layout_index() -> LazyIndex {
    LAYOUT.of(Place::Pe)
}

/// File offset of each body below 4 GB and the row of its method, in the order of the rows.
fn bodies<'s>(image: &'s Image, metadata: &'s Metadata) -> impl Iterator<Item = (u32, u32)> + 's {
    let methods = metadata.table(TableId::METHOD_DEF);
    let addresses = methods.column(0);
    let offset = move |row| image.pe.rva_to_offset(addresses.get(row).filter(|rva| *rva > 0)?);
    (1..=methods.rows()).filter_map(move |row| Some((u32::try_from(offset(row)?).ok()?, row)))
}

/// Rows of the methods that share the last body that begins at or before a file offset, in their order. As long as the layout was not
/// made, all methods are looked at for it.
pub(crate) fn body_before(session: &Session, at: u64) -> Option<Vec<u32>> {
    if is_cached(session, layout_index()) {
        let bodies = &ImageLayout::of(session).bodies;
        let behind = bodies.get(..bodies.partition_point(|(begin, _)| u64::from(*begin) <= at))?;
        let (begin, _) = *behind.last()?;
        let first = behind.partition_point(|(other, _)| *other < begin);
        return Some(behind.get(first..)?.iter().map(|(_, row)| *row).collect());
    }
    let image = session.image()?;
    let mut found: Option<(u32, Vec<u32>)> = None;
    for (begin, row) in bodies(image, image.metadata.as_ref()?).filter(|(begin, _)| u64::from(*begin) <= at) {
        match &mut found {
            Some((best, _)) if *best > begin => {}
            Some((best, rows)) if *best == begin => rows.push(row),
            _ => found = Some((begin, vec![row])),
        }
    }
    found.map(|(_, rows)| rows)
}

impl ImageLayout {
    /// Layout of the open image; found once and kept.
    pub(crate) fn of(session: &Session) -> &Self {
        session.cache().get::<OpenLayout>().0.get_or_init(|| Self::new(session))
    }

    fn new(session: &Session) -> Self {
        let mut layout = Self::default();
        let Some(image) = session.image() else { return layout };
        if let Some(metadata) = &image.metadata {
            layout.bodies = bodies(image, metadata).collect();
            layout.bodies.sort_unstable();
            layout.bodies.shrink_to_fit();
        }
        let sections = regions::of_sections(session);
        layout.regions = regions::of_image(session);
        layout.regions.retain(|region| !matches!(region.place, Some(Place::PePart(PePart::Section(_)))));
        layout.regions.extend(sections.into_iter().flatten());
        layout.regions.sort_by_key(|region| region.span.start);
        layout
    }

    pub(crate) fn region_with(&self, at: u64) -> Option<&FileRegion> {
        let behind = self.regions.partition_point(|region| region.span.start <= at);
        self.regions.get(..behind)?.iter().rev().take(16).find(|region| region.span.contains(at))
    }
}

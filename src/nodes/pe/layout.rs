//! Layout of an image: method bodies, and the regions between and around them.

use crate::formats::metadata::TableId;
use crate::nodes::regions::{self, FileRegion};
use crate::nodes::{PePart, Place};
use crate::session::Session;

/// Bodies of all methods, and the regions of the image.
#[derive(Debug, Default)]
pub(crate) struct ImageLayout {
    /// File offset of each body and the row of its method, in the order of the file.
    pub(crate) bodies: Vec<(u64, u32)>,
    /// Regions from the first byte of the image to its last.
    regions: Vec<FileRegion>,
}

impl ImageLayout {
    /// Reads the addresses of all methods.
    pub fn new(session: &Session) -> Self {
        let mut layout = Self::default();
        let Some(image) = session.image() else { return layout };
        if let Some(metadata) = &image.metadata {
            let methods = metadata.table(TableId::METHOD_DEF);
            let addresses = methods.column(0);
            let offset = |row| image.pe.rva_to_offset(addresses.get(row).filter(|rva| *rva > 0)?);
            layout.bodies = (1..=methods.rows()).filter_map(|row| Some((offset(row)?, row))).collect();
            layout.bodies.sort_unstable();
        }
        let sections = regions::of_sections(session);
        layout.regions = regions::of_image(session);
        layout.regions.retain(|region| !matches!(region.place, Some(Place::PePart(PePart::Section(_)))));
        layout.regions.extend(sections.into_iter().flatten());
        layout.regions.sort_by_key(|region| region.span.start);
        layout
    }

    /// Regions of the image, sections cut into what is in them.
    pub fn regions(&self) -> &[FileRegion] {
        &self.regions
    }

    /// Region that has the byte at an offset.
    pub(crate) fn region_with(&self, at: u64) -> Option<&FileRegion> {
        let behind = self.regions.partition_point(|region| region.span.start <= at);
        self.regions.get(..behind)?.iter().rev().take(16).find(|region| region.span.contains(at))
    }
}

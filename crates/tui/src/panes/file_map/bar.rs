//! A bar in proportion: the regions of an image, a section or a stream.

use crate::ui::segment_bar::Segment;
use pdblens_formats::bytes::Span;
use pdblens_nodes::Place;
use pdblens_nodes::regions::{FileRegion, FileRegionKind};

/// A bar of regions.
#[derive(Clone, Debug, Default)]
pub(super) struct Bar {
    /// Name of the whole.
    pub(super) of: String,
    pub(super) extents: Vec<FileRegion>,
    pub(super) segments: Vec<Segment>,
    pub(super) chosen: Option<usize>,
}

impl Bar {
    pub(super) fn new(of: String, extents: Vec<FileRegion>) -> Self {
        let segments = extents.iter().map(|extent| Segment {
            name: extent.name.clone(),
            at: format!("{:x}", extent.span.start),
            len: extent.span.len,
            gap: extent.kind == FileRegionKind::Gap,
        });
        Self { of, segments: segments.collect(), extents, chosen: None }
    }

    /// The region of a place, or the one that contains its bytes.
    pub(super) fn find(&self, place: Place, span: Option<Span>) -> Option<usize> {
        let named = self.extents.iter().position(|extent| extent.place == Some(place));
        let has =
            |extent: &FileRegion| span.is_some_and(|span| extent.span.covers(Span { len: span.len.min(1), ..span }));
        named.or_else(|| self.extents.iter().position(has))
    }

    pub(super) fn chosen(&self) -> Option<&FileRegion> {
        self.extents.get(self.chosen?)
    }

    pub(super) fn len(&self) -> u64 {
        self.extents.iter().map(|extent| extent.span.len).sum()
    }
}

//! Bytes that are no record: what they are within, what is beside them, whether there is anything in them.

use super::Facts;
use crate::bytes::Span;
use crate::nodes::Place;
use crate::nodes::fields::Fields;
use crate::nodes::lazy_index::Survey;
use crate::nodes::place::Side;
use crate::nodes::regions::Extent;
use crate::session::Session;

/// So many bytes are looked at to see whether they are all zero.
const LOOKED_AT: u64 = 1 << 16;

impl Session {
    /// A stretch of bytes.
    pub(crate) fn bytes_facts(&self, span: Span) -> Option<Fields> {
        let extents = self.extents_around(span);
        let at = extents.iter().position(|extent| extent.span.covers(Span { len: span.len.min(1), ..span }))?;
        let extent = extents.get(at)?;
        let within = self.within(span.space, span.start);
        let mut facts = Facts::new(format!("{} · {}", extent.name, within.name));
        facts.bytes(self, span);
        let parts = self.pieces_within(span);
        if parts > 0 {
            facts.fact("parts", parts).to(Place::Parts);
        }
        let looked = Span { len: span.len.min(LOOKED_AT), ..span };
        let bytes = self.spaces.read(looked).ok()?;
        match bytes.iter().position(|byte| *byte != 0) {
            None if looked == span => drop(facts.fact("content", "zeros")),
            None => drop(facts.fact("content", "zeros").mean(format!("in the first {LOOKED_AT} bytes"))),
            Some(0) => {}
            Some(at) => drop(facts.fact("content", "zeros").mean(format!("up to {:#x}", span.start + at as u64))),
        }
        let neighbour = |index: Option<usize>| index.and_then(|index| extents.get(index));
        for (name, found) in [("behind", neighbour(at.checked_sub(1))), ("before", neighbour(at.checked_add(1)))] {
            if let Some(found) = found {
                facts.fact(name, found.name.as_str()).to(found.place.unwrap_or(Place::Bytes(found.span)));
            }
        }
        facts.done()
    }

    /// The stretches that the file of `span` is cut into there, where that is known.
    fn extents_around(&self, span: Span) -> Vec<Extent> {
        for side in [Side::Image, Side::Pdb] {
            if self.metadata_of(side).is_some_and(|found| found.root.region.span().covers(span)) {
                return self.metadata_extents(side);
            }
        }
        let is_image = self.image.as_ref().is_some_and(|image| image.space == span.space);
        match is_image {
            true if self.is_at_hand(Survey::Layout) => self.layout().extents().to_vec(),
            true => self.image_extents(),
            false if self.mdb().is_some() => self.mono_extents(),
            false => Vec::new(),
        }
    }
}

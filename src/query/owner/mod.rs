//! Whose a byte is: from a byte of a file, or of what was derived from one, back to what stands there.
//!
//! Headers, rows and records know their bytes; this is the way back. Everything is found by its address: tables by their
//! layout, entries, bodies and records by a search in what a [`Survey`] found. Where that was not made yet the answer is
//! coarser, and says what it needs.

mod functions;
mod image;
mod metadata;
mod methods;
mod mono;
mod streams;
mod within;

pub(crate) use image::Layout;
pub use within::Within;

use crate::bytes::{Space, SpaceId, Span};
use crate::formats::metadata::Token;
use crate::nodes::Place;
use crate::nodes::lazy_index::Survey;
use crate::nodes::place::Side;
use crate::session::Session;

/// Something that has a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// What.
    pub place: Place,
    /// Its bytes there.
    pub span: Span,
}

/// Whose a byte is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whose {
    /// The byte, as what has it counts: a byte of a page is one of the stream that the page belongs to.
    pub byte: Span,
    /// What has it, the smallest first: one at least where there is such a byte.
    pub holders: Vec<Holder>,
    /// What has to be surveyed for a better answer.
    pub needs: Option<Survey>,
}

/// A byte whose holders are looked for.
struct Search<'s> {
    session: &'s Session,
    /// Of methods that share a body or points, the one that is meant.
    near: Option<Token>,
    byte: Span,
    holders: Vec<Holder>,
    needs: Option<Survey>,
}

impl Session {
    /// Whose the byte at `offset` of a space is; of methods that share it `near` is meant.
    pub fn whose(&self, space: SpaceId, offset: u64, near: Option<Token>) -> Whose {
        let len = self.spaces.get(space).map_or(0, Space::len);
        let byte = Span::new(space, offset, 1);
        if offset >= len {
            return Whose::default();
        }
        let mut search = Search { session: self, near, byte, holders: Vec::new(), needs: None };
        search.all();
        if search.holders.is_empty() {
            search.add(Place::Bytes(search.byte), search.byte);
        }
        // What was found first is what is meant where several have the same bytes.
        search.holders.sort_by_key(|holder| holder.span.len);
        Whose { byte: search.byte, holders: search.holders, needs: search.needs }
    }
}

impl Search<'_> {
    fn all(&mut self) {
        let session = self.session;
        if session.image.as_ref().is_some_and(|image| image.space == self.byte.space) {
            return self.in_image();
        }
        if session.pdb().is_some() {
            return self.in_msf();
        }
        if session.metadata_of(Side::Pdb).is_some_and(|found| found.root.region.span().covers(self.byte)) {
            return self.in_metadata(Side::Pdb);
        }
        if !self.in_mono() {
            self.in_header();
        }
    }

    /// Adds what has the byte.
    fn add(&mut self, place: Place, span: Span) {
        if span.covers(self.byte) {
            self.holders.push(Holder { place, span });
        }
    }

    /// Whether a survey can be asked; where not, it is what a better answer needs.
    fn can_ask(&mut self, survey: Survey) -> bool {
        let can = self.session.is_at_hand(survey);
        if !can {
            self.needs = self.needs.or(Some(survey));
        }
        can
    }

    /// What a file of which only the header is read begins with, and the rest of it.
    fn in_header(&mut self) {
        let Some(file) = self.session.symbols.as_ref().filter(|file| file.space == self.byte.space) else { return };
        let len = self.session.spaces.get(file.space).map_or(0, Space::len);
        let header = self.session.bytes_of(Place::Header).unwrap_or_default();
        self.add(Place::Header, header);
        let rest = Span::new(file.space, header.end(), len.saturating_sub(header.end()));
        self.add(Place::Bytes(rest), rest);
    }
}

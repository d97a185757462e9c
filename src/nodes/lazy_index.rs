//! What takes a look at all of something: at a heap, at a stream, at the bodies of all methods. It is taken once, when it is
//! first needed, and kept.
//!
//! Whoever asks for what needs one waits for it. Who cannot wait, as the screens, asks first whether there would be something to
//! wait for ([`Session::needs`]) and has the look taken elsewhere ([`Session::survey`]).

use std::fmt;
use std::sync::OnceLock;

use super::Place;
use super::listing;
use super::pdb::StreamParts;
use super::place::Side;
use crate::bytes::Space;
use crate::formats::mdb::Members;
use crate::formats::metadata::Heap;
use crate::formats::pdb::streams;
use crate::nodes::heap_refs::HeapIndex;
use crate::nodes::mdb;
use crate::nodes::mdb::Piece;
use crate::query::owner::Layout;
use crate::session::Session;
use crate::symbols::Symbols;

/// Up to so many bytes are looked at while somebody waits.
const AT_ONCE: u64 = 1 << 20;

/// A look at all of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Survey {
    /// Where the entries of a heap begin.
    Entries(Side, Heap),
    /// Who uses them.
    Users(Side, Heap),
    /// What a stream of a Windows PDB is made of.
    Stream(u32),
    /// Whose the pages of an MSF file are.
    Pages,
    /// Functions, types and symbols of a Windows PDB.
    Symbols,
    /// Where in the image the bodies of all methods are, and what lies between them.
    Layout,
    /// What a Mono symbol file is made of.
    Pieces,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Surveys {
    pub heaps: HeapIndex,
    pub streams: StreamParts,
    /// The first pages of stretches that are one piece of one thing.
    pages: OnceLock<Vec<u32>>,
    symbols: OnceLock<()>,
    layout: OnceLock<Layout>,
    /// Documents, each with a method that has code in it; in this order.
    pub written: OnceLock<Vec<(u32, u32)>>,
    pieces: OnceLock<Vec<Piece>>,
}

impl fmt::Display for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entries(_, heap) => f.write_str(heap.stream()),
            Self::Users(_, heap) => write!(f, "who uses {}", heap.stream()),
            Self::Stream(number) => write!(f, "stream {number}"),
            Self::Pages => f.write_str("whose the pages are"),
            Self::Symbols => f.write_str("functions, types and symbols"),
            Self::Layout => f.write_str("where the bodies of methods are"),
            Self::Pieces => f.write_str("what the symbol file is made of"),
        }
    }
}

impl Session {
    /// What a list or a record at `place` would have to wait for: nothing where it is known, or takes no time that is felt.
    pub fn needs(&self, place: Place) -> Option<Survey> {
        let wanted = match place {
            Place::Heap(side, heap) => [Some(Survey::Entries(side, heap)), Some(Survey::Users(side, heap))],
            Place::HeapEntry(side, Heap::Blobs, _) => [Some(Survey::Users(side, Heap::Blobs)), None],
            Place::Stream(number) | Place::Record(number, _) => [Some(Survey::Stream(number)), None],
            Place::Module(number) => {
                let stream = self.pdb().and_then(|view| view.pdb.modules().get(number as usize)?.stream());
                [Some(Survey::Stream(streams::DBI)), stream.map(Survey::Stream)]
            }
            Place::Parts | Place::Part(_) | Place::Mdb(_) | Place::MdbRow(..) if self.has_parts() => {
                [Some(Survey::Pieces), None]
            }
            Place::Pages | Place::Page(_) | Place::Streams => [Some(Survey::Pages), None],
            Place::Publics | Place::Globals => [Some(Survey::Symbols), None],
            place if place.is_of_native_code() => [Some(Survey::Symbols), None],
            _ => [None; 2],
        };
        wanted.into_iter().flatten().find(|survey| !self.is_at_hand(*survey))
    }

    /// Whether a survey was made, or can be made while somebody waits.
    pub(crate) fn is_at_hand(&self, survey: Survey) -> bool {
        let space = |id| self.spaces.get(id).map_or(0, Space::len);
        let size = match survey {
            Survey::Entries(side, heap) => self.metadata_of(side).map_or(0, |found| found.heaps.get(heap).len()),
            Survey::Users(side, _) => self.metadata_of(side).map_or(0, |found| found.root.region.len()),
            Survey::Stream(number) => {
                self.pdb().and_then(|view| view.pdb.msf.stream(number)).map_or(0, |stream| space(stream.space))
            }
            // A page takes as long as some of its bytes would.
            Survey::Pages => self.pdb().map_or(0, |view| u64::from(view.pdb.msf.file_pages()) * 32),
            Survey::Symbols => self.pdb().map_or(0, |view| space(view.pdb.msf.file)),
            Survey::Layout => self.image.as_ref().map_or(0, |image| space(image.space)),
            Survey::Pieces => self.symbols.as_ref().map_or(0, |file| space(file.space)),
        };
        let known = || match survey {
            Survey::Entries(side, heap) => self.surveys.heaps.has_entries(side, heap),
            Survey::Users(side, heap) => self.surveys.heaps.has_users(side, heap),
            Survey::Stream(number) => self.surveys.streams.has(number),
            Survey::Pages => self.surveys.pages.get().is_some(),
            Survey::Symbols => self.surveys.symbols.get().is_some(),
            Survey::Layout => self.surveys.layout.get().is_some(),
            Survey::Pieces => self.surveys.pieces.get().is_some(),
        };
        size <= AT_ONCE || known()
    }

    /// Takes the look, if it was not taken before.
    pub fn survey(&self, survey: Survey) {
        match survey {
            Survey::Entries(side, heap) => _ = self.heap_entries(side, heap),
            Survey::Users(side, heap) => _ = self.users_of(side, heap, 0),
            Survey::Stream(number) => _ = self.pdb().map(|view| view.parts(number)),
            Survey::Pages => _ = self.page_runs(),
            Survey::Symbols => {
                _ = self.symbols().and_then(Symbols::globals);
                if let Some(native) = self.native() {
                    native.read_all();
                }
                _ = self.surveys.symbols.set(());
            }
            Survey::Layout => _ = self.layout(),
            Survey::Pieces => {
                _ = self.pieces();
                _ = self.mdb().map(|mdb| mdb.count(Members::Points));
            }
        }
    }

    /// The first page of each stretch of pages that are one piece of one thing.
    pub(crate) fn page_runs(&self) -> &[u32] {
        self.surveys.pages.get_or_init(|| self.pdb().map_or_else(Vec::new, |view| listing::page_runs(&view)))
    }

    /// The pieces of a Mono symbol file, in its order.
    pub(crate) fn pieces(&self) -> &[Piece] {
        self.surveys.pieces.get_or_init(|| self.symbols().and_then(Symbols::mdb).map_or_else(Vec::new, mdb::pieces))
    }

    /// Where the bodies of all methods are.
    pub(crate) fn layout(&self) -> &Layout {
        self.surveys.layout.get_or_init(|| Layout::new(self))
    }
}

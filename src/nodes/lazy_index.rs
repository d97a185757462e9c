//! Indexes that take a look at all of something: a heap, a stream, the bodies of all methods. Each is made once, when it is
//! first needed, and kept.
//!
//! Whoever asks for what needs one waits for it. Who cannot wait, as the screens, asks first whether there would be something to
//! wait for (`required_index`) and has the look taken elsewhere (`build_index`).

use super::stream::StreamParts;
use super::{Side, msf};
use crate::bytes::Space;
use crate::formats::mdb::Members;
use crate::formats::metadata::Heap;
use crate::nodes::function::NativeView;
use crate::nodes::heap::refs;
use crate::nodes::heap::refs::HeapIndex;
use crate::nodes::mdb;
use crate::nodes::mdb::MdbRegion;
use crate::nodes::pe::layout::ImageLayout;
use crate::nodes::stream::PdbView;
use crate::session::Session;
use std::fmt;
use std::sync::OnceLock;

/// Up to so many bytes are looked at while somebody waits.
const SYNC_LIMIT: u64 = 1 << 20;

/// A look at all of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LazyIndex {
    /// Offsets of the entries of a heap.
    HeapEntries(Side, Heap),
    /// Who uses them.
    HeapRefs(Side, Heap),
    /// Records of a stream of a Windows PDB.
    Stream(u32),
    /// Owners of the pages of an MSF file.
    Pages,
    /// Functions, types and symbols of a Windows PDB.
    Symbols,
    /// Bodies of all methods in the image, and what lies between them.
    MethodBodies,
    /// Regions of a `.mdb`.
    MdbRegions,
}

/// Indexes that were made, kept in the cache of the session.
#[derive(Debug, Default)]
pub(crate) struct LazyIndexes {
    pub heaps: HeapIndex,
    pub streams: StreamParts,
    /// The first pages of stretches that are one piece of one thing.
    pages: OnceLock<Vec<u32>>,
    symbols: OnceLock<()>,
    layout: OnceLock<ImageLayout>,
    regions: OnceLock<Vec<MdbRegion>>,
}

impl LazyIndexes {
    /// Indexes of a session, which are empty when they are first asked for.
    pub(crate) fn of(session: &Session) -> &Self {
        session.cache().get()
    }
}

impl fmt::Display for LazyIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HeapEntries(_, heap) => f.write_str(heap.stream()),
            Self::HeapRefs(_, heap) => write!(f, "references to {}", heap.stream()),
            Self::Stream(number) => write!(f, "stream {number}"),
            Self::Pages => f.write_str("page owners"),
            Self::Symbols => f.write_str("functions, types and symbols"),
            Self::MethodBodies => f.write_str("method bodies"),
            Self::MdbRegions => f.write_str("regions of the symbol file"),
        }
    }
}

/// Returns whether an index is built, or small enough to be built while the caller waits.
pub(crate) fn is_cached(session: &Session, index: LazyIndex) -> bool {
    let space = |id| session.spaces().get(id).map_or(0, Space::len);
    let size = match index {
        LazyIndex::HeapEntries(side, heap) => side.metadata(session).map_or(0, |found| found.heaps.get(heap).len()),
        LazyIndex::HeapRefs(side, _) => side.metadata(session).map_or(0, |found| found.root.region.len()),
        LazyIndex::Stream(number) => {
            PdbView::of(session).and_then(|view| view.pdb.msf.stream(number)).map_or(0, |stream| space(stream.space))
        }
        // A page takes as long as some of its bytes would.
        LazyIndex::Pages => PdbView::of(session).map_or(0, |view| u64::from(view.pdb.msf.file_pages()) * 32),
        LazyIndex::Symbols => PdbView::of(session).map_or(0, |view| space(view.pdb.msf.file)),
        LazyIndex::MethodBodies => session.image().map_or(0, |image| space(image.space)),
        LazyIndex::MdbRegions => session.symbol_file().map_or(0, |file| space(file.space)),
    };
    let known = || match index {
        LazyIndex::HeapEntries(side, heap) => LazyIndexes::of(session).heaps.has_entries(side, heap),
        LazyIndex::HeapRefs(side, heap) => LazyIndexes::of(session).heaps.has_refs(side, heap),
        LazyIndex::Stream(number) => LazyIndexes::of(session).streams.has(number),
        LazyIndex::Pages => LazyIndexes::of(session).pages.get().is_some(),
        LazyIndex::Symbols => LazyIndexes::of(session).symbols.get().is_some(),
        LazyIndex::MethodBodies => LazyIndexes::of(session).layout.get().is_some(),
        LazyIndex::MdbRegions => LazyIndexes::of(session).regions.get().is_some(),
    };
    size <= SYNC_LIMIT || known()
}

/// Takes the look, if it was not taken before.
pub fn build_index(session: &Session, index: LazyIndex) {
    match index {
        LazyIndex::HeapEntries(side, heap) => _ = refs::entries(session, side, heap),
        LazyIndex::HeapRefs(side, heap) => _ = refs::of_entry(session, side, heap, 0),
        LazyIndex::Stream(number) => _ = PdbView::of(session).map(|view| view.parts(number)),
        LazyIndex::Pages => _ = page_runs(session),
        LazyIndex::Symbols => {
            _ = session.symbol_file().and_then(|file| file.content.globals());
            if let Some(native) = NativeView::of(session) {
                native.read_all();
            }
            _ = LazyIndexes::of(session).symbols.set(());
        }
        LazyIndex::MethodBodies => _ = layout(session),
        LazyIndex::MdbRegions => {
            _ = mdb_regions(session);
            _ = session.mdb().map(|mdb| mdb.count(Members::Points));
        }
    }
}

/// The first page of each stretch of pages that are one piece of one thing.
pub(crate) fn page_runs(session: &Session) -> &[u32] {
    LazyIndexes::of(session)
        .pages
        .get_or_init(|| PdbView::of(session).map_or_else(Vec::new, |view| msf::page_runs(&view)))
}

/// The regions of a Mono symbol file, in its order.
pub(crate) fn mdb_regions(session: &Session) -> &[MdbRegion] {
    LazyIndexes::of(session).regions.get_or_init(|| session.mdb().map_or_else(Vec::new, mdb::regions))
}

/// Layout of the image.
pub(crate) fn layout(session: &Session) -> &ImageLayout {
    LazyIndexes::of(session).layout.get_or_init(|| ImageLayout::new(session))
}

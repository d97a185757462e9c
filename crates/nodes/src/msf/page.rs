//! Pages of an MSF file, field by field: free page maps bit by bit, the block map, the content of all others.

use super::owner_text;
use crate::fields::{BitMeaning, Fields, Meaning};
use crate::place::Place;
use crate::stream::PdbView;
use pdblens_formats::bytes::{Cursor, Field, Recording, Result, Slice, Space, Span, fields};
use pdblens_formats::msf::{Directory, Owner, PageUse};
use pdblens_session::session::Session;
use pdblens_session::text::safe::count;

fields! {
    /// A page (block) of the file, the unit in which streams are stored.
    PAGE: "page";
    /// The part of its owner that the page holds.
    PAGE_CONTENT: "content";
    /// Bytes after the end of the stream: old content, or zeros.
    PAGE_UNUSED: "unused";
    /// A free page map: one bit for each page of the file, the lowest bit first.
    FREE_PAGE_MAP: "free page map";
    /// Eight pages of the file, one bit each: 1 if the page is free, 0 if it is in use.
    EIGHT_PAGES: "pages" as Hex;
    /// Bits for pages that the file does not have.
    NO_PAGES: "past the last page";
    /// The directory's block map: the pages of the stream directory, in order.
    BLOCK_MAP: "block map";
    /// Free pages so far.
    STATE_FREE: "free pages";
    /// Pages so far.
    STATE_PAGES: "pages";
    /// Offset in the directory that the page begins at.
    STATE_OFFSET: "directory offset" as Hex;
}

pub(super) fn explain_page(session: &Session, number: u32) -> Option<Fields> {
    let view = PdbView::of(session)?;
    let msf = &view.pdb.msf;
    let (map, page_size) = (msf.page_map(view.spaces), u64::from(msf.page_size()));
    let start = u64::from(number) * page_size;
    if number as usize >= map.len() {
        return None;
    }
    let len = session.spaces().get(msf.file)?.len().checked_sub(start)?;
    let span = Span::new(msf.file, start, len.min(page_size));
    let owner = map.owner(msf, number);
    let (text, from, to) = owner_text(&view, owner);
    let free = if map.is_free(number) { "marked free" } else { "marked in use" };
    let bytes = session.spaces().read(span).ok()?;
    let slice = Slice::new(&bytes, msf.file, start);
    let title = format!("page {number} · {text}, {free}");
    match owner {
        Owner::Unique(PageUse::FreePageMap { from, .. }) => return Some(free_pages(&view, title, slice, from)),
        Owner::Unique(PageUse::PageList { from }) => return Some(block_map(&view, title, slice, from)),
        _ => {}
    }
    // Nothing owns what follows the end of a stream on its last page.
    let used = match to {
        Some(Place::Stream(stream)) => view.span(stream)?.len.saturating_sub(from.unwrap_or(0)).min(span.len),
        Some(Place::Directory) => directory_len(&view).saturating_sub(from.unwrap_or(0)).min(span.len),
        _ => span.len,
    };
    let decode = |c: &mut Cursor<'_, Recording>| {
        c.group(&PAGE, |c| {
            c.bytes(&PAGE_CONTENT, used)?;
            unused(c)
        })
    };
    Some(Fields::explain(title, slice, decode, |_, field| {
        if field.name() != "content" {
            return None;
        }
        Some(Meaning::to(from.map_or(text.clone(), |from| format!("{text}, offset {from:#x}")), to?))
    }))
}

fn unused(c: &mut Cursor<'_, Recording>) -> Result<()> {
    if c.is_done() { Ok(()) } else { c.bytes(&PAGE_UNUSED, c.left()).map(drop) }
}

fn directory_len(view: &PdbView<'_>) -> u64 {
    view.spaces.get(view.pdb.msf.directory).map_or(0, Space::len)
}

/// A page of a free page map that begins at byte `from` of the map: each byte has the bits of eight pages.
fn free_pages(view: &PdbView<'_>, title: String, slice: Slice<'_>, from: u64) -> Fields {
    let msf = &view.pdb.msf;
    let map = msf.page_map(view.spaces);
    let pages = map.len() as u64;
    let with_pages = pages.div_ceil(8).saturating_sub(from).min(slice.len());
    let decode = |c: &mut Cursor<'_, Recording>| {
        c.group(&FREE_PAGE_MAP, |c| {
            let (mut free, mut seen) = (0_i64, (from * 8).cast_signed());
            for index in 0..with_pages {
                let bits = (pages - (from + index) * 8).min(8);
                let byte = c.u8(&EIGHT_PAGES)?;
                let set = i64::from((u16::from(byte) & !(u16::MAX << bits)).count_ones());
                c.changed(&STATE_PAGES, seen, seen + bits.cast_signed());
                c.changed(&STATE_FREE, free, free + set);
                (seen, free) = (seen + bits.cast_signed(), free + set);
            }
            if c.is_done() { Ok(()) } else { c.bytes(&NO_PAGES, c.left()).map(drop) }
        })
    };
    let meaning = |_: &str, field: &Field| {
        let byte = field.value.number()? as u32;
        let first = (from + field.span.start - slice.start) as u32 * 8;
        let last = (pages as u32).min(first + 8);
        let bits: Vec<BitMeaning> = (first..last)
            .map(|page| {
                let (owner, _, _) = owner_text(view, map.owner(msf, page));
                let state = if byte >> (page - first) & 1 == 1 { "free" } else { "in use" };
                let owner = if owner == state { String::new() } else { format!(" · {owner}") };
                let text = format!("page {page}: {state}{owner}");
                BitMeaning { mask: 1 << (page - first), text, to: Some(Place::Page(page)) }
            })
            .collect();
        let free = bits.iter().filter(|bit| u64::from(byte) & bit.mask != 0).count();
        let text = format!("pages {first}–{}: {free} free", last - 1);
        Some(Meaning::text(text).with_bits(bits))
    };
    Fields::explain(title, slice, decode, meaning)
}

/// A page of the block map that begins at byte `from` of it: the numbers of the directory's pages.
fn block_map(view: &PdbView<'_>, title: String, slice: Slice<'_>, from: u64) -> Fields {
    let msf = &view.pdb.msf;
    let (page_size, directory) = (u64::from(msf.page_size()), directory_len(view));
    let len = view.spaces.get(msf.page_list).map_or(0, Space::len).saturating_sub(from).min(slice.len());
    let decode = |c: &mut Cursor<'_, Recording>| {
        c.group(&BLOCK_MAP, |c| {
            for index in 0..len / 4 {
                c.u32(&Directory::DIRECTORY_PAGE)?;
                let offset = (from / 4 + index) * page_size;
                c.changed(&STATE_OFFSET, None, offset.cast_signed());
            }
            unused(c)
        })
    };
    Fields::explain(title, slice, decode, |_, field| {
        let number = field.value.number()? as u32;
        let at = (from / 4 + (field.span.start - slice.start) / 4) * page_size;
        let text = format!("directory offset {at:#x}, {}", count(directory.saturating_sub(at).min(page_size), "byte"));
        Some(Meaning::to(text, Place::Page(number)))
    })
}

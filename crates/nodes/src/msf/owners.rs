//! Pages and headers that own a byte of a symbol file.

use super::pages_index;
use crate as nodes;
use crate::Place;
use crate::owner::OwnerSearch;
use crate::stream::PdbView;
use pdblens_formats::bytes::{Space, Span};

/// Turns a byte of a page into that of the stream that the page belongs to; adds the page, where it belongs to none.
pub(super) fn page_with(search: &mut OwnerSearch<'_>) {
    if search.is_in_image() {
        return;
    }
    let Some(view) = PdbView::of(search.session) else { return };
    let msf = &view.pdb.msf;
    if search.byte.space != msf.file {
        if search.byte.space == msf.directory || msf.stream_of(search.byte.space).is_some() {
            return;
        }
        // A page list or a free page map: its page.
        search.byte = search.session.spaces().resolve(search.byte).first().map_or(search.byte, |piece| piece.span);
    }
    let page_size = u64::from(msf.page_size());
    let Some(page) = search.byte.start.checked_div(page_size).and_then(|page| u32::try_from(page).ok()) else {
        return;
    };
    if page == 0 {
        search.add(Place::Header, nodes::bytes(search.session, Place::Header).unwrap_or_default());
    }
    let known = search.has_index(pages_index());
    let byte = known.then(|| msf.place_of(view.spaces, search.byte.start)).flatten();
    let of_stream = byte.filter(|byte| byte.space == msf.directory || msf.stream_of(byte.space).is_some());
    if let Some(byte) = of_stream {
        search.byte = byte;
    } else {
        let len = search.session.spaces().get(msf.file).map_or(0, Space::len);
        let start = u64::from(page).saturating_mul(page_size);
        search.add(Place::Page(page), Span::new(msf.file, start, page_size.min(len.saturating_sub(start))));
    }
}

/// Adds the header, or the rest of a file of which only the header is decoded.
pub(super) fn header_or_rest(search: &mut OwnerSearch<'_>) {
    let file = search.session.symbol_file().filter(|file| file.space == search.byte.space);
    let Some(file) = file else { return };
    if PdbView::of(search.session).is_some() {
        return;
    }
    let len = search.session.spaces().get(file.space).map_or(0, Space::len);
    let header = nodes::bytes(search.session, Place::Header).unwrap_or_default();
    search.add(Place::Header, header);
    let rest = Span::new(file.space, header.end(), len.saturating_sub(header.end()));
    search.add(Place::Bytes(rest), rest);
}

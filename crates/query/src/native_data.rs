//! Addresses of a native image that are in no code: the bytes there, and the symbol that they follow.

use crate::address::AddressError;
use crate::owner::{owner_at, within};
use pdblens_nodes::Place;
use pdblens_nodes::function::address::parse_address;
use pdblens_nodes::function::{NativeView, NearestSymbol};
use pdblens_session::session::Session;

/// A place, and what is said of it.
type Told = Result<(Place, String), AddressError>;

/// Flags of a section of code: it has code, or it is executable.
const CODE_OR_EXECUTE: u32 = 0x2000_0020;

/// An address of a native image in a section without code, as debuggers write it.
pub(crate) fn named(session: &Session, typed: &str) -> Option<Told> {
    let native = NativeView::of(session)?;
    data_at(session, native, parse_address(session, native, typed)?.ok()?)
}

/// The bytes at an address in a section without code, with the public symbol that they follow; without an image, that symbol.
pub(crate) fn data_at(session: &Session, native: NativeView<'_>, rva: u32) -> Option<Told> {
    let addresses = native.addresses();
    let section = addresses.section_offset(rva).map(|(section, _)| section);
    let header = section.and_then(|section| addresses.named().get(usize::from(section).checked_sub(1)?));
    let is_code = header.is_some_and(|header| header.characteristics & CODE_OR_EXECUTE != 0);
    if is_code || native.function_at(rva).is_some() {
        return None;
    }
    let symbol = native.nearest(rva);
    let in_file = session.image().and_then(|image| Some((image, image.pe.rva_to_offset(rva)?)));
    let Some((image, offset)) = in_file else {
        let section = section?;
        return Some(match symbol {
            Some(symbol) => Ok((symbol.place, symbol.text())),
            None => Err(format!(
                "{rva:#x} is in section {section}, in memory that is filled with zeros: the file has no bytes for it"
            )
            .into()),
        });
    };
    let owner = owner_at(session, image.space, offset, None).owners.into_iter().next()?;
    let at = format!("{} at file offset {offset:#x}", within(session, image.space, offset).name);
    let name = symbol.as_ref().map(NearestSymbol::text);
    Some(Ok((owner.place, name.into_iter().chain([at]).collect::<Vec<_>>().join(", "))))
}

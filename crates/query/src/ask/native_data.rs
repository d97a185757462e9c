//! Addresses of a native image: of its code, and of the data between.

use super::{Address, AddressError, Answer, Here, Parsed, code_at};
use crate::address::offset_at;
use crate::owner::{owner_at, within};
use pdblens_nodes::function::address::{parse_address, rva_of};
use pdblens_nodes::function::{NativeView, NearestSymbol};
use pdblens_session::session::Session;

/// Flags of a section of code: it has code, or it is executable.
const CODE_OR_EXECUTE: u32 = 0x2000_0020;

/// The place of an address of the image.
pub(super) fn at(session: &Session, native: NativeView<'_>, address: u64) -> Answer {
    let rva = rva_of(session, address).map_err(|why| AddressError::from(why.text))?;
    data_at(session, native, rva).unwrap_or_else(|| Ok(code_at(session, offset_at(native, rva)?, "")))
}

/// An address of a native image in a section without code, as debuggers write it.
pub(super) fn data(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    let native = NativeView::of(session)?;
    let found = data_at(session, native, parse_address(session, native, typed)?.ok()?)?;
    Some(found.map(|(place, said)| (Address::Place(place), said)))
}

/// The bytes at an address in a section without code, with the public symbol that they follow; without an image, that symbol.
fn data_at(session: &Session, native: NativeView<'_>, rva: u32) -> Option<Answer> {
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

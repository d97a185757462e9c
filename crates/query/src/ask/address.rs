//! Addresses of an image: an RVA, or a virtual address, which begins with the base of the image.

use super::{Address, AddressError, Answer, Here, Parsed, code_at};
use crate::address::offset_at;
use crate::native_data;
use crate::owner::owner_at;
use pdblens_nodes::code_unit;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::function::address::rva_of;
use pdblens_session::session::{Image, Session};

/// The place of an address of the image: relative to it, or in memory at its preferred base.
pub(crate) fn at_address(session: &Session, address: u64) -> Option<Answer> {
    let Some(native) = NativeView::of(session) else {
        return Some(in_image(session, session.image()?, address));
    };
    let rva = match rva_of(session, address) {
        Ok(rva) => rva,
        Err(why) => return Some(Err(why.text.into())),
    };
    native_data::data_at(session, native, rva).or_else(|| {
        let code = offset_at(native, rva).map(|query| code_at(session, query, ""));
        Some(code.map_err(AddressError::from))
    })
}

/// An address of a native image in a section without code, as debuggers write it.
pub(super) fn data(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    Some(native_data::named(session, typed)?.map(|(place, said)| (Address::Place(place), said)))
}

/// The owner of the byte at an address, `0x2050` or `00402050`. Native code has notations of its own.
pub(super) fn address(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    // A virtual address has 16 digits at most.
    let digits = typed.strip_prefix("0x")?.replace('`', "");
    if digits.len() > 16 || code_unit::words(session).is_addressed {
        return None;
    }
    let value = u64::from_str_radix(&digits, 16).ok()?;
    Some(in_image(session, session.image()?, value).map(|(place, said)| (Address::Place(place), said)))
}

fn in_image(session: &Session, image: &Image, address: u64) -> Answer {
    let base = image.pe.image_base();
    let rva = u32::try_from(if address >= base && base > 0 { address - base } else { address });
    let offset = rva.ok().and_then(|rva| image.pe.rva_to_offset(rva));
    let owner = offset.and_then(|offset| {
        let owner = owner_at(session, image.space, offset, None).owners.into_iter().next()?;
        Some((owner.place, format!("{} at file offset {offset:#x}", image.name)))
    });
    owner.ok_or_else(|| {
        format!(
            "no section of {} has the address {address:#x} · tip: an offset of the file is `file {address:#x}`",
            image.name
        )
        .into()
    })
}

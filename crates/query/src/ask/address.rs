//! Addresses of an image of IL: an RVA, or a virtual address, which begins with the base of the image.

use super::{Address, Answer, Here, Parsed, native_data};
use crate::owner::owner_at;
use pdblens_nodes::code_unit;
use pdblens_nodes::function::NativeView;
use pdblens_session::session::{Image, Session};

/// The place of an address of the image: relative to it, or in memory at its preferred base.
pub(crate) fn at_address(session: &Session, address: u64) -> Option<Answer> {
    match NativeView::of(session) {
        Some(native) => Some(native_data::at(session, native, address)),
        None => Some(in_image(session, session.image()?, address)),
    }
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

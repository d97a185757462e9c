//! Addresses of an image of IL: an RVA, or a virtual address, which begins with the base of the image.

use super::{Answer, Here};
use crate::nodes::function::NativeView;
use crate::query::owner::owner_at;
use crate::session::Session;

/// Digits of a virtual address at most.
const MAX_DIGITS: usize = 16;

/// The owner of the byte at an address, `0x2050` or `00402050`. Native code has notations of its own.
pub(super) fn address(session: &Session, typed: &str, _: Here) -> Option<Answer> {
    let digits = typed.strip_prefix("0x")?.replace('`', "");
    let value = u64::from_str_radix(&digits, 16).ok().filter(|_| digits.len() <= MAX_DIGITS)?;
    let image = session.image().filter(|_| NativeView::of(session).is_none())?;
    let base = image.pe.optional.map_or(0, |optional| optional.image_base);
    let rva = u32::try_from(if value >= base && base > 0 { value - base } else { value });
    let offset = rva.ok().and_then(|rva| image.pe.rva_to_offset(rva));
    let Some(offset) = offset else {
        return Some(Err(format!("no section of {} has the address {value:#x}", image.name)));
    };
    let owner = owner_at(session, image.space, offset, None).owners.into_iter().next()?;
    Some(Ok((owner.place, format!("{} at file offset {offset:#x}", image.name))))
}

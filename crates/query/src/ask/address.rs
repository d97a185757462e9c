//! Addresses of an image of IL: an RVA, or a virtual address, which begins with the base of the image; and of data in a native one.

use super::{Address, Here, Parsed};
use crate::owner::{owner_at, within};
use pdblens_nodes::function::NativeView;
use pdblens_nodes::function::NearestSymbol;
use pdblens_nodes::function::address::parse_address;
use pdblens_session::session::Session;

/// Digits of a virtual address at most.
const MAX_DIGITS: usize = 16;

/// An address of a native image in a section without code, as debuggers write it: the bytes there, with the public symbol that they
/// follow; without an image, that symbol.
pub(super) fn data(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    let native = NativeView::of(session)?;
    let rva = parse_address(session, native, typed)?.ok()?;
    if native.function_at(rva).is_some() || native.is_in_code_section(rva) {
        return None;
    }
    let symbol = native.nearest(rva);
    let name = symbol.as_ref().map(NearestSymbol::text);
    let in_file = session.image().and_then(|image| Some((image, image.pe.rva_to_offset(rva)?)));
    let Some((image, offset)) = in_file else {
        let (section, _) = native.section_offset(rva)?;
        let none = || {
            format!(
                "{rva:#x} is in section {section}, in memory that is filled with zeros: the file has no bytes for it"
            )
            .into()
        };
        return Some(symbol.map(|symbol| (Address::Place(symbol.place), symbol.text())).ok_or_else(none));
    };
    let owner = owner_at(session, image.space, offset, None).owners.into_iter().next()?;
    let at = format!("{} at file offset {offset:#x}", within(session, image.space, offset).name);
    Some(Ok((Address::Place(owner.place), name.into_iter().chain([at]).collect::<Vec<_>>().join(", "))))
}

/// The owner of the byte at an address, `0x2050` or `00402050`. Native code has notations of its own.
pub(super) fn address(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    let digits = typed.strip_prefix("0x")?.replace('`', "");
    let value = u64::from_str_radix(&digits, 16).ok().filter(|_| digits.len() <= MAX_DIGITS)?;
    let image = session.image().filter(|_| NativeView::of(session).is_none())?;
    let base = image.pe.image_base();
    let rva = u32::try_from(if value >= base && base > 0 { value - base } else { value });
    let offset = rva.ok().and_then(|rva| image.pe.rva_to_offset(rva));
    let Some(offset) = offset else {
        return Some(Err(format!(
            "no section of {} has the address {value:#x} · tip: an offset of the file is `file {value:#x}`",
            image.name
        )
        .into()));
    };
    let owner = owner_at(session, image.space, offset, None).owners.into_iter().next()?;
    Some(Ok((Address::Place(owner.place), format!("{} at file offset {offset:#x}", image.name))))
}

//! Notations of an address of native code, as debuggers and linkers write it.

use crate::native::NativeView;
use pdblens_formats::reason::Reason;
use pdblens_session::session::Session;

/// Address of the image that `text` refers to, or the reason why it cannot be determined; `None` for text that is not an address.
///
/// RVA `0x1079`; address in memory of an image at its preferred base, `0x140001079` or ``00000001`40001079``; section and offset,
/// `0001:00000079`; `module+0x1079`; `<BaseAddress>+0x1079`. A module may precede each: `parcel!0x1079`.
pub fn parse_address(session: &Session, native: NativeView<'_>, text: &str) -> Option<Result<u32, Reason>> {
    let text = without_module(session, text.trim());
    if let Some((section, offset)) = section_and_offset(text) {
        let rva = native.view.rva(section, offset);
        return Some(
            rva.ok_or_else(|| {
                Reason::new("no-address", format!("the image has no address {section:04x}:{offset:08x}"))
            }),
        );
    }
    if let Some((base, offset)) = text.rsplit_once('+') {
        let base = base.trim();
        let is_base = base.eq_ignore_ascii_case("<BaseAddress>") || is_module(session, base);
        return if is_base { hexadecimal(offset.trim()).map(|offset| in_image(session, offset, 0)) } else { None };
    }
    let address = if text.contains('`') {
        hexadecimal(text)
    } else {
        text.get(..2).filter(|sign| sign.eq_ignore_ascii_case("0x")).and_then(|_| hexadecimal(text))
    };
    address.map(|address| rva_of(session, address))
}

/// RVA of an address: an RVA itself, or an address in memory of the image at its preferred base.
pub fn rva_of(session: &Session, address: u64) -> Result<u32, Reason> {
    in_image(session, address, session.image().map_or(0, |image| image.pe.image_base()))
}

pub fn is_module(session: &Session, name: &str) -> bool {
    names_of_module(session)
        .any(|own| name.eq_ignore_ascii_case(&own) || name.eq_ignore_ascii_case(&debugger_name(&own)))
}

/// The name of a module as WinDbg writes it: characters other than letters, digits and underscores become underscores.
pub fn debugger_name(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}

/// The text after `module!`, where that is the module that is open.
pub fn without_module<'t>(session: &Session, text: &'t str) -> &'t str {
    match text.split_once('!') {
        Some((module, rest)) if is_module(session, module.trim()) => rest.trim(),
        _ => text,
    }
}

/// Names that debuggers know the module by: file names of image and PDB, with and without extension.
fn names_of_module(session: &Session) -> impl Iterator<Item = String> {
    let image = session.image().map(|image| image.path.clone());
    let symbols = session.symbol_file().map(|file| file.path.clone());
    [image, symbols].into_iter().flatten().flat_map(|path| {
        let text = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
        [text(path.file_name()), text(path.file_stem())].into_iter().flatten()
    })
}

/// Parses `0001:0001b7e4`; both numbers are hexadecimal.
fn section_and_offset(text: &str) -> Option<(u16, u32)> {
    let (section, offset) = text.split_once(':')?;
    let digits =
        |text: &str, most: usize| (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let offset = offset.strip_prefix("0x").unwrap_or(offset);
    if !digits(section, 4) || !digits(offset, 8) {
        return None;
    }
    Some((u16::from_str_radix(section, 16).ok()?, u32::from_str_radix(offset, 16).ok()?))
}

/// Parses a hexadecimal number, with or without `0x`; debuggers write a mark in the middle of long ones.
fn hexadecimal(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    let digits = digits.replace('`', "");
    if digits.starts_with('+') { None } else { u64::from_str_radix(&digits, 16).ok() }
}

/// RVA of an address that may be relative to `base`.
fn in_image(session: &Session, address: u64, base: u64) -> Result<u32, Reason> {
    let rva = address.checked_sub(base).unwrap_or(address);
    u32::try_from(rva).map_err(|_| match session.image() {
        Some(_) => Reason::new("outside-image", format!("{address:#x} is outside the image at its preferred base {base:#x}: subtract the address that it was loaded at")),
        None => Reason::new("no-image", format!("{address:#x} is not an RVA: without the image its base is unknown")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_long_addresses_are_read() {
        assert_eq!(section_and_offset("0001:0001b7e4"), Some((1, 0x1b7e4)));
        assert_eq!(section_and_offset("1:10"), Some((1, 0x10)));
        for other in ["std::f", "a::b", ":10", "1:", "1:123456789", "Foo:10"] {
            assert_eq!(section_and_offset(other), None, "{other}");
        }
        assert_eq!(hexadecimal("00007ff6`12341079"), Some(0x7ff6_1234_1079));
        assert_eq!((hexadecimal("0x10"), hexadecimal("+10"), hexadecimal("main")), (Some(0x10), None, None));
    }
}

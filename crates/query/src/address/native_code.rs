//! Notations of an offset of native code: a function and an offset, or an address of the image.

use super::OffsetQuery;
use super::code::{behind, offset_at_place, split_offset};
use pdblens_nodes::candidates::Candidates;
use pdblens_nodes::code_unit::CodeUnit;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::function::address::{parse_address, without_module};
use pdblens_nodes::resolve::{self, ResolveError, resolve_exactly};
use pdblens_session::session::Session;

/// Parses a query about native code: a place, a function and an offset, or an address.
pub(super) fn function_query(
    session: &Session,
    native: NativeView<'_>,
    text: &str,
) -> Result<OffsetQuery, ResolveError> {
    let at = |rva: u32| offset_at(native, rva);
    if text.starts_with("function/")
        && let Some(query) = offset_at_place(session, resolve_exactly(session, text)?)
    {
        return Ok(query);
    }
    if let Some(rva) = parse_address(session, native, text) {
        return at(rva.map_err(|why| ResolveError::NotThere(why.text))?);
    }
    let (name, offset) = split_offset(without_module(session, text));
    // The address of a function, and an offset in it: `0x1060+0x19`.
    if let Some(rva) = parse_address(session, native, name) {
        let query = at(rva.map_err(|why| ResolveError::NotThere(why.text))?)?;
        return behind(session, query, offset);
    }
    let found = resolve::functions_named(session, name);
    match found.as_slice() {
        [] if native.functions().iter().any(|function| native.name_of(function) == name) => {
            Err(ResolveError::NotThere(format!("{name} has no address in the image: its code was removed")))
        }
        [] => Err(ResolveError::Unknown(format!("function/{name}"))),
        [rva] => Ok(OffsetQuery { of: CodeUnit::Function(*rva), offset }),
        many => {
            let shown = Candidates::of(many, |rva| format!("function/{rva:#x}"));
            Err(ResolveError::Ambiguous(name.to_owned(), shown))
        }
    }
}

/// The function with the code at an address of the image, and the offset in it; without one, the nearest function or public symbol.
pub fn offset_at(native: NativeView<'_>, rva: u32) -> Result<OffsetQuery, ResolveError> {
    let none =
        || ResolveError::NotThere(format!("no function has the code at {rva:#x}, and no public symbol is before it"));
    if let Some((function, (_, offset))) = native.function_at(rva).zip(native.addresses().section_offset(rva)) {
        // OMAP may map an address back to a function whose own address it maps to nothing. Any address of that function will do.
        let start = native.rva_of(&function).unwrap_or(rva);
        return Ok(OffsetQuery { of: CodeUnit::Function(start), offset: offset.wrapping_sub(function.offset) });
    }
    let nearest = native.nearest(rva);
    // Padding follows the function that it aligns the next one to. A symbol inside that function, as assemblers write for labels, is
    // no code of its own.
    let before = native.function_before(rva).and_then(|function| Some((native.rva_of(&function)?, function.len)));
    let is_after = |start: u32, len: u32| {
        nearest.as_ref().is_some_and(|symbol| symbol.rva > start && symbol.rva.abs_diff(start) >= len)
    };
    if let Some((start, _)) = before.filter(|(start, len)| !is_after(*start, *len)) {
        return Ok(OffsetQuery { of: CodeUnit::Function(start), offset: rva.wrapping_sub(start) });
    }
    let symbol = nearest.ok_or_else(none)?;
    Ok(OffsetQuery { of: CodeUnit::Function(symbol.rva), offset: symbol.offset })
}

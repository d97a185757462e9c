//! Tokens and rows as mdv, ILSpy, ildasm and WinDbg write them: `06000073`, `0x0200000c`, `TypeDef/17`, `TypeDef 17`.

use super::keyword::existing;
use super::{AddressError, Here, Parsed, plain};
use pdblens_nodes::code_unit;
use pdblens_nodes::{self as nodes, Heap, Place, Side, TableId, Token};
use pdblens_session::session::Session;

/// Table number of user strings in a token, which is no table.
const USER_STRING: u32 = 0x70;
/// Highest number of a table (CustomDebugInformation).
const LAST_TABLE: u32 = 0x37;

/// A token of eight hexadecimal digits, with or without `0x`. Where the symbols are native it is an address, unless it is that of a
/// method, which C++/CLI has beside functions.
pub(super) fn token(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    let digits = typed.strip_prefix("0x").unwrap_or(typed);
    // .NET writes tokens in traces without their first zero: `0x6000858`.
    let is_short = digits.len() == 7 && typed.len() > digits.len();
    if digits.len() != 8 && !is_short {
        return None;
    }
    let value = u32::from_str_radix(digits, 16).ok()?;
    let is_addressed = code_unit::words(session).is_addressed;
    if is_short && (is_addressed || is_address(session, value)) {
        return None;
    }
    let table = value >> 24;
    let is_method =
        value >> 24 == u32::from(TableId::METHOD_DEF.0) && (1..=session.methods()).contains(&(value & 0xff_ffff));
    if is_addressed && !is_method || table > LAST_TABLE && table != USER_STRING {
        return None;
    }
    if table == USER_STRING {
        return Some(Ok(plain(Place::HeapEntry(Side::Image, Heap::UserStrings, value & 0xff_ffff))));
    }
    let token = Token(value);
    Some(match token.table() {
        TableId::METHOD_DEF => existing(session, Place::Method(token)),
        table => {
            let place = Place::row(table, token.row());
            Ok(plain(nodes::resolve::on_open_side(session, place)))
        }
    })
}

/// Returns whether a section of the image has an address: relative to the image, or in memory at its preferred base.
fn is_address(session: &Session, value: u32) -> bool {
    let Some(image) = session.image() else { return false };
    let base = image.pe.image_base();
    let relative = u64::from(value).checked_sub(base).and_then(|rva| u32::try_from(rva).ok());
    [Some(value), relative].into_iter().flatten().any(|rva| image.pe.rva_to_offset(rva).is_some())
}

/// A row or a table without the word `table`.
pub(super) fn row(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    let is_path = typed.parse::<Place>().is_ok();
    // A link says the name of its row after it: `MethodDef/278 Ns.Type.Method(int)`.
    let typed = typed.split_once(' ').map_or(typed, |(row, _)| if row.contains('/') { row } else { typed });
    let path = format!("table/{typed}").replace(' ', "/");
    let known = !is_path && path.parse::<Place>().is_ok();
    known.then(|| nodes::resolve(session, &path).map(plain).map_err(AddressError::from))
}

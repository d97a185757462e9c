//! The key of symbols in a symbol store, part by part.

use super::MAX_BYTES;
use crate::Steps;
use crate::steps::first_bytes;
use pdblens_formats::bytes::{ReadAs, Show, Span};
use pdblens_formats::pe::DebugEntry;
use pdblens_nodes::facts::Facts;
use pdblens_nodes::{PePart, Place};
use pdblens_session::session::{Session, codeview_ids};
use pdblens_session::store::Key;
use pdblens_session::symbols::IdSuffix;
use pdblens_session::text::paths::file_name;

/// Groups of a GUID as the key has them: first byte, size, form, explanation.
const GROUPS: [(u64, u64, ReadAs, &str); 4] = [
    (
        4,
        4,
        ReadAs::U32,
        "The first 4 bytes are one little-endian number: the key has its digits, the bytes in reverse.",
    ),
    (8, 2, ReadAs::U16, "The next 2 bytes are a little-endian number too."),
    (10, 2, ReadAs::U16, "And so are the 2 bytes after them."),
    (12, 8, ReadAs::Bytes, "The last 8 bytes are written in the order of the file."),
];

/// Steps of each key that the image has for its symbols: file name, GUID, age or stamp.
pub fn symbol_keys(session: &Session) -> Vec<Steps> {
    let Some(image) = session.image() else { return Vec::new() };
    let entries = image.pe.debug.iter().enumerate().filter(|(_, entry)| entry.rsds().is_some());
    let of = |((index, entry), id): ((usize, &DebugEntry), _)| of_entry(session, index, entry, id);
    entries.zip(codeview_ids(&image.pe)).filter_map(of).collect()
}

fn of_entry(
    session: &Session,
    index: usize,
    entry: &DebugEntry,
    id: pdblens_session::symbols::SymbolId,
) -> Option<Steps> {
    let (rsds, data) = (entry.rsds()?, entry.data?);
    let key = Key::of_symbols(&rsds.path, id)?;
    let place = Place::PePart(PePart::Debug(index as u16));
    let mut facts = Facts::new(format!("symbol-store key · {key}"));
    let path = data.part(24, rsds.path.len() as u64);
    let name = facts.fact("file name", key.name().to_lowercase()).to(place).at(path);
    name.read = ReadAs::Text(pdblens_formats::bytes::Encoding::Utf8);
    name.about = "The name at the end of the path in the RSDS record; a server has it in lower case.";
    name.mean(format!("from {}", file_name(&rsds.path)));
    let digits = id.guid.digits();
    let mut so_far = String::new();
    for (from, len, read, about) in GROUPS {
        let at = (from - 4) as usize * 2;
        let part = digits.get(at..at + len as usize * 2).unwrap_or_default();
        so_far.push_str(part);
        let row = facts.fact("GUID", part).at(data.part(from, len)).to(place);
        (row.read, row.about) = (read, about);
        if read != ReadAs::Bytes {
            row.number = u64::from_str_radix(part, 16).ok().map(u64::cast_signed);
        }
        row.show = Some(Show::Hex);
        row.mean(&so_far);
    }
    let suffix = match id.suffix {
        IdSuffix::Age(age) => {
            let row = facts.fact("age", format!("{age:x}")).at(data.part(20, 4)).to(place);
            (row.read, row.number) = (ReadAs::U32, Some(age.into()));
            row.about = "A Windows PDB: the age follows, in hexadecimal and without leading zeros.";
            row
        }
        _ => {
            let row = facts.fact("portable", "FFFFFFFF").at(Span { len: 0, ..data }).to(place);
            row.about = "A portable PDB: the key has FFFFFFFF in the place of the age, and the stamp of the entry is not in it.";
            row
        }
    };
    so_far.push_str(&suffix.value.clone());
    suffix.mean(&so_far);
    let whole = facts.fact("key", key.to_string()).to(place);
    whole.about = "Folder, folder, file: the name, the id, and the name again.";
    Some(Steps::of(&facts.fields, |span| first_bytes(session, span, MAX_BYTES)))
}

//! Ids of files: GUIDs, and keys of symbol stores, `app.pdb/497b72f6390a44fc878e5a2d63b6cc4b1/app.pdb` or the id in it alone.

use super::{Address, Here, Parsed};
use pdblens_formats::bytes::Guid;
use pdblens_nodes::stream::PdbView;
use pdblens_nodes::{self as nodes, Heap, MetadataPart, PePart, Place, Side};
use pdblens_session::session::{Session, codeview_id};
use pdblens_session::store::Key;
use pdblens_session::symbols::{IdSuffix, SymbolId, SymbolReader};
use pdblens_session::text::paths::file_name;

/// Digits of a GUID, with its dashes and without.
const DASHED: usize = 36;
const DIGITS: usize = 32;
/// Digits of an age or a stamp at most, and of the time stamp of an image.
const MAX_SUFFIX: usize = 8;
/// End of the id of a portable PDB in a key, in the place of an age.
const PORTABLE: &str = "ffffffff";

#[derive(Debug, PartialEq, Eq)]
struct IdText<'t> {
    name: Option<&'t str>,
    guid: Guid,
    /// Digits of an age or a stamp, in lower case; empty where none is written.
    suffix: String,
}

/// `NAME/ID/NAME` or `NAME/ID`: the name and the id; of any other text, the id alone.
fn name_and_id(typed: &str) -> (Option<&str>, &str) {
    let mut parts = typed.split(['/', '\\']);
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(name), Some(id), again, None) if again.is_none_or(|again| again.eq_ignore_ascii_case(name)) => {
            (Some(name), id)
        }
        _ => (None, typed),
    }
}

fn parse_id(typed: &str) -> Option<IdText<'_>> {
    // The stamp of the id may follow it.
    let typed = typed.split_once(' ').map_or(typed, |(id, rest)| if rest.starts_with("stamp ") { id } else { typed });
    let (name, id) = name_and_id(typed);
    let id = id.trim_matches(['{', '}']);
    let len = if id.get(8..9) == Some("-") { DASHED } else { DIGITS };
    let (guid, suffix) = id.split_at_checked(len)?;
    // `GUID-AGE` is the debug id of crash reports.
    let suffix = if len == DASHED { suffix.strip_prefix('-').unwrap_or(suffix) } else { suffix };
    let is_suffix = suffix.len() <= MAX_SUFFIX && suffix.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_guid = len == DIGITS || guid.matches('-').count() == 4;
    if !is_suffix || !is_guid {
        return None;
    }
    Some(IdText { name, guid: guid.parse().ok()?, suffix: suffix.to_ascii_lowercase() })
}

impl IdText<'_> {
    /// Remark on the part of an id after its GUID that differs from the one that is written; empty where it is the same.
    fn difference(&self, id: SymbolId) -> String {
        let written = u32::from_str_radix(&self.suffix, 16).ok();
        match (written, id.suffix) {
            (Some(age), IdSuffix::Age(own)) if age != own => format!(", whose age is {own}, not {age}"),
            (Some(stamp), IdSuffix::Stamp(own)) if stamp != own && self.suffix != PORTABLE => {
                format!(", which is portable: its key ends with FFFFFFFF, not {stamp:X}")
            }
            _ => String::new(),
        }
    }
}

/// A GUID or a key: the id of the image or of the symbols, or an entry of a GUID heap.
pub(super) fn id(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    let wanted = parse_id(typed)?;
    let guid = wanted.guid;
    let mut found: Vec<(Place, String)> = Vec::new();
    if let Some(image) = session.image() {
        let ids = image.pe.debug.iter().enumerate().filter_map(|(index, entry)| Some((index, codeview_id(entry)?)));
        found.extend(ids.filter(|(_, id)| id.guid == guid).map(|(index, id)| {
            let said = format!("the PDB that {} names{}", image.name, wanted.difference(id));
            (Place::PePart(PePart::Debug(index as u16)), said)
        }));
    }
    let symbols = session.symbol_file().zip(session.symbols().and_then(SymbolReader::id));
    if let Some((file, id)) = symbols.filter(|(_, id)| id.guid == guid) {
        let is_windows = PdbView::of(session).is_some();
        let place = if is_windows { Place::Stream(1) } else { Place::Metadata(Side::Pdb, MetadataPart::PdbStream) };
        found.push((place, format!("the id of {}{}", file.name, wanted.difference(id))));
    }
    let text = guid.to_string();
    found.extend(Side::loaded(session).filter_map(|(side, _)| {
        let rows = nodes::rows(session, Place::Heap(side, Heap::Guids))?;
        let row = rows.iter().find(|row| row.cells.iter().any(|cell| cell.text.to_ascii_lowercase() == text))?;
        Some((row.place?, format!("in the #GUID heap of the {}", if side == Side::Image { "image" } else { "PDB" })))
    }));
    let said = found.iter().map(|(_, said)| said.as_str()).collect::<Vec<_>>().join("; ");
    Some(match (found.first(), symbols) {
        (Some((place, _)), _) => Ok((Address::Place(*place), said)),
        (None, Some((file, id)))
            if wanted.name.is_some_and(|name| name.eq_ignore_ascii_case(file_name(&file.name))) =>
        {
            Err(format!("{} has another id: {id}", file.name).into())
        }
        (None, _) => Err("no open file has this GUID".to_owned().into()),
    })
}

/// The key of an image, `app.exe/542D574EC2000/app.exe`: its time stamp and its size in memory.
pub(super) fn image(session: &Session, typed: &str, _: Here) -> Option<Parsed> {
    let (name, id) = name_and_id(typed);
    let (stamp, size) = id.split_at_checked(MAX_SUFFIX).filter(|(_, size)| (1..=MAX_SUFFIX).contains(&size.len()))?;
    let number = |digits: &str| if digits.starts_with('+') { None } else { u32::from_str_radix(digits, 16).ok() };
    let (name, stamp, size) = (name?, number(stamp)?, number(size)?);
    let image = session.image();
    let own = image.and_then(|image| {
        let (stamp, size) = (image.pe.coff.time_date_stamp, image.pe.optional?.windows.size_of_image);
        Some((image, Key::of_image(&image.path.to_string_lossy(), stamp, size)?))
    });
    let wanted = Key::of_image(name, stamp, size)?;
    Some(match own {
        Some((image, own)) if own.id() == wanted.id() => {
            Ok((Address::Place(Place::PePart(PePart::Coff)), format!("the time stamp and size of {}", image.name)))
        }
        Some((image, own)) if name.eq_ignore_ascii_case(own.name()) => {
            Err(format!("{} has another time stamp or size: {own}", image.name).into())
        }
        _ => Err("no open file has this time stamp and size".to_owned().into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::ask;

    #[test]
    fn keys_of_symbol_stores_lead_to_the_file_that_has_the_id() {
        let sample =
            |name: &str| concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/native/").to_owned() + name;
        let native = Session::open(&[sample("tally.exe").into(), sample("tally.pdb").into()]).unwrap();
        for session in [Session::sample(), native] {
            let goes = |typed: &str| ask(&session, typed, Here::default());
            let (file, id) = (session.symbol_file().unwrap(), session.symbols().unwrap().id().unwrap());
            let key = Key::of_symbols(&file.name, id).unwrap();
            let of_guid = goes(&id.guid.to_string()).unwrap();
            for typed in [
                key.to_string(),
                key.id().to_owned(),
                key.id().to_uppercase(),
                key.to_string().replace('/', "\\"),
                format!("{}/{}", key.name(), key.id()),
                id.guid.digits(),
            ] {
                assert_eq!(goes(&typed), Ok(of_guid.clone()), "{typed}");
            }
            // Another age, and another build.
            let (place, said) = goes(&format!("{}7", id.guid.digits())).unwrap();
            assert!(place == of_guid.0 && said.contains(", whose age is ") | said.contains("FFFFFFFF"), "{said}");
            let other = key.to_string().replace(&id.guid.digits(), &"1".repeat(32));
            assert_eq!(goes(&other), Err(format!("{} has another id: {id}", file.name).into()));
            assert_eq!(goes(&"1".repeat(33)), Err("no open file has this GUID".to_owned().into()));
            let image = session.image().unwrap();
            let size = image.pe.optional.unwrap().windows.size_of_image;
            let key = Key::of_image(&image.name, image.pe.coff.time_date_stamp, size).unwrap();
            assert_eq!(goes(&key.to_string()).map(|(place, _)| place), Ok(Place::PePart(PePart::Coff)));
            let other = Key::of_image(&image.name, image.pe.coff.time_date_stamp, size + 1).unwrap().to_string();
            assert!(goes(&other).is_err_and(|why| why.to_string().ends_with(&key.to_string())), "{other}");
        }
        assert_eq!(parse_id("a.pdb/497b72f6390a44fc878e5a2d63b6cc4b1/b.pdb"), None);
        assert_eq!(parse_id("497b72f6390a44fc878e5a2d63b6cc4bx"), None);
    }
}

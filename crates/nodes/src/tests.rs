use super::path::number;
use super::*;
use crate::place::PATTERNS;
use pdblens_session::session::Session;

/// A path of every pattern, with an example for each of its arguments.
fn examples() -> impl Iterator<Item = String> {
    PATTERNS.iter().copied().flatten().map(|pattern| pattern.path).flat_map(|pattern| {
        let names: &[&str] = match pattern {
            path if path.starts_with("SIDE/table") => &["Document", "TypeDef"],
            path if path.starts_with("SIDE/heap/HEAP") => &["strings", "us", "guid", "blob"],
            path if path.starts_with("mdb") => &["sources", "units", "methods", "anonymous-scopes"],
            _ => &[""],
        };
        let sides: &[&str] = if pattern.starts_with("SIDE") { &["", "image/", "pdb/"] } else { &[""] };
        sides.iter().flat_map(move |side| {
            names.iter().map(move |name| {
                let steps = pattern.trim_start_matches("SIDE/").split('/').map(|step| match step {
                    "TOKEN" => "0x06000002",
                    "TABLE" | "HEAP" => *name,
                    "RANGE" => "0x1a0+5",
                    "RVA" | "INDEX" => "0x1004",
                    argument if argument.bytes().all(|byte| byte.is_ascii_uppercase()) => "7",
                    word => word,
                });
                format!("{side}{}", steps.collect::<Vec<_>>().join("/"))
            })
        })
    })
}

#[test]
fn every_kind_prints_what_it_parses_and_leads_up_to_the_overview() {
    for text in examples() {
        let place: Place = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(place.to_string().parse(), Ok(place), "{text} prints as {place}");
        let steps = std::iter::successors(Some(place), |place| place.parent()).take(10).collect::<Vec<_>>();
        assert_eq!(steps.last(), Some(&Place::Overview), "{place} leads up to the overview");
    }
}

#[test]
fn every_listed_place_exists_and_has_rows_or_fields_of_its_own_kind() {
    let session = Session::sample();
    let listed = rows(&session, Place::Places).unwrap();
    assert!(listed.len > 20, "{listed:?}");
    for place in listed.iter().filter_map(|row| row.place) {
        assert!(exists(&session, place), "{place}");
        assert!(rows(&session, place).is_some() || fields(&session, place).is_some(), "{place}");
    }
}

#[test]
fn shorthand_is_read() {
    assert_eq!("method/2/il/15".parse(), Ok(Place::MethodPart(Token(0x0600_0002), MethodPart::Instruction(15))));
    assert_eq!("heap/blob/181".parse(), Ok(Place::HeapEntry(Side::Pdb, Heap::Blobs, 181)));
    assert_eq!(number("0x1f"), Some(31));
}

#[test]
fn an_error_says_what_is_expected() {
    for (wrong, says) in [
        ("method", "incomplete path: expected method/TOKEN"),
        ("method/0", "\"0\" is not a token or row of MethodDef"),
        ("method/0x01000001", "\"0x01000001\" is not a token or row of MethodDef"),
        ("method/2/x", "unknown word \"x\": expected body, il, native, points, regions, scopes, source"),
        ("table/Nope", "\"Nope\" is not a metadata table"),
        ("table/Document/0", "\"0\" is not a number from 1 on"),
        ("image/method/1", "unknown word \"method\": expected heap, metadata, table"),
        (
            "pe/x",
            "unknown word \"x\": expected cli, coff, debug, delay-imports, directories, dos, entry-stub, exceptions, \
             exports, imports, manifest, optional, relocations, resources, rich, sections, version",
        ),
        ("streams/1", "unknown word \"1\": expected the end of the path"),
    ] {
        assert_eq!(wrong.parse::<Place>().unwrap_err().to_string(), says, "{wrong}");
    }
    assert!("".parse::<Place>().is_err());
}

#[test]
fn places_have_their_rows_without_a_search() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/parcel/parcel.pdb");
    let session = Session::open(&[file.into()]).unwrap();
    let lists = [
        Place::Types,
        Place::Ids,
        Place::Functions,
        Place::Modules,
        Place::Publics,
        Place::Globals,
        Place::Contributions,
    ];
    for list in lists {
        let rows = rows(&session, list).unwrap();
        assert!(rows.len > 1, "{list}");
        for (row, place) in rows.iter().map(|row| row.place.unwrap()).enumerate() {
            // Folded functions share their address: it means the first of them.
            let is_folded = list == Place::Functions && matches!(place, Place::Record(..));
            assert_eq!(row_of(&session, list, place), (!is_folded).then_some(row), "{list}: {place}");
        }
    }
    assert_eq!(row_of(&session, Place::Types, Place::Type(0xfff)), None);
}

//! Every table of the linker as places: of an image that has all of them.

#[path = "../../../formats/src/pe/maker.rs"]
mod maker;
use crate as nodes;
use crate::finding::problems;
use crate::place::Place;
use maker::Maker;
use pdblens_session::session::Session;

fn session() -> Session {
    Session::from_bytes(vec![("calc.dll".into(), Maker::full())]).unwrap()
}

fn rows(session: &Session, of: &str) -> Vec<Vec<String>> {
    let rows = nodes::rows(session, of.parse().unwrap()).unwrap();
    rows.iter().map(|row| row.cells.into_iter().map(|cell| cell.text).collect()).collect()
}

#[test]
fn every_table_is_a_list() {
    let session = session();
    assert_eq!(
        rows(&session, "pe/imports"),
        [
            ["KERNEL32.dll", "CreateFileW", "", "7", "0x1800", ".data"],
            ["KERNEL32.dll", "ReadFile", "", "7", "0x1808", ".data"],
            ["KERNEL32.dll", "", "12", "", "0x1810", ".data"],
        ]
    );
    assert_eq!(rows(&session, "pe/delay-imports"), [["OLE32.dll", "CoInitialize", "", "7", "0x1900", ".data"]]);
    assert_eq!(
        rows(&session, "pe/exports"),
        [
            ["5", "0", "Add", "0x1010", ".data", ""],
            ["6", "1", "Plus", "", "", "NTDLL.RtlAdd"],
            ["5", "2", "Sum", "0x1010", ".data", ""],
            ["8", "", "", "0x1020", ".data", ""],
        ]
    );
    let resources: Vec<_> = rows(&session, "pe/resources").into_iter().map(|row| row[..2].join(" ")).collect();
    assert_eq!(resources, ["version type", "1 name", "0x0409 language", "manifest type", "N name", "0x0000 language"]);
    assert_eq!(
        rows(&session, "pe/rich"),
        [["0x0105", "C++ compiler", "30729", "3"], ["0x0102", "linker", "30729", "1"]]
    );
    assert_eq!(rows(&session, "pe/manifest"), [["1", "<assembly/>"]]);
    assert_eq!(rows(&session, "pe/version")[0][..2], ["file version", "1.2.3.4"]);
}

#[test]
fn the_parts_of_every_entry_have_bytes_and_are_explained() {
    let session = session();
    let mut count = 0;
    for list in ["imports", "delay-imports", "exports", "resources", "version", "manifest", "rich"] {
        let list: Place = format!("pe/{list}").parse().unwrap();
        let rows = nodes::rows(&session, list).unwrap();
        for place in rows.iter().filter_map(|row| row.place).chain([list]) {
            let fields = nodes::fields(&session, place).unwrap();
            assert!(fields.error.is_none(), "{place}: {:?}", fields.error);
            for row in fields.rows.iter().filter(|row| !row.group) {
                assert!(!row.about.is_empty() && !row.span.is_empty(), "{place}: {}", row.name);
                assert!(row.to.is_none_or(|to| nodes::exists(&session, to)), "{place}: {}", row.name);
            }
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

#[test]
fn damage_to_a_table_is_a_finding_at_its_place() {
    let mut bytes = Maker::full();
    let offset = bytes.windows(12).position(|text| text == b"KERNEL32.dll").unwrap();
    // The section is at 0x400 of the file and at 0x1000 of memory.
    let rva = (offset as u32 + 0xc00).to_le_bytes();
    let at = bytes.windows(4).position(|number| number == rva).unwrap();
    bytes[at..at + 4].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f]);
    let session = Session::from_bytes(vec![("calc.dll".into(), bytes)]).unwrap();
    let found: Vec<_> = problems(&session).map(|finding| (finding.place.to_string(), finding.sentence)).collect();
    let nowhere = "the file has no bytes for this address".to_owned();
    assert_eq!(found, [("pe/imports".to_owned(), nowhere)]);
    assert!(nodes::rows(&session, "pe/delay-imports".parse().unwrap()).is_some());
}

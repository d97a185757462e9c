//! Tests of the content of the panel about the selection.

use super::about::*;
use pdblens_formats::bytes::Span;
use pdblens_nodes::fields::{FieldRow, Fields};
use pdblens_nodes::rows::Rows;
use pdblens_nodes::{self as nodes, Place};
use pdblens_session::session::Session;

#[test]
fn a_field_is_explained_from_its_bytes_to_its_paragraph() {
    let session = Session::sample();
    let place: Place = "method/0x06000003/points".parse().unwrap();
    let fields = nodes::fields(&session, place).unwrap();
    let delta = fields.rows.iter().rfind(|row| row.name == "δ start column").unwrap().span;
    let about = about(&session, place, Some(&fields), Some(delta));
    assert!(about.title.starts_with("δ start column"), "{}", about.title);
    let headings: Vec<&str> = about.sections.iter().map(|section| section.heading).collect();
    assert_eq!(headings, ["what it is", "value", "changes", "derivation", "why it is here", "specified in"]);
    let text = about.sections.iter().flat_map(|section| &section.lines).cloned().collect::<Vec<_>>().join("\n");
    for part in ["stored 121 → decoded -4", "start column 13 → 9", "two's complement", "ECMA-335 II.23.2"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn an_entry_of_a_heap_names_its_rows() {
    let session = Session::sample();
    let place: Place = "pdb/heap/blob/0x1b".parse().unwrap();
    let fields = nodes::fields(&session, place).unwrap();
    let about = about(&session, place, Some(&fields), None);
    let refs = about.sections.iter().find(|section| section.heading == "referred to by").unwrap();
    assert!(refs.lines.iter().any(|line| line.contains("table/Document/1")), "{refs:?}");
}

/// A session of files of the samples.
fn open(files: &[&str]) -> Session {
    let samples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples");
    Session::open(&files.iter().map(|file| samples.join(file)).collect::<Vec<_>>()).unwrap()
}

#[test]
fn of_a_long_field_the_first_bytes_are_read() {
    let session = open(&["warehouse/Acme.Warehouse.dll"]);
    let span = Span::new(session.image().unwrap().space, 0, 1 << 17);
    let fields = Fields { rows: vec![FieldRow { span, ..FieldRow::default() }], ..Fields::default() };
    let steps = crate::Steps::shown(&session, &fields);
    assert_eq!(steps.list.iter().map(|step| step.bytes.len()).max(), Some(1 << 16));
}

/// Explanation of a row, as the screens ask for it.
fn of_row(session: &Session, place: Place, span: Option<Span>) -> Explanation {
    let fields = nodes::fields(session, place).or_else(|| nodes::summary(session, place));
    about(session, place, fields.as_ref(), span)
}

fn text_of(found: &Explanation) -> String {
    let lines = found.sections.iter().flat_map(|section| &section.lines).cloned().collect::<Vec<_>>();
    format!("{}\n{}", found.title, lines.join("\n"))
}

const SAMPLES: [&[&str]; 6] = [
    &["ticker/Ticker.dll"],
    &["workshop/Workshop.dll"],
    &["ticker-windows/Ticker.dll"],
    &["parcel/parcel.exe"],
    &["native/tally.exe"],
    &["ticker-mono/Ticker.exe"],
];

#[test]
fn the_subject_is_that_of_the_row_of_the_overview() {
    for files in SAMPLES {
        let session = open(files);
        let rows: Vec<_> = nodes::rows(&session, Place::Overview).iter().flat_map(Rows::iter).collect();
        assert!(rows.len() > 8, "{files:?}");
        for row in rows.iter().filter(|row| row.depth > 0) {
            let (name, value) = (row.cells[0].text.as_str(), row.cells[1].text.as_str());
            let found = of_row(&session, row.place.unwrap(), row.span);
            let text = text_of(&found);
            assert!(!found.sections.is_empty(), "{files:?} {name}");
            // A record or a list is about the row as a whole; a field has the value of the row.
            let Some(field) = found.sections.iter().find(|section| section.heading == "value") else { continue };
            let words = |text: &str| {
                text.split([' ', ',']).filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
            };
            let of_field = words(&field.lines[0]);
            let is_form = name == "file" && ["magic · ", "version · "].iter().any(|form| found.title.starts_with(form));
            assert!(
                is_form || words(value).iter().any(|word| of_field.contains(word)),
                "{files:?} {name} {value}: {text}"
            );
        }
    }
}

#[test]
fn options_of_compilers_lead_to_their_bytes() {
    for (file, name, title) in [
        ("ticker/Ticker.dll", "language-version", "value · CustomDebugInformation/2"),
        ("ticker/Ticker.dll", "runtime", "version · "),
        ("ticker/Ticker.dll", "entry point", "entry point · "),
        ("parcel/parcel.exe", "compiler-version", "name · "),
        ("parcel/parcel.exe", "language", "language · "),
    ] {
        let session = open(&[file]);
        let rows = nodes::rows(&session, Place::Overview).unwrap();
        let row = rows.iter().find(|row| row.cells[0].text == name).unwrap();
        let found = of_row(&session, row.place.unwrap(), row.span);
        assert!(found.title.starts_with(title), "{file} {name}: {}", found.title);
    }
}

#[test]
fn a_row_of_a_table_is_explained_as_that_row() {
    let session = Session::sample();
    let place: Place = "table/LocalVariable/1".parse().unwrap();
    let found = of_row(&session, place, None);
    assert!(found.title.starts_with("LocalVariable/1"), "{}", found.title);
    assert_eq!(found.sections[0].lines, ["The name of a local variable."]);
    let text = text_of(&found);
    assert!(text.contains("Index") && text.contains("Name"), "{text}");
    // Its bytes as a whole are the same; a field of it is another subject.
    assert_eq!(text, text_of(&of_row(&session, place, nodes::bytes(&session, place))));
    let fields = nodes::fields(&session, place).unwrap();
    let name = fields.rows.iter().find(|row| row.name == "Name").unwrap().span;
    assert!(of_row(&session, place, Some(name)).title.starts_with("Name · LocalVariable/1"));
}

#[test]
fn no_fact_is_at_bytes_that_it_does_not_have() {
    for files in SAMPLES {
        let session = open(files);
        let places: Vec<Place> =
            nodes::rows(&session, Place::Places).iter().flat_map(Rows::iter).filter_map(|row| row.place).collect();
        assert!(places.len() > 10, "{files:?}");
        for place in places {
            let facts = nodes::summary(&session, place);
            let parts = facts.iter().flat_map(Fields::leaves).map(|fact| Some(fact.span));
            for part in parts.chain([None]) {
                let text = text_of(&of_row(&session, place, part));
                assert!(!text.contains("+0\n") && !text.ends_with("+0"), "{files:?} {place}: {text}");
            }
        }
    }
}

#[test]
fn the_page_size_leads_to_the_header() {
    let session = open(&["ticker-windows/Ticker.dll"]);
    let facts = nodes::summary(&session, Place::Pages).unwrap();
    let size = facts.leaves().find(|fact| fact.name == "page size").unwrap().span;
    let text = text_of(&of_row(&session, Place::Pages, Some(size)));
    assert!(text.contains("u32: 00 02 00 00  at Ticker.pdb 0x20+4"), "{text}");
}

#[test]
fn a_list_is_explained_as_a_list() {
    let session = open(&["parcel/parcel.exe"]);
    for (place, word) in [("publics", "public"), ("globals", "global")] {
        let text = text_of(&of_row(&session, place.parse().unwrap(), None));
        assert!(text.to_lowercase().contains(word) && text.contains("a list of "), "{text}");
    }
}

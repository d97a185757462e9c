//! A PDB inside the image, and what else claims to be its PDB.

use crate::support::folder::Folder;
use crate::support::samples::repository;
use pdblens::query::check::{self, Grade, Remark};
use pdblens::session::Session;
use pdblens::source::SourceOptions;

fn image() -> Vec<u8> {
    std::fs::read(repository("assets/samples/workshop-embedded/Workshop.dll")).unwrap()
}

/// Remarks of a rule on an image in a folder, with the PDB beside it if there is one.
fn remarks(rule: &str, image: &[u8], beside: Option<&[u8]>) -> Vec<Remark> {
    let folder = Folder::new();
    let path = folder.write("Workshop.dll", image);
    if let Some(bytes) = beside {
        folder.write("Workshop.pdb", bytes);
    }
    let session = Session::open(&[path]).unwrap();
    let found = check::check(&session, &SourceOptions::default());
    found.into_iter().filter(|remark| remark.rule == rule).collect()
}

#[test]
fn a_pdb_beside_the_embedded_one_is_compared_with_it() {
    let image = image();
    let session = Session::from_bytes(vec![("Workshop.dll".into(), image.clone())]).unwrap();
    let own = session.spaces().region(session.symbol_file().unwrap().space).unwrap().bytes().to_vec();
    let graded = |beside: Option<&[u8]>| {
        let [remark] = &remarks("embedded", &image, beside)[..] else { panic!("one remark") };
        (remark.grade, remark.sentence.clone())
    };
    assert_eq!(graded(None), (Grade::Good, "the image has its PDB inside".to_owned()));
    assert_eq!(graded(Some(&own)).0, Grade::Good);
    let mut other = own.clone();
    *other.last_mut().unwrap() ^= 1;
    let (grade, sentence) = graded(Some(&other));
    assert!(grade == Grade::Finding && sentence.ends_with("it has the same id but different bytes"), "{sentence}");
    let stranger = std::fs::read(repository("assets/samples/ticker/Ticker.pdb")).unwrap();
    let (grade, sentence) = graded(Some(&stranger));
    assert!(grade == Grade::Finding && sentence.ends_with("it has another id"), "{sentence}");
    assert_eq!(graded(Some(b"no symbols")).0, Grade::Finding);
}

#[test]
fn an_entry_that_names_another_pdb_than_the_embedded_one_is_a_finding() {
    let mut image = image();
    let is_finding = |image: &[u8]| remarks("id", image, None).iter().any(|remark| remark.grade == Grade::Finding);
    assert!(!is_finding(&image));
    let guid = image.windows(4).position(|bytes| bytes == b"RSDS").unwrap() + 4;
    image[guid] ^= 1;
    assert!(is_finding(&image));
}

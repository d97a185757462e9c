use super::*;
use pdblens_query::address::{parse_line, parse_offset};
use pdblens_query::breakpoint::bind;

fn texts(steps: &Steps) -> Vec<(String, String)> {
    steps.reads().map(|step| (step.field.name.clone(), step.field.value.clone())).collect()
}

#[test]
fn an_offset_leads_to_its_line() {
    let session = Session::sample();
    let query = parse_offset(&session, "Clock.Since+0x7").unwrap();
    let answer = pdblens_query::where_is::where_is(&session, query.of, query.offset);
    let steps = where_is(&session, &answer);
    let found = texts(&steps);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    let expected =
        ["token", "debug row", "offset", "instruction", "sequence points", "covering point", "document", "line"];
    assert_eq!(names, [&expected[..], &["machine code"]].concat());
    let line = answer.shown().unwrap().start_line.to_string();
    assert!(found.contains(&("line".to_owned(), line)), "{found:?}");
    assert!(steps.reads().filter(|step| step.field.name != "machine code").all(|step| step.field.to.is_some()));
    assert!(steps.reads().all(|step| !step.field.about.is_empty()));
}

#[test]
fn a_line_leads_to_its_code() {
    let session = Session::sample();
    let query = parse_line(&session, "Program.cs:12").unwrap();
    let steps = breakpoint(&session, &query, &bind(&session, &query));
    let found = texts(&steps);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names[..6], ["document", "scan", "line", "method", "point", "code"], "{found:?}");
    assert_eq!(names.last(), Some(&"machine code"));
    assert!(found[1].1 == "1 method" && found[5].1.starts_with("IL_"), "{found:?}");
}

#[test]
fn a_key_is_put_together_from_the_bytes_of_the_record() {
    let session = Session::sample();
    let steps = symbol_keys(&session).remove(0);
    let guid: String =
        steps.reads().filter(|step| step.field.name == "GUID").map(|step| step.field.value.clone()).collect();
    let key = steps.reads().last().unwrap().field.value.clone();
    assert!(key.contains(&guid) && guid.len() == 32, "{key} {guid}");
    let first = steps.reads().find(|step| step.field.name == "GUID").unwrap();
    assert_eq!(
        pdblens_formats::bytes::stored::decoded(first.field.read, &first.bytes),
        first.field.number,
        "little-endian"
    );
    assert!(steps.title.ends_with(&key));
}

#[test]
fn points_that_end_with_an_error_leave_the_line_uncertain() {
    let session = Session::sample();
    let place: Place = "method/0x06000003/points".parse().unwrap();
    let points = crate::steps(&session, place).unwrap();
    let second = points.list.iter().filter(|step| step.field.group && step.field.name != "header").nth(1).unwrap();
    let broken = crate::what_if::WhatIf::new(&session, second.field.span, 0xff).unwrap();
    let session = broken.session();
    let answer = pdblens_query::where_is::where_is(session, place.method().unwrap(), 0);
    assert!(answer.is_uncertain() && answer.open_end().is_some());
    let said = pdblens_query::where_is::explain_text::sentences(session, &answer);
    let said = pdblens_formats::reason::Reason::joined(&said);
    assert!(said.contains("the last one that can be read") && !said.contains("covers"), "{said}");
    let chain = where_is(session, &answer);
    let of = |name: &str| chain.list.iter().find(|step| step.field.name == name).unwrap().field.clone();
    assert!(of("sequence points").meaning.starts_with('✗'), "{:?}", of("sequence points"));
    assert!(of("covering point").meaning.ends_with("where it ends is not known"), "{:?}", of("covering point"));
}

#[test]
fn what_an_answer_says_of_native_code_is_a_step() {
    let steps_of = |sample: &str, question: &str| {
        let folder = format!("{}/../../assets/samples/{sample}", env!("CARGO_MANIFEST_DIR"));
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        let is_ours = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "exe" || end == "pdb");
        let session = Session::open(&files.filter(is_ours).collect::<Vec<_>>()).unwrap();
        let query = parse_offset(&session, question).unwrap();
        let answer = pdblens_query::where_is::where_is(&session, query.of, query.offset).for_name(question);
        let steps = where_is(&session, &answer);
        steps.reads().map(|step| (step.field.name.clone(), step.field.meaning.clone())).collect::<Vec<_>>()
    };
    let has = |found: &[(String, String)], name: &str, meaning: &str| {
        assert!(found.iter().any(|(own, said)| own == name && said.contains(meaning)), "{name}: {found:?}");
    };
    let public = steps_of("parcel-public", "0x1337");
    has(&public, "public symbol", "parcel::Box::price(void)+0x7 (?price@Box@parcel@@UEBAHXZ)");
    assert!(public.iter().all(|(name, _)| name != "function"), "{public:?}");
    let folded = steps_of("parcel-optimized", "parcel::second_copy+1");
    has(&folded, "folded", "box.cpp:23");
    has(&folded, "folded", "box.cpp:24, which is named");
    has(&folded, "function", "parcel::second_copy");
    has(&steps_of("parcel-optimized", "parcel::weigh+0x21"), "inlined", ":");
    has(&steps_of("native", "entry+0x4a"), "after the call", "at +0x45");
}

#[test]
fn an_offset_inside_an_instruction_is_said_to_be_so() {
    let session = Session::sample();
    let inside = (0..0x20).find_map(|offset| {
        let query = parse_offset(&session, &format!("Clock.Since+{offset}")).unwrap();
        let answer = pdblens_query::where_is::where_is(&session, query.of, query.offset);
        (answer.is_boundary() == Some(false)).then(|| where_is(&session, &answer))
    });
    let steps = inside.unwrap();
    let step = steps.list.iter().find(|step| step.field.name == "offset").unwrap();
    assert!(step.field.meaning.starts_with("inside the instruction at IL_00"), "{:?}", step.field);
}

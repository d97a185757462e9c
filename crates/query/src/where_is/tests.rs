use super::*;
use crate::where_is::state_machine;
use pdblens_formats::metadata::TableId;
use pdblens_nodes::function::NativeView;
use pdblens_nodes::method::MethodView;
use pdblens_session::symbols::StateMachine;
use std::path::{Path, PathBuf};

fn sample(name: &str) -> Session {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples").join(name);
    Session::open(&[path]).unwrap()
}

#[test]
fn every_offset_of_a_method_is_answered() {
    let session = Session::sample();
    let main = Token(0x0600_0001);
    let size = where_is(&session, main, 0).code_size.unwrap();
    let points = MethodView::of(&session, main).points;
    for offset in 0..size + 2 {
        let answer = where_is(&session, main, offset);
        let covering = points.iter().rposition(|point| point.offset <= offset);
        let expected = match covering.map(|index| &points[index]) {
            _ if offset >= size => Position::PastEnd,
            Some(point) if point.is_hidden() => Position::Hidden,
            Some(point) if point.offset == offset => Position::Exact,
            Some(_) => Position::Inside,
            None => Position::BeforeFirst,
        };
        assert_eq!(answer.position, expected, "{offset:#x}");
        assert_eq!(answer.found.number as usize, covering.map_or(0, |index| index + 1), "{offset:#x}");
        assert_eq!(answer.covering().is_some(), offset < size, "{offset:#x}");
        if offset < size {
            let boundary = MethodView::of(&session, main).instructions.iter().any(|(start, _)| *start == offset);
            assert_eq!(answer.is_boundary(), Some(boundary), "{offset:#x}");
            assert!(!answer.shown().unwrap().is_hidden(), "{offset:#x}");
        }
    }
}

#[test]
fn a_kickoff_and_its_body_lead_to_each_other() {
    let session = sample("faults/Faults.dll");
    let (main, body) = (Token(0x0600_0001), Token(0x0600_0013));
    let answer = where_is(&session, main, 0x139);
    assert_eq!((answer.position, answer.move_next, answer.kickoff), (Position::PastEnd, Some(body), None));
    let body_answer = answer.state_machine.unwrap();
    assert_eq!(
        (body_answer.of, body_answer.kickoff, body_answer.shown().unwrap().start_line),
        (body.into(), Some(main), 27)
    );
    let fault = body_answer.locals.iter().find(|local| local.name == "fault").unwrap();
    assert!(matches!(fault.kind, LocalKind::Field(_)), "{fault:?}");
    assert_eq!(fault.type_name, "System.Func<System.Threading.Tasks.Task>");
    assert!(!body_answer.regions.is_empty());
}

#[test]
fn attributes_of_the_image_say_what_the_symbols_say() {
    for name in ["workshop/Workshop.dll", "faults-release/Faults.dll", "ledger/Ledger.dll"] {
        let session = sample(name);
        let mut machines = 0;
        for row in 1..=session.methods() {
            let method = Token::new(TableId::METHOD_DEF, row);
            let said = session.symbols().and_then(|symbols| symbols.state_machine(StateMachine::Kickoff(method)));
            assert_eq!(state_machine::named_state_machine(&session, method), said, "{name} {method}");
            machines += u32::from(said.is_some());
        }
        assert!(machines > 0, "{name}");
    }
}

#[test]
fn without_an_image_the_symbols_say_where_the_code_ends() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples/ticker/Ticker.pdb");
    let session = Session::from_bytes(vec![("Ticker.pdb".into(), std::fs::read(folder).unwrap())]).unwrap();
    let answer = where_is(&session, Token(0x0600_0002), 0xffff);
    assert_eq!((answer.position, answer.code_size, answer.is_boundary()), (Position::PastEnd, Some(14), None));
    let last = where_is(&session, Token(0x0600_0002), 13);
    assert_eq!((last.position, last.range().unwrap().end), (Position::Inside, 14));
    assert_eq!(where_is(&session, Token(0x0600_0999), 0).position, Position::NoPoints);
    assert_eq!(where_is(&session, Token(0), 0).position, Position::NoPoints);
}

#[test]
fn native_code_after_a_call_is_where_the_callee_returns_to() {
    let session = sample("native/tally.exe");
    let entry = where_is(&session, CodeUnit::Function(0x10c0), 0x4a);
    let call = entry.returns_from.as_ref().unwrap();
    assert_eq!((call.callee.as_str(), call.label(), call.end), ("add", "+0x45".to_owned(), 0x4a));
    let said = Reason::joined(&explain_text::sentences(&session, &entry));
    assert!(
        said.contains("after the call to add at +0x45: as the offset of a caller, it belongs to line 28"),
        "{said}"
    );
    for offset in [0x45, 0x49, 0x4b] {
        assert_eq!(where_is(&session, CodeUnit::Function(0x10c0), offset).returns_from, None, "{offset:#x}");
    }
    // Each processor has its calls.
    for name in ["parcel/parcel.exe", "parcel-x86/parcel.exe", "parcel-arm64/parcel.exe", "sorter/sorter.exe"] {
        let session = sample(name);
        let native = NativeView::of(&session).unwrap();
        let starts: Vec<(u32, u32)> =
            native.functions().iter().filter_map(|found| Some((native.rva_of(found)?, found.len))).collect();
        let calls = starts.into_iter().flat_map(|(start, len)| (1..len).map(move |offset| (start, offset)));
        let found = calls
            .filter(|(start, offset)| where_is(&session, CodeUnit::Function(*start), *offset).returns_from.is_some());
        assert!(found.count() > 2, "{name}");
    }
}

#[test]
fn the_name_is_what_is_left_of_a_question() {
    for (asked, name) in [
        ("parcel::second_copy+1", "parcel::second_copy"),
        ("parcel!parcel::second_copy+0x1", "parcel::second_copy"),
        ("crash 1: second_copy", "second_copy"),
        ("ns::T::operator+=+0x1f", "ns::T::operator+="),
        ("ns::f(int) + 0x2", "ns::f"),
    ] {
        assert_eq!(function_name(asked), name, "{asked}");
    }
}

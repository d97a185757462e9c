//! Users of a node are the inverse of the links that nodes have.

use pdblens::nodes::resolve::{functions_named, methods_named};
use pdblens::nodes::used_by::{UseKind, brief_name, callers, name, no_users, rows, users};
use pdblens::nodes::{self, MethodPart, PePart, Place, TableId, Token};
use pdblens::session::Session;

use crate::support::samples::{repository, samples};

/// The method that a link leads to, or the place itself.
fn used_place(session: &Session, place: Place) -> Place {
    match place {
        Place::Row(_, table, row) if table == TableId::METHOD_DEF => Place::Method(Token::new(table, row)),
        _ if nodes::exists(session, place) => place,
        _ => Place::Overview,
    }
}

#[test]
fn each_link_of_an_instruction_is_a_use_of_what_it_leads_to() {
    let mut links = 0;
    for sample in samples() {
        let session = Session::open(&sample.files()).unwrap();
        for row in 1..=session.methods() {
            let method = Token::new(TableId::METHOD_DEF, row);
            let Some(rows) = nodes::rows(&session, Place::MethodPart(method, MethodPart::Il)) else { continue };
            for instruction in rows.iter() {
                let Some(user @ Place::MethodPart(_, MethodPart::Instruction(_))) = instruction.place else { continue };
                let to = instruction.cells.iter().filter_map(|cell| cell.to);
                // A jump leads to an instruction of the same method.
                let to = to.filter(|to| to.method() != Some(method) || matches!(to, Place::Method(_)));
                for to in to.map(|to| used_place(&session, to)) {
                    let Some(found) = users(&session, to) else { continue };
                    assert!(found.iter().any(|found| found.place == user), "{}: {user} uses {to}", sample.name);
                    links += 1;
                }
            }
        }
    }
    assert!(links > 1000, "{links} links");
}

#[test]
fn a_member_of_a_generic_type_is_used_by_calls_through_references_to_it() {
    let mut through_references = 0;
    for sample in samples() {
        let session = Session::open(&sample.files()).unwrap();
        for row in 1..=session.methods() {
            let method = Place::Method(Token::new(TableId::METHOD_DEF, row));
            let name = session.method_name(Token::new(TableId::METHOD_DEF, row));
            for user in users(&session, method).unwrap().iter() {
                let Some(fields) = nodes::fields(&session, user.place) else { continue };
                let operand = fields.rows.iter().find_map(|field| field.to);
                let Some(Place::Row(_, table, _)) = operand else { continue };
                if matches!(table, TableId::MEMBER_REF | TableId::METHOD_SPEC) {
                    through_references += 1;
                    let simple = name.split(['(', '<']).next().unwrap().rsplit('.').next().unwrap();
                    let said = fields.rows.iter().map(|field| field.meaning.as_str()).collect::<String>();
                    assert!(said.contains(simple) || simple.is_empty(), "{}: {name}: {said}", sample.name);
                }
            }
        }
    }
    assert!(through_references > 5, "{through_references} uses");
}

#[test]
fn kinds_say_how_a_node_is_used() {
    let session = Session::sample();
    let kinds = |place: &str| {
        let place = nodes::resolve(&session, place).unwrap();
        users(&session, place).unwrap().iter().map(|user| user.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds("method/Clock.Since"), [UseKind::Call, UseKind::Part, UseKind::Part]);
    assert_eq!(kinds("document/1"), [UseKind::Points]);
    assert_eq!(kinds("image/heap/us/0x1"), [UseKind::Literal]);
    assert!(users(&session, Place::Overview).is_none());
}

#[test]
fn a_type_and_a_field_have_names_too() {
    let session = Session::open(&[repository("assets/samples/workshop/Workshop.dll")]).unwrap();
    let named = |text| nodes::resolve::type_or_field(&session, text);
    let Some(Place::Row(nodes::Side::Image, TableId::FIELD, field)) = named("StateMachines.cache") else {
        panic!("no field")
    };
    assert_eq!(named("Workshop.StateMachines.cache"), Some(Place::row(TableId::FIELD, field)));
    assert!(matches!(named("Workshop.StateMachines"), Some(Place::Row(_, TableId::TYPE_DEF, _))));
    assert_eq!((named("StateMachines.nothing"), named("Nothing"), named("")), (None, None, None));
}

#[test]
fn native_functions_types_and_ids_have_users() {
    let all = samples();
    let sample = all.iter().find(|sample| sample.name == "parcel-optimized").expect("a native sample");
    let session = Session::open(&sample.files()).unwrap();
    let functions = nodes::rows(&session, Place::Functions).unwrap();
    let (mut calls, mut inlined, mut records) = (0, 0, 0);
    for function in functions.iter().filter_map(|row| row.place) {
        for user in users(&session, function).unwrap_or_default().iter() {
            calls += usize::from(user.kind == UseKind::Call);
        }
    }
    for of in [Place::Types, Place::Ids] {
        for of in nodes::rows(&session, of).unwrap().iter().filter_map(|row| row.place) {
            let users = users(&session, of).unwrap();
            records += users.iter().filter(|user| user.kind == UseKind::Record).count();
            inlined += users.iter().filter(|user| user.kind == UseKind::InlinedCall).count();
        }
    }
    assert!(calls > 0 && inlined > 0 && records > 0, "{calls} calls, {inlined} inlined calls, {records} records");
}

#[test]
fn an_exported_function_is_used_by_its_export() {
    let session = Session::open(&[repository("assets/samples/parcel/parcel.exe")]).unwrap();
    let function = Place::Function(functions_named(&session, "parcel_total")[0]);
    let rows = rows(&session, function).unwrap();
    let export = rows.iter().find(|row| row.cells[1].text == "export").expect("its export");
    assert_eq!((export.cells[0].text.as_str(), export.place), ("parcel_total", Some(Place::PePart(PePart::Export(0)))));
    // Addresses in data are not read: that there are no users is not known.
    assert!(no_users(function).contains("data") && !no_users(Place::Document(1)).contains("data"));
}

#[test]
fn callers_are_a_tree_in_which_each_has_its_callers_once() {
    let session = Session::open(&[repository("assets/samples/parcel/parcel.exe")]).unwrap();
    let clamp = Place::Function(functions_named(&session, "parcel::clamp")[0]);
    let rows = callers(&session, clamp).unwrap();
    let seen: Vec<(u8, String)> = rows.iter().map(|row| (row.depth, row.cells[0].text.clone())).collect();
    let wanted = [
        (0, "parcel::clamp"),
        (1, "parcel::postage"),
        (2, "parcel::weigh"),
        (3, "entry  callers above"),
        (2, "entry  callers above"),
        (1, "entry"),
    ];
    assert_eq!(seen, wanted.map(|(depth, name)| (depth, name.to_owned())));
    // The body of an async method is called where that is.
    let session = Session::open(&[repository("assets/samples/faults/Faults.dll")]).unwrap();
    let parse = Place::Method(methods_named(&session, "Program.Parse")[0]);
    let rows = callers(&session, parse).unwrap();
    assert_eq!(rows.iter().map(|row| row.depth).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(callers(&session, Place::Document(1)).is_none());
}

#[test]
fn the_name_of_a_referenced_type_is_without_its_assembly() {
    let session = Session::open(&[repository("assets/samples/ticker/Ticker.dll")]).unwrap();
    let table = session.metadata().unwrap().table(TableId::TYPE_REF);
    for row in 1..=table.rows() {
        let (place, names) = (Place::row(TableId::TYPE_REF, row), session.names().unwrap());
        let full = names.row(Token::new(TableId::TYPE_REF, row));
        assert_eq!(name(&session, place), format!("TypeRef/{row} {full}"));
        let brief = brief_name(&session, place);
        let own = brief.split_once(' ').unwrap().1;
        assert!(full == own || full.ends_with(&format!(".{own}")), "{brief} of {full}");
    }
}

//! Outcomes that are kept: each thing that the judgement of a frame looks at gets an answer of its own.

use super::*;
use crate::trace::builds::Choice;
use crate::trace::library::Library;
use pdblens_formats::metadata::Token;
use pdblens_formats::reason::Reason;

fn library() -> Library {
    let mut library = Library::default();
    library.finders = vec![Box::new(Files::new(&[samples().join("faults"), samples().join("warehouse")]))];
    library
}

fn frame(name: &str, token: u32, il: u32) -> Frame {
    let module = Module::File("Faults.dll".to_owned());
    Frame { name: name.to_owned(), module, token: Some(Token(token)), offset: Offset::Il(il), ..Frame::default() }
}

fn above(name: &str) -> Above {
    Above { name: name.to_owned(), is_caller: true, ..Above::default() }
}

#[test]
fn each_thing_that_an_outcome_depends_on_gets_a_new_answer() {
    let (parse, walk) =
        (frame("Faults.Program.Parse", 0x0600_0002, 2), frame("Faults.Program.Numbers", 0x0600_0003, 2));
    let (restock, none) = (frame("Faults.Warehouse`1.RestockAsync", 0x0600_0006, 2), Above::default());
    let overload = Frame { token: None, ..frame("AddressResponseService157.RemoveInvoiceForTenantWithinScope", 0, 0) };
    let with = |of: &str| Frame { parameters: Some(of.to_owned()), module: Module::Unknown, ..overload.clone() };
    let int = above("System.Int32.Parse");
    let pairs = [
        (
            "name",
            (parse.clone(), none.clone()),
            (Frame { name: "Faults.Program.Other".to_owned(), ..parse.clone() }, none.clone()),
        ),
        ("parameters", (with(""), none.clone()), (with("String text"), none.clone())),
        ("inner", (walk.clone(), none.clone()), (Frame { inner: Some("Dispose".to_owned()), ..walk }, none.clone())),
        ("module", (parse.clone(), none.clone()), (Frame { module: Module::Unknown, ..parse.clone() }, none.clone())),
        ("token", (parse.clone(), none.clone()), (Frame { token: None, ..parse.clone() }, none.clone())),
        ("offset", (parse.clone(), none.clone()), (Frame { offset: Offset::Il(8), ..parse.clone() }, none.clone())),
        (
            "kind of offset",
            (restock.clone(), none.clone()),
            (Frame { offset: Offset::ExactIl(2), ..restock.clone() }, none.clone()),
        ),
        ("above", (parse.clone(), none.clone()), (parse.clone(), int.clone())),
        ("started", (restock.clone(), none.clone()), (restock, Above { started: true, ..none.clone() })),
        (
            "caller",
            (Frame { offset: Offset::Il(0), ..parse.clone() }, above("Ns.T.M")),
            (Frame { offset: Offset::Il(0), ..parse.clone() }, Above { is_caller: false, ..above("Ns.T.M") }),
        ),
        (
            "returns",
            (Frame { offset: Offset::Il(8), ..parse.clone() }, int.clone()),
            (Frame { offset: Offset::Il(8), ..parse.clone() }, Above { returns: true, ..int }),
        ),
    ];
    let mut kept = library();
    // Worked out, kept, taken from what is kept.
    for _ in 0..3 {
        for (thing, (frame, above), (changed, other)) in &pairs {
            let (one, two) = (library().resolve(frame, above), library().resolve(changed, other));
            assert_ne!(one, two, "{thing}");
            assert_eq!(kept.resolve(frame, above), one, "{thing}");
            assert_eq!(kept.resolve(changed, other), two, "{thing}");
        }
    }
}

#[test]
fn a_kept_outcome_is_of_the_builds_that_are_open_and_chosen() {
    let (mut kept, parse, none) = (library(), frame("Faults.Program.Parse", 0x0600_0002, 2), Above::default());
    // Its place in the text is nothing that counts.
    let moved = Frame { row: 7, edit: Edit::In(3..3), ..parse.clone().moved(5) };
    assert_eq!(kept.resolve(&moved, &Above { row: 6, ..none.clone() }), kept.resolve(&parse, &none));
    // The build that is chosen counts, and that there is one more pair.
    let [before, again] = [(); 2].map(|()| kept.resolve(&parse, &none));
    assert_eq!(before, again);
    let choice =
        Choice { pair: kept.find(&parse.module).unwrap(), note: Reason::new("only-build", "only this one fits") };
    kept.chosen.insert("Faults.dll".to_owned(), choice);
    let chosen = kept.resolve(&parse, &none);
    assert!(chosen != before && format!("{chosen:?}").contains("only this one fits"), "{chosen:?}");
    kept.chosen.clear();
    assert_eq!(kept.resolve(&parse, &none), before);
    let mut bare = Library::default();
    let [unknown, _] = [(); 2].map(|()| bare.resolve(&parse, &none));
    let image = std::fs::read(samples().join("faults/Faults.dll")).unwrap();
    bare.hold(Arc::new(Session::from_bytes(vec![("Faults.dll".into(), image)]).unwrap()));
    assert_ne!(bare.resolve(&parse, &none), unknown);
}

#[test]
fn a_short_outcome_is_kept_when_it_comes_again() {
    let (mut kept, none) = (library(), Above::default());
    let long = frame(&"N.".repeat(4 << 10), 0x0600_0002, 2);
    let short = frame("Faults.Program.Parse", 0x0600_0002, 2);
    let outcome = kept.resolve(&short, &none);
    assert_eq!(kept.outcomes.get(&kept.question(&short, &none)), None);
    for _ in 0..2 {
        assert_eq!(kept.resolve(&short, &none), outcome);
        assert!(kept.resolve(&long, &none).is_err());
    }
    assert_eq!(kept.outcomes.get(&kept.question(&short, &none)), Some(outcome));
    assert_eq!(kept.outcomes.get(&kept.question(&long, &none)), None);
}

#[test]
fn a_method_by_its_il_offset_is_left_without_a_name() {
    let parse = frame("Faults.Program.Parse", 0x0600_0002, 2);
    let mut nameless = library();
    nameless.is_without_names = true;
    let found = [library(), nameless].map(|mut library| library.resolve(&parse, &Above::default()));
    let [Ok(Outcome::Resolved(named)), Ok(Outcome::Resolved(nameless))] = found else { panic!("{found:?}") };
    assert_eq!((named.code.name(), nameless.code.name()), ("Faults.Program.Parse(string)", ""));
    assert_eq!(*named, Resolved { code: named.code.clone(), ..*nameless });
}

use proptest::prelude::*;

use super::async_stepping::Await;
use super::embedded_source::Format;
use super::hoisted_scopes::HoistedScope;
use super::lambda_map::{Closure, Lambda};
use super::local_slot_map::LocalSlot::{Temporary, Variable};
use super::state_map::SuspendedState;
use super::*;
use crate::bytes::record::undescribed;
use crate::bytes::{Result, SpaceId, Value};

fn slice(bytes: &[u8]) -> Slice<'_> {
    Slice::new(bytes, SpaceId(0), 0)
}

fn texts<'a>(slices: impl IntoIterator<Item = &'a Slice<'a>>) -> Vec<&'a str> {
    slices.into_iter().map(|slice| std::str::from_utf8(slice.data).unwrap()).collect()
}

/// Each kind with its example, and an unknown one.
fn examples() -> impl Iterator<Item = (Guid, &'static [u8])> {
    KINDS.iter().map(|kind| (kind.guid, kind.example)).chain([(Guid::of(1, 2, 3, 4), &[1, 2, 3][..])])
}

#[test]
fn hoisted_scopes_come_by_slot() {
    let Ok(scopes) = hoisted_scopes::decode(&mut slice(hoisted_scopes::EXAMPLE).cursor()) else { panic!() };
    let found: Vec<_> = scopes.iter().map(|scope: &HoistedScope| (scope.start_offset, scope.length)).collect();
    assert_eq!(found, [(0x27, 0x343), (0, 0)]);
}

#[test]
fn dynamic_flags_begin_at_the_lowest_bit() {
    let flags = |bytes: &[u8]| match dynamic_locals::decode(&mut slice(bytes).cursor()) {
        Ok(locals) => locals.flags(),
        _ => panic!(),
    };
    assert_eq!(flags(&[0x01]), [true]);
    assert_eq!(flags(&[0x02]), [false, true]);
    assert_eq!(flags(&[0x01, 0x01]), [true, false, false, false, false, false, false, false, true]);
    assert_eq!(flags(&[0x00]), [false; 0]);
}

#[test]
fn tuple_elements_may_have_no_name() {
    let Ok(names) = tuple_names::decode(&mut slice(b"Low\0\0High\0").cursor()) else { panic!() };
    assert_eq!(texts(&names), ["Low", "", "High"]);
    assert!(tuple_names::decode(&mut slice(b"Low\0Hi").cursor()).is_err());
}

#[test]
fn slots_count_from_their_baseline() {
    let Ok(slots) = local_slot_map::decode(&mut slice(local_slot_map::EXAMPLE).cursor()) else { panic!() };
    let expected = [
        Variable { kind: 0, syntax_offset: 10, ordinal: 0 },
        Temporary,
        Variable { kind: 33, syntax_offset: 211, ordinal: 2 },
        Variable { kind: 21, syntax_offset: -4, ordinal: 0 },
    ];
    assert_eq!(slots, expected);
}

#[test]
fn lambdas_close_over_this_nothing_or_a_closure() {
    let Ok(map) = lambda_map::decode(&mut slice(lambda_map::EXAMPLE).cursor()) else { panic!() };
    assert_eq!((map.method_ordinal, map.closures), (4, vec![0, 8]));
    let expected = [(-3, Closure::This), (98, Closure::Static), (168, Closure::Index(1))];
    assert_eq!(map.lambdas, expected.map(|(syntax_offset, closure)| Lambda { syntax_offset, closure }));
    let error = lambda_map::decode(&mut slice(&[1, 1, 1, 0, 5, 3]).cursor()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NoSuch { what: "closure", index: 1, count: 1 });
}

#[test]
fn states_at_the_same_syntax_are_numbered() {
    let Ok(states) = state_map::decode(&mut slice(state_map::EXAMPLE).cursor()) else { panic!() };
    let expected = [(0, 4, 0), (1, 4, 1), (-4, 177, 0)];
    assert_eq!(
        states,
        expected.map(|(number, syntax_offset, ordinal)| SuspendedState { number, syntax_offset, ordinal })
    );
    assert!(matches!(state_map::decode(&mut slice(&[0]).cursor()), Ok(states) if states.is_empty()));
    assert!(state_map::decode(&mut slice(&[2, 1, 0, 5, 0, 4]).cursor()).is_err());
}

#[test]
fn awaits_suspend_and_resume() {
    let Ok(stepping) = async_stepping::decode(&mut slice(async_stepping::EXAMPLE).cursor()) else { panic!() };
    assert_eq!(stepping.catch_handler, Some(0x36a));
    assert_eq!(stepping.awaits, [Await { yield_offset: 0x57, resume_offset: 0x75, move_next: 0x2c }]);
    let Ok(none) = async_stepping::decode(&mut slice(&[0; 4]).cursor()) else { panic!() };
    assert_eq!((none.catch_handler, none.awaits), (None, vec![]));
}

#[test]
fn a_source_is_raw_or_deflated() {
    let format = |blob: &'static [u8]| match embedded_source::decode(&mut slice(blob).cursor()) {
        Ok(source) => (source.format, source.content.data, source.content.start),
        _ => panic!(),
    };
    assert_eq!(format(b"\0\0\0\0abc"), (Format::Raw, &b"abc"[..], 4));
    assert_eq!(format(b"\x09\0\0\0abc"), (Format::Deflate(9), &b"abc"[..], 4));
    assert_eq!(format(b"\xff\xff\xff\xff"), (Format::Reserved(-1), &b""[..], 4));
}

#[test]
fn references_can_be_found_again() {
    let Ok(found) = compilation_references::decode(&mut slice(compilation_references::EXAMPLE).cursor()) else {
        panic!()
    };
    let [first, second] = found.as_slice() else { panic!() };
    assert_eq!(texts([&first.file, &first.aliases, &second.aliases]), ["System.Runtime.dll", "", "a,b"]);
    assert_eq!((first.time_stamp, first.size_of_image), (0xc0ad_2b89, 0xe000));
    assert_eq!(first.mvid.to_string(), "d09c03d8-9dd7-4bc8-9795-6a8fbd245662");
    assert_eq!(first.flags, compilation_references::IS_ASSEMBLY);
    assert_eq!(second.flags & compilation_references::EMBEDS_INTEROP_TYPES, 2);
}

#[test]
fn options_are_pairs() {
    let blob = b"version\x002\0nullable\0Enable\0";
    let Ok(options) = compilation_options::decode(&mut slice(blob).cursor()) else { panic!() };
    let pairs: Vec<_> = options.iter().map(|option| texts([&option.name, &option.value])).collect();
    assert_eq!(pairs, [["version", "2"], ["nullable", "Enable"]]);
    assert!(compilation_options::decode(&mut slice(b"version\0").cursor()).is_err());
}

#[test]
fn documents_of_a_type_are_rows() {
    let Ok(rows) = type_documents::decode(&mut slice(&[2, 0x81, 0]).cursor()) else { panic!() };
    assert_eq!(rows, [2, 256]);
}

#[test]
fn made_up_names_come_in_buckets() {
    let Ok(buckets) = name_snapshot::decode(&mut slice(name_snapshot::EXAMPLE).cursor()) else { panic!() };
    assert_eq!(texts(buckets.iter().map(|bucket| &bucket.key)), ["k", ""]);
    assert_eq!(texts(&buckets[0].names), ["k-1", "k-2"]);
    assert!(name_snapshot::decode(&mut slice(&[2, 0]).cursor()).is_err());
}

#[test]
fn text_and_unknown_kinds_are_the_blob() {
    for (guid, blob, text) in [
        (default_namespace::GUID, &b"Ledger"[..], "Ledger"),
        (source_link::GUID, b"{}", "{}"),
        (Guid::default(), b"?", "3f"),
    ] {
        assert_eq!(tree(guid, slice(blob)), Ok(Tree::Text(text.to_owned())));
    }
    assert_eq!(tree(primary_constructor::GUID, slice(&[])), Ok(Tree::Bool(true)));
}

#[test]
fn every_kind_is_there_once() {
    assert_eq!(KINDS.len(), 15);
    for kind in KINDS {
        assert_eq!(KINDS.iter().filter(|other| other.guid == kind.guid || other.name == kind.name).count(), 1);
    }
}

#[test]
fn every_field_of_every_kind_has_a_sentence() {
    let unexpected = (primary_constructor::GUID, &[0][..]);
    for (guid, blob) in examples().chain([unexpected]).filter(|(_, blob)| !blob.is_empty()) {
        assert_eq!(undescribed(blob, |c| explain(guid, c)), [""; 0], "{guid}");
    }
}

/// Recorded fields tile the bytes read: all of them, if there was no error. Recording does not change the result.
fn check(guid: Guid, blob: &[u8]) -> Result<()> {
    let mut cursor = Cursor::recording(slice(blob));
    let result = explain(guid, &mut cursor);
    let read = cursor.consumed();
    let leaves = cursor.fields().into_iter().filter(|field| field.value != Value::Group);
    let end = leaves.fold(0, |at, leaf| {
        assert_eq!(leaf.span.start, at, "{leaf:?}");
        leaf.span.end()
    });
    assert_eq!(end, read);
    assert_eq!(result, validate(guid, slice(blob)));
    assert_eq!(result.as_ref().err(), tree(guid, slice(blob)).as_ref().err());
    if let Err(error) = &result {
        assert!(slice(blob).span().covers(error.span), "{error:?}");
    }
    result
}

#[test]
fn notes_tile_the_examples_however_they_are_cut() {
    for (guid, blob) in examples() {
        let mut cursor = Cursor::recording(slice(blob));
        explain(guid, &mut cursor).unwrap();
        assert!(cursor.is_done(), "{guid}");
        for len in 0..=blob.len() {
            let done = check(guid, &blob[..len]).is_ok();
            assert!(done || len < blob.len(), "{guid} {len}");
        }
    }
}

#[test]
fn counts_are_not_believed() {
    // 2^28 closures, states, buckets, names.
    for (guid, blob) in [
        (lambda_map::GUID, &[1, 1, 0xd0, 0, 0, 0][..]),
        (state_map::GUID, &[0xd0, 0, 0, 0, 1]),
        (name_snapshot::GUID, &[1, 0xd0, 0, 0, 0]),
        (name_snapshot::GUID, &[1, 1, 0, 0xd0, 0, 0, 0]),
    ] {
        let error = check(guid, blob).unwrap_err();
        assert!(matches!(error.kind, ErrorKind::UnexpectedEnd { .. }), "{error:?}");
    }
    let slots = vec![0; MAX_ENTRIES + 1];
    assert!(matches!(local_slot_map::decode(&mut slice(&slots[1..]).cursor()), Ok(all) if all.len() == MAX_ENTRIES));
    let error = local_slot_map::decode(&mut slice(&slots).cursor()).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::TooLarge { .. }), "{error:?}");
}

proptest! {
    #[test]
    fn no_bytes_are_too_much(blob in proptest::collection::vec(any::<u8>(), 0..40)) {
        for (guid, _) in examples() {
            let _ = check(guid, &blob);
        }
    }
}

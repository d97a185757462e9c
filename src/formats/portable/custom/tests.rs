use proptest::prelude::*;

use super::async_stepping::Await;
use super::embedded_source::Format;
use super::hoisted_scopes::HoistedScope;
use super::lambda_map::{Closure, Lambda};
use super::local_slot_map::LocalSlot::{Temporary, Variable};
use super::state_map::State;
use super::*;
use crate::bytes::{Result, SpaceId, Value};

fn slice(bytes: &[u8]) -> Slice<'_> {
    Slice::new(bytes, SpaceId(0), 0)
}

fn texts<'a>(slices: impl IntoIterator<Item = &'a Slice<'a>>) -> Vec<&'a str> {
    slices.into_iter().map(|slice| std::str::from_utf8(slice.data).unwrap()).collect()
}

/// A blob of each kind that has anything to say.
pub(crate) const EXAMPLES: &[(Guid, &[u8])] = &[
    (hoisted_scopes::GUID, HOISTED),
    (dynamic_locals::GUID, &[0x02, 0x01]),
    (tuple_names::GUID, b"Low\0\0High\0"),
    (default_namespace::GUID, b"Ledger"),
    (local_slot_map::GUID, SLOTS),
    (lambda_map::GUID, LAMBDAS),
    (state_map::GUID, STATES),
    (async_stepping::GUID, STEPPING),
    (embedded_source::GUID, b"\x09\0\0\0abc"),
    (source_link::GUID, b"{}"),
    (compilation_references::GUID, REFERENCES),
    (compilation_options::GUID, b"version\x002\0nullable\0Enable\0"),
    (type_documents::GUID, &[0x02, 0x81, 0x00]),
    (primary_constructor::GUID, &[]),
    (name_snapshot::GUID, NAMES),
    (Guid::of(1, 2, 3, 4), &[1, 2, 3]),
];

const HOISTED: &[u8] = &[
    0x27, 0, 0, 0, 0x43, 3, 0, 0, // IL_0027, 0x343 bytes
    0, 0, 0, 0, 0, 0, 0, 0, // a slot of the compiler's
];

#[test]
fn hoisted_scopes_come_by_slot() {
    let Ok(Decoded::HoistedScopes(scopes)) = decode(hoisted_scopes::GUID, slice(HOISTED)) else { panic!() };
    assert_eq!(scopes, [HoistedScope { start: 0x27, length: 0x343 }, HoistedScope { start: 0, length: 0 }]);
}

#[test]
fn dynamic_flags_begin_at_the_lowest_bit() {
    let flags = |bytes: &[u8]| match decode(dynamic_locals::GUID, slice(bytes)) {
        Ok(Decoded::DynamicLocals(locals)) => locals.flags(),
        _ => panic!(),
    };
    assert_eq!(flags(&[0x01]), [true]);
    assert_eq!(flags(&[0x02]), [false, true]);
    assert_eq!(flags(&[0x01, 0x01]), [true, false, false, false, false, false, false, false, true]);
    assert_eq!(flags(&[0x00]), [false; 0]);
}

#[test]
fn tuple_elements_may_have_no_name() {
    let Ok(Decoded::TupleNames(names)) = decode(tuple_names::GUID, slice(b"Low\0\0High\0")) else { panic!() };
    assert_eq!(texts(&names), ["Low", "", "High"]);
    assert!(decode(tuple_names::GUID, slice(b"Low\0Hi")).is_err());
}

const SLOTS: &[u8] = &[
    0x01, 0x0b, // the user's, syntax offset 10
    0x00, // temporary
    0xa2, 0x80, 0xd4, 0x02, // an awaiter at 211, the third of its kind
    0xff, 0x05, // from here on the baseline is -5
    0x16, 0x01, // a return value at -4
];

#[test]
fn slots_count_from_their_baseline() {
    let Ok(Decoded::LocalSlotMap(slots)) = decode(local_slot_map::GUID, slice(SLOTS)) else { panic!() };
    let expected = [
        Variable { kind: 0, syntax_offset: 10, ordinal: 0 },
        Temporary,
        Variable { kind: 33, syntax_offset: 211, ordinal: 2 },
        Variable { kind: 21, syntax_offset: -4, ordinal: 0 },
    ];
    assert_eq!(slots, expected);
}

const LAMBDAS: &[u8] = &[
    0x05, 0x03, // method 4, baseline -3
    0x02, 0x03, 0x0b, // two closures, at 0 and 8
    0x00, 0x00, // -3, closes over this
    0x65, 0x01, // 98, closes over nothing
    0x80, 0xab, 0x03, // 168, in the second closure
];

#[test]
fn lambdas_close_over_this_nothing_or_a_closure() {
    let Ok(Decoded::LambdaMap(map)) = decode(lambda_map::GUID, slice(LAMBDAS)) else { panic!() };
    assert_eq!((map.method_ordinal, map.closures), (4, vec![0, 8]));
    let expected = [(-3, Closure::This), (98, Closure::Static), (168, Closure::Index(1))];
    assert_eq!(map.lambdas, expected.map(|(syntax_offset, closure)| Lambda { syntax_offset, closure }));
    let error = decode(lambda_map::GUID, slice(&[1, 1, 1, 0, 5, 3])).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NoSuch { what: "closure", index: 1, count: 1 });
}

const STATES: &[u8] = &[
    0x03, 0x01, // three states, baseline -1
    0x00, 0x05, // state 0 at 4
    0x02, 0x05, // state 1 at the same
    0x79, 0x80, 0xb2, // state -4 at 177
];

#[test]
fn states_at_the_same_syntax_are_numbered() {
    let Ok(Decoded::StateMap(states)) = decode(state_map::GUID, slice(STATES)) else { panic!() };
    let expected = [(0, 4, 0), (1, 4, 1), (-4, 177, 0)];
    assert_eq!(states, expected.map(|(number, syntax_offset, ordinal)| State { number, syntax_offset, ordinal }));
    assert!(matches!(decode(state_map::GUID, slice(&[0])), Ok(Decoded::StateMap(states)) if states.is_empty()));
    assert!(decode(state_map::GUID, slice(&[2, 1, 0, 5, 0, 4])).is_err());
}

const STEPPING: &[u8] = &[
    0x6b, 3, 0, 0, // a handler at IL_036a
    0x57, 0, 0, 0, 0x75, 0, 0, 0, 0x2c, // IL_0057 to IL_0075 of method 0x2c
];

#[test]
fn awaits_suspend_and_resume() {
    let Ok(Decoded::AsyncStepping(stepping)) = decode(async_stepping::GUID, slice(STEPPING)) else { panic!() };
    assert_eq!(stepping.catch_handler, Some(0x36a));
    assert_eq!(stepping.awaits, [Await { yield_offset: 0x57, resume_offset: 0x75, move_next: 0x2c }]);
    let Ok(Decoded::AsyncStepping(none)) = decode(async_stepping::GUID, slice(&[0; 4])) else { panic!() };
    assert_eq!((none.catch_handler, none.awaits), (None, vec![]));
}

#[test]
fn a_source_is_raw_or_deflated() {
    let format = |blob: &'static [u8]| match decode(embedded_source::GUID, slice(blob)) {
        Ok(Decoded::EmbeddedSource(source)) => (source.format, source.content.data, source.content.start),
        _ => panic!(),
    };
    assert_eq!(format(b"\0\0\0\0abc"), (Format::Raw, &b"abc"[..], 4));
    assert_eq!(format(b"\x09\0\0\0abc"), (Format::Deflate(9), &b"abc"[..], 4));
    assert_eq!(format(b"\xff\xff\xff\xff"), (Format::Reserved(-1), &b""[..], 4));
}

const REFERENCES: &[u8] =
    b"System.Runtime.dll\0\0\x01\x89\x2b\xad\xc0\0\xe0\0\0\xd8\x03\x9c\xd0\xd7\x9d\xc8\x4b\x97\x95\x6a\x8f\xbd\x24\x56\x62\
      Interop.dll\0a,b\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

#[test]
fn references_can_be_found_again() {
    let Ok(Decoded::CompilationReferences(found)) = decode(compilation_references::GUID, slice(REFERENCES)) else {
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
    let Ok(Decoded::CompilationOptions(options)) = decode(compilation_options::GUID, slice(blob)) else { panic!() };
    let pairs: Vec<_> = options.iter().map(|option| texts([&option.name, &option.value])).collect();
    assert_eq!(pairs, [["version", "2"], ["nullable", "Enable"]]);
    assert!(decode(compilation_options::GUID, slice(b"version\0")).is_err());
}

#[test]
fn documents_of_a_type_are_rows() {
    let Ok(Decoded::TypeDocuments(rows)) = decode(type_documents::GUID, slice(&[2, 0x81, 0])) else { panic!() };
    assert_eq!(rows, [2, 256]);
}

const NAMES: &[u8] = b"\x01\x02\x01k\x02\x03k-1\x03k-2\x00\x00";

#[test]
fn made_up_names_come_in_buckets() {
    let Ok(Decoded::NameSnapshot(buckets)) = decode(name_snapshot::GUID, slice(NAMES)) else { panic!() };
    assert_eq!(texts(buckets.iter().map(|bucket| &bucket.key)), ["k", ""]);
    assert_eq!(texts(&buckets[0].names), ["k-1", "k-2"]);
    assert!(decode(name_snapshot::GUID, slice(&[2, 0])).is_err());
}

#[test]
fn text_and_unknown_kinds_are_the_blob() {
    for (guid, blob) in [(default_namespace::GUID, &b"Ledger"[..]), (source_link::GUID, b"{}"), (Guid::default(), b"?")]
    {
        let decoded = decode(guid, slice(blob)).unwrap();
        let (Decoded::DefaultNamespace(text) | Decoded::SourceLink(text) | Decoded::Unknown(text)) = decoded else {
            panic!()
        };
        assert_eq!(text.data, blob);
    }
    assert!(matches!(decode(primary_constructor::GUID, slice(&[])), Ok(Decoded::PrimaryConstructor)));
}

#[test]
fn every_kind_is_there_once_and_has_an_example() {
    assert_eq!(KINDS.len(), 15);
    for kind in KINDS {
        assert_eq!(KINDS.iter().filter(|other| other.guid == kind.guid || other.name == kind.name).count(), 1);
        assert_eq!(EXAMPLES.iter().filter(|(guid, _)| *guid == kind.guid).count(), 1, "{}", kind.name);
    }
}

/// What is noted of a blob tiles what was read of it: all, if there was no error. Notes do not change the result.
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
    assert_eq!(result.as_ref().err(), decode(guid, slice(blob)).as_ref().err());
    if let Err(error) = &result {
        assert!(slice(blob).span().covers(error.span), "{error:?}");
    }
    result
}

#[test]
fn notes_tile_the_examples_however_they_are_cut() {
    for (guid, blob) in EXAMPLES {
        let mut cursor = Cursor::recording(slice(blob));
        explain(*guid, &mut cursor).unwrap();
        assert!(cursor.is_done(), "{guid}");
        for len in 0..=blob.len() {
            let done = check(*guid, &blob[..len]).is_ok();
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
    let slots = vec![0; MOST + 1];
    assert!(
        matches!(decode(local_slot_map::GUID, slice(&slots[1..])), Ok(Decoded::LocalSlotMap(all)) if all.len() == MOST)
    );
    let error = decode(local_slot_map::GUID, slice(&slots)).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::TooLarge { .. }), "{error:?}");
}

proptest! {
    #[test]
    fn no_bytes_are_too_much(blob in proptest::collection::vec(any::<u8>(), 0..40)) {
        for (guid, _) in EXAMPLES {
            let _ = check(*guid, &blob);
        }
    }
}

use proptest::prelude::*;

use super::*;
use crate::bytes::record::undescribed;
use crate::bytes::{Cursor, ErrorKind, Field, Recording, Result, Slice, SpaceId, Span, Value};
use crate::metadata::Token;

fn slice(bytes: &[u8]) -> Slice<'_> {
    Slice::new(bytes, SpaceId(3), 0x1000)
}

fn span(from: u64, len: u64) -> Span {
    slice(&[]).span().part(from, len)
}

fn texts(code: &[u8]) -> Vec<String> {
    Instructions::new(slice(code))
        .map(|item| match item {
            Ok(i) => format!("{:x} {} {:?} {}", i.offset, i.opcode.name, i.operand, i.span.len),
            Err(error) => format!("{:x}+{} {error}", error.span.start - 0x1000, error.span.len),
        })
        .collect()
}

/// The fields that `decode` notes, and whether their leaves tile the bytes from the first to where it stopped.
fn noted<'a, T>(bytes: &'a [u8], decode: impl FnOnce(&mut Cursor<'a, Recording>) -> Result<T>) -> Vec<Field> {
    let mut cursor = Cursor::recording(slice(bytes));
    let _ = decode(&mut cursor);
    let end = cursor.position();
    let fields = cursor.fields();
    let mut at = 0x1000;
    for leaf in fields.iter().filter(|field| field.value != Value::Group) {
        assert_eq!(leaf.span.start, at, "{}", leaf.name());
        at = leaf.span.end();
    }
    assert_eq!(at, end);
    fields
}

#[test]
fn a_tiny_body() {
    let bytes = [
        0x0a, // tiny, 2 bytes of code
        0x17, // ldc.i4.1
        0x2a, // ret
        0xff, // no longer ours
    ];
    let body = Body::parse(slice(&bytes)).unwrap();
    assert_eq!((body.max_stack, body.local_signature, body.init_locals), (8, Token(0), false));
    assert_eq!((body.header, body.code, body.span), (span(0, 1), span(1, 2), span(0, 3)));
    assert_eq!((body.regions, body.problems), (vec![], vec![]));
}

/// A fat body with code of 13 bytes, and a small and a fat section after each other.
const CHAINED: &[u8] = &[
    0x1b, 0x30, // fat, more sections, init locals; 3 words
    0x02, 0x00, // max stack
    0x0d, 0x00, 0x00, 0x00, // code size
    0x05, 0x00, 0x00, 0x11, // local signature
    0x00, 0x00, 0xde, 0x0a, 0x26, 0xde, 0x07, // IL_0000
    0x26, 0x16, 0xfe, 0x11, 0xdc, 0x2a, // IL_0007
    0x00, 0x00, 0x00, // padding
    0x81, 0x1c, 0x00, 0x00, // exception table, small, more follow; 4 + 2 × 12 bytes
    0x00, 0x00, 0x00, 0x00, 0x04, 0x04, 0x00, 0x03, 0x10, 0x00, 0x00,
    0x01, // catch 0x01000010: try 0-4, handler 4-7
    0x01, 0x00, 0x00, 0x00, 0x07, 0x09, 0x00, 0x02, 0x07, 0x00, 0x00, 0x00, // filter at 7: try 0-7, handler 9-11
    0x41, 0x34, 0x00, 0x00, // exception table, fat, the last; 4 + 2 × 24 bytes
    0x02, 0x00, 0x00, 0x00, // finally
    0x00, 0x00, 0x00, 0x00, 0x0b, 0x00, 0x00, 0x00, // try 0-11
    0x0b, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, // handler 11-12
    0x00, 0x00, 0x00, 0x00, // unused
    0x04, 0x00, 0x00, 0x00, // fault
    0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, // try 1-3
    0x03, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, // handler 3-4
    0x00, 0x00, 0x00, 0x00, // unused
];

fn region(kind: RegionKind, tried: (u32, u32), handler: (u32, u32), at: (u64, u64)) -> ExceptionRegion {
    let range = |(start, len)| IlRange { start, len };
    ExceptionRegion { kind, tried: range(tried), handler: range(handler), span: span(at.0, at.1) }
}

#[test]
fn a_fat_body_with_all_kinds_of_regions_in_two_sections() {
    let body = Body::parse(slice(CHAINED)).unwrap();
    assert_eq!((body.max_stack, body.local_signature, body.init_locals), (2, Token(0x1100_0005), true));
    assert_eq!((body.header, body.code, body.span), (span(0, 12), span(12, 13), span(0, 108)));
    assert_eq!(body.problems, []);
    let regions = [
        region(RegionKind::Catch { class: Token(0x0100_0010) }, (0, 4), (4, 3), (32, 12)),
        region(RegionKind::Filter { filter: 7 }, (0, 7), (9, 2), (44, 12)),
        region(RegionKind::Finally, (0, 11), (11, 1), (60, 24)),
        region(RegionKind::Fault, (1, 2), (3, 1), (84, 24)),
    ];
    assert_eq!(body.regions, regions);
    assert_eq!(body.regions[1].filter(), Some(IlRange { start: 7, len: 2 }));
    assert!(body.regions[1].tried.contains(6) && !body.regions[1].tried.contains(7));
    assert_eq!(Instructions::new(slice(CHAINED).at(body.code).unwrap()).flatten().count(), 10);
}

#[test]
fn a_body_is_tiled_wherever_it_is_cut() {
    for len in 0..=CHAINED.len() {
        let bytes = &CHAINED[..len];
        noted(bytes, Body::decode);
        match Body::parse(slice(bytes)) {
            Ok(body) => {
                assert!(len >= 12, "a body without its header");
                assert_eq!(body.problems.is_empty(), len == CHAINED.len(), "cut to {len}: {:?}", body.problems);
                assert_eq!(body.code.len, (len as u64 - 12).min(13));
                assert!(slice(bytes).span().covers(body.span));
                let whole = [44, 56, 84, 108].into_iter().filter(|end| *end <= len).count();
                assert_eq!(body.regions.len(), whole, "the clauses that are whole are kept");
            }
            Err(error) => assert!(len < 12, "cut to {len}: {error}"),
        }
    }
}

#[test]
fn sections_that_lie_are_problems() {
    let with = |section: &[u8]| {
        let code = [0x0b, 0x30, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x2a, 0, 0, 0];
        let bytes = [&code, section].concat();
        noted(&bytes, Body::decode);
        let body = Body::parse(slice(&bytes)).unwrap();
        assert_eq!(body.code, span(12, 1));
        (body.regions.len(), body.problems.iter().map(|p| (p.to_string(), p.span)).collect::<Vec<_>>())
    };
    let says = |text: &str, at: Span| vec![(text.to_owned(), at)];
    // A section of 3 bytes, less than its header.
    assert_eq!(with(&[0x01, 3, 0, 0]), (0, says("the section is smaller than its header", span(16, 4))));
    // Not an exception table: passed over, and the next one read.
    let skipped = [0x82, 6, 0, 0, 9, 9, 0, 0, 0x01, 4, 0, 0];
    assert_eq!(with(&skipped), (0, vec![]));
    // The header left out of the size, as some compilers do: 12 bytes for one clause. A finally, try 0-1, handler 0-1.
    assert_eq!(with(&[0x01, 12, 0, 0, 2, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0]), (1, vec![]));
    // A try block that ends after the code; a filter after its handler; a kind that is none.
    let far = [0x01, 16, 0, 0, 2, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0, 0];
    assert_eq!(with(&far), (1, says("an exception clause extends past the code", span(20, 12))));
    let filter = [0x01, 16, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0];
    assert_eq!(with(&filter), (1, says("a filter begins after its handler", span(20, 12))));
    let unknown = [0x01, 16, 0, 0, 8, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0];
    assert_eq!(with(&unknown), (1, says("unknown kind of exception clause 8", span(20, 12))));
}

#[test]
fn headers_that_are_none() {
    for first in [0x00, 0x01, 0x04, 0xfd] {
        let error = Body::parse(slice(&[first, 0x30, 0, 0])).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.span), ("the method header is neither tiny nor fat", span(0, 1)));
    }
    // A header of 4 words: read, its fourth word passed over, and said to be wrong.
    let four = [0x03, 0x40, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 0x2a];
    let body = Body::parse(slice(&four)).unwrap();
    assert_eq!((body.header, body.code, body.problems.len()), (span(0, 16), span(16, 1), 1));
}

#[test]
fn instructions_with_every_kind_of_operand() {
    let code = [
        0x02, // ldarg.0
        0x10, 0x05, // starg.s 5
        0xfe, 0x0c, 0x01, 0x02, // ldloc 513
        0x1f, 0xfe, // ldc.i4.s -2
        0x20, 0x00, 0x00, 0x00, 0x80, // ldc.i4 -2147483648
        0x21, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, // ldc.i8
        0x22, 0x00, 0x00, 0x80, 0x3f, // ldc.r4 1
        0x23, 0, 0, 0, 0, 0, 0, 0xf0, 0xbf, // ldc.r8 -1
        0x72, 0x01, 0x00, 0x00, 0x70, // ldstr
        0xde, 0xd2, // leave.s: 46 bytes back
        0x38, 0xff, 0xff, 0xff, 0x7f, // br: far beyond
        0xfe, 0x01, // ceq
    ];
    let expected = [
        "0 ldarg.0 None 1",
        "1 starg.s Variable(Argument(5)) 2",
        "3 ldloc Variable(Local(513)) 4",
        "7 ldc.i4.s Integer(-2) 2",
        "9 ldc.i4 Integer(-2147483648) 5",
        "e ldc.i8 Integer(9223372036854775807) 9",
        "17 ldc.r4 Single(1065353216) 5",
        "1c ldc.r8 Double(13830554455654793216) 9",
        "25 ldstr Token(0x70000001) 5",
        "2a leave.s Branch(-2) 2",
        "2c br Branch(2147483696) 5",
        "31 ceq None 2",
    ];
    assert_eq!(texts(&code), expected);
    let variables: Vec<_> = Instructions::new(slice(&code)).filter_map(|i| i.unwrap().variable()).collect();
    assert_eq!(variables, [Variable::Argument(0), Variable::Argument(5), Variable::Local(513)]);
}

#[test]
fn a_switch_counts_its_targets_from_its_end() {
    let code = [
        0x45, // switch
        0x02, 0x00, 0x00, 0x00, // 2 targets
        0x01, 0x00, 0x00, 0x00, // +1
        0xfd, 0xff, 0xff, 0xff, // -3
        0x00, 0x2a,
    ];
    let first = Instructions::new(slice(&code)).next().unwrap().unwrap();
    let Operand::Switch(targets) = first.operand else { panic!("{first:?}") };
    assert_eq!((targets.len(), targets.iter().collect::<Vec<_>>()), (2, vec![0xe, 0xa]));
    assert_eq!(first.next(), 0xd);
    let fields = noted(&code, |cursor| Instruction::decode(cursor, 0));
    let names: Vec<_> = fields.iter().map(|f| (f.name(), f.value, f.span.len)).collect();
    let expected = [
        ("instruction", Value::Group, 13),
        ("opcode", Value::Unsigned(0x45), 1),
        ("target count", Value::Unsigned(2), 4),
        ("jump", Value::Signed(1), 4),
        ("jump", Value::Signed(-3), 4),
    ];
    assert_eq!(names, expected);
}

#[test]
fn what_is_no_instruction_is_passed_over() {
    // No such opcode; no such two-byte opcode; a switch that says it has 2³⁰ targets; an operand cut short.
    let code = [0x24, 0x2a, 0xfe, 0x30, 0x45, 0, 0, 0, 0x40, 0x2a, 0x28, 0x01, 0x00];
    let expected = [
        "0+1 unknown opcode 0x24",
        "1 ret None 1",
        "2+2 unknown opcode 0xfe30",
        "4+5 unexpected end at 0x1004: 4294967296 bytes needed, 4 left",
        "9 ret None 1",
        "a+3 unexpected end at 0x100a: 4 bytes needed, 2 left",
    ];
    assert_eq!(texts(&code), expected);
    assert_eq!(texts(&[0x00, 0xfe]), ["0 nop None 1", "1+1 unexpected end at 0x1001: 1 byte needed, 0 left"]);
    assert!(texts(&[]).is_empty());
    assert!(matches!(
        Instruction::decode(&mut Cursor::new(slice(&[])), 0).unwrap_err().kind,
        ErrorKind::UnexpectedEnd { .. }
    ));
}

proptest! {
    #[test]
    fn instructions_before_an_offset_are_skipped(code in prop::collection::vec(any::<u8>(), 0..200), offset in 0_u32..210) {
        let is_before = |item: &Result<Instruction<'_>>| item.as_ref().is_ok_and(|found| found.next() < offset);
        let left = Instructions::new(slice(&code)).skip_while(is_before);
        prop_assert!(Instructions::new(slice(&code)).skip_to(offset).eq(left));
    }

    #[test]
    fn instructions_and_errors_tile_any_bytes(code in prop::collection::vec(any::<u8>(), 0..200)) {
        let (mut at, mut starts) = (0x1000, Vec::new());
        Instructions::new(slice(&code)).each_start(|offset| starts.push(offset));
        let mut starts = starts.into_iter();
        for item in Instructions::new(slice(&code)) {
            let span = item.as_ref().map_or_else(|error| error.span, |instruction| instruction.span);
            prop_assert_eq!(span.start, at);
            prop_assert!(!span.is_empty());
            let offset = (at - 0x1000) as u32;
            prop_assert_eq!(starts.next(), Some(offset));
            let mut cursor = Cursor::recording(slice(&code).rest(offset as u64));
            prop_assert_eq!(Instruction::decode(&mut cursor, offset), item);
            let leaves: u64 =
                cursor.fields().iter().filter(|field| field.value != Value::Group).map(|field| field.span.len).sum();
            prop_assert_eq!(leaves, span.len);
            at = span.end();
        }
        prop_assert_eq!(at, 0x1000 + code.len() as u64);
        prop_assert_eq!(starts.next(), None);
    }

    #[test]
    fn any_bytes_behind_a_header_keep_their_code(size in 0u8..40, rest in prop::collection::vec(any::<u8>(), 40..200)) {
        let bytes = [&[0x0b, 0x30, 8, 0, size, 0, 0, 0, 0, 0, 0, 0][..], &rest].concat();
        let body = Body::parse(slice(&bytes)).unwrap();
        prop_assert_eq!(body.code, span(12, size as u64));
        for region in &body.regions {
            prop_assert!(body.span.covers(region.span));
        }
        noted(&bytes, Body::decode);
    }

    #[test]
    fn any_bytes_are_a_body_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        noted(&bytes, Body::decode);
    }
}

#[test]
fn every_field_of_an_instruction_has_a_sentence() {
    for opcode in &OPCODES {
        let [high, low] = opcode.code.to_be_bytes();
        let bytes = if high == 0 { vec![low] } else { vec![high, low] };
        // A count of one for switch, which is as good as any operand for others; then one cut short.
        for operand in [&[1, 0, 0, 0, 0, 0, 0, 0][..], &[1]] {
            let missing = undescribed(&[&bytes, operand].concat(), |c| Instruction::decode(c, 0).map(|_| ()));
            assert_eq!(missing, [""; 0], "{}", opcode.name);
        }
    }
}

#[test]
fn every_field_of_a_body_has_a_sentence() {
    let fat = |words: u8, section: &[u8]| {
        let extra = [0; 4].repeat(usize::from(words) - 3);
        [&[0x0b, words << 4, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0][..], &extra, &[0x2a, 0, 0, 0], section].concat()
    };
    for bytes in [
        vec![0x06, 0x2a],
        fat(4, &[0x01, 17, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0]),
        fat(3, &[0x01, 16, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0]),
        fat(3, &[&[0x41, 28, 0, 0, 2, 0, 0, 0][..], &[0; 20]].concat()),
    ] {
        let missing = undescribed(&bytes, |c| Body::decode(c).map(|_| ()));
        assert_eq!(missing, [""; 0], "{bytes:x?}");
    }
}

use super::*;
use crate::bytes::{Recording, Slice, SpaceId};
use debug_info::Layout;
use writer::{BoundRow, Nibbles, VariableRow, array, native, signed};

const X64: Layout = Layout { major: 16, is_x86: false };

fn slice(bytes: &[u8]) -> Slice<'_> {
    Slice::new(bytes, SpaceId(0), 0)
}

/// Debug information of `System.Uri.CreateThis` in System.Private.Uri 10.0.12 for x64 Linux.
const CREATE_THIS: &[u8] = &[
    0x6b, 0x7c, 0x69, 0x75, 0x02, 0x01, 0x8e, 0x03, 0x1a, 0x21, 0x66, 0x31, 0x16, 0x34, 0x3a, 0x4a, 0x1a, 0x53, 0x3a,
    0x81, 0x92, 0x8b, 0x1e, 0x90, 0x02, 0x00, 0x36, 0x0b, 0xdc, 0x20, 0x2a, 0x8e, 0x29, 0xc0, 0x43, 0x70, 0x3c, 0xb9,
    0x46, 0x30, 0xd0, 0x51, 0x60, 0xc0, 0x63, 0x20, 0x3c, 0x7b, 0x06, 0x59, 0xc0, 0x73, 0x10, 0x3c, 0xc9, 0x71, 0x90,
    0xa7, 0x1c, 0x2a, 0x07, 0x79, 0xc0, 0x93, 0x00, 0x09, 0x3c, 0x2e, 0x09, 0x90, 0x06,
];

#[test]
fn bounds_and_variables_of_a_method() {
    let bytes = [&native(0), CREATE_THIS].concat();
    let info = DebugInfo::decode(&mut slice(&bytes).cursor(), X64).unwrap();
    let bounds: Vec<_> = info.bounds.iter().map(|bound| format!("{}@{:x}", bound.il, bound.native)).collect();
    // ICorDebugCode::GetILToNativeMapping gives the same entries.
    let expected = "prolog@0 0x0@23 0x1e@29 0x2e@42 0x31@47 0x47@55 0x50@5b 0x7e@69 0x88@8d 0x8d@94 epilog@94 0x8@a1 \
                    0x1d@d8 0x8b@e2";
    assert_eq!(bounds.join(" "), expected);
    let this: Vec<_> = info.variables.iter().filter(|variable| variable.number == 0).collect();
    assert_eq!((this[0].start, this[0].end, this[0].location), (0, 0x23, VariableLocation::Register(7)));
    assert_eq!((this[1].start, this[1].location), (0x23, VariableLocation::Register(3)));
    assert_eq!(debug_info::register_name(0x8664, 7, false), "rdi");
    // As a base, the number behind the registers and their count is that of the stack pointer after the prolog.
    let bases =
        [(0x8664, 17), (0xaa64, 34), (0x8664, 5)].map(|(machine, number)| debug_info::base_name(machine, number));
    assert_eq!(bases, ["rsp after the prolog", "sp after the prolog", "rbp"]);
    assert_eq!(
        [0x30, 0x5d, 0x112, 0x200].map(signature::helper_name)[..],
        [Some("WriteBarrier"), None, Some("GetCurrentManagedThreadId"), None]
    );
    assert_eq!((info.variables.len(), info.span.len), (10, CREATE_THIS.len() as u64));
    assert_eq!(info.bound_at(0x28).map(|bound| bound.il), Some(IlPosition::Offset(0)));
    assert_eq!((info.end_of(0, 0xed), info.end_of(13, 0xed)), (0x23, 0xed));
}

/// Rows of debug information, and what they are decoded to; on x86 stack offsets are divided by 4.
fn sample(is_x86: bool) -> (Vec<BoundRow>, Vec<VariableRow>, DebugInfo) {
    let none = Span::default();
    let rows = vec![[0, 1, 2], [0x13, 3, 2], [0x13, 0x202, 1], [0x80, 2, 2], [0x80, 10, 2], [0x170, 0, 2]];
    let il = |stored| match stored {
        0 => IlPosition::Epilog,
        1 => IlPosition::Prolog,
        2 => IlPosition::None,
        _ => IlPosition::Offset(stored - 3),
    };
    let bound = |[native, stored, source]: [u32; 3]| Bound {
        native,
        il: il(stored),
        stack_empty: source & 2 != 0,
        is_call: source & 1 != 0,
        is_async: false,
        span: none,
    };
    let offset = |offset: i32| signed(if is_x86 { offset / 4 } else { offset });
    let locations = [
        (vec![0, 7], VariableLocation::Register(7)),
        (vec![3, 5, offset(-0x48)], VariableLocation::Stack { base: 5, offset: -0x48 }),
        (vec![5, 0, 2], VariableLocation::TwoRegisters(0, 2)),
        (vec![4, 4, offset(0x1000)], VariableLocation::ReferenceOnStack { base: 4, offset: 0x1000 }),
        (vec![7, offset(8), 5, 1], VariableLocation::RegisterAndStack { register: 1, base: 5, offset: 8 }),
        (vec![2, 16], VariableLocation::FloatRegister(16)),
    ];
    let (mut variables, mut decoded) = (Vec::new(), Vec::new());
    for (number, (numbers, location)) in (-3_i32..).zip(locations) {
        let start = (number + 3).cast_unsigned() * 0x21;
        variables.push((number, start, 0x90, numbers));
        decoded.push(Variable { start, end: start + 0x90, number, location, span: none });
    }
    let bounds = rows.iter().copied().map(bound).collect();
    (rows, variables, DebugInfo { bounds, variables: decoded, span: none })
}

/// The same information without its spans.
fn bare(mut info: DebugInfo) -> DebugInfo {
    info.span = Span::default();
    info.bounds.iter_mut().for_each(|bound| bound.span = Span::default());
    info.variables.iter_mut().for_each(|variable| variable.span = Span::default());
    info
}

#[test]
fn each_version_has_its_encoding() {
    for major in [3, 10].into_iter().chain(16..=24) {
        for is_x86 in [false, true] {
            let layout = Layout { major, is_x86 };
            let (bounds, variables, expected) = sample(is_x86);
            let blob = writer::debug_info(&bounds, &variables, major);
            let bytes = [native(0), blob].concat();
            let info = DebugInfo::decode(&mut slice(&bytes).cursor(), layout).unwrap();
            assert_eq!(info.span.len, bytes.len() as u64 - 1, "{major}");
            assert_eq!(bare(info), expected, "{major}");
            let mut recording = Cursor::recording(slice(&bytes));
            DebugInfo::decode(&mut recording, layout).unwrap();
            let fields = recording.fields();
            assert!(fields.iter().all(|field| !field.doc.about.is_empty() && field.span.end() <= bytes.len() as u64));
        }
    }
}

#[test]
fn a_part_may_have_room_after_its_last_entry() {
    let (bounds, variables, expected) = sample(false);
    let blob = writer::debug_info(&bounds, &[], 16);
    let (room, rest) = (vec![0; 32], writer::debug_info(&[], &variables, 16));
    // Both headers have two bytes or more; the second one's bounds are a header of three nibbles.
    let size = |blob: &[u8]| {
        slice(blob)
            .cursor()
            .nibbles(|n| Ok((n.unsigned(&Header::signature)?, n.unsigned(&Header::signature)?)))
            .unwrap()
    };
    let head = |blob: &[u8]| {
        let (bounds, variables) = size(blob);
        (blob.len() as u32 - bounds - variables) as usize
    };
    let (own, last) = (&blob[head(&blob)..][..size(&blob).0 as usize], &rest[head(&rest) + size(&rest).0 as usize..]);
    let mut header = Nibbles::default();
    for number in [own.len() as u32 + 32, last.len() as u32] {
        header.unsigned(number);
    }
    let bytes = [&native(0), &header.bytes(), own, &room, last].concat();
    let info = DebugInfo::decode(&mut slice(&bytes).cursor(), X64).unwrap();
    assert_eq!(bare(info), expected);
}

#[test]
fn shared_debug_information_lies_before() {
    let bytes = [CREATE_THIS, &native(CREATE_THIS.len() as u32)].concat();
    let mut cursor = slice(&bytes).cursor();
    cursor.seek(CREATE_THIS.len() as u64).unwrap();
    let info = DebugInfo::decode(&mut cursor, X64).unwrap();
    assert_eq!((info.bounds.len(), info.span.start), (14, 0));
    let error = DebugInfo::decode(&mut slice(&native(9)).cursor(), X64).unwrap_err();
    assert!(error.to_string().contains("look-back"), "{error}");
}

#[test]
fn an_array_has_its_elements_and_no_others() {
    let numbers = [0, 1, 2, 7, 9, 15, 16, 40, 77];
    let elements: Vec<_> = numbers.iter().map(|number| (*number, native(*number * 100))).collect();
    let bytes = array(&elements, 90);
    let read = Array::read(slice(&bytes)).unwrap();
    assert_eq!((read.len, read.present().collect::<Vec<_>>()), (90, numbers.to_vec()));
    for number in numbers {
        let mut cursor = read.get(number).unwrap().unwrap();
        assert_eq!(cursor.native_unsigned(&Header::signature), Ok(number * 100));
    }
    let mut recording = Cursor::recording(slice(&bytes));
    assert_eq!(read.find(&mut recording, 9), Ok(true));
    let names: Vec<_> = recording.fields().iter().map(crate::bytes::Field::name).collect();
    assert_eq!(names, ["array header", "block index", "tree node", "tree node", "tree node", "tree node"]);
}

#[test]
fn an_entry_point_has_its_fixups_here_or_elsewhere() {
    let plain = EntryPoint::decode(&mut slice(&native(137 << 1)).cursor()).unwrap();
    assert_eq!(plain, EntryPoint { function: 137, fixups: Vec::new() });
    let mut nibbles = Nibbles::default();
    for number in [5, 6, 24, 3, 0, 1, 0, 0, 0] {
        nibbles.unsigned(number);
    }
    let fixups = vec![(5, 6), (5, 30), (5, 33), (6, 0)];
    let bytes = [native(137 << 2 | 1), nibbles.bytes()].concat();
    let here = EntryPoint::decode(&mut slice(&bytes).cursor()).unwrap();
    assert_eq!(here, EntryPoint { function: 137, fixups: fixups.clone() });
    let before = nibbles.bytes();
    let index = native(9 << 2 | 3);
    let bytes = [before.clone(), index.clone(), native((before.len() + index.len()) as u32)].concat();
    let mut cursor = slice(&bytes).cursor();
    cursor.seek(before.len() as u64).unwrap();
    assert_eq!(EntryPoint::decode(&mut cursor), Ok(EntryPoint { function: 9, fixups }));
}

#[test]
fn the_machine_is_marked_with_the_system() {
    for (coff, machine, system) in [
        (0xfd1d, 0x8664, "Linux"),
        (0xd11d, 0xaa64, "Linux"),
        (0xec20, 0xaa64, "Apple"),
        (0x8664, 0x8664, "Windows"),
        (0x014c, 0x014c, "Windows"),
    ] {
        let target = target(coff);
        assert_eq!((target.machine, target.system_name()), (machine, system), "{coff:#x}");
    }
}

/// Reads everything of bytes that may be damaged; what counts is that it ends, and soon.
fn read_all(bytes: &[u8], layout: Layout) {
    let mut recording: Cursor<'_, Recording> = Cursor::recording(slice(bytes));
    let _ = DebugInfo::decode(&mut recording, layout);
    let _ = EntryPoint::decode(&mut slice(bytes).cursor());
    let _ = ReadyToRun::decode(&mut slice(bytes).cursor(), 0x8664);
    if let Ok(array) = Array::read(slice(bytes)) {
        assert!(array.len as usize <= bytes.len() * 16);
        for mut cursor in array.present().filter_map(|index| array.get(index).ok().flatten()) {
            let _ = DebugInfo::decode(&mut cursor, layout);
        }
    }
}

#[test]
fn damaged_bytes_are_errors() {
    for major in [3, 16, 22] {
        let layout = Layout { major, is_x86: false };
        let (bounds, variables, _) = sample(false);
        let info = [native(0), writer::debug_info(&bounds, &variables, major)].concat();
        let section = array(&[(0, info.clone()), (3, info.clone()), (20, info.clone())], 33);
        for bytes in [info, section] {
            for len in 0..bytes.len() {
                read_all(&bytes[..len], layout);
            }
            for bit in 0..bytes.len() * 8 {
                let mut damaged = bytes.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                read_all(&damaged, layout);
            }
        }
    }
    // Counts that no bytes stand for are refused before anything is allocated.
    let mut nibbles = Nibbles::default();
    for number in [u32::MAX, 0, 0] {
        nibbles.unsigned(number);
    }
    let bounds = nibbles.bytes();
    let mut header = Nibbles::default();
    for number in [bounds.len() as u32, 0] {
        header.unsigned(number);
    }
    let error = DebugInfo::decode(&mut slice(&[native(0), header.bytes(), bounds].concat()).cursor(), X64).unwrap_err();
    assert!(error.to_string().contains("more bounds than bytes"), "{error}");
}

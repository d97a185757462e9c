use super::*;
use crate::bytes::{Origin, SpaceId, Spaces, Value};
use crate::codeview::Leaf;
use crate::codeview::types::Builtin;
use crate::msf::Msf;
use pdb::FallibleIterator;

fn sample() -> Vec<u8> {
    let path = std::env::var("PDBLENS_NATIVE_PDB");
    let tally = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/native/tally.pdb");
    std::fs::read(path.as_deref().unwrap_or(tally)).unwrap()
}

/// The type streams of a PDB.
fn streams(bytes: &[u8]) -> [TypeStream; 2] {
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("f", Origin::File("f".into()), bytes.to_vec()).span().space;
    let msf = Msf::open(&mut spaces, file).unwrap();
    [2, 4].map(|stream| TypeStream::parse(spaces.region(msf.stream(stream).unwrap().space).unwrap()))
}

fn text(slice: Slice<'_>) -> String {
    String::from_utf8_lossy(slice.data).into_owned()
}

fn number(leaf: Leaf<'_>) -> i64 {
    match leaf {
        Leaf::Unsigned(n) => n.cast_signed(),
        Leaf::Signed(n) => n,
        leaf => panic!("{leaf:?}"),
    }
}

/// One line for a type: what both readers say.
fn ours(data: &TypeData<'_>) -> String {
    let name = |slice: &Slice<'_>| text(*slice);
    match data {
        TypeData::Class { count, property, fields, size, name: n, unique, .. } => {
            format!("class {count} {:x} {fields:x} {} {} {}", property.0, number(*size), name(n), name(unique))
        }
        TypeData::Union { count, property, fields, size, name: n, unique } => {
            format!("union {count} {:x} {fields:x} {} {} {}", property.0, number(*size), name(n), name(unique))
        }
        TypeData::Enumeration { count, of, fields, name: n, .. } => {
            format!("enum {count} {of:x} {fields:x} {}", name(n))
        }
        TypeData::Pointer { to, attributes, class } => {
            format!("pointer {to:x} {} {class:x}", TypeData::pointer_size(*attributes))
        }
        TypeData::Modifier { of, flags } => format!("modifier {of:x} {} {}", flags & 1 == 1, flags & 2 == 2),
        TypeData::Procedure { returns, count, arguments, .. } => format!("procedure {returns:x} {count} {arguments:x}"),
        TypeData::MemberFunction { returns, class, this, count, arguments, adjustment, .. } => {
            format!("method {returns:x} {class:x} {this:x} {count} {arguments:x} {adjustment}")
        }
        TypeData::List(list) => format!("list {:x?}", list.iter().collect::<Vec<_>>()),
        TypeData::BitField { of, length, position } => format!("bits {of:x} {length} {position}"),
        TypeData::Array { of, index, size, .. } => format!("array {of:x} {index:x} {}", number(*size)),
        TypeData::Fields(members) => members.iter().map(|member| our_member(&member.unwrap())).collect(),
        TypeData::MethodList(methods) => {
            methods.iter().map(|m| format!("overload {:x} {:?};", m.of, m.virtual_offset)).collect::<Vec<_>>().concat()
        }
        TypeData::Function { scope, of, name: n } => format!("function {scope:x} {of:x} {}", name(n)),
        TypeData::Method { class, of, name: n } => format!("member function {class:x} {of:x} {}", name(n)),
        TypeData::Text { before, text: n } => format!("text {before:x} {}", name(n)),
        TypeData::BuildInfo(list) => format!("build {:x?}", list.iter().collect::<Vec<_>>()),
        TypeData::SourceLine { of, line, .. } => format!("line {of:x} {line}"),
        _ => "other".into(),
    }
}

fn our_member(member: &Member<'_>) -> String {
    let value = member.value.map(number);
    let (of, name) = (member.of, text(member.name));
    match member.kind {
        0x150d => format!("member {of:x} {} {name};", value.unwrap()),
        0x150e => format!("static {of:x} {name};"),
        0x1502 => format!("value {} {name};", value.unwrap()),
        0x150f => format!("methods {} {of:x} {name};", member.count),
        0x1511 => format!("method {of:x} {value:?} {name};"),
        0x1510 => format!("nested {of:x} {name};"),
        0x1400 => format!("base {of:x} {};", value.unwrap()),
        0x1401 | 0x1402 => format!("virtual base {of:x} {};", value.unwrap()),
        0x1409 => format!("table {of:x};"),
        kind => format!("{kind:x};"),
    }
}

fn theirs(data: &pdb::TypeData<'_>) -> String {
    use pdb::TypeData as T;
    let hex = |index: Option<pdb::TypeIndex>| format!("{:x}", index.map_or(0, |index| index.0));
    match data {
        T::Class(c) => {
            format!("class {} ", c.count)
                + &format!("§ {} {} {} {}", hex(c.fields), c.size, c.name, unique(c.unique_name))
        }
        T::Union(c) => format!("union {} § {:x} {} {} {}", c.count, c.fields.0, c.size, c.name, unique(c.unique_name)),
        T::Enumeration(e) => format!("enum {} {:x} {:x} {}", e.count, e.underlying_type.0, e.fields.0, e.name),
        T::Pointer(p) => {
            format!("pointer {:x} {} {}", p.underlying_type.0, p.attributes.size(), hex(p.containing_class))
        }
        T::Modifier(m) => format!("modifier {:x} {} {}", m.underlying_type.0, m.constant, m.volatile),
        T::Procedure(p) => {
            format!("procedure {} {} {:x}", hex(p.return_type), p.parameter_count, p.argument_list.0)
        }
        T::MemberFunction(m) => format!(
            "method {:x} {:x} {} {} {:x} {}",
            m.return_type.0,
            m.class_type.0,
            hex(m.this_pointer_type),
            m.parameter_count,
            m.argument_list.0,
            m.this_adjustment
        ),
        T::ArgumentList(l) => format!("list {:x?}", l.arguments.iter().map(|index| index.0).collect::<Vec<_>>()),
        T::Bitfield(b) => format!("bits {:x} {} {}", b.underlying_type.0, b.length, b.position),
        T::Array(a) => {
            format!("array {:x} {:x} {}", a.element_type.0, a.indexing_type.0, a.dimensions.last().unwrap())
        }
        T::FieldList(l) => l.fields.iter().map(|field| their_member(field)).collect(),
        T::MethodList(l) => l
            .methods
            .iter()
            .map(|m| format!("overload {:x} {:?};", m.method_type.0, m.vtable_offset))
            .collect::<Vec<_>>()
            .concat(),
        _ => "other".into(),
    }
}

fn unique(name: Option<pdb::RawString<'_>>) -> String {
    name.map_or(String::new(), |name| name.to_string().into_owned())
}

fn their_member(data: &pdb::TypeData<'_>) -> String {
    use pdb::TypeData as T;
    match data {
        T::Member(m) => format!("member {:x} {} {};", m.field_type.0, m.offset, m.name),
        T::StaticMember(m) => format!("static {:x} {};", m.field_type.0, m.name),
        T::Enumerate(e) => {
            let value = match e.value {
                pdb::Variant::U8(n) => n as i64,
                pdb::Variant::U16(n) => n as i64,
                pdb::Variant::U32(n) => n as i64,
                pdb::Variant::U64(n) => n.cast_signed(),
                pdb::Variant::I8(n) => n as i64,
                pdb::Variant::I16(n) => n as i64,
                pdb::Variant::I32(n) => n as i64,
                pdb::Variant::I64(n) => n,
            };
            format!("value {value} {};", e.name)
        }
        T::OverloadedMethod(m) => format!("methods {} {:x} {};", m.count, m.method_list.0, m.name),
        T::Method(m) => format!("method {:x} {:?} {};", m.method_type.0, m.vtable_offset, m.name),
        T::Nested(n) => format!("nested {:x} {};", n.nested_type.0, n.name),
        T::BaseClass(b) => format!("base {:x} {};", b.base_class.0, b.offset),
        T::VirtualBaseClass(b) => format!("virtual base {:x} {};", b.base_class.0, b.base_pointer_offset),
        T::VirtualFunctionTablePointer(t) => format!("table {:x};", t.table.0),
        other => format!("{other:?}"),
    }
}

#[test]
fn types_are_what_the_pdb_crate_reads() {
    let bytes = sample();
    let [types, ids] = streams(&bytes);
    assert_eq!((&types.problems[..], &ids.problems[..]), (&[][..], &[][..]));
    let mut peer = pdb::PDB::open(std::io::Cursor::new(&bytes)).unwrap();
    let info = peer.type_information().unwrap();
    let mut iter = info.iter();
    let mut records = types.iter();
    while let Some(theirs_) = iter.next().unwrap() {
        let record = records.next().unwrap();
        assert_eq!((record.index, record.kind), (theirs_.index().0, theirs_.raw_kind()));
        let (Ok(theirs_), ours_) = (theirs_.parse(), record.read().unwrap()) else { continue };
        // `pdb` says no properties; take ours away.
        let (mut ours_, theirs_) = (ours(&ours_), theirs(&theirs_));
        if theirs_.contains('§') {
            let mut words: Vec<_> = ours_.split(' ').map(str::to_owned).collect();
            words[2] = "§".into();
            ours_ = words.join(" ");
        }
        assert_eq!(ours_, theirs_, "type {:x}", record.index);
    }
    assert!(records.next().is_none());
    let info = peer.id_information().unwrap();
    assert_eq!(info.iter().count().unwrap(), ids.iter().count());
}

#[test]
fn any_record_is_found_by_its_number() {
    for types in streams(&sample()) {
        let all: Vec<_> = types.iter().map(|record| (record.index, record.span())).collect();
        assert_eq!(all.len(), types.len() as usize);
        for (index, span) in &all {
            assert_eq!(types.get(*index).unwrap().span(), *span);
        }
        assert!(types.get(types.first() + types.len()).is_none() && types.get(0x74).is_none());
    }
}

#[test]
fn fields_tile_every_record() {
    for types in streams(&sample()) {
        for record in types.iter() {
            let mut cursor = Cursor::recording(record.slice);
            TypeData::decode(&mut cursor).unwrap();
            let leaves = cursor.fields().into_iter().filter(|field| field.value != Value::Group);
            let end = leaves.fold(record.span().start, |end, leaf| {
                assert_eq!(leaf.span.start, end, "{}", leaf.name());
                leaf.span.end()
            });
            assert_eq!(end, record.span().end());
        }
    }
}

#[test]
fn the_sample_has_its_structure() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/native/tally.pdb");
    let [types, ids] = streams(&std::fs::read(path).unwrap());
    let class = types.iter().find_map(|record| match record.read().unwrap() {
        TypeData::Class { fields, name, property, .. } if name.data == b"tally" && !property.is_forward() => {
            Some(fields)
        }
        _ => None,
    });
    let (members, error) = types.members(class.unwrap());
    let members: Vec<_> = members.iter().map(|member| (text(member.name), number(member.value.unwrap()))).collect();
    assert_eq!((members, error), (vec![("count".into(), 0), ("sum".into(), 8), ("label".into(), 16)], None));
    let names: Vec<_> = ids.iter().filter_map(|record| record.read().unwrap().name().map(text)).collect();
    assert!(names.iter().any(|name| name == "clamp"), "{names:?}");
    assert_eq!(Builtin::of(0x74).name, Some("int"));
    assert_eq!((Builtin::of(0x670).name, Builtin::of(0x670).pointer), (Some("char"), 8));
    assert_eq!(Builtin::of(0xff).name, None);
}

#[test]
fn what_the_sample_has_not() {
    let read = |bytes: &'static [u8]| {
        let record = Slice::new(bytes, SpaceId(0), 0);
        let mut cursor = Cursor::recording(record);
        TypeData::decode(&mut cursor).unwrap();
        assert!(cursor.is_done());
        TypeData::decode(&mut record.cursor()).unwrap()
    };
    // A virtual base, padding, a virtual method that is the first, two methods of one name, and the way on.
    let TypeData::Fields(fields) = read(
        b"\x4a\0\x03\x12\x01\x14\x03\0\x01\x10\0\0\x02\x10\0\0\x08\0\x01\0\
          \x11\x15\x13\0\x03\x10\0\0\x18\0\0\0f\0\xf2\xf1\
          \x0f\x15\x02\0\x04\x10\0\0g\0\xf2\xf1\
          \x02\x15\x03\0\x01\x80\xff\xffmin\0\xf3\xf2\xf1\
          \x04\x14\0\0\x05\x10\0\0",
    ) else {
        panic!()
    };
    let members: Vec<_> = fields.iter().map(|member| our_member(&member.unwrap())).collect();
    assert_eq!(
        members[..4],
        ["virtual base 1001 8;", "method 1003 Some(24) f;", "methods 2 1004 g;", "value -1 min;",]
    );
    assert!(fields.iter().last().unwrap().unwrap().goes_on());
    let TypeData::MethodList(methods) = read(b"\x16\0\x06\x12\x03\0\0\0\x03\x10\0\0\x13\0\0\0\x04\x10\0\0\x08\0\0\0")
    else {
        panic!()
    };
    let offsets: Vec<_> = methods.iter().map(|method| method.virtual_offset).collect();
    assert_eq!(offsets, [None, Some(8)]);
    let TypeData::Pointer { class, .. } = read(b"\x12\0\x02\x10\x40\0\0\0\x4c\0\x01\0\x07\x10\0\0\x01\0\xf2\xf1")
    else {
        panic!()
    };
    assert_eq!(class, 0x1007);
    assert!(matches!(read(b"\x06\0\x99\x19abcd"), TypeData::Other(_)));
}

#[test]
fn lists_of_members_that_go_round_in_a_circle_end() {
    // A header, and a field list of which the only member is that it goes on in itself.
    let mut bytes = vec![0; 56];
    for (at, number) in [(0, 20_040_203_u32), (4, 56), (8, 0x1000), (12, 0x1001), (16, 12)] {
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    bytes.extend(b"\x0a\0\x03\x12\x04\x14\0\0\0\x10\0\0");
    let types = TypeStream::parse(Region::whole(SpaceId(0), std::sync::Arc::new(bytes)));
    assert_eq!(types.problems, []);
    let (members, error) = types.members(0x1000);
    assert!(members.is_empty() && error.unwrap().kind == ErrorKind::Circular("a list of members"));
    assert!(matches!(types.members(0x2000).1.unwrap().kind, ErrorKind::NoSuch { .. }));
}

#[test]
fn cut_and_flipped_streams_are_read_as_far_as_they_go() {
    let bytes = sample();
    let mut spaces = Spaces::default();
    let file = spaces.add_bytes("f", Origin::File("f".into()), bytes).span().space;
    let msf = Msf::open(&mut spaces, file).unwrap();
    let exhaust = |bytes: Vec<u8>| {
        let types = TypeStream::parse(Region::whole(SpaceId(0), std::sync::Arc::new(bytes)));
        for record in types.iter() {
            let mut cursor = Cursor::recording(record.slice);
            let _ = (TypeData::decode(&mut cursor), record.read(), types.members(record.index));
        }
        types
    };
    for stream in [2, 4] {
        let bytes = spaces.region(msf.stream(stream).unwrap().space).unwrap().bytes().to_vec();
        for at in (0..bytes.len()).take(4096) {
            assert!(at == 0 || !exhaust(bytes[..at].to_vec()).problems.is_empty(), "cut at {at}");
            for bits in [0x01, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= bits;
                exhaust(bytes);
            }
        }
    }
}

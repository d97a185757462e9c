use super::*;

/// UTF-16 with its terminator.
fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
}

fn object(version: u8, name: &str, payload: impl FnOnce(usize) -> Vec<u8>, out: &mut Vec<u8>) {
    out.extend([5, 5, 1]);
    // The version of the writer, and the first one whose readers can read the object.
    out.extend([[version, 0, 0, 0], [4, 0, 0, 0], (name.len() as u32).to_le_bytes()].concat());
    out.extend(name.as_bytes());
    out.push(6);
    let payload = payload(out.len());
    out.extend(payload);
    out.push(6);
}

/// A block of events, with its size and padding, as an object has it.
fn block(events: &[(u8, Vec<u8>)]) -> impl FnOnce(usize) -> Vec<u8> {
    raw_block(content(events, 7))
}

fn raw_block(content: Vec<u8>) -> impl FnOnce(usize) -> Vec<u8> {
    move |at| {
        let padding = vec![0; (at + 4).next_multiple_of(4) - at - 4];
        [(content.len() as u32).to_le_bytes().to_vec(), padding, content].concat()
    }
}

/// Events of a thread: kind and payload of each. Of two with one kind and size, the second has neither in its head.
fn content(events: &[(u8, Vec<u8>)], thread: u8) -> Vec<u8> {
    let mut content = vec![4, 0, 1, 0];
    let mut last = (0, 0);
    for (kind, payload) in events {
        let mut flags = 0x0e;
        if (*kind, payload.len()) != last {
            flags |= 0x81;
        }
        content.push(flags);
        content.extend((flags & 1 != 0).then_some(*kind));
        // Sequence, thread and processor; thread; stack; time.
        content.extend([1, 0x85, 1, 0, thread, 9, 0x80, 1]);
        if flags & 0x80 != 0 {
            content.extend([payload.len() as u8 | 0x80, (payload.len() >> 7) as u8]);
        }
        content.extend(payload);
        last = (*kind, payload.len());
    }
    content
}

/// A method of version 2 of the event, with the version of its code behind the runtime.
fn versioned(id: u64, address: u64, code: u64) -> Vec<u8> {
    [method(id, address), vec![1, 0], code.to_le_bytes().to_vec()].concat()
}

fn method(id: u64, address: u64) -> Vec<u8> {
    let numbers = [id, 7, address].map(u64::to_le_bytes).concat();
    let more = [0x40_u32, 0x0600_0003, 2 << 7 | 8].map(u32::to_le_bytes).concat();
    [numbers, more, utf16("Ticker.Clock"), utf16("Since"), utf16("int64(int64)")].concat()
}

fn map(id: u64, pairs: &[(i32, u32)]) -> Vec<u8> {
    versioned_map(id, 0, pairs)
}

fn versioned_map(id: u64, code: u64, pairs: &[(i32, u32)]) -> Vec<u8> {
    let head = [&id.to_le_bytes()[..], &code.to_le_bytes(), &[0], &(pairs.len() as u16).to_le_bytes()].concat();
    let il = pairs.iter().flat_map(|(il, _)| il.to_le_bytes());
    head.into_iter().chain(il).chain(pairs.iter().flat_map(|(_, native)| native.to_le_bytes())).collect()
}

const PROVIDER: &str = "Microsoft-Windows-DotNETRuntime";
const SAMPLES: &str = "Microsoft-DotNETCore-SampleProfiler";

/// Numbers of kinds of events, and their ids and providers.
const KINDS: [(u32, u32, &str); 5] =
    [(1, 143, PROVIDER), (2, 190, PROVIDER), (3, 152, PROVIDER), (4, 1, PROVIDER), (5, 0, SAMPLES)];

/// Events of a module, two bodies of one method, and their maps.
fn events() -> Vec<(u8, Vec<u8>)> {
    let module = [
        &[7, 0, 0, 0, 0, 0, 0, 0][..],
        &[0; 16],
        &utf16("/app/Ticker.dll"),
        &utf16(""),
        &[1, 0],
        &[9; 16],
        &1_u32.to_le_bytes(),
    ];
    vec![
        (3, module.concat()),
        (1, method(5, 0x7f00)),
        (2, map(5, &[(0, 4), (7, 0x10), (-3, 0x3e), (-2, 0)])),
        (1, method(5, 0x8f00)),
        (2, map(5, &[(0, 0), (7, 8), (-3, 9), (-2, 0)])),
        (1, method(5, 0x8f00)),
        (2, map(6, &[(0, 0)])),
        // In managed code, in native code, and in managed code again: the helper gives all events the stack 9.
        (5, vec![2, 0, 0, 0]),
        (5, vec![1, 0, 0, 0]),
        (5, vec![2, 0, 0, 0]),
    ]
}

/// Stacks from number 8 on: that of an event is the second.
fn stack_block() -> Vec<u8> {
    let stacks: [&[u64]; 3] = [&[1], &[0x7f10, 0x8f08], &[]];
    let bytes = |stack: &[u64]| {
        let addresses: Vec<u8> = stack.iter().flat_map(|address| address.to_le_bytes()).collect();
        [(addresses.len() as u32).to_le_bytes().to_vec(), addresses].concat()
    };
    [[8, 0, 0, 0, 3, 0, 0, 0].to_vec(), stacks.map(bytes).concat()].concat()
}

/// Events of a rundown: each map is before its method, the map of version 8 is missing, and a method and its map are there twice.
fn rundown() -> Vec<(u8, Vec<u8>)> {
    let [(3, module), ..] = &events()[..] else { panic!() };
    vec![
        (3, module.clone()),
        (1, versioned(5, 0x7f00, 6)),
        (1, versioned(5, 0x6f00, 8)),
        (2, versioned_map(5, 7, &[(0, 1)])),
        (1, versioned(5, 0x8f00, 7)),
        (2, versioned_map(5, 6, &[(0, 2)])),
        (2, versioned_map(5, 6, &[(0, 2)])),
        (1, versioned(5, 0x7f00, 6)),
        (2, versioned_map(9, 0, &[(0, 3)])),
        (1, method(9, 0x9f00)),
        (2, versioned_map(9, 0, &[(0, 4)])),
        (1, method(9, 0xaf00)),
    ]
}

/// A trace of format 4 or 5. A definition of format 5 has tags below its fields: one byte of an opcode, and fields of a second
/// kind (`NetTraceFormat_v5.md`, "Metadata event encoding").
fn trace(version: u8) -> Vec<u8> {
    trace_of(version, &events())
}

fn trace_of(version: u8, events: &[(u8, Vec<u8>)]) -> Vec<u8> {
    trace_with(version, stack_block(), events)
}

fn trace_with(version: u8, stacks: Vec<u8>, events: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let define = |(number, kind, provider): (u32, u32, &str)| {
        let id = [number.to_le_bytes().to_vec(), utf16(provider), kind.to_le_bytes().to_vec()].concat();
        // The name of the event, keywords, version, level, and the number of fields.
        let more = [&utf16("Event")[..], &[0; 8], &[2, 0, 0, 0], &[4, 0, 0, 0], &[0; 4]].concat();
        let tags = [1, 0, 0, 0, 1, 10, 4, 0, 0, 0, 2, 0, 0, 0, 0];
        (0, [id, more, if version == 5 { tags.to_vec() } else { Vec::new() }].concat())
    };
    let mut out = b"Nettrace\x14\0\0\0!FastSerialization.1".to_vec();
    object(version, "Trace", |_| vec![0; 48], &mut out);
    object(version, "MetadataBlock", block(&KINDS.map(define)), &mut out);
    object(version, "StackBlock", raw_block(stacks), &mut out);
    object(version, "EventBlock", block(events), &mut out);
    out.push(1);
    out
}

/// A trace of format 6, with a block of threads, and a block of the same events for each of some threads.
fn trace_6(threads: Vec<u8>, of: &[u8]) -> Vec<u8> {
    let mut definitions = vec![2, 0, 9, 9];
    for (number, kind, provider) in KINDS {
        // Format 6 has no sample profiler in these tests, but samples of the processor, whose kind has a name.
        let (provider, name) = if provider == SAMPLES { ("Universal.Events", "cpu") } else { (provider, "") };
        // Fields and more follow the name.
        let id = [kind as u8 & 0x7f | 0x80, (kind >> 7) as u8, name.len() as u8];
        let row =
            [&[number as u8, provider.len() as u8][..], provider.as_bytes(), &id, name.as_bytes(), &[0; 4]].concat();
        definitions.extend((row.len() as u16).to_le_bytes());
        definitions.extend(row);
    }
    let events = of.iter().map(|thread| {
        let mut events = content(&events(), *thread);
        // The first event has a number of a list of labels before the size of its payload.
        events[4] |= 16;
        events.insert(14, 5);
        (2, events)
    });
    let mut out = b"Nettrace\0\0\0\0\x06\0\0\0\0\0\0\0".to_vec();
    let start = [(1, vec![0; 44]), (3, definitions), (9, vec![1]), (6, threads), (5, stack_block())];
    for (kind, block) in start.into_iter().chain(events).chain([(0, Vec::new())]) {
        out.extend((kind << 24 | block.len() as u32).to_le_bytes());
        out.extend(block);
    }
    out
}

#[test]
fn a_trace_has_methods_with_bounds() {
    let found = NativeMap::read(&trace(4)).unwrap();
    assert_eq!(NativeMap::read(&trace(5)), Some(NativeMap { format: 5, ..found.clone() }));
    let of_6 = NativeMap::read(&trace_6(Vec::new(), &[7])).unwrap();
    assert_eq!(NativeMap { samples: found.samples.clone(), ..of_6 }, NativeMap { format: 6, ..found.clone() });
    assert_eq!(found.format, 4);
    assert_eq!(found.methods.len(), 2);
    assert_eq!(found.modules[0].pdb, Some((Guid([9; 16]), 1)));
    let [one, other] = found.methods.as_slice() else { panic!() };
    assert_eq!((one.token, one.tier.as_str()), (Token(0x0600_0003), "Optimized"));
    let bounds = |method: &MapMethod| -> Vec<(u32, IlPosition)> {
        method.bounds.iter().map(|bound| (bound.native, bound.il)).collect()
    };
    let il = IlPosition::Offset;
    assert_eq!(bounds(one), [(0, IlPosition::Prolog), (4, il(0)), (0x10, il(7)), (0x3e, IlPosition::Epilog)]);
    assert_eq!((other.address, bounds(other)[1]), (0x8f00, (0, IlPosition::Prolog)));
}

/// Process and address.
type FrameOf = (Option<u64>, Option<u64>);

/// Frames of each stack of samples, and the number of them.
fn samples(map: &NativeMap) -> Vec<(Vec<FrameOf>, u64)> {
    let frame = |number: &u32| {
        let frame = &map.samples.frames[*number as usize];
        (frame.process, frame.address)
    };
    map.samples.stacks.iter().map(|stack| (stack.frames.iter().map(frame).collect(), stack.count)).collect()
}

#[test]
fn a_stack_that_many_samples_name_is_decoded_once() {
    // Decoded for each sample, the stack would be 20 000 million addresses.
    let (addresses, events) = (200_000_u64, 100_000);
    let stack: Vec<u8> = (0..addresses).flat_map(u64::to_le_bytes).collect();
    let block = [&9_u32.to_le_bytes()[..], &1_u32.to_le_bytes(), &(stack.len() as u32).to_le_bytes(), &stack].concat();
    let found = NativeMap::read(&trace_with(4, block, &vec![(5, vec![2, 0, 0, 0]); events])).unwrap();
    let [only] = &found.samples.stacks[..] else { panic!() };
    assert_eq!((only.frames.len() as u64, only.count), (addresses, events as u64));
}

#[test]
fn samples_have_the_stacks_of_the_block_before_them() {
    let [inner, outer, native] = [Some(0x7f10), Some(0x8f08), None].map(|address| (None, address));
    let found = NativeMap::read(&trace(4)).unwrap();
    assert_eq!(samples(&found), [(vec![inner, outer], 2), (vec![native, inner, outer], 1)]);
    // The payloads are weights there: 2, 1 and 2.
    let threads = vec![6, 0, 7, 1, 1, b'a', 2, 100];
    let [inner, outer] = [inner, outer].map(|(_, address)| (Some(100), address));
    assert_eq!(samples(&NativeMap::read(&trace_6(threads, &[7])).unwrap()), [(vec![inner, outer], 5)]);
    // Without the block, nothing is known of a stack.
    let without: Vec<(u8, Vec<u8>)> = events().into_iter().filter(|(kind, _)| *kind == 5).collect();
    let mut bytes = trace_of(4, &without);
    let at = bytes.windows(10).position(|bytes| bytes == b"StackBlock").unwrap();
    bytes[at] = b'X';
    assert_eq!(samples(&NativeMap::read(&bytes).unwrap()), [(vec![native], 3)]);
}

#[test]
fn a_map_belongs_to_the_version_of_the_code_before_or_after_it() {
    let found = NativeMap::read(&trace_of(4, &rundown())).unwrap();
    let first = |body: &MapMethod| body.bounds.first().map(|bound| bound.native);
    let bodies: Vec<_> = found.methods.iter().map(|body| (body.address, first(body))).collect();
    let expected = [(0x7f00, Some(2)), (0x6f00, None), (0x8f00, Some(1)), (0x9f00, Some(3)), (0xaf00, Some(4))];
    assert_eq!(bodies, expected);
}

/// Ids of methods and modules are addresses, and so are equal in processes that begin alike.
#[test]
fn processes_of_one_trace_are_told_apart() {
    // Thread 7, its name, process 100; thread 8, its number, a key with a value, process 300.
    let one = [6, 0, 7, 1, 1, b'a', 2, 100];
    let other = [11, 0, 8, 3, 9, 4, 1, b'k', 1, b'v', 2, 0xac, 2];
    let threads = [&one[..], &other].concat();
    let found = NativeMap::read(&trace_6(threads, &[7, 8])).unwrap();
    let processes: Vec<_> = found.modules.iter().map(|module| (module.process, module.id)).collect();
    assert_eq!(processes, [(Some(100), 7), (Some(300), 7)]);
    let bodies: Vec<_> = found.methods.iter().map(|body| (body.process, body.address, body.bounds.len())).collect();
    assert_eq!(
        bodies,
        [(Some(100), 0x7f00, 4), (Some(100), 0x8f00, 4), (Some(300), 0x7f00, 4), (Some(300), 0x8f00, 4)]
    );
}

#[test]
fn damaged_traces_are_read_as_far_as_they_go() {
    assert_eq!(NativeMap::read(b"Nettrace"), None);
    for whole in [trace(4), trace_6(vec![5, 0, 7, 3, 9, 2, 100], &[7])] {
        for len in 31..whole.len() {
            NativeMap::read(&whole[..len]);
        }
        // Cut inside the last block with events: they are lost, and nothing else.
        assert_eq!(NativeMap::read(&whole[..whole.len() - 5]).map(|map| map.methods.len()), Some(0));
        for bit in 0..whole.len() * 8 {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            NativeMap::read(&bytes);
        }
    }
}

//! Event traces of the runtime (`.nettrace`, formats 4 to 6): methods, modules, maps of IL to native offsets, and stacks of samples.
//!
//! A trace is a sequence of objects, or from format 6 on of blocks. Some have events; an event names its kind by a number, which an event of a metadata block
//! has defined before. Fields that are not in the head of an event keep the value that the event before it had. The stack of an event is a number, too:
//! a block before it has the stack, and a later block may give the number to another one.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{MapMethod, MapModule, NativeMap, bounds};
use crate::bytes::Guid;
use crate::container::numbers::Reader;
use crate::metadata::Token;
use crate::profile::{Profile, SampledFrame, Stacks};
use crate::r2r::Bound;

/// Bytes before the first object: the name of the format, and of the serialization with its length.
const START: &[u8] = b"Nettrace\x14\0\0\0!FastSerialization.1";

/// Bytes before the first block of format 6: the name of the format, a number that is 0, and the major version.
const START_6: &[u8] = b"Nettrace\0\0\0\0\x06\0\0\0";

/// Kinds of blocks of format 6: the end and the head of the trace, events, definitions of kinds of events, stacks, and threads.
const END_BLOCK: u32 = 0;
const TRACE_BLOCK: u32 = 1;
const EVENT_BLOCK: u32 = 2;
const METADATA_BLOCK: u32 = 3;
const STACK_BLOCK: u32 = 5;
const THREAD_BLOCK: u32 = 6;

/// Tags of an object's begin and end, and of no object, which ends the trace.
const BEGIN: u8 = 5;
const END: u8 = 6;
const NULL: u8 = 1;
/// Size of the object with the time and the process.
const TRACE_OBJECT: usize = 48;
/// Place in it of the size of an address.
const POINTER_SIZE: usize = 32;
/// Sample of a thread that was in native code, which the innermost frame of the stack called.
const EXTERNAL: u32 = 1;

/// Content of an event that is read.
#[derive(Clone, Copy)]
enum EventKind {
    Method,
    Map,
    Module,
    /// Sample of the runtime, which says whether the thread was in native code.
    ThreadSample,
    /// Sample of the whole system, with its weight.
    CpuSample,
}

/// Process, id of a method, and version of its code (ReJIT id): what a method and its map have in common.
type BodyKey = (Option<u64>, u64, u64);

/// State of the reader.
#[derive(Default)]
struct TraceReader<'b> {
    /// True for format 6, whose events have a list of labels in the place of activities.
    has_labels: bool,
    kinds: HashMap<u64, EventKind>,
    /// Processes of the threads of format 6. Ids of modules and methods are addresses in one of them.
    processes: HashMap<u64, u64>,
    /// Process of the event that is read.
    process: Option<u64>,
    map: NativeMap,
    has_short_addresses: bool,
    /// All stacks: addresses, the innermost first.
    stacks: Vec<&'b [u8]>,
    /// Indexes of stacks by their numbers.
    numbered: HashMap<u64, usize>,
    /// Weights of samples by process, by whether the thread was in native code, and by the index of the stack.
    samples: BTreeMap<(Option<u64>, bool, Option<usize>), u64>,
    /// Processes and ids of modules, and of methods with their addresses, that were seen.
    seen: HashSet<(Option<u64>, u64, u64)>,
    /// The last body of each key.
    bodies: HashMap<BodyKey, usize>,
    /// Payloads of maps whose method was not read yet: a rundown writes the map of a body before its method, a running program after it.
    early: HashMap<BodyKey, Reader<'b>>,
}

/// Reads a trace; `None` for other files.
pub(super) fn read(bytes: &[u8]) -> Option<NativeMap> {
    let mut trace = TraceReader { has_labels: bytes.starts_with(START_6), ..TraceReader::default() };
    if trace.has_labels {
        trace.map.format = 6;
        // The minor version follows.
        let mut rest = Reader::new(bytes, START_6.len() + 4);
        while trace.block(&mut rest) == Some(true) {}
    } else if bytes.starts_with(START) {
        let mut rest = Reader::new(bytes, START.len());
        while trace.object(&mut rest) == Some(true) {}
    } else {
        return None;
    }
    let samples = trace.profile(4 * bytes.len() as u64);
    Some(NativeMap { samples, ..trace.map })
}

impl<'b> TraceReader<'b> {
    /// Reads an object; false at the end of the trace.
    fn object(&mut self, rest: &mut Reader<'b>) -> Option<bool> {
        match rest.u8()? {
            NULL => return Some(false),
            BEGIN => {}
            _ => return None,
        }
        // The type of the object, whose own type is none: versions and name.
        if rest.take(2)? != [BEGIN, NULL] {
            return None;
        }
        let (version, _) = (rest.u32()?, rest.u32()?);
        let len = rest.u32()?;
        let name = rest.take(len as usize)?;
        rest.u8()?;
        if name == b"Trace" {
            self.map.format = version;
            self.head(rest.take(TRACE_OBJECT)?);
        } else {
            let size = rest.u32()?;
            rest.at = rest.at.next_multiple_of(4);
            let block = rest.take(size as usize)?;
            match name {
                b"EventBlock" => self.events(block, false)?,
                b"MetadataBlock" => self.events(block, true)?,
                b"StackBlock" => _ = self.stacks(block),
                _ => {}
            }
        }
        if rest.u8()? == END { Some(true) } else { None }
    }

    /// Reads a block of format 6; false at the end of the trace.
    fn block(&mut self, rest: &mut Reader<'b>) -> Option<bool> {
        let head = rest.u32()?;
        let block = rest.take((head & 0xff_ffff) as usize)?;
        match head >> 24 {
            END_BLOCK => return Some(false),
            TRACE_BLOCK => self.head(block),
            EVENT_BLOCK => self.events(block, false)?,
            METADATA_BLOCK => self.definitions(block)?,
            STACK_BLOCK => _ = self.stacks(block),
            THREAD_BLOCK => self.threads(block)?,
            _ => {}
        }
        Some(true)
    }

    fn head(&mut self, head: &[u8]) {
        self.has_short_addresses = Reader::new(head, POINTER_SIZE).u32() == Some(4);
    }

    /// Reads the stacks of a block, as far as it goes.
    fn stacks(&mut self, block: &'b [u8]) -> Option<()> {
        let mut rest = Reader::new(block, 0);
        let (first, count) = (rest.u32()?, rest.u32()?);
        for number in 0..count {
            let size = rest.u32()?;
            self.numbered.insert(u64::from(first) + u64::from(number), self.stacks.len());
            self.stacks.push(rest.take(size as usize)?);
        }
        Some(())
    }

    /// Reads the threads of a block of format 6.
    fn threads(&mut self, block: &[u8]) -> Option<()> {
        let mut rest = Reader::new(block, 0);
        while !rest.is_done() {
            let size = rest.u16()?;
            let mut row = Reader::new(rest.take(size.into())?, 0);
            let thread = row.leb128_u64()?;
            while let Some(kind) = row.u8() {
                match kind {
                    // The name; a key and its value.
                    1 => skip_string(&mut row)?,
                    4 => skip_string(&mut row).and_then(|()| skip_string(&mut row))?,
                    2 => {
                        self.processes.insert(thread, row.leb128_u64()?);
                    }
                    3 => {
                        row.leb128_u64()?;
                    }
                    _ => break,
                }
            }
        }
        Some(())
    }

    /// Reads the definitions of a block of format 6.
    fn definitions(&mut self, block: &[u8]) -> Option<()> {
        let mut rest = Reader::new(block, 0);
        let size = rest.u16()?;
        rest.take(size.into())?;
        while !rest.is_done() {
            let size = rest.u16()?;
            let mut row = Reader::new(rest.take(size.into())?, 0);
            let (number, len) = (row.leb128_u64()?, row.leb128_u64()?);
            let provider = String::from_utf8_lossy(row.take(usize::try_from(len).ok()?)?).into_owned();
            let event = row.leb128_u64()?;
            let name = row.leb128_u64().and_then(|len| row.take(usize::try_from(len).ok()?));
            if provider == "Universal.Events" && name == Some(b"cpu") {
                self.kinds.insert(number, EventKind::CpuSample);
            }
            self.define(number, &provider, event);
        }
        Some(())
    }

    /// Reads the events of a block.
    fn events(&mut self, block: &'b [u8], is_metadata: bool) -> Option<()> {
        let mut head = Reader::new(block, 0);
        let (size, flags) = (head.u16()?, head.u16()?);
        if flags & 1 == 0 {
            return None;
        }
        let mut rest = Reader::new(block, size.into());
        let (mut kind, mut thread, mut stack, mut payload_size) = (0, 0, 0, 0);
        while !rest.is_done() {
            let flags = rest.u8()?;
            if flags & 1 != 0 {
                kind = rest.leb128_u64()?;
            }
            // Sequence, thread that wrote the event, and processor.
            for _ in 0..if flags & 2 == 0 { 0 } else { 3 } {
                rest.leb128_u64()?;
            }
            if flags & 4 != 0 {
                thread = rest.leb128_u64()?;
            }
            if flags & 8 != 0 {
                stack = rest.leb128_u64()?;
            }
            // Time.
            rest.leb128_u64()?;
            if self.has_labels {
                if flags & 16 != 0 {
                    rest.leb128_u64()?;
                }
            } else {
                rest.take(usize::from(flags & 16) + usize::from(flags & 32) / 2)?;
            }
            if flags & 128 != 0 {
                payload_size = rest.leb128_u64()?;
            }
            let mut payload = Reader::new(rest.take(usize::try_from(payload_size).ok()?)?, 0);
            // The reader skips an event whose payload it cannot read.
            if is_metadata {
                let _ = self.definition(&mut payload);
            } else if let Some(kind) = self.kinds.get(&kind) {
                self.process = self.processes.get(&thread).copied();
                let _ = self.event(*kind, stack, &mut payload);
            }
        }
        Some(())
    }

    /// Reads the definition of a kind of event.
    fn definition(&mut self, payload: &mut Reader<'_>) -> Option<()> {
        let number = payload.u32()?;
        let provider = text(payload)?;
        self.define(number.into(), &provider, payload.u32()?.into());
        Some(())
    }

    /// Takes note of the number of a kind of event, if it is one that is read.
    fn define(&mut self, number: u64, provider: &str, event: u64) {
        let kind = match (provider, event) {
            ("Microsoft-Windows-DotNETRuntime" | "Microsoft-Windows-DotNETRuntimeRundown", 143)
            | ("Microsoft-Windows-DotNETRuntimeRundown", 144) => EventKind::Method,
            ("Microsoft-Windows-DotNETRuntime", 190) | ("Microsoft-Windows-DotNETRuntimeRundown", 149 | 150) => {
                EventKind::Map
            }
            ("Microsoft-Windows-DotNETRuntime", 152) | ("Microsoft-Windows-DotNETRuntimeRundown", 153 | 154) => {
                EventKind::Module
            }
            ("Microsoft-DotNETCore-SampleProfiler", 0) => EventKind::ThreadSample,
            _ => return,
        };
        self.kinds.insert(number, kind);
    }

    fn event(&mut self, kind: EventKind, stack: u64, payload: &mut Reader<'b>) -> Option<()> {
        let process = self.process;
        match kind {
            EventKind::ThreadSample => {
                let is_external = payload.u32()? == EXTERNAL;
                *self.samples.entry((process, is_external, self.numbered.get(&stack).copied())).or_default() += 1;
            }
            EventKind::CpuSample => {
                let weight = u32::try_from(payload.leb128_u64()?).ok()?;
                let of = (process, false, self.numbered.get(&stack).copied());
                *self.samples.entry(of).or_default() += u64::from(weight);
            }
            EventKind::Method => self.method(payload)?,
            EventKind::Map => {
                let key = (process, payload.u64()?, payload.u64()?);
                let found = map_bounds(payload.clone())?;
                let body = self.bodies.get(&key).and_then(|index| self.map.methods.get_mut(*index));
                match body.filter(|body| body.bounds.is_empty()) {
                    Some(body) => body.bounds = found,
                    None => _ = self.early.insert(key, payload.clone()),
                }
            }
            EventKind::Module => {
                let id = payload.u64()?;
                payload.take(16)?;
                let path = text(payload)?;
                // Path of the native image, and the runtime.
                text(payload)?;
                payload.u16()?;
                let guid = Guid(*payload.take(16)?.first_chunk()?);
                let pdb = if guid.is_nil() { None } else { Some((guid, payload.u32()?)) };
                if self.seen.insert((process, id, u64::MAX)) {
                    self.map.modules.push(MapModule { process, id, path, pdb });
                }
            }
        }
        Some(())
    }

    /// The samples; native code that has no frame in a stack is one without an address. Stacks with more bytes in all than `most`, which processes that
    /// share a stack could have, are left out.
    fn profile(&self, most: u64) -> Profile {
        let (mut kept, mut left) = (Stacks::default(), most);
        let size = if self.has_short_addresses { 4 } else { 8 };
        let address = |bytes: &[u8]| bytes.iter().rev().fold(0, |high, low| high << 8 | u64::from(*low));
        for ((process, is_external, stack), count) in &self.samples {
            let addresses = stack.and_then(|index| self.stacks.get(index)).copied().unwrap_or_default();
            let Some(rest) = left.checked_sub(addresses.len() as u64) else {
                kept.unread += count;
                continue;
            };
            left = rest;
            let native = (*is_external || addresses.len() < size).then_some(None);
            let frames = native.into_iter().chain(addresses.chunks_exact(size).map(|bytes| Some(address(bytes))));
            let frame = |address| SampledFrame { process: *process, address, ..SampledFrame::default() };
            let frames = frames.map(|address| kept.frame(frame(address))).collect();
            kept.add(frames, *count);
        }
        kept.profile()
    }

    fn method(&mut self, payload: &mut Reader<'b>) -> Option<()> {
        let process = self.process;
        let (id, module, address) = (payload.u64()?, payload.u64()?, payload.u64()?);
        let (size, token, flags) = (payload.u32()?, payload.u32()?, payload.u32()?);
        let recorded = TIERS.get((flags >> 7 & 7) as usize).copied().unwrap_or_default();
        let tier = if flags & IS_JITTED == 0 { PRECOMPILED } else { recorded }.to_owned();
        let (type_name, own_name) = (text(payload).unwrap_or_default(), text(payload).unwrap_or_default());
        let name = if type_name.is_empty() { own_name } else { format!("{type_name}.{own_name}") };
        let key = (process, id, code_version(payload).unwrap_or(0));
        let bounds = self.early.remove(&key).and_then(map_bounds).unwrap_or_default();
        // The events at the start and at the end of a session name the same code.
        if self.seen.insert((process, id, address)) {
            self.bodies.insert(key, self.map.methods.len());
            let (token, code) = (Token(token), Vec::new());
            self.map.methods.push(MapMethod { process, module, token, name, address, size, tier, bounds, code });
        } else if let Some(body) = self.bodies.get(&key).and_then(|index| self.map.methods.get_mut(*index))
            && body.bounds.is_empty()
        {
            body.bounds = bounds;
        }
        Some(())
    }
}

/// Version of the code of a method event, behind signature and runtime: from version 2 of the event on.
fn code_version(payload: &mut Reader<'_>) -> Option<u64> {
    text(payload)?;
    payload.u16()?;
    payload.u64()
}

/// Bounds of a map event, behind the ids.
fn map_bounds(mut payload: Reader<'_>) -> Option<Vec<Bound>> {
    payload.u8()?;
    let len = usize::from(payload.u16()?) * 4;
    let numbers = |bytes: &[u8]| -> Vec<u32> {
        bytes.chunks_exact(4).map(|four| four.try_into().map_or(0, u32::from_le_bytes)).collect()
    };
    let (il, native) = (numbers(payload.take(len)?), numbers(payload.take(len)?));
    Some(bounds(il.into_iter().map(u32::cast_signed).zip(native)))
}

/// Flag of a method whose code the JIT made, and the tier of other code.
const IS_JITTED: u32 = 8;
const PRECOMPILED: &str = "ReadyToRun";

/// Names of the tiers, by bits 7 to 9 of a method's flags.
const TIERS: [&str; 8] = [
    "",
    "MinOptJitted",
    "Optimized",
    "QuickJitted",
    "OptimizedTier1",
    "OptimizedTier1OSR",
    "QuickJittedInstrumented",
    "OptimizedTier1Instrumented",
];

/// Skips UTF-8 text after its length.
fn skip_string(row: &mut Reader<'_>) -> Option<()> {
    let len = row.leb128_u64()?;
    row.take(usize::try_from(len).ok()?).map(drop)
}

/// UTF-16 text with its terminator.
fn text(reader: &mut Reader<'_>) -> Option<String> {
    let mut units = Vec::new();
    loop {
        match reader.u16()? {
            0 => return Some(String::from_utf16_lossy(&units)),
            unit => units.push(unit),
        }
    }
}

//! From an address to the method that has its code there.
//!
//! # References
//!
//! dotnet/runtime, `docs/design/datacontracts/ExecutionManager.md`, `CodeVersions.md`, `RuntimeTypeSystem.md`, `src/coreclr/vm/codeman.h`, `src/coreclr/vm/nibblemapmacros.h`

use pdblens_formats::bytes::{Cursor, Slice, SpaceId};
use pdblens_formats::metadata::Token;
use pdblens_formats::r2r::{DebugInfo, Layout};

use crate::contracts::Contracts;
use crate::elf::Libraries;
use crate::memory::{Memory, after, before};
use crate::target::Target;
use crate::{MemoryError, Result};

/// Levels of the map from addresses to sections; each takes eight bits of the address.
const LEVELS: u32 = 5;
/// Bits of an address that the map does not look at.
const LOW_BITS: u32 = 17;
/// Flag of a section whose code a JIT wrote.
const CODE_HEAP: u32 = 2;
/// Most sections that share a range of the map.
const MOST_FRAGMENTS: usize = 1 << 16;
/// Bytes of code that a word of the nibble map describes, and a nibble of it.
const WORD: u64 = 256;
const NIBBLE: u64 = 32;
/// Most bytes of the debug information of a method.
const MOST_DEBUG_INFO: usize = 4 << 20;
/// Most bytes of the code of a method, and most versions of it.
const MOST_CODE: u64 = 1 << 20;
const MOST_VERSIONS: usize = 1 << 12;
/// Flag of a method whose code is compiled again once it is called often.
const IS_TIERED: u16 = 0x8000;
/// Tier of the first code of a method, unless the compiler refused to make that.
pub const FIRST_TIER: &str = "QuickJitted";
/// Names of the tiers (`NativeCodeVersion::OptimizationTier`).
const TIERS: [&str; 6] = [
    FIRST_TIER,
    "OptimizedTier1",
    "OptimizedTier1OSR",
    "Optimized",
    "QuickJittedInstrumented",
    "OptimizedTier1Instrumented",
];
/// Size of the record for on-stack replacement before its array, and the place of the array's count in it.
const PATCHPOINT: u64 = 40;
const PATCHPOINT_COUNT: u64 = 16;

/// A process with its runtime.
pub struct Runtime {
    target: Target,
    contracts: Contracts,
    pub(crate) libraries: Libraries,
}

/// Code of a method in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeAt {
    /// First address of the method; of precompiled code the start of its function, which may be a part of the method.
    pub start: u64,
    /// Token of its row in `MethodDef`; nil for a method made at run time, and for precompiled code, whose image names it.
    pub token: Token,
    /// Address of its module.
    pub module: u64,
    /// First address of the section of code.
    pub section_start: u64,
    /// CodeOrigin.
    pub kind: CodeOrigin,
}

/// CodeOrigin of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeOrigin {
    /// A JIT wrote it, with a header at this address.
    Jitted {
        /// Address of the header.
        header: u64,
    },
    /// A ReadyToRun image has it at this RVA.
    Precompiled {
        /// RVA of the address that was looked up.
        rva: u64,
    },
}

/// A section of code.
struct CodeRange {
    address: u64,
    start: u64,
}

impl Runtime {
    /// Reads what the runtime of a process describes.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NoRuntime`], [`MemoryError::Architecture`]
    pub fn open(target: Target) -> Result<Self> {
        let contracts = Contracts::read(&target)?;
        match contracts.text("Architecture") {
            Some("x64") => Ok(Self { target, contracts, libraries: Libraries::default() }),
            other => Err(MemoryError::Architecture(other.unwrap_or("an unknown architecture").to_owned())),
        }
    }

    /// The process.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Offsets and globals that its runtime describes.
    pub fn contracts(&self) -> &Contracts {
        &self.contracts
    }

    pub(crate) fn memory(&self) -> &dyn Memory {
        self.target.memory.as_ref()
    }

    pub(crate) fn pointer(&self, at: u64, type_name: &str, field: &str) -> Result<u64> {
        self.contracts.pointer(self.memory(), at, type_name, field)
    }

    /// Method that has code at an address; `None` for stubs and for memory that no method has.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotMapped`] where a structure of the runtime is not there, [`MemoryError::NotDescribed`]
    pub fn find(&self, address: u64) -> Result<Option<CodeAt>> {
        let Some(section) = self.section(address)? else { return Ok(None) };
        let module = self.pointer(section.address, "RangeSection", "R2RModule")?;
        if module != 0 {
            let rva = before(address, section.start);
            let Some(entry) = self.function_entry(module, rva)? else { return Ok(None) };
            let start = after(section.start, self.memory().u32(entry)?.into());
            return Ok(Some(CodeAt {
                start,
                token: Token::default(),
                module,
                section_start: section.start,
                kind: CodeOrigin::Precompiled { rva },
            }));
        }
        let flags = self.memory().u32(after(section.address, self.contracts.offset("RangeSection", "Flags")?))?;
        let heap = self.pointer(section.address, "RangeSection", "HeapList")?;
        if heap == 0 || flags & CODE_HEAP == 0 {
            return Ok(None);
        }
        let Some(start) = self.start_in_heap(heap, address)? else { return Ok(None) };
        self.jitted(start, section.start)
    }

    /// Method whose code begins at an address of a heap; `None` for a stub.
    fn jitted(&self, start: u64, section_start: u64) -> Result<Option<CodeAt>> {
        let header = self.memory().u64(before(start, 8))?;
        // Small numbers are kinds of stubs.
        if header <= self.contracts.global("StubCodeBlockLast")? {
            return Ok(None);
        }
        let (token, module) = self.method(self.pointer(header, "RealCodeHeader", "MethodDesc")?)?;
        Ok(Some(CodeAt { start, token, module, section_start, kind: CodeOrigin::Jitted { header } }))
    }

    fn section(&self, address: u64) -> Result<Option<CodeRange>> {
        let map = self.contracts.global("ExecutionManagerCodeRangeMapAddress")?;
        let mut at = after(map, self.contracts.offset("RangeSectionMap", "TopLevelData")?);
        for level in (0..LEVELS).rev() {
            let index = address >> (LOW_BITS + 8 * level) & 0xff;
            // The lowest bit is a flag of the collector of this map.
            at = self.memory().u64(after(at, 8 * index))? & !1;
            if at == 0 {
                return Ok(None);
            }
        }
        for _ in 0..MOST_FRAGMENTS {
            let field = |name| self.pointer(at, "RangeSectionFragment", name);
            if (field("RangeBegin")?..field("RangeEndOpen")?).contains(&address) {
                let section = field("RangeSection")?;
                return Ok(Some(CodeRange {
                    address: section,
                    start: self.pointer(section, "RangeSection", "RangeBegin")?,
                }));
            }
            at = field("Next")? & !1;
            if at == 0 {
                return Ok(None);
            }
        }
        Err(MemoryError::Endless("sections of code"))
    }

    /// Start of the method at an address, by the nibble map of its heap: a word for 256 bytes, a nibble for 32 of them, which is 0 or the place of a
    /// start by 4, plus 1. A word whose last nibble is 9 to 12 is the offset of a start before it.
    fn start_in_heap(&self, heap: u64, address: u64) -> Result<Option<u64>> {
        let field = |name| self.pointer(heap, "CodeHeapListNode", name);
        let (base, map) = (field("MapBase")?, field("HeaderMap")?);
        let Some(relative) = address.checked_sub(base) else { return Ok(None) };
        let word = relative / WORD;
        let units = self.memory().u32(after(map, 4 * word))?;
        if let Some(start) = far(units) {
            return Ok(Some(after(base, start)));
        }
        let nibble = relative % WORD / NIBBLE;
        let here = nibble_of(units, nibble);
        if here != 0 && (here - 1) * 4 <= relative % NIBBLE {
            return Ok(Some(after(base, relative / NIBBLE * NIBBLE + (here - 1) * 4)));
        }
        let last = |units: u32, word: u64, before: u64| {
            let nibble = (0..before).rev().find(|nibble| nibble_of(units, *nibble) != 0)?;
            Some(after(base, word * WORD + nibble * NIBBLE + (nibble_of(units, nibble) - 1) * 4))
        };
        if let Some(start) = last(units, word, nibble) {
            return Ok(Some(start));
        }
        let Some(word) = word.checked_sub(1) else { return Ok(None) };
        let units = self.memory().u32(after(map, 4 * word))?;
        Ok(far(units).map(|start| after(base, start)).or_else(|| last(units, word, WORD / NIBBLE)))
    }

    /// Token and module of a method.
    fn method(&self, method: u64) -> Result<(Token, u64)> {
        let memory = self.memory();
        let offset = |type_name, field| self.contracts.offset(type_name, field);
        let index = memory.u8(after(method, offset("MethodDesc", "ChunkIndex")?))?;
        let remainder = memory.u16(after(method, offset("MethodDesc", "Flags3AndTokenRemainder")?))?;
        let into_chunk = self.contracts.size("MethodDescChunk")?
            + u64::from(index) * self.contracts.global("MethodDescAlignment")?;
        let chunk = before(method, into_chunk);
        let range = memory.u16(after(chunk, offset("MethodDescChunk", "FlagsAndTokenRange")?))?;
        let table = self.pointer(chunk, "MethodDescChunk", "MethodTable")?;
        let bits = self.contracts.global("MethodDescTokenRemainderBitCount").unwrap_or(12).min(16);
        let mask = (1_u32 << bits) - 1;
        let row = u32::from(range) << bits & 0x00ff_ffff & (0x00ff_ffff << bits) | u32::from(remainder) & mask;
        let token = if row == 0 { Token::default() } else { Token(0x0600_0000 | row) };
        Ok((token, self.pointer(table, "MethodTable", "Module")?))
    }

    /// Address of the entry of the function that has an RVA, in the table of a precompiled image.
    pub(crate) fn function_entry(&self, module: u64, rva: u64) -> Result<Option<u64>> {
        let info = self.pointer(module, "Module", "ReadyToRunInfo")?;
        let count = self.memory().u32(after(info, self.contracts.offset("ReadyToRunInfo", "NumRuntimeFunctions")?))?;
        let table = self.pointer(info, "ReadyToRunInfo", "RuntimeFunctions")?;
        let size = self.contracts.size("RuntimeFunction")?;
        let entry = |index: u32| after(table, u64::from(index).checked_mul(size).unwrap_or(0));
        // The last entry that begins at the RVA or before.
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            if u64::from(self.memory().u32(entry(middle))?) <= rva { low = middle + 1 } else { high = middle }
        }
        Ok(low.checked_sub(1).map(entry))
    }

    /// Map from the native offsets of jitted code to its IL offsets; `None` for a method without debug information.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotMapped`], [`MemoryError::NotDescribed`]
    pub fn debug_info(&self, found: &CodeAt) -> Result<Option<DebugInfo>> {
        let CodeOrigin::Jitted { header } = found.kind else { return Ok(None) };
        // The first field of the header; the contract has its name from .NET 11 on.
        let field = self.contracts.offset("RealCodeHeader", "DebugInfo").unwrap_or(0);
        let at = self.memory().u64(after(header, field))?;
        if at == 0 {
            return Ok(None);
        }
        let has_patchpoints = self.memory().u8(at)? & 1 != 0;
        let mut start = after(at, 1);
        if has_patchpoints {
            let count = self.memory().u32(after(start, PATCHPOINT_COUNT))?;
            start = after(start, PATCHPOINT + 4 * u64::from(count));
        }
        let bytes = self.memory().available(start, 0x2000.min(MOST_DEBUG_INFO));
        let layout = Layout { major: 16, is_x86: false };
        let decode = |bytes: &[u8]| DebugInfo::decode_at(&mut Cursor::new(Slice::new(bytes, SpaceId(0), 0)), layout);
        let info = decode(&bytes).or_else(|_| decode(&self.memory().available(start, MOST_DEBUG_INFO)));
        let mut info = info.ok();
        // Entries of debuggable code that name calls: the debugger leaves them out of its map, and accepts no breakpoint at them.
        if let Some(info) = &mut info {
            info.bounds.retain(|bound| !bound.is_call);
        }
        Ok(info)
    }

    /// Tier of jitted code, named as the events of the runtime name it; `None` for code that is compiled once: it is optimised, unless its module
    /// is debuggable.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotMapped`], [`MemoryError::NotDescribed`], [`MemoryError::Endless`]
    pub fn tier(&self, found: &CodeAt) -> Result<Option<&'static str>> {
        let CodeOrigin::Jitted { header } = found.kind else { return Ok(Some("ReadyToRun")) };
        let method = self.pointer(header, "RealCodeHeader", "MethodDesc")?;
        let mut version = 0;
        let data = self.pointer(method, "MethodDesc", "CodeData")?;
        if data != 0 {
            let state = self.pointer(data, "MethodDescCodeData", "VersioningState")?;
            if state != 0 {
                version = self.pointer(state, "MethodDescVersioningState", "NativeCodeVersionNode")?;
            }
        }
        for _ in 0..MOST_VERSIONS {
            if version == 0 {
                // The first code of a method has no node.
                let at = after(method, self.contracts.offset("MethodDesc", "Flags3AndTokenRemainder")?);
                return Ok((self.memory().u16(at)? & IS_TIERED != 0).then_some(FIRST_TIER));
            }
            let field = |name| self.pointer(version, "NativeCodeVersionNode", name);
            if field("NativeCode")? == found.start {
                let tier = self.memory().u32(after(version, self.tier_of_version()?))?;
                let name = TIERS.get(tier as usize).copied();
                return name.map(Some).ok_or_else(|| MemoryError::NotDescribed(format!("the tier {tier}")));
            }
            version = field("Next")?;
        }
        Err(MemoryError::Endless("versions of the code of a method"))
    }

    /// Place of the tier in a version of code. The contract has it from .NET 11 on; before, it is where the flags are at this place.
    fn tier_of_version(&self) -> Result<u64> {
        let offset = |field| self.contracts.offset("NativeCodeVersionNode", field);
        match offset("OptimizationTier") {
            Err(_) if offset("Flags").is_ok_and(|flags| flags == 52) => Ok(36),
            described => described,
        }
    }

    /// Machine code of a method; a core may lack it.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotMapped`], [`MemoryError::Endless`]
    pub fn bytes(&self, found: &CodeAt, size: u64) -> Result<Vec<u8>> {
        self.memory().bytes(found.start, size, MOST_CODE)
    }

    /// The jitted methods of all heaps, ascending by address, and how many could not be read. A process frees heaps while it is read.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotMapped`], [`MemoryError::NotDescribed`], [`MemoryError::Endless`]
    pub fn jitted_methods(&self) -> Result<(Vec<CodeAt>, usize)> {
        let (mut methods, mut unreadable) = (Vec::new(), 0);
        for (section, start) in self.code_heaps()? {
            match self.methods_in(section, start, &mut methods) {
                Ok(lost) => unreadable += lost,
                Err(MemoryError::NotMapped(_)) => unreadable += 1,
                Err(error) => return Err(error),
            }
        }
        methods.sort_by_key(|method| method.start);
        methods.dedup();
        Ok((methods, unreadable))
    }

    /// Adds the methods of a section of jitted code, and returns how many could not be read.
    fn methods_in(&self, section: u64, start: u64, methods: &mut Vec<CodeAt>) -> Result<usize> {
        let mut unreadable = 0;
        let heap = self.pointer(section, "RangeSection", "HeapList")?;
        let field = |name| self.pointer(heap, "CodeHeapListNode", name);
        let (base, map, end) = (field("MapBase")?, field("HeaderMap")?, field("EndAddress")?);
        let Some(bytes) = end.checked_sub(base) else { return Ok(0) };
        let words = bytes.div_ceil(WORD);
        if words > 1 << 24 {
            return Err(MemoryError::Endless("bytes of a code heap"));
        }
        for word in 0..words {
            let units = self.memory().u32(after(map, 4 * word))?;
            if far(units).is_some() {
                continue;
            }
            for nibble in (0..WORD / NIBBLE).filter(|nibble| nibble_of(units, *nibble) != 0) {
                let code = after(base, word * WORD + nibble * NIBBLE + (nibble_of(units, nibble) - 1) * 4);
                match self.jitted(code, start) {
                    Ok(found) => methods.extend(found),
                    Err(_) => unreadable += 1,
                }
            }
        }
        Ok(unreadable)
    }

    /// The section of a fragment with its first address, if it is one of jitted code.
    fn code_heap(&self, fragment: u64) -> Result<Option<(u64, u64)>> {
        let section = self.pointer(fragment, "RangeSectionFragment", "RangeSection")?;
        let field = |name| self.pointer(section, "RangeSection", name);
        let flags = self.memory().u32(after(section, self.contracts.offset("RangeSection", "Flags")?))?;
        let has_code = flags & CODE_HEAP != 0 && field("HeapList")? != 0 && field("R2RModule")? == 0;
        if has_code { Ok(Some((section, field("RangeBegin")?))) } else { Ok(None) }
    }

    /// Sections of jitted code, with their first addresses.
    fn code_heaps(&self) -> Result<Vec<(u64, u64)>> {
        let map = self.contracts.global("ExecutionManagerCodeRangeMapAddress")?;
        let mut tables = vec![after(map, self.contracts.offset("RangeSectionMap", "TopLevelData")?)];
        for _ in 0..LEVELS {
            let mut next = Vec::new();
            for table in tables {
                for index in 0..256 {
                    let at = self.memory().u64(after(table, 8 * index))? & !1;
                    if at != 0 {
                        next.push(at);
                    }
                }
                if next.len() > MOST_FRAGMENTS {
                    return Err(MemoryError::Endless("sections of code"));
                }
            }
            tables = next;
        }
        let mut found = Vec::new();
        let mut seen = 0;
        for mut at in tables {
            while at != 0 {
                seen += 1;
                if seen > MOST_FRAGMENTS {
                    return Err(MemoryError::Endless("sections of code"));
                }
                // A heap that is freed stays in the list until a garbage collection.
                match self.code_heap(at) {
                    Ok(heap) => found.extend(heap),
                    Err(MemoryError::NotMapped(_)) => {}
                    Err(error) => return Err(error),
                }
                at = self.pointer(at, "RangeSectionFragment", "Next")? & !1;
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Size of the code of a jitted method, by its unwind records.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotMapped`], [`MemoryError::NotDescribed`]
    pub fn code_size(&self, found: &CodeAt) -> Result<Option<u64>> {
        let CodeOrigin::Jitted { header } = found.kind else { return Ok(None) };
        let count = self.memory().u32(after(header, self.contracts.offset("RealCodeHeader", "NumUnwindInfos")?))?;
        let entries = after(header, self.contracts.offset("RealCodeHeader", "UnwindInfos")?);
        let Some(last) = count.checked_sub(1).filter(|last| *last < 1 << 16) else { return Ok(None) };
        let end = self.memory().u32(after(entries, 12 * u64::from(last) + 4))?;
        Ok(after(found.section_start, end.into()).checked_sub(found.start))
    }
}

/// Offset of the start that a word of the nibble map points back to.
fn far(word: u32) -> Option<u64> {
    let low = u64::from(word & 15);
    (9..=12).contains(&low).then(|| u64::from(word & !15) + (low - 9) * 4)
}

fn nibble_of(word: u32, nibble: u64) -> u64 {
    u64::from(word >> (28 - 4 * nibble) & 15)
}

//! Maps of machine code that a runtime recorded while a program ran: methods with their addresses, and bounds from native offsets to IL
//! offsets. Event traces (`.nettrace`) have them.
//!
//! The map that .NET writes for `perf` (`/tmp/perf-PID.map`), the dump of code beside it (`jit-PID.dump`) and `.ni.r2rmap` have
//! addresses and names alone, so nothing here reads them; [`crate::profile`] takes the names of the first.

mod nettrace;

use crate::bytes::Guid;
use crate::metadata::Token;
use crate::profile::Profile;
use crate::r2r::{Bound, IlPosition};

/// Module of methods in a map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapModule {
    /// Process that it was loaded in; `None` in a trace that does not name the processes of its threads.
    pub process: Option<u64>,
    /// Number by which methods of its process refer to it.
    pub id: u64,
    /// Path of its image; empty for a module made at run time.
    pub path: String,
    /// GUID and age of its PDB.
    pub pdb: Option<(Guid, u32)>,
}

/// A body of machine code in a map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapMethod {
    /// Process that has the code; `None` in a trace that does not name the processes of its threads.
    pub process: Option<u64>,
    /// Number of its module.
    pub module: u64,
    /// Token; nil for a method made at run time.
    pub token: Token,
    /// Full name of its type, a dot, and its own name, as the event has them; empty in the map of a memory.
    pub name: String,
    /// Address of the first byte in memory.
    pub address: u64,
    /// Size in bytes.
    pub size: u32,
    /// Tier that the JIT compiled it at; empty where the event has none.
    pub tier: String,
    /// Bounds, ascending by native offset; empty where the recording has no map of the body.
    pub bounds: Vec<Bound>,
    /// Machine code, `size` bytes; empty in a recording.
    pub code: Vec<u8>,
}

/// A map of machine code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NativeMap {
    /// Format of the trace: 4 to 6.
    pub format: u32,
    /// Modules.
    pub modules: Vec<MapModule>,
    /// Methods, in the order of the file.
    pub methods: Vec<MapMethod>,
    /// Stacks that the runtime's sample profiler took, or a collector of the whole system.
    pub samples: Profile,
}

impl NativeMap {
    /// Reads an event trace as far as it goes; `None` for other files.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        nettrace::read(bytes)
    }
}

/// Bounds of an event, whose arrays are sorted by IL offset, special ones last.
fn bounds(pairs: impl Iterator<Item = (i32, u32)>) -> Vec<Bound> {
    let bound = |(il, native): (i32, u32)| Bound {
        native,
        il: match il {
            -1 => IlPosition::None,
            -2 => IlPosition::Prolog,
            -3 => IlPosition::Epilog,
            il => IlPosition::Offset(il.cast_unsigned()),
        },
        stack_empty: false,
        is_call: false,
        is_async: false,
        span: crate::bytes::Span::default(),
    };
    let mut all: Vec<Bound> = pairs.map(bound).collect();
    all.sort_by_key(|bound| bound.native);
    all
}

#[cfg(test)]
mod tests;

//! Machine code of functions, compared without what moves: a call is the name of what it calls, whatever the distance.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use pdblens_formats::pe::Pe;
use pdblens_machine::Machine;
use pdblens_nodes::function::NativeView;
use pdblens_session::session::Session;

/// Limit on the names that are kept.
const MAX_NAMES: usize = 1 << 16;

/// The machine code of a build.
pub(super) struct Codes<'s> {
    native: NativeView<'s>,
    pe: &'s Pe,
    /// Preferred address of the image.
    base: u64,
    machine: Option<Machine>,
    /// Hashes of the names of public symbols, by address; `None` where none begins.
    names: HashMap<u32, Option<u64>>,
}

impl<'s> Codes<'s> {
    /// The code of an image; nothing without one.
    pub(super) fn of(session: &'s Session, native: NativeView<'s>) -> Option<Self> {
        let image = session.image()?;
        let base = image.pe.image_base();
        Some(Self { native, pe: &image.pe, base, machine: Machine::of(image.machine()), names: HashMap::new() })
    }

    /// Hash of the code of a function, with the names of what it refers to in place of the distances; as it is where the instructions are
    /// of another machine.
    pub(super) fn hash(&mut self, rva: u32, len: u32) -> Option<u32> {
        let rest = self.pe.rest_at_rva(rva).ok()?;
        let code = rest.part(0, u64::from(len).min(rest.len())).ok()?;
        let mut hasher = DefaultHasher::new();
        let Some(machine) = self.machine else {
            code.data.hash(&mut hasher);
            return Some(hasher.finish() as u32);
        };
        let base = self.base;
        let mut targets = Vec::new();
        let code = machine.without_distances(code.data, base.wrapping_add(rva.into()), &mut |to| targets.push(to));
        code.hash(&mut hasher);
        for target in targets {
            u32::try_from(target.wrapping_sub(base)).ok().and_then(|rva| self.name(rva)).hash(&mut hasher);
        }
        Some(hasher.finish() as u32)
    }

    fn name(&mut self, rva: u32) -> Option<u64> {
        if self.names.len() > MAX_NAMES {
            self.names.clear();
        }
        *self.names.entry(rva).or_insert_with(|| {
            let symbol = self.native.nearest(rva).filter(|symbol| symbol.offset == 0)?;
            let mut hasher = DefaultHasher::new();
            symbol.decorated.hash(&mut hasher);
            Some(hasher.finish())
        })
    }
}

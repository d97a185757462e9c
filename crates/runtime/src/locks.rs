//! Managed threads, and the monitors that they wait for.
//!
//! A thread that waits for a monitor has the address of the lock on its stack, between its last managed frame and the system call. The
//! runtime does not describe the lock. What is found is therefore derived: a structure on the stack of a waiting thread that has the managed number
//! and the system's number of another thread of the list, where a lock has those of its holder.
//!
//! # References
//!
//! dotnet/runtime, `docs/design/datacontracts/Thread.md`, `src/coreclr/vm/syncblk.h` (`class AwareLock`)

use std::collections::{BTreeSet, HashSet};

use crate::code::Runtime;
use crate::memory::{after, before};
use crate::stack::{FrameCode, Stack};
use crate::target::TargetThread;
use crate::{MemoryError, Result};

/// Most managed threads.
const MOST_THREADS: usize = 1 << 16;
/// Places in a lock of its holder: the managed number, and the number of the operating system.
const MANAGED_HOLDER: u64 = 8;
const SYSTEM_HOLDER: u64 = 16;
/// Most bytes of a stack that are searched for the object.
const MOST_STACK: u64 = 0x4000;
/// A thread as the runtime knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManagedThread {
    /// Managed number: `Thread.ManagedThreadId`.
    pub id: u32,
    /// Number of the operating system.
    pub os_id: u32,
}

impl Runtime {
    /// The threads that the runtime has, in the order of its list.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NotMapped`], [`MemoryError::NotDescribed`], [`MemoryError::Endless`]
    pub fn managed_threads(&self) -> Result<Vec<ManagedThread>> {
        let contracts = self.contracts();
        let store = self.memory().u64(contracts.global("ThreadStore")?)?;
        // The list runs through the link in the middle of each thread.
        let link = contracts.offset("Thread", "LinkNext")?;
        let mut next = self.pointer(store, "ThreadStore", "FirstThreadLink")?;
        let mut threads = Vec::new();
        let mut seen = HashSet::new();
        while next != 0 && seen.insert(next) {
            if threads.len() == MOST_THREADS {
                return Err(MemoryError::Endless("managed threads"));
            }
            let address = before(next, link);
            let number = |field| self.memory().u32(after(address, contracts.offset("Thread", field)?));
            threads.push(ManagedThread { id: number("Id")?, os_id: number("OSId")? });
            next = self.memory().u64(next)?;
        }
        Ok(threads)
    }

    /// Thread that holds the monitor that another waits for, by its number in the operating system. `None` where the stack of the other has no such lock, and
    /// where it has several.
    pub fn waits_for(&self, thread: &TargetThread, stack: &Stack, threads: &[ManagedThread]) -> Option<u32> {
        let managed = stack.frames.iter().find(|frame| matches!(frame.code, FrameCode::Managed(_)))?;
        let lowest = stack.frames.first()?.sp;
        let words = managed.sp.checked_sub(lowest)?.min(MOST_STACK) / 8;
        let on_stack: BTreeSet<u64> =
            (0..words).filter_map(|index| self.memory().u64(after(lowest, 8 * index)).ok()).collect();
        let locks = on_stack.into_iter().filter(|lock| lock % 8 == 0);
        let mut holders = locks.filter_map(|lock| self.holder(lock, threads)).filter(|holder| *holder != thread.id);
        let holder = holders.next()?;
        holders.next().is_none().then_some(holder)
    }

    /// Thread that holds the lock at an address, by its number in the operating system.
    fn holder(&self, lock: u64, threads: &[ManagedThread]) -> Option<u32> {
        let managed = self.memory().u32(after(lock, MANAGED_HOLDER)).ok()?;
        let system = self.memory().u64(after(lock, SYSTEM_HOLDER)).ok()?;
        let is_it = |thread: &&ManagedThread| managed != 0 && thread.id == managed && u64::from(thread.os_id) == system;
        threads.iter().find(is_it).map(|thread| thread.os_id)
    }
}

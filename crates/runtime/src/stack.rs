//! Stacks of threads: managed frames by the unwind codes of the runtime, native ones by call frame information.

use pdblens_formats::bytes::Guid;

use crate::Result;
use crate::code::{CodeAt, Runtime};
use crate::elf::NativeLibrary;
use crate::memory::before;
use crate::registers::{Registers, Stopped};
use crate::target::{TargetThread, is_runtime};
use crate::unwind;

/// Most frames of a thread that are kept; runs of frames that are the same are kept once.
const MOST_FRAMES: usize = 1 << 15;
/// Most frames that are walked: 8 MB of stack have 500 000 of two words.
pub const MOST_WALKED: usize = 1 << 20;
/// Most bytes of a stack in which the registers of a fault are searched.
const MOST_SEARCHED: u64 = 1 << 16;
/// Most frames of the runtime of a thread whose caller is looked for in this way.
const MOST_FAULTS: usize = 64;
/// Places of the stack pointer and the frame pointer in the runtime's copy of the registers (`CONTEXT` of x64), before that of the program counter.
const STACK_POINTER: u64 = 0x60;
const FRAME_POINTER: u64 = 0x58;
/// Number of the frame pointer in unwind codes.
const FRAME_REGISTER: u16 = 5;
/// Frames after which a repeated cycle is looked for, repetitions that it has at least, and most frames of a cycle.
const FOLD_EACH: usize = 256;
const REPETITIONS: usize = 8;
const MOST_CYCLE: usize = 16;

/// A frame of a thread.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Program counter; of all but the innermost frame, the address after a call.
    pub ip: u64,
    /// Stack pointer.
    pub sp: u64,
    /// True if the program counter is after a call, and not at the instruction that was to run: it belongs to the call before it.
    pub returns: bool,
    /// Its code.
    pub code: FrameCode,
}

/// Code of a frame.
#[derive(Clone, Debug)]
pub enum FrameCode {
    /// Code of a method.
    Managed(CodeAt),
    /// Native code of a mapped file.
    Native {
        /// Path in the process.
        path: String,
    },
    /// Code that no file has: a stub of the runtime.
    Unnamed,
}

/// A cycle of frames that is repeated, as in a stack overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// Number of the kept frames before the repetition; the last of them are the cycle.
    pub after: usize,
    /// Frames of a cycle.
    pub frames: usize,
    /// Cycles that follow and are left out.
    pub times: usize,
}

/// Frames of a thread, the innermost first.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    /// Frames, without those of repetitions.
    pub frames: Vec<Frame>,
    /// Repetitions, ascending.
    pub repeated: Vec<Repeated>,
    /// Number of frames that were walked.
    pub walked: usize,
    /// Reason why the walk ended before the thread's first frame; empty for a whole stack.
    pub cut: String,
}

impl Stack {
    /// Adds a frame, or counts it in a repetition.
    fn push(&mut self, frame: Frame, cycle: &mut Vec<Frame>) {
        self.walked += 1;
        let len = self.frames.len();
        if let Some(last) = self.repeated.last_mut().filter(|last| last.after == len) {
            if self.frames.get(len - last.frames + cycle.len()).is_some_and(|same| same.ip == frame.ip) {
                cycle.push(frame);
                if cycle.len() == last.frames {
                    last.times += 1;
                    cycle.clear();
                }
                return;
            }
            self.frames.append(cycle);
        }
        self.frames.push(frame);
        let len = self.frames.len();
        let repeats = |frames: &usize| {
            let run = &self.frames[len - frames * REPETITIONS..];
            run.iter().zip(&run[*frames..]).all(|(one, next)| one.ip == next.ip)
        };
        if len.is_multiple_of(FOLD_EACH)
            && let Some(frames) = (1..=MOST_CYCLE).find(repeats)
        {
            let is_same = |cycles: &usize| {
                let before =
                    self.frames.get(len.wrapping_sub((cycles + 1) * frames)..).and_then(|run| run.get(..frames));
                before.is_some_and(|run| {
                    run.iter().zip(&self.frames[len - frames..]).all(|(one, last)| one.ip == last.ip)
                })
            };
            let times = (1..=len).take_while(is_same).count();
            self.frames.truncate(len - times * frames);
            self.repeated.push(Repeated { after: self.frames.len(), frames, times });
        }
    }
}

impl Runtime {
    /// Stack of a thread, of which at most `most` frames are walked; `None` for one that runs.
    pub fn stack(&self, thread: &TargetThread, most: usize) -> Option<Stack> {
        let Stopped::At(registers) = &thread.stopped else { return None };
        let mut stack = Stack::default();
        let mut registers = registers.as_ref().clone();
        let (first, mut returns) = (registers.stack_pointer(), false);
        let mut faults = 0..MOST_FAULTS;
        // The first frames of a cycle whose others are not walked yet.
        let mut cycle = Vec::new();
        while stack.frames.len() < MOST_FRAMES && stack.walked < most {
            let at = if returns { before(registers.ip, 1) } else { registers.ip };
            let is_known = |frame: &&Frame| frame.returns && frame.ip == registers.ip;
            let known = stack.frames.iter().rev().take(MOST_CYCLE).find(is_known).filter(|_| returns);
            let (code, caller) = match self.frame_at(&registers, at, known) {
                Ok(found) => found,
                Err(error) => {
                    stack.cut = error.to_string();
                    break;
                }
            };
            let outermost = caller.is_none() && matches!(code, FrameCode::Native { .. });
            let of_runtime = matches!(&code, FrameCode::Native { path } if is_runtime(path));
            stack.push(Frame { ip: registers.ip, sp: registers.stack_pointer(), returns, code }, &mut cycle);
            let Some(mut caller) = caller else {
                if !outermost {
                    stack.cut = format!("nothing says how to leave the code at {at:#x}");
                }
                break;
            };
            // The outermost frame of a thread returns to 0, or to itself.
            if caller.ip == 0 || caller.stack_pointer() <= registers.stack_pointer() {
                break;
            }
            let is_searched = of_runtime && faults.next().is_some();
            let fault = if is_searched { self.fault_registers(first, &caller) } else { None };
            returns = fault.is_none();
            if let Some(sp) = fault {
                caller.set_stack_pointer(sp);
            }
            registers = caller;
        }
        if stack.frames.len() == MOST_FRAMES || stack.walked == most {
            stack.cut = format!("{} frames are walked", stack.walked);
        }
        stack.frames.append(&mut cycle);
        Some(stack)
    }

    /// Stack pointer of managed code that was interrupted by a fault. The runtime handles a fault on a stack of its own or further down, so that
    /// the frame of its handler does not lead to the stack pointer; but the registers are copied on the stack of the handler, which begins at `first`.
    fn fault_registers(&self, first: u64, caller: &Registers) -> Option<u64> {
        let end = caller.stack_pointer();
        let start = end.checked_sub(MOST_SEARCHED).map_or(first, |start| start.max(first));
        let fp = caller.windows(FRAME_REGISTER)?;
        if end < start || self.find(caller.ip).ok()?.is_none() {
            return None;
        }
        let bytes = self.memory().available(start, (end - start) as usize);
        let word = |at: u64| Some(u64::from_le_bytes(*bytes.get(usize::try_from(at).ok()?..)?.first_chunk()?));
        (STACK_POINTER..bytes.len() as u64).step_by(8).find_map(|at| {
            let is_it = word(at)? == caller.ip && word(at - FRAME_POINTER)? == fp;
            word(at - STACK_POINTER).filter(|_| is_it)
        })
    }

    fn frame_at(
        &self,
        registers: &Registers,
        at: u64,
        known: Option<&Frame>,
    ) -> Result<(FrameCode, Option<Registers>)> {
        let found = match known.map(|frame| &frame.code) {
            Some(FrameCode::Managed(code)) => Some(code.clone()),
            _ => self.find(at)?,
        };
        if let Some(found) = found {
            let unwound = unwind::caller(self, registers, at, &found)?;
            return Ok((FrameCode::Managed(found), unwound));
        }
        let target = self.target();
        let Some(file) = target.file_at(at) else { return Ok((FrameCode::Unnamed, None)) };
        let base = target.base_of(&file.path).unwrap_or(file.start);
        let path = file.path.clone();
        let library = self.libraries.get(self.memory(), base);
        let caller = match library.as_ref().map(|named| &named.library) {
            Some(NativeLibrary::Elf(library)) => library.caller(self.memory(), registers, at),
            Some(NativeLibrary::Image(image)) => match image.function(self.memory(), at) {
                Some((_, Some(entry))) => unwind::undo(self, registers, image.base, entry)?,
                // A function without a record calls none, so that it is the innermost.
                Some((_, None)) if at == registers.ip => Some(registers.returned(self.memory())?),
                _ => None,
            },
            None => None,
        };
        Ok((FrameCode::Native { path }, caller))
    }

    /// First address and id of the PDB of the image of Windows that has an address; `None` for other libraries.
    pub fn windows_image(&self, at: u64) -> Option<(u64, (Guid, u32))> {
        let base = self.target().base_of(&self.target().file_at(at)?.path)?;
        let named = self.libraries.get(self.memory(), base)?;
        let is_image = matches!(named.library, NativeLibrary::Image(_));
        Some((base, self.pdb_id(base).filter(|_| is_image)?))
    }

    /// Name of the native function at an address; `None` where the library does not name it.
    pub fn function_name(&self, at: u64) -> Option<String> {
        let file = self.target().file_at(at)?;
        let named = self.libraries.get(self.memory(), self.target().base_of(&file.path)?)?;
        let functions = named.functions.get_or_init(|| named.library.functions(self.memory()));
        let (start, (size, name)) = functions.range(..=at).next_back()?;
        // A symbol without a size is of assembler code: it ends at the next one.
        (*size == 0 || at - start < *size).then(|| name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cycles of two frames between others, of which the last is not whole, and a second run of one frame.
    #[test]
    fn a_cycle_of_frames_is_kept_once() {
        let mut ips = vec![1, 2];
        ips.extend([3, 4].repeat(1000));
        ips.extend([3, 5]);
        ips.extend([6; 700]);
        ips.push(7);
        let (mut stack, mut cycle) = (Stack::default(), Vec::new());
        for ip in &ips {
            stack.push(Frame { ip: *ip, sp: 0, returns: true, code: FrameCode::Unnamed }, &mut cycle);
        }
        let kept: Vec<u64> = stack.frames.iter().map(|frame| frame.ip).collect();
        assert_eq!((kept.as_slice(), stack.walked), (&[1, 2, 3, 4, 3, 5, 6, 7][..], ips.len()));
        let run = |after, frames, times| Repeated { after, frames, times };
        assert_eq!(stack.repeated, [run(4, 2, 999), run(7, 1, 699)]);
    }
}

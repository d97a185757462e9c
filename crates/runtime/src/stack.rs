//! Stacks of threads: managed frames by the unwind codes of the runtime, native ones by call frame information.

use crate::Result;
use crate::code::{CodeAt, Runtime};
use crate::elf::NativeLibrary;
use crate::memory::before;
use crate::registers::{Registers, Stopped};
use crate::target::TargetThread;
use crate::unwind;

/// Most frames of a thread that are walked. A stack overflow has 10 000 and more of one method.
const MOST_FRAMES: usize = 1 << 15;
/// A frame of a thread.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Program counter; of all but the innermost frame, the address after a call.
    pub ip: u64,
    /// Stack pointer.
    pub sp: u64,
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

/// Frames of a thread, the innermost first.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    /// Frames.
    pub frames: Vec<Frame>,
    /// Reason why the walk ended before the thread's first frame; empty for a whole stack.
    pub cut: String,
}

impl Runtime {
    /// Stack of a thread; `None` for one that runs.
    pub fn stack(&self, thread: &TargetThread) -> Option<Stack> {
        let Stopped::At(registers) = &thread.stopped else { return None };
        let mut stack = Stack::default();
        let mut registers = registers.as_ref().clone();
        while stack.frames.len() < MOST_FRAMES {
            let is_innermost = stack.frames.is_empty();
            // A return address belongs to the call before it.
            let at = if is_innermost { registers.ip } else { before(registers.ip, 1) };
            let (code, caller) = match self.frame_at(&registers, at) {
                Ok(found) => found,
                Err(error) => {
                    stack.cut = error.to_string();
                    return Some(stack);
                }
            };
            let outermost = caller.is_none() && matches!(code, FrameCode::Native { .. });
            stack.frames.push(Frame { ip: registers.ip, sp: registers.stack_pointer(), code });
            let Some(caller) = caller else {
                if !outermost {
                    stack.cut = format!("nothing says how to leave the code at {at:#x}");
                }
                return Some(stack);
            };
            // The outermost frame of a thread returns to 0, or to itself.
            if caller.ip == 0 || caller.stack_pointer() <= registers.stack_pointer() {
                return Some(stack);
            }
            registers = caller;
        }
        stack.cut = format!("{MOST_FRAMES} frames are walked");
        Some(stack)
    }

    fn frame_at(&self, registers: &Registers, at: u64) -> Result<(FrameCode, Option<Registers>)> {
        if let Some(found) = self.find(at)? {
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
                Some((_, Some(record))) => unwind::undo(self, registers, image.base, record)?,
                // A function without a record calls none, so that it is the innermost.
                Some((_, None)) if at == registers.ip => Some(registers.returned(self.memory())?),
                _ => None,
            },
            None => None,
        };
        Ok((FrameCode::Native { path }, caller))
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

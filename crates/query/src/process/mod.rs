//! A .NET process that runs, or the core of one: its threads, modules and methods, with the symbols that are at hand.
//!
//! Frames are written in the form of .NET's own in-process crash report, with the ids of the modules that the process has loaded. `trace` and the
//! screens read that text like any other, so that a frame of a process is judged as a frame of a log is.

mod map;
mod native;
mod report;
mod rundown;

pub use map::{attach, attach_known, named, open, process};
pub(crate) use rundown::il_by;
pub use rundown::{Rundown, ask};

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pdblens_formats::bytes::Guid;
use pdblens_formats::metadata::Token;
use pdblens_formats::reason::Reason;
use pdblens_nodes::binding::{CodeKind, FromIl, binding_of};
use pdblens_nodes::method::native::{body_at, method_of};
use pdblens_runtime::Result;
use pdblens_runtime::code::{CodeAt, CodeOrigin, FIRST_TIER, Runtime};
use pdblens_runtime::locks::ManagedThread;
use pdblens_runtime::memory::{after, before};
use pdblens_runtime::module::Module;
use pdblens_runtime::registers::Stopped;
use pdblens_runtime::stack::{Frame, FrameCode, MOST_WALKED, Repeated};
use pdblens_runtime::target::{Target, TargetThread};
use pdblens_session::session::{Session, codeview_ids};
use pdblens_session::store::SymbolPaths;
use pdblens_session::text::paths::file_name;
use serde::Serialize;

use crate::breakpoint::is_optimized;
use crate::native_where::{il_of_frame, il_of_sample};

/// A process with its runtime, and the images of its modules as they were asked for.
pub struct Process {
    runtime: Runtime,
    /// By address of the module.
    images: Mutex<HashMap<u64, Arc<LoadedModule>>>,
    /// False where native functions keep their addresses: their names are much of the memory that is read.
    names_natives: bool,
    /// Folder that has images whose paths are not on this machine.
    images_in: Option<PathBuf>,
    /// PDBs of native code, by the first address of the image.
    natives: Mutex<HashMap<u64, Option<Arc<Session>>>>,
    /// Paths that PDBs of native code are searched along.
    symbols: SymbolPaths,
}

/// Threads of a process as the screens show them.
#[derive(Clone, Debug)]
pub struct ThreadsText {
    /// Number of the process, or path of the core.
    pub name: String,
    /// Also those without code of a method.
    pub all: bool,
    /// The report, as it was read last.
    pub text: String,
    /// Reads the report of `name` again.
    pub read: fn(&Self) -> std::result::Result<String, Reason>,
    /// Paths that PDBs of native code are searched along.
    pub symbols: SymbolPaths,
}

impl ThreadsText {
    /// Reads the threads again; the head of a thread that has other frames than before says so.
    ///
    /// # Errors
    ///
    /// Reason why the process cannot be read any more.
    pub fn again(&self) -> std::result::Result<String, Reason> {
        Ok(report::with_moved(&self.text, &(self.read)(self)?))
    }
}

/// A module of the process, and the pair of that path on this machine.
pub struct LoadedModule {
    pub module: Module,
    pub session: Option<Session>,
}

/// Relation of the file of a module to what the process has loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ModuleMatch {
    /// The image on disk has the id of the loaded one, and its PDB was found.
    Matches,
    /// The image on disk has the id of the loaded one; no PDB of it is at hand.
    NoPdb,
    /// The image on disk has another id: it was built again after it was loaded.
    AnotherBuild,
    /// No image is at the path of the module.
    NotThere,
    /// The loaded image names no PDB.
    NoId,
}

/// A module of a process.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "process_module"))]
pub struct ModuleAnswer {
    pub path: String,
    /// Id of its PDB in the loaded image.
    pub loaded: Option<Guid>,
    /// The same of the image on disk.
    pub on_disk: Option<Guid>,
    /// Path of the PDB that was found.
    pub pdb: Option<String>,
    #[serde(rename = "match")]
    pub found: ModuleMatch,
}

/// A thread of a process.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "process_thread"))]
pub struct ThreadAnswer {
    /// Number in the operating system.
    pub id: u32,
    pub name: String,
    /// `Thread.ManagedThreadId`; none for a thread that the runtime does not know.
    pub managed_id: Option<u32>,
    /// True for a thread that runs: its registers are in a processor, and it has no stack to read.
    pub running: bool,
    /// Number of the thread that holds the monitor that this one waits for. Derived: the lock was found on the stack.
    pub waits_for: Option<u32>,
    /// Reason why the stack is not whole; none if it is.
    pub cut: Option<String>,
    /// Frames, without those of repetitions.
    pub frames: Vec<FrameAnswer>,
    /// Cycles of frames that are repeated, as in a stack overflow.
    pub repeated: Vec<RepeatedAnswer>,
}

/// A cycle of frames of a thread that is repeated.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "process_repeated_frames"))]
pub struct RepeatedAnswer {
    /// Number of the frames before the repetitions; the last of them are the cycle.
    pub after: usize,
    /// Number of the frames of the cycle.
    pub frames: usize,
    /// Number of the repetitions, which are left out.
    pub times: usize,
}

/// A frame of a thread.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "process_frame"))]
pub struct FrameAnswer {
    pub address: u64,
    /// Path of the module or library.
    pub module: Option<String>,
    /// Method, or native function.
    pub name: Option<String>,
    pub token: Option<Token>,
    /// IL offset of the call, or of the instruction that the innermost frame is at.
    pub il: Option<u32>,
    /// True for code of a method.
    pub managed: bool,
    #[serde(skip)]
    module_address: u64,
    #[serde(skip)]
    rva: Option<u64>,
}

/// A body of a method in a process.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "process_method"))]
pub struct MethodAnswer {
    pub name: String,
    pub module: String,
    pub token: Option<Token>,
    pub address: u64,
    pub size: Option<u64>,
    /// Tier, as the events of the runtime name it; none where it is not known.
    pub tier: Option<String>,
    /// IL offsets that have code in this body, ascending.
    pub il: Vec<u32>,
}

/// Method that has code at an address.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "process_address"))]
pub struct AddressAnswer {
    pub address: u64,
    pub module: String,
    pub name: String,
    pub token: Option<Token>,
    /// Offset from the first byte of the method.
    pub native: Option<u64>,
    pub il: Option<u32>,
    /// Id of the PDB that the loaded module names.
    #[serde(skip)]
    pub(crate) pdb: Option<Guid>,
    /// IL offset that a sample at the address belongs to.
    #[serde(skip)]
    pub(crate) il_of_sample: Option<u32>,
}

impl Process {
    /// Reads what the runtime of a process describes.
    pub fn new(runtime: Runtime) -> Self {
        let (images, natives) = (Mutex::default(), Mutex::default());
        Self { runtime, images, names_natives: true, images_in: None, natives, symbols: SymbolPaths::default() }
    }

    /// The process of a core in memory.
    ///
    /// # Errors
    ///
    /// Those of the core and its memory.
    pub fn of_core(core: Vec<u8>) -> Result<Self> {
        Ok(Self::new(Runtime::open(Target::core_bytes(core)?)?))
    }

    /// The same process; images that are not at their paths are searched in a folder by their file names.
    #[must_use]
    pub fn with_images_in(mut self, folder: &Path) -> Self {
        self.images_in = Some(folder.to_owned());
        self
    }

    /// A module with the pair of its path, opened once.
    fn loaded(&self, address: u64) -> Result<Arc<LoadedModule>> {
        let mut images = self.images.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = images.get(&address) {
            return Ok(Arc::clone(found));
        }
        let module = self.runtime.module(address)?;
        let path = self.path_here(&module);
        // A device or a pipe would wait.
        let session = if path.is_file() { Session::open(&[path]).ok() } else { None };
        let loaded = Arc::new(LoadedModule { module, session });
        images.insert(address, Arc::clone(&loaded));
        Ok(loaded)
    }

    fn path_here(&self, module: &Module) -> PathBuf {
        let path = self.runtime.target().path_here(&module.path);
        let name = file_name(&module.path);
        let beside = self.images_in.as_ref().map(|folder| folder.join(name));
        beside.filter(|beside| !path.exists() && beside.is_file()).unwrap_or(path)
    }

    /// Path on this machine of the program that was started.
    pub fn program(&self) -> Option<PathBuf> {
        self.runtime.root_module().ok().map(|module| self.path_here(&module))
    }

    /// A core with what is read of `target`, the same process, for its threads, modules and methods.
    ///
    /// # Errors
    ///
    /// Those of the memory.
    pub fn core_of_threads(&self, target: Target) -> Result<Vec<u8>> {
        let (target, pages) = target.recording();
        let process = Self { names_natives: false, ..Self::new(Runtime::open(target)?) };
        process.threads()?;
        // A small core lacks the lists of modules and methods.
        let _ = (process.modules(), process.methods());
        Ok(process.runtime.target().save(&pages))
    }

    /// Folders that have the images of the process, each once.
    pub fn image_folders(&self) -> Vec<PathBuf> {
        let modules = self.runtime.modules().unwrap_or_default();
        let folder = |module: &Module| self.path_here(module).parent().map(Path::to_owned);
        let mut folders: Vec<PathBuf> = modules.iter().filter_map(folder).filter(|folder| folder.is_dir()).collect();
        folders.sort();
        folders.dedup();
        folders
    }

    /// The modules, in the order in which they were loaded.
    ///
    /// # Errors
    ///
    /// Those of the memory.
    pub fn modules(&self) -> Result<Vec<ModuleAnswer>> {
        let modules = self.runtime.modules()?;
        let answer = |module: Module| Ok(ModuleAnswer::of(&*self.loaded(module.address)?));
        modules.into_iter().map(answer).collect()
    }

    /// The threads: those that wait for a monitor of another first, then those with code of methods, then all others; in each the smallest number first.
    ///
    /// # Errors
    ///
    /// Those of the memory, where the list of threads cannot be read.
    pub fn threads(&self) -> Result<Vec<ThreadAnswer>> {
        let managed = self.runtime.managed_threads()?;
        let mut left = 2 * MOST_WALKED;
        let mut threads: Vec<ThreadAnswer> =
            self.runtime.target().threads.iter().map(|thread| self.thread(thread, &managed, &mut left)).collect();
        threads.sort_by_key(|thread| {
            (thread.waits_for.is_none(), !thread.frames.iter().any(|frame| frame.managed), thread.id)
        });
        Ok(threads)
    }

    /// A thread; `left` has the number of frames that are walked of it and of those after it.
    fn thread(&self, thread: &TargetThread, threads: &[ManagedThread], left: &mut usize) -> ThreadAnswer {
        let stack = self.runtime.stack(thread, (*left).min(MOST_WALKED));
        let waits_for = stack.as_ref().and_then(|stack| self.runtime.waits_for(thread, stack, threads));
        let stack = stack.unwrap_or_default();
        *left -= stack.walked;
        let repeated = stack.repeated.iter().filter(|repeated| repeated.times > 0);
        let repeated = repeated.map(|Repeated { after, frames, times }| RepeatedAnswer {
            after: *after,
            frames: *frames,
            times: *times,
        });
        let frames = stack.frames.iter().map(|frame| self.frame(frame));
        ThreadAnswer {
            id: thread.id,
            name: thread.name.clone(),
            managed_id: threads.iter().find(|managed| managed.os_id == thread.id).map(|managed| managed.id),
            running: thread.stopped == Stopped::Running,
            waits_for,
            cut: Some(stack.cut.clone()).filter(|cut| !cut.is_empty()),
            frames: frames.collect(),
            repeated: repeated.collect(),
        }
    }

    fn frame(&self, frame: &Frame) -> FrameAnswer {
        let mut answer = FrameAnswer {
            address: frame.ip,
            module: None,
            name: None,
            token: None,
            il: None,
            managed: false,
            module_address: 0,
            rva: None,
        };
        match &frame.code {
            FrameCode::Native { path } => {
                answer.module = Some(path.clone());
                // A return address belongs to the call before it.
                let at = if frame.returns { before(frame.ip, 1) } else { frame.ip };
                answer.name = self.function_name(at);
            }
            FrameCode::Unnamed => {}
            FrameCode::Managed(found) => {
                answer.managed = true;
                answer.module_address = found.module;
                // A return address belongs to the call before it.
                let at = if frame.returns { before(frame.ip, 1) } else { frame.ip };
                if let Ok(code) = self.at(found, at) {
                    answer.module = Some(code.module);
                    answer.name = Some(code.name).filter(|name| !name.is_empty());
                    (answer.token, answer.il) = (code.token, code.il);
                }
                if let CodeOrigin::Precompiled { rva } = found.kind {
                    answer.rva = Some(rva);
                }
            }
        }
        answer
    }

    /// Method that has code at an address; `None` if no method has.
    ///
    /// # Errors
    ///
    /// Those of the memory.
    pub fn address(&self, address: u64) -> Result<Option<AddressAnswer>> {
        self.runtime.find(address)?.map(|found| self.at(&found, address)).transpose()
    }

    fn at(&self, found: &CodeAt, address: u64) -> Result<AddressAnswer> {
        let loaded = self.loaded(found.module)?;
        let mut answer = AddressAnswer {
            address,
            module: loaded.module.path.clone(),
            name: String::new(),
            token: Some(found.token).filter(|token| token.0 != 0),
            native: None,
            il: None,
            pdb: loaded.module.pdb.map(|(guid, _)| guid),
            il_of_sample: None,
        };
        // The metadata and the code of another build would name another method.
        let session = loaded.session.as_ref().filter(|_| loaded.is_same_build());
        match found.kind {
            CodeOrigin::Jitted { .. } => {
                let native = before(address, found.start);
                answer.native = Some(native);
                let info = self.runtime.debug_info(found).ok().flatten();
                if let Some((native, info)) = u32::try_from(native).ok().zip(info) {
                    answer.il = Some(il_of_frame(&info, native));
                    answer.il_of_sample = il_of_sample(&info, native);
                }
                answer.name = match (answer.token, session) {
                    (Some(token), Some(session)) => session.method_name(token),
                    (Some(token), None) => token.to_string(),
                    (None, _) => "a method made at run time".to_owned(),
                };
            }
            CodeOrigin::Precompiled { rva } => {
                if let Some(session) = session
                    && let Some((mapped, native)) = u32::try_from(rva).ok().and_then(|rva| body_at(session, rva))
                {
                    answer.native = Some(native.into());
                    answer.il = Some(il_of_frame(&mapped.info, native));
                    answer.il_of_sample = il_of_sample(&mapped.info, native);
                    answer.token = method_of(session, &mapped.body);
                    answer.name = mapped.name;
                }
            }
        }
        Ok(answer)
    }

    /// Addresses that an offset of a mapped file has in memory.
    pub(crate) fn mapped(&self, path: &str, offset: u64) -> impl Iterator<Item = u64> {
        let files = self.runtime.target().files.iter().filter(move |file| file.path == path);
        files.filter_map(move |file| {
            let into = offset.checked_sub(file.offset)?;
            (into < before(file.end, file.start)).then(|| after(file.start, into))
        })
    }

    /// Number of the process; `None` for a core.
    pub(crate) fn pid(&self) -> Option<u64> {
        self.runtime.target().pid.map(u64::from)
    }

    /// True if a module is loaded whose PDB has one of the ids; where the list cannot be read, too.
    pub(crate) fn has_loaded(&self, ids: &[Guid]) -> bool {
        let is_own = |module: &Module| module.pdb.is_some_and(|(guid, _)| ids.contains(&guid));
        self.runtime.modules().map_or(true, |modules| modules.iter().any(is_own))
    }

    /// The bodies that were compiled in the process, by module and token, and how many could not be read.
    ///
    /// # Errors
    ///
    /// Those of the memory.
    pub fn methods(&self) -> Result<(Vec<MethodAnswer>, usize)> {
        let (found, unreadable) = self.runtime.jitted_methods()?;
        let mut methods = Vec::new();
        for body in found {
            let at = self.at(&body, body.start)?;
            let info = self.runtime.debug_info(&body)?;
            let il: BTreeSet<u32> =
                info.iter().flat_map(|info| &info.bounds).filter_map(|bound| bound.il.offset()).collect();
            methods.push(MethodAnswer {
                name: at.name,
                module: at.module,
                token: at.token,
                address: body.start,
                size: self.runtime.code_size(&body)?,
                tier: self.tier(&body, self.loaded(body.module)?.session.as_ref(), &il),
                il: il.into_iter().collect(),
            });
        }
        methods.sort_by(|a, b| (&a.module, a.token, a.address).cmp(&(&b.module, b.token, b.address)));
        Ok((methods, unreadable))
    }

    /// Tier of a body of the image of a session, whose IL offsets have code. Code that is compiled once is optimised as its assembly says. The
    /// first code of another method is that of tier 0, unless the compiler refused to make that: then offsets that tier 0 keeps are missing.
    fn tier(&self, body: &CodeAt, session: Option<&Session>, il: &BTreeSet<u32>) -> Option<String> {
        let tier = match self.runtime.tier(body).ok()? {
            Some(tier) => tier,
            None if is_optimized(session?)? => "Optimized",
            None => "MinOptJitted",
        };
        if tier == FIRST_TIER {
            let rule = binding_of(session?, body.token, CodeKind::Minimal)?;
            let is_kept = |(at, answer): &(u32, FromIl)| *at == 0 || *answer != FromIl::Accepted || il.contains(at);
            rule.answers().iter().all(is_kept).then_some(())?;
        }
        Some(tier.to_owned())
    }
}

impl LoadedModule {
    /// True unless the image on disk has another id than the loaded one.
    fn is_same_build(&self) -> bool {
        let on_disk = self.session.as_ref().and_then(pdb_id);
        self.module.pdb.is_none() || on_disk.is_none() || self.module.pdb.map(|(guid, _)| guid) == on_disk
    }
}

impl ModuleAnswer {
    fn of(loaded: &LoadedModule) -> Self {
        let session = loaded.session.as_ref();
        let on_disk = session.and_then(pdb_id);
        let pdb = session.filter(|session| session.symbols().is_some()).and_then(pdb_path);
        let found = match (session, loaded.module.pdb) {
            (None, _) => ModuleMatch::NotThere,
            (_, None) => ModuleMatch::NoId,
            _ if !loaded.is_same_build() => ModuleMatch::AnotherBuild,
            _ if pdb.is_none() => ModuleMatch::NoPdb,
            _ => ModuleMatch::Matches,
        };
        Self { path: loaded.module.path.clone(), loaded: loaded.module.pdb.map(|(guid, _)| guid), on_disk, pdb, found }
    }
}

/// Threads that wait for each other in a circle, each before the one that it waits for; empty without a deadlock.
pub fn deadlock(threads: &[ThreadAnswer]) -> Vec<u32> {
    let waits: HashMap<u32, u32> = threads.iter().filter_map(|thread| Some((thread.id, thread.waits_for?))).collect();
    for start in threads.iter().map(|thread| thread.id) {
        let (mut circle, mut seen, mut at) = (Vec::new(), HashSet::new(), start);
        while seen.insert(at) {
            circle.push(at);
            let Some(next) = waits.get(&at) else { break };
            at = *next;
        }
        if at == start && waits.contains_key(&start) {
            return circle;
        }
    }
    Vec::new()
}

/// GUID of the PDB that the image on disk names.
fn pdb_id(session: &Session) -> Option<Guid> {
    codeview_ids(&session.image()?.pe).next().map(|id| id.guid)
}

/// Path of the symbol file of a session; that of the image for an embedded PDB.
fn pdb_path(session: &Session) -> Option<String> {
    session.symbol_file().map(|file| file.path.display().to_string())
}

//! From a frame of a profile to a method of the open files and an IL offset, by a map of machine code or by its name.

use std::cell::OnceCell;
use std::path::Path;

use pdblens_formats::bytes::Guid;
use pdblens_formats::metadata::{TableId, Token};
use pdblens_formats::native_map::{MapMethod, NativeMap};
use pdblens_formats::profile::{PerfMapEntry, SampledFrame, perf_map};
use pdblens_formats::reason::Reason;
use pdblens_session::recorded;
use pdblens_session::session::Session;
use pdblens_session::session::inputs::Location;
use pdblens_session::session::read_file::MAX_WHOLE;
use pdblens_session::text::parameters::split_parameters;
use pdblens_session::text::paths::file_name;

use super::{Elsewhere, UNREADABLE};
use crate::native_where::il_of_sample;
use crate::process::{self, AddressAnswer, Process, il_by};
use crate::trace::{NamedMethods, goes_by};

/// Methods before an address that are looked at: one per process, and code that took the place of other code.
const MOST_BEFORE: usize = 16;

/// Words in brackets behind a name: `M(int32)[Tier0]`.
const BEHIND_PARAMETERS: &str = ")[";

/// Map from addresses to machine code.
pub(super) enum CodeMap {
    /// A process that runs, or a core: it has all methods.
    Process(Box<Process>),
    /// Methods of an event trace.
    Recorded(NativeMap),
    /// Names of ranges, as .NET writes them for perf.
    Names(Vec<PerfMapEntry>),
    /// No map: the profile has names.
    None,
}

/// Method of the open files, and where a frame is in it.
pub(super) type MethodAt = (Token, IlAt);

/// Place in IL of a frame.
pub(super) enum IlAt {
    Offset(u32),
    /// In code that the compiler made of no IL.
    None,
    /// There is no map.
    NotKnown,
}

impl CodeMap {
    pub(super) fn open(path: &Path) -> Result<Self, Reason> {
        if let Some(name) = process::named(path) {
            let process = process::process(name).map_err(|error| Reason::new("process", error.to_string()))?;
            return Ok(Self::Process(Box::new(process)));
        }
        let bytes = whole(path)?;
        let names = || perf_map(&bytes).map(Self::Names);
        NativeMap::read(&bytes).map(Self::Recorded).or_else(names).ok_or_else(|| {
            let text = "no process (live:PID), core, event trace of .NET (.nettrace) or map for perf (perf-PID.map)";
            Reason::new("no-map", text)
        })
    }
}

/// Bytes of a profile or a map.
pub(super) fn whole(path: &Path) -> Result<Vec<u8>, Reason> {
    let location = Location::of(path);
    location.read(MAX_WHOLE).map_err(|error| Reason::new(UNREADABLE, format!("{}: {error}", path.display())))
}

/// Frames of a profile as the files of a session have them.
pub(super) struct Locator<'s> {
    session: &'s Session,
    map: &'s CodeMap,
    ids: Vec<Guid>,
    /// Methods of a recorded map by address, and true for those of the session.
    recorded: Vec<(&'s MapMethod, bool)>,
    /// Made for the first frame that has a name alone.
    names: OnceCell<Option<NamedMethods<'s>>>,
    /// Name of the image.
    name: &'s str,
}

impl<'s> Locator<'s> {
    pub(super) fn new(session: &'s Session, map: &'s CodeMap) -> Result<Self, Reason> {
        let (ids, mut all) = (recorded::ids(session), Vec::new());
        match map {
            CodeMap::Recorded(map) => {
                let own = recorded::own_modules(session, map)?;
                let of = |method: &'s MapMethod| (method, own.contains(&(method.process, method.module)));
                all = map.methods.iter().map(of).collect();
                all.sort_by_key(|(method, _)| method.address);
            }
            CodeMap::Process(process) if !process.has_loaded(&ids) => {
                let text = "the process has not loaded this build: no module of it has the id of this PDB";
                return Err(Reason::new("other-build", text));
            }
            _ => {}
        }
        let symbols = session.symbol_file().map(|file| file.name.as_str());
        let name = session.image().map(|image| image.name.as_str()).or(symbols).unwrap_or_default();
        Ok(Self { session, map, ids, recorded: all, names: OnceCell::new(), name })
    }

    /// Method of a frame; `returns` is true for one whose address is that after a call.
    pub(super) fn locate(&self, frame: &SampledFrame, returns: bool) -> Result<MethodAt, Elsewhere> {
        let address = frame.address.and_then(|address| address.checked_sub(u64::from(returns)));
        match (self.map, address) {
            (CodeMap::Process(process), Some(address)) => return self.in_process(process, frame, address),
            (CodeMap::Recorded(_), Some(address)) => {
                if let Some((method, is_own)) = self.in_recording(frame.process, address) {
                    if !is_own || method.token.table() != TableId::METHOD_DEF {
                        return Err(Elsewhere::OtherModules);
                    }
                    let native = u32::try_from(address - method.address).unwrap_or(u32::MAX);
                    let il = il_by(Some(self.session), method, |info| il_of_sample(info, native));
                    return match il {
                        None => Ok((method.token, IlAt::NotKnown)),
                        Some(il) => Ok((method.token, il.map_or(IlAt::None, IlAt::Offset))),
                    };
                }
            }
            (CodeMap::Names(entries), Some(address)) if frame.symbol.is_empty() => {
                let next = entries.partition_point(|entry| entry.start <= address);
                let last = next.checked_sub(1).and_then(|last| entries.get(last));
                if let Some(entry) = last.filter(|entry| address - entry.start < entry.size) {
                    return self.by_name(&entry.name, "");
                }
            }
            (_, None) if frame.symbol.is_empty() => return Err(Elsewhere::Native),
            _ => {}
        }
        self.by_name(&frame.symbol, &frame.file)
    }

    fn in_process(&self, process: &Process, frame: &SampledFrame, address: u64) -> Result<MethodAt, Elsewhere> {
        if frame.process.is_some() && process.pid().is_some_and(|pid| frame.process != Some(pid)) {
            return Err(Elsewhere::OtherProcesses);
        }
        let at = |address| process.address(address).ok().flatten();
        // perf 5.14 to 6.1 prints the offset in the file in the place of the address.
        let found = at(address).or_else(|| process.mapped(&frame.file, address).find_map(at));
        match found {
            Some(AddressAnswer { pdb: Some(pdb), token: Some(token), il, il_of_sample, .. })
                if self.ids.contains(&pdb) =>
            {
                let without = if il.is_some() { IlAt::None } else { IlAt::NotKnown };
                Ok((token, il_of_sample.map_or(without, IlAt::Offset)))
            }
            Some(_) => Err(Elsewhere::OtherModules),
            None => Err(Elsewhere::Native),
        }
    }

    /// The last of the methods that had code at an address.
    fn in_recording(&self, process: Option<u64>, address: u64) -> Option<(&'s MapMethod, bool)> {
        let next = self.recorded.partition_point(|(method, _)| method.address <= address);
        let before = self.recorded.get(..next)?.iter().rev();
        let is_it = |(method, _): &&(&MapMethod, bool)| {
            let is_other = process.is_some() && method.process.is_some() && process != method.process;
            !is_other && address - method.address < method.size.into()
        };
        before.take(MOST_BEFORE).find(is_it).copied()
    }

    /// Method of a name as perf and other tools write it: `int64 [App] Ns.T::M(int32)[Tier0]`, `App!Ns.T.M(int)`, `Ns.T.M`. Of the names in a mapped
    /// file, only those of .NET's map are of methods, which have the module in brackets.
    fn by_name(&self, symbol: &str, file: &str) -> Result<MethodAt, Elsewhere> {
        if symbol.is_empty() {
            return Err(self.in_file(file));
        }
        let end = symbol.rfind(BEHIND_PARAMETERS).filter(|_| symbol.ends_with(']'));
        let symbol = end.and_then(|end| symbol.get(..=end)).unwrap_or(symbol);
        let (name, parameters) = split_parameters(symbol);
        let bracketed = name.rsplit_once("] ").and_then(|(before, name)| Some((before.rsplit_once('[')?.1, name)));
        let (module, name) = match (bracketed, name.split_once('!')) {
            (Some((module, name)), _) => (Some(module), name),
            (None, Some((module, name))) if file.is_empty() => (Some(module), name),
            _ if !file.is_empty() => return Err(Elsewhere::Native),
            _ => (None, name),
        };
        if module.is_some_and(|module| !goes_by(self.name, module)) {
            return Err(Elsewhere::OtherModules);
        }
        let names = self.names.get_or_init(|| NamedMethods::of(self.session));
        let names = names.as_ref().ok_or(Elsewhere::NotKnown)?;
        match names.find(&name.replace("::", "."), parameters).as_slice() {
            [] => Err(Elsewhere::NotKnown),
            [method] => Ok((*method, IlAt::NotKnown)),
            _ => Err(Elsewhere::Ambiguous),
        }
    }

    /// Place of code without a name, by its mapped file.
    fn in_file(&self, path: &str) -> Elsewhere {
        let name = file_name(path);
        let is_image = [".dll", ".exe"].iter().any(|ending| name.ends_with(ending));
        // Code that the JIT made is in memory of no file, or of one that has no name.
        let is_made = path.is_empty() || path.starts_with("//anon") || path.starts_with("/memfd:");
        match () {
            () if is_made || name.starts_with("perf-") => Elsewhere::NotKnown,
            () if !is_image => Elsewhere::Native,
            () if goes_by(self.name, name) => Elsewhere::NotKnown,
            () => Elsewhere::OtherModules,
        }
    }
}

//! The second door to a process: what its runtime says by its diagnostics socket, where its memory may not be read.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use pdblens_formats::native_map::{MapMethod, MapModule, NativeMap};
use pdblens_formats::r2r::DebugInfo;
use pdblens_nodes::method::native::{MappedBody, bodies};
use pdblens_runtime::module::Module;
use pdblens_runtime::{MemoryError, Result};
use pdblens_session::session::Session;

use super::{AddressAnswer, LoadedModule, MethodAnswer, ModuleAnswer, Process, process};
use crate::native_where::il_of_frame;

/// Modules and methods of a process, as its runtime names them when a session of events ends. It has no threads.
pub struct Rundown {
    map: NativeMap,
    /// By number.
    modules: HashMap<u64, LoadedModule>,
}

/// Asks the memory of a process, or its diagnostics socket where that may not be read, where the runtime does not describe it, and where `by_socket` is true.
/// With the answer of the socket comes the reason why the memory has none.
///
/// # Errors
///
/// Those of the memory, where the socket has no answer either.
pub fn ask<T>(
    name: &str,
    by_socket: bool,
    memory: impl FnOnce(&Process) -> Result<T>,
    rundown: impl FnOnce(Rundown) -> T,
) -> Result<(T, Option<String>)> {
    if by_socket {
        return Ok((rundown(Rundown::of_process(name)?), Some(String::new())));
    }
    match process(name).and_then(|process| memory(&process)) {
        Ok(found) => Ok((found, None)),
        Err(why) => match Rundown::of_process(name) {
            Ok(found) => Ok((rundown(found), Some(why.to_string()))),
            Err(_) => Err(why),
        },
    }
}

impl Rundown {
    /// Asks the runtime of a process.
    ///
    /// # Errors
    ///
    /// [`MemoryError::NoSocket`]; for a core [`MemoryError::NotCore`], which has no runtime to ask.
    pub fn of_process(name: &str) -> Result<Self> {
        let pid = name.parse().map_err(|_| MemoryError::NotCore("only a process has a diagnostics socket"))?;
        let bytes = pdblens_runtime::live::rundown(pid)?;
        let failed = |why: &str| MemoryError::NoSocket { pid, why: why.to_owned() };
        let map = NativeMap::read(&bytes).ok_or_else(|| failed("its rundown is no event trace"))?;
        if map.modules.is_empty() {
            return Err(failed("its rundown is empty: DOTNET_EventPipeRundown is 0 there"));
        }
        Ok(Self::new(map, Some(pid)))
    }

    /// Takes the map of a rundown.
    pub fn new(mut map: NativeMap, pid: Option<u32>) -> Self {
        for method in &mut map.methods {
            method.process = pid.map(u64::from);
        }
        for module in &mut map.modules {
            module.process = pid.map(u64::from);
        }
        let open = |module: &MapModule| {
            let path = PathBuf::from(&module.path);
            // A device or a pipe would wait.
            let session = if path.is_file() { Session::open(&[path]).ok() } else { None };
            let module = Module { address: module.id, path: module.path.clone(), base: 0, pdb: module.pdb };
            (module.address, LoadedModule { module, session })
        };
        let modules = map.modules.iter().map(open).collect();
        Self { map, modules }
    }

    /// The bodies as a recording has them.
    pub fn native_map(self) -> NativeMap {
        self.map
    }

    /// The modules, in the order in which the runtime names them.
    pub fn modules(&self) -> Vec<ModuleAnswer> {
        self.map.modules.iter().filter_map(|module| self.modules.get(&module.id)).map(ModuleAnswer::of).collect()
    }

    /// The bodies that the JIT compiled, by module and token.
    pub fn methods(&self) -> Vec<MethodAnswer> {
        let is_jitted = |body: &&MapMethod| body.tier != "ReadyToRun";
        let mut methods: Vec<MethodAnswer> =
            self.map.methods.iter().filter(is_jitted).map(|body| self.method(body)).collect();
        methods.sort_by(|a, b| (&a.module, a.token, a.address).cmp(&(&b.module, b.token, b.address)));
        methods
    }

    fn method(&self, body: &MapMethod) -> MethodAnswer {
        let at = self.at(body, body.address);
        let il: BTreeSet<u32> = body.bounds.iter().filter_map(|bound| bound.il.offset()).collect();
        MethodAnswer {
            name: at.name,
            module: at.module,
            token: at.token,
            address: body.address,
            size: Some(body.size.into()),
            tier: Some(body.tier.clone()),
            il: il.into_iter().collect(),
        }
    }

    /// Method that has code at an address.
    pub fn address(&self, address: u64) -> Option<AddressAnswer> {
        let has_it = |body: &&MapMethod| address.checked_sub(body.address).is_some_and(|at| at < body.size.into());
        self.map.methods.iter().find(has_it).map(|body| self.at(body, address))
    }

    fn at(&self, body: &MapMethod, address: u64) -> AddressAnswer {
        let loaded = self.modules.get(&body.module);
        // The metadata and the code of another build would name another method.
        let session = loaded.filter(|loaded| loaded.is_same_build()).and_then(|loaded| loaded.session.as_ref());
        let token = Some(body.token).filter(|token| token.row() != 0);
        let native = address - body.address;
        AddressAnswer {
            address,
            module: loaded.map_or_else(String::new, |loaded| loaded.module.path.clone()),
            name: match (token, session) {
                (Some(token), Some(session)) => session.method_name(token),
                _ => body.name.clone(),
            },
            token,
            native: Some(native),
            il: u32::try_from(native).ok().and_then(|native| il_by(session, body, |info| il_of_frame(info, native))),
            il_of_sample: None,
            pdb: loaded.and_then(|loaded| Some(loaded.module.pdb?.0)),
        }
    }
}

/// IL offset by the map of the event, or for precompiled code by that of the image, where one body of the method has this size.
pub(crate) fn il_by<T>(session: Option<&Session>, body: &MapMethod, il: impl Fn(&DebugInfo) -> T) -> Option<T> {
    if !body.bounds.is_empty() {
        let info = DebugInfo { bounds: body.bounds.clone(), ..DebugInfo::default() };
        return Some(il(&info));
    }
    let is_it = |mapped: &MappedBody| mapped.body.fragments.first().is_some_and(|first| first.size == body.size);
    let mut found = bodies(session?, body.token).into_iter().filter(is_it);
    let mapped = found.next()?;
    if found.next().is_some() {
        return None;
    }
    Some(il(&mapped.info))
}

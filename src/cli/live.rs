//! `pdblens live [PID|CORE]`

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::command::{Access, Error, Example, Exit, Files, Out, Run, example};
use super::json;
use super::screens::Screens;
use super::symbols::SymbolArgs;
use crate::formats::reason::Reason;
use crate::query::process::{
    self, AddressAnswer, MethodAnswer, ModuleAnswer, ModuleMatch, Process, Rundown, ThreadAnswer, ThreadsText,
    deadlock, open, process,
};
use crate::store::new_file::{self, Existing};
use crate::text::paths::file_name;
use crate::trace::{self, FindSymbols, Tracer};
use pdblens_runtime::MemoryError;

/// `pdblens live [PID|CORE] [WHAT]`
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)]
pub struct Live {
    /// Number of a process, or the path of a core that createdump or the kernel wrote; without it, the .NET processes are listed.
    #[arg(value_name = "PID|CORE")]
    process: Option<String>,
    /// Answer to print: `threads` with their lines (default), `modules`, `methods`, or what has code at an address such as `0x7f3a5c001234`.
    #[arg(value_name = "WHAT", default_value = "threads")]
    what: String,
    /// With `methods`, a part of the names of those to print.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print all threads, also those without code of a method.
    #[arg(long)]
    all: bool,
    /// Print the threads as they were read, without lines, for `pdblens trace` on another machine.
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    /// Ask the runtime by its diagnostics socket, as where the memory may not be read: it answers `modules`, `methods` and addresses.
    #[arg(long, conflicts_with_all = ["raw", "save"])]
    socket: bool,
    /// Write a core with the memory that was read for the threads: it is small, and opens later and on another machine.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    symbols: SymbolArgs,
}

/// Answer of `pdblens live` as JSON.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "live"))]
#[serde(untagged)]
pub(super) enum LiveDocument {
    /// Processes of this user.
    Processes {
        /// Ascending by number.
        processes: Vec<ProcessRow>,
    },
    /// Threads.
    Threads {
        /// Numbers of the threads of a deadlock, each before the one that it waits for.
        deadlock: Vec<u32>,
        /// Those that wait for a monitor first.
        threads: Vec<ThreadAnswer>,
    },
    /// Modules.
    Modules {
        /// In the order in which they were loaded.
        modules: Vec<ModuleAnswer>,
    },
    /// Bodies of methods that were compiled in the process.
    Methods {
        /// By module and token.
        methods: Vec<MethodAnswer>,
    },
    /// Method that has code at the address.
    Address {
        /// Method.
        #[serde(flatten)]
        found: AddressAnswer,
    },
}

/// A process.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "live_process"))]
pub(super) struct ProcessRow {
    /// Number.
    pid: u32,
    /// Words of its command line.
    command: Vec<String>,
    /// Path of the library of its runtime.
    runtime: String,
}

impl Run for Live {
    const EXAMPLES: &'static [Example] = &[
        example("Show where the threads of a core stand; a number is a process that runs", "pdblens live crash.core"),
        example("Show which modules it has loaded, and whether their PDBs match", "pdblens live crash.core modules"),
    ];

    fn access(&self) -> Access {
        // The system forbids a program in a sandbox to read the memory of one outside, and a core has its modules anywhere.
        Access::program(true)
    }

    fn run(self, out: &mut Out) -> Result<Exit, Error> {
        let Some(name) = &self.process else { return self.processes(out) };
        let failed = |error: MemoryError| Error::NoAnswer(format!("{name}: {error}"));
        if let Some(path) = &self.save {
            let core = process(name).and_then(|process| process.core_of_threads(open(name)?)).map_err(failed)?;
            new_file::write(path, Existing::Keep, &core)?;
            eprintln!("note: {} bytes written to {}", core.len(), path.display());
            return Ok(Exit::Done);
        }
        if self.socket && name.parse::<u32>().is_err() {
            return Err(Error::Usage("--socket asks a process: name its number".to_owned()));
        }
        match self.what.as_str() {
            "threads" if self.socket => {
                Err(Error::Usage("the diagnostics socket has no threads: ask for modules or methods".to_owned()))
            }
            "threads" => {
                self.symbols.check_folders()?;
                let process = process(name).map_err(|error| without_threads(name, &error))?;
                self.threads(&process.with_symbols(self.symbols.paths()), out)
            }
            "modules" => {
                let modules = self.ask(name, Process::modules, |rundown| rundown.modules())?;
                if self.json {
                    return document(out, &LiveDocument::Modules { modules });
                }
                for module in modules {
                    out.line(&format!("{}  {}", verdict(&module), module.path))?;
                }
                Ok(Exit::Done)
            }
            "methods" => {
                let (mut methods, unreadable) = self.ask(name, Process::methods, |rundown| (rundown.methods(), 0))?;
                methods.retain(|method| self.name.as_ref().is_none_or(|name| method.name.contains(name)));
                if let (Some(name), []) = (&self.name, methods.as_slice()) {
                    return Err(Error::NoAnswer(format!("no method is compiled whose name has {name:?}")));
                }
                if unreadable > 0 {
                    eprintln!("note: {unreadable} bodies changed while they were read: left out");
                }
                if self.json {
                    return document(out, &LiveDocument::Methods { methods });
                }
                for method in methods {
                    let size = method.size.map_or_else(|| "?".to_owned(), |size| size.to_string());
                    let offsets = method.il.len();
                    out.line(&format!(
                        "{:#x}  {size:>6} bytes  {offsets:>4} IL offsets  {:<17}  {}  {}",
                        method.address,
                        method.tier.as_deref().unwrap_or_default(),
                        file_name(&method.module),
                        method.name
                    ))?;
                }
                Ok(Exit::Done)
            }
            text => {
                let address =
                    text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(&digits.replace('`', ""), 16).ok());
                let Some(address) = address else {
                    return Err(Error::Usage(format!(
                        "{text:?} is none of threads, modules, methods and an address such as 0x7f3a5c001234"
                    )));
                };
                let found = self.ask(name, |process| process.address(address), |rundown| rundown.address(address))?;
                let Some(found) = found else {
                    return Err(Error::NoAnswer(format!("{address:#x} is in no method of the process")));
                };
                if self.json {
                    return document(out, &LiveDocument::Address { found });
                }
                let mut text = format!("{:#x}  {}", found.address, found.name);
                let offset = |word: &str, offset: Option<u64>| {
                    offset.map_or_else(String::new, |offset| format!("  {word}{offset:#x}"))
                };
                let _ = write!(text, "{}{}", offset("+native:", found.native), offset("IL_", found.il.map(u64::from)));
                out.line(&text)?;
                out.line(&format!("module  {}", found.module))?;
                if let (Some(token), Some(il)) = (found.token, found.il) {
                    out.line(&format!(
                        "line    pdblens where {} {token}+{il:#x}",
                        crate::text::shell::shell_quoted(&found.module)
                    ))?;
                }
                Ok(Exit::Done)
            }
        }
    }
}

/// The program of a process that is named as `live:PID`, for a command about its file.
pub(super) fn program(word: &Path) -> Result<Option<PathBuf>, Error> {
    let Some(name) = process::named(word) else { return Ok(None) };
    let process = process(name).map_err(|error| Error::NoAnswer(format!("{name}: {error}")))?;
    let program = process.program().filter(|path| path.is_file());
    program.map(Some).ok_or_else(|| Error::NoAnswer(format!("{name}: its program is not on this machine")))
}

impl Live {
    /// Answer of the memory of the process, or of its diagnostics socket with a note that it is that.
    fn ask<T>(
        &self,
        name: &str,
        memory: impl FnOnce(&Process) -> pdblens_runtime::Result<T>,
        rundown: impl FnOnce(Rundown) -> T,
    ) -> Result<T, Error> {
        let (answer, why) = process::ask(name, self.socket, memory, rundown)
            .map_err(|error| Error::NoAnswer(format!("{name}: {error}")))?;
        if let Some(why) = why {
            let why = if why.is_empty() { why } else { format!(" · {why}") };
            eprintln!("note: by the diagnostics socket: no threads{why}");
        }
        Ok(answer)
    }

    /// True where a person at a terminal asks for the threads.
    pub(super) fn wants_screens(&self) -> bool {
        self.process.is_some()
            && self.what == "threads"
            && !self.json
            && !self.raw
            && !self.socket
            && self.save.is_none()
    }

    /// The question that another command asks about a process: its name, then what is asked of it.
    pub(super) fn asked<W: AsRef<std::ffi::OsStr>>(words: &[W], json: bool) -> Option<Self> {
        let [name, what] = words else { return None };
        let name = process::named(name.as_ref().as_ref())?;
        Some(Self { what: what.as_ref().to_str()?.to_owned(), json, ..Self::of_core(name.to_owned()) })
    }

    /// The question about the threads of a core.
    pub(super) fn of_core(core: String) -> Self {
        Self {
            process: Some(core),
            what: "threads".to_owned(),
            name: None,
            all: false,
            raw: false,
            socket: false,
            save: None,
            json: false,
            symbols: SymbolArgs::default(),
        }
    }

    /// The screens on the program of the process, with its threads as a trace; `screens` has the other options.
    pub(super) fn screens(self, screens: Screens) -> Result<Screens, Error> {
        let name = self.process.unwrap_or_default();
        let process = process(&name).map_err(|error| without_threads(&name, &error))?;
        let program = process.program().filter(|path| path.is_file());
        let symbols = screens.files.symbols.and(self.symbols);
        let paths = symbols.paths();
        let symbols = symbols.with_folders(process.image_folders());
        let files = Files { files: program.into_iter().collect(), sample: false, symbols };
        let native = screens.native.or_else(|| Some(format!("live:{name}").into()));
        let mut threads = ThreadsText { name, all: self.all, text: String::new(), read, symbols: paths };
        threads.text = read(&threads).map_err(|why| Error::NoAnswer(why.text))?;
        Ok(Screens { files, native, threads: Some(threads), ..screens })
    }

    fn processes(&self, out: &mut Out) -> Result<Exit, Error> {
        let found = list()?;
        if self.json {
            return document(out, &LiveDocument::Processes { processes: found });
        }
        if found.is_empty() {
            return Err(Error::NoAnswer("no .NET process of this user is running".to_owned()));
        }
        for process in found {
            out.line(&format!("{:>7}  {}", process.pid, process.command.join(" ")))?;
        }
        Ok(Exit::Done)
    }

    fn threads(&self, process: &Process, out: &mut Out) -> Result<Exit, Error> {
        let threads = process.threads().map_err(|error| Error::NoAnswer(error.to_string()))?;
        if self.json {
            return document(out, &LiveDocument::Threads { deadlock: deadlock(&threads), threads });
        }
        let report = process.report(&threads, self.all);
        if self.raw {
            out.hand_on(report.as_bytes())?;
            return Ok(Exit::Done);
        }
        let folders: Vec<PathBuf> = process.image_folders();
        let finder: Box<dyn FindSymbols> = Box::new(trace::Files::new(&folders));
        Tracer::new(vec![finder]).run(report.as_bytes(), &mut super::trace::plain_text(out))?;
        Ok(Exit::Done)
    }
}

/// The error of a process whose threads cannot be read, with what its diagnostics socket answers.
fn without_threads(name: &str, error: &MemoryError) -> Error {
    let has_socket = !matches!(error, MemoryError::NoProcess(_)) && name.parse::<u32>().is_ok();
    let tip = if has_socket {
        format!(" · `pdblens live {name} modules` and `methods` ask its diagnostics socket")
    } else {
        String::new()
    };
    Error::NoAnswer(format!("{name}: {error}{tip}"))
}

/// The report of the threads that the screens ask for.
fn read(threads: &ThreadsText) -> Result<String, Reason> {
    let read = || {
        let process = process(&threads.name)?.with_symbols(threads.symbols.clone());
        Ok(process.report(&process.threads()?, threads.all))
    };
    read().map_err(|error: MemoryError| Reason::new("process", format!("{}: {error}", threads.name)))
}

fn document(out: &mut Out, answer: &LiveDocument) -> Result<Exit, Error> {
    json::write(out, answer)?;
    Ok(Exit::Done)
}

fn verdict(module: &ModuleAnswer) -> String {
    let id = |id: Option<crate::formats::bytes::Guid>| {
        id.map_or_else(|| "none".to_owned(), |id| id.to_string()[..8].to_owned())
    };
    match module.found {
        ModuleMatch::Matches => "PDB matches        ".to_owned(),
        ModuleMatch::NoPdb => "no PDB             ".to_owned(),
        ModuleMatch::NotThere => "no file            ".to_owned(),
        ModuleMatch::NoId => "no id              ".to_owned(),
        ModuleMatch::AnotherBuild => {
            format!("another build: it runs {}…, the file has {}…", id(module.loaded), id(module.on_disk))
        }
    }
}

fn list() -> Result<Vec<ProcessRow>, Error> {
    let found = pdblens_runtime::live::list().map_err(|error| Error::NoAnswer(error.to_string()))?;
    Ok(found
        .into_iter()
        .map(|process| ProcessRow { pid: process.pid, command: process.command, runtime: process.runtime })
        .collect())
}

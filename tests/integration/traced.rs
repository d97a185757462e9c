//! System calls of subcommands, as strace lists them: files that are opened, written or changed, sockets, and programs.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::folder::Folder;
use crate::support::samples::repository;
use crate::support::server::{Answer, Server, linked_paths};

const PDBLENS: &str = env!("CARGO_BIN_EXE_pdblens");

/// Each subcommand, in a folder with the samples; `out` and `store` are the folders that are written to.
pub(super) const COMMANDS: &[&str] = &[
    "info Ticker.dll",
    "info Workshop.dll --json",
    "list Ticker.dll",
    "show Ticker.dll pe/dos",
    "where Ticker.dll Clock.Since+0xF",
    "break Ticker.dll Clock.cs:11",
    "trace trace.txt --symbols .",
    "dump Workshop.dll",
    "dump Ticker.dll -o out/Ticker.json",
    "points Ticker.dll Workshop.dll",
    "quality Ticker.dll",
    "used-by Ticker.dll Clock.Since",
    "lines Parcel.pdb",
    "methods .",
    "documents Ticker.dll",
    "sources Ticker.dll --source-root .",
    "sources Workshop.dll --extract out",
    "extract Workshop.dll --to out",
    "check .",
    "check . --format junit",
    "find Ticker.dll --symbols store",
    "store add Ticker.dll Ticker.pdb --to store",
    "store get Ticker.dll --symbols store --to out",
    "store list store",
    "diff Ticker.dll Workshop.dll",
    "srcsrv Tally.pdb",
    "decode points 02 00 00 01 13 05 01 00 26 02 04",
    "encode sint -5",
    "explain sequence point",
    "learn Ticker.dll 10",
    "learn --list",
    "gen completions bash",
    "gen man --output out",
    "gen corpus out/corpus",
    "course list",
    "course start out/course --language python Ticker.dll",
    "course check out/course --output answers.json",
];

/// Files that the dynamic linker and the standard library read, and those that the rules of the sandbox name.
const OF_SYSTEM: &[&str] = &[
    "/etc/ld.so.",
    "/lib",
    "/usr/lib",
    "/proc/self/",
    "/proc/sys/vm/overcommit_memory",
    "/sys/fs/cgroup",
    "/dev/null",
];

fn pdblens(folder: &Folder, words: &[&str]) -> Output {
    Command::new(PDBLENS).args(words).current_dir(folder.path()).output().unwrap()
}

pub(super) fn samples() -> Folder {
    let folder = Folder::new();
    for (name, sample) in [
        ("Ticker.dll", "ticker/Ticker.dll"),
        ("Ticker.pdb", "ticker/Ticker.pdb"),
        ("Workshop.dll", "workshop-embedded/Workshop.dll"),
        ("Parcel.pdb", "parcel/parcel.pdb"),
        ("Tally.pdb", "native/tally.pdb"),
    ] {
        folder.write(name, std::fs::read(repository(&format!("assets/samples/{sample}"))).unwrap());
    }
    folder.write("answers.json", "{}");
    folder.write("trace.txt", "   at Ticker.Clock.Since(Int64 t) in Ticker.dll:token 0x6000003+0x1\n");
    folder
}

/// Returns whether a system call opens a file outside the working folder, changes something outside the folders, reaches for the network, or
/// starts a program.
fn is_foreign(call: &str, working: &Path, folders: &[&str]) -> bool {
    let (name, arguments) = call.split_once('(').unwrap_or((call, ""));
    let is_written = |flags: &[&str]| flags.iter().any(|flag| arguments.contains(flag));
    match name {
        "socket" | "connect" | "bind" | "sendto" | "execve" | "execveat" | "fork" | "vfork" => true,
        // A thread is no program.
        "clone" | "clone3" => !arguments.contains("CLONE_THREAD"),
        "open" | "openat" | "openat2" if !is_written(&["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"]) => {
            let path = arguments.split('"').nth(1).unwrap_or_default();
            let is_inside = working.join(path).starts_with(working) && !path.split('/').any(|part| part == "..");
            !is_inside && !OF_SYSTEM.iter().any(|start| path.starts_with(start))
        }
        "open" | "openat" | "openat2" | "creat" | "mkdir" | "mkdirat" | "rename" | "renameat" | "renameat2"
        | "unlink" | "unlinkat" | "rmdir" | "link" | "linkat" | "symlink" | "symlinkat" | "truncate" | "chmod"
        | "fchmodat" | "chown" | "fchownat" | "lchown" | "utimensat" | "mknod" | "mknodat" | "setxattr" => {
            let mut paths = arguments.split('"').skip(1).step_by(2);
            !paths.all(|path| folders.iter().any(|folder| path.starts_with(folder)))
        }
        _ => false,
    }
}

/// System calls of a command that are foreign to it; `None` without strace.
fn foreign(folder: &Folder, words: &[&str], folders: &[&str]) -> Option<Vec<String>> {
    let log = Folder::new();
    let log = log.write("calls", "");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-e", "signal=none", "-e", "trace=file,network,process", "-o"]).arg(&log);
    // Answers to the questions of lessons would be there. Cargo has the linker look for libraries in its own folders.
    strace.env("XDG_STATE_HOME", folder.path()).env_remove("LD_LIBRARY_PATH");
    let output = strace.arg(PDBLENS).args(words).current_dir(folder.path()).output().ok()?;
    let calls = std::fs::read_to_string(log).unwrap();
    let mut calls = calls.lines().map(|line| line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' '));
    // The first one starts the program itself. Where processes may not be traced, there is none.
    if !calls.next().is_some_and(|call| call.starts_with("execve(") && call.contains(PDBLENS)) {
        eprintln!("strace: {}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    assert!(!String::from_utf8_lossy(&output.stderr).contains("error:"), "{words:?}: {output:?}");
    Some(calls.filter(|call| is_foreign(call, folder.path(), folders)).map(str::to_owned).collect())
}

#[test]
fn foreign_system_calls_are_told() {
    for call in [
        "execve(\"/bin/sh\", [\"sh\"], 0x1) = 0",
        "socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 3",
        "vfork() = 7",
        "clone(child_stack=NULL, flags=SIGCHLD) = 7",
        "openat(AT_FDCWD, \"/tmp/x\", O_RDWR|O_CLOEXEC) = 3",
        "rename(\"out/a\", \"/etc/b\") = 0",
        "unlink(\"store\") = 0",
        "openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC) = 3",
        "openat(AT_FDCWD, \"../Other.dll\", O_RDONLY|O_CLOEXEC) = 3",
    ] {
        assert!(is_foreign(call, Path::new("/work"), &["out/"]), "{call}");
    }
    for call in [
        "clone3({flags=CLONE_VM|CLONE_THREAD, stack=0x7}, 88) = 8",
        "openat(AT_FDCWD, \"/etc/ld.so.cache\", O_RDONLY|O_CLOEXEC) = 3",
        "openat(AT_FDCWD, \"Ticker.dll\", O_RDONLY|O_CLOEXEC) = 3",
        "openat(AT_FDCWD, \"/work/Ticker.pdb\", O_RDONLY|O_CLOEXEC) = 3",
        "rename(\"out/a\", \"out/b\") = 0",
        "exit_group(0) = ?",
    ] {
        assert!(!is_foreign(call, Path::new("/work"), &["out/"]), "{call}");
    }
}

#[test]
fn subcommands_open_and_write_only_what_they_are_asked_to() {
    let folder = samples();
    for name in ["out", "store"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    let mut wrong = Vec::new();
    for command in COMMANDS {
        let words: Vec<&str> = command.split(' ').collect();
        let written = ["out", "store"].into_iter().find(|name| {
            let is_it = |word: &str| word.split('/').next() == Some(name);
            words.windows(2).any(|pair| {
                ["-o", "--to", "--extract", "--output", "start", "corpus"].contains(&pair[0]) && is_it(pair[1])
            })
        });
        let whole = written.map(|name| folder.path().join(name).to_str().unwrap().to_owned());
        let folders: Vec<&str> = written.into_iter().chain(whole.as_deref()).collect();
        let Some(calls) = foreign(&folder, &words, &folders) else {
            eprintln!("skipped: no strace, or no process may be traced (apt-get install strace)");
            return;
        };
        wrong.extend(calls.into_iter().map(|call| format!("{command}: {call}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let tried = |name: &str| COMMANDS.iter().any(|command| command.split(' ').next() == Some(name));
    let all = pdblens::cli::command();
    let left: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).filter(|name| !tried(name)).collect();
    // A process and a core have their modules anywhere.
    assert!(left.iter().all(|name| ["help", "complete", "live"].contains(name)), "{left:?} are not tried");
}

/// The sandbox lets through what a command is asked for: the server that is named, and the cache.
#[test]
fn servers_that_are_named_are_reached_inside_the_sandbox() {
    const KEY: &str = "ticker.pdb/3222a828d6ba470fac43bbba907b2f03FFFFFFFF/ticker.pdb";
    let folder = samples();
    let pdb = std::fs::read(folder.path().join("Ticker.pdb")).unwrap();
    std::fs::remove_file(folder.path().join("Ticker.pdb")).unwrap();
    let server = Server::new([(format!("/{KEY}"), Answer::Bytes(pdb))]);
    let path = format!("srv*cache*{}", server.url(""));
    let output = pdblens(&folder, &["find", "Ticker.dll", "--symbols", &path]);
    assert!(output.status.success() && folder.path().join("cache").join(KEY).is_file(), "{output:?}");

    let text = std::fs::read(repository("assets/sources/workshop/Columns.cs")).unwrap();
    let columns = linked_paths("/samples/workshop/Columns.cs").map(|path| (path, Answer::Bytes(text.clone())));
    let server = Server::new(columns);
    let pdb = std::fs::read(repository("assets/samples/workshop/Workshop.pdb")).unwrap();
    folder.write("linked/Workshop.pdb", server.linked(pdb));
    let linked = Path::new("linked/Workshop.pdb").to_str().unwrap();
    let output = pdblens(&folder, &["check", linked, "--fetch=body"]);
    assert!(!server.asked().is_empty(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 of 1 fetched source verified"), "{output:?}");
}

#[test]
fn the_sandbox_is_chosen_by_an_option_or_the_environment() {
    let (folder, elsewhere) = (samples(), samples());
    let run = |words: &[&str], of_environment: &str| {
        let mut command = Command::new(PDBLENS);
        let output =
            command.args(words).env("PDBLENS_SANDBOX", of_environment).current_dir(folder.path()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr))
    };
    let (code, said) = run(&["info", "Ticker.dll"], "maybe");
    assert!(code == Some(2) && said.contains("must be auto, require or off"), "{said}");
    assert_eq!(run(&["info", "Ticker.dll", "--sandbox=off"], "require").0, Some(0));
    let has_sandbox = !run(&["--version"], "").1.contains("sandbox: none");
    for (words, of_environment) in
        [(&["info", "Ticker.dll"][..], "require"), (&["info", "Ticker.dll", "--sandbox=require"], "")]
    {
        let (code, said) = run(words, of_environment);
        assert_eq!(code == Some(0), has_sandbox, "{said}");
        assert!(has_sandbox || said.contains("the sandbox is required"), "{said}");
    }
    if cfg!(unix) {
        let (code, said) = run(&["dump", "Ticker.dll", "-o", "/pdblens-root.json"], "");
        assert!(code == Some(2) && said.contains("root folder"), "{said}");
    }
    // A link to a file that no word names.
    #[cfg(unix)]
    if has_sandbox {
        std::os::unix::fs::symlink(elsewhere.path().join("Parcel.pdb"), folder.path().join("Link.pdb")).unwrap();
        assert_eq!(
            run(&["check", "Link.pdb"], "").0,
            run(&["check", "Parcel.pdb"], "").0,
            "a link that is named is followed"
        );
        let (_, said) = run(&["trace", "trace.txt", "--symbols", "."], "");
        assert!(said.contains("Clock.cs"), "{said}");
    }
    drop(elsewhere);
}

//! The diagnostics socket of a process: what its runtime itself says of modules and methods, where its memory may not be read.
//!
//! At the end of a session of events, the runtime writes a rundown: each module, each method that has code, and the IL maps of those that the JIT
//! compiled. Threads are not in it. The process goes on meanwhile.
//!
//! # References
//!
//! dotnet/diagnostics, `documentation/design-docs/ipc-protocol.md`: `CollectTracing2`, `StopTracing`

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use crate::{MemoryError, Result};

/// First bytes of a message.
const MAGIC: &[u8; 14] = b"DOTNET_IPC_V1\0";
/// Bytes of a message before its payload: that, its size in two bytes, its set and command, and two of zero.
const HEAD: u16 = 20;
/// Commands of the set EventPipe, and the set and command of an answer without an error.
const EVENT_PIPE: u8 = 2;
const STOP: u8 = 1;
const COLLECT: u8 = 3;
const DONE: [u8; 2] = [0xff, 0];
/// Buffer of the session in the process, in MB.
const BUFFER: u32 = 64;
/// Most seconds for one answer and for the whole rundown, and most bytes of it.
const ANSWER: Duration = Duration::from_secs(10);
const WHOLE: Duration = Duration::from_mins(1);
const MOST_BYTES: usize = 512 << 20;

/// Rundown of the runtime of a process: an event trace (`.nettrace`).
///
/// # Errors
///
/// [`MemoryError::NoSocket`] with what is missing or what did not answer.
pub fn rundown(pid: u32) -> Result<Vec<u8>> {
    ask(pid).map_err(|error| match error {
        MemoryError::Io(error) => MemoryError::NoSocket { pid, why: error.to_string() },
        error => error,
    })
}

fn ask(pid: u32) -> Result<Vec<u8>> {
    let socket = Socket::of(pid)?;
    let mut stream = socket.connect()?;
    // Buffer, format nettrace, a rundown, and one provider with no keywords: its name, and a filter.
    let mut session = Vec::new();
    for number in [BUFFER, 1] {
        session.extend(number.to_le_bytes());
    }
    session.push(1);
    session.extend(1_u32.to_le_bytes());
    session.extend(0_u64.to_le_bytes());
    session.extend(2_u32.to_le_bytes());
    for text in ["Microsoft-Windows-DotNETRuntime", ""] {
        session.extend((text.len() as u32 + 1).to_le_bytes());
        session.extend(text.bytes().chain([0]).flat_map(|unit| u16::from(unit).to_le_bytes()));
    }
    let id = socket.ask(&mut stream, COLLECT, &session)?;
    // The rundown fills the stream while the session is stopped by another connection.
    thread::scope(|scope| {
        let stop = scope.spawn(|| socket.ask(&mut socket.connect()?, STOP, &id).map(drop));
        let trace = socket.read(&mut stream);
        // A session that is not stopped ends when its stream is closed.
        drop(stream);
        let stopped = stop.join().unwrap_or_else(|_| Err(socket.failed("the session was not stopped")));
        trace.and_then(|trace| stopped.map(|()| trace))
    })
}

/// The diagnostics socket of a process.
struct Socket {
    pid: u32,
    path: PathBuf,
}

impl Socket {
    /// Finds the socket of a process: the name has the number that the process has in its own container, and its start in ticks.
    fn of(pid: u32) -> Result<Self> {
        let mut socket = Self { pid, path: PathBuf::new() };
        let file = |name: &str| fs::read_to_string(format!("/proc/{pid}/{name}"));
        let status = file("status")?;
        let word = |key: &str| status.lines().find_map(|line| line.strip_prefix(key)?.split_whitespace().last());
        let number = word("NSpid:").map_or_else(|| pid.to_string(), str::to_owned);
        // Behind the name, which is in brackets and may have any character, the start is the 20th word.
        let stat = file("stat")?;
        let started = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(19)).unwrap_or_default();
        let name = format!("dotnet-diagnostic-{number}-{started}-socket");
        let folders = [std::env::temp_dir(), "/tmp".into(), format!("/proc/{pid}/root/tmp").into()];
        let found = folders.iter().map(|folder| folder.join(&name)).find(|path| path.exists());
        socket.path = found.ok_or_else(|| socket.failed(&format!("{name} is not in {}", folders[0].display())))?;
        let data = fs::metadata(&socket.path)?;
        let user = word("Uid:").and_then(|user| user.parse().ok());
        if data.file_type().is_socket() && user.is_none_or(|user: u32| data.uid() == user) {
            Ok(socket)
        } else {
            Err(socket.failed("it is no socket of the user of the process"))
        }
    }

    fn failed(&self, why: &str) -> MemoryError {
        MemoryError::NoSocket { pid: self.pid, why: why.to_owned() }
    }

    fn connect(&self) -> Result<UnixStream> {
        let stream = UnixStream::connect(&self.path)?;
        stream.set_read_timeout(Some(ANSWER))?;
        stream.set_write_timeout(Some(ANSWER))?;
        Ok(stream)
    }

    /// Sends a command, and returns the payload of the answer.
    fn ask(&self, stream: &mut UnixStream, command: u8, payload: &[u8]) -> Result<Vec<u8>> {
        let mut message = MAGIC.to_vec();
        message.extend((HEAD + payload.len() as u16).to_le_bytes());
        message.extend([EVENT_PIPE, command, 0, 0]);
        message.extend(payload);
        stream.write_all(&message)?;
        let mut head = [0; HEAD as usize];
        stream.read_exact(&mut head)?;
        let size = u16::from_le_bytes([head[14], head[15]]).checked_sub(HEAD);
        let mut answer = vec![0; size.unwrap_or_default().into()];
        stream.read_exact(&mut answer)?;
        if head.starts_with(MAGIC) && head[16..18] == DONE {
            Ok(answer)
        } else {
            Err(self.failed(&format!("the runtime refuses the command {command}")))
        }
    }

    /// The whole stream of events.
    fn read(&self, stream: &mut UnixStream) -> Result<Vec<u8>> {
        let until = Instant::now() + WHOLE;
        let mut trace = Vec::new();
        let mut bytes = vec![0; 1 << 16];
        loop {
            match stream.read(&mut bytes)? {
                0 => return Ok(trace),
                len => trace.extend(&bytes[..len]),
            }
            if trace.len() > MOST_BYTES || Instant::now() > until {
                return Err(self.failed("its rundown does not end"));
            }
        }
    }
}

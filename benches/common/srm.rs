//! System.Reflection.Metadata as a peer: a .NET program that does the same jobs in its own process, while it is warm.
//!
//! `PDBLENS_BENCH_SRM` is the command that runs `benches/srm/Srm.cs`, compiled for the runtime that is there:
//! `PDBLENS_BENCH_SRM='dotnet exec Srm.dll' cargo bench -p pdblens-benches --bench portable`.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// Turns after which the runtime has compiled what runs often a second time.
const WARM_UP: usize = 40;

/// The program, and the files that it was started with.
pub struct Srm {
    child: Child,
    jobs: ChildStdin,
    sums: BufReader<ChildStdout>,
    files: [PathBuf; 2],
}

impl Srm {
    /// Starts it on a portable PDB; `None` where no command is named. It looks up each method row and IL offset of `lookups`.
    pub fn start(pdb: &[u8], lookups: &[(u32, u32)]) -> Option<Self> {
        let command = std::env::var("PDBLENS_BENCH_SRM").ok()?;
        let file = |name| std::env::temp_dir().join(format!("pdblens-bench-{}.{name}", std::process::id()));
        let files = ["pdb", "lookups"].map(file);
        let numbers = lookups.iter().flat_map(|(row, il)| [row.to_le_bytes(), il.to_le_bytes()]).flatten();
        std::fs::write(&files[0], pdb).unwrap();
        std::fs::write(&files[1], numbers.collect::<Vec<u8>>()).unwrap();
        let mut words = command.split_whitespace();
        let mut program = Command::new(words.next().expect("PDBLENS_BENCH_SRM names a command"));
        let program = program.args(words).args(&files).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = program.spawn().unwrap_or_else(|error| panic!("{command}: {error}"));
        let (jobs, sums) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Some(Self { child, jobs, sums, files })
    }

    /// Does a job again and again until the runtime has optimised it, and returns its sum.
    pub fn warm_up(&mut self, job: &str) -> u64 {
        for _ in 0..WARM_UP {
            self.sum(job);
        }
        // Optimised code is compiled by another thread.
        std::thread::sleep(Duration::from_millis(300));
        self.sum(job)
    }

    /// Does a job once, and returns its sum.
    pub fn sum(&mut self, job: &str) -> u64 {
        writeln!(self.jobs, "{job}").unwrap();
        let mut line = String::new();
        self.sums.read_line(&mut line).unwrap();
        line.trim().parse().unwrap_or_else(|_| panic!("SRM answers {line:?} to {job}"))
    }
}

impl Drop for Srm {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        self.files.iter().for_each(|file| drop(std::fs::remove_file(file)));
    }
}

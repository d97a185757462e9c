//! Fails a build whose symbols cannot be used: the gate of a pipeline.
//!
//! ```sh
//! cargo run --example gate -- bin/App.dll bin/Core.dll
//! ```

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use pdblens::{Grade, Level, Policy, Symbols, Verdict};

const SAMPLES: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker/Ticker.dll"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker-windows/Ticker.dll"),
];

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    Ok(ExitCode::from(run(&args, &mut io::stdout().lock())?))
}

/// Prints what is wrong with files, or with samples; returns 1 if that is more than notes.
pub fn run(args: &[String], out: &mut dyn Write) -> Result<u8, Box<dyn Error>> {
    // No Windows PDBs, and every source within reach. Paths of the machine that compiled are of no interest.
    let deny = ["pdb-format", "untracked", "source-link"];
    let policy = deny.iter().try_fold(Policy::default(), |policy, rule| policy.with(rule, Level::Deny))?;
    let policy = policy.with("paths", Level::Allow)?;
    let files: Vec<&str> = if args.is_empty() { SAMPLES.to_vec() } else { args.iter().map(String::as_str).collect() };
    let mut failed = 0;
    for file in files {
        let symbols = match Symbols::open(file) {
            Ok(symbols) => symbols,
            Err(error) => {
                failed = 1;
                writeln!(out, "{file}: {error}")?;
                continue;
            }
        };
        if symbols.verdict() != Verdict::Matched {
            failed = 1;
            let why = symbols.reasons().first().map_or("", |reason| reason.text.as_str());
            writeln!(out, "{file}: the PDB does not match: {why}")?;
        }
        for found in symbols.check(&policy).into_iter().filter(|found| found.grade == Grade::Finding) {
            failed = 1;
            writeln!(out, "{file}: {}: {}", found.reason.reason, found.reason.text)?;
        }
    }
    Ok(failed)
}

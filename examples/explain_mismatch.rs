//! Explains why a PDB does not match an image: the question behind "the breakpoint will not currently be hit".
//!
//! ```sh
//! cargo run --example explain_mismatch -- App.dll App.pdb
//! ```

use std::error::Error;
use std::io::{self, Write};

use pdblens::session::Session;

const IMAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker/Ticker.dll");
const PDB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker-release/Ticker.pdb");

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    run(&args, &mut io::stdout())
}

/// Compares an image with a PDB; without arguments, those of two builds.
pub fn run(args: &[String], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let files = match args {
        [image, pdb] => [image.into(), pdb.into()],
        _ => [IMAGE.into(), PDB.into()],
    };
    let session = Session::open(&files)?;
    writeln!(out, "{}", session.pdb_match().summary())?;
    for reason in session.match_reasons() {
        writeln!(out, "  {reason}")?;
    }
    Ok(())
}

//! Prints the source files of a PDB in memory, with their hashes and their URLs by Source Link.
//!
//! ```sh
//! cargo run --example documents -- App.pdb
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{self, Write};

use pdblens::{Input, Symbols};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/workshop/Workshop.pdb");

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    run(&args, &mut io::stdout().lock())
}

/// Prints the documents of a PDB; without arguments, of a sample.
pub fn run(args: &[String], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let path = args.first().map_or(SAMPLE, String::as_str);
    // Whatever reads and seeks will do: a file, a cursor over a response.
    let symbols = Symbols::from_memory([Input::read(path, File::open(path)?)?])?;
    for document in symbols.documents()? {
        let algorithm = document.hash_algorithm.unwrap_or("no hash");
        writeln!(out, "{}  {algorithm} {}", document.path, document.hash)?;
        writeln!(out, "  {}", document.url.as_deref().unwrap_or("no URL"))?;
    }
    writeln!(out, "{}", symbols.source_link().as_deref().unwrap_or("no Source Link"))?;
    Ok(())
}

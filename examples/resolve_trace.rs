//! Adds file and line numbers to the frames of a stack trace.
//!
//! ```sh
//! cargo run --example resolve_trace -- folder-with-symbols < trace.txt
//! ```

use std::error::Error;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use pdblens::trace::{Files, Sink, Told, Tracer};

const SYMBOLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/faults");
const TRACE: &[u8] = include_bytes!("../assets/samples/faults/il-offsets.txt");

/// The text goes out as it comes in, but for the frames that can be resolved.
struct Text<'o>(&'o mut dyn Write);

impl Sink for Text<'_> {
    fn text(&mut self, text: &[u8]) -> io::Result<()> {
        self.0.write_all(text)
    }

    fn frame(&mut self, _: &Told<'_>) -> io::Result<()> {
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    run(&args, &mut io::stdout())
}

/// Resolves standard input with the symbols of a folder; without arguments, a sample with its own.
pub fn run(args: &[String], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let (folder, input): (&str, Box<dyn Read>) = match args {
        [folder] => (folder, Box::new(io::stdin())),
        _ => (SYMBOLS, Box::new(TRACE)),
    };
    let symbols = Files::new(&[PathBuf::from(folder)]);
    Tracer::new(vec![Box::new(symbols)]).run(input, &mut Text(out))?;
    Ok(())
}

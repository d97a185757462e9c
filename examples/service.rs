//! Answers requests for lines, one a line: a module and what runs there, `App.dll 0x06000003+0xf` or `app.exe 0x1072`.
//!
//! ```sh
//! cargo run --example service -- 'bin;symbols' < requests.txt
//! ```

use std::collections::HashMap;
use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

use pdblens::{Location, Symbols};

const FOLDERS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/assets/samples/ticker;",
    env!("CARGO_MANIFEST_DIR"),
    "/assets/samples/parcel-optimized"
);
const REQUESTS: &str = "Ticker.dll 0x06000003+0xf\nparcel.exe 0x1072\nparcel.exe 0x59999\nNone.dll 0x1\n";

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    run(&args, &mut io::stdout().lock())
}

/// Reads requests from standard input, and modules from the folders of a symbol path; without arguments, samples of both.
pub fn run(args: &[String], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let (path, text) = match args {
        [path] => (path.as_str(), io::read_to_string(io::stdin())?),
        _ => (FOLDERS, REQUESTS.to_owned()),
    };
    // A module is opened once: its clones share what was read, and may go to other threads.
    let mut modules: HashMap<&str, Result<Symbols, pdblens::Error>> = HashMap::new();
    for request in text.lines() {
        let (module, code) = request.split_once(' ').ok_or("write MODULE CODE")?;
        writeln!(out, "{request}")?;
        match modules.entry(module).or_insert_with(|| open(path, module)) {
            Ok(symbols) => print(&locations(symbols, code)?, out)?,
            Err(error) => writeln!(out, "  {error}")?,
        }
    }
    Ok(())
}

/// Opens a module in one of the folders, with symbols beside it or in any of them.
fn open(path: &str, module: &str) -> Result<Symbols, pdblens::Error> {
    let mut all = path.split(';').map(|folder| Path::new(folder).join(module));
    let image = all.find(|image| image.is_file()).unwrap_or_else(|| module.into());
    Symbols::open_along(image, path)
}

/// A method token and an IL offset, or an address less the base of the module.
fn locations(symbols: &Symbols, code: &str) -> Result<Vec<Location>, Box<dyn Error>> {
    let number = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16);
    Ok(match code.split_once('+') {
        Some((token, offset)) => symbols.line_of(number(token)?, number(offset)?).into_iter().collect(),
        None => symbols.lines_of_address(number(code)?),
    })
}

fn print(found: &[Location], out: &mut dyn Write) -> io::Result<()> {
    if found.is_empty() {
        writeln!(out, "  no code")?;
    }
    for location in found {
        // Line 0: the symbols have the code, and no line of it.
        writeln!(out, "  {}  {}:{}", location.function, location.document, location.line)?;
        if let Some(doubt) = &location.doubt {
            writeln!(out, "    in doubt: {}", doubt.text)?;
        }
    }
    Ok(())
}

//! Prints functions and lines for the addresses of a crash: each line has a module, its base, and an address in it.
//!
//! ```sh
//! cargo run --example symbolicate -- folder < addresses.txt
//! ```

use std::collections::HashMap;
use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

use pdblens::Symbols;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/parcel-optimized");
const ADDRESSES: &str = "parcel.exe 0x7ff712340000 0x7ff712341072\nparcel.exe 0x7ff712340000 0x7ff712399999\n";

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    run(&args, &mut io::stdout().lock())
}

/// Reads addresses from standard input, and modules from a folder; without arguments, samples of both.
pub fn run(args: &[String], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let (folder, text) = match args {
        [folder] => (folder.as_str(), io::read_to_string(io::stdin())?),
        _ => (FOLDER, ADDRESSES.to_owned()),
    };
    let mut modules: HashMap<&str, Symbols> = HashMap::new();
    for line in text.lines() {
        let [module, base, address] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            return Err(format!("{line}: write MODULE BASE ADDRESS").into());
        };
        if !modules.contains_key(module) {
            modules.insert(module, Symbols::open(Path::new(folder).join(module))?);
        }
        let offset = hexadecimal(address)?.checked_sub(hexadecimal(base)?).ok_or("the address is below the base")?;
        writeln!(out, "{module}+{offset:#x}")?;
        let found = modules[module].lines_of_address(u32::try_from(offset)?);
        if found.is_empty() {
            writeln!(out, "  no function")?;
        }
        for location in found {
            writeln!(out, "  {}  {}:{}", location.function, location.document, location.line)?;
            if let Some(doubt) = location.doubt {
                writeln!(out, "    in doubt: {}", doubt.text)?;
            }
        }
    }
    Ok(())
}

fn hexadecimal(text: &str) -> Result<u64, Box<dyn Error>> {
    Ok(u64::from_str_radix(text.trim_start_matches("0x"), 16)?)
}

//! Finds the source line of an IL offset, as a stack trace or a crash report has it.
//!
//! ```sh
//! cargo run --example line_of_offset -- App.dll 0x06000002+0xf
//! ```

use std::error::Error;
use std::io::{self, Write};

use pdblens::session::Session;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker/Ticker.dll");

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    run(&args, &mut io::stdout())
}

/// Answers for `FILE METHOD+OFFSET`; without arguments, for a sample.
pub fn run(args: &[String], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let (file, question) = match args {
        [file, question] => (file.as_str(), question.as_str()),
        _ => (SAMPLE, "0x06000003+0x2"),
    };
    // The PDB is found beside the image, or inside it.
    let session = Session::open(&[file.into()])?;
    let query = pdblens::query::address::parse_offset(&session, question)?;
    let answer = pdblens::query::where_is::where_is(&session, query.of, query.offset);
    let name = session.method_name(query.of.token());
    match answer.shown() {
        Some(point) => {
            let document = pdblens::nodes::document::name(&session, point.document).unwrap_or_default();
            writeln!(out, "{name} +{:#x} is {document}:{}", query.offset, point.start_line)?;
        }
        None => writeln!(out, "{name} has no sequence points")?,
    }
    Ok(())
}

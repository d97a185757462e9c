//! Prints all sequence points, one a line: token, IL offset, lines and columns, document.
//!
//! ```sh
//! cargo run --example dump_points -- App.dll
//! ```

use std::error::Error;
use std::io::{self, Write};

use pdblens::nodes::method::range_text;
use pdblens::nodes::{TableId, Token};
use pdblens::session::Session;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker/Ticker.pdb");

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    run(&args, &mut io::stdout().lock())
}

/// Prints the points of a file; without arguments, of a sample.
pub fn run(args: &[String], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let session = Session::open(&[args.first().map_or(SAMPLE, String::as_str).into()])?;
    for row in 1..=session.methods() {
        let method = pdblens::nodes::method::MethodView::of(&session, Token::new(TableId::METHOD_DEF, row));
        for point in &method.points {
            let document = pdblens::nodes::document::name(&session, point.document).unwrap_or_default();
            let token = method.of.token();
            writeln!(out, "{token}  IL_{:04x}  {:<15}  {document}", point.offset, range_text(point))?;
        }
    }
    Ok(())
}

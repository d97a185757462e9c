//! Prints the line table of every method: token, IL offset, line. The methods are shared out to threads.
//!
//! ```sh
//! cargo run --example points -- App.dll
//! ```

use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::thread;

use pdblens::{Method, Symbols};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/samples/ticker/Ticker.dll");

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    run(&args, &mut io::stdout().lock())
}

/// Prints the tables of a file; without arguments, of a sample.
///
/// # Panics
/// If a worker panics.
pub fn run(args: &[String], out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let symbols = Symbols::open(args.first().map_or(SAMPLE, String::as_str))?;
    let methods: Vec<Method> = symbols.methods().collect();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let parts = methods.chunks(methods.len().div_ceil(threads).max(1));
    let texts: Vec<Result<String, pdblens::Error>> = thread::scope(|scope| {
        let workers: Vec<_> = parts.map(|part| scope.spawn(|| tables(&symbols, part))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect()
    });
    for text in texts {
        out.write_all(text?.as_bytes())?;
    }
    Ok(())
}

/// The tables of some methods.
fn tables(symbols: &Symbols, methods: &[Method]) -> Result<String, pdblens::Error> {
    let mut text = String::new();
    for method in methods {
        for line in symbols.lines(method.token)? {
            let source = match line.line {
                0 => "hidden".to_owned(),
                number => format!("{}:{number}", line.document),
            };
            let _ = writeln!(text, "{:#010x}  IL_{:04x}  {source}", method.token, line.offset);
        }
    }
    Ok(text)
}

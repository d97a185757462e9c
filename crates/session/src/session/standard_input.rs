//! Standard input as a file, which the path `-` names.
//!
//! It is read once, up to the maximum size of a file. If its first bytes are not those of a known format, nothing more is read, because
//! input such as that of `yes` never ends.

use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::sync::OnceLock;

use super::detect;
use super::read_file::MAX_WHOLE;
use pdblens_formats::container::{PREFIX_LEN, assembly_store, cabinet, is_archive, wrapped};

/// Name of a file that has none.
pub const NAME: &str = "standard input";

const PORTION: u64 = 1 << 20;

/// The bytes, or why they could not be read.
static BYTES: OnceLock<Result<Vec<u8>, (io::ErrorKind, String)>> = OnceLock::new();

pub fn is_named(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// All of standard input.
///
/// # Errors
///
/// It is a terminal, cannot be read, or is larger than a file may be.
pub fn bytes() -> io::Result<&'static [u8]> {
    let read = BYTES.get_or_init(|| {
        let input = io::stdin();
        if input.is_terminal() {
            let message = "it is a terminal: write `pdblens … - < FILE`";
            return Err((io::ErrorKind::InvalidInput, message.to_owned()));
        }
        read_file(&mut input.lock(), MAX_WHOLE).map_err(|error| (error.kind(), error.to_string()))
    });
    read.as_deref().map_err(|(kind, message)| io::Error::new(*kind, message.as_str()))
}

/// Reads a file of at most `max` bytes; of anything else its first bytes.
fn read_file(input: &mut dyn Read, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(PREFIX_LEN as u64).read_to_end(&mut bytes)?;
    let is_container = is_archive(&bytes) || cabinet::has_many(&bytes) || assembly_store::is_store(&bytes);
    let is_ours = detect::kind(&bytes).is_some() || wrapped::is_wrapped(&bytes);
    if !is_container && !is_ours && !detect::is_foreign_program(&bytes) {
        return Ok(bytes);
    }
    read_more(input, bytes, max)
}

/// Reads the rest of an input that may have `max` bytes in all.
pub fn read_more(input: &mut dyn Read, mut bytes: Vec<u8>, max: u64) -> io::Result<Vec<u8>> {
    loop {
        bytes.try_reserve(PORTION as usize).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        if input.take(PORTION).read_to_end(&mut bytes)? == 0 {
            return Ok(bytes);
        }
        if bytes.len() as u64 > max {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {max} bytes")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_without_end_is_refused_early() {
        let read = read_file(&mut io::repeat(b'y'), MAX_WHOLE).unwrap();
        assert_eq!(read.len(), PREFIX_LEN);
        let mut image = b"MZ".chain(io::repeat(0));
        let error = read_file(&mut image, 3 << 20).unwrap_err();
        assert!(error.to_string().contains("larger than 3145728 bytes"), "{error}");
        let image: &[u8] = include_bytes!("../../assets/samples/ticker/Ticker.dll");
        assert_eq!(read_file(&mut &*image, MAX_WHOLE).unwrap(), image);
    }
}

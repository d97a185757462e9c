//! Reading of whole files, bounded: no device, pipe or endless file is read.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest file that is read as a whole: 1 GB.
pub const MAX_WHOLE: u64 = 1 << 30;

/// Files from this size on are read by several threads: what takes the time is to get memory.
const PARALLEL: usize = 8 << 20;

/// Opens a regular file. A pipe is refused before it is opened, because opening it would wait for a writer.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let found = std::fs::metadata(path)?;
    if !found.is_file() {
        let message = "not a regular file (a device, pipe or socket may have no end): save its content to a file first";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    File::open(path)
}

/// Opens a text: a regular file, or a pipe that a shell made (`<(command)`) and handed over as a descriptor of this process.
pub fn open_text(path: &Path) -> io::Result<File> {
    let handed_over = ["/dev/fd", "/dev/stdin", "/proc/self/fd"].iter().any(|known| path.starts_with(known));
    if std::fs::metadata(path)?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder: name a file in it"));
    }
    if handed_over { File::open(path) } else { open_regular(path) }
}

/// Appends the rest of `file` to `bytes`, which may grow to `max` bytes.
pub(crate) fn read_rest(file: &mut File, bytes: &mut Vec<u8>, max: u64) -> io::Result<()> {
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {max} bytes"));
    let len = file.metadata()?.len();
    if len > max {
        return Err(too_large());
    }
    let rest = (len as usize).saturating_sub(bytes.len());
    if rest >= PARALLEL && read_in_parallel(file, bytes, len as usize).is_ok() {
        return Ok(());
    }
    bytes.try_reserve_exact(rest).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    // A file of `/proc` is longer than it says, and a log may grow.
    let room = max.saturating_sub(bytes.len() as u64);
    file.take(room.saturating_add(1)).read_to_end(bytes)?;
    if bytes.len() as u64 > max { Err(too_large()) } else { Ok(()) }
}

/// Reads all `len` bytes of a file, a part on each processor. Leaves `bytes` as they are if the file turns out to be of another size.
#[cfg(unix)]
fn read_in_parallel(file: &File, bytes: &mut Vec<u8>, len: usize) -> io::Result<()> {
    use crate::parallel::{parallel_map, processors};
    use std::os::unix::fs::FileExt;
    // To reserve first says whether there is as much; memory of zeros comes from the system as it is, and is not written here.
    Vec::<u8>::new().try_reserve_exact(len).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    let mut all = vec![0; len];
    let threads = processors().min(8);
    let part = len.div_ceil(threads);
    let read = |(index, chunk): (usize, _)| file.read_exact_at(chunk, (index * part) as u64);
    parallel_map(all.chunks_mut(part).enumerate(), threads, read).into_iter().collect::<io::Result<()>>()?;
    // A log may have grown.
    if file.metadata()?.len() != len as u64 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    *bytes = all;
    Ok(())
}

#[cfg(not(unix))]
fn read_in_parallel(_: &File, _: &mut Vec<u8>, _: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Reads a regular file of at most `max` bytes.
pub fn read_file(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_rest(&mut open_regular(path)?, &mut bytes, max)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_above_the_limit_is_refused() {
        let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/samples/ticker/Ticker.dll"));
        let len = std::fs::metadata(path).unwrap().len();
        assert_eq!(read_file(path, len).unwrap().len() as u64, len);
        assert!(read_file(path, len - 1).unwrap_err().to_string().contains("larger than"));
        assert!(read_file(Path::new(env!("CARGO_MANIFEST_DIR")), len).is_err());
    }
}

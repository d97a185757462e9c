use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use super::{Error, ErrorKind, Result, Span};

/// Bytes per byte of the file that may be inflated out of it, all sources together.
const FACTOR: u64 = 64;
/// Bytes that may be inflated out of any file.
const FREE: u64 = 32 << 20;

/// Bytes that a session inflates or copies out of a file, in proportion to its size: any number of records can lead to the same
/// deflated bytes, and those can be a thousand times as long as they seem.
#[derive(Debug, Default)]
pub struct Allowance {
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    bytes: u64,
    /// Numbers of what was taken, which costs nothing again.
    numbers: HashSet<u32>,
}

impl Allowance {
    /// Takes `len` bytes for the thing with that number out of what a file of `file_len` bytes has.
    pub fn take(&self, what: &'static str, file_len: u64, number: u32, len: u64, span: Span) -> Result<()> {
        let ceiling = file_len.saturating_mul(FACTOR).saturating_add(FREE);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.numbers.contains(&number) {
            return Ok(());
        }
        let size = taken.bytes.saturating_add(len);
        if size > ceiling {
            return Err(Error::new(ErrorKind::TooLarge { what, size, ceiling }, span));
        }
        taken.bytes = size;
        taken.numbers.insert(number);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_counted_once_and_all_of_them_have_a_limit() {
        let allowance = Allowance::default();
        let take = |number, len| allowance.take("all sources", 10, number, len, Span::default());
        assert_eq!(take(1, FREE), Ok(()));
        assert_eq!(take(1, FREE), Ok(()));
        assert_eq!(take(2, 640), Ok(()));
        let error = take(3, 1).unwrap_err().to_string();
        assert!(error.contains("all sources") && error.contains("33555073 bytes of at most 33555072"), "{error}");
    }
}

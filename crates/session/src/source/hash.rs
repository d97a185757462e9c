//! Verification of a text against the hash of its document.

use std::fmt;

use crate::store::digest::Algorithm;
use crate::symbols::{Document, ModuleHash};
use pdblens_formats::bytes::Guid;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashVerdict {
    /// It is, with its line ends as they are or changed.
    Verified(LineEnds),
    Differs,
    /// There is nothing to tell by.
    CannotTell(Unknown),
}

/// Conversion of line ends that gives the document's hash: version control changes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnds {
    /// Nothing.
    AsTheyAre,
    /// LF became CRLF.
    MadeCrlf,
    /// CRLF became LF.
    MadeLf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    NoHash,
    /// The document has a hash of an algorithm that pdblens does not know.
    Algorithm(Guid),
    Length,
    NoText,
    /// The text may not be read.
    Denied,
}

impl HashVerdict {
    pub const fn is_verified(self) -> bool {
        matches!(self, Self::Verified(_))
    }
}

impl fmt::Display for HashVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Verified(LineEnds::AsTheyAre) => f.write_str("verified"),
            Self::Verified(LineEnds::MadeCrlf) => f.write_str("verified, with line ends made CRLF"),
            Self::Verified(LineEnds::MadeLf) => f.write_str("verified, with line ends made LF"),
            Self::Differs => f.write_str("differs from what was compiled"),
            Self::CannotTell(Unknown::NoHash) => f.write_str("cannot tell: the document has no hash"),
            Self::CannotTell(Unknown::Algorithm(guid)) => write!(f, "cannot tell: hash algorithm {guid} is not known"),
            Self::CannotTell(Unknown::Length) => f.write_str("cannot tell: the hash has a wrong length"),
            Self::CannotTell(Unknown::NoText) => f.write_str("no text"),
            Self::CannotTell(Unknown::Denied) => f.write_str("it may not be read"),
        }
    }
}

/// Compares the hash of `bytes` with the one that `document` has.
pub fn verify(bytes: &[u8], document: &Document) -> HashVerdict {
    if document.hash.is_empty() {
        return HashVerdict::CannotTell(Unknown::NoHash);
    }
    let guid = document.hash_algorithm.unwrap_or_default();
    let Some(algorithm) = Algorithm::of(guid) else {
        return HashVerdict::CannotTell(if guid.is_nil() { Unknown::NoHash } else { Unknown::Algorithm(guid) });
    };
    if document.hash.len() != algorithm.size() {
        return HashVerdict::CannotTell(Unknown::Length);
    }
    let is_it = |bytes: &[u8]| algorithm.digest([bytes]) == document.hash;
    if is_it(bytes) {
        return HashVerdict::Verified(LineEnds::AsTheyAre);
    }
    let has_crlf = bytes.windows(2).any(|pair| pair == b"\r\n");
    let (other, ends) = if has_crlf {
        (replaced(bytes, b"\r\n", b"\n"), LineEnds::MadeLf)
    } else {
        (replaced(bytes, b"\n", b"\r\n"), LineEnds::MadeCrlf)
    };
    if is_it(&other) { HashVerdict::Verified(ends) } else { HashVerdict::Differs }
}

/// Compares the hash of `bytes` with that of `document`, and then with those that modules have for it.
pub fn verify_any(bytes: &[u8], document: &Document, hashes: &[ModuleHash]) -> HashVerdict {
    let own = verify(bytes, document);
    if own != HashVerdict::Differs {
        return own;
    }
    let of_module = |found: &ModuleHash| Document {
        hash_algorithm: found.algorithm,
        hash: found.hash.clone(),
        ..Document::default()
    };
    let verdicts = hashes.iter().map(|found| verify(bytes, &of_module(found)));
    verdicts.into_iter().find(|verdict| verdict.is_verified()).unwrap_or(own)
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 16);
    let mut rest = bytes;
    while let Some((first, tail)) = rest.split_first() {
        if let Some(behind) = rest.strip_prefix(from) {
            out.extend_from_slice(to);
            rest = behind;
        } else {
            out.push(*first);
            rest = tail;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::guids;

    fn document(hash: Vec<u8>, algorithm: Option<Guid>) -> Document {
        Document { hash, hash_algorithm: algorithm, ..Document::default() }
    }

    fn hashed(text: &[u8]) -> Document {
        document(Algorithm::Sha256.digest([text]), Some(guids::SHA256))
    }

    #[test]
    fn line_ends_may_have_changed() {
        let verified = HashVerdict::Verified;
        assert_eq!(verify(b"a\nb\n", &hashed(b"a\nb\n")), verified(LineEnds::AsTheyAre));
        assert_eq!(verify(b"a\nb\n", &hashed(b"a\r\nb\r\n")), verified(LineEnds::MadeCrlf));
        assert_eq!(verify(b"a\r\nb\r\n", &hashed(b"a\nb\n")), verified(LineEnds::MadeLf));
        assert_eq!(verify(b"a\r\nb\n", &hashed(b"a\r\nb\r\n")), HashVerdict::Differs, "it has a CRLF already");
        assert_eq!(verify(b"a\nb", &hashed(b"a\nc")), HashVerdict::Differs);
    }

    #[test]
    fn without_a_hash_that_can_be_made_nothing_is_claimed() {
        let cannot = |document: Document| match verify(b"text", &document) {
            HashVerdict::CannotTell(why) => why,
            other => panic!("{other}"),
        };
        assert_eq!(cannot(document(vec![], Some(guids::SHA256))), Unknown::NoHash);
        assert_eq!(cannot(document(vec![1], None)), Unknown::NoHash);
        assert_eq!(cannot(document(vec![1; 32], Some(guids::CSHARP))), Unknown::Algorithm(guids::CSHARP));
        assert_eq!(cannot(document(vec![1; 20], Some(guids::SHA256))), Unknown::Length);
    }
}
